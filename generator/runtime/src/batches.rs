//! Requests for many things at once: of any length, each thing with what became of it.

mod answer;
mod batch;
mod call;
mod matching;
mod outcome;
mod teller;

pub use answer::BatchAnswer;
pub use batch::{Batch, BatchShape};
pub use call::BatchCall;
pub use outcome::{BatchReport, ItemOutcome, ItemReport, Matched, Stray};
