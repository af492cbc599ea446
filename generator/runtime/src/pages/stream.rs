//! The pages of a listing as a stream.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::error::PageError;
use super::listing::Pages;
use super::page::{Page, Paged};

/// The pages of a listing as a [`Stream`].
#[must_use = "nothing is sent until it is polled"]
pub struct PageStream<O: Paged> {
    /// The pages, or the call under way that owns them; `None` only while one replaces the other.
    state: Option<State<O>>,
}

enum State<O: Paged> {
    Idle(Box<Pages<O>>),
    Busy(Next<O>),
}

type Next<O> = Pin<Box<dyn Future<Output = (Box<Pages<O>>, Option<PageResult<O>>)> + Send>>;
type PageResult<O> = Result<Page<<O as Paged>::Item>, PageError>;

impl<O> Pages<O>
where
    O: Paged + Unpin + 'static,
{
    /// The same pages as a [`Stream`].
    pub fn into_stream(self) -> PageStream<O> {
        PageStream { state: Some(State::Idle(Box::new(self))) }
    }
}

impl<O> Stream for PageStream<O>
where
    O: Paged + Unpin + 'static,
{
    type Item = PageResult<O>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut next: Next<O> = match self.state.take() {
            Some(State::Busy(next)) => next,
            Some(State::Idle(mut pages)) => Box::pin(async move {
                let page = pages.next_page().await;
                (pages, page)
            }),
            None => return Poll::Ready(None),
        };
        let Poll::Ready((pages, page)) = next.as_mut().poll(context) else {
            self.state = Some(State::Busy(next));
            return Poll::Pending;
        };
        self.state = Some(State::Idle(pages));
        Poll::Ready(page)
    }
}

impl<O: Paged> fmt::Debug for PageStream<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageStream").field("operation", &O::META.id).finish_non_exhaustive()
    }
}
