//! The operations that no document describes and that public clients use: market data, and the state of accounts.

mod accounts;
mod history;
mod instruments;
mod plans;
mod positions;
mod prices;
mod strategies;

use tradeapi::Timestamp;
use tradeapi::observed::PositionSide;

use crate::state::core::Core;
use crate::state::words::Side;

/// Returns the time of the exchange.
fn now(core: &Core) -> Option<Timestamp> {
    Some(Timestamp::from_millis(core.now))
}

/// Returns the direction of a position that a side opened.
fn direction(opened: Side) -> PositionSide {
    if opened == Side::Buy { PositionSide::Long } else { PositionSide::Short }
}
