//! The report of differences from the documents, as a table for people, and as JSON for `tradeapi-gen drift` and other
//! programs.

use std::fmt;

use super::counts::{Counts, FieldCount, FieldPlace, Occurrences, OperationCounts, RecordCounts, Sign};
use crate::data::json::{Encode, JsonWriter, write_json};

#[doc(inline)]
pub use tradeapi_words::DriftKind;

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

/// The version of the form that reports have as JSON.
const VERSION: u64 = 1;

impl DriftReport {
    /// Returns the report as JSON, which `tradeapi-gen drift` reads.
    pub fn to_json(&self) -> String {
        write_json(self)
    }
}

impl Encode for DriftReport {
    fn encode(&self, out: &mut JsonWriter) {
        out.begin_object();
        out.member("drift").number(&VERSION);
        out.member("operations").begin_array();
        for operation in &self.operations {
            operation.encode(out.element());
        }
        out.end_array();
        out.end_object();
    }
}

impl Encode for OperationDrift {
    fn encode(&self, out: &mut JsonWriter) {
        out.begin_object();
        out.member("api").string(self.api);
        out.member("operation").string(self.operation);
        out.member("source").string(&self.source);
        for (name, count) in self.counts() {
            out.member(name).number(&count);
        }
        out.member("entries").begin_array();
        for entry in &self.entries {
            entry.encode(out.element());
        }
        out.end_array();
        out.end_object();
    }
}

impl Encode for DriftEntry {
    fn encode(&self, out: &mut JsonWriter) {
        out.begin_object();
        out.member("kind").string(self.kind.as_str());
        out.member("path").string(&self.path);
        let texts = [("record", self.record), ("field", self.field.as_deref()), ("value", self.value.as_deref())];
        for (name, text) in texts {
            if let Some(text) = text {
                out.member(name).string(text);
            }
        }
        if !self.json.is_empty() {
            out.member("json").begin_array();
            self.json.iter().for_each(|kind| out.element().string(kind));
            out.end_array();
        }
        out.member("seen").number(&self.seen);
        out.member("of").number(&self.of);
        out.end_object();
    }
}

impl OperationDrift {
    fn counts(&self) -> [(&'static str, u64); 4] {
        let Self { answers, refused, broken, left_out, .. } = *self;
        [("answers", answers), ("refused", refused), ("broken", broken), ("left_out", left_out)]
    }
}

impl fmt::Display for DriftReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, operation) in self.operations.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{operation}")?;
        }
        Ok(())
    }
}

impl fmt::Display for OperationDrift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {} answers", self.operation, self.source, self.answers)?;
        let others = [("refusals", self.refused), ("not JSON", self.broken), ("more findings", self.left_out)];
        for (what, count) in others.into_iter().filter(|(_, count)| *count > 0) {
            write!(f, ", {count} {what}")?;
        }
        let mut rows = Vec::new();
        let [mut kinds, mut places] = [0; 2];
        for entries in self.entries.chunk_by(DriftEntry::is_missing_with) {
            let row = columns(entries);
            [kinds, places] = [kinds.max(row[0].len()), places.max(row[1].len())];
            rows.push(row);
        }
        for [kind, place, what] in &rows {
            write!(f, "\n  {kind:kinds$}  {place:places$}  {what}")?;
        }
        Ok(())
    }
}

/// Returns the columns of a row, which shows an entry or all missing fields of a record.
fn columns(entries: &[DriftEntry]) -> [String; 3] {
    let Some(entry) = entries.first() else { return Default::default() };
    let (kind, path, what) = match entry.kind {
        DriftKind::MissingField if entries.len() > 1 => {
            let fields: Vec<&str> = entries.iter().filter_map(|entry| entry.field.as_deref()).collect();
            ("missing fields", entry.path_of_record(), fields.join(", "))
        }
        kind => (kind.as_str(), entry.path.as_str(), entry.what()),
    };
    let record = entry.record.map(|record| format!(" ({record})")).unwrap_or_default();
    let separator = if what.is_empty() { "" } else { ": " };
    [kind.to_owned(), format!("{path}{record}"), format!("{what}{separator}{} of {}", entry.seen, entry.of)]
}

impl DriftEntry {
    fn is_missing_with(&self, next: &Self) -> bool {
        let place = |entry: &Self| (entry.kind, entry.path_of_record().to_owned(), entry.of);
        self.kind == DriftKind::MissingField && place(self) == place(next)
    }

    fn path_of_record(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(record, _)| record)
    }

    fn what(&self) -> String {
        match self.kind {
            DriftKind::UnknownValue | DriftKind::ValueNotListedHere | DriftKind::UnlistedCode => {
                self.value.clone().unwrap_or_else(|| "not recorded".to_owned())
            }
            _ => self.json.join(" or "),
        }
    }
}

impl fmt::Display for DriftEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&columns(std::slice::from_ref(self)).join("  "))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for DriftReport {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::data::serde_support::private::serialize_value(self, serializer)
    }
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
