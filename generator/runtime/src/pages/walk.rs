use std::collections::HashSet;
use std::fmt;

use super::cut::Cut;
use super::error::{PageError, PositionError};
use super::items::Items;
use super::page::{Page, TimeRange};
use super::paged::Paged;
use super::position::Position;
use super::reach::Begun;
use super::seen::Seen;
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::retry::RetryPolicy;
use crate::tables::Window;
use crate::value::List;

/// So many pages in a row without anything new are taken for a listing that never ends.
const BARREN: u32 = 1000;

/// In which order the parts of a range are listed that is too long for one query. Within a part the exchange decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RangeOrder {
    /// From the end to the beginning, as cursors lead.
    #[default]
    NewestFirst,
    /// From the beginning to the end.
    OldestFirst,
}

/// All pages of a listing, one after the other.
///
/// Cursors are followed as they come. Where the documents bound the time that one query may span, a longer range is asked
/// for in parts; parts overlap by two milliseconds where items have ids, and an item that came already is left out, so that
/// it does not matter whether the ends of a range belong to it. Where items have no id, parts follow each other without
/// a gap, and both ends are taken to belong to a part. A range that has a beginning but no end goes until now.
///
/// Calls keep the client's rate limits. Memory holds the ids of two parts.
///
/// ```
/// use tradeapi_runtime::{PageError, Paged, Pages};
///
/// async fn count<O: Paged>(mut pages: Pages<O>) -> Result<usize, PageError> {
///     let mut count = 0;
///     while let Some(page) = pages.next_page().await {
///         count += page?.list.len();
///         let _saved: String = pages.position().to_string();
///     }
///     Ok(count)
/// }
/// ```
#[must_use = "nothing is sent until a page is asked for"]
pub struct Pages<O: Paged> {
    pub(super) client: ClientCore,
    /// The requests that list everything together, without a cursor and without times.
    requests: Vec<O>,
    pub(super) window: Option<Window>,
    pub(super) clips: bool,
    retry: Option<RetryPolicy>,
    pub(super) at: Position,
    seen: Seen,
    /// The cursors of the part that is listed now.
    cursors: HashSet<String>,
    barren: u32,
    /// What the part before has shown of the border is not known.
    must_relearn: bool,
    /// Pages of the part that is listed now came before a restart, so that not all of its ids are known.
    is_partly_known: bool,
    trouble: Option<PageError>,
    stopped: bool,
}

impl<O: Paged> Pages<O> {
    /// The pages that answer `request`, beginning with its cursor if it has one.
    pub fn new(client: ClientCore, request: O) -> Self {
        let window = O::META.window;
        let mut range = request.range();
        if window.is_some_and(|window| window.span.is_some()) && range.from.is_some() {
            range.to = range.to.or_else(|| Some(client.now()));
        }
        let at = Position::first(&request, range);
        let mut requests = request.each();
        if requests.is_empty() {
            requests.push(request);
        }
        requests.iter_mut().for_each(|request| request.set_cursor(None));
        Self {
            client,
            requests,
            window,
            clips: false,
            retry: None,
            at,
            seen: Seen::default(),
            cursors: HashSet::new(),
            barren: 0,
            must_relearn: false,
            is_partly_known: false,
            trouble: None,
            stopped: false,
        }
    }

    /// Lists the parts of a long range in this order; the newest first, if not set. To be said before the first page.
    pub fn ranges(mut self, order: RangeOrder) -> Self {
        self.at.oldest_first = (order == RangeOrder::OldestFirst).then_some(true);
        self
    }

    /// Lists what can be had where the range begins before what the documents give access to; the first page tells what
    /// was cut off. If not set, such a listing is refused.
    pub fn clip(mut self) -> Self {
        self.clips = true;
        self
    }

    /// Repeats calls that fail in a way that passes. If not set, the caller decides whether to ask for the page again.
    pub fn retrying(mut self, policy: RetryPolicy) -> Self {
        self.retry = Some(policy);
        self
    }

    /// Goes on from a position of the same listing.
    ///
    /// What was listed does not come again. The borders of the part where the position is may cost a call more each, which
    /// asks what was listed of them already.
    ///
    /// # Errors
    ///
    /// When the position belongs to another listing.
    pub fn resume(mut self, position: &Position) -> Result<Self, PositionError> {
        position.belongs_to(&self.at, O::META.id)?;
        self.at = position.clone();
        (self.must_relearn, self.is_partly_known) = (true, self.at.now.is_some());
        Ok(self)
    }

    /// Where the next page begins. Save it once the pages before are dealt with.
    pub fn position(&self) -> &Position {
        &self.at
    }

    /// The items of all pages, one after the other.
    pub fn items(self) -> Items<O> {
        Items::new(self)
    }

    /// The next page; `None` at the end of the listing.
    ///
    /// After a call that failed the same page is asked for again. After a refusal, or where the exchange leads in
    /// circles, there is no further page.
    ///
    /// # Errors
    ///
    /// See [`PageError`].
    pub async fn next_page(&mut self) -> Option<Result<Page<O::Item>, PageError>> {
        if self.stopped || self.at.is_at_end() {
            return None;
        }
        let page = match self.trouble.take() {
            Some(trouble) => Err(trouble),
            None => self.step().await,
        };
        self.stopped = page.as_ref().is_err_and(is_final);
        Some(page)
    }

    async fn step(&mut self) -> Result<Page<O::Item>, PageError> {
        let Begun { range, clipped, is_out_of_reach } = self.begin()?;
        if is_out_of_reach {
            self.at.ended = Some(true);
            return Ok(Page { clipped, ..Page::empty(range) });
        }
        self.relearn_border().await?;
        let reply = self.fetch(self.turn(), range, self.at.cursor.as_deref()).await?;
        // Only now, so that a page that failed tells of it when it comes.
        self.at.clipped = self.at.clipped.or(clipped.map(|_| true));
        let (request_time, waited) = (reply.request_time, reply.waited);
        let (mut list, next) = O::page(reply.into_data());
        let sent = list.items.len() + list.bad.len();
        let repeated = self.leave_out_repeated(&mut list);
        self.cursors.extend(self.at.cursor.take());
        self.barren = if list.items.is_empty() && list.bad.is_empty() { self.barren + 1 } else { 0 };
        self.advance(next, sent == 0);
        Ok(Page { list, repeated, range, clipped, request_time, waited })
    }

    /// What the part before has shown of the border that this part has in common with it.
    async fn relearn_border(&mut self) -> Result<(), PageError> {
        let border = self.at.border.filter(|_| self.must_relearn && self.shares_borders());
        let range = border.map(|border| self.cut().around(border)).filter(|range| self.beyond_access(*range).is_none());
        let mut seen = Seen::default();
        if let Some(range) = range {
            for turn in 0..self.requests.len() {
                self.learn(turn, range, &mut seen).await?;
            }
        }
        if self.must_relearn {
            seen.next_range();
            (self.seen, self.must_relearn) = (seen, false);
        }
        Ok(())
    }

    async fn learn(&self, turn: usize, range: TimeRange, seen: &mut Seen) -> Result<(), PageError> {
        let mut cursors = HashSet::new();
        let mut cursor: Option<String> = None;
        loop {
            let reply = self.fetch(turn, range, cursor.as_deref()).await?;
            let (list, next) = O::page(reply.into_data());
            let new = list.iter().filter_map(O::item_id).filter(|id| seen.is_new(id)).count();
            cursor = next.filter(|next| new > 0 && cursors.insert(next.clone()));
            if cursor.is_none() {
                return Ok(());
            }
        }
    }

    async fn fetch(
        &self,
        turn: usize,
        range: TimeRange,
        cursor: Option<&str>,
    ) -> Result<Reply<O::Response>, PageError> {
        let mut request = self.requests[turn].clone();
        request.set_range(range);
        request.set_cursor(cursor);
        let reply = match &self.retry {
            Some(policy) => self.client.retrying(policy).call(&request).await,
            None => self.client.call(&request).await,
        };
        Ok(reply?)
    }

    fn leave_out_repeated(&mut self, list: &mut List<O::Item>) -> usize {
        let before = list.items.len();
        let seen = &mut self.seen;
        list.items.retain(|item| O::item_id(item).is_none_or(|id| seen.is_new(id)));
        before - list.items.len()
    }

    fn advance(&mut self, next: Option<String>, is_empty: bool) {
        let Some(next) = next else { return self.end_turn() };
        let came_before = self.cursors.contains(&next);
        // An empty page that leads nowhere else is how some exchanges end a listing.
        if came_before && is_empty {
            return self.end_turn();
        }
        if came_before {
            self.trouble = Some(PageError::Stuck { operation: O::META.id, cursor: next.clone() });
        } else if self.barren >= BARREN {
            self.trouble = Some(PageError::Barren { operation: O::META.id, pages: self.barren });
        }
        self.at.cursor = Some(next);
    }

    /// The last page of one request was read.
    fn end_turn(&mut self) {
        self.cursors.clear();
        self.barren = 0;
        let next = self.turn() + 1;
        self.at.turn = None;
        if next < self.requests.len() {
            self.at.turn = u64::try_from(next).ok();
        } else if self.at.rest.is_some() {
            let range = self.at.now.take().unwrap_or_default().into();
            self.at.border = self.cut().border(range);
            self.must_relearn = std::mem::take(&mut self.is_partly_known);
            self.seen.next_range();
        } else {
            self.at.ended = Some(true);
        }
    }

    /// Which request is at work: one that is there, whatever a position says.
    fn turn(&self) -> usize {
        let turn = self.at.turn.and_then(|turn| usize::try_from(turn).ok());
        turn.unwrap_or(0).min(self.requests.len() - 1)
    }

    fn shares_borders(&self) -> bool {
        O::HAS_ID
    }

    pub(super) fn cut(&self) -> Cut {
        let span = self.window.as_ref().and_then(|window| window.span);
        let order = match self.at.oldest_first {
            Some(true) => RangeOrder::OldestFirst,
            _ => RangeOrder::NewestFirst,
        };
        Cut { span, order, shares_borders: self.shares_borders() }
    }
}

impl<O: Paged> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("operation", &O::META.id).field("at", &self.at).finish_non_exhaustive()
    }
}

/// Whether asking again would end the same way.
fn is_final(error: &PageError) -> bool {
    !matches!(error, PageError::Call(error) if !matches!(error, Error::Refused(_) | Error::Unsigned(_)))
}
