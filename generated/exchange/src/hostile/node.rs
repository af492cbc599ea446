//! The machines behind the address of an exchange.

use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// One machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Node {
    /// How many milliseconds the clock is ahead by which it checks timestamps.
    pub judges: i64,
    /// How many milliseconds the time is ahead that it tells.
    pub tells: i64,
    /// How old the orders are that it shows, in milliseconds.
    pub lag: u64,
    /// The share of requests that reach it, relative to that of others.
    pub share: u64,
}

impl Node {
    /// A machine that is right.
    pub const fn new(share: u64) -> Self {
        Self { judges: 0, tells: 0, lag: 0, share }
    }

    /// The same, with what it shows so many milliseconds old.
    #[must_use]
    pub const fn lagging(self, lag: u64) -> Self {
        Self { lag, ..self }
    }

    /// The same, with another time in its answers.
    #[must_use]
    pub const fn telling(self, tells: i64) -> Self {
        Self { tells, ..self }
    }

    /// The same, with another clock, which it also tells.
    #[must_use]
    pub const fn ahead_by(self, millis: i64) -> Self {
        Self { judges: millis, tells: millis, ..self }
    }

    pub(crate) fn is_right(self) -> bool {
        (self.judges, self.tells, self.lag) == (0, 0, 0)
    }

    /// The machine that a request reaches.
    pub(crate) fn throw(nodes: &[Self], dice: &mut Dice) -> Self {
        let shares: Vec<_> = nodes.iter().map(|node| (*node, node.share)).collect();
        dice.weighted(&shares).unwrap_or_default()
    }
}
