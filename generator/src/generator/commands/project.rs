//! The project around a schema: the files of a new project, and the schema language as JSON Schema (draft 7), which
//! editors use to complete, explain and check schema files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::tools::compare::{Difference, compare};
use crate::{compiler::load, compiler::write, tools::init};

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
