//! A channel that carries one answer to its caller.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tradeapi::runtime::error::TransportError;

use super::super::time::Time;

/// The sending side of the channel. Only the first answer counts.
#[derive(Clone, Default)]
pub(super) struct Slot(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    end: Option<End>,
    waker: Option<Waker>,
    over: Option<Over>,
}

/// The way and the time in which a caller stopped waiting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    pub(super) at: Duration,
    /// True if the caller has an answer, its own or another.
    pub(super) is_answered: bool,
}

pub(super) type End = (Result<http::Response<Bytes>, TransportError>, Option<Duration>);

impl Slot {
    pub(super) fn end(
        &self,
        at: Duration,
        answer: Result<http::Response<Bytes>, TransportError>,
        trip: Option<Duration>,
    ) {
        let mut waiting = self.waiting();
        if waiting.over.is_some() {
            return;
        }
        waiting.over = Some(Over { at, is_answered: answer.is_ok() });
        waiting.end = Some((answer, trip));
        let waker = waiting.waker.take();
        drop(waiting);
        waker.into_iter().for_each(Waker::wake);
    }

    pub(super) fn is_awaited(&self) -> bool {
        self.over().is_none()
    }

    /// Returns how the caller stopped waiting, if it did.
    pub(super) fn over(&self) -> Option<Over> {
        self.waiting().over
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receiving side of the channel, a future. Dropping it closes the channel.
pub(super) struct Caller(pub(super) Slot, pub(super) Time);

impl Future for Caller {
    type Output = End;

    fn poll(self: std::pin::Pin<&mut Self>, context: &mut Context<'_>) -> Poll<End> {
        let mut waiting = self.0.waiting();
        match waiting.end.take() {
            Some(end) => Poll::Ready(end),
            None => {
                waiting.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        let over = Over { at: self.1.now(), is_answered: false };
        self.0.waiting().over.get_or_insert(over);
    }
}
