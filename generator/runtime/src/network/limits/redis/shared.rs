//! The state that all callers of a fleet's limiter share within a process.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::alone::Alone;
use super::bucket::{Booked, Bucket, Registry};
use super::link::Link;
use super::question::{Answer, Member, PermitRequest, Question};
use super::settings::RedisSettings;
use crate::data::error::LimiterErrorKind;
use crate::network::limits::call::{Call, Reservation};
use crate::network::limits::limiter::{AdmissionError, Full, RateLimitFeedback, Unavailable};

/// The longest wait without another question: there may be room earlier than reported, if others return permits.
const PATIENCE: Duration = Duration::from_millis(250);

/// The wait before another question if the answer contains none.
const SOON: Duration = Duration::from_millis(25);

/// For how long reports are gathered. They are in time if they arrive before their places would have become free.
const GATHERED: Duration = Duration::from_millis(20);

/// The state that all callers share.
pub(super) struct Shared {
    pub(super) settings: RedisSettings,
    pub(super) link: Link,
    pub(super) alone: Option<Alone>,
    /// Distinguishes the permits of this process from those of others.
    name: String,
    started: Instant,
    next_id: AtomicU64,
    registry: Mutex<Registry>,
    /// The permits that are in use, by their names.
    open: Mutex<HashMap<u64, OpenPermit>>,
    /// The permits of calls that were given up without a response and may still arrive.
    given_up: Mutex<Vec<GivenUp>>,
    /// The runtime that sends reports if they are made outside of any runtime.
    runtime: Mutex<Option<Handle>>,
}

/// A permit that is in use.
struct OpenPermit {
    bucket: Arc<Bucket>,
    /// When it was handed to its caller, who sends the call after that.
    given_at: Instant,
}

/// A permit of a call that was given up without a response.
struct GivenUp {
    id: u64,
    bucket: Arc<Bucket>,
    /// When it was given up.
    at: Instant,
    /// When it has arrived at the latest.
    arrived: Instant,
}

/// The caller on whose behalf Redis is queried.
#[derive(Clone, Copy)]
enum Purpose {
    /// Waiting calls.
    Waiting,
    /// One call that does not wait.
    One,
    /// No caller: the question only carries reports.
    Nobody,
}

impl Shared {
    pub(super) fn new(link: Link, settings: RedisSettings) -> Self {
        Self {
            alone: Alone::new(&settings),
            link,
            name: format!("{:016x}:", RandomState::new().hash_one(std::process::id())),
            started: Instant::now(),
            next_id: AtomicU64::new(0),
            registry: Mutex::new(Registry::new()),
            open: Mutex::default(),
            given_up: Mutex::default(),
            runtime: Mutex::default(),
            settings,
        }
    }

    /// Returns a reservation, from Redis if it is reachable.
    pub(super) async fn admit(self: &Arc<Self>, call: Call<'_>, wait: bool) -> Result<Reservation, AdmissionError> {
        let start = Instant::now();
        if let Ok(runtime) = Handle::try_current() {
            *lock(&self.runtime) = Some(runtime);
        }
        loop {
            let given = match &self.alone {
                None => self.reservation(&call, wait).await,
                Some(alone) if alone.is_alone() => match alone.ask(call, wait).await {
                    Some(given) => given,
                    None => continue,
                },
                Some(alone) => match alone.while_member(self.reservation(&call, wait)).await {
                    // Without a runtime, the process could not return to the fleet.
                    Some(Err(AdmissionError::Unavailable(why))) if Handle::try_current().is_ok() => {
                        alone.fail(why);
                        if !alone.is_alone() {
                            tokio::time::sleep(SOON).await;
                        }
                        continue;
                    }
                    Some(given) => given,
                    None => continue,
                },
            };
            let waited = start.elapsed();
            return match given {
                Ok(reservation) => Ok(Reservation { waited, ..reservation }),
                Err(AdmissionError::Unavailable(why)) => Err(why.after(waited).into()),
                Err(denied) => Err(denied),
            };
        }
    }

    /// Returns a reservation from Redis.
    async fn reservation(self: &Arc<Self>, call: &Call<'_>, wait: bool) -> Result<Reservation, AdmissionError> {
        let bucket = lock(&self.registry).bucket(call, &self.settings);
        let booked = if wait { self.next_in(&bucket).await? } else { self.at_once(&bucket).await? };
        let untaken = UnclaimedPermit { shared: self, bucket: &bucket, booked };
        let left = booked.from.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            tokio::time::sleep(left).await;
        }
        std::mem::forget(untaken);
        let counted_at = Duration::from_micros(u64::try_from(booked.moment).unwrap_or_default());
        lock(&self.open).insert(booked.id, OpenPermit { bucket, given_at: Instant::now() });
        Ok(Reservation { counted_at, left: booked.left, ..Reservation::new(booked.id, Duration::ZERO) })
    }

    /// Returns a permit for a call that does not wait.
    async fn at_once(self: &Arc<Self>, bucket: &Arc<Bucket>) -> Result<Booked, AdmissionError> {
        if let Some(booked) = bucket.take_spare() {
            return Ok(booked);
        }
        let answer = self.ask_for(bucket, Purpose::One).await?;
        bucket.take_spare().ok_or_else(|| {
            let binding = answer.as_ref().and_then(Answer::binding).and_then(|index| bucket.windows.get(index));
            let wait = answer.as_ref().map(Answer::wait).filter(|wait| !wait.is_zero());
            Full::new(wait.unwrap_or(SOON), binding.map(|window| window.binding)).into()
        })
    }

    /// Returns the next permit for waiting calls. The first call requests permits for all.
    async fn next_in(self: &Arc<Self>, bucket: &Arc<Bucket>) -> Result<Booked, Unavailable> {
        let _waits = bucket.wait();
        let _front = bucket.front.lock().await;
        loop {
            if let Some(booked) = bucket.take() {
                return Ok(booked);
            }
            let pause = bucket.ask_again_in();
            if pause.is_zero() {
                self.ask_for(bucket, Purpose::Waiting).await?;
            } else {
                tokio::time::sleep(pause).await;
            }
        }
    }

    /// Requests permits, which are added to the bucket even if the caller has been dropped by then.
    async fn ask_for(self: &Arc<Self>, bucket: &Arc<Bucket>, whom: Purpose) -> Result<Option<Answer>, Unavailable> {
        let ended = |why: &str| Unavailable::new(LimiterErrorKind::Unreachable, why);
        let runtime = Handle::try_current().map_err(|_| ended("calls with limits in Redis need a tokio runtime"))?;
        let (shared, bucket) = (Arc::clone(self), Arc::clone(bucket));
        let task = runtime.spawn(async move { shared.ask(&bucket, whom).await });
        task.await.unwrap_or_else(|_| Err(ended("the tokio runtime has ended")))
    }

    /// Reports used and unused permits, and requests more. `None` if there was nothing to send.
    async fn ask(self: &Arc<Self>, bucket: &Arc<Bucket>, whom: Purpose) -> Result<Option<Answer>, Unavailable> {
        let _only = match whom {
            Purpose::Waiting => Some(bucket.requesting.lock().await),
            Purpose::One | Purpose::Nobody => None,
        };
        let (count, booking) = match whom {
            Purpose::Waiting => (bucket.wanted(), self.settings.ahead),
            Purpose::One => (1, Duration::ZERO),
            Purpose::Nobody => (0, Duration::ZERO),
        };
        if matches!(whom, Purpose::Waiting) && (count == 0 || !bucket.ask_again_in().is_zero()) {
            return Ok(None);
        }
        let until = self.alone.as_ref().and_then(|alone| alone.presence.publish_membership());
        let reports = bucket.take_reports();
        let first = self.next_id.fetch_add(count as u64, Ordering::Relaxed);
        let ids = first..first + count as u64;
        let request = PermitRequest { first, count, booking };
        let question = Question::ask(bucket, &self.settings, self.member(until), &reports, request);
        let result = self.link.ask(&question).await;
        let answer = match result {
            Ok(answer) => answer,
            Err(why) => {
                // The server may have processed the question nevertheless. Reports can be repeated, and its permits are
                // returned.
                bucket.keep_reports(reports);
                bucket.unused(ids);
                return Err(why);
            }
        };
        if let (Some(alone), Some(until), false) = (&self.alone, until, answer.is_late()) {
            alone.presence.answered(until);
        }
        self.take_granted(bucket, whom, &answer, ids);
        Ok(Some(answer))
    }

    /// Adds the granted permits to the bucket.
    fn take_granted(
        self: &Arc<Self>,
        bucket: &Arc<Bucket>,
        whom: Purpose,
        answer: &Answer,
        mut ids: std::ops::Range<u64>,
    ) {
        let heard = Instant::now();
        let booked = answer.granted().zip(ids.by_ref()).map(|(ahead, id)| Booked {
            id,
            moment: answer.now().saturating_add(i64::try_from(ahead.as_micros()).unwrap_or(i64::MAX)),
            from: heard + ahead,
            left: answer.left(),
        });
        bucket.put(booked);
        if matches!(whom, Purpose::Waiting) {
            let wait = if answer.is_late() { SOON } else { answer.wait().saturating_sub(self.settings.ahead) };
            let pause = wait.clamp(Duration::from_millis(1), PATIENCE);
            bucket.ask_again_at((!ids.is_empty()).then(|| heard + pause));
        }
        if answer.may_lack_permits() {
            bucket.unused(ids);
        }
        self.clean_up_later(bucket);
    }

    /// Sends reports and drops unclaimed permits, after a while.
    fn clean_up_later(self: &Arc<Self>, bucket: &Arc<Bucket>) {
        let runtime = Handle::try_current().ok().or_else(|| lock(&self.runtime).clone());
        let Some(runtime) = runtime.filter(|_| !bucket.is_clean()) else { return };
        if bucket.cleanup.swap(true, Ordering::AcqRel) {
            return;
        }
        let (shared, cleanup) = (Arc::clone(self), CleanupFlag(Arc::clone(bucket)));
        runtime.spawn(async move {
            tokio::time::sleep(GATHERED).await;
            let bucket = Arc::clone(&cleanup.0);
            drop(cleanup);
            // If this fails, the next question contains the reports.
            if !bucket.drop_unclaimed() || shared.ask(&bucket, Purpose::Nobody).await.is_ok() {
                shared.clean_up_later(&bucket);
            }
        });
    }

    /// Sends all reports at once.
    pub(super) async fn flush(self: &Arc<Self>) {
        let buckets = lock(&self.registry).all();
        for bucket in buckets.iter().filter(|bucket| bucket.drop_unclaimed()) {
            // If this fails, the leases end.
            let _ = self.ask(bucket, Purpose::Nobody).await;
        }
    }

    /// Notes that the call of a reservation was answered. If the response is the exchange's, the network holds nothing
    /// back: what was given up before this call was sent has arrived, or does so as late as a call can be overtaken.
    pub(super) fn answered(self: &Arc<Self>, reservation: &Reservation, is_of_exchange: bool) {
        let Some(OpenPermit { bucket, given_at }) = lock(&self.open).remove(&reservation.key) else { return };
        let now = Instant::now();
        bucket.ended(reservation.key, now);
        self.clean_up_later(&bucket);
        if !is_of_exchange {
            return;
        }
        let arrived = now + self.settings.settling();
        let is_settled = |one: &mut GivenUp| one.at <= given_at && one.bucket.is_of_same_address(&bucket);
        let settled: Vec<_> = lock(&self.given_up).extract_if(.., is_settled).collect();
        for one in settled.into_iter().filter(|one| arrived < one.arrived) {
            one.bucket.ended(one.id, arrived);
            self.clean_up_later(&one.bucket);
        }
    }

    /// Notes that the call of a reservation was given up without a response. It takes its place until it can no longer
    /// arrive.
    pub(super) fn lost(self: &Arc<Self>, reservation: &Reservation) {
        let Some(OpenPermit { bucket, given_at }) = lock(&self.open).remove(&reservation.key) else { return };
        let now = Instant::now();
        let arrived = (now + self.settings.settling()).max(given_at + self.settings.under_way());
        bucket.ended(reservation.key, arrived);
        self.clean_up_later(&bucket);
        let mut given_up = lock(&self.given_up);
        given_up.retain(|one| one.arrived > now);
        given_up.push(GivenUp { id: reservation.key, bucket, at: now, arrived });
    }

    /// Notes that the call of a reservation is not made.
    pub(super) fn unused(self: &Arc<Self>, reservation: &Reservation) {
        let Some(OpenPermit { bucket, .. }) = lock(&self.open).remove(&reservation.key) else { return };
        bucket.unused([reservation.key].into_iter());
        self.clean_up_later(&bucket);
    }

    /// Reports the feedback of a response to the fleet, if it is new.
    pub(super) fn learn(self: &Arc<Self>, reservation: &Reservation, feedback: RateLimitFeedback) {
        let bucket = lock(&self.open).get(&reservation.key).map(|permit| Arc::clone(&permit.bucket));
        let (Ok(runtime), Some(bucket)) = (Handle::try_current(), bucket) else { return };
        let is_counted = bucket.is_counted_in(feedback.remaining_windows);
        let remaining = feedback.remaining.filter(|remaining| is_counted && *remaining < reservation.left);
        let pools = feedback.pools.into_iter().flatten().filter_map(|report| Some((bucket.pool(report.pool)?, report)));
        let mut pools: Vec<_> = pools.collect();
        if !pools.is_empty() && !bucket.may_tell() {
            pools.clear();
        }
        if feedback.too_many.is_none() && remaining.is_none() && pools.is_empty() {
            return;
        }
        let (shared, counted_at) = (Arc::clone(self), reservation.counted_at);
        runtime.spawn(async move {
            let Self { link, settings, .. } = &*shared;
            // If this fails, the next question finds out that Redis cannot be reached.
            if let Some(too_many) = feedback.too_many {
                let _ = link.ask(&Question::too_many(&bucket, settings, too_many)).await;
            }
            if let Some(remaining) = remaining {
                let _ = link.ask(&Question::remaining(&bucket, settings, counted_at, remaining)).await;
            }
            for pool in pools {
                let _ = link.ask(&Question::pool_report(&bucket, settings, counted_at, pool)).await;
            }
        });
    }

    /// Reports the presence of the process to the server.
    pub(super) async fn announce_presence(self: &Arc<Self>, alone: &Alone) {
        let bucket = Arc::new(Bucket::over([].iter(), &self.settings));
        if let Err(why) = self.ask(&bucket, Purpose::Nobody).await {
            alone.fail(why);
        }
    }

    /// Returns this process as a member; if `until` is given, as one until then.
    pub(super) fn member(&self, until: Option<Instant>) -> Member<'_> {
        let validity = self.settings.validity();
        Member {
            name: &self.name,
            share: self.alone.as_ref().filter(|_| until.is_some()).map(|alone| alone.share.fraction()),
            // By then, a process that had its share before it is no longer a member.
            since: self.started + validity,
            until: until.unwrap_or_else(|| Instant::now() + validity),
        }
    }
}

/// A permit that is about to be taken. If it is not, the next caller may have it.
struct UnclaimedPermit<'a> {
    shared: &'a Arc<Shared>,
    bucket: &'a Arc<Bucket>,
    booked: Booked,
}

impl Drop for UnclaimedPermit<'_> {
    fn drop(&mut self) {
        self.bucket.put_back(self.booked);
        self.shared.clean_up_later(self.bucket);
    }
}

/// A bucket that will be tidied up.
struct CleanupFlag(Arc<Bucket>);

impl Drop for CleanupFlag {
    fn drop(&mut self) {
        self.0.cleanup.store(false, Ordering::Release);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
