//! Statements that OpenAPI cannot express: those of families and operations, with their places in the documents, and
//! what codes prove about the requests that they answer.

use serde_json::{Value, json};

use super::object::{Object, declared};
use super::rules;
use crate::compiler::model::{
    Certainty, CodeProof, Contradiction, Observation, ObservedCode, OpenQuestion, Proof, Refusal, Source, Statements,
};

/// All statements of a family or an operation.
pub(super) fn of(statements: &Statements) -> Object {
    let Statements { rules, not_shown, contradictions, observed } = statements;
    Object::new()
        .list("x-rules", rules.iter().map(self::rules::rule))
        .list("x-not-shown", not_shown.iter().map(self::not_shown))
        .list("x-contradictions", contradictions.iter().map(contradiction))
        .list("x-observed", observed.iter().map(observation))
}

/// Statements that cannot all hold.
fn contradiction(contradiction: &Contradiction) -> Value {
    let Contradiction { id, place: _, readings, chosen, why } = contradiction;
    json!({"id": id, "readings": readings, "chosen": chosen, "why": why})
}

/// Something that the documents leave open, and the sections that say so themselves.
fn not_shown(open: &OpenQuestion) -> Value {
    declared(open)
}

/// Something seen on the wire and in no document.
pub(super) fn observation(observation: &Observation) -> Value {
    let Observation { id, place: _, says, sources } = observation;
    json!({"id": id, "says": says, "sources": sources})
}

/// The document and the section. OpenAPI's `externalDocs` requires an address, which they do not have.
pub(super) fn source(source: &Source) -> Value {
    declared(source)
}

/// Returns what a code proves, unless it only proves that nothing was done.
pub(super) fn proof(proof: &Proof) -> Object {
    let Proof { proves, stage, cause, cause_place: _, alike, before_signature } = proof;
    Object::new()
        .maybe("proves", (*proves != CodeProof::NotDone).then_some(proves.as_str()))
        .maybe("stage", (*stage != proves.usual_stage()).then_some(stage.as_str()))
        .maybe("cause", cause.map(|cause| cause.as_str()))
        .flag("alike", alike.is_some())
        .flag("before_signature", before_signature.is_some())
}

/// A code that no document lists.
pub(super) fn observed_code(code: &ObservedCode) -> Value {
    let ObservedCode { code, place: _, families, proof, says, doc, sources, certainty } = code;
    Object::new()
        .with("code", code.as_str())
        .with("says", says.as_str())
        .text("doc", doc)
        .list("families", families.iter().map(|(name, _)| name.as_str()))
        .and(self::proof(proof))
        .maybe("certainty", (*certainty != Certainty::Several).then_some(certainty.as_str()))
        .list("sources", sources.iter().map(String::as_str))
        .into_value()
}

/// A reason to refuse requests, with its codes.
pub(super) fn refusal(refusal: &Refusal) -> Value {
    let Refusal { name, place: _, says, code, codes, status, rules } = refusal;
    let codes = codes.iter().map(|((family, _), (code, _))| (family.clone(), Value::from(code.as_str())));
    Object::new()
        .with("name", name.as_str())
        .with("says", says.as_str())
        .maybe("code", code.as_ref().map(|(code, _)| code.as_str()))
        .map("codes", codes)
        .maybe("status", status.map(|(status, _)| status))
        .list("rules", rules.iter().map(|(rule, _)| rule.as_str()))
        .into_value()
}
