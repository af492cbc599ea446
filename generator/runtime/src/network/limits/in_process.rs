//! The limiter of one process.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::call::{Call, Plan, Reservation};
use super::limiter::{Admission, AdmissionError, Full, Limiter, RateLimitFeedback, Unavailable};
use super::settings::LimitSettings;
use super::shared_by_account::SharedByAccount;
use super::state::{LimiterState, bucket_of, reserve_in};
use super::window::{Answered, Key};
use crate::data::clock::{SystemTimer, Timer};
use crate::data::error::LimiterErrorKind;

/// A limiter for all clients of a process that share it. Clients with the same key share one automatically.
///
/// # Exactness
///
/// No window, wherever it begins, contains more than N calls as the exchange counts them. The exchange counts a call at
/// some moment between the writing of the request and the reading of its response, so a call takes room
///
/// - from its admission until it ends,
/// - and then for a window: from its response, or from its arrival if the response states it, less the minimum time
///   that the next request needs to reach the exchange.
///
/// A call is admitted while fewer than N take room. New connections, TLS handshakes and slow exchanges only delay the
/// arrival of admitted calls, which this accounts for. A token bucket does not guarantee this: around a pause it admits
/// up to twice N.
///
/// # Calls that are given up
///
/// A call that was sent and given up without a response may still arrive. It takes room until
/// [`LimitSettings::held_back`] after it was sent and [`LimitSettings::late_arrival`] after it was given up, and then for
/// a window. A response of the exchange to a call that was sent later to the same address shows that the network holds
/// nothing back, and ends the first of these times: other operations go on, so their responses free the places.
///
/// So a network that stalls for no longer than `held_back` H brings no more than N calls together, however soon their
/// callers give up and try again. If it stalls for S, which is longer, up to `N * (1 + ceil((S - H) / (H + W)))` arrive in
/// a window W. No limiter can do better without knowing the network: a call that is never answered cannot take room
/// forever.
///
/// # Arrivals
///
/// If calls counted from their responses, each window would be longer by one round trip, which is 17 of 100 calls when
/// it takes 200 ms. Round trips do not show when a call was counted: the way to the exchange can take all of one trip
/// and nothing of the next one. The time in a response does, by the exchange's clock, whose difference from this one
/// cancels out: a call is admitted so that it arrives at least a window after the time in the response, because no way
/// there is shorter than the shortest of about a thousand calls of that limit, less twice what the usual way exceeds it
/// by, less [`LimitSettings::way_margin`]. Only ways over connections that had carried a response before are taken for
/// usual ones, and only if the transport reports that (see [`RoundTrip`](crate::network::transport::RoundTrip)).
///
/// The assumptions are that the exchange counts a call at the time in its response, or earlier; and that the way to it
/// does not become shorter, from one call to the next, than those ways have shown to be possible, by more than the
/// margin. [`CountFrom::Response`](super::CountFrom) avoids both. Over a warm connection, however long its round trips
/// are, more than 95 of 100 calls of a limit per second can be used.
///
/// # Sharing
///
/// ```
/// use std::sync::Arc;
/// use tradeapi_runtime::ClientCore;
/// use tradeapi_runtime::error::BuildError;
/// use tradeapi_runtime::limits::InProcessLimits;
/// use tradeapi_runtime::tables::Api;
///
/// fn two_clients(api: &'static Api) -> Result<(ClientCore, ClientCore), BuildError> {
///     let limits = Arc::new(InProcessLimits::default());
///     let one = ClientCore::builder(api, "https://exchange.example").limiter(limits.clone()).build()?;
///     let other = ClientCore::builder(api, "https://exchange.example").limiter(limits).build()?;
///     Ok((one, other))
/// }
/// # let _ = two_clients;
/// ```
pub struct InProcessLimits {
    shared: Arc<Shared>,
}

/// The state that waiting calls share.
pub(super) struct Shared {
    state: Mutex<State>,
    timer: Arc<dyn Timer>,
    learns: bool,
    /// Called when the next waiting call can be admitted.
    alarm: Waker,
}

pub(super) struct State {
    pub(super) limits: LimiterState,
    /// The waiting calls, by turn.
    pub(super) waiters: HashMap<u64, Waiter>,
    /// The time of the next alarm.
    alarm_at: Option<Duration>,
    /// When something last changed.
    latest: Duration,
}

pub(super) enum Waiter {
    Waits(Option<Waker>),
    Admitted,
}

/// The calls to make after the state is unlocked.
struct Calls {
    wakers: Vec<Waker>,
    alarm_at: Option<Duration>,
}

struct Alarm(Weak<Shared>);

/// The decision about a call.
enum Decision {
    Admitted(Reservation),
    Denied(AdmissionError),
    Waits { bucket: Key, turn: u64, since: Duration },
}

impl InProcessLimits {
    /// Creates a limiter by the system's clock.
    pub fn new(settings: LimitSettings) -> Self {
        Self::with_timer(settings, SystemTimer::new())
    }

    /// Creates a limiter by the clock `timer`.
    pub fn with_timer(settings: LimitSettings, timer: impl Timer + 'static) -> Self {
        Self::with_shared_timer(settings, Arc::new(timer))
    }

    /// Creates a limiter by the clock of its client.
    pub(crate) fn with_shared_timer(settings: LimitSettings, timer: Arc<dyn Timer>) -> Self {
        let shared = Arc::new_cyclic(|shared: &Weak<Shared>| Shared {
            timer,
            learns: settings.learns,
            alarm: Waker::from(Arc::new(Alarm(Weak::clone(shared)))),
            state: Mutex::new(State {
                limits: LimiterState::new(settings),
                waiters: HashMap::new(),
                alarm_at: None,
                latest: Duration::ZERO,
            }),
        });
        Self { shared }
    }

    /// Returns the limiter of the clients of this process with the same `parts`: the API, the address and the key.
    pub(crate) fn of_key(parts: &[&[u8]]) -> Arc<Self> {
        static LIMITERS: SharedByAccount<InProcessLimits> = SharedByAccount::new();
        LIMITERS.of(parts, &|_| false)
    }

    #[cfg(feature = "redis")]
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }
}

impl Default for InProcessLimits {
    fn default() -> Self {
        Self::new(LimitSettings::default())
    }
}

impl fmt::Debug for InProcessLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcessLimits").finish_non_exhaustive()
    }
}

impl Limiter for InProcessLimits {
    fn admit<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a> {
        if let Some(reservation) = self.shared.lock().try_admit(&call) {
            return Admission::Now(Ok(reservation));
        }
        match self.shared.change(|state, now| state.admit(&call, wait, now)) {
            Decision::Admitted(reservation) => Admission::Now(Ok(reservation)),
            Decision::Denied(denied) => Admission::Now(Err(denied)),
            Decision::Waits { bucket, turn, since } => Waiting::new(&self.shared, bucket, turn, since).admission(wait),
        }
    }

    fn sent(&self, reservation: &mut Reservation) {
        reservation.counted_at = self.shared.now();
    }

    fn answered(&self, reservation: Reservation, feedback: RateLimitFeedback) {
        let (bucket, sent) = (bucket_of(&reservation), reservation.counted_at);
        self.shared.change(|state, now| {
            let RateLimitFeedback { trip, request_time, .. } = feedback;
            state.limits.answered(bucket, Answered { sent, now, trip, request_time });
            if self.shared.learns {
                state.limits.learn(bucket, sent, now, feedback);
            }
        });
    }

    fn lost(&self, reservation: Reservation) {
        let (bucket, sent) = (bucket_of(&reservation), reservation.counted_at);
        self.shared.change(|state, now| state.limits.lost(bucket, sent, now));
    }

    fn give_back(&self, reservation: Reservation) {
        self.shared.change(|state, _| state.limits.release(bucket_of(&reservation)));
    }

    fn plan(&self, calls: &[Call<'_>]) -> Plan {
        let state = self.shared.lock();
        let (limits, now) = (state.limits.clone(), self.shared.now().max(state.latest));
        drop(state);
        Plan::after(limits, now, calls)
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Duration {
        self.timer.now()
    }

    /// Changes the state, and then admits the calls that it makes room for.
    #[inline]
    pub(super) fn change<T>(&self, act: impl FnOnce(&mut State, Duration) -> T) -> T {
        let mut state = self.lock();
        // Under the lock, so that times are logged in order. A custom clock may go back; the log must not.
        let now = self.timer.now().max(state.latest);
        state.latest = now;
        let result = act(&mut state, now);
        if !state.limits.is_quiet() {
            self.settle(state, now);
        }
        result
    }

    /// Admits the calls that there is room for.
    fn settle(&self, mut state: MutexGuard<'_, State>, now: Duration) {
        let calls = state.settle(now);
        drop(state);
        if let Some(at) = calls.alarm_at {
            self.timer.wake_at(at, self.alarm.clone());
        }
        calls.wakers.into_iter().for_each(Waker::wake);
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        if let Some(shared) = self.0.upgrade() {
            shared.change(|state, _| state.alarm_at = None);
        }
    }
}

impl State {
    /// Returns a reservation, if there was room already at the last change. This avoids reading the clock, which would
    /// be the slowest part.
    #[inline]
    fn try_admit(&mut self, call: &Call<'_>) -> Option<Reservation> {
        let bucket = self.limits.find(call)?;
        let may_go = self.limits.is_quiet() && self.limits.is_free(bucket, self.latest);
        may_go.then(|| {
            self.limits.hold(bucket);
            reserve_in(bucket, Duration::ZERO)
        })
    }

    fn admit(&mut self, call: &Call<'_>, wait: bool, now: Duration) -> Decision {
        let bucket = self.limits.bucket(call, now);
        if self.limits.is_closed(bucket) {
            let why = format!("the share is less than one call of {} in a window", call.meta().id);
            return Decision::Denied(Unavailable::new(LimiterErrorKind::NoShare, why).into());
        }
        if self.limits.is_quiet() {
            if self.limits.is_free(bucket, now) {
                self.limits.hold(bucket);
                return Decision::Admitted(reserve_in(bucket, Duration::ZERO));
            }
            if !wait {
                return Decision::Denied(self.full(bucket, now).into());
            }
        }
        // If other calls wait, the order of the queues decides.
        let turn = self.limits.line_up(bucket);
        self.waiters.insert(turn, Waiter::Waits(None));
        Decision::Waits { bucket, turn, since: now }
    }

    pub(super) fn full(&self, bucket: Key, now: Duration) -> Full {
        let (free_in, binding) = self.limits.free_in(bucket, now);
        Full { free_in, binding }
    }

    fn settle(&mut self, now: Duration) -> Calls {
        let mut wakers = Vec::new();
        for granted in self.limits.settle(now) {
            if let Some(Waiter::Waits(waker)) = self.waiters.insert(granted.turn, Waiter::Admitted) {
                wakers.extend(waker);
            }
        }
        let next = self.limits.next_at(now).filter(|next| self.alarm_at.is_none_or(|at| *next < at));
        self.alarm_at = next.or(self.alarm_at);
        Calls { wakers, alarm_at: next }
    }
}

/// A place in a queue. Dropping it leaves the queue.
pub(super) struct Waiting<'a> {
    shared: &'a Shared,
    bucket: Key,
    turn: u64,
    since: Duration,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(shared: &'a Shared, bucket: Key, turn: u64, since: Duration) -> Self {
        Self { shared, bucket, turn, since }
    }

    /// Returns the admission of a call that has just been queued.
    pub(super) fn admission(self, wait: bool) -> Admission<'a> {
        match self.at_once() {
            Err(_) if wait => Admission::Later(Box::pin(self)),
            known => Admission::Now(known),
        }
    }

    fn at_once(&self) -> Result<Reservation, AdmissionError> {
        let mut state = self.shared.lock();
        self.take_reservation(&mut state).ok_or_else(|| state.full(self.bucket, self.shared.now()).into())
    }

    /// Returns the reservation, once it was granted.
    fn take_reservation(&self, state: &mut State) -> Option<Reservation> {
        if !matches!(state.waiters.get(&self.turn), Some(Waiter::Admitted)) {
            return None;
        }
        state.waiters.remove(&self.turn);
        Some(reserve_in(self.bucket, self.shared.now().saturating_sub(self.since)))
    }
}

impl Future for Waiting<'_> {
    type Output = Result<Reservation, AdmissionError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.shared.lock();
        if let Some(reservation) = self.take_reservation(&mut state) {
            return Poll::Ready(Ok(reservation));
        }
        if let Some(Waiter::Waits(waker)) = state.waiters.get_mut(&self.turn) {
            *waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.shared.change(|state, _| match state.waiters.remove(&self.turn) {
            Some(Waiter::Waits(_)) => state.limits.leave(self.bucket, self.turn),
            Some(Waiter::Admitted) => state.limits.release(self.bucket),
            None => {}
        });
    }
}
