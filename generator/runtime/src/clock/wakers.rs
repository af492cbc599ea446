use std::collections::VecDeque;
use std::task::Waker;
use std::time::Duration;

/// Wakers by the time at which they are due; those of one time in the order in which they were added.
///
/// Most are added after all others, because most tasks wait equally long.
#[derive(Debug, Default)]
pub(super) struct Wakers(VecDeque<(Duration, Waker)>);

impl Wakers {
    pub(super) fn add(&mut self, at: Duration, waker: Waker) {
        let place = self.0.partition_point(|(known, _)| *known <= at);
        self.0.insert(place, (at, waker));
    }

    /// When the next one is due.
    pub(super) fn next_at(&self) -> Option<Duration> {
        self.0.front().map(|(at, _)| *at)
    }

    pub(super) fn take_next(&mut self) -> Option<Waker> {
        self.0.pop_front().map(|(_, waker)| waker)
    }
}
