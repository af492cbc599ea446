//! Listings, page by page. A cursor is the id of the order behind which the next page begins.

use serde_json::Value;
use tradeapi_sandbox::Request;

use crate::answer;
use crate::book::Order;
use crate::change::{Name, text};
use crate::desk::Desk;
use crate::fault::Fault;
use crate::operation::{Family, Listed, Operation};
use crate::query;

/// How many orders are on a page when nobody says.
const PAGE: usize = 100;

/// How many orders of the page before stand on an overlapping page again.
const OVERLAP: usize = 3;

/// The data of the page that `query` asks for.
pub(crate) fn page(desk: &Desk, operation: &Operation, listed: Listed, query: &Value, fault: Fault) -> Value {
    let (cursor, limit) = (cursor(operation.family, query), limit(query));
    let matches = |order: &&Order| is_wanted(operation.family, listed, query, order);
    let orders: Vec<_> = desk.book.listed(operation.family, listed, desk.now()).filter(matches).collect();
    let place_of = |id: &String| orders.iter().position(|order| order.order_id == *id).map(|place| place + 1);
    let behind = cursor.as_ref().and_then(place_of).unwrap_or_default();
    let first = if fault == Fault::Overlap { behind.saturating_sub(OVERLAP) } else { behind };
    let page = orders.get(first..orders.len().min(behind + limit)).unwrap_or_default();
    let next = page.last().filter(|_| behind + limit < orders.len()).map(|last| last.order_id.clone());
    let next = if fault == Fault::StuckCursor { cursor.or(next) } else { next };
    answer::page(operation.family, page.iter().copied(), next)
}

/// What a request asks for.
pub(crate) fn query_of(request: &Request) -> Value {
    query::pairs(request.query.as_deref().unwrap_or_default()).into_iter().collect()
}

fn cursor(family: Family, query: &Value) -> Option<String> {
    match family {
        Family::Classic => text(query, "idLessThan"),
        Family::Unified => text(query, "cursor"),
    }
}

fn limit(query: &Value) -> usize {
    text(query, "limit").and_then(|limit| limit.parse().ok()).unwrap_or(PAGE)
}

/// Whether the query asks for the order. All orders of the book are live or cancelled.
fn is_wanted(family: Family, listed: Listed, query: &Value, order: &Order) -> bool {
    let is_of_state = match (family, listed) {
        (Family::Classic, Listed::Open) => text(query, "status").is_none_or(|status| status == "live"),
        _ => true,
    };
    let time = |name| text(query, name).and_then(|time| time.parse::<u64>().ok());
    let is_of_time = time("startTime").is_none_or(|start| start <= order.created)
        && time("endTime").is_none_or(|end| order.created <= end);
    let is_of_symbol = text(query, "symbol").is_none_or(|symbol| Some(symbol) == text(&order.terms, "symbol"));
    // An order that is named is listed alone; its own id wins.
    let is_named = match Name::of(query) {
        Some(Name::OrderId(id)) => id == order.order_id,
        Some(Name::ClientOid(id)) => id == order.client_oid,
        None => true,
    };
    is_of_state && is_of_time && is_of_symbol && is_named
}
