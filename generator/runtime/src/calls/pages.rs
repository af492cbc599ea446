//! Listings of many pages: follows cursors, ids, numbers and offsets, splits time ranges, loses and repeats no item,
//! and reports what cannot be listed.

mod border;
mod cut;
mod error;
mod items;
mod listing;
mod next;
mod page;
mod position;
mod reach;
mod seen;
mod source;
mod step;
#[cfg(feature = "stream")]
mod stream;
mod walk;
mod whole;

pub use cut::RangeOrder;
pub use error::{PageError, PositionError};
pub use items::Items;
pub use listing::Pages;
pub(crate) use next::PageFuture;
pub(crate) use page::follow;
pub use page::{Clipped, Page, Paged, TimeRange};
#[doc(hidden)]
pub use page::{from_text, json_of_time, text_of, time_of_text, wire_text_of};
pub use position::Position;
pub(crate) use step::Next;
pub use step::{Continuation, PageStep};
#[cfg(feature = "stream")]
pub use stream::PageStream;
pub(crate) use whole::ForPage;
