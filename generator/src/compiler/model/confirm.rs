//! The outcome of a request: how it follows from the result of the call, how a query confirms it otherwise, and the states
//! of orders with the transitions between them.

use tradeapi_words::Assumptions;

use super::{
    Alters, Api, Cause, Confirm, Enum, Family, Item, NameOf, NamesWithin, Operation, Parameter, Placed, Query, Record,
    Reference, Response, Source,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::words::{CallResult, Effect, RowOutcome};

/// The outcome of a request that changes something, for one result of its call.
#[derive(Clone, Debug)]
pub(crate) struct OutcomeRow {
    pub(crate) place: Place,
    pub(crate) when: CallResult,
    pub(crate) outcome: RowOutcome,
    pub(crate) why: String,
}

/// The values of the request that the answer repeats.
#[derive(Clone, Debug)]
pub(crate) struct Echoes {
    pub(crate) place: Place,
    /// Members of the answer, each with the parameters of the request that it may repeat.
    pub(crate) ids: Vec<NamesWithin>,
    /// Members that repeat other values, in the same form.
    pub(crate) also: Vec<NamesWithin>,
    /// Parameters that one of several members repeats, each with these members.
    pub(crate) by_one: Vec<NamesWithin>,
    /// True if it is enough that one id agrees.
    pub(crate) one_is_enough: bool,
}

impl Confirm {
    /// Returns the names of the queries, in the order in which they are sent.
    pub(crate) fn queries(&self) -> impl Iterator<Item = &NameOf<Query>> {
        std::iter::once(&self.by).chain(&self.then)
    }
}

/// Returns whether a wire name belongs to one of these parameters, or to a choice among them.
pub(crate) fn has_parameter(family: &Family, parameters: &[Parameter], wire: &str) -> bool {
    let wires = parameters.iter().flat_map(|parameter| family.wire_parameters(None, parameter));
    wires.filter_map(|wire| wire.parameter()).any(|parameter| parameter.name.wire == wire)
}

impl Operation {
    /// Returns the list of the request whose items have certain parameters, unless the request itself has them.
    pub(crate) fn list_with(&self, has: impl Fn(&[Parameter]) -> bool) -> Option<(&Parameter, &Item)> {
        if has(self.members()) { None } else { self.items().find(|(_, item)| has(&item.parameters)) }
    }

    /// Returns the list of the request whose items are queried one by one.
    pub(crate) fn confirmed_list<'a>(&'a self, family: &Family) -> Option<&'a str> {
        self.confirm.as_ref()?;
        let has_query = |parameters: &[_]| self.queried_by().any(|(own, _)| has_parameter(family, parameters, own));
        self.list_with(has_query).map(|(list, _)| list.name.wire.as_str())
    }

    /// Returns the query that shows whether a request had its effect, and the record that it returns.
    pub(crate) fn first_query<'a>(&self, family: &'a Family) -> Option<(&'a Operation, &'a Record)> {
        let query = family.operations.get(&self.confirm.as_ref()?.by)?;
        let record = query.shown_record(family)?;
        Some((query, family.records.get(record)?))
    }

    /// Returns the queries in the order in which they are sent.
    pub(crate) fn queries<'a>(&self, family: &'a Family) -> impl Iterator<Item = &'a Operation> {
        self.first_query(family).map(|(first, _)| first).into_iter().chain(self.second_query(family))
    }

    /// Returns the query for records that the first one no longer shows.
    pub(crate) fn second_query<'a>(&self, family: &'a Family) -> Option<&'a Operation> {
        family.operations.get(self.confirm.as_ref()?.then.as_ref()?)
    }

    /// Returns the record that an answer contains, alone or in a list.
    pub(crate) fn shown_record(&self, family: &Family) -> Option<usize> {
        match self.response {
            Response::Object { record } if self.listed_field(family).is_none() => Some(record),
            _ => self.listed_record(family),
        }
    }

    /// Returns the parameters with ids; a query takes one of them.
    pub(crate) fn queried_by(&self) -> impl Iterator<Item = &Placed> {
        let confirm = self.confirm.iter();
        confirm
            .flat_map(|confirm| if confirm.ids.is_empty() { &confirm.find } else { &confirm.ids })
            .map(|(_, own)| own)
    }
}

/// When an absence proves that a request was not done, in milliseconds after its signature. The bounds that depend on a
/// window are `None` where each request has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absence {
    pub(crate) after: Option<u64>,
    pub(crate) until: Option<u64>,
    /// The time for which a record is shown at least.
    pub(crate) kept: u64,
}

impl Absence {
    /// Returns when an absence is a proof with the usual assumptions, or why it never is.
    pub(crate) fn of(api: &Api, confirm: &Confirm) -> Result<Self, &'static str> {
        let assumed = Assumptions::DEFAULT;
        let milliseconds = |length: std::time::Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let Some((kept, _)) = confirm.kept else {
            return Err("It is not documented how long a record is kept.");
        };
        let kept = kept.at_least_milliseconds();
        let window = api.credentials.as_ref().and_then(|credentials| credentials.window?.milliseconds());
        let after = window.map(|window| window + milliseconds(assumed.visible_after(std::time::Duration::ZERO)));
        let until = window.and_then(|window| kept.checked_sub(window + milliseconds(assumed.clock_error)));
        match (after, until) {
            (None, _) if confirm.expires.is_none() => Err("It is not known how long a request can be in flight."),
            (Some(after), until) if until.is_none_or(|until| until <= after) => {
                Err("A record may be deleted before every machine shows it.")
            }
            (after, until) => Ok(Self { after, until, kept }),
        }
    }
}

/// The states of an order by which its cancellation, or an amendment, is judged.
pub(crate) struct Ends<'a> {
    pub(crate) field: &'a str,
    /// The final states in which the operation leaves the order.
    pub(crate) left_in: Vec<&'a str>,
    /// The other final states.
    pub(crate) others: Vec<&'a str>,
    /// The states that are not final.
    pub(crate) open: Vec<&'a str>,
}

impl Operation {
    /// Returns the states in the record that confirms a cancellation or an amendment, if the lifecycle has them.
    pub(crate) fn ends<'a>(&self, family: &'a Family) -> Option<Ends<'a>> {
        let confirm = self.confirm.as_ref()?;
        let lifecycle = family.lifecycle.as_ref()?;
        let record = family.operations.get(&confirm.by)?.shown_record(family)?;
        let tracked = lifecycle.records.iter().find(|tracked| tracked.record == record)?;
        let all = lifecycle.states_of(family);
        let own = lifecycle.transitions.iter().filter(|transition| transition.is_caused_by(self));
        let left_in: Vec<_> = own.filter_map(|own| all.index_of(&own.to)).collect();
        let states = |is_meant: &dyn Fn(usize, bool) -> bool| {
            let meant =
                all.wires().enumerate().filter(|(index, _)| is_meant(*index, lifecycle.is_terminal(all, *index)));
            meant.map(|(_, state)| state).collect()
        };
        let is_left = |index| left_in.contains(&index);
        let ends = Ends {
            field: &tracked.state.0,
            left_in: states(&|index, is_final| is_final && is_left(index)),
            others: states(&|index, is_final| is_final && !is_left(index)),
            open: states(&|_, is_final| !is_final),
        };
        match self.effect {
            Effect::Cancel => Some(ends).filter(|ends| !ends.left_in.is_empty()),
            Effect::Amend => Some(ends).filter(|ends| ends.left_in.is_empty() && !confirm.matches.is_empty()),
            Effect::Create | Effect::Close | Effect::Read => None,
        }
    }
}

/// The states of an enum and their transitions.
#[derive(Clone, Debug)]
pub(crate) struct Lifecycle {
    pub(crate) enum_index: usize,
    pub(crate) place: Place,
    pub(crate) source: Option<Source>,
    pub(crate) states: Vec<State>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) never: Vec<ExcludedTransition>,
    pub(crate) records: Vec<Tracked>,
}

/// A state.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) value: String,
    pub(crate) place: Place,
    pub(crate) doc: String,
    pub(crate) terminal: bool,
}

/// A change of state.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) place: Place,
    pub(crate) from: Vec<String>,
    pub(crate) trigger: Vec<NameOf<Cause>>,
    pub(crate) to: String,
    pub(crate) condition: String,
    pub(crate) doc: String,
}

/// Transitions that the document rules out, directly and through other states.
#[derive(Clone, Debug)]
pub(crate) struct ExcludedTransition {
    pub(crate) place: Place,
    pub(crate) from: Vec<String>,
    pub(crate) what: Exclusion,
    pub(crate) at: String,
    pub(crate) why: String,
}

/// A transition or a state that is ruled out.
#[derive(Clone, Debug)]
pub(crate) enum Exclusion {
    /// The order becomes one of these states.
    Becoming(Vec<String>),
    /// One of these operations takes effect.
    Operations(Vec<NameOf<Alters>>),
}

/// A record that shows a state, and the meaning of its fields.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    pub(crate) place: Place,
    pub(crate) record: usize,
    pub(crate) id: Option<Placed>,
    pub(crate) client_id: Option<Placed>,
    pub(crate) state: Placed,
    pub(crate) at: Option<Placed>,
}

/// The possibility of an event, as far as the documents state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Possible {
    Yes,
    No,
    Unspecified,
}

impl Transition {
    /// Returns whether an operation with this effect causes it.
    pub(crate) fn has_effect(&self, family: &Family, effect: Effect) -> bool {
        self.trigger.iter().any(|cause| family.has_effect(cause, effect))
    }

    /// Returns whether an operation causes it.
    pub(crate) fn is_caused_by(&self, operation: &Operation) -> bool {
        self.trigger.iter().any(|cause| operation.is(cause))
    }
}

impl Exclusion {
    /// Returns whether it rules out that an operation takes effect.
    pub(crate) fn is_of(&self, operation: &Operation) -> bool {
        matches!(self, Self::Operations(names) if names.iter().any(|name| operation.is(name)))
    }
}

impl Family {
    /// Returns whether a name stands for an operation with this effect.
    fn has_effect(&self, name: &Reference, effect: Effect) -> bool {
        name.number.and_then(|number| self.effects.get(number)) == Some(&effect)
    }

    /// Returns the records that show a state.
    pub(crate) fn tracked_records(&self) -> impl Iterator<Item = &Record> {
        let tracked = self.lifecycle.iter().flat_map(|lifecycle| &lifecycle.records);
        tracked.filter_map(|tracked| self.records.get(tracked.record))
    }
}

impl Lifecycle {
    /// Returns the enum whose values are the states.
    pub(crate) fn states_of<'a>(&self, family: &'a Family) -> &'a Enum {
        &family.enums[self.enum_index]
    }

    /// Returns the state that describes a value of the enum.
    pub(crate) fn state(&self, all: &Enum, index: usize) -> Option<&State> {
        self.states.iter().find(|state| all.index_of(&state.value) == Some(index))
    }

    pub(crate) fn is_terminal(&self, all: &Enum, index: usize) -> bool {
        self.state(all, index).is_some_and(|state| state.terminal)
    }

    /// Returns whether a transition starts from a state. `any` stands for all states that are not terminal.
    pub(crate) fn starts_from(&self, all: &Enum, transition: &Transition, index: usize) -> bool {
        let is_any = transition.from.iter().any(|from| from == "any") && !self.is_terminal(all, index);
        is_any || names_state(all, &transition.from, index)
    }

    /// Returns whether one state can become another: `Yes` if a documented transition leads there, `No` if the
    /// documents exclude it, also through other states.
    pub(crate) fn can_become(&self, all: &Enum, from: usize, to: usize) -> Possible {
        if from == to {
            return Possible::Yes;
        }
        let is_ruled_out = self.never.iter().any(|never| {
            matches!(&never.what, Exclusion::Becoming(states) if names_state(all, states, to))
                && names_state(all, &never.from, from)
        });
        if self.is_terminal(all, from) || is_ruled_out {
            return Possible::No;
        }
        let leads = |transition: &&Transition| all.index_of(&transition.to) == Some(to);
        let is_shown = self.transitions.iter().filter(leads).any(|one| self.starts_from(all, one, from));
        if is_shown { Possible::Yes } else { Possible::Unspecified }
    }

    /// Returns whether an operation with this effect takes effect in a state.
    pub(crate) fn takes(&self, family: &Family, effect: Effect, index: usize) -> Possible {
        let all = self.states_of(family);
        let is_ruled_out = self.never.iter().any(|never| {
            matches!(&never.what, Exclusion::Operations(names) if names.iter().any(|name| family.has_effect(name, effect)))
                && names_state(all, &never.from, index)
        });
        let shown = || {
            let starting = self.transitions.iter().filter(|one| self.starts_from(all, one, index));
            starting.filter(|one| one.has_effect(family, effect))
        };
        if self.is_terminal(all, index) || is_ruled_out {
            Possible::No
        } else if shown().any(|transition| transition.to != "rejected") {
            Possible::Yes
        } else if shown().next().is_some() {
            Possible::No
        } else {
            Possible::Unspecified
        }
    }
}

/// Returns whether a value of the enum is among these states, in any of its spellings.
fn names_state(all: &Enum, states: &[String], index: usize) -> bool {
    states.iter().any(|state| all.index_of(state) == Some(index))
}
