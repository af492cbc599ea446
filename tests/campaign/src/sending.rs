//! The tasks of an account send requests, and draw their conclusions from the answers.

use std::time::Duration;

use tradeapi::runtime::confirm::{self, Confirmable, Confirmation};
use tradeapi::runtime::tables::{CallResult, Outcome};
use tradeapi::{Error, Timestamp};
use tradeapi_tests::dice::Dice;

use crate::claim::Known;
use crate::clock::within;
use crate::context::{AccountContext, signed_at};
use crate::counts::Situation;
use crate::incorrect;
use crate::ledger::ClaimHandle;
use crate::raw;
use crate::variant::ClientVariant;

/// The result of a request.
#[derive(Debug)]
pub(crate) struct SendResult {
    pub(crate) outcome: Outcome,
    known: Known,
    /// When the request was signed; `None` if the caller does not know, because it dropped its call.
    signed_at: Option<Timestamp>,
    /// The exchange's id of the placed order.
    pub(crate) order_id: Option<String>,
}

/// The way a request is sent and its outcome found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendMode {
    /// Confirms with a short deadline.
    Confirm,
    /// Confirms with the default policy.
    ConfirmByDefault,
    /// Calls, then settles an unknown outcome.
    CallAndSettle,
    /// Prepares first, so that the id could be stored, then settles an unknown outcome.
    PrepareAndSettle,
    /// Prepares, drops the call in flight, and settles.
    DropAndSettle,
    /// Drops the confirmation in flight.
    DropConfirm,
    /// Calls, then locates the order if the outcome is unknown.
    CallAndLocate,
    /// Calls, and leaves an unknown outcome for later.
    CallAndLeave,
}

const SEND_MODES: [(SendMode, u64); 8] = [
    (SendMode::Confirm, 36),
    (SendMode::ConfirmByDefault, 2),
    (SendMode::CallAndSettle, 17),
    (SendMode::PrepareAndSettle, 18),
    (SendMode::DropAndSettle, 6),
    (SendMode::DropConfirm, 3),
    (SendMode::CallAndLocate, 12),
    (SendMode::CallAndLeave, 6),
];

impl SendMode {
    fn name(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::ConfirmByDefault => "confirm by default",
            Self::CallAndSettle => "call, settle",
            Self::PrepareAndSettle => "prepare, settle",
            Self::DropAndSettle => "drop, settle",
            Self::DropConfirm => "drop while confirming",
            Self::CallAndLocate => "call, locate",
            Self::CallAndLeave => "call, leave",
        }
    }
}

/// The longest time after which a caller drops a call, in milliseconds.
const MAX_PATIENCE: u64 = 60;

impl SendResult {
    pub(crate) fn known(&self) -> Known {
        self.known
    }

    pub(crate) fn signed_at(&self) -> Option<Timestamp> {
        self.signed_at
    }
}

impl AccountContext {
    /// Sends a request in a random mode, and returns its outcome as far as it is known.
    pub(crate) async fn send<O>(&self, operation: O, handle: ClaimHandle, dice: &mut Dice) -> SendResult
    where
        O: Confirmable<Query: Send + Sync, Response: Send> + Clone + Send + Sync + 'static,
    {
        let (client, settings) = (&self.client, &self.settings);
        let mode = match settings.variant {
            ClientVariant::Correct => dice.weighted(&SEND_MODES),
            ClientVariant::IgnoresRetention => SendMode::CallAndLeave,
            _ => SendMode::CallAndSettle,
        };
        let patience = settings.scaled(Duration::from_millis(dice.below(MAX_PATIENCE)));
        let result = match mode {
            SendMode::Confirm => {
                self.confirmation_result(confirm::place_and_confirm(client, &operation, &settings.brief_policy()).await)
            }
            SendMode::ConfirmByDefault => {
                self.confirmation_result(confirm::place_and_confirm(client, &operation, &Default::default()).await)
            }
            SendMode::CallAndSettle => self.call(&operation, &handle).await,
            SendMode::PrepareAndSettle | SendMode::DropAndSettle => {
                let dropped_after = matches!(mode, SendMode::DropAndSettle).then_some(patience);
                self.prepare(&operation, dropped_after).await
            }
            SendMode::DropConfirm => {
                let policy = settings.brief_policy();
                match within(client, patience, confirm::place_and_confirm(client, &operation, &policy)).await {
                    Some(confirmation) => self.confirmation_result(confirmation),
                    None => self.dropped(None),
                }
            }
            SendMode::CallAndLocate => match client.call(&operation).await {
                Ok(reply) => self.done(Known::ByAnswer, &reply.as_ref().raw),
                Err(error) => self.locate(&operation, error).await,
            },
            SendMode::CallAndLeave => self.call_once(&operation).await,
        };
        self.ledger.record(&handle, result.outcome, result.known, mode.name());
        if result.outcome == Outcome::Unknown {
            self.query_later(operation, handle, result.signed_at, dice);
        }
        result
    }

    /// Calls an operation whose request has no id to query by.
    pub(crate) async fn send_without_query<O: Confirmable>(&self, operation: O, handle: ClaimHandle) -> SendResult {
        let result = self.call_once(&operation).await;
        self.ledger.record(&handle, result.outcome, result.known, "the request carries no id to query by");
        result
    }

    async fn call_once<O: Confirmable>(&self, operation: &O) -> SendResult {
        match self.client.call(operation).await {
            Ok(reply) => self.done(Known::ByAnswer, &reply.as_ref().raw),
            Err(error) => {
                self.ledger.failed(&error);
                self.result(error.outcome(), Known::ByAnswer, signed_at(&error, &self.client))
            }
        }
    }

    async fn call<O: Confirmable>(&self, operation: &O, handle: &ClaimHandle) -> SendResult {
        let mut result = self.client.call(operation).await;
        while self.settings.variant == ClientVariant::Resends && matches!(result, Err(Error::Unknown(_))) {
            result = self.client.call(operation).await;
        }
        match result {
            Ok(reply) => self.done(Known::ByAnswer, &reply.as_ref().raw),
            Err(error) => self.settle(operation, error, Some(handle)).await,
        }
    }

    async fn prepare<O: Confirmable>(&self, operation: &O, dropped_after: Option<Duration>) -> SendResult {
        let prepared = match self.client.prepare(operation) {
            Ok(prepared) => prepared,
            Err(error) => return self.settle(operation, error, None).await,
        };
        let signed_at = prepared.signed_at();
        let sent = self.client.send(prepared);
        let result = match dropped_after {
            None => sent.await,
            Some(patience) => match within(&self.client, patience, sent).await {
                Some(result) => result,
                None => {
                    let dropped = self.dropped(signed_at);
                    let confirmation =
                        confirm::settle(&self.client, operation, signed_at, &self.settings.brief_policy()).await;
                    let is_known = confirmation.outcome() != Outcome::Unknown;
                    return if is_known { self.confirmation_result(confirmation) } else { dropped };
                }
            },
        };
        match result {
            Ok(reply) => self.done(Known::ByAnswer, &reply.as_ref().raw),
            Err(error) => self.settle(operation, error, None).await,
        }
    }

    /// Settles the outcome after an error as the client under test does.
    async fn settle<O: Confirmable>(&self, operation: &O, error: Error, handle: Option<&ClaimHandle>) -> SendResult {
        self.ledger.failed(&error);
        let signed_at = signed_at(&error, &self.client);
        if let Some(outcome) = self.settings.variant.conclusion(&error) {
            return self.result(outcome, Known::ByAnswer, signed_at);
        }
        if let Some(outcome) = incorrect::queries(self, operation, &error, handle).await {
            return self.result(outcome, Known::ByQuery, signed_at);
        }
        let confirmation = confirm::settle(&self.client, operation, signed_at, &self.settings.brief_policy()).await;
        match (confirmation.outcome(), self.settings.variant) {
            (Outcome::Unknown, ClientVariant::GivesUp) => self.result(Outcome::NotDone, Known::ByQuery, signed_at),
            (Outcome::Unknown, _) => {
                self.count_decision(&confirmation);
                self.result(Outcome::Unknown, Known::Unknown, signed_at)
            }
            _ => SendResult { known: Known::ByQuery, ..self.confirmation_result(confirmation) },
        }
    }

    async fn locate<O: Confirmable>(&self, operation: &O, error: Error) -> SendResult {
        let is_amendment = O::META.confirm.is_some_and(|confirm| !confirm.matches.is_empty());
        let signed_at = signed_at(&error, &self.client);
        if error.outcome() == Outcome::Unknown && !is_amendment {
            // The id is unique, so the record belongs to this request; only the exchange's id is read.
            if let Ok(reply) = confirm::locate(&self.client, operation).await {
                let confirmation =
                    confirm::settle(&self.client, operation, signed_at, &self.settings.single_query_policy()).await;
                let order_id = raw::order_id(&reply.as_ref().raw);
                return SendResult { order_id, known: Known::ByQuery, ..self.confirmation_result(confirmation) };
            }
        }
        self.settle(operation, error, None).await
    }

    pub(crate) fn confirmation_result<A, R>(&self, confirmation: Confirmation<A, R>) -> SendResult
    where
        A: raw::HasOrderId,
    {
        self.count_decision(&confirmation);
        let by = |queries| if queries == 0 { Known::ByAnswer } else { Known::ByQuery };
        match confirmation {
            Confirmation::Done(happened) => {
                let raw = happened.record.as_ref().map(|record| &*record.raw);
                let order_id = happened.answer.as_ref().and_then(A::order_id).or_else(|| raw.and_then(raw::order_id));
                SendResult { order_id, ..self.result(Outcome::Done, by(happened.queries), None) }
            }
            Confirmation::NotDone(not) => self.result(Outcome::NotDone, by(not.queries), None),
            Confirmation::Unknown(still) => self.result(Outcome::Unknown, Known::Unknown, still.signed_at),
        }
    }

    fn dropped(&self, signed_at: impl Into<Option<Timestamp>>) -> SendResult {
        self.ledger.cover(Situation::Dropped);
        self.result(Outcome::Unknown, Known::Unknown, signed_at)
    }

    fn done(&self, known: Known, raw: &[u8]) -> SendResult {
        self.ledger.decided("call", CallResult::Success.as_str());
        SendResult { order_id: raw::order_id(raw), ..self.result(Outcome::Done, known, None) }
    }

    fn result(&self, outcome: Outcome, known: Known, signed_at: impl Into<Option<Timestamp>>) -> SendResult {
        SendResult { outcome, known, signed_at: signed_at.into(), order_id: None }
    }
}
