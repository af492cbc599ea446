use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::report::DriftReport;
use super::tally::Tally;
use super::walk::walk;
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
/// digits, no more than a few dozen at a place). It never holds the value of any other field: no number, no text, no id, no
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
    pub fn look_at<O: Operation>(&self, api: &'static Api, answer: &Result<Reply<O::Response>, Error>) {
        let form = <O::Response as Decode>::FORM;
        match answer {
            Ok(reply) => self.count(api, O::META, Some(form), &reply.raw),
            Err(error) => self.failed(api, O::META, form, error),
        }
    }

    fn failed(&self, api: &'static Api, meta: &'static Meta, form: Form, error: &Error) {
        match error {
            Error::Unknown(unknown) => self.failed(api, meta, form, &unknown.why),
            Error::Unreadable(answer) => self.count(api, meta, Some(form), &answer.raw),
            Error::Exchange(answer) if api.envelope.is_some() && is_of_exchange(answer.ending) => {
                self.count(api, meta, None, &answer.raw);
            }
            _ => {}
        }
    }

    fn count(&self, api: &'static Api, meta: &'static Meta, data: Option<Form>, raw: &[u8]) {
        let mut tally = Tally::default();
        let walked = std::str::from_utf8(raw).is_ok_and(|text| walk(&mut tally, api, meta, data, text).is_ok());
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

/// What is no envelope does not come from the exchange itself.
fn is_of_exchange(ending: Ending) -> bool {
    matches!(ending, Ending::ListedCode | Ending::UnlistedCode)
}

impl fmt::Debug for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drift").field("operations", &self.locked().len()).finish_non_exhaustive()
    }
}
