//! The statements about operations, by an OpenAPI file or by a draft.

use std::collections::BTreeMap;

use serde_json::Value;

/// The statements about a parameter, a field, or the data of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stated {
    /// The possible types in JSON: `string`, `integer`, `number`, `boolean`, `array`, `object`, `map` or `json`.
    pub(crate) kinds: Vec<String>,
    /// The items of an array, or the values of a map.
    pub(crate) items: Vec<String>,
    pub(crate) is_required: bool,
    pub(crate) is_unsigned: bool,
    pub(crate) is_deprecated: bool,
    pub(crate) may_be_null: bool,
    pub(crate) values: Vec<String>,
    /// `min`, `max`, `default` and their like, each by its key in a draft.
    pub(crate) bounds: BTreeMap<&'static str, String>,
    /// Where it is stated: of a file a reference, which ends a recursion; of a draft the name of a record.
    pub(crate) named: String,
    /// In a draft: the comments above it, and whether its type is an empty key.
    pub(crate) comments: String,
    pub(crate) is_empty: bool,
    /// In a parameter: `path`, `query`, `header`, `cookie`, `json` or `form`.
    pub(crate) place: String,
    pub(crate) fields: Vec<(String, Stated)>,
    /// The members of each form, where there are several; those of a choice in a draft.
    pub(crate) forms: Vec<Members>,
    /// In a file: whether one of several forms applies.
    pub(crate) is_open: bool,
}

/// Members by name.
pub(crate) type Members = Vec<(String, Stated)>;

/// An operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) parameters: Members,
    /// The forms of the body.
    pub(crate) forms: Vec<Members>,
    /// The data of the first success, if it is JSON.
    pub(crate) answer: Option<Stated>,
    /// In a draft of a section: the id of its document.
    pub(crate) document: String,
    /// In a draft: what its file lists as not read.
    pub(crate) not_read: Vec<String>,
}

/// The keys of bounds in a file, and in a draft.
pub(crate) const BOUNDS: [(&str, &str); 9] = [
    ("minimum", "min"),
    ("maximum", "max"),
    ("minItems", "min_items"),
    ("maxItems", "max_items"),
    ("default", "default"),
    ("minLength", "shortest"),
    ("maxLength", "longest"),
    ("pattern", "pattern"),
    ("exclusiveMinimum", "above"),
];

/// Returns a value as a bound or a listed value is written.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
