//! The report that a client writes.

use std::fmt;
use std::path::Path;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use tradeapi_words::DriftKind;

use crate::compiler::diagnostics::{Code, Diagnostics};

/// The version of the report that is read.
const VERSION: u64 = 1;

#[derive(Deserialize)]
pub(super) struct Recorded {
    drift: u64,
    pub(super) operations: Vec<OperationDrift>,
}

#[derive(Deserialize)]
pub(super) struct OperationDrift {
    pub(super) operation: String,
    pub(super) entries: Vec<DriftFinding>,
}

/// One finding.
#[derive(Deserialize)]
pub(super) struct DriftFinding {
    #[serde(deserialize_with = "kind")]
    pub(super) kind: DriftKind,
    pub(super) path: String,
    pub(super) record: Option<String>,
    pub(super) field: Option<String>,
    pub(super) value: Option<String>,
    #[serde(default)]
    pub(super) json: Vec<String>,
    seen: u64,
    of: u64,
}

fn kind<'de, D: Deserializer<'de>>(from: D) -> Result<DriftKind, D::Error> {
    let word = String::deserialize(from)?;
    DriftKind::parse(&word).ok_or_else(|| Error::unknown_variant(&word, DriftKind::WORDS))
}

impl fmt::Display for DriftFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        if !self.json.is_empty() {
            write!(f, "{}, ", self.json.join(" or "))?;
        }
        write!(f, "{} of {}", self.seen, self.of)
    }
}

/// Reads a report.
pub(super) fn read(path: &Path) -> Result<Recorded, Diagnostics> {
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
