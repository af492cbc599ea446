use std::time::{Duration, SystemTime};

use crate::value::Timestamp;

/// Tells the time that requests are signed with.
pub trait Clock: Send + Sync {
    /// The time now.
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

/// A clock that stands still: for tests, and for signing what was signed before, by [`SigningClock::Own`].
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// By which clock requests are signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SigningClock {
    /// By the client's own clock, corrected once it is known to differ from the exchange's: by more than what is not
    /// known of the difference.
    #[default]
    Corrected,
    /// By the client's own clock, whatever is known. What changes something is not sent while its signature surely could
    /// not be taken.
    Own,
}

/// A moment by both clocks of a client: one that people set, and one that only goes forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(super) wall: Timestamp,
    pub(super) steady: Duration,
}

impl Moment {
    /// The time by the clock that people set.
    pub(crate) fn wall(self) -> Timestamp {
        self.wall
    }

    /// How long ago `earlier` was by the steady clock.
    pub(crate) fn steady_since(self, earlier: Self) -> Duration {
        self.steady.saturating_sub(earlier.steady)
    }

    /// How long ago `earlier` was by the clock that people set.
    pub(crate) fn wall_since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.wall.as_millis().saturating_sub(earlier.as_millis()))
    }

    /// How long ago `earlier` was, by the clock that says more: one may have been set back, the other stands still while
    /// a machine sleeps.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        let wall = Duration::from_millis(self.wall.as_millis().saturating_sub(earlier.wall.as_millis()));
        wall.max(self.steady.saturating_sub(earlier.steady))
    }
}
