//! A channel that carries one answer to its caller.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tradeapi::runtime::error::TransportError;

/// The sending side of the channel. Only the first answer counts.
#[derive(Clone, Default)]
pub(super) struct Slot(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    end: Option<End>,
    waker: Option<Waker>,
    is_over: bool,
}

pub(super) type End = (Result<http::Response<Bytes>, TransportError>, Option<Duration>);

impl Slot {
    pub(super) fn end(&self, answer: Result<http::Response<Bytes>, TransportError>, trip: Option<Duration>) {
        let mut waiting = self.waiting();
        if waiting.is_over {
            return;
        }
        (waiting.end, waiting.is_over) = (Some((answer, trip)), true);
        let waker = waiting.waker.take();
        drop(waiting);
        waker.into_iter().for_each(Waker::wake);
    }

    pub(super) fn is_awaited(&self) -> bool {
        !self.waiting().is_over
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receiving side of the channel, a future. Dropping it closes the channel.
pub(super) struct Caller(pub(super) Slot);

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
        self.0.waiting().is_over = true;
    }
}
