use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::in_process::{Shared, State, Waiter, slot_in};
use super::limiter::{Admission, Denied, Slot};
use super::slab::Key;

/// A place in a line. Who drops it leaves the line.
pub(super) struct Waiting<'a> {
    shared: &'a Shared,
    lane: Key,
    turn: u64,
    since: Duration,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(shared: &'a Shared, lane: Key, turn: u64, since: Duration) -> Self {
        Self { shared, lane, turn, since }
    }

    /// What to tell who has just lined up.
    pub(super) fn admission(self, wait: bool) -> Admission<'a> {
        match self.at_once() {
            Err(_) if wait => Admission::Later(Box::pin(self)),
            known => Admission::Now(known),
        }
    }

    fn at_once(&self) -> Result<Slot, Denied> {
        let mut state = self.shared.lock();
        self.take_slot(&mut state).ok_or_else(|| state.full(self.lane, self.shared.now()).into())
    }

    /// The slot, once it was granted.
    fn take_slot(&self, state: &mut State) -> Option<Slot> {
        if !matches!(state.waiters.get(&self.turn), Some(Waiter::MayGo)) {
            return None;
        }
        state.waiters.remove(&self.turn);
        Some(slot_in(self.lane, self.shared.now().saturating_sub(self.since)))
    }
}

impl Future for Waiting<'_> {
    type Output = Result<Slot, Denied>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.shared.lock();
        if let Some(slot) = self.take_slot(&mut state) {
            return Poll::Ready(Ok(slot));
        }
        if let Some(Waiter::Waits(waker)) = state.waiters.get_mut(&self.turn) {
            *waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.shared.change(|state, _| match state.waiters.remove(&self.turn) {
            Some(Waiter::Waits(_)) => state.book.leave(self.lane, self.turn),
            Some(Waiter::MayGo) => state.book.release(self.lane),
            None => {}
        });
    }
}
