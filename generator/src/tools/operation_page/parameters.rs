//! The parameters, each with its need, type, bounds, default, unit and values.

use super::page::TextPage;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::elements::Key;
use crate::compiler::model::phrases::{self, PLAIN};
use crate::compiler::model::phrases::{joined, sentence};
use crate::compiler::model::{Choice, ChoiceKind, EnumValue, Family, Operation, Parameter, Shape};

pub(super) fn add(page: &mut TextPage, family: &Family, operation: &Operation) {
    let is_array = operation.body.bare_array().is_some();
    page.heading(if is_array { "The body is an array" } else { "Parameters" });
    if operation.body.parameters().is_empty() {
        page.entry(1, "None.");
    }
    list(page, family, 1, operation.body.parameters());
}

fn list(page: &mut TextPage, family: &Family, depth: usize, parameters: &[Parameter]) {
    let names = parameters.iter().filter(|parameter| parameter.shape.choice().is_none());
    let width = names.map(|parameter| parameter.name.wire.chars().count()).max().unwrap_or(0);
    for parameter in parameters {
        if let Some(of) = family.choice_of(parameter) {
            choice(page, family, depth, parameter, of);
            continue;
        }
        page.named(depth, width, &parameter.name.wire, &facts(family, parameter));
        if let Some(item) = parameter.item().or(parameter.object()) {
            list(page, family, depth + 1, &item.parameters);
        }
    }
}

fn choice(page: &mut TextPage, family: &Family, depth: usize, parameter: &Parameter, choice: &Choice) {
    let need = parameter.need.in_words();
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
        ChoiceKind::Value { decider, .. } => {
            let text = [format!("{}: {need}; decides what goes with it.", decider.wire), sentence(&parameter.doc)];
            page.entry(depth, &joined(&text, " "));
            for (EnumValue { name: value, .. }, case) in choice.cases(family) {
                let nothing = if case.parameters.is_empty() { "nothing else" } else { "" };
                page.entry(depth + 1, &format!("{} {}: {nothing}", decider.wire, value.wire));
                list(page, family, depth + 2, &case.parameters);
            }
        }
    }
}

fn facts(family: &Family, parameter: &Parameter) -> String {
    let head = [parameter.need.in_words().to_owned(), type_name(family, &parameter.shape)];
    let head = head.into_iter().chain(phrases::bounds(parameter)).collect::<Vec<_>>().join(", ");
    let parts = [
        format!("{head}."),
        sentence(&parameter.doc),
        phrases::default_sentence(parameter.default.as_ref().map(|(value, _)| value.as_str())),
        values(family, &parameter.shape, &parameter.only),
        constraint(family, &parameter.shape),
        phrases::edit_sentence(parameter.kept_unless()),
        phrases::unit_sentence(&parameter.units, &PLAIN),
        documented(&parameter.keys(family)),
    ];
    joined(&parts, " ")
}

/// The type of a value in the words of the schema.
pub(super) fn type_name(family: &Family, shape: &Shape) -> String {
    match shape {
        Shape::One(_) | Shape::List(_) | Shape::Map(_) => phrases::shape(shape, |ty| family.type_name(ty)),
        Shape::Items(_) => "list of objects".to_owned(),
        Shape::Object(_) => "object".to_owned(),
    }
}

/// The statements of keys that have no other form on the page.
pub(super) fn documented(keys: &[Key]) -> String {
    let says: Vec<_> = keys.iter().filter(|key| key.is_documented).map(|key| key.says.clone()).collect();
    joined(&says, " ")
}

/// The allowed values of the enum.
pub(super) fn values(family: &Family, shape: &Shape, only: &[(String, Place)]) -> String {
    let values: Vec<&str> = family.values_of(shape, only).into_iter().map(|(value, _)| value).collect();
    if family.enum_of(shape).is_none() { String::new() } else { format!("Values: {}.", values.join(", ")) }
}

fn constraint(family: &Family, shape: &Shape) -> String {
    let of = family.identifier_of(shape);
    let length = of.and_then(|of| of.length).map(|(min, max)| format!("{min} to {max} characters"));
    let alphabet = of.and_then(|of| of.alphabet.as_ref()).map(|(alphabet, _)| format!("of [{alphabet}]"));
    sentence(&joined(&[length.unwrap_or_default(), alphabet.unwrap_or_default()], " "))
}
