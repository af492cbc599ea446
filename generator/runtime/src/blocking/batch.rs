use std::fmt;

use super::core::ClientCore;
use crate::batches::{Batch, BatchReport};
use crate::error::Error;
use crate::fate::{Asked, ConfirmPolicy, ConfirmableItems, ItemFates};

/// What became of the items of a batch of the operation `O`.
type FatesOf<O> = ItemFates<<O as Batch>::Item, <O as Batch>::Done, <O as Asked>::Record>;

/// A batch of any length, about to be sent in as many calls as it takes; see [`BatchCall`](crate::BatchCall).
#[must_use = "nothing is sent until `send` is called"]
pub struct BatchCall<O: Batch> {
    client: ClientCore,
    batch: crate::BatchCall<O>,
}

impl<O: Batch> BatchCall<O> {
    pub(super) fn new(client: ClientCore, batch: crate::BatchCall<O>) -> Self {
        Self { client, batch }
    }

    /// Makes no further call once an item has not surely succeeded. If not set, all calls are made.
    pub fn stop_at_first_failure(self) -> Self {
        Self { batch: self.batch.stop_at_first_failure(), ..self }
    }

    /// Checks all items, sends them, and tells of each what became of it.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send`](crate::BatchCall::send).
    pub fn send(self) -> Result<BatchReport<O::Item, O::Done>, Error> {
        self.client.wait(self.batch.send())
    }
}

impl<O: ConfirmableItems> BatchCall<O> {
    /// As [`send`](Self::send), and then asks for each item of which no answer told whether it succeeded.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send_and_confirm`](crate::BatchCall::send_and_confirm).
    pub fn send_and_confirm(self, policy: &ConfirmPolicy) -> Result<FatesOf<O>, Error> {
        self.client.wait(self.batch.send_and_confirm(policy))
    }
}

impl<O: Batch> fmt::Debug for BatchCall<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.batch.fmt(f)
    }
}
