//! Writes new digests to the schema's files: only their values change, every other byte stays.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::write;

/// A digest to be written.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    pub(super) file: PathBuf,
    pub(super) bytes: Range<usize>,
    pub(super) text: String,
    /// True if a fact of the section differs, so that the digest must not change.
    pub(super) differs: bool,
}

/// Writes the digests. Returns how many were written, and how many were left unchanged.
pub(super) fn write(replacements: &[Replacement]) -> Result<(usize, usize), Diagnostics> {
    let mut to = Diagnostics::default();
    let mut by_file: BTreeMap<&PathBuf, Vec<&Replacement>> = BTreeMap::new();
    for replacement in replacements.iter().filter(|replacement| !replacement.differs) {
        by_file.entry(&replacement.file).or_default().push(replacement);
    }
    let mut written = 0;
    for (file, mut replacements) in by_file {
        // From the end of the file, so that places before a replacement stay valid.
        replacements.sort_by_key(|replacement| std::cmp::Reverse(replacement.bytes.start));
        let result = std::fs::read_to_string(file).and_then(|mut text| {
            for replacement in &replacements {
                if text.get(replacement.bytes.clone()).is_none() {
                    return Err(std::io::Error::other("it changed during the run"));
                }
                text.replace_range(replacement.bytes.clone(), &replacement.text);
            }
            write::replace_durably(file, &text)
        });
        match result {
            Ok(()) => written += replacements.len(),
            Err(error) => {
                to.whole(Code::CannotWrite, format!("cannot write {}: {error}", file.display()))
                    .help("make the file writable, and run again");
            }
        }
    }
    let waiting = replacements.iter().filter(|replacement| replacement.differs).count();
    to.into_result().map(|()| (written, waiting))
}
