//! Batches of the blocking client.

use std::fmt;

use super::client::ClientCore;
use crate::calls::batches::{Batch, BatchReport, ListsResults};
use crate::data::error::Error;
use crate::outcomes::confirm::{BatchConfirmation, ConfirmPolicy, ConfirmableItems, Queryable};

/// The outcomes of the items of a batch of the operation `O`.
type BatchConfirmationOf<O> =
    BatchConfirmation<<O as Batch>::Item, <O as ListsResults>::Done, <O as Queryable>::Record>;

/// A batch of any length, to be sent in as many calls as needed; see [`BatchCall`](crate::calls::batches::BatchCall).
#[must_use = "nothing is sent until `send` is called"]
pub struct BatchCall<O: Batch> {
    client: ClientCore,
    batch: crate::calls::batches::BatchCall<O>,
}

impl<O: Batch> BatchCall<O> {
    /// A batch of all items of `request`. Nothing is sent yet.
    pub fn new(client: ClientCore, request: O) -> Self {
        let batch = crate::calls::batches::BatchCall::new(client.to_async().clone(), request);
        Self { client, batch }
    }

    /// Makes no further call after an item that failed or whose outcome is unknown. By default, all calls are made.
    pub fn stop_at_first_failure(self) -> Self {
        Self { batch: self.batch.stop_at_first_failure(), ..self }
    }

    /// Checks all items, sends them, and reports the outcome of each.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send`](crate::calls::batches::BatchCall::send).
    pub fn send(self) -> Result<BatchReport<O::Item, O::Done>, Error> {
        self.client.wait(self.batch.send())
    }

    /// Like [`send`](Self::send), until `stop` is ready.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send_until`](crate::calls::batches::BatchCall::send_until).
    pub fn send_until(self, stop: impl Future<Output = ()> + Send) -> Result<BatchReport<O::Item, O::Done>, Error> {
        self.client.wait(self.batch.send_until(stop))
    }
}

impl<O: ConfirmableItems> BatchCall<O> {
    /// Like [`send`](Self::send), and then queries each item whose outcome is unknown.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send_and_confirm`](crate::calls::batches::BatchCall::send_and_confirm).
    pub fn send_and_confirm(self, policy: &ConfirmPolicy) -> Result<BatchConfirmationOf<O>, Error> {
        self.client.wait(self.batch.send_and_confirm(policy))
    }

    /// Like [`send_and_confirm`](Self::send_and_confirm), until `stop` is ready.
    ///
    /// # Errors
    ///
    /// As [`BatchCall::send_and_confirm_until`](crate::calls::batches::BatchCall::send_and_confirm_until).
    pub fn send_and_confirm_until(
        self,
        policy: &ConfirmPolicy,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<BatchConfirmationOf<O>, Error> {
        self.client.wait(self.batch.send_and_confirm_until(policy, stop))
    }
}

impl<O: Batch> fmt::Debug for BatchCall<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.batch.fmt(f)
    }
}
