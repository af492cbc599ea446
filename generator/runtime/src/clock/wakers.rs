use std::collections::BTreeMap;
use std::task::Waker;
use std::time::Duration;

/// Wakers by the time at which they are due; those of one time in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Wakers {
    all: BTreeMap<(Duration, u64), Waker>,
    count: u64,
}

impl Wakers {
    pub(super) fn add(&mut self, at: Duration, waker: Waker) {
        self.count += 1;
        self.all.insert((at, self.count), waker);
    }

    /// When the next one is due.
    pub(super) fn next_at(&self) -> Option<Duration> {
        self.all.first_key_value().map(|((at, _), _)| *at)
    }

    pub(super) fn take_next(&mut self) -> Option<Waker> {
        self.all.pop_first().map(|(_, waker)| waker)
    }
}
