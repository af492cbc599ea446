//! A file while it is read: which of its statements became part of a draft, which left a key empty, and which were not
//! read.
//!
//! Values are reached through a cursor that marks what is taken, and takes marks back where something turns out not to
//! fit. A test changes each statement of descriptions made at random: one that changes nothing must be listed.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::Value;

/// The maximum number of references that are followed in a row.
const MAX_REFERENCES: usize = 12;

/// The fate of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// The draft leaves a key empty for it, and shows it in a comment.
    LeftEmpty,
    Read,
}

/// The statements of a file, which are its values without members.
pub(super) struct Reading {
    root: Value,
    /// True if keys beside a reference count, as they do since OpenAPI 3.1.
    counts_beside_references: bool,
    marks: RefCell<HashMap<String, Mark>>,
    /// The marks that were replaced, so that they can be taken back.
    log: RefCell<Vec<(String, Option<Mark>)>>,
}

/// Statements that were not read: the value that holds them and nothing else, and how many they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unread {
    pub(super) place: String,
    pub(super) statements: usize,
}

impl Reading {
    pub(super) fn of(root: Value) -> Self {
        let version = root["openapi"].as_str().unwrap_or_default();
        let counts_beside_references = !version.starts_with("3.0");
        Self { root, counts_beside_references, marks: RefCell::default(), log: RefCell::default() }
    }

    pub(super) fn root(&self) -> Cursor<'_> {
        Cursor { reading: self, value: &self.root, at: "#".to_owned(), named: None, beside: None }
    }

    /// Returns how many statements were read, and how many left a key empty.
    pub(super) fn counts(&self) -> (usize, usize) {
        let marks = self.marks.borrow();
        let read = marks.values().filter(|mark| **mark == Mark::Read).count();
        (read, marks.len() - read)
    }

    /// Returns what was not read, in the order of the file.
    pub(super) fn unread(&self) -> Vec<Unread> {
        let mut found = Vec::new();
        if let (true, statements) = self.unread_within(&self.root, "#", &mut found) {
            found.push(Unread { place: "#".to_owned(), statements });
        }
        found
    }

    /// Adds what was not read below a value. Returns whether nothing of it was read, and its statements if so.
    fn unread_within(&self, value: &Value, at: &str, to: &mut Vec<Unread>) -> (bool, usize) {
        let members: Vec<(String, &Value)> = members(value, at);
        if members.is_empty() {
            return (!self.marks.borrow().contains_key(at), 1);
        }
        let begin = to.len();
        let mut is_unread = true;
        let mut statements = 0;
        for (place, member) in members {
            let (is_whole, count) = self.unread_within(member, &place, to);
            if is_whole {
                to.push(Unread { place, statements: count });
            }
            is_unread &= is_whole;
            statements += count;
        }
        if is_unread {
            to.truncate(begin);
        }
        (is_unread, statements)
    }

    fn mark(&self, at: &str, mark: Mark) {
        let mut marks = self.marks.borrow_mut();
        let known = marks.get(at).copied();
        if known < Some(mark) {
            self.log.borrow_mut().push((at.to_owned(), known));
            marks.insert(at.to_owned(), mark);
        }
    }

    /// Returns what can be taken back later to the state of now.
    fn checkpoint(&self) -> usize {
        self.log.borrow().len()
    }

    fn take_back(&self, checkpoint: usize) {
        let mut marks = self.marks.borrow_mut();
        for (at, known) in self.log.borrow_mut().drain(checkpoint..).rev() {
            match known {
                Some(mark) => drop(marks.insert(at, mark)),
                None => drop(marks.remove(&at)),
            }
        }
    }
}

/// Returns the members of an object or the items of a list, each with its place.
fn members<'v>(value: &'v Value, at: &str) -> Vec<(String, &'v Value)> {
    match value {
        Value::Object(members) => members.iter().map(|(name, value)| (below(at, name), value)).collect(),
        Value::Array(items) => {
            (0..).zip(items).map(|(index, value): (usize, _)| (format!("{at}/{index}"), value)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns whether a member is what YAML 1.1 calls a merge key. YAML 1.2 and JSON do not have it.
pub(super) fn is_merge(name: &str, value: &Value) -> bool {
    name == "<<" && (value.is_object() || value.is_array())
}

/// Returns the JSON pointer of a member.
pub(super) fn below(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A value with its place. Statements count as read when their text is taken.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    reading: &'a Reading,
    pub(super) value: &'a Value,
    /// A JSON pointer that begins with `#`.
    pub(super) at: String,
    /// The place that a reference led to.
    named: Option<String>,
    /// The members beside the reference, where they count.
    beside: Option<Box<Self>>,
}

impl<'a> Cursor<'a> {
    /// Returns the member, behind its references.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?;
        Some(Self { value, at: below(&self.at, key), named: None, beside: None, reading: self.reading }.resolved())
    }

    /// Returns the members of an object with their names, each behind its references. A merge key is none of them.
    pub(super) fn members(&self) -> Vec<(&'a str, Self)> {
        let members = self.value.as_object().into_iter().flatten();
        let members = members.filter(|(name, value)| !is_merge(name, value));
        members.filter_map(|(name, _)| Some((name.as_str(), self.get(name)?))).collect()
    }

    /// Returns the items of a list, each behind its references.
    pub(super) fn items(&self) -> Vec<Self> {
        let item = |(at, value)| Self { value, at, named: None, beside: None, reading: self.reading }.resolved();
        if self.value.is_array() { members(self.value, &self.at).into_iter().map(item).collect() } else { Vec::new() }
    }

    /// Returns the shared schemas that are made of this one: each refers to its place in an `allOf`.
    pub(super) fn made_of_it(&self) -> Vec<Self> {
        let Some(place) = self.reference() else { return Vec::new() };
        let schemas = self.reading.root().get("components").and_then(|all| all.get("schemas"));
        let refers = |part: &Value| part["$ref"] == place;
        let is_made = |schema: &Self| schema.value["allOf"].as_array().is_some_and(|parts| parts.iter().any(refers));
        let named = |(_, schema): (_, Self)| Self { named: Some(schema.at.clone()), ..schema };
        let all = schemas.map(|all| all.members()).unwrap_or_default();
        all.into_iter().map(named).filter(is_made).collect()
    }

    fn resolved(mut self) -> Self {
        let has_others = self.value.as_object().is_some_and(|all| all.len() > 1 && all.contains_key("$ref"));
        if has_others && self.reading.counts_beside_references {
            self.beside = Some(Box::new(self.clone()));
        }
        for _ in 0..MAX_REFERENCES {
            let Some(target) = self.value["$ref"].as_str().and_then(|target| target.strip_prefix('#')) else { break };
            let Some(found) = self.reading.root.pointer(target) else { break };
            self.reading.mark(&below(&self.at, "$ref"), Mark::Read);
            (self.value, self.at) = (found, format!("#{target}"));
            self.named = Some(self.at.clone());
        }
        self
    }

    /// Returns what is beside the reference that led here; it names no place of its own.
    pub(super) fn beside(&self) -> Option<&Self> {
        self.beside.as_deref()
    }

    /// Returns the value without what is beside the reference that led to it.
    pub(super) fn alone(&self) -> Self {
        Self { beside: None, ..self.clone() }
    }

    /// Returns the place that a reference led to, which names the value.
    pub(super) fn reference(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// Returns the last part of the place that a reference led to.
    pub(super) fn name(&self) -> Option<String> {
        let last = self.named.as_deref()?.rsplit('/').next()?;
        Some(last.replace("~1", "/").replace("~0", "~"))
    }

    /// Returns the text of a member, which counts as read.
    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        let text = self.value.get(key)?.as_str()?;
        self.reading.mark(&below(&self.at, key), Mark::Read);
        Some(text)
    }

    /// Returns the text of a member, for the comment beside an empty key.
    pub(super) fn text_beside_gap(&self, key: &str) -> Option<&'a str> {
        let text = self.value.get(key)?.as_str()?;
        self.reading.mark(&below(&self.at, key), Mark::LeftEmpty);
        Some(text)
    }

    /// Returns whether a member is true; a boolean counts as read.
    pub(super) fn is_true(&self, key: &str) -> bool {
        let Some(truth) = self.value.get(key).and_then(Value::as_bool) else { return false };
        self.reading.mark(&below(&self.at, key), Mark::Read);
        truth
    }

    /// Returns a text, a number or a boolean as text, which counts as read.
    pub(super) fn scalar(&self, key: &str) -> Option<String> {
        let text = scalar(self.value.get(key)?)?;
        self.reading.mark(&below(&self.at, key), Mark::Read);
        Some(text)
    }

    /// Reads something that may turn out not to fit: then nothing of it counts as read.
    pub(super) fn attempt<T>(&self, read: impl FnOnce() -> Option<T>) -> Option<T> {
        let checkpoint = self.reading.checkpoint();
        let found = read();
        if found.is_none() {
            self.reading.take_back(checkpoint);
        }
        found
    }

    /// Looks ahead: nothing that is looked at counts as read.
    pub(super) fn peek<T>(&self, look: impl FnOnce() -> T) -> T {
        let checkpoint = self.reading.checkpoint();
        let found = look();
        self.reading.take_back(checkpoint);
        found
    }

    /// Marks a member, or everything below it.
    pub(super) fn mark(&self, key: &str, mark: Mark) {
        if let Some(value) = self.value.get(key) {
            self.mark_below(value, &below(&self.at, key), mark);
        }
    }

    /// Counts an item of a list as read.
    pub(super) fn mark_item(&self, key: &str, index: usize) {
        self.reading.mark(&format!("{}/{index}", below(&self.at, key)), Mark::Read);
    }

    /// Marks everything below the value.
    pub(super) fn mark_all(&self, mark: Mark) {
        self.mark_below(self.value, &self.at, mark);
    }

    fn mark_below(&self, value: &Value, at: &str, mark: Mark) {
        let members = members(value, at);
        if members.is_empty() {
            self.reading.mark(at, mark);
        }
        members.into_iter().for_each(|(place, value)| self.mark_below(value, &place, mark));
    }
}

/// Returns a text, a number or a boolean as text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
