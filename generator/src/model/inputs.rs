//! The inputs of an emitted file: the parts of the model that are read while it is made.
//!
//! Most of a model is an input of every file. The parts below change when a single operation is edited, so their reads
//! are recorded: a file that was made without reading an operation stays the same when only that operation changes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;

use super::{Api, Batch, Operation, Response, Reviewed};

/// A part of a model that is an input only of the files that read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Input {
    /// One operation, by its id.
    Operation(String),
    /// All operations of a family.
    Family(String),
    /// The ids of the rules of each operation of a family.
    Rules(String),
    /// The sections of documents that the schema's files were last checked against.
    Reviewed,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(id) => write!(f, "operation {id}"),
            Self::Family(name) => write!(f, "family {name}"),
            Self::Rules(name) => write!(f, "rules {name}"),
            Self::Reviewed => f.write_str("reviewed"),
        }
    }
}

impl Input {
    /// Parses the output of [`Display`](fmt::Display).
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            Some(("operation", id)) => Some(Self::Operation(id.to_owned())),
            Some(("family", name)) => Some(Self::Family(name.to_owned())),
            Some(("rules", name)) => Some(Self::Rules(name.to_owned())),
            _ => (text == "reviewed").then_some(Self::Reviewed),
        }
    }
}

thread_local! {
    /// The inputs that this thread has read, while it records them.
    static NOTES: RefCell<Option<BTreeSet<Input>>> = const { RefCell::new(None) };
}

/// Runs some work, which stays on this thread, and returns its result with the inputs that it read.
pub(crate) fn noting<T>(work: impl FnOnce() -> T) -> (T, BTreeSet<Input>) {
    let before = NOTES.replace(Some(BTreeSet::new()));
    let done = work();
    (done, NOTES.replace(before).unwrap_or_default())
}

fn note(input: impl FnOnce() -> Input) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.insert(input());
        }
    });
}

/// The operations of a family. Each is an input of its own, so the hash of the family does not include them, except for
/// which of them are queried, and how the answers of batches state their results.
#[derive(Clone, Debug)]
pub(crate) struct Operations {
    family: String,
    all: Vec<Operation>,
}

impl Operations {
    pub(crate) fn new(family: &str, all: Vec<Operation>) -> Self {
        Self { family: family.to_owned(), all }
    }

    /// The operation with this name. A reader depends on this operation only.
    pub(crate) fn named(&self, name: &str) -> Option<&Operation> {
        let Some(found) = self.all.iter().find(|operation| operation.name == name) else {
            note(|| Input::Family(self.family.clone()));
            return None;
        };
        note(|| Input::Operation(found.id.clone()));
        Some(found)
    }

    /// The name of each operation with the id of each of its rules.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        note(|| Input::Rules(self.family.clone()));
        self.unnoted_rules()
    }

    fn unnoted_rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all.iter().flat_map(|operation| {
            let ids = operation.statements.rules.iter().map(|rule| rule.id.as_str());
            ids.map(|id| (operation.name.as_str(), id))
        })
    }

    /// Whether an operation confirms its effect by a query of the operation with this name. This is not an input of its
    /// own: the hash of the family includes it, because every file of an operation depends on it.
    pub(crate) fn is_queried(&self, name: &str) -> bool {
        self.queried().any(|queried| queried == name)
    }

    fn queried(&self) -> impl Iterator<Item = &str> {
        let confirms = self.all.iter().filter_map(|operation| operation.confirm.as_ref());
        confirms.flat_map(|confirm| std::iter::once(&confirm.by).chain(&confirm.then)).map(|(name, _)| name.as_str())
    }

    /// The answers of batches, and how they state the results. Like [`is_queried`](Self::is_queried), it is part of the
    /// hash of the family, so that other operations and records do not depend on whole operations.
    pub(crate) fn batches(&self) -> impl Iterator<Item = (&Response, &Batch)> {
        self.all.iter().filter_map(|operation| Some((&operation.response, operation.batch.as_ref()?)))
    }

    /// Where answers state why an item of a request failed: the record of the answer, its member with failed items
    /// unless the answer itself lists them, and the member with the code.
    pub(crate) fn item_codes(&self) -> impl Iterator<Item = (usize, Option<&str>, &str)> {
        self.batches().filter_map(|(response, batch)| {
            let (record, list) = match *response {
                Response::Array { record, .. } => (record, None),
                Response::Object { record } => (record, Some(batch.failed.as_ref()?.0.as_str())),
                Response::Page { .. } | Response::Undefined => return None,
            };
            Some((record, list, batch.code.as_ref()?.0.as_str()))
        })
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Operation> {
        self.all.iter_mut()
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Operation) -> bool) {
        self.all.retain(keep);
    }
}

impl Deref for Operations {
    type Target = [Operation];

    fn deref(&self) -> &[Operation] {
        note(|| Input::Family(self.family.clone()));
        &self.all
    }
}

impl<'a> IntoIterator for &'a Operations {
    type Item = &'a Operation;
    type IntoIter = std::slice::Iter<'a, Operation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Hash for Operations {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.queried().collect::<BTreeSet<_>>().hash(state);
        self.batches().collect::<Vec<_>>().hash(state);
    }
}

/// The sections of documents that the schema's files were last checked against; an input only of the files that read
/// them.
#[derive(Clone, Debug)]
pub(crate) struct AllReviewed(Vec<Reviewed>);

impl AllReviewed {
    pub(crate) fn new(all: Vec<Reviewed>) -> Self {
        Self(all)
    }
}

impl Deref for AllReviewed {
    type Target = [Reviewed];

    fn deref(&self) -> &[Reviewed] {
        note(|| Input::Reviewed);
        &self.0
    }
}

impl Hash for AllReviewed {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// The digest of each input that a file of the model can have.
#[derive(Debug)]
pub(crate) struct Digests {
    /// The digest of the inputs that all files share, including `also`.
    shared: u64,
    parts: BTreeMap<Input, u64>,
}

impl Digests {
    /// The digests of a model; `also` describes how files are made from it.
    pub(crate) fn of(api: &Api, also: &impl Hash) -> Self {
        let mut parts = BTreeMap::from([(Input::Reviewed, digest(&api.reviewed.0))]);
        for family in &api.families {
            let all: Vec<u64> = family.operations.all.iter().map(digest).collect();
            let operations = family.operations.all.iter().map(|operation| Input::Operation(operation.id.clone()));
            parts.insert(Input::Family(family.name.clone()), digest(&all));
            let rules: Vec<_> = family.operations.unnoted_rules().collect();
            parts.insert(Input::Rules(family.name.clone()), digest(&rules));
            parts.extend(operations.zip(all));
        }
        Self { shared: digest(&(api, also)), parts }
    }

    /// The digest of all inputs of a file that was made from these parts; `None` if one of them does not exist.
    pub(crate) fn of_inputs(&self, inputs: &BTreeSet<Input>) -> Option<u64> {
        let parts: Option<Vec<u64>> = inputs.iter().map(|input| self.parts.get(input).copied()).collect();
        Some(digest(&(self.shared, parts?)))
    }
}

/// A digest that is the same in each run of a program.
pub(crate) fn digest(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Place;

    #[test]
    fn what_has_only_moved_has_the_same_digest() {
        let at = |line| ("name", Place { line, ..Place::default() });
        assert_eq!(digest(&at(1)), digest(&at(2)));
        assert_ne!(digest(&at(1)), digest(&("other", at(1).1)));
    }
}
