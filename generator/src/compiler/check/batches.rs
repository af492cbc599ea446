//! Batches and other requests with several effects: the results that an answer states for each, and the values that it
//! repeats.

use super::confirm::{named_within, names};
use super::{identifiers, records, values};
use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean, name_list, unknown};
use crate::compiler::model::{
    AnswerPath, Api, Batch, Echoes, Effect, Envelope, Family, Item, ListName, ListOfAnswer, Lookup, NameOf, Operation,
    Pair, Parameter, Placed, Record, Response, Role, Type, WireNames, WireParameter,
};

/// Checks the batches of a family.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(batch) = &operation.batch else { continue };
        match &batch.of {
            Some(of) => list_is_bounded(family, operation, batch, of, to),
            None => nothing_is_listed(operation, batch, to),
        }
        if let Some((path, (_, place))) = batch.codes_apart().zip(batch.results.as_ref()) {
            results_are_in_the_answer(api, family, operation, (&path, *place), to);
        }
        match operation.response {
            Response::Object { record } if batch.list.is_some() => {
                if let Some(record) = list_of_records(family, record, batch.list.as_ref()) {
                    results_are_readable(family, record, batch, to);
                }
            }
            Response::Object { record } => lists_of_results(family, record, batch, to),
            Response::Array { record, .. } => {
                if let Some(record) = family.records.get(record) {
                    results_are_readable(family, record, batch, to);
                }
            }
            Response::Page { .. } | Response::Undefined => {}
        }
    }
}

/// Checks that the list has a maximum length, by which longer lists are split into several calls.
fn list_is_bounded(
    family: &Family,
    operation: &Operation,
    batch: &Batch,
    (name, place): &Placed,
    to: &mut Diagnostics,
) {
    let Some((list, item)) = list_of_objects(operation, name, *place, to) else { return };
    if list.max_items.is_none() && !to.is_unread(list.written.file, "max_items") {
        to.at(*place, Code::BadResponse, format!("`{name}` has no `max_items`"))
            .related(list.name.place, "the list is here")
            .help("add `max_items` there, so that longer batches can be split");
    }
    let names = family.names(&item.parameters);
    let is_known = |id: &str| !matches!(names.find(id), Lookup::Missing(_));
    // An id that is similar to a parameter is misspelt, which is reported as a field that the result does not have.
    let is_misspelt = |id: &str| did_you_mean(id, names.iter().map(|wire| wire.name.wire.as_str())).is_some();
    let is_misspelt = batch.ids_of_items().any(|id| !is_known(id) && is_misspelt(id));
    if !is_misspelt && !batch.id.is_empty() && !batch.ids_of_items().any(is_known) {
        to.at(batch.place, Code::UndefinedName, format!("the items of `{name}` have none of these ids"))
            .related(list.name.place, "the list is here")
            .help(format!("expected one of: {}", name_list(names.iter().map(|wire| wire.name.wire.as_str()))));
    }
}

/// Returns a list of objects of the request, and what its items are; an unknown one is reported.
pub(super) fn list_of_objects<'a>(
    operation: &'a Operation,
    name: &str,
    place: Place,
    to: &mut Diagnostics,
) -> Option<(&'a Parameter, &'a Item)> {
    let found = operation.items().find(|(_, item)| item.list.as_str() == name);
    if found.is_none() {
        let lists = || operation.items().map(|(list, _)| list.name.wire.as_str());
        let help = did_you_mean(name, lists()).unwrap_or_else(|| match name_list(lists()) {
            none if none.is_empty() => "the request has no list of objects".into(),
            body if body == ListName::BODY => "write `\"[]\"` for the array body".into(),
            names => format!("expected one of: {names}").into(),
        });
        to.at(place, Code::UndefinedName, format!("`{}` has no list of objects `{name}`", operation.name)).help(help);
    }
    found
}

/// Checks that the results of a request that lists objects are those of its items. Without items, there is no order of
/// items.
fn nothing_is_listed(operation: &Operation, batch: &Batch, to: &mut Diagnostics) {
    if to.is_unread(batch.place.file, "of") {
        return;
    }
    if let Some((list, _)) = operation.items().next() {
        to.at(batch.place, Code::MissingKey, "`items` has no `of`, although the request has a list of objects")
            .related(list.name.place, "the list is here")
            .help(format!("add `of: \"{}\"`", list.name.wire));
    } else if batch.by_place.is_set() {
        to.at(batch.place, Code::Misplaced, "`by_place` requires `of`").help("remove it");
    }
}

/// Checks that a path begins with a member of the envelope or, if the data has no envelope, with a field of the data.
fn results_are_in_the_answer(
    api: &Api,
    family: &Family,
    operation: &Operation,
    (path, place): (&AnswerPath, Place),
    to: &mut Diagnostics,
) {
    let Some(first) = path.first().filter(|_| api.is_sound) else { return };
    let of_envelope = api.envelope.as_ref().map(Envelope::members).unwrap_or_default();
    let data_path = operation.data_path(api);
    let data = data_path.and_then(AnswerPath::first);
    let of_data = match operation.response {
        Response::Object { record } if data_path.is_none() => family.records.get(record),
        Response::Object { .. } | Response::Array { .. } | Response::Page { .. } | Response::Undefined => None,
    };
    let fields = of_data.iter().flat_map(|record| record.fields.iter().map(|field| field.name.wire.as_str()));
    let known: Vec<&str> = of_envelope.into_iter().chain(data).chain(fields).collect();
    if known.contains(&first) || of_data.is_some_and(|record| !record.is_whole) {
        return;
    }
    let help = unknown(first, known.iter().map(|name| (*name, None)), || match data {
        Some(_) => format!("name it in `beside` of the envelope in {}", to.api_file()),
        None => format!("expected one of: {}", name_list(known.iter().copied())),
    });
    to.at(place, Code::UndefinedName, format!("an answer has no member `{first}`")).help(help);
}

/// Checks that the ids of results are texts. Unless the codes are elsewhere, so are codes and messages, and a field
/// shows success.
fn results_are_readable(family: &Family, record: &Record, batch: &Batch, to: &mut Diagnostics) {
    ids_are_texts(family, record, batch, to);
    if batch.results.is_none() {
        words_are_texts(family, record, batch, to);
        shows_success(family, record, batch, to);
    }
}

/// Checks that `succeeded` names a boolean, or a record that only a success has.
fn shows_success(family: &Family, record: &Record, batch: &Batch, to: &mut Diagnostics) {
    let Some(named) = &batch.succeeded else { return };
    let Some(field) = records::field_within(family, record, named, to) else { return };
    let fits = |ty: Type| ty.is_boolean() || ty.record().is_some();
    if !field.shape.is_one(fits) {
        to.at(named.1, Code::BadResponse, format!("expected a boolean or an object, found `{}`", named.0))
            .related(field.name.place, "the field is here")
            .help("name a field of the type `boolean`, or a record that only a success has");
    }
}

/// Returns the record of a list in a record.
fn list_of_records<'a>(family: &'a Family, record: usize, list: Option<&NameOf<ListOfAnswer>>) -> Option<&'a Record> {
    family.records.get(family.records.get(record)?.named(list?)?.shape.listed_record()?)
}

fn lists_of_results(family: &Family, index: usize, batch: &Batch, to: &mut Diagnostics) {
    for list in [&batch.done, &batch.failed] {
        if let Some(of) = list_of_records(family, index, list.as_ref()) {
            ids_are_texts(family, of, batch, to);
        }
    }
    if let Some(of) = list_of_records(family, index, batch.failed.as_ref()) {
        words_are_texts(family, of, batch, to);
    }
}

fn ids_are_texts(family: &Family, record: &Record, batch: &Batch, to: &mut Diagnostics) {
    for id in &batch.id {
        is_text(family, record, id, to);
    }
}

fn words_are_texts(family: &Family, record: &Record, batch: &Batch, to: &mut Diagnostics) {
    for word in [&batch.code, &batch.message].into_iter().flatten() {
        is_text(family, record, word, to);
    }
}

fn is_text(family: &Family, record: &Record, named: &Placed, to: &mut Diagnostics) {
    let Some(field) = records::field_within(family, record, named, to) else { return };
    if !field.shape.is_one(Type::is_text) {
        to.at(named.1, Code::BadResponse, format!("expected a text or an identifier, found `{}`", named.0))
            .related(field.name.place, "the field is here")
            .help("name a field that is a `string` or an identifier");
    }
}

/// Checks that `compound` belongs to an operation that changes something; its condition is a parameter and one of its
/// values.
pub(super) fn compound(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(compound) = &operation.compound else { continue };
        if operation.effect == Effect::Read {
            to.at(compound.place, Code::Misplaced, "an operation with `effect: read` cannot be `compound`")
                .help("remove it");
        }
        if let Some(when) = &compound.when {
            condition_is_one(family, operation, when, to);
        }
    }
}

fn condition_is_one(family: &Family, operation: &Operation, (named, value): &Pair, to: &mut Diagnostics) {
    if let Some(found) = parameter_or_member(family, operation, named, to) {
        is_value_of(family, named, found, value, to);
    }
}

/// Returns the parameter of a request, or of an item of it.
pub(super) fn parameter_or_member<'a>(
    family: &'a Family,
    operation: &'a Operation,
    (name, place): &Placed,
    to: &mut Diagnostics,
) -> Option<WireParameter<'a>> {
    names(family, operation).find(name).or_report(&operation.name, name, *place, to)
}

/// Checks that a text is a value of the parameter.
pub(super) fn is_value_of(
    family: &Family,
    (name, place): &Placed,
    found: WireParameter<'_>,
    (value, value_place): &Placed,
    to: &mut Diagnostics,
) {
    let fault = match found.role {
        Role::Decider(index) => family.enums.get(index).and_then(|all| identifiers::why_not_listed(all, &[], value)),
        Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => match one.shape.single() {
            Some(Type::Enum(index)) => {
                family.enums.get(index).and_then(|all| identifiers::why_not_listed(all, &one.only, value))
            }
            Some(ty) => values::find_fault(family, ty, value),
            None => {
                to.at(*place, Code::Misplaced, format!("expected a parameter with a single value, found `{name}`"))
                    .related(found.name.place, "the parameter is here")
                    .help("name a parameter that is neither a list nor a choice");
                None
            }
        },
    };
    if let Some(fault) = fault {
        fault.report(to, *value_place, Code::BadValue, &format!("`{name}`"));
    }
}

/// Checks `echoes`, `echoes_one_of`, `echoes_also` and `echoed_by`.
pub(super) fn echoes(_api: &Api, family: &Family, to: &mut Diagnostics) {
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
        for parameter in parameters {
            named_within(family, names, parameter, &operation.name, to);
        }
    }
    for (parameter, members) in &echoes.by_one {
        named_within(family, names, parameter, &operation.name, to);
        for member in members {
            records::field(record, member, to);
        }
        if members.len() < 2 {
            to.at(parameter.1, Code::MissingKey, format!("`{}` lists fewer than two members", parameter.0))
                .help("name the members of which one repeats it; a single one belongs in `echoes_also`");
        }
    }
}

/// Checks that the schema states whether an answer repeats an id of its request, wherever it has a field of that name.
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
