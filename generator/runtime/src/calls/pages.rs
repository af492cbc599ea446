//! Listings of many pages: follows cursors, ids, numbers and offsets, splits time ranges, loses and repeats no item,
//! and reports what cannot be listed.

mod cut;
mod listing;
mod page;
mod position;
mod reach;
mod source;
mod step;
#[cfg(feature = "stream")]
mod stream;
mod walk;

pub use cut::RangeOrder;
pub use listing::{Items, Pages};
pub(crate) use page::follow;
pub use page::{Clipped, Page, PageError, Paged, PositionError, TimeRange};
#[doc(hidden)]
pub use page::{from_text, json_of_time, text_of, time_of_text, wire_text_of};
pub use position::Position;
pub(crate) use source::ForPage;
pub use step::{Continuation, PageStep};
pub(crate) use step::{Next, PageFuture};
#[cfg(feature = "stream")]
pub use stream::PageStream;
