//! Outcomes that are queried again: while a request can still arrive, once an absence proves something, and once the
//! exchange may have forgotten the order.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::codes::{Proof, proof};
use crate::counts::Reached;
use crate::fast::FastClock;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tradeapi::runtime::clock::pause;
use tradeapi::runtime::confirm::{ConfirmPolicy, Confirmable, Confirmation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Error, Timestamp};
use tradeapi_tests::dice::Dice;

use crate::conduct::Conduct;
use crate::desk::Desk;
use crate::ledger::{Known, Ticket};

/// How long the exchange keeps orders that are cancelled, and a little more.
const KEPT: Duration = Duration::from_secs(2 * 60 * 60 + 60);

/// How far the clock of a machine that checks signatures is ahead, and the other delays until an absence proves something.
const HOUR_AHEAD: Duration = Duration::from_secs(65 * 60);

/// How long an abandoned query may be under way at most.
const UNDER_WAY: Duration = Duration::from_secs(4);

/// How many of a hundred are not queried before their records may be deleted.
const RESERVED: u64 = 15;

/// Why something is unknown, if it is.
pub(crate) fn why<A, R>(confirmation: &Confirmation<A, R>) -> &'static str {
    match confirmation {
        Confirmation::Unknown(still) => still.because,
        _ => "later",
    }
}

/// Whether the exchange says that there is no such order.
fn is_absent(error: Option<&Error>) -> bool {
    matches!(error, Some(Error::Exchange(error)) if proof(error.code.as_str()) == Some(Proof::NoSuchOrder))
}

/// The result of another query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// Its outcome is known.
    Known,
    /// Another query may decide.
    Open,
    /// No query can decide, once all that was under way has arrived.
    Hopeless,
}

/// Why another query may decide what the last one did not.
const PASSING: [&str; 8] = [
    "it was not found, according to a single response",
    "it was not found, but may still appear",
    "the deadline passed before a query was answered",
    "the query failed with a code that does not mean \"not found\"",
    "the query got no response",
    "the response does not contain the exchange's time",
    "the response is about something else, or empty",
    "the time in the response cannot be the exchange's",
];

impl Settled {
    pub(crate) fn of<A, R>(confirmation: &Confirmation<A, R>) -> Self {
        match confirmation {
            Confirmation::Unknown(still) if PASSING.contains(&still.because) => Self::Open,
            Confirmation::Unknown(_) => Self::Hopeless,
            _ => Self::Known,
        }
    }
}

/// Queries something once more; returns what is known then.
type Query = Box<dyn Fn(Desk, ConfirmPolicy) -> Pin<Box<dyn Future<Output = Settled> + Send>> + Send + Sync>;

/// Something to be queried again.
pub(crate) struct Open {
    query: Query,
    signed_at: Timestamp,
    is_reserved: bool,
}

/// Everything to be queried again. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Later(Arc<Mutex<Vec<Open>>>);

impl Later {
    pub(crate) fn push(&self, open: Open) {
        self.all().push(open);
    }

    /// Any one of them.
    fn take(&self, dice: &mut Dice) -> Option<Open> {
        let mut all = self.all();
        let place = usize::try_from(dice.below(all.len() as u64)).unwrap_or_default();
        (!all.is_empty()).then(|| all.swap_remove(place))
    }

    fn all(&self) -> MutexGuard<'_, Vec<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    pub(crate) fn new<F>(
        signed_at: Timestamp,
        dice: &mut Dice,
        query: impl Fn(Desk, ConfirmPolicy) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Settled> + Send + 'static,
    {
        let query: Query = Box::new(move |desk, policy| Box::pin(query(desk, policy)));
        Self { query, signed_at, is_reserved: dice.percent(RESERVED) }
    }
}

impl Desk {
    /// Queries the outcome of `operation` again.
    pub(crate) fn later<O>(&self, operation: O, ticket: Ticket, signed_at: Timestamp, dice: &mut Dice)
    where
        O: Confirmable<Query: Send + Sync, Response: Send> + Clone + Send + Sync + 'static,
    {
        let shared = Arc::new((operation, ticket));
        self.later.push(Open::new(signed_at, dice, move |desk, policy| {
            let shared = Arc::clone(&shared);
            async move {
                let (operation, ticket) = &*shared;
                let confirmation = desk.client.settle(operation, signed_at, &policy).await;
                desk.note_decision(&confirmation);
                let outcome = desk.believed(&confirmation);
                desk.ledger.note(ticket, outcome, desk.known_by_asking(), why(&confirmation));
                if outcome == Outcome::Unknown { Settled::of(&confirmation) } else { Settled::Known }
            }
        }));
    }

    /// The outcome that a caller concludes if it does not know that the exchange forgets orders.
    fn believed<A, R>(&self, confirmation: &Confirmation<A, R>) -> Outcome {
        match (confirmation, self.settings.conduct) {
            (Confirmation::Unknown(still), Conduct::ForgetsTheForgotten) if is_absent(still.last.as_ref()) => {
                Outcome::NotDone
            }
            _ => confirmation.outcome(),
        }
    }

    /// Queries every unknown outcome until no query can decide another one.
    pub(crate) async fn settle_all(&self, clock: &FastClock) {
        let end = clock.steady() + self.settings.until_absence_proves();
        let reserved = Later::default();
        let comes_late = self.settings.conduct == Conduct::ForgetsTheForgotten;
        let in_the_window = |desk: Self, mut dice: Dice, reserved: Later, clock: FastClock| async move {
            while clock.steady() < end {
                let rest = Duration::from_millis(dice.below(30_000)).min(end.saturating_sub(clock.steady()));
                pause(desk.client.environment(), rest).await;
                match desk.later.take(&mut dice) {
                    Some(open) if open.is_reserved || comes_late => reserved.push(open),
                    Some(open) => desk.query_again(open, desk.settings.once(), &clock, false).await,
                    None => {}
                }
            }
        };
        let each = |task| (self.clone(), self.dice(task), reserved.clone(), clock.clone());
        let tasks = (0..self.settings.tasks).map(each);
        let tasks: FuturesUnordered<_> =
            tasks.map(|(desk, dice, reserved, clock)| in_the_window(desk, dice, reserved, clock)).collect();
        tasks.collect::<()>().await;
        // One absurd answer, such as to wait for an hour, ends the queries of one round.
        for _ in 0..2 {
            self.query_the_rest(clock).await;
        }
        // What was signed by a clock that is an hour ahead can still arrive until then.
        self.leap(clock, HOUR_AHEAD).await;
        for _ in 0..2 {
            self.query_the_rest(clock).await;
        }
        // What stays unknown now is not queried again, except what was never queried.
        self.later.all().clear();
        self.leap(clock, KEPT).await;
        self.later.all().append(&mut reserved.all());
        Self { is_late: true, ..self.clone() }.query_the_rest(clock).await;
    }

    /// How the outcome of such a query is known.
    pub(crate) fn known_by_asking(&self) -> Known {
        if self.is_late { Known::TooLate } else { Known::ByQuery }
    }

    /// Lets much time pass at once. Nothing may be under way then, because it would arrive together with later queries.
    async fn leap(&self, clock: &FastClock, time: Duration) {
        pause(self.client.environment(), self.settings.real(UNDER_WAY)).await;
        clock.leap(time);
    }

    /// Queries everything that is still unknown once more.
    async fn query_the_rest(&self, clock: &FastClock) {
        let again = Later::default();
        let query = |desk: Self, mut dice: Dice, again: Later, clock: FastClock| async move {
            // Sent all at once, they would wait for each other until their time runs out.
            while let Some(open) = desk.later.take(&mut dice) {
                let left = Later::default();
                let desk_of_one = Self { later: left.clone(), ..desk.clone() };
                desk_of_one.query_again(open, desk.settings.finally(), &clock, true).await;
                again.all().append(&mut left.all());
            }
        };
        let tasks =
            (0..self.settings.tasks).map(|task| query(self.clone(), self.dice(task), again.clone(), clock.clone()));
        tasks.collect::<FuturesUnordered<_>>().collect::<()>().await;
        self.later.all().append(&mut again.all());
    }

    async fn query_again(&self, open: Open, policy: ConfirmPolicy, clock: &FastClock, all_has_arrived: bool) {
        let age = clock.now().saturating_sub(open.signed_at.as_millis());
        let is_early = Duration::from_millis(age) < self.settings.until_absence_proves();
        self.ledger.reach(if is_early { Reached::QueriedEarly } else { Reached::QueriedLate });
        match (open.query)(self.clone(), policy).await {
            Settled::Known => {}
            Settled::Hopeless if all_has_arrived => {}
            Settled::Open | Settled::Hopeless => self.later.push(open),
        }
    }

    fn dice(&self, task: u64) -> Dice {
        Dice::new(self.settings.seed, &format!("questions of {task}"))
    }
}
