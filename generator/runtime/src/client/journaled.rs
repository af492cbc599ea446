//! A call with a journal: the change is stored before it is sent, and its outcome after.

use std::pin::Pin;
use std::sync::Arc;

use super::core::ClientCore;
use super::prepared::{Prepared, client_ids};
use crate::error::{Error, NotStored};
use crate::exchange::Reply;
use crate::journal::{Change, Ending, Journal, StoredChange};
use crate::limits::Permit;
use crate::observe::{self, CallSpan};
use crate::operation::Operation;
use crate::orders::Tracking;
use crate::parameters::json_of;
use crate::tables::{Effect, Meta, Outcome};
use crate::transport::RoundTrip;
use crate::value::Timestamp;

/// The longest code that is stored.
const LONGEST_CODE: usize = 32;

impl ClientCore {
    /// The journal for requests of an operation, if the operation changes something.
    pub(super) fn journal_of(&self, meta: &Meta) -> Option<&Arc<dyn Journal>> {
        self.journal.as_ref().filter(|_| meta.effect != Effect::Read)
    }

    /// Stores a prepared request, sends it once, reads the response and stores the outcome.
    // Boxed, so that the future of a call without a journal is not larger.
    pub(super) fn send_journaled<'a, O: Operation>(
        &'a self,
        journal: &'a Arc<dyn Journal>,
        span: &'a CallSpan,
        permit: Permit<'a>,
        prepared: Prepared<'a, O>,
        tracking: Option<&'a Tracking<'_>>,
    ) -> Pin<Box<impl Future<Output = Result<Reply<O::Response>, Error>> + 'a>> {
        Box::pin(async move {
            let (operation, signed_at) = (prepared.operation, prepared.signed_at);
            let number = match journal.begin(self.change_of(operation, signed_at)).await {
                Ok(number) => number,
                Err(why) => {
                    self.void(prepared.number);
                    let (operation, waited) = (O::META.id, permit.waited());
                    return Err(Error::NotStored(Box::new(NotStored { operation, why, waited })));
                }
            };
            let trip = RoundTrip::default();
            let result = match self.send_once(span, permit, prepared, self.moment(), tracking, &trip) {
                Ok((sent, answer)) => {
                    let answer = answer.await;
                    self.answered(span, sent, answer, trip.get())
                }
                Err(error) => Err(error),
            };
            if let Some(ending) = ending(operation, &result) {
                if ending.outcome == Outcome::NotDone {
                    self.awaited().refuse(|| {
                        let change = self.change_of(operation, signed_at);
                        StoredChange::new(number, change, Some(ending.clone()))
                    });
                }
                if let Err(error) = journal.end(number, ending).await {
                    // The change stays open, and the journal refuses the next one.
                    observe::end_not_stored(O::META, &error);
                }
            }
            result
        })
    }

    fn change_of<O: Operation>(&self, operation: &O, signed_at: Timestamp) -> Change {
        Change {
            operation: O::META.id.to_owned(),
            request: json_of(operation),
            client_ids: client_ids(operation),
            signed_at,
            account: Some(self.account().name().to_owned()).filter(|name| !name.is_empty()),
        }
    }
}

/// How a change ended, if that is known.
fn ending<O: Operation>(operation: &O, result: &Result<Reply<O::Response>, Error>) -> Option<Ending> {
    match result {
        Ok(reply) => is_about_every_item(operation, &reply.raw).then(|| Ending::new(Outcome::Done)),
        Err(error) if error.outcome() == Outcome::Unknown => None,
        Err(error) => {
            let ending = Ending::new(error.outcome());
            let code = error.code().filter(|code| code.len() <= LONGEST_CODE);
            Some(code.map_or(ending.clone(), |code| ending.code(code)))
        }
    }
}

/// Whether the response to a batch mentions each of its items; only those outcomes are known.
fn is_about_every_item<O: Operation>(operation: &O, raw: &[u8]) -> bool {
    let is_list = O::META.client_id.as_ref().is_some_and(|id| id.list.is_some());
    !is_list || {
        let text = String::from_utf8_lossy(raw);
        client_ids(operation).iter().all(|id| text.contains(&format!("\"{id}\"")))
    }
}
