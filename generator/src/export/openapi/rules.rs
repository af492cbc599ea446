//! Rules and their conditions in the form of the schema language.

use serde_json::{Value, json};

use super::object::Object;
use crate::model::{Condition, Rule, Severity, Test};

/// A rule with its condition as data.
pub(super) fn rule(rule: &Rule) -> Value {
    // Destructured, so that a new key of rules does not compile until it is exported here.
    let Rule {
        id: _,
        place: _,
        written: _,
        at: _,
        kind: _,
        severity: _,
        severity_place: _,
        says: _,
        why: _,
        within: _,
        test: _,
    } = rule;
    let test = match &rule.test {
        None => Object::new(),
        Some(Test::Same(name, _)) => Object::new().with("same", name.as_str()),
        Some(Test::Unique(names)) => Object::new().with("unique", texts(names)),
        Some(Test::Condition { when, require, forbid }) => Object::new()
            .maybe("when", conditions(when))
            .maybe("require", conditions(require))
            .maybe("forbid", conditions(forbid)),
    };
    Object::new()
        .with("id", rule.id.as_str())
        .text("at", &rule.at)
        .with("kind", rule.kind.as_str())
        .maybe("severity", (rule.severity == Severity::Warn).then_some(rule.severity.as_str()))
        .with("says", rule.says.as_str())
        .maybe("why", rule.why.as_deref())
        .maybe("in", rule.within.as_ref().map(|(list, _)| list.as_str()))
        .and(test)
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
