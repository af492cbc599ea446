//! Schema drift: differences between responses and the documents. They are collected while a client runs, so that the
//! maintainer of the schema notices changes of a document.
//!
//! Reading a response is not affected: a second pass compares it with the tables of its records.
//!
//! Only names are recorded, and a value only if it is spelled like an enum value or a code.

mod counts;
mod report;
mod walk;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use self::counts::{Counts, OperationCounts, Redactor};
use self::walk::walk;
use super::signing::Credentials;
use super::wire::Reply;
use crate::data::error::Error;
use crate::data::json::{Decode, Form};
use crate::data::operation::Operation;
use crate::data::tables::{AnswerForm, Api, CallResult, Meta};

pub use report::{DriftEntry, DriftKind, DriftReport, OperationDrift};

/// Collects differences between responses and the documents, from all clients that share it.
///
/// A second pass compares each response with the tables of its records, and adds the counts under a lock. Clients
/// without a collector do not make this pass.
///
/// A report contains ids of operations and names of fields from the schema, counts, and kinds of JSON. Of what the
/// schema does not contain, it has names of fields, values of enums and error codes, if they are spelled like such (few
/// digits, at most a few dozen per place) and contain nothing of the client's key and passphrase. It never contains the
/// value of any other field: no number, no text, no id and no key of the account. Its size is bounded; findings beyond
/// it are counted.
///
/// ```
/// use tradeapi_runtime::ClientBuilder;
/// use tradeapi_runtime::drift::Drift;
/// use tradeapi_runtime::error::BuildError;
///
/// fn watched<C: From<tradeapi_runtime::ClientCore>>(builder: ClientBuilder<C>) -> Result<(C, Drift), BuildError> {
///     let drift = Drift::new();
///     let client = builder.drift(&drift).build()?;
///     // After a day: println!("{}", drift.report()), or drift.report().to_json() for `tradeapi-gen drift`.
///     Ok((client, drift))
/// }
/// ```
#[derive(Clone, Default)]
pub struct Drift {
    /// In the order of their keys.
    operations: Arc<Mutex<Vec<OperationCounts>>>,
}

impl Drift {
    /// Creates an empty collector.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares the response to a call. Clients do so themselves; this is for responses that are read by other means.
    ///
    /// It does not know the credentials of the call; see [`record_for`](Self::record_for).
    pub fn record<O: Operation>(&self, api: &'static Api, answer: &Result<Reply<O::Response>, Error>) {
        self.record_for::<O>(api, None, answer);
    }

    /// Records as [`record`](Self::record) does, and withholds names and values that contain a part of the key or the
    /// passphrase, because a response may repeat the request. Clients pass their own credentials.
    pub fn record_for<O: Operation>(
        &self,
        api: &'static Api,
        credentials: Option<&Credentials>,
        answer: &Result<Reply<O::Response>, Error>,
    ) {
        let form = <O::Response as Decode>::FORM;
        self.record_any(api, O::META, form, credentials, answer.as_ref().map(|reply| &reply.raw));
    }

    /// Records as [`record_for`](Self::record_for) does, without the type of the operation, whose data has this form.
    pub(crate) fn record_any(
        &self,
        api: &'static Api,
        meta: &'static Meta,
        form: Form,
        credentials: Option<&Credentials>,
        answer: Result<&Bytes, &Error>,
    ) {
        let Some((data, raw)) = looked_at(api, form, answer) else { return };
        self.count(api, meta, data, raw, &Redactor::of(credentials));
    }

    fn count(&self, api: &'static Api, meta: &'static Meta, data: Option<Form>, raw: &[u8], withheld: &Redactor<'_>) {
        let mut counts = Counts::default();
        let walked = match (meta.answer_form, data) {
            (AnswerForm::Bytes, Some(_)) => true,
            (AnswerForm::Text, Some(_)) => std::str::from_utf8(raw).is_ok(),
            _ => std::str::from_utf8(raw).is_ok_and(|text| walk(&mut counts, api, meta, data, withheld, text).is_ok()),
        };
        match (walked, data) {
            (true, Some(_)) => counts.answers = 1,
            (true, None) => counts.refused = 1,
            (false, _) => counts = Counts { broken: 1, ..Counts::default() },
        }
        let mut operations = self.locked();
        let place = operations.binary_search_by(|known| known.key().cmp(&(api.name, meta.id)));
        match place {
            Ok(place) => operations[place].counts.add(counts),
            Err(place) => operations.insert(place, OperationCounts { api: api.name, meta, counts }),
        }
    }

    /// Returns the differences so far.
    pub fn report(&self) -> DriftReport {
        DriftReport::of(&self.locked())
    }

    /// Returns the differences so far; the collector starts over.
    pub fn take(&self) -> DriftReport {
        DriftReport::of(&std::mem::take(&mut *self.locked()))
    }

    /// Counts stay valid after a panic of another thread.
    fn locked(&self) -> MutexGuard<'_, Vec<OperationCounts>> {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns what to compare of a response: its bytes, and the form of its data unless it is a refusal.
fn looked_at<'a>(api: &Api, form: Form, answer: Result<&'a Bytes, &'a Error>) -> Option<(Option<Form>, &'a Bytes)> {
    match answer {
        Ok(raw) => Some((Some(form), raw)),
        Err(Error::Unknown(unknown)) => looked_at(api, form, Err(&unknown.why)),
        Err(Error::Unreadable(answer)) => Some((Some(form), &answer.raw)),
        Err(Error::Exchange(answer)) if api.envelope.is_some() && is_of_exchange(answer.call_result) => {
            Some((None, &answer.raw))
        }
        Err(_) => None,
    }
}

/// Returns whether a response comes from the exchange itself: one without an envelope does not come from the exchange
/// itself.
fn is_of_exchange(call_result: CallResult) -> bool {
    matches!(call_result, CallResult::ListedCode | CallResult::UnlistedCode)
}

impl fmt::Debug for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drift").field("operations", &self.locked().len()).finish_non_exhaustive()
    }
}
