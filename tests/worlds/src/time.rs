//! Virtual time: events in their order, and the clocks that show it.

use std::sync::Mutex;
use std::time::Duration;

use tradeapi::Timestamp;
use tradeapi::runtime::clock::{ManualEnvironment, Timer};

use crate::lock;

/// When a world begins, in Unix milliseconds: 2026-01-01, 00:00 UTC.
pub(crate) const BEGINNING: i64 = 1_767_225_600_000;

/// Virtual time, and how wrong the clocks are that show it.
pub(crate) struct Time {
    /// The clocks of the machine that the programs run on.
    machine: ManualEnvironment,
    ahead: Mutex<Ahead>,
}

impl Default for Time {
    fn default() -> Self {
        let machine = ManualEnvironment::new(Timestamp::from_millis(BEGINNING.cast_unsigned()));
        Self { machine, ahead: Mutex::default() }
    }
}

/// The milliseconds by which each clock is ahead of the right time.
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
    /// Returns the clocks of the machine, as another of its processes sees them.
    pub(crate) fn in_another_process(&self) -> ManualEnvironment {
        self.machine.in_another_process()
    }

    pub(crate) fn steady(&self) -> Duration {
        self.machine.timer().now()
    }

    /// Returns the right time, in Unix milliseconds.
    pub(crate) fn right(&self) -> i64 {
        self.machine.right_time().as_millis().cast_signed()
    }

    pub(crate) fn ahead(&self) -> Ahead {
        *lock(&self.ahead)
    }

    pub(crate) fn set_ahead(&self, ahead: Ahead) {
        *lock(&self.ahead) = ahead;
        self.machine.set_ahead(ahead.machine);
    }

    /// Does `act` after `length`.
    pub(crate) fn after(&self, length: Duration, act: impl FnOnce() + Send + 'static) {
        self.machine.timer().call_at(self.steady() + length, act);
    }

    /// Moves to the next event and lets it happen. Returns whether there was one.
    pub(crate) fn go_on(&self) -> bool {
        self.machine.timer().advance_to_next()
    }
}
