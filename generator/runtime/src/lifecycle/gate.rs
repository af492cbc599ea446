use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::operation::Operation;
use crate::parameters::ParameterWriter;

/// A request that amends orders, of which only so many may be under way for one order. Emitted where the schema says so.
pub trait Amendment: Operation {
    /// The most amendments of one order that may be under way once this one is, whichever operation they belong to.
    const IN_FLIGHT: u32;

    /// The orders that it amends, each by its [`order_reference`].
    fn orders(&self) -> Vec<String>;
}

/// A text for the parameter that says which order is meant.
pub fn order_reference(write: impl FnOnce(&mut ParameterWriter)) -> String {
    let mut out = ParameterWriter::query();
    write(&mut out);
    out.finish()
}

/// Keeps the number of amendments that are under way for one order within what the documents allow.
///
/// Who is about to send an amendment enters, and holds the pass until the exchange has told the result. Where a call
/// ends without telling, as with a timeout, the amendment may still be under way: keep the pass until a query of the
/// order has told.
///
/// An order is told by the id it is named with, so name an order the same way in all its amendments. Clones count
/// together, over all threads.
///
/// ```
/// use tradeapi_runtime::{AmendGate, Amendment, Busy, ClientCore, Error, Reply};
///
/// async fn amend<A: Amendment>(
///     client: &ClientCore,
///     gate: &AmendGate,
///     request: &A,
/// ) -> Result<Result<Reply<A::Response>, Error>, Busy> {
///     let _pass = gate.enter(request)?;
///     Ok(client.call(request).await)
/// }
/// # let _ = AmendGate::new();
/// ```
#[derive(Clone, Debug, Default)]
pub struct AmendGate {
    counts: Arc<Mutex<HashMap<String, u32>>>,
}

impl AmendGate {
    /// A gate that nobody has entered.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters with every order of the request, or with none of them.
    ///
    /// # Errors
    ///
    /// When as many amendments of one of the orders are under way as this operation allows.
    pub fn enter<A: Amendment>(&self, request: &A) -> Result<Pass, Busy> {
        let orders: Vec<_> = request.orders().iter().map(|order| format!("{} {order}", A::META.family)).collect();
        let mut counts = self.lock();
        for (index, order) in orders.iter().enumerate() {
            let known = counts.get(order).copied().unwrap_or(0);
            let own = orders.iter().take(index).filter(|other| *other == order).count();
            let in_flight = known.saturating_add(u32::try_from(own).unwrap_or(u32::MAX));
            if in_flight >= A::IN_FLIGHT {
                return Err(Busy { order: order.clone(), in_flight, at_most: A::IN_FLIGHT });
            }
        }
        for order in &orders {
            *counts.entry(order.clone()).or_default() += 1;
        }
        drop(counts);
        Ok(Pass { gate: self.clone(), orders })
    }

    /// How many orders have an amendment under way.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether no order has an amendment under way.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, u32>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stands for an amendment that is under way. Dropping it says that its result is known.
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Busy {
    /// The family and the order, as the request names it.
    pub order: String,
    /// How many are under way.
    pub in_flight: u32,
    /// How many may be, once the refused one is.
    pub at_most: u32,
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { order, in_flight, at_most } = self;
        write!(f, "{in_flight} of at most {at_most} amendments of {order} are under way; wait for a result of one")
    }
}

impl Error for Busy {}
