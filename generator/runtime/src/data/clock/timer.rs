//! Monotonic clocks, with alarms by the time at which they are due.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

/// A monotonic clock with alarms.
pub trait Timer: Send + Sync {
    /// Returns the time since a fixed moment.
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
    /// Creates a timer at zero.
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

    /// Returns the time of the next alarm.
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

/// The acts of alarms, by the time at which they are due; those of one time in the order in which they were added.
///
/// Most are added after all others, because most tasks wait equally long.
#[derive(Debug, Default)]
pub(super) struct Alarms(VecDeque<(Duration, Act)>);

/// The act of an alarm.
pub(super) enum Act {
    Wake(Waker),
    Call(Box<dyn FnOnce() + Send>),
}

impl Act {
    pub(super) fn carry_out(self) {
        match self {
            Self::Wake(waker) => waker.wake(),
            Self::Call(act) => act(),
        }
    }
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if let Self::Wake(_) = self { "Wake" } else { "Call" })
    }
}

impl Alarms {
    pub(super) fn add(&mut self, at: Duration, act: Act) {
        let place = self.0.partition_point(|(known, _)| *known <= at);
        self.0.insert(place, (at, act));
    }

    /// Returns when the next one is due.
    pub(super) fn next_at(&self) -> Option<Duration> {
        self.0.front().map(|(at, _)| *at)
    }

    pub(super) fn take_next(&mut self) -> Option<Act> {
        self.0.pop_front().map(|(_, act)| act)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};
    use std::task::Wake;

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

    struct Noting(u64, Arc<Mutex<Vec<u64>>>);

    impl Wake for Noting {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
        }
    }

    #[test]
    fn wakers_are_taken_by_time_and_then_in_their_order() {
        let woken = Arc::new(Mutex::new(Vec::new()));
        let mut wakers = Alarms::default();
        for (number, at) in (0..).zip([2, 1, 2, 3, 1, 2]) {
            let waker = Waker::from(Arc::new(Noting(number, Arc::clone(&woken))));
            wakers.add(Duration::from_secs(at), Act::Wake(waker));
        }
        let mut times = Vec::new();
        while let Some(at) = wakers.next_at() {
            times.push(at.as_secs());
            wakers.take_next().into_iter().for_each(Act::carry_out);
        }
        assert_eq!(times, [1, 1, 2, 2, 2, 3]);
        assert_eq!(*woken.lock().unwrap_or_else(PoisonError::into_inner), [1, 4, 0, 2, 5, 3]);
    }
}
