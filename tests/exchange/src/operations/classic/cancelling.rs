//! Cancellations in the classic account: of one order, a batch, or all of a business line.

use tradeapi::classic::{
    BatchCancel, BatchCancelItem, BatchCancelOutcome, BatchSuccess, CancelAllFailure, CancelAllOrders,
    CancelAllOutcome, CancelFailure, CancelOrder, OrderIds, OrderRef,
};

use super::ids_of;
use crate::operations::reading::Wanted;
use crate::operations::routes::{Desk, Serve};
use crate::state::orders::{Name, Order, State};
use crate::state::refusal::{Reason, Refusal, missing};
use crate::state::words::Cancelled;

fn cancel(at: &mut Desk<'_>, order: &OrderRef, wanted: Wanted<'_>) -> Result<OrderIds, Reason> {
    let found = at.named(&Name::from(order), wanted)?;
    let (id, ids) = (found.id, ids_of(found.id, found.client()));
    at.core.cancel(id)?;
    Ok(ids)
}

fn cancel_item(at: &mut Desk<'_>, item: &BatchCancelItem, wanted: Wanted<'_>) -> Result<OrderIds, Reason> {
    // The orderId takes precedence.
    let order = match (&item.order_id, &item.client_oid) {
        (Some(id), _) => OrderRef::OrderId(id.clone()),
        (None, Some(id)) => OrderRef::ClientOid(id.clone()),
        (None, None) => return Err(missing("orderId")),
    };
    cancel(at, &order, wanted).map_err(|reason| match reason {
        Reason::NoSuchOrder => Reason::NoSuchItem,
        reason => reason,
    })
}

impl Serve for CancelOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let coin = self.margin_coin.as_ref().map(|coin| coin.as_str());
        let wanted = Wanted { coin, ..Wanted::of(self.product_type.as_str(), self.symbol.as_str()) };
        cancel(at, &self.order, wanted).map_err(|reason| at.refusal(reason))
    }
}

impl Serve for BatchCancel {
    fn serve(self, at: &mut Desk<'_>) -> Result<BatchCancelOutcome, Refusal> {
        let wanted = Wanted {
            line: Some(self.product_type.as_str()),
            symbol: self.symbol.as_ref().map(|symbol| symbol.as_str()),
            coin: self.margin_coin.as_ref().map(|coin| coin.as_str()),
        };
        let mut outcome = BatchCancelOutcome::default();
        let Some(list) = &self.order_id_list else {
            for id in open_orders(at, wanted) {
                outcome.success_list.items.push(cancelled(at, id));
            }
            return Ok(outcome);
        };
        for (index, item) in list.iter().enumerate() {
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => cancel_item(at, item, wanted).map_err(|reason| at.refusal(reason)),
            };
            match done {
                Ok(ids) => {
                    let mut success = BatchSuccess::default();
                    (success.order_id, success.client_oid) = (ids.order_id, ids.client_oid);
                    outcome.success_list.items.push(success);
                }
                Err(refusal) => {
                    let mut failure = CancelFailure::default();
                    failure.order_id.clone_from(&item.order_id);
                    failure.client_oid.clone_from(&item.client_oid);
                    (failure.error_code, failure.error_msg) = (Some(refusal.code), Some(refusal.message));
                    outcome.failure_list.items.push(failure);
                }
            }
        }
        Ok(outcome)
    }
}

impl Serve for CancelAllOrders {
    // Clients that send it mean to cancel the orders of one pair; ignoring it would cancel more than was asked.
    const TAKES: &[&str] = &["symbol"];

    fn serve(self, at: &mut Desk<'_>) -> Result<CancelAllOutcome, Refusal> {
        let expiry = self.request_time.zip(self.receive_window);
        if expiry.is_some_and(|(time, window)| time.as_millis().saturating_add(window) < at.core.now) {
            return Err(at.refusal(Reason::Expired));
        }
        let coin = self.margin_coin.as_ref().map(|coin| coin.as_str());
        let wanted = Wanted { line: Some(self.product_type.as_str()), symbol: at.symbol, coin };
        let mut outcome = CancelAllOutcome::default();
        // Every open order can be cancelled, so nothing fails.
        outcome.failure_list = Vec::<CancelAllFailure>::new().into();
        for id in open_orders(at, wanted) {
            outcome.success_list.items.push(cancelled(at, id));
        }
        Ok(outcome)
    }
}

/// The ids of the open orders that a request is about.
fn open_orders(at: &Desk<'_>, wanted: Wanted<'_>) -> Vec<u64> {
    let open = at.core.accounts[at.account].open.iter().filter_map(|id| at.core.orders.get(id));
    open.filter(|order| wanted.is(at.core, order)).map(|order| order.id).collect()
}

fn cancelled(at: &mut Desk<'_>, id: u64) -> BatchSuccess {
    at.core.end_by(id, State::Cancelled(Cancelled::Normal), true);
    let mut success = BatchSuccess::default();
    success.order_id = Some(id.to_string().into());
    success.client_oid = at.core.orders.get(&id).and_then(Order::client).map(Into::into);
    success
}
