//! The fast clock as the client reads it.

use std::task::Waker;
use std::time::Duration;

use tradeapi::Timestamp;
use tradeapi::runtime::clock::{Clock, SystemTimer, Timer};
use tradeapi_hostile::FastClock;

pub(crate) struct ClientClock(pub(crate) FastClock);

impl Clock for ClientClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.now())
    }
}

/// What pauses are measured with: it runs as fast as the clock.
pub(crate) struct ClientTimer {
    clock: FastClock,
    real: SystemTimer,
}

impl ClientTimer {
    pub(crate) fn new(clock: FastClock) -> Self {
        Self { clock, real: SystemTimer::new() }
    }
}

impl Timer for ClientTimer {
    fn now(&self) -> Duration {
        self.clock.steady()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        let left = self.clock.takes(at.saturating_sub(self.now()));
        // A moment too late rather than too early.
        let until = self.real.now().saturating_add(left).saturating_add(Duration::from_micros(100));
        self.real.wake_at(until, waker);
    }
}
