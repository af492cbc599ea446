use std::task::Waker;
use std::time::Duration;

pub use self::manual::ManualTimer;
pub(crate) use self::pause::pause;
pub use self::system::SystemTimer;

mod manual;
mod pause;
mod system;

/// A clock that only goes forward, and wakes who waits for a moment.
pub trait Timer: Send + Sync {
    /// The time since a moment that stays the same.
    fn now(&self) -> Duration;

    /// Calls `waker` once, when it is `at` or later; not from within this call.
    fn wake_at(&self, at: Duration, waker: Waker);
}
