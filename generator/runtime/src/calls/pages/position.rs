//! The position of a listing, from which it continues after a restart.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::page::{PageError, Paged, PositionError, TimeRange};
use super::walk::Recent;
use crate::data::json::{FieldVisitor, ReadError, Reader, Record, read_json, write_json};
use crate::data::parameters::{ParameterWriter, Parameters};
use crate::data::tables::Meta;
use crate::data::value::Timestamp;

/// After this many pages in a row without anything new, a listing is assumed not to end.
pub(super) const BARREN: u64 = 1000;

/// The position of a listing: all that is needed to continue from there, now or after a restart.
///
/// Its text is JSON ([`Display`](fmt::Display), [`FromStr`]; serde's traits with the feature `serde`), of two thousand
/// characters at most besides the exchange's cursor. It names no item and no account, but has hashes of the latest
/// items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Position {
    operation: Option<String>,
    /// A hash that distinguishes requests without repeating their content.
    request: Option<String>,
    /// The rest of the requested time range, before `now`.
    pub(super) rest: Option<Span>,
    /// The part that is listed now.
    pub(super) now: Option<Span>,
    /// The index of the current request, if several requests list everything together.
    pub(super) turn: Option<u64>,
    /// Where its next page begins.
    pub(super) cursor: Option<String>,
    /// The last time of the previous part, which this one can show, too.
    pub(super) border: Option<Timestamp>,
    /// The end of the times that are listed, which was chosen before the first page.
    pub(super) until: Option<Timestamp>,
    /// Everything up to then was visible when the listing began, so that another one can go on from there.
    pub(super) settled: Option<bool>,
    /// The end of the listing that this one goes on from; its items are not listed again.
    pub(super) since: Option<Timestamp>,
    /// Ranges are listed from the oldest to the newest.
    pub(super) oldest_first: Option<bool>,
    /// There is no next page.
    pub(super) ended: Option<bool>,
    /// Times whose items could not all be listed any more.
    pub(super) missing: Option<Span>,
    /// The latest items, which the next page may repeat.
    pub(super) recent: Recent,
    /// The number of pages in a row without anything new.
    pub(super) barren: u64,
    /// The number of cursors of this part so far.
    steps: u64,
    /// The hash of one of them. It is replaced each time their number is a power of two, so that a cycle of any length
    /// comes back to it (Brent's algorithm).
    landmark: Option<u64>,
    /// The cursor is repeated, which is to be reported.
    pub(super) stuck: Option<bool>,
}

impl Position {
    /// Returns where the listing of a request begins.
    pub(super) fn first<O: Paged>(request: &O) -> Self {
        let (cursor, range) = (request.cursor(), request.range());
        let mut whole = request.clone();
        whole.set_cursor(None);
        whole.set_range(TimeRange::default());
        Self::of(O::META, &whole, cursor, range)
    }

    /// Returns the beginning, at a cursor, of the listing of a request without a cursor and without times.
    fn of(meta: &Meta, request: &dyn Parameters, cursor: Option<String>, range: TimeRange) -> Self {
        Self {
            operation: Some(meta.id.to_owned()),
            request: Some(fingerprint(request)),
            rest: Some(range.into()),
            cursor,
            ..Self::default()
        }
    }

    /// Fails unless it is a position of the same listing as `own`.
    pub(super) fn belongs_to(&self, own: &Self, operation: &'static str) -> Result<(), PositionError> {
        if self.operation != own.operation {
            let is_of = self.operation.clone().unwrap_or_default();
            return Err(PositionError::OtherOperation { is_of, given_to: operation });
        }
        if self.request == own.request { Ok(()) } else { Err(PositionError::OtherRequest) }
    }

    /// Returns the end of the times that are listed. `None` before the first page, and if the exchange decides it.
    pub fn until(&self) -> Option<Timestamp> {
        self.until
    }

    /// Returns where the listing of the times after the end begins, which end at `to`. Items have ids that tell which
    /// of them were listed, or times that do.
    pub(super) fn next_listing(&self, has_ids: bool, to: Option<Timestamp>) -> Self {
        const ONE: Duration = Duration::from_millis(1);
        let from = self.until.and_then(|until| if has_ids { until.checked_sub(ONE) } else { until.checked_add(ONE) });
        Self {
            operation: self.operation.clone(),
            request: self.request.clone(),
            rest: Some(Span { from, to }),
            since: self.until,
            oldest_first: self.oldest_first,
            missing: self.missing,
            ..Self::default()
        }
    }

    /// Returns whether there is no page left. Before that, a listing that has stopped is not complete.
    pub fn is_at_end(&self) -> bool {
        self.ended == Some(true)
    }

    /// Returns the times of which the listing lacks something, because the exchange no longer gave access to them when
    /// they were to be listed. What was listed of them before is not affected. Only a clipped listing lacks much; see
    /// [`Pages::clip`](super::Pages::clip).
    pub fn missing(&self) -> Option<TimeRange> {
        self.missing.map(Into::into)
    }

    /// Returns why the listing ends here, if it does. It is reported once, so that the listing can be resumed. It is
    /// part of the position, so that it is reported after a restart, too.
    pub(super) fn take_error(&mut self, operation: &'static str) -> Option<PageError> {
        if self.stuck.take() == Some(true) {
            return Some(PageError::Stuck { operation, cursor: self.cursor.clone().unwrap_or_default() });
        }
        if self.barren < BARREN {
            return None;
        }
        let pages = std::mem::take(&mut self.barren);
        Some(PageError::Barren { operation, pages: u32::try_from(pages).unwrap_or(u32::MAX) })
    }

    /// Goes on to another cursor. Returns whether the cursors lead in a cycle, as far as the kept one shows.
    pub(super) fn passes(&mut self, cursor: &str) -> bool {
        let hash = fnv(cursor);
        let came_before = self.landmark == Some(hash);
        self.steps = self.steps.saturating_add(1);
        if self.steps.is_power_of_two() {
            self.landmark = Some(hash);
        }
        came_before
    }

    /// Begins the first page of another request.
    pub(super) fn begin_turn(&mut self) {
        (self.turn, self.cursor, self.landmark) = (None, None, None);
        (self.steps, self.barren) = (0, 0);
    }

    /// Returns whether a part was begun: then the order of parts is settled.
    pub(super) fn is_begun(&self) -> bool {
        self.now.is_some() || self.border.is_some() || self.is_at_end()
    }

    /// Leaves the part that is listed now. Returns whether there is another one.
    pub(super) fn leave_part(&mut self) -> bool {
        self.begin_turn();
        (self.now, self.border) = (None, None);
        self.rest.is_some()
    }

    pub(super) fn end(&mut self) {
        self.ended = Some(true);
        self.recent = Recent::default();
    }
}

/// Returns a hash of the parameters without those that change from page to page.
fn fingerprint(request: &dyn Parameters) -> String {
    let mut out = ParameterWriter::json();
    request.write(&mut out);
    format!("{:016x}", fnv(&out.finish()))
}

/// Returns the hash of a text by FNV-1a, which is the same everywhere.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&write_json(self))
    }
}

impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        read_json(text).map_err(PositionError::Unreadable)
    }
}

impl Record for Position {
    const FIELDS: &'static [&'static str] = &[
        "operation",
        "request",
        "rest",
        "now",
        "turn",
        "cursor",
        "border",
        "until",
        "settled",
        "since",
        "oldestFirst",
        "ended",
        "missing",
        "recent",
        "barren",
        "steps",
        "landmark",
        "stuck",
    ];

    fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError> {
        match field {
            0 => from.read_into(&mut self.operation),
            1 => from.read_into(&mut self.request),
            2 => from.read_into(&mut self.rest),
            3 => from.read_into(&mut self.now),
            4 => from.read_into(&mut self.turn),
            5 => from.read_into(&mut self.cursor),
            6 => from.read_into(&mut self.border),
            7 => from.read_into(&mut self.until),
            8 => from.read_into(&mut self.settled),
            9 => from.read_into(&mut self.since),
            10 => from.read_into(&mut self.oldest_first),
            11 => from.read_into(&mut self.ended),
            12 => from.read_into(&mut self.missing),
            13 => from.read_into(&mut self.recent),
            14 => from.read_into(&mut self.barren),
            15 => from.read_into(&mut self.steps),
            16 => from.read_into(&mut self.landmark),
            17 => from.read_into(&mut self.stuck),
            _ => from.skip(),
        }
    }

    fn visit(&self, to: &mut dyn FieldVisitor) {
        to.field("operation", &self.operation);
        to.field("request", &self.request);
        to.field("rest", &self.rest);
        to.field("now", &self.now);
        to.field("turn", &self.turn);
        to.field("cursor", &self.cursor);
        to.field("border", &self.border);
        to.field("until", &self.until);
        to.field("settled", &self.settled);
        to.field("since", &self.since);
        to.field("oldestFirst", &self.oldest_first);
        to.field("ended", &self.ended);
        to.field("missing", &self.missing);
        to.field("recent", &self.recent);
        to.field("barren", &some(self.barren));
        to.field("steps", &some(self.steps));
        to.field("landmark", &self.landmark);
        to.field("stuck", &self.stuck);
    }
}

crate::serde_value!(Position);

/// Returns a number that is left out when it is 0.
fn some(number: u64) -> Option<u64> {
    (number > 0).then_some(number)
}

/// A range as stored in a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Span {
    pub(super) from: Option<Timestamp>,
    pub(super) to: Option<Timestamp>,
}

impl From<TimeRange> for Span {
    fn from(TimeRange { from, to }: TimeRange) -> Self {
        Self { from, to }
    }
}

impl From<Span> for TimeRange {
    fn from(Span { from, to }: Span) -> Self {
        Self { from, to }
    }
}

impl Record for Span {
    const FIELDS: &'static [&'static str] = &["from", "to"];

    fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError> {
        match field {
            0 => from.read_into(&mut self.from),
            1 => from.read_into(&mut self.to),
            _ => from.skip(),
        }
    }

    fn visit(&self, to: &mut dyn FieldVisitor) {
        to.field("from", &self.from);
        to.field("to", &self.to);
    }
}
