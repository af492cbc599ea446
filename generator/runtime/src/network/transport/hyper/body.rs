//! The body of a request.

use std::convert::Infallible;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// A body of one part, or of none if it is empty.
#[derive(Debug, Default)]
pub(super) struct OnePart(Bytes);

impl From<Bytes> for OnePart {
    fn from(part: Bytes) -> Self {
        Self(part)
    }
}

impl Body for OnePart {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let part = mem::take(&mut self.0);
        Poll::Ready((!part.is_empty()).then(|| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}
