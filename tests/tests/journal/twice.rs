//! An id that is used twice within seconds: one order settles at most one change, across clients of a process, a restart
//! and a comparison of the account. The server keeps books of its own, and shares no code with the client.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::clock::SystemEnvironment;
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::journal::Selection;
use tradeapi::runtime::reconcile::Reconciliation;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::GetOrderDetails;
use tradeapi::{Client, Credentials, Timestamp};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{AnotherProcess, all, by_id, journal, order, read};

/// The orders of an exchange, by the client id.
#[derive(Default)]
struct Books {
    orders: BTreeMap<String, Value>,
    placements: usize,
    /// True if the next query is refused by a machine whose clock is an hour ahead.
    is_hour_ahead: bool,
}

fn answer(code: &str, data: &Value) -> Answer {
    answer_at(now(), code, data)
}

fn answer_at(time: u64, code: &str, data: &Value) -> Answer {
    let msg = if code == "00000" { "success" } else { "refused" };
    Answer::json(json!({"code": code, "msg": msg, "requestTime": time, "data": data}).to_string())
}

fn now() -> u64 {
    u64::try_from(SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap()
}

/// Returns an exchange that books the second placement of each id, and answers every one with a code that leaves it
/// open.
fn exchange() -> (ScriptedServer, Arc<Mutex<Books>>) {
    let (server, books) = (ScriptedServer::start().unwrap(), Arc::new(Mutex::new(Books::default())));
    let of_server = Arc::clone(&books);
    server.answer_otherwise(move |request| serve(&mut of_server.lock().unwrap(), request));
    (server, books)
}

fn serve(books: &mut Books, request: &Request) -> Answer {
    let query = request.query.clone().unwrap_or_default();
    match request.path.as_str() {
        "/api/v3/trade/place-order" => {
            let mut order: Value = serde_json::from_slice(&request.body).unwrap();
            let id = order["clientOid"].as_str().unwrap().to_owned();
            books.placements += 1;
            if books.placements.is_multiple_of(2) {
                order["orderId"] = json!(books.placements.to_string());
                order["orderStatus"] = json!("live");
                order["createdTime"] = json!(now().to_string());
                order["updatedTime"] = order["createdTime"].clone();
                books.orders.insert(id, order);
            }
            answer("40725", &Value::Null)
        }
        "/api/v3/trade/order-info" if std::mem::take(&mut books.is_hour_ahead) => {
            answer_at(now() + 3_600_000, "40008", &Value::Null)
        }
        "/api/v3/trade/order-info" => {
            let named = books.orders.iter().find(|(id, _)| query.contains(&format!("clientOid={id}")));
            named.map_or_else(|| answer("40109", &Value::Null), |(_, order)| answer("00000", order))
        }
        "/api/v3/trade/unfilled-orders" => {
            let open: Vec<_> = books
                .orders
                .values()
                .filter(|order| query.contains(&format!("category={}", order["category"].as_str().unwrap())))
                .collect();
            answer("00000", &json!({"list": open, "cursor": null}))
        }
        _ => answer("00000", &json!({"list": [], "cursor": null})),
    }
}

fn client(server: &ScriptedServer) -> tradeapi::runtime::ClientBuilder<Client> {
    let credentials = Credentials::new("key", "secret", "passphrase");
    Client::builder(server.url()).credentials(credentials).limits(LimitMode::Off)
}

fn run(server: &ScriptedServer, folder: &Path) -> Client {
    client(server).environment(AnotherProcess(SystemEnvironment::new())).journal(journal(folder)).build().unwrap()
}

fn policy() -> ConfirmPolicy {
    ConfirmPolicy::new().deadline(Duration::from_secs(2))
}

#[tokio::test]
async fn two_clients_of_a_process_do_not_both_take_one_order() {
    let (server, books) = exchange();
    let [one, other] = [(); 2].map(|()| client(&server).build().unwrap());
    let (order, policy) = (order("a"), policy());
    let (first, second) =
        tokio::join!(one.place_and_confirm(&order, &policy), other.place_and_confirm(&order, &policy));
    assert_eq!(books.lock().unwrap().orders.len(), 1);
    assert_eq!([first.outcome(), second.outcome()], [Outcome::Unknown; 2], "{first}\n{second}");
    // Another key has other orders, as far as this process knows.
    let elsewhere = Client::builder(server.url()).credentials(Credentials::new("other", "secret", "passphrase"));
    let elsewhere = elsewhere.limits(LimitMode::Off).build().unwrap();
    books.lock().unwrap().placements = 1;
    let confirmation = elsewhere.place_and_confirm(&crate::order("b"), &policy).await;
    assert_eq!(confirmation.outcome(), Outcome::Done, "{confirmation}");
}

/// A client that is made after another one of its account was dropped knows what that one sent.
#[tokio::test]
async fn a_client_outlives_what_it_sent() {
    let (server, _) = exchange();
    let first = client(&server).build().unwrap();
    first.unified().place_order(&order("a")).await.unwrap_err();
    drop(first);
    let second = client(&server).build().unwrap();
    let confirmation = second.place_and_confirm(&order("a"), &policy()).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
}

#[tokio::test]
async fn one_order_closes_no_two_changes_after_a_crash() {
    let (server, books) = exchange();
    let folder = tempfile::tempdir().unwrap();
    {
        let client = run(&server, folder.path());
        for _ in 0..2 {
            client.unified().place_order(&order("a")).await.unwrap_err();
        }
        // An id that is used once is settled by its order.
        books.lock().unwrap().placements = 1;
        client.unified().place_order(&order("b")).await.unwrap_err();
    }
    let client = run(&server, folder.path());
    let recovered = client.recover(&policy()).await.unwrap();
    let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
    assert_eq!(outcomes, [(Outcome::Unknown, true), (Outcome::Unknown, true), (Outcome::Done, false)], "{recovered}");
    // Recovering again, in the run that sent none of them, does not count any of them twice.
    assert_eq!(client.recover(&policy()).await.unwrap().len(), 2);
}

/// A machine whose clock is an hour ahead refuses a query between the two, so that their signatures are an hour apart,
/// and their order is as old as either.
#[tokio::test]
async fn signatures_by_a_clock_that_was_moved_distinguish_no_two_changes() {
    let (server, books) = exchange();
    let folder = tempfile::tempdir().unwrap();
    {
        let client = run(&server, folder.path());
        client.unified().place_order(&order("a")).await.unwrap_err();
        books.lock().unwrap().is_hour_ahead = true;
        client.unified().get_order_details(&GetOrderDetails::new(by_id("a"))).await.unwrap_err();
        client.unified().place_order(&order("a")).await.unwrap_err();
    }
    let client = run(&server, folder.path());
    let signed: Vec<_> = all(&**client.core().journal().unwrap()).iter().map(|one| one.change.signed_at).collect();
    assert!(signed[1] > signed[0] + Duration::from_secs(3_000), "{signed:?}");
    let recovered = client.recover(&policy()).await.unwrap();
    let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
    assert_eq!(outcomes, [(Outcome::Unknown, true); 2], "{recovered}");
}

/// The first use was closed as done before the crash; its order is no proof of the second.
#[tokio::test]
async fn an_order_of_a_closed_change_closes_no_other_one() {
    let (server, books) = exchange();
    let folder = tempfile::tempdir().unwrap();
    {
        let client = run(&server, folder.path());
        books.lock().unwrap().placements = 1;
        assert_eq!(client.place_and_confirm(&order("a"), &policy()).await.outcome(), Outcome::Done);
        let journal = client.core().journal().unwrap();
        for stored in journal.read(Selection::Open).await.unwrap() {
            journal.end(stored.number, tradeapi::runtime::journal::Ending::new(Outcome::Done)).await.unwrap();
        }
        client.unified().place_order(&order("a")).await.unwrap_err();
    }
    let recovered = run(&server, folder.path()).recover(&policy()).await.unwrap();
    let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
    assert_eq!(outcomes, [(Outcome::Unknown, true)], "{recovered}");
}

/// A run that reuses the id of an earlier one, and recovers nothing, does not take the earlier order for its own.
#[tokio::test]
async fn a_later_run_does_not_take_the_order_of_an_earlier_one() {
    let (server, books) = exchange();
    let folder = tempfile::tempdir().unwrap();
    books.lock().unwrap().placements = 1;
    run(&server, folder.path()).unified().place_order(&order("a")).await.unwrap_err();
    let client = run(&server, folder.path());
    let confirmation = client.place_and_confirm(&order("a"), &policy()).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
}

#[tokio::test]
async fn a_comparison_settles_no_two_changes_by_one_order() {
    let (server, _) = exchange();
    let folder = tempfile::tempdir().unwrap();
    {
        let client = run(&server, folder.path());
        for _ in 0..2 {
            client.unified().place_order(&order("a")).await.unwrap_err();
        }
    }
    let client = run(&server, folder.path());
    let since = Timestamp::from_millis(now() - 60_000);
    let mut account = Reconciliation::since(since).family("unified").confirming(policy());
    let reconciled = client.reconcile(&mut account).await.unwrap();
    assert_eq!(reconciled.orders.iter().filter(|order| order.is_open).count(), 1, "{reconciled}");
    drop(client);
    let journal = journal(folder.path());
    let done = all(&*journal).into_iter().filter(|stored| stored.ending.is_some()).count();
    assert_eq!((done, read(&*journal, Selection::Open).len()), (0, 2));
}
