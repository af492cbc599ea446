//! Repeated items: an item was listed already only if all fields are equal.

use proptest::prelude::*;
use tradeapi::runtime::json::BadItem;
use tradeapi::runtime::pages::{Pages, Position, RangeOrder};
use tradeapi::{Timestamp, classic, unified};

use super::exchange::{
    CLASSIC_FILLS, CLASSIC_ORDERS, DAY, End, Exchange, Item, ListingBehavior, NOW, UNIFIED_FILLS, run,
};
use super::restarts::{ScriptedTransport, page};

fn at(time: u64) -> Timestamp {
    Timestamp::from_millis(time)
}

fn fills(script: &ScriptedTransport) -> Pages<unified::GetFillHistory> {
    script.client().pages(unified::GetFillHistory::new())
}

/// Returns the ids and sides of each page, and how many items were left out.
fn list(mut pages: Pages<unified::GetFillHistory>) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    while let Some(page) = run(pages.next_page()) {
        let page = page.unwrap();
        found.push((texts(&page.list).join(" "), page.repeated));
    }
    found
}

fn texts(fills: &[unified::Fill]) -> Vec<String> {
    let side = |fill: &unified::Fill| fill.side.as_ref().map_or(String::new(), ToString::to_string);
    fills.iter().map(|fill| format!("{}{}", fill.exec_id.as_ref().unwrap(), side(fill))).collect()
}

#[test]
fn both_fills_of_a_self_trade_are_listed() {
    let script = ScriptedTransport::of(|call, _| match call {
        0 => page(r#"[{"execId": "1", "side": "buy"}, {"execId": "1", "side": "sell"}]"#, r#""a""#),
        _ => page(r#"[{"execId": "1", "side": "sell"}, {"execId": "2", "side": "buy"}]"#, "null"),
    });
    assert_eq!(list(fills(&script)), [("1buy 1sell".to_owned(), 0), ("2buy".to_owned(), 1)]);
}

#[test]
fn both_fills_of_a_self_trade_at_a_border_are_listed() {
    let week = 7 * DAY;
    let fill = |side| Item { side: Some(side), ..Item::new("7", NOW - week) };
    let exchange = Exchange::new(
        ListingBehavior { page: 1, ..ListingBehavior::of(CLASSIC_FILLS) },
        vec![fill("buy"), fill("sell")],
    );
    let request = classic::GetHistoricalTransactionDetails::new(classic::ProductType::UsdtFutures)
        .between(at(NOW - 10 * DAY), at(NOW));
    let mut items = exchange.client().pages(request).items();
    let mut sides = Vec::new();
    while let Some(fill) = run(items.next()) {
        sides.push(fill.unwrap().side.unwrap().to_string());
    }
    sides.sort();
    assert_eq!(sides, ["buy", "sell"]);
}

#[test]
fn an_order_that_changed_meanwhile_is_listed_as_it_is_now_too() {
    let script = ScriptedTransport::of(|_, query| {
        let status = query.iter().find(|(name, _)| name == "status").map(|(_, status)| status.clone()).unwrap();
        let data = format!(r#"{{"entrustedList": [{{"orderId": "1", "status": "{status}"}}], "endId": null}}"#);
        format!(r#"{{"code": "00000", "data": {data}}}"#)
    });
    let mut items = script.client().pages(classic::GetPendingOrders::new(classic::ProductType::UsdtFutures)).items();
    let mut states = Vec::new();
    while let Some(order) = run(items.next()) {
        states.push(order.unwrap().status.unwrap().to_string());
    }
    assert_eq!(states, ["live", "partially_filled"]);
}

#[test]
fn a_page_repeated_after_a_restart_lists_nothing_twice() {
    let script = ScriptedTransport::of(|_, query| {
        match query.iter().find(|(name, _)| name == "cursor").map(|(_, to)| to.as_str()) {
            None => page(r#"[{"execId": "1"}, {"execId": "2"}, {"execId": "3", "execPrice": "what"}]"#, r#""a""#),
            Some("a") => page(r#"[{"execId": "3", "execPrice": "what"}, {"execId": "2"}, {"execId": "4"}]"#, r#""b""#),
            Some("b") => page(r#"[]"#, r#""c""#),
            _ => page(r#"[{"execId": "2"}, {"execId": "4"}, {"execId": "5"}]"#, "null"),
        }
    });
    let (mut pages, mut found, mut bad) = (fills(&script), Vec::new(), Vec::<BadItem>::new());
    while let Some(page) = run(pages.next_page()) {
        let page = page.unwrap();
        found.extend(texts(&page.list));
        bad.extend(page.list.bad);
        if pages.position().is_at_end() {
            break;
        }
        let saved: Position = pages.position().to_string().parse().unwrap();
        pages = fills(&script).resume(&saved).unwrap();
    }
    assert_eq!(found, ["1", "2", "4", "5"]);
    assert_eq!(bad.len(), 1, "{bad:?}");
}

#[test]
fn items_without_an_id_are_never_repeats() {
    let script = ScriptedTransport::of(|call, _| match call {
        0 => page(r#"[{"side": "buy"}, {"side": "buy"}, 7, null]"#, r#""a""#),
        _ => page(r#"[{"side": "buy"}, 7, null]"#, "null"),
    });
    let mut items = fills(&script).items();
    let mut count = 0;
    while let Some(fill) = run(items.next()) {
        fill.unwrap();
        count += 1;
    }
    assert_eq!((count, items.bad().len()), (3, 4));
}

#[test]
fn a_page_of_items_that_cannot_be_read_is_a_page() {
    let script = ScriptedTransport::of(|call, _| match call {
        0 => page(r#"[{"execId": "1"}]"#, r#""a""#),
        1 => page(r#"[{"execId": "2", "execPrice": "what"}]"#, r#""2""#),
        _ => page(r#"[{"execId": "3"}]"#, "null"),
    });
    let mut items = fills(&script).items();
    let mut ids = Vec::new();
    while let Some(fill) = run(items.next()) {
        ids.push(fill.unwrap().exec_id.unwrap().to_string());
    }
    assert_eq!((ids, items.bad().len()), (vec!["1".to_owned(), "3".to_owned()], 1));
}

/// Fills of self-trades near the border of two parts, some of them unreadable.
fn things() -> impl Strategy<Value = Vec<Item>> {
    let thing = (0..12_u64, 0..4_usize, prop::bool::weighted(0.2));
    prop::collection::vec(thing, 0..40).prop_map(|things| {
        let made = |(n, (off, kind, is_bad)): (usize, (u64, usize, bool))| Item {
            side: Some(["buy", "sell", "buy", "sell"][kind]),
            is_bad,
            ..Item::new(format!("i{}", n / 2), NOW - 30 * DAY + off - 6)
        };
        let mut things: Vec<Item> = things.into_iter().enumerate().map(made).collect();
        things.dedup_by_key(|thing| (thing.id.clone(), thing.side, thing.is_bad));
        things
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn items_at_a_border_are_listed_once(
        things in things(),
        page in 1..9_usize,
        start_belongs in any::<bool>(),
        end_belongs in any::<bool>(),
        order in 0..3_u8,
        end in prop::sample::select(vec![End::Null, End::ToNothing, End::ToItself]),
        oldest in any::<bool>(),
        restarts in prop::collection::vec(prop::bool::weighted(0.3), 0..40),
    ) {
        let ways = ListingBehavior { page, start_belongs, end_belongs, order, end, span: Some(30 * DAY), ..ListingBehavior::of(UNIFIED_FILLS) };
        let exchange = Exchange::new(ways, things.clone());
        // The border is in the middle of them, in either order.
        let (from, to) = if oldest { (NOW - 60 * DAY, NOW - DAY) } else { (NOW - 59 * DAY, NOW) };
        let range = if oldest { RangeOrder::OldestFirst } else { RangeOrder::NewestFirst };
        let listing = || {
            let request = unified::GetFillHistory::new().between(at(from), at(to));
            exchange.client().pages(request).ranges(range)
        };
        let (mut pages, mut found) = (listing(), Vec::new());
        for n in 0.. {
            if restarts.get(n).copied().unwrap_or(false) {
                let saved: Position = pages.position().to_string().parse().unwrap();
                pages = listing().resume(&saved).unwrap();
            }
            let Some(page) = run(pages.next_page()) else { break };
            let page = page.unwrap();
            found.extend(texts(&page.list));
            let bad = |bad: &BadItem| serde_json::from_str::<serde_json::Value>(&bad.raw).unwrap();
            found.extend(page.list.bad.iter().map(bad).map(|bad| format!("{}{} bad", bad["execId"].as_str().unwrap(), bad["side"].as_str().unwrap())));
        }
        let text = |thing: &Item| {
            format!("{}{}{}", thing.id, thing.side.unwrap(), if thing.is_bad { " bad" } else { "" })
        };
        let mut expected: Vec<_> = things.iter().map(text).collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }
}

/// One millisecond at a border has more pages than a page has items, with a restart.
#[test]
fn many_items_of_one_time_are_listed_once() {
    let things: Vec<_> = (0..300).map(|n| Item::new(format!("o{n}"), NOW - 30 * DAY)).collect();
    let ways = ListingBehavior { page: 1, span: Some(30 * DAY), ..ListingBehavior::of(UNIFIED_FILLS) };
    let exchange = Exchange::new(ways, things);
    let listing = || exchange.client().pages(unified::GetFillHistory::new().between(at(NOW - 40 * DAY), at(NOW)));
    let (mut pages, mut ids) = (listing(), std::collections::BTreeMap::<_, usize>::new());
    for n in 0.. {
        if n % 100 == 50 || n == 300 {
            pages = listing().resume(pages.position()).unwrap();
        }
        let Some(page) = run(pages.next_page()) else { break };
        for id in texts(&page.unwrap().list) {
            *ids.entry(id).or_default() += 1;
        }
    }
    assert_eq!(ids.len(), 300);
    assert!(ids.values().all(|times| *times == 1));
}

/// New items push others to the next page, which repeats them.
#[test]
fn new_items_double_no_others() {
    let mut things: Vec<_> = (0..20).map(|n| Item::new(format!("o{n}"), NOW - 1000 - n)).collect();
    things.extend((0..20).map(|n| Item { shown_from: NOW + n, ..Item::new(format!("n{n}"), NOW + n) }));
    let exchange = Exchange::new(ListingBehavior { page: 3, ..ListingBehavior::of(CLASSIC_ORDERS) }, things);
    let listing = || exchange.client().pages(classic::GetHistoryOrder::new(classic::ProductType::UsdtFutures));
    let (mut pages, mut ids) = (listing(), Vec::new());
    while !pages.position().is_at_end() {
        pages = listing().resume(pages.position()).unwrap();
        let page = run(pages.next_page()).unwrap();
        ids.extend(page.unwrap().list.iter().map(|order| order.order_id.clone().unwrap().to_string()));
        exchange.wait(1);
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "one came twice");
    assert_eq!(ids.iter().filter(|id| id.starts_with('o')).count(), 20);
}
