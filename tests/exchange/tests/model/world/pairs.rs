//! The units that the contracts of pairs count in.

use super::{Coin, MAINTENANCE, Position, sign};
use crate::number::Num;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Coins change hands.
    Spot,
    /// Quantity in the base coin, settled in the quote coin.
    Linear,
    /// Quantity and settlement in the base coin.
    Inverse,
    /// Quantity in the quote coin, settled in the base coin.
    ByQuote,
}

#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) line: &'static str,
    pub(crate) symbol: &'static str,
    pub(crate) kind: Kind,
    pub(crate) base: Coin,
    pub(crate) quote: Coin,
    pub(crate) tick: Num,
    pub(crate) step: Num,
    pub(crate) quoted: i64,
    pub(crate) mark: Option<i64>,
    /// The price of the latest trade, or that of the quotes if it is newer.
    pub(crate) last: i64,
    pub(super) quotes: Vec<(bool, i64, i64)>,
    pub(super) is_touched: bool,
}

impl Pair {
    pub(crate) fn new(
        (line, symbol, kind): (&'static str, &'static str, Kind),
        [base, quote]: [Coin; 2],
        [tick, step]: [&str; 2],
        quoted: i64,
    ) -> Self {
        let (tick, step) = (Num::read(tick), Num::read(step));
        let (mark, quotes, is_touched) = (None, Vec::new(), false);
        Self { line, symbol, kind, base, quote, tick, step, quoted, mark, last: quoted, quotes, is_touched }
    }

    pub(crate) fn is_futures(&self) -> bool {
        self.kind != Kind::Spot
    }

    /// Returns the coin of margins, fees and profits.
    pub(crate) fn settle(&self) -> Coin {
        match self.kind {
            Kind::Spot | Kind::Linear => self.quote,
            Kind::Inverse | Kind::ByQuote => self.base,
        }
    }

    /// Returns the coin that an order reserves.
    pub(crate) fn reserved(&self, buys: bool) -> Coin {
        if self.kind == Kind::Spot && !buys { self.base } else { self.settle() }
    }

    /// Returns the coin of the fee of a fill: on spot the one that is received.
    pub(crate) fn fee_coin(&self, buys: bool) -> Coin {
        if self.kind == Kind::Spot && buys { self.base } else { self.settle() }
    }

    pub(crate) fn price(&self, ticks: i64) -> Num {
        &Num::from(ticks) * &self.tick
    }

    pub(crate) fn qty(&self, steps: i64) -> Num {
        &Num::from(steps) * &self.step
    }

    /// Returns the quantity in the base coin.
    pub(crate) fn base_qty(&self, price: i64, qty: i64) -> Num {
        if self.kind == Kind::ByQuote { self.qty(qty).over(&self.price(price)) } else { self.qty(qty) }
    }

    /// Returns the value in the quote coin.
    pub(crate) fn value(&self, price: i64, qty: i64) -> Num {
        if self.kind == Kind::ByQuote { self.qty(qty) } else { &self.price(price) * &self.qty(qty) }
    }

    /// Returns the value in the coin that settles.
    pub(crate) fn worth(&self, price: i64, qty: i64) -> Num {
        match self.kind {
            Kind::Spot | Kind::Linear => self.value(price, qty),
            Kind::Inverse | Kind::ByQuote => self.base_qty(price, qty),
        }
    }

    /// Returns what an entry adds to the cost of a position.
    pub(super) fn cost(&self, price: i64, qty: i64) -> Num {
        if self.kind == Kind::ByQuote { self.base_qty(price, qty) } else { self.value(price, qty) }
    }

    /// Returns the profit of closing what had this cost.
    pub(super) fn gain(&self, is_long: bool, cost: &Num, price: i64, qty: i64) -> Num {
        let more = self.cost(price, qty) - cost.clone();
        let of_long = match self.kind {
            Kind::Spot | Kind::Linear => more,
            Kind::Inverse => more.over(&self.price(price)),
            Kind::ByQuote => -more,
        };
        &sign(is_long) * &of_long
    }

    /// Returns the value of a position at its entry, in the coin that settles.
    pub(super) fn entry_worth(&self, position: &Position) -> Num {
        if self.kind == Kind::Inverse { self.qty(position.qty) } else { position.cost.clone() }
    }

    pub(crate) fn entry_price(&self, position: &Position) -> Num {
        let qty = self.qty(position.qty);
        if self.kind == Kind::ByQuote { qty.over(&position.cost) } else { position.cost.over(&qty) }
    }

    pub(crate) fn marked(&self) -> i64 {
        self.mark.unwrap_or(self.quoted)
    }

    pub(crate) fn profit(&self, position: &Position) -> Num {
        self.gain(position.buys, &position.cost, self.marked(), position.qty)
    }

    pub(super) fn maintenance(&self, position: &Position) -> Num {
        &self.worth(self.marked(), position.qty) * &Num::read(MAINTENANCE)
    }
}
