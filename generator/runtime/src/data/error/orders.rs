//! Amendments that were not sent because of the order's state.

use std::error::Error;
use std::fmt;

/// An amendment that was not sent because of the order's tracked state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotAmendable {
    /// The id of the operation.
    pub operation: &'static str,
    /// The id of the order.
    pub order: String,
    /// The obstacle to the amendment.
    pub why: AmendmentObstacle,
}

/// An obstacle to an amendment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AmendmentObstacle {
    /// A record showed the order in a state in which the documents rule an amendment out.
    State {
        /// The state, as on the wire.
        state: &'static str,
    },
    /// The order already has the maximum number of pending amendments. One whose outcome is unknown counts until a
    /// query or a record shows its result, or until it can no longer arrive.
    InFlight {
        /// The number of amendments under way.
        in_flight: u32,
        /// The number of amendments that may be under way, the refused one included.
        at_most: u32,
    },
}

impl AmendmentObstacle {
    /// Returns what to do.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Self::State { .. } => "query the order; if it has ended, place another one",
            Self::InFlight { .. } => "wait for the result of the other amendment, and call again",
        }
    }
}

impl fmt::Display for NotAmendable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { order, .. } = self;
        match self.why {
            AmendmentObstacle::State { state } => write!(f, "the order {order} is {state}, which cannot be amended"),
            AmendmentObstacle::InFlight { in_flight, at_most } => {
                write!(f, "{in_flight} of at most {at_most} amendments of the order {order} are under way")
            }
        }
    }
}

impl Error for NotAmendable {}
