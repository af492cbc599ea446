//! The calls of a batch before they are sent.

use super::batch::{Batch, SentItems};
use super::call::{any_length, no_id_twice};
use crate::data::checks::{CheckContext, Violations};
use crate::data::error::Error;

/// The calls in which [`BatchCall::send`](super::BatchCall::send) sends a batch, without sending it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedBatch<O> {
    /// The requests in their order; one if the batch has no items.
    pub calls: Vec<O>,
    /// The number of items that they have together.
    pub items: usize,
    /// The rules that the batch breaks as a whole. If one of them refuses it, nothing is sent.
    pub violations: Violations,
}

impl<O: Batch> PlannedBatch<O> {
    /// Plans a batch of all items of `request`.
    pub fn new(mut request: O, context: CheckContext<'_>) -> Self {
        let policy = any_length::<O>(context.policy);
        let mut violations = request.inspect(CheckContext { policy: &policy, ..context });
        let Some(SentItems { ids, .. }) = request.sent().filter(|sent| !sent.ids.is_empty()) else {
            return Self { calls: vec![request], items: 0, violations };
        };
        if let Err(Error::Refused(refusal)) = no_id_twice::<O>(&ids) {
            violations.append(refusal.violations);
        }
        let (mut items, mut calls) = (request.take_items().into_iter(), Vec::new());
        for ids in ids.chunks(O::SHAPE.max_items.max(1)) {
            let mut call = request.clone();
            call.set_items(items.by_ref().take(ids.len()).collect());
            calls.push(call);
        }
        Self { calls, items: ids.len(), violations }
    }
}
