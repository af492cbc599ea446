//! How one task asks for things, and what it makes of the answers.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use tradeapi::runtime::{ClientCore, Confirmable, ConfirmableItems, Fate, Outcome};
use tradeapi::{Error, Timestamp};
use tradeapi_exchange::{Dice, Effect, NO_SUCH_ORDER};

use crate::conduct::Conduct;
use crate::ledger::{Known, Ledger};
use crate::settings::Settings;

/// What is to be done once an absence proves something.
pub(crate) type Later = Box<dyn FnOnce(Desk) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// What the tasks of an account share.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) settings: Arc<Settings>,
    pub(crate) client: ClientCore,
    pub(crate) ledger: Ledger,
    later: Arc<Mutex<Vec<Later>>>,
}

/// The ways to ask for one thing.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Asks for a while.
    Confirm,
    /// Asks until it is known.
    ConfirmPatiently,
    /// Calls, and settles what is unknown.
    CallAndSettle,
    /// Prepares first, so that the id could be stored, and settles what is unknown.
    PrepareAndSettle,
    /// Calls, and looks for what is unknown.
    CallAndLocate,
}

const WAYS: [(Way, u64); 5] = [
    (Way::Confirm, 40),
    (Way::ConfirmPatiently, 1),
    (Way::CallAndSettle, 20),
    (Way::PrepareAndSettle, 20),
    (Way::CallAndLocate, 19),
];

impl Desk {
    pub(crate) fn new(settings: Arc<Settings>, client: ClientCore) -> Self {
        Self { settings, client, ledger: Ledger::default(), later: Arc::default() }
    }

    /// Does something once an absence proves something.
    pub(crate) fn later(&self, what: Later) {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// One of the things to be done then.
    pub(crate) fn take_later(&self) -> Option<Later> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Asks for one thing in one of the ways there are; what became of it, as far as is known by then.
    pub(crate) async fn ask<O>(&self, operation: O, effect: Effect, dice: &mut Dice) -> Outcome
    where
        O: Confirmable<Query: Send + Sync, Response: Send> + Clone + Send + Sync + 'static,
    {
        self.ledger.open(&effect, O::META.id);
        let (client, settings) = (&self.client, &self.settings);
        let way = if settings.conduct == Conduct::Careful { dice.weighted(&WAYS) } else { Way::CallAndSettle };
        let (outcome, known, signed_at) = match way {
            Way::Confirm => of_fate(client.place_and_confirm(&operation, &settings.briefly()).await, client),
            Way::ConfirmPatiently => of_fate(client.place_and_confirm(&operation, &settings.patiently()).await, client),
            Way::CallAndSettle => {
                let mut result = client.call(&operation).await.map(drop);
                while settings.conduct == Conduct::SendsAgain && matches!(result, Err(Error::Unknown(_))) {
                    result = client.call(&operation).await.map(drop);
                }
                self.settle(&operation, result).await
            }
            Way::PrepareAndSettle => {
                let result = match client.prepare(&operation) {
                    Ok(prepared) => client.send(prepared).await.map(drop),
                    Err(error) => Err(error),
                };
                self.settle(&operation, result).await
            }
            Way::CallAndLocate => match client.call(&operation).await {
                Ok(_) => (Outcome::Done, Known::ByAnswer, client.now()),
                Err(error) => self.locate(&operation, error).await,
            },
        };
        self.ledger.note(&effect, outcome, known);
        if outcome == Outcome::Unknown {
            self.later(Box::new(move |desk| {
                Box::pin(async move {
                    let fate = desk.client.settle(&operation, signed_at, &desk.settings.finally()).await;
                    desk.ledger.note(&effect, fate.outcome(), Known::ByAsking);
                })
            }));
        }
        outcome
    }

    async fn settle<O>(&self, operation: &O, result: Result<(), Error>) -> (Outcome, Known, Timestamp)
    where
        O: Confirmable,
    {
        let error = match result {
            Ok(()) => return (Outcome::Done, Known::ByAnswer, self.client.now()),
            Err(error) => error,
        };
        let signed_at = signed_at(&error, &self.client);
        if let Some(outcome) = self.settings.conduct.takes(&error) {
            return (outcome, Known::ByAnswer, signed_at);
        }
        if self.settings.conduct == Conduct::TrustsTheFirstAbsence {
            let found = self.client.locate(operation).await;
            let is_absent = found.is_err_and(|error| says_absent(&error));
            return (if is_absent { Outcome::NotDone } else { Outcome::Unknown }, Known::ByAsking, signed_at);
        }
        let fate = self.client.settle(operation, signed_at, &self.settings.briefly()).await;
        (fate.outcome(), Known::ByAsking, signed_at)
    }

    async fn locate<O: Confirmable>(&self, operation: &O, error: Error) -> (Outcome, Known, Timestamp) {
        let signed_at = signed_at(&error, &self.client);
        match error.outcome() {
            Outcome::NotDone => (Outcome::NotDone, Known::ByAnswer, signed_at),
            // What is found under an id of one's own is one's own, unless it is an amendment, which has none.
            _ if !O::META.confirm.is_some_and(|confirm| confirm.matches.is_empty()) => {
                let fate = self.client.settle(operation, signed_at, &self.settings.briefly()).await;
                (fate.outcome(), Known::ByAsking, signed_at)
            }
            _ => match self.client.locate(operation).await {
                Ok(_) => (Outcome::Done, Known::ByAsking, signed_at),
                Err(_) => (Outcome::Unknown, Known::Unknown, signed_at),
            },
        }
    }

    /// Asks for several things at once, more than go into a call if need be; what became of each.
    pub(crate) async fn ask_for_each<O>(&self, operation: O, effects: Vec<Effect>) -> Vec<Outcome>
    where
        O: ConfirmableItems<Query: Send + Sync, Response: Send, Item: Send, Done: Send> + Send + Sync + 'static,
    {
        effects.iter().for_each(|effect| self.ledger.open(effect, O::META.id));
        let briefly = self.settings.briefly();
        let told = match self.client.batch(operation.clone()).send_and_confirm(&briefly).await {
            Ok(told) => told,
            Err(error) => {
                effects.iter().for_each(|effect| self.ledger.note(effect, error.outcome(), Known::ByAnswer));
                return vec![error.outcome(); effects.len()];
            }
        };
        let mut outcomes = Vec::new();
        for (effect, item) in effects.into_iter().zip(told.items) {
            let (outcome, known, signed_at) = of_fate(item.fate, &self.client);
            self.ledger.note(&effect, outcome, known);
            outcomes.push(outcome);
            if outcome == Outcome::Unknown {
                let mut alone = operation.clone();
                alone.set_items(vec![item.item]);
                self.later(Box::new(move |desk| {
                    Box::pin(async move {
                        let fates = desk.client.settle_each(&alone, signed_at, &desk.settings.finally()).await;
                        fates.iter().for_each(|fate| desk.ledger.note(&effect, fate.outcome(), Known::ByAsking));
                    })
                }));
            }
        }
        outcomes
    }
}

/// Whether the exchange says that there is no such thing.
fn says_absent(error: &Error) -> bool {
    matches!(error, Error::Exchange(error) if NO_SUCH_ORDER.contains(&error.code.as_str()))
}

fn signed_at(error: &Error, client: &ClientCore) -> Timestamp {
    match error {
        Error::Unknown(unknown) => unknown.sent.signed_at,
        _ => client.now(),
    }
}

fn of_fate<A, R>(fate: Fate<A, R>, client: &ClientCore) -> (Outcome, Known, Timestamp) {
    let by = |asked| if asked == 0 { Known::ByAnswer } else { Known::ByAsking };
    match fate {
        Fate::Happened(happened) => (Outcome::Done, by(happened.asked), client.now()),
        Fate::DidNotHappen(not) => (Outcome::NotDone, by(not.asked), client.now()),
        Fate::Unknown(still) => (Outcome::Unknown, Known::Unknown, still.signed_at.unwrap_or_else(|| client.now())),
    }
}
