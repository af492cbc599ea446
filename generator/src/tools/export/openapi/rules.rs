//! Rules: as conditions where JSON Schema can express them, otherwise in the form of the schema language, beside the
//! statements that OpenAPI cannot express.

use super::object::{Object, any_of, declared, form_patterns, having, typed};
use crate::compiler::model::{
    Certainty, CodeProof, Condition, Contradiction, Family, Observation, ObservedCode, OpenQuestion, Parameter, Proof,
    Refusal, Rule, RuleKind, Severity, Source, Statements, Test, Type,
};
use crate::tools::rules;
use serde_json::{Value, json};

/// Returns a rule with its condition as data.
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

/// Returns conditions that must hold together; `None` if there are none.
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

/// Returns the checked rules about the members of an object, and the members that it cannot have because the operation
/// does not support them, as schemas that the object has to match. Rules that depend on the account, compare items with
/// each other, or only warn are left out.
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
            let given = condition_texts(&rule.unsupported).into_iter().map(|name| all_given(&[name])).collect();
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

    /// Returns the requests for which a condition holds; with `may_be`, also those for which that is unknown.
    fn condition(&self, condition: &Condition, may_be: bool) -> Option<Value> {
        match condition {
            Condition::Given(names) => Some(all_given(&condition_texts(names))),
            Condition::AnyGiven(names) => {
                Some(any_of(condition_texts(names).into_iter().map(|name| all_given(&[name])).collect()))
            }
            Condition::Is { parameter: (name, _), values } => {
                let values: Vec<_> = condition_texts(values).into_iter().map(|value| self.value(name, value)).collect();
                Some(member(name, json!({"enum": values})))
            }
            Condition::HasForm { parameter: (name, _), forms } => {
                let index = self.find(name)?.shape.single_identifier()?;
                let all = &self.family.identifiers[index].forms;
                let meant = all.iter().filter(|form| condition_texts(forms).contains(&form.name.wire.as_str()));
                let patterns = meant.flat_map(|form| form_patterns(form, may_be));
                Some(member(name, any_of(patterns.map(|pattern| json!({"pattern": pattern})).collect())))
            }
            Condition::Not(inner) => Some(json!({"not": self.condition(inner, !may_be)?})),
            Condition::AccountIs { .. } | Condition::Compares { .. } | Condition::Relates { .. } => None,
        }
    }

    /// Returns a value of a member in its form on the wire.
    fn value(&self, name: &str, text: &str) -> Value {
        let Some(member) = self.find(name) else { return Value::from(text) };
        match member.shape.single() {
            Some(Type::Boolean(truth)) => rules::boolean(truth, text == "true"),
            Some(_) | None => typed(text, member.shape.json_type(member.as_text).as_str()),
        }
    }

    /// Returns a parameter, or a member of a choice, which is beside the parameters in the object.
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

/// Returns a schema that requires all of these.
fn together(mut schemas: Vec<Value>) -> Option<Value> {
    match schemas.len() {
        0 => None,
        1 => schemas.pop(),
        _ => Some(json!({"allOf": schemas})),
    }
}

fn condition_texts<P>(texts: &[(String, P)]) -> Vec<&str> {
    texts.iter().map(|(text, _)| text.as_str()).collect()
}

/// Returns all statements of a family or an operation.
pub(super) fn of(statements: &Statements) -> Object {
    let Statements { rules, not_shown, contradictions, observed } = statements;
    Object::new()
        .list("x-rules", rules.iter().map(rule))
        .list("x-not-shown", not_shown.iter().map(open_question))
        .list("x-contradictions", contradictions.iter().map(contradiction))
        .list("x-observed", observed.iter().map(observation))
}

/// Returns statements that cannot all hold.
fn contradiction(contradiction: &Contradiction) -> Value {
    let Contradiction { id, place: _, readings, chosen, why } = contradiction;
    json!({"id": id, "readings": readings, "chosen": chosen, "why": why})
}

/// Returns something that the documents leave open, and the sections that say so themselves.
fn open_question(open: &OpenQuestion) -> Value {
    declared(open)
}

/// Returns something seen on the wire and in no document.
pub(super) fn observation(observation: &Observation) -> Value {
    let Observation { id, place: _, says, sources } = observation;
    json!({"id": id, "says": says, "sources": sources})
}

/// Returns the document and the section. OpenAPI's `externalDocs` requires an address, which they do not have.
pub(super) fn source(source: &Source) -> Value {
    declared(source)
}

/// Returns what a code proves, unless it only proves that nothing was done.
pub(super) fn proof_keys(proof: &Proof) -> Object {
    let Proof { proves, stage, cause, cause_place: _, alike, before_signature } = proof;
    Object::new()
        .maybe("proves", (*proves != CodeProof::NotDone).then_some(proves.as_str()))
        .maybe("stage", (*stage != proves.usual_stage()).then_some(stage.as_str()))
        .maybe("cause", cause.map(|cause| cause.as_str()))
        .flag("alike", alike.is_some())
        .flag("before_signature", before_signature.is_some())
}

/// Returns a code that no document lists.
pub(super) fn observed_code(code: &ObservedCode) -> Value {
    let ObservedCode { code, place: _, families, proof, says, doc, sources, certainty } = code;
    Object::new()
        .with("code", code.as_str())
        .with("says", says.as_str())
        .text("doc", doc)
        .list("families", families.iter().map(|name| name.text.as_str()))
        .and(proof_keys(proof))
        .maybe("certainty", (*certainty != Certainty::Several).then_some(certainty.as_str()))
        .list("sources", sources.iter().map(String::as_str))
        .into_value()
}

/// Returns a reason to refuse requests, with its codes.
pub(super) fn refusal(refusal: &Refusal) -> Value {
    let Refusal { name, place: _, says, code, codes, status, rules, parameters } = refusal;
    let codes = codes.iter().map(|(family, (code, _))| (family.text.clone(), Value::from(code.as_str())));
    Object::new()
        .with("name", name.as_str())
        .with("says", says.as_str())
        .maybe("code", code.as_ref().map(|(code, _)| code.as_str()))
        .map("codes", codes)
        .maybe("status", status.map(|(status, _)| status))
        .list("rules", rules.iter().map(|(rule, _)| rule.as_str()))
        .list("parameters", parameters.iter().map(|(name, _)| name.as_str()))
        .into_value()
}
