//! The operations of the API.

use tradeapi::runtime::tables::Meta;
use tradeapi::{broker, classic, observed, unified};

/// All operations.
pub(crate) fn all() -> impl Iterator<Item = &'static Meta> {
    [classic::OPERATIONS, unified::OPERATIONS, broker::OPERATIONS, observed::OPERATIONS].into_iter().flatten().copied()
}
