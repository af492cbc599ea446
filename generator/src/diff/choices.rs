//! Choices: what there is to choose from, and what goes with it.

use super::aspect::{aspect, placed, prose};
use super::class::{Verdict, additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::parameters;
use super::scope::{Scope, path};
use crate::model::{Case, Choice, ChoiceKind, Family, Name, Parameter, Type};

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>) {
    let pairs = pairs(&scope.old.choices, &scope.new.choices, |choice| [&choice.name.wire, &choice.name.rust]);
    let thing = |choice: &Choice| Thing::new("choice", path(&scope.new.name, &choice.name.wire), choice.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the type is gone"));
    }
    for (old, new) in pairs.both {
        both(to, scope, &thing(new), old, new);
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new type"));
    }
}

fn both(to: &mut Found, scope: &Scope<'_>, thing: &Thing, old: &Choice, new: &Choice) {
    to.compare(
        thing,
        [
            aspect("name", &old.name.wire, &new.name.wire, documentation("")),
            aspect("rust", &old.name.rust, &new.name.rust, breaking("the type has another name")),
            aspect("chosen by", way(old), way(new), breaking("the enum has other variants")),
            prose("doc", &old.doc, &new.doc),
        ],
    );
    match (&old.kind, &new.kind) {
        (
            ChoiceKind::Presence { alternatives: old, wins: old_wins },
            ChoiceKind::Presence { alternatives: new, wins: new_wins },
        ) => {
            let wins = documentation("two at once cannot be written");
            to.compare(thing, [placed("wins", old_wins.as_ref(), new_wins.as_ref(), wins)]);
            alternatives(to, scope, thing, old, new);
        }
        (
            ChoiceKind::Value { decider: old_decider, enum_index: old_enum, cases: old_cases },
            ChoiceKind::Value { decider: new_decider, enum_index: new_enum, cases: new_cases },
        ) => {
            let types = (scope.old_type(Type::Enum(*old_enum)), scope.new_type(Type::Enum(*new_enum)));
            to.compare(
                thing,
                [
                    aspect("choose_by", &old_decider.wire, &new_decider.wire, behaviour("another parameter decides")),
                    aspect("type", types.0, types.1, breaking("`kind` returns another type")),
                ],
            );
            cases(
                to,
                scope,
                thing,
                old_cases,
                |case| value(scope.old, *old_enum, case),
                new_cases,
                |case| value(scope.new, *new_enum, case),
            );
        }
        (ChoiceKind::Presence { .. }, ChoiceKind::Value { .. })
        | (ChoiceKind::Value { .. }, ChoiceKind::Presence { .. }) => {}
    }
}

fn way(choice: &Choice) -> &'static str {
    match choice.kind {
        ChoiceKind::Presence { .. } => "which one is sent",
        ChoiceKind::Value { .. } => "a value",
    }
}

fn alternatives(to: &mut Found, scope: &Scope<'_>, choice: &Thing, old: &[Parameter], new: &[Parameter]) {
    let pairs = pairs(old, new, |parameter| [&parameter.name.wire, &parameter.name.rust]);
    let thing = |all: &Parameter| Thing::new("alternative", path(&choice.path, &all.name.wire), all.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the variant is gone"));
    }
    for (old, new) in pairs.both {
        parameters::both(to, scope, "alternative", &choice.path, old, new);
    }
    for more in pairs.added {
        to.added(&thing(more), alternative_came(scope, old, more));
    }
}

/// Only the one alternative of a type can be made from a value of it with `From`.
fn alternative_came(scope: &Scope<'_>, old: &[Parameter], more: &Parameter) -> Verdict {
    let ty = scope.new_shape(&more.shape);
    let like_it = old.iter().filter(|parameter| scope.old_shape(&parameter.shape) == ty).count();
    match like_it {
        1 => breaking(format!("a new variant; `From` a {ty} goes, because two variants hold one")),
        _ => additive("a new variant"),
    }
}

/// The value of the deciding enum that a case is for.
fn value<'a>(family: &'a Family, enum_index: usize, case: &Case) -> &'a Name {
    &family.enums[enum_index].values[case.value].name
}

fn cases<'a>(
    to: &mut Found,
    scope: &Scope<'_>,
    choice: &Thing,
    old: &'a [Case],
    old_value: impl Fn(&Case) -> &'a Name,
    new: &'a [Case],
    new_value: impl Fn(&Case) -> &'a Name,
) {
    let named = |cases: &'a [Case], value: &dyn Fn(&Case) -> &'a Name| -> Vec<Named<'a>> {
        cases.iter().map(|case| Named { name: value(case), case }).collect()
    };
    let (old, new) = (named(old, &old_value), named(new, &new_value));
    let pairs = pairs(&old, &new, |case| [&case.name.wire, &case.name.rust]);
    let thing = |case: &Named<'_>| Thing::new("case", path(&choice.path, &case.name.wire), choice.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the variant is gone"));
    }
    for (old, new) in pairs.both {
        case(to, scope, &thing(new), &old.case.parameters, &new.case.parameters);
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new variant"));
    }
}

/// A case and the value it is for.
struct Named<'a> {
    name: &'a Name,
    case: &'a Case,
}

/// A case without parameters is a bare variant; with any it holds them.
fn case(to: &mut Found, scope: &Scope<'_>, thing: &Thing, old: &[Parameter], new: &[Parameter]) {
    if !old.is_empty() || new.is_empty() {
        return parameters::compare(to, scope, &thing.path, old, new);
    }
    for parameter in new {
        let thing = Thing::new("parameter", path(&thing.path, &parameter.name.wire), parameter.name.place);
        to.added(&thing, breaking("the variant holds something, where it was bare"));
    }
}
