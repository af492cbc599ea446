//! The orders of an account as far as a client knows them from its own calls, and a bound on concurrent amendments.
//!
//! A client that [tracks orders](crate::ClientBuilder::track_orders) feeds [`TrackedOrders`] automatically.
//! [`AmendGate`] is for requests that are sent by other means.
//!
//! Emitted code reads orders from responses, and one book for each family stores the sightings of all operations. An
//! absence from the open orders ends a tracked order only if the listing began after it was certain to show the order.
//! An accepted cancellation ends nothing in the view, because fills may come first.

mod book;
mod gate;
mod tracked;

pub use book::{OrderContradiction, Standing, TrackedOrder};
#[doc(hidden)]
pub use gate::order_reference;
pub use gate::{AmendGate, Amendment, Busy, Pass};
pub use tracked::TrackedOrders;
pub(crate) use tracked::Tracking;

#[cfg(test)]
mod tests;
