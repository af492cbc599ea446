//! Modifications in the unified account, alone and in batches.

use tradeapi::runtime::orders::Amendment;
use tradeapi::unified::{BatchModifyItem, BatchModifyOrders, BatchModifyResult, ModifyOrder, OrderIds, YesNo};
use tradeapi::{Edit, List};

use super::{ids_of, preset, requested_ids, result_of};
use crate::orders::{Changes, Name};
use crate::orders::{Order, Preset};
use crate::reading::{number, optional};
use crate::refusal::{Reason, Refusal};
use crate::routes::{Desk, Serve};

impl Serve for ModifyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let reported_id = self.request_id.filter(|_| self.auto_cancel == Some(YesNo::Yes));
        let amended = modification(&self, at).map_err(|reason| at.refusal(reason));
        let most = <Self as Amendment>::IN_FLIGHT;
        let amended = amended.and_then(|amendment| {
            let amended = at.core.amend(at.account, &Name::from(&self.order), amendment, most);
            amended.map_err(|reason| at.refusal(reason))
        });
        answer_modification(at, amended, reported_id)
    }
}

/// The ids of a modified order; a refusal names the requestId, if autoCancel may follow.
fn answer_modification(
    at: &Desk<'_>,
    amended: Result<u64, Refusal>,
    reported_id: Option<u64>,
) -> Result<OrderIds, Refusal> {
    let id = amended.map_err(|refusal| match reported_id {
        Some(id) => Refusal { message: format!("{} (requestId {id})", refusal.message), ..refusal },
        None => refusal,
    })?;
    Ok(ids_of(id, at.core.orders.get(&id).and_then(Order::client)))
}

fn modification(request: &ModifyOrder, at: &Desk<'_>) -> Result<Changes, Reason> {
    let kept = at.core.find(at.account, &Name::from(&request.order)).ok_or(Reason::NoSuchOrder)?;
    let kept = kept.ticket.presets();
    let edited =
        |kept: &Preset, price: &Edit<tradeapi::Decimal>, by, order_type, limit_price: Option<&tradeapi::Decimal>| {
            let new = preset(None, by, order_type, optional(limit_price)?);
            let price = match price {
                Edit::Set(price) => Some(number(price)?),
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
        qty: optional(request.qty.as_ref())?,
        price: optional(request.price.as_ref())?,
        adjusts_price: request.px_amend_type == Some(YesNo::Yes),
        auto_cancel: request.auto_cancel == Some(YesNo::Yes),
        request_id: request.request_id,
        take_profit: edited(
            &kept.take_profit,
            &request.take_profit,
            request.tp_trigger_by.as_ref(),
            request.tp_order_type.as_ref(),
            request.tp_limit_price.as_ref(),
        )?,
        stop_loss: edited(
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
        let modify = |(index, item): (usize, BatchModifyItem)| {
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => modify_item(&item, at),
            };
            let result = result_of(done, requested_ids(&item.order));
            let mut modified = BatchModifyResult::default();
            (modified.order_id, modified.client_oid) = (result.order_id, result.client_oid);
            (modified.code, modified.msg) = (result.code, result.msg);
            modified
        };
        Ok(self.orders.into_iter().enumerate().map(modify).collect::<Vec<_>>().into())
    }
}

fn modify_item(item: &BatchModifyItem, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
    let name = Name::from(&item.order);
    let amendment = || {
        let order = at.core.find(at.account, &name).ok_or(Reason::NoSuchItem)?;
        if order.is_closing() {
            return Err(Reason::ReduceOnlyFixed);
        }
        Ok(Changes {
            qty: optional(item.qty.as_ref())?,
            price: optional(item.price.as_ref())?,
            adjusts_price: item.px_amend_type == Some(YesNo::Yes),
            auto_cancel: item.auto_cancel == Some(YesNo::Yes),
            request_id: item.request_id,
            ..Changes::default()
        })
    };
    let amendment = amendment().map_err(|reason| at.refusal(reason))?;
    let amended = at.core.amend(at.account, &name, amendment, BatchModifyOrders::IN_FLIGHT);
    let amended = amended.map_err(|reason| at.refusal(reason));
    answer_modification(at, amended, item.request_id.filter(|_| item.auto_cancel == Some(YesNo::Yes)))
}
