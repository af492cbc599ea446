//! Cancels: no operation states whether they had their effect, but the order itself shows it.

use crate::operation::Family;
use tradeapi::runtime::operation::Repeatable;
use tradeapi::runtime::tables::Outcome;
use tradeapi::{classic, unified};
use tradeapi_tests::dice::Dice;

use crate::batches::ItemEnd;
use crate::desk::Desk;
use crate::later::{Open, Settled};
use crate::ledger::{Known, Ticket};
use crate::orders::{self, Name, Order};

impl Desk {
    /// Cancels one order, by `name`.
    pub(crate) async fn cancel(&self, order: &Order, name: Name, dice: &mut Dice) {
        match order.family {
            Family::Unified => self.cancel_with(unified::CancelOrder::new(name.unified()), order, name, dice).await,
            Family::Classic => self.cancel_with(orders::classic_cancel(&name), order, name, dice).await,
        }
    }

    async fn cancel_with<O: Repeatable>(&self, operation: O, order: &Order, name: Name, dice: &mut Dice) {
        let ticket = self.ledger.open(order.cancelled(), O::META.id, order.naming);
        let outcome = match self.client.retrying(&self.settings.again()).call(&operation).await {
            Ok(_) => Outcome::Done,
            Err(error) => {
                self.ledger.failed(&error);
                self.settings.conduct.takes(&error).unwrap_or(error.outcome())
            }
        };
        self.ledger.note(&ticket, outcome, Known::ByAnswer, "call, repeat");
        self.look_if_unknown(order.family, name, ticket, outcome, dice).await;
    }

    /// Cancels several orders at once.
    pub(crate) async fn cancel_each(&self, family: Family, all: Vec<(Order, Name)>, dice: &mut Dice) {
        let deed = match family {
            Family::Unified => "unified.cancel-batch",
            Family::Classic => "classic.batch-cancel-orders",
        };
        let open = |(order, _): &(Order, Name)| self.ledger.open(order.cancelled(), deed, order.naming);
        let tickets: Vec<_> = all.iter().map(open).collect();
        let names: Vec<_> = all.into_iter().map(|(_, name)| name).collect();
        let ends: Vec<ItemEnd> = match family {
            Family::Unified => self.send_each(orders::unified_cancels(&names), tickets.clone()).await,
            Family::Classic => self.send_each(orders::classic_cancels(&names), tickets.clone()).await,
        };
        for ((name, ticket), (outcome, _)) in names.into_iter().zip(tickets).zip(ends) {
            self.look_if_unknown(family, name, ticket, outcome, dice).await;
        }
    }

    async fn look_if_unknown(&self, family: Family, name: Name, ticket: Ticket, outcome: Outcome, dice: &mut Dice) {
        if outcome == Outcome::Unknown && !self.look(family, &name, &ticket).await {
            self.later.push(Open::new(self.client.now(), dice, move |desk, _| {
                let (name, ticket) = (name.clone(), ticket.clone());
                async move {
                    let is_cancelled = desk.look(family, &name, &ticket).await;
                    if is_cancelled { Settled::Known } else { Settled::Hopeless }
                }
            }));
        }
    }

    /// Looks whether an order is cancelled. If it is not, that proves nothing.
    async fn look(&self, family: Family, name: &Name, ticket: &Ticket) -> bool {
        let again = self.settings.again();
        let client = self.client.retrying(&again);
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
            self.ledger.note(ticket, Outcome::Done, Known::ByQuery, "look");
        }
        is_cancelled
    }
}
