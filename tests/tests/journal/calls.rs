//! What a call stores, and when.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tradeapi::runtime::error::JournalError;
use tradeapi::runtime::journal::{Change, ChangeNumber, Ending, Journal, JournalFuture, Selection, StoredChange};
use tradeapi::runtime::tables::Outcome;
use tradeapi::runtime::transport::{ResponseFuture, Transport};
use tradeapi::unified::{BatchOrder, CancelOrder, GetOrderDetails, PlaceOrder};
use tradeapi::{Client, Error, Operation};
use tradeapi_exchange::{Exchange, Family, Seed};

use crate::{all, by_id, item, journal, order, read};

/// Notes how many changes were open when each request left.
struct Watched {
    exchange: Exchange,
    journal: Arc<dyn Journal>,
    open: Arc<Mutex<Vec<usize>>>,
}

impl Transport for Watched {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        self.open.lock().unwrap().push(read(&*self.journal, Selection::Open).len());
        self.exchange.send(request)
    }
}

#[tokio::test]
async fn a_change_is_stored_before_it_leaves_and_its_outcome_after() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(1)));
    let journal = journal(folder.path());
    let open = Arc::<Mutex<Vec<usize>>>::default();
    let watched = Watched { exchange: exchange.clone(), journal: journal.clone(), open: open.clone() };
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
    // The read, and what left after the change that stayed open.
    assert_eq!(*open.lock().unwrap(), [1, 1, 1, 1, 2]);
}

/// Leaves out what a response has behind its first item.
struct Shortened(Exchange);

impl Transport for Shortened {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move {
            self.0.send(request).await.map(|response| {
                response.map(|body| {
                    let mut answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
                    answer["data"].as_array_mut().unwrap().truncate(1);
                    answer.to_string().into()
                })
            })
        })
    }
}

/// What became of the other items is not known, so a later run has to query them.
#[tokio::test]
async fn a_batch_of_which_an_item_is_not_mentioned_stays_open() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::new(Seed(9)));
    let journal = journal(folder.path());
    let builder = || exchange.client_of(exchange.keys()).journal(journal.clone());
    let (whole, shortened): (Client, Client) =
        (builder().build().unwrap(), builder().transport(Shortened(exchange.clone())).build().unwrap());
    whole.call(&BatchOrder::new(vec![item("b1"), item("b2")])).await.unwrap();
    assert_eq!(read(&*journal, Selection::Open), []);
    shortened.call(&BatchOrder::new(vec![item("b3"), item("b4")])).await.unwrap();
    let open = read(&*journal, Selection::Open);
    assert_eq!(open.iter().map(|stored| stored.change.client_ids.join(" ")).collect::<Vec<_>>(), ["b3 b4"]);
}

/// A journal on a disk that is full.
struct Full;

impl Journal for Full {
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
async fn what_cannot_be_stored_is_not_sent() {
    let exchange = Exchange::new(Seed(2));
    let client = exchange.client_of(exchange.keys()).journal(Arc::new(Full)).build().unwrap();
    let error = client.unified().place_order(&order("one")).await.unwrap_err();
    assert!(matches!(error, Error::NotStored(_)));
    assert_eq!((error.outcome(), error.operation()), (Outcome::NotDone, "unified.place-order"));
    assert!(
        error.to_string().starts_with("unified.place-order was not sent: the journal cannot be written:"),
        "{error}"
    );
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).open_orders, []);
    // In an emergency there is a way without it.
    let other = exchange.client();
    other.unified().place_order(&order("two")).await.unwrap();
    let cancel = CancelOrder::new(by_id("two"));
    assert!(client.unified().cancel_order(&cancel).await.is_err());
    client.without_journal().unified().cancel_order(&cancel).await.unwrap();
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).open_orders, []);
}
