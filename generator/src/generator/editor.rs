//! The schema language as JSON Schema (draft 7), from which editors complete, explain and check schema files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compare::{Difference, compare};
use crate::diagnostics::Diagnostics;
use crate::{load, write};

/// The JSON Schema of each kind of schema file, by the name of its own file.
pub fn editor_schemas() -> BTreeMap<String, String> {
    load::editor::files()
}

/// Writes [`editor_schemas`] into a folder, and returns which files changed.
///
/// # Errors
/// Fails if a file cannot be written.
pub fn write_editor_schemas(folder: &Path) -> Result<Vec<PathBuf>, Diagnostics> {
    write::replace_stale(folder, &editor_schemas())
}

/// What [`write_editor_schemas`] would change; writes nothing.
///
/// # Errors
/// Fails if a file cannot be read.
pub fn compare_editor_schemas(folder: &Path) -> Result<Vec<Difference>, Diagnostics> {
    compare(folder, &editor_schemas(), &crate::write::RUST)
}
