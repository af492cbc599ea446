//! How one task requests several things at once.

use std::sync::Arc;

use tradeapi::runtime::batches::{Batch, ItemOutcome};
use tradeapi::runtime::confirm::ConfirmableItems;
use tradeapi::runtime::tables::Outcome;
use tradeapi_tests::dice::Dice;

use crate::conduct::Conduct;
use crate::desk::Desk;
use crate::judge::Violation;
use crate::later::{Open, Settled, why};
use crate::ledger::{Known, Ticket};
use crate::raw::MayTellId;

/// The outcome of one of several things, and the exchange's id of it.
pub(crate) type ItemEnd = (Outcome, Option<String>);

impl Desk {
    /// Sends several requests at once, in several calls if need be, and returns the outcome of each.
    pub(crate) async fn resolve_each<O>(&self, operation: O, tickets: Vec<Ticket>, dice: &mut Dice) -> Vec<ItemEnd>
    where
        O: ConfirmableItems<Query: Send + Sync, Response: Send, Item: Clone + Send + Sync, Done: Send + MayTellId>
            + Send
            + Sync
            + 'static,
    {
        if self.settings.conduct != Conduct::Careful {
            return self.send_each(operation, tickets).await;
        }
        let briefly = self.settings.briefly();
        let confirmations = match self.client.batch(operation.clone()).send_and_confirm(&briefly).await {
            Ok(confirmations) => confirmations.items,
            Err(error) => {
                tickets.iter().for_each(|ticket| self.ledger.note(ticket, error.outcome(), Known::ByAnswer, "batch"));
                return vec![(error.outcome(), None); tickets.len()];
            }
        };
        self.count_answers(O::META.id, tickets.len(), confirmations.len());
        let mut all = Vec::new();
        for (ticket, item) in tickets.into_iter().zip(confirmations) {
            let ended = self.of_confirmation(item.confirmation);
            self.ledger.note(&ticket, ended.outcome, ended.known(), "batch, confirm");
            all.push((ended.outcome, ended.order_id.clone()));
            if ended.outcome == Outcome::Unknown {
                let mut alone = operation.clone();
                alone.set_items(vec![item.item]);
                self.later_each(alone, vec![ticket], ended.signed_at(), dice);
            }
        }
        all
    }

    /// Sends several things at once of which some have no id, or one that another has, and settles all of them together.
    pub(crate) async fn send_and_settle_each<O>(
        &self,
        operation: O,
        tickets: Vec<Ticket>,
        dice: &mut Dice,
    ) -> Vec<ItemEnd>
    where
        O: ConfirmableItems<Query: Send + Sync, Response: Send, Item: Clone + Send + Sync, Done: Send + MayTellId>
            + Send
            + Sync
            + 'static,
    {
        let all = self.send_each(operation.clone(), tickets.clone()).await;
        if all.iter().any(|(outcome, _)| *outcome == Outcome::Unknown) {
            let signed_at = self.client.now();
            let confirmations = self.client.settle_each(&operation, signed_at, &self.settings.briefly()).await;
            self.count_answers(O::META.id, tickets.len(), confirmations.len());
            for ((ticket, (outcome, _)), confirmation) in tickets.iter().zip(&all).zip(&confirmations) {
                self.note_decision(confirmation);
                if *outcome == Outcome::Unknown {
                    self.ledger.note(ticket, confirmation.outcome(), Known::ByQuery, "settle each");
                }
            }
            if confirmations.iter().zip(&all).any(|(confirmation, (ended, _))| {
                confirmation.outcome() == Outcome::Unknown && *ended == Outcome::Unknown
            }) {
                let open = tickets.into_iter().zip(&all).filter(|(_, (ended, _))| *ended == Outcome::Unknown);
                let (mut alone, open) = (operation, open.map(|(ticket, _)| ticket).collect::<Vec<_>>());
                let items =
                    alone.take_items().into_iter().zip(&all).filter(|(_, (ended, _))| *ended == Outcome::Unknown);
                let items = items.map(|(item, _)| item).collect();
                alone.set_items(items);
                self.later_each(alone, open, signed_at, dice);
            }
        }
        all
    }

    /// Sends several things at once; what the answers state of each.
    pub(crate) async fn send_each<O>(&self, batch: O, tickets: Vec<Ticket>) -> Vec<ItemEnd>
    where
        O: Batch<Item: Send, Done: Send + MayTellId, Response: Send> + Send + Sync,
    {
        let all = match self.client.batch(batch).send().await {
            Ok(report) => report.items.iter().map(|item| self.of_item(&item.outcome)).collect(),
            Err(error) => vec![(self.settings.conduct.takes(&error).unwrap_or(error.outcome()), None); tickets.len()],
        };
        self.count_answers(O::META.id, tickets.len(), all.len());
        for (ticket, (outcome, _)) in tickets.iter().zip(&all) {
            self.ledger.note(ticket, *outcome, Known::ByAnswer, "batch");
        }
        all
    }

    fn of_item<T: MayTellId>(&self, item: &ItemOutcome<T>) -> ItemEnd {
        self.ledger.decided("item", kind(item));
        match (item, self.settings.conduct) {
            (ItemOutcome::Done(done), _) => (Outcome::Done, done.order_id()),
            (ItemOutcome::Unaccounted, Conduct::TakesMissingForDone) => (Outcome::Done, None),
            (ItemOutcome::Unaccounted, Conduct::TakesMissingForNotDone) => (Outcome::NotDone, None),
            (ItemOutcome::CallFailed(error), conduct) => (conduct.takes(error).unwrap_or(error.outcome()), None),
            (item, _) if item.is_unknown() => (Outcome::Unknown, None),
            _ => (Outcome::NotDone, None),
        }
    }

    /// Queries the outcome of each item again.
    fn later_each<O>(&self, operation: O, tickets: Vec<Ticket>, signed_at: tradeapi::Timestamp, dice: &mut Dice)
    where
        O: ConfirmableItems<Query: Send + Sync, Response: Send, Item: Send + Sync, Done: Send> + Send + Sync + 'static,
    {
        let shared = Arc::new((operation, tickets));
        self.later.push(Open::new(signed_at, dice, move |desk, policy| {
            let shared = Arc::clone(&shared);
            async move {
                let (operation, tickets) = &*shared;
                let confirmations = desk.client.settle_each(operation, signed_at, &policy).await;
                desk.count_answers(O::META.id, tickets.len(), confirmations.len());
                for (ticket, confirmation) in tickets.iter().zip(&confirmations) {
                    desk.note_decision(confirmation);
                    desk.ledger.note(ticket, confirmation.outcome(), desk.known_by_asking(), why(confirmation));
                }
                let all = || confirmations.iter().map(Settled::of);
                let rest = [Settled::Open, Settled::Hopeless].into_iter().find(|rest| all().any(|one| one == *rest));
                rest.unwrap_or(Settled::Known)
            }
        }));
    }

    /// A query about several things has an answer for each.
    fn count_answers(&self, deed: &str, items: usize, answers: usize) {
        if answers != items {
            self.ledger.complain(Violation::Unanswered(format!("{answers} answers about {items} items of {deed}")));
        }
    }
}

/// What the answer to a batch states of an item, in a word or two.
fn kind<T>(item: &ItemOutcome<T>) -> &'static str {
    match item {
        ItemOutcome::Done(_) => "done",
        ItemOutcome::Unaccounted => "not mentioned",
        ItemOutcome::CallFailed(_) => "the call failed",
        item if item.is_unknown() => "an unknown outcome",
        _ => "refused",
    }
}
