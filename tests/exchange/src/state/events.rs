//! Events of the exchange, for observers.

use rust_decimal::Decimal;

/// An event of the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An order was accepted.
    Placed {
        /// The id of the order.
        order: u64,
    },
    /// A part of an order, or all of it, was filled.
    Filled {
        /// The id of the order.
        order: u64,
        /// The price.
        price: Decimal,
        /// The quantity.
        qty: Decimal,
    },
    /// An order was modified.
    Amended {
        /// The id of the order.
        order: u64,
        /// The id of the modification, if it has one.
        request_id: Option<u64>,
    },
    /// An order was cancelled.
    Cancelled {
        /// The id of the order.
        order: u64,
        /// True if a request to cancel it was the reason.
        by_request: bool,
    },
    /// Only the first half of a compound request was done: an order was cancelled or a position closed, without a
    /// replacement.
    DoneHalf {
        /// The cancelled order, if the request modifies one.
        order: Option<u64>,
        /// The id of the modification, if it has one.
        request_id: Option<u64>,
        /// The order that was not placed, if the request places one.
        unplaced: Option<Unplaced>,
    },
    /// A request set the leverage, the margin mode or the mode of positions of an account.
    Set {
        /// The name of the setting, with its instrument if it has one: `leverage of BTCUSDT`.
        setting: String,
        /// The value that the request asked for.
        value: String,
    },
    /// An accepted replacement or modification was refused later.
    Refused {
        /// The code.
        code: String,
    },
}

impl Event {
    /// Returns the order that has changed.
    pub(crate) fn order(&self) -> Option<u64> {
        match self {
            Self::Placed { order }
            | Self::Filled { order, .. }
            | Self::Amended { order, .. }
            | Self::Cancelled { order, .. } => Some(*order),
            Self::DoneHalf { .. } | Self::Set { .. } | Self::Refused { .. } => None,
        }
    }
}

/// An order that was not placed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unplaced {
    /// The client's id.
    pub client_id: Option<String>,
    /// The limit.
    pub price: Option<Decimal>,
    /// The quantity.
    pub qty: Decimal,
}
