//! What the readers found in a document.

use std::collections::BTreeMap;
use std::ops::Range;

use super::text::Span;

/// A kind of fact and what it is about; what it says is the value.
pub(super) type Key = Vec<String>;

/// Makes a key.
pub(super) fn key<const N: usize>(parts: [&str; N]) -> Key {
    parts.map(str::to_owned).to_vec()
}

/// How firmly a document states something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Force {
    /// In so many words.
    Stated,
    /// By pointing at another statement, which has this key.
    By(Key),
    /// Under the same name elsewhere. It counts as said when it agrees, and says nothing when it does not.
    Namesake,
}

/// One thing that a document states.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) key: Key,
    pub(super) value: String,
    pub(super) at: usize,
    pub(super) force: Force,
}

/// A list of values, each with the byte it stands at.
#[derive(Clone, Debug, Default)]
pub(super) struct Listed {
    pub(super) values: Vec<(String, usize)>,
    /// The statement that it belongs to, without the value.
    pub(super) of: Key,
}

/// All of it.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) statements: Vec<Statement>,
    /// A list is complete, and this is not on it.
    pub(super) missing: Vec<(Key, usize)>,
    /// A name on a list that stands for another one in the schema: the key it has there, the new name.
    pub(super) renamed: Vec<(Key, String, usize)>,
    /// What was understood.
    pub(super) read: Vec<Range<usize>>,
    /// The latest list of values under a name, of parameters and of fields.
    pub(super) lists: BTreeMap<String, Listed>,
    /// Sections that the schema knows nothing of; what they say is not compared.
    pub(super) new_sections: Vec<Range<usize>>,
}

impl Findings {
    pub(super) fn state(&mut self, key: Key, value: impl Into<String>, at: Span<'_>) {
        self.read(at);
        self.state_with(key, value, at.at, Force::Stated);
    }

    pub(super) fn state_with(&mut self, key: Key, value: impl Into<String>, at: usize, force: Force) {
        self.statements.push(Statement { key, value: value.into(), at, force });
    }

    pub(super) fn read(&mut self, span: Span<'_>) {
        self.read.push(span.range());
    }

    /// The statements about a key, the latest one last.
    pub(super) fn about(&self, key: &Key) -> impl Iterator<Item = &Statement> {
        self.statements.iter().filter(move |statement| statement.key == *key)
    }
}
