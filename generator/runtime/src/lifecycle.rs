//! States of an order: possible transitions, a monitor of records, and a bound on concurrent amendments.

mod gate;
mod monitor;
mod sighting;
mod state;

#[doc(hidden)]
pub use gate::order_reference;
pub use gate::{AmendGate, Amendment, Busy, Pass};
pub use monitor::{ImpossibleChange, Monitor, Observed};
pub use sighting::Sighting;
pub use state::{HasState, Lifecycle, Next, Possible, State, StateRow, Transition};

#[cfg(test)]
mod tests;
