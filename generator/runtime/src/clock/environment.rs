//! What a client takes from the machine it runs on: time, wake-ups and random numbers.

use std::hash::{BuildHasher, RandomState};
use std::task::Waker;
use std::time::Duration;

use super::{Clock, SystemClock, SystemTimer, Timer};
use crate::value::Timestamp;

/// All that a client takes from the machine it runs on, except its connections: the time, wake-ups and random numbers.
///
/// The default is [`SystemEnvironment`]. With another environment and another
/// [`Transport`](crate::transport::Transport), a client runs in a simulation: its limiter, retries, confirmations,
/// pages and batches wait in virtual time, and the same random numbers lead to the same calls at the same times. A
/// client needs no async runtime and starts no thread then.
pub trait Environment: Clock + Timer {
    /// A random number, which keeps retries of calls that failed together apart.
    fn random(&self) -> u64;
}

/// The system's clocks and its random numbers.
#[derive(Debug, Default)]
pub struct SystemEnvironment(SystemTimer);

impl SystemEnvironment {
    /// An environment whose monotonic clock begins at zero.
    pub fn new() -> Self {
        Self::default()
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
}
