//! Compares a drift report from production with the schema: each finding gets the place where the schema has to change,
//! unless the schema already states it.

mod evaluate;
mod report;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::compiler::diagnostics::{Diagnostics, Place};
use crate::compiler::model::Api;
use evaluate::{Evaluator, Resolution};
use report::DriftFinding;

/// The consequences of a drift report for the schema. Its text lists the places with what to do at each.
#[derive(Debug)]
pub struct Drift {
    files: Vec<PathBuf>,
    /// The observations, by place and by what to do there.
    open: BTreeMap<(Place, String), Vec<String>>,
    settled: Vec<String>,
}

/// Finds the place of each finding of a report.
pub(crate) fn drift(api: &Api, files: &[PathBuf], report: &Path) -> Result<Drift, Diagnostics> {
    let mut drift = Drift { files: files.to_vec(), open: BTreeMap::new(), settled: Vec::new() };
    for operation in report::read(report)?.operations {
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
    /// The number of places where the schema has to change.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// The number of findings that the schema already states.
    pub fn settled(&self) -> usize {
        self.settled.len()
    }

    fn add(&mut self, evaluate: &Evaluator<'_>, operation: &str, entry: &DriftFinding) {
        let seen = format!("{operation}, {entry}");
        match evaluate.evaluate(entry) {
            Resolution::Open(place, what) => self.open.entry((place, what)).or_default().push(seen),
            Resolution::Settled(why) => self.settled.push(format!("{seen}: {why}")),
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
