//! Listings that are longer than a page: cursors are followed, ranges of time are cut, no item is lost or doubled, and what
//! cannot be listed is told.

mod border;
mod cut;
mod error;
mod hash;
mod items;
mod page;
mod paged;
mod position;
mod reach;
mod recent;
mod seen;
mod walk;
mod whole;

#[cfg(feature = "stream")]
mod stream;

pub use error::{PageError, PositionError};
pub use items::Items;
pub use page::{Clipped, Page, TimeRange};
pub use paged::{Paged, from_text, text_of};
pub use position::Position;
#[cfg(feature = "stream")]
pub use stream::PageStream;
pub use walk::{Pages, RangeOrder};
