//! The control address of the page, over sockets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;
use tokio::net::TcpListener;
use tradeapi::Client;
use tradeapi::dec;
use tradeapi::unified::{GetOpenOrders, Side};
use tradeapi_exchange::{Exchange, Family, Profile, Seed, Settings, Time, server};

use crate::fixture::{code, limit, market};

/// Returns an exchange on its own port, whose time stands still.
pub(crate) async fn served(change: impl FnOnce(&mut Settings)) -> (Exchange, SocketAddr) {
    let mut settings = Settings::default();
    (settings.seed, settings.rate_limits) = (Seed(7), false);
    change(&mut settings);
    let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().both().balance("USDT", 100_000_000));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(listener, exchange.clone()));
    // It serves and logs requests from now on.
    ask(address, "GET /", &[], b"");
    (exchange, address)
}

/// Returns a client over sockets, whose requests the page shows.
pub(crate) fn client(exchange: &Exchange, address: SocketAddr) -> Client {
    let base = format!("http://{address}");
    let builder = Client::builder(base).credentials(exchange.keys().credentials()).checks(false);
    builder.clock(exchange.time().clone()).build().unwrap()
}

/// Sends a request with these headers and this body, and returns the head and the body of the answer.
pub(crate) fn ask(address: SocketAddr, target: &str, headers: &[(&str, &str)], body: &[u8]) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut head = format!("{target} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !headers.iter().any(|(name, _)| *name == "host") {
        head += &format!("host: {address}\r\n");
    }
    stream.write_all(&[head.as_bytes(), b"\r\n", body].concat()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).unwrap(), body)
}

/// Returns the status and the JSON of an answer.
pub(crate) fn json(address: SocketAddr, target: &str, headers: &[(&str, &str)]) -> (u16, Value) {
    let (head, body) = ask(address, target, headers, b"");
    (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_slice(&body).unwrap())
}

pub(crate) fn state(address: SocketAddr) -> Value {
    let (status, state) = json(address, "GET /-/state", &[]);
    assert_eq!(status, 200, "{state}");
    state
}

pub(crate) fn done(address: SocketAddr, target: &str) {
    let (status, answer) = json(address, target, &[]);
    assert_eq!((status, &answer), (200, &serde_json::json!({})), "{target}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_has_bounded_lists_the_newest_first_and_the_counts_of_all() {
    let (exchange, address) = served(|settings| settings.ceilings = false).await;
    let (near, over_sockets) = (exchange.client(), client(&exchange, address));
    for index in 0..2_000 {
        let price = (60_000 + index % 1_000).to_string();
        near.unified().place_order(&limit(&format!("order-{index}"), Side::Buy, "0.001", &price)).await.unwrap();
    }
    over_sockets.unified().place_order(&market("last", Side::Buy, "0.004")).await.unwrap();
    let state = state(address);
    let orders = &state["orders"];
    assert_eq!((orders["count"].as_u64(), orders["list"].as_array().unwrap().len()), (Some(2_000), 50));
    assert_eq!(orders["list"][0]["client"], "order-1999");
    assert_eq!(orders["list"][49]["client"], "order-1950");
    assert_eq!(orders["list"][0]["price"], "60999");
    assert_eq!(state["positions"]["list"][0]["qty"], "0.004");
    assert_eq!(state["market"]["bids"].as_array().unwrap().len(), 8);
    assert_eq!(state["requests"]["count"], 2_001);
    assert_eq!(state["requests"]["list"].as_array().unwrap().len(), 100);
    assert!(state.to_string().len() < 150_000, "{}", state.to_string().len());
    // The first account is the classic one.
    let (_, of_classic) = json(address, "GET /-/state?account=0&pair=6", &[]);
    assert_eq!((&of_classic["orders"]["count"], &of_classic["market"]["pair"]), (&0.into(), &6.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_shown_with_their_verdicts() {
    let (exchange, address) = served(|settings| settings.rate_limits = true).await;
    let client = client(&exchange, address);
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap();
    client.unified().place_order(&limit("b", Side::Buy, "0.01", "63000.01")).await.unwrap_err();
    exchange.refuse_next("40762");
    client.unified().place_order(&limit("c", Side::Buy, "0.01", "63000")).await.unwrap_err();
    exchange.hide_next("40725");
    client.unified().place_order(&limit("d", Side::Buy, "0.01", "63000")).await.unwrap_err();
    let state = state(address);
    let list = state["requests"]["list"].as_array().unwrap();
    let path = "/api/v3/trade/place-order";
    assert!(list.iter().all(|row| row["path"] == path && row["method"] == "POST" && row["user"] == "1000000"));
    let [hidden, on_purpose, broken, done] = list.as_slice() else { panic!("{list:?}") };
    assert!(done["code"].is_null() && done["parameters"].as_str().unwrap().contains(r#""clientOid":"a""#), "{done}");
    assert!(done["answer"].as_str().unwrap().contains("orderId"), "{done}");
    assert_eq!((&broken["code"], &broken["fault"]), (&"25244".into(), &Value::Null));
    assert!(broken["rule"].as_str().unwrap().contains("price"), "{broken}");
    assert_eq!((&on_purpose["code"], &on_purpose["fault"]["kind"]), (&"40762".into(), &"refuse".into()));
    assert_eq!((&hidden["code"], &hidden["fault"]["kind"]), (&"40725".into(), &"hide".into()));
    let limit = &state["limits"]["list"][0];
    let shown = [&limit["operation"], &limit["used"], &limit["calls"], &limit["seconds"]];
    assert_eq!(shown, [&Value::from("unified.place-order"), &3.into(), &10.into(), &1.into()], "{state}");
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_requests_are_escaped_and_secrets_are_not_shown() {
    let (exchange, address) = served(|_| {}).await;
    let texts: [&[u8]; 4] = [
        b"</script><img src=x onerror=alert(1)>\"\\\x00\x1f\x7f",
        b"\xff\xfe\xf0\x9f",
        &[b'"'; 500_000],
        "\u{2028}\u{202e}é".as_bytes(),
    ];
    for text in texts {
        ask(address, "POST /api/v3/trade/place-order?a=%3Cb%3E%00", &[], text);
        ask(address, "POST /api/v3/trade/%22%3Cscript%3E/x", &[], text);
    }
    client(&exchange, address).unified().get_open_orders(&GetOpenOrders::new()).await.unwrap();
    let state = state(address);
    assert_eq!(state["requests"]["count"], 9);
    let list = state["requests"]["list"].as_array().unwrap();
    let shown = |wanted: &str| list.iter().any(|row| row["parameters"].as_str().unwrap().starts_with(wanted));
    assert!(shown("</script><img src=x onerror=alert(1)>\"\\\u{0}\u{1f}\u{7f}") && shown("\u{2028}\u{202e}é"));
    assert!(list.iter().all(|row| row["parameters"].as_str().unwrap().chars().count() <= 401));
    let (keys, state) = (exchange.keys(), state.to_string());
    for secret in [&keys.key, &keys.secret, &keys.passphrase] {
        assert!(!state.contains(secret.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_page_neither_controls_nor_reads_the_exchange() {
    let (exchange, address) = served(|_| {}).await;
    let (own, port) = (format!("http://{address}"), address.port());
    let (rebound, before) = (format!("evil.example:{port}"), exchange.time().now());
    let foreign: [&[(&str, &str)]; 8] = [
        &[("origin", "http://evil.example")],
        &[("origin", "null")],
        &[("origin", "http://127.0.0.1:1")],
        &[("origin", &format!("https://{address}"))],
        &[("host", &rebound)],
        &[("host", &rebound), ("origin", &format!("http://{rebound}"))],
        &[("host", ""), ("origin", &own)],
        &[("sec-fetch-site", "same-site")],
    ];
    for headers in foreign {
        for target in
            ["GET /-/state", "POST /-/reset", "POST /-/time?step=1000", "POST /-/faults?kind=refuse&code=40762&times=1"]
        {
            let (status, answer) = json(address, target, headers);
            assert!(status == 403 && answer["error"].is_string(), "{target} {headers:?}: {status} {answer}");
        }
    }
    assert_eq!(exchange.time().now(), before);
    exchange.client().unified().place_order(&market("a", Side::Buy, "0.01")).await.unwrap();
    let (head, _) = ask(address, "GET /", &[("host", &rebound)], b"");
    assert!(head.starts_with("HTTP/1.1 403 "), "{head}");

    let local = format!("localhost:{port}");
    let at_home: [&[(&str, &str)]; 3] = [
        &[("origin", &own), ("sec-fetch-site", "same-origin")],
        &[("host", &local), ("origin", &format!("http://{local}"))],
        &[("sec-fetch-site", "none")],
    ];
    for headers in at_home {
        assert_eq!(json(address, "POST /-/time?step=1", headers).0, 200, "{headers:?}");
    }
    let (head, _) = ask(address, "GET /", &[("sec-fetch-site", "cross-site")], b"");
    assert!(head.starts_with("HTTP/1.1 200 "), "a link to the page: {head}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_prices_and_faults_are_controlled() {
    let (exchange, address) = served(|_| {}).await;
    let client = client(&exchange, address);
    let before = exchange.time().now().as_millis();
    done(address, "POST /-/time?step=60000");
    assert_eq!(exchange.time().now().as_millis(), before + 60_000);
    done(address, "POST /-/time?speed=100");
    assert_eq!((exchange.time().speed(), state(address)["speed"].as_u64()), (100, Some(100)));
    done(address, "POST /-/time?speed=0");
    assert_eq!(state(address)["now"], state(address)["now"]);

    done(address, "POST /-/price?symbol=BTCUSDT&price=65000.5");
    let market_of = state(address)["market"].clone();
    assert_eq!((&market_of["last"], &market_of["prices"][0]["price"]), (&"65000.5".into(), &"65000.5".into()));

    done(address, "POST /-/faults?kind=refuse&code=40762&times=1");
    assert_eq!(state(address)["faults"]["list"][0]["code"], "40762");
    let refused = client.unified().place_order(&market("a", Side::Buy, "0.01")).await;
    assert_eq!(code(refused), Some("40762".to_owned()));
    done(address, "POST /-/faults?kind=hide&code=40725");
    done(address, "POST /-/faults?clear=all");
    client.unified().place_order(&market("a", Side::Buy, "0.01")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_keeps_keys_and_continues_ids() {
    let (exchange, address) = served(|_| {}).await;
    let client = client(&exchange, address);
    let place = async |name: &str| {
        let placed = client.unified().place_order(&limit(name, Side::Buy, "0.01", "63000")).await.unwrap();
        placed.data.order_id.unwrap().as_str().parse::<u64>().unwrap()
    };
    exchange.time().advance(std::time::Duration::from_secs(3));
    let (now, first) = (exchange.time().now(), place("a").await);
    client.unified().place_order(&market("b", Side::Buy, "0.01")).await.unwrap();
    let beginning = Exchange::new(Seed(7)).account(exchange.keys(), Family::Unified).positions;
    done(address, "POST /-/reset");
    let account = exchange.account(exchange.keys(), Family::Unified);
    assert!(account.open_orders.is_empty() && account.positions == beginning);
    assert_eq!(account.balances["USDT"].total, dec!(100_000_000));
    assert_eq!((exchange.time().now(), state(address)["requests"]["list"].as_array().unwrap().len()), (now, 0));
    assert!(place("a").await > first, "the clientOid is free again, and the id is new");
    assert_eq!(state(address)["requests"]["count"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_control_request_is_refused_with_a_reason() {
    let (exchange, address) = served(|_| {}).await;
    let before = state(address).to_string();
    for (target, status, why) in [
        ("GET /-/nothing", 404, "/-/nothing"),
        ("GET /-/reset", 405, "POST"),
        ("POST /-/state", 405, "GET"),
        ("POST /", 405, "GET"),
        ("GET /-/state?pair=x", 400, "pair"),
        ("POST /-/time", 400, "speed"),
        ("POST /-/time?speed=1001", 400, "1000"),
        ("POST /-/time?speed=-1", 400, "-1"),
        ("POST /-/time?step=99999999999999999999", 400, "step"),
        ("POST /-/time?speed=3&step=x", 400, "step"),
        ("POST /-/price?symbol=BTCUSDT", 400, "price"),
        ("POST /-/price?symbol=BTCUSDT&price=x", 400, "number"),
        ("POST /-/price?symbol=BTCUSDT&price=-1", 400, "valid price"),
        ("POST /-/price?symbol=BTCUSDT&price=1e99", 400, "price"),
        ("POST /-/price?symbol=%3Cb%3E&price=1", 400, "no pair"),
        ("POST /-/faults?kind=refuse&code=%22", 400, "letters and digits"),
        ("POST /-/faults?kind=refuse", 400, "missing code"),
        ("POST /-/faults?kind=fire", 400, "expected refuse, hide"),
        ("POST /-/faults?aim=unified.nothing", 400, "unified.nothing"),
        ("POST /-/faults?share=1.1", 400, "from 0 to 1"),
        ("POST /-/faults?delay=x", 400, "delay"),
        ("POST /-/conditions?clocks=1,x", 400, "clocks"),
        ("POST /-/conditions?latency=-1", 400, "latency"),
        ("POST /-/conditions?maintenance=maybe", 400, "on or off"),
        ("GET /-/journal", 404, "--journal"),
    ] {
        let (found, answer) = json(address, target, &[]);
        let error = answer["error"].as_str().unwrap();
        assert!(found == status && error.contains(why), "{target}: {found} {error}");
    }
    assert_eq!(state(address).to_string(), before);
    for _ in 0..100 {
        done(address, "POST /-/faults?kind=refuse&code=1");
    }
    assert_eq!(json(address, "POST /-/faults?kind=refuse&code=1", &[]).0, 400);
    exchange.clear_faults();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_one_file_without_external_requests() {
    let (_, address) = served(|_| {}).await;
    let (head, body) = ask(address, "GET /", &[], b"");
    let page = String::from_utf8(body).unwrap();
    assert!(head.contains("content-type: text/html; charset=utf-8"), "{head}");
    assert!(head.contains("default-src 'none'") && head.contains("frame-ancestors 'none'"), "{head}");
    let namespace = "http://www.w3.org/2000/svg";
    let without = page.replace(namespace, "");
    assert!(!without.contains("://") && !without.contains("@import") && !without.contains("src="), "an address");
    for unsafe_way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        assert!(!page.contains(unsafe_way), "{unsafe_way}");
    }
}
