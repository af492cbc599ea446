//! The pages of a listing as a stream.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::listing::Pages;
use super::page::{Page, PageError, Paged};
use super::position::Position;

/// The pages of a listing as a [`Stream`], which ends after the first error.
///
/// To go on after an error, [`resume`](Pages::resume) a listing from the [`position`](Self::position), or let calls be
/// [retried](Pages::retrying).
#[must_use = "nothing is sent until it is polled"]
pub struct PageStream<O: Paged> {
    /// The pages, or the call under way that owns them; `None` at the end and after an error.
    state: Option<State<O>>,
    position: Position,
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
    /// Returns the same pages as a [`Stream`], up to the first error.
    pub fn into_stream(self) -> PageStream<O> {
        let position = self.position().clone();
        PageStream { state: Some(State::Idle(Box::new(self))), position }
    }
}

impl<O: Paged> PageStream<O> {
    /// Returns the position of the next page; after an error, of the page that could not be read.
    pub fn position(&self) -> &Position {
        &self.position
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
        self.position.clone_from(pages.position());
        if matches!(page, Some(Ok(_))) {
            self.state = Some(State::Idle(pages));
        }
        Poll::Ready(page)
    }
}

impl<O: Paged> fmt::Debug for PageStream<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageStream").field("operation", &O::META.id).finish_non_exhaustive()
    }
}
