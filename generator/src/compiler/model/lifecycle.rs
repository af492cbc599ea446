//! Lifecycles: states, the transitions between them, and what the documents state about both.

use super::{Alters, Cause, Enum, Family, NameOf, Operation, Placed, Record, Reference, Source};
use crate::compiler::diagnostics::Place;
use crate::compiler::words::Effect;

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
