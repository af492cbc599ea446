//! The values of a request that its answer repeats.

use super::queries::find_within;
use super::records;
use crate::compiler::diagnostics::{Code, Diagnostics, name_list};
use crate::compiler::model::{Api, Echoes, Effect, Family, Lookup, Operation, Parameter, Record, Response, WireNames};

/// Checks `echoes`, `echoes_one_of` and `echoes_also`.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let names = family.names(operation.members());
        match (&operation.echoes, &operation.response) {
            (Some(echoes), Response::Object { record } | Response::Array { record, .. })
                if operation.batch.is_none() =>
            {
                if let Some(record) = family.records.get(*record) {
                    names_are_known(family, operation, echoes, record, &names, to);
                }
            }
            (Some(echoes), Response::Object { .. } | Response::Array { .. } | Response::Page { .. }) => {
                to.at(
                    echoes.place,
                    Code::Misplaced,
                    "`echoes` requires a response that is an `object` or an `array`, and no batch",
                )
                .related(operation.key_places.response, "the response is here")
                .help("remove it; for a batch, `items` matches results with items");
            }
            (None, Response::Object { record }) => {
                if let Some(record) = family.records.get(*record) {
                    ids_are_echoed(operation, record, &names, to);
                }
            }
            (_, Response::Undefined) | (None, _) => {}
        }
    }
}

fn names_are_known(
    family: &Family,
    operation: &Operation,
    echoes: &Echoes,
    record: &Record,
    names: &WireNames<'_>,
    to: &mut Diagnostics,
) {
    for (member, _) in &echoes.also {
        if let Some(((_, first), _)) = echoes.ids.iter().find(|((known, _), _)| *known == member.0) {
            to.at(member.1, Code::DefinedTwice, format!("`{}` is in `echoes`, too", member.0))
                .related(*first, "it is an id here")
                .help("remove one of them");
        }
    }
    for (member, parameters) in echoes.ids.iter().chain(&echoes.also) {
        records::field(record, member, to);
        if parameters.is_empty() {
            to.at(member.1, Code::MissingKey, format!("`{}` lists no parameters", member.0))
                .help("name the parameter that it repeats, or several of which it repeats one");
        }
        for (parameter, place) in parameters {
            if let Lookup::Missing(help) = find_within(family, names, parameter) {
                let message = format!("`{}` has no parameter `{parameter}`", operation.name);
                to.at(*place, Code::UndefinedName, message).help(help);
            }
        }
    }
}

/// If an answer has a field with the name of an id in the request, the schema states whether it repeats the id.
/// Otherwise an answer to another request could be mistaken for this one.
fn ids_are_echoed(operation: &Operation, record: &Record, names: &WireNames<'_>, to: &mut Diagnostics) {
    if operation.effect == Effect::Read {
        return;
    }
    let is_identifier = |one: &Parameter| one.shape.single_identifier().is_some();
    let shared = names.iter().filter(|wire| wire.parameter().is_some_and(is_identifier));
    let shared: Vec<_> =
        shared.filter(|wire| record.field(&wire.name.wire).is_some()).map(|wire| wire.name.wire.as_str()).collect();
    if let Some(first) = shared.first() {
        let shared = name_list(shared.iter().copied());
        to.at(operation.key_places.response, Code::BadResponse, format!("missing `echoes` for ids that are in the request and the answer: {shared}"))
            .related(record.name.place, "the record is here")
            .help(format!(
                "add `echoes: {{ {first}: {first} }}`, or `echoes_one_of` where the document leaves open which id it repeats"
            ));
    }
}
