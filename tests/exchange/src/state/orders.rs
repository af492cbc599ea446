//! Orders, fills and conditional orders, as the core keeps them: plan, take-profit and stop-loss orders of the classic
//! account, strategy orders of the unified one.
//!
//! Conditional orders wait outside of the book and reserve nothing until a price triggers them; then their order is
//! placed like any other.

use std::sync::Arc;

use rust_decimal::Decimal;
use rustc_hash::FxHashMap;
use tradeapi::{classic, unified};

use crate::state::book::Spot;
use crate::state::instruments::{Coin, quotient};
use crate::state::words::{Cancelled, Effect, Force, Line, Margin, PlanKind, PositionSide, Prevention, Side};

/// The state of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The order is open and unfilled.
    Live,
    /// The order is open and partly filled.
    PartlyFilled,
    /// The order is filled.
    Filled,
    /// The order is cancelled; a part may be filled.
    Cancelled(Cancelled),
}

impl State {
    /// Returns whether it can still be filled.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Live | Self::PartlyFilled)
    }
}

/// A preset take-profit or stop-loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preset {
    /// The trigger price.
    pub(crate) price: Option<Decimal>,
    /// True if the mark price triggers it.
    pub(crate) by_mark: bool,
    /// True if it becomes a limit order; `None` if the request does not specify it.
    pub(crate) is_limit: Option<bool>,
    /// The price of that order.
    pub(crate) limit_price: Option<Decimal>,
}

/// A take-profit and a stop-loss, of an order or of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Presets {
    pub(crate) take_profit: Preset,
    pub(crate) stop_loss: Preset,
}

/// The parameters of the two presets of an order: the trigger price, and the price of the order that it becomes.
pub(crate) const CLASSIC_PRESETS: [[&str; 2]; 2] = [
    ["presetStopSurplusPrice", "presetStopSurplusExecutePrice"],
    ["presetStopLossPrice", "presetStopLossExecutePrice"],
];

pub(crate) const UNIFIED_PRESETS: [[&str; 2]; 2] = [["takeProfit", "tpLimitPrice"], ["stopLoss", "slLimitPrice"]];

impl Presets {
    /// Returns whether either is set.
    pub(crate) fn is_some(&self) -> bool {
        self.take_profit.price.or(self.stop_loss.price).is_some()
    }

    /// Takes over the presets that an order has.
    pub(crate) fn take_over(&mut self, new: Self) {
        if new.take_profit.price.is_some() {
            self.take_profit = new.take_profit;
        }
        if new.stop_loss.price.is_some() {
            self.stop_loss = new.stop_loss;
        }
    }

    /// Returns the preset that the prices trigger for a position that `opened` opened: `last` is the price of the
    /// latest trade, `mark` the mark price.
    pub(crate) fn triggered(&self, opened: Side, last: Decimal, mark: Decimal) -> Option<(Preset, Source)> {
        let reaches = |preset: &Preset, is_profit: bool| {
            let now = if preset.by_mark { mark } else { last };
            let is_above = (opened == Side::Buy) == is_profit;
            preset.price.is_some_and(|price| if is_above { now >= price } else { now <= price })
        };
        if reaches(&self.take_profit, true) {
            return Some((self.take_profit, Source::TakeProfit));
        }
        reaches(&self.stop_loss, false).then_some((self.stop_loss, Source::StopLoss))
    }

    /// Returns the presets as a ticket stores them: empty presets take no memory.
    pub(crate) fn boxed(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

/// The quantity of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// In the unit of the pair's quantities.
    Lots(Decimal),
    /// An amount of the quote coin to spend.
    Amount(Decimal),
}

/// The origin of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Api,
    /// The opening or closing half of a reversal.
    Reversal,
    /// A flash close.
    Close,
    /// A modification that replaced an order.
    Modification,
    /// The take-profit of a position.
    TakeProfit,
    /// The stop-loss of a position.
    StopLoss,
    /// A plan order or the trigger of a strategy.
    Plan,
    /// A liquidation.
    Liquidation,
}

/// The terms of an order.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    pub(crate) account: usize,
    pub(crate) line: Line,
    pub(crate) pair: usize,
    /// The side in the book.
    pub(crate) side: Side,
    /// Without a price, it is a market order.
    pub(crate) price: Option<Decimal>,
    pub(crate) quantity: Quantity,
    pub(crate) force: Force,
    pub(crate) pos: PositionSide,
    pub(crate) effect: Effect,
    pub(crate) reduce_only: bool,
    pub(crate) prevention: Prevention,
    pub(crate) client: Option<Arc<str>>,
    pub(crate) margin: Margin,
    pub(crate) borrows: Borrowing,
    /// True if a price out of range is replaced by the nearest one within it.
    pub(crate) adjusts_price: bool,
    /// The preset take-profit and stop-loss. Few orders have one.
    pub(crate) presets: Option<Box<Presets>>,
    pub(crate) source: Source,
}

impl Ticket {
    /// Returns the preset take-profit and stop-loss; empty without any.
    pub(crate) fn presets(&self) -> Presets {
        self.presets.as_deref().copied().unwrap_or_default()
    }

    /// Returns whether what is not filled at once stays in the book.
    pub(crate) fn may_rest(&self) -> bool {
        self.price.is_some() && matches!(self.force, Force::Gtc | Force::PostOnly | Force::Rpi)
    }
}

/// When an order borrows what its account lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Borrowing {
    Never,
    /// If the coin that it receives cannot be borrowed, and the coin that it spends can.
    IfObtainedCannot,
    Always,
}

/// A modification of the unified family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) qty: Option<Decimal>,
    pub(crate) price: Option<Decimal>,
    pub(crate) adjusts_price: bool,
    /// True if the order is cancelled when the modification is rejected.
    pub(crate) auto_cancel: bool,
    /// The id of the modification.
    pub(crate) request_id: Option<u64>,
    pub(crate) take_profit: Option<Preset>,
    pub(crate) stop_loss: Option<Preset>,
}

/// A reference to an order by one of its ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Id(String),
    Client(String),
}

/// A conversion from the reference types of both families.
macro_rules! named_by {
    ($($family:ident),*) => {$(
        impl From<&$family::OrderRef> for Name {
            fn from(order: &$family::OrderRef) -> Self {
                match order {
                    $family::OrderRef::ClientOid(id) => Self::Client(id.as_str().to_owned()),
                    $family::OrderRef::OrderId(id) => Self::Id(id.as_str().to_owned()),
                    _ => Self::Id(String::new()),
                }
            }
        }
    )*};
}

named_by!(classic, unified);

/// An order.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) id: u64,
    pub(crate) ticket: Ticket,
    /// The limit, in ticks.
    pub(crate) ticks: Option<u64>,
    /// All lots, filled ones included. For an order of an amount, the lots that it has bought.
    pub(crate) lots: u64,
    pub(crate) filled: u64,
    /// The lots that close a position, so that no funds are reserved for them.
    pub(crate) netted: u64,
    /// The filled value in the quote coin, and the filled quantity in the base coin.
    pub(crate) value: Decimal,
    pub(crate) base: Decimal,
    pub(crate) fee: Decimal,
    pub(crate) profit: Decimal,
    /// The reserved funds, in `frozen_coin`.
    pub(crate) frozen: Decimal,
    pub(crate) frozen_coin: Coin,
    pub(crate) state: State,
    /// The place in the book, if it rests.
    pub(crate) spot: Option<Spot>,
    pub(crate) created: u64,
    pub(crate) updated: u64,
    /// The number of modifications in progress.
    pub(crate) modifying: u32,
}

impl Order {
    /// Returns the lots that are not filled.
    pub(crate) fn remaining(&self) -> u64 {
        self.lots.saturating_sub(self.filled)
    }

    /// Returns the client's id.
    pub(crate) fn client(&self) -> Option<&str> {
        self.ticket.client.as_deref()
    }

    /// Returns whether it can only reduce a position.
    pub(crate) fn is_closing(&self) -> bool {
        self.ticket.reduce_only || self.ticket.effect == Effect::Close
    }
}

/// All orders by their ids, until they are deleted. Each is allocated separately, so that the table grows without
/// moving them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orders(FxHashMap<u64, Box<Order>>);

impl Orders {
    pub(crate) fn get(&self, id: &u64) -> Option<&Order> {
        self.0.get(id).map(Box::as_ref)
    }

    pub(crate) fn get_mut(&mut self, id: &u64) -> Option<&mut Order> {
        self.0.get_mut(id).map(Box::as_mut)
    }

    pub(crate) fn insert(&mut self, order: Order) {
        self.0.insert(order.id, Box::new(order));
    }

    pub(crate) fn remove(&mut self, id: &u64) -> Option<Box<Order>> {
        self.0.remove(id)
    }

    /// Returns all orders, in arbitrary order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Order> {
        self.0.values().map(Box::as_ref)
    }
}

/// A fill of an order.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    pub(crate) id: u64,
    pub(crate) order: u64,
    pub(crate) client: Option<Arc<str>>,
    pub(crate) line: Line,
    pub(crate) pair: usize,
    /// The side in the book.
    pub(crate) side: Side,
    pub(crate) pos: PositionSide,
    pub(crate) effect: Effect,
    pub(crate) is_limit: bool,
    pub(crate) is_taker: bool,
    pub(crate) ticks: u64,
    pub(crate) lots: u64,
    pub(crate) fee: Decimal,
    pub(crate) fee_coin: Coin,
    pub(crate) profit: Decimal,
    /// The balance of the coin of the fee after it.
    pub(crate) balance: Decimal,
    pub(crate) at: u64,
}

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
    /// Returns the quantity of its order.
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

/// Returns a share that is written in percent.
pub(crate) fn of_percent(percent: Decimal) -> Decimal {
    quotient(percent, Decimal::ONE_HUNDRED)
}
