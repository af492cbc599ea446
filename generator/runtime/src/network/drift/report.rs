//! The report of such differences.

#[doc(inline)]
pub use tradeapi_words::DriftKind;

use super::counts::{Counts, FieldCount, FieldPlace, Occurrences, OperationCounts, RecordCounts, Sign};

/// Differences between responses and the documents. Its text is a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriftReport {
    /// The operations whose responses were compared, by API and id.
    pub operations: Vec<OperationDrift>,
}

/// Differences between the responses to an operation and the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationDrift {
    /// The API.
    pub api: &'static str,
    /// The id of the operation: the family and the last segment of the path, which are the name of its file in the
    /// schema.
    pub operation: &'static str,
    /// The document and the section that describe it.
    pub source: String,
    /// The number of compared responses that were, or should have been, a success.
    pub answers: u64,
    /// The number of compared refusals; only their envelope is compared.
    pub refused: u64,
    /// The number of responses that were not JSON.
    pub broken: u64,
    /// The number of further findings, for which there was no room.
    pub left_out: u64,
    /// The findings.
    pub entries: Vec<DriftEntry>,
}

impl DriftReport {
    pub(super) fn of(counted: &[OperationCounts]) -> Self {
        let mut operations = Vec::with_capacity(counted.len());
        for counted in counted {
            let (api, operation) = counted.key();
            let Counts { answers, refused, broken, left_out, .. } = counted.counts;
            let entries = entries(&counted.counts);
            operations.push(OperationDrift {
                api,
                operation,
                source: counted.meta.source(),
                answers,
                refused,
                broken,
                left_out,
                entries,
            });
        }
        Self { operations }
    }

    /// Returns whether no response differed from the documents.
    pub fn is_empty(&self) -> bool {
        self.operations.iter().all(|operation| operation.entries.is_empty() && operation.left_out == 0)
    }
}

fn entries(counts: &Counts) -> Vec<DriftEntry> {
    let mut entries = Vec::new();
    for record in &counts.records {
        for (sign, found) in &record.found {
            add(&mut entries, entry(record, counts, sign, *found));
        }
        for field in &record.fields {
            if field.times == 0 && !field.is_conditional && record.seen > 0 {
                add(&mut entries, missing(record, field));
            }
        }
    }
    entries
}

/// Adds an entry after the others of its kind. Within a kind, they are in the order of the documents.
fn add(entries: &mut Vec<DriftEntry>, entry: DriftEntry) {
    let place = entries.partition_point(|known| known.kind <= entry.kind);
    entries.insert(place, entry);
}

fn missing(record: &RecordCounts, field: &FieldCount) -> DriftEntry {
    DriftEntry {
        kind: DriftKind::MissingField,
        path: join(&record.path, field.name),
        record: record.name,
        field: Some(field.name.to_owned()),
        value: None,
        json: Vec::new(),
        seen: 0,
        of: record.seen,
    }
}

fn entry(record: &RecordCounts, counts: &Counts, sign: &Sign, found: Occurrences) -> DriftEntry {
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
    // `seen` leaves refusals out, because they lack the data; of their envelopes the rest is compared.
    let refused = if record.path.is_empty() { counts.refused } else { 0 };
    let (json, seen, of) = (found.written.words(), found.times, record.seen + refused);
    DriftEntry { kind, path, record: record.name, field, value, json, seen, of }
}

fn of_field(record: &RecordCounts, spot: FieldPlace) -> (String, Option<String>) {
    let Some(field) = record.fields.get(spot.field) else { return (record.path.clone(), None) };
    let items = if spot.is_item { "[]" } else { "" };
    (join(&record.path, field.name) + items, Some(field.name.to_owned()))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// One difference between responses and the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriftEntry {
    /// The kind of difference.
    pub kind: DriftKind,
    /// The path from the root of the response: `data.list[].price`. A withheld name is `*`.
    pub path: String,
    /// The name of the record in the schema; `None` for the envelope, a page, and an object around a list.
    pub record: Option<&'static str>,
    /// The field of the record; `None` if its name is withheld.
    pub field: Option<String>,
    /// The value of an enum or the error code; `None` if there is none or it is withheld.
    pub value: Option<String>,
    /// The kinds of JSON that the value was written as: `null`, `boolean`, `number`, `text`, `number as text`, `list`,
    /// `object`.
    pub json: Vec<&'static str>,
    /// The number of occurrences.
    pub seen: u64,
    /// The number of times that the difference could have occurred: the number of records or envelopes that were
    /// compared there.
    pub of: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_kind_stay_in_their_order() {
        let mut entries = Vec::new();
        for (path, kind) in [
            ("a", DriftKind::Observed),
            ("b", DriftKind::UnknownField),
            ("c", DriftKind::Observed),
            ("d", DriftKind::UnknownField),
        ] {
            let (path, json) = (path.to_owned(), Vec::new());
            add(&mut entries, DriftEntry { kind, path, record: None, field: None, value: None, json, seen: 1, of: 1 });
        }
        let paths: Vec<_> = entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, ["b", "d", "a", "c"]);
    }
}
