//! A hostile exchange: it is honest, and the same requests fail in the same way.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::observed::{ProductType, SetContractLeverage};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::tables::Outcome;
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::unified::{GetAccountAssets, GetOrderDetails, OrderRef, Side};
use tradeapi::{API, Error};
use tradeapi_exchange::{
    Conditions, Counts, EffectTime, Event, Exchange, Family, FaultKinds, HostileFault, Hostility, Keys, Node, Profile,
    Seed,
};

use crate::control::{client, done, json, served, state};
use crate::fixture::{Fixture, limit};

fn hostile(faults: u64, nodes: Vec<Node>) -> Fixture {
    let fixture =
        Fixture::with(|settings| settings.journal = true, Profile::new().both().balance("USDT", 1_000_000_000));
    let mut hostility = Hostility::new(Seed(1), faults, 0);
    hostility.nodes = nodes;
    let mut conditions = Conditions::default();
    conditions.hostility = Some(hostility);
    fixture.exchange.set_conditions(conditions);
    fixture
}

/// Places an order with each of these ids.
fn place_all(fixture: &Fixture, ids: impl Iterator<Item = u32>) {
    for id in ids {
        let order = limit(&format!("order:{id}"), Side::Buy, "0.01", "50000");
        let unified = fixture.client.unified();
        // The exchange answers at once or never.
        let _ = pin!(unified.place_order(&order)).poll(&mut Context::from_waker(Waker::noop()));
    }
}

/// Returns the outcomes of orders by their ids, after all delayed requests have been carried out.
fn after(ids: impl Iterator<Item = u32>) -> (BTreeMap<String, u32>, Counts) {
    let fixture = hostile(50, Vec::new());
    place_all(&fixture, ids);
    let mut placed = BTreeMap::new();
    fixture.exchange.time().advance(Duration::from_secs(60));
    fixture.exchange.account(&fixture.keys, Family::Unified);
    for event in fixture.exchange.take_events() {
        if let Event::Placed { order } = event {
            let order = fixture.exchange.order(order).unwrap();
            *placed.entry(order.client_id.unwrap()).or_default() += 1;
        }
    }
    (placed, fixture.exchange.hostile_counts())
}

#[test]
fn the_same_requests_fail_in_the_same_way_in_any_order() {
    let (placed, counts) = after(0..200);
    let (others, others_counts) = after((0..200).rev());
    assert_eq!(
        (&placed, &counts.faults, &counts.effect_times),
        (&others, &others_counts.faults, &others_counts.effect_times)
    );
    assert!(counts.faults.len() > 15 && placed.len() > 100, "{:?}", counts.faults);
    assert!(
        [EffectTime::Now, EffectTime::Late, EffectTime::Never]
            .iter()
            .all(|landing| counts.effect_times.contains_key(landing))
    );
    assert!(placed.values().all(|times| *times == 1));
}

#[test]
fn a_hostile_exchange_replays_its_journal() {
    let fixture = hostile(50, vec![Node::new(2), Node::new(1).lagging(2_500)]);
    place_all(&fixture, 0..40);
    fixture.exchange.time().advance(Duration::from_secs(20));
    // The journal ends with a request, so later effects are not in it.
    place_all(&fixture, 40..80);
    let replayed = Exchange::replay(&fixture.exchange.journal().unwrap()).unwrap();
    assert_eq!(replayed.hostile_counts(), fixture.exchange.hostile_counts());
    assert_eq!(
        replayed.account(&fixture.keys, Family::Unified),
        fixture.exchange.account(&fixture.keys, Family::Unified)
    );
}

#[tokio::test]
async fn a_success_is_done_and_a_lagging_node_shows_it_later() {
    let fixture = hostile(0, vec![Node::new(1).lagging(2_500)]);
    fixture.client.unified().place_order(&limit("a", Side::Buy, "0.01", "50000")).await.unwrap();
    assert_eq!(fixture.exchange.account(&fixture.keys, Family::Unified).open_orders.len(), 1);
    fixture.exchange.time().advance(Duration::from_millis(2_499));
    assert!(fixture.details("a").await.is_err(), "the node does not show the order yet");
    fixture.exchange.time().advance(Duration::from_millis(1));
    assert!(fixture.details("a").await.is_ok());
}

/// An answer of success that shows another value comes from a request that was done as well as from one that was not.
#[test]
fn a_change_of_a_setting_is_done_if_the_answer_shows_its_value() {
    let fixture = hostile(100, Vec::new());
    let times_set = || {
        let events = fixture.exchange.take_events().into_iter();
        events.filter(|event| matches!(event, Event::Set { .. })).count()
    };
    // Successes with the value; those with another one of requests that were not done, and of requests that were.
    let (mut done, mut with_another) = (0, [0, 0]);
    for number in 0..600 {
        let set = SetContractLeverage::new("BTCUSDT", ProductType::UsdtFutures, "USDT").leverage(1 + number % 100);
        let observed = fixture.client.observed();
        // The exchange answers at once or never.
        let called = pin!(observed.set_contract_leverage(&set)).poll(&mut Context::from_waker(Waker::noop()));
        let at_once = times_set();
        // What is carried out later is not the next request's.
        fixture.exchange.time().advance(Duration::from_secs(60));
        let later = times_set();
        let Poll::Ready(called) = called else { continue };
        match called.as_ref().err().map_or(Outcome::Done, Error::outcome) {
            Outcome::Done => {
                assert_eq!((at_once, later), (1, 0), "leverage {}", 1 + number % 100);
                done += 1;
            }
            Outcome::NotDone => assert_eq!((at_once, later), (0, 0), "leverage {}", 1 + number % 100),
            Outcome::Unknown if called.unwrap_err().to_string().contains("another value") => {
                with_another[at_once + later] += 1;
            }
            Outcome::Unknown => {}
        }
    }
    assert!(done > 10 && with_another.iter().all(|times| *times > 10), "{done} {with_another:?}");
}

/// A program in virtual time goes on after a request that hangs.
#[tokio::test]
async fn a_call_without_an_answer_times_out_without_sockets() {
    let fixture = hostile(0, Vec::new());
    let mut conditions = fixture.exchange.conditions();
    conditions.hostility.as_mut().unwrap().kinds = FaultKinds::Lost;
    conditions.hostility.as_mut().unwrap().faults = 100;
    fixture.exchange.set_conditions(conditions);
    let time = fixture.exchange.time();
    let (mut timed_out, unified) = (0, fixture.client.unified());
    for id in 0..60 {
        let (order, begun) = (limit(&format!("order:{id}"), Side::Buy, "0.01", "50000"), time.now());
        let Err(Error::Unknown(unknown)) = time.run(unified.place_order(&order)).await else { continue };
        if unknown.to_string().contains("no response in time") {
            timed_out += 1;
            assert_eq!(time.now() - begun, TransportLimits::default().call);
        }
    }
    assert!(timed_out > 0 && fixture.exchange.hostile_counts().faults[&HostileFault::Hang] > 0);
}

/// Three answers show that the address is refused; then no client of it asks again, whatever its key, and all go on once
/// the time is over.
#[tokio::test]
async fn a_refused_address_is_left_alone_until_the_refusal_ends() {
    let fixture = hostile(0, Vec::new());
    let other = fixture.another(Profile::new().both());
    let limited = |keys: &Keys| fixture.exchange.client_of(keys).limits(LimitMode::Wait).build().unwrap();
    let [client, other] = [limited(&fixture.keys), limited(&other.keys)];
    let hostility = |faults: u64, blocks: u64| {
        let mut conditions = fixture.exchange.conditions();
        let hostility = conditions.hostility.as_mut().unwrap();
        (hostility.faults, hostility.blocks) = (faults, blocks);
        fixture.exchange.set_conditions(conditions);
    };
    let refusals = || {
        let faults = fixture.exchange.hostile_counts().faults;
        faults.get(&HostileFault::Blocked).copied().unwrap_or_default()
    };
    let time = fixture.exchange.time();
    let query = GetOrderDetails::new(OrderRef::ClientOid("order:1".parse().unwrap()));
    hostility(100, 100);
    while refusals() == 0 {
        let _ = time.run(client.unified().get_order_details(&query)).await;
    }
    hostility(0, 0);
    let begun = time.now();
    while client.core().address_refused_for().is_none() {
        let _ = time.run(client.unified().get_order_details(&query)).await;
    }
    let lasts = API.refused_address.unwrap().lasts();
    let (shown, known_after) = (refusals(), time.now() - begun);
    assert!(shown <= 4 && known_after < Duration::from_secs(10), "{shown} refusals in {known_after:?}");
    let lefts = [&client, &other].map(|one| one.core().address_refused_for().unwrap());
    assert!(lefts.iter().all(|left| *left <= lasts && time.now() - begun + *left >= lasts), "{lefts:?}");
    for one in [other, client.clone()] {
        let order = limit("order:2", Side::Buy, "0.01", "50000");
        let reply = time.run(one.unified().place_order(&order)).await.unwrap();
        assert!(reply.waited <= lasts, "{:?}", reply.waited);
    }
    assert_eq!((refusals(), client.core().address_refused_for()), (shown, None));
}

/// Each of ten users keeps within twenty calls a second, which is twice what the address may make.
#[tokio::test]
async fn clients_of_an_address_make_no_more_calls_than_it_may() {
    for calls in [6_000, u32::MAX] {
        let fixture = Fixture::with(|settings| settings.rate_limits = true, Profile::new().both());
        let client = || {
            let keys = fixture.exchange.open_account(Profile::new().both());
            let builder = fixture.exchange.client_of(&keys).limits(LimitMode::Wait).address_calls(calls);
            builder.build().unwrap()
        };
        let clients: Vec<_> = (0..10).map(|_| client()).collect();
        let (time, mut refused, mut lasted) = (fixture.exchange.time(), 0, Duration::ZERO);
        let begun = time.now();
        for number in 0..6_200 {
            let client = &clients[number % clients.len()];
            let reply = time.run(client.unified().get_account_assets(&GetAccountAssets::new())).await;
            refused += usize::from(reply.is_err());
            lasted = time.now() - begun;
            if refused > 0 {
                break;
            }
        }
        let is_kept = calls == 6_000;
        assert_eq!((refused == 0, lasted >= Duration::from_secs(60)), (is_kept, is_kept), "{lasted:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostility_is_controlled() {
    let (exchange, address) = served(|_| {}).await;
    done(address, "POST /-/conditions?hostile=100&quirks=3&seed=9");
    let hostility = exchange.conditions().hostility.unwrap();
    assert_eq!((hostility.faults, hostility.quirks, hostility.seed), (100, 3, Seed(9)));
    goes_wrong(&exchange);
    done(address, "POST /-/conditions?hostile=off");
    assert_eq!(exchange.conditions().hostility, None);
    for query in ["hostile=101", "quirks=3", "seed=1", "nodes=1"] {
        let (status, answer) = json(address, &format!("POST /-/conditions?{query}"), &[]);
        assert_eq!((status, answer["error"] == Value::Null), (400, false), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_are_controlled_and_the_state_shows_them() {
    let (exchange, address) = served(|_| {}).await;
    assert_eq!(state(address)["hostility"], Value::Null);
    let nodes = "2,1:lag=2500,3:clock=20000:answer_time=-300";
    done(address, &format!("POST /-/conditions?hostile=0&quirks=0&seed=9&nodes={nodes}"));
    let ahead = Node::new(3).ahead_by(20_000).with_answer_time(-300);
    assert_eq!(exchange.conditions().hostility.unwrap().nodes, [Node::new(2), Node::new(1).lagging(2_500), ahead]);
    let shown = json!({"faults": 0, "quirks": 0, "seed": "9", "nodes": nodes, "wrong": 0, "odd": 0});
    assert_eq!(state(address)["hostility"], shown);
    // Omitted settings stay, and a browser escapes the separators of nodes.
    done(address, "POST /-/conditions?hostile=0&nodes=1%3Alag%3D2500%2C1%3Alag%3D100");
    let hostility = exchange.conditions().hostility.unwrap();
    assert_eq!((hostility.seed, hostility.nodes.len()), (Seed(9), 2));
    // The node of the query does not show the order yet.
    let client = client(&exchange, address);
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "50000")).await.unwrap();
    let details = GetOrderDetails::new(OrderRef::ClientOid("a".parse().unwrap()));
    assert!(client.unified().get_order_details(&details).await.is_err());
    exchange.time().advance(Duration::from_secs(10));
    assert!(client.unified().get_order_details(&details).await.is_ok());
    done(address, "POST /-/conditions?nodes=none");
    assert_eq!(exchange.conditions().hostility.unwrap().nodes, []);
    for nodes in ["", "0", "x", "1:", "1:lag", "1:lag=-1", "1:lag=x", "1:late=5", "1:clock=99999999999", "1,,1"] {
        let (status, answer) = json(address, &format!("POST /-/conditions?hostile=0&nodes={nodes}"), &[]);
        let is_refused = nodes.is_empty() || status == 400 && answer["error"].as_str().unwrap().contains("nodes");
        assert!(is_refused, "{nodes}: {status} {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_has_the_fault_of_each_request() {
    let (exchange, address) = served(|_| {}).await;
    done(address, "POST /-/conditions?hostile=100&quirks=100&seed=9");
    goes_wrong(&exchange);
    let shown = state(address);
    assert_eq!((&shown["hostility"]["wrong"], &shown["hostility"]["odd"]), (&20.into(), &20.into()));
    let requests = shown["requests"]["list"].as_array().unwrap();
    assert_eq!(requests.len(), 20);
    assert!(requests.iter().all(|row| row["wrong"].is_string() && row["odd"].is_string()), "{requests:?}");
}

/// Sends requests that are all faulted.
fn goes_wrong(exchange: &Exchange) {
    for number in 0..20 {
        let request = http::Request::builder().method("POST").uri("/api/v3/trade/place-order");
        let request = request.body(format!(r#"{{"clientOid":"{number}"}}"#).into()).unwrap();
        exchange.deliver(&request, IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let counts = exchange.hostile_counts();
    assert!(
        !counts.faults.contains_key(&HostileFault::None) && counts.faults.values().sum::<u64>() == 20,
        "{counts:?}"
    );
}
