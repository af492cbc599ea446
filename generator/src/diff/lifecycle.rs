//! States, how one becomes another, and the records that tell them.

use super::aspect::{aspect, flag, list, maybe, prose};
use super::class::{additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::{Scope, path};
use crate::diagnostics::Place;
use crate::model::{Lifecycle, Never, Ruled, State, Tracked, Transition, Type};

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>) {
    let thing = |all: &Lifecycle| Thing::new("lifecycle", scope.new.name.as_str(), all.place);
    match (&scope.old.lifecycle, &scope.new.lifecycle) {
        (None, None) => {}
        (Some(gone), None) => {
            to.removed(&thing(gone), breaking("`LIFECYCLE` and what the enum tells from it are gone"))
        }
        (None, Some(more)) => to.added(&thing(more), additive("`LIFECYCLE`, and the enum tells from it")),
        (Some(old), Some(new)) => {
            let types = (scope.old_type(Type::Enum(old.enum_index)), scope.new_type(Type::Enum(new.enum_index)));
            let moved = breaking("another enum has the states");
            to.compare(&thing(new), [aspect("enum", types.0, types.1, moved)]);
            states(to, &scope.new.name, &old.states, &new.states);
            transitions(to, &scope.new.name, &old.transitions, &new.transitions);
            never(to, &scope.new.name, &old.never, &new.never);
            records(to, scope, &old.records, &new.records);
        }
    }
}

fn states(to: &mut Found, of: &str, old: &[State], new: &[State]) {
    let pairs = pairs(old, new, |state| [&state.value, &state.value]);
    let thing = |state: &State| Thing::new("state", path(of, &state.value), state.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), behaviour("the exchange no longer shows it"));
    }
    for (old, new) in pairs.both {
        let terminal = behaviour("whether something follows it");
        let terminal = aspect("terminal", flag(old.terminal), flag(new.terminal), terminal);
        to.compare(&thing(new), [terminal, prose("doc", &old.doc, &new.doc)]);
    }
    for more in pairs.added {
        to.added(&thing(more), behaviour("the exchange shows it"));
    }
}

/// A transition, or what never happens, has no name; it is told by what it is.
struct Named<'a, T> {
    name: String,
    all: &'a T,
}

fn named<'a, T>(list: &'a [T], name: impl Fn(&T) -> String) -> Vec<Named<'a, T>> {
    list.iter().map(|all| Named { name: name(all), all }).collect()
}

fn transitions(to: &mut Found, of: &str, old: &[Transition], new: &[Transition]) {
    let words = |all: &Transition| {
        format!("{} -> {} by {}", list(&all.from), all.to, list(all.trigger.iter().map(|(trigger, _)| trigger)))
    };
    let (old, new) = (named(old, words), named(new, words));
    let pairs = pairs(&old, &new, |one| [&one.name, &one.name]);
    let thing = |one: &Named<'_, Transition>| Thing::new("transition", path(of, &one.name), one.all.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), behaviour("it no longer happens"));
    }
    for (old, new) in pairs.both {
        let condition = aspect("condition", &old.all.condition, &new.all.condition, behaviour("when it happens"));
        to.compare(&thing(new), [condition, prose("doc", &old.all.doc, &new.all.doc)]);
    }
    for more in pairs.added {
        to.added(&thing(more), behaviour("it happens"));
    }
}

fn never(to: &mut Found, of: &str, old: &[Never], new: &[Never]) {
    let words = |all: &Never| match &all.what {
        Ruled::Becoming(states) => format!("{} -> {}", list(&all.from), list(states)),
        Ruled::Operations(names) => format!("{} by {}", list(&all.from), list(names.iter().map(|(name, _)| name))),
    };
    let (old, new) = (named(old, words), named(new, words));
    let pairs = pairs(&old, &new, |one| [&one.name, &one.name]);
    let thing = |one: &Named<'_, Never>| Thing::new("never", path(of, &one.name), one.all.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), behaviour("it is not ruled out"));
    }
    for (old, new) in pairs.both {
        let at = aspect("at", &old.all.at, &new.all.at, documentation(""));
        to.compare(&thing(new), [at, prose("why", &old.all.why, &new.all.why)]);
    }
    for more in pairs.added {
        to.added(&thing(more), behaviour("it is ruled out"));
    }
}

fn records(to: &mut Found, scope: &Scope<'_>, old: &[Tracked], new: &[Tracked]) {
    let of = |name: &str| path(&scope.new.name, name);
    let older = named(old, |all| scope.old_type(Type::Record(all.record)).to_owned());
    let newer = named(new, |all| scope.new_type(Type::Record(all.record)).to_owned());
    let pairs = pairs(&older, &newer, |one| [&one.name, &one.name]);
    let thing = |one: &Named<'_, Tracked>| Thing::new("tracked record", of(&one.name), one.all.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("it is no `HasState` any more"));
    }
    for (old, new) in pairs.both {
        let field = |what, of: fn(&Tracked) -> Option<&(String, Place)>| {
            let text = |all: &Tracked| maybe(of(all).map(|(name, _)| name));
            let tells = behaviour("another field tells it");
            aspect(what, text(old.all), text(new.all), tells).at(None, of(new.all).map(|(_, place)| *place))
        };
        to.compare(
            &thing(new),
            [
                field("id", |all| all.id.as_ref()),
                field("client_id", |all| all.client_id.as_ref()),
                field("state", |all| Some(&all.state)),
                field("at", |all| all.at.as_ref()),
            ],
        );
    }
    for more in pairs.added {
        to.added(&thing(more), additive("it is a `HasState`"));
    }
}
