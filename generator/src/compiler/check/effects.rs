//! Effects: whether an operation that is said to read is named like one that changes something.

use heck::ToSnakeCase as _;

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Effect, Family, Operation};

/// Verbs of trading that change something, wherever they stand in a name.
const CHANGES: [&str; 26] = [
    "amend",
    "amends",
    "buy",
    "buys",
    "cancel",
    "cancels",
    "close",
    "closes",
    "create",
    "creates",
    "delete",
    "deletes",
    "liquidate",
    "liquidates",
    "modify",
    "modifies",
    "place",
    "places",
    "replace",
    "replaces",
    "sell",
    "sells",
    "submit",
    "submits",
    "withdraw",
    "withdraws",
];

/// Verbs that are nouns as well: they change something if nothing says that they are only looked at.
const CHANGES_OR_NOUNS: [&str; 2] = ["order", "transfer"];

/// Words for the things that an order is a part of.
const OF_ORDERS: [&str; 2] = ["book", "books"];

/// First words of what only reads.
const READS: [&str; 23] = [
    "all",
    "calculate",
    "check",
    "count",
    "current",
    "describe",
    "download",
    "estimate",
    "fetch",
    "find",
    "get",
    "list",
    "lookup",
    "my",
    "preview",
    "query",
    "read",
    "retrieve",
    "search",
    "show",
    "test",
    "view",
    "your",
];

/// Last words of what is looked at, such as `order-info` and `close-price`.
const LOOKED_AT: [&str; 34] = [
    "by",
    "count",
    "detail",
    "details",
    "estimate",
    "fee",
    "fees",
    "history",
    "id",
    "info",
    "information",
    "limit",
    "limits",
    "list",
    "log",
    "logs",
    "price",
    "prices",
    "quota",
    "quote",
    "quotes",
    "rate",
    "rates",
    "ratio",
    "record",
    "records",
    "result",
    "results",
    "rules",
    "state",
    "stats",
    "status",
    "types",
    "volume",
];

/// An operation with the effect `read` is repeated after a lost answer. One that is named after a change states why it
/// changes nothing.
pub(super) fn reads_are_meant(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let is_stated = operation.effect != Effect::Read || operation.effect_why.is_some();
        let Some((text, verb)) = (!is_stated).then(|| change_in_name(operation)).flatten() else { continue };
        to.at(
            operation.key_places.effect,
            Code::DoubtfulEffect,
            format!("the effect is `read`, but `{text}` says `{verb}`: a read is sent again after a lost answer"),
        )
        .help("write what it does, such as `create`; if it only reads, `effect: { is: read, why: .. }`");
    }
}

/// The text that names the operation after a change, and the verb in it.
fn change_in_name(operation: &Operation) -> Option<(&str, String)> {
    let last = operation.path.text.split('/').rfind(|part| !part.is_empty() && !part.contains('{'));
    let call = operation.call.as_ref().map(|(call, _)| call.as_str());
    let texts = [Some(operation.name.as_str()), last, call, Some(operation.title.as_str())];
    let is_read_by_title = READS.contains(&words(&operation.title).first().map_or("", String::as_str));
    texts.into_iter().flatten().find_map(|text| Some((text, change_in(&words(text), is_read_by_title)?)))
}

/// The verb in the words of a name that says that something is changed.
fn change_in(words: &[String], is_read_by_title: bool) -> Option<String> {
    let (first, last) = (words.first()?, words.last()?);
    if READS.contains(&first.as_str()) || words.len() > 1 && LOOKED_AT.contains(&last.as_str()) {
        return None;
    }
    let changes = words.iter().find(|word| CHANGES.contains(&word.as_str()));
    changes
        .or_else(|| {
            Some(first).filter(|first| {
                CHANGES_OR_NOUNS.contains(&first.as_str()) && !is_read_by_title && !OF_ORDERS.contains(&last.as_str())
            })
        })
        .cloned()
}

fn words(text: &str) -> Vec<String> {
    let last = text.rsplit('/').next().unwrap_or_default();
    last.to_snake_case().split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_changes_are_told_from_names_of_what_is_looked_at() {
        let change = |text: &str, is_read_by_title| change_in(&words(text), is_read_by_title);
        for text in [
            "private/buy",
            "place-order",
            "Sell Now",
            "closePosition",
            "order",
            "transfer",
            "order-market",
            "Cancels an order",
            "spot-withdraw",
            "batch-cancel-orders",
            "create",
        ] {
            assert!(change(text, false).is_some(), "{text}");
        }
        for text in [
            "order-info",
            "order-book",
            "close-price",
            "get-order",
            "Order Status",
            "orders",
            "Orders History",
            "openOrders",
            "ClosedOrders",
            "transfer-history",
            "orders-pending",
            "test",
            "Query Cancel Reasons",
            "marketplace",
            "get_order_history_by_currency",
            "All orders",
            "time",
            "replacement",
            "buy-sell-ratio",
            "hist",
        ] {
            assert_eq!(change(text, false), None, "{text}");
        }
        assert_eq!(change("order", true), None);
        assert_eq!(change("private/buy", true).as_deref(), Some("buy"));
    }
}
