use std::collections::BTreeMap;

use super::collector::Counted;
use super::entry::{DriftEntry, DriftKind};
use super::tally::{Found, RecordTally, Sign, Spot, Tally};

/// Where answers were not what the documents say. Shown, it is a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriftReport {
    /// The operations of which answers were looked at, by API and id.
    pub operations: Vec<OperationDrift>,
}

/// Where the answers to an operation were not what the documents say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationDrift {
    /// The API.
    pub api: &'static str,
    /// The id of the operation: the family and the last segment of the path, which name its file in the schema.
    pub operation: &'static str,
    /// The document and the section that describe it.
    pub source: String,
    /// How many answers were looked at that were a success, or should have been.
    pub answers: u64,
    /// How many were looked at that were refusals; of them only the envelope is.
    pub refused: u64,
    /// How many were no JSON.
    pub broken: u64,
    /// How much more was found, for which there was no room.
    pub left_out: u64,
    /// What was found.
    pub entries: Vec<DriftEntry>,
}

impl DriftReport {
    pub(super) fn of(counted: &BTreeMap<(&'static str, &'static str), Counted>) -> Self {
        let operation = |((api, operation), counted): (&(&'static str, &'static str), &Counted)| {
            let Tally { answers, refused, broken, left_out, .. } = counted.tally;
            let entries = entries(&counted.tally);
            OperationDrift {
                api,
                operation,
                source: counted.meta.source(),
                answers,
                refused,
                broken,
                left_out,
                entries,
            }
        };
        Self { operations: counted.iter().map(operation).collect() }
    }

    /// Whether every answer was what the documents say.
    pub fn is_empty(&self) -> bool {
        self.operations.iter().all(|operation| operation.entries.is_empty() && operation.left_out == 0)
    }
}

fn entries(tally: &Tally) -> Vec<DriftEntry> {
    let mut entries: Vec<_> = tally.records.iter().flat_map(|record| of_record(record, tally)).collect();
    // Stable: within a kind, the order of the documents.
    entries.sort_by_key(|entry| entry.kind);
    entries
}

fn of_record<'a>(record: &'a RecordTally, tally: &'a Tally) -> impl Iterator<Item = DriftEntry> + 'a {
    let never = record.fields.iter().filter(|field| field.times == 0 && !field.is_conditional && record.seen > 0);
    let missing = never.map(|field| DriftEntry {
        kind: DriftKind::MissingField,
        path: join(&record.path, field.name),
        record: record.name,
        field: Some(field.name.to_owned()),
        value: None,
        json: Vec::new(),
        seen: 0,
        of: record.seen,
    });
    let found = record.found.iter().map(|(sign, found)| entry(record, tally, sign, *found));
    found.chain(missing)
}

fn entry(record: &RecordTally, tally: &Tally, sign: &Sign, found: Found) -> DriftEntry {
    let owned = |name: &Option<Box<str>>| name.as_deref().map(str::to_owned);
    let (kind, spot, value) = match sign {
        Sign::UnknownField(_) => (DriftKind::UnknownField, None, None),
        Sign::UnknownValue(spot, value) => (DriftKind::UnknownValue, Some(*spot), owned(value)),
        Sign::ValueNotListedHere(spot, value) => {
            (DriftKind::ValueNotListedHere, Some(*spot), Some((*value).to_owned()))
        }
        Sign::WrittenOtherwise(spot) => (DriftKind::WrittenOtherwise, Some(*spot), None),
        Sign::Unreadable(spot) => (DriftKind::Unreadable, Some(*spot), None),
        Sign::UnlistedCode(spot, code) => (DriftKind::UnlistedCode, Some(*spot), owned(code)),
        Sign::Observed => (DriftKind::Observed, None, None),
    };
    let (path, field) = match (sign, spot) {
        (Sign::UnknownField(name), _) => (join(&record.path, name.as_deref().unwrap_or("*")), owned(name)),
        (_, Some(spot)) => of_field(record, spot),
        (_, None) => (record.path.clone(), None),
    };
    // Refusals are not counted as seen, for they lack the data; of their envelopes the rest is looked at.
    let refused = if record.path.is_empty() { tally.refused } else { 0 };
    let (json, seen, of) = (found.written.words(), found.times, record.seen + refused);
    DriftEntry { kind, path, record: record.name, field, value, json, seen, of }
}

fn of_field(record: &RecordTally, spot: Spot) -> (String, Option<String>) {
    let Some(field) = record.fields.get(spot.field) else { return (record.path.clone(), None) };
    let items = if spot.is_item { "[]" } else { "" };
    (join(&record.path, field.name) + items, Some(field.name.to_owned()))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
