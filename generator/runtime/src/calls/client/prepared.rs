//! Requests that are checked and signed, and not sent yet.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::core::{ClientCore, Parts};
use super::recent::{KeyOfRepeats, RequestFacts, RequestNumber};
use crate::data::checks::Violations;
use crate::data::clock::Moment;
use crate::data::error::{Error, Unsigned};
use crate::data::operation::{DynOperation, Operation};
use crate::data::parameters::{Named, json_of};
use crate::data::tables::{RepeatKey, Sends};
use crate::data::value::Timestamp;
use crate::network::wire;
use crate::state::journal::SigningTimes;

/// A checked and signed request, ready to be sent once. Its ids can be stored before it is sent.
///
/// [`ClientCore::send`](crate::ClientCore::send) consumes it, so it cannot be sent twice. It is never signed again, so
/// it must be sent before its signature expires, by the client that prepared it or a clone of that.
#[must_use = "a prepared request is not sent yet"]
pub struct Prepared<'a, O> {
    pub(super) operation: &'a O,
    pub(super) signed: SignedRequest,
    /// The client that prepared it: it has the address and the key of that client, whichever sends it.
    by: Arc<Parts>,
}

/// A signed request of any operation.
pub(super) struct SignedRequest {
    pub(super) request: http::Request<Bytes>,
    pub(super) warnings: Violations,
    pub(super) signed_at: Timestamp,
    pub(super) made: Moment,
    /// The number among the recent requests, if its outcome can be queried.
    pub(super) number: Option<RequestNumber>,
}

impl<O: Operation> Prepared<'_, O> {
    /// Returns the operation.
    pub fn operation(&self) -> &O {
        self.operation
    }

    /// Returns the HTTP request.
    pub fn request(&self) -> &http::Request<Bytes> {
        &self.signed.request
    }

    /// Returns the HTTP request alone, for a caller that sends it by other means.
    pub fn into_request(self) -> http::Request<Bytes> {
        self.signed.request
    }

    /// Returns the client ids in the request, to store before it is sent.
    pub fn client_ids(&self) -> Vec<String> {
        client_ids(self.operation)
    }

    /// Returns the first of the client ids.
    pub fn client_id(&self) -> Option<String> {
        self.client_ids().into_iter().next()
    }

    /// Returns the time in the signature: by the client's clock, corrected as [`SigningClock`] says. Stored with the
    /// ids, it lets a later run of the program query the outcome with
    /// [`confirm::settle`](crate::outcomes::confirm::settle).
    ///
    /// [`SigningClock`]: crate::calls::client::SigningClock
    pub fn signed_at(&self) -> Timestamp {
        self.signed.signed_at
    }

    /// Returns the broken rules that only warn.
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

impl ClientCore {
    /// Checks and signs `operation`, for [`send`](Self::send). Nothing is sent yet, and nothing counts against a limit,
    /// so that the ids of the request can be stored first. To send it by other means, wait for its limits with
    /// [`admit`](Self::admit) before.
    ///
    /// # Errors
    ///
    /// Fails if the request breaks a rule or cannot be signed.
    pub fn prepare<'a, O: Operation>(&self, operation: &'a O) -> Result<Prepared<'a, O>, Error> {
        Ok(Prepared { operation, signed: self.check_and_sign(operation)?, by: Arc::clone(&self.parts) })
    }

    /// Refuses a request that another client has prepared: its journal and its limits are not those of the request.
    pub(super) fn refuse_of_others<O: Operation>(&self, prepared: &Prepared<'_, O>) -> Result<(), Error> {
        if Arc::ptr_eq(&prepared.by, &self.parts) {
            return Ok(());
        }
        if let Some(number) = prepared.signed.number {
            prepared.by.recent.void(number);
        }
        let why = "another client has prepared it, for its own address and key";
        Err(Error::Unsigned(Box::new(Unsigned {
            operation: O::META.id,
            why,
            skew: None,
            is_late: false,
            waited: Duration::ZERO,
        })))
    }

    pub(super) fn check_and_sign(&self, operation: &dyn DynOperation) -> Result<SignedRequest, Error> {
        let warnings = self.check(operation)?;
        Ok(SignedRequest { warnings, ..self.sign(operation)? })
    }

    /// Signs a request that was checked.
    pub(super) fn sign(&self, operation: &dyn DynOperation) -> Result<SignedRequest, Error> {
        let Parts { api, base, authenticator, headers, time, .. } = &*self.parts;
        let made = time.now();
        let signed_at = time.to_sign_at(made);
        let request = wire::build(api, operation, base, authenticator.as_ref(), headers, signed_at)?;
        let number = self.remember(operation, request.body(), signed_at, made);
        Ok(SignedRequest { request, warnings: Violations::default(), signed_at, made, number })
    }

    /// Remembers a request whose outcome can be queried.
    fn remember(
        &self,
        operation: &dyn DynOperation,
        body: &[u8],
        signed_at: Timestamp,
        made: Moment,
    ) -> Option<RequestNumber> {
        let meta = operation.meta();
        // What cancels is judged by the end of the order alone.
        let confirm = meta.confirm.as_ref().filter(|confirm| !confirm.cancels())?;
        let key = meta.repeat_key.as_ref().and_then(|key| self.key_of_repeats(key, &Named::of(operation)));
        let signed = SigningTimes { signed_at, made_at: Some(made.wall()) };
        let about = RequestFacts { operation: meta.id, signed, made, is_of_earlier_run: false, confirm, key };
        // The stored form has the ids of a request without a JSON body. Repeats are compared in the stored form, too,
        // because it has all of the request and nothing else.
        let is_in_body = meta.sends() == Sends::Json && !meta.path.contains('{') && !meta.query_beside_body;
        let recent = &self.parts.recent;
        Some(match is_in_body && key.is_none() {
            true => recent.remember(body, about),
            false => recent.remember(json_of(operation).as_bytes(), about),
        })
    }

    /// Returns the key by which the exchange recognizes a repeat of a request, if the request carries one.
    pub(super) fn key_of_repeats(&self, key: &RepeatKey, request: &Named) -> Option<KeyOfRepeats> {
        request.text(key.parameter)?;
        // A repeat may arrive as late as its signature allows.
        let window = || self.signature_window(request).unwrap_or_default();
        let kept = key.kept_ms.map(|kept| Duration::from_millis(kept).saturating_sub(window()));
        Some(KeyOfRepeats { kept })
    }

    /// Notes that a request has no effect.
    pub(super) fn void(&self, number: Option<RequestNumber>) {
        if let Some(number) = number {
            self.parts.recent.void(number);
        }
    }
}

/// Returns the client ids in a request, one for each item that has one.
pub(crate) fn client_ids(operation: &dyn DynOperation) -> Vec<String> {
    let Some(id) = &operation.meta().client_id else { return Vec::new() };
    let named = Named::of(operation);
    let items = match id.list {
        Some(list) => named.items(list),
        None => vec![named],
    };
    let mut ids = Vec::with_capacity(items.len());
    for item in &items {
        ids.extend(item.text(id.parameter).map(Cow::into_owned));
    }
    ids
}
