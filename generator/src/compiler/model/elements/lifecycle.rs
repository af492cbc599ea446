//! The elements of lifecycles: states of orders, and how they follow one another.

use super::{
    Element, Key, additive, behaviour, breaking, documentation, flag, in_any_order, list, names, path, source,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::facts::Fact;
use crate::compiler::model::{ExcludedTransition, Exclusion, Family, Lifecycle, State, Tracked, Transition, Type};

impl Lifecycle {
    pub(super) fn element(&self, family: &Family) -> Element {
        let Self { enum_index, place, source: from, states, transitions, never, records } = self;
        let of = Type::Enum(*enum_index);
        let states_of = Key::new("enum", family.type_name(of), breaking("another enum has the states"));
        Element::new("lifecycle", &family.name, ["lifecycle", "lifecycle"], *place)
            .when(
                additive("`LIFECYCLE`, and functions of the enum that use it"),
                breaking("`LIFECYCLE` and the functions of the enum that use it are removed"),
            )
            .keys([states_of.same_as(family.type_rust(of)), source(from.as_ref())])
            .holds(states.iter().map(|state| state.element(&family.name)))
            .holds(transitions.iter().map(|transition| transition.element(&family.name)))
            .holds(never.iter().map(|never| never.element(&family.name)))
            .holds(records.iter().map(|tracked| tracked.element(family)))
    }
}

impl State {
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { value, place, doc, terminal } = self;
        Element::new("state", path(family, value), [value, value], *place)
            .when(behaviour("the exchange shows it"), behaviour("the exchange no longer shows it"))
            .keys([
                Key::new("terminal", flag(*terminal), behaviour("whether another state follows it")),
                Key::prose("doc", doc),
            ])
            .states([(*place, Fact::State { family: family.to_owned(), state: value.clone() })])
    }
}

impl Transition {
    /// One fact for each state and trigger.
    fn facts(&self, family: &str) -> Vec<(Place, Fact)> {
        let fact = |from: &String, trigger: &String| {
            let to = if self.to == "unchanged" { from } else { &self.to };
            let (from, trigger, to) = (from.clone(), trigger.clone(), to.clone());
            (self.place, Fact::Transition { family: family.to_owned(), from, trigger, to })
        };
        let by_each = |from| self.trigger.iter().map(move |(trigger, _)| fact(from, trigger));
        self.from.iter().flat_map(by_each).collect()
    }

    /// A transition has no name; its content identifies it.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, from, trigger, to, condition, doc } = self;
        let name = format!("{} -> {to} by {}", list(from), names(trigger));
        let same = format!("{} -> {to} by {}", in_any_order(from), in_any_order(trigger.iter().map(|(name, _)| name)));
        Element::new("transition", path(family, &name), [&same, &same], *place)
            .when(behaviour("it happens"), behaviour("it no longer happens"))
            .keys([Key::new("condition", condition, behaviour("when it happens")), Key::prose("doc", doc)])
            .states(self.facts(family))
    }
}

impl ExcludedTransition {
    /// An element without a name; its content identifies it.
    pub(super) fn element(&self, family: &str) -> Element {
        let Self { place, from, what, at, why } = self;
        let (name, same) = match what {
            Exclusion::Becoming(states) => (
                format!("{} -> {}", list(from), list(states)),
                format!("{} -> {}", in_any_order(from), in_any_order(states)),
            ),
            Exclusion::Operations(operations) => (
                format!("{} by {}", list(from), names(operations)),
                format!("{} by {}", in_any_order(from), in_any_order(operations.iter().map(|(name, _)| name))),
            ),
        };
        Element::new("never", path(family, &name), [&same, &same], *place)
            .when(behaviour("it is ruled out"), behaviour("it is no longer ruled out"))
            .keys([Key::new("at", at, documentation("")), Key::prose("why", why)])
    }
}

impl Tracked {
    pub(super) fn element(&self, family: &Family) -> Element {
        let Self { place, record, id, client_id, state, at } = self;
        let of = Type::Record(*record);
        let (name, rust) = (family.type_name(of), family.type_rust(of));
        let field = |name, field: Option<&(String, Place)>| Key::placed(name, field, behaviour("another field has it"));
        Element::new("tracked record", path(&family.name, name), [name, rust], *place)
            .when(additive("it implements `HasState`"), breaking("it no longer implements `HasState`"))
            .keys([
                field("id", id.as_ref()),
                field("client_id", client_id.as_ref()),
                field("state", Some(state)),
                field("at", at.as_ref()),
            ])
    }
}
