use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

use super::recent::RequestNumber;
use crate::checks::Violations;
use crate::clock::Moment;
use crate::operation::{DynOperation, Operation};
use crate::parameters::Named;
use crate::value::Timestamp;

/// A checked and signed request, ready to be sent once. Its ids can be stored before it is sent.
///
/// [`ClientCore::send`](crate::ClientCore::send) consumes it, so it cannot be sent twice. It is never signed again, so
/// it must be sent before its signature expires.
#[must_use = "a prepared request is not sent yet"]
pub struct Prepared<'a, O> {
    pub(super) operation: &'a O,
    pub(super) signed: SignedRequest,
}

/// A signed request of any operation.
pub(super) struct SignedRequest {
    pub(super) request: http::Request<Bytes>,
    pub(super) warnings: Violations,
    pub(super) signed_at: Timestamp,
    pub(super) made: Moment,
    /// Its number among the recent requests, if its outcome can be queried.
    pub(super) number: Option<RequestNumber>,
}

impl<O: Operation> Prepared<'_, O> {
    /// The operation.
    pub fn operation(&self) -> &O {
        self.operation
    }

    /// The HTTP request.
    pub fn request(&self) -> &http::Request<Bytes> {
        &self.signed.request
    }

    /// The HTTP request alone, for a caller that sends it by other means.
    pub fn into_request(self) -> http::Request<Bytes> {
        self.signed.request
    }

    /// The client ids in the request, to store before it is sent.
    pub fn client_ids(&self) -> Vec<String> {
        client_ids(self.operation)
    }

    /// The first of the client ids.
    pub fn client_id(&self) -> Option<String> {
        self.client_ids().into_iter().next()
    }

    /// The time in the signature: by the client's clock, corrected as [`SigningClock`] says. Stored with the ids, it
    /// lets a later run of the program query the outcome with [`ClientCore::settle`](crate::ClientCore::settle).
    ///
    /// [`SigningClock`]: crate::client::SigningClock
    pub fn signed_at(&self) -> Timestamp {
        self.signed.signed_at
    }

    /// Broken rules that only warn.
    pub fn warnings(&self) -> &Violations {
        &self.signed.warnings
    }
}

impl<O> Deref for Prepared<'_, O> {
    type Target = http::Request<Bytes>;

    fn deref(&self) -> &Self::Target {
        &self.signed.request
    }
}

impl<O: Operation> fmt::Debug for Prepared<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the headers, which contain credentials.
        f.debug_struct("Prepared")
            .field("operation", &O::META.id)
            .field("client_ids", &self.client_ids())
            .field("signed_at", &self.signed.signed_at)
            .finish_non_exhaustive()
    }
}

/// The client ids in a request, one for each item that has one.
pub(crate) fn client_ids(operation: &dyn DynOperation) -> Vec<String> {
    let Some(id) = &operation.meta().client_id else { return Vec::new() };
    let named = Named::of(operation);
    let of = |named: &Named| named.text(id.parameter).map(Cow::into_owned);
    match id.list {
        Some(list) => named.items(list).iter().filter_map(of).collect(),
        None => of(&named).into_iter().collect(),
    }
}
