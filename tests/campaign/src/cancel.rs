//! Cancellations, alone and in batches. The order itself shows what became of them.

use std::time::Duration;

use tradeapi::runtime::confirm::{self, Confirmable};
use tradeapi::runtime::operation::Repeatable;
use tradeapi::runtime::retry::Retrying;
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Timestamp, unified};
use tradeapi_tests::dice::Dice;

use crate::claim::Known;
use crate::context::AccountContext;
use crate::ledger::ClaimHandle;
use crate::operation::Family;
use crate::orders::{self, Name, Order};
use crate::pending::why;
use crate::variant::ClientVariant;

/// The percentage of cancellations that are given up, and the longest time until then, in milliseconds. They are repeated
/// meanwhile.
const GIVEN_UP: u64 = 15;
const LONGEST_PATIENCE: u64 = 400;

impl AccountContext {
    /// Cancels one order, by `name`.
    pub(crate) async fn cancel(&self, order: &Order, name: Name, dice: &mut Dice) {
        match order.family {
            Family::Unified => self.cancel_with(unified::CancelOrder::new(name.unified()), order, name, dice).await,
            Family::Classic => self.cancel_with(orders::classic_cancel(&name), order, name, dice).await,
        }
    }

    async fn cancel_with<O>(&self, operation: O, order: &Order, name: Name, dice: &mut Dice)
    where
        O: Repeatable + Confirmable<Query: Send + Sync, Response: Send> + Clone + Send + Sync + 'static,
    {
        let handle = self.ledger.open(order.cancelled(), O::META.id, name.naming(order));
        let mut patience = self.dice_for("patience", &order.label());
        let is_given_up = self.settings.variant == ClientVariant::Correct && patience.percent(GIVEN_UP);
        let most = if is_given_up { patience.below(LONGEST_PATIENCE) } else { u64::from(u32::MAX) };
        let retry = self.settings.retry_policy();
        let (outcome, signed_at) = self
            .call_within(self.settings.scaled(Duration::from_millis(most)), async |client| {
                Retrying::new(client, &retry).call(&operation).await
            })
            .await;
        self.ledger.record(&handle, outcome, Known::ByAnswer, "call, repeat");
        if outcome == Outcome::Unknown && !self.settle_cancel(&operation, &handle, signed_at).await {
            self.query_later(operation, handle, signed_at, dice);
        }
    }

    /// Queries whether an order is cancelled, and returns whether that is known.
    async fn settle_cancel<O: Confirmable>(&self, operation: &O, handle: &ClaimHandle, signed_at: Timestamp) -> bool {
        let policy = self.settings.single_query_policy();
        let confirmation = confirm::settle(&self.client, operation, signed_at, &policy).await;
        self.count_decision(&confirmation);
        self.ledger.record(handle, confirmation.outcome(), Known::ByQuery, why(&confirmation));
        confirmation.outcome() != Outcome::Unknown
    }

    /// Cancels a batch of orders, and settles each or all together.
    pub(crate) async fn cancel_each(&self, family: Family, all: Vec<(Order, Name)>, dice: &mut Dice) {
        let operation = match family {
            Family::Unified => "unified.cancel-batch",
            Family::Classic => "classic.batch-cancel-orders",
        };
        let open = |(order, name): &(Order, Name)| self.ledger.open(order.cancelled(), operation, name.naming(order));
        let handles: Vec<_> = all.iter().map(open).collect();
        let names: Vec<_> = all.into_iter().map(|(_, name)| name).collect();
        match (family, dice.percent(50)) {
            (Family::Unified, true) => self.resolve_each(orders::unified_cancels(&names), handles, dice).await,
            (Family::Unified, false) => self.send_and_settle_each(orders::unified_cancels(&names), handles, dice).await,
            (Family::Classic, true) => self.resolve_each(orders::classic_cancels(&names), handles, dice).await,
            (Family::Classic, false) => self.send_and_settle_each(orders::classic_cancels(&names), handles, dice).await,
        };
    }
}
