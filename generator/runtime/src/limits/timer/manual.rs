use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use super::Timer;

/// A timer that is moved by hand: for tests. Clones are the same timer.
#[derive(Clone, Debug, Default)]
pub struct ManualTimer(Arc<Mutex<Moment>>);

#[derive(Debug, Default)]
struct Moment {
    now: Duration,
    wakers: BTreeMap<(Duration, u64), Waker>,
    count: u64,
}

impl ManualTimer {
    /// A timer that stands at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves on by `step`, and wakes who waits for a moment until then, each at its own.
    pub fn advance(&self, step: Duration) {
        let end = self.now().saturating_add(step);
        while let Some(waker) = self.go_to_next(end) {
            waker.wake();
        }
        self.moment().now = end;
    }

    /// The next moment someone waits for.
    pub fn next_wake(&self) -> Option<Duration> {
        self.moment().wakers.keys().next().map(|(at, _)| *at)
    }

    /// Whoever waits for a moment until `end`; it is that moment then.
    fn go_to_next(&self, end: Duration) -> Option<Waker> {
        let mut moment = self.moment();
        let next = moment.wakers.first_entry().filter(|next| next.key().0 <= end)?;
        let at = next.key().0;
        let waker = next.remove();
        moment.now = moment.now.max(at);
        Some(waker)
    }

    fn moment(&self) -> MutexGuard<'_, Moment> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timer for ManualTimer {
    fn now(&self) -> Duration {
        self.moment().now
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        let mut moment = self.moment();
        moment.count += 1;
        let count = moment.count;
        moment.wakers.insert((at, count), waker);
    }
}
