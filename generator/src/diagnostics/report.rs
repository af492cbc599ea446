//! How a mistake is reported: what is wrong first, then what to do and what else to look at.

use super::{Code, Diagnostic, Diagnostics, Fix, Place};

/// Marks an unknown name that all families share.
pub(super) const API_NAME: &str = "api.yaml: ";

/// What to do about a mistake.
#[derive(Clone, Debug)]
pub(crate) struct Help {
    text: String,
    /// What was written, and what was meant by it.
    replace: Option<(String, String)>,
    /// The name that is unknown.
    unknown: Option<String>,
    /// Where what was meant is defined.
    defined: Option<Place>,
}

impl Help {
    /// One name was written and another one meant.
    pub(super) fn meant(given: &str, meant: &str) -> Self {
        let stranger = given.chars().find(|c| !c.is_ascii() && !meant.contains(*c));
        let note = stranger.map(|c| format!(" `{given}` has the character U+{:04X}", u32::from(c)));
        Self {
            text: format!("did you mean `{meant}`?{}", note.unwrap_or_default()),
            replace: Some((given.to_owned(), meant.to_owned())),
            unknown: None,
            defined: None,
        }
    }

    /// The name is one of `api.yaml`, which all families use.
    pub(crate) fn of_api(mut self) -> Self {
        self.unknown = self.unknown.map(|name| format!("{API_NAME}{name}"));
        self
    }

    /// A name is unknown; it may have a definition that it was meant to be.
    pub(super) fn unknown(self, name: &str, defined: Option<Place>) -> Self {
        Self { unknown: Some(name.to_owned()), defined, ..self }
    }
}

impl<T: Into<String>> From<T> for Help {
    fn from(text: T) -> Self {
        Self { text: text.into(), replace: None, unknown: None, defined: None }
    }
}

/// A mistake that is being described; it counts when this is dropped.
pub(crate) struct Report<'a> {
    to: &'a mut Diagnostics,
    diagnostic: Option<Diagnostic>,
}

impl<'a> Report<'a> {
    pub(super) fn new(to: &'a mut Diagnostics, place: Option<Place>, code: Code, message: String) -> Self {
        let diagnostic = Diagnostic { place, code, message, help: None, fix: None, related: Vec::new(), unknown: None };
        Self { to, diagnostic: Some(diagnostic) }
    }

    /// Says what to do.
    pub(crate) fn help(mut self, help: impl Into<Help>) -> Self {
        let help = help.into();
        if let Some(diagnostic) = &mut self.diagnostic {
            diagnostic.fix = diagnostic.place.zip(help.replace).and_then(|(place, (given, meant))| {
                let place = only_place_of(&given, place, self.to.text(place.file)?)?;
                Some(Fix { place, text: meant })
            });
            diagnostic.help = Some(help.text);
            diagnostic.unknown = help.unknown;
            diagnostic.related.extend(help.defined.map(|place| (place, "a similar name is defined here".to_owned())));
        }
        self
    }

    /// Says what to do, when there is something to say.
    pub(crate) fn help_if(self, help: Option<Help>) -> Self {
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

/// Where `given` stands within a place, when it stands there once and on its first line.
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
