//! The environment that a client takes from its machine: time, wake-ups and random numbers.
//!
//! With another environment and another transport, a client runs in virtual time on one thread. Transports and Redis
//! wait on tokio directly, because a simulation replaces both.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::task::Waker;
use std::time::{Duration, Instant};

use super::{Clock, SystemClock, SystemTimer, Timer};
use crate::data::value::Timestamp;

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
