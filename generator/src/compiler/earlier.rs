//! A record of an earlier run: if the inputs are unchanged, nothing is generated; a file whose code is unchanged is not
//! formatted, which is the slowest step.
//!
//! Nothing is taken from the record that can be verified instead. Only the build of the program that wrote it reads it;
//! it ends in a digest of its own text; and a file counts only as long as it still has the bytes that were written. A
//! missing, damaged or outdated record costs time, but is otherwise harmless.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::Hash;
use std::path::Path;
use std::sync::OnceLock;

use crate::compiler::emit::digest;
use crate::compiler::model::Counts;
use crate::compiler::write::replace;

/// The file of the record, beside the emitted files. It is valid on one machine only.
pub(crate) const RECORD: &str = ".tradeapi-gen";

/// A record of the files that a run made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Earlier {
    /// The digest of the inputs of the run as a whole.
    pub(crate) given: u64,
    /// The number of operations, rules and other parts of the schema that it read.
    pub(crate) counts: Counts,
    pub(crate) files: BTreeMap<String, RecordedFile>,
}

/// A file that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordedFile {
    /// The digest of its text.
    pub(crate) text: u64,
    /// The digest of the code before it was formatted.
    pub(crate) code: u64,
}

impl RecordedFile {
    /// Returns whether the file still has the bytes that were written.
    pub(crate) fn is_intact(&self, path: &Path) -> bool {
        std::fs::read(path).is_ok_and(|bytes| digest(bytes.as_slice()) == self.text)
    }
}

impl Earlier {
    /// Returns the record of the last run that wrote to a folder; empty without a valid one.
    pub(crate) fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join(RECORD)).ok();
        text.zip(program()).and_then(|(text, program)| Self::parse(&text, program)).unwrap_or_default()
    }

    /// Stores the record for the next run, which makes all files again if this fails.
    pub(crate) fn store(&self, folder: &Path) {
        if let Some(program) = program() {
            let _ = replace(&folder.join(RECORD), &self.print(program));
        }
    }

    /// Returns whether the run had the same inputs, and all of its files are still intact.
    pub(crate) fn is_up_to_date(&self, given: u64, folder: &Path) -> bool {
        self.given == given
            && !self.files.is_empty()
            && self.files.iter().all(|(name, made)| made.is_intact(&folder.join(name)))
    }

    fn print(&self, program: u64) -> String {
        let Counts { families, operations, parameters, fields, values, limits, rules } = self.counts;
        let counts = [families, operations, parameters, fields, values, limits, rules].map(|n| n.to_string());
        let mut text = format!("{program:016x} {:016x}\n{}\n", self.given, counts.join(" "));
        for (name, RecordedFile { text: bytes, code }) in &self.files {
            let _ = writeln!(text, "{bytes:016x} {code:016x} {name}");
        }
        let sum = digest(text.as_str());
        let _ = writeln!(text, "{sum:016x}");
        text
    }

    fn parse(text: &str, program: u64) -> Option<Self> {
        let (text, sum) = text.strip_suffix('\n')?.split_at_checked(text.len().checked_sub(17)?)?;
        if number(sum)? != digest(text) {
            return None;
        }
        let mut lines = text.lines();
        let (by, given) = lines.next()?.split_once(' ')?;
        if number(by)? != program {
            return None;
        }
        let counts: Option<Vec<usize>> = lines.next()?.split(' ').map(|n| n.parse().ok()).collect();
        let [families, operations, parameters, fields, values, limits, rules] = counts?.try_into().ok()?;
        Some(Self {
            given: number(given)?,
            counts: Counts { families, operations, parameters, fields, values, limits, rules },
            files: lines.map(file).collect::<Option<_>>()?,
        })
    }
}

fn file(line: &str) -> Option<(String, RecordedFile)> {
    let mut parts = line.splitn(3, ' ');
    let (text, code) = (number(parts.next()?)?, number(parts.next()?)?);
    Some((parts.next()?.to_owned(), RecordedFile { text, code }))
}

fn number(digits: &str) -> Option<u64> {
    u64::from_str_radix(digits, 16).ok()
}

/// Returns the digest of the inputs of a run: the files of the schema, and how they are emitted.
pub(crate) fn given<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>, how: &impl Hash) -> u64 {
    digest(&(texts.collect::<Vec<_>>(), how))
}

/// Returns a digest of the path, length and modification time of this program, by which cargo and make tell builds
/// apart, too. `None` if the system does not tell them; then no record is used.
fn program() -> Option<u64> {
    static PROGRAM: OnceLock<Option<u64>> = OnceLock::new();
    *PROGRAM.get_or_init(|| {
        let path = std::env::current_exe().ok()?;
        let file = std::fs::metadata(&path).ok()?;
        Some(digest(&(path, file.len(), file.modified().ok()?, changed(&file))))
    })
}

/// Returns what distinguishes a file from another one with the same length and modification time.
#[cfg(unix)]
fn changed(file: &std::fs::Metadata) -> impl Hash + use<> {
    use std::os::unix::fs::MetadataExt as _;
    (file.dev(), file.ino(), file.ctime(), file.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(file: &std::fs::Metadata) -> impl Hash + use<> {
    file.created().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PROGRAM: u64 = 7;

    fn earlier() -> impl Strategy<Value = Earlier> {
        let made = any::<[u64; 2]>().prop_map(|[text, code]| RecordedFile { text, code });
        let files = prop::collection::btree_map("[a-z]{1,5}/[a-z_]{1,5}\\.rs", made, 0..5);
        let counts = any::<[u16; 7]>().prop_map(|n| {
            let [families, operations, parameters, fields, values, limits, rules] = n.map(usize::from);
            Counts { families, operations, parameters, fields, values, limits, rules }
        });
        (any::<u64>(), counts, files).prop_map(|(given, counts, files)| Earlier { given, counts, files })
    }

    proptest! {
        #[test]
        fn a_record_is_read_as_it_was_written(earlier in earlier()) {
            prop_assert_eq!(Earlier::parse(&earlier.print(PROGRAM), PROGRAM), Some(earlier));
        }

        #[test]
        fn another_program_reads_nothing(earlier in earlier(), other in any::<u64>()) {
            prop_assume!(other != PROGRAM);
            prop_assert_eq!(Earlier::parse(&earlier.print(PROGRAM), other), None);
        }

        #[test]
        fn a_damaged_record_is_none(earlier in earlier(), at: prop::sample::Index, cut: prop::sample::Index, with in "[ -~\n]{0,3}") {
            let whole = earlier.print(PROGRAM);
            let (a, b) = (at.index(whole.len() + 1), cut.index(whole.len() + 1));
            let damaged = format!("{}{with}{}", &whole[..a.min(b)], &whole[a.max(b)..]);
            let same = damaged == whole;
            prop_assert_eq!(Earlier::parse(&damaged, PROGRAM), same.then_some(earlier));
        }
    }
}
