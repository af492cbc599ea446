//! Records and their fields: units, records that are one of several, and answers beside the data.

use super::identifiers::Fault;
use super::{repeated, values};
use crate::compiler::diagnostics::{Code, Diagnostics, Kind, Place, did_you_mean, one_of};
use crate::compiler::model::{
    Api, Around, BesideData, Family, Field, Lookup, Name, NamesWithin, OneOf, Operation, Parameter, Placed, Record,
    RecordCase, RecordForm, Response, Role, Shape, Type, Unit, WireNames, WireParameter,
};
use crate::compiler::words::AnswerForm;

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

/// Returns the field of a record with this name; an unknown name is reported.
pub(super) fn field<'a>(record: &'a Record, (name, place): &Placed, to: &mut Diagnostics) -> Option<&'a Field> {
    let found = record.field(name);
    if found.is_none() {
        record.lacks_field(name, *place, to);
    }
    found
}

/// Returns a field of a record, or of the record in a field, as in `fee.coin`.
pub(super) fn field_within<'a>(
    family: &'a Family,
    record: &'a Record,
    (path, place): &Placed,
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

/// Checks that the named field, if there is one, has the expected shape.
pub(super) fn is_field(
    record: &Record,
    named: Option<&Placed>,
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

/// Checks that a record with `as_value` has a single field.
fn value_is_one(record: &Record, to: &mut Diagnostics) {
    let RecordForm::Value(place) = record.travels else { return };
    if record.is_whole && record.fields.len() != 1 {
        let count = record.fields.len();
        to.at(place, Code::BadResponse, format!("`as_value` of a record with {count} fields"))
            .help("leave one field, whose value is the record, or use `by_position` for an array of fields");
    }
}

/// Checks that the field for the key of a record is a text.
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

/// Checks that an abstract record is only included, not used as a type.
fn is_a_type(family: &Family, index: usize, place: Place, what: &str, to: &mut Diagnostics) {
    let Some(record) = family.records.get(index).filter(|record| record.is_abstract) else { return };
    to.at(place, Code::BadResponse, format!("{what} has the abstract record `{}` as its type", record.name.wire))
        .related(record.name.place, "the record is here")
        .help("remove `abstract` there, or use a record that includes it");
}

/// Checks that a record does not contain itself, except in a list, which may be empty.
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

/// Checks that a refusal is an object, and headers are single values under names that headers can have.
pub(super) fn beside_data(api: &Api, family: &Family, to: &mut Diagnostics) {
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

/// Checks that a text is the value of a record; bytes have a record without fields.
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

/// The variant for what is none of the records.
const UNKNOWN: &str = "Unknown";

/// Checks the records of a family that are one of several.
pub(super) fn records_of_several(_api: &Api, family: &Family, to: &mut Diagnostics) {
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
                Some(decider) if is_unknown(family, one_of, decider) && case.place != one_of.cases[0].place => {}
                Some(decider) => is_told_by_value(family, case, of, decider, to),
                None => is_told_by_form(family, one_of, case, of, to),
            }
        }
    }
}

/// Returns whether no record has the deciding member, which is one mistake.
fn is_unknown(family: &Family, one_of: &OneOf, (decider, _): &Placed) -> bool {
    let mut records = one_of.cases.iter().filter_map(|case| family.records.get(case.record));
    records.all(|record| record.travels == RecordForm::Object && record.field(decider).is_none())
}

/// Checks that no two records have the same word.
fn are_distinct(one_of: &OneOf, to: &mut Diagnostics) {
    let words: Vec<&Placed> = one_of.cases.iter().flat_map(|case| &case.told_by).collect();
    for ((_, first), (word, place)) in repeated(&words, |one, other| one.0 == other.0) {
        to.at(*place, Code::DefinedTwice, format!("`{word}` tells two records"))
            .related(*first, "it is also here")
            .help("remove one of them");
    }
}

/// Checks that a record of a case has fields of its own, and a name that is free.
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

/// Checks that each record has the deciding member, so that what was read can be written.
fn is_told_by_value(family: &Family, case: &RecordCase, of: &Record, (decider, place): &Placed, to: &mut Diagnostics) {
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

/// Checks that each member belongs to the record that it tells and to no other, and only one record of each form has
/// none.
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
        } else if field(of, &(member.clone(), *place), to).is_some()
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

/// Checks the units of requests and records.
pub(super) fn units(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let outer = family.names(operation.body.parameters());
        of_names(family, &outer, &outer, to);
        for (_, item) in operation.items() {
            let inner = family.names(&item.parameters);
            of_names(family, &inner, &inner.clone().and(&outer), to);
        }
    }
    for record in &family.records {
        of_record(family, record, to);
    }
}

fn of_names(family: &Family, names: &WireNames<'_>, around: &WireNames<'_>, to: &mut Diagnostics) {
    for name in names.iter() {
        if let Some(parameter) = name.parameter() {
            of_parameter(family, parameter, around, to);
        }
    }
}

fn of_parameter(family: &Family, parameter: &Parameter, around: &WireNames<'_>, to: &mut Diagnostics) {
    are_reached(&parameter.name, &parameter.units, to);
    for ((name, place), values) in parameter.units.iter().flat_map(|unit| &unit.when) {
        match around.find(name) {
            Lookup::Found(found) => {
                let all = found.values(family).into_iter().map(|(value, _)| value);
                tells_cases_apart(name, values, all, *place, to);
                for (value, place) in values {
                    if let Some(fault) = find_fault_of_value(family, &found, value) {
                        fault.report(to, *place, Code::BadValue, &format!("the unit depends on `{name}`"));
                    }
                }
            }
            Lookup::Missing(help) => {
                to.at(*place, Code::UndefinedName, format!("the unit depends on an unknown parameter `{name}`"))
                    .help(help);
            }
            Lookup::Unresolved => {}
        }
    }
}

/// Checks that the conditions of a unit do not imply those of an earlier one, because the first unit whose `when` holds
/// counts, and that the last one before `otherwise` is another unit.
fn are_reached(of: &Name, units: &[Unit], to: &mut Diagnostics) {
    let place = |unit: &Unit| unit.when.first().map_or(of.place, |((_, place), _)| *place);
    for (index, unit) in units.iter().enumerate() {
        let covers = |earlier: &&Unit| !earlier.when.is_empty() && covers(earlier, unit);
        if let Some(earlier) = units[..index].iter().find(covers) {
            to.at(place(unit), Code::BadValue, format!("unreachable unit `{}` of `{}`", unit.is, of.wire))
                .related(place(earlier), "an earlier `when` covers it")
                .help("put the unit with more conditions first, or remove one of them");
        }
    }
    if let [.., last, otherwise] = units
        && otherwise.when.is_empty()
        && last.is == otherwise.is
    {
        to.at(place(last), Code::BadValue, format!("`otherwise` of `{}` has the unit `{}`, too", of.wire, last.is))
            .help("remove this `when`, or correct one of the units");
    }
}

/// Returns whether the earlier unit has a condition less strict than each that it has in common with the other, and no
/// others.
fn covers(earlier: &Unit, unit: &Unit) -> bool {
    let is_implied = |((name, _), values): &NamesWithin| {
        let own = unit.when.iter().find(|((own, _), _)| own == name);
        let has = |value: &String| values.iter().any(|(one, _)| one == value);
        own.is_some_and(|(_, own)| own.iter().all(|(value, _)| has(value)))
    };
    earlier.when.iter().all(is_implied)
}

/// Refuses a condition with every value of what it tests.
fn tells_cases_apart<'a>(
    name: &str,
    values: &'a [(String, Place)],
    all: impl Iterator<Item = &'a str>,
    place: Place,
    to: &mut Diagnostics,
) {
    if lists_all(values.iter().map(|(value, _)| value.as_str()), all) {
        to.at(place, Code::BadValue, format!("the unit does not depend on `{name}`: every value of it is listed"))
            .help("remove it, or list the values for which the unit holds");
    }
}

/// Returns whether several values are all that there are.
pub(super) fn lists_all<'a>(values: impl Iterator<Item = &'a str> + Clone, all: impl Iterator<Item = &'a str>) -> bool {
    let mut all = all.peekable();
    values.clone().nth(1).is_some() && all.peek().is_some() && all.all(|one| values.clone().any(|value| value == one))
}

/// Returns why a parameter can never have a value; `None` if it can.
pub(super) fn find_fault_of_value(family: &Family, wire: &WireParameter<'_>, value: &str) -> Option<Fault> {
    match wire.role {
        Role::Decider(index) => values::find_fault(family, Type::Enum(index), value),
        Role::Plain(parameter) | Role::Alternative(parameter) | Role::Member(parameter) => {
            let ty = parameter.shape.single()?;
            values::find_fault(family, ty, value)
                .or_else(|| values::out_of_bounds(family, parameter, value))
                .or_else(|| values::wrong_length(parameter, value))
                .or_else(|| values::no_match(parameter, value))
                .or_else(|| values::not_the_fixed(&parameter.name, parameter.fixed.as_ref(), value))
        }
    }
}

fn of_record(family: &Family, record: &Record, to: &mut Diagnostics) {
    record.fields.iter().for_each(|field| are_reached(&field.name, &field.units, to));
    let conditions = record.fields.iter().flat_map(|field| &field.units).flat_map(|unit: &Unit| &unit.when);
    for ((name, place), values) in conditions {
        let Some(Field { shape, only, .. }) = record.field(name) else {
            let fields = record.fields.iter().map(|field| (field.name.wire.as_str(), Some(field.name.place)));
            let help = one_of(name, fields);
            to.at(*place, Code::UndefinedName, format!("the unit depends on an unknown field `{name}`")).help(help);
            continue;
        };
        let all = family.values_of(shape, only).into_iter().map(|(value, _)| value);
        tells_cases_apart(name, values, all, *place, to);
        let Some(ty) = shape.single().filter(|ty| ty.is_enum()) else { continue };
        for (value, place) in values {
            if let Some(fault) = values::find_fault(family, ty, value) {
                fault.report(to, *place, Code::BadValue, &format!("the unit depends on `{name}`"));
            }
        }
    }
}
