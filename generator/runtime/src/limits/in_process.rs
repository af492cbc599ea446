use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Wake, Waker};
use std::time::Duration;

use super::book::Book;
use super::call::Call;
use super::limiter::{Admission, Denied, Full, Limiter, Slot, Trouble, Unavailable};
use super::plan::Plan;
use super::settings::LimitSettings;
use super::signs::Signs;
use super::slab::Key;
use super::timer::{SystemTimer, Timer};
use super::waiting::Waiting;

/// Keeps limits for all clients of a process that were given the same one. Nothing else is shared, and nothing global.
///
/// # Exactness
///
/// In no window, wherever it begins, does the exchange count more than N calls. The exchange counts a call at some moment
/// between when the request is written and when its response is read, so a call takes room
///
/// - from when it is let go until it ends,
/// - and then for a window: from its answer, less a discount; or, when it was given up without an answer, from then plus
///   the time in which it may still arrive ([`LimitSettings::late_arrival`]).
///
/// Another call is let go while fewer than N take room. New connections, TLS handshakes and slow exchanges only make calls
/// arrive later than they were let go, which this allows for. A token bucket does not keep the promise: around a pause it
/// lets up to twice N through.
///
/// Calls that are never answered keep their places until the transport gives them up, which the default one does after 15
/// seconds; a shorter [`call_timeout`](crate::ClientBuilder::call_timeout) frees them earlier.
///
/// # Skew
///
/// Without the discount each window would be longer by one round trip, which is 17 of 100 calls when it takes 200 ms. The
/// discount is a lower bound on a round trip: the shortest of about a thousand calls of that limit, less twice what the
/// usual trip exceeds it by, less [`LimitSettings::trip_margin`]. Trips that are short or vary widely give none. Only
/// calls over a connection that had carried a response before are discounted, and only where the transport reports the
/// trip (see [`RoundTrip`](crate::RoundTrip)); calls over other transports count from their answers.
///
/// What this assumes: the way to the exchange does not become shorter, from one call to the next, than those trips have
/// shown to be possible, by more than the margin; and a call that was given up arrives within the time that is allowed
/// for. [`Counted::WhenAnswered`](super::Counted) does without the first assumption. Over a warm connection whose round
/// trips take equally long, however long that is, more than 95 of 100 calls of a limit per second can be used.
///
/// # Sharing
///
/// ```
/// use std::sync::Arc;
/// use tradeapi_runtime::{Api, BuildError, ClientCore, InProcessLimits};
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

/// What those who wait have in common.
pub(super) struct Shared {
    state: Mutex<State>,
    timer: Box<dyn Timer>,
    learns: bool,
    /// Rings when someone may go.
    alarm: Waker,
}

pub(super) struct State {
    pub(super) book: Book,
    /// Those who wait, by turn.
    pub(super) waiters: HashMap<u64, Waiter>,
    /// When the alarm rings next.
    alarm_at: Option<Duration>,
    /// When something last changed.
    latest: Duration,
}

pub(super) enum Waiter {
    Waits(Option<Waker>),
    MayGo,
}

/// What is to be done once the state is unlocked.
struct Calls {
    wakers: Vec<Waker>,
    alarm_at: Option<Duration>,
}

struct Alarm(Weak<Shared>);

/// What became of asking.
enum Asked {
    MayGo(Slot),
    Denied(Denied),
    Waits { lane: Key, turn: u64, since: Duration },
}

impl InProcessLimits {
    /// Keeps limits by the system's clock.
    pub fn new(settings: LimitSettings) -> Self {
        Self::with_timer(settings, SystemTimer::new())
    }

    /// Keeps limits by the clock `timer`.
    pub fn with_timer(settings: LimitSettings, timer: impl Timer + 'static) -> Self {
        let shared = Arc::new_cyclic(|shared: &Weak<Shared>| Shared {
            timer: Box::new(timer),
            learns: settings.learns,
            alarm: Waker::from(Arc::new(Alarm(Weak::clone(shared)))),
            state: Mutex::new(State {
                book: Book::new(settings),
                waiters: HashMap::new(),
                alarm_at: None,
                latest: Duration::ZERO,
            }),
        });
        Self { shared }
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
    fn ask<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a> {
        if let Some(slot) = self.shared.lock().ask_in_passing(&call) {
            return Admission::Now(Ok(slot));
        }
        match self.shared.change(|state, now| state.ask(&call, wait, now)) {
            Asked::MayGo(slot) => Admission::Now(Ok(slot)),
            Asked::Denied(denied) => Admission::Now(Err(denied)),
            Asked::Waits { lane, turn, since } => Waiting::new(&self.shared, lane, turn, since).admission(wait),
        }
    }

    fn sent(&self, slot: &mut Slot) {
        slot.counted_at = self.shared.now();
    }

    fn answered(&self, slot: Slot, signs: Signs) {
        let (lane, sent) = (slot.key.into(), slot.counted_at);
        self.shared.change(|state, now| {
            state.book.answered(lane, sent, now, signs.trip);
            if self.shared.learns {
                state.book.learn(lane, sent, now, signs);
            }
        });
    }

    fn lost(&self, slot: Slot) {
        self.shared.change(|state, now| state.book.lost(slot.key.into(), now));
    }

    fn give_back(&self, slot: Slot) {
        self.shared.change(|state, _| state.book.release(slot.key.into()));
    }

    fn plan(&self, calls: &[Call<'_>]) -> Plan {
        let state = self.shared.lock();
        let (book, now) = (state.book.clone(), self.shared.now().max(state.latest));
        drop(state);
        Plan::after(book, now, calls)
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Duration {
        self.timer.now()
    }

    /// Changes the state, and then lets go whoever may go because of it.
    #[inline]
    pub(super) fn change<T>(&self, act: impl FnOnce(&mut State, Duration) -> T) -> T {
        let mut state = self.lock();
        // Under the lock, so that moments are logged in order. Clocks of a caller's own may go back; the log must not.
        let now = self.timer.now().max(state.latest);
        state.latest = now;
        let result = act(&mut state, now);
        if !state.book.is_quiet() {
            let calls = state.settle(now);
            drop(state);
            self.make_calls(calls);
        }
        result
    }

    fn make_calls(&self, calls: Calls) {
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
    /// A slot, if there already was room at the last change. Then it takes no look at the clock, which would be the
    /// slowest part of it.
    #[inline]
    fn ask_in_passing(&mut self, call: &Call<'_>) -> Option<Slot> {
        let lane = self.book.find(call)?;
        let may_go = self.book.is_quiet() && self.book.is_free(lane, self.latest);
        may_go.then(|| {
            self.book.hold(lane);
            slot_in(lane, Duration::ZERO)
        })
    }

    fn ask(&mut self, call: &Call<'_>, wait: bool, now: Duration) -> Asked {
        let lane = self.book.lane(call, now);
        if self.book.is_closed(lane) {
            let why = format!("it has less than one call of {} in a window", call.meta().id);
            return Asked::Denied(Unavailable::new(Trouble::NoShare, why).into());
        }
        if self.book.is_quiet() {
            if self.book.is_free(lane, now) {
                self.book.hold(lane);
                return Asked::MayGo(slot_in(lane, Duration::ZERO));
            }
            if !wait {
                return Asked::Denied(self.full(lane, now).into());
            }
        }
        // Where others wait, only lining up tells who may go.
        let turn = self.book.line_up(lane);
        self.waiters.insert(turn, Waiter::Waits(None));
        Asked::Waits { lane, turn, since: now }
    }

    pub(super) fn full(&self, lane: Key, now: Duration) -> Full {
        let (free_in, binding) = self.book.free_in(lane, now);
        Full { free_in, binding }
    }

    fn settle(&mut self, now: Duration) -> Calls {
        let mut wakers = Vec::new();
        for granted in self.book.settle(now) {
            if let Some(Waiter::Waits(waker)) = self.waiters.insert(granted.turn, Waiter::MayGo) {
                wakers.extend(waker);
            }
        }
        let next = self.book.next_at().filter(|next| self.alarm_at.is_none_or(|at| *next < at));
        self.alarm_at = next.or(self.alarm_at);
        Calls { wakers, alarm_at: next }
    }
}

pub(super) fn slot_in(lane: Key, waited: Duration) -> Slot {
    Slot::new(lane.into(), waited)
}
