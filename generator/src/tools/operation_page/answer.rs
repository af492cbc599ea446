//! The answer: its record, and the records within it.

use super::page::TextPage;
use super::parameters::{documented, type_name, values};
use crate::compiler::model::phrases::{self, PLAIN};
use crate::compiler::model::phrases::{joined, sentence};
use crate::compiler::model::{Family, Field, Record, Response, Type};

pub(super) fn add(page: &mut TextPage, family: &Family, response: &Response) {
    let record = |index: usize| family.records.get(index);
    let name = |index: usize| record(index).map_or("", |record| record.name.wire.as_str());
    let (heading, index) = match response {
        Response::Object { record } => (format!("Answer: {}", name(*record)), *record),
        Response::Array { record, observed_under } => {
            let seen = observed_under.as_ref().map(|member| format!("; also seen inside `{member}`"));
            (format!("Answer: a list of {}{}", name(*record), seen.unwrap_or_default()), *record)
        }
        Response::Page { list, record, cursor, next } => {
            let of = format!("Answer: a page, `{}` with a list of {}", list.wire, name(*record));
            (format!("{of}; its `{}` goes into `{}` of the next call", cursor.wire, next.0), *record)
        }
        Response::Undefined => return,
    };
    page.heading(&heading);
    if let Some(record) = record(index) {
        fields(page, family, 1, record, &mut vec![index]);
    }
}

/// The fields of a record, each followed by the record that it contains; `open` are the enclosing records.
fn fields(page: &mut TextPage, family: &Family, depth: usize, record: &Record, open: &mut Vec<usize>) {
    let width = record.fields.iter().map(|field| field.name.wire.chars().count()).max().unwrap_or(0);
    for field in &record.fields {
        page.named(depth, width, &field.name.wire, &facts(family, field));
        let Some(index) = field.shape.record() else { continue };
        if let Some(inner) = family.records.get(index).filter(|_| !open.contains(&index)) {
            open.push(index);
            fields(page, family, depth + 1, inner, open);
            open.pop();
        }
    }
    for (one_of, case) in record.cases_told() {
        let name = family.type_name(Type::Record(case.record));
        page.entry(depth, &format!("or {name}: {}", phrases::told_by(one_of, case, &PLAIN)));
        if let Some(inner) = family.records.get(case.record).filter(|_| !open.contains(&case.record)) {
            open.push(case.record);
            fields(page, family, depth + 1, inner, open);
            open.pop();
        }
    }
}

fn facts(family: &Family, field: &Field) -> String {
    let null = if field.may_be_null { ", or null" } else { "" };
    let parts = [
        format!("{}{null}.", type_name(family, &field.shape)),
        sentence(&field.doc),
        values(family, &field.shape, &field.only),
        phrases::unit_sentence(&field.units, &PLAIN),
        documented(&field.keys(family)),
    ];
    joined(&parts, " ")
}
