//! How one task sends requests, and what it concludes from the answers.

use std::sync::Arc;
use std::time::Duration;

use crate::counts::Reached;
use tradeapi::runtime::ClientCore;
use tradeapi::runtime::confirm::{Confirmable, Confirmation};
use tradeapi::runtime::tables::{CallResult, Outcome};
use tradeapi::{Error, Timestamp};
use tradeapi_tests::dice::Dice;

use crate::clock::within;
use crate::conduct::Conduct;
use crate::later::Later;
use crate::ledger::{Known, Ledger, Ticket};
use crate::raw;
use crate::settings::Settings;
use crate::wrong;

/// What the tasks of an account share.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) settings: Arc<Settings>,
    pub(crate) client: ClientCore,
    pub(crate) ledger: Ledger,
    pub(crate) later: Later,
    /// Whether the record may be deleted by now.
    pub(crate) is_late: bool,
}

/// What is known of a request.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    known: Known,
    signed_at: Timestamp,
    /// The exchange's id of what it made.
    pub(crate) order_id: Option<String>,
}

/// The ways to send one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Queries for a while.
    Confirm,
    /// Queries by the default policy.
    ConfirmByDefault,
    /// Calls, and settles what is unknown.
    CallAndSettle,
    /// Prepares first, so that the id could be stored, and settles what is unknown.
    PrepareAndSettle,
    /// Prepares, gives up in the middle, and settles.
    DropAndSettle,
    /// Gives up in the middle of the queries.
    DropConfirm,
    /// Calls, and locates what is unknown.
    CallAndLocate,
    /// Calls, and leaves for later what is unknown.
    CallAndLeave,
}

const WAYS: [(Way, u64); 8] = [
    (Way::Confirm, 36),
    (Way::ConfirmByDefault, 2),
    (Way::CallAndSettle, 17),
    (Way::PrepareAndSettle, 18),
    (Way::DropAndSettle, 6),
    (Way::DropConfirm, 3),
    (Way::CallAndLocate, 12),
    (Way::CallAndLeave, 6),
];

impl Way {
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

/// How long a call may be under way at most when its caller gives up.
const PATIENCE: u64 = 60;

impl Ended {
    pub(crate) fn known(&self) -> Known {
        self.known
    }

    pub(crate) fn signed_at(&self) -> Timestamp {
        self.signed_at
    }
}

impl Desk {
    pub(crate) fn new(settings: Arc<Settings>, client: ClientCore) -> Self {
        Self { settings, client, ledger: Ledger::default(), later: Later::default(), is_late: false }
    }

    /// Sends one request in one of the possible ways, and returns its outcome as far as it is known by then.
    pub(crate) async fn send<O>(&self, operation: O, ticket: Ticket, dice: &mut Dice) -> Ended
    where
        O: Confirmable<Query: Send + Sync, Response: Send> + Clone + Send + Sync + 'static,
    {
        let (client, settings) = (&self.client, &self.settings);
        let way = match settings.conduct {
            Conduct::Careful => dice.weighted(&WAYS),
            Conduct::ForgetsTheForgotten => Way::CallAndLeave,
            _ => Way::CallAndSettle,
        };
        let patience = settings.real(Duration::from_millis(dice.below(PATIENCE)));
        let ended = match way {
            Way::Confirm => self.of_confirmation(client.place_and_confirm(&operation, &settings.briefly()).await),
            Way::ConfirmByDefault => {
                self.of_confirmation(client.place_and_confirm(&operation, &Default::default()).await)
            }
            Way::CallAndSettle => self.call(&operation, &ticket).await,
            Way::PrepareAndSettle | Way::DropAndSettle => {
                let dropped_after = matches!(way, Way::DropAndSettle).then_some(patience);
                self.prepare(&operation, dropped_after).await
            }
            Way::DropConfirm => {
                let briefly = settings.briefly();
                match within(client, patience, client.place_and_confirm(&operation, &briefly)).await {
                    Some(confirmation) => self.of_confirmation(confirmation),
                    None => self.dropped(client.now()),
                }
            }
            Way::CallAndLocate => match client.call(&operation).await {
                Ok(reply) => self.done(Known::ByAnswer, &reply.raw),
                Err(error) => self.locate(&operation, error).await,
            },
            Way::CallAndLeave => self.plainly(&operation).await,
        };
        self.ledger.note(&ticket, ended.outcome, ended.known, way.name());
        if ended.outcome == Outcome::Unknown {
            self.later(operation, ticket, ended.signed_at, dice);
        }
        ended
    }

    /// Calls an operation whose request has nothing to query by.
    pub(crate) async fn send_plainly<O: Confirmable>(&self, operation: O, ticket: Ticket) -> Ended {
        let ended = self.plainly(&operation).await;
        self.ledger.note(&ticket, ended.outcome, ended.known, "call");
        ended
    }

    async fn plainly<O: Confirmable>(&self, operation: &O) -> Ended {
        match self.client.call(operation).await {
            Ok(reply) => self.done(Known::ByAnswer, &reply.raw),
            Err(error) => {
                self.ledger.failed(&error);
                self.ended(error.outcome(), Known::ByAnswer, signed_at(&error, &self.client))
            }
        }
    }

    async fn call<O: Confirmable>(&self, operation: &O, ticket: &Ticket) -> Ended {
        let mut result = self.client.call(operation).await;
        while self.settings.conduct == Conduct::SendsAgain && matches!(result, Err(Error::Unknown(_))) {
            result = self.client.call(operation).await;
        }
        match result {
            Ok(reply) => self.done(Known::ByAnswer, &reply.raw),
            Err(error) => self.settle(operation, error, Some(ticket)).await,
        }
    }

    async fn prepare<O: Confirmable>(&self, operation: &O, dropped_after: Option<Duration>) -> Ended {
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
                    let confirmation = self.client.settle(operation, signed_at, &self.settings.briefly()).await;
                    let is_known = confirmation.outcome() != Outcome::Unknown;
                    return if is_known { self.of_confirmation(confirmation) } else { dropped };
                }
            },
        };
        match result {
            Ok(reply) => self.done(Known::ByAnswer, &reply.raw),
            Err(error) => self.settle(operation, error, None).await,
        }
    }

    /// Resolves what an error leaves unknown; how depends on how the client is used.
    async fn settle<O: Confirmable>(&self, operation: &O, error: Error, ticket: Option<&Ticket>) -> Ended {
        self.ledger.failed(&error);
        let signed_at = signed_at(&error, &self.client);
        if let Some(outcome) = self.settings.conduct.takes(&error) {
            return self.ended(outcome, Known::ByAnswer, signed_at);
        }
        if let Some(outcome) = wrong::queries(self, operation, &error, ticket).await {
            return self.ended(outcome, Known::ByQuery, signed_at);
        }
        let confirmation = self.client.settle(operation, signed_at, &self.settings.briefly()).await;
        match (confirmation.outcome(), self.settings.conduct) {
            (Outcome::Unknown, Conduct::GivesUp) => self.ended(Outcome::NotDone, Known::ByQuery, signed_at),
            (Outcome::Unknown, _) => {
                self.note_decision(&confirmation);
                self.ended(Outcome::Unknown, Known::Unknown, signed_at)
            }
            _ => Ended { known: Known::ByQuery, ..self.of_confirmation(confirmation) },
        }
    }

    async fn locate<O: Confirmable>(&self, operation: &O, error: Error) -> Ended {
        let is_amendment = O::META.confirm.is_some_and(|confirm| !confirm.matches.is_empty());
        let signed_at = signed_at(&error, &self.client);
        if error.outcome() == Outcome::Unknown && !is_amendment {
            // A record under an id that nothing else has is that of this request; only the exchange's id is read.
            if let Ok(reply) = self.client.locate(operation).await {
                let confirmation = self.client.settle(operation, signed_at, &self.settings.once()).await;
                let order_id = raw::order_id(&reply.raw);
                return Ended { order_id, known: Known::ByQuery, ..self.of_confirmation(confirmation) };
            }
        }
        self.settle(operation, error, None).await
    }

    pub(crate) fn of_confirmation<A, R>(&self, confirmation: Confirmation<A, R>) -> Ended
    where
        A: raw::MayTellId,
    {
        self.note_decision(&confirmation);
        let by = |queries| if queries == 0 { Known::ByAnswer } else { Known::ByQuery };
        let now = self.client.now();
        match confirmation {
            Confirmation::Done(happened) => {
                let raw = happened.record.as_ref().map(|record| &*record.raw);
                let order_id = happened.answer.as_ref().and_then(A::order_id).or_else(|| raw.and_then(raw::order_id));
                Ended { order_id, ..self.ended(Outcome::Done, by(happened.queries), now) }
            }
            Confirmation::NotDone(not) => self.ended(Outcome::NotDone, by(not.queries), now),
            Confirmation::Unknown(still) => {
                self.ended(Outcome::Unknown, Known::Unknown, still.signed_at.unwrap_or(now))
            }
        }
    }

    /// Notes by what a confirmation decides.
    pub(crate) fn note_decision<A, R>(&self, confirmation: &Confirmation<A, R>) {
        match confirmation {
            Confirmation::Done(done) if done.queries == 0 => self.ledger.decided("done", "the answer"),
            Confirmation::Done(_) => self.ledger.decided("done", "a record"),
            Confirmation::NotDone(not) if not.by_absence => self.ledger.decided("not done", "an absence"),
            Confirmation::NotDone(not) if not.queries == 0 => self.ledger.decided("not done", "the answer"),
            Confirmation::NotDone(_) => self.ledger.decided("not done", "an older record"),
            Confirmation::Unknown(still) => self.ledger.decided("open", still.because),
        }
    }

    fn dropped(&self, signed_at: Timestamp) -> Ended {
        self.ledger.reach(Reached::Dropped);
        self.ended(Outcome::Unknown, Known::Unknown, signed_at)
    }

    fn done(&self, known: Known, raw: &[u8]) -> Ended {
        self.ledger.decided("call", CallResult::Success.as_str());
        Ended { order_id: raw::order_id(raw), ..self.ended(Outcome::Done, known, self.client.now()) }
    }

    fn ended(&self, outcome: Outcome, known: Known, signed_at: Timestamp) -> Ended {
        Ended { outcome, known, signed_at, order_id: None }
    }
}

/// When the request of an error was signed, or a later time.
pub(crate) fn signed_at(error: &Error, client: &ClientCore) -> Timestamp {
    match error {
        Error::Unknown(unknown) => unknown.sent.signed_at,
        _ => client.now(),
    }
}
