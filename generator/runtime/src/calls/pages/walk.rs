//! The state of a listing, for items of any type: the code that pages through it is compiled once, not for each
//! operation.

use std::collections::{HashSet, VecDeque};

use super::cut::{RangeOrder, RangeSplit, SETTLED};
use super::page::{PageError, PositionError};
use super::position::Position;
use super::seen::Seen;
use super::source::{PageRequest, PageSource, SourceReply};
use crate::calls::client::{Attempt, ClientCore};
use crate::calls::retry::{RetryPolicy, Retrying};
use crate::data::tables::{Meta, Outcome, Window};
use crate::data::value::Timestamp;

/// The part of the border between two parts that was queried. It is kept, so that a failed call does not repeat earlier
/// ones.
#[derive(Debug)]
pub(super) struct Learning {
    pub(super) border: Border,
    pub(super) turn: usize,
    pub(super) cursor: Option<String>,
    pub(super) cursors: HashSet<String>,
    pub(super) pages: u32,
}

impl Learning {
    pub(super) fn of(border: Border) -> Self {
        Self { border, turn: 0, cursor: None, cursors: HashSet::new(), pages: 0 }
    }
}

/// A border, and what is on the other side of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// The part of the range that came before.
    Part,
    /// The listing that this one goes on from.
    Listing,
}

/// The position of a listing, and its state.
pub(super) struct Walk {
    pub(super) client: ClientCore,
    pub(super) meta: &'static Meta,
    /// True if items have an id.
    pub(super) has_ids: bool,
    /// The number of requests that list everything together.
    pub(super) turns: usize,
    pub(super) window: Option<Window>,
    pub(super) clips: bool,
    /// True if the listing ends where everything is certainly visible.
    pub(super) settles: bool,
    /// The end of the requested times.
    to: Option<Timestamp>,
    /// True if the listing was begun by an earlier run, so that another one may follow it.
    pub(super) is_resumed: bool,
    pub(super) retry: Option<RetryPolicy>,
    pub(super) at: Position,
    pub(super) seen: Seen,
    /// The cursors of the part that is listed now.
    pub(super) cursors: HashSet<String>,
    /// The queries of borders of which it is not known which items were listed.
    pub(super) learning: VecDeque<Learning>,
    /// The end of an earlier listing whose items are known, or will be.
    pub(super) known: Option<Timestamp>,
    /// Pages of the part that is listed now came before a restart, so that not all of its ids are known.
    pub(super) is_partly_known: bool,
    pub(super) stopped: bool,
}

impl Walk {
    pub(super) fn new(client: ClientCore, meta: &'static Meta, has_ids: bool, turns: usize, at: Position) -> Self {
        Self {
            client,
            meta,
            has_ids,
            turns,
            window: meta.window,
            clips: false,
            settles: false,
            to: at.rest.and_then(|rest| rest.to),
            is_resumed: false,
            retry: None,
            at,
            seen: Seen::default(),
            cursors: HashSet::new(),
            learning: VecDeque::new(),
            known: None,
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
        if position.is_at_end() && self.ends_after(position) && position.settled != Some(true) {
            return Err(PositionError::Ended { until: position.until });
        }
        self.at = position.clone();
        self.seen = Seen::restarted(&self.at.recent);
        self.learning = VecDeque::from([Learning::of(Border::Part)]);
        (self.known, self.is_partly_known, self.is_resumed) = (None, self.at.now.is_some(), true);
        Ok(())
    }

    /// Returns whether the requested times go on after those of a position.
    fn ends_after(&self, position: &Position) -> bool {
        self.to.is_none_or(|to| position.until.is_none_or(|until| until < to))
    }

    /// The time up to which everything is certainly visible, by whichever clock is behind.
    pub(super) fn settled(&self) -> Timestamp {
        self.client.earliest_now().checked_sub(SETTLED).unwrap_or_default()
    }

    /// The position of the next page: of this listing, or of the one that goes on from its end. `None` if there is
    /// none, or none of which everything is visible.
    pub(super) fn next_position(&self) -> Option<Position> {
        let at = match self.at.is_at_end() {
            true if self.is_resumed && self.at.settled == Some(true) && self.ends_after(&self.at) => {
                self.at.next_listing(self.has_ids, self.to)
            }
            true => return None,
            false => self.at.clone(),
        };
        let from = at.rest.filter(|_| self.settles && !at.is_begun()).and_then(|rest| rest.from);
        from.is_none_or(|from| from < self.settled()).then_some(at)
    }

    pub(super) async fn fetch(
        &self,
        source: &mut dyn PageSource,
        page: PageRequest<'_>,
    ) -> Result<SourceReply, PageError> {
        let (operation, data) = source.request(page);
        let reply = match &self.retry {
            Some(policy) => Retrying::new(&self.client, policy).repeat_any(operation, data).await?,
            None => self.client.attempt_any(operation, Attempt::FIRST, data).await?,
        };
        match source.take(page.cursor, reply.onward.clone()) {
            Some(next) => Ok(SourceReply { reply, next }),
            None => Err(reply.unreadable(self.meta, Outcome::Unknown, "its data was not read").into()),
        }
    }

    /// The index of the current request, clamped to the bounds.
    pub(super) fn turn(&self, at: &Position) -> usize {
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
