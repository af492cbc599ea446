//! The state of a listing, for items of any type: the code that pages through it is compiled once, not for each
//! operation.

use std::collections::HashSet;

use super::cut::{RangeOrder, RangeSplit, SETTLED};
use super::error::{PageError, PositionError};
use super::position::Position;
use super::seen::Seen;
use super::source::{PageRequest, PageSource, SourceReply};
use crate::client::{Attempt, ClientCore};
use crate::retry::{RetryPolicy, Retrying};
use crate::tables::{Meta, Outcome, Window};

/// How far the border between two parts was queried. It is kept, so that a failed call does not repeat earlier ones.
#[derive(Debug, Default)]
pub(super) struct Learning {
    pub(super) turn: usize,
    pub(super) cursor: Option<String>,
    pub(super) cursors: HashSet<String>,
    pub(super) pages: u32,
}

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
    pub(super) cursors: HashSet<String>,
    /// The query of the border, if it is not known which of its items the part before contained.
    pub(super) learning: Option<Learning>,
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
