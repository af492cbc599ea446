//! What codes prove about the requests that they answer. OpenAPI has no words for it.

use serde_json::Value;

use super::object::Object;
use crate::model::{Certainty, CodeProof, ObservedCode, Proof, Refusal};

/// What a code proves, where it is more than that nothing was done.
pub(super) fn proof(proof: &Proof) -> Object {
    let stage = (proof.stage != proof.proves.usual_stage()).then_some(proof.stage.as_str());
    Object::new()
        .maybe("proves", (proof.proves != CodeProof::NotDone).then_some(proof.proves.as_str()))
        .maybe("stage", stage)
        .maybe("cause", proof.cause.map(|cause| cause.as_str()))
}

/// A code that no document lists.
pub(super) fn observed(code: &ObservedCode) -> Value {
    Object::new()
        .with("code", code.code.as_str())
        .with("says", code.says.as_str())
        .list("families", code.families.iter().map(|(name, _)| name.as_str()))
        .and(proof(&code.proof))
        .maybe("certainty", (code.certainty != Certainty::Several).then_some(code.certainty.as_str()))
        .list("sources", code.sources.iter().map(String::as_str))
        .into_value()
}

/// What requests are refused for, and with which codes.
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
