//! Lifecycles: every value is a state, terminal states are final, and records have fields of the right types.

use std::collections::BTreeSet;

use super::{records, repeated};
use crate::compiler::diagnostics::{Code, Diagnostics, nearest};
use crate::compiler::model::{
    ANY, Api, Enum, EnumValue, ExcludedTransition, Exclusion, Family, Lifecycle, NameOf, Next, Shape, Tracked,
    Transition, Type,
};

/// Returns the words that are allowed in place of a state.
fn no_states() -> impl Iterator<Item = &'static str> {
    [ANY].into_iter().chain(Next::WORDS)
}

/// Checks the lifecycle of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(lifecycle) = &family.lifecycle else { return };
    values_are_states(family, lifecycle, to);
    for transition in &lifecycle.transitions {
        terminal_states_are_final(lifecycle, transition, to);
    }
    let Some(all) = family.enums.get(lifecycle.enum_index) else { return };
    statements_are_distinct(lifecycle, to);
    for never in &lifecycle.never {
        excluded_transitions_are_absent(lifecycle, all, never, to);
    }
    lifecycle.records.iter().for_each(|tracked| record_has_state(family, lifecycle, tracked, to));
    for (first, tracked) in repeated(&lifecycle.records, |one, other| one.record == other.record) {
        to.at(tracked.place, Code::DefinedTwice, "duplicate record")
            .related(first.place, "first listed here")
            .help("remove one of them");
    }
}

/// Checks that no transition and no exclusion is listed twice, and none is ruled out of a state to itself.
fn statements_are_distinct(lifecycle: &Lifecycle, to: &mut Diagnostics) {
    let triggers = |one: &Transition| one.trigger.iter().map(|cause| cause.text.clone()).collect::<BTreeSet<_>>();
    let states = |states: &[String]| states.iter().cloned().collect::<BTreeSet<_>>();
    let same = |one: &Transition, other: &Transition| {
        (states(&one.from), triggers(one), &one.to, &one.condition)
            == (states(&other.from), triggers(other), &other.to, &other.condition)
    };
    for (first, one) in repeated(&lifecycle.transitions, same) {
        to.at(one.place, Code::DefinedTwice, "duplicate transition")
            .related(first.place, "first listed here")
            .help("remove one of them");
    }
    for never in &lifecycle.never {
        if let Exclusion::Becoming(ends) = &never.what
            && let Some(state) = never.from.iter().find(|from| ends.contains(from))
        {
            to.at(never.place, Code::BadLifecycle, format!("`never` rules out that `{state}` becomes itself"))
                .help("name another state, or an operation as `trigger`");
        }
    }
}

fn values_are_states(family: &Family, lifecycle: &Lifecycle, to: &mut Diagnostics) {
    let Some(all) = family.enums.get(lifecycle.enum_index) else { return };
    let is_state = |value: &&EnumValue| {
        lifecycle.states.iter().any(|state| all.index_of(&state.value) == all.index_of(&value.name.wire))
    };
    let stateless: Vec<&EnumValue> = all.values.iter().filter(|value| !is_state(value)).collect();
    // A misspelt state is reported at its place.
    let misspelt: Vec<&str> = lifecycle
        .states
        .iter()
        .map(|state| state.value.as_str())
        .filter(|state| all.index_of(state).is_none() && no_states().all(|word| word != *state))
        .collect();
    let is_misspelt = |value: &EnumValue| {
        let wires = || stateless.iter().map(|value| value.name.wire.as_str());
        let is_meant = |state: &&&str| nearest(state, wires()) == Some(value.name.wire.as_str());
        misspelt.iter().any(|state| is_meant(&state)) || (stateless.len(), misspelt.len()) == (1, 1)
    };
    for value in stateless.iter().copied().filter(|value| !is_misspelt(value)) {
        to.at(
            lifecycle.place,
            Code::BadLifecycle,
            format!("missing state for the value `{}` of `{}`", value.name.wire, all.name.wire),
        )
        .related(value.name.place, "the value is defined here")
        .help(format!("add `{}: {{ doc: .. }}` to `states`", value.name.wire));
    }
    for state in lifecycle.states.iter().filter(|state| no_states().any(|word| word == state.value)) {
        to.at(
            state.place,
            Code::BadLifecycle,
            format!("a state cannot be named `{}`, which has a meaning in transitions", state.value),
        )
        .help("the schema language cannot express such a state");
    }
}

/// Checks that no state follows a terminal one, except through a rejection, which changes nothing.
fn terminal_states_are_final(lifecycle: &Lifecycle, transition: &Transition, to: &mut Diagnostics) {
    let Some(next) = transition.to.state().filter(|next| !next.is_empty() && *next != ANY) else { return };
    let ends = lifecycle.states.iter().filter(|state| state.terminal && state.value != next);
    for state in ends.filter(|state| transition.from.contains(&state.value)) {
        to.at(transition.place, Code::BadLifecycle, format!("the terminal state `{}` becomes `{next}`", state.value))
            .related(state.place, "it is declared terminal here")
            .help("remove `terminal` there, or the state from `from`");
    }
}

/// Checks that the transitions do not lead to what an exclusion rules out.
fn excluded_transitions_are_absent(
    lifecycle: &Lifecycle,
    all: &Enum,
    never: &ExcludedTransition,
    to: &mut Diagnostics,
) {
    for from in never.from.iter().filter_map(|from| all.index_of(from)) {
        let shown = match &never.what {
            Exclusion::Becoming(states) => states
                .iter()
                .filter_map(|state| all.index_of(state))
                .find_map(|end| last_transition(lifecycle, all, from, end)),
            Exclusion::Operations(names) => lifecycle.transitions.iter().find(|one| {
                let is_caused_by = |name: &NameOf<_>| one.trigger.iter().any(|cause| cause.is_same(name));
                names.iter().any(is_caused_by) && one.to != Next::Rejected && lifecycle.starts_from(all, one, from)
            }),
        };
        if let Some(shown) = shown {
            to.at(never.place, Code::BadLifecycle, "a transition shows what `never` rules out")
                .related(shown.place, "the transition is here")
                .help("correct one of them");
        }
    }
}

/// Returns the last transition on a path of any length from one state to another.
fn last_transition<'a>(lifecycle: &'a Lifecycle, all: &Enum, from: usize, end: usize) -> Option<&'a Transition> {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(state) = reached.get(next).copied() {
        for one in lifecycle.transitions.iter().filter(|one| lifecycle.starts_from(all, one, state)) {
            match one.next_in(all) {
                Some(found) if found == end => return Some(one),
                Some(found) if !reached.contains(&found) => reached.push(found),
                _ => {}
            }
        }
        next += 1;
    }
    None
}

/// The description and the test of the type that a field must have.
type Expected = (&'static str, fn(&Lifecycle, &Shape) -> bool);

const ID: Expected = ("an identifier", |_, shape| shape.is_one(Type::is_identifier));
const TIME: Expected = ("a `time`", |_, shape| shape.is_one(Type::is_time));
const STATE: Expected =
    ("a value of the lifecycle's enum", |lifecycle, shape| shape.is_one(|ty| ty == Type::Enum(lifecycle.enum_index)));

fn record_has_state(family: &Family, lifecycle: &Lifecycle, tracked: &Tracked, to: &mut Diagnostics) {
    let Some(record) = family.records.get(tracked.record) else { return };
    if record.is_abstract {
        to.at(
            tracked.place,
            Code::BadLifecycle,
            format!("the record `{}` is abstract, so no answer contains it", record.name.wire),
        )
        .related(record.name.place, "it is defined here")
        .help("name the records that include it");
    }
    let keys = [
        ("id", tracked.id.as_ref(), ID),
        ("client_id", tracked.client_id.as_ref(), ID),
        ("state", Some(&tracked.state), STATE),
        ("at", tracked.at.as_ref(), TIME),
    ];
    for (key, name, (what, fits)) in keys {
        let Some(name) = name else { continue };
        let Some(field) = records::field(record, name, to).filter(|field| !fits(lifecycle, &field.shape)) else {
            continue;
        };
        to.at(name.1, Code::BadLifecycle, format!("expected {what} as `{key}`, found `{}`", name.0))
            .related(field.name.place, "the field is here")
            .help("name a field of that type");
    }
}
