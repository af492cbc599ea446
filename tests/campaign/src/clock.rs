//! Clocks of a campaign, which can run fast, leap and be wrong, and timers that follow them.

use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::future::{Either, select};
use tradeapi::Timestamp;
use tradeapi::runtime::ClientCore;
use tradeapi::runtime::clock::{Clock, Environment, ManualEnvironment, ManualTimer, SystemTimer, Timer, pause};

/// A clock that can run fast, leap and be wrong, or that is moved by hand. It is used for signatures and the times of
/// orders; rate limits use the [real time](Self::real).
///
/// An absence is a proof after forty seconds, and the exchange deletes an order after two hours. When client and
/// exchange read the same fast clock, these periods pass sooner, and nothing else changes. Clones share their leaps.
#[derive(Clone, Debug)]
pub(crate) struct FastClock {
    /// When it was right, in milliseconds.
    right_at: u64,
    speed: u32,
    ahead: i64,
    passed: Passed,
    leaps: Arc<AtomicU64>,
}

/// The time that has passed.
#[derive(Clone, Debug)]
enum Passed {
    /// Time that had passed at an instant of the system's clock.
    Since(Duration, Instant),
    /// The time of a timer that is moved by hand.
    ByHand(ManualTimer),
}

impl FastClock {
    /// Creates a clock that is right now, and runs at `speed` times real time.
    pub(crate) fn new(speed: u32) -> Self {
        Self::synchronized(system().as_millis() as u64, speed)
    }

    /// Creates a copy of a clock in another process, which [was right](Self::right_at) at `millis`.
    pub(crate) fn synchronized(millis: u64, speed: u32) -> Self {
        let elapsed = system().saturating_sub(Duration::from_millis(millis)) * speed;
        let passed = Passed::Since(elapsed, Instant::now());
        Self { right_at: millis, speed, ahead: 0, passed, leaps: Arc::default() }
    }

    /// Returns the clock of virtual time. It moves with the timer, and when it [leaps](Self::leap).
    pub(crate) fn of(time: &ManualEnvironment) -> Self {
        let passed = Passed::ByHand(time.timer().clone());
        let right_at = time.right_time().as_millis();
        Self { right_at, speed: 1, ahead: 0, passed, leaps: Arc::default() }
    }

    /// Returns when the clock was right, in milliseconds.
    pub(crate) fn right_at(&self) -> u64 {
        self.right_at
    }

    /// Returns the same clock, ahead by `millis` milliseconds.
    #[must_use]
    pub(crate) fn ahead_by(&self, millis: i64) -> Self {
        Self { ahead: millis, ..self.clone() }
    }

    /// Returns the speed as a multiple of real time.
    pub(crate) fn speed(&self) -> u32 {
        self.speed
    }

    /// Returns the time in milliseconds.
    pub(crate) fn now(&self) -> u64 {
        (self.right_at + self.steady().as_millis() as u64).saturating_add_signed(self.ahead)
    }

    /// Returns how long it has run, regardless of its offset.
    pub(crate) fn steady(&self) -> Duration {
        match &self.passed {
            Passed::Since(elapsed, since) => {
                *elapsed + since.elapsed() * self.speed + Duration::from_millis(self.leaps.load(Ordering::Relaxed))
            }
            Passed::ByHand(_) => self.real(),
        }
    }

    /// Returns the real time that has passed.
    pub(crate) fn real(&self) -> Duration {
        match &self.passed {
            Passed::Since(_, since) => since.elapsed(),
            Passed::ByHand(timer) => timer.now(),
        }
    }

    /// Advances this clock and its clones at once.
    pub(crate) fn leap(&self, time: Duration) {
        match &self.passed {
            Passed::Since(..) => {
                self.leaps.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
            }
            Passed::ByHand(timer) => timer.block(time),
        }
    }

    /// Returns the real time in which `time` passes on this clock.
    pub(crate) fn real_duration(&self, time: Duration) -> Duration {
        time / self.speed
    }
}

fn system() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The environment of a client over sockets, whose timers follow a [`FastClock`].
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
        let left = self.clock.real_duration(at.saturating_sub(self.clock.steady()));
        // Rounded up, because a wake-up must not be early.
        let until = self.real.now().saturating_add(left).saturating_add(Duration::from_micros(100));
        self.real.wake_at(until, waker);
    }
}

impl Environment for FastEnvironment {
    fn random(&self) -> u64 {
        RandomState::new().hash_one(0_u8)
    }
}

/// Returns the output of `future`, if it completes within `patience`.
pub(crate) async fn within<T>(client: &ClientCore, patience: Duration, future: impl Future<Output = T>) -> Option<T> {
    match select(pin!(future), pin!(pause(client.environment(), patience))).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}
