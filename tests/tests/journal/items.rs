//! Each item of a batch is open in the journal until it is settled, whatever the others are. The server knows nothing of
//! the client.

use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::confirm::{ConfirmPolicy, EvidenceVerdict};
use tradeapi::runtime::journal::{ItemEnding, Selection};
use tradeapi::runtime::json::read_json;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{BatchOrder, CancelAllOrders, Order};
use tradeapi::{Client, Credentials};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

use crate::{all, item, journal, read};

fn client(server: &ScriptedServer, folder: &std::path::Path) -> Client {
    let credentials = Credentials::new("key", "secret", "passphrase");
    let builder = Client::builder(server.url()).credentials(credentials).limits(LimitMode::Off);
    builder.journal(journal(folder)).build().unwrap()
}

/// Returns a server with these answers.
fn serving<const N: usize>(answers: [Answer; N]) -> ScriptedServer {
    let server = ScriptedServer::start().unwrap();
    answers.into_iter().for_each(|answer| server.answer_next(answer));
    server
}

fn answer(data: &Value) -> Answer {
    Answer::json(json!({"code": "00000", "msg": "success", "requestTime": 1, "data": data}).to_string())
}

fn refused(id: &str, code: &str) -> Value {
    json!({"orderId": "", "clientOid": id, "code": code, "msg": "no"})
}

fn placed(id: &str) -> Value {
    json!({"orderId": format!("1{id}"), "clientOid": id})
}

fn record(id: &str) -> Value {
    let now = tradeapi::Timestamp::from(std::time::SystemTime::now()).as_millis().to_string();
    json!({
        "orderId": format!("1{id}"), "clientOid": id, "category": "USDT-FUTURES", "symbol": "BTCUSDT",
        "orderType": "limit", "side": "buy", "price": "50000", "qty": "0.001", "timeInForce": "gtc",
        "orderStatus": "live", "createdTime": now, "updatedTime": now,
    })
}

fn batch(ids: &[&str]) -> BatchOrder {
    BatchOrder::new(ids.iter().map(|id| item(id)).collect())
}

/// Codes that prove nothing leave their item open, and nothing else.
#[tokio::test]
async fn an_item_of_which_nothing_is_known_keeps_a_batch_open_and_only_it_is_queried() {
    for code in ["40010", "40725"] {
        let folder = tempfile::tempdir().unwrap();
        let results = json!([placed("b1"), refused("b2", code), refused("b3", "40762")]);
        let server = serving([answer(&results), answer(&record("b2"))]);
        let client = client(&server, folder.path());
        client.call(&batch(&["b1", "b2", "b3"])).await.map(drop).unwrap();
        let journal = client.core().journal().unwrap().clone();
        let open = read(&*journal, Selection::Open);
        let known = [ItemEnding::new(0, Outcome::Done), ItemEnding::new(2, Outcome::NotDone).code("40762")];
        assert_eq!(open[0].items, known, "{code}");
        assert_eq!((open[0].outcome_of(0), open[0].outcome_of(1)), (Some(Outcome::Done), None));

        let recovered = client.recover(&ConfirmPolicy::new()).await.unwrap();
        let outcomes: Vec<_> = recovered[0].items.iter().map(|item| item.outcome).collect();
        assert_eq!(outcomes, [Outcome::Done, Outcome::Done, Outcome::NotDone], "{recovered}");
        let asked: Vec<_> = server.requests().iter().skip(1).map(|request| request.query.clone().unwrap()).collect();
        assert!(asked.len() == 1 && asked[0].contains("b2"), "{asked:?}");
        assert_eq!(read(&*journal, Selection::Open), []);
        let stored = all(&*journal).remove(0);
        assert_eq!((0..3).map(|place| stored.outcome_of(place).unwrap()).collect::<Vec<_>>(), outcomes);
    }
}

/// A late refusal may answer a copy of the request whose first one was done, unless every copy is refused alike.
#[tokio::test]
async fn an_item_that_is_refused_late_stays_open() {
    let folder = tempfile::tempdir().unwrap();
    let server = serving([answer(&json!([refused("b1", "40762"), refused("b2", "43006")]))]);
    server.delay_requests(|_, _| Duration::from_millis(1_100));
    let client = client(&server, folder.path());
    let reply = client.call(&batch(&["b1", "b2"])).await.unwrap();
    let told: Vec<_> = reply.failures().iter().map(|failure| failure.error.outcome).collect();
    assert_eq!(told, [Outcome::Unknown, Outcome::NotDone]);
    let open = read(&**client.core().journal().unwrap(), Selection::Open);
    assert_eq!(open[0].items, [ItemEnding::new(1, Outcome::NotDone).code("43006")]);
}

/// A process that dies within a recovery has stored what it found.
#[tokio::test]
async fn what_is_known_of_items_outlives_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let results = json!([refused("b1", "40725"), refused("b2", "40725"), placed("b3")]);
    let server = serving([answer(&results), answer(&record("b2")), answer(&json!([]))]);
    {
        let client = client(&server, folder.path());
        client.call(&batch(&["b1", "b2", "b3"])).await.map(drop).unwrap();
        let order: Order = read_json(&record("b2").to_string()).unwrap();
        let evidence = client.evidence(&order).await.unwrap();
        assert_eq!(evidence.requests[0].verdict, EvidenceVerdict::ProvesItem);
    }
    let client = client(&server, folder.path());
    let journal = client.core().journal().unwrap().clone();
    let open = read(&*journal, Selection::Open);
    assert_eq!(
        (0..3).map(|place| open[0].outcome_of(place)).collect::<Vec<_>>(),
        [None, Some(Outcome::Done), Some(Outcome::Done)]
    );
    // The last one closes the change.
    let order: Order = read_json(&record("b1").to_string()).unwrap();
    let evidence = client.evidence(&order).await.unwrap();
    assert_eq!(evidence.requests[0].verdict, EvidenceVerdict::Proves);
    assert_eq!(all(&*journal)[0].ending.as_ref().unwrap().outcome, Outcome::Done);
}

#[tokio::test]
async fn a_batch_is_done_if_an_item_is_and_not_done_if_none_is() {
    let folder = tempfile::tempdir().unwrap();
    let some = json!([refused("a", "40762"), placed("b")]);
    let none = json!([refused("c", "40762"), refused("d", "40762")]);
    let server = serving([answer(&some), answer(&none)]);
    let client = client(&server, folder.path());
    client.call(&batch(&["a", "b"])).await.map(drop).unwrap();
    client.call(&batch(&["c", "d"])).await.map(drop).unwrap();
    let stored = all(&**client.core().journal().unwrap());
    let outcomes: Vec<_> = stored.iter().map(|stored| stored.ending.as_ref().unwrap().outcome).collect();
    assert_eq!(outcomes, [Outcome::Done, Outcome::NotDone]);
    assert_eq!(stored[0].outcome_of(0), Some(Outcome::NotDone));
}

/// An id of an item elsewhere in the answer is no result of the item.
#[tokio::test]
async fn an_answer_that_only_names_an_item_says_nothing_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let named = json!({"orderId": "1", "clientOid": "a", "msg": "b"});
    let server = serving([answer(&json!([named]))]);
    let client = client(&server, folder.path());
    client.call(&batch(&["a", "b"])).await.map(drop).unwrap();
    let open = read(&**client.core().journal().unwrap(), Selection::Open);
    assert_eq!(open.iter().map(|stored| stored.outcome_of(1)).collect::<Vec<_>>(), [None]);
}

/// The same for requests that list no items, whose responses do.
#[tokio::test]
async fn a_cancellation_of_all_of_which_one_is_unknown_stays_open() {
    for (code, expected) in [("40725", None), ("25204", Some(Outcome::Done))] {
        let folder = tempfile::tempdir().unwrap();
        let results = json!([placed("a"), refused("b", code)]);
        let server = serving([answer(&results)]);
        let client = client(&server, folder.path());
        client.call(&CancelAllOrders::new(tradeapi::unified::Category::UsdtFutures)).await.map(drop).unwrap();
        let stored = all(&**client.core().journal().unwrap()).remove(0);
        assert_eq!(stored.ending.map(|ending| ending.outcome), expected, "{code}");
    }
}
