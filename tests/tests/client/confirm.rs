//! The outcome of an order, over real sockets and a scripted exchange that records its orders: an accepted order is
//! found, never sent again, and never claimed without proof.

use std::collections::{BTreeMap, HashSet};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::confirm::{self, ConfirmPolicy, Confirmation};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Client, Credentials, Error, classic, unified};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

/// An exchange that records accepted orders by the caller's ids.
struct Exchange {
    server: ScriptedServer,
    book: Arc<Mutex<BTreeMap<String, Value>>>,
}

/// The reaction of the exchange to a change: the orders that it accepts, and its answer.
type Change = fn(&Request, &mut dyn FnMut(Value)) -> Answer;

impl Exchange {
    fn start(change: Change) -> Self {
        let server = ScriptedServer::start().unwrap();
        let book: Arc<Mutex<BTreeMap<String, Value>>> = Arc::default();
        let kept = Arc::clone(&book);
        server.answer_otherwise(move |request| {
            let mut book = kept.lock().unwrap();
            if request.method == "GET" {
                return detail(&book, request.query.as_deref().unwrap_or_default());
            }
            change(request, &mut |order| {
                let before = book.insert(order["clientOid"].as_str().unwrap().to_owned(), order);
                assert!(before.is_none(), "doubled");
            })
        });
        Self { server, book }
    }

    /// Returns a client without rate limits.
    fn client(&self) -> Client {
        client_of(self.server.url(), |client| client.limits(LimitMode::Off))
    }

    /// Returns the numbers of changes and of queries.
    fn count(&self) -> (usize, usize) {
        let requests = self.server.requests();
        let questions = requests.iter().filter(|request| request.method == "GET").count();
        (requests.len() - questions, questions)
    }
}

/// Returns a client with the default settings.
fn client(url: impl AsRef<str>) -> Client {
    client_of(url, |client| client)
}

fn client_of(url: impl AsRef<str>, with: impl Fn(ClientBuilder<Client>) -> ClientBuilder<Client>) -> Client {
    with(Client::builder(url.as_ref()).credentials(Credentials::new("key", "secret", "passphrase"))).build().unwrap()
}

fn detail(book: &BTreeMap<String, Value>, query: &str) -> Answer {
    let id = query.split('&').find_map(|pair| pair.strip_prefix("clientOid=")).unwrap_or_default();
    match book.get(id) {
        Some(order) => success(order.clone()),
        None => code("40404"),
    }
}

fn now() -> u128 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()
}

fn success(data: Value) -> Answer {
    Answer::json(json!({"code": "00000", "msg": "success", "requestTime": now(), "data": data}).to_string())
}

fn code(code: &str) -> Answer {
    Answer::json(json!({"code": code, "msg": "no", "requestTime": now(), "data": null}).to_string())
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// Returns the record of the order in a request.
fn taken(order: &Value) -> Value {
    let now = now().to_string();
    json!({"orderId": "7", "clientOid": order["clientOid"], "qty": order["qty"], "orderStatus": "live",
           "createdTime": now, "updatedTime": now, "cTime": now})
}

fn market_buy() -> unified::PlaceOrder {
    unified::PlaceOrder::spot_market_buy("BTCUSDT", 10).client_oid(unified::ClientOid::mint())
}

/// Returns a policy with a few quick queries.
fn brief() -> ConfirmPolicy {
    ConfirmPolicy::new().pauses(Duration::from_millis(1), Duration::from_millis(5)).deadline(Duration::from_millis(30))
}

/// Returns a policy with the time for a query on a busy machine.
fn unhurried() -> ConfirmPolicy {
    brief().deadline(Duration::from_secs(1))
}

/// Returns a policy that queries until the outcome is known, which it is in every test that uses it.
fn patient() -> ConfirmPolicy {
    brief().deadline(Duration::from_secs(60))
}

#[tokio::test]
async fn an_accepted_order_is_found_after_any_answer() {
    let answers: [Change; 6] = [
        |request, land| (land(taken(&body(request))), code("45001")).1,
        |request, land| (land(taken(&body(request))), code("40010")).1,
        |request, land| (land(taken(&body(request))), code("40725").status(500)).1,
        |request, land| (land(taken(&body(request))), Answer::close()).1,
        |request, land| (land(taken(&body(request))), success(json!({"orderId": "7"})).cut_off_after(40)).1,
        |request, land| (land(taken(&body(request))), Answer::new(502, "<html>")).1,
    ];
    for answer in answers {
        let exchange = Exchange::start(answer);
        let order = market_buy();
        let confirmation = exchange.client().place_and_confirm(&order, &patient()).await;
        let Confirmation::Done(happened) = confirmation else { panic!("{confirmation}") };
        assert_eq!(happened.record.unwrap().client_oid, order.client_oid);
        assert_eq!(exchange.count(), (1, 1));
    }
}

#[tokio::test]
async fn an_order_stays_unknown_as_long_as_it_can_arrive() {
    for answer in [|_: &Request, _: &mut dyn FnMut(Value)| code("45001"), |_, _| Answer::close()] as [Change; 2] {
        let exchange = Exchange::start(answer);
        let policy = unhurried().absent("40404");
        let confirmation = exchange.client().place_and_confirm(&market_buy(), &policy).await;
        assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
        let (changes, questions) = exchange.count();
        assert!(changes == 1 && questions > 1, "{questions}");
    }
}

#[tokio::test]
async fn an_absence_counts_later_and_only_with_a_code_for_it() {
    let exchange = Exchange::start(|_, _| code("45001"));
    let (client, order) = (exchange.client(), market_buy());
    let ago = |seconds: u64| tradeapi::Timestamp::from(SystemTime::now() - Duration::from_secs(seconds));
    for (signed_at, policy, outcome) in [
        (ago(200), patient().absent("40404"), Outcome::NotDone),
        (ago(200), brief(), Outcome::Unknown),
        (ago(20), brief().absent("40404"), Outcome::Unknown),
        (ago(2 * 60 * 60), brief().absent("40404"), Outcome::Unknown),
    ] {
        let confirmation = client.settle(&order, signed_at, &policy).await;
        assert_eq!(confirmation.outcome(), outcome, "{confirmation}");
    }
    // A reversal closes and opens, so a missing opening order proves nothing about the closing.
    let size = tradeapi::Decimal::from(1);
    let order = classic::Reversal::new("BTCUSDT", "USDT", classic::ProductType::UsdtFutures, classic::Side::Buy)
        .size(size)
        .client_oid(classic::ClientOid::mint());
    let confirmation = confirm::settle(client.core(), &order, ago(200), &brief().absent("40404")).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
    assert_eq!(exchange.count().0, 0);
}

/// The code of the last query is part of the reason, as it is of other errors.
#[tokio::test]
async fn the_reason_for_an_unknown_outcome_names_the_code() {
    let exchange = Exchange::start(|_, _| code("45001"));
    let signed_at = tradeapi::Timestamp::from(SystemTime::now() - Duration::from_secs(60));
    let confirmation = confirm::settle(exchange.client().core(), &market_buy(), signed_at, &unhurried()).await;
    let Confirmation::Unknown(still) = &confirmation else { panic!("{confirmation}") };
    assert_eq!(still.because.code(), Some("40404"));
    let text = still.because.to_string();
    assert!(text.starts_with(still.because.why()) && text.ends_with("(code 40404)"), "{text}");
}

#[tokio::test]
async fn an_absence_proves_nothing_once_any_call_has_shown_the_order() {
    let exchange = Exchange::start(|_, _| code("45001"));
    let (client, order) = (exchange.client(), market_buy());
    let signed_at = tradeapi::Timestamp::from(SystemTime::now() - Duration::from_secs(200));
    let id = order.client_oid.clone().unwrap();
    let detail = unified::GetOrderDetails::new(unified::OrderRef::ClientOid(id.clone()));

    let shown = taken(&json!({"clientOid": id.as_str(), "qty": "10"}));
    exchange.book.lock().unwrap().insert(id.as_str().to_owned(), shown);
    assert_eq!(client.call(&detail).await.unwrap().client_oid, Some(id));
    // From here on, the exchange answers that there is no such order.
    exchange.book.lock().unwrap().clear();

    let confirmation = confirm::settle(client.core(), &order, signed_at, &unhurried().absent("40404")).await;
    let Confirmation::Unknown(still) = confirmation else { panic!("{confirmation}") };
    assert_eq!(still.because.why(), "it was not found, but an earlier answer showed a record with its id");
    // A client that has not seen the order trusts the absence.
    let other = confirm::settle(exchange.client().core(), &order, signed_at, &patient().absent("40404")).await;
    assert_eq!(other.outcome(), Outcome::NotDone, "{other}");
}

#[tokio::test]
async fn an_amendment_is_found_by_its_new_id_or_by_the_record() {
    let exchange = Exchange::start(|request, land| {
        let body = body(request);
        land(json!({"clientOid": body["newClientOid"], "orderId": "8", "cTime": now().to_string()}));
        Answer::close()
    });
    let (old, new) = (classic::ClientOid::mint(), classic::ClientOid::mint());
    let order = classic::OrderRef::ClientOid(old);
    let amend = classic::ModifyOrder::new("BTCUSDT", classic::ProductType::UsdtFutures, new.clone(), order);
    let confirmation = exchange.client().place_and_confirm(&amend, &patient()).await;
    assert!(
        matches!(confirmation, Confirmation::Done(ref found) if found.record.as_ref().unwrap().client_oid == Some(new)),
        "{confirmation}"
    );

    let amended: Change = |request, land| {
        // A change in the millisecond of the request may precede it.
        std::thread::sleep(Duration::from_millis(10));
        land(taken(&body(request)));
        Answer::close()
    };
    let as_before: Change = |request, land| {
        land(json!({"clientOid": body(request)["clientOid"], "qty": "1", "updatedTime": now().to_string()}));
        Answer::close()
    };
    let was_so: Change = |request, land| {
        land(json!({"clientOid": body(request)["clientOid"], "qty": "2", "updatedTime": (now() - 60_000).to_string()}));
        Answer::close()
    };
    for (change, policy, outcome) in [
        (amended, patient(), Outcome::Done),
        (as_before, brief(), Outcome::Unknown),
        (was_so, brief(), Outcome::Unknown),
    ] {
        let exchange = Exchange::start(change);
        let order = unified::OrderRef::ClientOid(unified::ClientOid::mint());
        let confirmation = exchange.client().place_and_confirm(&unified::ModifyOrder::new(order).qty(2), &policy).await;
        assert_eq!(confirmation.outcome(), outcome, "{confirmation}");
    }
}

/// The first amendment names the order by one of its ids, the second by the other.
#[tokio::test]
async fn an_amendment_under_the_other_id_may_have_changed_the_order() {
    let exchange = Exchange::start(|request, land| {
        std::thread::sleep(Duration::from_millis(10));
        if body(request)["clientOid"].is_string() {
            land(taken(&body(request)));
        }
        Answer::close()
    });
    let client = exchange.client();
    let [by_order_id, by_client_oid] =
        [unified::OrderRef::OrderId("7".into()), unified::OrderRef::ClientOid(unified::ClientOid::mint())];
    assert!(matches!(client.call(&unified::ModifyOrder::new(by_order_id).qty(2)).await, Err(Error::Unknown(_))));
    let confirmation = client.place_and_confirm(&unified::ModifyOrder::new(by_client_oid).qty(2), &brief()).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
}

#[tokio::test]
async fn a_batch_is_confirmed_item_by_item() {
    let policy = unhurried();
    let items = || [1, 2, 3, 4, 5].map(|n| format!("item-{n}"));
    let outcomes = [Outcome::Done, Outcome::NotDone, Outcome::Done, Outcome::Unknown, Outcome::Unknown];
    // The first succeeds, and the second fails with a known code or with none. The third and the fourth are left out, and
    // only the third was accepted. The fifth has a code that proves nothing.
    let exchange = Exchange::start(|request, land| {
        let body = body(request);
        [0, 2].into_iter().for_each(|place: usize| land(taken(&body[place])));
        success(json!([
            {"orderId": "1", "clientOid": "item-1"},
            {"clientOid": "item-5", "code": "98765", "msg": "new"},
            {"clientOid": "item-2", "code": "40762", "msg": "too large"},
        ]))
    });
    let orders = items().map(|id| {
        let (category, side) = (unified::Category::Spot, unified::Side::Buy);
        let item = unified::BatchOrderItem::new(category, "BTCUSDT", 1, side, unified::Execution::Market);
        item.client_oid(unified::ClientOid::new(id).unwrap())
    });
    let batch = unified::BatchOrder::new(orders.into());
    let found = exchange.client().batch(batch.clone()).send_and_confirm(&policy).await.unwrap();
    assert_eq!(found.outcomes().collect::<Vec<_>>(), outcomes);
    assert_eq!(exchange.count().0, 1);

    let exchange = Exchange::start(|request, land| {
        let list = body(request)["orderList"].clone();
        [0, 2].into_iter().for_each(|place: usize| land(taken(&list[place])));
        success(json!({
            "successList": [{"orderId": "1", "clientOid": "item-1"}],
            "failureList": [
                {"clientOid": "item-2", "errorMsg": "no", "errorCode": ""},
                {"clientOid": "item-5", "errorMsg": "new", "errorCode": "98765"},
            ],
            "result": false,
        }))
    });
    let orders = items().map(|id| classic::BatchOrderItem::new().client_oid(classic::ClientOid::from(id)));
    let (product, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    let batch = classic::BatchOrder::new("BTCUSDT", product, "USDT", margin, orders.into());
    let found = exchange.client().batch(batch.clone()).send_and_confirm(&policy).await.unwrap();
    assert_eq!(found.outcomes().collect::<Vec<_>>(), outcomes);

    // Without an answer, each item is queried.
    let exchange = Exchange::start(|request, land| {
        let list = body(request)["orderList"].clone();
        [0, 1, 2].into_iter().for_each(|place: usize| land(taken(&list[place])));
        Answer::close()
    });
    let found = exchange.client().batch(batch.clone()).send_and_confirm(&policy).await.unwrap();
    let (done, unknown) = (Outcome::Done, Outcome::Unknown);
    assert_eq!(found.outcomes().collect::<Vec<_>>(), [done, done, done, unknown, unknown]);
    // Later queries need the time of the signature.
    let Confirmation::Unknown(still) = &found.items[4].confirmation else { panic!("{}", found.items[4].confirmation) };
    let Some(Error::Unknown(call)) = still.call.as_deref() else { panic!("{still:?}") };
    assert_eq!(still.signed_at, Some(call.sent.signed_at));
}

#[tokio::test]
async fn an_order_without_an_order_id_is_located() {
    let exchange = Exchange::start(|request, land| {
        land(taken(&body(request)));
        success(json!({"orderId": null, "clientOid": body(request)["clientOid"]}))
    });
    let (client, order) = (exchange.client(), market_buy());
    let ack = client.unified().place_order(&order).await.unwrap();
    assert_eq!((&ack.order_id, &ack.client_oid), (&None, &order.client_oid));
    assert_eq!(client.locate(&order).await.unwrap().order_id, Some("7".into()));
}

#[tokio::test]
async fn a_located_record_is_the_requested_one() {
    let server = ScriptedServer::start().unwrap();
    let client = client(server.url());
    server.answer_next(success(json!({"orderId": "8", "clientOid": "of-another"})));
    let error = client.locate(&market_buy()).await.unwrap_err();
    assert!(matches!(&error, Error::Unreadable(_)), "{error}");
    assert_eq!(error.outcome(), Outcome::NotDone);
}

/// A dropped order that is equal to an accepted one with the same id, and was still waiting for the limiter.
#[tokio::test]
async fn an_order_that_never_left_is_not_found_in_that_of_an_equal_one() {
    let exchange = Exchange::start(|request, land| (land(taken(&body(request))), Answer::close()).1);
    let client = client(exchange.server.url());
    let order = market_buy();
    let Err(Error::Unknown(first)) = client.call(&order).await else { panic!("the answer decides nothing") };
    // No more than ten are sent in a second.
    while let Ok(Err(Error::Unknown(_))) = give_up_soon(client.call(&market_buy())).await {}
    let given_up_at = {
        let prepared = client.prepare(&order).unwrap();
        let signed_at = prepared.signed_at();
        assert!(give_up_soon(client.send(prepared)).await.is_err());
        signed_at
    };
    assert!(give_up_soon(client.place_and_confirm(&order, &patient())).await.is_err());
    let core = client.core();
    for signed_at in [given_up_at, core.now()] {
        assert_eq!(confirm::settle(core, &order, signed_at, &brief()).await.outcome(), Outcome::Unknown);
    }
    // The others were not accepted, so the record belongs to the first.
    assert_eq!(confirm::settle(core, &order, first.sent.signed_at, &patient()).await.outcome(), Outcome::Done);
}

async fn give_up_soon<T>(call: impl Future<Output = T>) -> Result<T, tokio::time::error::Elapsed> {
    tokio::time::timeout(Duration::from_millis(50), call).await
}

/// Both orders have the same id, and only the second item of the batch is queried.
#[tokio::test]
async fn an_id_used_twice_in_a_batch_confirms_neither_order() {
    let exchange = Exchange::start(|request, land| {
        land(taken(&body(request)[0]));
        Answer::close()
    });
    let client = exchange.client();
    let id = unified::ClientOid::mint();
    let item = || {
        let (category, execution) = (unified::Category::Spot, unified::Execution::limit(10_u64));
        unified::BatchOrderItem::new(category, "BTCUSDT", 1_u64, unified::Side::Buy, execution).client_oid(id.clone())
    };
    let batch = unified::BatchOrder::new(vec![item(), item()]);
    assert!(matches!(client.call(&batch).await, Err(Error::Unknown(_))));
    let alone = unified::BatchOrder::new(vec![item()]);
    let core = client.core();
    let confirmations = confirm::settle_each(core, &alone, core.now(), &brief()).await;
    assert_eq!(confirmations.iter().map(Confirmation::outcome).collect::<Vec<_>>(), [Outcome::Unknown]);
}

#[tokio::test]
async fn an_id_is_stored_before_its_request_leaves() {
    let exchange = Exchange::start(|request, land| (land(taken(&body(request))), Answer::close()).1);
    let (client, order) = (exchange.client(), market_buy());
    let prepared = client.prepare(&order).unwrap();
    let stored = (prepared.client_id().unwrap(), prepared.signed_at());
    assert_eq!((Some(stored.0.as_str()), exchange.count()), (order.client_oid.as_ref().map(|id| id.as_str()), (0, 0)));
    assert!(matches!(client.send(prepared).await, Err(Error::Unknown(_))));
    // A later run has only what was stored.
    let again = market_buy().client_oid(unified::ClientOid::new(stored.0).unwrap());
    let confirmation = confirm::settle(exchange.client().core(), &again, stored.1, &patient()).await;
    assert_eq!(confirmation.outcome(), Outcome::Done, "{confirmation}");
    assert_eq!(exchange.book.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn reads_and_harmless_cancels_are_repeated_and_each_counts() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
    let client = client.build().unwrap();
    let policy = RetryPolicy::new().pauses(Duration::from_millis(2), Duration::from_millis(2));
    let order = unified::OrderRef::OrderId("7".into());
    for answer in [Answer::close(), code("45001"), Answer::new(503, ""), success(json!({"orderId": "7"}))] {
        server.answer_next(answer);
    }
    client.retrying(&policy).call(&unified::CancelOrder::new(order.clone())).await.unwrap();
    let requests = server.take_requests();
    let signed: HashSet<_> = requests.iter().map(|request| request.header("ACCESS-TIMESTAMP")).collect();
    assert!(requests.len() == 4 && signed.len() > 1, "{signed:?}");

    for answer in [Answer::new(429, "").header("retry-after", "0"), success(json!({"orderId": "7"}))] {
        server.answer_next(answer);
    }
    let detail = unified::GetOrderDetails::new(order);
    client.retrying(&policy).call(&detail).await.unwrap();
    assert_eq!(server.take_requests().len(), 2);

    server.answer_next(code("40762"));
    assert!(client.retrying(&policy).call(&detail).await.is_err());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_about_another_order_proves_nothing() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
    let client = client.build().unwrap();
    let order = market_buy().client_oid(unified::ClientOid::new("desk-1:7").unwrap());
    for (client_id, is_own) in [("desk-1:7", true), ("desk-1:77", false), ("1:7", false), ("", false)] {
        server.answer_next(success(json!({"orderId": "1", "clientOid": client_id})));
        match client.call(&order).await {
            Ok(ack) => assert!(is_own, "{ack:?}"),
            Err(Error::Unknown(unknown)) => assert!(!is_own && unknown.client_id() == Some("desk-1:7"), "{unknown}"),
            Err(error) => panic!("{error}"),
        }
    }
    // A caller that names an order by the exchange's id learns its own id.
    server.answer_next(success(json!({"orderId": "1", "clientOid": "desk-1:7"})));
    client.call(&unified::CancelOrder::new(unified::OrderRef::OrderId("1".into()))).await.unwrap();
}

#[tokio::test]
async fn a_later_refusal_does_not_settle_an_earlier_attempt() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
    let client = client.build().unwrap();
    let policy = RetryPolicy::new().pauses(Duration::from_millis(2), Duration::from_millis(2));
    let cancel = unified::CancelOrder::new(unified::OrderRef::OrderId("7".into()));
    // The first attempt cancelled the order, so the second finds none.
    for answer in [Answer::close(), code("24056")] {
        server.answer_next(answer);
    }
    let error = client.retrying(&policy).call(&cancel).await.unwrap_err();
    assert!(matches!(&error, Error::Unknown(_)) && error.outcome() == Outcome::Unknown, "{error}");
    assert_eq!(server.take_requests().len(), 2);
    // If no attempt is open, a refusal counts.
    server.answer_next(code("24056"));
    let error = client.retrying(&policy).call(&cancel).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::NotDone, "{error}");
}

/// The variable that is set for processes that only mint ids.
const MINT: &str = "TRADEAPI_TESTS_MINT";

#[test]
fn no_two_processes_mint_the_same_id() {
    if std::env::var_os(MINT).is_some() {
        (0..500).for_each(|_| println!("minted {}", unified::ClientOid::mint()));
        return;
    }
    let program = std::env::current_exe().unwrap();
    let name = "confirm::no_two_processes_mint_the_same_id";
    let start = || {
        let mut command = Command::new(&program);
        command.args([name, "--exact", "--nocapture"]).env(MINT, "1").stdout(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let beside: Vec<_> = (0..4).map(|_| start()).collect();
    let mut outputs: Vec<_> = beside.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    outputs.push(start().wait_with_output().unwrap());
    let texts: Vec<_> = outputs.iter().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).collect();
    let ids: Vec<_> =
        texts.iter().flat_map(|text| text.lines().filter_map(|line| line.split_once("minted "))).collect();
    assert_eq!(ids.len(), 2_500);
    assert!(ids.iter().all(|(_, id)| unified::ClientOid::new(id).is_ok()));
    assert_eq!(ids.iter().map(|(_, id)| id).collect::<HashSet<_>>().len(), 2_500);
}
