//! Families: what holds for all operations of one, and the codes of their answers.

use super::aspect::{aspect, flag, prose};
use super::class::{Verdict, additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::scope::{Scope, path};
use super::statements::{self, source};
use super::{choices, codes, enums, identifiers, lifecycle, limits, operations, records};
use crate::model::{Api, ErrorCode, Family, Probe};

pub(super) fn compare(to: &mut Found, old: &Api, new: &Api) {
    let pairs = pairs(&old.families, &new.families, |family| [&family.name, &family.rust]);
    let thing = |family: &Family| Thing::new("family", family.name.as_str(), family.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("its module and its cargo feature are gone"));
    }
    for (old, new) in pairs.both {
        both(to, &thing(new), &Scope::new(old, new));
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new module, and a cargo feature of that name"));
    }
}

fn both(to: &mut Found, thing: &Thing, scope: &Scope<'_>) {
    let Scope { old, new, .. } = scope;
    let numbers = |family: &Family| if family.numbers_as_text { "text" } else { "json" };
    to.compare(
        thing,
        [
            aspect("family", &old.name, &new.name, breaking("its module and its cargo feature have another name")),
            aspect("title", &old.title, &new.title, documentation("")),
            aspect("numbers", numbers(old), numbers(new), behaviour("all its numbers are written another way")),
            aspect("instrument", instrument(old), instrument(new), behaviour("which parameters name the instrument")),
            source(old.source.as_ref(), new.source.as_ref()),
            prose("doc", &old.doc, &new.doc),
        ],
    );
    errors(to, old, new);
    probe(to, old, new);
    limits::ceilings(to, old, new);
    limits::classes(to, old, new);
    lifecycle::compare(to, scope);
    statements::compare(to, thing, &old.statements, &new.statements);
    enums::compare(to, scope);
    identifiers::compare(to, scope);
    choices::compare(to, scope);
    records::compare(to, scope);
    operations::compare(to, scope);
}

fn instrument(family: &Family) -> String {
    let names = family.instrument.as_ref().map(|names| format!("{}, {}", names.line.0, names.symbol.0));
    names.unwrap_or_default()
}

fn errors(to: &mut Found, old: &Family, new: &Family) {
    let pairs = pairs(&old.errors, &new.errors, |error| [&error.code, &error.rust]);
    let thing = |error: &ErrorCode| Thing::new("error", path(&new.name, &error.code), error.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("the variant is gone"));
    }
    for (old, new) in pairs.both {
        error(to, &thing(new), old, new);
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new variant"));
    }
}

/// The Rust name comes from the text, unless `rust` says otherwise.
fn error(to: &mut Found, thing: &Thing, old: &ErrorCode, new: &ErrorCode) {
    let renamed = || breaking(format!("the variant is called `{}`", new.rust));
    let is_text = old.rust != new.rust && old.text != new.text;
    let text: Verdict = if is_text { renamed() } else { documentation("") };
    let rust = |error: &ErrorCode| if is_text { String::new() } else { error.rust.clone() };
    let told = [
        aspect("code", &old.code, &new.code, behaviour("another code is known by it")),
        aspect("text", &old.text, &new.text, text),
        aspect("rust", rust(old), rust(new), renamed()),
        aspect("success", flag(old.success), flag(new.success), behaviour("whether it is an error")),
        prose("doc", &old.doc, &new.doc),
    ];
    to.compare(thing, told.into_iter().chain(codes::proof(&old.proof, &new.proof)));
}

/// The function `check_credentials` of the family.
fn probe(to: &mut Found, old: &Family, new: &Family) {
    let thing = |family: &Family, probe: &Probe| Thing::new("probe", family.name.as_str(), probe.place);
    match (&old.probe, &new.probe) {
        (None, None) => {}
        (Some(gone), None) => to.removed(&thing(old, gone), breaking("its credentials can no longer be checked")),
        (None, Some(more)) => to.added(&thing(new, more), additive("a function that checks the credentials")),
        (Some(before), Some(now)) => {
            let asked = || behaviour("what is called to check the credentials");
            let aspects = [
                aspect("operation", &before.operation.0, &now.operation.0, asked()),
                aspect("request", before.request.0.trim(), now.request.0.trim(), asked()),
            ];
            to.compare(&thing(new, now), aspects);
        }
    }
}
