//! The records of orders and fills, as the documents name their fields.

use serde_json::{Value, json};

use super::{FUTURES, Order, OrderState, Status};

type Seen<'a> = (&'a Order, &'a OrderState);

fn filled(state: &OrderState) -> &str {
    if state.status == Status::Filled { &state.qty } else { "0" }
}

/// Returns a record of an order of a unified account.
pub(super) fn unified_order((order, state): Seen<'_>) -> Value {
    let status = match state.status {
        Status::Live => "live",
        Status::Filled => "filled",
        Status::Cancelled => "cancelled",
    };
    json!({
        "orderId": order.id, "clientOid": order.client_id, "category": FUTURES, "symbol": "BTCUSDT",
        "price": state.price, "qty": state.qty, "orderType": "limit", "cumExecQty": filled(state),
        "orderStatus": status, "side": order.side, "timeInForce": "gtc", "holdMode": "one_way_mode",
        "marginMode": "crossed", "createdTime": order.created.to_string(), "updatedTime": state.since.to_string(),
    })
}

/// Returns a fill of an order of a unified account.
pub(super) fn unified_fill((order, state): Seen<'_>) -> Value {
    json!({
        "execId": format!("1{}", order.id), "execLinkId": format!("1{}", order.id), "orderId": order.id,
        "clientOid": order.client_id, "category": FUTURES, "symbol": "BTCUSDT", "orderType": "limit",
        "side": order.side, "execPrice": state.price, "execQty": state.qty,
    })
}

/// Returns a record of an order of a classic account.
pub(super) fn classic_order(seen: Seen<'_>) -> Value {
    with_state("state", seen)
}

/// Returns an item of a listing of a classic account.
pub(super) fn classic_item(seen: Seen<'_>) -> Value {
    with_state("status", seen)
}

fn with_state(name: &str, (order, state): Seen<'_>) -> Value {
    let status = match state.status {
        Status::Live => "live",
        Status::Filled => "filled",
        Status::Cancelled => "canceled",
    };
    json!({
        "symbol": "BTCUSDT", "size": state.qty, "orderId": order.id, "clientOid": order.client_id,
        "baseVolume": filled(state), "price": state.price, name: status, "side": order.side, "marginCoin": "USDT",
        "orderType": if state.price.is_empty() { "market" } else { "limit" }, "posMode": "one_way_mode",
        "cTime": order.created.to_string(), "uTime": state.since.to_string(),
    })
}

/// Returns a fill of an order of a classic account.
pub(super) fn classic_fill((order, state): Seen<'_>) -> Value {
    json!({
        "tradeId": format!("1{}", order.id), "symbol": "BTCUSDT", "orderId": order.id, "price": state.price,
        "baseVolume": state.qty, "side": order.side, "quoteVolume": "0", "profit": "0", "tradeSide": "buy_single",
        "posMode": "one_way_mode", "feeDetail": [], "cTime": state.since.to_string(),
    })
}
