use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use super::border::{Learning, SETTLED, is_settled};
use super::cut::Cut;
use super::error::{PageError, PositionError};
use super::hash::ItemHash;
use super::items::Items;
use super::page::{Page, TimeRange};
use super::paged::Paged;
use super::position::Position;
use super::reach::Plan;
use super::seen::Seen;
use super::whole::{ForPage, WholePage};
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::retry::RetryPolicy;
use crate::tables::Window;
use crate::value::{BadItem, List};

/// The client's clock is behind the exchange's when a call shows more than this.
const BEHIND: Duration = Duration::from_secs(1);

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
/// for in parts; parts overlap by two milliseconds where items have ids, so that it does not matter whether the ends of a
/// range belong to it. Where items have no id, parts follow each other without a gap, and both ends are taken to belong to
/// a part.
///
/// An item is left out when it came already, which means: with the same id, and equal in every field. The two fills of a
/// trade with oneself share an id and are both listed. An order that changed while it was listed, such as one that was
/// filled and moved from one state to another, is listed again as it is now; who counts orders keeps the latest of each id.
///
/// A listing has what the exchange shows when it is asked, up to the end of the times asked for. A range that has a
/// beginning but no end goes until now, and so does one that has to be cut and ends in the future: [`Page::range`] has the
/// end. What the exchange shows only later is not listed, nor is what happens after the first page where newer items come
/// first: begin the next listing a little before the end of this one. Without a beginning, the exchange decides how far
/// back it goes.
///
/// What lies further back than the documents give access to is refused, or cut off and told with [`clip`](Self::clip);
/// that is looked at anew for each page, because time passes. A call that fails, a success without a page, and an exchange
/// that leads in circles are errors; only a listing whose [`position`](Self::position) is at its end is complete.
///
/// Calls keep the client's rate limits. Memory holds a hash of each item of two parts.
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
    pub(super) requests: Vec<O>,
    pub(super) window: Option<Window>,
    pub(super) clips: bool,
    retry: Option<RetryPolicy>,
    pub(super) at: Position,
    pub(super) seen: Seen,
    /// The cursors of the part that is listed now.
    cursors: HashSet<String>,
    /// What the part before has shown of the border is not known.
    pub(super) learning: Option<Learning>,
    /// Pages of the part that is listed now came before a restart, so that not all of its ids are known.
    is_partly_known: bool,
    stopped: bool,
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

    /// Lists the parts of a long range in this order; the newest first, if not set. Does nothing once a page has come, or
    /// behind a position, whose order stays.
    pub fn ranges(mut self, order: RangeOrder) -> Self {
        if !self.at.is_begun() {
            self.at.oldest_first = (order == RangeOrder::OldestFirst).then_some(true);
        }
        self
    }

    /// Lists what can be had where the range begins before what the documents give access to, now or after a pause. The
    /// page with which something is cut off tells so, and the position keeps it: [`Position::missing`].
    ///
    /// If not set, such a listing is refused: before anything is sent, or when time has passed and more would be missed
    /// than the first minute. The position stays, so that the listing can be resumed to be clipped.
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
    /// What was listed does not come again, as far as the position knows: it has hashes of the latest hundred items, which
    /// a page may repeat. The borders of the part where the position is may cost a call more each, which asks what was
    /// listed of them already. An exchange that repeats what is further back repeats it here too.
    ///
    /// The order of the parts is that of the position.
    ///
    /// # Errors
    ///
    /// When the position belongs to another listing.
    pub fn resume(mut self, position: &Position) -> Result<Self, PositionError> {
        position.belongs_to(&self.at, O::META.id)?;
        self.at = position.clone();
        self.seen = Seen::restarted(&self.at.recent);
        (self.learning, self.is_partly_known) = (Some(Learning::default()), self.at.now.is_some());
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
    /// circles, there is no further page, but the position is not at its end, and can be resumed. No call has to be made
    /// twice when the future is dropped.
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
        let (mut list, next) = O::page(reply.into_data().0);
        let sent = count(&list);
        self.leave_out_repeated(&mut list);
        let new = count(&list);
        self.at.barren = if new == 0 { self.at.barren.saturating_add(1) } else { 0 };
        self.advance(next, sent == 0);
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

    fn advance(&mut self, next: Option<String>, is_empty: bool) {
        let asked = self.at.cursor.take();
        // An empty page that leads nowhere else is how some exchanges end a listing.
        let Some(next) = next.filter(|next| !(is_empty && asked.as_ref() == Some(next))) else {
            return self.end_turn();
        };
        self.cursors.extend(asked);
        let is_circle = self.at.passes(&next);
        self.at.stuck = (is_circle || self.cursors.contains(&next)).then_some(true);
        self.at.cursor = Some(next);
    }

    /// The last page of one request was read.
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

    /// Which request is at work: one that is there, whatever a position says.
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

/// What tells an item from others; nothing does where it has no id.
pub(super) fn hash_of<O: Paged>(item: &O::Item) -> Option<ItemHash> {
    O::item_id(item).map(|_| ItemHash::of_item(item))
}

/// The same of an item that could not be read. Only an object can have an id.
pub(super) fn hash_of_bad<O: Paged>(bad: &BadItem) -> Option<ItemHash> {
    (O::HAS_ID && bad.raw.starts_with('{')).then(|| ItemHash::of_text(&bad.raw))
}

/// How many items came, be they readable or not.
pub(super) fn count<T>(list: &List<T>) -> usize {
    list.items.len() + list.bad.len()
}

/// Whether asking again would end the same way.
fn is_final(error: &PageError) -> bool {
    !matches!(error, PageError::Call(error) if !matches!(error, Error::Refused(_) | Error::Unsigned(_)))
}
