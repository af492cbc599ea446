//! Reads files into raw documents with positions.
//!
//! `granit-parser` gives events with positions, because a mistake must have a line and a column. Every command has
//! `serde_yaml` read each file as well, so that the schema means the same to every YAML tool; build scripts are
//! compiled without it. CRLF and byte-order marks are errors, so that a schema has one byte form.

pub(crate) mod declared;
#[cfg(feature = "cli")]
mod describe;
#[cfg(feature = "cli")]
pub(crate) mod editor;
pub(crate) mod raw;
mod shapes;
mod source;
mod syntax;
mod tree;
mod typed;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) use shapes::{Conditions, Named, Short, Spanned, Text, Texts, WordOr};
pub(crate) use source::Remembered;
pub(crate) use source::watched;

use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use source::SchemaFile;

/// The whole schema as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents {
    pub(crate) api: raw::Api,
    /// A place that stands for `api.yaml` as a whole.
    pub(crate) api_place: Place,
    /// True if `api.yaml` exists and was read without a mistake, so that a key that is absent was left out on purpose.
    pub(crate) api_is_sound: bool,
    /// `codes.yaml`, which is optional.
    pub(crate) codes: raw::Codes,
    pub(crate) families: Vec<FamilyDocuments>,
    /// True if some file could not be read, so that an unknown name may be defined there.
    pub(crate) incomplete: bool,
}

/// The files of one folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct FamilyDocuments {
    /// The folder's name.
    pub(crate) folder: String,
    /// A place that stands for the family if there is no more precise one.
    pub(crate) place: Place,
    /// The path of its `types.yaml` in messages.
    pub(crate) types_path: PathBuf,
    /// The files that every operation of the family depends on.
    pub(crate) shared_files: Vec<u32>,
    pub(crate) family: raw::Family,
    pub(crate) types: raw::Types,
    /// The operation files: the name without `.yaml`, a place for the whole file, and its content.
    pub(crate) operations: Vec<(String, Place, raw::Operation)>,
}

/// The files of a schema as they are on disk.
#[derive(Debug)]
pub(crate) struct Sources {
    all: Vec<SchemaFile>,
    /// True if every file exists and is text.
    pub(crate) are_sound: bool,
}

impl Sources {
    /// Finds and reads the files of a folder, which messages call `shown`.
    pub(crate) fn read(folder: &Path, shown: &Path, to: &mut Diagnostics) -> Self {
        let before = to.len();
        let all = source::read_folder(folder, shown, to);
        Self { all, are_sound: to.len() == before }
    }

    /// Returns the names of the files with their contents.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all.iter().map(|source| (source.name.as_str(), &*source.text))
    }
}

/// Another reader of YAML, which has to accept a file, too. It returns why it does not, with the line and the column.
pub(crate) type SecondReader = fn(&str) -> Result<(), (String, Option<(usize, usize)>)>;

/// The way files are read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading<'a> {
    pub(crate) second: Option<SecondReader>,
    /// The files that need not be parsed if they are as they were; these readers have accepted them.
    pub(crate) remembered: Option<&'a Remembered>,
}

/// Reads the files of a schema, whose folder messages call `shown`.
pub(crate) fn load(sources: Sources, shown: &Path, reading: Reading<'_>, to: &mut Diagnostics) -> Documents {
    let Sources { all: sources, are_sound: found_all } = sources;
    let mut documents = Documents { incomplete: !found_all, ..Documents::default() };
    if !found_all && sources.is_empty() {
        return documents;
    }
    let mut folders: BTreeMap<&str, Vec<&SchemaFile>> = BTreeMap::new();
    let mut api = None;
    for source in &sources {
        match source.name.split_once('/') {
            Some((folder, _)) => folders.entry(folder).or_default().push(source),
            None if source.name == "api.yaml" => api = Some(source),
            None if source.name == "codes.yaml" => {
                documents.codes = read(source, reading, &mut documents.incomplete, to).unwrap_or_default();
            }
            None => {
                to.at(source.top(), Code::StrayFile, "unexpected file: only api.yaml and codes.yaml belong here")
                    .help("move the file into the folder of its family");
            }
        }
    }
    match api {
        Some(source) if source::refuses(source, to) => {
            documents.incomplete = true;
            return documents;
        }
        Some(source) => {
            let before = to.len();
            documents.api = read(source, reading, &mut documents.incomplete, to).unwrap_or_default();
            documents.api_place = source.top();
            documents.api_is_sound = to.len() == before;
        }
        // It may exist without being text.
        None if is_there("api.yaml", shown, to) => documents.incomplete = true,
        None => {
            to.whole(Code::MissingFile, format!("missing file {}", shown.join("api.yaml").display()))
                .help("add it, with the documents and what all families share");
            to.note_missing(shown.join("api.yaml"));
            documents.incomplete = true;
        }
    }
    if folders.is_empty() && found_all {
        to.whole(Code::MissingFile, format!("{} has no families", shown.display())).help(
            "add a folder for each part of the API, with a family.yaml, a types.yaml and a file for each operation",
        );
    }
    documents.families = folders
        .into_iter()
        .map(|(folder, sources)| family(folder, shown, &sources, reading, &mut documents.incomplete, to))
        .collect();
    name_families(&mut documents, &sources, to);
    documents
}

/// Gives families the names that they state where no other file names their folders, so that a folder with another name
/// is one mistake. A copy of a folder is left out.
fn name_families(documents: &mut Documents, sources: &[SchemaFile], to: &mut Diagnostics) {
    let folders: Vec<String> = documents.families.iter().map(|family| family.folder.clone()).collect();
    documents.families.retain_mut(|family| {
        let Some(name) = family.family.family.as_ref().filter(|name| name.value != family.folder) else { return true };
        let says = format!("the family is named `{}`, but its folder `{}`", name.value, family.folder);
        if folders.contains(&name.value) {
            to.at(name.place, Code::WrongName, says).help("name a copy as its folder, or remove it");
            return false;
        }
        to.later(name.place, Code::WrongName, says).help("use the same name for both");
        let others = sources.iter().filter(|source| !source.name.starts_with(&format!("{}/", family.folder)));
        if !others.into_iter().any(|other| other.text.contains(&family.folder)) {
            family.folder.clone_from(&name.value);
        }
        true
    });
    documents.incomplete |= documents.families.len() < folders.len();
}

/// Gives operations the names that they state where no other file names theirs, so that a file with another name is one
/// mistake. A copy of a file, with its path, is left out.
fn name_operations(family: &mut FamilyDocuments, sources: &[&SchemaFile], to: &mut Diagnostics) {
    let http = |operation: &raw::Operation| operation.http.as_ref().map(|http| http.value.clone());
    let files = family.operations.iter().map(|(file, place, own)| (file.clone(), (*place, http(own))));
    let files: BTreeMap<String, (Place, Option<String>)> = files.collect();
    family.operations.retain_mut(|(file, place, operation)| {
        let Some(name) = operation.operation.as_ref().filter(|name| name.value != *file) else { return true };
        let says = format!("the operation is named `{}`, but its file {file}.yaml", name.value);
        let other = files.get(&name.value);
        if let Some((first, _)) = other.filter(|(_, other)| *other == http(operation)) {
            to.at(name.place, Code::WrongName, says)
                .related(*first, "the file of this name")
                .help("give a copy the name of its file, a title and a path of its own, or remove it");
            return false;
        }
        to.later(name.place, Code::WrongName, says).help("use the same name for both");
        let mut others = sources.iter().filter(|source| source.file != place.file);
        if other.is_none() && !others.any(|other| other.text.contains(file.as_str())) {
            file.clone_from(&name.value);
        }
        true
    });
}

/// The files that the operations of a family share, each with keys that no operation has.
const SHARED: [(&str, &[&str]); 2] =
    [("family.yaml", &["family", "numbers"]), ("types.yaml", &["enums", "identifiers", "choices", "records"])];

/// Returns whether a file with another name has the keys of a shared one, and no operation.
fn has_keys_of(text: &str, keys: &[&str]) -> bool {
    let has = |key: &str| text.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
    keys.iter().any(|key| has(key)) && !has("operation") && !has("http")
}

fn family(
    folder: &str,
    shown: &Path,
    sources: &[&SchemaFile],
    reading: Reading<'_>,
    incomplete: &mut bool,
    to: &mut Diagnostics,
) -> FamilyDocuments {
    let types_path = shown.join(folder).join("types.yaml");
    // Almost all files are operations, which are large.
    let operations = Vec::with_capacity(sources.len());
    let mut family =
        FamilyDocuments { folder: folder.to_owned(), types_path, operations, ..FamilyDocuments::default() };
    family.place = sources.first().map(|source| source.top()).unwrap_or_default();
    let mut has_family_file = false;
    let names: Vec<&str> = sources.iter().map(|source| source.name.rsplit('/').next().unwrap_or_default()).collect();
    for (source, file) in sources.iter().zip(&names) {
        let name = file.strip_suffix(".yaml").unwrap_or(file);
        let meant = SHARED.iter().find(|(own, keys)| !names.contains(own) && has_keys_of(&source.text, keys));
        if let Some((meant, _)) = meant {
            let says = format!("the file has the keys of {meant}, but its name is {file}");
            to.later(source.top(), Code::WrongName, says).help(format!("rename it to {meant}"));
        }
        match meant.map_or(name, |(meant, _)| meant.trim_end_matches(".yaml")) {
            "family" => {
                has_family_file = true;
                family.shared_files.push(source.file);
                family.place = source.top();
                family.family = read(source, reading, incomplete, to).unwrap_or_default();
            }
            "types" => {
                family.shared_files.push(source.file);
                family.types = read(source, reading, incomplete, to).unwrap_or_default();
            }
            name => {
                let operation = read(source, reading, incomplete, to);
                family.operations.extend(operation.map(|operation| (name.to_owned(), source.top(), operation)));
            }
        }
    }
    let name = format!("{folder}/family.yaml");
    if !has_family_file && is_there(&name, shown, to) {
        *incomplete = true;
    } else if !has_family_file {
        let path = shown.join(name);
        to.whole(Code::MissingFile, format!("missing file {}", path.display()))
            .help("add it, with what the operations of the family share");
        to.note_missing(path);
        *incomplete = true;
    }
    let count = family.operations.len();
    name_operations(&mut family, sources, to);
    *incomplete |= family.operations.len() < count;
    family
}

/// Returns whether a file exists, readable or not.
fn is_there(name: &str, shown: &Path, to: &Diagnostics) -> bool {
    to.files().contains(&shown.join(name))
}

fn read<T: typed::Read + Clone + Send + Sync + 'static>(
    source: &SchemaFile,
    reading: Reading<'_>,
    incomplete: &mut bool,
    to: &mut Diagnostics,
) -> Option<T> {
    if let Some(known) = reading.remembered.and_then(|remembered| remembered.get(source)) {
        return Some(known);
    }
    let before = to.extent();
    let document = tree::parse(source, reading.second, to);
    *incomplete |= document.as_ref().is_none_or(|document| !document.is_whole);
    let value = document.and_then(|document| typed::read::<T>(&document.root, to));
    *incomplete |= value.is_none();
    if let (Some(remembered), Some(value)) = (reading.remembered, &value)
        && to.extent() == before
    {
        remembered.put(source, value.clone());
    }
    value
}
