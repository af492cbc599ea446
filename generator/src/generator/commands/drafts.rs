//! New operation files: empty ones, and drafts from other descriptions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Generator;
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Family};
use crate::tools::audit::{self, Documents};
use crate::tools::draft::{self, Draft, Source, Wanted};
use crate::{compiler::write, tools::skeleton};

const FAMILY_FILE: &str = "family.yaml";

/// The source of a draft.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DraftSource {
    /// A section of one of the documents in a folder; each document is named after its key in `api.yaml`.
    Section {
        /// The folder.
        folder: PathBuf,
        /// The heading.
        title: String,
    },
    /// Every section of the documents in a folder that describes an operation which the schema does not have.
    Sections(PathBuf),
    /// An OpenAPI file of version 3 or 2, as JSON or YAML.
    OpenApi(PathBuf),
    /// Recorded calls: HAR 1.2, or the journal of a local exchange as JSON lines.
    Recording(PathBuf),
}

/// The result of drafting.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Drafted {
    /// The operation files, and `types.yaml` if types were added to it.
    pub written: Vec<PathBuf>,
    /// The new types, such as `enum Side`.
    pub types: Vec<String>,
    /// Operations that the schema already has, and what was skipped, with the reason.
    pub left_out: Vec<String>,
    /// Places of the source that were not read and belong to no operation.
    pub unread: Vec<String>,
    /// The numbers of statements of the source that were read, left a key empty and were not read; `None` if they were
    /// not counted.
    pub statements: Option<(usize, usize, usize)>,
}

impl Generator {
    /// Writes the `family.yaml` of a new family, and returns its path, if the schema has no families, or if a folder
    /// with this name exists without one. Otherwise nothing is written.
    ///
    /// # Errors
    /// Fails if the name is not valid for a family, or if the file cannot be written.
    pub fn new_family(&self, family: &str) -> Result<Option<PathBuf>, Diagnostics> {
        let schema = self.schema_folder();
        let has_family = |folder: &Path| folder.join(FAMILY_FILE).exists();
        let folder = schema.join(family);
        let folders = std::fs::read_dir(schema).into_iter().flatten().flatten();
        let is_first = schema.join("api.yaml").exists() && !folders.into_iter().any(|entry| has_family(&entry.path()));
        if has_family(&folder) || !folder.is_dir() && !is_first {
            return Ok(None);
        }
        let path = folder.join(FAMILY_FILE);
        let text = skeleton::new_family(family)?;
        write::create_with_folders(&path, &text).map(|()| Some(path))
    }

    /// Writes the file of a new operation, and returns its path. Unknown values are left empty, so the schema has
    /// mistakes until they are filled in; mistakes that it already has do not matter.
    ///
    /// # Errors
    /// Fails if the family does not exist, or if the file already does.
    pub fn new_operation(&self, family: &str, operation: &str) -> Result<PathBuf, Diagnostics> {
        let text = skeleton::operation(&self.read_partly()?.0, family, operation)?;
        let path = self.schema_folder().join(family).join(format!("{operation}.yaml"));
        write::create(&path, &text).map(|()| path)
    }

    /// Writes operation files from another description, and lists them. What it does not state is left empty, so the
    /// schema has mistakes until a person fills it in; mistakes that it already has do not matter.
    /// Types that the family lacks are added to its `types.yaml`.
    ///
    /// # Errors
    /// Fails if the family does not exist, if the source cannot be read or does not have the operation, or if a file
    /// already exists.
    pub fn draft(&self, family: &str, source: &DraftSource) -> Result<Drafted, Diagnostics> {
        self.draft_only(family, source, &[])
    }

    /// Drafts as [`Generator::draft`] does, for the operations of an OpenAPI file or a recording with one of these
    /// paths, tags or ids; a path also stands for those below it.
    ///
    /// # Errors
    /// Fails like [`Generator::draft`], and if the source has no such operation.
    pub fn draft_only(&self, family: &str, source: &DraftSource, only: &[String]) -> Result<Drafted, Diagnostics> {
        let (api, _) = self.read_partly()?;
        let family = skeleton::family(&api, family)?;
        let wanted = Wanted(only.to_vec());
        let found = without_known(&api, drafts(&api, family, source, &wanted)?);
        if found.drafts.is_empty() && found.left_out.is_empty() && !only.is_empty() {
            let mut to = Diagnostics::default();
            to.whole(Code::UndefinedName, format!("the source has no operation of {}", only.join(", ")))
                .help("name a path of the file, or a tag or an id of an operation, as the file spells it");
            return Err(to);
        }
        let files = draft::files(&found.drafts, &api, family);
        let folder = self.schema_folder().join(&family.name);
        let types = new_types(&folder, &files)?;
        let mut written = Vec::new();
        for (name, text) in &files.operations {
            let path = folder.join(format!("{name}.yaml"));
            write::create(&path, text)?;
            written.push(path);
        }
        written.extend(write::replace_stale(&folder, &types)?);
        written.extend(self.add_reviewed(&folder, &found.sections)?);
        if let Some(credentials) = &found.credentials {
            written.extend(self.add_credentials(credentials)?);
        }
        let statements = found.tally.map(|tally| (tally.read, tally.left_empty, tally.not_read));
        let (left_out, unread) = (found.left_out, found.unread);
        Ok(Drafted { written, types: files.types.names(), left_out, unread, statements })
    }

    /// Adds the sections that belong to no operation to the file of a family which lists none.
    fn add_reviewed(&self, folder: &Path, sections: &[(String, String)]) -> Result<Vec<PathBuf>, Diagnostics> {
        let Ok(text) = std::fs::read_to_string(folder.join(FAMILY_FILE)) else { return Ok(Vec::new()) };
        let text = draft::add_reviewed(&text, sections);
        write::replace_stale(folder, &BTreeMap::from([(FAMILY_FILE.to_owned(), text)]))
    }

    /// Adds the key `credentials` to `api.yaml`, which has none.
    fn add_credentials(&self, credentials: &str) -> Result<Vec<PathBuf>, Diagnostics> {
        const FILE: &str = "api.yaml";
        let path = self.schema_folder().join(FILE);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let mut to = Diagnostics::default();
            to.whole(Code::CannotRead, format!("cannot read {}: {error}", path.display()))
                .help("the source states credentials, which belong there");
            to
        })?;
        let text = format!("{}\ncredentials: {credentials}\n", text.trim_end());
        write::replace_stale(self.schema_folder(), &BTreeMap::from([(FILE.to_owned(), text)]))
    }

    /// Returns the facts of the schema, as in [`Schema::facts`](crate::Schema::facts), as far as it can be read; of a
    /// draft, those that are already stated.
    ///
    /// # Errors
    /// Fails if nothing of the schema can be read.
    pub fn facts_as_read(&self) -> Result<Vec<String>, Diagnostics> {
        let (api, _) = self.read_partly()?;
        Ok(api.facts().map(|(fact, _)| fact.line()).collect())
    }
}

/// Returns the drafts of a source, and what was skipped in it.
fn drafts(api: &Api, family: &Family, source: &DraftSource, wanted: &Wanted) -> Result<Source, Diagnostics> {
    match source {
        DraftSource::Section { folder, title } => {
            audit::drafts(api, family, &Documents::read(api, folder)?, Some(title))
        }
        DraftSource::Sections(folder) => audit::drafts(api, family, &Documents::read(api, folder)?, None),
        DraftSource::OpenApi(path) => draft::openapi::drafts(api, path, wanted),
        DraftSource::Recording(path) => draft::recording::drafts(api, path, wanted),
    }
}

/// Leaves out operations that the schema has, and those with the address of another draft: the same method and path,
/// whatever the path parameters are called.
fn without_known(api: &Api, found: Source) -> Source {
    let (mut new, mut left_out): (Vec<Draft>, _) = (Vec::new(), found.left_out);
    for draft in found.drafts {
        let address = |draft: &Draft| (draft.method.clone(), draft::shape(&draft.path), draft.call.clone());
        let is_same = |other: &&Draft| address(other) == address(&draft);
        let is_section = draft.source.is_some();
        match (draft::known_as(api, &draft.method, &draft.path, draft.call.as_deref()), new.iter().find(is_same)) {
            (Some(id), _) if !is_section => {
                left_out.push(format!("{} {}: the schema has it as {id}", draft.method, draft.path))
            }
            (_, Some(other)) => {
                left_out.push(format!("{} {}: it has the address of {}", draft.method, draft.path, other.path));
            }
            _ => new.push(draft),
        }
    }
    Source { drafts: new, left_out, ..found }
}

/// Returns `types.yaml` with the new types added; empty if there are none.
fn new_types(folder: &Path, files: &draft::Files) -> Result<BTreeMap<String, String>, Diagnostics> {
    if files.types.names().is_empty() {
        return Ok(BTreeMap::new());
    }
    let name = "types.yaml";
    let text = match std::fs::read_to_string(folder.join(name)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => draft::NO_TYPES.to_owned(),
        Err(error) => {
            let mut to = Diagnostics::default();
            to.whole(Code::CannotRead, format!("cannot read {}: {error}", folder.join(name).display()))
                .help("the new operations need types there");
            return Err(to);
        }
    };
    match draft::add_types(&text, &files.types) {
        Ok(text) => Ok(BTreeMap::from([(name.to_owned(), text)])),
        Err(key) => {
            let mut to = Diagnostics::default();
            let path = folder.join(name);
            to.whole(
                Code::CannotWrite,
                format!("cannot add types to {}: `{key}` is written on one line", path.display()),
            )
            .help("write each of its types on a line of its own, indented below the key");
            Err(to)
        }
    }
}
