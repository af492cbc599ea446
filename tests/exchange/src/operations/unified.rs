//! The operations of the unified account.

mod orders;
mod queries;
mod records;

use rust_decimal::Decimal;
use tradeapi::unified::{BatchOrderResult, OrderIds, OrderRef, OrderType, TriggerBy};

use crate::state::orders::Preset;
use crate::state::refusal::Refusal;

/// Converts a value of a request to the core's type, with the documented default.
fn value_or<T>(text: Option<&str>, of: impl Fn(&str) -> Option<T>, default: T) -> T {
    text.and_then(of).unwrap_or(default)
}

/// Returns a preset of a request.
fn preset(
    price: Option<Decimal>,
    by: Option<&TriggerBy>,
    order_type: Option<&OrderType>,
    limit_price: Option<Decimal>,
) -> Preset {
    let by_mark = by == Some(&TriggerBy::Mark);
    Preset { price, by_mark, is_limit: order_type.map(|kind| *kind == OrderType::Limit), limit_price }
}

fn ids_of(id: u64, client: Option<&str>) -> OrderIds {
    let mut ids = OrderIds::default();
    ids.order_id = Some(id.to_string().into());
    ids.client_oid = client.and_then(|client| client.parse().ok());
    ids
}

/// Returns the outcome of an item of a batch.
fn result_of(done: Result<OrderIds, Refusal>, requested: OrderIds) -> BatchOrderResult {
    let mut result = BatchOrderResult::default();
    let (ids, refusal) = match done {
        Ok(ids) => (ids, None),
        Err(refusal) => (requested, Some(refusal)),
    };
    (result.order_id, result.client_oid) = (ids.order_id, ids.client_oid);
    if let Some(refusal) = refusal {
        (result.code, result.msg) = (Some(refusal.code), Some(refusal.message));
    }
    result
}

/// Returns the ids in a query for an order.
fn requested_ids(order: &OrderRef) -> OrderIds {
    let mut ids = OrderIds::default();
    match order {
        OrderRef::OrderId(id) => ids.order_id = Some(id.clone()),
        OrderRef::ClientOid(id) => ids.client_oid = Some(id.clone()),
        _ => {}
    }
    ids
}
