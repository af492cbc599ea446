//! The rules that a request breaks, as a caller sees them, with the values that break them and the facts that a check
//! asks for and is not told. Only a request that breaks a rule pays for the look-up of its values.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::ops::Deref;

use crate::data::json::{Kind, ReadError, Reader};
use crate::data::tables::{Rule, Severity};

/// A rule that a request breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The id of the broken rule. A rule that comes with the description of a parameter is named after it:
    /// `limit.max`, `orderList[].side.values`.
    pub rule: String,
    /// True if it refuses the request or only warns.
    pub severity: Severity,
    /// The path to the parameter: `orderList[3].price`.
    pub parameter: String,
    /// The given value; empty if there is none to show.
    pub given: String,
    /// The values that are allowed.
    pub allowed: String,
    /// The document and the section with the rule; empty if the parameters do not belong to an operation.
    pub source: String,
    /// Advice on what to do.
    pub hint: String,
}

/// The end of the rule of a parameter that is open because a flag of its instrument is not known. No id of a schema has
/// a dot.
pub(super) const DOUBT: &str = "form";

impl Violation {
    fn is_doubt(&self) -> bool {
        self.severity == Severity::Warn && self.rule.rsplit_once('.').is_some_and(|(_, kind)| kind == DOUBT)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.parameter.is_empty() {
            write!(f, "{}: ", self.parameter)?;
        }
        if !self.given.is_empty() {
            write!(f, "{} given; ", self.given)?;
        }
        write!(f, "{} (rule {}", self.allowed, self.rule)?;
        if !self.source.is_empty() {
            write!(f, "; {}", self.source)?;
        }
        f.write_str(")")?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, ": {}", self.hint) }
    }
}

/// All rules that a request breaks. As an error, at least one of them refuses the request.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Violations(Option<Box<Found>>);

/// At least one violation. Behind a pointer, because each reply has [`Violations`], and few have any.
#[derive(Clone, Default, PartialEq, Eq)]
struct Found(Vec<Violation>);

impl Violations {
    /// Returns whether the request must not be sent. Otherwise, there are only warnings.
    pub fn refuse(&self) -> bool {
        self.refusals().next().is_some()
    }

    /// Returns the violations that refuse the request.
    pub fn refusals(&self) -> impl Iterator<Item = &Violation> {
        self.iter().filter(|violation| violation.severity == Severity::Refuse)
    }

    /// Returns the violations that only warn.
    pub fn warnings(&self) -> impl Iterator<Item = &Violation> {
        self.iter().filter(|violation| violation.severity == Severity::Warn)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Violation> {
        self.0.iter_mut().flat_map(|found| &mut found.0)
    }

    /// Returns the warnings, or all violations as an error if one refuses the request.
    pub(crate) fn into_result(self) -> Result<Self, Self> {
        if self.refuse() { Err(self) } else { Ok(self) }
    }

    /// Returns whether one states that a flag of an instrument is not known.
    pub(crate) fn have_doubts(&self) -> bool {
        self.iter().any(Violation::is_doubt)
    }

    /// Removes those that state this.
    pub(crate) fn drop_doubts(&mut self) {
        if let Some(found) = &mut self.0 {
            found.0.retain(|violation| !violation.is_doubt());
        }
        self.0.take_if(|found| found.0.is_empty());
    }

    pub(crate) fn push(&mut self, violation: Violation) {
        self.0.get_or_insert_default().0.push(violation);
    }

    pub(crate) fn append(&mut self, more: Self) {
        self.extend(more);
    }
}

impl Extend<Violation> for Violations {
    fn extend<T: IntoIterator<Item = Violation>>(&mut self, more: T) {
        more.into_iter().for_each(|violation| self.push(violation));
    }
}

impl Deref for Violations {
    type Target = [Violation];

    fn deref(&self) -> &[Violation] {
        self.0.as_ref().map_or(&[], |found| &found.0)
    }
}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.map(|found| found.0).unwrap_or_default().into_iter()
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Violations {
    /// Writes one violation per line: those that refuse the request, and then the warnings under a heading. The heading
    /// is left out if nothing refuses the request.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for violation in self.refusals() {
            write!(f, "{separator}{violation}")?;
            separator = "\n";
        }
        if self.refuse() {
            separator = "\nWarnings, for which it is not refused:\n";
        }
        for violation in self.warnings() {
            write!(f, "{separator}{violation}")?;
            separator = "\n";
        }
        Ok(())
    }
}

debug_as_sentence!(Violations);

impl Error for Violations {}

/// The place of a check among nested parameters, such as `orderList[3]`. The path is written only when it is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    outer: Option<&'a Place<'a>>,
    name: &'a str,
    /// The place in the list; `None` for a single object.
    index: Option<usize>,
}

impl<'a> Place<'a> {
    /// Creates an item of the list `list`, which is a parameter of `outer`.
    pub(crate) fn item(outer: Option<&'a Place<'a>>, list: &'a str, index: usize) -> Self {
        Self { outer, name: list, index: Some(index) }
    }

    /// Returns the object that is the parameter `name` of `outer`.
    pub(crate) fn member(outer: Option<&'a Place<'a>>, name: &'a str) -> Self {
        Self { outer, name, index: None }
    }

    /// Returns the path to the parameter `name` at `place`.
    pub(crate) fn path(place: Option<&Self>, name: &str) -> String {
        match place {
            None => name.to_owned(),
            Some(place) if name.is_empty() => place.to_string(),
            Some(place) => format!("{place}.{name}"),
        }
    }
}

impl Place<'_> {
    /// Returns the id of the rule `kind` that comes with the description of the parameter `name` at `place`: the path
    /// to the parameter, whichever item it is in, and the kind.
    pub(crate) fn rule(place: Option<&Self>, name: &str, kind: &str) -> String {
        let id = Self::in_any_item(place, name);
        if id.is_empty() { kind.to_owned() } else { id + "." + kind }
    }

    /// Returns the path to the parameter `name` at `place`, whichever item it is in: `orderList[].price`.
    pub(crate) fn in_any_item(place: Option<&Self>, name: &str) -> String {
        let mut path = String::new();
        if let Some(place) = place {
            place.write_lists(&mut path);
        }
        match (path.is_empty(), name.is_empty()) {
            (_, true) => {}
            (true, false) => path.push_str(name),
            (false, false) => path.extend([".", name]),
        }
        path
    }

    fn write_lists(&self, out: &mut String) {
        if let Some(outer) = self.outer {
            outer.write_lists(out);
            out.push('.');
        }
        out.push_str(self.name);
        if self.index.is_some() {
            out.push_str("[]");
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            write!(f, "{outer}.")?;
        }
        match self.index {
            Some(index) => write!(f, "{}[{index}]", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// The number of characters of a value that are shown.
const SHOWN: usize = 80;

/// Fills in the given value of each violation that lacks it.
pub(super) fn fill_in(found: &mut Violations, json: &dyn Fn() -> String) {
    if found.iter().all(|violation| !violation.given.is_empty() || violation.parameter.is_empty()) {
        return;
    }
    let json = json();
    for violation in found.iter_mut().filter(|violation| violation.given.is_empty()) {
        // The client has just written this JSON, so reading it does not fail.
        violation.given = match look_up(&mut Reader::new(&json), &violation.parameter) {
            Ok(Some(value)) => value,
            Ok(None) | Err(_) if violation.parameter.is_empty() => String::new(),
            Ok(None) | Err(_) => "nothing".to_owned(),
        };
    }
}

/// Returns the value at a path such as `orderList[3].price`, as text.
fn look_up(from: &mut Reader<'_>, path: &str) -> Result<Option<String>, ReadError> {
    if path.is_empty() {
        return shown(from);
    }
    if let Some((index, rest)) = path.strip_prefix('[').and_then(|path| path.split_once(']')) {
        return item(from, index.parse().unwrap_or(usize::MAX), rest.trim_start_matches('.'));
    }
    let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    member(from, name, rest.trim_start_matches('.'))
}

fn member(from: &mut Reader<'_>, wanted: &str, rest: &str) -> Result<Option<String>, ReadError> {
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        if name == wanted {
            return look_up(from, rest);
        }
        from.skip()?;
    }
    Ok(None)
}

fn item(from: &mut Reader<'_>, wanted: usize, rest: &str) -> Result<Option<String>, ReadError> {
    let mut elements = from.array()?;
    while let Some(index) = elements.next(from)? {
        if index == wanted {
            return look_up(from, rest);
        }
        from.skip()?;
    }
    Ok(None)
}

fn shown(from: &mut Reader<'_>) -> Result<Option<String>, ReadError> {
    let text = match from.peek() {
        Kind::Object | Kind::Array => from.raw_value()?.to_owned(),
        _ => from.scalar()?.into_owned(),
    };
    Ok(Some(shortened(&text)))
}

/// Returns `text`, or its beginning.
pub(super) fn shortened(text: &str) -> String {
    let short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() { format!("{short}...") } else { short }
}

/// A rule that a request may break, which depends on a property that is not stated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecided {
    /// The id of the rule.
    pub rule: &'static str,
    /// The property.
    pub property: String,
    /// The instrument whose property it is; `None` if it is one of the account.
    pub instrument: Option<String>,
}

/// The properties that a check asked for in vain.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    instruments: Vec<String>,
    undecided: Vec<Undecided>,
}

impl Asked {
    /// Returns what is undecided, each once.
    pub(crate) fn undecided(self) -> Vec<Undecided> {
        self.undecided
    }
}

/// Where a check notes what it asks for in vain, and the instrument that it is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notes<'a> {
    asked: &'a RefCell<Asked>,
    instrument: Option<usize>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(asked: &'a RefCell<Asked>) -> Self {
        Self { asked, instrument: None }
    }

    /// Notes the instrument that the check is about from now on.
    pub(super) fn about(&mut self, instrument: Option<&str>) {
        self.instrument = instrument.map(|instrument| {
            let known = &mut self.asked.borrow_mut().instruments;
            known.push(instrument.to_owned());
            known.len() - 1
        });
    }

    /// Notes a property of the account.
    pub(super) fn lacks(self, rule: &Rule, property: &str) {
        self.note(rule, property, None);
    }

    /// Notes a property of the instrument.
    pub(super) fn instrument_lacks(self, rule: &Rule, property: &str) {
        let name = self.instrument.and_then(|at| self.asked.borrow().instruments.get(at).cloned());
        self.note(rule, property, name);
    }

    /// Notes a flag of the instrument of this name.
    pub(super) fn lacks_flag(self, rule: &Rule, flag: &str, instrument: &str) {
        self.note(rule, flag, Some(instrument.to_owned()));
    }

    fn note(self, rule: &Rule, property: &str, instrument: Option<String>) {
        let undecided = Undecided { rule: rule.id, property: property.to_owned(), instrument };
        let all = &mut self.asked.borrow_mut().undecided;
        if !all.contains(&undecided) {
            all.push(undecided);
        }
    }
}
