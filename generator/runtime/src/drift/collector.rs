use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::report::DriftReport;
use super::tally::Tally;
use super::walk::walk;
use super::withheld::Withheld;
use crate::client::Credentials;
use crate::error::Error;
use crate::exchange::Reply;
use crate::json::Decode;
use crate::operation::Operation;
use crate::tables::{Api, Ending, Form, Meta};

/// Collects where answers are not what the documents say, over all clients that are given it or a clone of it.
///
/// Each answer is gone through once more, beside the tables of its records; then what was counted is added under a lock. A
/// client that is given none does nothing of the kind.
///
/// What a report can hold: ids of operations and names of fields, as the schema has them; counts; kinds of JSON; and of
/// what the schema does not have, names of fields, values of enums and error codes, if they are spelled like such (few
/// digits, no more than a few dozen at a place) and have nothing of the client's key and passphrase in them. It never holds the value of any other field: no number, no text, no id, no
/// key of the account. How much it holds is bounded, and what there was no room for is counted.
///
/// ```
/// use tradeapi_runtime::{BuildError, ClientBuilder, Drift};
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
    operations: Arc<Mutex<BTreeMap<Key, Counted>>>,
}

/// The name of the API, and the id of the operation.
type Key = (&'static str, &'static str);

/// What was counted of an operation.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) meta: &'static Meta,
    pub(super) tally: Tally,
}

impl Drift {
    /// Nothing is collected yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at the answer to a call. Clients do so by themselves; this is for answers that were read by other means.
    ///
    /// It knows nothing of who made the call; see [`look_at_for`](Self::look_at_for).
    pub fn look_at<O: Operation>(&self, api: &'static Api, answer: &Result<Reply<O::Response>, Error>) {
        self.look_at_for::<O>(api, None, answer);
    }

    /// As [`look_at`](Self::look_at), and tells no name or value that has anything of the key or the passphrase in it: an
    /// answer may repeat what the request carried. Clients pass their own credentials.
    pub fn look_at_for<O: Operation>(
        &self,
        api: &'static Api,
        credentials: Option<&Credentials>,
        answer: &Result<Reply<O::Response>, Error>,
    ) {
        let form = <O::Response as Decode>::FORM;
        let Some((data, raw)) = looked_at(api, form, answer.as_ref().map(|reply| &reply.raw)) else { return };
        self.count(api, O::META, data, raw, &Withheld::of(credentials));
    }

    fn count(&self, api: &'static Api, meta: &'static Meta, data: Option<Form>, raw: &[u8], withheld: &Withheld<'_>) {
        let mut tally = Tally::default();
        let walked =
            std::str::from_utf8(raw).is_ok_and(|text| walk(&mut tally, api, meta, data, withheld, text).is_ok());
        match (walked, data) {
            (true, Some(_)) => tally.answers = 1,
            (true, None) => tally.refused = 1,
            (false, _) => tally = Tally { broken: 1, ..Tally::default() },
        }
        let mut operations = self.locked();
        let counted = operations.entry((api.name, meta.id));
        counted.or_insert_with(|| Counted { meta, tally: Tally::default() }).tally.add(tally);
    }

    /// What was collected so far.
    pub fn report(&self) -> DriftReport {
        DriftReport::of(&self.locked())
    }

    /// What was collected so far; from now on everything is counted anew.
    pub fn take(&self) -> DriftReport {
        DriftReport::of(&std::mem::take(&mut *self.locked()))
    }

    /// Counts stay good whoever panicked beside them.
    fn locked(&self) -> MutexGuard<'_, BTreeMap<Key, Counted>> {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is looked at of an answer: its bytes, and the form of its data unless it is a refusal.
fn looked_at<'a>(api: &Api, form: Form, answer: Result<&'a Bytes, &'a Error>) -> Option<(Option<Form>, &'a Bytes)> {
    match answer {
        Ok(raw) => Some((Some(form), raw)),
        Err(Error::Unknown(unknown)) => looked_at(api, form, Err(&unknown.why)),
        Err(Error::Unreadable(answer)) => Some((Some(form), &answer.raw)),
        Err(Error::Exchange(answer)) if api.envelope.is_some() && is_of_exchange(answer.ending) => {
            Some((None, &answer.raw))
        }
        Err(_) => None,
    }
}

/// What is no envelope does not come from the exchange itself.
fn is_of_exchange(ending: Ending) -> bool {
    matches!(ending, Ending::ListedCode | Ending::UnlistedCode)
}

impl fmt::Debug for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drift").field("operations", &self.locked().len()).finish_non_exhaustive()
    }
}
