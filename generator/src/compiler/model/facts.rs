//! The claims of the schema about the API in the form of the documents: by names on the wire. To compare a document
//! with the schema is to compare two sets of facts. The elements of the model state them.

use tradeapi_words::words;

use super::{Duration, JsonType, Method, Need, RuleKind, Scope};

/// Declares facts: each with its kind, which is the first column of its line, and the other columns. A column is written
/// as its type says, or as the function behind it does.
macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident = $kind:literal { $($column:ident: $type:ty $(=> $written:path)?),* })*) => {
        /// A claim of the schema about the API. The first member is its subject: an operation by its id, a family by its
        /// name, or a record by both names.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) enum Fact {
            $($(#[$doc])* $name { $($column: $type,)* },)*
        }

        impl Fact {
            /// Returns the kind.
            pub(crate) fn kind(&self) -> &'static str {
                match self { $(Self::$name { .. } => $kind,)* }
            }

            /// Returns the columns that follow the kind.
            fn columns(&self) -> Vec<String> {
                match self { $(Self::$name { $($column),* } => vec![$(facts!(@column $column $($written)?)),*],)* }
            }
        }
    };
    (@column $column:ident) => { $column.column() };
    (@column $column:ident $written:path) => { $written(*$column) };
}

facts! {
    Endpoint = "endpoint" { operation: String, method: Method, path: String }
    Rate = "rate" { operation: String, calls: u32, every: Duration => Duration::window, scope: Scope, class: String }
    Permission = "permission" { operation: String, text: String }
    Header = "headeron" { header: String, operation: String }
    Window = "window" { operation: String, bound: WindowBound, length: Duration }
    Parameter = "param" { operation: String, path: String, need: Need, json: JsonType }
    ParameterValue = "paramenum" { operation: String, path: String, value: String }
    ParameterDefault = "paramdefault" { operation: String, path: String, default: String }
    ParameterMax = "parammax" { operation: String, path: String, max: String }
    /// An operation, a parameter, a field of a record or a value of an enum that the document advises against.
    Deprecated = "deprecated" { about: String, path: String, says: String }
    /// A parameter that the operation does not support, although others do.
    Unsupported = "unsupported" { operation: String, path: String }
    /// Exactly one of these parameters is sent.
    OneOf = "oneof" { operation: String, paths: Vec<String> }
    /// The alternative that counts when several are sent.
    Wins = "wins" { operation: String, path: String }
    ResponseShape = "respshape" { operation: String, shape: ResponseShape }
    ResponseField = "respfield" { operation: String, path: String, json: JsonType }
    RecordField = "record" { record: String, field: String, json: JsonType }
    RecordValue = "recordenum" { record: String, field: String, value: String }
    /// A record is one of several; what tells it from the others are values of a member, or members.
    RecordCase = "recordcase" { record: String, case: String, told_by: Vec<String> }
    Error = "error" { family: String, code: String, text: String }
    State = "state" { family: String, state: String }
    Transition = "transition" { family: String, from: String, trigger: String, to: String }
    Rule = "rule" { about: String, rule: String, kind: RuleKind }
    OpenQuestion = "notshown" { about: String, says: String }
    Contradiction = "contradiction" { about: String, readings: String }
    Observed = "observed" { about: String, says: String }
}

/// A column of the line of a fact.
trait Column {
    /// Returns the text in the column.
    fn column(&self) -> String;
}

macro_rules! columns {
    ($($type:ty: $text:expr;)*) => {$(
        impl Column for $type {
            fn column(&self) -> String {
                let text: fn(&Self) -> String = $text;
                text(self)
            }
        }
    )*};
}

columns! {
    String: Self::clone;
    u32: Self::to_string;
    Duration: Self::to_string;
    ResponseShape: Self::to_string;
    Vec<String>: |all| all.join(",");
    Method: |method| method.as_str().to_owned();
    Scope: |scope| scope.as_str().to_owned();
    WindowBound: |bound| bound.as_str().to_owned();
    JsonType: |json| json.as_str().to_owned();
    RuleKind: |kind| kind.as_str().to_owned();
    Need: |need| need.as_fact().to_owned();
}

words! {
    /// The key of a bound that a window fact states.
    pub(crate) enum WindowBound {
        Span = "span",
        Access = "access",
        Default = "default",
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
    /// Returns the kind and the columns, separated by tabs, with every text on one line.
    pub(crate) fn line(&self) -> String {
        let one_line = |column: &String| column.split_whitespace().collect::<Vec<_>>().join(" ");
        let columns = self.columns();
        std::iter::once(self.kind().to_owned()).chain(columns.iter().map(one_line)).collect::<Vec<_>>().join("\t")
    }
}
