//! A schema that is being written, compared with documents before it is complete.

use std::path::{Path, PathBuf};

use super::super::{Generator, Schema};
use crate::compiler::check;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::load::{self, Reading, Sources};
use crate::compiler::model::{self, Api};
use crate::tools::audit::{Audit, Documents};

/// A schema with empty keys or other mistakes, of which the rest is compared with documents.
pub struct Unfinished {
    schema: Schema,
    /// The files with mistakes.
    files: Vec<PathBuf>,
}

impl Generator {
    /// Reads a schema as far as possible, so that its documents can be followed before every draft is filled in.
    ///
    /// # Errors
    /// Fails if nothing of the schema can be read.
    pub fn read_unfinished(&self) -> Result<Unfinished, Diagnostics> {
        let (api, mut mistakes) = self.read_partly()?;
        check::check(&api, &mut mistakes);
        let all = mistakes.files().to_vec();
        let files = mistakes.mistaken_files().into_iter().filter_map(|file| all.get(file as usize).cloned()).collect();
        Ok(Unfinished { schema: Schema { api, files: all, cases: super::Cases::default() }, files })
    }
}

impl Generator {
    /// Reads the schema, even if it has mistakes, and returns them.
    pub(super) fn read_partly(&self) -> Result<(Api, Diagnostics), Diagnostics> {
        let mut mistakes = Diagnostics::default();
        let folder = self.schema_folder();
        let sources = Sources::read(folder, folder, &mut mistakes);
        let documents = load::load(sources, folder, Reading::default(), &mut mistakes);
        let api = model::of(documents, &mut mistakes);
        if api.families.is_empty() { Err(mistakes) } else { Ok((api, mistakes)) }
    }
}

impl Unfinished {
    /// Reads the documents of a folder, as [`Schema::documents`] does.
    ///
    /// # Errors
    /// Returns the documents that cannot be read.
    pub fn documents(&self, folder: &Path) -> Result<Documents, Diagnostics> {
        self.schema.documents(folder)
    }

    /// Reads the documents of a folder as of a revision, as [`Schema::documents_at`] does.
    ///
    /// # Errors
    /// Fails if the revision or a document cannot be read.
    pub fn documents_at(&self, folder: &Path, revision: &str) -> Result<Documents, Diagnostics> {
        self.schema.documents_at(folder, revision)
    }

    /// Compares documents with what was read, as [`Schema::audit`] does. The report names the unfinished files.
    pub fn audit(&self, documents: &Documents, were: &Documents) -> Audit {
        self.schema.audit(documents, were).with_unfinished(&self.files)
    }
}
