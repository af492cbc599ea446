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
    let Proof { proves, stage, cause, cause_place: _, alike } = proof;
    Object::new()
        .maybe("proves", (*proves != CodeProof::NotDone).then_some(proves.as_str()))
        .maybe("stage", (*stage != proves.usual_stage()).then_some(stage.as_str()))
        .maybe("cause", cause.map(|cause| cause.as_str()))
        .flag("alike", alike.is_some())
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
