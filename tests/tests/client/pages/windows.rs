//! Time ranges: how they are divided, and how inaccessible parts are reported.

use tradeapi::runtime::pages::{Clipped, PageError, Paged, Pages, RangeOrder};
use tradeapi::runtime::tables::Length;
use tradeapi::{CheckPolicy, Error, Timestamp, broker, classic, unified};

use super::exchange::{
    CLASSIC_FILLS, CLASSIC_ORDERS, COMMISSIONS, DAY, Exchange, Item, ListingBehavior, NOW, UNIFIED_FILLS, run,
};

fn at(time: u64) -> Timestamp {
    Timestamp::from_millis(time)
}

fn ranges(exchange: &Exchange) -> Vec<(Option<u64>, Option<u64>)> {
    exchange.requested().into_iter().map(|(from, to, _)| (from, to)).collect()
}

async fn all<O: Paged>(mut pages: Pages<O>) -> Result<Vec<O::Item>, PageError> {
    let mut items = Vec::new();
    while let Some(page) = pages.next_page().await {
        items.extend(page?.list.items);
    }
    Ok(items)
}

#[test]
fn a_range_is_cut_by_the_documented_span() {
    let exchange = Exchange::new(ListingBehavior::of(CLASSIC_FILLS), Vec::new());
    let client = exchange.client();
    let product = classic::ProductType::UsdtFutures;
    let request = classic::GetHistoricalTransactionDetails::new(product).between(at(NOW - 16 * DAY), at(NOW));
    run(all(client.pages(request.clone()))).unwrap();
    run(all(client.pages(request).ranges(RangeOrder::OldestFirst))).unwrap();
    let week = 7 * DAY;
    let expected = [
        (NOW - week, NOW),
        (NOW - 2 * week + 1, NOW - week + 1),
        (NOW - 16 * DAY, NOW - 2 * week + 2),
        (NOW - 16 * DAY, NOW - 16 * DAY + week),
        (NOW - 16 * DAY + week - 1, NOW - 16 * DAY + 2 * week - 1),
        (NOW - 16 * DAY + 2 * week - 2, NOW),
    ];
    assert_eq!(ranges(&exchange), expected.map(|(from, to)| (Some(from), Some(to))));
}

#[test]
fn three_months_are_months_of_the_calendar() {
    // 2026-05-31 12:00, and back to 2025-10-31 12:00.
    let (from, to) = (1_761_912_000_000, 1_780_228_800_000);
    let exchange = Exchange::new(ListingBehavior::of(CLASSIC_FILLS), Vec::new());
    let request = classic::GetOrderFillDetails::new(classic::ProductType::UsdtFutures).between(at(from), at(to));
    run(all(exchange.client().pages(request))).unwrap();
    // 2026-03-03, because three months after 2026-02-28 are over on 2026-05-28; then 2025-12-03.
    let (march, december) = (1_772_539_200_000, 1_764_763_200_001);
    let expected = [(march, to), (december, march + 1), (from, december + 1)];
    assert_eq!(ranges(&exchange), expected.map(|(from, to)| (Some(from), Some(to))));
}

#[test]
fn a_range_without_an_end_goes_until_now_and_none_at_all_is_left_to_the_exchange() {
    let exchange = Exchange::new(ListingBehavior::of(UNIFIED_FILLS), Vec::new());
    let client = exchange.client();
    run(all(client.pages(unified::GetFillHistory::new().start_time(at(NOW - DAY))))).unwrap();
    run(all(client.pages(unified::GetFillHistory::new()))).unwrap();
    run(all(client.pages(unified::GetOpenOrders::new().start_time(at(7))))).unwrap();
    assert_eq!(ranges(&exchange), [(Some(NOW - DAY), Some(NOW)), (None, None), (Some(7), None)]);
}

#[test]
fn without_ids_parts_follow_each_other() {
    let exchange = Exchange::new(ListingBehavior::of(COMMISSIONS), Vec::new());
    let request = broker::GetAgentDirectCommissions::new().between(at(NOW - 31 * DAY), at(NOW));
    run(all(exchange.client().pages(request))).unwrap();
    let border = NOW - 30 * DAY;
    let expected = [(border, NOW), (NOW - 31 * DAY, border - 1)];
    assert_eq!(ranges(&exchange), expected.map(|(from, to)| (Some(from), Some(to))));
}

#[test]
fn a_range_that_is_too_old_is_refused_before_anything_is_sent() {
    let exchange = Exchange::new(ListingBehavior::of(UNIFIED_FILLS), Vec::new());
    let client = exchange.client();
    let request = unified::GetFillHistory::new().between(at(NOW - 91 * DAY), at(NOW));
    let mut pages = client.pages(request);
    let Some(Err(PageError::Call(Error::Refused(refusal)))) = run(pages.next_page()) else { panic!("it is refused") };
    insta::assert_snapshot!(refusal.violations);
    assert!(run(pages.next_page()).is_none(), "there is nothing behind a refusal");
    assert_eq!(exchange.calls(), 0);
}

#[test]
fn deleted_data_is_reported() {
    let exchange = Exchange::new(ListingBehavior::of(CLASSIC_ORDERS), Vec::new());
    let client = exchange.client();
    let request = classic::GetHistoryOrder::new(classic::ProductType::UsdtFutures).between(at(1), at(NOW));
    let mut pages = client.pages(request.clone());
    assert!(matches!(run(pages.next_page()), Some(Err(PageError::Call(Error::Refused(_))))));
    let page = run(client.pages(request).clip().next_page()).unwrap().unwrap();
    assert_eq!(page.clipped.map(|clipped| clipped.requested), Some(at(1)));
}

#[test]
fn a_clipped_listing_reports_the_gap_first() {
    let things = [("new", 1), ("old", 89), ("gone", 95)].map(|(id, days)| Item::new(id, NOW - days * DAY)).into();
    let exchange =
        Exchange::new(ListingBehavior { span: Some(30 * DAY), ..ListingBehavior::of(UNIFIED_FILLS) }, things);
    let request = unified::GetFillHistory::new().between(at(NOW - 100 * DAY), at(NOW));
    let mut pages = exchange.client().pages(request).clip();
    let first = run(pages.next_page()).unwrap().unwrap();
    let clipped: Clipped = first.clipped.expect("it says so");
    let begins = NOW - 90 * DAY + 60_000;
    assert_eq!(
        (clipped.requested, clipped.begins, clipped.access),
        (at(NOW - 100 * DAY), at(begins), Length::Days(90))
    );
    insta::assert_snapshot!(clipped);
    let mut ids: Vec<_> = first.list.iter().map(|fill| fill.exec_id.clone().unwrap().to_string()).collect();
    while let Some(page) = run(pages.next_page()) {
        let page = page.unwrap();
        assert_eq!(page.clipped, None, "it is reported once");
        ids.extend(page.list.iter().map(|fill| fill.exec_id.clone().unwrap().to_string()));
    }
    assert_eq!(ids, ["new", "old"]);
    assert_eq!(exchange.requested().last().unwrap().0, Some(begins));
}

/// A machine of the exchange whose clock is ahead would refuse what another one still shows.
#[test]
fn a_clipped_listing_keeps_a_distance_from_the_limit_of_access() {
    let exchange = Exchange::new(ListingBehavior::of(UNIFIED_FILLS), Vec::new());
    let oldest = NOW - 90 * DAY;
    for (from, sent) in [(oldest + 20_000, oldest + 60_000), (oldest + 60_000, oldest + 60_000)] {
        let request = unified::GetFillHistory::new().between(at(from), at(oldest + DAY));
        let page = run(exchange.client().pages(request).clip().next_page()).unwrap().unwrap();
        assert_eq!(exchange.requested().last().unwrap().0, Some(sent));
        assert_eq!(page.clipped.map(|clipped| clipped.requested), (from != sent).then_some(at(from)));
    }
}

/// Returns an exchange one of whose machines is ahead by twenty seconds, with a fill for each of 100 days.
fn with_a_machine_ahead() -> Exchange {
    let fills = (0..100).map(|days| Item::new(format!("f{days}"), NOW - days * DAY)).collect();
    let access = Some(90 * DAY - 20_000);
    Exchange::new(ListingBehavior { access, span: Some(30 * DAY), ..ListingBehavior::of(UNIFIED_FILLS) }, fills)
}

/// Calls wait for minutes where an address is refused, and for as long as others take at each call of a busy account.
#[test]
fn no_wait_makes_a_clipped_listing_query_what_is_no_longer_accessible() {
    for waits in [vec![], vec![300_000], vec![0, 0, 300_000, 0, 300_000], vec![25_000; 100], vec![59_000; 100]] {
        for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
            let exchange = with_a_machine_ahead();
            let client = exchange.client_waiting(waits.clone());
            let request = unified::GetFillHistory::new().between(at(NOW - 90 * DAY), at(NOW));
            let fills = run(all(client.pages(request).clip().ranges(order))).expect("nothing is refused");
            let accessible = (0..90).filter(|days| NOW - days * DAY > exchange.now() - 90 * DAY + 60_000);
            assert!(fills.len() >= accessible.count(), "{waits:?}, {order:?}: {}", fills.len());
        }
    }
}

#[test]
fn a_wait_that_makes_a_range_too_old_is_refused_before_anything_is_sent() {
    let exchange = with_a_machine_ahead();
    let request = unified::GetFillHistory::new().between(at(NOW - 90 * DAY + 120_000), at(NOW - 70 * DAY));
    let mut pages = exchange.client_waiting([300_000]).pages(request);
    assert!(matches!(run(pages.next_page()), Some(Err(PageError::Call(Error::Refused(_))))));
    assert_eq!(exchange.calls(), 0);
}

#[test]
fn an_inaccessible_range_sends_no_request() {
    let exchange = Exchange::new(ListingBehavior::of(UNIFIED_FILLS), Vec::new());
    let request = unified::GetFillHistory::new().between(at(NOW - 100 * DAY), at(NOW - 95 * DAY));
    let mut pages = exchange.client().pages(request).clip();
    let page = run(pages.next_page()).unwrap().unwrap();
    assert!(page.list.is_empty() && page.clipped.is_some());
    assert!(run(pages.next_page()).is_none());
    assert_eq!(exchange.calls(), 0);
}

#[test]
fn a_lifted_limit_clips_nothing() {
    let exchange = Exchange::new(ListingBehavior::of(UNIFIED_FILLS), Vec::new());
    let client = exchange.client().with_check_policy(CheckPolicy::new().off("window.access"));
    let request = unified::GetFillHistory::new().between(at(NOW - 100 * DAY), at(NOW - 95 * DAY));
    assert!(run(all(client.pages(request).clip())).unwrap().is_empty());
    assert_eq!(ranges(&exchange), [(Some(NOW - 100 * DAY), Some(NOW - 95 * DAY))]);
}
