//! The reasons why a budget refuses a request.

use std::error::Error;
use std::fmt;

use crate::data::value::Decimal;

/// A request that was not sent because the budget of the client does not cover it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverBudget {
    /// The id of the operation.
    pub operation: &'static str,
    /// The most that the orders of the request are worth together; `None` if that is not known.
    pub worth: Option<Decimal>,
    /// All obstacles; at least one.
    pub obstacles: Vec<BudgetObstacle>,
}

/// An obstacle to a request of a client with a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BudgetObstacle {
    /// The request does more than the budget allows.
    Effect {
        /// The effects that the budget allows.
        allowed: BudgetEffects,
    },
    /// The budget does not have the instrument.
    Symbol {
        /// The symbol.
        symbol: String,
    },
    /// The budget does not have the business line.
    Line {
        /// The business line.
        line: String,
    },
    /// The prices of the instrument are in another coin than the budget.
    Coin {
        /// The symbol.
        symbol: String,
        /// The coins of the budget.
        coins: Vec<String>,
    },
    /// The orders are worth more than is left of a bound.
    Bound {
        /// The bound.
        bound: BudgetBound,
        /// The most that the bound allows.
        most: Decimal,
        /// The part of it that is left.
        left: Decimal,
    },
    /// The orders are more than a minute may have.
    Orders {
        /// The most that a minute may have.
        most: u32,
        /// The number that is left.
        left: u32,
    },
    /// The worst price of an order follows from the last price of its instrument, of which the client knows none that
    /// is recent.
    NoPrice {
        /// The business line.
        line: String,
        /// The symbol.
        symbol: String,
    },
    /// The worth of an order does not follow from the request.
    Unvalued {
        /// The reason, and what to do.
        why: &'static str,
    },
    /// The file with what was spent cannot be read or written.
    Unkept {
        /// The error.
        why: String,
    },
}

/// A bound on the worth of orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BudgetBound {
    /// Each order.
    Order,
    /// All orders of the last hour.
    Hour,
    /// All orders of the last 24 hours.
    Day,
    /// All orders since the account was flat.
    Open,
}

tradeapi_words::words! {
    /// The effects that a budget allows.
    #[derive(PartialOrd, Ord)]
    pub enum BudgetEffects {
        /// Only reads.
        Read = "read",
        /// Also cancellations, and what can only reduce a position.
        Reduce = "reduce",
        /// Also orders, within the bounds.
        Trade = "trade",
    }
}

impl BudgetBound {
    /// Returns the name, as in a file with a budget.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Open => "open",
        }
    }
}

impl BudgetObstacle {
    /// Returns what to do.
    pub(crate) const fn remedy(&self) -> &'static str {
        match self {
            Self::Effect { .. } | Self::Symbol { .. } | Self::Line { .. } | Self::Coin { .. } => {
                "leave it out, or let whoever sets the budget allow it"
            }
            Self::Bound { bound: BudgetBound::Order, .. } => "place a smaller order",
            Self::Bound { bound: BudgetBound::Open, .. } => {
                "close everything with `flatten`, which counts what is open anew, or place a smaller order"
            }
            Self::Bound { .. } | Self::Orders { .. } => "wait, or place a smaller order",
            Self::NoPrice { .. } => "read the price of the instrument with this client, or state it, and call again",
            Self::Unvalued { .. } => "place another order whose worth the request says",
            Self::Unkept { .. } => "repair the file of the budget, or begin another one once the account is flat",
        }
    }
}

impl OverBudget {
    /// Returns what to do.
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        self.obstacles.first().map(BudgetObstacle::remedy)
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the budget does not cover it")?;
        if let Some(worth) = &self.worth {
            write!(f, ": it is worth up to {worth}")?;
        }
        self.obstacles.iter().try_for_each(|obstacle| write!(f, "\n- {obstacle}"))
    }
}

impl fmt::Display for BudgetObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effect { allowed } => write!(f, "the budget allows no more than the effect `{}`", allowed.as_str()),
            Self::Symbol { symbol } => write!(f, "the budget does not have the symbol {symbol}"),
            Self::Line { line } => write!(f, "the budget does not have the business line {line}"),
            Self::Coin { symbol, coins } => {
                write!(f, "the prices of {symbol} are not in {}, as the budget is", coins.join(" or "))
            }
            Self::Bound { bound, most, left } => {
                let of = match bound {
                    BudgetBound::Order => "an order may be worth",
                    BudgetBound::Hour => "the orders of an hour may be worth",
                    BudgetBound::Day => "the orders of a day may be worth",
                    BudgetBound::Open => "what is open may be worth",
                };
                write!(f, "{of} {most}, of which {left} is left")
            }
            Self::Orders { most, left } => write!(f, "a minute may have {most} orders, of which {left} are left"),
            Self::NoPrice { line, symbol } => write!(f, "no recent price of {symbol} in {line} is known"),
            Self::Unvalued { why } => f.write_str(why),
            Self::Unkept { why } => write!(f, "the file of the budget cannot be used: {why}"),
        }
    }
}

debug_as_sentence!(OverBudget);

impl Error for OverBudget {}
