//! Cancellations. No query returns their outcome, but the order itself shows it.

use tradeapi::runtime::client::Callable;
use tradeapi::runtime::operation::Repeatable;
use tradeapi::runtime::retry::Retrying;
use tradeapi::runtime::tables::Outcome;
use tradeapi::{classic, unified};
use tradeapi_tests::dice::Dice;

use crate::batches::ItemResult;
use crate::claim::Known;
use crate::context::{AccountContext, PendingQuery, Resolution};
use crate::ledger::ClaimHandle;
use crate::operation::Family;
use crate::orders::{self, Name, Order};

impl AccountContext {
    /// Cancels one order, by `name`.
    pub(crate) async fn cancel(&self, order: &Order, name: Name, dice: &mut Dice) {
        match order.family {
            Family::Unified => self.cancel_with(unified::CancelOrder::new(name.unified()), order, name, dice).await,
            Family::Classic => self.cancel_with(orders::classic_cancel(&name), order, name, dice).await,
        }
    }

    async fn cancel_with<O: Repeatable + Callable>(&self, operation: O, order: &Order, name: Name, dice: &mut Dice) {
        let handle = self.ledger.open(order.cancelled(), O::META.id, name.naming(order));
        let outcome = match Retrying::new(&self.client, &self.settings.retry_policy()).call(&operation).await {
            Ok(_) => Outcome::Done,
            Err(error) => {
                self.ledger.failed(&error);
                self.settings.variant.conclusion(&error).unwrap_or(error.outcome())
            }
        };
        self.ledger.record(&handle, outcome, Known::ByAnswer, "call, repeat");
        self.query_if_unknown(order.family, name, handle, outcome, dice).await;
    }

    /// Cancels a batch of orders.
    pub(crate) async fn cancel_each(&self, family: Family, all: Vec<(Order, Name)>, dice: &mut Dice) {
        let operation = match family {
            Family::Unified => "unified.cancel-batch",
            Family::Classic => "classic.batch-cancel-orders",
        };
        let open = |(order, name): &(Order, Name)| self.ledger.open(order.cancelled(), operation, name.naming(order));
        let handles: Vec<_> = all.iter().map(open).collect();
        let names: Vec<_> = all.into_iter().map(|(_, name)| name).collect();
        let results: Vec<ItemResult> = match family {
            Family::Unified => self.send_each(orders::unified_cancels(&names), handles.clone()).await,
            Family::Classic => self.send_each(orders::classic_cancels(&names), handles.clone()).await,
        };
        for ((name, handle), (outcome, _)) in names.into_iter().zip(handles).zip(results) {
            self.query_if_unknown(family, name, handle, outcome, dice).await;
        }
    }

    async fn query_if_unknown(
        &self,
        family: Family,
        name: Name,
        handle: ClaimHandle,
        outcome: Outcome,
        dice: &mut Dice,
    ) {
        if outcome == Outcome::Unknown && !self.query_cancelled(family, &name, &handle).await {
            self.pending.push(PendingQuery::new(self.client.now(), dice, move |context, _| {
                let (name, handle) = (name.clone(), handle.clone());
                async move {
                    let is_cancelled = context.query_cancelled(family, &name, &handle).await;
                    if is_cancelled { Resolution::Known } else { Resolution::Undecidable }
                }
            }));
        }
    }

    /// Queries whether an order is cancelled. One that is still open proves nothing, because the request may arrive
    /// later.
    async fn query_cancelled(&self, family: Family, name: &Name, handle: &ClaimHandle) -> bool {
        let again = self.settings.retry_policy();
        let client = Retrying::new(&self.client, &again);
        let is_cancelled = match family {
            Family::Unified => {
                let detail = unified::GetOrderDetails::new(name.unified());
                let order = client.call(&detail).await;
                order.is_ok_and(|order| {
                    let ids = (
                        order.order_id.as_ref().map(|id| id.as_str()),
                        order.client_oid.as_ref().map(|id| id.as_str()),
                    );
                    name.is_of(ids.0, ids.1) && order.order_status == Some(unified::OrderStatus::Cancelled)
                })
            }
            Family::Classic => client.call(&orders::classic_detail(name)).await.is_ok_and(|order| {
                let ids =
                    (order.order_id.as_ref().map(|id| id.as_str()), order.client_oid.as_ref().map(|id| id.as_str()));
                name.is_of(ids.0, ids.1) && order.state == Some(classic::OrderState::Canceled)
            }),
        };
        if is_cancelled {
            self.ledger.record(handle, Outcome::Done, Known::ByQuery, "query");
        }
        is_cancelled
    }
}
