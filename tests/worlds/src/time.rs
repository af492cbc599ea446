//! Virtual time: events in their order, and the clocks that show it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::Duration;

use tradeapi::Timestamp;
use tradeapi::runtime::clock::{Clock, Environment, ManualTimer, Timer};

use crate::lock;

/// When a world begins, in Unix milliseconds: 2026-01-01, 00:00 UTC.
pub(crate) const BEGINNING: i64 = 1_767_225_600_000;

/// Virtual time, and how wrong the clocks are that show it.
#[derive(Default)]
pub(crate) struct Time {
    timer: ManualTimer,
    ahead: Mutex<Ahead>,
    random: AtomicU64,
}

/// How many milliseconds each clock is ahead of the right time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ahead {
    /// The wall clock of the machine that the programs run on.
    pub(crate) machine: i64,
    /// The clock by which the exchange checks requests to change something.
    pub(crate) gate: i64,
    /// The clock of the machine that dates answers and checks other requests.
    pub(crate) answers: i64,
}

impl Time {
    pub(crate) fn steady(&self) -> Duration {
        self.timer.now()
    }

    /// The right time, in Unix milliseconds.
    pub(crate) fn right(&self) -> i64 {
        BEGINNING + i64::try_from(self.steady().as_millis()).unwrap_or(i64::MAX)
    }

    pub(crate) fn ahead(&self) -> Ahead {
        *lock(&self.ahead)
    }

    pub(crate) fn set_ahead(&self, ahead: Ahead) {
        *lock(&self.ahead) = ahead;
    }

    /// Does `act` after `length`.
    pub(crate) fn after(&self, length: Duration, act: impl FnOnce() + Send + 'static) {
        self.timer.call_at(self.steady() + length, act);
    }

    /// Moves to the next event and lets it happen. Returns whether there was one.
    pub(crate) fn go_on(&self) -> bool {
        self.timer.advance_to_next()
    }
}

/// The clocks of the machine that the programs run on, as one of their processes sees them.
#[derive(Clone)]
pub(crate) struct Machine {
    pub(crate) time: Arc<Time>,
    /// The number of the process among all of all worlds: clients of one process know each other's requests.
    pub(crate) run: u64,
}

/// The number of another process.
pub(crate) fn next_run() -> u64 {
    static RUNS: AtomicU64 = AtomicU64::new(1);
    RUNS.fetch_add(1, Ordering::Relaxed)
}

impl Clock for Machine {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(u64::try_from(self.time.right() + self.time.ahead().machine).unwrap_or_default())
    }
}

impl Timer for Machine {
    fn now(&self) -> Duration {
        self.time.steady()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        self.time.timer.wake_at(at, waker);
    }
}

impl Environment for Machine {
    fn random(&self) -> u64 {
        // Spread over all numbers, so that jitter varies.
        self.time.random.fetch_add(1, Ordering::Relaxed).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn run(&self) -> Option<u64> {
        Some(self.run)
    }
}
