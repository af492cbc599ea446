//! The exchange stands: connections that do nothing, requests that stop halfway, ends and torn files, wrong setups, and
//! losses beyond what an account has.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use rust_decimal::Decimal;
use serde_json::json;
use tokio::net::TcpListener;
use tradeapi::classic;
use tradeapi::dec;
use tradeapi::observed::{self, SetLeverage};
use tradeapi::unified::{self, MarginMode, OrderStatus, PosSide, Side};
use tradeapi_exchange::server::{self, Site};
use tradeapi_exchange::{Exchange, Family, Fault, FaultKind, FaultTarget, Mode, Profile, Seed, Setup, Time, torn_line};

use crate::fixture::{Fixture, classic_market, code, limit, market};
use crate::http::Program;
use crate::raw::{get, post};

const STATE: &str = "GET /-/state HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";

async fn served(change: impl FnOnce(&mut Site)) -> SocketAddr {
    let mut site = Site::default();
    change(&mut site);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve_with(listener, Exchange::new(Seed(7)), site));
    address
}

/// Returns the first line of the answer to some bytes, which may be a part of a request.
async fn first_line(address: SocketAddr, bytes: &'static str) -> String {
    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        let mut answer = vec![0; 1_000];
        let length = stream.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    });
    answer.await.unwrap().lines().next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_make_room_for_others() {
    let address = served(|site| site.connections = 4).await;
    let idle: Vec<_> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
    assert_eq!(first_line(address, STATE).await, "HTTP/1.1 200 OK");
    drop(idle);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_not_sent_ends_its_request() {
    let address = served(|site| site.body_time = Duration::from_millis(50)).await;
    let half = "POST /-/reset HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\n{";
    assert_eq!(first_line(address, half).await, "HTTP/1.1 408 Request Timeout");
    let chunk = "POST /x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    assert_eq!(first_line(address, chunk).await, "HTTP/1.1 400 Bad Request");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_cut_has_a_beginning() {
    let exchange = Exchange::new(Seed(7));
    exchange.add_fault(Fault::new(FaultKind::Cut).target(FaultTarget::All).times(1));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve_with(listener, exchange, Site::default()));
    let request = "GET /api/v2/public/time HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    });
    let answer = answer.await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    assert_eq!(body.len(), length.parse::<usize>().unwrap() / 2, "{answer}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_terminated_exchange_writes_the_end_of_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("journal");
    let mut program = Program::start(&["--port", "0", "--journal", file.to_str().unwrap()]);
    let client = program.client();
    for number in 0..20 {
        client.unified().place_order(&limit(&format!("a{number}"), Side::Buy, "0.01", "60000")).await.unwrap();
    }
    program.terminate();
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("place-order").count(), 20);
    assert!(Exchange::replay(&text).is_ok());

    // A program that is killed while it writes leaves a torn line.
    let torn = &text[..text.len() - 7];
    assert!(torn_line(torn).is_some_and(|line| line.starts_with('{')) && torn_line(&text).is_none());
    std::fs::write(&file, torn).unwrap();
    let replayed = Program::run(&["replay", file.to_str().unwrap()]);
    let warning = String::from_utf8(replayed.stderr).unwrap();
    assert!(replayed.status.success() && warning.contains("the last line is torn"), "{warning}");
    let middle = text.replacen("\"request\"", "\"reques", 1);
    assert!(Exchange::replay(&middle).is_err(), "any other line is an error");
}

#[cfg(unix)]
#[tokio::test]
async fn an_exchange_whose_output_nobody_reads_ends_as_any_other() {
    let mut program = Program::start(&["--port", "0"]);
    // It has read the first lines and closed the pipe.
    let client = program.client();
    let refused = client.unified().place_order(&limit("a", Side::Buy, "0.01", "60000.05")).await;
    assert!(code(refused).is_some(), "the exchange has a broken rule to print at its end");
    program.terminate();
    assert_eq!(program.failures(), "");
}

#[test]
fn wrong_setups_are_refused_with_what_is_wrong() {
    let pair = |tick: &str, symbol: &str| {
        format!(
            "instruments: [{{ line: USDT-FUTURES, symbol: {symbol}, base: A, quote: USDT, tick: {tick}, step: 1, opening: 1 }}]"
        )
    };
    let prices = |steps: &str| format!("prices: [{{ symbol: BTCUSDT, steps: [{steps}] }}]");
    for (setup, why) in [
        (pair("0", "AUSDT"), "AUSDT: tick 0: expected a number above 0"),
        (pair("1e-13", "AUSDT"), "AUSDT: tick 0.0000000000001: expected"),
        (pair("0.3", "AUSDT"), "AUSDT: opening 1: expected more than five ticks of 0.3"),
        (pair("0.1", "AUSDT").replace("USDT-FUTURES", "MARGIN"), "AUSDT: line MARGIN: expected SPOT"),
        (
            pair("0.1", "AUSDT").replace("step: 1", "step: 1, least: 0"),
            "AUSDT: least 0: expected 1 to 1000000000 steps",
        ),
        (pair("0.1", "AUSDT").replace("opening: 1", "opening: 100000000000"), "AUSDT: opening 100000000000: expected"),
        (
            pair("0.000000001", "AUSDT").replace("step: 1", "step: 0.00000001"),
            "AUSDT: tick and step 0.000000001 and 0.00000001: expected at most 16",
        ),
        ("faults: [{ kind: slow }]".to_owned(), "the fault slow: expected a delay above 0"),
        ("faults: [{ kind: refuse }]".to_owned(), "missing code: refuse needs one, such as 40762"),
        ("faults: [{ kind: drop, per_mille: 0 }]".to_owned(), "the fault drop: expected per_mille from 1 to 1000"),
        ("faults: [{ kind: drop, delay: 3600001 }]".to_owned(), "the fault drop: expected a delay of up to 3600000"),
        ("faults: [{ kind: drop, aim: everything }]".to_owned(), "invalid aim \"everything\""),
        ("faults: [{ kind: drop, aim: { operation: nothing } }]".to_owned(), "invalid aim \"nothing\""),
        ("conditions: { latency: [3600001] }".to_owned(), "latency 3600001: expected up to 3600000"),
        ("conditions: { clocks: [86400001] }".to_owned(), "clocks 86400001: expected"),
        ("conditions: { lag: 3600001 }".to_owned(), "lag 3600001: expected"),
        (
            "reports: { insider_trades: { AAPL: [{ reporter: x }] } }".to_owned(),
            "insider trade 1 of AAPL: unknown field `reporter`: expected one of",
        ),
        (pair("0.1", "BTCUSDT"), "BTCUSDT of USDT-FUTURES is there twice"),
        ("prices: [{ symbol: NOUSDT, steps: [[0, 1]] }]".to_owned(), "NOUSDT: there is no such pair"),
        (prices(""), "BTCUSDT: there is none"),
        (prices("[0, -5]"), "price -5 of BTCUSDT"),
        (prices("[0, 64000], [9, 0]"), "prices of BTCUSDT: at 9 ms: invalid price 0 of BTCUSDT"),
        (prices("[0, 1e27]"), "price 1000000000000000000000000000 of BTCUSDT"),
        ("users: [{ balances: { USDT: -1 } }]".to_owned(), "balance of -1 USDT"),
        ("users: [{ permissions: [everything] }]".to_owned(), "unknown permission `everything`"),
        ("settings: { refusal_status: 99 }".to_owned(), "refusal_status 99"),
        (pair("0.1", "'A B'"), "symbol \"A B\": expected letters"),
        (pair("0.1", "AUSDC").replace("quote: USDT", "quote: USDC"), "quote USDC: USDT-FUTURES are quoted in USDT"),
        (pair("0.1", "UUSDT").replace("base: A", "base: USDT"), "base and quote are both USDT"),
        ("users: [{ balances: { NONE: 1 } }]".to_owned(), "balance of NONE: no pair has this coin"),
        ("users: [{ copy_trading: [NOUSDT] }]".to_owned(), "there is no pair NOUSDT"),
        ("users: [{ vip_level: '9' }]".to_owned(), "vip_level: "),
        (
            prices("[0, 64000]").replace("}]", "}, { symbol: BTCUSDT, steps: [[9, 64000]] }]"),
            "BTCUSDT: they are there twice",
        ),
        ("conditions: { latency: [20, 5] }".to_owned(), "latency [20, 5]: expected quantiles"),
        ("conditions: { hostility: { faults: 140 } }".to_owned(), "faults 140: expected a percentage"),
        ("conditions: { hostility: { nodes: [{ share: 0 }] } }".to_owned(), "share 0 of a node"),
    ] {
        let error = Setup::from_yaml(&setup).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(why), "{setup}: {error}");
    }
    assert!(Setup::from_yaml(&pair("0.1", "AUSDT")).is_ok() && Setup::from_yaml(&prices("[0, 64000]")).is_ok());
    let unknown = Program::run(&["--port", "0", "--prices", "NOUSDT=/dev/null"]);
    assert!(!unknown.status.success());
}

/// The example of the guide is a setup, and its fault refuses the first change.
#[tokio::test]
async fn the_setup_of_the_guide_is_one() {
    let guide = include_str!("../../../../generated/guide/local-exchange.md");
    let (_, rest) = guide.split_once("```yaml\n").unwrap();
    let (yaml, _) = rest.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("setup.yaml");
    std::fs::write(&file, yaml).unwrap();
    let (_program, client) = Program::served(&["--setup", file.to_str().unwrap()]);
    let order = limit("a", Side::Buy, "0.01", "60000").pos_side(PosSide::Long);
    let place = async || code(client.unified().place_order(&order).await);
    assert_eq!([place().await.as_deref(), place().await.as_deref()], [Some("40762"), None]);
}

#[test]
fn a_fault_is_written_in_yaml_as_in_a_journal() {
    for (kind, aim) in [
        ("{ refuse: '40762' }", "changes"),
        ("{ refuse: 40762 }", "all"),
        ("late-gateway", "unified.place-order"),
        ("drop", "{ operation: unified.place-order }"),
    ] {
        let setup = Setup::from_yaml(&format!("faults: [{{ kind: {kind}, aim: {aim} }}]")).unwrap();
        let json = serde_json::to_string(&setup).unwrap();
        let again: Setup = serde_json::from_str(&json).unwrap();
        assert_eq!(again.faults, setup.faults, "{json}");
    }
    let older = r#"{"trouble":{"refuse":"40762"},"aim":{"operation":"unified.place-order"},"times":null}"#;
    assert!(serde_json::from_str::<Fault>(older).is_ok());
}

/// Whatever the numbers of a pair, the setup refuses them, or the exchange trades it without an overflow.
#[test]
fn a_pair_of_any_numbers_is_refused_or_traded() {
    let numbers = ["0.000000000001", "0.00000001", "1", "1000", "1000000000"];
    let lines = [("USDT-FUTURES", "AUSDT", "USDT"), ("SPOT", "AUSDT", "USDT"), ("COIN-FUTURES", "AUSD_CM", "USD")];
    let mut traded = 0;
    for (tick, step) in numbers.into_iter().flat_map(|tick| numbers.map(|step| (tick, step))) {
        for (opening, least) in [("0.0000001", "1"), ("100", "1"), ("10000000000", "1"), ("1000000000000", "99999999")]
        {
            for (line, symbol, quote) in lines {
                let setup = format!(
                    "users: [{{ balances: {{ A: 1000000000000, USDT: 1000000000000 }} }}]\n\
                     instruments: [{{ line: {line}, symbol: {symbol}, base: A, quote: {quote}, tick: {tick}, \
                     step: {step}, opening: {opening}, least: {least} }}]"
                );
                let Ok(setup) = Setup::from_yaml(&setup) else { continue };
                traded += 1;
                let exchange = Exchange::of(setup, Time::by_hand());
                for qty in [step, "1", "1000", "1000000000"] {
                    for side in ["buy", "sell"] {
                        let order = json!({"category": line, "symbol": symbol, "side": side, "orderType": "market",
                                           "qty": qty, "clientOid": format!("{side}{qty}")});
                        post("/api/v3/trade/place-order", &order).send(&exchange);
                    }
                    exchange.time().advance(Duration::from_secs(3600));
                }
                let _ = exchange.account(exchange.keys(), Family::Unified);
                get(&format!("/api/v3/market/instruments?category={line}")).send(&exchange);
            }
        }
    }
    assert!(traded > 20, "{traded} of them are possible");
}

#[tokio::test]
async fn an_isolated_loss_ends_at_its_margin() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 10_000));
    let order = market("a", Side::Buy, "0.100").margin_mode(MarginMode::Isolated);
    fixture.client.unified().place_order(&order).await.unwrap();
    let margin = fixture.unified().positions[0].margin;
    let before = fixture.unified().balances["USDT"].total;
    // Far below the price of liquidation: the loss at the market is greater than the margin.
    fixture.exchange.set_price("BTCUSDT", 40_000).unwrap();
    assert_eq!(fixture.unified().positions.len(), 0);
    assert_eq!(fixture.unified().balances["USDT"].total, before - margin);
}

#[tokio::test]
async fn no_liquidation_leaves_a_balance_below_zero() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 1_000));
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
    fixture.exchange.set_price("BTCUSDT", 40_000).unwrap();
    let balance = fixture.unified().balances["USDT"];
    assert_eq!((balance.total, balance.available), (Decimal::ZERO, Decimal::ZERO));
}

#[tokio::test]
async fn no_funding_leaves_a_balance_below_zero() {
    let fixture = Fixture::with(|settings| settings.liquidation = false, Profile::new().both().balance("USDT", 700));
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
    // It pays 0.64 three times a day.
    fixture.exchange.time().advance(Duration::from_secs(400 * 24 * 60 * 60));
    assert_eq!(fixture.unified().balances["USDT"].total, Decimal::ZERO);
    assert!(fixture.exchange.insurance()["USDT"] < Decimal::ZERO);
}

#[tokio::test]
async fn a_position_keeps_its_margin_mode() {
    let fixture = Fixture::one_way();
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
    let isolated = market("b", Side::Buy, "0.001").margin_mode(MarginMode::Isolated);
    assert_eq!(code(fixture.client.unified().place_order(&isolated).await).as_deref(), Some("25200"));
    fixture.client.unified().place_order(&market("c", Side::Buy, "0.001")).await.unwrap();
    fixture.exchange.set_price("BTCUSDT", 57_000).unwrap();
    assert_eq!(fixture.unified().positions.len(), 1, "an isolated position would be liquidated");
}

#[tokio::test]
async fn no_trade_leaves_a_balance_below_zero() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 1_000));
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
    // The mark price stays, so that nothing is liquidated; the position is sold far below it.
    fixture.exchange.set_mark_price("BTCUSDT", Some(64_000.into())).unwrap();
    fixture.exchange.set_price("BTCUSDT", 40_000).unwrap();
    fixture.client.unified().place_order(&market("b", Side::Sell, "0.100")).await.unwrap();
    let balance = fixture.unified().balances["USDT"];
    assert_eq!((balance.total, balance.available), (Decimal::ZERO, Decimal::ZERO));
}

#[tokio::test]
async fn orders_that_close_one_position_share_it() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 700));
    let place = async |order| fixture.client.unified().place_order(&order).await;
    let balance = || fixture.unified().balances["USDT"];
    place(market("short", Side::Sell, "0.050")).await.unwrap();
    place(limit("a", Side::Buy, "0.050", "63000")).await.unwrap();
    assert_eq!(balance().frozen, Decimal::ZERO, "it closes the position");
    place(limit("b", Side::Buy, "0.050", "62000")).await.unwrap();
    assert_eq!(balance().frozen, dec!(311.86), "what it would open: 3,100 by ten, and the fee");
    assert_eq!(code(place(limit("c", Side::Buy, "0.050", "62000")).await).as_deref(), Some("40762"));
    // An order that trades at once closes the position first; the waiting one opens another and reserves funds.
    place(market("close", Side::Buy, "0.050")).await.unwrap();
    assert_eq!(balance().frozen, dec!(628.75));
    fixture.exchange.set_price("BTCUSDT", 61_000).unwrap();
    assert_eq!(fixture.unified().positions[0].qty.normalize().to_string(), "0.1");
    assert!(balance().total >= fixture.unified().positions[0].margin);
}

#[tokio::test]
async fn a_waiting_order_that_cannot_be_paid_any_more_is_cancelled() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 400));
    let place = async |order| fixture.client.unified().place_order(&order).await;
    place(market("short", Side::Sell, "0.050")).await.unwrap();
    place(limit("a", Side::Buy, "0.050", "63000")).await.unwrap();
    fixture.exchange.set_balance(&fixture.keys, Family::Unified, "USDT", 330).unwrap();
    fixture.exchange.set_price("BTCUSDT", 64_400).unwrap();
    place(market("close", Side::Buy, "0.050")).await.unwrap();
    let ended = fixture.details("a").await.unwrap();
    assert_eq!(ended.order_status, Some(OrderStatus::Cancelled), "315 and a fee exceed what is left");
    assert_eq!(fixture.unified().balances["USDT"].frozen, Decimal::ZERO);
}

#[tokio::test]
async fn a_change_of_leverage_can_liquidate() {
    let fixture = Fixture::one_way();
    let order = market("a", Side::Buy, "0.100").margin_mode(MarginMode::Isolated);
    fixture.client.unified().place_order(&order).await.unwrap();
    fixture.exchange.set_price("BTCUSDT", 63_000).unwrap();
    assert_eq!(fixture.unified().positions.len(), 1);
    let set = SetLeverage::new(observed::Category::UsdtFutures, 100).symbol("BTCUSDT");
    fixture.client.observed().set_leverage(&set).await.unwrap();
    assert_eq!(fixture.unified().positions.len(), 0, "a hundredth of the value does not cover the loss");
}

#[tokio::test]
async fn what_a_liquidation_and_a_close_of_a_hedge_do_stands_in_their_records() {
    let fixture = Fixture::one_way();
    let order = market("a", Side::Buy, "0.100").margin_mode(MarginMode::Isolated);
    fixture.client.unified().place_order(&order).await.unwrap();
    fixture.exchange.set_price("BTCUSDT", 30_000).unwrap();
    let history = unified::GetOrderHistory::new(unified::Category::UsdtFutures);
    let history = fixture.client.unified().get_order_history(&history).await.unwrap().data;
    assert!(history.list.iter().any(|order| order.delegate_type == Some(unified::DelegateType::Liquidation)));

    let fixture = Fixture::with(|_| {}, Profile::new().both().mode(Mode::Hedge).balance("USDT", 1_000));
    fixture.open(classic::Side::Buy, "0.1").await;
    let close = classic_market(classic::Side::Buy, "0.05").trade_side(classic::TradeSide::Close);
    fixture.client.classic().place_order(&close).await.unwrap();
    fixture.exchange.set_price("BTCUSDT", 30_000).unwrap();
    let history = classic::GetHistoryOrder::new(classic::ProductType::UsdtFutures);
    let history = fixture.client.classic().get_history_order(&history).await.unwrap().data;
    let said = history.entrusted_list.iter().map(|order| {
        let texts = (order.trade_side.as_ref()?.as_str(), order.enter_point_source.as_ref()?.as_str());
        Some((texts, order.reduce_only.as_ref()?.as_str()))
    });
    let said: Option<Vec<_>> = said.collect();
    let expected = [(("burst_close_long", "SYS"), "YES"), (("close", "API"), "YES"), (("open", "API"), "NO")];
    assert_eq!(said.unwrap(), expected);
}
