//! Choices: parameters of which only some go together.

use serde_json::{Value, json};

use super::object::Object;
use super::parameters::Parameters;
use super::values;
use crate::model::{Case, Choice, ChoiceKind, Family, Name, Need, Parameter, Shape, Type};

/// The shared schema of a choice.
pub(super) fn component(family: &Family, choice: &Choice) -> Value {
    let described = Object::new().text("description", &choice.doc);
    match &choice.kind {
        ChoiceKind::Presence { alternatives, wins } => described
            .list("oneOf", alternatives.iter().map(|alternative| chosen(family, alternative)))
            .maybe("x-wins", wins.as_ref().map(|(wins, _)| wins.as_str()))
            .into_value(),
        ChoiceKind::Value { decider, enum_index, cases } => {
            let case = |case: &Case| decided(family, choice, decider, *enum_index, case);
            described.list("oneOf", cases.iter().map(case)).into_value()
        }
    }
}

/// Exactly one of the alternatives is sent, so each requires its own.
fn chosen(family: &Family, alternative: &Parameter) -> Value {
    let required = Parameter { need: Need::Always, ..alternative.clone() };
    members(family).plain_object(&[&required]).into_value()
}

/// One value of the deciding parameter, and what goes with it; what goes with others only is not sent.
fn decided(family: &Family, choice: &Choice, decider: &Name, enum_index: usize, case: &Case) -> Value {
    let value = family.enums[enum_index].values.get(case.value).map_or("", |value| value.name.wire.as_str());
    let own = members(family).plain_object(&case.parameters.iter().collect::<Vec<_>>()).into_value();
    let decided = Object::new()
        .with("type", "object")
        .with("properties", json!({&decider.wire: {"type": "string", "const": value}}))
        .with("required", [decider.wire.as_str()])
        .into_value();
    let goes_here = |name: &str| case.parameters.iter().any(|parameter| parameter.name.wire == name);
    let mut others: Vec<_> = choice.members().iter().map(|member| member.name.wire.as_str()).collect();
    others.retain(|name| !goes_here(name));
    Object::new()
        .with("title", value)
        .with("allOf", [decided, own])
        .maybe("not", (!others.is_empty()).then(|| any_of_these(others)))
        .into_value()
}

/// Rules speak of whole requests, and not of the members of a choice alone.
fn members(family: &Family) -> Parameters<'_> {
    Parameters { family, rules: &[] }
}

/// A choice in the place where a request makes it. Where it can be left out, none of its members is sent.
pub(super) fn reference(family: &Family, parameter: &Parameter) -> Option<Value> {
    let Shape::One(Type::Choice(index)) = parameter.shape else { return None };
    let choice = family.choices.get(index)?;
    let made = values::reference(family, &choice.name.rust);
    let made = match parameter.need {
        Need::Always => made,
        Need::Conditional | Need::Unstated | Need::No => {
            let none = json!({"not": any_of_these(names(choice))});
            Object::new().with("oneOf", [made.into_value(), none])
        }
    };
    Some(made.maybe("x-wins", parameter.wins_unstated.then_some("unstated")).into_value())
}

/// A choice among parameters of a query, where no schema spans several of them.
pub(super) fn of_query(family: &Family, parameter: &Parameter, choice: &Choice) -> Value {
    let made = Object::new().flag("required", parameter.need == Need::Always);
    match &choice.kind {
        ChoiceKind::Presence { wins, .. } => {
            let wins = wins.as_ref().map(|(wins, _)| wins.as_str());
            let wins = if parameter.wins_unstated { Some("unstated") } else { wins };
            made.with("one_of", names(choice)).maybe("wins", wins).into_value()
        }
        ChoiceKind::Value { decider, enum_index, cases } => {
            let all = &family.enums[*enum_index];
            let cases = cases.iter().filter_map(|case| {
                let members: Vec<_> = case.parameters.iter().map(|member| member.name.wire.as_str()).collect();
                Some((all.values.get(case.value)?.name.wire.clone(), Value::from(members)))
            });
            made.with("choose_by", decider.wire.as_str()).map("cases", cases).into_value()
        }
    }
}

/// The names of everything that may be sent for a choice.
fn names(choice: &Choice) -> Vec<&str> {
    let decider = match &choice.kind {
        ChoiceKind::Value { decider, .. } => Some(decider.wire.as_str()),
        ChoiceKind::Presence { .. } => None,
    };
    decider
        .into_iter()
        .chain(choice.members().iter().map(|member| member.name.wire.as_str()).collect::<Vec<_>>())
        .collect()
}

fn any_of_these(names: Vec<&str>) -> Value {
    let required: Vec<_> = names.into_iter().map(|name| json!({"required": [name]})).collect();
    match required.as_slice() {
        [one] => one.clone(),
        _ => json!({"anyOf": required}),
    }
}
