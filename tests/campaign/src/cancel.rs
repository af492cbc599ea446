//! Cancels, of which no operation tells whether they had their effect: the order itself does.

use tradeapi::runtime::{Batch, ItemOutcome, Outcome, Repeatable};
use tradeapi::{classic, unified};
use tradeapi_exchange::{Effect, Family};

use crate::desk::Desk;
use crate::ledger::Known;
use crate::orders;

impl Desk {
    /// Cancels one order.
    pub(crate) async fn cancel(&self, family: Family, id: String) {
        match family {
            Family::Unified => self.cancel_with(unified::CancelOrder::new(orders::unified_ref(&id)), family, id).await,
            Family::Classic => self.cancel_with(orders::classic_cancel(&id), family, id).await,
        }
    }

    async fn cancel_with<O: Repeatable>(&self, operation: O, family: Family, id: String) {
        let effect = Effect::Cancelled(id);
        self.ledger.open(&effect, O::META.id);
        let outcome = match self.client.retrying(&self.settings.again()).call(&operation).await {
            Ok(_) => Outcome::Done,
            Err(error) => error.outcome(),
        };
        self.ledger.note(&effect, outcome, Known::ByAnswer);
        self.look_if_unknown(family, effect, outcome).await;
    }

    /// Cancels several orders at once.
    pub(crate) async fn cancel_each(&self, family: Family, ids: Vec<String>) {
        let deed = match family {
            Family::Unified => "unified.cancel-batch",
            Family::Classic => "classic.batch-cancel-orders",
        };
        let effects: Vec<_> = ids.iter().cloned().map(Effect::Cancelled).collect();
        effects.iter().for_each(|effect| self.ledger.open(effect, deed));
        let outcomes = match family {
            Family::Unified => {
                let items = ids.iter().map(|id| orders::unified_cancel_item(id)).collect();
                self.outcomes(unified::BatchCancel::new(items), ids.len()).await
            }
            Family::Classic => self.outcomes(orders::classic_batch_cancel(&ids), ids.len()).await,
        };
        for (effect, outcome) in effects.into_iter().zip(outcomes) {
            self.ledger.note(&effect, outcome, Known::ByAnswer);
            self.look_if_unknown(family, effect, outcome).await;
        }
    }

    /// Sends a batch; what the answers tell of each item.
    async fn outcomes<O>(&self, batch: O, items: usize) -> Vec<Outcome>
    where
        O: Batch<Item: Send, Done: Send, Response: Send> + Send + Sync,
    {
        let outcome = |item: &ItemOutcome<O::Done>| match (item.is_done(), item.is_unknown()) {
            (true, _) => Outcome::Done,
            (_, true) => Outcome::Unknown,
            _ => Outcome::NotDone,
        };
        match self.client.batch(batch).send().await {
            Ok(report) => report.items.iter().map(|item| outcome(&item.outcome)).collect(),
            Err(error) => vec![error.outcome(); items],
        }
    }

    async fn look_if_unknown(&self, family: Family, effect: Effect, outcome: Outcome) {
        if outcome == Outcome::Unknown && !self.look(family, &effect).await {
            self.later(Box::new(move |desk| Box::pin(async move { _ = desk.look(family, &effect).await })));
        }
    }

    /// Looks whether an order is cancelled. That it is not proves nothing.
    async fn look(&self, family: Family, effect: &Effect) -> bool {
        let Effect::Cancelled(id) = effect else { return false };
        let again = self.settings.again();
        let client = self.client.retrying(&again);
        let is_cancelled = match family {
            Family::Unified => {
                let detail = unified::GetOrderDetails::new(orders::unified_ref(id));
                let order = client.call(&detail).await;
                order.is_ok_and(|order| {
                    order.client_oid.as_ref().is_some_and(|own| own.as_str() == id)
                        && order.order_status == Some(unified::OrderStatus::Cancelled)
                })
            }
            Family::Classic => client.call(&orders::classic_detail(id)).await.is_ok_and(|order| {
                order.client_oid.as_ref().is_some_and(|own| own.as_str() == id)
                    && order.state == Some(classic::OrderState::Canceled)
            }),
        };
        if is_cancelled {
            self.ledger.note(effect, Outcome::Done, Known::ByAsking);
        }
        is_cancelled
    }
}
