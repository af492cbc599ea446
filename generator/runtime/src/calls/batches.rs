//! Batches of any length: the items are sent in as many calls as needed, and each item gets its result.

mod batch;
mod call;
mod direct;
mod matching;
mod report;

#[doc(hidden)]
pub use batch::BatchAnswer;
pub use batch::{Batch, BatchShape, ListsResults, ResultsApart, SentItems};
pub(crate) use call::Stop;
pub use call::{BatchCall, PlannedBatch};
#[doc(hidden)]
pub use direct::item_outcomes;
pub use direct::{ItemFailure, ItemsReply, PartialFailure};
pub use matching::Matched;
pub use report::{BatchReport, ItemOutcome, ItemReport, UnmatchedResult};
