//! Batches of any length: they are sent in parts, and every item has its outcome, in each form of report.

use std::collections::HashSet;

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};
use tradeapi::runtime::batches::{Batch, BatchReport, ItemOutcome, Matched};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::tables::Outcome;
use tradeapi::runtime::transport::{ResponseFuture, Transport};
use tradeapi::{Client, Credentials, Decimal, Error, classic, unified};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn client(server: &ScriptedServer) -> Client {
    let credentials = Credentials::new("key", "secret", "passphrase");
    Client::builder(server.url()).credentials(credentials).limits(LimitMode::Off).build().unwrap()
}

fn order(id: Option<&str>) -> unified::BatchOrderItem {
    let item = unified::BatchOrderItem::new(
        unified::Category::Spot,
        "BTCUSDT",
        Decimal::from(1_u64),
        unified::Side::Buy,
        unified::Execution::Market,
    );
    match id {
        Some(id) => item.client_oid(unified::ClientOid::new(id).unwrap()),
        None => item,
    }
}

fn orders(ids: &[&str]) -> unified::BatchOrder {
    unified::BatchOrder::new(ids.iter().map(|id| order((!id.is_empty()).then_some(*id))).collect())
}

fn classic_orders(ids: &[&str]) -> classic::BatchOrder {
    let item = |id: &&str| {
        let item = classic::BatchOrderItem::new().side(classic::Side::Buy);
        if id.is_empty() { item } else { item.client_oid(*id) }
    };
    classic::BatchOrder::new(
        "BTCUSDT",
        classic::ProductType::UsdtFutures,
        "USDT",
        classic::MarginMode::Crossed,
        ids.iter().map(item).collect(),
    )
}

fn success(data: &Value) -> Answer {
    Answer::json(json!({"code": "00000", "msg": "success", "requestTime": 1, "data": data}).to_string())
}

/// Returns the outcome of an item, and how it was found, in a word each.
fn word<T>(outcome: &ItemOutcome<T>) -> String {
    match outcome {
        ItemOutcome::Done(_) => "done".to_owned(),
        ItemOutcome::Failed(error) if error.code.as_str().is_empty() => format!("{:?}", error.message),
        ItemOutcome::Failed(error) => format!("code {}, {:?}", error.code, error.message),
        ItemOutcome::CallFailed(_) => "call failed".to_owned(),
        ItemOutcome::Unaccounted => "unaccounted".to_owned(),
        ItemOutcome::NotSent => "not sent".to_owned(),
        _ => panic!("something new"),
    }
}

fn words<I, T>(report: &BatchReport<I, T>) -> Vec<String> {
    let how = |matched| match matched {
        Some(Matched::ById) => " by id",
        Some(Matched::ByPlace) => " by place",
        None => "",
    };
    report.items.iter().map(|item| word(&item.outcome) + how(item.matched)).collect()
}

/// Returns the outcomes of one call with these items and this answer.
async fn report_of<O: Batch>(request: O, data: Value) -> BatchReport<O::Item, O::Done> {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(success(&data));
    client(&server).batch(request).send().await.unwrap()
}

#[tokio::test(flavor = "current_thread")]
async fn results_are_matched_by_id_in_any_order() {
    let data = json!([
        {"orderId": "3", "clientOid": "c"},
        {"orderId": null, "clientOid": "a", "code": "40762", "msg": "too large"},
        {"orderId": "2", "clientOid": "b", "code": "00000", "msg": ""},
    ]);
    let report = report_of(orders(&["a", "b", "c"]), data).await;
    assert_eq!(words(&report), ["code 40762, \"too large\" by id", "done by id", "done by id"]);
    let ItemOutcome::Done(done) = &report.items[2].outcome else { panic!("it is done") };
    assert_eq!(done.order_id.as_ref().unwrap().as_str(), "3");
    assert!(!report.all_done() && report.unmatched.is_empty() && report.unknown().next().is_none());
}

/// A rejected modification cancels its order if the item requests it.
#[tokio::test(flavor = "current_thread")]
async fn a_compound_item_certainly_fails_only_before_its_first_part() {
    let item = |id: &str, auto_cancel| {
        let order = unified::OrderRef::ClientOid(unified::ClientOid::new(id).unwrap());
        unified::BatchModifyItem::new(order).qty(2).auto_cancel(auto_cancel)
    };
    let ids = [("a", "43012"), ("b", "43012"), ("c", "40017"), ("d", "98765"), ("e", "98765")];
    let (yes, no) = (unified::YesNo::Yes, unified::YesNo::No);
    let items = ids.iter().zip([&yes, &no, &yes, &yes, &no]).map(|((id, _), auto)| item(id, auto.clone())).collect();
    let result = |(id, code): &(&str, &str)| json!({"clientOid": id, "code": code, "msg": "it failed"});
    let mut data: Vec<_> = ids.iter().map(result).collect();
    // These belong to no known item.
    data.extend([result(&("x", "43012")), result(&("y", "40017"))]);
    let report = report_of(unified::BatchModifyOrders::new(items), json!(data)).await;
    let unknown: Vec<_> = report.items.iter().map(|item| item.outcome.is_unknown()).collect();
    assert_eq!(unknown, [true, false, false, true, true]);
    let unmatched = report.unmatched.iter().map(|result| result.result.as_ref().map(drop).unwrap_err().outcome);
    assert_eq!(unmatched.collect::<Vec<_>>(), [Outcome::Unknown, Outcome::NotDone]);

    // A refused order has no other effect.
    let data = json!([{"clientOid": "a", "orderId": "1"}, {"clientOid": "x", "code": "43012", "msg": "it failed"}]);
    let report = report_of(orders(&["a", "b"]), data).await;
    assert_eq!(report.unmatched[0].result.as_ref().map(drop).unwrap_err().outcome, Outcome::NotDone);
}

#[tokio::test(flavor = "current_thread")]
async fn two_lists_are_read_as_one() {
    let data = json!({
        "successList": [{"orderId": "1", "clientOid": "b"}],
        "failureList": [{"orderId": "", "clientOid": "a", "errorCode": "43001", "errorMsg": "no"}],
        "result": false,
    });
    let report = report_of(classic_orders(&["a", "b", "c"]), data).await;
    assert_eq!(words(&report), ["code 43001, \"no\" by id", "done by id", "unaccounted"]);
    // A new order may exist although another one does not.
    let unknown: Vec<_> = report.items.iter().map(|item| item.outcome.is_unknown()).collect();
    assert_eq!(unknown, [true, false, true]);
}

/// As in a refusal of a whole request, a code proves only what documents or several sources say of it.
#[tokio::test(flavor = "current_thread")]
async fn a_code_that_proves_nothing_leaves_an_item_unknown() {
    let codes = ["40762", "40010", "98765", ""];
    let ids = ["a", "b", "c", "d"];
    let unified = ids.iter().zip(codes).map(|(id, code)| json!({"clientOid": id, "code": code, "msg": "no"}));
    let report = report_of(orders(&ids), unified.collect()).await;
    let unknown: Vec<_> = report.items.iter().map(|item| item.outcome.is_unknown()).collect();
    assert_eq!(unknown, [false, true, true, true]);

    // In a list of failures, an item without a code failed.
    let failures: Vec<_> =
        ids.iter().zip(codes).map(|(id, code)| json!({"clientOid": id, "errorCode": code, "errorMsg": "no"})).collect();
    let data = json!({"successList": [], "failureList": failures, "result": false});
    let report = report_of(classic_orders(&ids), data).await;
    let unknown: Vec<_> = report.items.iter().map(|item| item.outcome.is_unknown()).collect();
    assert_eq!(unknown, [false, true, true, false]);
}

#[tokio::test(flavor = "current_thread")]
async fn without_ids_results_are_matched_by_place_unless_contradicted() {
    let cases = [
        (
            orders(&["", ""]),
            json!([{"orderId": "1"}, {"code": "1", "msg": "m"}]),
            vec!["done by place", "code 1, \"m\" by place"],
        ),
        // One result has an id, and its place agrees.
        (
            orders(&["", "b"]),
            json!([{"code": "1"}, {"orderId": "1", "clientOid": "b"}]),
            vec!["code 1, \"\" by place", "done by id"],
        ),
        // One is at another place, so the others are unknown.
        (
            orders(&["", "b", ""]),
            json!([{"orderId": "1", "clientOid": "b"}, {"code": "1"}, {"orderId": "2"}]),
            vec!["unaccounted", "done by id", "unaccounted"],
        ),
        // All have the same result, so their places do not matter.
        (
            orders(&["", "b", ""]),
            json!([{"orderId": "1", "clientOid": "b"}, {"orderId": "3"}, {"orderId": "2"}]),
            vec!["done by place", "done by id", "done by place"],
        ),
        // One is missing.
        (orders(&["", ""]), json!([{"orderId": "1"}]), vec!["unaccounted", "unaccounted"]),
        // One is unreadable, but keeps its place.
        (orders(&["", ""]), json!(["?", {"orderId": "1"}]), vec!["unaccounted", "done by place"]),
        // An id that no item has.
        (
            orders(&["a", "b"]),
            json!([{"clientOid": "a"}, {"clientOid": "x", "orderId": "9"}]),
            vec!["done by id", "unaccounted"],
        ),
        // An item with nothing but an id is a success only at its place; with both ids, it is one anywhere.
        (orders(&["a", "b"]), json!([{"clientOid": "b"}]), vec!["unaccounted", "unaccounted by id"]),
        (
            orders(&["a", "b"]),
            json!([{"clientOid": "b"}, {"clientOid": "a", "orderId": "1"}]),
            vec!["done by id", "unaccounted by id"],
        ),
        (orders(&["a", "b"]), json!([{"clientOid": "a"}, {"clientOid": "b"}]), vec!["done by id", "done by id"]),
    ];
    for (request, data, expected) in cases {
        assert_eq!(words(&report_of(request, data.clone()).await), expected, "{data}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn without_ids_two_lists_prove_only_common_results() {
    let done = json!([{"orderId": "1"}, {"orderId": "2"}]);
    let failed = json!([{"errorCode": "1", "errorMsg": "m"}]);
    let cases = [
        (json!({"successList": done, "failureList": [], "result": true}), ["done by place", "done by place"]),
        (json!({"successList": done, "failureList": null}), ["done by place", "done by place"]),
        (json!({"successList": done, "failureList": [], "result": false}), ["unaccounted", "unaccounted"]),
        (
            json!({"successList": [{"orderId": "1"}], "failureList": failed, "result": false}),
            ["unaccounted", "unaccounted"],
        ),
        (json!({"successList": [{"orderId": "1"}], "failureList": [], "result": true}), ["unaccounted", "unaccounted"]),
        (json!({"successList": null, "failureList": null, "result": false}), ["unaccounted", "unaccounted"]),
        (json!(null), ["call failed", "call failed"]),
        (json!({"successList": done}), ["call failed", "call failed"]),
    ];
    for (data, expected) in cases {
        assert_eq!(words(&report_of(classic_orders(&["", ""]), data.clone()).await), expected, "{data}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn contradictory_results_prove_nothing() {
    let data = json!({
        "successList": [{"orderId": "1", "clientOid": "a"}, {"orderId": "2", "clientOid": "b"}, {"orderId": "2", "clientOid": "b"}],
        "failureList": [{"clientOid": "a", "errorCode": "1"}],
    });
    let report = report_of(classic_orders(&["a", "b"]), data).await;
    assert_eq!(words(&report), ["unaccounted", "done by id"]);
}

/// Returns whether a direct call claims that all succeeded, the ids of its failures, and the number of unmentioned
/// items.
async fn direct(request: unified::BatchOrder, data: &Value) -> (bool, Vec<String>, usize) {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(success(data));
    let reply = client(&server).unified().batch_order(&request).await.unwrap();
    let failures = reply.failures().iter().map(|failure| failure.ids.concat());
    (reply.all_done(), failures.collect(), reply.unmentioned())
}

#[tokio::test(flavor = "current_thread")]
async fn results_of_other_orders_do_not_count_for_those_of_a_direct_call() {
    let [a, b] = [json!({"orderId": "1", "clientOid": "a"}), json!({"orderId": "2", "clientOid": "b"})];
    let failed = json!({"clientOid": "b", "code": "40762", "msg": "m"});
    let stranger = json!({"orderId": "3", "clientOid": "z"});
    let cases = [
        (json!([b, a]), true, 0),
        (json!([a, stranger, b]), true, 0),
        (json!([a, stranger]), false, 1),
        (json!([a, a]), false, 1),
        (json!([a, {"orderId": "2", "clientOid": "a"}]), false, 2),
        (json!([a, b, failed]), false, 1),
        (json!([a, failed]), false, 0),
        (json!([{"orderId": "1"}, {"orderId": "2"}]), true, 0),
        (json!([stranger, {"orderId": "2"}]), false, 1),
    ];
    for (data, all_done, unmentioned) in cases {
        let (claimed, failures, open) = direct(orders(&["a", "b"]), &data).await;
        assert_eq!((claimed, open), (all_done, unmentioned), "{data}");
        assert_eq!(failures == ["b"], data == json!([a, failed]), "{data}");
        // A batch of any length claims the same.
        assert_eq!(report_of(orders(&["a", "b"]), data.clone()).await.all_done(), all_done, "{data}");
    }
    // A direct call may have the same order twice.
    let twice = json!([a, a]);
    assert_eq!(direct(orders(&["a", "a"]), &twice).await, (true, Vec::new(), 0));
}

#[tokio::test(flavor = "current_thread")]
async fn the_id_with_precedence_decides() {
    let item = |order: Option<&str>, client: Option<&str>| {
        let mut item = classic::BatchCancelItem::new();
        item.order_id = order.map(Into::into);
        item.client_oid = client.map(Into::into);
        item
    };
    let items = vec![item(Some("1"), Some("a")), item(None, Some("b")), item(Some("3"), Some("c"))];
    let request = classic::BatchCancel::new(classic::ProductType::UsdtFutures).symbol("BTCUSDT").order_id_list(items);
    let data = json!({
        "successList": [{"orderId": "9", "clientOid": "a"}, {"orderId": "2", "clientOid": "b"}, {"orderId": "3", "clientOid": "x"}],
        "failureList": [],
    });
    let report = report_of(request, data).await;
    assert_eq!(words(&report), ["unaccounted", "done by id", "done by id"]);
    assert_eq!(report.unmatched.len(), 1);
    assert_eq!(report.unmatched[0].ids, [Some("9".to_owned()), Some("a".to_owned())]);
}

#[tokio::test(flavor = "current_thread")]
async fn a_code_that_leaves_the_result_open_makes_an_item_unknown() {
    let data = json!([{"clientOid": "a", "code": "45001", "msg": "?"}, {"clientOid": "b", "code": "40762"}]);
    let report = report_of(orders(&["a", "b"]), data).await;
    assert!(report.items[0].outcome.is_unknown() && !report.items[0].outcome.is_not_done());
    assert!(report.items[1].outcome.is_not_done());
}

/// Returns a cancellation by pair, without a list.
fn by_pair() -> classic::BatchCancel {
    classic::BatchCancel::new(classic::ProductType::UsdtFutures).symbol("BTCUSDT")
}

#[tokio::test(flavor = "current_thread")]
async fn a_call_without_a_list_is_made_once() {
    let data = json!({"successList": [{"orderId": "1"}], "failureList": [{"orderId": "2", "errorCode": "7", "errorMsg": "m"}]});
    let report = report_of(by_pair(), data).await;
    assert_eq!((report.items.len(), report.unmatched.len(), report.calls), (0, 2, 1));
    let error = report.unmatched[1].result.as_ref().unwrap_err();
    assert_eq!((error.code.as_str(), error.message.as_str()), ("7", "m"));
    assert_eq!(
        report.unmatched_failures().map(|failed| failed.ids.clone()).collect::<Vec<_>>(),
        [[Some("2".to_owned()), None]]
    );
    assert!(!report.all_done());
    let shown = report.to_string();
    assert!(shown.starts_with("1 of 2 results are of a success\n  2: "), "{shown}");
    assert!(report.done().is_err());

    let data = json!({"successList": [{"orderId": "1"}, {"orderId": "2"}], "failureList": []});
    let report = report_of(by_pair(), data).await;
    assert_eq!((report.all_done(), report.to_string().as_str()), (true, "2 of 2 results are of a success"));
    let done = report.done().unwrap();
    assert_eq!(done.iter().map(|done| done.order_id.as_ref().unwrap().as_str()).collect::<Vec<_>>(), ["1", "2"]);

    let report = report_of(by_pair(), json!({"successList": [{"orderId": {}}], "failureList": []})).await;
    assert_eq!((report.all_done(), report.bad.len()), (false, 1));
    assert!(report.to_string().contains("1 cannot be read"), "{report}");
}

#[tokio::test(flavor = "current_thread")]
async fn the_only_call_without_a_list_fails_with_its_error() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(json!({"code": "40762", "msg": "no", "requestTime": 1, "data": null}).to_string()));
    let refused = client(&server).batch(by_pair()).send().await.unwrap_err();
    assert_eq!((refused.outcome(), refused.code()), (Outcome::NotDone, Some("40762")));
    server.answer_next(Answer::close());
    let lost = client(&server).batch(by_pair()).send().await.unwrap_err();
    assert_eq!(lost.outcome(), Outcome::Unknown);
}

/// Without the checks, which refuse it, an empty list is not taken for one that is left out: that cancels more.
#[tokio::test(flavor = "current_thread")]
async fn an_empty_list_is_not_left_out() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(success(&json!({"successList": [], "failureList": []})));
    let client = client(&server);
    let request = by_pair().order_id_list(Vec::new());
    let refused = client.batch(request.clone()).send().await.unwrap_err();
    assert!(matches!(refused, Error::Refused(_)), "{refused}");
    let _ = client.with_check_policy(false).batch(request).send().await.unwrap();
    let sent: Value = serde_json::from_slice(&server.requests()[0].body).unwrap();
    assert_eq!(sent["orderIdList"], json!([]));
}

/// Answers that every item is done, in their order.
fn all_done(body: &str) -> Value {
    let items: Vec<Value> = serde_json::from_str(body).unwrap();
    items.iter().map(|item| json!({"orderId": "1", "clientOid": item["clientOid"]})).collect()
}

fn many(count: usize) -> unified::BatchOrder {
    unified::BatchOrder::new((0..count).map(|n| order(Some(&format!("o{n}")))).collect())
}

fn lengths(server: &ScriptedServer) -> Vec<usize> {
    let length = |body: Vec<u8>| {
        let body: Value = serde_json::from_slice(&body).unwrap();
        let list = if body.is_array() { &body } else { &body["orderList"] };
        list.as_array().unwrap().len()
    };
    server.requests().into_iter().map(|request| length(request.body)).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn a_batch_that_is_too_long_for_a_call_is_sent_in_parts() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|request| success(&all_done(&request.text())));
    let report = client(&server).batch(many(45)).send().await.unwrap();
    assert_eq!((report.calls, report.all_done(), lengths(&server)), (3, true, vec![20, 20, 5]));
    let given: Vec<_> = report.items.iter().map(|item| item.item.client_oid.clone().unwrap().to_string()).collect();
    assert_eq!(given, (0..45).map(|n| format!("o{n}")).collect::<Vec<_>>());

    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| success(&json!({"successList": null, "failureList": null})));
    let ids: Vec<String> = (0..101).map(|n| format!("o{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let report = client(&server).batch(classic_orders(&ids)).send().await.unwrap();
    assert_eq!(report.unknown().count(), 101);
    assert_eq!(lengths(&server), [50, 50, 1]);
}

#[tokio::test(flavor = "current_thread")]
async fn a_batch_continues_or_stops_after_a_failure() {
    for stops in [false, true] {
        let server = ScriptedServer::start().unwrap();
        server.answer_next(success(&all_done(&serde_json::to_string(&many(20)).unwrap())));
        server.answer_next(Answer::close());
        server.answer_otherwise(|request| success(&all_done(&request.text())));
        let batch = client(&server).batch(many(50));
        let batch = if stops { batch.stop_at_first_failure() } else { batch };
        let report = batch.send().await.unwrap();
        let words = words(&report);
        assert_eq!(
            (words[19].as_str(), words[20].as_str(), words[39].as_str()),
            ("done by id", "call failed", "call failed")
        );
        assert_eq!((words[40].as_str(), report.calls), if stops { ("not sent", 2) } else { ("done by id", 3) });
        assert!(report.items[20].outcome.is_unknown(), "it may have been placed");
        assert_eq!(report.unknown().count(), 20);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_refused_call_has_no_effect() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"code": "40762", "msg": "no", "data": null}"#));
    let report = client(&server).batch(many(1)).send().await.unwrap();
    assert!(report.items[0].outcome.is_not_done());
    let ItemOutcome::CallFailed(error) = &report.items[0].outcome else { panic!("the call failed") };
    assert!(matches!(**error, Error::Exchange(_)));
}

#[tokio::test(flavor = "current_thread")]
async fn duplicate_ids_are_refused_anywhere_in_a_batch() {
    let server = ScriptedServer::start().unwrap();
    let mut request = many(45);
    request.orders[41] = order(Some("o3"));
    let Err(Error::Refused(refusal)) = client(&server).batch(request).send().await else { panic!("it is refused") };
    insta::assert_snapshot!(refusal.violations);
    let item = |id: &str| classic::BatchCancelItem::new().order_id(id);
    let request = classic::BatchCancel::new(classic::ProductType::UsdtFutures)
        .symbol("BTCUSDT")
        .order_id_list(vec![item("1"), item("1")]);
    let Err(Error::Refused(refusal)) = client(&server).batch(request).send().await else { panic!("it is refused") };
    assert_eq!(refusal.violations[0].rule, "orderIdList.unique");
    assert!(server.requests().is_empty());
}

#[tokio::test(flavor = "current_thread")]
async fn everything_is_checked_before_anything_is_sent() {
    let server = ScriptedServer::start().unwrap();
    let mut request = many(45);
    request.orders[44].category = unified::Category::Margin;
    let Err(Error::Refused(refusal)) = client(&server).batch(request).send().await else { panic!("it is refused") };
    assert_eq!(refusal.violations[0].rule, "one-category");
    let Err(Error::Refused(refusal)) = client(&server).batch(many(0)).send().await else { panic!("it is refused") };
    assert_eq!(refusal.violations[0].rule, "min-items");
    assert!(server.requests().is_empty());
}

/// A random partial answer to a batch.
#[derive(Clone)]
struct Exchange {
    /// By clientOid: whether the item was done, and its place in the answer; `None` if the answer omits it.
    truth: Vec<(bool, Option<u8>)>,
    in_lists: bool,
}

impl Transport for Exchange {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let items = if self.in_lists { &body["orderList"] } else { &body };
        let mut places: Vec<(u8, bool, &Value)> = Vec::new();
        for item in items.as_array().unwrap() {
            let n: usize = item["clientOid"].as_str().unwrap()[1..].parse().unwrap();
            let (done, place) = self.truth[n];
            places.extend(place.map(|place| (place, done, &item["clientOid"])));
        }
        places.sort_by_key(|(place, ..)| *place);
        let of = |wanted: bool| -> Vec<Value> {
            let places = places.iter().filter(|(_, done, _)| *done == wanted);
            places
                .map(|(place, done, id)| {
                    if *done {
                        json!({"orderId": place.to_string(), "clientOid": id})
                    } else {
                        json!({"clientOid": id, "errorCode": "1"})
                    }
                })
                .collect()
        };
        let data = if self.in_lists {
            json!({"successList": of(true), "failureList": of(false)})
        } else {
            places
                .iter()
                .map(|(place, done, id)| {
                    if *done {
                        json!({"orderId": place.to_string(), "clientOid": id})
                    } else {
                        json!({"clientOid": id, "code": "1"})
                    }
                })
                .collect()
        };
        let answer = json!({"code": "00000", "data": data}).to_string();
        Box::pin(async move { Ok(http::Response::new(Bytes::from(answer))) })
    }
}

fn is_true<O: Batch>(request: O, exchange: &Exchange, order_id: fn(&O::Done) -> String) {
    let client = Client::builder("https://exchange.example")
        .credentials(Credentials::new("key", "secret", "passphrase"))
        .limits(LimitMode::Off)
        .transport(exchange.clone())
        .build()
        .unwrap();
    let run = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let report = run.block_on(client.batch(request).send()).unwrap();
    assert_eq!(report.items.len(), exchange.truth.len(), "{}", O::META.id);
    for (item, (done, place)) in report.items.iter().zip(&exchange.truth) {
        match (&item.outcome, place) {
            (ItemOutcome::Done(record), Some(place)) => assert!(*done && order_id(record) == place.to_string()),
            (ItemOutcome::Failed(_), Some(_)) => assert!(!done),
            (ItemOutcome::Unaccounted, None) => assert!(item.outcome.is_unknown()),
            (other, place) => panic!("{} where {place:?}", word(other)),
        }
    }
    assert!(report.unmatched.is_empty());
}

proptest! {
    /// With ids, no outcome is claimed falsely, in any order and with any omissions.
    #[test]
    fn nothing_is_claimed_falsely(truth in prop::collection::vec((any::<bool>(), prop::option::weighted(0.8, any::<u8>())), 1..70)) {
        let ids: Vec<String> = (0..truth.len()).map(|n| format!("o{n}")).collect();
        let distinct: HashSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let exchange = Exchange { truth: truth.clone(), in_lists: false };
        is_true(orders(&ids), &exchange, |done| done.order_id.as_ref().unwrap().to_string());
        let exchange = Exchange { truth, in_lists: true };
        is_true(classic_orders(&ids), &exchange, |done| done.order_id.as_ref().unwrap().to_string());
    }
}
