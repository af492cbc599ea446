//! Enums: their values, and which of them is true.

use super::aspect::{aspect, list, prose};
use super::class::{additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::{Scope, path};
use crate::model::{Enum, EnumValue};

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>) {
    let pairs = pairs(&scope.old.enums, &scope.new.enums, |all| [&all.name.wire, &all.name.rust]);
    let thing = |all: &Enum| Thing::new("enum", path(&scope.new.name, &all.name.wire), all.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the type is gone"));
    }
    for (old, new) in pairs.both {
        both(to, &thing(new), old, new);
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new type"));
    }
}

fn both(to: &mut Found, thing: &Thing, old: &Enum, new: &Enum) {
    let truth = match (old.truth, new.truth) {
        (None, _) => additive("it can be made from a bool"),
        (_, None) => breaking("`From<bool>` is gone"),
        _ => behaviour("a bool becomes another value"),
    };
    let place = |all: &Enum| all.truth_places.first().map(|(_, place)| *place);
    to.compare(
        thing,
        [
            aspect("name", &old.name.wire, &new.name.wire, documentation("")),
            aspect("rust", &old.name.rust, &new.name.rust, breaking("the type has another name")),
            aspect("truth", truth_words(old), truth_words(new), truth).at(place(old), place(new)),
            prose("doc", &old.doc, &new.doc),
        ],
    );
    values(to, &thing.path, &old.values, &new.values);
}

fn truth_words(all: &Enum) -> String {
    let word = |index: usize| all.values[index].name.wire.as_str();
    all.truth.map(|(yes, no)| format!("{} is true, {} is false", word(yes), word(no))).unwrap_or_default()
}

/// The values of an enum, or the words of a property.
pub(super) fn values(to: &mut Found, of: &str, old: &[EnumValue], new: &[EnumValue]) {
    let pairs = pairs(old, new, |value| [&value.name.wire, &value.name.rust]);
    let thing = |value: &EnumValue| Thing::new("value", path(of, &value.name.wire), value.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the variant is gone"));
    }
    for (old, new) in pairs.both {
        let place = |value: &EnumValue| value.also.first().map(|(_, place)| *place);
        let also = |value: &EnumValue| list(value.also.iter().map(|(also, _)| also));
        to.compare(
            &thing(new),
            [
                aspect("name", &old.name.wire, &new.name.wire, behaviour("it has another name on the wire")),
                aspect("rust", &old.name.rust, &new.name.rust, breaking("the variant has another name")),
                aspect("also", also(old), also(new), behaviour("other spellings are read as it"))
                    .at(place(old), place(new)),
                prose("doc", &old.doc, &new.doc),
            ],
        );
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new variant; matches have a wildcard"));
    }
}
