//! Answers as the documents have them.

use serde_json::{Value, json};
use tradeapi_sandbox::Answer;

use crate::book::Order;
use crate::operation::{Family, Operation};

/// The code with which the exchange says that there is no such order.
pub const NO_SUCH_ORDER: [&str; 2] = ["24056", "43001"];

/// What became of one of several things.
pub(crate) struct ItemResult {
    pub(crate) order_id: String,
    pub(crate) client_oid: String,
    /// Why it failed; empty where the answer does not say.
    pub(crate) failed: Option<&'static str>,
}

impl ItemResult {
    pub(crate) fn done(order: &Order) -> Self {
        Self { order_id: order.order_id.clone(), client_oid: order.client_oid.clone(), failed: None }
    }

    pub(crate) fn failed(client_oid: &str, code: &'static str) -> Self {
        Self { order_id: String::new(), client_oid: client_oid.to_owned(), failed: Some(code) }
    }
}

/// A code of the family for something that was surely not done.
pub(crate) fn refusal(family: Family) -> &'static str {
    match family {
        Family::Classic => "43001",
        Family::Unified => "40762",
    }
}

pub(crate) fn no_such_order(family: Family) -> &'static str {
    match family {
        Family::Classic => NO_SUCH_ORDER[1],
        Family::Unified => NO_SUCH_ORDER[0],
    }
}

pub(crate) fn envelope(code: &str, data: &Value, now: u64) -> String {
    let message = if code == "00000" { "success" } else { "it failed" };
    json!({"code": code, "msg": message, "requestTime": now, "data": data}).to_string()
}

pub(crate) fn code(code: &str, now: u64) -> Answer {
    Answer::json(envelope(code, &Value::Null, now))
}

/// The data of a successful answer to a change.
pub(crate) fn acknowledged(operation: &Operation, results: &[ItemResult]) -> Value {
    let ids = |result: &ItemResult| json!({"orderId": result.order_id, "clientOid": result.client_oid});
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

/// The record of an order.
pub(crate) fn record(order: &Order) -> Value {
    let mut record = order.terms.clone();
    let created = order.created.to_string();
    let (state, size, times, cancelled) = match order.family {
        Family::Classic => (["state", "status"].as_slice(), "size", ["cTime", "uTime"], "canceled"),
        Family::Unified => (["orderStatus"].as_slice(), "qty", ["createdTime", "updatedTime"], "cancelled"),
    };
    for name in state {
        record[*name] = json!(if order.is_cancelled { cancelled } else { "live" });
    }
    for name in times {
        record[name] = json!(created);
    }
    record[size] = json!(order.size);
    record["price"] = json!(order.price);
    record["orderId"] = json!(order.order_id);
    record["clientOid"] = json!(order.client_oid);
    record
}

/// A page of a listing.
pub(crate) fn page<'a>(family: Family, orders: impl Iterator<Item = &'a Order>, cursor: Option<String>) -> Value {
    let orders: Value = orders.map(record).collect();
    match family {
        Family::Classic => json!({"entrustedList": orders, "endId": cursor}),
        Family::Unified => json!({"list": orders, "cursor": cursor}),
    }
}
