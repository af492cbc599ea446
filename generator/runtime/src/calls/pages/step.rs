//! The next page: from the plan of its call to the state after it. It begins at the cursor of the answer, after the
//! last item, at the next number or offset.
//!
//! A link to the next page gives a cursor, not an address, so that no signed request follows an address in an answer.
//! The next page is planned on a copy of the position, so that a failed page changes nothing.

use std::pin::Pin;
use std::time::Duration;

use super::cut::is_settled;
use super::page::{Page, PageError};
use super::position::Position;
use super::reach::{MARGIN, Plan};
use super::source::{PageRequest, PageSource, SourceReply};
use super::walk::{Border, Learning, Walk};
use crate::data::error::Error;
use crate::network::wire::{NextPageHint, Reply};

/// The way the next page is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStep {
    /// With the cursor of the answer.
    Cursor,
    /// With the id or the time of the last item.
    Last {
        /// Added to the time of the last item, so that the next page repeats all items of this time: a page that
        /// begins right after a time would lack the other items of it.
        shift: i8,
    },
    /// With the number of the page.
    Number {
        /// The number of the first page.
        first: u64,
    },
    /// With the number of items before the page.
    Offset {
        /// The offset of the first page.
        first: u64,
    },
}

/// The statement of an answer about the pages after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Continuation {
    /// True if there is another page.
    pub more: Option<bool>,
    /// The number of items that all pages have together.
    pub total: Option<u64>,
}

/// The request that follows a page.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// A page that begins there.
    At(String),
    /// Nothing.
    End,
    /// Another page, but nothing says where it begins.
    Lost,
}

/// The content of an answer about the page after it.
pub(super) struct Answer {
    /// The number of its items.
    pub(super) items: u64,
    /// The number of items on a page, if a shorter page is the last one.
    pub(super) size: Option<u64>,
    pub(super) continuation: Continuation,
    pub(super) cursor: Option<String>,
    /// The id or the time of the last item, with [`PageStep::Last`].
    pub(super) last: Option<String>,
}

impl Answer {
    /// Returns what follows the page; `requested` is its cursor, and `onward` what the headers state.
    pub(super) fn next(self, step: PageStep, requested: Option<&str>, onward: NextPageHint) -> Next {
        let Self { items, size, mut continuation, mut cursor, last } = self;
        match onward {
            NextPageHint::Unsaid => {}
            NextPageHint::At(next) => cursor = Some(next),
            NextPageHint::Lost => continuation.more = continuation.more.or(Some(true)),
        }
        let begun = |first: u64| requested.and_then(|requested| requested.parse().ok()).unwrap_or(first);
        match step {
            // An empty page that leads nowhere else is how some exchanges end a listing.
            PageStep::Cursor => match cursor.filter(|next| !(items == 0 && requested == Some(next))) {
                _ if continuation.more == Some(false) => Next::End,
                Some(cursor) => Next::At(cursor),
                None if continuation.more == Some(true) => Next::Lost,
                None => Next::End,
            },
            PageStep::Last { shift } => {
                behind(last.map(|last| shifted(last, shift)), has_more(continuation, items, size, None))
            }
            PageStep::Number { first } => {
                let number = begun(first);
                let pages = number.saturating_sub(first).saturating_add(1);
                let reached = size.map(|size| pages.saturating_mul(size));
                behind(Some(number.saturating_add(1).to_string()), has_more(continuation, items, size, reached))
            }
            PageStep::Offset { first } => {
                let offset = begun(first).saturating_add(items);
                let reached = Some(offset.saturating_sub(first));
                behind(Some(offset.to_string()), has_more(continuation, items, size, reached))
            }
        }
    }
}

/// Returns whether another page follows. What the answer says counts first; a page that is shorter than requested is
/// the last. An empty page is the last too, unless the answer says otherwise.
fn has_more(continuation: Continuation, items: u64, size: Option<u64>, reached: Option<u64>) -> bool {
    let by_total = || Some(reached? < continuation.total?);
    continuation.more.or_else(by_total).unwrap_or(items > 0 && size.is_none_or(|size| items >= size))
}

fn behind(next: Option<String>, has_more: bool) -> Next {
    if has_more { next.map_or(Next::Lost, Next::At) } else { Next::End }
}

/// Returns a time moved by `shift` of its units; anything else stays as it is.
fn shifted(text: String, shift: i8) -> String {
    if shift == 0 {
        return text;
    }
    text.parse::<u64>().map(|time| time.saturating_add_signed(shift.into()).to_string()).unwrap_or(text)
}

/// If a response shows a greater offset than this, the client's clock is behind the exchange's.
const BEHIND: Duration = Duration::from_secs(1);

/// The result of the request of a page.
enum Requested {
    Page(Page<()>),
    /// The times of the request ended wrongly, so the page has to be requested again.
    EndsWrongly,
    /// The request waited until its range was no longer accessible, and was not sent.
    Late,
}

/// The next page under way; its items stay in the source.
pub(crate) type PageFuture<'a> = Pin<Box<dyn Future<Output = Option<Result<Page<()>, PageError>>> + Send + 'a>>;

impl Walk {
    /// Returns the next page; `None` at the end of the listing. Its items are in `source`.
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
        let (mut was_asked_again, mut margin) = (false, MARGIN);
        loop {
            let at = self.next_position()?;
            match self.request(at, margin, source, was_asked_again).await {
                Ok(Requested::Page(page)) => return Some(Ok(page)),
                Ok(Requested::EndsWrongly) => was_asked_again = true,
                // Doubled, so that the listing goes on even if all calls wait long.
                Ok(Requested::Late) => margin = margin.saturating_mul(2),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Requests the page at a position.
    async fn request(
        &mut self,
        at: Position,
        margin: Duration,
        source: &mut dyn PageSource,
        was_asked_again: bool,
    ) -> Result<Requested, PageError> {
        let plan = self.plan(at, margin)?;
        if plan.at.is_at_end() {
            source.clear();
            self.take_over(plan.at);
            return Ok(Requested::Page(Page { clipped: plan.clipped, ..Page::empty(plan.range) }));
        }
        self.learn_border(&plan.at, source).await?;
        let (turn, cursor) = (self.turn(&plan.at), plan.at.cursor.as_deref());
        let wanted = PageRequest { turn, range: plan.range, cursor, within: plan.within };
        let Some(fetched) = self.fetch(source, wanted).await? else { return Ok(Requested::Late) };
        let ends_wrongly = self.ends_too_early(&plan, &fetched.reply) || self.ends_too_late(&plan);
        match ends_wrongly && !was_asked_again {
            true => Ok(Requested::EndsWrongly),
            false => Ok(Requested::Page(self.take(plan, fetched, source))),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const UNSTATED: Continuation = Continuation { more: None, total: None };

    #[test]
    fn a_stated_end_counts_before_the_length_of_a_page() {
        let more = |more| Continuation { more: Some(more), ..UNSTATED };
        assert!(has_more(more(true), 0, Some(5), None) && !has_more(more(false), 5, Some(5), None));
        let total = Continuation { total: Some(10), ..UNSTATED };
        assert!(has_more(total, 3, Some(5), Some(9)) && !has_more(total, 5, Some(5), Some(10)));
        assert!(has_more(total, 5, None, None), "nothing says how far the pages reach");
    }

    #[test]
    fn without_a_word_a_short_or_an_empty_page_is_the_last() {
        assert!(has_more(UNSTATED, 5, Some(5), None) && !has_more(UNSTATED, 4, Some(5), None));
        assert!(has_more(UNSTATED, 1, None, None) && !has_more(UNSTATED, 0, None, None));
    }

    #[test]
    fn times_are_shifted_and_ids_are_not() {
        assert_eq!(shifted("1790000000000".to_owned(), 1), "1790000000001");
        assert_eq!(shifted("0".to_owned(), -1), "0");
        assert_eq!(shifted("a7".to_owned(), 1), "a7");
        assert_eq!(shifted("007".to_owned(), 0), "007");
    }
}
