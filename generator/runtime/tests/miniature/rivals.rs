//! Requests with the same id, of which a record may show either: those that had no effect do not count.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::confirm::{self, ConfirmPolicy, Confirmable, Queryable};
use tradeapi_runtime::error::JournalError;
use tradeapi_runtime::journal::{Change, ChangeNumber, Ending, Journal, JournalFuture, Selection, StoredChange};
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::{Meta, Outcome, RepeatKey};
use tradeapi_runtime::{Credentials, Error, Operation, Reply};

use crate::Tested;
use crate::confirmations::{Found, Line, OneOrder, answers, code, lost, order, seconds};
use crate::orders::{PlaceOrder, Placed, with_parameters_of_order};

const FOUND: &str = r#"{"clientOid":"a1","created":NOW}"#;

/// Cannot store the first change.
#[derive(Default)]
struct FullAtFirst(AtomicBool);

impl Journal for FullAtFirst {
    fn begin(&self, _: Change) -> JournalFuture<'_, ChangeNumber> {
        let full = JournalError::Store { source: Arc::from(Box::<dyn std::error::Error + Send + Sync>::from("full")) };
        let stored = if self.0.swap(true, Ordering::Relaxed) { Ok(ChangeNumber(1)) } else { Err(full) };
        Box::pin(ready(stored))
    }

    fn end(&self, _: ChangeNumber, _: Ending) -> JournalFuture<'_, ()> {
        Box::pin(ready(Ok(())))
    }

    fn read(&self, _: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(ready(Ok(Vec::new())))
    }
}

#[tokio::test]
async fn a_request_that_was_not_stored_is_no_rival() -> Tested {
    let line = Line::new([lost(), answers(FOUND)]);
    let client = line.builder().journal(Arc::new(FullAtFirst::default())).build()?;
    let order = order("a1")?;
    assert!(matches!(client.call(&order).await, Err(Error::NotStored(_))));
    line.time.timer().advance(seconds(1));
    let confirmation = confirm::place_and_confirm(client.core(), &order, &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Done, "{confirmation}");
    Ok(())
}

#[tokio::test]
async fn a_refused_request_is_no_rival() -> Tested {
    let line = Line::new([code("40786"), lost(), answers(FOUND)]);
    let (client, order) = (line.client()?, order("a1")?);
    assert!(client.call(&order).await.is_err());
    line.time.timer().advance(seconds(1));
    let confirmation = confirm::place_and_confirm(client.core(), &order, &ConfirmPolicy::new()).await;
    assert_eq!(confirmation.outcome(), Outcome::Done, "{confirmation}");
    Ok(())
}

/// Clients of one key know each other's requests, whichever name of the exchange each was given.
#[tokio::test]
async fn a_request_of_another_client_of_the_account_is_a_rival() -> Tested {
    for (address, key, outcome) in [
        ("https://mini.example", "key", Outcome::Unknown),
        ("https://mini.example/", "key", Outcome::Unknown),
        ("HTTPS://Mini.Example", "key", Outcome::Unknown),
        ("https://mini.example:443", "key", Outcome::Unknown),
        ("https://other.example/path", "key", Outcome::Unknown),
        ("https://mini.example", "another", Outcome::Done),
    ] {
        let line = Line::new([answers(r#"{"orderId":"7"}"#), lost(), answers(FOUND)]);
        let (process, order) = (line.time.in_another_process(), order("a1")?);
        let client = |address, key| {
            let credentials = Credentials::new(key, "secret", "pass");
            line.builder_at(address).credentials(credentials).environment(process.clone()).build()
        };
        client("https://mini.example", "key")?.call(&order).await?;
        let second = client(address, key)?;
        let policy = ConfirmPolicy::new().deadline(seconds(5));
        let confirmation = confirm::place_and_confirm(second.core(), &order, &policy).await;
        assert_eq!(confirmation.outcome(), outcome, "{address}, {key}: {confirmation}");
    }
    Ok(())
}

/// Places an order, whose id the exchange recognizes for a minute.
struct PlaceOnce(PlaceOrder);

with_parameters_of_order!(PlaceOnce);

impl Operation for PlaceOnce {
    type Response = Placed;

    const META: &'static Meta = &Meta {
        id: "mini.place-once",
        repeat_key: Some(RepeatKey { parameter: "clientOid", kept_ms: Some(60_000) }),
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for PlaceOnce {
    type Reply = Reply<Placed>;
}

impl Queryable for PlaceOnce {
    type Query = OneOrder;
    type Record = Found;
}

impl Confirmable for PlaceOnce {}

/// The second one may arrive half a minute after it was sent, when the id is forgotten.
#[tokio::test]
async fn attempts_are_no_rivals_while_the_exchange_recognizes_their_key() -> Tested {
    for (apart, outcome) in [(29, Outcome::Done), (30, Outcome::Unknown)] {
        let line = Line::new([lost(), lost(), answers(FOUND)]);
        let (client, order) = (line.client()?, PlaceOnce(order("a1")?));
        assert!(client.call(&order).await.is_err());
        line.time.timer().advance(seconds(apart));
        let policy = ConfirmPolicy::new().deadline(seconds(1));
        let confirmation = confirm::place_and_confirm(client.core(), &order, &policy).await;
        assert_eq!(confirmation.outcome(), outcome, "{apart}: {confirmation}");
    }
    Ok(())
}
