//! The orders of an account as far as a client knows them from its own calls, and a bound on concurrent amendments.
//!
//! A client that [tracks orders](crate::ClientBuilder::track_orders) feeds [`TrackedOrders`] automatically.
//! [`AmendGate`] is for requests that are sent by other means.

mod book;
mod gate;
mod order;
mod tracked;
mod tracking;

#[doc(hidden)]
pub use gate::order_reference;
pub use gate::{AmendGate, Amendment, Busy, Pass};
pub use order::{OrderContradiction, Standing, TrackedOrder};
pub use tracked::TrackedOrders;
pub(crate) use tracking::{Answered, Tracking};

#[cfg(test)]
mod tests;
