//! Wall clocks, monotonic timers, the offset of the exchange's clock, and the environment that a client takes from its
//! machine: time, wake-ups and random numbers.
//!
//! With another environment and another transport, a client runs in virtual time on one thread. Transports and Redis
//! wait on tokio directly, because a simulation replaces both.

mod system;
mod timer;

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime};

use super::value::Timestamp;

pub use system::SystemTimer;
pub use timer::{ManualTimer, Timer, pause};

/// A wall clock, which provides the time that requests are signed with.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        SystemTime::now().into()
    }
}

/// A clock that always shows the same time: for tests, and for reproducing a signature with
/// [`SigningClock::Own`](crate::calls::client::SigningClock::Own).
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// A moment by both clocks of a client: the wall clock and the monotonic one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) wall: Timestamp,
    pub(crate) steady: Duration,
}

impl Moment {
    /// Returns the time by the wall clock.
    pub(crate) fn wall(self) -> Timestamp {
        self.wall
    }

    /// Returns how long ago `earlier` was by the monotonic clock.
    pub(crate) fn steady_since(self, earlier: Self) -> Duration {
        self.steady.saturating_sub(earlier.steady)
    }

    /// Returns how long ago `earlier` was by the wall clock.
    pub(crate) fn wall_since(self, earlier: Timestamp) -> Duration {
        self.wall - earlier
    }

    /// Returns how long ago `earlier` was, by the clock that shows more: the wall clock may have been set back, and the
    /// monotonic one stops while a machine sleeps.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        (self.wall - earlier.wall).max(self.steady.saturating_sub(earlier.steady))
    }
}

/// The offset of the exchange's clock from the client's, estimated from responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skew {
    /// By how many milliseconds the exchange's clock is ahead; negative if it is behind.
    pub ahead_ms: i64,
    /// The error bound of the offset, in either direction.
    pub uncertainty: Duration,
    /// The time since the last measurement.
    pub age: Duration,
}

impl Skew {
    /// Returns whether the offset exceeds its error bound, so that the two clocks certainly differ.
    pub fn is_sure(&self) -> bool {
        u128::from(self.ahead_ms.unsigned_abs()) > self.uncertainty.as_millis() + 1
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.ahead_ms < 0 { "behind" } else { "ahead of" };
        let away = Duration::from_millis(self.ahead_ms.unsigned_abs()).as_secs_f64();
        let uncertainty = self.uncertainty.as_secs_f64();
        write!(f, "the exchange's clock is {away:.3} s {side} the client's, within {uncertainty:.3} s")
    }
}

/// All that a client takes from the machine it runs on, except its connections: the time, wake-ups and random numbers.
///
/// The default is [`SystemEnvironment`]. With another environment and another
/// [`Transport`](crate::network::transport::Transport), a client runs in a simulation: its limiter, retries, confirmations,
/// pages and batches wait in virtual time, and the same random numbers lead to the same calls at the same times. A
/// client needs no async runtime and starts no thread then.
pub trait Environment: Clock + Timer {
    /// Returns a random number, which keeps retries of calls that failed together apart.
    fn random(&self) -> u64;

    /// Returns a number for what runs by the same monotonic clock; 0 is the process itself. The clients of one run with
    /// the same key know each other's requests, so that none takes the order of another for its own. By default `None`:
    /// a client knows its own requests only.
    fn run(&self) -> Option<u64> {
        None
    }
}

/// The system's clocks and its random numbers.
#[derive(Debug)]
pub struct SystemEnvironment(SystemTimer);

impl SystemEnvironment {
    /// Creates an environment whose monotonic clock began with the first one of the process.
    pub fn new() -> Self {
        static START: OnceLock<Instant> = OnceLock::new();
        Self(SystemTimer::since(*START.get_or_init(Instant::now)))
    }
}

impl Default for SystemEnvironment {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemEnvironment {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }
}

impl Timer for SystemEnvironment {
    fn now(&self) -> Duration {
        self.0.now()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        self.0.wake_at(at, waker);
    }
}

impl Environment for SystemEnvironment {
    fn random(&self) -> u64 {
        RandomState::new().hash_one(0_u8)
    }

    fn run(&self) -> Option<u64> {
        Some(0)
    }
}

/// An environment whose time a test or a simulation moves. Clones share the time; its random numbers are the same in
/// each run of a program.
///
/// ```
/// use std::time::Duration;
///
/// use tradeapi_runtime::Timestamp;
/// use tradeapi_runtime::clock::{Clock, ManualEnvironment};
///
/// let environment = ManualEnvironment::new(Timestamp::from_millis(1_790_000_000_000));
/// environment.timer().advance(Duration::from_secs(2));
/// assert_eq!(environment.now(), Timestamp::from_millis(1_790_000_002_000));
///
/// // The wall clock of the machine is set; the monotonic clock goes on.
/// environment.set_ahead(-500);
/// assert_eq!(environment.now(), Timestamp::from_millis(1_790_000_001_500));
/// ```
#[derive(Clone, Debug)]
pub struct ManualEnvironment {
    timer: ManualTimer,
    shared: Arc<Shared>,
    leaps: bool,
    run: Option<u64>,
}

#[derive(Debug)]
struct Shared {
    begun: Timestamp,
    /// The milliseconds by which the wall clock is ahead of the right time.
    ahead: AtomicI64,
    thrown: AtomicU64,
}

impl ManualEnvironment {
    /// Creates a time that stands still, at this moment, until the [`timer`](Self::timer) is advanced.
    pub fn new(begun: Timestamp) -> Self {
        let shared = Shared { begun, ahead: AtomicI64::new(0), thrown: AtomicU64::new(0) };
        Self { timer: ManualTimer::new(), shared: Arc::new(shared), leaps: false, run: None }
    }

    /// Creates a time that advances to the end of each wait, so that nothing waits. It suits tests of one task.
    pub fn leaping(begun: Timestamp) -> Self {
        Self { leaps: true, ..Self::new(begun) }
    }

    /// Returns the same time, as another process sees it: clients of one process know each other's requests.
    #[must_use]
    pub fn in_another_process(&self) -> Self {
        static PROCESSES: AtomicU64 = AtomicU64::new(1);
        Self { run: Some(PROCESSES.fetch_add(1, Ordering::Relaxed)), ..self.clone() }
    }

    /// Returns the monotonic clock, which a test advances.
    pub fn timer(&self) -> &ManualTimer {
        &self.timer
    }

    /// Returns the right time, which the wall clock shows unless it is [set](Self::set_ahead).
    pub fn right_time(&self) -> Timestamp {
        self.shared.begun + self.timer.now()
    }

    /// Sets the wall clock to so many milliseconds ahead of the right time, or behind it.
    pub fn set_ahead(&self, millis: i64) {
        self.shared.ahead.store(millis, Ordering::Relaxed);
    }
}

impl Clock for ManualEnvironment {
    fn now(&self) -> Timestamp {
        let right = self.right_time().as_millis();
        Timestamp::from_millis(right.saturating_add_signed(self.shared.ahead.load(Ordering::Relaxed)))
    }
}

impl Timer for ManualEnvironment {
    fn now(&self) -> Duration {
        self.timer.now()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        if self.leaps {
            self.timer.advance(at.saturating_sub(self.timer.now()));
            waker.wake();
        } else {
            self.timer.wake_at(at, waker);
        }
    }
}

impl Environment for ManualEnvironment {
    fn random(&self) -> u64 {
        // Spread over all numbers, so that jitter varies.
        self.shared.thrown.fetch_add(1, Ordering::Relaxed).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn run(&self) -> Option<u64> {
        self.run
    }
}
