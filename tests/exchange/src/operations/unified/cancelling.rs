//! Cancellations in the unified account: of one order, a batch, or all of a category.

use tradeapi::List;
use tradeapi::unified::{
    BatchCancel, BatchOrderResult, CancelAllOrders, CancelOrder, CancelRealityOrder, OrderIds, OrderRef,
};

use super::{ids_of, requested_ids, result_of};
use crate::operations::reading::Wanted;
use crate::operations::routes::{Desk, Serve};
use crate::state::orders::{Name, Order, State};
use crate::state::refusal::{Reason, Refusal};
use crate::state::words::{Cancelled, Line};

impl Serve for CancelOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let line = self.category.as_ref().map(|category| category.as_str());
        cancel(at, &self.order, Wanted { line, ..Wanted::default() }).map_err(|reason| at.refusal(reason))
    }
}

impl Serve for CancelRealityOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let line = self.category.as_ref().map_or(Line::Spot.as_str(), |category| category.as_str());
        let wanted = Wanted::of(line, self.symbol.as_str());
        cancel(at, &self.order, wanted).map_err(|reason| at.refusal(reason))
    }
}

fn cancel(at: &mut Desk<'_>, order: &OrderRef, wanted: Wanted<'_>) -> Result<OrderIds, Reason> {
    let found = at.named(&Name::from(order), wanted)?;
    let (id, ids) = (found.id, ids_of(found.id, found.client()));
    at.core.cancel(id)?;
    Ok(ids)
}

impl Serve for BatchCancel {
    const ITEMS_FAIL_ALONE: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchOrderResult>, Refusal> {
        let mut results = Vec::with_capacity(self.orders.len());
        for (index, item) in self.orders.iter().enumerate() {
            let wanted = Wanted::of(item.category.as_str(), item.symbol.as_str());
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => cancel(at, &item.order, wanted).map_err(|reason| {
                    let reason = if reason == Reason::NoSuchOrder { Reason::NoSuchItem } else { reason };
                    at.refusal(reason)
                }),
            };
            results.push(result_of(done, requested_ids(&item.order)));
        }
        Ok(results.into())
    }
}

impl Serve for CancelAllOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchOrderResult>, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let wanted = Wanted { line: Some(self.category.as_str()), symbol, coin: None };
        let open = at.core.accounts[at.account].open.iter().filter_map(|id| at.core.orders.get(id));
        let ids: Vec<u64> = open.filter(|order| wanted.is(at.core, order)).map(|order| order.id).collect();
        let cancelled = ids.into_iter().map(|id| {
            // Every open order can be cancelled.
            at.core.end_by(id, State::Cancelled(Cancelled::Normal), true);
            let ids = ids_of(id, at.core.orders.get(&id).and_then(Order::client));
            result_of(Ok(ids), OrderIds::default())
        });
        Ok(cancelled.collect::<Vec<_>>().into())
    }
}
