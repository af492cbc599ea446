use std::fmt;
use std::str::FromStr;

use super::error::PositionError;
use super::page::TimeRange;
use super::paged::Paged;
use crate::json::{ReadError, Reader, Record, RecordWriter, read_json, write_json};
use crate::parameters::ParameterWriter;
use crate::value::Timestamp;

/// Where a listing is: all that is needed to go on from there, now or after a restart.
///
/// Its text is JSON ([`Display`](fmt::Display), [`FromStr`]; serde's traits with the feature `serde`). It names no item and
/// no account, but carries the exchange's cursor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Position {
    operation: Option<String>,
    /// Tells requests apart without repeating what is in them.
    request: Option<String>,
    /// What is left of the times asked for, behind `now`.
    pub(super) rest: Option<Span>,
    /// The part that is listed now.
    pub(super) now: Option<Span>,
    /// Which of the requests that list it together is at work.
    pub(super) turn: Option<u64>,
    /// Where its next page begins.
    pub(super) cursor: Option<String>,
    /// The last time of the part before that this one can show too.
    pub(super) border: Option<Timestamp>,
    /// Ranges are listed from the oldest to the newest.
    pub(super) oldest_first: Option<bool>,
    /// What was cut off was told.
    pub(super) clipped: Option<bool>,
    /// There is no next page.
    pub(super) ended: Option<bool>,
}

impl Position {
    /// Where the listing of a request begins.
    pub(super) fn first<O: Paged>(request: &O, range: TimeRange) -> Self {
        Self {
            operation: Some(O::META.id.to_owned()),
            request: Some(fingerprint(request)),
            rest: Some(range.into()),
            cursor: request.cursor(),
            ..Self::default()
        }
    }

    /// Fails unless it is a position of the listing that `own` is one of.
    pub(super) fn belongs_to(&self, own: &Self, operation: &'static str) -> Result<(), PositionError> {
        if self.operation != own.operation {
            let is_of = self.operation.clone().unwrap_or_default();
            return Err(PositionError::OtherOperation { is_of, given_to: operation });
        }
        if self.request == own.request { Ok(()) } else { Err(PositionError::OtherRequest) }
    }

    /// Whether there is no page left.
    pub fn is_at_end(&self) -> bool {
        self.ended == Some(true)
    }
}

/// A hash of the parameters but for those that change from page to page: FNV-1a, which is the same everywhere.
fn fingerprint<O: Paged>(request: &O) -> String {
    let mut request = request.clone();
    request.set_cursor(None);
    request.set_range(TimeRange::default());
    let mut out = ParameterWriter::json();
    request.write(&mut out);
    let hash = out
        .finish()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
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
    const FIELDS: &'static [&'static str] =
        &["operation", "request", "rest", "now", "turn", "cursor", "border", "oldestFirst", "clipped", "ended"];

    fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError> {
        match field {
            0 => from.read_into(&mut self.operation),
            1 => from.read_into(&mut self.request),
            2 => from.read_into(&mut self.rest),
            3 => from.read_into(&mut self.now),
            4 => from.read_into(&mut self.turn),
            5 => from.read_into(&mut self.cursor),
            6 => from.read_into(&mut self.border),
            7 => from.read_into(&mut self.oldest_first),
            8 => from.read_into(&mut self.clipped),
            9 => from.read_into(&mut self.ended),
            _ => from.skip(),
        }
    }

    fn write(&self, out: &mut RecordWriter<'_>) {
        out.field("operation", &self.operation);
        out.field("request", &self.request);
        out.field("rest", &self.rest);
        out.field("now", &self.now);
        out.field("turn", &self.turn);
        out.field("cursor", &self.cursor);
        out.field("border", &self.border);
        out.field("oldestFirst", &self.oldest_first);
        out.field("clipped", &self.clipped);
        out.field("ended", &self.ended);
    }
}

crate::serde_record!(Position);

/// A range as it stands in a position.
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

    fn write(&self, out: &mut RecordWriter<'_>) {
        out.field("from", &self.from);
        out.field("to", &self.to);
    }
}
