//! The outcomes of requests as data: what each end of a call proves, and which queries settle the rest. Programs in other
//! languages decide by the file as the emitted client does; a test holds an interpreter of it against the client.
//!
//! The file repeats nothing that is the same everywhere: how an answer is read, and in which order its parts count, is
//! said by the descriptions of its JSON Schema, which is written beside it.

mod answers;
mod settling;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use super::Object;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::model::{
    AnswerPath, Api, Certainty, CodeProof, Duration, Family, Operation, Proof, RowOutcome, Source, Step,
};
use crate::compiler::words::{CallResult, Effect, Stage};
use crate::compiler::write::{RUST, replace_stale};
use crate::tools::compare::{Difference, compare};
use serde_json::Value;
use tradeapi_words::{Assumptions, REPEATS_AFTER};

/// The JSON Schema of the file.
const SCHEMA: &str = include_str!("outcomes/outcomes.schema.json");

/// The outcomes of the requests of an API, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcomes {
    /// The file.
    pub text: String,
    /// The JSON Schema of the file, whose descriptions say how the file is read.
    pub schema: &'static str,
    /// The number of operations that change something.
    pub changes: usize,
    /// The number of those whose outcome a query shows.
    pub queried: usize,
    /// The number of codes.
    pub codes: usize,
}

/// Exports the outcomes of the requests of an API.
pub(crate) fn outcomes(api: &Api) -> Outcomes {
    let codes = all_codes(api);
    let count = codes.len();
    let changes = || api.operations().filter(|(_, operation)| operation.effect != Effect::Read);
    let operations = api.operations().map(|(family, operation)| (operation.id.clone(), of(api, family, operation)));
    let document = Object::new()
        .with("$schema", name_of_schema("outcomes.json"))
        .with("api", api.name.as_str())
        .with("assumptions", assumptions(api))
        .with("ends", ends(api))
        .maybe("envelope", api.envelope.as_ref().map(answers::envelope))
        .maybe("call_id", answers::call_id(api))
        .with("codes", codes.into_iter().collect::<serde_json::Map<_, _>>())
        .map("operations", operations)
        .into_value();
    Outcomes {
        text: format!("{document:#}\n"),
        schema: SCHEMA,
        changes: changes().count(),
        queried: changes().filter(|(_, operation)| operation.confirm.is_some()).count(),
        codes: count,
    }
}

/// Returns the times in milliseconds, and the number of denials, that a proof depends on.
fn assumptions(api: &Api) -> Object {
    let Assumptions { settling, lag, clock_error, clock_distance, denials } = Assumptions::DEFAULT;
    let credentials = api.credentials.as_ref();
    let milliseconds = |length: std::time::Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
    Object::new()
        .maybe("window_ms", credentials.and_then(|credentials| credentials.window).and_then(Duration::milliseconds))
        .maybe("window_set_by", credentials.and_then(|all| all.window_set_by.as_ref()).map(|(name, _)| name.as_str()))
        .with("settling_ms", milliseconds(settling))
        .with("lag_ms", milliseconds(lag))
        .with("clock_error_ms", milliseconds(clock_error))
        .with("clock_distance_ms", milliseconds(clock_distance))
        .with("denials", denials)
        .with("repeats_after_ms", milliseconds(REPEATS_AFTER))
}

/// Returns the outcome of a change for each end of its call.
fn ends(api: &Api) -> Object {
    CallResult::ALL.iter().fold(Object::new(), |ends, when| {
        let row = api.outcomes.iter().find(|row| row.when == *when);
        let end = Object::new()
            .with("outcome", outcome_of(api, *when).as_str())
            .text("why", row.map(|row| row.why.as_str()).unwrap_or_default());
        ends.with(when.as_str(), end)
    })
}

/// Returns the outcome of a change whose call ends in a certain way.
fn outcome_of(api: &Api, when: CallResult) -> RowOutcome {
    let row = api.outcomes.iter().find(|row| row.when == when);
    row.map_or(when.usual_outcome(), |row| row.outcome)
}

/// Returns everything that an outcome of an operation depends on.
fn of(api: &Api, family: &Family, operation: &Operation) -> Value {
    let source = operation.source.as_ref().or(family.source.as_ref()).map(self::source);
    let observed_by = operation.sources.iter().chain(&family.sources).map(|(source, _)| source.as_str());
    let client_id = operation.client_id.as_ref();
    Object::new()
        .with("title", operation.title.as_str())
        .with("family", family.name.as_str())
        .maybe("account", family.served_at(&operation.path.text).map(|served| served.text.as_str()))
        .with("effect", operation.effect.as_str())
        .with("method", operation.method.as_str())
        .with("path", operation.path.text.as_str())
        .maybe("call", operation.call.as_ref().map(|(call, _)| call.as_str()))
        .maybe("source", source)
        .list("observed_by", observed_by)
        .maybe("client_id", client_id.map(|(parameter, _)| parameter.as_str()))
        .maybe("several_effects", operation.compound.as_ref().map(answers::several_effects))
        .with("success", answers::success(api, family, operation))
        .maybe("settle", settling::of(api, family, operation))
        .with("repeat", settling::repeat(operation))
        .into_value()
}

/// Returns the document and the section that describe something.
fn source(source: &Source) -> Object {
    Object::new().with("document", source.document()).maybe("section", source.section())
}

/// Returns a path as the names of members and the numbers of items; empty for the whole.
fn path(path: Option<&AnswerPath>) -> Value {
    let steps = path.map(|path| path.0.as_slice()).unwrap_or_default();
    let step = |step: &Step| match step {
        Step::Member(name) => Value::from(name.as_str()),
        Step::Item(place) => Value::from(*place),
    };
    steps.iter().map(step).collect()
}

/// Returns the name of the schema that is written beside a file.
fn name_of_schema(file: &str) -> String {
    format!("{}.schema.json", file.strip_suffix(".json").unwrap_or(file))
}

impl Outcomes {
    /// Writes the file and, beside it, its JSON Schema, unless they are the same; returns whether one was written.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn write(&self, path: &Path) -> Result<bool, Diagnostics> {
        let (folder, files) = self.in_folder(path);
        replace_stale(folder, &files).map(|written| !written.is_empty())
    }

    /// Returns what [`Outcomes::write`] would change; writes nothing.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn compare(&self, path: &Path) -> Result<Vec<Difference>, Diagnostics> {
        let (folder, files) = self.in_folder(path);
        compare(folder, &files, &RUST)
    }

    fn in_folder<'a>(&self, path: &'a Path) -> (&'a Path, BTreeMap<String, String>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let schema = name_of_schema(&name);
        let text = self.text.replacen(&name_of_schema("outcomes.json"), &schema, 1);
        let files = BTreeMap::from([(name, text), (schema, self.schema.to_owned())]);
        (path.parent().unwrap_or(Path::new("")), files)
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { changes, queried, codes, .. } = self;
        write!(f, "{changes} operations that change something, {queried} of which a query settles; {codes} codes")
    }
}

/// The effects of operations that change something.
const CHANGES: [Effect; 4] = [Effect::Create, Effect::Amend, Effect::Cancel, Effect::Close];

/// Returns all codes, each with its rows: documented ones first, because they take precedence.
fn all_codes(api: &Api) -> BTreeMap<String, Value> {
    let mut rows: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (family, error) in api.families.iter().flat_map(|family| family.errors.iter().map(move |error| (family, error)))
    {
        let source = error.source.as_ref().or(family.source.as_ref()).map(source);
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
