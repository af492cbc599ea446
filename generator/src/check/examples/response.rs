//! The JSON of an answer: the envelope, and the data in it.

use super::Example;
use super::json::{Member, Node, Value};
use crate::check::fault::Fault;
use crate::check::values;
use crate::check::{enums, number};
use crate::diagnostics::{did_you_mean, name_list};
use crate::model::{Api, Envelope, Field, Operation, Response, Shape, Type};

/// So many unknown members of an object are told one by one.
const FEW: usize = 3;

/// Compares an answer with its operation.
pub(super) fn check(example: &mut Example<'_>, api: &Api, operation: &Operation, root: &Node) {
    let data = match &api.envelope {
        Some(envelope) => data_of(example, envelope, root),
        None => Some(root),
    };
    let Some(data) = data else { return };
    match &operation.response {
        Response::Object { record: index } => record(example, *index, data),
        Response::Array { record: index, observed_under } => match (&data.value, observed_under) {
            (Value::Object(members), Some(name)) => {
                members_are_known(example, members, &[name]);
                members
                    .iter()
                    .filter(|member| member.name == *name)
                    .for_each(|member| records(example, *index, &member.value));
            }
            _ => records(example, *index, data),
        },
        Response::Page { list, record, cursor, .. } => page(example, [&list.wire, &cursor.wire], *record, data),
        Response::Undefined => {}
    }
}

/// The data, where there has to be some.
fn data_of<'n>(example: &mut Example<'_>, envelope: &Envelope, root: &'n Node) -> Option<&'n Node> {
    let Value::Object(members) = &root.value else {
        example.report(
            root.offset,
            format!("the answer is {}", root.kind()),
            "write the whole body, with the members of the envelope",
        );
        return None;
    };
    let known = [Some(&envelope.code), envelope.message.as_ref(), envelope.time.as_ref(), Some(&envelope.data)];
    let known: Vec<&String> = known.into_iter().flatten().collect();
    members_are_known(example, members, &known);
    let find = |name: &str| members.iter().find(|member| member.name == name);
    let code = match find(&envelope.code).map(|code| &code.value) {
        Some(Node { value: Value::Text(code) | Value::Number(code), .. }) => code,
        Some(other) => {
            example.expected(other, &envelope.code, "the code as a JSON string");
            return None;
        }
        None => {
            example.report(
                root.offset,
                format!("the answer has no `{}`", envelope.code),
                format!("add `\"{}\": \"{}\"`", envelope.code, envelope.success),
            );
            return None;
        }
    };
    let is_success = *code == envelope.success;
    if !is_success && !example.family.errors.iter().any(|error| error.code == *code) {
        let offset = find(&envelope.code).map_or(root.offset, |code| code.value.offset);
        let help = format!("`{}` is success; add other codes to `errors` in family.yaml", envelope.success);
        example.report(offset, format!("no code is called `{code}`"), help);
    }
    match find(&envelope.data).map(|data| &data.value) {
        Some(Node { value: Value::Null, .. }) if !is_success => None,
        None if !is_success => None,
        None => {
            example.report(
                root.offset,
                format!("the answer has no `{}`", envelope.data),
                "add it, with what the operation answers",
            );
            None
        }
        data => data,
    }
}

fn members_are_known(example: &mut Example<'_>, members: &[Member], known: &[&String]) {
    example.members_are_distinct(members);
    let names = || known.iter().map(|name| name.as_str());
    let unknown: Vec<_> = members.iter().filter(|member| !names().any(|name| name == member.name)).collect();
    // So many are not misspelled one by one: it is another record, or one that lacks what it should have.
    if let Some(first) = unknown.first().filter(|_| unknown.len() > FEW) {
        let list = name_list(unknown.iter().map(|member| member.name.as_str()));
        let help = format!("the members here are: {}", name_list(names()));
        return example.report(first.offset, format!("the schema knows none of these members here: {list}"), help);
    }
    for member in unknown {
        let help = did_you_mean(&member.name, names())
            .unwrap_or_else(|| format!("the members here are: {}", name_list(names())).into());
        example.report(member.offset, format!("the schema knows no member `{}` here", member.name), help);
    }
}

fn page(example: &mut Example<'_>, [list, cursor]: [&String; 2], index: usize, data: &Node) {
    let Value::Object(members) = &data.value else {
        return example.report(
            data.offset,
            format!("the page is {}", data.kind()),
            format!("write an object with `{list}` and `{cursor}`"),
        );
    };
    members_are_known(example, members, &[list, cursor]);
    match members.iter().find(|member| member.name == *list) {
        Some(member) => records(example, index, &member.value),
        None => example.report(data.offset, format!("the page has no `{list}`"), format!("add `\"{list}\": [..]`")),
    }
    for member in members.iter().filter(|member| member.name == *cursor) {
        if !matches!(member.value.value, Value::Text(_) | Value::Null) {
            example.expected(&member.value, cursor, "the cursor as a JSON string, or null where there is no more");
        }
    }
}

fn records(example: &mut Example<'_>, index: usize, node: &Node) {
    match &node.value {
        Value::List(nodes) => nodes.iter().for_each(|node| record(example, index, node)),
        // An exchange may say so that there are none.
        Value::Null => {}
        _ => {
            let name = record_name(example, index);
            example.report(node.offset, format!("the records `{name}` are {}", node.kind()), "write a list of them");
        }
    }
}

fn record_name(example: &Example<'_>, index: usize) -> String {
    example.family.records.get(index).map(|record| record.name.wire.clone()).unwrap_or_default()
}

fn record(example: &mut Example<'_>, index: usize, node: &Node) {
    let family = example.family;
    let Some(record) = family.records.get(index) else { return };
    let Value::Object(members) = &node.value else {
        return example.report(
            node.offset,
            format!("the record `{}` is {}", record.name.wire, node.kind()),
            "write an object of its fields",
        );
    };
    let names: Vec<&String> = record.fields.iter().map(|field| &field.name.wire).collect();
    members_are_known(example, members, &names);
    for member in members {
        if let Some(known) = record.field(&member.name) {
            field(example, known, &member.value);
        }
    }
}

fn field(example: &mut Example<'_>, field: &Field, node: &Node) {
    let name = field.name.wire.as_str();
    if matches!(node.value, Value::Null) {
        if !field.may_be_null {
            example.report(
                node.offset,
                format!("`{name}` is null, and the schema does not say that it may be"),
                "add `may_be: null` to the field, or give it a value",
            );
        }
        return;
    }
    match (&field.shape, &node.value) {
        (Shape::One(ty), _) => value(example, field, *ty, node),
        (Shape::List(ty), Value::List(nodes)) => nodes.iter().for_each(|node| value(example, field, *ty, node)),
        (Shape::List(_) | Shape::Items(_), _) => example.expected(node, name, "a list"),
    }
}

fn value(example: &mut Example<'_>, field: &Field, ty: Type, node: &Node) {
    let name = field.name.wire.as_str();
    let is_number = ty.is_number();
    let text = match (&node.value, ty) {
        (_, Type::Record(index)) => return record(example, index, node),
        (_, Type::Undefined | Type::Choice(_)) => return,
        (Value::Boolean, Type::Boolean) => return,
        // An empty text says that there is no value, whatever its type.
        (Value::Text(text), _) if text.is_empty() => return,
        (_, Type::Boolean) => return example.expected(node, name, "true or false, without quotes"),
        (Value::Text(text), _) if !is_number || field.as_text => text,
        (Value::Number(number), _) if is_number && !field.as_text => number,
        _ if !is_number => return example.expected(node, name, "a JSON string"),
        _ if field.as_text => {
            return example.expected(
                node,
                name,
                "the number in quotes; `numbers` in family.yaml and `json` say how it travels",
            );
        }
        _ => {
            return example.expected(
                node,
                name,
                "the number without quotes; `numbers` in family.yaml and `json` say how it travels",
            );
        }
    };
    if let Some(fault) = why_unreadable(example, field, ty, text) {
        example.fault(node, name, fault);
    }
}

/// Answers are read more freely than requests are written: exponents, other spellings, ids of any shape.
fn why_unreadable(example: &Example<'_>, field: &Field, ty: Type, text: &str) -> Option<Fault> {
    match ty {
        Type::Decimal if number::is_decimal(text) => None,
        Type::Identifier(_) => None,
        Type::Enum(index) => enums::why_not_listed(example.family.enums.get(index)?, &field.only, text),
        _ => values::why_not(example.family, ty, text),
    }
}
