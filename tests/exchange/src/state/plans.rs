//! Conditional orders: plan, take-profit and stop-loss orders of the classic account, strategy orders of the unified one.
//!
//! They wait outside of the book and reserve nothing until a price triggers them; then their order is placed like any other.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::state::instruments::quotient;
use crate::state::orders::{Quantity, Source, Ticket};
use crate::state::words::{PlanKind, Side};

/// The state of a conditional order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanState {
    Waiting,
    /// The order with this id was placed.
    Executed(u64),
    /// The order was refused.
    Failed,
    Cancelled,
}

/// A price that triggers an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trigger {
    pub(crate) price: Decimal,
    /// True if the mark price triggers it, and not that of the latest trade.
    pub(crate) by_mark: bool,
    /// True if the price has to rise to it.
    pub(crate) rises: bool,
    /// The price of the order; a market order has none.
    pub(crate) limit: Option<Decimal>,
    pub(crate) source: Source,
    /// The distance by which the price has to turn back from its best since it reached the trigger, as a fraction.
    pub(crate) turn: Option<Decimal>,
    /// The best price since then.
    pub(crate) best: Option<Decimal>,
}

impl Trigger {
    /// Returns whether the price has come as far as the trigger.
    pub(crate) fn is_reached(&self, now: Decimal) -> bool {
        if self.rises { now >= self.price } else { now <= self.price }
    }

    /// Returns whether a price triggers an order of a side. A trigger that follows the price remembers its best.
    pub(crate) fn is_due(&mut self, now: Decimal, side: Side) -> bool {
        let is_reached = self.is_reached(now);
        let Some(turn) = self.turn else { return is_reached };
        let best = match (self.best, side) {
            (None, _) if !is_reached => return false,
            (None, _) => now,
            (Some(best), Side::Sell) => best.max(now),
            (Some(best), Side::Buy) => best.min(now),
        };
        self.best = Some(best);
        match side {
            Side::Sell => now <= best * (Decimal::ONE - turn),
            Side::Buy => now >= best * (Decimal::ONE + turn),
        }
    }
}

/// A conditional order.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) id: u64,
    pub(crate) client: Option<Arc<str>>,
    pub(crate) kind: PlanKind,
    /// The order that it places, without its price.
    pub(crate) ticket: Ticket,
    /// True if it closes the whole position, however large that is by then.
    pub(crate) is_whole: bool,
    /// The trigger: of a take-profit with a stop-loss two prices, of which the first that is reached counts.
    pub(crate) triggers: Vec<Trigger>,
    pub(crate) state: PlanState,
    pub(crate) created: u64,
    pub(crate) updated: u64,
}

impl Plan {
    /// The quantity of its order.
    pub(crate) fn qty(&self) -> Decimal {
        let (Quantity::Lots(qty) | Quantity::Amount(qty)) = self.ticket.quantity;
        qty
    }
}

/// A change of a conditional order.
pub(crate) struct PlanChange {
    pub(crate) qty: Option<Decimal>,
    pub(crate) triggers: Vec<Trigger>,
}

/// A share that is written in percent.
pub(crate) fn of_percent(percent: Decimal) -> Decimal {
    quotient(percent, Decimal::ONE_HUNDRED)
}
