//! Rules that JSON Schema can express: conditions on the members of one object.

use serde_json::{Value, json};

use super::object::{Object, any_of, having};
use super::patterns::form_patterns;
use super::values::typed;
use crate::compiler::model::{Condition, Family, Parameter, Rule, RuleKind, Severity, Test, Type};

/// The checked rules about the members of an object, and the members that it cannot have because the operation does not
/// support them, as schemas that the object has to match. Rules that depend on the
/// account, compare items with each other, or only warn are left out.
pub(super) fn schemas<'a>(
    family: &'a Family,
    rules: impl Iterator<Item = &'a Rule>,
    parameters: &'a [&'a Parameter],
) -> Vec<Value> {
    let members = Members { family, parameters };
    rules.filter_map(|rule| members.rule(rule)).collect()
}

struct Members<'a> {
    family: &'a Family,
    parameters: &'a [&'a Parameter],
}

impl Members<'_> {
    fn rule(&self, rule: &Rule) -> Option<Value> {
        if !rule.unsupported.is_empty() {
            let given = texts(&rule.unsupported).into_iter().map(|name| all_given(&[name])).collect();
            return Some(json!({"$comment": rule.id, "not": any_of(given)}));
        }
        if rule.kind != RuleKind::Checked || rule.severity != Severity::Refuse {
            return None;
        }
        let Some(Test::Condition { when, require, forbid }) = &rule.test else { return None };
        // What an instrument decides is not refused here.
        let (when, require, forbid) = (self.all(when, false)?, self.all(require, true)?, self.all(forbid, false)?);
        let forbid = together(forbid).map(|forbid| json!({"not": forbid}));
        let then = together(require.into_iter().chain(forbid).collect())?;
        let schema = Object::new().with("$comment", rule.id.as_str());
        Some(match together(when) {
            Some(when) => schema.with("if", when).with("then", then).into_value(),
            None => schema.with("allOf", [then]).into_value(),
        })
    }

    fn all(&self, conditions: &[Condition], may_be: bool) -> Option<Vec<Value>> {
        conditions.iter().map(|condition| self.condition(condition, may_be)).collect()
    }

    /// The requests for which a condition holds; with `may_be`, also those for which that is unknown.
    fn condition(&self, condition: &Condition, may_be: bool) -> Option<Value> {
        match condition {
            Condition::Given(names) => Some(all_given(&texts(names))),
            Condition::AnyGiven(names) => {
                Some(any_of(texts(names).into_iter().map(|name| all_given(&[name])).collect()))
            }
            Condition::Is { parameter: (name, _), values } => {
                let values: Vec<_> = texts(values).into_iter().map(|value| self.value(name, value)).collect();
                Some(member(name, json!({"enum": values})))
            }
            Condition::HasForm { parameter: (name, _), forms } => {
                let index = self.find(name)?.shape.single_identifier()?;
                let all = &self.family.identifiers[index].forms;
                let meant = all.iter().filter(|form| texts(forms).contains(&form.name.wire.as_str()));
                let patterns = meant.flat_map(|form| form_patterns(form, may_be));
                Some(member(name, any_of(patterns.map(|pattern| json!({"pattern": pattern})).collect())))
            }
            Condition::Not(inner) => Some(json!({"not": self.condition(inner, !may_be)?})),
            Condition::AccountIs { .. } | Condition::Compares { .. } | Condition::Relates { .. } => None,
        }
    }

    /// A value of a member in its form on the wire.
    fn value(&self, name: &str, text: &str) -> Value {
        let Some(member) = self.find(name) else { return Value::from(text) };
        match member.shape.single() {
            Some(Type::Boolean(truth)) => truth.json(text == "true"),
            Some(_) | None => typed(text, member.shape.json_type(member.as_text).as_str()),
        }
    }

    /// A parameter, or a member of a choice, which is beside the parameters in the object.
    fn find(&self, name: &str) -> Option<&Parameter> {
        let wires = self.parameters.iter().flat_map(|parameter| self.family.wire_parameters(None, parameter));
        wires.filter(|wire| wire.name.wire == name).find_map(|wire| wire.parameter())
    }
}

fn member(name: &str, schema: Value) -> Value {
    having([(name.to_owned(), schema)])
}

fn all_given(names: &[&str]) -> Value {
    having(names.iter().map(|name| ((*name).to_owned(), json!({}))))
}

/// A schema that requires all of these.
fn together(mut schemas: Vec<Value>) -> Option<Value> {
    match schemas.len() {
        0 => None,
        1 => schemas.pop(),
        _ => Some(json!({"allOf": schemas})),
    }
}

fn texts<P>(texts: &[(String, P)]) -> Vec<&str> {
    texts.iter().map(|(text, _)| text.as_str()).collect()
}
