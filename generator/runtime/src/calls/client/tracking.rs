//! A client that tracks orders: what it reports of its calls to [`TrackedOrders`].

use std::time::Duration;

use super::core::ClientCore;
use crate::data::clock::Moment;
use crate::data::error::Error;
use crate::data::lifecycle::OrderResult;
use crate::data::operation::{DynOperation, DynResponse};
use crate::data::parameters::Named;
use crate::data::tables::{Api, Outcome};
use crate::network::wire::{CodePolicy, Reply, is_compound};
use crate::state::orders::{TrackedOrders, Tracking};

impl ClientCore {
    /// Returns the orders that the client knows from its calls, if it was built with
    /// [`track_orders`](crate::ClientBuilder::track_orders).
    pub fn tracked_orders(&self) -> Option<&TrackedOrders> {
        self.parts.orders.as_ref()
    }

    /// Begins to track a call, unless the known state of an order forbids it. Boxed, because every call has space for
    /// it.
    pub(super) fn track(&self, operation: &dyn DynOperation) -> Result<Option<Box<Tracking<'_>>>, Error> {
        let Some(orders) = &self.parts.orders else { return Ok(None) };
        let tracking = Tracking::begin(orders, operation, self.moment().steady);
        tracking.map(|tracking| Some(Box::new(tracking))).map_err(|refusal| Error::NotAmendable(Box::new(refusal)))
    }

    /// Returns when the effect of a signed request that leaves at a moment is visible on every machine of the exchange,
    /// by the steady clock.
    pub(super) fn visible_from(&self, operation: &dyn DynOperation, left: Moment) -> Option<Duration> {
        Some(left.steady.saturating_add(self.visible_within(&Named::of(operation), left, self.assumptions())?))
    }

    /// Takes the result of a call that was tracked.
    pub(super) fn tracked(
        &self,
        tracking: Tracking<'_>,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
        result: &Result<Reply<()>, Error>,
    ) {
        let (mut shown, mut results) = (Vec::new(), Vec::new());
        let outcome = match result {
            Ok(reply) => {
                let codes = self.codes().for_answer(reply.may_answer_repeat);
                data.show_orders(&mut |order| shown.push(order));
                results = results_in(operation, data, self.api(), &codes);
                Outcome::Done
            }
            Err(error) => error.outcome(),
        };
        let visible = self.moment().steady.saturating_add(self.assumptions().shown_after());
        tracking.ended(outcome, (shown, results), visible);
    }
}

/// Returns the results of the orders that a request was to place, each with its outcome by these codes.
fn results_in(
    operation: &dyn DynOperation,
    data: &dyn DynResponse,
    api: &'static Api,
    codes: &CodePolicy,
) -> Vec<(OrderResult, Outcome)> {
    let (meta, mut results) = (operation.meta(), Vec::new());
    data.show_results(&mut |result| results.push((result, Outcome::Done)));
    if results.is_empty() {
        return results;
    }
    let is_compound = is_compound(operation);
    for (result, outcome) in &mut results {
        *outcome = match result.code.as_deref() {
            Some(code) if meta.is_success(api, code) => Outcome::Done,
            None if result.is_accepted => Outcome::Done,
            code => codes.read_item(api, meta, code, is_compound).outcome,
        };
    }
    results
}
