//! Repeated queries of unknown outcomes: while the request can still arrive, after an absence has become a proof, and
//! after the exchange may have deleted the record.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tradeapi::runtime::ClientCore;
use tradeapi::runtime::clock::pause;
use tradeapi::runtime::confirm::{self, ConfirmPolicy, Confirmable, Confirmation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Error, Timestamp};
use tradeapi_tests::dice::Dice;

use crate::claim::Known;
use crate::clock::FastClock;
use crate::codes::{Proof, proof};
use crate::context::{AccountContext, PendingQueries, PendingQuery, Resolution};
use crate::counts::Situation;
use crate::ledger::ClaimHandle;
use crate::variant::ClientVariant;

/// A little more than the time for which the exchange keeps cancelled orders.
const RETENTION: Duration = Duration::from_secs(2 * 60 * 60 + 60);

/// The lead of the clock of a node that checks signatures, plus the other delays until an absence is a proof.
pub(crate) const FAST_NODE: Duration = Duration::from_secs(65 * 60);

/// The number of rounds in which everything that is unknown is queried.
const ROUNDS: usize = 4;

/// The longest time for which an abandoned query is in flight.
const MAX_IN_FLIGHT: Duration = Duration::from_secs(4);

/// Returns why an outcome is still unknown.
pub(crate) fn why<A, R>(confirmation: &Confirmation<A, R>) -> &'static str {
    match confirmation {
        Confirmation::Unknown(still) => still.because.why(),
        _ => "later",
    }
}

/// Returns whether an error is an absence.
fn is_absent(error: Option<&Error>) -> bool {
    matches!(error, Some(Error::Exchange(error)) if proof(error.code.as_str()) == Some(Proof::NoSuchOrder))
}

impl AccountContext {
    /// Schedules another query for the outcome of `operation`.
    pub(crate) fn query_later<O>(
        &self,
        operation: O,
        handle: ClaimHandle,
        signed_at: impl Into<Option<Timestamp>>,
        dice: &mut Dice,
    ) where
        O: Confirmable<Query: Send + Sync, Response: Send> + Clone + Send + Sync + 'static,
    {
        let (shared, signed_at) = (Arc::new((operation, handle)), signed_at.into());
        let (own, at) = self.own_and_time(signed_at);
        self.pending.push(PendingQuery::new(at, dice, move |context, policy| {
            let (shared, own) = (Arc::clone(&shared), own.clone());
            async move {
                let ((operation, handle), client) = (&*shared, own.as_ref().unwrap_or(&context.client));
                let confirmation = confirm::settle(client, operation, signed_at, &policy).await;
                context.count_decision(&confirmation);
                let outcome = context.concluded_outcome(&confirmation);
                context.ledger.record(handle, outcome, context.known_by_query(), why(&confirmation));
                if outcome == Outcome::Unknown { Resolution::new(&confirmation) } else { Resolution::Known }
            }
        }));
    }

    /// Returns the client that alone remembers a request, if the caller does not know when it was signed, and about when
    /// that was. Any other process of the account can query the rest.
    pub(crate) fn own_and_time(&self, signed_at: Option<Timestamp>) -> (Option<ClientCore>, Timestamp) {
        match signed_at {
            Some(signed_at) => (None, signed_at),
            None => (Some(self.client.clone()), self.client.now()),
        }
    }

    /// Returns the outcome that the client under test concludes.
    fn concluded_outcome<A, R>(&self, confirmation: &Confirmation<A, R>) -> Outcome {
        match (confirmation, self.settings.variant) {
            (Confirmation::Unknown(still), ClientVariant::IgnoresRetention) if is_absent(still.last.as_ref()) => {
                Outcome::NotDone
            }
            _ => confirmation.outcome(),
        }
    }

    /// Queries every unknown outcome until further queries cannot find any more.
    pub(crate) async fn settle_all(&self, clock: &FastClock) {
        let end = clock.steady() + self.settings.absence_proof_delay();
        let reserved = PendingQueries::default();
        let reserves_all = self.settings.variant == ClientVariant::IgnoresRetention;
        let query_in_window = |context: Self, mut dice: Dice, reserved: PendingQueries, clock: FastClock| async move {
            while clock.steady() < end {
                let rest = Duration::from_millis(dice.below(30_000)).min(end.saturating_sub(clock.steady()));
                pause(context.client.environment(), rest).await;
                match context.pending.take(&mut dice) {
                    Some(open) if open.is_reserved || reserves_all => reserved.push(open),
                    Some(open) => {
                        context.query_again(open, context.settings.single_query_policy(), &clock, false).await
                    }
                    None => {}
                }
            }
        };
        let each = |task| (self.clone(), self.dice(task), reserved.clone(), clock.clone());
        let tasks = (0..self.settings.tasks).map(each);
        let tasks: FuturesUnordered<_> =
            tasks.map(|(context, dice, reserved, clock)| query_in_window(context, dice, reserved, clock)).collect();
        tasks.collect::<()>().await;
        // One absurd answer, such as to wait for an hour, ends the queries of one round.
        for _ in 0..ROUNDS {
            self.query_the_rest(clock).await;
        }
        // A request signed with a clock that is an hour ahead can still arrive until then.
        self.leap(clock, FAST_NODE).await;
        for _ in 0..ROUNDS {
            self.query_the_rest(clock).await;
        }
        // Only the reserved ones, which were never queried, are queried again.
        self.pending.all().clear();
        self.leap(clock, RETENTION).await;
        self.pending.all().append(&mut reserved.all());
        Self { is_late: true, ..self.clone() }.query_the_rest(clock).await;
    }

    /// Returns how an outcome found by a query is known.
    pub(crate) fn known_by_query(&self) -> Known {
        if self.is_late { Known::TooLate } else { Known::ByQuery }
    }

    /// Advances the clock at once. Waits for requests in flight first, which would otherwise arrive together with later
    /// queries.
    async fn leap(&self, clock: &FastClock, time: Duration) {
        pause(self.client.environment(), self.settings.scaled(MAX_IN_FLIGHT)).await;
        clock.leap(time);
    }

    /// Queries every outcome that is still unknown once more.
    async fn query_the_rest(&self, clock: &FastClock) {
        let again = PendingQueries::default();
        let query = |context: Self, mut dice: Dice, again: PendingQueries, clock: FastClock| async move {
            // Queries sent all at once would wait for each other until their deadlines pass.
            while let Some(open) = context.pending.take(&mut dice) {
                let left = PendingQueries::default();
                let single = Self { pending: left.clone(), ..context.clone() };
                single.query_again(open, context.settings.final_policy(), &clock, true).await;
                again.all().append(&mut left.all());
            }
        };
        let tasks =
            (0..self.settings.tasks).map(|task| query(self.clone(), self.dice(task), again.clone(), clock.clone()));
        tasks.collect::<FuturesUnordered<_>>().collect::<()>().await;
        self.pending.all().append(&mut again.all());
    }

    async fn query_again(&self, open: PendingQuery, policy: ConfirmPolicy, clock: &FastClock, all_has_arrived: bool) {
        let age = clock.now().saturating_sub(open.signed_at.as_millis());
        let is_early = Duration::from_millis(age) < self.settings.absence_proof_delay();
        self.ledger.cover(if is_early { Situation::QueriedEarly } else { Situation::QueriedLate });
        match (open.query)(self.clone(), policy).await {
            Resolution::Known => {}
            Resolution::Undecidable if all_has_arrived => {}
            Resolution::Open | Resolution::Undecidable => self.pending.push(open),
        }
    }

    fn dice(&self, task: u64) -> Dice {
        Dice::new(self.settings.seed, &format!("questions of {task}"))
    }
}
