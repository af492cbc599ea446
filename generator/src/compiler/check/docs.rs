//! The sources of emitted documentation: descriptions, search words, replacements of deprecated elements, example
//! programs and chapters; and the markets, which become functions of the client.

use std::collections::BTreeSet;

use super::names::is_snake_case;
use super::{repeated, reserved};
use crate::compiler::diagnostics::{Code, Diagnostics, Help, Place, one_of, unknown};
use crate::compiler::model::{Api, Deprecated, Family, Lookup, Name, NameOf, Operation, Shape};

/// Checks that the headers, pools and markets of `api.yaml` have descriptions.
pub(super) fn api_has_docs(api: &Api, to: &mut Diagnostics) {
    if api.is_sound {
        for header in &api.headers {
            has_doc(&format!("the header `{}`", header.name), header.place, &header.doc, to);
        }
        for pool in &api.pools {
            has_doc(&format!("the pool `{}`", pool.name), pool.place, &pool.doc, to);
        }
        for market in &api.markets {
            has_doc(&format!("the market `{}`", market.name), market.place, &market.doc, to);
        }
    }
}

/// Checks that the types and parameters of a family have descriptions.
pub(super) fn family_has_docs(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for all in &family.enums {
        name_has_doc("enum", &all.name, &all.doc, to);
        all.values.iter().for_each(|value| name_has_doc("value", &value.name, &value.doc, to));
    }
    family.identifiers.iter().for_each(|all| name_has_doc("identifier", &all.name, &all.doc, to));
    family.choices.iter().for_each(|choice| name_has_doc("choice", &choice.name, &choice.doc, to));
    for record in &family.records {
        name_has_doc("record", &record.name, &record.doc, to);
        for field in record.fields.iter().filter(|field| !has_type_with_doc(&field.shape)) {
            name_has_doc("field", &field.name, &field.doc, to);
        }
    }
    // An element with `as` has the description of the other one.
    let written = family.all_parameters().filter(|parameter| parameter.written == parameter.name.place);
    for parameter in written.filter(|parameter| !has_type_with_doc(&parameter.shape)) {
        name_has_doc("parameter", &parameter.name, &parameter.doc, to);
    }
}

fn name_has_doc(kind: &str, name: &Name, doc: &str, to: &mut Diagnostics) {
    has_doc(&format!("the {kind} `{}`", name.wire), name.place, doc, to);
}

fn has_doc(what: &str, place: Place, doc: &str, to: &mut Diagnostics) {
    if doc.is_empty() && !to.is_unread(place.file, "doc") {
        to.at(place, Code::MissingKey, format!("{what} has no `doc`")).help("add `doc: ...`");
    }
}

/// Returns whether the fields of this type have its description; if that is missing, it is reported at the type.
fn has_type_with_doc(shape: &Shape) -> bool {
    shape.element().is_some_and(|ty| !ty.is_built_in())
}

/// Checks that the words in `called` can be searched for, because they become aliases for the search of rustdoc.
pub(super) fn words_are_searchable(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let operations = family.operations.iter().map(|operation| &operation.called);
    let parameters = family.all_parameters().map(|parameter| &parameter.called);
    for words in operations.chain(parameters) {
        words.iter().for_each(|(word, place)| is_searchable(word, *place, to));
        for ((_, first), (word, place)) in repeated(words, |one, other| one.0 == other.0) {
            to.at(*place, Code::DefinedTwice, format!("duplicate value `{word}`"))
                .related(*first, "first listed here")
                .help("remove one of them");
        }
    }
}

fn is_searchable(word: &str, place: Place, to: &mut Diagnostics) {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '/');
    if word.trim() != word || word.is_empty() || !word.chars().all(is_plain) {
        to.at(place, Code::BadValue, format!("invalid words {word:?} in `called`"))
            .help("write words of letters and digits, such as `stop loss`");
    }
}

/// Checks that the replacement in `use` exists: another operation, a parameter of the request, a field of the record, a
/// value of the enum.
pub(super) fn names_what_exists(api: &Api, family: &Family, to: &mut Diagnostics) {
    let mut check = Replacements { to, seen: BTreeSet::new() };
    for operation in &family.operations {
        let titles = || api.operations().map(|(_, all)| (all.title.as_str(), Some(all.place)));
        let is_known = |name: &str| api.operations().any(|(_, all)| all.title == name || all.name == name);
        let is_itself = |name: &str| [&operation.title, &operation.name].into_iter().any(|own| own == name);
        check.one("operation", is_itself, operation.deprecated.as_ref(), |name| {
            (!is_known(name))
                .then(|| unknown(name, titles(), || "write the title or the name of an operation".to_owned()))
        });
        check.parameters(family, operation);
    }
    for record in &family.records {
        let fields = || record.fields.iter().map(|field| (field.name.wire.as_str(), Some(field.name.place)));
        for field in &record.fields {
            check.one("field", |name| name == field.name.wire, field.deprecated.as_ref(), |name| among(name, fields));
        }
    }
    for all in &family.enums {
        let values = || all.placed_wires().into_iter().map(|(wire, place)| (wire, Some(place)));
        for value in &all.values {
            check.one("value", |name| name == value.name.wire, value.deprecated.as_ref(), |name| among(name, values));
        }
    }
}

/// Checks each key once: types are shared and records include others, so the same key may occur several times.
struct Replacements<'a> {
    to: &'a mut Diagnostics,
    seen: BTreeSet<Place>,
}

impl Replacements<'_> {
    fn one(
        &mut self,
        kind: &str,
        is_itself: impl Fn(&str) -> bool,
        deprecated: Option<&Deprecated>,
        help: impl Fn(&str) -> Option<Help>,
    ) {
        let Some((name, place)) = deprecated.and_then(|deprecated| deprecated.r#use.as_ref()) else { return };
        if is_itself(name) && self.seen.insert(*place) {
            self.to
                .at(*place, Code::Circular, format!("the {kind} `{name}` is to be replaced by itself"))
                .help(format!("name another {kind}, or leave out `use`"));
        }
        if let Some(help) = help(name).filter(|_| self.seen.insert(*place)) {
            self.to.at(*place, Code::UndefinedName, format!("unknown {kind} `{name}`")).help(help);
        }
    }

    fn parameters(&mut self, family: &Family, operation: &Operation) {
        for (_, set) in operation.sets() {
            let names = family.names(set).and(&family.names(operation.members()));
            for wire in names.iter() {
                let deprecated = wire.parameter().and_then(|parameter| parameter.deprecated.as_ref());
                self.one(
                    "parameter",
                    |name| name == wire.name.wire,
                    deprecated,
                    |name| match names.find(name) {
                        Lookup::Missing(help) => Some(help),
                        Lookup::Found(_) | Lookup::Unresolved => None,
                    },
                );
            }
        }
    }
}

/// Returns the help for a name that is not in a list; `None` if it is.
fn among<'a, I: Iterator<Item = (&'a str, Option<Place>)>>(name: &str, known: impl Fn() -> I) -> Option<Help> {
    (!known().any(|(known, _)| known == name)).then(|| one_of(name, known()))
}

/// Checks that the name of a market is that of a function, and each of its headers has one valid value.
pub(super) fn check(api: &Api, to: &mut Diagnostics) {
    for market in &api.markets {
        is_snake_case("market", &market.name, market.place, to);
        if reserved::FAMILIES.has(&market.name) || api.families.iter().any(|family| family.name == market.name) {
            let why = reserved::FAMILIES.why;
            to.at(market.place, Code::ReservedName, format!("a market cannot be named `{}`: {why}", market.name))
                .help("choose another name");
        }
        for (index, (header, value)) in market.headers.iter().enumerate() {
            let is_same = |(first, _): &&(NameOf<_>, String)| first.text.eq_ignore_ascii_case(&header.text);
            if let Some((first, _)) = market.headers[..index].iter().find(is_same) {
                to.at(header.place, Code::BadHeader, format!("duplicate header `{header}`; header names ignore case"))
                    .related(first.place, "the first one")
                    .help("remove one of them");
            }
            if value.is_empty() || !value.chars().all(|letter| letter.is_ascii_graphic() || letter == ' ') {
                to.at(header.place, Code::BadHeader, format!("invalid value of the header `{header}`"))
                    .help("write printable ASCII");
            }
        }
    }
}

/// Checks that the name of a program is a valid file name.
pub(super) fn programs(api: &Api, to: &mut Diagnostics) {
    for program in &api.examples {
        is_snake_case("program", &program.name, program.place, to);
    }
}

/// Checks that the name of a chapter is a valid file name, and leads to that of a module.
pub(super) fn chapters(api: &Api, to: &mut Diagnostics) {
    for chapter in &api.guide {
        let is_word = |word: &str| word.starts_with(|first: char| first.is_ascii_lowercase());
        let is_valid = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if !chapter.name.split('-').all(is_word) || !chapter.name.chars().all(is_valid) {
            to.at(chapter.place, Code::NotAnIdentifier, format!("invalid name of a chapter `{}`", chapter.name))
                .help("write lower-case words with hyphens between them, such as `first-steps` for `first-steps.md`");
        }
    }
}
