//! States of an order: possible transitions, what records and responses show, and a monitor of records.
//!
//! A lifecycle answers yes, no or unspecified; the monitor reports only changes that the documents rule out.

mod monitor;
mod state;

pub use self::state::{OrderResult, OrderShown, PropertyShown, Sighting};
pub use monitor::{ImpossibleChange, Monitor, Observed};
pub(crate) use monitor::{StateComparison, compare_states};
pub use state::{HasState, Lifecycle, Next, Possible, State, StateRow, Transition};

#[cfg(test)]
mod tests;
