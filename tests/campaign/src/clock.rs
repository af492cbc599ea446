//! The clock of a campaign as a client reads it, and waiting by it.

use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::task::Waker;
use std::time::Duration;

use crate::fast::FastClock;
use futures_util::future::{Either, select};
use tradeapi::Timestamp;
use tradeapi::runtime::ClientCore;
use tradeapi::runtime::clock::{Clock, Environment, SystemTimer, Timer, pause};

/// The environment of a client over sockets: all of it runs as fast as the clock.
pub(crate) struct FastEnvironment {
    clock: FastClock,
    real: SystemTimer,
}

impl FastEnvironment {
    pub(crate) fn new(clock: FastClock) -> Self {
        Self { clock, real: SystemTimer::new() }
    }
}

impl Clock for FastEnvironment {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.now())
    }
}

impl Timer for FastEnvironment {
    fn now(&self) -> Duration {
        self.clock.steady()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        let left = self.clock.takes(at.saturating_sub(self.clock.steady()));
        // A moment too late rather than too early.
        let until = self.real.now().saturating_add(left).saturating_add(Duration::from_micros(100));
        self.real.wake_at(until, waker);
    }
}

impl Environment for FastEnvironment {
    fn random(&self) -> u64 {
        RandomState::new().hash_one(0_u8)
    }
}

/// The output of `future`, if it completes within this time.
pub(crate) async fn within<T>(client: &ClientCore, patience: Duration, future: impl Future<Output = T>) -> Option<T> {
    match select(pin!(future), pin!(pause(client.environment(), patience))).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}
