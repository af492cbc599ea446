//! Alarms by the time at which they are due.

use std::collections::VecDeque;
use std::fmt;
use std::task::Waker;
use std::time::Duration;

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

    /// When the next one is due.
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
