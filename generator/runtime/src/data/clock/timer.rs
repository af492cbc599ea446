//! Monotonic clocks with alarms.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use super::alarms::{Act, Alarms};

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

/// A timer that is advanced manually, for tests and simulations. Clones share the time.
#[derive(Clone, Debug, Default)]
pub struct ManualTimer(Arc<Mutex<Moment>>);

#[derive(Debug, Default)]
struct Moment {
    now: Duration,
    alarms: Alarms,
}

impl ManualTimer {
    /// A timer at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Advances by `step` and carries out the alarms of the moments in between, each at its own time.
    pub fn advance(&self, step: Duration) {
        let end = self.now().saturating_add(step);
        while let Some(alarm) = self.go_to_next(end) {
            alarm.carry_out();
        }
        self.moment().now = end;
    }

    /// Advances to the next alarm and carries it out. Returns whether there was one.
    pub fn advance_to_next(&self) -> bool {
        self.go_to_next(Duration::MAX).map(Act::carry_out).is_some()
    }

    /// Lets `step` pass without carrying out alarms, as when the only thread of a program is blocked. They are carried
    /// out late, by the next advance.
    pub fn block(&self, step: Duration) {
        let mut moment = self.moment();
        moment.now = moment.now.saturating_add(step);
    }

    /// Calls `act` at a time, as part of a simulation. Alarms of one time are carried out in their order.
    pub fn call_at(&self, at: Duration, act: impl FnOnce() + Send + 'static) {
        self.moment().alarms.add(at, Act::Call(Box::new(act)));
    }

    /// The time of the next alarm.
    pub fn next_wake(&self) -> Option<Duration> {
        self.moment().alarms.next_at()
    }

    /// Advances to the next alarm until `end`, and returns it: it is carried out without the lock, because it may set
    /// others.
    fn go_to_next(&self, end: Duration) -> Option<Act> {
        let mut moment = self.moment();
        let at = moment.alarms.next_at().filter(|at| *at <= end)?;
        moment.now = moment.now.max(at);
        moment.alarms.take_next()
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
        self.moment().alarms.add(at, Act::Wake(waker));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_wait_while_a_thread_is_blocked() {
        let (timer, seen) = (ManualTimer::new(), Arc::new(Mutex::new(Vec::new())));
        for second in [1, 5] {
            let (clock, times) = (timer.clone(), Arc::clone(&seen));
            let note = move || times.lock().unwrap_or_else(PoisonError::into_inner).push(clock.now().as_secs());
            timer.call_at(Duration::from_secs(second), note);
        }
        timer.block(Duration::from_secs(3));
        assert_eq!(timer.now(), Duration::from_secs(3));
        assert!(seen.lock().unwrap_or_else(PoisonError::into_inner).is_empty());
        while timer.advance_to_next() {}
        assert_eq!(*seen.lock().unwrap_or_else(PoisonError::into_inner), [3, 5]);
    }
}
