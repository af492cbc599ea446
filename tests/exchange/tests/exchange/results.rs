//! Failed items of direct calls that succeeded, and repeated cancellations.

use std::future::ready;
use std::time::Duration;

use tradeapi::observed::{self, ClosePositions};
use tradeapi::runtime::http;
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::tables::{CodeProof, Outcome};
use tradeapi::runtime::transport;
use tradeapi::unified::{BatchCancel, BatchCancelItem, CancelAllOrders, Category, ErrorCode, OrderRef, Side};
use tradeapi::{Credentials, Error, classic};
use tradeapi_exchange::{Fault, FaultKind, FaultTarget};

use super::fixture::{Fixture, limit};

fn cancel(clients: &[&str]) -> BatchCancel {
    let named = |client: &&str| OrderRef::ClientOid(client.parse().unwrap());
    let item = |client| BatchCancelItem::new(Category::UsdtFutures, "BTCUSDT", named(client));
    BatchCancel::new(clients.iter().map(item).collect())
}

async fn place(fixture: &Fixture, client: &str) {
    fixture.client.unified().place_order(&limit(client, Side::Buy, "0.01", "63000")).await.unwrap();
}

#[tokio::test]
async fn failures_of_a_batch_are_reported_with_the_meaning_of_their_codes() {
    let fixture = Fixture::one_way();
    place(&fixture, "a").await;
    let reply = fixture.client.unified().batch_cancel(&cancel(&["gone", "a"])).await.unwrap();
    assert!(!reply.all_done());
    let [failure] = reply.failures() else { panic!("{reply}") };
    assert_eq!(failure.ids, ["gone"]);
    let error = &failure.error;
    assert_eq!((error.code.typed::<ErrorCode>(), error.outcome), (ErrorCode::NotExisting, Outcome::NotDone));
    assert!(error.meaning().unwrap().starts_with("Seen as the code of a batch item whose order does not exist"));
    assert!(matches!(error.proves, Some(CodeProof::NotDone | CodeProof::NoSuchOrder)), "{:?}", error.proves);
    assert!(reply.to_string().starts_with("an item failed\n  gone: code 24056"), "{reply}");
    let partial = reply.done().unwrap_err();
    assert_eq!((partial.to_string().lines().count(), partial.into_items().into_data().len()), (2, 2));
}

#[tokio::test]
async fn a_cancellation_of_everything_lists_nothing_that_failed() {
    let fixture = Fixture::one_way();
    place(&fixture, "a").await;
    let all = CancelAllOrders::new(Category::UsdtFutures);
    assert_eq!(fixture.client.unified().cancel_all_orders(&all).await.unwrap().done().unwrap().len(), 1);
    let none = classic::CancelAllOrders::new(classic::ProductType::UsdtFutures);
    let reply = fixture.client.classic().cancel_all_orders(&none).await;
    assert!(reply.as_ref().map_or_else(|error| error.code().is_some(), |reply| reply.all_done()), "{reply:?}");
}

/// Returns a client whose requests are all answered with this data.
fn answered(data: &'static str) -> tradeapi::Client {
    let body = format!(r#"{{"code":"00000","msg":"success","requestTime":1788912588950,"data":{data}}}"#);
    let transport = transport::from_fn(move |_| ready(Ok(http::Response::new(body.clone().into()))));
    let credentials = Credentials::new("key", "secret", "passphrase");
    let builder = tradeapi::Client::builder("https://exchange.example").credentials(credentials).transport(transport);
    builder.build().unwrap()
}

#[tokio::test]
async fn a_position_that_stays_open_is_not_closed() {
    let close = ClosePositions::new(observed::Category::UsdtFutures);
    let client = answered(
        r#"{"list":[{"orderId":"1","clientOid":"a"},{"orderId":null,"clientOid":"b","code":"40762","msg":"no"}]}"#,
    );
    let reply = client.observed().close_positions(&close).await.unwrap();
    let [failure] = reply.failures() else { panic!("{reply}") };
    assert_eq!((failure.ids.as_slice(), failure.error.code.as_str()), (&["b".to_owned()][..], "40762"));
    assert!(!reply.all_done() && reply.done().is_err());
    let client = answered(r#"{"list":[{"orderId":"1","clientOid":"a"}]}"#);
    assert_eq!(client.observed().close_positions(&close).await.unwrap().done().unwrap().list.len(), 1);
}

#[tokio::test]
async fn a_cancellation_of_everything_can_be_repeated() {
    let fixture = Fixture::one_way();
    place(&fixture, "a").await;
    place(&fixture, "b").await;
    let all = CancelAllOrders::new(Category::UsdtFutures);
    let policy = RetryPolicy::new().attempts(5).pauses(Duration::ZERO, Duration::ZERO);
    fixture.exchange.add_fault(Fault::new(FaultKind::Refuse("40725".into())).target(FaultTarget::Changes).times(2));
    let reply = fixture.client.retrying(&policy).cancel(&all).await.unwrap();
    assert_eq!((reply.len(), fixture.unified().open_orders.len()), (2, 0));
    // What an attempt without a response cancelled, a later one does not list.
    place(&fixture, "c").await;
    fixture.exchange.add_fault(Fault::new(FaultKind::Hide("40725".into())).target(FaultTarget::Changes).times(1));
    let reply = fixture.client.retrying(&policy).cancel(&all).await.unwrap();
    assert_eq!((reply.len(), fixture.unified().open_orders.len()), (0, 0));
    // Its items succeed or fail on their own, as those of a direct call.
    place(&fixture, "e").await;
    place(&fixture, "f").await;
    let reply = fixture.client.retrying(&policy).cancel(&all).await.unwrap();
    assert!(reply.all_done(), "{reply}");
    assert_eq!(reply.data.to_string().lines().count(), 2, "{}", reply.data);
    // Without a retry, the outcome is unknown.
    place(&fixture, "d").await;
    fixture.exchange.add_fault(Fault::new(FaultKind::Hide("40725".into())).target(FaultTarget::Changes).times(1));
    assert!(matches!(fixture.client.unified().cancel_all_orders(&all).await, Err(Error::Unknown(_))));
}
