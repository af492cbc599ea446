//! Operations: what is sent, what comes back, how often.

use super::{
    Compound, Confirm, Deprecated, Duration, Echoes, Family, Field, Intent, ListName, Name, Parameter, Repeat, Source,
    Statements, UtcOffset, Way,
};
use crate::diagnostics::Place;
use crate::words::{Access, Effect, Lists, Objects, PageOrder, PagesBy, ResetForm, Sends, Shown};

/// One operation of the API.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Operation {
    /// The family's name, a dot and the operation's, such as `unified.place-order`.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) title: String,
    /// The request's Rust type.
    pub(crate) rust: Name,
    /// The module of the operation, and the function of its family.
    pub(crate) function: String,
    pub(crate) place: Place,
    pub(crate) source: Option<Source>,
    pub(crate) method: Method,
    pub(crate) path: Path,
    /// The method of JSON-RPC that the body calls.
    pub(crate) call: Option<(String, Place)>,
    pub(crate) style: ParameterStyle,
    pub(crate) doc: String,
    pub(crate) effect: Effect,
    pub(crate) access: Access,
    pub(crate) whitelisted: bool,
    /// Other words that people look for it by.
    pub(crate) called: Vec<(String, Place)>,
    pub(crate) deprecated: Option<Deprecated>,
    pub(crate) permission: Option<String>,
    pub(crate) headers: Vec<(String, Place)>,
    pub(crate) rates: Vec<Rate>,
    pub(crate) body: Body,
    pub(crate) in_flight: Option<InFlight>,
    /// The parameter that carries the caller's own id.
    pub(crate) client_id: Option<(String, Place)>,
    pub(crate) confirm: Option<Confirm>,
    pub(crate) echoes: Option<Echoes>,
    pub(crate) compound: Option<Compound>,
    pub(crate) repeat: Option<Repeat>,
    pub(crate) window: Option<Window>,
    /// How far back the answer reaches where no parameter says.
    pub(crate) history: Option<Duration>,
    pub(crate) response: Response,
    /// The member of the envelope with the data, where it differs from that of the API.
    pub(crate) data: Option<String>,
    pub(crate) listing: Listing,
    pub(crate) batch: Option<Batch>,
    pub(crate) intents: Vec<Intent>,
    pub(crate) examples: Vec<Example>,
    pub(crate) statements: Statements,
    pub(crate) said_at: SaidAt,
}

/// Where an operation's file says what carries no place of its own; the operation's place where it says nothing.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct SaidAt {
    pub(crate) whitelisted: Place,
    pub(crate) permission: Place,
    pub(crate) history: Place,
    pub(crate) response: Place,
    pub(crate) span: Place,
    pub(crate) access: Place,
    pub(crate) default: Place,
    pub(crate) both_or_neither: Place,
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub(crate) const ALL: [Self; 5] = [Self::Get, Self::Post, Self::Put, Self::Patch, Self::Delete];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether parameters usually travel in the body rather than in the query string.
    pub(crate) fn has_body(self) -> bool {
        !matches!(self, Self::Get | Self::Delete)
    }
}

/// How the parameters of a request travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ParameterStyle {
    /// Where they are, if not where those of the method usually are.
    pub(crate) sends: Option<Sends>,
    pub(crate) lists: Lists,
    pub(crate) objects: Objects,
    /// Whether the schema says how objects are written.
    pub(crate) says_objects: bool,
    pub(crate) place: Place,
}

impl Operation {
    /// Whether a parameter of the request travels in the path or in a header, and not beside the others.
    pub(crate) fn is_elsewhere(&self, parameter: &Parameter) -> bool {
        parameter.in_header.is_some() || self.is_in_path(parameter)
    }

    /// Whether a parameter of the request stands in the path.
    pub(crate) fn is_in_path(&self, parameter: &Parameter) -> bool {
        self.path.parameters().any(|name| name == parameter.name.wire)
    }

    /// The parameters that travel in headers.
    pub(crate) fn in_headers(&self) -> impl Iterator<Item = &Parameter> {
        self.members().iter().filter(|parameter| parameter.in_header.is_some())
    }

    /// Where the parameters are.
    pub(crate) fn sends(&self) -> Sends {
        let usual = if self.method.has_body() { Sends::Json } else { Sends::Query };
        self.style.sends.unwrap_or(usual)
    }

    /// Whether the parameters travel in the body.
    pub(crate) fn has_body(&self) -> bool {
        self.sends() != Sends::Query
    }
}

/// A path, with the parameters that stand in it.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Path {
    pub(crate) text: String,
    pub(crate) pieces: Vec<PathPiece>,
    pub(crate) place: Place,
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PathPiece {
    Literal(String),
    Parameter(String),
}

impl Path {
    /// The names of the parameters that stand in the path.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            PathPiece::Parameter(name) => Some(name.as_str()),
            PathPiece::Literal(_) => None,
        })
    }
}

/// A rate limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rate {
    pub(crate) calls: u32,
    /// The window that the calls are counted in.
    pub(crate) every: Duration,
    pub(crate) scope: RateScope,
    /// For whom it holds; `default` is everyone.
    pub(crate) class: String,
    /// What a call takes of which pool, where other operations count in it too.
    pub(crate) of_pool: Option<OfPool>,
    pub(crate) place: Place,
}

/// What a call takes of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OfPool {
    pub(crate) pool: String,
    /// How many calls it counts as.
    pub(crate) weight: u32,
    /// Of which calls; `None` is of all that no heavier row is of.
    pub(crate) when: Option<WeighsWhen>,
}

/// Which calls an operation's weight is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WeighsWhen {
    Without(String),
    With(String),
    Over(String, u64),
}

impl WeighsWhen {
    /// The parameter that decides.
    pub(crate) fn parameter(&self) -> &str {
        match self {
            Self::Without(name) | Self::With(name) | Self::Over(name, _) => name,
        }
    }
}

/// A rate that several operations share.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) rate: Rate,
    pub(crate) doc: String,
    /// What answers report of it.
    pub(crate) reporting: Option<PoolReporting>,
    pub(crate) place: Place,
}

/// What answers report of a pool.
#[derive(Clone, Debug, Hash)]
pub(crate) struct PoolReporting {
    /// Whether they report how much is used, rather than how much remains.
    pub(crate) is_used: bool,
    pub(crate) count: ResponseValue,
    pub(crate) reset: Option<(ResponseValue, ResetForm)>,
    pub(crate) place: Place,
}

/// Where a value stands in an answer.
#[derive(Clone, Debug, Hash)]
pub(crate) enum ResponseValue {
    Header(String),
    Body(Way),
}

impl Rate {
    /// The class that stands for everyone.
    pub(crate) const EVERYONE: &str = "default";

    /// The class that it holds for, where that is not everyone.
    pub(crate) fn own_class(&self) -> Option<&str> {
        Some(self.class.as_str()).filter(|class| *class != Self::EVERYONE)
    }
}

/// What calls are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RateScope {
    Uid,
    Ip,
}

impl RateScope {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Uid => "UID",
            Self::Ip => "IP",
        }
    }
}

/// What is sent.
#[derive(Clone, Debug, Hash)]
pub(crate) enum Body {
    Parameters(Vec<Parameter>),
    /// The body is an array; the parameter is called `[]` on the wire.
    Array(Box<Parameter>),
}

impl Body {
    /// The parameters, or the one that stands for the array.
    pub(crate) fn parameters(&self) -> &[Parameter] {
        match self {
            Self::Parameters(parameters) => parameters,
            Self::Array(array) => std::slice::from_ref(array),
        }
    }
}

/// How many amendments of one thing may be under way.
#[derive(Clone, Debug, Hash)]
pub(crate) struct InFlight {
    /// The parameter that says which thing is meant.
    pub(crate) per: (String, Place),
    pub(crate) n: u64,
    pub(crate) place: Place,
}

/// A pair of times that bounds a query.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Window {
    pub(crate) from: (String, Place),
    pub(crate) to: (String, Place),
    pub(crate) span: Option<Duration>,
    pub(crate) access: Option<Duration>,
    /// Whether the access limit speaks of the data, so that an older start only finds nothing.
    pub(crate) access_is_of_data: bool,
    pub(crate) default: Option<Duration>,
    pub(crate) both_or_neither: bool,
    /// The zone whose days the data is of, if it is of whole days.
    pub(crate) days: Option<UtcOffset>,
    pub(crate) place: Place,
}

/// What comes back as data; the indices lead to the family's records.
#[derive(Clone, Debug, Hash)]
pub(crate) enum Response {
    Object {
        record: usize,
    },
    Array {
        record: usize,
        observed_under: Option<String>,
    },
    Page {
        list: Name,
        record: usize,
        cursor: Name,
        next: (String, Place),
    },
    /// It was reported; nothing more is said about it.
    Undefined,
}

/// What is known of a listing beyond its cursor.
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct Listing {
    /// The field that identifies an item.
    pub(crate) id: Option<(String, Place)>,
    /// The parameter whose values must each be queried, so that nothing is left out.
    pub(crate) each: Option<(String, Place)>,
    /// The field of an object with the records, where it has no pages.
    pub(crate) list: Option<(String, Place)>,
    pub(crate) pages: Option<Paging>,
    pub(crate) shows: Option<Shows>,
}

/// How the next page of an object or an array is requested.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Paging {
    pub(crate) place: Place,
    pub(crate) by: PagesBy,
    pub(crate) order: PageOrder,
    /// The field of the object that has the list.
    pub(crate) list: Option<(String, Place)>,
    /// The parameter that says where a page begins.
    pub(crate) next: (String, Place),
    /// The field of the last item, or of the object, that goes there.
    pub(crate) field: Option<(String, Place)>,
    /// The header of the answer that has the cursor.
    pub(crate) header: Option<(String, Place)>,
    /// Whether the page begins with the item that is named.
    pub(crate) includes: bool,
    /// The number or the offset of the first page.
    pub(crate) first: u64,
    /// The parameter with the number of items on a page.
    pub(crate) size: Option<(String, Place)>,
    /// The fields of the object that say whether and how far the listing goes on.
    pub(crate) more: Option<(String, Place)>,
    pub(crate) total: Option<(String, Place)>,
}

impl Operation {
    /// The field of an object with the records that it lists.
    pub(crate) fn listed_field<'a>(&self, family: &'a Family) -> Option<&'a Field> {
        let Response::Object { record } = self.response else { return None };
        let Listing { list, pages, .. } = &self.listing;
        let (list, _) = pages.as_ref().and_then(|pages| pages.list.as_ref()).or(list.as_ref())?;
        family.records.get(record)?.field(list)
    }

    /// The record of the items of a listing that comes in pages.
    pub(crate) fn paged_record(&self, family: &Family) -> Option<usize> {
        match (&self.response, &self.listing.pages) {
            (Response::Page { record, .. }, _) | (Response::Array { record, .. }, Some(_)) => Some(*record),
            (Response::Object { .. }, Some(_)) => self.listed_field(family)?.shape.listed_record(),
            (Response::Object { .. } | Response::Array { .. }, None) | (Response::Undefined, _) => None,
        }
    }
}

/// What a listing shows of an account.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Shows {
    pub(crate) place: Place,
    pub(crate) what: Shown,
    /// The parameter of which all values together are the account.
    pub(crate) over: Option<(String, Place)>,
    /// The operation that cancels an order, and the fields that are its parameters.
    pub(crate) cancel: Option<(String, Place)>,
    pub(crate) by: Vec<(String, Place)>,
    /// The fields of a fill: the two ids of its order, and the quantity.
    pub(crate) order: Option<(String, Place)>,
    pub(crate) client_id: Option<(String, Place)>,
    pub(crate) quantity: Option<(String, Place)>,
    /// The fields by which a fill changes a position.
    pub(crate) trade: Option<Trade>,
}

/// The fields by which a fill changes a position.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Trade {
    pub(crate) place: Place,
    pub(crate) id: Option<(String, Place)>,
    pub(crate) instrument: Option<(String, Place)>,
    pub(crate) side: Option<(String, Place)>,
    /// The value of `side` for a buy.
    pub(crate) buy: Option<(String, Place)>,
    pub(crate) price: Option<(String, Place)>,
    /// The values of the parameter that the listing is read over with which profits are differences of prices; all others
    /// if there is none.
    pub(crate) linear: Vec<(String, Place)>,
    /// Those with which quantities and profits are in the base coin.
    pub(crate) inverse: Vec<(String, Place)>,
    pub(crate) profit: Option<(String, Place)>,
    pub(crate) fees: Option<TradeFees>,
    pub(crate) position: Option<TradePosition>,
}

/// The list of the fees of a fill, and the fields of each.
#[derive(Clone, Debug, Hash)]
pub(crate) struct TradeFees {
    pub(crate) list: (String, Place),
    pub(crate) coin: (String, Place),
    pub(crate) amount: (String, Place),
}

/// What a fill did to the long or the short position of its instrument, by the values of a field.
#[derive(Clone, Debug, Hash)]
pub(crate) struct TradePosition {
    pub(crate) field: (String, Place),
    pub(crate) open: Vec<(String, Place)>,
    pub(crate) close: Vec<(String, Place)>,
    pub(crate) close_long: Vec<(String, Place)>,
    pub(crate) close_short: Vec<(String, Place)>,
}

/// What an answer says about each item of a list that was sent.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Batch {
    /// The list that was sent.
    pub(crate) of: (ListName, Place),
    /// The names that identify an item and its result, the one that wins first.
    pub(crate) ids: Vec<(String, Place)>,
    /// The field of an object with the list of data that `results` is parallel to.
    pub(crate) list: Option<(String, Place)>,
    /// Where the codes of the items stand, if not in the items of the list.
    pub(crate) results: Option<(Way, Place)>,
    /// The lists of what succeeded and what failed; none where the answer is one list.
    pub(crate) done: Option<(String, Place)>,
    pub(crate) failed: Option<(String, Place)>,
    /// The field that says whether all succeeded.
    pub(crate) all_done: Option<(String, Place)>,
    /// The field that says whether an item succeeded.
    pub(crate) succeeded: Option<(String, Place)>,
    /// The fields of what failed.
    pub(crate) code: Option<(String, Place)>,
    pub(crate) message: Option<(String, Place)>,
    /// Results come in the order of the items.
    pub(crate) by_place: bool,
    pub(crate) place: Place,
}

/// Wire JSON of one call.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Example {
    pub(crate) about: String,
    pub(crate) request: (String, Place),
    pub(crate) response: (String, Place),
}
