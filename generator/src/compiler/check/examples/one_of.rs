//! Values that are one of several records.

use super::Example;
use crate::compiler::diagnostics::name_list;
use crate::compiler::json::{Node, Value};
use crate::compiler::model::{Family, OneOf, Record, RecordCase, RecordForm, Shape};

/// The index of the record that a value is. If it is none of them, that is reported.
pub(super) fn record_of(example: &mut Example<'_>, record: &Record, one_of: &OneOf, node: &Node) -> Option<usize> {
    let case = match &one_of.decider {
        Some((decider, _)) => by_value(example, record, one_of, decider, node),
        None => by_form(example, record, one_of, node),
    };
    case.map(|case| case.record)
}

fn by_value<'a>(
    example: &mut Example<'_>,
    record: &Record,
    one_of: &'a OneOf,
    decider: &str,
    node: &Node,
) -> Option<&'a RecordCase> {
    let members = node.value.members();
    let Some(member) = members.unwrap_or_default().iter().find(|member| member.name == decider) else {
        let message = format!("`{}`: no member `{decider}` decides which record it is", record.name.wire);
        example.report(node.offset, message, format!("add `\"{decider}\": \"..\"`"));
        return None;
    };
    let value = match &member.value.value {
        Value::Text(text) | Value::Number(text) => text.clone(),
        Value::Boolean(value) => value.to_string(),
        Value::Null | Value::List(_) | Value::Object(_) => {
            example.expected(&member.value, decider, "a single value");
            return None;
        }
    };
    let found = one_of.cases.iter().find(|case| case.told_by.iter().any(|(word, _)| *word == value));
    if found.is_none() {
        let known = one_of.cases.iter().flat_map(|case| &case.told_by).map(|(word, _)| word.as_str());
        let message = format!("`{}`: no record has the `{decider}` {value:?}", record.name.wire);
        example.report(member.value.offset, message, format!("expected one of: {}", name_list(known)));
    }
    found
}

fn by_form<'a>(example: &mut Example<'_>, record: &Record, one_of: &'a OneOf, node: &Node) -> Option<&'a RecordCase> {
    let has = |member: &str| {
        let is_it = |one: &crate::compiler::json::Member| one.name == member && one.value.value != Value::Null;
        node.value.members().unwrap_or_default().iter().any(is_it)
    };
    let told = one_of.cases.iter().find(|case| case.told_by.iter().any(|(member, _)| has(member)));
    let family = example.family;
    let fits = |case: &&RecordCase| case.told_by.is_empty() && can_be(family, case.record, node);
    let found = told.or_else(|| one_of.cases.iter().find(fits));
    if found.is_none() {
        let message = format!("`{}`: {} that is none of its records", record.name.wire, node.kind());
        let names = one_of.cases.iter().flat_map(|case| &case.told_by).map(|(member, _)| member.as_str());
        example.report(node.offset, message, format!("add a member that tells which one it is: {}", name_list(names)));
    }
    found
}

/// Returns whether a record can have this form.
fn can_be(family: &Family, record: usize, node: &Node) -> bool {
    let Some(record) = family.records.get(record) else { return true };
    match (&record.travels, record.fields.first().map(|only| &only.shape)) {
        (RecordForm::Object | RecordForm::OneOf(_), _) | (RecordForm::Value(_), Some(Shape::Map(_))) => {
            node.value.members().is_some()
        }
        (RecordForm::Array, _) | (RecordForm::Value(_), Some(Shape::List(_))) => node.value.items().is_some(),
        (RecordForm::Value(_), Some(Shape::One(ty))) => match ty.record() {
            Some(inner) => can_be(family, inner, node),
            None => matches!(node.value, Value::Text(_) | Value::Number(_) | Value::Boolean(_)),
        },
        (RecordForm::Value(_), _) => true,
    }
}
