use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

use crate::checks::Violations;
use crate::client::Moment;
use crate::operation::Operation;
use crate::parameters::Named;
use crate::value::Timestamp;

/// A request that is checked, signed and ready to go, once. What is to be remembered of it can be stored before.
///
/// It is a value that [`ClientCore::send`](crate::ClientCore::send) takes, so it cannot be sent twice; and it is not
/// signed again, so it must go while its signature is good.
#[must_use = "a prepared request is not sent yet"]
pub struct Prepared<'a, O> {
    pub(crate) operation: &'a O,
    pub(crate) request: http::Request<Bytes>,
    pub(crate) warnings: Violations,
    pub(crate) signed_at: Timestamp,
    pub(crate) made: Moment,
}

impl<O: Operation> Prepared<'_, O> {
    /// The operation.
    pub fn operation(&self) -> &O {
        self.operation
    }

    /// The HTTP request.
    pub fn request(&self) -> &http::Request<Bytes> {
        &self.request
    }

    /// The HTTP request alone, for who sends it in another way; whether it was answered is theirs to tell then.
    pub fn into_request(self) -> http::Request<Bytes> {
        self.request
    }

    /// The caller's own ids in the request: what to store before it leaves.
    pub fn client_ids(&self) -> Vec<String> {
        client_ids(self.operation)
    }

    /// The only or first one of these.
    pub fn client_id(&self) -> Option<String> {
        self.client_ids().into_iter().next()
    }

    /// When it was signed, as it says itself: by the client's clock, corrected as the [`SigningClock`] has it. Stored with the ids, it lets a later run of the program ask with
    /// [`ClientCore::settle`](crate::ClientCore::settle).
    ///
    /// [`SigningClock`]: crate::SigningClock
    pub fn signed_at(&self) -> Timestamp {
        self.signed_at
    }

    /// Rules that the request breaks without being refused for it.
    pub fn warnings(&self) -> &Violations {
        &self.warnings
    }
}

impl<O> Deref for Prepared<'_, O> {
    type Target = http::Request<Bytes>;

    fn deref(&self) -> &Self::Target {
        &self.request
    }
}

impl<O: Operation> fmt::Debug for Prepared<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The headers are left out, for some of them are nobody's business.
        f.debug_struct("Prepared")
            .field("operation", &O::META.id)
            .field("client_ids", &self.client_ids())
            .field("signed_at", &self.signed_at)
            .finish_non_exhaustive()
    }
}

/// The caller's own ids in a request, of those that have one.
pub(crate) fn client_ids<O: Operation>(operation: &O) -> Vec<String> {
    let Some(id) = &O::META.client_id else { return Vec::new() };
    let named = Named::of(operation);
    match id.list {
        Some(list) => named.items(list).iter().filter_map(|item| item.text(id.parameter)).collect(),
        None => named.text(id.parameter).into_iter().collect(),
    }
}
