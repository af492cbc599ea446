//! What a caller may tell about an account and what is traded.

use super::aspect::{aspect, prose};
use super::class::{additive, behaviour, breaking};
use super::enums;
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::path;
use crate::diagnostics::Place;
use crate::model::{Account, Api, Instrument, InstrumentProperty, Property, PropertyKind};

pub(super) fn compare(to: &mut Found, old: &Api, new: &Api) {
    let thing = |api: &Api| Thing::new("account", "account", api.place);
    match (&old.account, &new.account) {
        (None, None) => {}
        (Some(_), None) => to.removed(&thing(old), breaking("`Account` is the runtime's, of which nothing is told")),
        (None, Some(_)) => to.added(&thing(new), breaking("`Account` is a type of its own")),
        (Some(old), Some(account)) => both(to, new.place, old, account),
    }
}

fn both(to: &mut Found, place: Place, old: &Account, new: &Account) {
    to.compare(&Thing::new("account", "account", place), [prose("doc", &old.doc, &new.doc)]);
    let pairs = pairs(&old.properties, &new.properties, |all| [&all.name.wire, &all.name.rust]);
    let thing = |all: &Property| Thing::new("property", path("account", &all.name.wire), all.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("its setter is gone"));
    }
    for (old, new) in pairs.both {
        property(to, &thing(new), old, new);
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a setter tells it"));
    }
    instrument(to, place, old.instrument.as_ref(), new.instrument.as_ref());
}

fn property(to: &mut Found, thing: &Thing, old: &Property, new: &Property) {
    to.compare(
        thing,
        [
            aspect("name", &old.name.wire, &new.name.wire, behaviour("rules know it by another name")),
            aspect("rust", old.name.bare(), new.name.bare(), breaking("its setter has another name")),
            aspect("type", kind(old), kind(new), breaking("its setter takes another type")),
            prose("doc", &old.doc, &new.doc),
        ],
    );
    if let (PropertyKind::Words(_, old), PropertyKind::Words(_, new)) = (&old.kind, &new.kind) {
        enums::values(to, &thing.path, old, new);
    }
}

fn kind(property: &Property) -> &str {
    match &property.kind {
        PropertyKind::Words(name, _) => &name.rust,
        PropertyKind::Flag => "flag",
        PropertyKind::Time => "time",
        PropertyKind::Names => "names",
    }
}

fn instrument(to: &mut Found, place: Place, old: Option<&Instrument>, new: Option<&Instrument>) {
    let thing = || Thing::new("instrument", "instrument", place);
    match (old, new) {
        (None, None) => {}
        (Some(_), None) => to.removed(&thing(), breaking("the type is gone")),
        (None, Some(_)) => to.added(&thing(), additive("a new type")),
        (Some(old), Some(new)) => {
            to.compare(&thing(), [prose("doc", &old.doc, &new.doc)]);
            numbers(to, &old.properties, &new.properties);
        }
    }
}

fn numbers(to: &mut Found, old: &[InstrumentProperty], new: &[InstrumentProperty]) {
    let pairs = pairs(old, new, |all| [&all.name.wire, &all.name.rust]);
    let thing = |all: &InstrumentProperty| Thing::new("property", path("instrument", &all.name.wire), all.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("its setter is gone"));
    }
    for (old, new) in pairs.both {
        to.compare(
            &thing(new),
            [
                aspect("name", &old.name.wire, &new.name.wire, behaviour("rules know it by another name")),
                aspect("rust", old.name.bare(), new.name.bare(), breaking("its setter has another name")),
                prose("doc", &old.doc, &new.doc),
            ],
        );
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a setter tells it"));
    }
}
