//! Pauses between two pages: items that become inaccessible are reported each time, and no others are lost.

use proptest::prelude::*;
use tradeapi::runtime::pages::{Clipped, Page, PageError, Pages, Position, RangeOrder};
use tradeapi::{Error, Timestamp, unified};

use super::exchange::{DAY, Exchange, Fault, Item, ListingBehavior, NOW, UNIFIED_FILLS, run};

const HOUR: u64 = DAY / 24;
const MINUTE: u64 = HOUR / 60;

/// The documented depth of access.
const ACCESS: u64 = 90 * DAY;

type Fills = Pages<unified::GetFillHistory>;

fn at(time: u64) -> Timestamp {
    Timestamp::from_millis(time)
}

/// Returns one fill per hour for 80 days.
fn hourly() -> Vec<Item> {
    (0..80 * 24).map(|n| Item::new(format!("f{n}"), NOW - n * HOUR - 1)).collect()
}

fn exchange(page: usize, things: Vec<Item>) -> Exchange {
    let ways =
        ListingBehavior { page, span: Some(30 * DAY), access: Some(ACCESS), ..ListingBehavior::of(UNIFIED_FILLS) };
    Exchange::new(ways, things)
}

fn pages(exchange: &Exchange, order: RangeOrder) -> Fills {
    let request = unified::GetFillHistory::new().between(at(NOW - 80 * DAY), at(NOW));
    exchange.client().pages(request).ranges(order)
}

fn ids(page: &Page<unified::Fill>) -> Vec<String> {
    page.list.iter().map(|fill| fill.exec_id.clone().unwrap().to_string()).collect()
}

fn saved(pages: &Fills) -> Position {
    pages.position().to_string().parse().unwrap()
}

/// Returns the rest of a listing: its items, and the gaps that it reports.
fn rest(mut pages: Fills) -> (Vec<String>, Vec<Clipped>) {
    let (mut found, mut clipped) = (Vec::new(), Vec::new());
    while let Some(page) = run(pages.next_page()) {
        let page = page.unwrap();
        clipped.extend(page.clipped);
        found.extend(ids(&page));
    }
    assert!(pages.position().is_at_end());
    (found, clipped)
}

#[test]
fn an_inaccessible_part_does_not_affect_others() {
    for days in [36, 46] {
        let exchange = exchange(100, hourly());
        let mut first = pages(&exchange, RangeOrder::OldestFirst).clip();
        let mut found = ids(&run(first.next_page()).unwrap().unwrap());
        assert_eq!(found.len(), 100);
        let position = saved(&first);
        exchange.wait(days * DAY);
        let begins = exchange.now() - ACCESS + MINUTE;
        let (more, clipped) = rest(pages(&exchange, RangeOrder::OldestFirst).clip().resume(&position).unwrap());
        assert_eq!(clipped.len(), 1);
        assert_eq!((clipped[0].requested, clipped[0].begins), (at(NOW - 80 * DAY), at(begins)));
        let mut expected: Vec<_> =
            hourly().into_iter().filter(|thing| thing.at >= begins).map(|thing| thing.id).collect();
        expected.extend(found.iter().cloned());
        expected.sort();
        expected.dedup();
        found.extend(more);
        found.sort();
        assert_eq!(found, expected, "after {days} days");
        assert!(found.len() > 1000);
    }
}

#[test]
fn every_pause_reports_its_loss() {
    for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
        let exchange = exchange(10, hourly());
        let mut pages = pages(&exchange, order).clip();
        while run(pages.next_page()).unwrap().unwrap().range.from != Some(at(NOW - 80 * DAY)) {}
        for days in [15, 5, 5] {
            exchange.wait(days * DAY);
            let page = run(pages.next_page()).unwrap().unwrap();
            let begins = exchange.now() - ACCESS + MINUTE;
            assert_eq!(page.clipped.map(|clipped| clipped.begins), Some(at(begins)), "{order:?}");
            assert_eq!(run(pages.next_page()).unwrap().unwrap().clipped, None, "nothing more is lost");
        }
    }
}

#[test]
fn a_resumed_listing_is_refused_unless_it_may_be_clipped() {
    for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
        let exchange = exchange(100, hourly());
        let mut first = pages(&exchange, order);
        run(first.next_page()).unwrap().unwrap();
        let position = saved(&first);
        exchange.wait(36 * DAY);
        let (calls, mut again) = (exchange.calls(), pages(&exchange, order).resume(&position).unwrap());
        // The gap comes after the newest part.
        let refused = loop {
            match run(again.next_page()).unwrap() {
                Ok(page) => assert_eq!(page.clipped, None),
                Err(error) => break error,
            }
        };
        assert!(matches!(refused, PageError::Call(Error::Refused(_))), "{refused}");
        assert!(order == RangeOrder::NewestFirst || exchange.calls() == calls);
        assert!(!again.position().is_at_end());
        let (_, clipped) = rest(pages(&exchange, order).clip().resume(&saved(&again)).unwrap());
        assert!(!clipped.is_empty(), "{order:?}");
        // The listing that was not restarted behaves alike.
        let refused = std::iter::from_fn(|| run(first.next_page())).find_map(Result::err);
        assert!(matches!(refused, Some(PageError::Call(Error::Refused(_)))), "{order:?}");
    }
}

#[test]
fn losses_are_reported_after_failed_calls() {
    for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
        let exchange = exchange(1000, hourly());
        let request = unified::GetFillHistory::new().between(at(NOW - 100 * DAY), at(NOW));
        let mut pages = exchange.client().pages(request).ranges(order).clip();
        exchange.fail([Fault::Busy, Fault::Busy]);
        assert!(run(pages.next_page()).unwrap().is_err());
        let position = saved(&pages);
        assert!(run(pages.next_page()).unwrap().is_err());
        assert!(run(pages.next_page()).unwrap().unwrap().clipped.is_some(), "{order:?}");
        let request = unified::GetFillHistory::new().between(at(NOW - 100 * DAY), at(NOW));
        let (_, clipped) = rest(exchange.client().pages(request).clip().resume(&position).unwrap());
        assert_eq!(clipped.len(), 1, "{order:?}");
    }
}

#[test]
fn a_clock_that_is_set_back_loses_nothing() {
    for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
        let exchange = exchange(100, hourly());
        let mut pages = pages(&exchange, order);
        let mut found = Vec::new();
        while let Some(page) = run(pages.next_page()) {
            found.extend(ids(&page.unwrap()));
            exchange.set_clock(exchange.now() - 2 * HOUR);
        }
        assert_eq!(found.len(), 80 * 24, "{order:?}");
    }
}

/// The first answer shows that the clock is behind. An open end is not the time of that clock.
#[test]
fn an_open_end_does_not_follow_a_slow_clock() {
    for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
        let exchange = exchange(100, vec![Item::new("old", NOW - 70 * DAY), Item::new("new", NOW - 5_000)]);
        let request = unified::GetFillHistory::new().start_time(at(NOW - 80 * DAY));
        let (mut found, _) = rest(exchange.client_behind_by(25_000).pages(request).ranges(order));
        found.sort();
        assert_eq!(found, ["new", "old"], "{order:?}");
    }
}

/// At the border of two parts, the exchange shows an item only after the first part was listed.
#[test]
fn an_item_that_is_shown_late_is_listed() {
    for end in [NOW, NOW + HOUR] {
        let begin = NOW - 30 * DAY - 1_000;
        let late = Item { shown_from: NOW + 30_000, ..Item::new("late", begin + 30 * DAY) };
        let exchange = exchange(100, vec![Item::new("early", begin + DAY), late]);
        let request = unified::GetFillHistory::new().between(at(begin), at(end));
        let pages = || exchange.client().pages(request.clone()).ranges(RangeOrder::OldestFirst).clip();
        let mut first = pages();
        assert_eq!(ids(&run(first.next_page()).unwrap().unwrap()), ["early"]);
        exchange.wait(60_000);
        let (found, _) = rest(pages().resume(&saved(&first)).unwrap());
        assert_eq!(found, ["late"], "until {end}");
    }
}

/// A part that ends in the future is not complete after its first page.
#[test]
fn items_that_arrive_between_two_parts_are_listed() {
    let begin = NOW - 30 * DAY + 12 * HOUR;
    let later = Item { shown_from: NOW + HOUR, ..Item::new("later", NOW + HOUR) };
    let exchange = exchange(100, vec![later]);
    let request = unified::GetFillHistory::new().between(at(begin), at(NOW + 13 * HOUR));
    let mut pages = exchange.client().pages(request).ranges(RangeOrder::OldestFirst);
    run(pages.next_page()).unwrap().unwrap();
    exchange.wait(2 * HOUR);
    assert_eq!(rest(pages).0, ["later"]);
}

#[test]
fn extreme_times_are_valid_ranges() {
    let exchange = exchange(100, vec![Item::new("one", NOW - DAY)]);
    let max = u64::MAX;
    let list = |from: u64, to: Option<u64>, order: RangeOrder| {
        let request = unified::GetFillHistory::new().start_time(at(from));
        let request = if let Some(to) = to { request.end_time(at(to)) } else { request };
        let mut pages = exchange.client().pages(request).ranges(order).clip();
        let mut found = Vec::new();
        for _ in 0..10 {
            match run(pages.next_page()) {
                Some(Ok(page)) => found.extend(ids(&page)),
                Some(Err(error)) => return Err(error.to_string()),
                None => return Ok(found),
            }
        }
        Err("more than ten pages".to_owned())
    };
    for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
        let one = Ok(vec!["one".to_owned()]);
        assert_eq!(list(0, None, order), one);
        assert_eq!(list(0, Some(max), order), one);
        assert_eq!(list(NOW - 40 * DAY, Some(max), order), one);
        assert_eq!(list(NOW - DAY, Some(NOW - DAY), order), one, "a single millisecond");
        assert_eq!(list(max, Some(max), order), Ok(Vec::new()));
        assert_eq!(list(max - 100 * DAY, Some(max), order), Ok(Vec::new()));
        assert_eq!(list(NOW + 5, None, order), Ok(Vec::new()), "by a clock that is a little ahead");
        for (from, to) in [(NOW, NOW - 1), (max, NOW), (NOW - DAY, 0)] {
            assert!(list(from, Some(to), order).unwrap_err().contains("swap the two"), "{from} {to}");
        }
    }
}

/// An event before a page is requested.
#[derive(Clone, Copy, Debug)]
struct Event {
    pause: u64,
    restarts: bool,
    fault: Fault,
}

fn event() -> impl Strategy<Value = Event> {
    let pause = prop_oneof![6 => Just(0), 2 => 0..DAY, 1 => 0..40 * DAY];
    let fault = prop_oneof![6 => Just(Fault::Nothing), 1 => prop::sample::select(Fault::ALL.to_vec())];
    (pause, prop::bool::weighted(0.3), fault).prop_map(|(pause, restarts, fault)| Event { pause, restarts, fault })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A fill is listed once or reported as inaccessible, whatever happens between two pages.
    #[test]
    fn unlisted_items_are_reported(
        ages in prop::collection::vec(0..100 * DAY, 0..60),
        page in 1..9_usize,
        oldest in any::<bool>(),
        begin in 60 * DAY..100 * DAY,
        events in prop::collection::vec(event(), 0..60),
    ) {
        let things: Vec<_> = ages.iter().enumerate().map(|(n, age)| Item::new(format!("f{n}"), NOW - 1 - age)).collect();
        let exchange = exchange(page, things.clone());
        let order = if oldest { RangeOrder::OldestFirst } else { RangeOrder::NewestFirst };
        let listing = || {
            let request = unified::GetFillHistory::new().between(at(NOW - begin), at(NOW));
            exchange.client().pages(request).ranges(order).clip()
        };
        let (mut pages, mut found, mut clipped) = (listing(), Vec::new(), Vec::<Clipped>::new());
        let mut events = events.into_iter();
        for _ in 0..1000 {
            if let Some(event) = events.next() {
                exchange.wait(event.pause);
                exchange.fail([event.fault]);
                if event.restarts {
                    pages = listing().resume(&saved(&pages)).unwrap();
                }
            }
            match run(pages.next_page()) {
                None => break,
                Some(Err(PageError::Call(error))) => prop_assert!(!matches!(error, Error::Refused(_)), "{error}"),
                Some(Err(error)) => return Err(TestCaseError::fail(error.to_string())),
                Some(Ok(page)) => {
                    clipped.extend(page.clipped);
                    found.extend(ids(&page));
                }
            }
        }
        prop_assert!(pages.position().is_at_end());
        for thing in things.iter().filter(|thing| thing.at >= NOW - begin) {
            let times = found.iter().filter(|id| **id == thing.id).count();
            let is_reported = clipped.iter().any(|part| (part.requested..=part.begins).contains(&at(thing.at)));
            prop_assert!(times == 1 || times == 0 && is_reported, "{thing:?} {times} times, {clipped:?}");
        }
    }
}
