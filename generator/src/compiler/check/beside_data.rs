//! Answers that are not JSON, and the records of refusals and of headers.

use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{Api, Around, BesideData, Family, Field, Operation, RecordForm, Response, Type};
use crate::compiler::words::AnswerForm;

/// A refusal is an object, and headers are single values under names that headers can have.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let BesideData { refusal, headers, form } = operation.beside_data;
        if let Some((form, place)) = form {
            has_form(api, family, operation, form, place, to);
        }
        if let Some((index, place)) = refusal
            && let Some(record) = family.records.get(index).filter(|record| record.travels != RecordForm::Object)
        {
            to.at(
                place,
                Code::BadResponse,
                format!("`refusal` requires an object, but `{}` is not one", record.name.wire),
            )
            .related(record.name.place, "the record is here")
            .help("name a record without `by_position` and `as_value`");
        }
        let Some((index, place)) = headers else { continue };
        let fields = family.records.get(index).map(|record| record.fields.as_slice()).unwrap_or_default();
        fields.iter().for_each(|field| is_header(field, place, to));
    }
}

fn is_header(field: &Field, named_at: Place, to: &mut Diagnostics) {
    let name = &field.name;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let why = match field.shape.single() {
        _ if !name.wire.chars().all(is_name) => "its name is not a valid header name",
        Some(ty) if ty.is_one_text() || ty.is_boolean() => return,
        _ if field.shape.is_undefined() => return,
        _ => "it is not one value with a text",
    };
    to.at(name.place, Code::BadResponse, format!("`{}` cannot be a header of an answer: {why}", name.wire))
        .related(named_at, "the record is named as `headers` here")
        .help("name a record of texts, numbers, times, dates, booleans and enums");
}

/// A text is the value of a record; bytes have a record without fields.
fn has_form(api: &Api, family: &Family, operation: &Operation, form: AnswerForm, place: Place, to: &mut Diagnostics) {
    if let Some(envelope) = api.envelope.as_ref().filter(|envelope| envelope.around == Around::All) {
        to.at(place, Code::BadResponse, format!("a success is {}, but all answers have an envelope", form.as_str()))
            .related(envelope.place, "the envelope is here")
            .help("write `around: failures` in the envelope, or remove `body`");
    }
    let record = match operation.response {
        Response::Object { record } => family.records.get(record),
        Response::Undefined => return,
        Response::Array { .. } | Response::Page { .. } => None,
    };
    let is_text = |field: &Field| field.shape.is_one(|ty| ty == Type::String);
    let fits = record.is_some_and(|record| match form {
        AnswerForm::Text => matches!(record.travels, RecordForm::Value(_)) && record.fields.iter().all(is_text),
        AnswerForm::Bytes => record.travels == RecordForm::Object && record.fields.is_empty(),
    });
    if !fits || operation.data.is_some() {
        let needed = match form {
            AnswerForm::Text => "`body: text` requires an `object` with `as_value` and a text",
            AnswerForm::Bytes => "`body: bytes` requires an `object` without fields",
        };
        to.at(place, Code::BadResponse, needed).help("name such a record, without `data`");
    }
}
