use std::sync::Arc;

use super::confirmable::{Asked, Confirmable};
use super::policy::ConfirmPolicy;
use super::question::{Question, cannot_be_asked};
use super::rounds::Open;
use super::verdict::{Fate, did_not_happen, happened, still_unknown};
use crate::client::{ClientCore, Moment};
use crate::error::Error;
use crate::exchange::Reply;
use crate::value::Timestamp;

/// What became of a request of the operation `O`.
type FateOf<O> = Fate<Reply<<O as crate::Operation>::Response>, <O as Asked>::Record>;

impl ClientCore {
    /// Sends `operation`, once, and when its outcome is unknown asks for what it was to change until that is known or
    /// the policy's deadline passes. The questions wait for room within their rate limits like any call.
    ///
    /// A request that carries nothing to ask by is not sent.
    ///
    /// That something is not found proves nothing while the request can still arrive or what it made may not be visible
    /// yet, and nothing again once it may be forgotten; where the documents do not show how long it is kept, it never does.
    /// A record proves something only where nothing in it speaks against the request; see [`Fate::Unknown`] otherwise.
    ///
    /// Of several items, [`BatchCall::send_and_confirm`](crate::BatchCall::send_and_confirm) finds out the same for each.
    pub async fn place_and_confirm<O: Confirmable>(&self, operation: &O, policy: &ConfirmPolicy) -> FateOf<O> {
        let Some(question) = only(Question::all(operation)) else {
            return did_not_happen(cannot_be_asked::<O>());
        };
        match self.call(operation).await {
            Ok(reply) => happened(reply),
            Err(Error::Unknown(unknown)) => {
                let (signed_at, left) = (unknown.sent.signed_at, unknown.sent.left);
                self.ask_for(question, signed_at, Some(left), Some(Error::Unknown(unknown)), policy).await
            }
            Err(why) => did_not_happen(why),
        }
    }

    /// Asks for the outcome of a request that was signed at `signed_at` and may have been sent, by this client or by an
    /// earlier run of the program. Nothing is sent but questions.
    ///
    /// Of an earlier run it is not known when the request left, so an amendment stays unknown, and the machine's clock has
    /// to agree with the exchange's that enough time has passed for an absence to prove something.
    pub async fn settle<O: Confirmable>(
        &self,
        operation: &O,
        signed_at: Timestamp,
        policy: &ConfirmPolicy,
    ) -> FateOf<O> {
        match only(Question::all(operation)) {
            Some(question) => {
                let left = self.left(question.key(), signed_at);
                self.ask_for(question, signed_at, left, None, policy).await
            }
            None => still_unknown(None, "the request carries nothing to ask by"),
        }
    }

    /// Asks once for what `operation` made or changed, by the caller's own id: also for what the answer gave no id of.
    ///
    /// # Errors
    ///
    /// When the request carries nothing to ask by, or the question fails.
    pub async fn locate<O: Confirmable>(&self, operation: &O) -> Result<Reply<O::Record>, Error> {
        let question = only(Question::all(operation)).ok_or_else(cannot_be_asked::<O>)?;
        self.call(question.query()).await
    }

    async fn ask_for<O: Confirmable>(
        &self,
        question: Question<O>,
        signed_at: Timestamp,
        left: Option<Moment>,
        call: Option<Error>,
        policy: &ConfirmPolicy,
    ) -> FateOf<O> {
        let call = call.map(Arc::new);
        let open = Open::new(question, signed_at, left, call.clone());
        let fate = self.ask(vec![open], policy).await.pop();
        fate.unwrap_or_else(|| still_unknown(call, "it was not asked for"))
    }
}

/// The only question, if there is exactly one and it can be put.
fn only<O: Asked>(mut all: Vec<Option<Question<O>>>) -> Option<Question<O>> {
    if all.len() == 1 { all.pop().flatten() } else { None }
}
