//! Answers as the documents have them.

use serde_json::{Value, json};

use crate::book::Order;
use crate::change::Change;
use crate::operation::{Family, Operation};

/// What became of one of several things.
pub(crate) struct ItemResult {
    pub(crate) order_id: String,
    pub(crate) client_oid: String,
    /// Why it failed; empty where the answer does not say.
    pub(crate) failed: Option<&'static str>,
    /// Whether it has a message, and nothing that says what that is about.
    pub(crate) is_bare: bool,
}

impl ItemResult {
    pub(crate) fn done(order: &Order) -> Self {
        Self { order_id: order.order_id.clone(), client_oid: order.client_oid.clone(), failed: None, is_bare: false }
    }

    /// A failure of what the request names so.
    pub(crate) fn failed(change: &Change, code: &'static str) -> Self {
        let (client_oid, order_id) = change.ids();
        let text = |id: Option<&str>| id.unwrap_or_default().to_owned();
        Self { order_id: text(order_id), client_oid: text(client_oid), failed: Some(code), is_bare: false }
    }

    /// A message that may be about a failure and may not.
    pub(crate) fn bare(change: &Change) -> Self {
        let (client_oid, _) = change.ids();
        let client_oid = client_oid.unwrap_or_default().to_owned();
        Self { order_id: String::new(), client_oid, failed: None, is_bare: true }
    }
}

/// An envelope with a time in it, as it is written.
pub(crate) fn envelope(code: &str, data: &Value, time: &str) -> String {
    let message = if code == "00000" { "success" } else { "it failed" };
    format!(r#"{{"code":"{code}","msg":"{message}","requestTime":{time},"data":{data}}}"#)
}

/// The data of a successful answer to a change.
pub(crate) fn acknowledged(operation: &Operation, results: &[ItemResult]) -> Value {
    let ids = |result: &ItemResult| {
        let mut ids = json!({"orderId": result.order_id, "clientOid": result.client_oid});
        if result.is_bare {
            ids["msg"] = json!("it is looked into");
        }
        ids
    };
    let failure = |result: &ItemResult, code: &str, message: &str| {
        let mut item = ids(result);
        item[code] = json!(result.failed.unwrap_or_default());
        item[message] = json!("it failed");
        item
    };
    if !operation.several {
        return results.first().map(ids).unwrap_or_default();
    }
    match operation.family {
        Family::Unified => results
            .iter()
            .map(|result| if result.failed.is_some() { failure(result, "code", "msg") } else { ids(result) })
            .collect(),
        Family::Classic => {
            let (failed, done): (Vec<_>, Vec<_>) = results.iter().partition(|result| result.failed.is_some());
            json!({
                "successList": done.into_iter().map(ids).collect::<Value>(),
                "failureList": failed.iter().map(|item| failure(item, "errorCode", "errorMsg")).collect::<Value>(),
                "result": failed.is_empty(),
            })
        }
    }
}

/// The record of an order; `number` stands in fields by which nothing is decided.
pub(crate) fn record(order: &Order, number: Option<&str>) -> Value {
    let mut record = order.terms.clone();
    let state = order.state();
    let [created, changed] = [order.created, order.changed()].map(|time| time.to_string());
    let (states, size, times, cancelled) = match order.family {
        Family::Classic => (["state", "status"].as_slice(), "size", ["cTime", "uTime"], "canceled"),
        Family::Unified => (["orderStatus"].as_slice(), "qty", ["createdTime", "updatedTime"], "cancelled"),
    };
    for name in states {
        record[*name] = json!(if state.is_cancelled { cancelled } else { "live" });
    }
    for (name, time) in times.into_iter().zip([created, changed]) {
        record[name] = json!(time);
    }
    if let Some(number) = number {
        ["priceAvg", "fee", "baseVolume", "avgPrice", "cumExecQty"]
            .into_iter()
            .for_each(|name| record[name] = json!(number));
    }
    record[size] = json!(state.size);
    record["price"] = json!(state.price);
    record["orderId"] = json!(order.order_id);
    record["clientOid"] = json!(order.client_oid);
    record
}

/// A page of a listing.
pub(crate) fn page<'a>(family: Family, orders: impl Iterator<Item = &'a Order>, cursor: Option<String>) -> Value {
    let orders: Value = orders.map(|order| record(order, None)).collect();
    match family {
        Family::Classic => json!({"entrustedList": orders, "endId": cursor}),
        Family::Unified => json!({"list": orders, "cursor": cursor}),
    }
}
