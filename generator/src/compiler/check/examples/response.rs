//! The JSON of an answer: the envelope and its data, of which some values are one of several records.

use super::{Example, check_echoes};
use crate::compiler::check::identifiers::{self, Fault};
use crate::compiler::check::values;
use crate::compiler::diagnostics::{Kind, Place, name_list, unknown};
use crate::compiler::json::{Member, Node, Value};
use crate::compiler::model::{
    AnswerPath, Api, Around, Envelope, Family, Field, JsonForm, Name, OneOf, Operation, Record, RecordCase, RecordForm,
    Response, Shape, Step, Type, number,
};

/// The maximum number of unknown members of an object that are reported one by one.
const FEW: usize = 3;

/// Compares an answer with its operation.
pub(super) fn check(example: &mut Example<'_>, api: &Api, operation: &Operation, request: Option<&Node>, root: &Node) {
    let data = match &api.envelope {
        Some(envelope) if envelope.around == Around::All || operation.data.is_none() => {
            data_of(example, envelope, operation.data_path(api), root)
        }
        Some(_) | None => own_data(example, operation.data.as_ref(), root),
    };
    let Some(data) = data else { return };
    results_are_parallel(example, operation, root, data);
    if let (Some(echoes), Some(request), Response::Object { record } | Response::Array { record, .. }) =
        (&operation.echoes, request, &operation.response)
        && let Some(record) = example.family.records.get(*record)
    {
        check_echoes(example, echoes, record, request, data);
    }
    match &operation.response {
        Response::Object { record: index } => record(example, *index, data),
        Response::Array { record: index, observed_under } => match (&data.value, observed_under) {
            (Value::Object(members), Some(name)) => {
                members_are_known(example, members, &[(name, None)]);
                members
                    .iter()
                    .filter(|member| member.name == *name)
                    .for_each(|member| records(example, *index, &member.value));
            }
            _ => records(example, *index, data),
        },
        Response::Page { list, record, cursor, .. } => page(example, [list, cursor], *record, data),
        Response::Undefined => {}
    }
}

/// Checks that a batch with codes apart from its items has one code for each item.
fn results_are_parallel(example: &mut Example<'_>, operation: &Operation, root: &Node, data: &Node) {
    let Some((batch, way)) = operation.batch.as_ref().and_then(|batch| Some((batch, batch.codes_apart()?))) else {
        return;
    };
    let list = match &batch.list {
        Some(list) => at(data, &[Step::Member(list.text.clone())]),
        None => Some(data),
    };
    let Some(Node { value: Value::List(items), .. }) = list else { return };
    match at(root, &way.0) {
        Some(Node { value: Value::List(results), .. }) if results.len() == items.len() => {}
        found => {
            let offset = found.map_or(root.offset, |found| found.offset);
            let message = format!("expected {} results in `{way}`, as many as there are items", items.len());
            example.report(offset, message, "write an array with the code of each item");
        }
    }
}

/// Returns the data of the answer, if it must have some.
fn data_of<'n>(
    example: &mut Example<'_>,
    envelope: &Envelope,
    data: Option<&AnswerPath>,
    root: &'n Node,
) -> Option<&'n Node> {
    let code = envelope.code.iter().find_map(|path| at(root, &path.0));
    // In an array, only the status shows success, so an item that is not a listed code is data.
    let code = code.filter(|code| envelope.around == Around::All || !is_list(root) || is_listed(example, code));
    let is_bare = envelope.around == Around::Failures || data.is_none() && envelope.success.is_none();
    if is_bare && code.is_none() {
        return Some(root);
    }
    let are_known = match &root.value {
        Value::Object(members) => {
            let known = envelope.members().into_iter().chain(data.and_then(AnswerPath::first));
            let known: Vec<Known<'_>> = known.map(|name| (name, Some(envelope.place))).collect();
            members_are_known(example, members, &known)
        }
        Value::List(_) if envelope.can_be_array() => true,
        _ => {
            example.report(
                root.offset,
                format!("expected an object, found {}", root.kind()),
                "write the whole body, with the members of the envelope",
            );
            return None;
        }
    };
    let is_success = match (code, &envelope.success, envelope.code.first()) {
        (Some(found), success, Some(path)) => is_success(example, success.as_deref(), path, found)?,
        (None, Some(success), Some(path)) => {
            if are_known {
                let help = format!("add `\"{path}\": \"{success}\"`");
                example.report(root.offset, format!("the answer has no member `{path}`"), help);
            }
            return None;
        }
        (_, _, None) | (None, None, _) => true,
    };
    let Some(data) = data else { return is_success.then_some(root) };
    if let (Some(Node { offset, value: Value::Text(code) | Value::Number(code) }), false, Some(_)) =
        (code, is_success, at(root, &data.0).filter(|data| !is_empty(data)))
        && example.family.errors.iter().any(|error| error.code == *code)
    {
        let message = format!("the answer has data, but its code `{code}` is not that of a success");
        example.report(*offset, message, format!("correct the code, or remove `{data}`"));
    }
    match found(root, &data.0) {
        Some(Node { value: Value::Null, .. }) if !is_success => None,
        None if !is_success || !are_known => None,
        _ => own_data(example, Some(data), root),
    }
}

/// Returns the data that a path leads to, which is required; without a path, the whole body.
fn own_data<'n>(example: &mut Example<'_>, data: Option<&AnswerPath>, root: &'n Node) -> Option<&'n Node> {
    let Some(data) = data else { return Some(root) };
    let found = found(root, &data.0);
    if found.is_none() {
        let help = "add it, with the data of the answer";
        example.report(root.offset, format!("the answer has no member `{data}`"), help);
    }
    found
}

/// Returns whether data says nothing, as in many refusals.
fn is_empty(data: &Node) -> bool {
    match &data.value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Boolean(_) | Value::Number(_) => false,
    }
}

fn is_list(node: &Node) -> bool {
    matches!(node.value, Value::List(_))
}

/// Returns whether the family lists this code.
fn is_listed(example: &Example<'_>, node: &Node) -> bool {
    let (Value::Text(code) | Value::Number(code)) = &node.value else { return false };
    example.family.errors.iter().any(|error| error.code == *code)
}

/// Returns whether a code means success; `None` if it is not a code.
fn is_success(example: &mut Example<'_>, success: Option<&str>, path: &AnswerPath, found: &Node) -> Option<bool> {
    let (Value::Text(code) | Value::Number(code)) = &found.value else {
        example.expected(found, &path.to_string(), "a JSON string");
        return None;
    };
    let is_success = success == Some(code);
    if !is_success && !example.to.has(Kind::Success) && !example.family.errors.iter().any(|error| error.code == *code) {
        let file = example.to.beside(example.place, "family.yaml");
        let help = match success {
            Some(success) => format!("`{success}` means success; define other codes under `errors` in {file}"),
            None => format!("define it under `errors` in {file}"),
        };
        example.report(found.offset, format!("unknown code `{code}`"), help);
    }
    Some(is_success)
}

/// Returns the value at a path; `null` counts as absent.
fn at<'n>(node: &'n Node, path: &[Step]) -> Option<&'n Node> {
    found(node, path).filter(|node| !matches!(node.value, Value::Null))
}

/// Returns the value at a path.
fn found<'n>(node: &'n Node, path: &[Step]) -> Option<&'n Node> {
    let Some((step, rest)) = path.split_first() else { return Some(node) };
    match (step, &node.value) {
        (Step::Member(name), Value::Object(members)) => {
            found(&members.iter().find(|member| member.name == *name)?.value, rest)
        }
        (Step::Item(item), Value::List(items)) => found(items.get(*item)?, rest),
        _ => None,
    }
}

/// The name of a member, and the place that defines it.
type Known<'a> = (&'a str, Option<Place>);

/// Returns whether all members are known; reports those that are not.
fn members_are_known(example: &mut Example<'_>, members: &[Member], known: &[Known<'_>]) -> bool {
    example.members_are_distinct(members);
    let names = || known.iter().map(|(name, _)| *name);
    let unexpected: Vec<_> = members.iter().filter(|member| !names().any(|name| name == member.name)).collect();
    // With so many unknown members, or none that is known, it is probably another record or an answer without its
    // envelope, so they are reported as one mistake.
    let are_others = unexpected.len() > FEW || unexpected.len() > 1 && unexpected.len() == members.len();
    if let Some(first) = unexpected.first().filter(|_| are_others) {
        let list = name_list(unexpected.iter().map(|member| member.name.as_str()));
        let help = format!("expected one of: {}", name_list(names()));
        example.report(first.offset, format!("unknown members: {list}"), help);
        return false;
    }
    for member in &unexpected {
        let help = unknown(&member.name, known.iter().copied(), || format!("expected one of: {}", name_list(names())));
        example.report(member.offset, format!("unknown member `{}`", member.name), help);
    }
    unexpected.is_empty()
}

fn page(example: &mut Example<'_>, names: [&Name; 2], index: usize, data: &Node) {
    let [list, cursor] = names.map(|name| name.wire.as_str());
    let Value::Object(members) = &data.value else {
        return example.report(
            data.offset,
            format!("expected a page, found {}", data.kind()),
            format!("write an object with `{list}` and `{cursor}`"),
        );
    };
    let are_known = members_are_known(example, members, &names.map(|name| (name.wire.as_str(), Some(name.place))));
    match members.iter().find(|member| member.name == list) {
        Some(member) => records(example, index, &member.value),
        // One of the unknown members is probably the list.
        None if !are_known => {}
        None => {
            example.report(data.offset, format!("the page has no member `{list}`"), format!("add `\"{list}\": [..]`"))
        }
    }
    for member in members.iter().filter(|member| member.name == cursor) {
        if !matches!(member.value.value, Value::Text(_) | Value::Null) {
            example.expected(&member.value, cursor, "a JSON string, or null on the last page");
        }
    }
}

fn records(example: &mut Example<'_>, index: usize, node: &Node) {
    let has_key = example.family.records.get(index).is_some_and(|record| record.key.is_some());
    match &node.value {
        Value::Object(members) if has_key => members.iter().for_each(|member| record(example, index, &member.value)),
        Value::List(nodes) => nodes.iter().for_each(|node| record(example, index, node)),
        // Some exchanges write an empty list as null.
        Value::Null => {}
        _ => {
            let name = record_name(example, index);
            example.report(
                node.offset,
                format!("expected a list of `{name}`, found {}", node.kind()),
                "write a list of records",
            );
        }
    }
}

fn record_name(example: &Example<'_>, index: usize) -> String {
    example.family.records.get(index).map(|record| record.name.wire.clone()).unwrap_or_default()
}

fn record(example: &mut Example<'_>, index: usize, node: &Node) {
    let family = example.family;
    let Some(record) = family.records.get(index) else { return };
    match &record.travels {
        RecordForm::Object => {}
        RecordForm::OneOf(one_of) => {
            if let Some(index) = record_of(example, record, one_of, node) {
                self::record(example, index, node);
            }
            return;
        }
        RecordForm::Array => return tuple(example, record, node),
        RecordForm::Value(_) => return record.fields.iter().for_each(|only| field(example, only, node)),
    }
    if record.fields.is_empty() && matches!(node.value, Value::Null) {
        return;
    }
    let Value::Object(members) = &node.value else {
        return example.report(
            node.offset,
            format!("expected a record `{}`, found {}", record.name.wire, node.kind()),
            "write an object of its fields",
        );
    };
    let fields = record.fields.iter().map(|field| &field.name);
    let names: Vec<Known<'_>> = fields.map(|name| (name.wire.as_str(), Some(name.place))).collect();
    members_are_known(example, members, &names);
    for member in members {
        if let Some(known) = record.field(&member.name) {
            field(example, known, &member.value);
        }
    }
}

/// Checks a record whose fields are identified by their positions.
fn tuple(example: &mut Example<'_>, record: &Record, node: &Node) {
    let Value::List(nodes) = &node.value else {
        let what = format!("an array of the fields of `{}`", record.name.wire);
        return example.expected(node, &record.name.wire, &what);
    };
    if let Some(beyond) = nodes.get(record.fields.len()) {
        let (name, count) = (&record.name.wire, record.fields.len());
        example.report(beyond.offset, format!("`{name}` has {count} fields only"), "remove it, or add a field");
    }
    for (known, node) in record.fields.iter().zip(nodes) {
        field(example, known, node);
    }
}

fn field(example: &mut Example<'_>, field: &Field, node: &Node) {
    let name = field.name.wire.as_str();
    if matches!(node.value, Value::Null) {
        if !field.may_be_null {
            example.report(
                node.offset,
                format!("`{name}` is null, but the field has no `may_be: null`"),
                "add `may_be: null` to the field, or set it to a value",
            );
        }
        return;
    }
    match (&field.shape, &node.value) {
        (Shape::One(ty), _) => value(example, field, *ty, node),
        (Shape::List(Type::Record(index)), Value::Object(_)) => records(example, *index, node),
        (Shape::List(ty), Value::List(nodes)) => nodes.iter().for_each(|node| value(example, field, *ty, node)),
        (Shape::Map(ty), Value::Object(members)) => {
            members.iter().for_each(|member| value(example, field, *ty, &member.value));
        }
        (Shape::Map(_), _) => example.expected(node, name, "an object"),
        (Shape::List(_) | Shape::Items(_) | Shape::Object(_), _) => example.expected(node, name, "a list"),
    }
}

fn value(example: &mut Example<'_>, field: &Field, ty: Type, node: &Node) {
    let name = field.name.wire.as_str();
    let text = match (ty.json(field.as_text), &node.value) {
        (JsonForm::Record(index), _) => return record(example, index, node),
        (JsonForm::Any, _) => return,
        // An empty text stands for an absent value of any type.
        (_, Value::Text(text)) if text.is_empty() => return,
        (JsonForm::Boolean(truth), _) => return example.boolean(node, name, truth),
        (JsonForm::Text | JsonForm::QuotedNumber, Value::Text(text)) | (JsonForm::Number, Value::Number(text)) => text,
        (JsonForm::Text, _) => return example.expected(node, name, "a JSON string"),
        (JsonForm::QuotedNumber | JsonForm::Number, _) => return example.expected_number(node, name, field.as_text),
    };
    let is_another = || values::not_the_fixed(&field.name, field.fixed.as_ref(), text);
    if let Some(fault) = why_unreadable(example, field, ty, text).or_else(is_another) {
        example.fault(node, name, fault);
    }
}

/// Returns why a value of an answer cannot be read. Clients accept more in answers than they send: exponents, other
/// spellings, ids of any form.
fn why_unreadable(example: &Example<'_>, field: &Field, ty: Type, text: &str) -> Option<Fault> {
    match ty {
        Type::Decimal if number::is_decimal(text) => None,
        Type::Scaled(_) if number::is_whole(text) => None,
        Type::Scaled(_) => {
            let help = "write the value times ten to the power of `scale`";
            Some(Fault::new(format!("{text} is not an integer"), help))
        }
        Type::Identifier(_) => None,
        Type::Enum(index) => identifiers::why_not_listed(example.family.enums.get(index)?, &field.only, text),
        // As in requests, where each type has its texts.
        ty => values::find_fault(example.family, ty, text),
    }
}

/// Returns the index of the record that a value is. If it is none of them, that is reported.
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
