//! Rate limits that two clients share, with an exchange that counts.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tradeapi::runtime::Operation;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::limits::{Classes, InProcessLimits, OpenOrders};
use tradeapi::runtime::tables::{CallResult, Meta, RateLimit};
use tradeapi::unified::{
    CEILINGS, CancelOrder, Category, Execution, GetInsiderTrades, OrderId, OrderRef, PlaceOrder, Side,
};
use tradeapi::{Client, Credentials, Decimal, Error, Timestamp, VipLevel, classic};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

const SECOND: Duration = Duration::from_secs(1);

/// Returns an exchange that records the arrival times of calls.
fn exchange() -> (ScriptedServer, Arc<Mutex<Vec<Instant>>>) {
    let server = ScriptedServer::start().unwrap();
    let came: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let log = Arc::clone(&came);
    server.answer_otherwise(move |_| {
        log.lock().unwrap().push(Instant::now());
        Answer::json(r#"{"code":"00000","data":{"orderId":"1"}}"#)
    });
    (server, came)
}

fn client(server: &ScriptedServer, limits: &Arc<InProcessLimits>, mode: LimitMode) -> Client {
    Client::builder(server.url())
        .credentials(Credentials::new("key", "secret", "passphrase"))
        .limiter(limits.clone())
        .limits(mode)
        .build()
        .unwrap()
}

fn cancel() -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(OrderId::from("1")))
}

fn order(symbol: &str) -> PlaceOrder {
    let qty: Decimal = "1".parse().unwrap();
    PlaceOrder::new(Category::Spot, symbol, qty, Side::Buy, Execution::Market)
}

/// The exchange counts, so the result does not depend on the load of the machine.
#[tokio::test]
async fn two_clients_keep_one_limit_as_the_exchange_counts_it() {
    let (server, came) = exchange();
    let limits = Arc::new(InProcessLimits::default());
    let clients = [(); 2].map(|()| client(&server, &limits, LimitMode::Wait));
    let mut calls = JoinSet::new();
    for number in 0..25 {
        let client = clients[number % 2].clone();
        calls.spawn(async move { client.unified().cancel_order(&cancel()).await.unwrap().waited });
    }
    let waited = calls.join_all().await;
    assert_eq!(waited.iter().filter(|waited| waited.is_zero()).count(), 10, "{waited:?}");
    let came = came.lock().unwrap();
    assert_eq!(came.len(), 25);
    assert!(came.windows(11).all(|calls| calls[10] - calls[0] >= SECOND), "{came:?}");
}

/// Returns a proxy of `server` that takes `late` to accept a connection. Returns its address.
fn accepting_late(server: &ScriptedServer, late: Duration) -> String {
    let there = server.url().trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let carry = |mut from: TcpStream, mut to: TcpStream| {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    };
    thread::spawn(move || {
        for here in listener.incoming().flatten() {
            let there = there.clone();
            thread::spawn(move || {
                thread::sleep(late);
                let there = TcpStream::connect(there).unwrap();
                let (from, to) = (here.try_clone().unwrap(), there.try_clone().unwrap());
                thread::spawn(move || carry(from, to));
                carry(there, here);
            });
        }
    });
    url
}

/// The first calls wait for their connections, and arrive when calls of the next window could be sent.
#[tokio::test]
async fn slow_connections_do_not_merge_two_windows() {
    let (server, came) = exchange();
    let client = Client::builder(accepting_late(&server, Duration::from_millis(250)))
        .credentials(Credentials::new("key", "secret", "passphrase"))
        .build()
        .unwrap();
    let mut calls = JoinSet::new();
    for _ in 0..30 {
        let client = client.clone();
        calls.spawn(async move { client.unified().cancel_order(&cancel()).await.unwrap() });
    }
    calls.join_all().await;
    let came = came.lock().unwrap();
    assert_eq!(came.len(), 30);
    assert!(came.windows(11).all(|calls| calls[10] - calls[0] >= SECOND), "{came:?}");
}

#[tokio::test]
async fn a_refused_call_does_not_reach_the_exchange() {
    let (server, came) = exchange();
    let limits = Arc::new(InProcessLimits::default());
    let clients = [(); 2].map(|()| client(&server, &limits, LimitMode::Refuse));
    let mut refused = 0;
    for client in clients.iter().cycle().take(30) {
        match client.unified().cancel_order(&cancel()).await {
            Ok(_) => {}
            Err(Error::Limited(limited)) => {
                refused += 1;
                assert!(limited.free_in <= SECOND + Duration::from_millis(5), "{limited:?}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    let sent = came.lock().unwrap().len();
    assert_eq!(sent + refused, 30);
    assert!(refused > 0 || came.lock().unwrap().last().unwrap().elapsed() > SECOND);
}

/// The exchange counts an address, so the keys and the limiters of its clients make no difference.
#[tokio::test]
async fn all_clients_of_an_address_keep_its_rate_together() {
    let (server, came) = exchange();
    let client = |key: Option<&str>, address: &str, calls| {
        let builder = Client::builder(server.url()).limits(LimitMode::Refuse).source_address(address);
        let builder = builder.address_calls(calls).limiter(Arc::new(InProcessLimits::default()));
        match key {
            Some(key) => builder.credentials(Credentials::new(key, "secret", "passphrase")).build().unwrap(),
            None => builder.build().unwrap(),
        }
    };
    let here = [client(Some("one"), "here", 4), client(Some("other"), "here", 4), client(None, "here", 4)];
    let mut refused = Vec::new();
    for client in &here[..2] {
        for _ in 0..3 {
            match client.unified().cancel_order(&cancel()).await {
                Err(Error::Limited(limited)) => refused.push(limited),
                sent => drop(sent.unwrap()),
            }
        }
    }
    let public = here[2].unified().get_insider_trades(&GetInsiderTrades::new("AAPL")).await;
    assert!(matches!(public, Err(Error::Limited(_))), "{public:?}");
    assert_eq!((came.lock().unwrap().len(), refused.len()), (4, 2));
    assert!(refused.iter().all(|limited| limited.free_in > Duration::from_secs(55)), "{refused:?}");
    let shown = Error::Limited(refused.remove(0)).to_string();
    assert!(shown.contains("4 calls") && shown.contains("of all operations"), "{shown}");
    let plan = here[0].core().plan(&vec![here[0].core().limited(&cancel()); 9]);
    assert!(plan.lasts > Duration::from_secs(115), "{plan}");
    for (address, calls) in [("there", 4), ("here", u32::MAX)] {
        client(Some("one"), address, calls).unified().cancel_order(&cancel()).await.unwrap();
    }
    let rate = tradeapi::API.refused_address.unwrap().rate.unwrap();
    assert_eq!((rate.calls, rate.window()), (6_000, Duration::from_secs(60)));
}

/// The exchange does not count a call that was not sent.
#[tokio::test]
async fn a_call_without_a_connection_takes_no_room() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let client = Client::builder(format!("http://{closed}"))
        .credentials(Credentials::new("key", "secret", "passphrase"))
        .limiter(Arc::new(InProcessLimits::default()))
        .limits(LimitMode::Refuse)
        .build()
        .unwrap();
    for _ in 0..30 {
        let error = client.unified().cancel_order(&cancel()).await.unwrap_err();
        assert_eq!(error.call_result(), CallResult::NotConnected, "{error}");
    }
}

/// Returns the calls per second of the rows that apply.
fn holding<O: Operation>(client: &Client, operation: &O) -> Vec<u32> {
    client.core().limited(operation).limits().map(|row: &RateLimit| row.calls).collect()
}

#[test]
fn classes_select_rows_by_account_and_symbol() {
    let (server, _) = exchange();
    let with = |classes| {
        let builder = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
        builder.limit_classes(classes).build().unwrap()
    };
    let is_reality = |symbol: &str| symbol.starts_with("r");
    let usual = with(Classes::new().when("reality", "symbol", is_reality));
    assert_eq!(holding(&usual, &order("BTCUSDT")), [10]);
    assert_eq!(holding(&usual, &order("rTSLAUSDT")), [5]);
    let listed = with(Classes::new().when("reality-whitelisted", "symbol", is_reality));
    assert_eq!(holding(&listed, &order("BTCUSDT")), [10]);
    assert_eq!(holding(&listed, &order("rTSLAUSDT")), [30]);
    // A cancellation by id does not contain the pair, so the caller states it.
    assert_eq!(holding(&listed, &cancel()), [10]);
    let reality = Client::from(listed.core().in_classes(Classes::new().always("reality-whitelisted")));
    assert_eq!(holding(&reality, &cancel()), [30]);
}

/// The rates of VIP levels begin on 2026-08-18. While the clock of the exchange is unknown, and near the day, those of
/// everyone hold as well.
#[tokio::test]
async fn rates_with_dates_follow_the_clock_of_the_exchange() {
    for (now, rows) in [
        (1_786_000_000_000_u64, vec![10]), // 2026-08-06
        (1_787_000_000_000, vec![10, 60]),
        (1_790_000_000_000, vec![60]), // 2026-09-21
    ] {
        let server = ScriptedServer::start().unwrap();
        let answer = format!(r#"{{"code":"00000","msg":"success","requestTime":{now},"data":{{"orderId":"1"}}}}"#);
        server.answer_otherwise(move |_| Answer::json(answer.as_str()));
        let builder = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
        let clock = FixedClock(Timestamp::from_millis(now));
        let account = tradeapi::Account::new().vip_level(VipLevel::Vip1);
        let client = builder.clock(clock).account(account).build().unwrap();
        let execution = classic::Execution::Market;
        let order = classic::PlaceOrder::new(
            "BTCUSDT",
            classic::ProductType::UsdtFutures,
            classic::MarginMode::Crossed,
            "USDT",
            "1".parse::<Decimal>().unwrap(),
            classic::Side::Buy,
            execution,
        );
        assert_eq!(holding(&client, &order), [10, 60], "only the client's own clock is known");
        client.classic().place_order(&order).await.unwrap();
        assert_eq!(holding(&client, &order), rows, "{now}");
    }
}

macro_rules! metas_of {
    ($($operation:ty),+ $(,)?) => {
        const METAS: &[&Meta] = &[$(<$operation as Operation>::META),+];
    };
}
tradeapi::for_each_operation!(metas_of);

/// A class without a default row would circumvent the limit.
#[test]
fn every_operation_has_a_default_limit() {
    for meta in METAS {
        assert!(meta.limits.iter().any(|row| row.class == "default" && row.calls > 0), "{}", meta.id);
    }
}

#[test]
fn a_plan_names_the_limit_that_binds() {
    let (server, came) = exchange();
    let client = client(&server, &Arc::new(InProcessLimits::default()), LimitMode::Wait);
    let core = client.core();
    let trades = GetInsiderTrades::new("TSLA");
    let orders = [order("BTCUSDT"), order("ETHUSDT")];
    let calls: Vec<_> = orders.iter().cycle().take(25).map(|order| core.limited(order)).collect();
    let plan = core.plan(&[calls.as_slice(), &[core.limited(&trades); 4]].concat());
    assert_eq!((plan.requests, plan.lasts.as_secs()), (29, 3));
    assert_eq!(plan.binding.unwrap().operation, Some("unified.inner-trades"));
    assert!(came.lock().unwrap().is_empty());
}

/// The schema assigns categories to ceilings.
#[test]
fn open_orders_are_counted_against_the_documented_ceilings() {
    let mut orders = OpenOrders::new(CEILINGS);
    for (number, category) in [Category::UsdtFutures, Category::CoinFutures, Category::UsdcFutures].iter().enumerate() {
        orders.placed(category, format!("futures {number}"));
    }
    (0..400).for_each(|number| orders.placed(&Category::Margin, format!("margin {number}")));
    orders.placed(&Category::Margin, "margin 0");
    assert_eq!([&Category::UsdtFutures, &Category::Spot].map(|category| orders.room(category)), [Some(397), Some(0)]);
    assert!(orders.may_place(&Category::CoinFutures, 397) && !orders.may_place(&Category::CoinFutures, 398));
    assert_eq!(orders.ceiling(&Category::Spot).unwrap().id, "open-spot-orders");
    orders.closed("margin 7");
    orders.closed("never heard of");
    assert!(orders.may_place(&Category::Spot, 1) && !orders.may_place(&Category::Spot, 2));
}

/// A plan uses the rows of the classes that apply.
#[test]
fn a_plan_goes_by_the_classes_that_hold() {
    let (server, came) = exchange();
    let classes = Classes::new().when("reality", "symbol", |symbol| symbol.starts_with('r'));
    let builder = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
    let client = builder.limit_classes(classes).build().unwrap();
    let orders = [order("BTCUSDT"), order("rTSLAUSDT")];
    let calls: Vec<_> = orders.iter().cycle().take(40).map(|order| client.core().limited(order)).collect();
    let plan = client.core().plan(&calls);
    // Twenty at ten per second, and at the same time twenty at five.
    assert_eq!((plan.requests, plan.lasts.as_secs()), (40, 3));
    assert_eq!(plan.binding.unwrap().limit.class, "reality");
    assert!(came.lock().unwrap().is_empty());
}
