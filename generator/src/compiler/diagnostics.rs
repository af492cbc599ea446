//! Mistakes: where something went wrong, and what to do about it.

mod code;
mod render;
mod repeats;

pub use code::Code;
pub use render::Format;
pub(crate) use render::{is_invisible, printable};
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub(crate) use tradeapi_words::similar::nearest;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// Where it is; `None` if the mistake concerns the run as a whole.
    pub place: Option<Place>,
    /// The stable code of this kind of mistake, such as `E0203`.
    pub code: Code,
    /// The mistake, in one sentence.
    pub message: String,
    /// Advice on what to do.
    pub help: Option<String>,
    /// A likely fix, if there is one.
    pub fix: Option<Fix>,
    /// Other places that explain it, each with the reason.
    pub related: Vec<(Place, String)>,
    /// The part of a mistake that tells mistakes of one code apart when causes are separated from consequences.
    kind: Kind,
    /// The unknown name, if that is the mistake.
    unknown: Option<UnknownName>,
}

/// The part of a mistake that tells mistakes of one code apart: their messages are only read by people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Nothing but the code.
    #[default]
    Plain,
    /// [`Code::WrongType`], [`Code::UnknownWord`]: a word or a number cannot be read, in a place that is right for one.
    Scalar,
    /// [`Code::WrongType`]: the lines that follow the value were read as a part of it.
    AbsorbedLines,
    /// [`Code::WrongType`]: a text in place of a mapping, like an entry whose own mapping or list is missing.
    TextForMapping,
    /// [`Code::MissingKey`]: a key that a mapping lacks.
    KeyOfMapping,
    /// [`Code::Unused`]: a type, which only its family can use.
    Type,
    /// [`Code::Unused`]: a header.
    Header,
    /// [`Code::Circular`]: through `includes`.
    Includes,
    /// [`Code::Circular`]: through the fields of records.
    Fields,
    /// [`Code::BadExample`]: a member occurs twice.
    DuplicateMember,
    /// [`Code::UndefinedName`]: a code, where no code is observed at all.
    ObservedCode,
    /// [`Code::BadResponse`]: a family and the envelope differ in the code of success.
    Success,
}

/// A name that is not defined.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UnknownName {
    name: String,
    scope: Scope,
    /// Where the name that was meant may be defined.
    defined: Option<Place>,
}

/// Where names of one kind are defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    /// In the file that names them.
    File,
    /// In the files of a family.
    Family,
    /// In `api.yaml`, for all families.
    Api,
}

impl Diagnostic {
    /// Returns whether it is an unknown key with no similar key in its mapping.
    fn is_unknown_key(&self) -> bool {
        self.code == Code::UnknownKey && self.fix.is_none()
    }

    /// Returns whether it belongs to another mapping or list, like lines whose heading is missing: keys that are
    /// reported as missing elsewhere may be among these lines.
    fn is_misplaced(&self) -> bool {
        self.is_unknown_key() || self.kind == Kind::TextForMapping
    }

    /// Returns where the unknown name would be defined, if one is unknown.
    fn scope(&self) -> Option<Scope> {
        self.unknown.as_ref().map(|unknown| unknown.scope)
    }
}

/// A change of a file that probably fixes a mistake.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fix {
    /// The text to replace.
    pub place: Place,
    /// The new text.
    pub text: String,
}

/// The mistakes of a run, sorted by place, each once.
///
/// Printing it, with `{}` or `{:?}`, shows each mistake in its file, as [`Format::Human`] does without colour.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    files: Vec<PathBuf>,
    /// The contents of the files, as far as they could be read.
    texts: Vec<Arc<str>>,
    items: BTreeSet<Diagnostic>,
    /// Boxed, because results carry these mistakes and should stay small.
    reading: Box<UnderReading>,
}

/// Facts that are collected while files are read, and decide what is reported at the end.
#[derive(Clone, Default, PartialEq, Eq)]
struct UnderReading {
    /// Keys that exist and could not be read, each with its file; they must not be reported as missing, too.
    unread: BTreeSet<(u32, String)>,
    /// Mistakes of building, which count from the end of reading.
    later: Vec<Diagnostic>,
    /// Files that the schema lacks, and that were reported.
    missing: Vec<PathBuf>,
    /// Keys that mappings lack, each with the place of its mapping.
    lacking: Vec<(Place, &'static str)>,
}

impl Diagnostics {
    /// Returns the files of the run; a [`Place`] refers to them by index.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the mistakes, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter()
    }

    /// Returns the number of mistakes.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there are no mistakes.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns all mistakes as a text without a trailing newline. Characters of the files that could control a terminal
    /// are replaced.
    pub fn render(&self, format: Format) -> String {
        render::render(self, format)
    }

    /// Returns how much was found and noted so far; it stays the same while nothing is.
    pub(crate) fn extent(&self) -> [usize; 5] {
        let UnderReading { unread, later, missing, lacking } = &*self.reading;
        [self.items.len(), unread.len(), later.len(), missing.len(), lacking.len()]
    }

    /// Returns whether a mistake of this kind was reported.
    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.items.iter().any(|item| item.kind == kind)
    }

    /// Returns the indices of the files with mistakes.
    pub(crate) fn mistaken_files(&self) -> BTreeSet<u32> {
        self.items.iter().filter_map(|item| Some(item.place?.file)).collect()
    }

    /// Returns whether something within a value on one line was reported, or after it on this line.
    pub(crate) fn is_mistaken_within(&self, value: Place) -> bool {
        let mut places = self.items.iter().filter_map(|item| item.place);
        places.any(|place| (place.file, place.line) == (value.file, value.line) && value.start < place.start)
    }

    /// Records that a file has this key, and that its value was reported.
    pub(crate) fn note_unread(&mut self, file: u32, key: &str) {
        self.reading.unread.insert((file, key.to_owned()));
    }

    /// Records that a file is missing, and that this was reported.
    pub(crate) fn note_missing(&mut self, path: PathBuf) {
        self.reading.missing.push(path);
    }

    /// Returns whether a file has this key somewhere with a value that was reported.
    pub(crate) fn is_unread(&self, file: u32, key: &str) -> bool {
        self.reading.unread.contains(&(file, key.to_owned()))
    }

    /// Adds a file that places may refer to, and returns its index.
    pub(crate) fn add_file(&mut self, path: PathBuf) -> u32 {
        self.files.push(path);
        self.texts.push(Arc::default());
        u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX)
    }

    /// Keeps the contents of a file, so that mistakes can be shown in it after the run.
    pub(crate) fn keep_text(&mut self, file: u32, text: Arc<str>) {
        if let Some(kept) = self.texts.get_mut(file as usize) {
            *kept = text;
        }
    }

    /// Returns the contents of a file.
    pub(crate) fn text(&self, file: u32) -> Option<&str> {
        self.texts.get(file as usize).map(AsRef::as_ref)
    }

    /// Returns the name of a file in messages.
    fn path(&self, place: &Place) -> String {
        self.files.get(place.file as usize).map_or_else(String::new, |path| shown(path))
    }

    /// Returns the name in messages of a file in the same folder as a place, even if it does not exist.
    pub(crate) fn beside(&self, place: Place, name: &str) -> String {
        let path = self.files.get(place.file as usize).map(|path| path.with_file_name(name));
        shown(&path.unwrap_or_else(|| name.into()))
    }

    /// Returns the name of `api.yaml` in messages.
    pub(crate) fn api_file(&self) -> String {
        let named = self.files.iter().filter(|path| path.ends_with("api.yaml"));
        named.min_by_key(|path| path.components().count()).map_or_else(|| "api.yaml".to_owned(), |path| shown(path))
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        self.items.insert(diagnostic);
    }

    /// Reports a mistake at a place.
    pub(crate) fn at(&mut self, place: Place, code: Code, message: impl Into<String>) -> DiagnosticBuilder<'_> {
        DiagnosticBuilder::new(self, Some(place), code, message.into())
    }

    /// Reports a mistake of building that is found while files are read.
    pub(crate) fn later(&mut self, place: Place, code: Code, message: impl Into<String>) -> DiagnosticBuilder<'_> {
        DiagnosticBuilder::new(self, Some(place), code, message.into()).later()
    }

    /// Notes that a mapping lacks a key. What is unread is known at the end of reading.
    pub(crate) fn lacks_key(&mut self, mapping: Place, key: &'static str) {
        self.reading.lacking.push((mapping, key));
    }

    /// Reports a key that a mapping lacks, unless it may be there and was not read.
    pub(crate) fn lacking(&mut self, mapping: Place, key: &str) {
        if !self.is_unread(mapping.file, key) && !self.is_unread(mapping.file, "<<") {
            self.missing_key(mapping, format!("missing key `{key}`")).help(format!("add `{key}: ...`"));
        }
    }

    /// Reports a mapping that lacks a key; all keys that it lacks are one mistake.
    pub(crate) fn missing_key(&mut self, place: Place, message: impl Into<String>) -> DiagnosticBuilder<'_> {
        self.at(place, Code::MissingKey, message).kind(Kind::KeyOfMapping)
    }

    /// Reports a mistake that has no place in a file.
    pub(crate) fn whole(&mut self, code: Code, message: impl Into<String>) -> DiagnosticBuilder<'_> {
        DiagnosticBuilder::new(self, None, code, message.into())
    }

    /// Adds mistakes that have no place in a file.
    pub(crate) fn append(&mut self, mut others: Self) {
        self.items.append(&mut others.items);
    }

    /// Returns `Ok` when there is no mistake.
    pub(crate) fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

fn shown(path: &Path) -> String {
    printable(&path.display().to_string().replace('\\', "/"))
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Format::Human { colour: false }))
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostics {}

/// A range of bytes in one of the files of a run, with the line and column it starts at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the file in [`Diagnostics::files`](crate::Diagnostics::files).
    pub file: u32,
    /// Line, counted from 1; 0 when the place is the file as a whole.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// First byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Place {
    /// Returns the whole of a file.
    pub(crate) fn of_file(file: u32) -> Self {
        Self { file, ..Self::default() }
    }

    /// Returns the bytes of the place, limited to the text and to whole characters.
    pub(crate) fn range_in(&self, text: &str) -> std::ops::Range<usize> {
        let start = floor(text, self.start as usize);
        start..floor(text, self.end as usize).max(start)
    }

    /// Returns the line and the column of the end, counted like those of the start.
    pub(crate) fn end_in(&self, text: &str) -> (u32, u32) {
        let inside = &text[self.range_in(text)];
        let (mut line, mut column) = (self.line, self.column);
        for c in inside.chars() {
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        (line, column)
    }
}

/// Returns the nearest byte at or before `at` that begins a character.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns help with the most similar of the `known` names, if one is similar enough; an editor can apply it.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<Help> {
    nearest(given, known).map(|similar| Help::similar(given, similar))
}

/// Returns help for an unknown name: the most similar of the `known` names, each given with the place that defines it,
/// or `otherwise`.
///
/// Several uses of an unknown name are one mistake.
pub(crate) fn unknown<'a>(
    given: &str,
    known: impl IntoIterator<Item = (&'a str, Option<Place>)>,
    otherwise: impl FnOnce() -> String,
) -> Help {
    let known: Vec<_> = known.into_iter().collect();
    let similar = nearest(given, known.iter().map(|(name, _)| *name));
    let place = known.iter().find(|(name, _)| Some(*name) == similar).and_then(|(_, place)| *place);
    similar.map_or_else(|| otherwise().into(), |similar| Help::similar(given, similar)).unknown(given, place)
}

/// Returns help for an unknown name: the most similar of the `known` names, or all of them.
///
/// Several uses of an unknown name are one mistake.
pub(crate) fn one_of<'a>(given: &str, known: impl IntoIterator<Item = (&'a str, Option<Place>)>) -> Help {
    let known: Vec<_> = known.into_iter().collect();
    let names = known.iter().map(|(name, _)| *name);
    unknown(given, known.iter().copied(), || match name_list(names) {
        none if none.is_empty() => "there is none".to_owned(),
        names => format!("expected one of: {names}"),
    })
}

/// Returns names without duplicates, separated by commas and cut to a readable number.
pub(crate) fn name_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MAX_NAMES: usize = 20;
    let mut seen = HashSet::new();
    let distinct: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let (shown, more) = distinct.split_at(distinct.len().min(MAX_NAMES));
    let rest = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{rest}", shown.join(", "))
}

/// Advice on correcting a mistake.
#[derive(Clone, Debug)]
pub(crate) struct Help {
    text: String,
    /// The written text, and the suggested one.
    replace: Option<(String, String)>,
    /// The name that is unknown.
    unknown: Option<UnknownName>,
    /// Where the intended name is defined.
    defined: Option<Place>,
}

impl Help {
    /// Suggests another name.
    fn similar(given: &str, similar: &str) -> Self {
        let unexpected = given.chars().find(|c| !c.is_ascii() && !similar.contains(*c));
        let note = unexpected.map(|c| format!(" `{given}` has the character U+{:04X}", u32::from(c)));
        Self {
            text: format!("did you mean `{similar}`?{}", note.unwrap_or_default()),
            replace: Some((given.to_owned(), similar.to_owned())),
            unknown: None,
            defined: None,
        }
    }

    /// Suggests another word for one that is called otherwise elsewhere.
    pub(crate) fn renamed(given: &str, to: &str) -> Self {
        Self::similar(given, to)
    }

    /// Marks the name as one of `api.yaml`, which all families share.
    pub(crate) fn of_api(self) -> Self {
        self.within(Scope::Api)
    }

    /// Marks the name as one of the file that has it.
    pub(crate) fn of_file(self) -> Self {
        self.within(Scope::File)
    }

    fn within(mut self, scope: Scope) -> Self {
        if let Some(unknown) = &mut self.unknown {
            unknown.scope = scope;
        }
        self
    }

    /// Records the unknown name, and where the intended one may be defined.
    fn unknown(self, name: &str, defined: Option<Place>) -> Self {
        Self { unknown: Some(UnknownName { name: name.to_owned(), scope: Scope::Family, defined }), defined, ..self }
    }
}

impl<T: Into<String>> From<T> for Help {
    fn from(text: T) -> Self {
        Self { text: text.into(), replace: None, unknown: None, defined: None }
    }
}

/// A mistake while it is being described; it is added to the diagnostics when this is dropped.
pub(crate) struct DiagnosticBuilder<'a> {
    to: &'a mut Diagnostics,
    diagnostic: Option<Diagnostic>,
    /// True if it counts only from the end of reading.
    is_later: bool,
}

impl<'a> DiagnosticBuilder<'a> {
    fn new(to: &'a mut Diagnostics, place: Option<Place>, code: Code, message: String) -> Self {
        let diagnostic = Diagnostic {
            place,
            code,
            message,
            help: None,
            fix: None,
            related: Vec::new(),
            kind: Kind::Plain,
            unknown: None,
        };
        Self { to, diagnostic: Some(diagnostic), is_later: false }
    }

    fn later(mut self) -> Self {
        self.is_later = true;
        self
    }

    /// Tells the mistake apart from others of its code.
    pub(crate) fn kind(mut self, kind: Kind) -> Self {
        if let Some(diagnostic) = &mut self.diagnostic {
            diagnostic.kind = kind;
        }
        self
    }

    /// Adds help.
    pub(crate) fn help(mut self, help: impl Into<Help>) -> Self {
        let help = help.into();
        if let Some(diagnostic) = &mut self.diagnostic {
            diagnostic.fix = diagnostic.place.zip(help.replace).and_then(|(place, (given, similar))| {
                let place = only_place_of(&given, place, self.to.text(place.file)?)?;
                Some(Fix { place, text: similar })
            });
            diagnostic.help = Some(help.text);
            diagnostic.unknown = help.unknown;
            diagnostic.related.extend(help.defined.map(|place| (place, "a similar name is defined here".to_owned())));
        }
        self
    }

    /// Adds a related place.
    pub(crate) fn related(mut self, place: Place, why: impl Into<String>) -> Self {
        if let Some(diagnostic) = &mut self.diagnostic {
            diagnostic.related.push((place, why.into()));
        }
        self
    }
}

impl Drop for DiagnosticBuilder<'_> {
    fn drop(&mut self) {
        if let Some(mut diagnostic) = self.diagnostic.take() {
            diagnostic.help = diagnostic.help.map(|help| with_character(help, &diagnostic.message));
            if self.is_later { self.to.reading.later.push(diagnostic) } else { self.to.push(diagnostic) }
        }
    }
}

/// Adds a character of the message that looks like another one: a blank that is no space, or a typographic quote.
fn with_character(help: String, message: &str) -> String {
    let looks_alike = |c: &char| !c.is_ascii() && c.is_whitespace() || matches!(c, '\u{2018}'..='\u{201f}');
    match message.chars().find(looks_alike) {
        Some(c) if !help.contains("U+") => format!("{help}; the text has the character U+{:04X}", u32::from(c)),
        _ => help,
    }
}

/// Returns the position of `given` within a place, if it occurs there once and on the first line.
fn only_place_of(given: &str, place: Place, text: &str) -> Option<Place> {
    let range = place.range_in(text);
    let line = text[range.clone()].lines().next()?;
    let mut found = line.match_indices(given);
    let (at, _) = found.next().filter(|_| found.next().is_none() && !given.is_empty())?;
    let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let start = range.start + at;
    let column = place.column + small(line[..at].chars().count());
    Some(Place { column, start: small(start), end: small(start + given.len()), ..place })
}
