//! The way through the pages of a listing, for items of any type, so that it is compiled once and not for each
//! operation.

use std::collections::HashSet;
use std::pin::Pin;
use std::time::Duration;

use super::border::{Learning, SETTLED, is_settled};
use super::cut::RangeSplit;
use super::error::{PageError, PositionError};
use super::listing::RangeOrder;
use super::page::Page;
use super::position::Position;
use super::reach::Plan;
use super::seen::Seen;
use super::source::{PageRequest, PageSource, SourceReply};
use super::step::Next;
use crate::client::{Attempt, ClientCore};
use crate::error::Error;
use crate::exchange::Reply;
use crate::retry::RetryPolicy;
use crate::tables::{Meta, Outcome, Window};

/// If a response shows a greater offset than this, the client's clock is behind the exchange's.
const BEHIND: Duration = Duration::from_secs(1);

/// The position of a listing, and its state.
pub(super) struct Walk {
    pub(super) client: ClientCore,
    pub(super) meta: &'static Meta,
    /// Whether items have an id.
    pub(super) has_ids: bool,
    /// The number of requests that list everything together.
    pub(super) turns: usize,
    pub(super) window: Option<Window>,
    pub(super) clips: bool,
    pub(super) retry: Option<RetryPolicy>,
    pub(super) at: Position,
    pub(super) seen: Seen,
    /// The cursors of the part that is listed now.
    cursors: HashSet<String>,
    /// The query of the border, if it is not known which of its items the part before contained.
    pub(super) learning: Option<Learning>,
    /// Pages of the part that is listed now came before a restart, so that not all of its ids are known.
    is_partly_known: bool,
    stopped: bool,
}

/// The next page under way; its items stay in the source.
pub(crate) type PageFuture<'a> = Pin<Box<dyn Future<Output = Option<Result<Page<()>, PageError>>> + Send + 'a>>;

impl Walk {
    pub(super) fn new(client: ClientCore, meta: &'static Meta, has_ids: bool, turns: usize, at: Position) -> Self {
        Self {
            client,
            meta,
            has_ids,
            turns,
            window: meta.window,
            clips: false,
            retry: None,
            at,
            seen: Seen::default(),
            cursors: HashSet::new(),
            learning: None,
            is_partly_known: false,
            stopped: false,
        }
    }

    /// Sets the order of the parts, unless one was begun.
    pub(super) fn order(&mut self, order: RangeOrder) {
        if !self.at.is_begun() {
            self.at.oldest_first = (order == RangeOrder::OldestFirst).then_some(true);
        }
    }

    /// Continues from a position of the same listing.
    pub(super) fn resume(&mut self, position: &Position) -> Result<(), PositionError> {
        position.belongs_to(&self.at, self.meta.id)?;
        self.at = position.clone();
        self.seen = Seen::restarted(&self.at.recent);
        (self.learning, self.is_partly_known) = (Some(Learning::default()), self.at.now.is_some());
        Ok(())
    }

    /// The next page; `None` at the end of the listing. Its items are in `source`.
    pub(super) fn next_page<'a>(&'a mut self, source: &'a mut dyn PageSource) -> PageFuture<'a> {
        Box::pin(async move {
            if self.stopped || self.at.is_at_end() {
                return None;
            }
            let page = match self.at.take_error(self.meta.id) {
                Some(trouble) => Err(trouble),
                None => self.step(source).await,
            };
            self.stopped = page.as_ref().is_err_and(is_final);
            Some(page)
        })
    }

    async fn step(&mut self, source: &mut dyn PageSource) -> Result<Page<()>, PageError> {
        let mut was_asked_again = false;
        loop {
            let plan = self.plan()?;
            if plan.at.is_at_end() {
                source.clear();
                self.at = plan.at;
                return Ok(Page { clipped: plan.clipped, ..Page::empty(plan.range) });
            }
            self.learn_border(&plan.at, source).await?;
            let wanted =
                PageRequest { turn: self.turn(&plan.at), range: plan.range, cursor: plan.at.cursor.as_deref() };
            let fetched = self.fetch(source, wanted).await?;
            if was_asked_again || !self.ends_too_early(&plan, &fetched.reply) {
                return Ok(self.take(plan, fetched, source));
            }
            was_asked_again = true;
        }
    }

    /// Whether the answer has shown that it is later than the client's clock said when the end of the range was chosen.
    fn ends_too_early(&self, plan: &Plan, reply: &Reply<()>) -> bool {
        let latest = plan.made.checked_add(reply.waited.saturating_add(BEHIND));
        self.has_open_end() && latest.is_some_and(|latest| self.client.now() > latest)
    }

    fn take(&mut self, plan: Plan, fetched: SourceReply, source: &mut dyn PageSource) -> Page<()> {
        let Plan { at, range, clipped, .. } = plan;
        let SourceReply { reply, next } = fetched;
        self.at = at;
        let (seen, recent) = (&mut self.seen, &mut self.at.recent);
        let repeated = source.leave_out(&mut |item| {
            recent.push(item);
            !seen.is_new(item)
        });
        self.at.barren = if source.is_empty() { self.at.barren.saturating_add(1) } else { 0 };
        self.advance(next);
        let (request_time, waited) = (reply.request_time, reply.waited);
        Page { repeated, clipped, request_time, waited, ..Page::empty(range) }
    }

    pub(super) async fn fetch(
        &self,
        source: &mut dyn PageSource,
        page: PageRequest<'_>,
    ) -> Result<SourceReply, PageError> {
        let (operation, data) = source.request(page);
        let reply = match &self.retry {
            Some(policy) => self.client.retrying(policy).repeat_any(operation, data).await?,
            None => self.client.attempt_any(operation, Attempt::FIRST, data).await?,
        };
        match source.take(page.cursor, reply.onward.clone()) {
            Some(next) => Ok(SourceReply { reply, next }),
            None => Err(reply.unreadable(self.meta, Outcome::Unknown, "its data was not read").into()),
        }
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
            self.learning = std::mem::take(&mut self.is_partly_known).then(Learning::default);
            self.seen.next_part();
        } else {
            self.at.end();
        }
    }

    /// The index of the current request, clamped to the bounds.
    fn turn(&self, at: &Position) -> usize {
        let turn = at.turn.and_then(|turn| usize::try_from(turn).ok());
        turn.unwrap_or(0).min(self.turns - 1)
    }

    pub(super) fn cut(&self) -> RangeSplit {
        let span = self.window.as_ref().and_then(|window| window.span);
        let order = match self.at.oldest_first {
            Some(true) => RangeOrder::OldestFirst,
            _ => RangeOrder::NewestFirst,
        };
        RangeSplit { span, order, shares_borders: self.has_ids, settled: self.client.now().checked_sub(SETTLED) }
    }
}

/// Whether another attempt would end the same way.
fn is_final(error: &PageError) -> bool {
    !matches!(error, PageError::Call(error) if !matches!(error, Error::Refused(_) | Error::Unsigned(_)))
}
