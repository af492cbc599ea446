//! Faults, latency, clocks, listings that lag, and maintenance: in process, over sockets, and over the control address.

use std::time::Duration;

use serde_json::Value;
use tradeapi::observed::{
    self, GetContractAccount, GetPositions, MarginMode, PositionMode, ProductType, SetContractLeverage, SetMarginMode,
    SetPositionMode,
};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{CancelAllOrders, CancelOrder, Category, GetOpenOrders, GetOrderHistory, OrderRef, Side};
use tradeapi::{Client, Error};
use tradeapi_exchange::{Conditions, Exchange, Fault, FaultKind, FaultTarget, Profile, Seed, Settings, Time};

use crate::control::{done, json, served, state};
use crate::fixture::{Fixture, code, limit, market, number};

fn is_there(exchange: &Exchange, client_id: &str) -> bool {
    let open = exchange.account(exchange.keys(), tradeapi_exchange::Family::Unified).open_orders;
    open.iter().any(|order| order.client_id.as_deref() == Some(client_id))
}

/// The effect of each fault on a placement: whether the order is placed, and the outcome that the client reports.
const FAULTS: [(FaultKind, bool, Option<Outcome>); 7] = [
    (FaultKind::Drop, false, Some(Outcome::Unknown)),
    (FaultKind::Lose, true, Some(Outcome::Unknown)),
    (FaultKind::Cut, true, Some(Outcome::Unknown)),
    (FaultKind::Empty, true, Some(Outcome::Unknown)),
    (FaultKind::Gateway, false, Some(Outcome::Unknown)),
    (FaultKind::LateGateway, true, Some(Outcome::Unknown)),
    (FaultKind::Slow, true, None),
];

async fn each_trouble(exchange: &Exchange, client: &Client) {
    for (index, (kind, is_done, outcome)) in FAULTS.into_iter().enumerate() {
        let name = format!("o{index}");
        exchange.add_fault(Fault::new(kind.clone()).times(1));
        let placed = client.unified().place_order(&limit(&name, Side::Buy, "0.01", "63000")).await;
        assert_eq!(placed.err().map(|error: Error| error.outcome()), outcome, "{kind:?}");
        assert_eq!(is_there(exchange, &name), is_done, "{kind:?}");
    }
    client.unified().place_order(&limit("last", Side::Buy, "0.01", "63000")).await.unwrap();
}

#[tokio::test]
async fn each_fault_has_its_effect_in_process() {
    let fixture = Fixture::one_way();
    each_trouble(&fixture.exchange, &fixture.client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_has_its_effect_over_sockets() {
    let (exchange, address) = served(|_| {}).await;
    // The exchange's clock stands still, and the client's follows it.
    let client = Client::builder(format!("http://{address}")).credentials(exchange.keys().credentials());
    let client = client.clock(exchange.time().clone()).build().unwrap();
    each_trouble(&exchange, &client).await;
}

/// An empty body is no empty account.
#[tokio::test]
async fn a_listing_without_a_body_is_an_error() {
    let fixture = Fixture::one_way();
    fixture.exchange.add_fault(Fault::new(FaultKind::Empty).target(FaultTarget::All).times(1));
    let listing = GetPositions::new(observed::Category::UsdtFutures);
    let read = fixture.client.observed().get_positions(&listing).await;
    assert!(matches!(read, Err(Error::Unreadable(_))));
}

const LINE: ProductType = ProductType::UsdtFutures;

/// Sets the leverage of a contract, its margin mode and the mode of positions, and returns the outcomes.
async fn set_all(client: &Client, leverage: u64, margin: MarginMode, mode: PositionMode) -> [Outcome; 3] {
    let client = client.observed();
    let of = |error: Option<Error>| error.map_or(Outcome::Done, |error| error.outcome());
    let of_leverage = SetContractLeverage::new("BTCUSDT", LINE, "USDT").leverage(leverage);
    let of_margin = SetMarginMode::new("BTCUSDT", LINE, "USDT", margin);
    [
        of(client.set_contract_leverage(&of_leverage).await.err()),
        of(client.set_margin_mode(&of_margin).await.err()),
        of(client.set_position_mode(&SetPositionMode::new(LINE, mode)).await.err()),
    ]
}

/// The answer is true: the setting was so before the request, or still is.
#[tokio::test(flavor = "multi_thread")]
async fn a_success_that_shows_another_value_leaves_the_outcome_open() {
    let (exchange, address) = served(|_| {}).await;
    let client = crate::control::client(&exchange, address);
    let settings = async || {
        let account = GetContractAccount::new("BTCUSDT", LINE, "USDT");
        let account = client.observed().get_contract_account(&account).await.unwrap().data;
        (account.crossed_margin_leverage.unwrap(), account.margin_mode.unwrap(), account.pos_mode.unwrap())
    };
    let before = (7, MarginMode::Crossed, PositionMode::OneWay);
    let after = (8, MarginMode::Isolated, PositionMode::Hedge);
    for (kind, shown) in [("outdated", &after), ("kept", &before)] {
        assert_eq!(set_all(&client, 7, MarginMode::Crossed, PositionMode::OneWay).await, [Outcome::Done; 3]);
        done(address, &format!("POST /-/faults?kind={kind}&times=3"));
        // Others answer with no value, and are not concerned.
        client.unified().place_order(&limit(kind, Side::Buy, "0.01", "63000")).await.unwrap();
        let outcomes = set_all(&client, 8, MarginMode::Isolated, PositionMode::Hedge).await;
        assert_eq!((outcomes, &settings().await), ([Outcome::Unknown; 3], shown), "{kind}");
    }
    let (status, answer) = json(address, "POST /-/faults?kind=kept&aim=unified.place-order", &[]);
    assert_eq!((status, answer["error"].as_str().unwrap().contains("show no value")), (400, true), "{answer}");
}

#[tokio::test]
async fn a_fault_applies_to_its_operation_the_given_number_of_times() {
    let fixture = Fixture::one_way();
    let cancel = FaultTarget::Operation("unified.cancel-order".to_owned());
    fixture.exchange.add_fault(Fault::new(FaultKind::Refuse("40010".to_owned())).target(cancel).times(2));
    fixture.client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap();
    let request = CancelOrder::new(OrderRef::ClientOid("a".parse().unwrap()));
    for expected in [Some("40010"), Some("40010"), None] {
        let cancelled = fixture.client.unified().cancel_order(&request).await;
        assert_eq!(code(cancelled).as_deref(), expected);
    }
}

/// Returns which of a thousand placements were refused.
async fn refused(seed: u64) -> Vec<usize> {
    let fixture = Fixture::with(|settings| settings.seed = Seed(seed), Profile::new().both());
    fixture.exchange.add_fault(Fault::new(FaultKind::Refuse("40010".to_owned())).per_mille(400));
    let mut refused = Vec::new();
    for index in 0..300 {
        let order = limit(&format!("o{index}"), Side::Buy, "0.001", "60000");
        if fixture.client.unified().place_order(&order).await.is_err() {
            refused.push(index);
        }
    }
    refused
}

#[tokio::test]
async fn a_random_share_of_faults_follows_from_the_seed() {
    let (first, second, other) = (refused(1).await, refused(1).await, refused(2).await);
    assert!(first == second && first != other);
    assert!((90..150).contains(&first.len()), "about 120 of 300: {}", first.len());
}

#[tokio::test]
async fn latency_passes_on_the_clock_of_the_exchange() {
    let fixture = Fixture::one_way();
    let mut conditions = Conditions::default();
    conditions.latency = vec![50];
    fixture.exchange.set_conditions(conditions);
    fixture.exchange.add_fault(Fault::new(FaultKind::Slow).target(FaultTarget::All).delay(Duration::from_millis(30)));
    let (client, time) = (fixture.client.clone(), fixture.exchange.time().clone());
    let call = tokio::spawn(async move { client.unified().get_open_orders(&GetOpenOrders::new()).await.is_ok() });
    for _ in 0..79 {
        tokio::task::yield_now().await;
        time.advance(Duration::from_millis(1));
    }
    tokio::task::yield_now().await;
    assert!(!call.is_finished(), "79 of 80 milliseconds are over");
    time.advance(Duration::from_millis(1));
    assert!(call.await.unwrap());
}

/// As a program does that cancels until it has succeeded: without anyone who moves the time.
#[tokio::test]
async fn pauses_before_retries_end_where_the_time_is_moved_by_whoever_waits() {
    let fixture = Fixture::one_way();
    fixture.exchange.add_fault(Fault::new(FaultKind::Gateway).target(FaultTarget::All).times(7));
    let (client, time, begun) =
        (fixture.client.clone(), fixture.exchange.time().clone(), fixture.exchange.time().now());
    let retry = RetryPolicy::new();
    let cancel = async || {
        let all = CancelAllOrders::new(Category::UsdtFutures);
        while client.retrying(&retry).cancel(&all).await.is_err() {}
    };
    time.run(cancel()).await;
    assert!(time.now() > begun, "the pauses took time of the exchange");
    // Also where the calls are other tasks', and nothing waits at first.
    fixture.exchange.add_fault(Fault::new(FaultKind::Gateway).target(FaultTarget::All).times(7));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let (client, retry) = (client.clone(), retry.clone());
            tokio::spawn(async move {
                tokio::task::yield_now().await;
                let all = GetOpenOrders::new();
                while client.retrying(&retry).call(&all).await.is_err() {}
            })
        })
        .collect();
    time.run(async {
        for task in tasks {
            task.await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_node_with_another_clock_refuses_by_its_own() {
    let fixture = Fixture::one_way();
    let mut conditions = Conditions::default();
    conditions.clocks = vec![40_000];
    fixture.exchange.set_conditions(conditions);
    let refused = fixture.client.unified().get_open_orders(&GetOpenOrders::new()).await;
    assert_eq!(code(refused).as_deref(), Some("40008"));
    // The answer stated its time, which the next call is signed with.
    fixture.client.unified().get_open_orders(&GetOpenOrders::new()).await.unwrap();
}

#[tokio::test]
async fn listings_lag_and_catch_up() {
    let fixture = Fixture::one_way();
    let mut conditions = Conditions::default();
    conditions.lag = 500;
    fixture.exchange.set_conditions(conditions);
    fixture.client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap();
    let listed = async || fixture.client.unified().get_open_orders(&GetOpenOrders::new()).await.unwrap().list.len();
    fixture.exchange.time().advance(Duration::from_millis(499));
    assert_eq!(listed().await, 0);
    assert!(fixture.details("a").await.is_ok(), "a query for one order does not lag");
    fixture.exchange.time().advance(Duration::from_millis(1));
    assert_eq!(listed().await, 1);
}

/// Returns what the listings of open and of ended orders show, each as its state and filled quantity.
async fn listings(fixture: &Fixture) -> [Vec<String>; 2] {
    let client = fixture.client.unified();
    let told = |orders: &[tradeapi::unified::Order]| {
        let state = |order: &tradeapi::unified::Order| order.order_status.clone().unwrap().to_string();
        let filled = |order: &tradeapi::unified::Order| order.cum_exec_qty.clone().unwrap().to_string();
        orders.iter().map(|order| format!("{} {}", state(order), filled(order))).collect()
    };
    let open = client.get_open_orders(&GetOpenOrders::new()).await.unwrap().data;
    let ended = client.get_order_history(&GetOrderHistory::new(Category::UsdtFutures)).await.unwrap().data;
    [told(&open.list), told(&ended.list)]
}

#[tokio::test]
async fn an_order_that_has_just_ended_is_still_open_where_listings_lag() {
    for ends_by_fill in [true, false] {
        let fixture = Fixture::one_way();
        fixture.client.unified().place_order(&limit("a", Side::Buy, "0.02", "63000")).await.unwrap();
        // The order is older than the condition.
        let mut conditions = Conditions::default();
        conditions.lag = 500;
        fixture.exchange.set_conditions(conditions);
        let after = |millis| fixture.exchange.time().advance(Duration::from_millis(millis));
        after(1_000);
        fixture.exchange.fill("a", number("0.005")).unwrap();
        after(100);
        if ends_by_fill {
            fixture.exchange.fill("a", number("0.015")).unwrap();
        } else {
            let name = OrderRef::ClientOid("a".parse().unwrap());
            fixture.client.unified().cancel_order(&CancelOrder::new(name)).await.unwrap();
        }
        let (state, filled) = if ends_by_fill { ("filled", "0.02") } else { ("cancelled", "0.005") };
        let now = fixture.details("a").await.unwrap();
        assert_eq!(now.order_status.unwrap().to_string(), state, "a query for one order does not lag");
        let none: Vec<String> = Vec::new();
        let shown = |state: &str, filled: &str| vec![format!("{state} {filled}")];
        assert_eq!(listings(&fixture).await, [shown("live", "0"), none.clone()]);
        after(400);
        assert_eq!(listings(&fixture).await, [shown("partially_filled", "0.005"), none.clone()]);
        after(99);
        assert_eq!(listings(&fixture).await, [shown("partially_filled", "0.005"), none.clone()]);
        after(1);
        assert_eq!(listings(&fixture).await, [none, shown(state, filled)]);
    }
}

#[tokio::test]
async fn an_order_that_is_filled_at_once_is_in_no_listing_before_they_catch_up() {
    let fixture = Fixture::one_way();
    let mut conditions = Conditions::default();
    conditions.lag = 500;
    fixture.exchange.set_conditions(conditions);
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.01")).await.unwrap();
    assert_eq!(listings(&fixture).await, [Vec::<String>::new(), Vec::new()]);
    fixture.exchange.time().advance(Duration::from_millis(500));
    assert_eq!(listings(&fixture).await, [Vec::new(), vec!["filled 0.01".to_owned()]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_and_conditions_are_controlled() {
    let (exchange, address) = served(|_| {}).await;
    done(address, "POST /-/faults?kind=lose&aim=unified.place-order&share=0.25&delay=80");
    done(address, "POST /-/faults?share=0.4&aim=all");
    let listed = state(address)["faults"]["list"].clone();
    let first = serde_json::json!({ "kind": "lose", "aim": "unified.place-order", "permille": 250, "delay": 80 });
    assert_eq!(listed, serde_json::json!([first, { "kind": "any", "aim": "all", "permille": 400, "delay": 0 }]));
    done(address, "POST /-/faults?clear=all");
    done(address, "POST /-/conditions?latency=200,5&clocks=0,1500,-300&lag=20");
    done(address, "POST /-/conditions?maintenance=on");
    let conditions = exchange.conditions();
    assert_eq!((conditions.latency, conditions.clocks), (vec![5, 200], vec![0, 1500, -300]));
    assert!(conditions.maintenance && conditions.lag == 20);
    done(address, "POST /-/conditions?latency=none&clocks=none&lag=0");
    let query = GetOrderHistory::new(Category::Spot);
    let refused = exchange.client().unified().get_order_history(&query).await.unwrap_err();
    assert_eq!(refused.code(), Some("40015"));
    done(address, "POST /-/conditions?maintenance=off");
    exchange.client().unified().get_order_history(&query).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_rules_and_exceeded_limits_are_counted() {
    let (exchange, address) = served(|settings| settings.rate_limits = true).await;
    let client = exchange.client_of(exchange.keys()).checks(false).build().unwrap();
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000.01")).await.unwrap_err();
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "99000")).await.unwrap_err();
    exchange.refuse_next("40762");
    for index in 0..10 {
        let _ = client.unified().place_order(&limit(&format!("b{index}"), Side::Buy, "0.01", "63000")).await;
    }
    let counts: Vec<(String, u64)> = exchange.violations().into_iter().collect();
    let expected = [("futures-price-step", 1), ("price-outside-range", 1), ("rate-uid", 1)];
    assert_eq!(counts, expected.map(|(rule, count)| (format!("unified.place-order.{rule}"), count)));
    let shown = &json(address, "GET /-/state", &[]).1["violations"];
    assert_eq!((&shown["count"], &shown["list"][0]["count"]), (&Value::from(3), &Value::from(1)));
}

#[tokio::test]
async fn a_client_waits_on_the_clock_of_an_exchange_that_runs() {
    let mut settings = Settings::default();
    settings.seed = Seed(7);
    // Ten times as fast: a thread that gets no processor for a second is late by ten, far within the validity of a signature.
    let exchange = Exchange::with(settings, Time::running(10), Profile::new().both());
    let mut conditions = Conditions::default();
    conditions.latency = vec![2_000];
    exchange.set_conditions(conditions);
    let begun = exchange.time().now();
    exchange.client().unified().get_open_orders(&GetOpenOrders::new()).await.unwrap();
    assert!(exchange.time().now().as_millis() >= begun.as_millis() + 2_000);
}
