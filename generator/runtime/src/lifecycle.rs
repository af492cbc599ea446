//! States of an order: what can become of them, whether records agree with it, how many amendments may be under way.

mod gate;
mod memory;
mod monitor;
mod state;
mod table;
#[cfg(test)]
mod tests;

pub use gate::{AmendGate, Amendment, Busy, Pass, order_reference};
pub use monitor::{ImpossibleChange, Monitor, Observed};
pub use state::{HasState, State};
pub use table::{Lifecycle, Next, Possible, StateRow, Transition};
