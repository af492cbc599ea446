//! Rules and their conditions in the form of the schema language.

use serde_json::{Value, json};

use super::object::Object;
use crate::compiler::model::{Condition, Rule, Severity, Test};

/// A rule with its condition as data.
pub(super) fn rule(rule: &Rule) -> Value {
    let Rule { id, place: _, written: _, at, kind, severity, severity_place: _, says, why, within, test, unsupported } =
        rule;
    let test = match test {
        None => Object::new(),
        Some(Test::Same(name, _)) => Object::new().with("same", name.as_str()),
        Some(Test::Unique(names)) => Object::new().with("unique", texts(names)),
        Some(Test::Condition { when, require, forbid }) => Object::new()
            .maybe("when", conditions(when))
            .maybe("require", conditions(require))
            .maybe("forbid", conditions(forbid)),
    };
    Object::new()
        .with("id", id.as_str())
        .text("at", at)
        .with("kind", kind.as_str())
        .maybe("severity", (*severity == Severity::Warn).then_some(severity.as_str()))
        .with("says", says.as_str())
        .maybe("why", why.as_deref())
        .maybe("in", within.as_ref().map(|(list, _)| list.as_str()))
        .and(test)
        .list("unsupported", texts(unsupported))
        .into_value()
}

/// Conditions that must hold together; `None` if there are none.
pub(super) fn conditions(conditions: &[Condition]) -> Option<Value> {
    let all = conditions.iter().fold(Object::new(), |all, condition| {
        let (name, value) = entry(condition);
        all.with(&name, value)
    });
    (!conditions.is_empty()).then(|| all.into_value())
}

fn entry(condition: &Condition) -> (String, Value) {
    match condition {
        Condition::Given(names) => ("given".to_owned(), json!(texts(names))),
        Condition::AnyGiven(names) => ("any_given".to_owned(), json!(texts(names))),
        Condition::HasForm { parameter, forms } => (format!("{}.form", parameter.0), json!(texts(forms))),
        Condition::Is { parameter, values } => (parameter.0.clone(), json!(texts(values))),
        Condition::AccountIs { property, values } => (format!("account.{}", property.0), json!(texts(values))),
        Condition::Compares { parameter, comparison, property } => {
            (format!("{}.{}", parameter.0, comparison.as_str()), json!(property.0))
        }
        Condition::Relates { parameter, relation, operand, .. } => {
            (format!("{}.{}", parameter.0, relation.as_str()), json!(operand.to_string()))
        }
        Condition::Not(inner) => {
            let (name, value) = entry(inner);
            (format!("not.{name}"), value)
        }
    }
}

fn texts<P>(texts: &[(String, P)]) -> Vec<&str> {
    texts.iter().map(|(text, _)| text.as_str()).collect()
}
