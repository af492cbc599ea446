//! Codes: what each proves about the request that it answers, how certain that is, and by whom.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Object, outcome_of};
use crate::compiler::model::{Api, Certainty, CodeProof, Family, Proof, RowOutcome};
use crate::compiler::words::{CallResult, Effect, Stage};

/// The effects of operations that change something.
const CHANGES: [Effect; 4] = [Effect::Create, Effect::Amend, Effect::Cancel, Effect::Close];

/// Returns all codes, each with its rows: documented ones first, because they take precedence.
pub(super) fn all(api: &Api) -> BTreeMap<String, Value> {
    let mut rows: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (family, error) in api.families.iter().flat_map(|family| family.errors.iter().map(move |error| (family, error)))
    {
        let source = error.source.as_ref().or(family.source.as_ref()).map(super::source);
        let row = Object::new()
            .with("families", [family.name.as_str()])
            .with("says", error.text.as_str())
            .text("advice", &error.doc)
            .flag("success", error.success)
            .and(proof(api, &error.proof, None))
            .maybe("source", source)
            .list("sources", observers(family));
        rows.entry(&error.code).or_default().push(row.into_value());
    }
    for code in &api.codes {
        let row = Object::new()
            .list("families", code.families.iter().map(|name| name.text.as_str()))
            .with("says", code.says.as_str())
            .text("advice", &code.doc)
            .and(proof(api, &code.proof, Some(code.certainty)))
            .list("sources", code.sources.iter().map(String::as_str));
        rows.entry(&code.code).or_default().push(row.into_value());
    }
    rows.into_iter().map(|(code, rows)| (code.to_owned(), Value::from(rows))).collect()
}

/// Returns who has seen the operations of a family that no document describes.
fn observers(family: &Family) -> impl Iterator<Item = &str> {
    family.sources.iter().map(|(source, _)| source.as_str())
}

/// Returns the proof that a code gives. `certainty` is that of a code that no document lists.
fn proof(api: &Api, proof: &Proof, certainty: Option<Certainty>) -> Object {
    let end = end(proof.proves, certainty);
    let is_not_done = |effect: Effect, several: bool| match outcome_of(api, end) {
        RowOutcome::NotDone => true,
        RowOutcome::ByCode => !proof.leaves_open(effect, several),
        RowOutcome::Done | RowOutcome::Unknown => false,
    };
    let proven = |several: bool| CHANGES.into_iter().filter(move |effect| is_not_done(*effect, several));
    let alike = proof.alike.is_some() || proof.stage == Stage::Parameters;
    Object::new()
        .with("certainty", certainty.map_or("documented", |certainty| certainty.as_str()))
        .with("end", end.as_str())
        .with("proves", proof.proves.as_str())
        .with("stage", proof.stage.as_str())
        .maybe("cause", proof.cause.map(|cause| cause.as_str()))
        .with("not_done", proven(false).map(|effect| effect.as_str()).collect::<Vec<_>>())
        .flag("open_if_several", proven(false).ne(proven(true)))
        .flag("alike", alike)
}

/// Returns the end of a call that is answered with a code.
fn end(proves: CodeProof, certainty: Option<Certainty>) -> CallResult {
    match (certainty, proves) {
        (Some(Certainty::Single | Certainty::Conflicting), _) => CallResult::UnlistedCode,
        (_, CodeProof::Timestamp) => CallResult::TimestampRefused,
        (_, CodeProof::Credentials) => CallResult::CredentialsRefused,
        (None, _) => CallResult::ListedCode,
        (Some(Certainty::Several), _) => CallResult::ObservedCode,
    }
}

/// Returns the codes by which a query says that what it looks for does not exist.
pub(super) fn of_absence<'a>(api: &'a Api, family: &'a Family, query: &str) -> impl Iterator<Item = &'a str> {
    let account = family.served_at(query).and_then(|served| api.family(served)).unwrap_or(family);
    let is_documented = |code: &str| family.errors.iter().any(|error| error.code == code);
    let documented = family.errors.iter().filter(|error| error.proof.proves == CodeProof::NoSuchOrder);
    let observed = api.codes.iter().filter(move |code| {
        let is_of = code.is_of(family) || code.is_of(account);
        let is_trusted = code.certainty == Certainty::Several && code.proof.proves == CodeProof::NoSuchOrder;
        is_of && is_trusted && !is_documented(&code.code)
    });
    documented.map(|error| error.code.as_str()).chain(observed.map(|code| code.code.as_str()))
}
