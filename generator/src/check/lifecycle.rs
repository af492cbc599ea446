//! Lifecycles: every value is a state, and what has ended stays so.

use crate::diagnostics::{Code, Diagnostics};
use crate::model::{Api, Family, Lifecycle, Transition};

/// Words that stand where a state does and are none.
const NO_STATES: [&str; 3] = ["any", "unchanged", "rejected"];

/// The lifecycle of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(lifecycle) = &family.lifecycle else { return };
    values_are_states(family, lifecycle, to);
    for transition in &lifecycle.transitions {
        end_is_the_end(lifecycle, transition, to);
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
