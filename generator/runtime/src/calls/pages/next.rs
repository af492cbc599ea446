//! The next page of a listing: from the plan of its call to the state after it.
//!
//! The next page is planned on a copy of the position, so that a failed page changes nothing.

use std::pin::Pin;
use std::time::Duration;

use super::cut::is_settled;
use super::error::PageError;
use super::page::Page;
use super::position::Position;
use super::reach::Plan;
use super::source::{PageRequest, PageSource, SourceReply};
use super::step::Next;
use super::walk::{Border, Learning, Walk};
use crate::data::error::Error;
use crate::network::wire::Reply;

/// If a response shows a greater offset than this, the client's clock is behind the exchange's.
const BEHIND: Duration = Duration::from_secs(1);

/// The next page under way; its items stay in the source.
pub(crate) type PageFuture<'a> = Pin<Box<dyn Future<Output = Option<Result<Page<()>, PageError>>> + Send + 'a>>;

impl Walk {
    /// The next page; `None` at the end of the listing. Its items are in `source`.
    pub(super) fn next_page<'a>(&'a mut self, source: &'a mut dyn PageSource) -> PageFuture<'a> {
        Box::pin(async move {
            if self.stopped {
                return None;
            }
            let page = match self.at.take_error(self.meta.id) {
                Some(failure) => Err(failure),
                None => self.step(source).await?,
            };
            self.stopped = page.as_ref().is_err_and(is_final);
            Some(page)
        })
    }

    /// Requests the next page; `None` at the end of the listing.
    async fn step(&mut self, source: &mut dyn PageSource) -> Option<Result<Page<()>, PageError>> {
        let mut was_asked_again = false;
        loop {
            let at = self.next_position()?;
            match self.request(at, source, was_asked_again).await {
                Ok(None) => was_asked_again = true,
                Ok(Some(page)) => return Some(Ok(page)),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Requests the page at a position; `None` if it has to be requested again, because its times ended wrongly.
    async fn request(
        &mut self,
        at: Position,
        source: &mut dyn PageSource,
        was_asked_again: bool,
    ) -> Result<Option<Page<()>>, PageError> {
        let plan = self.plan(at)?;
        if plan.at.is_at_end() {
            source.clear();
            self.take_over(plan.at);
            return Ok(Some(Page { clipped: plan.clipped, ..Page::empty(plan.range) }));
        }
        self.learn_border(&plan.at, source).await?;
        let wanted = PageRequest { turn: self.turn(&plan.at), range: plan.range, cursor: plan.at.cursor.as_deref() };
        let fetched = self.fetch(source, wanted).await?;
        let ends_wrongly = self.ends_too_early(&plan, &fetched.reply) || self.ends_too_late(&plan);
        Ok((was_asked_again || !ends_wrongly).then(|| self.take(plan, fetched, source)))
    }

    /// Goes on at a position, of this listing or of the next one.
    fn take_over(&mut self, at: Position) {
        if self.at.is_at_end() {
            self.is_resumed = false;
            self.seen.next_part();
        }
        self.at = at;
    }

    /// Returns whether the answer has shown that it is later than the client's clock said when the end of the range was
    /// chosen.
    fn ends_too_early(&self, plan: &Plan, reply: &Reply<()>) -> bool {
        let latest = plan.made.checked_add(reply.waited.saturating_add(BEHIND));
        !self.settles && self.has_open_end() && latest.is_some_and(|latest| self.client.latest_now() > latest)
    }

    /// Returns whether the answer to the first page has shown that it is earlier than the client's clock said when the
    /// end was taken for one up to which everything is visible.
    fn ends_too_late(&self, plan: &Plan) -> bool {
        let is_taken_for_settled = plan.at.settled == Some(true) && (!self.at.is_begun() || self.at.is_at_end());
        is_taken_for_settled && plan.at.until.is_some_and(|until| until > self.settled())
    }

    fn take(&mut self, plan: Plan, fetched: SourceReply, source: &mut dyn PageSource) -> Page<()> {
        let Plan { at, range, clipped, .. } = plan;
        let SourceReply { reply, next } = fetched;
        self.take_over(at);
        let (seen, recent) = (&mut self.seen, &mut self.at.recent);
        let repeated = source.leave_out(&mut |item| {
            recent.push(item);
            !seen.is_new(item)
        });
        self.at.barren = if source.is_empty() { self.at.barren.saturating_add(1) } else { 0 };
        self.advance(next);
        let (request_time, waited) = (reply.request_time, reply.waited);
        Page { repeated, clipped, request_time, waited, ..Page::empty(range.until(self.client.earliest_now())) }
    }

    fn advance(&mut self, next: Next) {
        let next = match next {
            Next::At(next) => next,
            Next::End => return self.end_turn(),
            Next::Lost => {
                self.at.stuck = Some(true);
                return;
            }
        };
        self.cursors.extend(self.at.cursor.take());
        let is_circle = self.at.passes(&next);
        self.at.stuck = (is_circle || self.cursors.contains(&next)).then_some(true);
        self.at.cursor = Some(next);
    }

    /// Ends a request whose last page was read.
    fn end_turn(&mut self) {
        self.cursors.clear();
        let next = self.turn(&self.at) + 1;
        self.at.begin_turn();
        if next < self.turns {
            self.at.turn = u64::try_from(next).ok();
        } else if self.at.rest.is_some() {
            let now = self.client.now();
            let range = self.at.now.take().unwrap_or_default().into();
            self.at.border = self.cut().border(range).filter(|border| is_settled(*border, now));
            self.learning.extend(std::mem::take(&mut self.is_partly_known).then(|| Learning::of(Border::Part)));
            self.seen.next_part();
        } else {
            self.at.end();
        }
    }
}

/// Returns whether another attempt would end the same way.
fn is_final(error: &PageError) -> bool {
    !matches!(error, PageError::Call(error) if !matches!(error, Error::Refused(_) | Error::Unsigned(_)))
}
