//! A call with a journal: the change is stored before it is sent, and its outcome after.

use std::sync::Arc;

use super::core::ClientCore;
use super::prepared::{SignedRequest, client_ids};
use super::sending::{CallContext, CallFuture};
use crate::error::{Error, NotStored};
use crate::exchange::Reply;
use crate::journal::{Change, Ending, Journal, StoredChange};
use crate::limits::Permit;
use crate::observe;
use crate::operation::{DynOperation, DynResponse};
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
    pub(super) fn send_journaled<'a>(
        &'a self,
        journal: &'a Arc<dyn Journal>,
        call: CallContext<'a>,
        permit: Permit<'a>,
        signed: SignedRequest,
        data: &'a mut dyn DynResponse,
    ) -> CallFuture<'a> {
        Box::pin(async move {
            let (operation, meta, signed_at) = (call.operation, call.operation.meta(), signed.signed_at);
            let number = match journal.begin(self.change_of(operation, signed_at)).await {
                Ok(number) => number,
                Err(why) => {
                    self.void(signed.number);
                    let (operation, waited) = (meta.id, permit.waited());
                    return Err(Error::NotStored(Box::new(NotStored { operation, why, waited })));
                }
            };
            if let Some(request) = signed.number {
                self.parts.recent.is_change(request, number);
            }
            let trip = RoundTrip::default();
            let result = match self.send_once(call, permit, signed, self.moment(), &trip) {
                Ok((sent, answer)) => {
                    let answer = answer.await;
                    self.answered(call, sent, answer, trip.get(), data)
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
                    observe::end_not_stored(meta, &error);
                }
            }
            result
        })
    }

    fn change_of(&self, operation: &dyn DynOperation, signed_at: Timestamp) -> Change {
        Change {
            operation: operation.meta().id.to_owned(),
            request: json_of(operation),
            client_ids: client_ids(operation),
            signed_at,
            account: Some(self.account().name().to_owned()).filter(|name| !name.is_empty()),
        }
    }
}

/// How a change ended, if that is known.
fn ending(operation: &dyn DynOperation, result: &Result<Reply<()>, Error>) -> Option<Ending> {
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
fn is_about_every_item(operation: &dyn DynOperation, raw: &[u8]) -> bool {
    let is_list = operation.meta().client_id.as_ref().is_some_and(|id| id.list.is_some());
    !is_list || {
        let text = String::from_utf8_lossy(raw);
        client_ids(operation).iter().all(|id| text.contains(&format!("\"{id}\"")))
    }
}
