//! The rules that are checked before a request is sent.

#[doc(inline)]
pub use tradeapi_words::Severity;

/// A rule the documents state, which is checked before a request is sent.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The id, unique in its operation.
    pub id: &'static str,
    /// The place in the document.
    pub at: &'static str,
    /// The treatment of a request that breaks the rule.
    pub severity: Severity,
    /// The text, in words of the schema.
    pub says: &'static str,
    /// The properties of the account and the instrument that it depends on. Without them it is not checked.
    pub depends_on: &'static [&'static str],
    /// Advice for a request that breaks the rule.
    pub hint: &'static str,
}

impl Rule {
    /// A rule without a text that refuses requests; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { id: "", at: "", severity: Severity::Refuse, says: "", depends_on: &[], hint: "" };
}

/// A parameter that an operation does not support, although others of its family do. No request of the emitted types has
/// it; one that is read is refused by this rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The path, without the place in a list: `reduceOnly`, `[].reduceOnly`, `orders[].reduceOnly`.
    pub path: &'static str,
    /// The id of the rule that says so.
    pub rule: &'static str,
    /// The place of the rule in the document.
    pub at: &'static str,
    /// The text of the rule, in words of the schema.
    pub says: &'static str,
}

impl Unsupported {
    /// A row without a text; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { path: "", rule: "", at: "", says: "" };
}

/// A ceiling that is not a rate and belongs to no single operation, such as a number of open orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The id.
    pub id: &'static str,
    /// The maximum.
    pub n: u64,
    /// The values of an enum of the API that are counted; empty for all.
    pub over: &'static [&'static str],
    /// The thing that is counted.
    pub doc: &'static str,
}
