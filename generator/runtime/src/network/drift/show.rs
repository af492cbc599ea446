//! A report as a table for people, and as JSON for `tradeapi-gen drift` and other programs.

use std::fmt;

use super::report::{DriftEntry, DriftKind, DriftReport, OperationDrift};
use crate::data::json::{Encode, JsonWriter, write_json};

/// The version of the form that reports have as JSON.
const VERSION: u64 = 1;

impl DriftReport {
    /// The report as JSON, which `tradeapi-gen drift` reads.
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

/// The columns of a row, which shows an entry or all missing fields of a record.
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
