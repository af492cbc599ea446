//! What is sent: each parameter with its need, type, bounds, default, unit and values.

use super::page::{Page, joined, sentence};
use crate::diagnostics::Place;
use crate::model::{
    Body, Choice, ChoiceKind, Edit, Enum, Family, Identifier, Need, Operation, Parameter, Shape, Type, Unit,
};

pub(super) fn add(page: &mut Page, family: &Family, operation: &Operation) {
    page.heading(match operation.body {
        Body::Parameters(_) => "Parameters",
        Body::Array(_) => "The body is an array",
    });
    if operation.body.parameters().is_empty() {
        page.entry(1, "None.");
    }
    list(page, family, 1, operation.body.parameters());
}

fn list(page: &mut Page, family: &Family, depth: usize, parameters: &[Parameter]) {
    let is_choice = |parameter: &&Parameter| matches!(parameter.shape, Shape::One(Type::Choice(_)));
    let names = parameters.iter().filter(|parameter| !is_choice(parameter));
    let width = names.map(|parameter| parameter.name.wire.chars().count()).max().unwrap_or(0);
    for parameter in parameters {
        match &parameter.shape {
            Shape::One(Type::Choice(index)) => {
                if let Some(of) = family.choices.get(*index) {
                    choice(page, family, depth, parameter, of);
                }
            }
            Shape::Items(item) => {
                page.named(depth, width, &parameter.name.wire, &facts(family, parameter));
                list(page, family, depth + 1, &item.parameters);
            }
            Shape::One(_) | Shape::List(_) => {
                page.named(depth, width, &parameter.name.wire, &facts(family, parameter));
            }
        }
    }
}

fn choice(page: &mut Page, family: &Family, depth: usize, parameter: &Parameter, choice: &Choice) {
    let need = need(parameter.need);
    match &choice.kind {
        ChoiceKind::Presence { alternatives, wins } => {
            let names: Vec<_> = alternatives.iter().map(|parameter| parameter.name.wire.as_str()).collect();
            let wins = match wins {
                Some(_) if parameter.wins_unstated => "Which one wins when several are sent is not stated.".to_owned(),
                Some((wins, _)) => format!("When several are sent, {wins} wins."),
                None => String::new(),
            };
            let text = [format!("one of {} ({need}).", names.join(", ")), sentence(&parameter.doc), wins];
            page.entry(depth, &joined(&text, " "));
            list(page, family, depth + 1, alternatives);
        }
        ChoiceKind::Value { decider, enum_index, cases } => {
            let text = [format!("{}: {need}; decides what goes with it.", decider.wire), sentence(&parameter.doc)];
            page.entry(depth, &joined(&text, " "));
            let values = family.enums.get(*enum_index);
            for case in cases {
                let value = values.and_then(|all| all.values.get(case.value));
                let value = value.map_or("", |value| value.name.wire.as_str());
                let nothing = if case.parameters.is_empty() { "nothing else" } else { "" };
                page.entry(depth + 1, &format!("{} {value}: {nothing}", decider.wire));
                list(page, family, depth + 2, &case.parameters);
            }
        }
    }
}

fn facts(family: &Family, parameter: &Parameter) -> String {
    let head = joined(&[need(parameter.need).to_owned(), type_name(family, &parameter.shape), bounds(parameter)], ", ");
    let parts = [
        format!("{head}."),
        sentence(&parameter.doc),
        default(parameter),
        values(family, &parameter.shape, &parameter.only),
        constraint(family, &parameter.shape),
        edit(parameter.edit.as_ref()),
        units(&parameter.units),
    ];
    joined(&parts, " ")
}

fn need(need: Need) -> &'static str {
    match need {
        Need::Always => "required",
        Need::Conditional => "required under a condition",
        Need::Unstated => "required or not is unstated",
        Need::No => "optional",
    }
}

/// What a value is, in the words of the schema.
pub(super) fn type_name(family: &Family, shape: &Shape) -> String {
    match shape {
        Shape::One(ty) => name_of(family, *ty).to_owned(),
        Shape::List(ty) => format!("list of {}", name_of(family, *ty)),
        Shape::Items(_) => "list of objects".to_owned(),
    }
}

fn name_of(family: &Family, ty: Type) -> &str {
    let name = match ty {
        Type::String => return "string",
        Type::Decimal => return "decimal",
        Type::Integer => return "integer",
        Type::Boolean => return "boolean",
        Type::Time => return "time",
        Type::Undefined => None,
        Type::Enum(index) => family.enums.get(index).map(|all| &all.name),
        Type::Identifier(index) => family.identifiers.get(index).map(|all| &all.name),
        Type::Choice(index) => family.choices.get(index).map(|all| &all.name),
        Type::Record(index) => family.records.get(index).map(|all| &all.name),
    };
    name.map_or("", |name| name.wire.as_str())
}

fn bounds(parameter: &Parameter) -> String {
    let text = |word: &str, value: &Option<(String, Place)>| {
        value.as_ref().map(|(value, _)| format!("{word} {value}")).unwrap_or_default()
    };
    let items = |word: &str, value: Option<(u64, Place)>| {
        value.map(|(count, _)| format!("{word} {count} items")).unwrap_or_default()
    };
    let parts = [
        text("at least", &parameter.min),
        text("at most", &parameter.max),
        items("at least", parameter.min_items),
        items("at most", parameter.max_items),
        parameter.digits.map(|(digits, _)| format!("at most {digits} digits")).unwrap_or_default(),
    ];
    joined(&parts, ", ")
}

fn default(parameter: &Parameter) -> String {
    match (&parameter.default, &parameter.default_note) {
        (Some((value, _)), _) => format!("Default: {value}."),
        (None, Some(note)) => format!("Default: {}", sentence(note)),
        (None, None) => String::new(),
    }
}

/// The values that can stand here, of all the enum has.
pub(super) fn values(family: &Family, shape: &Shape, only: &[(String, Place)]) -> String {
    let all: Option<&Enum> = match shape {
        Shape::One(Type::Enum(index)) | Shape::List(Type::Enum(index)) => family.enums.get(*index),
        _ => None,
    };
    let values: Vec<&str> = match all {
        Some(_) if !only.is_empty() => only.iter().map(|(value, _)| value.as_str()).collect(),
        Some(all) => all.wires().collect(),
        None => return String::new(),
    };
    format!("Values: {}.", values.join(", "))
}

fn constraint(family: &Family, shape: &Shape) -> String {
    let of: Option<&Identifier> = match shape {
        Shape::One(Type::Identifier(index)) | Shape::List(Type::Identifier(index)) => family.identifiers.get(*index),
        _ => None,
    };
    let length = of.and_then(|of| of.length).map(|(min, max)| format!("{min} to {max} characters"));
    let alphabet = of.and_then(|of| of.alphabet.as_ref()).map(|(alphabet, _)| format!("of [{alphabet}]"));
    sentence(&joined(&[length.unwrap_or_default(), alphabet.unwrap_or_default()], " "))
}

fn edit(edit: Option<&Edit>) -> String {
    match edit.map(|edit| &edit.delete) {
        Some(Some(delete)) => format!("Left out, the value stays; {delete} deletes it."),
        Some(None) => "Left out, the value stays.".to_owned(),
        None => String::new(),
    }
}

/// In which unit it is counted, and when.
pub(super) fn units(units: &[Unit]) -> String {
    let is_alone = units.len() == 1;
    let parts: Vec<String> = units
        .iter()
        .map(|unit| {
            let when: Vec<_> =
                unit.when.iter().map(|(name, values, _)| format!("{name} is {}", values.join(" or "))).collect();
            match when.is_empty() {
                true if is_alone => unit.is.clone(),
                true => format!("otherwise {}", unit.is),
                false => format!("{} when {}", unit.is, when.join(" and ")),
            }
        })
        .collect();
    if parts.is_empty() { String::new() } else { format!("Unit: {}.", parts.join("; ")) }
}
