//! The properties that all operations of an API share: among them those of an account that a caller can state, and what
//! the end of a call proves about the change.

use std::fmt;
use std::time::Duration;

use tradeapi_words::RowOutcome;

use super::{Authentication, KnownError, Meta, Path, RateLimit, Step};

#[doc(inline)]
pub use tradeapi_words::{Around, ResetForm, Sent};
#[doc(inline)]
pub use tradeapi_words::{CallResult, Effect};

/// The properties that all operations of an API share.
#[derive(Clone, Copy, Debug)]
pub struct Api {
    /// The name of the API.
    pub name: &'static str,
    /// The envelope of responses; `None` if the HTTP status decides and the whole body is the data.
    pub envelope: Option<Envelope>,
    /// The way requests are authenticated; `None` if they never are.
    pub credentials: Option<Authentication>,
    /// The way requests name the call that an operation makes, if it makes one.
    pub calls: Calls,
    /// Further headers with values that the client sets.
    pub headers: &'static [Header],
    /// The response header with the remaining calls.
    pub remaining_calls: Option<RemainingCalls>,
    /// The properties of an account that a caller can state.
    pub account: AccountTable,
    /// The reports of responses about the pools of rate limits.
    pub pools: &'static [PoolReporting],
    /// The refusal of an address that has made too many requests, if the exchange refuses addresses.
    pub refused_address: Option<RefusedAddress>,
    /// The outcome of a request that changes something, by how its call ends.
    pub outcomes: &'static [OutcomeRow],
    /// The operations whose outcomes can be queried.
    pub queryable: &'static [&'static Meta],
    /// Observed codes that no document lists, in their order as texts: there are hundreds of them.
    pub observed_codes: &'static [KnownError],
}

impl Api {
    /// Creates an API without credentials, headers, limits and outcomes, whose responses have no envelope.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            envelope: None,
            credentials: None,
            calls: Calls::JSON_RPC,
            headers: &[],
            remaining_calls: None,
            account: AccountTable::NONE,
            pools: &[],
            refused_address: None,
            outcomes: &[],
            queryable: &[],
            observed_codes: &[],
        }
    }

    /// Returns what was observed about an error code, in one family or several.
    pub(crate) fn observed(&self, code: &str) -> impl Iterator<Item = &'static KnownError> {
        let first = self.observed_codes.partition_point(|known| known.code < code);
        self.observed_codes[first..].iter().take_while(move |known| known.code == code)
    }

    /// Returns the outcome of a request that changes something. `by_code` is what the code of the response proves, for
    /// rows that depend on the code. Without a row, the outcome is unknown if the exchange may have received the
    /// request, except for call results with a code or an item that proves something itself.
    pub fn outcome(&self, when: CallResult, by_code: Outcome) -> Outcome {
        match self.outcomes.iter().find(|row| row.when == when) {
            Some(row) => row.outcome.unwrap_or(by_code),
            None => match when.usual_outcome() {
                RowOutcome::NotDone => Outcome::NotDone,
                RowOutcome::Done => Outcome::Done,
                RowOutcome::Unknown => Outcome::Unknown,
                RowOutcome::ByCode => by_code,
            },
        }
    }

    /// Returns the same for a request with this effect: a read has none.
    pub(crate) fn outcome_of(&self, effect: Effect, when: CallResult, by_code: Outcome) -> Outcome {
        match effect {
            Effect::Read => Outcome::NotDone,
            Effect::Create | Effect::Amend | Effect::Cancel | Effect::Close => self.outcome(when, by_code),
        }
    }
}

/// The refusal of all requests of an address for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedAddress {
    /// The HTTP status of such an answer.
    pub status: u16,
    /// The length of the refusal, in milliseconds.
    pub lasts_ms: u64,
    /// The rate of all calls of an address together, beyond which it is refused, if that is known.
    pub rate: Option<RateLimit>,
}

impl RefusedAddress {
    /// Returns how long the refusal lasts.
    pub const fn lasts(&self) -> Duration {
        Duration::from_millis(self.lasts_ms)
    }
}

/// The way requests name the call that their operation makes.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// Members that every request begins with.
    pub fixed: &'static [(&'static str, &'static str)],
    /// The member with the number of the request, which its response repeats.
    pub id: Option<&'static str>,
    /// The member with the name of the call; `None` if it is only signed.
    pub method: Option<&'static str>,
    /// The member with the parameters; `None` if the parameters are members themselves.
    pub parameters: Option<&'static str>,
}

impl Calls {
    /// As in JSON-RPC 2.0.
    pub const JSON_RPC: Self =
        Self { fixed: &[("jsonrpc", "2.0")], id: Some("id"), method: Some("method"), parameters: Some("params") };
}

/// The response header with the remaining calls of an operation.
#[derive(Clone, Copy, Debug)]
pub struct RemainingCalls {
    /// The name of the header.
    pub header: &'static str,
    /// The windows that it counts, in milliseconds.
    pub windows: &'static [u32],
}

impl RemainingCalls {
    /// Creates a header that counts the calls of a second.
    pub const fn in_a_second(header: &'static str) -> Self {
        Self { header, windows: &[1000] }
    }
}

/// A report of responses about a pool of rate limits.
#[derive(Clone, Copy, Debug)]
pub struct PoolReporting {
    /// The pool.
    pub pool: &'static str,
    /// The number of calls that the pool takes in its window.
    pub calls: u32,
    /// The calls that are used, or that remain.
    pub count: Count,
    /// When all of it is free, if responses say so.
    pub reset: Option<Reset>,
}

/// The meaning of a number for a pool.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// The calls that are used.
    Used(ResponseValue),
    /// The calls that remain.
    Remaining(ResponseValue),
}

/// Where a value is in a response.
#[derive(Clone, Copy, Debug)]
pub enum ResponseValue {
    /// In this header.
    Header(&'static str),
    /// In its body.
    Body(Path),
}

/// When a pool is free.
#[derive(Clone, Copy, Debug)]
pub struct Reset {
    /// Where it is.
    pub value: ResponseValue,
    /// The form.
    pub form: ResetForm,
}

/// The members of the object around a response.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// The responses that it is around.
    pub around: Around,
    /// Where the code is, which distinguishes success from failure; of several places, the first that has one.
    pub code: &'static [Path],
    /// Where the message for people is.
    pub message: &'static [Path],
    /// The member with the time of the request, in Unix milliseconds.
    pub time: Option<&'static str>,
    /// Where the data is; `None` if the whole body is the data.
    pub data: Option<Path>,
    /// The code of success; `None` if only failures have a code.
    pub success: Option<&'static str>,
    /// The member of a success besides its code.
    pub success_with: SuccessWith,
    /// Other members besides the data.
    pub beside: &'static [&'static str],
}

/// The member of a success besides its code. A success that lacks it, and repeats no id of its request, proves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuccessWith {
    /// The message.
    pub message: Option<&'static str>,
    /// The HTTP status.
    pub status: Option<u16>,
}

impl SuccessWith {
    /// Nothing is documented.
    pub const NOTHING: Self = Self { message: None, status: None };
}

impl Meta {
    /// Returns where the data of a success is; `None` if it is the whole body.
    pub(crate) fn data_path(&self, api: &Api) -> Option<Path> {
        self.data.or_else(|| api.envelope.as_ref()?.data)
    }

    /// Returns the known meaning of an error code: documented, or else observed.
    pub fn known(&self, api: &Api, code: &str) -> Option<&'static KnownError> {
        self.error(code)
            .or_else(|| api.observed(code).find(|known| known.is_of(self.family) || known.is_of(self.account_family())))
    }

    /// Returns whether a code means success.
    pub fn is_success(&self, api: &Api, code: &str) -> bool {
        api.envelope.as_ref().is_some_and(|envelope| envelope.success == Some(code))
            || self.error(code).is_some_and(|known| known.success)
    }
}

impl Envelope {
    /// Returns the outermost members, except for the data.
    pub(crate) fn members(&self) -> Vec<&'static str> {
        let mut members = Vec::new();
        for path in self.code.iter().chain(self.message) {
            members.extend(first_member(path));
        }
        members.extend(self.time);
        members.extend_from_slice(self.beside);
        members
    }

    /// Returns the member that is the code itself.
    pub fn code_member(&self) -> Option<&'static str> {
        itself(self.code)
    }

    /// Returns the member that is the message itself.
    pub fn message_member(&self) -> Option<&'static str> {
        itself(self.message)
    }
}

/// Returns the member that one of `paths` leads to directly.
fn itself(paths: &[Path]) -> Option<&'static str> {
    paths.iter().find_map(|path| match path {
        [Step::Member(name)] => Some(*name),
        _ => None,
    })
}

/// Returns the member that a path begins with.
fn first_member(path: &[Step]) -> Option<&'static str> {
    match path.first() {
        Some(Step::Member(name)) => Some(name),
        Some(Step::Item(_)) | None => None,
    }
}

/// A header with a value that the client sets.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The name.
    pub name: &'static str,
    /// The requests that it is sent with.
    pub sent: Sent,
    /// True if it selects a market.
    pub selects_market: bool,
    /// The purpose.
    pub doc: &'static str,
}

/// The properties of an account that a caller can state.
#[derive(Clone, Copy, Debug)]
pub struct AccountTable {
    /// The properties of an account.
    pub properties: &'static [AccountProperty],
    /// The properties of an instrument that are numbers.
    pub instrument: &'static [&'static str],
    /// The properties that are flags.
    pub flags: &'static [&'static str],
    /// The codes with which the exchange refuses a request because an instrument has other properties.
    pub instrument_denied_by: &'static [&'static str],
}

impl AccountTable {
    /// No properties: an account has a name only.
    pub const NONE: Self = Self { properties: &[], instrument: &[], flags: &[], instrument_denied_by: &[] };

    /// Returns the property with this name.
    pub fn property(&self, name: &str) -> Option<&'static AccountProperty> {
        self.properties.iter().find(|property| property.name == name)
    }
}

/// A property of an account.
#[derive(Clone, Copy, Debug)]
pub struct AccountProperty {
    /// The name in the schema.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: PropertyKind,
    /// The codes with which the exchange refuses a request because the account has another value.
    pub denied_by: &'static [&'static str],
}

/// The kind of value that a property of an account has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// One of these words.
    Words(&'static [&'static str]),
    /// Yes or no.
    Flag,
    /// A point in time.
    Time,
    /// Names, such as those of trading pairs.
    Names,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The request had no effect.
    NotDone,
    /// The request had its effect.
    Done,
    /// The request may have had its effect: query it before repeating it.
    Unknown,
}

impl Outcome {
    /// Returns the outcome of a request with items of these outcomes: it is unknown if that of an item is, and done if
    /// an item is done. `None` without items.
    pub(crate) fn of_all(items: impl IntoIterator<Item = Self>) -> Option<Self> {
        items.into_iter().reduce(|one, other| match (one, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Done, _) | (_, Self::Done) => Self::Done,
            (Self::NotDone, Self::NotDone) => Self::NotDone,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotDone => "it had no effect",
            Self::Done => "it had its effect",
            Self::Unknown => "its outcome is unknown, so query it before repeating it",
        })
    }
}

/// The outcome of a request, by how its call ended.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeRow {
    /// The end of the call.
    pub when: CallResult,
    /// The outcome; `None` if it depends on the code.
    pub outcome: Option<Outcome>,
    /// The reason.
    pub why: &'static str,
}
