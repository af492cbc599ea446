//! Those who wait.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::book::Book;
use super::slab::Key;

/// Someone who waited and may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) turn: u64,
    pub(super) lane: Key,
}

impl Book {
    /// Whether no one waits.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.busy.is_empty()
    }

    /// Lines up in `lane`.
    pub(super) fn line_up(&mut self, lane: Key) -> u64 {
        let turn = self.next_turn;
        self.next_turn += 1;
        if let Some(of_call) = self.lanes.get_mut(lane) {
            if of_call.queue.is_empty() {
                self.busy.push(lane);
            }
            of_call.queue.push_back(turn);
        }
        turn
    }

    /// Waits no longer.
    pub(super) fn leave(&mut self, lane: Key, turn: u64) {
        if let Some(lane) = self.lanes.get_mut(lane)
            && let Ok(at) = lane.queue.binary_search(&turn)
        {
            lane.queue.remove(at);
        }
        self.forget_empty_lines();
    }

    /// Lets everyone go there is room for: in order, but past those there is none for, whose limits are others.
    pub(super) fn settle(&mut self, now: Duration) -> Vec<Granted> {
        let mut granted = Vec::new();
        let mut order: BinaryHeap<_> = self.busy.iter().filter_map(|lane| self.front(*lane)).collect();
        while let Some(Reverse((_, lane))) = order.pop() {
            // Others only take room away, so who finds none now need not be asked again.
            if self.is_free(lane, now) {
                self.hold(lane);
                let turn = self.lanes.get_mut(lane).and_then(|lane| lane.queue.pop_front());
                granted.extend(turn.map(|turn| Granted { turn, lane }));
                order.extend(self.front(lane));
            }
        }
        self.forget_empty_lines();
        granted
    }

    /// When to settle next, if nothing happens until then.
    pub(super) fn next_at(&self) -> Option<Duration> {
        self.busy.iter().filter_map(|lane| self.free_at(*lane).0).min()
    }

    /// The lanes in which someone waits.
    pub(super) fn busy(&self) -> &[Key] {
        &self.busy
    }

    fn front(&self, lane: Key) -> Option<Reverse<((bool, u64), Key)>> {
        self.lanes.get(lane)?.turn().map(|turn| Reverse((turn, lane)))
    }

    fn forget_empty_lines(&mut self) {
        let lanes = &self.lanes;
        self.busy.retain(|lane| lanes.get(*lane).is_some_and(|lane| !lane.queue.is_empty()));
    }
}
