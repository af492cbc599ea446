//! The limiter of a process that cannot reach Redis, and membership of a fleet: a process reports its presence, and
//! returns when Redis answers again.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::watch;

use super::bucket::Bucket;
use super::link::PAUSE;
use super::question::Question;
use super::settings::{Fallback, FleetChange, RedisSettings};
use super::shared::Shared;
use crate::network::limits::call::{Call, Reservation};
use crate::network::limits::in_process::InProcessLimits;
use crate::network::limits::limiter::{Admission, AdmissionError, Limiter, Unavailable};
use crate::network::limits::settings::QuotaShare;

/// Marks the reservations that were given without Redis.
const ALONE: u64 = 1 << 63;

/// The limiter while Redis cannot be reached.
pub(super) struct Alone {
    pub(super) presence: Presence,
    pub(super) share: QuotaShare,
    limits: InProcessLimits,
    settling: Duration,
    on_change: Arc<dyn Fn(&FleetChange) + Send + Sync>,
    is_alone: watch::Sender<bool>,
    /// True if a task maintains the presence.
    pub(super) looking: AtomicBool,
}

impl Alone {
    /// Returns the fallback of the settings, if there is one.
    pub(super) fn new(settings: &RedisSettings) -> Option<Self> {
        let Fallback::InProcess { share, on_change } = &settings.fallback else { return None };
        Some(Self {
            presence: Presence::new(settings.validity()),
            share: *share,
            limits: InProcessLimits::new(settings.limits.clone().share(*share)),
            settling: settings.settling(),
            on_change: Arc::clone(on_change),
            is_alone: watch::Sender::new(false),
            looking: AtomicBool::new(false),
        })
    }

    pub(super) fn is_alone(&self) -> bool {
        *self.is_alone.borrow()
    }

    /// Notes that Redis did not answer. If that lasts, the process leaves the fleet, and uses its share when its
    /// presence has expired on the server.
    pub(super) fn fail(&self, why: Unavailable) {
        let Some(known_for) = self.presence.lose() else { return };
        self.limits.take_over(known_for + self.settling);
        self.is_alone.send_replace(true);
        (self.on_change)(&FleetChange::Lost(why));
    }

    /// Records that the server counts the process as a member again, until `until`, and knows what it sent alone.
    pub(super) fn end(&self, until: Instant) {
        self.presence.returned(until);
        self.is_alone.send_replace(false);
        (self.on_change)(&FleetChange::Found);
    }

    /// Uses the share again when the server no longer counts the process as a member.
    pub(super) fn go_on(&self) {
        self.limits.take_over(self.presence.known_for() + self.settling);
    }

    /// Returns the time after which a server that lost its state grants permits again.
    pub(super) fn granted_after(&self) -> Duration {
        self.limits.longest_span().saturating_add(self.settling)
    }

    /// Waits for `work`, at most while the process is a member of the fleet.
    pub(super) async fn while_member<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        until(self.is_alone.subscribe(), true, work).await
    }

    /// Returns a reservation within this process's share; `None` once it is a member of the fleet again.
    pub(super) async fn ask(&self, call: Call<'_>, wait: bool) -> Option<Result<Reservation, AdmissionError>> {
        let given = match self.limits.admit(call, wait) {
            Admission::Now(known) => known,
            Admission::Later(later) => until(self.is_alone.subscribe(), false, later).await?,
        };
        if given.is_err() && !self.is_alone() {
            return None;
        }
        Some(given.map(|reservation| Reservation { key: reservation.key | ALONE, ..reservation }))
    }

    /// Returns the reservation as it was given here, if it was.
    pub(super) fn own(reservation: &Reservation) -> Option<u64> {
        (reservation.key & ALONE != 0).then_some(reservation.key & !ALONE)
    }

    pub(super) fn limits(&self) -> &InProcessLimits {
        &self.limits
    }
}

/// Returns the result of `work`, unless the state becomes `end` first.
async fn until<T>(mut state: watch::Receiver<bool>, end: bool, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut ends = pin!(state.wait_for(|state| *state == end));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(given) => Poll::Ready(Some(given)),
        Poll::Pending => ends.as_mut().poll(context).map(|_| None),
    })
    .await
}

/// The membership of this process in the fleet, and what the server may take it for.
pub(super) struct Presence {
    validity: Duration,
    state: Mutex<State>,
}

struct State {
    is_alone: bool,
    /// Until when the server may take the process for a member.
    known_until: Instant,
    /// Until when the server certainly counts the process as a member, unless the server loses its data.
    heard_until: Instant,
    /// Since when the server does not answer.
    failing_since: Option<Instant>,
}

impl Presence {
    /// Returns the presence of a process that starts: another run of it may have reported itself to the server until
    /// now.
    pub(super) fn new(validity: Duration) -> Self {
        let until = Instant::now() + validity;
        let state = State { is_alone: false, known_until: until, heard_until: until, failing_since: None };
        Self { validity, state: Mutex::new(state) }
    }

    /// Returns until when a question announces the process as a member, or `None` while the process is alone, which it
    /// must not announce.
    pub(super) fn publish_membership(&self) -> Option<Instant> {
        let mut state = self.state();
        (!state.is_alone).then(|| self.publish_until(&mut state))
    }

    /// Returns the same for a process that is alone and about to return.
    pub(super) fn publish_state(&self) -> Instant {
        self.publish_until(&mut self.state())
    }

    fn publish_until(&self, state: &mut State) -> Instant {
        state.known_until = state.known_until.max(Instant::now() + self.validity);
        state.known_until
    }

    /// Notes that the server answered, and counts the process as a member until `until`.
    pub(super) fn answered(&self, until: Instant) {
        let mut state = self.state();
        state.heard_until = state.heard_until.max(until);
        state.failing_since = None;
    }

    /// Notes that the server counts the process as a member again, and knows what it sent when it was alone.
    pub(super) fn returned(&self, until: Instant) {
        self.answered(until);
        self.state().is_alone = false;
    }

    /// Notes that the server does not answer. If that counts as a loss, returns how long the server may still take the
    /// process for a member.
    pub(super) fn lose(&self) -> Option<Duration> {
        let mut state = self.state();
        let now = Instant::now();
        let failing_for = now - *state.failing_since.get_or_insert(now);
        // An earlier call has returned the loss already, or it is too early to call it one.
        if state.is_alone || now < state.heard_until || failing_for < self.validity / 2 {
            return None;
        }
        state.is_alone = true;
        Some(state.known_until.saturating_duration_since(now))
    }

    /// Returns how long the server may still take the process for a member.
    pub(super) fn known_for(&self) -> Duration {
        self.state().known_until.saturating_duration_since(Instant::now())
    }

    /// Returns whether it is time to report the process to the server again.
    pub(super) fn is_due(&self) -> bool {
        let state = self.state();
        !state.is_alone && state.heard_until <= Instant::now() + self.validity * 3 / 4
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of answers in a row after which a process returns to the fleet.
const ANSWERS: u32 = 3;

impl Shared {
    /// Starts a task, unless it runs already, that reports the presence to the server, and returns to the fleet when
    /// Redis answers again.
    pub(super) fn watch_presence(self: &Arc<Self>) {
        let (Some(alone), Ok(runtime)) = (&self.alone, Handle::try_current()) else { return };
        if alone.looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let looking = WatchGuard(Arc::downgrade(self));
        runtime.spawn(async move {
            let mut answers = 0;
            loop {
                tokio::time::sleep(PAUSE).await;
                let Some(shared) = looking.0.upgrade() else { return };
                answers = shared.maintain_presence(answers).await;
            }
        });
    }

    /// Maintains the presence after `answers` answers in a row, and returns the new number of answers in a row.
    async fn maintain_presence(self: &Arc<Self>, answers: u32) -> u32 {
        let Some(alone) = &self.alone else { return 0 };
        if !alone.is_alone() {
            if alone.presence.is_due() {
                self.announce_presence(alone).await;
            }
            return 0;
        }
        let Ok(answer) = self.link.hello().await else { return 0 };
        // A server that has just lost its state grants nothing for a while, but the share can be used.
        let known_for =
            Duration::from_micros(u64::try_from(answer.now().saturating_sub(answer.since())).unwrap_or_default());
        if answers + 1 < ANSWERS || known_for < alone.granted_after() {
            return answers.saturating_add(1);
        }
        self.return_to_fleet(alone).await;
        0
    }

    /// Reports the calls that were made without Redis, and uses it from now on.
    async fn return_to_fleet(&self, alone: &Alone) {
        let until = alone.presence.publish_state();
        let mut paused = Paused { alone, has_returned: false };
        let made = alone.limits().pause();
        let bucket = Bucket::over(made.iter().map(|(window, _)| window), &self.settings);
        let counts = made.iter().map(|(_, counts)| *counts);
        let question = Question::join(&bucket, &self.settings, self.member(Some(until)), counts);
        match self.link.ask(&question).await {
            Ok(answer) if !answer.is_late() => {
                paused.has_returned = true;
                alone.end(until);
            }
            _ => {}
        }
    }
}

/// Pauses the share of a process that is about to return. If it does not return, the server may take it for a member
/// for a while nevertheless.
struct Paused<'a> {
    alone: &'a Alone,
    has_returned: bool,
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if !self.has_returned {
            self.alone.go_on();
        }
    }
}

/// The right to watch for Redis. Dropping it lets another caller watch.
struct WatchGuard(Weak<Shared>);

impl Drop for WatchGuard {
    fn drop(&mut self) {
        if let Some(alone) = self.0.upgrade().as_ref().and_then(|shared| shared.alone.as_ref()) {
            alone.looking.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_the_published_state() {
        let presence = Presence::new(Duration::from_secs(3600));
        assert_eq!(presence.lose(), None);
        let presence = Presence::new(Duration::ZERO);
        assert!(presence.publish_membership().is_some());
        assert_eq!(presence.lose(), Some(Duration::ZERO));
        assert!(presence.publish_membership().is_none() && presence.lose().is_none());
        let until = presence.publish_state();
        presence.answered(until);
        assert_eq!(presence.publish_membership(), None);
        presence.returned(until);
        assert!(presence.publish_membership().is_some());
    }
}
