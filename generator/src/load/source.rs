//! Bytes on disk -> text that the YAML reader may see.

use std::path::{Path, PathBuf};

use crate::diagnostics::{Code, Diagnostics, Place};

/// Files larger than this are no hand-written schema.
const MAX_BYTES: u64 = 16 << 20;

/// One schema file, named relative to the schema folder.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) file: u32,
    /// The path below the schema folder, its parts joined with `/`.
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Source {
    /// A place that stands for the whole file.
    pub(crate) fn top(&self) -> Place {
        Place { file: self.file, line: 1, column: 1, start: 0, end: 0 }
    }

    /// The place of one character, for readers that count no bytes.
    pub(crate) fn at(&self, line: usize, column: usize) -> Place {
        let before: usize = self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let rest = &self.text[before..];
        let within: usize = rest.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        place_after(self.file, &self.text[..before + within])
    }
}

/// Every `.yaml` file of the schema folder, in the order of their names.
///
/// `shown` is how the folder is called in messages.
pub(crate) fn read_folder(folder: &Path, shown: &Path, to: &mut Diagnostics) -> Vec<Source> {
    let mut names = Vec::new();
    list(folder, shown, "", &mut names, to);
    names.sort();
    names.into_iter().filter_map(|name| read_file(folder, shown, name, to)).collect()
}

/// The folders and files that make up a schema: what a build script has to watch.
pub(crate) fn watched(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_path_buf()];
    let mut names = Vec::new();
    list(folder, folder, "", &mut names, &mut Diagnostics::default());
    let files = names.iter().map(|name| folder.join(name));
    let families: std::collections::BTreeSet<_> =
        files.clone().filter_map(|file| file.parent().map(Path::to_path_buf)).collect();
    found.extend(families.into_iter().filter(|family| family != folder));
    found.extend(files);
    found
}

fn list(folder: &Path, shown: &Path, below: &str, names: &mut Vec<String>, to: &mut Diagnostics) {
    let entries = match std::fs::read_dir(folder.join(below)) {
        Ok(entries) => entries,
        Err(error) => {
            let at = if below.is_empty() { shown.to_path_buf() } else { shown.join(below) };
            to.whole(Code::CannotRead, format!("cannot read the folder {}: {error}", at.display()))
                .help("name the folder that holds api.yaml and a folder for each family");
            return;
        }
    };
    // Folders list their entries in any order, messages come in one.
    let mut entries: Vec<_> = entries.flatten().map(|entry| (entry.file_name(), entry.path())).collect();
    entries.sort();
    for (name, at) in entries {
        let Some(name) = name.to_str() else {
            to.whole(Code::StrayFile, format!("{at:?} has a name that is not UTF-8")).help("rename it");
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        let extension = at.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if at.is_dir() {
            visit_subfolder(folder, shown, below, path, names, to);
        } else if extension == "yaml" {
            names.push(path);
        } else if ["yaml", "yml"].contains(&extension.to_ascii_lowercase().as_str()) {
            let file = to.add_file(shown.join(&path));
            to.at(Place { file, ..Place::default() }, Code::StrayFile, "schema files end in .yaml")
                .help("rename it, so that it is not left out unseen");
        }
    }
}

fn visit_subfolder(
    folder: &Path,
    shown: &Path,
    below: &str,
    path: String,
    names: &mut Vec<String>,
    to: &mut Diagnostics,
) {
    if below.is_empty() {
        list(folder, shown, &path, names, to);
    } else {
        let file = to.add_file(shown.join(&path));
        to.at(Place { file, ..Place::default() }, Code::StrayFile, "a family has no folders of its own")
            .help("move its files up");
    }
}

fn read_file(folder: &Path, shown: &Path, name: String, to: &mut Diagnostics) -> Option<Source> {
    let file = to.add_file(shown.join(&name));
    let whole = Place { file, ..Place::default() };
    let bytes = match read_bounded(&folder.join(&name)) {
        Ok(bytes) => bytes,
        Err(error) => {
            to.at(whole, Code::CannotRead, format!("the file cannot be read: {error}"))
                .help("see what it is: a schema file is a text of some kilobytes that everyone may read");
            return None;
        }
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            to.keep_text(file, &String::from_utf8_lossy(error.as_bytes()));
            to.at(place_after(file, &before), Code::NotUtf8, "the file is not UTF-8 from here on")
                .help("save it as UTF-8");
            return None;
        }
    };
    to.keep_text(file, &text);
    is_plain_text(file, &text, to).then_some(Source { file, name, text })
}

fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        // Reading a pipe or a device might never end.
        return Err(std::io::Error::other("it is no file"));
    }
    let size = metadata.len();
    if size > MAX_BYTES {
        let reason = format!("it has {size} bytes, a schema file has {MAX_BYTES} at most");
        return Err(std::io::Error::other(reason));
    }
    std::fs::read(path)
}

fn is_plain_text(file: u32, text: &str, to: &mut Diagnostics) -> bool {
    if text.starts_with('\u{feff}') {
        let place = Place { file, line: 1, column: 1, start: 0, end: 3 };
        to.at(place, Code::ByteOrderMark, "the file starts with a byte-order mark")
            .help("save it as UTF-8 without one");
        return false;
    }
    if let Some(at) = text.find('\r') {
        to.at(place_after(file, &text[..at]), Code::CarriageReturn, "the file has a carriage return")
            .help("save it with LF line ends; `* text eol=lf` in .gitattributes keeps it so");
        return false;
    }
    true
}

/// The place of the character that follows `before`.
fn place_after(file: u32, before: &str) -> Place {
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let start = small(before.len());
    Place { file, line: small(line), column: small(column), start, end: start + 1 }
}
