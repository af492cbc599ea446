//! Statements that OpenAPI cannot express: those of families and operations, with their places in the documents, and
//! what codes prove about the requests that they answer.

use serde_json::{Value, json};

use super::object::Object;
use super::rules;
use crate::model::{Certainty, CodeProof, Observation, ObservedCode, OpenQuestion, Proof, Refusal, Source, Statements};

/// All statements of a family or an operation.
pub(super) fn of(statements: &Statements) -> Object {
    let contradictions = statements
        .contradictions
        .iter()
        .map(|one| json!({"id": one.id, "readings": one.readings, "chosen": one.chosen, "why": one.why}));
    Object::new()
        .list("x-rules", statements.rules.iter().map(rules::rule))
        .list("x-not-shown", statements.not_shown.iter().map(not_shown))
        .list("x-contradictions", contradictions)
        .list("x-observed", statements.observed.iter().map(observation))
}

/// Something that the documents leave open, and the sections that say so themselves.
fn not_shown(open: &OpenQuestion) -> Value {
    Object::new().with("says", open.says.as_str()).list("at", open.at.iter().map(String::as_str)).into_value()
}

/// Something seen on the wire and in no document.
pub(super) fn observation(observation: &Observation) -> Value {
    json!({"id": observation.id, "says": observation.says, "sources": observation.sources})
}

/// The document and the section. OpenAPI's `externalDocs` requires an address, which they do not have.
pub(super) fn source(source: &Source) -> Value {
    Object::new().with("document", source.document.as_str()).maybe("section", source.section.as_deref()).into_value()
}

/// What a code proves, unless it only proves that nothing was done.
pub(super) fn proof(proof: &Proof) -> Object {
    let stage = (proof.stage != proof.proves.usual_stage()).then_some(proof.stage.as_str());
    Object::new()
        .maybe("proves", (proof.proves != CodeProof::NotDone).then_some(proof.proves.as_str()))
        .maybe("stage", stage)
        .maybe("cause", proof.cause.map(|cause| cause.as_str()))
        .flag("alike", proof.alike.is_some())
}

/// A code that no document lists.
pub(super) fn observed_code(code: &ObservedCode) -> Value {
    Object::new()
        .with("code", code.code.as_str())
        .with("says", code.says.as_str())
        .list("families", code.families.iter().map(|(name, _)| name.as_str()))
        .and(proof(&code.proof))
        .maybe("certainty", (code.certainty != Certainty::Several).then_some(code.certainty.as_str()))
        .list("sources", code.sources.iter().map(String::as_str))
        .into_value()
}

/// A reason to refuse requests, with its codes.
pub(super) fn refusal(refusal: &Refusal) -> Value {
    let codes = refusal.codes.iter().map(|((family, _), (code, _))| (family.clone(), Value::from(code.as_str())));
    Object::new()
        .with("name", refusal.name.as_str())
        .with("says", refusal.says.as_str())
        .maybe("code", refusal.code.as_ref().map(|(code, _)| code.as_str()))
        .map("codes", codes)
        .maybe("status", refusal.status.map(|(status, _)| status))
        .list("rules", refusal.rules.iter().map(|(rule, _)| rule.as_str()))
        .into_value()
}
