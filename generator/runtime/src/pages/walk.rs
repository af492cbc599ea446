use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use super::border::{Learning, SETTLED, is_settled};
use super::cut::Cut;
use super::error::{PageError, PositionError};
use super::items::Items;
use super::page::{Page, Paged, TimeRange};
use super::position::Position;
use super::reach::Plan;
use super::seen::{ItemHash, Seen};
use super::step::{Next, follow};
use super::whole::{ForPage, WholePage};
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::json::{BadItem, List};
use crate::retry::RetryPolicy;
use crate::tables::Window;

/// If a response shows a greater offset than this, the client's clock is behind the exchange's.
const BEHIND: Duration = Duration::from_secs(1);

/// The order of the parts of a range that is too long for one query. Within a part, the exchange decides the order.
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
/// Cursors are followed as received; other pages are requested after the last item, or by number or offset
/// ([`Step`](super::Step)). If the documents bound the time that one query may span, a longer range is queried in
/// parts. Parts overlap by two milliseconds if items have ids, so that it does not matter whether the ends of a range
/// belong to it. If items have no ids, parts follow each other without a gap, and both ends are assumed to belong to a
/// part.
///
/// An item is left out if it was listed already, with the same id and equal in every field. The two fills of a
/// self-trade share an id and are both listed. An order that changed during the listing, such as one that was filled,
/// is listed again in its new state; to count orders, keep the latest of each id.
///
/// A listing contains what the exchange shows at the time of each query, up to the end of the requested times. A range
/// without an end goes until now, and so does one that has to be split and ends in the future: [`Page::range`] contains
/// the end. Items that become visible later are not listed, nor are items after the first page if newer ones come
/// first: begin the next listing a little before the end of this one. Without a beginning, the exchange decides how far
/// back it goes.
///
/// Times before the documented limit of access are refused, or clipped and reported with [`clip`](Self::clip). This is
/// checked for each page, because time passes. A failed call, a success without a page, and a repeated cursor are
/// errors; only a listing whose [`position`](Self::position) is at its end is complete.
///
/// Calls keep the client's rate limits. Memory holds a hash of each item of two parts.
///
/// ```
/// use tradeapi_runtime::pages::{PageError, Paged, Pages};
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
#[must_use = "nothing is sent until a page is requested"]
pub struct Pages<O: Paged> {
    pub(super) client: ClientCore,
    /// The requests that list everything together, without a cursor and without times.
    pub(super) requests: Vec<O>,
    pub(super) window: Option<Window>,
    pub(super) clips: bool,
    retry: Option<RetryPolicy>,
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

impl ClientCore {
    /// All pages that answer `request`, one after the other. Nothing is sent yet.
    pub fn pages<O: Paged>(&self, request: O) -> Pages<O> {
        Pages::new(self.clone(), request)
    }
}

impl<O: Paged> Pages<O> {
    /// The pages that answer `request`, beginning with its cursor if it has one.
    pub fn new(client: ClientCore, request: O) -> Self {
        let window = O::META.window;
        let at = Position::first(&request, request.range());
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
            learning: None,
            is_partly_known: false,
            stopped: false,
        }
    }

    /// Lists the parts of a long range in this order; by default, the newest first. Has no effect after the first page,
    /// or after [`resume`](Self::resume), which keeps the order of the position.
    pub fn ranges(mut self, order: RangeOrder) -> Self {
        if !self.at.is_begun() {
            self.at.oldest_first = (order == RangeOrder::OldestFirst).then_some(true);
        }
        self
    }

    /// Lists the accessible part of a range that begins before the limit of access, now or after a pause. The first
    /// page after that reports it, and the position keeps it: [`Position::missing`].
    ///
    /// By default, such a listing is refused: before anything is sent, or when time has passed and more than the first
    /// minute would be missed. The position does not change, so that the listing can be resumed with clipping.
    pub fn clip(mut self) -> Self {
        self.clips = true;
        self
    }

    /// Retries calls after transient failures. By default, the caller decides whether to request the page again.
    pub fn retrying(mut self, policy: RetryPolicy) -> Self {
        self.retry = Some(policy);
        self
    }

    /// Continues from a position of the same listing.
    ///
    /// Listed items are not repeated as far as the position knows them: it contains hashes of the latest hundred items,
    /// which a page may repeat. Each border of the current part may take another call, which finds out which of its
    /// items were listed. If the exchange repeats older items, they are listed again.
    ///
    /// The order of the parts is that of the position.
    ///
    /// # Errors
    ///
    /// Fails if the position belongs to another listing.
    pub fn resume(mut self, position: &Position) -> Result<Self, PositionError> {
        position.belongs_to(&self.at, O::META.id)?;
        self.at = position.clone();
        self.seen = Seen::restarted(&self.at.recent);
        (self.learning, self.is_partly_known) = (Some(Learning::default()), self.at.now.is_some());
        Ok(self)
    }

    /// The position of the next page. Save it after processing the pages before.
    pub fn position(&self) -> &Position {
        &self.at
    }

    /// The items of all pages, one after the other.
    pub fn items(self) -> Items<O> {
        Items::new(self)
    }

    /// The next page; `None` at the end of the listing.
    ///
    /// After a failed call, the same page is requested again. After a refusal or a repeated cursor there is no further
    /// page, but the position is not at its end and can be resumed. If the future is dropped, no call has to be
    /// repeated.
    ///
    /// # Errors
    ///
    /// See [`PageError`].
    pub async fn next_page(&mut self) -> Option<Result<Page<O::Item>, PageError>> {
        if self.stopped || self.at.is_at_end() {
            return None;
        }
        let page = match self.at.take_trouble(O::META.id) {
            Some(trouble) => Err(trouble),
            None => self.step().await,
        };
        self.stopped = page.as_ref().is_err_and(is_final);
        Some(page)
    }

    async fn step(&mut self) -> Result<Page<O::Item>, PageError> {
        let mut was_asked_again = false;
        loop {
            let plan = self.plan()?;
            if plan.at.is_at_end() {
                self.at = plan.at;
                return Ok(Page { clipped: plan.clipped, ..Page::empty(plan.range) });
            }
            self.learn_border(&plan.at).await?;
            let reply = self.fetch(self.turn(&plan.at), plan.range, plan.at.cursor.as_deref()).await?;
            if was_asked_again || !self.ends_too_early(&plan, &reply) {
                return Ok(self.take(plan, reply));
            }
            was_asked_again = true;
        }
    }

    /// Whether the answer has shown that it is later than the client's clock said when the end of the range was chosen.
    fn ends_too_early(&self, plan: &Plan, reply: &Reply<WholePage<O>>) -> bool {
        let latest = plan.made.checked_add(reply.waited.saturating_add(BEHIND));
        self.has_open_end() && latest.is_some_and(|latest| self.client.now() > latest)
    }

    fn take(&mut self, plan: Plan, reply: Reply<WholePage<O>>) -> Page<O::Item> {
        let Plan { at, range, clipped, .. } = plan;
        self.at = at;
        let (request_time, waited) = (reply.request_time, reply.waited);
        let request = &self.requests[self.turn(&self.at)];
        let (mut list, next) = follow(request, self.at.cursor.as_deref(), reply.onward, reply.data.0);
        let sent = count(&list);
        self.leave_out_repeated(&mut list);
        let new = count(&list);
        self.at.barren = if new == 0 { self.at.barren.saturating_add(1) } else { 0 };
        self.advance(next);
        Page { list, repeated: sent - new, range, clipped, request_time, waited }
    }

    pub(super) async fn fetch(
        &self,
        turn: usize,
        range: TimeRange,
        cursor: Option<&str>,
    ) -> Result<Reply<WholePage<O>>, PageError> {
        let mut request = self.requests[turn].clone();
        request.set_range(range);
        request.set_cursor(cursor);
        let request = ForPage(request);
        let reply = match &self.retry {
            Some(policy) => self.client.retrying(policy).call(&request).await,
            None => self.client.call(&request).await,
        };
        Ok(reply?)
    }

    fn leave_out_repeated(&mut self, list: &mut List<O::Item>) {
        let (seen, recent) = (&mut self.seen, &mut self.at.recent);
        let mut is_new = |item: Option<ItemHash>| {
            item.is_none_or(|item| {
                recent.push(item);
                seen.is_new(item)
            })
        };
        list.items.retain(|item| is_new(hash_of::<O>(item)));
        list.bad.retain(|bad| is_new(hash_of_bad::<O>(bad)));
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
        if next < self.requests.len() {
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
        turn.unwrap_or(0).min(self.requests.len() - 1)
    }

    pub(super) fn cut(&self) -> Cut {
        let span = self.window.as_ref().and_then(|window| window.span);
        let order = match self.at.oldest_first {
            Some(true) => RangeOrder::OldestFirst,
            _ => RangeOrder::NewestFirst,
        };
        Cut { span, order, shares_borders: O::HAS_ID, settled: self.client.now().checked_sub(SETTLED) }
    }
}

impl<O: Paged> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("operation", &O::META.id).field("at", &self.at).finish_non_exhaustive()
    }
}

/// The hash of an item; `None` if it has no id.
pub(super) fn hash_of<O: Paged>(item: &O::Item) -> Option<ItemHash> {
    O::item_id(item).map(|_| ItemHash::of_item(item))
}

/// The same for an item that could not be read. Only an object can have an id.
pub(super) fn hash_of_bad<O: Paged>(bad: &BadItem) -> Option<ItemHash> {
    (O::HAS_ID && bad.raw.starts_with('{')).then(|| ItemHash::of_text(&bad.raw))
}

/// The number of items, readable or not.
pub(super) fn count<T>(list: &List<T>) -> usize {
    list.items.len() + list.bad.len()
}

/// Whether another attempt would end the same way.
fn is_final(error: &PageError) -> bool {
    !matches!(error, PageError::Call(error) if !matches!(error, Error::Refused(_) | Error::Unsigned(_)))
}
