//! Cancellations and amendments that the exchange refuses or does not answer: the record of the order settles them.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::tables::Outcome;
use tradeapi::{Client, ConfirmPolicy, Confirmation, Credentials, Decimal, unified};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

/// The answer to a change.
type Answered = fn() -> Answer;

fn success(data: &Value) -> Answer {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    Answer::json(json!({"code": "00000", "msg": "success", "requestTime": now, "data": data}).to_string())
}

fn refused(code: &str) -> Answer {
    Answer::json(json!({"code": code, "msg": "no", "requestTime": 1, "data": null}).to_string())
}

/// Returns an exchange that has one order, in this state, and its client.
fn exchange(state: &'static str, answer: Answered) -> (ScriptedServer, Client) {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(move |request| match request.method.as_str() {
        "GET" => success(&json!({"orderId": "7", "clientOid": "mine", "qty": "3", "orderStatus": state})),
        _ => answer(),
    });
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "passphrase"));
    let client = client.limits(LimitMode::Off).build().unwrap();
    (server, client)
}

/// Returns a policy that shows an outcome: with a few quick queries if it stays unknown, and otherwise with all the time
/// that a busy machine takes.
fn until(outcome: Outcome) -> ConfirmPolicy {
    if outcome == Outcome::Unknown { brief() } else { ConfirmPolicy::new() }
}

/// Returns a policy with a few quick queries.
fn brief() -> ConfirmPolicy {
    ConfirmPolicy::new().pauses(Duration::from_millis(1), Duration::from_millis(5)).deadline(Duration::from_millis(50))
}

fn order(id: &str) -> unified::OrderRef {
    unified::OrderRef::ClientOid(unified::ClientOid::new(id).unwrap())
}

/// The states, and the outcome that each shows of a cancellation at once.
const SHOWN: [(&str, Outcome); 5] = [
    ("cancelled", Outcome::Done),
    ("filled", Outcome::NotDone),
    ("live", Outcome::Unknown),
    ("partially_filled", Outcome::Unknown),
    ("paused", Outcome::Unknown),
];

#[tokio::test]
async fn the_end_of_an_order_settles_its_cancellation_at_once() {
    for answer in [|| refused("45134"), || refused("45001"), Answer::close, || Answer::new(502, "")] as [Answered; 4] {
        for (state, outcome) in SHOWN {
            let (server, client) = exchange(state, answer);
            let cancel = unified::CancelOrder::new(order("mine"));
            let policy = until(outcome);
            let confirmation = client.place_and_confirm(&cancel, &policy).await;
            assert_eq!(confirmation.outcome(), outcome, "{state}: {confirmation}");
            let queries = server.requests().len() - 1;
            assert!(queries == 1 || outcome == Outcome::Unknown, "{state}: {queries} queries");
            if let Confirmation::NotDone(not) = confirmation {
                assert_eq!(not.state.as_deref(), Some(state));
                assert!(not.to_string().starts_with("the order is filled"), "{not}");
            }

            let sent = client.call(&cancel).await.unwrap_err();
            let tradeapi::Error::Unknown(unknown) = sent else { panic!("{sent}") };
            let settled = client.settle(&cancel, unknown.sent.signed_at, &policy).await;
            assert_eq!(settled.outcome(), outcome, "{state}: {settled}");
        }
    }
}

#[tokio::test]
async fn the_end_of_an_order_settles_its_item_of_a_batch() {
    let answer = || {
        let items = json!([{"clientOid": "mine", "code": "45134", "msg": "ended"}]);
        success(&items)
    };
    for (state, outcome) in SHOWN {
        let (_server, client) = exchange(state, answer);
        let item = unified::BatchCancelItem::new(unified::Category::Spot, "BTCUSDT", order("mine"));
        let batch = client.batch(unified::BatchCancel::new(vec![item]));
        let confirmed = batch.send_and_confirm(&until(outcome)).await.unwrap();
        assert_eq!(confirmed.outcomes().collect::<Vec<_>>(), [outcome], "{state}");
    }
}

#[tokio::test]
async fn a_client_id_of_two_orders_settles_no_cancellation() {
    let (_server, client) = exchange("cancelled", || refused("45001"));
    for _ in 0..2 {
        let place = unified::PlaceOrder::spot_market_buy("BTCUSDT", 10);
        client.call(&place.client_oid(unified::ClientOid::new("mine").unwrap())).await.unwrap_err();
    }
    let confirmation = client.place_and_confirm(&unified::CancelOrder::new(order("mine")), &brief()).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
}

/// Single sources explain the code, and the record agrees with it.
#[tokio::test]
async fn an_order_that_ended_without_its_values_settles_a_refused_amendment() {
    let cases: [(Answered, &str, u64, Outcome); 6] = [
        (|| refused("25568"), "filled", 5, Outcome::NotDone),
        (|| refused("25568"), "cancelled", 5, Outcome::NotDone),
        (|| refused("25568"), "live", 5, Outcome::Unknown),
        (|| refused("25568"), "filled", 3, Outcome::Unknown),
        (|| refused("45001"), "filled", 5, Outcome::Unknown),
        (Answer::close, "filled", 5, Outcome::Unknown),
    ];
    for (answer, state, qty, outcome) in cases {
        let (_server, client) = exchange(state, answer);
        let amendment = unified::ModifyOrder::new(order("mine")).qty(Decimal::from(qty));
        let confirmation = client.place_and_confirm(&amendment, &until(outcome)).await;
        assert_eq!(confirmation.outcome(), outcome, "{state}: {confirmation}");
        // A rejection may have ended the order, which is an effect.
        let cancels = amendment.auto_cancel(unified::YesNo::Yes);
        assert_eq!(client.place_and_confirm(&cancels, &brief()).await.outcome(), Outcome::Unknown, "{state}");
    }
}
