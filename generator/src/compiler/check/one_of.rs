//! Records that are one of several: what tells them apart.

use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::compiler::model::{Api, Family, OneOf, Record, RecordCase, RecordForm, Shape, Type};

/// The variant for what is none of the records.
const UNKNOWN: &str = "Unknown";

/// Checks the records of a family that are one of several.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for (record, one_of) in family.records.iter().filter_map(|record| Some((record, record.one_of()?))) {
        if one_of.cases.is_empty() && !to.is_unread(one_of.place.file, "one_of") {
            to.at(one_of.place, Code::BadResponse, format!("the record `{}` is one of none", record.name.wire))
                .help("name the records under `one_of`, each with what tells it from the others");
        }
        are_distinct(one_of, to);
        for case in &one_of.cases {
            let Some(of) = family.records.get(case.record) else { continue };
            is_a_case(record, case, of, to);
            match &one_of.decider {
                Some(decider) => is_told_by_value(family, case, of, decider, to),
                None => is_told_by_form(family, one_of, case, of, to),
            }
        }
    }
}

/// No two records have the same word.
fn are_distinct(one_of: &OneOf, to: &mut Diagnostics) {
    let words: Vec<&(String, Place)> = one_of.cases.iter().flat_map(|case| &case.told_by).collect();
    for (index, (word, place)) in words.iter().enumerate() {
        if let Some((_, first)) = words.iter().take(index).find(|(known, _)| known == word) {
            to.at(*place, Code::DefinedTwice, format!("`{word}` tells two records"))
                .related(*first, "it is also here")
                .help("remove one of them");
        }
    }
}

/// A record of a case has fields of its own, and a name that is free.
fn is_a_case(record: &Record, case: &RecordCase, of: &Record, to: &mut Diagnostics) {
    let name = &of.name.wire;
    if of.is_abstract {
        to.at(
            case.place,
            Code::BadResponse,
            format!("`{}` is one of several, but `{name}` is abstract", record.name.wire),
        )
        .related(of.name.place, "the record is here")
        .help("remove `abstract` there, or name a record that includes it");
    } else if of.one_of().is_some() {
        to.at(case.place, Code::BadResponse, format!("`{name}` is itself one of several records"))
            .related(of.name.place, "the record is here")
            .help("name those records here");
    } else if of.name.rust == UNKNOWN {
        to.at(case.place, Code::NameCollision, format!("`{name}` has the name of the variant for all other answers"))
            .related(of.name.place, "the record is here")
            .help("give the record another `rust` name");
    }
}

/// Each record has the deciding member, so that what was read can be written.
fn is_told_by_value(
    family: &Family,
    case: &RecordCase,
    of: &Record,
    (decider, place): &(String, Place),
    to: &mut Diagnostics,
) {
    let name = &of.name.wire;
    if case.told_by.is_empty() {
        to.at(case.place, Code::MissingKey, format!("no value of `{decider}` tells `{name}`"))
            .help("list the values, or remove `choose_by` where the members tell the records apart");
    }
    if of.travels != RecordForm::Object {
        if of.one_of().is_none() {
            to.at(case.place, Code::BadResponse, format!("`{name}` is not an object, so it has no `{decider}`"))
                .related(of.name.place, "the record is here")
                .help("name a record without `by_position` and `as_value`, or remove `choose_by`");
        }
        return;
    }
    let Some(field) = of.field(decider) else {
        if of.is_whole {
            let help = did_you_mean(decider, of.fields.iter().map(|field| field.name.wire.as_str()));
            to.at(*place, Code::UndefinedName, format!("the record `{name}` has no field `{decider}`"))
                .related(of.name.place, "the record is here")
                .help(help.unwrap_or_else(|| format!("add `{decider}` to its fields").into()));
        }
        return;
    };
    let decides = |ty: Type| ty.is_text() || ty.is_enum() || ty.is_boolean() || ty.is_quantity();
    if !field.shape.is_one(decides) {
        to.at(*place, Code::BadResponse, format!("`{decider}` of the record `{name}` does not decide"))
            .related(field.name.place, "the field is here")
            .help("name a field that is a text, an enum, a number or a boolean");
        return;
    }
    let listed = family.values_of(&field.shape, &field.only);
    let fixed = field.fixed.as_ref().map(|(fixed, _)| field.shape.wire_of_fixed(fixed));
    for (word, place) in &case.told_by {
        let is_listed = listed.is_empty() || listed.iter().any(|(value, _)| value == word);
        if !is_listed || fixed.is_some_and(|fixed| fixed != word) {
            let values = listed.iter().map(|(value, _)| *value).chain(fixed);
            let help = did_you_mean(word, values);
            to.at(*place, Code::BadValue, format!("`{decider}` of the record `{name}` is never `{word}`"))
                .related(field.name.place, "the field is here")
                .help(help.unwrap_or_else(|| "name one of its values".into()));
        }
    }
}

/// Each member belongs to the record that it tells and to no other, and only one record of each form has none.
fn is_told_by_form(family: &Family, one_of: &OneOf, case: &RecordCase, of: &Record, to: &mut Diagnostics) {
    let name = &of.name.wire;
    let others = || one_of.cases.iter().filter(|other| other.place != case.place);
    let record = |case: &RecordCase| family.records.get(case.record);
    if of.one_of().is_some() {
        return;
    }
    for (member, place) in &case.told_by {
        if of.travels != RecordForm::Object {
            to.at(*place, Code::BadResponse, format!("`{name}` is not an object, so no member tells it"))
                .related(of.name.place, "the record is here")
                .help(format!("write `{name}: []`"));
        } else if super::records::field(of, &(member.clone(), *place), to).is_some()
            && let Some(other) = others().filter_map(record).find(|other| other.field(member).is_some())
        {
            to.at(*place, Code::BadResponse, format!("`{member}` does not tell `{name}` from `{}`", other.name.wire))
                .related(other.name.place, "the other record is here")
                .help("name a member that only this record has");
        }
    }
    let form = |record: &Record| form(record);
    let same = others().take_while(|_| case.told_by.is_empty()).find(|other| {
        other.told_by.is_empty()
            && (other.place.line, other.place.column) < (case.place.line, case.place.column)
            && record(other).map(form) == Some(form(of))
    });
    if let Some(other) = same.and_then(record) {
        to.at(case.place, Code::BadResponse, format!("nothing tells `{name}` from `{}`", other.name.wire))
            .related(other.name.place, "the other record is here")
            .help("list members that only one of them has");
    }
}

/// The forms of JSON that are told apart.
#[derive(PartialEq, Eq)]
enum JsonKind {
    Object,
    Array,
    Value,
}

fn form(record: &Record) -> JsonKind {
    match (&record.travels, record.fields.first().map(|only| &only.shape)) {
        (RecordForm::Array, _) | (RecordForm::Value(_), Some(Shape::List(_))) => JsonKind::Array,
        (RecordForm::Value(_), Some(Shape::One(ty))) if ty.record().is_none() => JsonKind::Value,
        (RecordForm::Object | RecordForm::OneOf(_) | RecordForm::Value(_), _) => JsonKind::Object,
    }
}
