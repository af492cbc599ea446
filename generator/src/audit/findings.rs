//! What the readers find in a document.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::text::Span;

/// The kinds of facts, in the order of their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FactKind {
    Alphabet,
    Both,
    Ceiling,
    Credential,
    Deprecated,
    Digits,
    Edit,
    Endpoint,
    Envelope,
    Error,
    Form,
    Header,
    HeaderOn,
    Length,
    NamedValues,
    OneOf,
    Parameter,
    ParameterDefault,
    ParameterValue,
    ParameterMax,
    ParameterMin,
    Permission,
    Rate,
    RecordCase,
    RecordField,
    RecordValue,
    ResponseField,
    ResponseShape,
    State,
    TimeUnit,
    Title,
    Transition,
    Type,
    Unit,
    Unsupported,
    Whitelisted,
    Window,
    Wins,
}

impl FactKind {
    /// Its name; the one that `facts` prints, if it has lines there.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Alphabet => "alphabet",
            Self::Both => "both",
            Self::Ceiling => "ceiling",
            Self::Credential => "credential",
            Self::Deprecated => "deprecated",
            Self::Digits => "digits",
            Self::Edit => "edit",
            Self::Endpoint => "endpoint",
            Self::Envelope => "envelope",
            Self::Error => "error",
            Self::Form => "form",
            Self::Header => "header",
            Self::HeaderOn => "headeron",
            Self::Length => "length",
            Self::NamedValues => "named",
            Self::OneOf => "oneof",
            Self::Parameter => "param",
            Self::ParameterDefault => "paramdefault",
            Self::ParameterValue => "paramenum",
            Self::ParameterMax => "parammax",
            Self::ParameterMin => "parammin",
            Self::Permission => "permission",
            Self::Rate => "rate",
            Self::RecordCase => "recordcase",
            Self::RecordField => "record",
            Self::RecordValue => "recordenum",
            Self::ResponseField => "respfield",
            Self::ResponseShape => "respshape",
            Self::State => "state",
            Self::TimeUnit => "timeunit",
            Self::Title => "title",
            Self::Transition => "transition",
            Self::Type => "type",
            Self::Unit => "unit",
            Self::Unsupported => "unsupported",
            Self::Whitelisted => "whitelisted",
            Self::Window => "window",
            Self::Wins => "wins",
        }
    }
}

impl FactKind {
    /// Whether it is a fact about a parameter.
    pub(super) fn is_of_parameter(self) -> bool {
        matches!(
            self,
            Self::Parameter
                | Self::Type
                | Self::ParameterValue
                | Self::Deprecated
                | Self::ParameterDefault
                | Self::ParameterMax
                | Self::ParameterMin
                | Self::Digits
                | Self::Unit
                | Self::TimeUnit
                | Self::Edit
        )
    }

    /// Whether documents always state it if it is true.
    pub(super) fn is_always_stated(self) -> bool {
        match self {
            Self::Endpoint
            | Self::Rate
            | Self::Parameter
            | Self::ParameterDefault
            | Self::ParameterMax
            | Self::OneOf
            | Self::Wins
            | Self::Window
            | Self::ResponseShape
            | Self::Whitelisted
            | Self::Deprecated
            | Self::Both
            | Self::Digits
            | Self::Ceiling
            | Self::Length
            | Self::Alphabet
            | Self::Title
            | Self::Form => true,
            Self::Credential
            | Self::Edit
            | Self::Envelope
            | Self::Error
            | Self::Header
            | Self::HeaderOn
            | Self::NamedValues
            | Self::ParameterMin
            | Self::ParameterValue
            | Self::Permission
            | Self::RecordCase
            | Self::RecordField
            | Self::RecordValue
            | Self::ResponseField
            | Self::State
            | Self::TimeUnit
            | Self::Transition
            | Self::Type
            | Self::Unit
            | Self::Unsupported => false,
        }
    }

    /// Whether it bounds a number, or is a default.
    pub(super) fn is_bound(self) -> bool {
        matches!(self, Self::ParameterDefault | Self::ParameterMax | Self::Digits | Self::Length)
    }

    /// Whether an owner can have several at once, so that a removed and an added one may be one change.
    pub(super) fn is_one_of_a_set(self) -> bool {
        matches!(
            self,
            Self::ParameterValue
                | Self::RecordCase
                | Self::RecordValue
                | Self::State
                | Self::Transition
                | Self::OneOf
                | Self::Form
                | Self::Error
                | Self::Credential
                | Self::Envelope
        )
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

impl FactKey {
    /// The operation, record, family or document that the fact belongs to.
    pub(super) fn owner(&self) -> Option<&String> {
        self.names.first()
    }

    /// The name of the subject within its owner.
    pub(super) fn name(&self) -> Option<&String> {
        self.names.get(1)
    }

    pub(super) fn last(&self) -> Option<&String> {
        self.names.last()
    }

    pub(super) fn starts_with(&self, start: &Self) -> bool {
        self.kind == start.kind && self.names.starts_with(&start.names)
    }

    /// The same key with one more name.
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

/// How explicitly a document states something.
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
    /// The basis of the same statement about something that refers to this one.
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

    /// The statements with a key, in order.
    pub(super) fn about(&self, key: &FactKey) -> impl Iterator<Item = &Statement> {
        self.statements.iter().filter(move |statement| statement.key == *key)
    }
}
