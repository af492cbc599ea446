//! The part of the entry point that only the command line asks for: revisions, comparisons, drafts, projects, tables
//! and pages.

mod drafts;
mod schema;

pub use drafts::{DraftSource, Drafted};
pub use schema::SiteOptions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Generator, Schema, Strictness, read};
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::load::{self, Reading, Sources};
use crate::compiler::model::{self, Api};
use crate::compiler::{check, emit, write};
use crate::tools::audit::{Audit, Documents};
use crate::tools::compare::{Difference, compare};
use crate::tools::{init, revision, rules};

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
        compare(&self.out_folder()?, &self.files(&schema)?, &write::RUST)
    }

    fn files(&self, schema: &Schema) -> Result<BTreeMap<String, String>, Diagnostics> {
        Ok(emit::emit(self.selection.of(&schema.api)?.as_ref(), self.layout))
    }
}

/// Writes a new project into a folder, and returns its files: a crate whose build script generates a client
/// from a small schema, with a test that calls it, and CI. The crate has the folder's name unless another is given.
/// `crates` is the folder of this project's sources, which the crate depends on, unless `git` is the address of a
/// repository of them.
///
/// # Errors
/// Fails if the folder has files in it, if cargo does not accept the name, or if a file cannot be written.
pub fn init_project(
    folder: &Path,
    name: Option<&str>,
    crates: &Path,
    git: Option<&str>,
) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut to = Diagnostics::default();
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let name = init::crate_name(&absolute, name)?;
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        to.whole(Code::CannotWrite, format!("{} is not empty", folder.display())).help("name a new folder");
        return Err(to);
    }
    let crates = std::path::absolute(crates).unwrap_or_else(|_| crates.to_owned());
    if !crates.join("generator/runtime/Cargo.toml").is_file() {
        to.whole(Code::MissingFile, format!("{} does not have the sources of tradeapi-gen", crates.display()))
            .help("name the folder that holds `generator/` and `generator/runtime/`");
        return Err(to);
    }
    let mut written = Vec::new();
    for (name, text) in init::files(&name, &crates, git) {
        let path = folder.join(name);
        write::create_with_folders(&path, &text)?;
        written.push(path);
    }
    written.extend(write_editor_schemas(&folder.join("schema/.schema"))?);
    Ok(written)
}

/// Returns the JSON Schema of each kind of schema file, by file name.
pub fn editor_schemas() -> BTreeMap<String, String> {
    load::editor::files()
}

/// Writes [`editor_schemas`] into a folder, and the tables of keys into the Markdown files of the folder that contains it,
/// between marks such as `<!-- keys of Field -->` and `<!-- end of keys -->`. Returns which files changed.
///
/// # Errors
/// Fails if a file cannot be read or written, or if a mark names a mapping that the language does not have.
pub fn write_editor_schemas(folder: &Path) -> Result<Vec<PathBuf>, Diagnostics> {
    let (schema, pages) = pages(folder)?;
    let mut written = write::replace_stale(folder, &editor_schemas())?;
    written.extend(write::replace_stale(&schema, &pages)?);
    Ok(written)
}

/// Returns what [`write_editor_schemas`] would change; writes nothing.
///
/// # Errors
/// Fails if a file cannot be read, or if a mark names a mapping that the language does not have.
pub fn compare_editor_schemas(folder: &Path) -> Result<Vec<Difference>, Diagnostics> {
    let (schema, pages) = pages(folder)?;
    let mut differences = compare(folder, &editor_schemas(), &write::RUST)?;
    differences.extend(compare(&schema, &pages, &write::RUST)?);
    Ok(differences)
}

/// Returns the folder around that of the JSON Schemas, and its Markdown files with their tables of keys.
fn pages(folder: &Path) -> Result<(PathBuf, BTreeMap<String, String>), Diagnostics> {
    let schema = folder.parent().unwrap_or(Path::new("")).to_owned();
    let Ok(entries) = std::fs::read_dir(&schema) else { return Ok((schema, BTreeMap::new())) };
    let (mut pages, mut to) = (BTreeMap::new(), Diagnostics::default());
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some("md".as_ref())) {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match load::editor::with_tables(&text) {
            Ok(text) => drop(pages.insert(name.to_owned(), text)),
            Err(mapping) => drop(
                to.whole(Code::UndefinedName, format!("no table of keys for `{mapping}` in {}", path.display()))
                    .help("name a mapping of the JSON Schemas, and end the table with `<!-- end of keys -->`"),
            ),
        }
    }
    to.into_result()?;
    Ok((schema, pages))
}

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
        Ok(Unfinished { schema: Schema { api, files: all, cases: Cases::default() }, files })
    }
}

impl Generator {
    /// Reads the schema, even if it has mistakes, and returns them.
    fn read_partly(&self) -> Result<(Api, Diagnostics), Diagnostics> {
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
