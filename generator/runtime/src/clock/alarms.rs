//! Alarms by the time at which they are due.

use std::collections::VecDeque;
use std::time::Duration;

/// What alarms do, such as wakers, by the time at which they are due; those of one time in the order in which they were
/// added.
///
/// Most are added after all others, because most tasks wait equally long.
#[derive(Debug)]
pub(super) struct Alarms<T>(VecDeque<(Duration, T)>);

impl<T> Default for Alarms<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Alarms<T> {
    pub(super) fn add(&mut self, at: Duration, alarm: T) {
        let place = self.0.partition_point(|(known, _)| *known <= at);
        self.0.insert(place, (at, alarm));
    }

    /// When the next one is due.
    pub(super) fn next_at(&self) -> Option<Duration> {
        self.0.front().map(|(at, _)| *at)
    }

    pub(super) fn take_next(&mut self) -> Option<T> {
        self.0.pop_front().map(|(_, alarm)| alarm)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};
    use std::task::{Wake, Waker};

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
            wakers.add(Duration::from_secs(at), waker);
        }
        let mut times = Vec::new();
        while let Some(at) = wakers.next_at() {
            times.push(at.as_secs());
            wakers.take_next().into_iter().for_each(Waker::wake);
        }
        assert_eq!(times, [1, 1, 2, 2, 2, 3]);
        assert_eq!(*woken.lock().unwrap_or_else(PoisonError::into_inner), [1, 4, 0, 2, 5, 3]);
    }
}
