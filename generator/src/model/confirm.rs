//! The outcome of a request: how it follows from the result of its call, and how a query finds it out otherwise.

use super::{Duration, Family, Item, Operation, Parameter, Record, Response};
use crate::diagnostics::Place;
use crate::words::{CallResult, RowOutcome};

/// The outcome of a request that changes something, for one result of its call.
#[derive(Clone, Debug, Hash)]
pub(crate) struct OutcomeRow {
    pub(crate) place: Place,
    pub(crate) when: CallResult,
    pub(crate) outcome: RowOutcome,
    pub(crate) why: String,
}

impl CallResult {
    /// Every way a call can end, in order.
    pub(crate) const ALL: [Self; 20] = [
        Self::Refused,
        Self::Unsigned,
        Self::Limited,
        Self::NotConnected,
        Self::NotWritten,
        Self::ConnectionLost,
        Self::TimedOut,
        Self::AnswerTooLong,
        Self::Success,
        Self::ListedCode,
        Self::ObservedCode,
        Self::TimestampRefused,
        Self::CredentialsRefused,
        Self::UnlistedCode,
        Self::TooManyRequests,
        Self::ServerError,
        Self::OtherStatus,
        Self::Unreadable,
        Self::ItemFailed,
        Self::ItemUnaccounted,
    ];

    /// Whether the exchange may have got the request.
    pub(crate) fn may_be_sent(self) -> bool {
        !matches!(self, Self::Refused | Self::Unsigned | Self::Limited | Self::NotConnected | Self::NotWritten)
    }
}

/// Two names that belong together, each with its place.
pub(crate) type Pair = ((String, Place), (String, Place));

/// A name and the names that belong to it, each with its place.
pub(crate) type Several = ((String, Place), Vec<(String, Place)>);

/// How it is found out whether a request, or an item of it, had its effect.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Confirm {
    pub(crate) place: Place,
    /// The operation that is the query.
    pub(crate) by: (String, Place),
    /// The query of what the first one no longer shows.
    pub(crate) then: Option<(String, Place)>,
    /// Its parameters that identify what is queried, each with the parameter of the request that has the id.
    pub(crate) ids: Vec<Pair>,
    /// The field of the record and the parameter that it equals, where the query calls it otherwise or does not take it.
    pub(crate) find: Vec<Pair>,
    /// Parameters of both that the query takes along.
    pub(crate) with: Vec<(String, Place)>,
    /// Parameters that the query takes along under another name.
    pub(crate) with_as: Vec<Pair>,
    /// Parameters of the query, each with its value.
    pub(crate) set: Vec<Pair>,
    /// The parameter of a listing with the earliest time of creation.
    pub(crate) since: Option<(String, Place)>,
    /// The field of the record and the parameter that it equals once the request had its effect.
    pub(crate) matches: Vec<Pair>,
    /// A parameter of the request and the fields of which one agrees with it, where the record has any.
    pub(crate) agrees: Vec<Several>,
    /// Parameters of the request that are not compared.
    pub(crate) beside: Vec<(String, Place)>,
    pub(crate) created: Option<(String, Place)>,
    /// The parameters of which a request that creates something has one; none if every one does.
    pub(crate) creates_with: Vec<(String, Place)>,
    pub(crate) changed: Option<(String, Place)>,
    /// Fields of the record, and the values with which nothing but such a request changes it.
    pub(crate) changed_while: Vec<Several>,
    /// The parameter of the request with the time after which it is refused.
    pub(crate) expires: Option<(String, Place)>,
    pub(crate) kept: Option<Duration>,
}

/// What the answer repeats of the request.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Echoes {
    pub(crate) place: Place,
    /// A member of the answer, and the parameters of the request of which it repeats one.
    pub(crate) ids: Vec<Several>,
    /// Whether one id that agrees is enough.
    pub(crate) one_is_enough: bool,
}

/// The several things that a request does.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Compound {
    pub(crate) place: Place,
    /// The parameter and the value with which it does several; `None` when it always does.
    pub(crate) when: Option<Pair>,
    pub(crate) why: String,
}

/// Why a repeat does no harm.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Repeat {
    pub(crate) place: Place,
    /// The parameter by which a repeat is recognized.
    pub(crate) key: Option<(String, Place)>,
    /// How long a value of it is remembered.
    pub(crate) kept: Option<Duration>,
    pub(crate) why: String,
}

/// Whether a name on the wire is one of these parameters, or of the choices among them.
pub(crate) fn has_parameter(family: &Family, parameters: &[Parameter], wire: &str) -> bool {
    let wires = parameters.iter().flat_map(|parameter| family.wire_parameters(None, parameter));
    wires.filter_map(|wire| wire.parameter()).any(|parameter| parameter.name.wire == wire)
}

impl Operation {
    /// The list of the request whose items have certain parameters, unless the request itself has them.
    pub(crate) fn list_with(&self, has: impl Fn(&[Parameter]) -> bool) -> Option<(&Parameter, &Item)> {
        if has(self.members()) { None } else { self.items().find(|(_, item)| has(&item.parameters)) }
    }

    /// The query that shows whether a request had its effect, and the record it answers with.
    pub(crate) fn first_query<'a>(&self, family: &'a Family) -> Option<(&'a Operation, &'a Record)> {
        let by = &self.confirm.as_ref()?.by.0;
        let query = family.operations.named(by)?;
        let record = query.shown_record(family)?;
        Some((query, family.records.get(record)?))
    }

    /// The queries, the first one first.
    pub(crate) fn queries<'a>(&self, family: &'a Family) -> impl Iterator<Item = &'a Operation> {
        self.first_query(family).map(|(first, _)| first).into_iter().chain(self.second_query(family))
    }

    /// The query of what the first one no longer shows.
    pub(crate) fn second_query<'a>(&self, family: &'a Family) -> Option<&'a Operation> {
        let (then, _) = self.confirm.as_ref()?.then.as_ref()?;
        family.operations.named(then)
    }

    /// The record that an answer shows, alone or in a list.
    pub(crate) fn shown_record(&self, family: &Family) -> Option<usize> {
        match self.response {
            Response::Object { record } => match self.listed_field(family) {
                Some(list) => list.shape.listed_record(),
                None => Some(record),
            },
            Response::Array { record, .. } | Response::Page { record, .. } => Some(record),
            Response::Undefined => None,
        }
    }

    /// The parameters with ids, of which a query takes one.
    pub(crate) fn queried_by(&self) -> impl Iterator<Item = &(String, Place)> {
        let confirm = self.confirm.iter();
        confirm
            .flat_map(|confirm| if confirm.ids.is_empty() { &confirm.find } else { &confirm.ids })
            .map(|(_, own)| own)
    }
}
