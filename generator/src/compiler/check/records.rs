//! Records and their fields.

use crate::compiler::diagnostics::{Code, Diagnostics, Kind, Place, name_list, unknown};
use crate::compiler::model::{Api, Family, Field, Record, RecordForm, Response, Shape, Type};

/// Checks the records of a family and their uses.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for record in &family.records {
        value_is_one(record, to);
        key_is_a_text(record, to);
        for field in &record.fields {
            if let Some(index) = field.shape.record() {
                is_a_type(family, index, field.name.place, &format!("the field `{}`", field.name.wire), to);
            }
        }
    }
    for operation in &family.operations {
        let (Response::Object { record } | Response::Array { record, .. } | Response::Page { record, .. }) =
            operation.response
        else {
            continue;
        };
        is_a_type(family, record, operation.place, &format!("the response of `{}`", operation.name), to);
    }
    holds_itself(family, to);
}

/// The field of a record with this name; an unknown name is reported.
pub(super) fn field<'a>(
    record: &'a Record,
    (name, place): &(String, Place),
    to: &mut Diagnostics,
) -> Option<&'a Field> {
    let found = record.field(name);
    if found.is_none() && record.is_whole {
        let names = || record.fields.iter().map(|field| field.name.wire.as_str());
        let places = record.fields.iter().map(|field| (field.name.wire.as_str(), Some(field.name.place)));
        let help = unknown(name, places, || match record.one_of() {
            Some(_) => "it is one of several records, which differ in their fields: name another record".to_owned(),
            None => format!("expected one of: {}", name_list(names())),
        });
        to.at(*place, Code::UndefinedName, format!("the record `{}` has no field `{name}`", record.name.wire))
            .related(record.name.place, "the record is here")
            .help(help);
    }
    found
}

/// A field of a record, or of the record in a field, as in `fee.coin`.
pub(super) fn field_within<'a>(
    family: &'a Family,
    record: &'a Record,
    (path, place): &(String, Place),
    to: &mut Diagnostics,
) -> Option<&'a Field> {
    let mut steps = path.split('.');
    let first = (steps.next()?.to_owned(), *place);
    let mut found = field(record, &first, to)?;
    for step in steps {
        let Some(index) = found.shape.single().and_then(Type::record) else {
            to.at(*place, Code::UndefinedName, format!("`{}` has no fields", found.name.wire))
                .related(found.name.place, "the field is here")
                .help("name a field of the record, or a field of a record within it");
            return None;
        };
        found = field(family.records.get(index)?, &(step.to_owned(), *place), to)?;
    }
    Some(found)
}

/// The named field, if there is one, has the expected shape.
pub(super) fn is_field(
    record: &Record,
    named: Option<&(String, Place)>,
    expected: &str,
    fits: impl Fn(&Shape) -> bool,
    to: &mut Diagnostics,
) {
    let Some(named) = named else { return };
    if let Some(field) = field(record, named, to).filter(|field| !fits(&field.shape)) {
        to.at(named.1, Code::BadResponse, format!("expected {expected}, found `{}`", named.0))
            .related(field.name.place, "the field is here")
            .help("name another field");
    }
}

/// A record with `as_value` has a single field.
fn value_is_one(record: &Record, to: &mut Diagnostics) {
    let RecordForm::Value(place) = record.travels else { return };
    if record.is_whole && record.fields.len() != 1 {
        let count = record.fields.len();
        to.at(place, Code::BadResponse, format!("`as_value` of a record with {count} fields"))
            .help("leave one field, whose value is the record, or use `by_position` for an array of fields");
    }
}

/// The field for the key of a record is a text.
fn key_is_a_text(record: &Record, to: &mut Diagnostics) {
    let Some(key) = &record.key else { return };
    let Some(field) = field(record, key, to) else { return };
    if record.travels != RecordForm::Object {
        to.at(key.1, Code::Misplaced, "a record that is not an object has no `key`").help("remove it");
    } else if !field.shape.is_one(Type::is_text) {
        to.at(key.1, Code::BadResponse, format!("`{}` is not a text", key.0))
            .related(field.name.place, "the field is here")
            .help("name a field that is a `string` or an identifier");
    }
}

/// An abstract record is only included, not used as a type.
fn is_a_type(family: &Family, index: usize, place: Place, what: &str, to: &mut Diagnostics) {
    let Some(record) = family.records.get(index).filter(|record| record.is_abstract) else { return };
    to.at(place, Code::BadResponse, format!("{what} has the abstract record `{}` as its type", record.name.wire))
        .related(record.name.place, "the record is here")
        .help("remove `abstract` there, or use a record that includes it");
}

/// A record cannot contain itself, except in a list, which may be empty.
fn holds_itself(family: &Family, to: &mut Diagnostics) {
    for (index, record) in family.records.iter().enumerate() {
        if let Some(field) = record.fields.iter().find(|field| contains_record(family, field, index)) {
            let through =
                inner(field).and_then(|inner| family.records.get(inner)).map_or("", |record| &record.name.wire);
            to.at(
                field.name.place,
                Code::Circular,
                format!(
                    "the record `{}` contains itself through its field `{}` of type `{through}`",
                    record.name.wire, field.name.wire
                ),
            )
            .kind(Kind::Fields)
            .help("make it a `list`, or remove it");
        }
    }
}

fn inner(field: &Field) -> Option<usize> {
    field.shape.single()?.record()
}

/// Returns whether a field contains a record at any depth.
fn contains_record(family: &Family, field: &Field, target: usize) -> bool {
    let mut open: Vec<usize> = inner(field).into_iter().collect();
    let mut seen = Vec::new();
    // What is one of several records keeps it in memory of its own, so that it may contain itself.
    while let Some(index) = open.pop() {
        if index == target {
            return true;
        }
        if !seen.contains(&index) {
            seen.push(index);
            let fields = family.records.get(index).map_or(&[][..], |record: &Record| &record.fields);
            open.extend(fields.iter().filter_map(inner));
        }
    }
    false
}
