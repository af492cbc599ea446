//! The facts known about one order.

use std::error::Error;
use std::fmt;

use crate::data::lifecycle::ImpossibleChange;
use crate::data::value::Timestamp;

/// An order as known to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackedOrder {
    /// The family of the operation that placed or showed it.
    pub family: &'static str,
    /// The exchange's id, once a response contained it.
    pub id: Option<String>,
    /// The client id.
    pub client_id: Option<String>,
    /// The value by which ceilings of open orders count it.
    pub kind: Option<String>,
    /// The knowledge about the order.
    pub standing: Standing,
    /// The state in the latest record, as on the wire.
    pub state: Option<String>,
    /// When it last changed, by that record.
    pub at: Option<Timestamp>,
}

/// The knowledge about an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The request that places it may have been sent, and its outcome is not known yet.
    Unknown,
    /// The exchange accepted it, and no record has shown it yet.
    Accepted,
    /// A record showed it in a state that is not an end.
    Open,
    /// A record showed its end, or a whole listing of open orders no longer shows it.
    Ended,
}

impl TrackedOrder {
    /// Returns whether it is open, or may be.
    pub fn may_be_open(&self) -> bool {
        match self.standing {
            Standing::Unknown | Standing::Accepted | Standing::Open => true,
            Standing::Ended => false,
        }
    }

    /// The client id, or else the exchange's.
    pub fn name(&self) -> &str {
        self.client_id.as_deref().or(self.id.as_deref()).unwrap_or_default()
    }
}

impl fmt::Display for TrackedOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.family, self.name())?;
        match (self.standing, &self.state) {
            (Standing::Unknown, _) => f.write_str("outcome unknown"),
            (Standing::Accepted, _) => f.write_str("accepted"),
            (Standing::Open, Some(state)) => f.write_str(state),
            (Standing::Open, None) => f.write_str("open"),
            (Standing::Ended, Some(state)) => write!(f, "ended, last shown as {state}"),
            (Standing::Ended, None) => f.write_str("ended"),
        }
    }
}

/// A record of an order that contradicts an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderContradiction {
    /// The family of the operations that returned the records.
    pub family: &'static str,
    /// The change that the documents rule out.
    pub change: ImpossibleChange<String>,
}

impl fmt::Display for OrderContradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.family, self.change)
    }
}

impl Error for OrderContradiction {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.change)
    }
}
