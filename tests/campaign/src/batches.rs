//! A task sends batches.

use std::sync::Arc;
use std::time::Duration;

use tradeapi::runtime::batches::{Batch, BatchCall, ItemOutcome};
use tradeapi::runtime::clock::pause;
use tradeapi::runtime::confirm::{self, ConfirmableItems};
use tradeapi::runtime::tables::Outcome;
use tradeapi_tests::dice::Dice;

use crate::claim::Known;
use crate::context::{AccountContext, PendingQuery, Resolution};
use crate::ledger::ClaimHandle;
use crate::pending::why;
use crate::raw::HasOrderId;
use crate::variant::ClientVariant;
use crate::violation::Violation;

/// The percentage of batches that their caller stops, and the longest time until then, in milliseconds.
const STOPPED: u64 = 15;
const LATEST_STOP: u64 = 500;

/// The outcome of an item, and the exchange's id of its order.
pub(crate) type ItemResult = (Outcome, Option<String>);

/// A batch that a task of its own may send and query.
pub(crate) trait ConfirmableBatch:
    ConfirmableItems<Query: Send + Sync, Response: Send, Item: Clone + Send + Sync, Done: Send + HasOrderId>
    + Send
    + Sync
    + 'static
{
}

impl<O> ConfirmableBatch for O where
    O: ConfirmableItems<Query: Send + Sync, Response: Send, Item: Clone + Send + Sync, Done: Send + HasOrderId>
        + Send
        + Sync
        + 'static
{
}

impl AccountContext {
    /// Sends a batch, in several calls if need be, confirms it, and returns the outcome of each item.
    pub(crate) async fn resolve_each<O: ConfirmableBatch>(
        &self,
        operation: O,
        handles: Vec<ClaimHandle>,
        dice: &mut Dice,
    ) -> Vec<ItemResult> {
        if self.settings.variant != ClientVariant::Correct {
            let stop = self.stop_of(&handles);
            return self.send_each(operation, handles, stop).await;
        }
        let policy = self.settings.brief_policy();
        let call = BatchCall::new(self.client.clone(), operation.clone());
        let confirmed = match self.stop_of(&handles) {
            Some(stop) => call.send_and_confirm_until(&policy, pause(self.client.environment(), stop)).await,
            None => call.send_and_confirm(&policy).await,
        };
        let confirmations = match confirmed {
            Ok(confirmations) => confirmations.items,
            Err(error) => {
                handles.iter().for_each(|handle| self.ledger.record(handle, error.outcome(), Known::ByAnswer, "batch"));
                return vec![(error.outcome(), None); handles.len()];
            }
        };
        self.count_answers(O::META.id, handles.len(), confirmations.len());
        let mut all = Vec::new();
        for (handle, item) in handles.into_iter().zip(confirmations) {
            let result = self.confirmation_result(item.confirmation);
            self.ledger.record(&handle, result.outcome, result.known(), "batch, confirm");
            all.push((result.outcome, result.order_id.clone()));
            if result.outcome == Outcome::Unknown {
                let mut alone = operation.clone();
                alone.set_items(vec![item.item]);
                self.query_each_later(alone, vec![handle], result.signed_at(), dice);
            }
        }
        all
    }

    /// Sends a batch with items that have no id or share one, and settles all items together.
    pub(crate) async fn send_and_settle_each<O: ConfirmableBatch>(
        &self,
        operation: O,
        handles: Vec<ClaimHandle>,
        dice: &mut Dice,
    ) -> Vec<ItemResult> {
        let stop = self.stop_of(&handles);
        let all = self.send_each(operation.clone(), handles.clone(), stop).await;
        if all.iter().any(|(outcome, _)| *outcome == Outcome::Unknown) {
            let confirmations =
                confirm::settle_each(&self.client, &operation, None, &self.settings.brief_policy()).await;
            self.count_answers(O::META.id, handles.len(), confirmations.len());
            for ((handle, (outcome, _)), confirmation) in handles.iter().zip(&all).zip(&confirmations) {
                self.count_decision(confirmation);
                if *outcome == Outcome::Unknown {
                    self.ledger.record(handle, confirmation.outcome(), Known::ByQuery, "settle each");
                }
            }
            if confirmations.iter().zip(&all).any(|(confirmation, (outcome, _))| {
                confirmation.outcome() == Outcome::Unknown && *outcome == Outcome::Unknown
            }) {
                let open = handles.into_iter().zip(&all).filter(|(_, (outcome, _))| *outcome == Outcome::Unknown);
                let (mut alone, open) = (operation, open.map(|(handle, _)| handle).collect::<Vec<_>>());
                let items =
                    alone.take_items().into_iter().zip(&all).filter(|(_, (outcome, _))| *outcome == Outcome::Unknown);
                let items = items.map(|(item, _)| item).collect();
                alone.set_items(items);
                self.query_each_later(alone, open, None, dice);
            }
        }
        all
    }

    /// Returns when the caller stops a batch, which some do.
    fn stop_of(&self, handles: &[ClaimHandle]) -> Option<Duration> {
        let first = handles.first().map(|first| format!("{:?}", first.effect)).unwrap_or_default();
        let mut dice = self.dice_for("stop", &first);
        let is_stopped = self.settings.variant.stops_batches() && dice.percent(STOPPED);
        is_stopped.then(|| self.settings.scaled(Duration::from_millis(dice.below(LATEST_STOP))))
    }

    /// Sends a batch, until the caller stops that, and returns the outcome of each item by the answers.
    pub(crate) async fn send_each<O>(
        &self,
        batch: O,
        handles: Vec<ClaimHandle>,
        stop: Option<Duration>,
    ) -> Vec<ItemResult>
    where
        O: Batch<Item: Send, Done: Send + HasOrderId, Response: Send> + Send + Sync,
    {
        let call = BatchCall::new(self.client.clone(), batch);
        let sent = match stop {
            Some(stop) => call.send_until(pause(self.client.environment(), stop)).await,
            None => call.send().await,
        };
        let all = match sent {
            Ok(report) => report.items.iter().map(|item| self.item_result(&item.outcome)).collect(),
            Err(error) => {
                vec![(self.settings.variant.conclusion(&error).unwrap_or(error.outcome()), None); handles.len()]
            }
        };
        self.count_answers(O::META.id, handles.len(), all.len());
        for (handle, (outcome, _)) in handles.iter().zip(&all) {
            self.ledger.record(handle, *outcome, Known::ByAnswer, "batch");
        }
        all
    }

    fn item_result<T: HasOrderId>(&self, item: &ItemOutcome<T>) -> ItemResult {
        self.ledger.decided("item", kind(item));
        match (item, self.settings.variant) {
            (ItemOutcome::Done(done), _) => (Outcome::Done, done.order_id()),
            (ItemOutcome::Unaccounted, ClientVariant::TreatsMissingAsDone) => (Outcome::Done, None),
            (ItemOutcome::Unaccounted, ClientVariant::TreatsMissingAsNotDone) => (Outcome::NotDone, None),
            (ItemOutcome::Failed(_), ClientVariant::TrustsEveryItemCode) => (Outcome::NotDone, None),
            (ItemOutcome::GivenUp, ClientVariant::TreatsStoppedAsNotSent) => (Outcome::NotDone, None),
            (ItemOutcome::CallFailed(error), variant) => (variant.conclusion(error).unwrap_or(error.outcome()), None),
            (item, _) if item.is_unknown() => (Outcome::Unknown, None),
            _ => (Outcome::NotDone, None),
        }
    }

    /// Schedules another query for the outcomes of all items.
    fn query_each_later<O: ConfirmableBatch>(
        &self,
        operation: O,
        handles: Vec<ClaimHandle>,
        signed_at: Option<tradeapi::Timestamp>,
        dice: &mut Dice,
    ) {
        let shared = Arc::new((operation, handles));
        let (own, at) = self.own_and_time(signed_at);
        self.pending.push(PendingQuery::new(at, dice, move |context, policy| {
            let (shared, own) = (Arc::clone(&shared), own.clone());
            async move {
                let ((operation, handles), client) = (&*shared, own.as_ref().unwrap_or(&context.client));
                let confirmations = confirm::settle_each(client, operation, signed_at, &policy).await;
                context.count_answers(O::META.id, handles.len(), confirmations.len());
                for (handle, confirmation) in handles.iter().zip(&confirmations) {
                    context.count_decision(confirmation);
                    context.ledger.record(handle, confirmation.outcome(), context.known_by_query(), why(confirmation));
                }
                let all = || confirmations.iter().map(Resolution::new);
                let rest =
                    [Resolution::Open, Resolution::Undecidable].into_iter().find(|rest| all().any(|one| one == *rest));
                rest.unwrap_or(Resolution::Known)
            }
        }));
    }

    /// Records a violation unless there is an answer for each item.
    fn count_answers(&self, operation: &str, items: usize, answers: usize) {
        if answers != items {
            self.ledger.report(Violation::Unanswered(format!("{answers} answers about {items} items of {operation}")));
        }
    }
}

/// Returns the name of an item's outcome.
fn kind<T>(item: &ItemOutcome<T>) -> &'static str {
    match item {
        ItemOutcome::Done(_) => "done",
        ItemOutcome::Unaccounted => "not mentioned",
        ItemOutcome::CallFailed(_) => "the call failed",
        ItemOutcome::GivenUp => "given up",
        ItemOutcome::NotSent => "not sent",
        item if item.is_unknown() => "an unknown outcome",
        _ => "refused",
    }
}
