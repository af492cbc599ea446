//! Lifecycles: every value is a state, what has ended stays so, and records tell states by the right fields.

use super::records;
use crate::diagnostics::{Code, Diagnostics, Place, did_you_mean, name_list};
use crate::model::{Api, Effect, Enum, Family, Lifecycle, Never, Ruled, Shape, Tracked, Transition, Type};

/// Words that stand where a state does and are none.
const NO_STATES: [&str; 3] = ["any", "unchanged", "rejected"];

/// The lifecycle of a family.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(lifecycle) = &family.lifecycle else { return };
    values_are_states(family, lifecycle, to);
    for transition in &lifecycle.transitions {
        end_is_the_end(lifecycle, transition, to);
        triggers_are_spelled_right(family, transition, to);
    }
    let Some(all) = family.enums.get(lifecycle.enum_index) else { return };
    for never in &lifecycle.never {
        never_is_never(api, family, lifecycle, all, never, to);
    }
    for (index, tracked) in lifecycle.records.iter().enumerate() {
        record_tells_the_state(family, lifecycle, tracked, to);
        let first = lifecycle.records.iter().take(index).find(|other| other.record == tracked.record);
        if let Some(first) = first {
            to.at(tracked.place, Code::DefinedTwice, "the record is named already")
                .related(first.place, "it is named here")
                .help("take one of the two away");
        }
    }
}

fn values_are_states(family: &Family, lifecycle: &Lifecycle, to: &mut Diagnostics) {
    let Some(all) = family.enums.get(lifecycle.enum_index) else { return };
    for value in all.values.iter().filter(|value| {
        !lifecycle.states.iter().any(|state| all.index_of(&state.value) == all.index_of(&value.name.wire))
    }) {
        to.at(
            lifecycle.place,
            Code::BadLifecycle,
            format!("the value `{}` of `{}` is no state", value.name.wire, all.name.wire),
        )
        .related(value.name.place, "the value is defined here")
        .help(format!("add `{}: {{ doc: .. }}` to `states`", value.name.wire));
    }
    for state in lifecycle.states.iter().filter(|state| NO_STATES.contains(&state.value.as_str())) {
        to.at(
            state.place,
            Code::BadLifecycle,
            format!("`{}` is a word of the transitions, and cannot be a state", state.value),
        )
        .help("the schema language has no way to speak of it; ask for another word");
    }
}

/// Nothing follows a terminal state; that something was refused does not change it.
fn end_is_the_end(lifecycle: &Lifecycle, transition: &Transition, to: &mut Diagnostics) {
    if NO_STATES.contains(&transition.to.as_str()) || transition.to.is_empty() {
        return;
    }
    let ends = lifecycle.states.iter().filter(|state| state.terminal && state.value != transition.to);
    for state in ends.filter(|state| transition.from.contains(&state.value)) {
        to.at(
            transition.place,
            Code::BadLifecycle,
            format!("`{}` is terminal, and becomes `{}` here", state.value, transition.to),
        )
        .related(state.place, "it is terminal here")
        .help("take `terminal` away there, or the state away from `from`");
    }
}

/// What can be cancelled and amended follows from the names of operations, so a slip in one must not pass for prose.
fn triggers_are_spelled_right(family: &Family, transition: &Transition, to: &mut Diagnostics) {
    let operations = || family.operations.iter().map(|operation| operation.name.as_str());
    for (trigger, place) in transition.trigger.iter().filter(|(trigger, _)| !operations().any(|name| name == trigger)) {
        let help = did_you_mean(trigger, operations()).filter(|_| !trigger.contains(' '));
        if let Some(help) = help {
            to.at(*place, Code::UndefinedName, format!("no operation is called `{trigger}`")).help(help);
        }
    }
}

fn never_is_never(api: &Api, family: &Family, lifecycle: &Lifecycle, all: &Enum, never: &Never, to: &mut Diagnostics) {
    if let Ruled::Operations(names) = &never.what
        && api.is_whole
    {
        names.iter().for_each(|(name, place)| changes_orders(family, name, *place, to));
    }
    for from in never.from.iter().filter_map(|from| all.index_of(from)) {
        let shown = match &never.what {
            Ruled::Becoming(states) => {
                states.iter().filter_map(|state| all.index_of(state)).find_map(|end| way(lifecycle, all, from, end))
            }
            Ruled::Operations(names) => lifecycle.transitions.iter().find(|one| {
                let has_trigger = names.iter().any(|(name, _)| one.trigger.iter().any(|(trigger, _)| trigger == name));
                has_trigger && one.to != "rejected" && lifecycle.starts_from(all, one, from)
            }),
        };
        if let Some(shown) = shown {
            to.at(never.place, Code::BadLifecycle, "this never happens, and a transition shows it")
                .related(shown.place, "it is shown here")
                .help("fix the one that is wrong");
        }
    }
}

/// The last transition of a way from one state to another, over as many as it takes.
fn way<'a>(lifecycle: &'a Lifecycle, all: &Enum, from: usize, end: usize) -> Option<&'a Transition> {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(state) = reached.get(next).copied() {
        for one in lifecycle.transitions.iter().filter(|one| lifecycle.starts_from(all, one, state)) {
            match all.index_of(&one.to) {
                Some(found) if found == end => return Some(one),
                Some(found) if !reached.contains(&found) => reached.push(found),
                _ => {}
            }
        }
        next += 1;
    }
    None
}

fn changes_orders(family: &Family, name: &str, place: Place, to: &mut Diagnostics) {
    let operation = family.operations.iter().find(|operation| operation.name == name);
    if !operation.is_some_and(|operation| matches!(operation.effect, Effect::Amend | Effect::Cancel)) {
        let such = family.operations.iter().filter(|one| matches!(one.effect, Effect::Amend | Effect::Cancel));
        let names = name_list(such.map(|one| one.name.as_str()));
        to.at(place, Code::BadLifecycle, format!("`{name}` is no operation that amends or cancels"))
            .help(format!("name one that does: {names}"));
    }
}

/// What a field of a record has to be, for what it tells.
type Kind = (&'static str, fn(&Lifecycle, &Shape) -> bool);

const ID: Kind = ("an identifier", |_, shape| matches!(shape, Shape::One(Type::Identifier(_) | Type::Undefined)));
const TIME: Kind = ("a `time`", |_, shape| matches!(shape, Shape::One(Type::Time | Type::Undefined)));
const STATE: Kind = ("of the lifecycle's enum", |lifecycle, shape| match shape {
    Shape::One(Type::Enum(index)) => *index == lifecycle.enum_index,
    shape => matches!(shape, Shape::One(Type::Undefined)),
});

fn record_tells_the_state(family: &Family, lifecycle: &Lifecycle, tracked: &Tracked, to: &mut Diagnostics) {
    let Some(record) = family.records.get(tracked.record) else { return };
    if record.is_abstract {
        to.at(tracked.place, Code::BadLifecycle, format!("the record `{}` is abstract", record.name.wire))
            .related(record.name.place, "it is defined here")
            .help("name the records that include it");
    }
    let told = [
        ("id", tracked.id.as_ref(), ID),
        ("client_id", tracked.client_id.as_ref(), ID),
        ("state", Some(&tracked.state), STATE),
        ("at", tracked.at.as_ref(), TIME),
    ];
    for (key, name, (what, fits)) in told {
        let Some(name) = name else { continue };
        let Some(field) = records::field(record, name, to).filter(|field| !fits(lifecycle, &field.shape)) else {
            continue;
        };
        to.at(name.1, Code::BadLifecycle, format!("the `{key}` is `{}`, which is not {what}", name.0))
            .related(field.name.place, "the field is here")
            .help(format!("name a field that is {what}"));
    }
}
