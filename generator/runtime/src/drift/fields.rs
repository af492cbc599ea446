//! The members of an object that the documents know.

use crate::tables::{Envelope, FieldTable, Form};

/// The fields of an envelope. Only of the data it is known what it looks like.
pub(super) fn of_envelope(envelope: &Envelope, data: Form) -> Vec<FieldTable> {
    let anything = |name| FieldTable::in_form(name, Form::Anything);
    let others = [envelope.message, envelope.time].into_iter().flatten().map(anything);
    let (code, data) = (anything(envelope.code).code(), FieldTable::in_form(envelope.data, data));
    [code].into_iter().chain(others).chain([data]).collect()
}

/// The field with this name, looked for from `expected` on, and round again from the first.
pub(super) fn find(fields: &[FieldTable], name: &str, expected: usize) -> Option<usize> {
    let (before, after) = fields.split_at_checked(expected).unwrap_or((fields, &[]));
    let behind = after.iter().position(|field| field.name == name).map(|place| place + before.len());
    behind.or_else(|| before.iter().position(|field| field.name == name))
}
