//! Reads bytes from disk and checks that they are text fit for the YAML reader, in the version of the schema language
//! that the generator reads; remembers files for generators that read a schema again.
//!
//! The version changes when a valid schema would be refused or change its meaning, not when words are added. It is read
//! first, because every other mistake in a file of another version would mislead.

use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::compiler::diagnostics::{Code, Diagnostics, Place, is_invisible};
use crate::compiler::plain_text::utf_16;

/// Names that Windows reserves for devices, with any extension.
const DEVICES: [&str; 22] = [
    "aux", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "lpt1", "lpt2", "lpt3",
    "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];

/// The maximum length of a file or folder name, which every file system allows together with an extension.
const MAX_NAME: usize = 100;

/// The maximum size of a file; hand-written files are much smaller.
const MAX_BYTES: u64 = 16 << 20;

/// One schema file, named relative to the schema folder.
#[derive(Clone, Debug)]
pub(crate) struct SchemaFile {
    pub(crate) file: u32,
    /// The path below the schema folder, its parts joined with `/`.
    pub(crate) name: String,
    /// Shared with the diagnostics, which show it.
    pub(crate) text: Arc<str>,
}

impl SchemaFile {
    /// Returns a place that stands for the whole file.
    pub(crate) fn top(&self) -> Place {
        Place { file: self.file, line: 1, column: 1, start: 0, end: 0 }
    }

    /// Returns the place of the character at a byte offset of the text.
    pub(crate) fn at_byte(&self, offset: usize) -> Place {
        place_after(self.file, self.text.get(..offset).unwrap_or(&self.text))
    }

    /// Returns the place of one character, for readers that do not count bytes.
    pub(crate) fn at(&self, line: usize, column: usize) -> Place {
        let before: usize = self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let rest = &self.text[before..];
        let within: usize = rest.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        place_after(self.file, &self.text[..before + within])
    }
}

/// Returns every `.yaml` file of the schema folder, sorted by name.
///
/// `shown` is the name of the folder in messages.
pub(crate) fn read_folder(folder: &Path, shown: &Path, to: &mut Diagnostics) -> Vec<SchemaFile> {
    let mut names = Vec::new();
    list(folder, shown, "", &mut names, to);
    names.sort();
    names.into_iter().filter_map(|name| read_file(folder, shown, name, to)).collect()
}

/// Returns the folders and files of a schema, which a build script has to watch.
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
    // A folder lists its entries in any order; messages need a fixed one.
    let mut entries: Vec<_> = entries.flatten().map(|entry| (entry.file_name(), entry.path())).collect();
    entries.sort();
    let mut lower: HashMap<String, String> = HashMap::new();
    for (name, at) in entries {
        let Some(name) = name.to_str() else {
            to.whole(Code::StrayFile, format!("the file name {at:?} is not UTF-8")).help("rename it");
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        let extension = at.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !at.is_dir() && !["yaml", "yml"].contains(&extension.to_ascii_lowercase().as_str()) {
            continue;
        }
        let twin = lower.insert(name.to_lowercase(), path.clone());
        if let Some((why, help)) = why_not_portable(name, twin).or_else(|| leaves_schema(folder, &at)) {
            let file = to.add_file(shown.join(&path));
            to.at(Place::of_file(file), Code::WrongName, why).help(help);
        } else if at.is_dir() {
            visit_subfolder(folder, shown, below, path, names, to);
        } else if extension == "yaml" {
            names.push(path);
        } else {
            let file = to.add_file(shown.join(&path));
            to.at(Place::of_file(file), Code::StrayFile, "unexpected file extension: schema files end in .yaml")
                .help("rename it; otherwise it is not read");
        }
    }
}

/// Returns why a name is not a valid file name on every system, with help.
fn why_not_portable(name: &str, twin: Option<String>) -> Option<(String, &'static str)> {
    let stem = name.split('.').next().unwrap_or_default();
    if DEVICES.contains(&stem.to_ascii_lowercase().as_str()) {
        return Some((format!("invalid file name `{name}`: Windows reserves `{stem}`"), "rename it"));
    }
    if let Some(c) = name.chars().find(|c| is_invisible(*c) || "<>:\"/\\|?*".contains(*c)) {
        return Some((format!("invalid file name `{name}`: Windows does not allow {c:?}"), "rename it"));
    }
    if name.len() > MAX_NAME {
        return Some((format!("invalid file name: more than {MAX_NAME} bytes"), "rename it"));
    }
    let why = |twin| format!("the name differs from {twin} in case only, which some file systems ignore");
    twin.map(|twin| (why(twin), "rename one of them"))
}

/// Returns why a link is not followed: its target does not belong to the schema.
fn leaves_schema(folder: &Path, at: &Path) -> Option<(String, &'static str)> {
    let is_link = std::fs::symlink_metadata(at).is_ok_and(|metadata| metadata.is_symlink());
    let target = at.canonicalize().ok().filter(|_| is_link)?;
    let is_inside = folder.canonicalize().is_ok_and(|folder| target.starts_with(folder));
    if !is_inside {
        return Some(("the link leads out of the schema folder".to_owned(), "copy what it leads to into the schema"));
    }
    let what = match (at.is_dir(), is_schema_file(&target)) {
        (true, _) => "folder",
        (false, true) => "file",
        (false, false) => return None,
    };
    Some((format!("the link leads to a {what} of the schema, which would be read twice"), "remove it"))
}

/// Returns whether a file has a name under which it is read.
fn is_schema_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".yaml") && !name.starts_with('.')
}

fn visit_subfolder(
    folder: &Path,
    shown: &Path,
    below: &str,
    path: String,
    names: &mut Vec<String>,
    to: &mut Diagnostics,
) {
    if below.is_empty() && !is_schema_file(Path::new(&path)) {
        list(folder, shown, &path, names, to);
    } else if below.is_empty() {
        let file = to.add_file(shown.join(&path));
        to.at(Place::of_file(file), Code::StrayFile, format!("`{path}` is a folder"))
            .help("rename the folder: only files end in .yaml");
    } else {
        let file = to.add_file(shown.join(&path));
        to.at(Place::of_file(file), Code::StrayFile, "unexpected folder: a family has no subfolders")
            .help("move its files into the folder of the family");
    }
}

fn read_file(folder: &Path, shown: &Path, name: String, to: &mut Diagnostics) -> Option<SchemaFile> {
    let file = to.add_file(shown.join(&name));
    let whole = Place::of_file(file);
    let bytes = match read_bounded(&folder.join(&name)) {
        Ok(bytes) => bytes,
        Err(error) => {
            to.at(whole, Code::CannotRead, format!("cannot read the file: {error}"))
                .help("a schema file is a readable text file of a few kilobytes");
            return None;
        }
    };
    if let Some(what) = utf_16(&bytes) {
        to.at(whole, Code::NotUtf8, format!("the file is {what}")).help("save it as UTF-8");
        return None;
    }
    let text: Arc<str> = match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            to.keep_text(file, String::from_utf8_lossy(error.as_bytes()).into());
            to.at(place_after(file, &before), Code::NotUtf8, "invalid UTF-8").help("save it as UTF-8");
            return None;
        }
    };
    to.keep_text(file, text.clone());
    is_plain_text(file, &text, to).then_some(SchemaFile { file, name, text })
}

fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        // Reading a pipe or a device may never end.
        return Err(std::io::Error::other("not a regular file"));
    }
    let size = metadata.len();
    if size > MAX_BYTES {
        let reason = format!("the file has {size} bytes, but the maximum is {MAX_BYTES}");
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
    has_no_conflict(file, text, to)
}

/// Reports the conflicts that a merge has left in a file, each with all of its lines.
fn has_no_conflict(file: u32, text: &str, to: &mut Diagnostics) -> bool {
    let mut conflicts: Vec<Vec<Place>> = Vec::new();
    let (mut offset, mut is_open) = (0, false);
    for line in text.split_inclusive('\n') {
        if let Some(mark) = conflict_mark(line) {
            let place = place_after(file, &text[..offset]);
            let place = Place { end: place.start + 7, ..place };
            match conflicts.last_mut().filter(|_| is_open && mark != '<') {
                Some(conflict) => conflict.push(place),
                None => conflicts.push(vec![place]),
            }
            is_open = mark != '>';
        }
        offset += line.len();
    }
    for conflict in &conflicts {
        let mut marks = conflict.iter();
        let Some(first) = marks.next() else { continue };
        let mut report = to.at(*first, Code::BrokenYaml, "invalid YAML: an unresolved merge conflict");
        for mark in marks {
            report = report.related(*mark, "another line of the conflict");
        }
        report.help("keep what is meant, and remove the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`");
    }
    conflicts.is_empty()
}

/// Returns the character of a line that git writes around a conflict. No such line can begin in the first column of
/// YAML.
fn conflict_mark(line: &str) -> Option<char> {
    let mark = line.chars().next().filter(|c| "<|=>".contains(*c))?;
    let (run, rest) = line.split_at_checked(7)?;
    (run.chars().all(|c| c == mark) && rest.starts_with([' ', '\n'])).then_some(mark)
}

/// Returns the place of the character after `before`.
fn place_after(file: u32, before: &str) -> Place {
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let start = small(before.len());
    Place { file, line: small(line), column: small(column), start, end: start + 1 }
}

/// The files that were read without a mistake, by name; of each, its last text. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered(Arc<Mutex<HashMap<String, RememberedFile>>>);

#[derive(Debug)]
struct RememberedFile {
    /// The number by which places within the file refer to it.
    number: u32,
    text: Arc<str>,
    /// A type of [`super::raw`].
    content: Arc<dyn Any + Send + Sync>,
}

impl Remembered {
    /// Returns what a file says, if its bytes and its number are those of the last time.
    pub(super) fn get<T: Clone + 'static>(&self, source: &SchemaFile) -> Option<T> {
        let content = {
            let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let file = files.get(&source.name)?;
            ((file.number, &file.text) == (source.file, &source.text)).then(|| file.content.clone())?
        };
        content.downcast_ref::<T>().cloned()
    }

    pub(super) fn put<T: Send + Sync + 'static>(&self, source: &SchemaFile, content: T) {
        let file = RememberedFile { number: source.file, text: source.text.clone(), content: Arc::new(content) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(source.name.clone(), file);
    }
}

/// The version that the generator reads; it also applies to schemas that do not state one.
const VERSION: u64 = 1;

/// Returns whether the schema is of another version, which is reported. Its other content has an unknown meaning and is
/// not read.
pub(super) fn refuses(api: &SchemaFile, to: &mut Diagnostics) -> bool {
    // Read as plain text, because a file of another version may not parse as one of this version.
    let lines = api.text.lines().enumerate();
    let Some((line, value)) = lines.filter_map(|(line, text)| Some((line, text.strip_prefix("language:")?))).next()
    else {
        return false;
    };
    let version: Option<u64> = value.split(" #").next().and_then(|value| value.trim().parse().ok());
    // A value that is not a number is reported when the keys are read.
    let Some(version) = version.filter(|version| *version != VERSION) else { return false };
    let column = 1 + "language:".len() + (value.len() - value.trim_start().len());
    let place = api.at(line + 1, column);
    let message = format!("the schema is of version {version} of the language; this generator reads version {VERSION}");
    let help = if version > VERSION {
        "use a newer tradeapi-gen".to_owned()
    } else {
        format!("unknown version {version}: write `language: {VERSION}`, or leave it out")
    };
    to.at(place, Code::OtherLanguage, message).help(help);
    true
}
