//! Monotonic clocks with alarms.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::wakers::Wakers;

/// A monotonic clock with alarms.
pub trait Timer: Send + Sync {
    /// The time since a fixed moment.
    fn now(&self) -> Duration;

    /// Calls `waker` once, at `at` or later, but not from within this call.
    fn wake_at(&self, at: Duration, waker: Waker);
}

/// Waits for `length` by `timer`.
pub async fn pause(timer: &(impl Timer + ?Sized), length: Duration) {
    let end = timer.now().saturating_add(length);
    let mut alarm: Option<Waker> = None;
    poll_fn(|context| {
        if timer.now() >= end {
            return Poll::Ready(());
        }
        // Another part of the same task may have been woken.
        if !alarm.as_ref().is_some_and(|alarm| alarm.will_wake(context.waker())) {
            timer.wake_at(end, context.waker().clone());
            alarm = Some(context.waker().clone());
        }
        Poll::Pending
    })
    .await;
}

/// A timer that is advanced manually, for tests. Clones share the time.
#[derive(Clone, Debug, Default)]
pub struct ManualTimer(Arc<Mutex<Moment>>);

#[derive(Debug, Default)]
struct Moment {
    now: Duration,
    wakers: Wakers,
}

impl ManualTimer {
    /// A timer at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Advances by `step` and calls the wakers of the moments in between, each at its own time.
    pub fn advance(&self, step: Duration) {
        let end = self.now().saturating_add(step);
        while let Some(waker) = self.go_to_next(end) {
            waker.wake();
        }
        self.moment().now = end;
    }

    /// The time of the next alarm.
    pub fn next_wake(&self) -> Option<Duration> {
        self.moment().wakers.next_at()
    }

    /// Advances to the next alarm until `end`, and returns its waker.
    fn go_to_next(&self, end: Duration) -> Option<Waker> {
        let mut moment = self.moment();
        let at = moment.wakers.next_at().filter(|at| *at <= end)?;
        moment.now = moment.now.max(at);
        moment.wakers.take_next()
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
        self.moment().wakers.add(at, waker);
    }
}
