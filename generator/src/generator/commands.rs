//! The part of the entry point that only the command line asks for: revisions, comparisons, drafts, projects, tables
//! and pages.

mod drafts;
mod project;
mod schema;
mod unfinished;

pub use drafts::{DraftSource, Drafted};
pub use project::{compare_editor_schemas, editor_schemas, init_project, write_editor_schemas};
pub use schema::SiteOptions;
pub use unfinished::Unfinished;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::{Generator, Schema, Strictness, read};
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::{emit, write};
use crate::tools::{compare, revision, rules};

/// The cases of the rules of a schema, once they are needed: finding them takes longer than all else.
pub(super) type Cases = OnceLock<Vec<rules::Case>>;

/// A second reader of YAML, and the interpreter of the rules.
pub(super) const STRICTNESS: Strictness = Strictness { second: Some(read_again), check: rules::check };

/// Reads a file as another YAML tool does, so that the schema means the same to all of them. The error says why the file
/// cannot be read, with the line and the column.
fn read_again(text: &str) -> Result<(), (String, Option<(usize, usize)>)> {
    let read = serde_yaml::from_str::<serde::de::IgnoredAny>(text);
    read.map(drop).map_err(|error| (error.to_string(), error.location().map(|at| (at.line(), at.column()))))
}

impl Generator {
    /// Reads and checks the schema as of a revision of the git repository that contains its folder.
    ///
    /// # Errors
    /// Fails if the revision cannot be read; otherwise, returns all mistakes that the schema had then.
    pub fn read_at(&self, revision: &str) -> Result<Schema, Diagnostics> {
        let folder = self.schema_folder();
        let copy = revision::copy(folder, revision)?;
        read(copy.path(), &PathBuf::from(format!("{revision}:{}", folder.display())), self.reading())
    }

    /// Returns what [`Generator::generate`] would change; writes nothing.
    ///
    /// # Errors
    /// Returns all mistakes of the schema, or the file that cannot be read.
    pub fn compare(&self) -> Result<Vec<crate::Difference>, Diagnostics> {
        let schema = self.read()?;
        compare::compare(&self.out_folder()?, &self.files(&schema)?, &write::RUST)
    }

    fn files(&self, schema: &Schema) -> Result<BTreeMap<String, String>, Diagnostics> {
        Ok(emit::emit(self.selection.of(&schema.api)?.as_ref(), self.layout))
    }
}
