//! Compares a drift report from production with the schema: each finding gets the place where the schema has to change,
//! unless the schema already states it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{Api, Enum, Family, Field, Operation, Record, Response, Truth, Type};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use tradeapi_words::DriftKind;

/// The consequences of a drift report for the schema. Its text lists the places with what to do at each.
#[derive(Debug)]
pub struct Drift {
    files: Vec<PathBuf>,
    /// The observations, by place and by what to do there.
    open: BTreeMap<(Place, String), Vec<Seen>>,
    settled: Vec<String>,
}

/// An observation: where, with what, and in how many answers.
#[derive(Debug, PartialEq)]
struct Seen {
    place: String,
    /// The fields that never came, which are listed together.
    fields: Vec<String>,
    count: String,
}

/// Finds the place of each finding of a report.
pub(crate) fn drift(api: &Api, files: &[PathBuf], report: &Path) -> Result<Drift, Diagnostics> {
    let mut drift = Drift { files: files.to_vec(), open: BTreeMap::new(), settled: Vec::new() };
    for operation in read(report)?.operations {
        match Evaluator::of(api, &operation.operation) {
            Some(evaluate) => {
                operation.entries.iter().for_each(|entry| drift.add(&evaluate, &operation.operation, entry))
            }
            None => drift.settled.push(format!("{}: the schema has no such operation", operation.operation)),
        }
    }
    Ok(drift)
}

impl Drift {
    /// Returns the number of places where the schema has to change.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Returns the number of findings that the schema already states.
    pub fn settled(&self) -> usize {
        self.settled.len()
    }

    fn add(&mut self, evaluate: &Evaluator<'_>, operation: &str, entry: &DriftFinding) {
        match evaluate.evaluate(entry) {
            Resolution::Open(place, what) => {
                let all = self.open.entry((place, what)).or_default();
                let seen = Seen::of(operation, entry);
                match all.iter_mut().find(|other| (&other.place, &other.count) == (&seen.place, &seen.count)) {
                    Some(other) => other.fields.extend(seen.fields),
                    None => all.push(seen),
                }
            }
            Resolution::Settled(why) => self.settled.push(format!("{operation}, {entry}: {why}")),
        }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((place, what), seen) in &self.open {
            let file = self.files.get(place.file as usize).map(|file| file.display().to_string()).unwrap_or_default();
            writeln!(f, "{file}:{}:{}: {what}", place.line, place.column)?;
            for seen in seen {
                writeln!(f, "    {seen}")?;
            }
        }
        for settled in &self.settled {
            writeln!(f, "settled: {settled}")?;
        }
        write!(f, "{} to add to the schema, {} settled", self.open.len(), self.settled.len())
    }
}

impl Seen {
    fn of(operation: &str, entry: &DriftFinding) -> Self {
        let field = entry.field.as_ref().filter(|_| entry.kind == DriftKind::MissingField);
        let record = field.and_then(|field| entry.path.strip_suffix(field.as_str())?.strip_suffix('.'));
        Self {
            place: format!("{operation}, {}", record.unwrap_or(&entry.path)),
            fields: record.and(field).into_iter().cloned().collect(),
            count: entry.count(),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, fields, count } = self;
        if fields.is_empty() {
            write!(f, "{place}: {count}")
        } else {
            write!(f, "{place}: {}: {count}", fields.join(", "))
        }
    }
}

/// The version of the report that is read.
const VERSION: u64 = 1;

#[derive(Deserialize)]
struct Recorded {
    drift: u64,
    operations: Vec<OperationDrift>,
}

#[derive(Deserialize)]
struct OperationDrift {
    operation: String,
    entries: Vec<DriftFinding>,
}

/// One finding.
#[derive(Deserialize)]
struct DriftFinding {
    #[serde(deserialize_with = "kind")]
    kind: DriftKind,
    path: String,
    record: Option<String>,
    field: Option<String>,
    value: Option<String>,
    #[serde(default)]
    json: Vec<String>,
    seen: u64,
    of: u64,
}

fn kind<'de, D: Deserializer<'de>>(from: D) -> Result<DriftKind, D::Error> {
    let word = String::deserialize(from)?;
    DriftKind::parse(&word).ok_or_else(|| Error::unknown_variant(&word, DriftKind::WORDS))
}

impl DriftFinding {
    /// Returns the kinds of JSON, and in how many answers they were found.
    fn count(&self) -> String {
        let kinds = if self.json.is_empty() { String::new() } else { format!("{}, ", self.json.join(" or ")) };
        format!("{kinds}{} of {}", self.seen, self.of)
    }
}

impl fmt::Display for DriftFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.count())
    }
}

/// Reads a report.
fn read(path: &Path) -> Result<Recorded, Diagnostics> {
    let cannot = |why: String| {
        let mut to = Diagnostics::default();
        to.whole(Code::CannotRead, format!("cannot read the report {}: {why}", path.display()))
            .help("give the file with what `DriftReport::to_json` of a client wrote");
        to
    };
    let text = crate::compiler::plain_text::read(path).map_err(|error| cannot(error.to_string()))?;
    let report: Recorded = serde_json::from_str(&text).map_err(|error| cannot(error.to_string()))?;
    match report.drift {
        VERSION => Ok(report),
        other => Err(cannot(format!("it has the version {other}; only version {VERSION} is supported"))),
    }
}

/// An action that a finding asks for.
enum Resolution {
    /// The schema has to change there.
    Open(Place, String),
    /// The schema need not change, for this reason.
    Settled(String),
}

/// The part of the schema that an operation uses.
struct Evaluator<'a> {
    api: &'a Api,
    family: &'a Family,
    operation: &'a Operation,
}

impl<'a> Evaluator<'a> {
    fn of(api: &'a Api, operation: &str) -> Option<Self> {
        let (family, operation) = api.operations().find(|(_, known)| known.id == operation)?;
        Some(Self { api, family, operation })
    }

    fn evaluate(&self, entry: &DriftFinding) -> Resolution {
        if entry.kind == DriftKind::UnlistedCode {
            return self.code(entry);
        }
        let Some(name) = &entry.record else { return self.around(entry) };
        match self.family.records.iter().find(|record| record.name.wire == *name) {
            Some(record) => self.record(record, entry),
            None => Resolution::Settled(format!("the schema has no record `{name}`")),
        }
    }

    /// Returns what describes the family.
    fn source(&self) -> &'static str {
        if self.family.is_observed() { "a source" } else { "the document" }
    }

    fn code(&self, entry: &DriftFinding) -> Resolution {
        let place = self.family.errors.first().map_or(self.family.place, |first| first.place);
        let Some(code) = &entry.value else {
            return Resolution::Open(place, "answers have codes that are not spelled like codes".to_owned());
        };
        if self.family.errors.iter().any(|error| error.code == *code) {
            return Resolution::Settled(format!("`{code}` is listed in `errors`"));
        }
        if let Some(observed) = self.api.observed_of(self.family).find(|observed| observed.code == *code) {
            let certainty = observed.certainty.as_str();
            return Resolution::Settled(format!("`{code}` is listed in codes.yaml ({certainty})"));
        }
        let what = format!("unknown code `{code}`: find out what it means, and add it to `errors`");
        Resolution::Open(place, what)
    }

    /// Returns findings outside of records: the envelope, a page, an object around a list.
    fn around(&self, entry: &DriftFinding) -> Resolution {
        let (path, source) = (&entry.path, self.source());
        let (what, place, unknown) = match &self.api.envelope {
            Some(envelope) if envelope.data.as_ref().is_some_and(|data| !is_within(path, &data.to_string())) => (
                "the envelope",
                envelope.place,
                "add it to `beside` if all answers have it, otherwise to `observed` of api.yaml",
            ),
            _ => ("the answer", self.answer(), "no key can describe it, so add it to `observed` of this file"),
        };
        let is_member =
            || self.api.envelope.as_ref().is_some_and(|envelope| envelope.members().contains(&path.as_str()));
        let what = match entry.kind {
            DriftKind::UnknownField if is_member() => {
                return Resolution::Settled(format!("the envelope has `{path}`"));
            }
            DriftKind::UnknownField => format!("{what} has `{path}`: {unknown}"),
            DriftKind::MissingField => format!("{what} never has `{path}`: check whether {source} still lists it"),
            DriftKind::Observed => {
                format!("`{path}` is as it was observed: check whether a document lists it now")
            }
            DriftKind::UnknownValue
            | DriftKind::ValueNotListedHere
            | DriftKind::WrittenOtherwise
            | DriftKind::Unreadable
            | DriftKind::UnlistedCode => {
                format!("{what} differs at `{path}`: check {source}")
            }
        };
        Resolution::Open(place, what)
    }

    /// Returns the place of the operation's response.
    fn answer(&self) -> Place {
        match &self.operation.response {
            Response::Page { list, .. } => list.place,
            Response::Object { .. } | Response::Array { .. } | Response::Undefined => {
                self.operation.key_places.response
            }
        }
    }

    fn record(&self, record: &Record, entry: &DriftFinding) -> Resolution {
        let name = &record.name.wire;
        let field = entry.field.as_ref().and_then(|wire| record.fields.iter().find(|field| field.name.wire == *wire));
        match (entry.kind, field) {
            (DriftKind::Observed, _) if self.family.is_observed() => {
                Resolution::Settled(format!("no document describes the family `{}`", self.family.name))
            }
            (DriftKind::Observed, _) if !record.is_observed => {
                Resolution::Settled(format!("a document lists `{name}`"))
            }
            (DriftKind::Observed, _) => Resolution::Open(
                record.name.place,
                format!("`{name}` is as it was observed: check whether a document lists it now"),
            ),
            (DriftKind::UnknownField, Some(field)) => known(name, field),
            (DriftKind::UnknownField, None) => Resolution::Open(record.name.place, unknown(name, entry)),
            (_, None) => Resolution::Settled(format!("`{name}` has no such field")),
            (DriftKind::MissingField, Some(field)) => self.missing(record, field),
            (DriftKind::UnknownValue, Some(field)) => self.unknown_value(name, field, entry),
            (DriftKind::ValueNotListedHere, Some(field)) => not_listed(name, field, entry),
            (_, Some(field)) => self.other_kind(name, field, entry),
        }
    }

    fn unknown_value(&self, record: &str, field: &Field, entry: &DriftFinding) -> Resolution {
        let wire = &field.name.wire;
        if let Some((fixed, place)) = &field.fixed {
            return Resolution::Open(
                *place,
                format!("`{record}.{wire}` has other values than `{fixed}`: remove `fixed`"),
            );
        }
        let Some(all) = self.family.enum_of(&field.shape) else {
            return Resolution::Settled(format!("`{record}.{wire}` is not an enum"));
        };
        let name = &all.name.wire;
        match &entry.value {
            Some(value) if has(all, value) => Resolution::Settled(format!("`{value}` is a value of `{name}`")),
            Some(value) => {
                let source = self.source();
                let what = format!(
                    "unknown value `{value}` of `{name}`: add it, with its meaning from {source}, or to `also` of the \
                     value that it spells otherwise"
                );
                Resolution::Open(all.name.place, what)
            }
            None => Resolution::Open(
                all.name.place,
                format!("`{name}` has unknown values, too many or not spelled like one"),
            ),
        }
    }

    /// Returns a single finding for all fields of a record that answers never have.
    fn missing(&self, record: &Record, field: &Field) -> Resolution {
        let (name, wire, source) = (&record.name.wire, &field.name.wire, self.source());
        match &field.comes_only {
            Some(condition) => Resolution::Settled(format!("`{name}.{wire}` comes only {condition}")),
            None => {
                let what = format!(
                    "`{name}` has fields that never came: check whether {source} still lists them; `comes_only` names a \
                     condition"
                );
                Resolution::Open(record.name.place, what)
            }
        }
    }

    fn other_kind(&self, record: &str, field: &Field, entry: &DriftFinding) -> Resolution {
        let wire = &field.name.wire;
        if entry.kind == DriftKind::WrittenOtherwise && entry.json.iter().all(|kind| is_usual(field, kind)) {
            return Resolution::Settled(format!("`{record}.{wire}` has this form"));
        }
        let words: Vec<_> = entry.json.iter().map(|kind| word_for(kind, self.source())).collect();
        let verb = if entry.kind == DriftKind::Unreadable { "cannot be read" } else { "has another form" };
        Resolution::Open(field.name.place, format!("`{record}.{wire}` {verb}: {}", words.join("; ")))
    }
}

/// Returns whether a path is the member `data` or leads into it.
fn is_within(path: &str, data: &str) -> bool {
    path.strip_prefix(data).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Returns whether clients read the text as a value of the enum.
fn has(all: &Enum, text: &str) -> bool {
    all.index_of(text).is_some() || all.wires().any(|wire| wire.eq_ignore_ascii_case(text))
}

fn known(record: &str, field: &Field) -> Resolution {
    Resolution::Settled(format!("`{record}` has `{}`", field.name.wire))
}

fn unknown(record: &str, entry: &DriftFinding) -> String {
    let Some(field) = &entry.field else {
        return format!("`{record}` has unknown fields, too many or not spelled like one");
    };
    let kinds: Vec<_> = entry.json.iter().map(String::as_str).filter(|kind| *kind != "null").collect();
    let of = match kinds.as_slice() {
        ["text"] => "type: string",
        ["number as text"] => "type: decimal, json: text",
        ["number"] => "type: decimal, json: number",
        ["boolean"] => "type: boolean",
        ["object"] => "type: SomeRecord",
        ["list"] => "list: SomeRecord",
        _ => "type: ..",
    };
    let null = if entry.json.iter().any(|kind| kind == "null") { ", may_be: null" } else { "" };
    format!("unknown field `{field}` of `{record}`: add `{field}: {{ {of}{null}, doc: .. }}`")
}

fn not_listed(record: &str, field: &Field, entry: &DriftFinding) -> Resolution {
    let (wire, value) = (&field.name.wire, entry.value.as_deref().unwrap_or_default());
    if field.only.is_empty() || field.only.iter().any(|(only, _)| only.eq_ignore_ascii_case(value)) {
        return Resolution::Settled(format!("`{record}.{wire}` lists `{value}`"));
    }
    Resolution::Open(field.name.place, format!("`only` of `{record}.{wire}` lacks `{value}`"))
}

/// Returns whether this is the form that the schema states for the field.
fn is_usual(field: &Field, kind: &str) -> bool {
    let is_number = field.shape.single().is_some_and(Type::can_be_bare);
    match kind {
        "null" => field.may_be_null,
        "number" => is_number && !field.as_text,
        "number as text" => !is_number || field.as_text,
        "boolean" => field.shape.single() == Some(Type::Boolean(Truth::Bare)),
        _ => false,
    }
}

fn word_for(kind: &str, source: &str) -> String {
    match kind {
        "null" => format!("add `may_be: null` if {source} says so"),
        "number" => format!("add `json: number` if {source} shows a JSON number"),
        "number as text" => format!("add `json: text` if {source} shows a string"),
        other => format!("found {other}, check its type in {source}"),
    }
}
