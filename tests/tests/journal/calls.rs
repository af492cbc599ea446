//! The entries that a call stores in a journal, and when.

use std::future::ready;
use std::sync::{Arc, Mutex};

use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::error::JournalError;
use tradeapi::runtime::journal::{Change, ChangeNumber, Ending, Journal, JournalFuture, Selection, StoredChange};
use tradeapi::runtime::tables::{CodeProof, Outcome};
use tradeapi::runtime::transport::{self, Transport};
use tradeapi::runtime::wire::CodePolicy;
use tradeapi::unified::{BatchOrder, CancelOrder, GetOrderDetails, PlaceOrder};
use tradeapi::{Client, Error, Operation};
use tradeapi_exchange::{Exchange, Family, Fault, FaultKind, Profile, Seed, Settings, Time};

use crate::{all, by_id, item, journal, order, read};

/// Returns a transport that records the number of open changes when each request is sent.
fn watched(exchange: Exchange, journal: Arc<dyn Journal>, open: Arc<Mutex<Vec<usize>>>) -> impl Transport {
    transport::from_fn(move |request| {
        open.lock().unwrap().push(read(&*journal, Selection::Open).len());
        let exchange = exchange.clone();
        async move { exchange.send(request).await }
    })
}

#[tokio::test]
async fn a_change_is_stored_before_it_is_sent_and_its_outcome_afterwards() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(1)));
    let journal = journal(folder.path());
    let open = Arc::<Mutex<Vec<usize>>>::default();
    let watched = watched(exchange.clone(), journal.clone(), open.clone());
    let client: Client = exchange
        .client_of(exchange.keys())
        .transport(watched)
        .journal(journal.clone())
        .account("desk")
        .build()
        .unwrap();

    client.unified().place_order(&order("first")).await.unwrap();
    exchange.refuse_next("40762");
    client.unified().place_order(&order("second")).await.unwrap_err();
    exchange.hide_next("40725");
    let before = exchange.time().now();
    client.unified().place_order(&order("third")).await.unwrap_err();
    client.unified().get_order_details(&GetOrderDetails::new(by_id("first"))).await.unwrap();
    let prepared = order("fourth");
    client.send(client.prepare(&prepared).unwrap()).await.unwrap();

    let stored = all(&*journal);
    let summary = |stored: &StoredChange| {
        let ending = stored.ending.as_ref().map(|ending| (ending.outcome, ending.code.clone()));
        (stored.change.client_ids.join(" "), ending)
    };
    assert_eq!(
        stored.iter().map(summary).collect::<Vec<_>>(),
        [
            ("first".to_owned(), Some((Outcome::Done, None))),
            ("second".to_owned(), Some((Outcome::NotDone, Some("40762".to_owned())))),
            ("third".to_owned(), None),
            ("fourth".to_owned(), Some((Outcome::Done, None))),
        ]
    );
    let third = &stored[2].change;
    assert_eq!((third.operation.as_str(), third.account.as_deref()), ("unified.place-order", Some("desk")));
    assert_eq!(third.signed_at, before);
    assert_eq!(PlaceOrder::from_json(&third.request).unwrap(), order("third"));
    // The query, and the request that was sent after the change that stays open.
    assert_eq!(*open.lock().unwrap(), [1, 1, 1, 1, 2]);
}

/// A recovery has nothing to do.
#[tokio::test]
async fn what_queries_find_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let exchange = Exchange::with(Settings::default(), Time::by_hand(), Profile::new().both());
    let journal = journal(folder.path());
    let client: Client = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
    for (kind, outcome) in [(FaultKind::LateGateway, Outcome::Done), (FaultKind::Gateway, Outcome::NotDone)] {
        exchange.add_fault(Fault::new(kind.clone()).times(1));
        let (order, policy) = (order(&format!("{outcome:?}")), ConfirmPolicy::new());
        let confirmation = exchange.time().run(client.place_and_confirm(&order, &policy)).await;
        assert_eq!(confirmation.outcome(), outcome, "{kind:?}: {confirmation}");
        let stored = all(&*journal).pop().and_then(|stored| stored.ending).map(|ending| ending.outcome);
        assert_eq!(stored, Some(outcome), "{kind:?}");
    }
    assert_eq!(read(&*journal, Selection::Open), []);
}

/// Returns a transport that removes all items but the first from a response.
fn truncates_items(exchange: Exchange) -> impl Transport {
    transport::from_fn(move |request| {
        let exchange = exchange.clone();
        async move {
            let response = exchange.send(request).await?;
            Ok(response.map(|body| {
                let mut answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
                answer["data"].as_array_mut().unwrap().truncate(1);
                answer.to_string().into()
            }))
        }
    })
}

/// The outcomes of the other items are unknown, so a later run has to query them.
#[tokio::test]
async fn a_batch_of_which_an_item_is_not_mentioned_stays_open() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(9)));
    let journal = journal(folder.path());
    let builder = || exchange.client_of(exchange.keys()).journal(journal.clone());
    let (whole, shortened): (Client, Client) =
        (builder().build().unwrap(), builder().transport(truncates_items(exchange.clone())).build().unwrap());
    whole.call(&BatchOrder::new(vec![item("b1"), item("b2")])).await.map(drop).unwrap();
    assert_eq!(read(&*journal, Selection::Open), []);
    shortened.call(&BatchOrder::new(vec![item("b3"), item("b4")])).await.map(drop).unwrap();
    let open = read(&*journal, Selection::Open);
    assert_eq!(open.iter().map(|stored| stored.change.client_ids.join(" ")).collect::<Vec<_>>(), ["b3 b4"]);
}

/// Returns a transport that answers everything with a code.
fn refuses(code: &str) -> impl Transport + use<> {
    let body = format!(r#"{{"code":"{code}","msg":"no","data":null}}"#);
    transport::from_fn(move |_| ready(Ok(http::Response::new(body.clone().into()))))
}

/// A text of any length that an exchange sends as a code does not fill the disk.
#[tokio::test]
async fn a_code_is_stored_unless_it_is_longer_than_any() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(9)));
    let journal = journal(folder.path());
    for length in [32, 33] {
        let code = "9".repeat(length);
        let client = exchange.client_of(exchange.keys()).transport(refuses(&code)).journal(journal.clone());
        let client = client.codes(CodePolicy::new().code(code, CodeProof::NotDone)).build().unwrap();
        client.unified().place_order(&order("one")).await.unwrap_err();
    }
    let endings = all(&*journal).into_iter().map(|stored| stored.ending.unwrap());
    let refused = Ending::new(Outcome::NotDone);
    assert_eq!(endings.collect::<Vec<_>>(), [refused.clone().code("9".repeat(32)), refused]);
}

/// A journal on a full disk.
struct FullDisk;

impl Journal for FullDisk {
    fn begin(&self, _: Change) -> JournalFuture<'_, ChangeNumber> {
        let source = Arc::new(std::io::Error::from(std::io::ErrorKind::StorageFull));
        Box::pin(async { Err(JournalError::Store { source }) })
    }

    fn end(&self, _: ChangeNumber, _: Ending) -> JournalFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn read(&self, _: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[tokio::test]
async fn a_change_that_cannot_be_stored_is_not_sent() {
    let exchange = Exchange::new(Seed(2));
    let client = exchange.client_of(exchange.keys()).journal(Arc::new(FullDisk)).build().unwrap();
    let error = client.unified().place_order(&order("one")).await.unwrap_err();
    assert!(matches!(error, Error::NotStored(_)));
    assert_eq!((error.outcome(), error.operation()), (Outcome::NotDone, "unified.place-order"));
    assert!(
        error.to_string().starts_with("unified.place-order was not sent: the journal cannot be written:"),
        "{error}"
    );
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).open_orders, []);
    // In an emergency, a client without a journal can be used.
    let other = exchange.client();
    other.unified().place_order(&order("two")).await.unwrap();
    let cancel = CancelOrder::new(by_id("two"));
    assert!(client.unified().cancel_order(&cancel).await.is_err());
    client.without_journal().unified().cancel_order(&cancel).await.unwrap();
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).open_orders, []);
}
