//! What a parameter is, for its reader: meaning, need, default, bounds, unit.

use super::docs::{Docs, code, escape};
use super::scope::Scope;
use super::units;
use crate::diagnostics::Place;
use crate::model::{ChoiceKind, Need, Parameter, Shape, Type};

/// What a parameter is, with its limits, units and defaults.
pub(super) fn field(scope: &Scope<'_>, parameter: &Parameter) -> Docs {
    described("", scope, parameter)
}

/// What a setter sets.
pub(super) fn setter(scope: &Scope<'_>, parameter: &Parameter) -> Docs {
    described("Sets ", scope, parameter)
}

/// What a constructor takes.
pub(super) fn constructor(scope: &Scope<'_>, required: &[&Parameter]) -> Docs {
    let mut docs = Docs::default();
    if required.is_empty() {
        docs.markdown("Nothing is required.");
        return docs;
    }
    docs.markdown("What is required; all else is left out.");
    for parameter in required {
        docs.entry(&argument(scope, parameter, None));
    }
    docs
}

/// What an argument is; `called` where it has a name that is not that of its parameter.
pub(super) fn argument(scope: &Scope<'_>, parameter: &Parameter, called: Option<&str>) -> String {
    let called = called.map(|called| format!("{}, sent as ", code(called))).unwrap_or_default();
    format!("{called}{} {}", meaning(scope, parameter), facts(parameter)).trim_end().to_owned()
}

fn described(before: &str, scope: &Scope<'_>, parameter: &Parameter) -> Docs {
    let mut docs = Docs::default();
    docs.markdown(&format!("{before}{}", meaning(scope, parameter)));
    docs.markdown(&facts(parameter));
    docs
}

fn meaning(scope: &Scope<'_>, parameter: &Parameter) -> String {
    let wires = match parameter.shape {
        Shape::One(Type::Choice(index)) => choice_wires(scope, index),
        _ if parameter.name.wire == "[]" => "the body, an array".to_owned(),
        _ => code(&parameter.name.wire),
    };
    format!("{wires}: {}", escape(&parameter.doc))
}

/// Need, default, bounds, unit: a sentence each.
fn facts(parameter: &Parameter) -> String {
    let mut facts: Vec<String> = Vec::new();
    match parameter.need {
        Need::Conditional => facts.push("Required under a condition; see the rules.".to_owned()),
        Need::Unstated => facts.push("The document does not say whether it is required.".to_owned()),
        Need::Always | Need::No => {}
    }
    match (&parameter.default, parameter.need) {
        (Some((default, _)), Need::Always) => {
            facts.push(format!("The exchange's default is {}; it is always sent.", code(default)));
        }
        (Some((default, _)), _) => facts.push(format!("Left out, the exchange takes {}.", code(default))),
        (None, _) => {}
    }
    if let Some(note) = &parameter.default_note {
        facts.push(format!("Left out: {}.", escape(note.trim_end_matches('.'))));
    }
    facts.extend(bounds(parameter));
    if !parameter.only.is_empty() {
        let values: Vec<_> = parameter.only.iter().map(|(value, _)| code(value)).collect();
        facts.push(format!("Allowed here: {}.", values.join(", ")));
    }
    if let Some(edit) = &parameter.edit {
        facts.push(match &edit.delete {
            Some(delete) => format!(
                "Left out, the value stays; {} deletes it, which [`Edit::Delete`](runtime::Edit::Delete) says.",
                code(delete)
            ),
            None => "Left out, the value stays.".to_owned(),
        });
    }
    if parameter.may_be_blank {
        facts.push("An empty text in a stored request stands for leaving it out.".to_owned());
    }
    facts.push(units::sentence(&parameter.units));
    facts.retain(|fact| !fact.is_empty());
    facts.join(" ")
}

fn choice_wires(scope: &Scope<'_>, index: usize) -> String {
    let choice = &scope.family.choices[index];
    let mut names: Vec<String> = Vec::new();
    if let ChoiceKind::Value { decider, .. } = &choice.kind {
        names.push(code(&decider.wire));
    }
    for member in choice.members() {
        let name = code(&member.name.wire);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

fn bounds(parameter: &Parameter) -> Vec<String> {
    let text = |value: &Option<(String, Place)>| value.as_ref().map(|(text, _)| text.clone());
    let count = |value: Option<(u64, Place)>| value.map(|(n, _)| n);
    let mut bounds = Vec::new();
    match (text(&parameter.min), text(&parameter.max)) {
        (Some(min), Some(max)) => bounds.push(format!("From {min} to {max}.")),
        (Some(min), None) => bounds.push(format!("At least {min}.")),
        (None, Some(max)) => bounds.push(format!("At most {max}.")),
        (None, None) => {}
    }
    match (count(parameter.min_items), count(parameter.max_items)) {
        (Some(min), Some(max)) => bounds.push(format!("{min} to {max} items.")),
        (Some(min), None) => bounds.push(format!("{min} items at least.")),
        (None, Some(max)) => bounds.push(format!("{max} items at most.")),
        (None, None) => {}
    }
    if let Some((digits, _)) = parameter.digits {
        bounds.push(format!("{digits} digits at most."));
    }
    bounds
}
