//! Files in memory against files on disk: what a run would change.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::write::{Kind, surplus};

/// A file that differs from what the schema generates.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The file.
    pub path: PathBuf,
    /// The kind of difference.
    pub change: Change,
    /// A short diff, from the current to the generated text.
    pub diff: String,
}

/// A difference between a file and what the schema generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Other bytes.
    Stale,
    /// No file.
    Missing,
    /// A file of an earlier run that is not emitted any more.
    Surplus,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stale => "stale",
            Self::Missing => "missing",
            Self::Surplus => "surplus",
        })
    }
}

/// Returns what writing these files would change.
pub(crate) fn compare(
    folder: &Path,
    files: &BTreeMap<String, String>,
    kind: &Kind,
) -> Result<Vec<Difference>, Diagnostics> {
    let mut to = Diagnostics::default();
    let mut differences = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        match std::fs::read(&path) {
            Ok(old) if old == text.as_bytes() => {}
            Ok(old) => {
                let diff = short_diff(&String::from_utf8_lossy(&old), text);
                differences.push(Difference { path, change: Change::Stale, diff });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                differences.push(Difference { path, change: Change::Missing, diff: String::new() });
            }
            Err(error) => {
                to.whole(Code::CannotRead, format!("cannot read {}: {error}", path.display()))
                    .help("remove what is there: an emitted file is a regular file");
            }
        }
    }
    for name in surplus(folder, |name| files.contains_key(name), kind) {
        differences.push(Difference { path: folder.join(name), change: Change::Surplus, diff: String::new() });
    }
    to.into_result().map(|()| differences)
}

/// Returns the first lines that differ, with a few lines around them; for line ends alone, a sentence.
fn short_diff(old: &str, new: &str) -> String {
    const LINES: usize = 12;
    if old.replace("\r\n", "\n") == new {
        return "only the line ends differ: it has CRLF; `* text eol=lf` in .gitattributes keeps LF".to_owned();
    }
    let diff = similar::TextDiff::from_lines(old, new);
    let text = diff.unified_diff().context_radius(1).to_string();
    let mut lines: Vec<_> = text.lines().take(LINES).collect();
    let more = text.lines().count().saturating_sub(LINES);
    let rest = format!("... and {more} more lines");
    if more > 0 {
        lines.push(&rest);
    }
    lines.join("\n")
}
