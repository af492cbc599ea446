//! The JSON of a request: its parameters as sent.

use super::Example;
use crate::compiler::check::values;
use crate::compiler::diagnostics::{name_list, nearest};
use crate::compiler::json::{Member, Node, Value};
use crate::compiler::model::{Case, ChoiceKind, JsonForm, Lookup, Need, Operation, Parameter, Shape, Type, number};

/// Compares a request with its operation.
pub(super) fn check(example: &mut Example<'_>, operation: &Operation, root: &Node) {
    match operation.body.bare_array() {
        Some(array) => value(example, array, root),
        None => object(example, operation.body.parameters(), "the request", root),
    }
}

fn object(example: &mut Example<'_>, parameters: &[Parameter], what: &str, node: &Node) {
    let Value::Object(members) = &node.value else {
        return example.report(
            node.offset,
            format!("expected an object as {what}, found {}", node.kind()),
            "write an object with its parameters",
        );
    };
    let family = example.family;
    let names = family.names(parameters);
    example.members_are_distinct(members);
    let mut members = members.clone();
    for index in 0..members.len() {
        let (name, offset) = (members[index].name.clone(), members[index].offset);
        let Lookup::Missing(help) = names.find(&name) else { continue };
        example.report(offset, format!("{what} has no parameter `{name}`"), help);
        // What is meant goes on in its place, so that it is not reported as missing, too.
        let meant = nearest(&name, names.iter().map(|known| known.name.wire.as_str()));
        if let Some(meant) = meant.filter(|meant| members.iter().all(|one| one.name != *meant)) {
            members[index].name = meant.to_owned();
        }
    }
    let members = &members;
    for parameter in parameters {
        match family.choice_of(parameter).map(|choice| &choice.kind) {
            None => plain(example, parameter, members, node),
            Some(ChoiceKind::Presence { alternatives, .. }) => one_of(example, parameter, alternatives, members, node),
            Some(ChoiceKind::Value { decider, enum_index, cases }) => {
                let deciding = Parameter {
                    name: decider.clone(),
                    shape: Shape::One(Type::Enum(*enum_index)),
                    only: Vec::new(),
                    ..parameter.clone()
                };
                by_value(example, &deciding, cases, members, node);
            }
        }
    }
}

fn given<'a>(members: &'a [Member], parameter: &Parameter) -> Option<&'a Member> {
    members.iter().find(|member| member.name == parameter.name.wire)
}

fn plain(example: &mut Example<'_>, parameter: &Parameter, members: &[Member], node: &Node) {
    match given(members, parameter) {
        Some(member) => value(example, parameter, &member.value),
        None if parameter.need == Need::Always && !matches!(parameter.shape, Shape::One(Type::Undefined)) => {
            let name = &parameter.name.wire;
            example.report(
                node.offset,
                format!("missing required parameter `{name}`"),
                format!("add `\"{name}\": ..`"),
            );
        }
        None => {}
    }
}

fn one_of(example: &mut Example<'_>, choice: &Parameter, alternatives: &[Parameter], members: &[Member], node: &Node) {
    let chosen: Vec<_> =
        alternatives.iter().filter_map(|alternative| Some((alternative, given(members, alternative)?))).collect();
    for (alternative, member) in &chosen {
        value(example, alternative, &member.value);
    }
    let names = name_list(alternatives.iter().map(|alternative| alternative.name.wire.as_str()));
    match chosen.as_slice() {
        [] if choice.need == Need::Always => {
            example.report(node.offset, format!("missing one of {names}"), "add one of them");
        }
        [_, (_, second), ..] => {
            example.report(second.offset, format!("only one of {names} can be sent"), "remove the others");
        }
        _ => {}
    }
}

fn by_value(example: &mut Example<'_>, decider: &Parameter, cases: &[Case], members: &[Member], node: &Node) {
    plain(example, decider, members, node);
    let decided = given(members, decider).and_then(|member| match &member.value.value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let wires = |case: &Case| example_value(example, decider, case.value);
    let case = cases.iter().find(|case| decided.is_some_and(|decided| wires(case) == Some(decided)));
    if decided.is_some() && case.is_none() {
        // The parameters of the intended value are unknown.
        return;
    }
    let mut unexpected: Vec<&Member> = Vec::new();
    for member in cases.iter().flat_map(|case| &case.parameters) {
        let belongs = case.is_some_and(|case| case.parameters.iter().any(|own| own.name.wire == member.name.wire));
        if let Some(found) = given(members, member).filter(|_| !belongs)
            && !unexpected.iter().any(|seen| seen.offset == found.offset)
        {
            unexpected.push(found);
        }
    }
    for member in unexpected {
        let with = cases.iter().filter(|case| case.parameters.iter().any(|own| own.name.wire == member.name));
        let with: Vec<_> = with.filter_map(|case| example_value(example, decider, case.value)).collect();
        let (name, with) = (&decider.name.wire, with.join(" or "));
        example.report(
            member.offset,
            format!("`{}` can only be sent if `{name}` is {with}", member.name),
            format!("remove it, or correct `{name}`"),
        );
    }
    for parameter in case.into_iter().flat_map(|case| &case.parameters) {
        plain(example, parameter, members, node);
    }
}

/// Returns the wire text of a value of the deciding enum.
fn example_value<'a>(example: &Example<'a>, decider: &Parameter, value: usize) -> Option<&'a str> {
    let Shape::One(Type::Enum(index)) = decider.shape else { return None };
    example.family.enums.get(index)?.values.get(value).map(|value| value.name.wire.as_str())
}

fn value(example: &mut Example<'_>, parameter: &Parameter, node: &Node) {
    let name = parameter.name.wire.as_str();
    if parameter.may_be_null.is_some() && node.value == Value::Null {
        return;
    }
    match &parameter.shape {
        Shape::One(ty) => scalar(example, parameter, *ty, node),
        Shape::List(ty) => {
            for node in list(example, parameter, node) {
                scalar(example, parameter, *ty, node);
            }
        }
        Shape::Items(item) => {
            let what =
                if parameter.is_body() { "an item of the body".to_owned() } else { format!("an item of `{name}`") };
            for node in list(example, parameter, node) {
                object(example, &item.parameters, &what, node);
            }
        }
        Shape::Object(item) => object(example, &item.parameters, &format!("`{name}`"), node),
        Shape::Map(ty) => match &node.value {
            Value::Object(members) => {
                example.members_are_distinct(members);
                members.iter().for_each(|member| scalar(example, parameter, *ty, &member.value));
            }
            _ => example.expected(node, name, "an object"),
        },
    }
}

fn list<'n>(example: &mut Example<'_>, parameter: &Parameter, node: &'n Node) -> &'n [Node] {
    let name = if parameter.is_body() { "the body" } else { parameter.name.wire.as_str() };
    let Value::List(nodes) = &node.value else {
        example.expected(node, name, "a list");
        return &[];
    };
    let count = nodes.len() as u64;
    let least = parameter.least_items();
    if count < least {
        example.report(node.offset, format!("`{name}` has {count} items, but the minimum is {least}"), "add items");
    }
    if let Some((most, _)) = parameter.max_items.filter(|(most, _)| count > *most) {
        example.report(node.offset, format!("`{name}` has {count} items, but the maximum is {most}"), "remove items");
    }
    nodes
}

fn scalar(example: &mut Example<'_>, parameter: &Parameter, ty: Type, node: &Node) {
    let name = parameter.name.wire.as_str();
    if matches!(node.value, Value::Null) {
        let help = "leave it out, or set it to a value";
        return example.report(node.offset, format!("`{name}` cannot be null in a request"), help);
    }
    let text = match (ty.json(parameter.as_text), &node.value) {
        (JsonForm::Any | JsonForm::Record(_), _) => return,
        (JsonForm::Boolean(truth), _) => {
            let text = match &node.value {
                Value::Boolean(value) => value.to_string(),
                Value::Number(bit) => (bit == "1").to_string(),
                Value::Text(text) => text.clone(),
                Value::Null | Value::List(_) | Value::Object(_) => String::new(),
            };
            return match values::not_the_fixed(&parameter.name, parameter.fixed.as_ref(), &text) {
                Some(fault) => example.fault(node, name, fault),
                None => example.boolean(node, name, truth),
            };
        }
        (JsonForm::Text | JsonForm::QuotedNumber, Value::Text(text)) | (JsonForm::Number, Value::Number(text)) => text,
        (JsonForm::Text, _) => return example.expected(node, name, "a JSON string"),
        (JsonForm::QuotedNumber | JsonForm::Number, _) => {
            return example.expected_number(node, name, parameter.as_text);
        }
    };
    if parameter.deletes_with() == Some(text) {
        return;
    }
    let family = example.family;
    if ty.scale().is_some() && !number::is_whole(text) {
        return example.report(
            node.offset,
            format!("`{name}` travels as an integer, found {text}"),
            "write the value times ten to the power of `scale`",
        );
    }
    let value = ty.value_of_wire(text);
    if let Some(fault) = values::find_fault(family, ty, &value)
        .or_else(|| values::out_of_bounds(family, parameter, &value))
        .or_else(|| values::wrong_length(parameter, text))
        .or_else(|| values::no_match(parameter, text))
        .or_else(|| values::not_the_fixed(&parameter.name, parameter.fixed.as_ref(), text))
    {
        example.fault(node, name, fault);
    }
}
