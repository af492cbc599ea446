//! `oneOf` and `anyOf` of an answer: records of which it is one, told apart by a member or by their forms.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::reading::{Cursor, Mark};
use super::forms::mapped;
use super::{Part, Side, field, put, read};
use crate::tools::draft::{Cases, DraftField, JsonKind};

/// Makes the field one of several records, if that is what the forms are.
pub(super) fn one_of(
    schema: &Cursor<'_>,
    forms: &[Cursor<'_>],
    key: &str,
    within: &[String],
    to: &mut DraftField,
) -> bool {
    let has_more = ["additionalProperties", "items"];
    if has_more.iter().any(|key| schema.value.get(*key).is_some()) {
        return false;
    }
    let found = schema.attempt(|| {
        let common = common(schema, within);
        let records = forms.iter().map(|form| with(record(&to.name, form, within)?, &common));
        let records = records.collect::<Option<Vec<_>>>()?;
        let told = by_discriminator(schema, forms, &records)
            .or_else(|| by_value(&records))
            .or_else(|| Some((None, by_form(forms, &records, key)?)));
        let (decider, words) = told?;
        Some(Cases { decider, cases: records.into_iter().zip(words).collect() })
    });
    let is_found = found.is_some();
    if let Some(cases) = found {
        to.may_be_null |= cases.cases.iter().any(|(record, _)| record.may_be_null);
        to.kind = JsonKind::Object;
        to.one_of = Some(Box::new(cases));
    }
    is_found
}

/// Returns the members beside the forms, which each of the records has.
fn common(schema: &Cursor<'_>, within: &[String]) -> Vec<DraftField> {
    let mut common = Vec::new();
    for part in schema.get("allOf").map(|parts| parts.items()).unwrap_or_default() {
        read("", &part, Side::Answer, within, Part::OfSeveral).fields.into_iter().for_each(|one| put(&mut common, one));
    }
    for (name, property) in schema.get("properties").map(|all| all.members()).unwrap_or_default() {
        put(&mut common, field(name, &property, Side::Answer, within));
    }
    common
}

/// Returns a record with the common members, which has another name than what the file names without them; `None` if it
/// has none.
fn with(record: DraftField, common: &[DraftField]) -> Option<DraftField> {
    if common.is_empty() {
        return Some(record);
    }
    let is_object = record.kind == JsonKind::Object && !record.is_again;
    let mut fields = common.to_vec();
    record.fields.iter().for_each(|own| put(&mut fields, own.clone()));
    is_object.then_some(DraftField { fields, named: None, ..record })
}

/// The deciding member, and the words that tell each record.
type Told = (Option<String>, Vec<Vec<String>>);

/// Returns the record of a form: an object, a value, or a list.
fn record(name: &str, form: &Cursor<'_>, within: &[String]) -> Option<DraftField> {
    let beside = form.beside().filter(|beside| only_tells(beside));
    beside.iter().for_each(|beside| beside.mark_all(Mark::Read));
    let target = if beside.is_some() { form.alone() } else { form.clone() };
    let record = read(name, &target, Side::Answer, within, Part::Whole);
    let is_whole = match record.kind {
        JsonKind::Object => record.one_of.is_none() && (record.is_again || !record.fields.is_empty()),
        JsonKind::List => record.item != JsonKind::Unknown,
        JsonKind::Unknown | JsonKind::Json | JsonKind::Map => false,
        JsonKind::Text
        | JsonKind::Number
        | JsonKind::Integer
        | JsonKind::Signed
        | JsonKind::Boolean
        | JsonKind::Time
        | JsonKind::Formatted(_) => true,
    };
    (is_whole && !record.is_undecided).then_some(record)
}

/// Returns whether what is beside a reference only repeats what tells the record.
fn only_tells(beside: &Cursor<'_>) -> bool {
    beside
        .value
        .as_object()
        .is_some_and(|all| all.keys().all(|key| ["$ref", "required", "properties", "anyOf"].contains(&key.as_str())))
}

/// Returns the values of the member that the file names.
fn by_discriminator(schema: &Cursor<'_>, forms: &[Cursor<'_>], records: &[DraftField]) -> Option<Told> {
    let discriminator = schema.get("discriminator")?;
    let decider = discriminator.text("propertyName")?;
    let mut words: Vec<Vec<String>> = Vec::new();
    for (form, record) in forms.iter().zip(records) {
        let field = record.fields.iter().find(|field| field.name == decider);
        let listed = field.map(listed).unwrap_or_default();
        let mapped = mapped(discriminator.value, form);
        let own = if mapped.is_empty() { listed.clone() } else { mapped };
        let own = if own.is_empty() { vec![form.name()?] } else { own };
        let fits = listed.is_empty() || own.iter().all(|value| listed.contains(value));
        if !fits || !record.is_again && !field.is_some_and(is_single) {
            return None;
        }
        words.push(own);
    }
    discriminator.mark("mapping", Mark::Read);
    are_distinct(&words).then(|| (Some(decider.to_owned()), words))
}

/// Returns a member of which each record has other values.
fn by_value(records: &[DraftField]) -> Option<Told> {
    let words_of = |name: &str| {
        let words = |record: &DraftField| {
            let field = record.fields.iter().find(|field| field.name == name && is_single(field))?;
            Some(listed(field)).filter(|values| !values.is_empty())
        };
        records.iter().map(words).collect::<Option<Vec<_>>>().filter(|words| are_distinct(words))
    };
    let names = records.first()?.fields.iter().map(|field| &field.name);
    names.into_iter().find_map(|name| Some((Some(name.clone()), words_of(name)?)))
}

/// Returns members that only one of the objects has, of which the required ones suffice; or another form of JSON.
fn by_form(forms: &[Cursor<'_>], records: &[DraftField], key: &str) -> Option<Vec<Vec<String>>> {
    let is_object = |record: &DraftField| record.kind == JsonKind::Object && !record.is_by_position;
    let is_list = |record: &DraftField| record.kind == JsonKind::List || record.is_by_position;
    let objects: Vec<_> = records.iter().filter(|record| is_object(record)).collect();
    let lists = records.iter().filter(|record| is_list(record)).count();
    // Of `anyOf`, an answer may be several at once.
    let is_apart = lists < 2 && records.len() - objects.len() - lists < 2 && (key == "oneOf" || objects.len() < 2);
    if !is_apart || objects.iter().any(|record| record.is_again) {
        return None;
    }
    let told = |(form, record): (&Cursor<'_>, &DraftField)| -> Vec<String> {
        if !is_object(record) || objects.len() < 2 {
            return Vec::new();
        }
        let others: BTreeSet<&str> = objects
            .iter()
            .filter(|other| !std::ptr::eq(**other, record))
            .flat_map(|other| other.fields.iter().map(|field| field.name.as_str()))
            .collect();
        let own: Vec<&String> =
            record.fields.iter().map(|field| &field.name).filter(|name| !others.contains(name.as_str())).collect();
        let required = required(form);
        let sure: Vec<String> = own.iter().filter(|name| required.contains(name)).map(|name| (*name).clone()).collect();
        if sure.is_empty() { own.into_iter().cloned().collect() } else { sure }
    };
    let words: Vec<_> = forms.iter().zip(records).map(told).collect();
    let others = words.iter().zip(records).filter(|(words, record)| words.is_empty() && is_object(record)).count();
    (others < 2).then_some(words)
}

/// Returns the members that a form requires, or of which it requires one.
fn required(form: &Cursor<'_>) -> Vec<String> {
    let names = |value: &Value| {
        let names = value["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let beside = form.beside().map(|beside| beside.value);
    let forms = beside.into_iter().flat_map(|beside| beside["anyOf"].as_array()).flatten();
    let told: Vec<String> = forms.chain(beside).flat_map(names).collect();
    if told.is_empty() { names(form.value) } else { told }
}

/// Returns the values that a member can have.
fn listed(field: &DraftField) -> Vec<String> {
    let fixed = field.fixed.iter().filter(|_| field.values.is_empty());
    field.values.iter().chain(fixed).cloned().collect()
}

/// Returns whether a member has a single text, number or boolean as its value.
fn is_single(field: &DraftField) -> bool {
    let kinds = [JsonKind::Text, JsonKind::Number, JsonKind::Integer, JsonKind::Signed, JsonKind::Boolean];
    !field.is_undecided && kinds.contains(&field.kind)
}

fn are_distinct(words: &[Vec<String>]) -> bool {
    let all: BTreeSet<&String> = words.iter().flatten().collect();
    all.len() == words.iter().map(Vec::len).sum::<usize>()
}
