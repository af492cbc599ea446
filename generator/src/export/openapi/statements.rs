//! Statements that families and operations carry, and where the documents make them.

use serde_json::{Value, json};

use super::object::Object;
use super::rules;
use crate::model::{NotShown, Observation, Source, Statements};

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
fn not_shown(open: &NotShown) -> Value {
    Object::new().with("says", open.says.as_str()).list("at", open.at.iter().map(String::as_str)).into_value()
}

/// Something seen on the wire and in no document.
pub(super) fn observation(observation: &Observation) -> Value {
    json!({"id": observation.id, "says": observation.says, "sources": observation.sources})
}

/// The document and the section; OpenAPI's `externalDocs` wants an address, and there is none.
pub(super) fn source(source: &Source) -> Value {
    Object::new().with("document", source.document.as_str()).maybe("section", source.section.as_deref()).into_value()
}
