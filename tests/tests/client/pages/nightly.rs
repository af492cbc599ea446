//! Listings that later runs go on from: nightly runs that are killed, items that arrive all the time and become visible
//! late. No item is lost, and none is listed twice.

use std::time::Duration;

use proptest::prelude::*;
use tradeapi::runtime::pages::{Paged, Pages, Position, PositionError, RangeOrder};
use tradeapi::{Client, RetryPolicy, Timestamp, broker, classic, unified};

use super::exchange::{
    CLASSIC_FILLS, COMMISSIONS, DAY, Exchange, Item, ListingBehavior, NOW, Names, UNIFIED_FILLS, UNIFIED_ORDERS, run,
};

const MINUTE: u64 = 60_000;

/// The age of what is settled, as the documentation of `Pages::settled` says.
const SETTLED: u64 = 10 * MINUTE;

fn at(time: u64) -> Timestamp {
    Timestamp::from_millis(time)
}

fn saved<O: Paged>(pages: &Pages<O>) -> Position {
    pages.position().to_string().parse().unwrap()
}

fn exchange(things: Vec<Item>) -> Exchange {
    let ways = ListingBehavior { span: Some(30 * DAY), access: Some(90 * DAY), ..ListingBehavior::of(UNIFIED_FILLS) };
    Exchange::new(ways, things)
}

/// Returns a fill every hour from ten days before the beginning to ten days after it.
fn hourly() -> Vec<Item> {
    (0..20 * 24).map(|n| NOW - 10 * DAY + n * DAY / 24).map(|at| shown_late(at, 0)).collect()
}

/// Returns an item that becomes visible this much after its time.
fn shown_late(at: u64, late: u64) -> Item {
    Item { shown_from: at + late, ..Item::new(format!("f{at}"), at) }
}

fn fills(client: &Client) -> Pages<unified::GetFillHistory> {
    client.pages(unified::GetFillHistory::new().start_time(at(NOW - 10 * DAY)))
}

/// Returns the ids of what is left of a listing.
fn rest(mut pages: Pages<unified::GetFillHistory>) -> (Vec<String>, Position) {
    let mut found = Vec::new();
    while let Some(page) = run(pages.next_page()) {
        found.extend(page.unwrap().list.iter().map(|fill| fill.exec_id.clone().unwrap().to_string()));
    }
    (found, saved(&pages))
}

/// A schedule of nights: how long after the night before each begins, and after how many pages its runs are killed.
type Nights = Vec<(u64, Vec<usize>)>;

fn nights() -> impl Strategy<Value = Nights> {
    prop::collection::vec((MINUTE..3 * DAY, prop::collection::vec(0_usize..6, 0..4)), 1..9)
}

/// Returns times that collide with each other and lie close together, from a week before the beginning on.
fn arrivals() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let time = prop_oneof![
        3 => 0..40 * DAY,
        2 => (0..40_u64, 0..4_u64).prop_map(|(day, off)| day * DAY + off),
        1 => (0..2000_u64).prop_map(|off| 7 * DAY - off),
    ];
    prop::collection::vec((time, 0..SETTLED), 1..200)
}

fn things(arrivals: &[(u64, u64)]) -> Vec<Item> {
    let item = |(n, (after, late)): (usize, &(u64, u64))| {
        let at = NOW - 7 * DAY + after;
        Item { id: format!("f{n}"), ..shown_late(at, *late) }
    };
    arrivals.iter().enumerate().map(item).collect()
}

/// Returns everything that nightly runs list, with the position saved after each page. Between a killed run and the
/// next one, time passes and items arrive.
fn list_nightly<O: Paged>(
    exchange: &Exchange,
    nights: &Nights,
    listing: impl Fn(&Client) -> Pages<O>,
    id: impl Fn(&O::Item) -> String,
) -> Vec<String> {
    let (mut found, mut position) = (Vec::new(), None::<Position>);
    let mut run_until = |killed_after: usize| {
        let pages = listing(&exchange.client()).settled();
        let mut pages = match &position {
            Some(position) => pages.resume(position).unwrap(),
            None => pages,
        };
        for _ in 0..killed_after {
            let Some(page) = run(pages.next_page()) else { break };
            let page = page.unwrap();
            assert!(page.list.is_complete() && page.clipped.is_none(), "{:?}", page.clipped);
            found.extend(page.list.iter().map(&id));
            position = Some(saved(&pages));
        }
    };
    for (pause, kills) in nights {
        exchange.wait(*pause);
        for (n, kill) in kills.iter().enumerate() {
            run_until(*kill);
            exchange.wait(u64::try_from(n).unwrap() * 7 * MINUTE);
        }
        run_until(usize::MAX);
    }
    // Long after everything has arrived.
    exchange.set_clock(NOW + 40 * DAY);
    run_until(usize::MAX);
    found
}

fn is_everything(mut found: Vec<String>, things: &[Item]) {
    let mut all: Vec<String> = things.iter().map(|thing| thing.id.clone()).collect();
    found.sort();
    all.sort();
    assert_eq!(found, all);
}

fn behavior(names: Names) -> impl Strategy<Value = ListingBehavior> {
    (1_usize..6, any::<(bool, bool)>(), 0_u8..3).prop_map(move |(page, (start_belongs, end_belongs), order)| {
        ListingBehavior { page, start_belongs, end_belongs, order, ..ListingBehavior::of(names) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn fills_of_killed_runs(times in arrivals(), nights in nights(), ways in behavior(UNIFIED_FILLS), oldest in any::<bool>()) {
        let things = things(&times);
        let exchange = Exchange::new(ListingBehavior { span: Some(30 * DAY), ..ways }, things.clone());
        let order = if oldest { RangeOrder::OldestFirst } else { RangeOrder::NewestFirst };
        let request = unified::GetFillHistory::new().start_time(at(NOW - 7 * DAY - 1));
        let found = list_nightly(&exchange, &nights, |client| client.pages(request.clone()).ranges(order), |fill| {
            fill.exec_id.clone().unwrap().to_string()
        });
        is_everything(found, &things);
    }

    #[test]
    fn fills_of_the_classic_account_by_the_week(times in arrivals(), nights in nights(), ways in behavior(CLASSIC_FILLS)) {
        let things = things(&times);
        let exchange = Exchange::new(ListingBehavior { span: Some(7 * DAY), ..ways }, things.clone());
        let request = classic::GetHistoricalTransactionDetails::new(classic::ProductType::UsdtFutures)
            .start_time(at(NOW - 7 * DAY - 1));
        let found = list_nightly(&exchange, &nights, |client| client.pages(request.clone()), |fill| {
            fill.trade_id.clone().unwrap().to_string()
        });
        is_everything(found, &things);
    }

    #[test]
    fn orders(times in arrivals(), nights in nights(), ways in behavior(UNIFIED_ORDERS)) {
        let things = things(&times);
        let exchange = Exchange::new(ListingBehavior { span: Some(30 * DAY), ..ways }, things.clone());
        let request = unified::GetOrderHistory::new(unified::Category::Spot).start_time(at(NOW - 7 * DAY - 1));
        let found = list_nightly(&exchange, &nights, |client| client.pages(request.clone()), |order| {
            order.order_id.clone().unwrap().to_string()
        });
        is_everything(found, &things);
    }

    /// Without ids nothing shows a doubled item, so that the ends have to belong to their range.
    #[test]
    fn commissions_whose_ranges_have_their_ends(times in arrivals(), nights in nights(), ways in behavior(COMMISSIONS)) {
        let things = things(&times);
        let ways = ListingBehavior { span: Some(30 * DAY), start_belongs: true, end_belongs: true, ..ways };
        let exchange = Exchange::new(ways, things.clone());
        let listing = |client: &Client| {
            let request = broker::GetAgentDirectCommissions::new();
            client.pages(request.start_time(at(NOW - 7 * DAY - 1)).end_time(at(NOW + 40 * DAY - SETTLED)))
        };
        let found = list_nightly(&exchange, &nights, listing, |commission| commission.uid.clone().unwrap().to_string());
        is_everything(found, &things);
    }
}

#[test]
fn an_ended_listing_goes_on_from_its_last_time() {
    let exchange = exchange(hourly());
    let (first, position) = rest(fills(&exchange.client()).settled());
    assert_eq!((first.len(), position.until()), (10 * 24, Some(at(NOW - SETTLED))));
    exchange.wait(DAY);
    let (second, position) = rest(fills(&exchange.client()).settled().resume(&position).unwrap());
    assert_eq!((second.len(), position.until()), (24, Some(at(NOW + DAY - SETTLED))));
    assert!(position.is_at_end());
    let (third, same) = rest(fills(&exchange.client()).settled().resume(&position).unwrap());
    assert!(third.is_empty() && same.until() == position.until());
}

/// The rest of the earlier run, and then what has come since.
#[test]
fn a_killed_listing_goes_on_to_what_has_come_since() {
    let exchange = exchange(hourly());
    let mut pages = fills(&exchange.client()).settled();
    run(pages.next_page()).unwrap().unwrap();
    exchange.wait(DAY);
    let (rest, position) = rest(fills(&exchange.client()).settled().resume(&saved(&pages)).unwrap());
    assert_eq!((rest.len(), position.until()), (10 * 24 - 3 + 24, Some(at(NOW + DAY - SETTLED))));
}

#[test]
fn an_ended_listing_that_is_not_settled_is_an_error_and_not_silent() {
    let exchange = exchange(hourly());
    let (_, position) = rest(fills(&exchange.client()));
    exchange.wait(DAY);
    let error = fills(&exchange.client()).resume(&position).unwrap_err();
    assert_eq!(error, PositionError::Ended { until: Some(at(NOW)) });
    assert!(error.to_string().contains("the listing has ended at 2026-09-21T14:13:20.000Z"), "{error}");
    // Without times, nothing says where it would go on.
    let orders = || exchange.client().pages(unified::GetOpenOrders::new());
    let mut pages = orders();
    while run(pages.next_page()).is_some() {}
    assert_eq!(orders().resume(&saved(&pages)).unwrap_err(), PositionError::Ended { until: None });
}

/// A listing with an end has what was asked for: there is nothing to go on to.
#[test]
fn a_listing_with_an_end_goes_on_to_a_later_one_only() {
    let exchange = exchange(hourly());
    let until = |end| {
        let request = unified::GetFillHistory::new().between(at(NOW - 10 * DAY), at(end));
        exchange.client().pages(request)
    };
    let (first, position) = rest(until(NOW - 5 * DAY));
    assert_eq!(first.len(), 5 * 24 + 1, "with both ends");
    assert_eq!(rest(until(NOW - 5 * DAY).resume(&position).unwrap()).0, Vec::<String>::new());
    assert_eq!(rest(until(NOW - 4 * DAY).resume(&position).unwrap()).0.len(), 24);
}

/// A clock that is ahead takes late items for visible ones, until an answer corrects it.
#[test]
fn a_clock_that_is_ahead_loses_nothing() {
    let late = |n: u64| shown_late(NOW - SETTLED + n * MINUTE, 9 * MINUTE);
    let exchange = exchange((0..20).map(late).collect()).strict();
    let policy = RetryPolicy::new().pauses(Duration::ZERO, Duration::ZERO);
    let listing = || fills(&exchange.client_ahead_by(3_600_000)).settled().retrying(policy.clone());
    let (mut found, position) = rest(listing());
    assert!(position.until().is_some_and(|until| until <= at(NOW - SETTLED + 1000)), "{position}");
    exchange.wait(DAY);
    found.extend(rest(listing().resume(&position).unwrap()).0);
    assert_eq!(found.len(), 20);
}

/// There is no page before anything is settled, and the position waits at its beginning.
#[test]
fn a_listing_that_begins_now_waits() {
    let exchange = exchange(vec![shown_late(NOW + MINUTE, 0)]);
    let listing = || exchange.client().pages(unified::GetFillHistory::new().start_time(at(NOW))).settled();
    let mut pages = listing();
    assert!(run(pages.next_page()).is_none() && !pages.position().is_at_end() && exchange.calls() == 0);
    exchange.wait(DAY);
    assert_eq!(rest(listing().resume(&saved(&pages)).unwrap()).0.len(), 1);
}
