use super::core::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::fate::Repeatable;
use crate::retry::RetryPolicy;

/// A client that calls again when a call fails in a way that passes.
#[derive(Clone, Copy, Debug)]
pub struct Retrying<'a> {
    client: &'a ClientCore,
    policy: &'a RetryPolicy,
}

impl<'a> Retrying<'a> {
    pub(super) fn new(client: &'a ClientCore, policy: &'a RetryPolicy) -> Self {
        Self { client, policy }
    }

    /// As [`ClientCore::call`], again and again as the policy says.
    ///
    /// # Errors
    ///
    /// What the last attempt came to.
    pub fn call<O: Repeatable>(&self, operation: &O) -> Result<Reply<O::Response>, Error> {
        let Self { client, policy } = *self;
        client.wait(client.to_async().retrying(policy).call(operation))
    }
}
