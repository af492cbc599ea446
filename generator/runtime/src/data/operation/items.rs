//! The outcomes of the items of a batch, without the types of the batch.

use crate::data::tables::{Api, Outcome};

/// The judgement of the results of items in a response.
pub struct ItemJudge<'a> {
    pub(crate) api: &'static Api,
    /// The whole response.
    pub(crate) raw: &'a [u8],
    /// True if it has all that the documents say of a success.
    pub(crate) is_full: bool,
    /// True if a code is that of a success.
    pub(crate) is_success: &'a dyn Fn(&str) -> bool,
    /// The outcome of an item that was refused with a code, which may do several things.
    pub(crate) outcome_of: &'a dyn Fn(&str, bool) -> Outcome,
}

/// The outcomes of items.
pub struct ItemOutcomes {
    pub(crate) items: Vec<ItemOutcome>,
    /// True if they are those of the items of the request, in their order. Otherwise they are the results in a response
    /// to a request that lists none.
    pub(crate) are_of_request: bool,
}

/// The outcome of an item, and its code if it was refused with one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemOutcome {
    pub(crate) outcome: Outcome,
    pub(crate) code: Option<String>,
}
