//! Batches of any length: the items are sent in as many calls as needed, and each item gets its result.

mod apart;
mod batch;
mod call;
mod direct;
mod matching;
mod outcomes;
mod planned;
mod report;

#[doc(hidden)]
pub use batch::BatchAnswer;
pub use batch::{Batch, BatchShape, ListsResults, ResultsApart, SentItems};
pub use call::BatchCall;
pub(crate) use call::Stop;
pub use direct::{ItemFailure, ItemsReply, PartialFailure};
pub use matching::Matched;
#[doc(hidden)]
pub use outcomes::item_outcomes;
pub use planned::PlannedBatch;
pub use report::{BatchReport, ItemOutcome, ItemReport, UnmatchedResult};
