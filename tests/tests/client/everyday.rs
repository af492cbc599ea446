//! Everyday use: errors from `main`, partial failures, keys from the environment, two clients of one key, and
//! statistics of calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::error::BuildError;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{
    BatchOrder, BatchOrderItem, CancelAllOrders, Category, ClientOid, Execution, GetAccountAssets, GetOrderDetails,
    OrderRef, PlaceOrder, PosSide, Side,
};
use tradeapi::{Client, Credentials, Error, dec};
use tradeapi_exchange::{Accounts, Exchange, Profile, Seed, Settings, Time};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn order(id: &str) -> PlaceOrder {
    PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", dec!(0.001), Side::Buy, Execution::limit(dec!(50000)))
        .client_oid(ClientOid::new(id).unwrap())
}

#[tokio::test]
async fn an_error_from_main_has_a_sentence_and_a_hint() {
    let exchange = Exchange::new(Seed(1));
    let client = exchange.client();
    exchange.hide_next("40725");
    let error = client.unified().place_order(&order("a")).await.unwrap_err();
    let text = format!("{error:?}");
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("unified.place-order failed: code 40725"), "{text}");
    assert_eq!(
        lines[1..],
        ["query it with `locate`, or let `place_and_confirm` do so; do not send it again before that"]
    );
    assert!(format!("{error:#?}").starts_with("Unknown(\n"));

    let read = GetOrderDetails::new(OrderRef::ClientOid(ClientOid::new("nothing").unwrap()));
    let error = client.unified().get_order_details(&read).await.unwrap_err();
    assert!(!error.to_string().contains("effect"), "{error}");
}

#[tokio::test]
async fn requests_and_records_are_printed_on_one_line_without_absent_fields() {
    let order = order("desk-1").pos_side(PosSide::Long);
    let line = "PlaceOrder { category: UsdtFutures, symbol: \"BTCUSDT\", qty: 0.001, side: Buy, \
                execution: Limit(LimitExecution { price: 50000 }), pos_side: Long, client_oid: \"desk-1\" }";
    assert_eq!((format!("{order:?}"), order.to_string()), (line.to_owned(), line.to_owned()));

    let exchange = Exchange::new(Seed(1));
    let client = exchange.client();
    let placed = client.unified().place_order(&order).await.unwrap();
    assert!(placed.to_string().starts_with("OrderAck { order_id: \""), "{placed}");
    let whole = format!("{placed:?}");
    assert!(whole.starts_with("Reply { data: OrderAck { ") && !whole.contains("raw"), "{whole}");
    assert!(whole.contains(" request_time: 2") && !whole.contains("None") && !whole.contains("Some"), "{whole}");

    let query = GetOrderDetails::new(OrderRef::ClientOid(ClientOid::new("desk-1").unwrap()));
    let record = client.unified().get_order_details(&query).await.unwrap().data;
    let line = record.to_string();
    assert!(
        line.contains("client_oid: \"desk-1\", category: UsdtFutures, symbol: \"BTCUSDT\", price: 50000"),
        "{line}"
    );
    assert!(line.contains("created_time: 20") && !line.contains("None") && !line.contains('\n'), "{line}");

    exchange.refuse_next("40762");
    let error = client.unified().place_order(&order).await.unwrap_err();
    let Error::Exchange(error) = error else { panic!("{error}") };
    assert!(!format!("{error:?}").contains("raw") && error.raw.starts_with(b"{"), "{error:?}");
}

#[tokio::test]
async fn failures_of_a_batch_are_reported_or_an_error() {
    let exchange = Exchange::new(Seed(2));
    let client = exchange.client();
    let item = |id: &str, qty| {
        BatchOrderItem::new(Category::UsdtFutures, "BTCUSDT", qty, Side::Buy, Execution::limit(dec!(50000)))
            .client_oid(ClientOid::new(id).unwrap())
    };
    let good = || BatchOrder::new(vec![item("a", dec!(0.001)), item("b", dec!(0.002))]);
    let done = client.batch(good()).send().await.unwrap().done().unwrap();
    assert_eq!(done.len(), 2);

    let mixed = BatchOrder::new(vec![item("c", dec!(0.001)), item("d", dec!(900000))]);
    let report = client.batch(mixed).send().await.unwrap();
    assert!(!report.all_done() && report.failures().count() == 1);
    let report = report.done().unwrap_err();
    assert!(report.to_string().starts_with("1 of 2 items succeeded\n  item 1: code "), "{report}");
}

#[test]
fn a_variable_that_is_missing_is_named() {
    let error = Credentials::from_env("TRADEAPI_NOBODY_SETS_THIS").unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string(), "`main` prints it");
    assert_eq!(error, BuildError::Environment { name: "TRADEAPI_NOBODY_SETS_THIS_KEY".to_owned() });
}

#[test]
fn a_client_from_the_environment_names_the_variable_that_is_missing() {
    let error = Client::from_env("TRADEAPI_NOBODY_SETS_THIS").unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string(), "`main` prints it");
    assert_eq!(error, BuildError::Environment { name: "TRADEAPI_NOBODY_SETS_THIS_URL".to_owned() });
}

/// A header can choose the market, so none of the environment is left out in silence.
#[test]
fn headers_of_the_environment_are_sent_or_refused() {
    const PREFIX: &str = "CLIENT_WITH_HEADERS";
    if std::env::var_os(format!("{PREFIX}_URL")).is_some() {
        let call = async |client: Client| client.unified().get_account_assets(&GetAccountAssets::new()).await;
        let client = Client::builder_from_env(PREFIX).and_then(|builder| builder.header("locale", "zh-CN").build());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return match client {
            Ok(client) => drop(runtime.block_on(call(client))),
            Err(error) => println!("{error}"),
        };
    }
    let test = "everyday::headers_of_the_environment_are_sent_or_refused";
    let cases = [
        ("paptrading=1", Ok([Some("1"), Some("zh-CN")])),
        (" PAPTRADING = 1 ,locale=en-US", Ok([Some("1"), Some("zh-CN")])),
        ("", Err("CLIENT_WITH_HEADERS_HEADERS")),
        ("paptrading", Err("the header \"paptrading\" is not NAME=VALUE")),
        ("paptrading=1,paptrading=0", Err("the header \"paptrading\" is set twice")),
        ("paper=1", Err("the header \"paper\" is not one of")),
    ];
    for (headers, expected) in cases {
        let server = ScriptedServer::start().unwrap();
        let url = server.url();
        server.answer_next(Answer::json(r#"{"code":"00000","msg":"success","data":{}}"#));
        let variables =
            [("URL", url.as_str()), ("KEY", "k"), ("SECRET", "s"), ("PASSPHRASE", "p"), ("HEADERS", headers)];
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .envs(variables.map(|(name, value)| (format!("{PREFIX}_{name}"), value)))
            .output()
            .unwrap();
        let (text, requests) = (String::from_utf8_lossy(&output.stdout), server.take_requests());
        match expected {
            Ok(sent) => {
                assert_eq!(["paptrading", "locale"].map(|name| requests[0].header(name)), sent, "{headers}: {text}")
            }
            Err(why) => assert!(text.contains(why) && requests.is_empty(), "{headers}: {text}"),
        }
    }
}

#[tokio::test]
async fn the_demo_market_is_one_call_away() {
    let server = ScriptedServer::start().unwrap();
    let query = GetAccountAssets::new();
    for (builder, sent) in [(Client::demo(server.url()), Some("1")), (Client::builder(server.url()), None)] {
        let client = builder.credentials(Credentials::new("key", "secret", "passphrase")).build().unwrap();
        server.answer_next(Answer::json(r#"{"code":"40099","msg":"exchange environment is incorrect"}"#));
        let error = client.unified().get_account_assets(&query).await.unwrap_err();
        assert_eq!(server.take_requests()[0].header("paptrading"), sent);
        assert_eq!(error.remedy(), Some("use a demo key with the market demo, and a live key without it"));
    }
}

/// Operations of the other kind of account refuse the key.
#[tokio::test]
async fn the_error_for_a_key_of_the_other_kind_of_account_names_its_family() {
    let exchange = Exchange::new(Seed(4));
    let client = exchange.client();
    exchange.refuse_next("40084");
    let error = client.unified().place_order(&order("a")).await.unwrap_err();
    let text = format!("{error:?}");
    assert_eq!(error.outcome(), Outcome::NotDone);
    assert!(text.ends_with("\nuse the operations of the family classic, or a key of a unified account"), "{text}");
}

/// Each family is asked once for a client and its clones.
#[tokio::test]
async fn a_client_asks_once_which_families_serve_its_key() {
    for (accounts, served, refused) in [
        (Accounts::Unified, &["unified"][..], &[("classic", "40085")][..]),
        (Accounts::Classic, &["classic"], &[("unified", "40084")]),
        (Accounts::Both, &["classic", "unified"], &[]),
    ] {
        let exchange = Exchange::with(Settings::default(), Time::by_hand(), Profile::new().accounts(accounts));
        let calls = Arc::<Mutex<Vec<&str>>>::default();
        let noted = Arc::clone(&calls);
        let client = exchange.client_of(exchange.keys());
        let client = client.metrics(move |call| noted.lock().unwrap().push(call.operation)).build().unwrap();
        for client in [client.clone(), client.clone(), client] {
            let families = client.served_families().await.unwrap();
            let codes: Vec<_> = families.refused.iter().map(|refused| (refused.family, refused.code)).collect();
            assert_eq!((families.served.as_slice(), codes.as_slice()), (served, refused), "{accounts}");
        }
        let calls = calls.lock().unwrap();
        assert_eq!(*calls, ["classic.orders-pending", "unified.unfilled-orders"], "{accounts}");
    }
}

/// Two independent clients together do not exceed the limit of their key.
#[tokio::test]
async fn clients_with_the_same_key_share_their_limits() {
    let server = ScriptedServer::start().unwrap();
    let client = |key: &str| -> Client {
        let credentials = Credentials::new(key, "secret", "passphrase");
        Client::builder(server.url()).credentials(credentials).limits(LimitMode::Refuse).build().unwrap()
    };
    let (one, two, other) = (client("one-key"), client("one-key"), client("another-key"));
    let cancel = CancelAllOrders::new(Category::UsdtFutures);
    let mut sent = 0;
    for round in 0..20 {
        let client = if round % 2 == 0 { &one } else { &two };
        server.answer_next(Answer::json(r#"{"code":"00000","data":{"list":[]}}"#));
        match client.call(&cancel).await {
            Err(Error::Limited(_)) => break,
            _ => sent += 1,
        }
    }
    assert_eq!(sent, 5, "the limit is five calls a second");
    assert!(matches!(two.call(&cancel).await, Err(Error::Limited(_))));
    assert!(!matches!(other.call(&cancel).await, Err(Error::Limited(_))));
}

#[tokio::test]
async fn calls_are_counted_by_operation() {
    let exchange = Exchange::new(Seed(3));
    let counts = Arc::<Mutex<HashMap<_, u32>>>::default();
    let noted = counts.clone();
    let client = exchange
        .client_of(exchange.keys())
        .metrics(move |call| {
            assert!(call.took >= call.waited && call.waited == Duration::ZERO && call.attempt == 1);
            *noted.lock().unwrap().entry((call.operation, call.call_result.as_str())).or_default() += 1;
        })
        .build()
        .unwrap();
    client.unified().place_order(&order("a")).await.unwrap();
    client.unified().place_order(&order("b")).await.unwrap();
    exchange.refuse_next("40762");
    client.unified().place_order(&order("c")).await.unwrap_err();
    let counts = counts.lock().unwrap();
    let of = |how: &str| counts.iter().filter(|((_, text), _)| *text == how).map(|(_, count)| *count).sum::<u32>();
    assert_eq!((counts.len(), of("success")), (2, 2));
}

/// A market order can state its time in force, and need not.
#[tokio::test]
async fn a_market_order_takes_a_time_in_force() {
    use tradeapi::unified::TimeInForce;
    use tradeapi::{Operation, classic};

    let place = |execution| PlaceOrder::new(Category::Spot, "BTCUSDT", dec!(100), Side::Buy, execution);
    let futures = |execution| {
        let (usdt, crossed) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
        classic::PlaceOrder::new("BTCUSDT", usdt, crossed, "USDT", dec!(0.1), classic::Side::Buy, execution)
    };
    let (plain, ioc) = (Execution::Market, Execution::market().time_in_force(TimeInForce::Ioc));
    assert_eq!(Execution::from(Execution::market()), plain);
    let force = classic::Execution::market().force(classic::Force::Ioc);
    let server = ScriptedServer::start().unwrap();
    let credentials = Credentials::new("key", "secret", "passphrase");
    let client = Client::builder(server.url()).credentials(credentials).build().unwrap();
    for _ in 0..4 {
        server.answer_next(Answer::json(r#"{"code":"00000","msg":"success","data":{"orderId":"1","clientOid":""}}"#));
    }
    client.unified().place_order(&place(plain.clone())).await.unwrap();
    client.unified().place_order(&place(ioc.clone().into())).await.unwrap();
    client.classic().place_order(&futures(classic::Execution::Market)).await.unwrap();
    client.classic().place_order(&futures(force.clone().into())).await.unwrap();
    let sent: Vec<_> = server.requests().iter().map(tradeapi_tests::loopback::Request::text).collect();
    let words = |text: &String| ["timeInForce", "force"].map(|word| text.contains(&format!(r#""{word}":"ioc""#)));
    let words: Vec<_> = sent.iter().map(words).collect();
    assert_eq!(words, [[false, false], [true, false], [false, false], [false, true]]);
    assert!(sent.iter().all(|text| text.contains(r#""orderType":"market""#)));
    assert_eq!(PlaceOrder::from_json(&sent[0]).unwrap().execution, plain);
    assert_eq!(PlaceOrder::from_json(&sent[1]).unwrap().execution, ioc.into());
    assert_eq!(classic::PlaceOrder::from_json(&sent[3]).unwrap().execution, force.into());
}
