//! The nodes behind the address of an exchange.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::state::dice::Dice;
use crate::state::values::{MAX_DELAY, MAX_OFFSET};

/// The greatest share of a node.
const MAX_SHARE: u64 = 1_000;

/// A node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Node {
    /// The milliseconds by which the clock for timestamps is ahead.
    pub clock: i64,
    /// The milliseconds by which the time in answers is ahead.
    pub answer_time: i64,
    /// The age of the node's view of orders, in milliseconds.
    pub lag: u64,
    /// The share of requests that reach it, relative to that of others.
    pub share: u64,
}

impl Node {
    /// A node without mistakes, with this share of requests.
    pub const fn new(share: u64) -> Self {
        Self { clock: 0, answer_time: 0, lag: 0, share }
    }

    /// The same node with a view that is this many milliseconds old.
    #[must_use]
    pub const fn lagging(self, lag: u64) -> Self {
        Self { lag, ..self }
    }

    /// The same node with a wrong time in its answers.
    #[must_use]
    pub const fn with_answer_time(self, answer_time: i64) -> Self {
        Self { answer_time, ..self }
    }

    /// The same node with a wrong clock, whose time is also in its answers.
    #[must_use]
    pub const fn ahead_by(self, millis: i64) -> Self {
        Self { clock: millis, answer_time: millis, ..self }
    }

    /// Parses a node in the form of its [display](fmt::Display).
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let mut node = Self::new(parts.next()?.parse().ok()?);
        for (name, millis) in parts.map(|part| part.split_once('=')).collect::<Option<Vec<_>>>()? {
            match name {
                "clock" => node.clock = millis.parse().ok()?,
                "answer_time" => node.answer_time = millis.parse().ok()?,
                "lag" => node.lag = millis.parse().ok()?,
                _ => return None,
            }
        }
        Some(node)
    }

    /// Refuses what is out of bounds.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { clock, answer_time, lag, share } = *self;
        for (name, millis) in [("clock", clock), ("answer_time", answer_time)] {
            if millis.unsigned_abs() > MAX_OFFSET.unsigned_abs() {
                return Err(format!(
                    "{name} {millis} of a node: expected {} to {MAX_OFFSET} milliseconds",
                    -MAX_OFFSET
                ));
            }
        }
        if lag > MAX_DELAY {
            return Err(format!("lag {lag} of a node: expected up to {MAX_DELAY} milliseconds"));
        }
        if !(1..=MAX_SHARE).contains(&share) {
            return Err(format!("share {share} of a node: expected 1 to {MAX_SHARE}"));
        }
        Ok(())
    }

    pub(crate) fn is_accurate(self) -> bool {
        (self.clock, self.answer_time, self.lag) == (0, 0, 0)
    }

    /// A random node by share.
    pub(crate) fn random(nodes: &[Self], dice: &mut Dice) -> Self {
        let shares: Vec<_> = nodes.iter().map(|node| (*node, node.share)).collect();
        dice.weighted(&shares).unwrap_or_default()
    }
}

/// The share and the mistakes: `1:clock=20000:answer_time=-300:lag=2500`.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clock, answer_time, lag, share } = *self;
        write!(f, "{share}")?;
        let clocks = [("clock", clock), ("answer_time", answer_time)];
        clocks
            .iter()
            .filter(|(_, millis)| *millis != 0)
            .try_for_each(|(name, millis)| write!(f, ":{name}={millis}"))?;
        if lag == 0 { Ok(()) } else { write!(f, ":lag={lag}") }
    }
}
