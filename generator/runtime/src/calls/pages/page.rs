//! One page of a listing, ranges of time, and why a listing has no next page.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use super::step::{Answer, Continuation, Next, PageStep};
use crate::data::error::Error;
use crate::data::json::{Decode, Encode, JsonWriter, List, ReadError, read_json, write_json};
use crate::data::operation::Repeatable;
use crate::data::tables::Length;
use crate::data::value::Timestamp;
use crate::network::wire::NextPageHint;

/// A range of times, in which each end is optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The beginning.
    pub from: Option<Timestamp>,
    /// The end.
    pub to: Option<Timestamp>,
}

/// A page of a listing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The items in the order received, with unreadable ones apart.
    pub list: List<T>,
    /// The number of items that were left out because they were listed already, equal in every field.
    pub repeated: usize,
    /// The part of the requested times that the page belongs to. It ends now at the latest, by the clock that shows the
    /// earlier time: the client's, as it is or as answers of the exchange correct it.
    pub range: TimeRange,
    /// The part that is not accessible, if the exchange gives access to less than requested. It is reported before
    /// anything of it is missed, and again each time more of it becomes inaccessible.
    pub clipped: Option<Clipped>,
    /// The time of the request by the exchange's clock; where the envelope has no time, that of the header `Date`.
    pub request_time: Option<Timestamp>,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
}

impl TimeRange {
    /// Returns the range, ended at `time`.
    pub(super) fn until(self, time: Timestamp) -> Self {
        let end = self.from.map_or(time, |from| from.max(time));
        Self { to: self.to.map(|to| to.min(end)), ..self }
    }
}

impl<T> Page<T> {
    /// Creates a page without a call.
    pub(crate) fn empty(range: TimeRange) -> Self {
        Self { list: List::default(), repeated: 0, range, clipped: None, request_time: None, waited: Duration::ZERO }
    }

    /// Returns the same with other items.
    pub(super) fn with<U>(self, list: List<U>) -> Page<U> {
        let Self { list: _, repeated, range, clipped, request_time, waited } = self;
        Page { list, repeated, range, clipped, request_time, waited }
    }
}

/// A listing that begins, or continues, later than requested, because the exchange does not give access to older data.
/// Earlier pages are not affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clipped {
    /// The beginning of the requested times that are not listed yet.
    pub requested: Timestamp,
    /// Where the listing begins, or continues, instead.
    pub begins: Timestamp,
    /// The documented length of access.
    pub access: Length,
}

impl Clipped {
    /// Merges two reports.
    pub(super) fn with(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        Self { requested: self.requested.min(other.requested), begins: self.begins.max(other.begins), ..self }
    }
}

impl fmt::Display for Clipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requested, begins, access } = self;
        write!(f, "times from {requested} to {begins} are not accessible: only the last {access} are")
    }
}

/// A request for a page. Emitted for each operation whose listing has pages.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a listing with pages",
    note = "send it with `call`: its response is complete"
)]
pub trait Paged: Repeatable + Clone {
    /// An item of the listing.
    type Item: Encode + Send + Sync;

    /// The name of the list in a response, or `""` where the data is the list: data without it is not a page.
    const LIST: &'static str;

    /// True if items have an id. A repeated item has the same id and is equal in all other fields.
    const HAS_ID: bool = false;

    /// The way the next page is requested.
    const STEP: PageStep = PageStep::Cursor;

    /// Returns the items of a page, and the cursor of the next one where the answer has one.
    fn page(response: Self::Response) -> (List<Self::Item>, Option<String>);

    /// Returns the id of an item.
    fn item_id(item: &Self::Item) -> Option<&str> {
        let _ = item;
        None
    }

    /// Returns what a response states about the pages after it, besides a cursor.
    fn continuation(response: &Self::Response) -> Continuation {
        let _ = response;
        Continuation::default()
    }

    /// Returns, with [`PageStep::Last`], the id or the time of an item, after which the next page begins.
    fn last(item: &Self::Item) -> Option<String> {
        let _ = item;
        None
    }

    /// Returns the number of items on a page, if a shorter page is the last one.
    fn page_size(&self) -> Option<u64> {
        None
    }

    /// Returns where the page begins: the cursor, id, time, number or offset in the request.
    fn cursor(&self) -> Option<String>;

    /// Sets where the page begins. A cursor is sent unchanged.
    fn set_cursor(&mut self, cursor: Option<&str>);

    /// Returns the requested times.
    fn range(&self) -> TimeRange {
        TimeRange::default()
    }

    /// Sets the requested times. Required times keep their values if `range` has none.
    fn set_range(&mut self, range: TimeRange) {
        let _ = range;
    }

    /// Returns the requests that together list everything in the range of this one, in the order in which they are
    /// made.
    fn each(&self) -> Vec<Self> {
        vec![self.clone()]
    }
}

/// Returns the items of an answer, and what follows them; `requested` is the cursor of its page, and `onward` what its
/// headers state.
pub(crate) fn follow<O: Paged>(
    request: &O,
    requested: Option<&str>,
    onward: NextPageHint,
    response: O::Response,
) -> (List<O::Item>, Next) {
    let continuation = O::continuation(&response);
    let (list, cursor) = O::page(response);
    let last = match O::STEP {
        PageStep::Last { .. } => list.items.iter().rev().find_map(O::last),
        PageStep::Cursor | PageStep::Number { .. } | PageStep::Offset { .. } => None,
    };
    let items = u64::try_from(list.items.len() + list.bad.len()).unwrap_or(u64::MAX);
    let answer = Answer { items, size: request.page_size(), continuation, cursor, last };
    (list, answer.next(O::STEP, requested, onward))
}

/// Reads a text of the exchange as the value of a parameter.
pub fn from_text<T: Decode>(text: &str) -> Option<T> {
    let mut json = JsonWriter::new();
    json.string(text);
    read_json(&json.finish()).ok()
}

/// Returns the text of an optional value.
pub fn text_of<T: ToString>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(ToString::to_string)
}

/// Returns a time as the JSON text of a `T`.
pub fn json_of_time<T: From<Timestamp> + Encode>(time: Timestamp) -> String {
    write_json(&T::from(time))
}

/// Returns the time that is written as the text of a `T`.
pub fn time_of_text<T: Decode + Into<Timestamp>>(text: &str) -> Option<Timestamp> {
    from_text::<T>(text).map(Into::into)
}

/// Returns the text of an optional value as it travels.
pub fn wire_text_of<T: Encode>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(|value| write_json(value).trim_matches('"').to_owned())
}

/// The reason why there is no next page. Earlier pages are not affected, and the position does not change.
#[non_exhaustive]
pub enum PageError {
    /// The call failed, or its response contains no page. Unless the call was refused before it was sent, the next call
    /// of `next_page` requests the same page again.
    Call(Error),
    /// The exchange repeated a cursor, or announced another page without saying where it begins. The listing ends here
    /// and may be incomplete.
    Stuck {
        /// The id of the operation.
        operation: &'static str,
        /// The repeated cursor; empty if there was none.
        cursor: String,
    },
    /// Many pages in a row contained nothing new. The listing ends here and may be incomplete.
    Barren {
        /// The id of the operation.
        operation: &'static str,
        /// The number of such pages.
        pages: u32,
    },
    /// The listing cannot continue from its position, because the pages for the few milliseconds at its border do not
    /// end. A new listing can begin there.
    EndlessBorder {
        /// The id of the operation.
        operation: &'static str,
        /// The number of pages of the border.
        pages: u32,
    },
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::Stuck { operation, cursor } if cursor.is_empty() => {
                write!(f, "the listing of {operation} is incomplete: there is another page, but not where it begins")
            }
            Self::Stuck { operation, cursor } => {
                write!(f, "the listing of {operation} is incomplete: the cursor {cursor:?} occurred twice")
            }
            Self::Barren { operation, pages } => {
                write!(f, "the listing of {operation} is incomplete: {pages} pages in a row contained nothing new")
            }
            Self::EndlessBorder { operation, pages } => {
                write!(f, "the listing of {operation} is incomplete: after {pages} pages, its border has more")
            }
        }
    }
}

debug_as_sentence!(PageError);

impl StdError for PageError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Call(error) => error.source(),
            Self::Stuck { .. } | Self::Barren { .. } | Self::EndlessBorder { .. } => None,
        }
    }
}

/// The reason why a listing cannot continue from a position.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionError {
    /// The text is not a position.
    Unreadable(ReadError),
    /// The position belongs to another operation.
    OtherOperation {
        /// The id of the operation of the position.
        is_of: String,
        /// The id of the operation of the listing.
        given_to: &'static str,
    },
    /// The position belongs to a listing with other parameters.
    OtherRequest,
    /// The listing has ended before the end of the request, and cannot go on.
    Ended {
        /// The end of the times that it has listed, if the exchange did not decide it.
        until: Option<Timestamp>,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "invalid position: {error}"),
            Self::OtherOperation { is_of, given_to } => {
                write!(f, "the position belongs to {is_of} and was given to {given_to}")
            }
            Self::OtherRequest => f.write_str(
                "the position belongs to a request with other parameters: use the same ones, or begin a new listing",
            ),
            Self::Ended { until: Some(until) } => write!(
                f,
                "the listing has ended at {until}, of which some items may have become visible later: begin a new one \
                 a little before, and let it be settled, so that it can go on"
            ),
            Self::Ended { until: None } => {
                f.write_str("the listing has ended, and nothing says at what time: begin a new one")
            }
        }
    }
}

debug_as_sentence!(PositionError);

impl StdError for PositionError {}
