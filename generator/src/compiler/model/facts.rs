//! The claims of the schema about the API in the form of the documents: by names on the wire. To compare a document
//! with the schema is to compare two sets of facts. The elements of the model state them.

use super::{Duration, JsonType, Method, Need, RuleKind, Scope};

/// A claim of the schema about the API. The first member is its subject: an operation by its id, a family by its name,
/// or a record by both names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    Endpoint {
        operation: String,
        method: Method,
        path: String,
    },
    Rate {
        operation: String,
        calls: u32,
        every: Duration,
        scope: Scope,
        class: String,
    },
    Permission {
        operation: String,
        text: String,
    },
    Header {
        operation: String,
        header: String,
    },
    Window {
        operation: String,
        bound: WindowBound,
        length: Duration,
    },
    Parameter {
        operation: String,
        path: String,
        need: Need,
        json: JsonType,
    },
    ParameterValue {
        operation: String,
        path: String,
        value: String,
    },
    ParameterDefault {
        operation: String,
        path: String,
        default: String,
    },
    ParameterMax {
        operation: String,
        path: String,
        max: String,
    },
    /// An operation, a parameter, a field of a record or a value of an enum that the document advises against.
    Deprecated {
        about: String,
        path: String,
        says: String,
    },
    /// A parameter that the operation does not support, although others do.
    Unsupported {
        operation: String,
        path: String,
    },
    /// Exactly one of these parameters is sent.
    OneOf {
        operation: String,
        paths: Vec<String>,
    },
    /// The alternative that counts when several are sent.
    Wins {
        operation: String,
        path: String,
    },
    ResponseShape {
        operation: String,
        shape: ResponseShape,
    },
    ResponseField {
        operation: String,
        path: String,
        json: JsonType,
    },
    RecordField {
        record: String,
        field: String,
        json: JsonType,
    },
    RecordValue {
        record: String,
        field: String,
        value: String,
    },
    /// A record is one of several; what tells it from the others are values of a member, or members.
    RecordCase {
        record: String,
        case: String,
        told_by: Vec<String>,
    },
    Error {
        family: String,
        code: String,
        text: String,
    },
    State {
        family: String,
        state: String,
    },
    Transition {
        family: String,
        from: String,
        trigger: String,
        to: String,
    },
    Rule {
        about: String,
        rule: String,
        kind: RuleKind,
    },
    OpenQuestion {
        about: String,
        says: String,
    },
    Contradiction {
        about: String,
        readings: Vec<String>,
    },
    Observed {
        about: String,
        says: String,
    },
}

/// The bound that a window fact states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowBound {
    Span,
    Access,
    Default,
}

impl WindowBound {
    /// Returns the key in the schema.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Span => "span",
            Self::Access => "access",
            Self::Default => "default",
        }
    }
}

/// The shape of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResponseShape {
    Object,
    Array,
    /// A list and this cursor.
    Page(String),
}

impl std::fmt::Display for ResponseShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Object => f.write_str("object"),
            Self::Array => f.write_str("array"),
            Self::Page(cursor) => write!(f, "list+{cursor}"),
        }
    }
}

impl Fact {
    /// Returns the columns of its line: the kind, the subject, and the statement.
    fn columns(&self) -> Vec<String> {
        let texts =
            |texts: &[&str]| std::iter::once(self.kind()).chain(texts.iter().copied()).map(str::to_owned).collect();
        match self {
            Self::Endpoint { operation, method, path } => texts(&[operation, method.as_str(), path]),
            Self::Rate { operation, calls, every, scope, class } => {
                texts(&[operation, &calls.to_string(), &every.window(), scope.as_str(), class])
            }
            Self::Permission { operation, text } => texts(&[operation, text]),
            Self::Header { operation, header } => texts(&[header, operation]),
            Self::Window { operation, bound, length } => texts(&[operation, bound.as_str(), &length.to_string()]),
            Self::Parameter { operation, path, need, json } => texts(&[operation, path, need.as_fact(), json.as_str()]),
            Self::ParameterValue { operation, path, value } => texts(&[operation, path, value]),
            Self::ParameterDefault { operation, path, default } => texts(&[operation, path, default]),
            Self::ParameterMax { operation, path, max } => texts(&[operation, path, max]),
            Self::Deprecated { about, path, says } => texts(&[about, path, says]),
            Self::Unsupported { operation, path } => texts(&[operation, path]),
            Self::OneOf { operation, paths } => texts(&[operation, &paths.join(",")]),
            Self::Wins { operation, path } => texts(&[operation, path]),
            Self::ResponseShape { operation, shape } => texts(&[operation, &shape.to_string()]),
            Self::ResponseField { operation, path, json } => texts(&[operation, path, json.as_str()]),
            Self::RecordField { record, field, json } => texts(&[record, field, json.as_str()]),
            Self::RecordValue { record, field, value } => texts(&[record, field, value]),
            Self::RecordCase { record, case, told_by } => texts(&[record, case, &told_by.join(",")]),
            Self::Error { family, code, text } => texts(&[family, code, text]),
            Self::State { family, state } => texts(&[family, state]),
            Self::Transition { family, from, trigger, to } => texts(&[family, from, trigger, to]),
            Self::Rule { about, rule, kind } => texts(&[about, rule, kind.as_str()]),
            Self::OpenQuestion { about, says } => texts(&[about, says]),
            Self::Contradiction { about, readings } => texts(&[about, &readings.join(" / ")]),
            Self::Observed { about, says } => texts(&[about, says]),
        }
    }

    /// Returns the kind, which is the first column.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Endpoint { .. } => "endpoint",
            Self::Rate { .. } => "rate",
            Self::Permission { .. } => "permission",
            Self::Header { .. } => "headeron",
            Self::Window { .. } => "window",
            Self::Parameter { .. } => "param",
            Self::ParameterValue { .. } => "paramenum",
            Self::ParameterDefault { .. } => "paramdefault",
            Self::ParameterMax { .. } => "parammax",
            Self::Deprecated { .. } => "deprecated",
            Self::Unsupported { .. } => "unsupported",
            Self::OneOf { .. } => "oneof",
            Self::Wins { .. } => "wins",
            Self::ResponseShape { .. } => "respshape",
            Self::ResponseField { .. } => "respfield",
            Self::RecordField { .. } => "record",
            Self::RecordValue { .. } => "recordenum",
            Self::RecordCase { .. } => "recordcase",
            Self::Error { .. } => "error",
            Self::State { .. } => "state",
            Self::Transition { .. } => "transition",
            Self::Rule { .. } => "rule",
            Self::OpenQuestion { .. } => "notshown",
            Self::Contradiction { .. } => "contradiction",
            Self::Observed { .. } => "observed",
        }
    }

    /// Returns the columns, separated by tabs, with every text on one line.
    pub(crate) fn line(&self) -> String {
        let one_line = |column: &String| column.split_whitespace().collect::<Vec<_>>().join(" ");
        self.columns().iter().map(one_line).collect::<Vec<_>>().join("\t")
    }
}
