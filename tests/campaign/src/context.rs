//! The shared context of an account's tasks, with the unknown outcomes that they query again.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tradeapi::runtime::ClientCore;
use tradeapi::runtime::confirm::{ConfirmPolicy, Confirmation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Client, Error, Timestamp};
use tradeapi_tests::dice::Dice;

use crate::clock::within;
use crate::counts::Situation;
use crate::ledger::Ledger;
use crate::settings::Settings;

/// The percentage of unknown outcomes that are first queried after their records may be deleted.
const PERCENT_RESERVED: u64 = 15;

/// The shared state of an account's tasks.
#[derive(Clone)]
pub(crate) struct AccountContext {
    pub(crate) settings: Arc<Settings>,
    pub(crate) account: Client,
    pub(crate) client: ClientCore,
    pub(crate) ledger: Ledger,
    pub(crate) pending: PendingQueries,
    /// True if the exchange may have deleted its records.
    pub(crate) is_late: bool,
    /// True if two orders may get one id.
    pub(crate) shares_ids: bool,
}

impl AccountContext {
    pub(crate) fn new(settings: Arc<Settings>, client: &Client) -> Self {
        let (ledger, pending) = (Ledger::default(), PendingQueries::default());
        let (account, client) = (client.clone(), client.core().clone());
        Self { settings, account, client, ledger, pending, is_late: false, shares_ids: true }
    }

    /// Returns the dice for one purpose of a request.
    pub(crate) fn dice_for(&self, purpose: &str, id: &str) -> Dice {
        Dice::new(self.settings.seed, &format!("{purpose} of {id}"))
    }

    /// Returns the outcome that the client under test concludes from an error.
    pub(crate) fn conclusion(&self, error: &Error) -> Outcome {
        self.settings.variant.conclusion(error).unwrap_or(error.outcome())
    }

    /// Makes a call that its caller gives up after a while. Returns the outcome, and the time of its signature.
    pub(crate) async fn call_within<T>(
        &self,
        patience: Duration,
        call: impl AsyncFnOnce(&ClientCore) -> Result<T, Error>,
    ) -> (Outcome, Timestamp) {
        let (client, departed) = self.client.noting();
        match within(&client, patience, call(&client)).await {
            Some(Ok(_)) => (Outcome::Done, self.client.now()),
            Some(Err(error)) => {
                self.ledger.failed(&error);
                (self.conclusion(&error), signed_at(&error, &self.client))
            }
            None => {
                self.ledger.cover(Situation::GivenUp);
                match departed.at() {
                    Some(signed_at) => (Outcome::Unknown, signed_at),
                    None => (Outcome::NotDone, self.client.now()),
                }
            }
        }
    }

    /// Counts what a confirmation was decided by.
    pub(crate) fn count_decision<A, R>(&self, confirmation: &Confirmation<A, R>) {
        match confirmation {
            Confirmation::Done(done) if done.queries == 0 => self.ledger.decided("done", "the answer"),
            Confirmation::Done(_) => self.ledger.decided("done", "a record"),
            Confirmation::NotDone(not) if not.state.is_some() => {
                self.ledger.decided("not done", "the state of the order");
            }
            Confirmation::NotDone(not) if not.by_absence => self.ledger.decided("not done", "an absence"),
            Confirmation::NotDone(not) if not.queries == 0 => self.ledger.decided("not done", "the answer"),
            Confirmation::NotDone(_) => self.ledger.decided("not done", "an older record"),
            Confirmation::Unknown(still) => self.ledger.decided("open", still.because.why()),
        }
    }
}

/// Returns the signature time of the request that failed, or a later time.
pub(crate) fn signed_at(error: &Error, client: &ClientCore) -> Timestamp {
    match error {
        Error::Unknown(unknown) => unknown.sent.signed_at,
        _ => client.now(),
    }
}

/// The result of a repeated query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// The outcome is known.
    Known,
    /// Another query may find it.
    Open,
    /// No query can find it once everything in flight has arrived.
    Undecidable,
}

/// The reasons after which another query may find the outcome.
const RETRYABLE: [&str; 10] = [
    "it was not found, but not often enough in a row",
    "it was not found, but may still appear",
    "the order is still open, and the request may still arrive",
    "the deadline passed before a query was answered",
    "the query failed with a code that does not mean \"not found\"",
    "the query got no response",
    "the response does not contain the exchange's time",
    "the response is about something else, or empty",
    "the response to the query cannot be read",
    "the time in the response cannot be the exchange's",
];

impl Resolution {
    pub(crate) fn new<A, R>(confirmation: &Confirmation<A, R>) -> Self {
        match confirmation {
            Confirmation::Unknown(still) if RETRYABLE.contains(&still.because.why()) => Self::Open,
            Confirmation::Unknown(_) => Self::Undecidable,
            _ => Self::Known,
        }
    }
}

/// Queries an outcome again.
type Query =
    Box<dyn Fn(AccountContext, ConfirmPolicy) -> Pin<Box<dyn Future<Output = Resolution> + Send>> + Send + Sync>;

/// An unknown outcome that will be queried again.
pub(crate) struct PendingQuery {
    pub(crate) query: Query,
    pub(crate) signed_at: Timestamp,
    /// True if it is first queried after its record may be deleted.
    pub(crate) is_reserved: bool,
}

/// The unknown outcomes of an account. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct PendingQueries(Arc<Mutex<Vec<PendingQuery>>>);

impl PendingQueries {
    pub(crate) fn push(&self, open: PendingQuery) {
        self.all().push(open);
    }

    /// Removes a random one.
    pub(crate) fn take(&self, dice: &mut Dice) -> Option<PendingQuery> {
        let mut all = self.all();
        let place = usize::try_from(dice.below(all.len() as u64)).unwrap_or_default();
        (!all.is_empty()).then(|| all.swap_remove(place))
    }

    pub(crate) fn all(&self) -> MutexGuard<'_, Vec<PendingQuery>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingQuery {
    pub(crate) fn new<F>(
        signed_at: Timestamp,
        dice: &mut Dice,
        query: impl Fn(AccountContext, ConfirmPolicy) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Resolution> + Send + 'static,
    {
        let query: Query = Box::new(move |context, policy| Box::pin(query(context, policy)));
        Self { query, signed_at, is_reserved: dice.percent(PERCENT_RESERVED) }
    }
}
