//! A new project.

use std::path::{Path, PathBuf};

use super::editor::write_editor_schemas;
use crate::diagnostics::{Code, Diagnostics};
use crate::{init, write};

/// Writes a new project into a folder, and returns its files: a crate whose build script generates a client
/// from a small schema, with a test that calls it, and CI. The crate has the folder's name unless another is given.
/// `crates` is the folder of this project's sources, for dependencies on a checkout; otherwise they are versions.
///
/// # Errors
/// Fails if the folder has files in it, if cargo does not accept the name, or if a file cannot be written.
pub fn init_project(folder: &Path, name: Option<&str>, crates: Option<&Path>) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut to = Diagnostics::default();
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let name = init::crate_name(&absolute, name)?;
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        to.whole(Code::CannotWrite, format!("{} is not empty", folder.display())).help("name a new folder");
        return Err(to);
    }
    let crates = crates.map(|crates| std::path::absolute(crates).unwrap_or_else(|_| crates.to_owned()));
    if let Some(crates) = crates.as_ref().filter(|crates| !crates.join("generator/runtime/Cargo.toml").is_file()) {
        to.whole(Code::MissingFile, format!("{} does not have the sources of tradeapi-gen", crates.display()))
            .help("name the folder that holds `generator/` and `generator/runtime/`");
        return Err(to);
    }
    let mut written = Vec::new();
    for (name, text) in init::files(&name, crates.as_deref()) {
        let path = folder.join(name);
        write::create_with_folders(&path, &text)?;
        written.push(path);
    }
    written.extend(write_editor_schemas(&folder.join("schema/.schema"))?);
    Ok(written)
}
