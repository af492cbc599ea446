//! Identifiers: what their texts may be, and the forms that tell kinds of them apart.

use super::aspect::{aspect, flag, placed, prose};
use super::class::{Verdict, additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::{Scope, path};
use crate::model::{Form, Identifier, alphabet};

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>) {
    let pairs = pairs(&scope.old.identifiers, &scope.new.identifiers, |all| [&all.name.wire, &all.name.rust]);
    let thing = |all: &Identifier| Thing::new("identifier", path(&scope.new.name, &all.name.wire), all.name.place);
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

fn both(to: &mut Found, thing: &Thing, old: &Identifier, new: &Identifier) {
    to.compare(
        thing,
        [
            aspect("name", &old.name.wire, &new.name.wire, documentation("")),
            aspect("rust", &old.name.rust, &new.name.rust, breaking("the type has another name")),
            aspect("length", length_words(old), length_words(new), length(old, new)),
            placed("alphabet", old.alphabet.as_ref(), new.alphabet.as_ref(), alphabet(old, new)),
            aspect("mint", flag(old.mint.is_some()), flag(new.mint.is_some()), mint(new)).at(old.mint, new.mint),
            prose("doc", &old.doc, &new.doc),
        ],
    );
    forms(to, &thing.path, &old.forms, &new.forms);
}

fn mint(new: &Identifier) -> Verdict {
    if new.mint.is_some() { additive("the client makes new ones") } else { breaking("`mint` is gone") }
}

fn length_words(all: &Identifier) -> String {
    all.length.map(|(min, max)| format!("{min} to {max}")).unwrap_or_default()
}

fn length(old: &Identifier, new: &Identifier) -> Verdict {
    constraint(old, new).unwrap_or_else(|| match (old.length, new.length) {
        (Some(_), None) => breaking("`MIN_LENGTH` and `MAX_LENGTH` are gone"),
        (Some(old), Some(new)) => narrower(new.0 > old.0 || new.1 < old.1),
        (None, _) => narrower(true),
    })
}

fn alphabet(old: &Identifier, new: &Identifier) -> Verdict {
    let of = |all: &Identifier| all.alphabet.as_ref().map(|(alphabet, _)| alphabet::characters(alphabet));
    constraint(old, new).unwrap_or_else(|| match (of(old), of(new)) {
        (Some(old), Some(new)) => narrower(!old.is_subset(&new)),
        (_, new) => narrower(new.is_some()),
    })
}

/// Only an identifier without constraints is made from any text with `From`; the others refuse some.
fn constraint(old: &Identifier, new: &Identifier) -> Option<Verdict> {
    match (old.is_constrained(), new.is_constrained()) {
        (false, true) => Some(breaking("`From` a text is gone; `new` and `TryFrom` refuse some")),
        (true, false) => Some(breaking("any text is taken; `TryFrom` has another error")),
        _ => None,
    }
}

fn narrower(is_narrower: bool) -> Verdict {
    behaviour(if is_narrower { "texts that were taken are refused" } else { "more texts are taken" })
}

fn forms(to: &mut Found, of: &str, old: &[Form], new: &[Form]) {
    let pairs = pairs(old, new, |form| [&form.name.wire, &form.name.rust]);
    let thing = |form: &Form| Thing::new("form", path(of, &form.name.wire), form.name.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the function that asks for it is gone"));
    }
    for (old, new) in pairs.both {
        to.compare(
            &thing(new),
            [
                aspect("name", &old.name.wire, &new.name.wire, documentation("")),
                aspect("rust", old.name.bare(), new.name.bare(), breaking("its function has another name")),
                aspect("pattern", &old.pattern, &new.pattern, behaviour("other texts have it")),
            ],
        );
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a function asks for it"));
    }
}
