//! Bounds the number of concurrent amendments of one order.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::data::operation::Operation;
use crate::data::parameters::ParameterWriter;

/// A request that amends orders, with a maximum of concurrent amendments per order. Emitted where the schema says so.
pub trait Amendment: Operation {
    /// The maximum number of amendments of one order under way, this one included, whichever operation they belong to.
    const IN_FLIGHT: u32;

    /// Returns the orders that it amends, each by its [`order_reference`].
    fn orders(&self) -> Vec<String>;
}

/// Returns a text for the parameter that identifies the order.
pub fn order_reference(write: impl FnOnce(&mut ParameterWriter)) -> String {
    let mut out = ParameterWriter::query();
    write(&mut out);
    out.finish()
}

/// Keeps the number of concurrent amendments of one order within the documented maximum.
///
/// Enter before sending an amendment, and hold the pass until its result is known. If the outcome of a call is unknown,
/// as after a time-out, the amendment may still be in flight: keep the pass until a query of the order shows the
/// result.
///
/// An order is identified by the id in the request, so use the same id in all its amendments. Clones share the counts,
/// also between threads. A client that [tracks orders](crate::ClientBuilder::track_orders) has a gate of its own.
///
/// ```
/// use tradeapi_runtime::client::Callable;
/// use tradeapi_runtime::orders::{AmendGate, Amendment, Busy};
/// use tradeapi_runtime::{ClientCore, Error};
///
/// async fn amend<A: Amendment + Callable>(
///     client: &ClientCore,
///     gate: &AmendGate,
///     request: &A,
/// ) -> Result<Result<A::Reply, Error>, Busy> {
///     let _pass = gate.enter(request)?;
///     Ok(client.call(request).await)
/// }
/// # let _ = AmendGate::new();
/// ```
#[derive(Clone, Debug, Default)]
pub struct AmendGate {
    counts: Arc<Mutex<HashMap<String, u64>>>,
}

impl AmendGate {
    /// Creates a gate without entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters with every order of the request, or with none of them.
    ///
    /// # Errors
    ///
    /// Fails if as many amendments of one of the orders are under way as this operation allows.
    pub fn enter<A: Amendment>(&self, request: &A) -> Result<Pass, Busy> {
        let orders = request.orders().iter().map(|order| vec![format!("{} {order}", A::META.family)]).collect();
        self.enter_all(orders, A::IN_FLIGHT)
    }

    /// Enters with every order, each with all its names, or with none of them.
    pub(super) fn enter_all(&self, orders: Vec<Vec<String>>, at_most: u32) -> Result<Pass, Busy> {
        let mut counts = self.lock();
        for (index, names) in orders.iter().enumerate() {
            let mut in_flight = 0;
            for name in names {
                in_flight = in_flight.max(counts.get(name).copied().unwrap_or_default());
            }
            for other in &orders[..index] {
                in_flight += u64::from(other.iter().any(|name| names.contains(name)));
            }
            if in_flight >= u64::from(at_most) {
                let in_flight = u32::try_from(in_flight).unwrap_or(u32::MAX);
                return Err(Busy { order: names.first().cloned().unwrap_or_default(), in_flight, at_most });
            }
        }
        let orders = orders.concat();
        for order in &orders {
            *counts.entry(order.clone()).or_default() += 1;
        }
        drop(counts);
        Ok(Pass { gate: self.clone(), orders })
    }

    /// Returns how many orders have an amendment under way.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Returns whether no order has an amendment under way.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An amendment that is under way. Drop it once the result is known.
#[derive(Debug)]
#[must_use = "without the pass the amendment counts as answered"]
pub struct Pass {
    gate: AmendGate,
    orders: Vec<String>,
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut counts = self.gate.lock();
        for order in &self.orders {
            if let Some(count) = counts.get_mut(order) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(order);
                }
            }
        }
    }
}

/// Too many amendments of an order are under way for another one.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Busy {
    /// The family and the order, as the request names it.
    pub order: String,
    /// The number of amendments under way.
    pub in_flight: u32,
    /// The number of amendments that may be under way, the refused one included.
    pub at_most: u32,
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { order, in_flight, at_most } = self;
        write!(f, "{in_flight} of at most {at_most} amendments of {order} are under way; wait for a result of one")
    }
}

debug_as_sentence!(Busy);

impl Error for Busy {}
