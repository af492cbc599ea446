//! Positions, and the profits of their parts that are closed.

use std::collections::BTreeMap;
use std::fmt;

use rust_decimal::Decimal as Number;

use super::LedgerError;
use super::fields::{Contract, Trade, TradeEffect};
use crate::data::value::{Decimal, exact_sum as sum};

/// The places that a share of a cost and the profit of an inverse contract are rounded to. What is rounded off a share
/// stays with the rest of the cost, so that profits of linear contracts add up to what was received less what was paid.
const PLACES: u32 = 12;

/// Identifies a position of an account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct PositionKey {
    /// The family of operations.
    pub family: String,
    /// The business line, such as `USDT-FUTURES`; empty where there is only one.
    pub line: String,
    /// The instrument that is traded.
    pub instrument: String,
    /// Which position of the instrument.
    pub side: PositionSide,
}

/// Identifies a position of an instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PositionSide {
    /// The only one.
    Net,
    /// The one that buys open.
    Long,
    /// The one that sells open.
    Short,
    /// No position: the trades whose effect is not known.
    Unknown,
}

/// A position that follows from trades.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    size: Number,
    /// The sum of the prices at which it was opened, times the quantities.
    cost: Number,
    realised: Number,
    /// The sum of the profits that the exchange reported, and the number of trades without one.
    reported: Number,
    unreported: u64,
    /// The number of trades of unknown contracts.
    unknown: u64,
    /// True if a trade with an unknown effect may have changed it.
    is_lost: bool,
    /// In the order of the coins.
    fees: Vec<(String, Number)>,
}

impl PositionSide {
    /// Returns the position that a trade changes.
    pub(super) fn changed_by(trade: &Trade) -> Self {
        match trade.effect {
            TradeEffect::Net | TradeEffect::NetUnlessHedged => Self::Net,
            TradeEffect::Opened if trade.is_buy => Self::Long,
            TradeEffect::Opened => Self::Short,
            TradeEffect::ClosedLong => Self::Long,
            TradeEffect::ClosedShort => Self::Short,
            TradeEffect::Unknown => Self::Unknown,
        }
    }
}

impl PositionKey {
    /// Creates a position of an instrument, in a family and business line.
    pub fn new(
        family: impl Into<String>,
        line: impl Into<String>,
        instrument: impl Into<String>,
        side: PositionSide,
    ) -> Self {
        Self { family: family.into(), line: line.into(), instrument: instrument.into(), side }
    }
}

impl Position {
    /// Creates a position that was open before. `None` if it cannot be counted exactly.
    pub(super) fn opened(size: &Decimal, price: &Decimal) -> Option<Self> {
        let (size, price) = (exact(size)?, exact(price)?);
        Some(Self { size, cost: product(size.abs(), price)?, ..Self::default() })
    }

    /// Returns the same, after a trade with an unknown effect.
    pub(super) fn lost(self) -> Self {
        Self { is_lost: true, ..self }
    }

    /// Returns the open quantity; negative if it was sold. `None` after a trade of its instrument with an unknown
    /// effect, until [`Ledger::open`](super::Ledger::open) states it again.
    pub fn size(&self) -> Option<Decimal> {
        (!self.is_lost).then(|| shown(self.size))
    }

    /// Returns the average price at which the open quantity was opened, weighted by the quantities. `None` if nothing
    /// is open, or if the size or how the contract counts is not known.
    pub fn average_price(&self) -> Option<Decimal> {
        self.average().map(shown)
    }

    /// Returns the profit of what was closed, without fees: in the coin of the prices, or for inverse contracts in the
    /// base coin. `None` if the size or how the contract counts is not known.
    pub fn realised(&self) -> Option<Decimal> {
        self.own_profit().map(shown)
    }

    /// Returns the profit that the exchange reported with the trades. `None` if some trades have none.
    pub fn reported(&self) -> Option<Decimal> {
        self.reported_profit().map(shown)
    }

    /// Returns how much the profit that the exchange reported exceeds what follows from the trades, if both are known.
    pub fn difference(&self) -> Option<Decimal> {
        self.reported_profit()?.checked_sub(self.own_profit()?).map(shown)
    }

    fn average(&self) -> Option<Number> {
        if self.unknown > 0 || self.is_lost { None } else { self.cost.checked_div(self.size.abs()) }
    }

    fn own_profit(&self) -> Option<Number> {
        (self.unknown == 0 && !self.is_lost).then_some(self.realised)
    }

    fn reported_profit(&self) -> Option<Number> {
        (self.unreported == 0).then_some(self.reported)
    }

    /// Returns the fees by coin, negative where they were paid.
    // Inline, so that only a program that calls it compiles the map.
    #[inline]
    pub fn fees(&self) -> BTreeMap<&str, Decimal> {
        self.fees.iter().map(|(coin, amount)| (coin.as_str(), shown(*amount))).collect()
    }

    /// Sets the position after a trade.
    pub(super) fn after(mut self, key: &PositionKey, trade: &Trade) -> Result<Self, LedgerError> {
        let inexact = || LedgerError::Inexact { trade: trade.id.clone(), position: key.clone() };
        if !self.is_lost {
            self.change(key, trade)?;
        }
        self.unknown += u64::from(trade.contract == Contract::Unknown);
        self.unreported += u64::from(trade.profit.is_none());
        if let Some(profit) = &trade.profit {
            self.reported = exact(profit).and_then(|profit| sum(self.reported, profit)).ok_or_else(inexact)?;
        }
        for (coin, amount) in &trade.fees {
            let place = self.fees.binary_search_by(|(known, _)| known.cmp(coin)).unwrap_or_else(|place| {
                self.fees.insert(place, (coin.clone(), Number::ZERO));
                place
            });
            let (_, paid) = &mut self.fees[place];
            *paid = exact(amount).and_then(|amount| sum(*paid, amount)).ok_or_else(inexact)?;
        }
        Ok(self)
    }

    /// Changes size, cost and profit.
    fn change(&mut self, key: &PositionKey, trade: &Trade) -> Result<(), LedgerError> {
        let inexact = || LedgerError::Inexact { trade: trade.id.clone(), position: key.clone() };
        let closes = matches!(trade.effect, TradeEffect::ClosedLong | TradeEffect::ClosedShort);
        let is_added = match trade.effect {
            TradeEffect::Net | TradeEffect::NetUnlessHedged | TradeEffect::Opened => trade.is_buy,
            TradeEffect::ClosedLong => false,
            TradeEffect::ClosedShort => true,
            TradeEffect::Unknown => return Ok(()),
        };
        let (price, quantity) = exact(&trade.price).zip(exact(&trade.quantity)).ok_or_else(inexact)?;
        if closes && quantity > self.size.abs() {
            return Err(LedgerError::NotOpen { trade: trade.id.clone(), position: key.clone() });
        }
        let mut left = quantity;
        if !self.size.is_zero() && self.size.is_sign_positive() != is_added {
            if trade.effect == TradeEffect::NetUnlessHedged {
                return Err(LedgerError::MayBeHedged { trade: trade.id.clone(), position: key.clone() });
            }
            let closed = left.min(self.size.abs());
            self.close(closed, price, trade.contract).ok_or_else(inexact)?;
            left -= closed;
        }
        if !left.is_zero() {
            let value = product(price, left).ok_or_else(inexact)?;
            self.cost = sum(self.cost, value).ok_or_else(inexact)?;
            self.size = sum(self.size, if is_added { left } else { -left }).ok_or_else(inexact)?;
        }
        Ok(())
    }

    /// Closes a part at a price. `None` if that cannot be counted exactly.
    fn close(&mut self, closed: Number, price: Number, contract: Contract) -> Option<()> {
        let open = self.size.abs();
        let cost = match closed == open {
            true => self.cost,
            false => self.cost.checked_mul(closed)?.checked_div(open)?.round_dp(PLACES),
        };
        let gain = sum(product(price, closed)?, -cost)?;
        let gain = match contract {
            Contract::Linear | Contract::Unknown => gain,
            Contract::Inverse => gain.checked_div(price)?.round_dp(PLACES),
        };
        let is_long = self.size.is_sign_positive();
        self.realised = sum(self.realised, if is_long { gain } else { -gain })?;
        self.cost = sum(self.cost, -cost)?;
        self.size = sum(self.size, if is_long { -closed } else { closed })?;
        Some(())
    }
}

/// Returns a number to count with. `None` if it has too many digits.
fn exact(number: &Decimal) -> Option<Number> {
    number.to_rust_decimal().ok()
}

/// Returns a figure, without zeros at its end.
fn shown(figure: Number) -> Decimal {
    figure.normalize().into()
}

/// Returns a product without rounding.
fn product(one: Number, other: Number) -> Option<Number> {
    let (one, other) = (one.normalize(), other.normalize());
    let product = one.checked_mul(other)?;
    // A product that is too small becomes zero.
    let is_exact = one.is_zero() || other.is_zero() || product.scale() == one.scale() + other.scale();
    is_exact.then_some(product)
}

impl fmt::Display for PositionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.family)?;
        if !self.line.is_empty() {
            write!(f, " {}", self.line)?;
        }
        write!(f, " {}", self.instrument)?;
        match self.side {
            PositionSide::Net => Ok(()),
            PositionSide::Long => f.write_str(" long"),
            PositionSide::Short => f.write_str(" short"),
            PositionSide::Unknown => f.write_str(" of an unknown side"),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size() {
            Some(size) => write!(f, "{size}")?,
            None => f.write_str("unknown")?,
        }
        if let Some(price) = self.average() {
            write!(f, " at {}", shown(price.round_dp(PLACES)))?;
        }
        if let Some(realised) = self.realised() {
            write!(f, ", realised {realised}")?;
        }
        self.fees.iter().try_for_each(|(coin, amount)| write!(f, ", fees {} {coin}", shown(*amount)))
    }
}
