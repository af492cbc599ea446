//! Blocking functions beyond single calls.

use std::thread;
use std::time::Duration;

use serde_json::json;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::clock::{ManualTimer, Timer};
use tradeapi::runtime::confirm::{ConfirmPolicy, Confirmation, settle};
use tradeapi::runtime::limits::{Classes, InProcessLimits};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{
    BatchOrder, BatchOrderItem, Category, ClientOid, Execution, GetFillHistory, GetOrderDetails, OrderId, OrderRef,
    PlaceOrder, Side,
};
use tradeapi::{Account, Credentials, Decimal, Error, blocking};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

use super::{builder, cancel, client, echo, round_trip, success};

fn market_buy() -> PlaceOrder {
    PlaceOrder::spot_market_buy("BTCUSDT", 10).client_oid(ClientOid::new("desk-1:0001").unwrap())
}

fn code(code: &str) -> Answer {
    Answer::json(json!({"code": code, "msg": "no", "requestTime": 1, "data": null}).to_string())
}

fn soon() -> ConfirmPolicy {
    ConfirmPolicy::new().pauses(Duration::from_millis(1), Duration::from_millis(5)).deadline(Duration::from_secs(600))
}

#[test]
fn a_prepared_request_is_sent_once() {
    let server = echo();
    let client = client(&server);
    let order = market_buy();
    let prepared = client.prepare(&order).unwrap();
    assert_eq!(prepared.client_id().as_deref(), Some("desk-1:0001"));
    assert_eq!(server.requests().len(), 0);
    client.send(prepared).unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn temporary_failures_are_retried() {
    let server = ScriptedServer::start().unwrap();
    for answer in [Answer::close(), Answer::new(503, ""), success(&json!({"orderId": "7"}))] {
        server.answer_next(answer);
    }
    let policy = RetryPolicy::new().attempts(5).pauses(Duration::from_millis(1), Duration::from_millis(2));
    let read = GetOrderDetails::new(OrderRef::OrderId(OrderId::from("7")));
    let found = client(&server).retrying(&policy).call(&read).unwrap();
    assert_eq!(found.order_id.as_ref().unwrap().as_str(), "7");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn unknown_outcomes_are_queried() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let order = market_buy();
    let created = client.core().now().as_millis().to_string();
    let found = success(&json!({"orderId": "7", "clientOid": "desk-1:0001", "createdTime": created}));
    for answer in [code("45001"), Answer::close(), found.clone()] {
        server.answer_next(answer);
    }
    let confirmation = client.place_and_confirm(&order, &soon());
    let Confirmation::Done(happened) = confirmation else { panic!("{confirmation}") };
    assert_eq!((happened.queries, server.take_requests().len()), (2, 3));

    server.answer_next(found.clone());
    assert_eq!(
        client.core().wait(settle(client.core().to_async(), &order, client.core().now(), &soon())).outcome(),
        Outcome::Done
    );
    server.answer_next(found);
    assert_eq!(client.locate(&order).unwrap().order_id.as_ref().unwrap().as_str(), "7");
    server.answer_next(Answer::close());
    assert!(matches!(client.call(&order), Err(Error::Unknown(_))));
}

#[test]
fn pages_and_items_are_iterators() {
    let server = ScriptedServer::start().unwrap();
    let fills = |ids: [&str; 2]| ids.map(|id| json!({"execId": id}));
    let answer = |cursor| {
        server.answer_next(success(&json!({"list": fills(["1", "2"]), "cursor": "a"})));
        server.answer_next(success(&json!({"list": fills(["3", "4"]), "cursor": cursor})));
    };
    let client = client(&server);
    let request = || GetFillHistory::new().category(Category::Spot);
    answer(None::<&str>);
    let pages: Vec<_> = client.pages(request()).map(|page| page.unwrap().list.len()).collect();
    assert_eq!((pages, server.take_requests().len()), (vec![2, 2], 2));

    answer(None);
    let mut items = client.pages(request()).items();
    let ids: Vec<_> = items.by_ref().map(|fill| fill.unwrap().exec_id.unwrap().to_string()).collect();
    assert_eq!(ids, ["1", "2", "3", "4"]);
    assert!(items.position().is_at_end() && items.bad().is_empty());

    answer(None);
    let mut pages = client.pages(request());
    pages.next().unwrap().unwrap();
    let mut rest = client.pages(request()).resume(pages.position()).unwrap();
    assert_eq!(rest.next().unwrap().unwrap().list.len(), 2);
    assert!(rest.next().is_none());
}

#[test]
fn a_batch_is_sent_in_parts() {
    let server = ScriptedServer::start().unwrap();
    let item = |number: usize| {
        let qty = Decimal::from(1_u64);
        BatchOrderItem::new(Category::Spot, "BTCUSDT", qty, Side::Buy, Execution::Market)
            .client_oid(ClientOid::new(format!("o-{number}")).unwrap())
    };
    server.answer_otherwise(|request| {
        let orders: Vec<serde_json::Value> = serde_json::from_slice(&request.body).unwrap();
        let done = orders.iter().map(|order| json!({"orderId": "1", "clientOid": order["clientOid"], "code": "00000"}));
        success(&done.collect())
    });
    let report = client(&server).batch(BatchOrder::new((0..60).map(item).collect())).send().unwrap();
    assert!(report.all_done());
    assert_eq!((report.items.len(), server.requests().len()), (60, report.calls));
}

#[test]
fn a_client_for_some_calls_is_the_same_client() {
    let server = echo();
    let client = client(&server);
    let nothing = PlaceOrder::new(Category::Spot, "", Decimal::from(1_u64), Side::Buy, Execution::Market);
    assert!(matches!(client.call(&nothing), Err(Error::Refused(_))));
    client.with_check_policy(false).call(&nothing).unwrap();
    let named = client.with_account(Account::named("desk-1"));
    assert_eq!(named.core().account().name(), "desk-1");
    round_trip(&named, "1");
    let classes = Classes::new().always("reality");
    let core = client.core().in_classes(classes);
    core.call(&cancel("2")).unwrap();
    let calls: Vec<_> = (0..25).map(|_| core.limited(&nothing)).collect();
    assert!(core.plan(&calls).lasts > client.core().plan(&[]).lasts);
    assert_eq!(core.api().name, "tradeapi");
    drop(core.admit(&nothing).unwrap());
    let wait = async { core.to_async().call(&cancel("3")).await };
    assert_eq!(core.wait(wait).unwrap().order_id.as_ref().unwrap().as_str(), "3");
}

/// Threads wait for the limiter like tasks, with any timer.
#[test]
fn a_thread_waits_for_the_limiter() {
    let server = echo();
    let timer = ManualTimer::new();
    let limits = InProcessLimits::with_timer(Default::default(), timer.clone());
    let client = builder(&server).limits(LimitMode::Wait).limiter(std::sync::Arc::new(limits)).build().unwrap();
    let per_second = 10;
    let wait_for = |call: usize| client.call(&cancel(&call.to_string())).unwrap().waited;
    thread::scope(|scope| {
        let calls: Vec<_> = (0..per_second).map(|call| scope.spawn(move || wait_for(call))).collect();
        assert!(calls.into_iter().all(|call| call.join().unwrap().is_zero()));
        // Time stands still until the next call waits.
        let call = scope.spawn(move || wait_for(per_second));
        let at = loop {
            match timer.next_wake() {
                Some(at) => break at,
                None => thread::yield_now(),
            }
        };
        assert_eq!(server.requests().len(), per_second);
        timer.advance(at.saturating_sub(timer.now()));
        while !call.is_finished() {
            timer.next_wake().into_iter().for_each(|at| timer.advance(at.saturating_sub(timer.now())));
            thread::yield_now();
        }
        assert!(!call.join().unwrap().is_zero());
    });
    assert_eq!(server.requests().len(), per_second + 1);
}

/// The case `error-without-end`: without a server, a listing ends after its first error.
#[test]
fn iterators_end_after_an_error() {
    let nowhere = || {
        let credentials = Credentials::new("key", "secret", "passphrase");
        let client = blocking::Client::builder("http://127.0.0.1:1").credentials(credentials).build().unwrap();
        client.pages(GetFillHistory::new())
    };
    assert_eq!(nowhere().items().flatten().count(), 0);
    assert_eq!(nowhere().flatten().count(), 0);
    let mut pages = nowhere();
    assert!(pages.next().is_some_and(|page| page.is_err()));
    assert!(pages.next().is_none() && pages.next().is_none());
    assert!(!pages.position().is_at_end());
    assert!(nowhere().resume(pages.position()).unwrap().next().is_some_and(|page| page.is_err()));
}
