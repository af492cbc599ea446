//! The outcome of a request: how it follows from the result of the call, and how a query confirms it otherwise.

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

/// Two names that belong together, each with its place.
pub(crate) type Pair = ((String, Place), (String, Place));

/// A name and the names that belong to it, each with its place.
pub(crate) type NamesWithin = ((String, Place), Vec<(String, Place)>);

/// How queries confirm whether a request, or an item of it, had its effect.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Confirm {
    pub(crate) place: Place,
    /// The operation that is the query.
    pub(crate) by: (String, Place),
    /// The query for records that the first one no longer shows.
    pub(crate) then: Option<(String, Place)>,
    /// The parameters of the query that identify the record, each with the parameter of the request that has the id.
    pub(crate) ids: Vec<Pair>,
    /// Fields of the record and the parameters that they equal, where the query has another name for them or does not
    /// take them.
    pub(crate) find: Vec<Pair>,
    /// Parameters that the request and the query share, and that are copied.
    pub(crate) with: Vec<(String, Place)>,
    /// Parameters that are copied to the query under another name.
    pub(crate) with_as: Vec<Pair>,
    /// Parameters of the query with fixed values.
    pub(crate) set: Vec<Pair>,
    /// The parameter of a listing with the earliest time of creation.
    pub(crate) since: Option<(String, Place)>,
    /// Fields of the record and the parameters that they equal once the request had its effect.
    pub(crate) matches: Vec<Pair>,
    /// Parameters of the request, each with fields of the record; one of those present must agree with it.
    pub(crate) agrees: Vec<NamesWithin>,
    /// Parameters of the request that are not compared.
    pub(crate) beside: Vec<(String, Place)>,
    pub(crate) created: Option<(String, Place)>,
    /// One of these parameters is in each request that creates something; empty if every request creates something.
    pub(crate) creates_with: Vec<(String, Place)>,
    pub(crate) changed: Option<(String, Place)>,
    /// Fields of the record with the values during which only such a request changes it.
    pub(crate) changed_while: Vec<NamesWithin>,
    /// The parameter of the request with the time after which it is refused.
    pub(crate) expires: Option<(String, Place)>,
    pub(crate) kept: Option<Duration>,
}

/// The values of the request that the answer repeats.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Echoes {
    pub(crate) place: Place,
    /// Members of the answer, each with the parameters of the request that it may repeat.
    pub(crate) ids: Vec<NamesWithin>,
    /// Members that repeat other values, in the same form.
    pub(crate) also: Vec<NamesWithin>,
    /// Whether it is enough that one id agrees.
    pub(crate) one_is_enough: bool,
}

/// The separate effects of a request.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Compound {
    pub(crate) place: Place,
    /// The parameter and the value with which it has several; `None` if it always has.
    pub(crate) when: Option<Pair>,
    pub(crate) why: String,
}

/// Why a repeat does no harm.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Repeat {
    pub(crate) place: Place,
    /// The parameter by which a repeat is recognized.
    pub(crate) key: Option<(String, Place)>,
    /// How long the exchange remembers a value of the key.
    pub(crate) kept: Option<Duration>,
    pub(crate) why: String,
}

/// Whether a wire name belongs to one of these parameters, or to a choice among them.
pub(crate) fn has_parameter(family: &Family, parameters: &[Parameter], wire: &str) -> bool {
    let wires = parameters.iter().flat_map(|parameter| family.wire_parameters(None, parameter));
    wires.filter_map(|wire| wire.parameter()).any(|parameter| parameter.name.wire == wire)
}

impl Operation {
    /// The list of the request whose items have certain parameters, unless the request itself has them.
    pub(crate) fn list_with(&self, has: impl Fn(&[Parameter]) -> bool) -> Option<(&Parameter, &Item)> {
        if has(self.members()) { None } else { self.items().find(|(_, item)| has(&item.parameters)) }
    }

    /// Whether it gives an id to something new, which a query finds.
    pub(crate) fn creates_with_id(&self) -> bool {
        self.confirm.as_ref().is_some_and(|confirm| confirm.created.is_some())
    }

    /// The query that shows whether a request had its effect, and the record that it returns.
    pub(crate) fn first_query<'a>(&self, family: &'a Family) -> Option<(&'a Operation, &'a Record)> {
        let by = &self.confirm.as_ref()?.by.0;
        let query = family.operations.named(by)?;
        let record = query.shown_record(family)?;
        Some((query, family.records.get(record)?))
    }

    /// The queries in the order in which they are sent.
    pub(crate) fn queries<'a>(&self, family: &'a Family) -> impl Iterator<Item = &'a Operation> {
        self.first_query(family).map(|(first, _)| first).into_iter().chain(self.second_query(family))
    }

    /// The query for records that the first one no longer shows.
    pub(crate) fn second_query<'a>(&self, family: &'a Family) -> Option<&'a Operation> {
        let (then, _) = self.confirm.as_ref()?.then.as_ref()?;
        family.operations.named(then)
    }

    /// The record that an answer contains, alone or in a list.
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

    /// The parameters with ids; a query takes one of them.
    pub(crate) fn queried_by(&self) -> impl Iterator<Item = &(String, Place)> {
        let confirm = self.confirm.iter();
        confirm
            .flat_map(|confirm| if confirm.ids.is_empty() { &confirm.find } else { &confirm.ids })
            .map(|(_, own)| own)
    }
}
