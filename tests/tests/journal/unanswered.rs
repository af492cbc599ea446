//! The memory of a change that was sent and got no answer, and its end; and what a success says of attempts before.

use std::collections::BTreeMap;
use std::future::{pending, ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::runtime::batches::ItemOutcome;
use tradeapi::runtime::client::{Callable, LimitMode};
use tradeapi::runtime::clock::{Clock, ManualEnvironment, pause};
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::error::{Delivery, TransportError, TransportErrorKind};
use tradeapi::runtime::flatten::LeftOver;
use tradeapi::runtime::journal::Selection;
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::tables::{Effect, Outcome};
use tradeapi::runtime::transport::{self, Transport};
use tradeapi::runtime::{ClientBuilder, http};
use tradeapi::unified::{BatchOrder, CancelAllOrders, CancelOrder, Category};
use tradeapi::{Client, Credentials, Error, Operation, Timestamp, classic, observed};
use tradeapi_tests::schema;

use super::{all, by_id, item, journal, order, read};

type Answered = Result<http::Response<tradeapi::runtime::bytes::Bytes>, TransportError>;

/// Returns an exchange of one function, which gets the method, the path and the parameters of each request.
fn answers(answer: impl Fn(&str, &str, &Value) -> Option<Value> + Send + Sync + 'static) -> impl Transport {
    transport::from_fn(move |request| {
        let body = serde_json::from_slice(request.body()).unwrap_or_default();
        let answered: Answered = match answer(request.method().as_str(), request.uri().path(), &body) {
            Some(body) => Ok(http::Response::new(body.to_string().into())),
            None => Err(TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent)),
        };
        ready(answered)
    })
}

fn success(data: Value) -> Option<Value> {
    Some(json!({"code": "00000", "msg": "success", "requestTime": 1_790_000_000_000_u64, "data": data}))
}

/// Returns a client in a time that passes while it waits.
fn client(transport: impl Transport + 'static) -> (ClientBuilder<Client>, ManualEnvironment) {
    let time = ManualEnvironment::leaping(Timestamp::from_millis(1_790_000_000_000)).in_another_process();
    let builder = Client::builder("https://exchange.test")
        .credentials(Credentials::new("key", "secret", "passphrase"))
        .environment(time.clone())
        .limits(LimitMode::Off)
        .transport(transport);
    (builder, time)
}

macro_rules! call_each {
    ($each:ident: $($operation:ty),+ $(,)?) => {
        async fn $each(rows: &mut BTreeMap<&'static str, String>) {
            $(if <$operation as Operation>::META.effect != Effect::Read {
                let example = schema::examples(<$operation as Operation>::META).remove(0);
                rows.insert(<$operation as Operation>::META.id, row::<$operation>(&example.request).await);
            })+
        }
    };
}
macro_rules! documented {
    ($($operation:ty),+ $(,)?) => { call_each! { each: $($operation),+ } };
}
macro_rules! observed {
    ($($operation:ty),+ $(,)?) => { call_each! { each_observed: $($operation),+ } };
}
tradeapi::for_each_operation!(documented);
tradeapi::for_each_observed_operation!(observed);

/// Returns what becomes of a request that gets no answer, nor any query of it.
async fn row<O: Callable>(request: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(folder.path());
    let (builder, time) = client(answers(|_, _, _| None));
    let client = builder.journal(journal.clone()).checks(false).build().unwrap();
    let request = O::from_json(request).unwrap();
    assert_eq!(client.call(&request).await.err().map(|error| error.outcome()), Some(Outcome::Unknown));
    // It is under way for so long, and then no more.
    let under_way = client.under_way();
    let [change] = under_way.as_slice() else { panic!("{}: {under_way:?}", O::META.id) };
    assert_eq!(change.operation, O::META.id);
    let (left, until) = (change.left.unwrap(), change.until.unwrap());
    time.timer().advance((until - left) + Duration::from_secs(1));
    assert_eq!(client.under_way(), []);
    // The journal has it until a recovery, which closes it once nothing can show it later.
    time.timer().advance(Duration::from_secs(200));
    assert_eq!(read(&*journal, Selection::Open).len(), 1, "{}", O::META.id);
    let recovered = client.recover(&ConfirmPolicy::new()).await.unwrap();
    let in_journal = match recovered[0].is_open {
        true => "until a query or a record settles it",
        false => "until a recovery, once it can no longer arrive",
    };
    let queried = if O::META.confirm.is_some() { "yes" } else { "no" };
    format!("| `{}` | {} s | {in_journal} | {queried} |", O::META.id, (until - left).as_secs())
}

/// The table of the guide is what a client does. It lists every change, whatever its operation.
#[tokio::test]
async fn every_change_without_an_answer_is_remembered() {
    let mut rows = BTreeMap::new();
    each(&mut rows).await;
    each_observed(&mut rows).await;
    assert!(rows.len() > 25, "{}", rows.len());
    let table: Vec<_> = rows.into_values().collect();
    let guide = include_str!("../../../generated/guide/unknown-outcomes.md");
    let (_, shown) = guide.split_once("| change without an answer |").unwrap();
    let shown: Vec<_> = shown.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert_eq!(shown.join("\n"), table.join("\n"));
}

/// The first attempt may take what is placed after the success of the second, until its signature has expired.
#[tokio::test]
async fn a_repeated_cancellation_says_what_may_still_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(folder.path());
    let posts = Arc::new(AtomicUsize::new(0));
    let lost = Arc::clone(&posts);
    let (builder, time) = client(answers(move |_, path, body| {
        let is_first = lost.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let one = json!({"orderId": "1", "clientOid": body["clientOid"]});
        let data = if path.ends_with("symbol-order") { json!([]) } else { one };
        if is_first { None } else { success(data) }
    }));
    let client = builder.journal(journal.clone()).build().unwrap();
    let retries = RetryPolicy::new();
    let reply = client.retrying(&retries).cancel(&CancelAllOrders::new(Category::UsdtFutures)).await.unwrap();
    let earlier = reply.earlier.unwrap();
    assert_eq!((earlier.count, posts.load(Ordering::Relaxed)), (1, 2));
    let until = earlier.until.unwrap();
    assert!(until > Clock::now(&time) + Duration::from_secs(60), "{earlier}");
    assert_eq!(client.under_way()[0].until, Some(until));
    // It is open in the journal as long as it can arrive, and a recovery closes it.
    assert_eq!(read(&*journal, Selection::Open).len(), 1);
    time.timer().advance(Duration::from_secs(300));
    assert!(client.recover(&ConfirmPolicy::new()).await.unwrap().iter().all(|change| !change.is_open));
    assert_eq!(read(&*journal, Selection::Open), []);
    // The cancellation of one order hits nothing else, so its first attempt is closed with the second.
    let reply = client.retrying(&retries).call(&CancelOrder::new(by_id("a"))).await.unwrap();
    assert_eq!(reply.earlier.map(|earlier| earlier.count), Some(1));
    let endings: Vec<_> = all(&*journal).into_iter().map(|stored| stored.ending.map(|ending| ending.outcome)).collect();
    assert_eq!(endings[2..], [Some(Outcome::Unknown), Some(Outcome::Done)]);
    // An answered first attempt leaves nothing.
    posts.store(1, Ordering::Relaxed);
    assert_eq!(client.retrying(&retries).call(&CancelOrder::new(by_id("b"))).await.unwrap().earlier, None);
}

/// A key without permission, or a journal on a full disk: nothing would be different in three minutes.
#[tokio::test]
async fn a_flatten_whose_cancellations_are_refused_ends_at_once_and_says_why() {
    let sent = Arc::new(Mutex::new(0));
    let count = Arc::clone(&sent);
    let open = json!({"list": [{"orderId": "7", "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "1",
        "orderStatus": "live", "side": "buy", "orderType": "limit", "price": "9", "createdTime": "1790000000000"}]});
    let (builder, time) = client(answers(move |method, path, _| {
        *count.lock().unwrap() += 1;
        match (method, path) {
            ("POST", _) => {
                Some(json!({"code": "40014", "msg": "Incorrect permissions", "requestTime": 1, "data": null}))
            }
            (_, path) if path.ends_with("unfilled-orders") => success(open.clone()),
            (_, path) if path.ends_with("assets") => success(json!({"positionValue": "0", "assets": []})),
            _ => success(json!({"entrustedList": [], "endId": null})),
        }
    }));
    let begun = Clock::now(&time);
    let not_flat = builder.build().unwrap().flatten(&ConfirmPolicy::new()).await.unwrap_err();
    assert!(not_flat.refusals.iter().any(|why| why.contains("40014")), "{not_flat}");
    assert!(not_flat.left.iter().any(|left| left.what == LeftOver::Order("7".to_owned())), "{not_flat}");
    assert_eq!(not_flat.rounds, 2);
    assert!(*sent.lock().unwrap() < 100, "{} requests", sent.lock().unwrap());
    assert!(Clock::now(&time) - begun < Duration::from_secs(10));
}

/// An order waits for its rate limit when everything is cancelled and closed, and would be sent afterwards.
#[tokio::test]
async fn nothing_is_placed_while_the_account_is_made_flat() {
    let answer = |method: &str, path: &str| match (method, path) {
        ("POST", path) if path.ends_with("close-positions") => {
            Some(json!({"code": "22002", "msg": "No position to close", "requestTime": 1, "data": null}))
        }
        ("POST", path) if path.ends_with("cancel-all-orders") => success(json!({"successList": [], "failureList": []})),
        ("POST", _) => success(json!([])),
        (_, path) if path.ends_with("assets") => success(json!({"positionValue": "0", "assets": []})),
        (_, path) if path.ends_with("unfilled-orders") => success(json!({"list": []})),
        _ => success(json!({"entrustedList": [], "endId": null})),
    };
    // Each answer is a moment later, so that the order comes in between.
    let (builder, _) = client(transport::from_fn(move |request: http::Request<tradeapi::runtime::bytes::Bytes>| {
        let body = answer(request.method().as_str(), request.uri().path()).unwrap().to_string();
        async move {
            tokio::task::yield_now().await;
            Answered::Ok(http::Response::new(body.into()))
        }
    }));
    let client = builder.build().unwrap();
    let policy = ConfirmPolicy::new();
    let flattened = client.flatten(&policy);
    let order = order("beside");
    let (flattened, placed) = tokio::join!(biased; flattened, client.call(&order));
    flattened.unwrap();
    let Err(Error::Unsigned(refused)) = placed else { panic!("{placed:?}") };
    assert!(refused.why.contains("cancelled and closed"), "{}", refused.why);
    // The door is open again.
    let called = client.call(&order).await;
    assert!(!matches!(called, Err(Error::Unsigned(_))), "{called:?}");
}

/// Answers that show another value than was asked for, or `null` in place of results.
#[tokio::test]
async fn a_success_that_shows_something_else_is_not_done() {
    let data = Arc::new(Mutex::new(Value::Null));
    let next = Arc::clone(&data);
    let (builder, _) = client(answers(move |_, _, _| success(next.lock().unwrap().clone())));
    let client = builder.build().unwrap();
    let answer = |value: Value| *data.lock().unwrap() = value;
    let unknown = |error: Option<Error>| assert_eq!(error.map(|error| error.outcome()), Some(Outcome::Unknown));

    let hedge: observed::SetPositionMode =
        serde_json::from_str(r#"{"productType": "USDT-FUTURES", "posMode": "hedge_mode"}"#).unwrap();
    answer(json!({"posMode": "hedge_mode"}));
    client.call(&hedge).await.unwrap();
    answer(json!({"posMode": "one_way_mode"}));
    unknown(client.call(&hedge).await.err());

    let of = r#"{"symbol": "ETHUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT""#;
    let isolated: observed::SetMarginMode =
        serde_json::from_str(&format!(r#"{of}, "marginMode": "isolated"}}"#)).unwrap();
    let shown = |mode: &str| {
        json!({"symbol": "ETHUSDT", "marginCoin": "USDT", "longLeverage": "20",
        "shortLeverage": "20", "marginMode": mode})
    };
    answer(shown("isolated"));
    client.call(&isolated).await.unwrap();
    answer(shown("crossed"));
    unknown(client.call(&isolated).await.err());

    let longer: observed::SetContractLeverage =
        serde_json::from_str(&format!(r#"{of}, "longLeverage": "20", "shortLeverage": "20"}}"#)).unwrap();
    answer(shown("isolated"));
    client.call(&longer).await.unwrap();
    let shorter: observed::SetContractLeverage =
        serde_json::from_str(&format!(r#"{of}, "longLeverage": "5", "shortLeverage": "20"}}"#)).unwrap();
    unknown(client.call(&shorter).await.err());
    // Which of the members repeats the leverage depends on the margin mode and the side.
    let set = |leverage: &str| -> observed::SetContractLeverage {
        serde_json::from_str(&format!(r#"{of}, "leverage": "{leverage}"}}"#)).unwrap()
    };
    let members = ["longLeverage", "shortLeverage", "crossMarginLeverage"];
    for repeats in members {
        let mut settings = json!({"symbol": "ETHUSDT", "marginCoin": "USDT", "marginMode": "isolated"});
        for member in members {
            settings[member] = json!(if member == repeats { "5" } else { "20" });
        }
        answer(settings);
        client.call(&set("5")).await.unwrap();
        client.call(&set("20")).await.unwrap();
        unknown(client.call(&set("7")).await.err());
    }

    for nothing in [Value::Null, json!(""), json!({"list": null})] {
        answer(nothing.clone());
        unknown(client.call(&CancelAllOrders::new(Category::UsdtFutures)).await.err());
        unknown(client.call(&classic::FlashClosePosition::new(classic::ProductType::UsdtFutures)).await.err());
    }
    answer(json!([]));
    client.call(&CancelAllOrders::new(Category::UsdtFutures)).await.map(drop).unwrap();
}

/// The second of three calls is under way when the batch is stopped.
#[tokio::test]
async fn a_stopped_batch_has_the_outcome_of_each_item() {
    let calls = Arc::new(AtomicUsize::new(0));
    let made = Arc::clone(&calls);
    let transport = transport::from_fn(move |request: http::Request<tradeapi::runtime::bytes::Bytes>| {
        let is_first = made.fetch_add(1, Ordering::Relaxed) == 0;
        let items: Vec<Value> = serde_json::from_slice(request.body()).unwrap();
        async move {
            if !is_first {
                pending::<()>().await;
            }
            let placed = |(number, item): (usize, &Value)| json!({"orderId": number.to_string(), "clientOid": item["clientOid"], "code": "00000", "msg": "success"});
            let placed: Value = items.iter().enumerate().map(placed).collect();
            Answered::Ok(http::Response::new(success(placed).unwrap().to_string().into()))
        }
    });
    let (builder, time) = client(transport);
    let client = builder.build().unwrap();
    let batch = || BatchOrder::new((0..45).map(|number| item(&format!("i{number}"))).collect());
    let stop = || pause(&time, Duration::from_secs(1));
    let report = client.batch(batch()).send_until(stop()).await.unwrap();
    let word = |outcome: &ItemOutcome<_>| match outcome {
        ItemOutcome::Done(_) => 'd',
        ItemOutcome::GivenUp => '?',
        ItemOutcome::NotSent => '-',
        other => panic!("{other:?}"),
    };
    let shown: String = report.items.iter().map(|item| word(&item.outcome)).collect();
    assert_eq!(shown, "d".repeat(20) + &"?".repeat(20) + "-----");
    calls.store(0, Ordering::Relaxed);
    let report = client.batch(batch()).send_and_confirm_until(&ConfirmPolicy::new(), stop()).await.unwrap();
    let counts = [Outcome::Done, Outcome::Unknown, Outcome::NotDone]
        .map(|wanted| report.outcomes().filter(|outcome| *outcome == wanted).count());
    assert_eq!(counts, [20, 20, 5]);
    // What was not sent is not under way.
    assert_eq!(client.under_way().len(), 2);
}

/// One answer to a query that asks to wait for an hour does not end the confirmation.
#[tokio::test]
async fn a_far_retry_after_does_not_end_a_confirmation() {
    let queries = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&queries);
    let transport = transport::from_fn(move |request: http::Request<tradeapi::runtime::bytes::Bytes>| {
        let is_query = request.method() == http::Method::GET;
        let record = json!({"orderId": "1", "clientOid": "a", "category": "USDT-FUTURES", "symbol": "BTCUSDT",
            "qty": "0.001", "price": "50000", "side": "buy", "orderType": "limit", "orderStatus": "live",
            "createdTime": "1790000000000"});
        let answered: Answered = match is_query.then(|| asked.fetch_add(1, Ordering::Relaxed)) {
            None => Err(TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent)),
            Some(0) => Ok(http::Response::builder().status(429).header("Retry-After", "3600").body("".into()).unwrap()),
            Some(_) => Ok(http::Response::new(success(record).unwrap().to_string().into())),
        };
        ready(answered)
    });
    let (builder, _) = client(transport);
    let client = builder.build().unwrap();
    let confirmation = client.place_and_confirm(&order("a"), &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Done, "{confirmation}");
    assert_eq!(queries.load(Ordering::Relaxed), 2);
}
