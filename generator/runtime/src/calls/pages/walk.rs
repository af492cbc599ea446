//! The state of a listing, for items of any type: the code that pages through it is compiled once, not for each
//! operation. It remembers the items that the listing may repeat.
//!
//! Repeated items are recognized by a hash of all fields, FNV-1a, whose values are part of stored positions. A position
//! carries those of the latest hundred items only.

use std::collections::{HashSet, VecDeque};
use std::fmt::{self, Write};

use super::cut::{RangeOrder, RangeSplit, SETTLED};
use super::page::{PageError, PositionError};
use super::position::Position;
use super::source::{PageRequest, PageSource, SourceReply};
use crate::calls::client::{Attempt, ClientCore};
use crate::calls::retry::{RetryPolicy, Retrying};
use crate::data::error::Error;
use crate::data::json::{Decode, Encode, JsonWriter, ReadError, Reader, RecordField, write_json};
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

    /// Returns the time up to which everything is certainly visible, by whichever clock is behind.
    pub(super) fn settled(&self) -> Timestamp {
        self.client.earliest_now().checked_sub(SETTLED).unwrap_or_default()
    }

    /// Returns the position of the next page: of this listing, or of the one that goes on from its end. `None` if there
    /// is none, or none of which everything is visible.
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

    /// Requests a page; `None` if the call waited until its range was no longer accessible.
    pub(super) async fn fetch(
        &self,
        source: &mut dyn PageSource,
        page: PageRequest<'_>,
    ) -> Result<Option<SourceReply>, PageError> {
        let within = page.within;
        let (operation, data) = source.request(page);
        let result = match &self.retry {
            Some(policy) => Retrying::new(&self.client, policy).repeat_any(operation, within, data).await,
            None => {
                self.client.attempt_any(operation, Attempt { within: within.as_ref(), ..Attempt::FIRST }, data).await
            }
        };
        let reply = match result {
            Err(Error::Unsigned(unsigned)) if unsigned.is_late => return Ok(None),
            result => result?,
        };
        match source.take(page.cursor, reply.onward(self.meta)) {
            Some(next) => Ok(Some(SourceReply { reply, next })),
            None => Err(reply.unreadable(self.meta, Outcome::Unknown, "its data was not read").into()),
        }
    }

    /// Returns the index of the current request, clamped to the bounds.
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

/// The listed items that can be repeated: those of a part and of its neighbour, and those right before a restart.
#[derive(Debug, Default)]
pub(super) struct Seen {
    now: HashSet<ItemHash>,
    before: HashSet<ItemHash>,
    /// The records at the end of the listing that this one goes on from.
    earlier: HashSet<ItemHash>,
    restart: HashSet<u64>,
}

impl Seen {
    /// Returns the state after a restart.
    pub(super) fn restarted(recent: &Recent) -> Self {
        Self { restart: recent.iter().collect(), ..Self::default() }
    }

    /// Returns whether the item is new.
    pub(super) fn is_new(&mut self, item: ItemHash) -> bool {
        let came_before = self.before.contains(&item) || self.earlier.contains(&item);
        self.now.insert(item) && !came_before && !self.restart.contains(&item.short())
    }

    /// Adds an item of the previous part.
    pub(super) fn came_before(&mut self, item: ItemHash) {
        self.before.insert(item);
    }

    /// Adds an item at the end of the listing that this one goes on from.
    pub(super) fn was_listed(&mut self, item: ItemHash) {
        self.earlier.insert(item);
    }

    /// Begins the next part.
    pub(super) fn next_part(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }
}

/// A hash of everything that was read of an item: FNV-1a with 128 bits, which is the same everywhere and after a
/// restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ItemHash(u128);

impl ItemHash {
    pub(super) fn of_item(item: &impl Encode) -> Self {
        Self::of_text(&write_json(item))
    }

    pub(super) fn of_text(text: &str) -> Self {
        const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        Self(text.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME)))
    }

    /// Returns a hash of 64 bits for positions: all bits mixed, then the upper half.
    pub(super) fn short(self) -> u64 {
        const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        u64::try_from(self.0.wrapping_mul(ODD) >> 64).unwrap_or_default()
    }
}

/// The number of hashes to keep, which is that of the items of a full page.
const KEPT: usize = 100;

/// The digits of a hash.
const DIGITS: usize = 16;

/// The hashes of the latest items, which a page after a restart may repeat. As text at most 1,600 digits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Recent(VecDeque<u64>);

impl Recent {
    pub(super) fn push(&mut self, hash: ItemHash) {
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0.push_back(hash.short());
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

impl Decode for Recent {
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let hash = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        from.parsed("hashes of items", |text| {
            let mut hashes = VecDeque::new();
            for newest in text.as_bytes().rchunks(DIGITS).take(KEPT) {
                hashes.push_front(hash(newest)?);
            }
            Some(Self(hashes))
        })
    }
}

impl Encode for Recent {
    fn encode(&self, out: &mut JsonWriter) {
        let mut digits = String::new();
        for hash in &self.0 {
            // Writing to a text does not fail.
            let _ = write!(digits, "{hash:0DIGITS$x}");
        }
        out.string(&digits);
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

impl RecordField for Recent {
    fn shown(&self) -> Option<&dyn fmt::Debug> {
        (!self.0.is_empty()).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::data::json::{read_json, write_json};

    #[test]
    fn is_the_published_function() {
        assert_eq!(ItemHash::of_text("a").0, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(ItemHash::of_text("foobar").0, 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn short_ones_differ_too() {
        let short: HashSet<u64> =
            (0..100_000).map(|n| ItemHash::of_text(&format!("{{\"id\":\"{n}\"}}")).short()).collect();
        assert_eq!(short.len(), 100_000);
    }

    #[test]
    fn the_latest_are_kept_and_written_down() -> Result<(), ReadError> {
        let mut recent = Recent::default();
        (0..KEPT + 5).for_each(|n| recent.push(ItemHash::of_text(&n.to_string())));
        let expected: Vec<u64> = (5..KEPT + 5).map(|n| ItemHash::of_text(&n.to_string()).short()).collect();
        assert_eq!(recent.iter().collect::<Vec<_>>(), expected);
        assert_eq!(read_json::<Recent>(&write_json(&recent))?, recent);
        assert!(read_json::<Recent>("\"what\"").is_err());
        Ok(())
    }
}
