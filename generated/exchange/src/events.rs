//! What happens inside the exchange, for those who watch it.

use rust_decimal::Decimal;

/// What happened inside the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An order was taken.
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
        /// Whether a request to cancel it was the reason.
        by_request: bool,
    },
    /// The first half of a request was done and the second was not: an order was cancelled or a position closed, and no
    /// order took its place.
    DoneHalf {
        /// The cancelled order, if it was to be modified.
        order: Option<u64>,
        /// The id of the modification, if it has one.
        request_id: Option<u64>,
        /// What was to be placed, if it was.
        unplaced: Option<Unplaced>,
    },
    /// What was accepted was refused when it was its turn: a replacement or a modification.
    Refused {
        /// The code.
        code: String,
    },
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
