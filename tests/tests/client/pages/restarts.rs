//! Answers that are not pages, and endless listings: the listing stops with an error, and can be resumed from its
//! position.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::pages::{PageError, Pages, Position, RangeOrder};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::transport::{ResponseFuture, Transport};
use tradeapi::{Client, Credentials, Error, Timestamp, unified};
use tradeapi_tests::query;

use super::exchange::{DAY, Exchange, Fault, Item, ListingBehavior, NOW, UNIFIED_FILLS, run};

type Fills = Pages<unified::GetFillHistory>;
type Query = [(String, String)];

type Answering = dyn Fn(usize, &Query) -> String + Send + Sync;
type PageOf = fn(usize) -> String;

/// A transport whose answers follow from the number of the call and its parameters.
#[derive(Clone)]
pub(crate) struct ScriptedTransport {
    answer: Arc<Answering>,
    calls: Arc<AtomicUsize>,
}

impl ScriptedTransport {
    pub(crate) fn of(answer: impl Fn(usize, &Query) -> String + Send + Sync + 'static) -> Self {
        Self { answer: Arc::new(answer), calls: Arc::default() }
    }

    pub(crate) fn client(&self) -> Client {
        Client::builder("https://exchange.example")
            .credentials(Credentials::new("key", "secret", "passphrase"))
            .clock(FixedClock(Timestamp::from_millis(NOW)))
            .limits(LimitMode::Off)
            .transport(self.clone())
            .build()
            .unwrap()
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Transport for ScriptedTransport {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let body = (self.answer)(call, &query::pairs(request.uri().query().unwrap_or_default()));
        Box::pin(async move { Ok(http::Response::new(Bytes::from(body))) })
    }
}

/// Returns a page of a unified listing.
pub(crate) fn page(list: &str, cursor: &str) -> String {
    format!(r#"{{"code": "00000", "requestTime": {NOW}, "data": {{"list": {list}, "cursor": {cursor}}}}}"#)
}

fn at(time: u64) -> Timestamp {
    Timestamp::from_millis(time)
}

fn ten() -> Exchange {
    let things = (0..10).map(|n| Item::new(format!("f{n}"), NOW - 1 - n)).collect();
    Exchange::new(ListingBehavior::of(UNIFIED_FILLS), things)
}

fn saved(pages: &Fills) -> Position {
    pages.position().to_string().parse().unwrap()
}

#[test]
fn a_success_without_a_page_is_not_the_end() {
    for fault in [Fault::NullData, Fault::NoData, Fault::NoList] {
        for before in 0..4 {
            let exchange = ten();
            let listing = || exchange.client().pages(unified::GetFillHistory::new());
            let mut pages = listing();
            let mut count = 0;
            for _ in 0..before {
                count += run(pages.next_page()).unwrap().unwrap().list.len();
            }
            exchange.fail([fault, fault]);
            let position = saved(&pages);
            let error = run(pages.next_page()).unwrap().unwrap_err();
            assert!(matches!(&error, PageError::Call(Error::Unreadable(_))), "{fault:?} {error}");
            let error = run(pages.next_page()).unwrap().unwrap_err();
            assert!(matches!(&error, PageError::Call(Error::Unreadable(_))), "{fault:?} {error}");
            assert_eq!(saved(&pages), position, "{fault:?}");
            let mut again = listing().resume(&position).unwrap();
            while let Some(page) = run(again.next_page()) {
                count += page.unwrap().list.len();
            }
            assert_eq!(count, 10, "{fault:?} after {before} pages");
        }
    }
}

#[test]
fn a_success_without_a_page_is_retried_by_a_policy() {
    let exchange = ten();
    exchange.fail([Fault::NullData, Fault::Nothing, Fault::NoList, Fault::NoData]);
    let policy = RetryPolicy::new().pauses(Duration::ZERO, Duration::ZERO);
    let mut pages = exchange.client().pages(unified::GetFillHistory::new()).retrying(policy);
    let mut count = 0;
    while let Some(page) = run(pages.next_page()) {
        count += page.unwrap().list.len();
    }
    assert_eq!((count, exchange.calls()), (10, 7));
}

#[test]
fn a_list_that_is_null_or_empty_is_a_page() {
    for list in ["null", "[]", "\"\""] {
        let script =
            ScriptedTransport::of(move |call, _| if call == 0 { page(list, r#""a""#) } else { page(list, "null") });
        let mut pages = script.client().pages(unified::GetFillHistory::new());
        while let Some(page) = run(pages.next_page()) {
            assert!(page.unwrap().list.is_empty(), "{list}");
        }
        assert!(pages.position().is_at_end() && script.calls() == 2, "{list}");
    }
}

/// Returns a listing that is resumed after its first part, with scripted answers for the border.
fn at_border(border: impl Fn(usize) -> String + Send + Sync + 'static) -> (ScriptedTransport, Fills) {
    let requests = AtomicUsize::new(0);
    let script = ScriptedTransport::of(move |_, query| {
        let time = |name: &str| {
            let text = query.iter().find(|(other, _)| other == name).map(|(_, value)| value);
            text.and_then(|text| text.parse::<u64>().ok()).unwrap()
        };
        if time("endTime") - time("startTime") > 1000 {
            return page("[]", "null");
        }
        border(requests.fetch_add(1, Ordering::Relaxed))
    });
    let request = unified::GetFillHistory::new().between(at(NOW - 40 * DAY), at(NOW));
    let mut pages = script.client().pages(request.clone());
    run(pages.next_page()).unwrap().unwrap();
    let resumed = script.client().pages(request).resume(&saved(&pages)).unwrap();
    (script, resumed)
}

#[test]
fn a_border_without_end_is_left() {
    let pages: [(&str, PageOf); 4] = [
        ("something new on each page", |n| page(&format!(r#"[{{"execId": "{n}"}}]"#), &format!("\"{n}\""))),
        ("the same on each page", |n| page(r#"[{"execId": "1"}]"#, &format!("\"{n}\""))),
        ("nothing on any page", |n| page("[]", &format!("\"{n}\""))),
        ("a circle", |n| page(r#"[{"execId": "1"}]"#, if n % 2 == 0 { r#""a""# } else { r#""b""# })),
    ];
    for (what, border) in pages {
        let (script, mut resumed) = at_border(border);
        let before = saved(&resumed);
        let error = run(resumed.next_page()).unwrap().expect_err(what);
        assert!(!matches!(error, PageError::Call(_)), "{what}: {error}");
        assert!(run(resumed.next_page()).is_none(), "{what}");
        assert!(!resumed.position().is_at_end(), "{what}");
        assert_eq!(saved(&resumed), before, "{what}");
        assert!(script.calls() < 1100, "{what}: {}", script.calls());
    }
}

#[test]
fn a_border_that_is_requested_in_pieces_is_completed() {
    // Every second answer is not a page.
    let (script, mut resumed) = at_border(|n| match n {
        _ if n % 2 == 0 => r#"{"code": "00000", "data": null}"#.to_owned(),
        19 => page(r#"[{"execId": "19"}]"#, "null"),
        _ => page(&format!(r#"[{{"execId": "{n}"}}]"#), &format!("\"{n}\"")),
    });
    let mut errors = 0;
    while let Some(page) = run(resumed.next_page()) {
        errors += usize::from(page.is_err());
        assert!(errors <= 10, "it does not get anywhere");
    }
    assert!(resumed.position().is_at_end() && script.calls() < 30);
}

/// Returns the error of a listing that is restarted after every page, within a number of pages.
fn restarted(script: &ScriptedTransport, most: usize) -> Option<PageError> {
    let listing = || script.client().pages(unified::GetFillHistory::new());
    let mut position = saved(&listing());
    (0..most).find_map(|_| {
        let mut one = listing().resume(&position).unwrap();
        let page = run(one.next_page()).expect("it is not at its end");
        position = saved(&one);
        page.err()
    })
}

#[test]
fn a_cursor_cycle_is_detected_across_restarts() {
    for length in [1, 2, 7, 100] {
        let script = ScriptedTransport::of(move |n, _| {
            page(&format!(r#"[{{"execId": "{n}"}}]"#), &format!("\"{}\"", n % length))
        });
        let error = restarted(&script, 4 * length + 4);
        assert!(matches!(error, Some(PageError::Stuck { .. })), "a circle of {length}: {error:?}");
    }
}

#[test]
fn pages_without_anything_new_are_counted_across_restarts() {
    let script = ScriptedTransport::of(|call, _| page("[]", &format!("\"{call}\"")));
    let error = restarted(&script, 1100);
    assert!(matches!(error, Some(PageError::Barren { pages: 1000, .. })), "{error:?}");
}

#[test]
fn a_listing_that_was_stuck_can_be_resumed() {
    let script = ScriptedTransport::of(|call, _| match call {
        0 => page(r#"[{"execId": "1"}]"#, r#""a""#),
        1 => page(r#"[{"execId": "2"}]"#, r#""a""#),
        _ => page(r#"[{"execId": "2"}, {"execId": "3"}]"#, "null"),
    });
    let listing = || script.client().pages(unified::GetFillHistory::new());
    let mut pages = listing();
    let error = std::iter::from_fn(|| run(pages.next_page())).find_map(Result::err);
    assert!(matches!(error, Some(PageError::Stuck { .. })));
    let mut again = listing().resume(&saved(&pages)).unwrap();
    let page = run(again.next_page()).unwrap().unwrap();
    assert_eq!((page.list.len(), page.repeated), (1, 1));
    assert!(again.position().is_at_end());
}

#[test]
fn an_empty_page_that_leads_back_is_a_cycle() {
    let script = ScriptedTransport::of(|call, _| match call {
        0 => page(r#"[{"execId": "1"}]"#, r#""a""#),
        1 => page(r#"[{"execId": "2"}]"#, r#""b""#),
        _ => page("[]", r#""a""#),
    });
    let mut pages = script.client().pages(unified::GetFillHistory::new());
    let error = std::iter::from_fn(|| run(pages.next_page())).find_map(Result::err);
    assert!(matches!(error, Some(PageError::Stuck { .. })));
    assert!(!pages.position().is_at_end());
}

#[test]
fn arbitrary_texts_are_refused_or_usable_positions() {
    let request = unified::GetFillHistory::new().between(at(NOW - 40 * DAY), at(NOW));
    let exchange = ten();
    let max = u64::MAX;
    let own: serde_json::Value = serde_json::from_str(&saved_text(&exchange, &request)).unwrap();
    for (field, value) in [
        ("border", serde_json::json!("0")),
        ("border", serde_json::json!(max.to_string())),
        ("turn", serde_json::json!(max)),
        ("rest", serde_json::json!({"from": "0", "to": max.to_string()})),
        ("rest", serde_json::json!({"from": max.to_string(), "to": "0"})),
        ("rest", serde_json::json!({"to": "5"})),
        ("rest", serde_json::json!({})),
        ("now", serde_json::json!({"from": max.to_string(), "to": max.to_string()})),
        ("now", serde_json::json!({"from": "0", "to": "0"})),
        ("recent", serde_json::json!("no hashes at all, é")),
        ("recent", serde_json::json!("f".repeat(100_000))),
        ("steps", serde_json::json!(max)),
        ("barren", serde_json::json!(max)),
        ("missing", serde_json::json!({"from": max.to_string(), "to": "0"})),
        ("clipped", serde_json::json!(true)),
    ] {
        let mut text = own.clone();
        text[field] = value;
        for order in [RangeOrder::NewestFirst, RangeOrder::OldestFirst] {
            // The text may be refused; a position that is read can be used.
            let Ok(position) = text.to_string().parse::<Position>() else { continue };
            let pages = exchange.client().pages(request.clone()).ranges(order).clip();
            let mut pages = pages.resume(&position).unwrap();
            let ends = (0..100).any(|_| run(pages.next_page()).is_none());
            assert!(ends, "{text}");
        }
    }
}

fn saved_text(exchange: &Exchange, request: &unified::GetFillHistory) -> String {
    let mut pages = exchange.client().pages(request.clone());
    run(pages.next_page()).unwrap().unwrap();
    pages.position().to_string()
}
