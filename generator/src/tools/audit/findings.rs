//! Findings of the readers in a document, and the text that no reader understood.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use super::document::{Block, Document};
use super::text::{Span, overlaps};

/// A property of all facts of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Property {
    /// They are about a parameter.
    OfParameter,
    /// Documents always state them if they are true.
    AlwaysStated,
    /// They bound a number, or are a default.
    Bound,
    /// An owner can have several at once, so that a removed and an added one may be one change.
    OneOfASet,
}

/// Declares the kinds of facts, in the order of their words, each with its word and its properties. The word is the one that
/// `facts` prints, if it has lines there.
macro_rules! kinds {
    ($($kind:ident = $word:literal $(: $($of:ident),+)?;)+) => {
        /// The kinds of facts, in the order of their words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum FactKind {
            $($kind,)+
        }

        impl FactKind {
            /// Returns the word.
            pub(super) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)+
                }
            }

            fn properties(self) -> &'static [Property] {
                match self {
                    $(Self::$kind => &[$($(Property::$of),+)?],)+
                }
            }
        }
    };
}

kinds! {
    Alphabet = "alphabet": AlwaysStated;
    Both = "both": AlwaysStated;
    Ceiling = "ceiling": AlwaysStated;
    Credential = "credential": OneOfASet;
    Deprecated = "deprecated": OfParameter, AlwaysStated;
    Digits = "digits": OfParameter, AlwaysStated, Bound;
    Edit = "edit": OfParameter;
    Endpoint = "endpoint": AlwaysStated;
    Envelope = "envelope": OneOfASet;
    Error = "error": OneOfASet;
    Form = "form": AlwaysStated, OneOfASet;
    Header = "header";
    HeaderOn = "headeron";
    Length = "length": AlwaysStated, Bound;
    NamedValues = "named";
    OneOf = "oneof": AlwaysStated, OneOfASet;
    Parameter = "param": OfParameter, AlwaysStated;
    ParameterDefault = "paramdefault": OfParameter, AlwaysStated, Bound;
    ParameterValue = "paramenum": OfParameter, OneOfASet;
    ParameterMax = "parammax": OfParameter, AlwaysStated, Bound;
    ParameterMin = "parammin": OfParameter;
    Permission = "permission";
    Rate = "rate": AlwaysStated;
    RecordCase = "recordcase": OneOfASet;
    RecordField = "record";
    RecordValue = "recordenum": OneOfASet;
    ResponseField = "respfield";
    ResponseShape = "respshape": AlwaysStated;
    State = "state": OneOfASet;
    TimeUnit = "timeunit": OfParameter;
    Title = "title": AlwaysStated;
    Transition = "transition": OneOfASet;
    Type = "type": OfParameter;
    Unit = "unit": OfParameter;
    Unsupported = "unsupported";
    Weight = "weight": AlwaysStated;
    Whitelisted = "whitelisted": AlwaysStated;
    Window = "window": AlwaysStated;
    Wins = "wins": AlwaysStated;
}

impl FactKind {
    /// Returns whether it is a fact about a parameter.
    pub(super) fn is_of_parameter(self) -> bool {
        self.properties().contains(&Property::OfParameter)
    }

    /// Returns whether documents always state it if it is true.
    pub(super) fn is_always_stated(self) -> bool {
        self.properties().contains(&Property::AlwaysStated)
    }

    /// Returns whether it bounds a number, or is a default.
    pub(super) fn is_bound(self) -> bool {
        self.properties().contains(&Property::Bound)
    }

    /// Returns whether it is about the length or the characters of an id, which all operations of a family share.
    pub(super) fn is_spelling(self) -> bool {
        matches!(self, Self::Length | Self::Alphabet)
    }

    /// Returns whether its value is a number, or may be one.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::ParameterMin | Self::ParameterMax | Self::ParameterDefault)
    }

    /// Returns whether an owner can have several at once, so that a removed and an added one may be one change.
    pub(super) fn is_one_of_a_set(self) -> bool {
        self.properties().contains(&Property::OneOfASet)
    }
}

/// A kind of fact with the names of its subject, the owner first; the value is what the fact states.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FactKey {
    pub(super) kind: FactKind,
    pub(super) names: Vec<String>,
}

/// Creates a key.
pub(super) fn key<const N: usize>(kind: FactKind, names: [&str; N]) -> FactKey {
    FactKey { kind, names: names.map(str::to_owned).to_vec() }
}

/// Creates the key of a parameter.
pub(super) fn parameter_key(operation: &str, name: &str) -> FactKey {
    key(FactKind::Parameter, [operation, name])
}

impl FactKey {
    /// Returns the operation, record, family or document that the fact belongs to.
    pub(super) fn owner(&self) -> Option<&String> {
        self.names.first()
    }

    /// Returns the name of the subject within its owner.
    pub(super) fn name(&self) -> Option<&String> {
        self.names.get(1)
    }

    pub(super) fn last(&self) -> Option<&String> {
        self.names.last()
    }

    pub(super) fn starts_with(&self, start: &Self) -> bool {
        self.kind == start.kind && self.names.starts_with(&start.names)
    }

    /// Returns the same key with one more name.
    pub(super) fn with(&self, name: &str) -> Self {
        let names = self.names.iter().cloned().chain([name.to_owned()]).collect();
        Self { kind: self.kind, names }
    }
}

impl fmt::Display for FactKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.as_str(), self.names.join(" "))
    }
}

/// The degree to which a document states something explicitly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// Explicitly.
    Stated,
    /// By a reference to another statement, which has this key.
    By(FactKey),
    /// About the same name elsewhere. It counts as stated if it agrees, and is ignored if not.
    Namesake,
    /// In words that no reader knows: what the schema claims is neither stated nor missing. Words that changed are
    /// reviewed in any case.
    Unread,
}

/// One statement of a document.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) key: FactKey,
    pub(super) value: String,
    pub(super) at: usize,
    pub(super) force: Basis,
}

impl Statement {
    /// Returns the basis of the same statement about something that refers to this one.
    pub(super) fn referred(&self) -> Basis {
        if self.force == Basis::Unread { Basis::Unread } else { Basis::By(self.key.clone()) }
    }
}

/// A list of values, each with its byte in the text.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) values: Vec<(String, usize)>,
    /// The key of the statement that the list belongs to, without the value.
    pub(super) of: FactKey,
}

/// All findings of a document.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) statements: Vec<Statement>,
    /// Keys that are missing from a complete list.
    pub(super) missing: Vec<(FactKey, usize)>,
    /// A name in a list that replaces another one of the schema: the key in the schema, and the new name.
    pub(super) renamed: Vec<(FactKey, String, usize)>,
    /// The parts of the text that were understood.
    pub(super) read: Vec<Range<usize>>,
    /// The latest list of values for each name of a parameter or field.
    pub(super) lists: BTreeMap<String, Listed>,
    /// For operations that the schema does not have: the words that describe the content of their answers.
    pub(super) answers: Vec<(String, String)>,
    /// Parameters whose note says that they take the end of the previous answer, each with its operation.
    pub(super) nexts: Vec<(String, String)>,
    /// Operations whose section says that they have no parameters.
    pub(super) without_parameters: BTreeSet<String>,
    /// The types of parameters that take one of a list of values.
    pub(super) enums: BTreeSet<FactKey>,
    /// Sections that the schema does not know; their statements are not compared.
    pub(super) new_sections: Vec<Range<usize>>,
}

impl Findings {
    pub(super) fn state(&mut self, key: FactKey, value: impl Into<String>, at: Span<'_>) {
        self.read(at);
        self.state_with(key, value, at.at, Basis::Stated);
    }

    pub(super) fn state_with(&mut self, key: FactKey, value: impl Into<String>, at: usize, force: Basis) {
        self.statements.push(Statement { key, value: value.into(), at, force });
    }

    pub(super) fn read(&mut self, span: Span<'_>) {
        self.read.push(span.range());
    }

    /// Returns the statements with a key, in order.
    pub(super) fn about(&self, key: &FactKey) -> impl Iterator<Item = &Statement> {
        self.statements.iter().filter(move |statement| statement.key == *key)
    }
}

/// A line that was not fully understood, and whether it was in part.
pub(super) type UnreadLine = (usize, bool);

/// Returns the lines with sentences or table rows from which no reader took anything.
pub(super) fn unread_lines(document: &Document, found: &Findings) -> Vec<UnreadLine> {
    let (known, unknown): (Vec<_>, Vec<_>) = units(document, found).into_iter().partition(|(_, is_read)| *is_read);
    let on_line = |(unit, _): &(Range<usize>, bool)| document.line(unit.start);
    let known: BTreeSet<usize> = known.iter().map(on_line).collect();
    let mut lines: Vec<UnreadLine> = unknown.iter().map(on_line).map(|line| (line, known.contains(&line))).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Returns whether every word of a sentence or a row was understood.
pub(super) fn is_whole(document: &Document, found: &Findings, unit: &Range<usize>) -> bool {
    let words = document.span(unit).words();
    words.into_iter().all(|word| found.read.iter().any(|read| overlaps(read, &word.range())))
}

/// Returns every sentence and table row, and whether a reader took anything from it.
pub(super) fn units(document: &Document, found: &Findings) -> Vec<(Range<usize>, bool)> {
    let mut read: Vec<Range<usize>> = found.read.clone();
    read.extend(found.statements.iter().map(|statement| statement.at..statement.at + 1));
    let mut units: Vec<Range<usize>> = Vec::new();
    for block in document.sections.iter().flat_map(|section| &section.blocks) {
        match block {
            Block::Text(range) | Block::Item { text: range, .. } => {
                units.extend(document.span(range).sentences().into_iter().map(|sentence| sentence.range()));
            }
            Block::Table { rows, .. } => {
                units.extend(rows.iter().filter_map(|row| Some(row.first()?.start..row.last()?.end)));
            }
        }
    }
    // The farthest end of those that start before each.
    read.sort_unstable_by_key(|read| read.start);
    let mut end = 0;
    read.iter_mut().for_each(|read| {
        end = end.max(read.end);
        read.end = end;
    });
    let is_read = |unit: &Range<usize>| {
        let before = read.partition_point(|read| read.start < unit.end);
        before.checked_sub(1).is_some_and(|last| read[last].end > unit.start)
    };
    units.into_iter().map(|unit| (unit.clone(), is_read(&unit))).collect()
}
