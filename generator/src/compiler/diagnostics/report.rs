//! Reporting of mistakes: first the message, then help and related places.

use super::{Code, Diagnostic, Diagnostics, Fix, Kind, Place, Scope, UnknownName};

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
    pub(super) fn similar(given: &str, similar: &str) -> Self {
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
    pub(super) fn unknown(self, name: &str, defined: Option<Place>) -> Self {
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
    pub(super) fn new(to: &'a mut Diagnostics, place: Option<Place>, code: Code, message: String) -> Self {
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

    pub(super) fn later(mut self) -> Self {
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
