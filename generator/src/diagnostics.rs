//! What went wrong, where, and what to do about it.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

/// A range of bytes in one of the files of a run, with the line and column it starts at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index of the file in [`Diagnostics::files`].
    pub file: u32,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// First byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// Where it is; `None` when the mistake is about a run as a whole.
    pub place: Option<Place>,
    /// The stable code of this kind of mistake, such as `E0203`.
    pub code: Code,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places that explain it, each with a word why.
    pub related: Vec<(Place, String)>,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $what:literal;)*) => {
        /// The kind of a mistake. Codes are stable: a code that goes is not given out again.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $what] $name,)* }

        impl Code {
            /// All kinds, in the order of their codes.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            /// The kind of mistake in a few words.
            pub fn what(self) -> &'static str {
                match self { $(Code::$name => $what,)* }
            }
        }
    };
}

codes! {
    CannotRead = "E0001", "A file or folder cannot be read.";
    NotUtf8 = "E0002", "A file is not UTF-8.";
    ByteOrderMark = "E0003", "A file starts with a byte-order mark.";
    CarriageReturn = "E0004", "A file has CRLF line ends.";
    EmptyFile = "E0005", "A file holds nothing.";
    MissingFile = "E0006", "A file that every schema has is missing.";
    StrayFile = "E0007", "A file or folder is not where the schema language puts one.";
    CannotWrite = "E0008", "An output file or folder cannot be written.";
    NoRevision = "E0009", "A revision of the schema cannot be read.";
    BrokenYaml = "E0101", "The YAML cannot be parsed.";
    DuplicateKey = "E0102", "A key is written twice.";
    Alias = "E0103", "An anchor, an alias, a tag or a merge key is used.";
    TooDeep = "E0104", "The YAML is nested too deeply.";
    SeveralDocuments = "E0105", "A file holds more than one YAML document.";
    InvisibleCharacter = "E0106", "A text holds a character that nobody sees.";
    WrongType = "E0201", "A value has the wrong type.";
    UnknownKey = "E0202", "A key is not one of the schema language.";
    UnknownWord = "E0203", "A word is not one of those allowed here.";
    MissingKey = "E0204", "A key that must be there is missing.";
    Misplaced = "E0205", "A key does not go with the others.";
    UndefinedType = "E0301", "A type is named that is defined nowhere.";
    UndefinedName = "E0302", "Something is named that is not there.";
    DefinedTwice = "E0303", "The same thing is defined twice.";
    NameCollision = "E0304", "Two names become the same in Rust.";
    NotAnIdentifier = "E0305", "A name does not make a Rust identifier.";
    ReservedName = "E0306", "A name is taken by the emitted code.";
    WrongName = "E0307", "A name differs from that of its file or folder, or is none for a file.";
    Circular = "E0308", "A definition refers to itself.";
    BadPath = "E0401", "An HTTP method or path is none.";
    BadRate = "E0402", "A rate limit is none.";
    BadDuration = "E0403", "A duration is none.";
    BadNumber = "E0404", "A number is none, or out of its bounds.";
    BadDefault = "E0405", "A default is not a value that is allowed.";
    BadValue = "E0406", "A value is not one that its type has.";
    BadChoice = "E0407", "A choice is not one.";
    BadWindow = "E0408", "A window is not one.";
    BadRule = "E0409", "A rule is not one.";
    BadLifecycle = "E0410", "A lifecycle is not one.";
    BadResponse = "E0411", "A response is not one.";
    BadExample = "E0412", "An example is not what the schema says.";
    BadAlphabet = "E0413", "An alphabet or a length is none.";
    BadHeader = "E0414", "A header name is none.";
    BadIntent = "E0415", "An intent is not one.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The mistakes of a run, sorted by place, each once.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    files: Vec<PathBuf>,
    items: BTreeSet<Diagnostic>,
    /// Keys that are there and could not be read, each with its file: they are wrong, and not missing too.
    unread: BTreeSet<(u32, String)>,
}

impl Diagnostics {
    /// The files of the run; a [`Place`] refers to them by index.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The mistakes, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter()
    }

    /// How many mistakes there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The files that mistakes were found in, by their index.
    pub(crate) fn mistaken_files(&self) -> BTreeSet<u32> {
        self.items.iter().filter_map(|item| Some(item.place?.file)).collect()
    }

    /// Remembers that a file has this key, and that its value was reported.
    pub(crate) fn note_unread(&mut self, file: u32, key: &str) {
        self.unread.insert((file, key.to_owned()));
    }

    /// Whether a file has this key somewhere with a value that was reported.
    pub(crate) fn is_unread(&self, file: u32, key: &str) -> bool {
        self.unread.contains(&(file, key.to_owned()))
    }

    /// Adds a file that places may refer to, and tells its index.
    pub(crate) fn add_file(&mut self, path: PathBuf) -> u32 {
        self.files.push(path);
        u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.items.insert(diagnostic);
    }

    /// Reports a mistake at a place.
    pub(crate) fn at(&mut self, place: Place, code: Code, message: impl Into<String>) -> Report<'_> {
        Report { to: self, diagnostic: Some(Diagnostic::new(Some(place), code, message.into())) }
    }

    /// Reports a mistake that has no place in a file.
    pub(crate) fn whole(&mut self, code: Code, message: impl Into<String>) -> Report<'_> {
        Report { to: self, diagnostic: Some(Diagnostic::new(None, code, message.into())) }
    }

    /// `Ok` when there is no mistake.
    pub(crate) fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }

    fn place_text(&self, place: &Place) -> String {
        let file = self.files.get(place.file as usize).map(|path| path.display().to_string());
        let file = printable(&file.unwrap_or_default().replace('\\', "/"));
        if place.line == 0 {
            return file;
        }
        format!("{file}:{}:{}", place.line, place.column)
    }
}

impl Diagnostic {
    fn new(place: Option<Place>, code: Code, message: String) -> Self {
        Self { place, code, message, help: None, related: Vec::new() }
    }
}

/// A mistake that is being told; it counts when this is dropped.
pub(crate) struct Report<'a> {
    to: &'a mut Diagnostics,
    diagnostic: Option<Diagnostic>,
}

impl Report<'_> {
    /// Says what to do.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        if let Some(diagnostic) = &mut self.diagnostic {
            diagnostic.help = Some(help.into());
        }
        self
    }

    /// Says what to do, when there is something to say.
    pub(crate) fn help_if(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Points at another place.
    pub(crate) fn related(mut self, place: Place, why: impl Into<String>) -> Self {
        if let Some(diagnostic) = &mut self.diagnostic {
            diagnostic.related.push((place, why.into()));
        }
        self
    }
}

impl Drop for Report<'_> {
    fn drop(&mut self) {
        if let Some(diagnostic) = self.diagnostic.take() {
            self.to.push(diagnostic);
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            if let Some(place) = &item.place {
                write!(f, "{}: ", self.place_text(place))?;
            }
            writeln!(f, "error[{}]: {}", item.code, printable(&item.message))?;
            for (place, why) in &item.related {
                writeln!(f, "  {}: {}", self.place_text(place), printable(why))?;
            }
            if let Some(help) = &item.help {
                writeln!(f, "  help: {}", printable(help))?;
            }
        }
        let count = self.items.len();
        write!(f, "{count} mistake{}", if count == 1 { "" } else { "s" })
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostics {}

/// What the input holds must neither steer a terminal, nor begin a line of its own, nor fill the screen.
fn printable(text: &str) -> String {
    const LONGEST_NAME: usize = 100;
    let mut shown = String::with_capacity(text.len().min(4096));
    let mut length_of_name = None;
    for c in text.chars() {
        length_of_name = match length_of_name {
            _ if c == '`' => {
                if length_of_name.is_none() {
                    Some(0)
                } else {
                    None
                }
            }
            length => length.map(|length: usize| length + 1),
        };
        match length_of_name {
            Some(length) if length > LONGEST_NAME + 1 => {}
            Some(length) if length == LONGEST_NAME + 1 => shown.push_str("..."),
            _ => shown.push(if is_invisible(c) { '\u{fffd}' } else { c }),
        }
    }
    shown
}

/// Control characters, and those that change the direction of a text or have no width.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The one of `known` that `given` was probably meant to be, as a sentence.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(given, known).map(|name| format!("did you mean `{name}`?"))
}

/// The one of `known` that `given` was probably meant to be.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = given.chars().count().clamp(3, 12) / 3;
    let near = known.into_iter().map(|name| (distance(given, name), name)).filter(|(distance, _)| *distance <= limit);
    near.min().map(|(_, name)| name)
}

/// Edits (insert, remove, replace, swap neighbours) between two names, case aside.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().take(64).flat_map(char::to_lowercase).collect();
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_name_only_when_it_is_near() {
        let known = ["required", "default", "max_items"];
        assert_eq!(did_you_mean("requird", known), Some("did you mean `required`?".into()));
        assert_eq!(did_you_mean("max_itmes", known), Some("did you mean `max_items`?".into()));
        assert_eq!(did_you_mean("colour", known), None);
    }

    #[test]
    fn codes_are_unique_and_rising() {
        let codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(codes.is_sorted());
        assert_eq!(codes.len(), codes.iter().collect::<BTreeSet<_>>().len());
    }
}
