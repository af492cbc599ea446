//! Batches: the results that an answer states for each item that was sent.

use super::records;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean, name_list, unknown};
use crate::compiler::model::{
    AnswerPath, Api, Batch, Envelope, Family, Field, ListName, Lookup, Operation, Record, Response, Type,
};

/// The batches of a family.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(batch) = &operation.batch else { continue };
        match &batch.of {
            Some(of) => list_is_bounded(family, operation, batch, of, to),
            None => nothing_is_listed(operation, batch, to),
        }
        if let Some((path, place)) = &batch.results {
            results_are_in_the_answer(api, family, operation, (path, *place), to);
        }
        match operation.response {
            Response::Object { record } if batch.list.is_some() => {
                if let Some(record) = one_list_of_results(family, record, batch, to) {
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

/// The list has a maximum length, by which longer lists are split into several calls.
fn list_is_bounded(
    family: &Family,
    operation: &Operation,
    batch: &Batch,
    (name, place): &(ListName, Place),
    to: &mut Diagnostics,
) {
    let Some((list, item)) = operation.items().find(|(_, item)| item.list == *name) else {
        let names = || operation.items().map(|(list, _)| list.name.wire.as_str());
        let help = match (did_you_mean(name.as_str(), names()), name_list(names())) {
            (Some(help), _) => help,
            (None, lists) if lists.is_empty() => "the request has no list of objects".into(),
            (None, lists) => format!("expected one of: {lists}").into(),
        };
        to.at(*place, Code::UndefinedName, format!("`{}` has no list of objects `{name}`", operation.name)).help(help);
        return;
    };
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
    if !is_misspelt && !batch.ids.is_empty() && !batch.ids_of_items().any(is_known) {
        to.at(batch.place, Code::UndefinedName, format!("the items of `{name}` have none of these ids"))
            .related(list.name.place, "the list is here")
            .help(format!("expected one of: {}", name_list(names.iter().map(|wire| wire.name.wire.as_str()))));
    }
}

/// The results of a request that lists objects are those of its items. Without items, there is no order of items.
fn nothing_is_listed(operation: &Operation, batch: &Batch, to: &mut Diagnostics) {
    if let Some((list, _)) = operation.items().next() {
        to.at(batch.place, Code::MissingKey, "`items` has no `of`, although the request has a list of objects")
            .related(list.name.place, "the list is here")
            .help(format!("add `of: \"{}\"`", list.name.wire));
    } else if batch.by_place {
        to.at(batch.place, Code::Misplaced, "`by_place` requires `of`").help("remove it");
    }
}

/// A path begins with a member of the envelope or, if the data has no envelope, with a field of the data.
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

/// The record of the results if they are one list within the answer.
fn one_list_of_results<'a>(
    family: &'a Family,
    index: usize,
    batch: &Batch,
    to: &mut Diagnostics,
) -> Option<&'a Record> {
    list_of_records(family, family.records.get(index)?, batch.list.as_ref()?, to)
}

/// The ids of results are texts. Unless the codes are elsewhere, so are codes and messages, and a field shows success.
fn results_are_readable(family: &Family, record: &Record, batch: &Batch, to: &mut Diagnostics) {
    ids_are_texts(family, record, batch, to);
    if batch.results.is_none() {
        words_are_texts(family, record, batch, to);
        shows_success(family, record, batch, to);
    }
}

/// `succeeded` names a boolean, or a record that only a success has.
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

/// The record of a field that is a list of records; another kind of field is reported.
fn list_of_records<'a>(
    family: &'a Family,
    record: &Record,
    list: &(String, Place),
    to: &mut Diagnostics,
) -> Option<&'a Record> {
    let field = records::field(record, list, to)?;
    if field.shape.is_undefined() {
        return None;
    }
    let Some(of) = field.shape.listed_record() else {
        to.at(list.1, Code::BadResponse, format!("expected a list of records, found `{}`", list.0))
            .related(field.name.place, "the field is here")
            .help("name a field with `list: SomeRecord`");
        return None;
    };
    family.records.get(of)
}

fn lists_of_results(family: &Family, index: usize, batch: &Batch, to: &mut Diagnostics) {
    let Some(record) = family.records.get(index) else { return };
    for list in [&batch.done, &batch.failed].into_iter().flatten() {
        let is_failed = batch.failed.as_ref() == Some(list);
        if let Some(of) = list_of_records(family, record, list, to) {
            ids_are_texts(family, of, batch, to);
            if is_failed {
                words_are_texts(family, of, batch, to);
            }
        }
    }
    is_truth(record, batch.all_done.as_ref(), to);
}

fn is_truth(record: &Record, named: Option<&(String, Place)>, to: &mut Diagnostics) {
    let Some(named) = named else { return };
    let is_truth = |field: &Field| field.shape.is_one(Type::is_boolean);
    if let Some(field) = records::field(record, named, to).filter(|field| !is_truth(field)) {
        to.at(named.1, Code::BadResponse, format!("expected a boolean, found `{}`", named.0))
            .related(field.name.place, "the field is here")
            .help("name a field of the type `boolean`");
    }
}

fn ids_are_texts(family: &Family, record: &Record, batch: &Batch, to: &mut Diagnostics) {
    for id in &batch.ids {
        is_text(family, record, id, to);
    }
}

fn words_are_texts(family: &Family, record: &Record, batch: &Batch, to: &mut Diagnostics) {
    for word in [&batch.code, &batch.message].into_iter().flatten() {
        is_text(family, record, word, to);
    }
}

fn is_text(family: &Family, record: &Record, named: &(String, Place), to: &mut Diagnostics) {
    let Some(field) = records::field_within(family, record, named, to) else { return };
    if !field.shape.is_one(Type::is_text) {
        to.at(named.1, Code::BadResponse, format!("expected a text or an identifier, found `{}`", named.0))
            .related(field.name.place, "the field is here")
            .help("name a field that is a `string` or an identifier");
    }
}
