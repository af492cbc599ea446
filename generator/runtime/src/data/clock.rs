//! Wall clocks, monotonic timers, the offset of the exchange's clock, and the environment that a client takes from its
//! machine: time, wake-ups and random numbers.
//!
//! With another environment and another transport, a client runs in virtual time on one thread. Transports and Redis
//! wait on tokio directly, because a simulation replaces both.

mod manual;
mod system;
mod timer;

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime};

use crate::data::value::Timestamp;

pub use manual::ManualEnvironment;
pub use system::SystemTimer;
pub use timer::{ManualTimer, Timer, pause};

/// A wall clock, which provides the time that requests are signed with.
pub trait Clock: Send + Sync {
    /// The current time.
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
    /// The time by the wall clock.
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
    /// A random number, which keeps retries of calls that failed together apart.
    fn random(&self) -> u64;

    /// A number for what runs by the same monotonic clock; 0 is the process itself. The clients of one run with the same
    /// key know each other's requests, so that none takes the order of another for its own. By default
    /// `None`: a client knows its own requests only.
    fn run(&self) -> Option<u64> {
        None
    }
}

/// The system's clocks and its random numbers.
#[derive(Debug)]
pub struct SystemEnvironment(SystemTimer);

impl SystemEnvironment {
    /// An environment whose monotonic clock began with the first one of the process.
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
