//! Batches: what an answer says about each item that was sent.

use super::records;
use crate::diagnostics::{Code, Diagnostics, Place, did_you_mean, name_list};
use crate::model::{Api, Batch, Family, Field, Lookup, Operation, Record, Response, Type};

/// The batches of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(batch) = &operation.batch else { continue };
        list_is_bounded(family, operation, batch, to);
        match operation.response {
            Response::Object { record } => lists_of_results(family, record, batch, to),
            Response::Array { record, .. } => {
                if let Some(record) = family.records.get(record) {
                    ids_are_texts(record, batch, to);
                    words_are_texts(record, batch, to);
                }
            }
            Response::Page { .. } | Response::Undefined => {}
        }
    }
}

/// Whatever is longer than one call takes is sent in parts.
fn list_is_bounded(family: &Family, operation: &Operation, batch: &Batch, to: &mut Diagnostics) {
    let (name, place) = &batch.of;
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
    if list.max_items.is_none() {
        to.at(*place, Code::BadResponse, format!("`{name}` has no `max_items`"))
            .related(list.name.place, "the list is here")
            .help("add `max_items` there, so that longer batches can be split");
    }
    let names = family.names(&item.parameters);
    let is_told = |(id, _): &(String, Place)| !matches!(names.find(id), Lookup::Missing(_));
    if !batch.ids.is_empty() && !batch.ids.iter().any(is_told) {
        to.at(batch.place, Code::UndefinedName, format!("the items of `{name}` have none of these ids"))
            .related(list.name.place, "the list is here")
            .help(format!("expected one of: {}", name_list(names.iter().map(|wire| wire.name.wire.as_str()))));
    }
}

fn lists_of_results(family: &Family, index: usize, batch: &Batch, to: &mut Diagnostics) {
    let Some(record) = family.records.get(index) else { return };
    for list in [&batch.done, &batch.failed].into_iter().flatten() {
        let is_failed = batch.failed.as_ref() == Some(list);
        let Some(field) = records::field(record, list, to) else { continue };
        if field.shape.is_undefined() {
            continue;
        }
        let Some(of) = field.shape.listed_record() else {
            to.at(list.1, Code::BadResponse, format!("expected a list of records, found `{}`", list.0))
                .related(field.name.place, "the field is here")
                .help("name a field with `list: SomeRecord`");
            continue;
        };
        if let Some(of) = family.records.get(of) {
            ids_are_texts(of, batch, to);
            if is_failed {
                words_are_texts(of, batch, to);
            }
        }
    }
    if let Some(all_done) = &batch.all_done {
        let is_truth = |field: &Field| field.shape.is_one(Type::is_boolean);
        if let Some(field) = records::field(record, all_done, to).filter(|field| !is_truth(field)) {
            to.at(all_done.1, Code::BadResponse, format!("expected a boolean, found `{}`", all_done.0))
                .related(field.name.place, "the field is here")
                .help("name a field of the type `boolean`");
        }
    }
}

fn ids_are_texts(record: &Record, batch: &Batch, to: &mut Diagnostics) {
    for id in &batch.ids {
        is_text(record, id, to);
    }
}

fn words_are_texts(record: &Record, batch: &Batch, to: &mut Diagnostics) {
    for word in [&batch.code, &batch.message].into_iter().flatten() {
        is_text(record, word, to);
    }
}

fn is_text(record: &Record, named: &(String, Place), to: &mut Diagnostics) {
    let Some(field) = records::field(record, named, to) else { return };
    if !field.shape.is_one(Type::is_text) {
        to.at(named.1, Code::BadResponse, format!("expected a text or an identifier, found `{}`", named.0))
            .related(field.name.place, "the field is here")
            .help("name a field that is a `string` or an identifier");
    }
}
