//! Modifications in the unified account, alone and in batches.

use std::collections::BTreeSet;

use tradeapi::runtime::orders::Amendment;
use tradeapi::unified::{
    BatchModifyItem, BatchModifyOrders, BatchModifyResult, Category, ModifyOrder, OrderIds, Symbol, YesNo,
};
use tradeapi::{Edit, List};

use super::{ids_of, preset, requested_ids, result_of};
use crate::operations::reading::{number, optional};
use crate::operations::routes::{Desk, Serve};
use crate::operations::wanted::Wanted;
use crate::state::orders::{Changes, Name, Preset, Presets};
use crate::state::refusal::{Reason, Refusal};

impl Serve for ModifyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let reported_id = self.request_id.filter(|_| self.auto_cancel == Some(YesNo::Yes));
        modify(&self, at).map_err(|reason| naming(at.refusal(reason), reported_id))
    }
}

/// A refusal that names the requestId, if autoCancel may follow.
fn naming(refusal: Refusal, reported_id: Option<u64>) -> Refusal {
    match reported_id {
        Some(id) => Refusal { message: format!("{} (requestId {id})", refusal.message), ..refusal },
        None => refusal,
    }
}

fn modify(request: &ModifyOrder, at: &mut Desk<'_>) -> Result<OrderIds, Reason> {
    let kept = at.named(&Name::from(&request.order), wanted(request.category.as_ref(), request.symbol.as_ref()))?;
    let (id, ids) = (kept.id, ids_of(kept.id, kept.client()));
    let changes = modification(request, kept.ticket.presets())?;
    at.core.amend(id, changes, <ModifyOrder as Amendment>::IN_FLIGHT)?;
    Ok(ids)
}

/// The orders that a modification may name.
fn wanted<'a>(category: Option<&'a Category>, symbol: Option<&'a Symbol>) -> Wanted<'a> {
    let (line, symbol) = (category.map(|category| category.as_str()), symbol.map(|symbol| symbol.as_str()));
    Wanted { line, symbol, coin: None }
}

/// The requested changes of an order that has these presets.
fn modification(request: &ModifyOrder, kept: Presets) -> Result<Changes, Reason> {
    let edited =
        |[name, limit]: [&'static str; 2], kept: &Preset, price: &Edit<_>, by, order_type, limit_price: Option<&_>| {
            let new = preset(None, by, order_type, optional(limit, limit_price)?);
            let price = match price {
                Edit::Set(price) => Some(number(name, price)?),
                Edit::Delete => return Ok(Some(Preset::default())),
                Edit::Keep => kept.price,
            };
            Ok(Some(Preset {
                price,
                by_mark: if by.is_some() { new.by_mark } else { kept.by_mark },
                is_limit: new.is_limit.or(kept.is_limit),
                limit_price: new.limit_price.or(kept.limit_price),
            }))
        };
    Ok(Changes {
        qty: optional("qty", request.qty.as_ref())?,
        price: optional("price", request.price.as_ref())?,
        adjusts_price: request.px_amend_type == Some(YesNo::Yes),
        auto_cancel: request.auto_cancel == Some(YesNo::Yes),
        request_id: request.request_id,
        take_profit: edited(
            ["takeProfit", "tpLimitPrice"],
            &kept.take_profit,
            &request.take_profit,
            request.tp_trigger_by.as_ref(),
            request.tp_order_type.as_ref(),
            request.tp_limit_price.as_ref(),
        )?,
        stop_loss: edited(
            ["stopLoss", "slLimitPrice"],
            &kept.stop_loss,
            &request.stop_loss,
            request.sl_trigger_by.as_ref(),
            request.sl_order_type.as_ref(),
            request.sl_limit_price.as_ref(),
        )?,
    })
}

impl Serve for BatchModifyOrders {
    const ITEMS_FAIL_ALONE: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchModifyResult>, Refusal> {
        refuse_repeated(&self, at).map_err(|reason| at.refusal(reason))?;
        let modify = |(index, item): (usize, BatchModifyItem)| {
            let reported_id = item.request_id.filter(|_| item.auto_cancel == Some(YesNo::Yes));
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => modify_item(&item, at).map_err(|reason| naming(at.refusal(reason), reported_id)),
            };
            let result = result_of(done, requested_ids(&item.order));
            let mut answer = BatchModifyResult::default();
            (answer.order_id, answer.client_oid) = (result.order_id, result.client_oid);
            (answer.code, answer.msg) = (result.code, result.msg);
            answer
        };
        Ok(self.orders.into_iter().enumerate().map(modify).collect::<Vec<_>>().into())
    }
}

/// Refuses a batch that names an order by each of its ids. The checks of the schema see only an id that is repeated.
fn refuse_repeated(batch: &BatchModifyOrders, at: &Desk<'_>) -> Result<(), Reason> {
    let mut named = BTreeSet::new();
    let found = batch.orders.iter().filter_map(|item| at.core.find(at.account, &Name::from(&item.order)));
    if found.map(|order| order.id).all(|id| named.insert(id)) { Ok(()) } else { Err(Reason::ListedTwice) }
}

fn modify_item(item: &BatchModifyItem, at: &mut Desk<'_>) -> Result<OrderIds, Reason> {
    let order = at.named(&Name::from(&item.order), wanted(item.category.as_ref(), item.symbol.as_ref()));
    let order = order.map_err(|_| Reason::NoSuchItem)?;
    if order.is_closing() {
        return Err(Reason::ReduceOnlyFixed);
    }
    let (id, ids) = (order.id, ids_of(order.id, order.client()));
    let changes = Changes {
        qty: optional("qty", item.qty.as_ref())?,
        price: optional("price", item.price.as_ref())?,
        adjusts_price: item.px_amend_type == Some(YesNo::Yes),
        auto_cancel: item.auto_cancel == Some(YesNo::Yes),
        request_id: item.request_id,
        ..Changes::default()
    };
    at.core.amend(id, changes, BatchModifyOrders::IN_FLIGHT)?;
    Ok(ids)
}
