//! A comparison with an exchange of which one machine is behind, or denies an order that exists. Its books share no code
//! with the client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::client::Assumptions;
use tradeapi::runtime::clock::{Clock, Environment, SystemTimer, Timer};
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::reconcile::{Difference, ForeignOrders, Gone, Reconciled, Reconciliation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::BatchOrder;
use tradeapi::{Client, Credentials, Timestamp};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{all, item, journal, order};

/// Clocks that are set forward by hand, which both sides read: seconds since a start. Clients with an environment of
/// their own share nothing, like those of several processes.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>, Arc<SystemTimer>);

impl Hand {
    fn passed(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }

    fn wall(&self) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000) + self.passed()
    }
}

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        self.wall()
    }
}

impl Timer for Hand {
    fn now(&self) -> Duration {
        self.1.now() + self.passed()
    }

    fn wake_at(&self, at: Duration, waker: Waker) {
        self.1.wake_at(at.saturating_sub(self.passed()), waker);
    }
}

impl Environment for Hand {
    fn random(&self) -> u64 {
        7
    }
}

/// The answers of the machines of the exchange.
#[derive(Default)]
struct Books {
    /// The open orders, by client id, with the record of each.
    open: HashMap<String, Value>,
    /// The number of queries of an order that are denied before one shows it.
    denials: usize,
    /// Which answers to queries of an order are lost, counted from 1.
    lost: &'static [usize],
    /// The number of listings of open orders that lack them.
    stale_listings: usize,
    /// The number of times that open orders were listed, and orders queried.
    listed: usize,
    queried: usize,
}

struct Lagging {
    server: ScriptedServer,
    books: Arc<Mutex<Books>>,
    clock: Hand,
    folder: TempDir,
}

/// The listing of this product shows the orders; the others are empty.
const LINE: &str = "category=USDT-FUTURES";

impl Lagging {
    fn start() -> Self {
        let (server, books) = (ScriptedServer::start().unwrap(), Arc::<Mutex<Books>>::default());
        let (clock, folder) = (Hand::default(), tempfile::tempdir().unwrap());
        let (of_server, time) = (Arc::clone(&books), clock.clone());
        server.answer_otherwise(move |request| answer(request, &mut of_server.lock().unwrap(), time.wall()));
        Self { server, books, clock, folder }
    }

    /// Returns a client of a process that has just started.
    fn client(&self) -> Client {
        self.builder().journal(journal(self.folder.path())).build().unwrap()
    }

    fn builder(&self) -> ClientBuilder<Client> {
        let credentials = Credentials::new("key", "secret", "passphrase");
        Client::builder(self.server.url()).credentials(credentials).environment(self.clock.clone())
    }

    fn books(&self) -> std::sync::MutexGuard<'_, Books> {
        self.books.lock().unwrap()
    }

    /// Compares from the start on, with a client of a new process.
    async fn compare(&self) -> Reconciled {
        self.client().reconcile(&mut self.reconciliation()).await.unwrap()
    }

    fn reconciliation(&self) -> Reconciliation {
        self.reconciliation_by(ConfirmPolicy::new())
    }

    fn reconciliation_by(&self, policy: ConfirmPolicy) -> Reconciliation {
        let policy = policy.deadline(Duration::ZERO);
        Reconciliation::since(Hand::default().wall()).family("unified").confirming(policy)
    }

    fn advance(&self, seconds: u64) {
        self.clock.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

fn answer(request: &Request, books: &mut Books, now: Timestamp) -> Answer {
    let reply = |code: &str, data: Value| {
        let now = now.as_millis();
        let text = if code == "00000" { "success" } else { "no" };
        Answer::json(json!({"code": code, "msg": text, "requestTime": now, "data": data}).to_string())
    };
    let placed = |order: &Value| {
        let created = now.as_millis().to_string();
        json!({"orderId": format!("7{}", order["clientOid"].as_str().unwrap().len()), "clientOid": order["clientOid"],
               "category": order["category"], "symbol": "BTCUSDT", "side": order["side"], "qty": order["qty"],
               "orderStatus": "live", "createdTime": created, "updatedTime": created})
    };
    let (path, query) = (request.path.as_str(), request.query.as_deref().unwrap_or_default());
    let body = || serde_json::from_slice::<Value>(&request.body).unwrap();
    match path.rsplit('/').next().unwrap() {
        "place-order" => {
            let order = placed(&body());
            if books.open.contains_key(order["clientOid"].as_str().unwrap()) {
                // Not done, which the code does not say.
                return reply("40725", Value::Null);
            }
            books.open.insert(order["clientOid"].as_str().unwrap().to_owned(), order.clone());
            reply("00000", json!({"orderId": order["orderId"], "clientOid": order["clientOid"]}))
        }
        // The first item is done, and of the second nothing is known.
        "place-batch" => {
            let items = body();
            let first = placed(&items[0]);
            books.open.insert(first["clientOid"].as_str().unwrap().to_owned(), first.clone());
            let done = json!({"orderId": first["orderId"], "clientOid": first["clientOid"]});
            reply("00000", json!([done, {"clientOid": items[1]["clientOid"], "code": "40725", "msg": "failed"}]))
        }
        "order-info" => {
            books.queried += 1;
            if books.lost.contains(&books.queried) {
                return Answer::close();
            }
            let id = query.split('&').find_map(|pair| pair.strip_prefix("clientOid=")).unwrap();
            match books.open.get(id) {
                Some(record) if books.denials == 0 => reply("00000", record.clone()),
                _ => {
                    books.denials = books.denials.saturating_sub(1);
                    reply("25204", Value::Null)
                }
            }
        }
        "unfilled-orders" if query.contains(LINE) => {
            books.listed += 1;
            let is_stale = books.stale_listings > 0;
            books.stale_listings = books.stale_listings.saturating_sub(1);
            let list: Vec<_> = books.open.values().filter(|_| !is_stale).cloned().collect();
            reply("00000", json!({"list": list, "cursor": null}))
        }
        _ => reply("00000", json!({"list": [], "cursor": null})),
    }
}

fn of(reconciled: &Reconciled, id: &str) -> Difference {
    reconciled.orders.iter().find(|order| order.client_id.as_deref() == Some(id)).unwrap().difference
}

const UNSETTLED: Difference = Difference::Gone(Gone::Unsettled);
const NOT_OPEN: Difference = Difference::Gone(Gone::NotOpen);

/// The listing is read from a machine that is behind, and so is the query.
#[tokio::test]
async fn an_order_that_was_placed_a_moment_ago_is_not_gone_because_it_is_denied() {
    let exchange = Lagging::start();
    exchange.client().unified().place_order(&order("a")).await.unwrap();
    let placed = exchange.clock.wall();
    for seconds in [2, 48, 110] {
        exchange.advance(seconds);
        (exchange.books().denials, exchange.books().stale_listings) = (2, 2);
        let early = exchange.compare().await;
        assert_eq!(of(&early, "a"), UNSETTLED, "{early}");
        assert!(!early.is_settled() && early.next_since <= placed, "{early}");
    }
    // Every machine has to show it, so one that denies it twice is believed.
    exchange.advance(1);
    (exchange.books().denials, exchange.books().stale_listings) = (2, 2);
    let late = exchange.compare().await;
    assert_eq!(of(&late, "a"), NOT_OPEN, "{late}");
    assert!(late.is_settled(), "{late}");
}

/// Also if the same process goes on, whose next comparison begins where the first says.
#[tokio::test]
async fn the_end_of_an_order_that_was_denied_is_reported_by_the_next_comparison() {
    let exchange = Lagging::start();
    let (client, mut account) = (exchange.client(), exchange.reconciliation());
    client.unified().place_order(&order("a")).await.unwrap();
    exchange.advance(5);
    (exchange.books().denials, exchange.books().stale_listings) = (1, 1);
    let denied = client.reconcile(&mut account).await.unwrap();
    assert_eq!(of(&denied, "a"), UNSETTLED);
    exchange.advance(600);
    let ended = json!({"orderStatus": "filled", "cumExecQty": "0.001"});
    let record = exchange.books().open["a"].as_object().unwrap().clone();
    let record: serde_json::Map<_, _> = record.into_iter().chain(ended.as_object().unwrap().clone()).collect();
    exchange.books().open.insert("a".to_owned(), record.into());
    exchange.books().stale_listings = 9;
    let reported = client.reconcile(&mut account).await.unwrap();
    assert_eq!(of(&reported, "a"), Difference::Ended, "{reported}");
}

#[tokio::test]
async fn one_denial_is_not_enough() {
    for (denials, difference, queried) in
        [(0, Difference::AsExpected, 1), (1, Difference::AsExpected, 2), (2, NOT_OPEN, 2)]
    {
        let exchange = Lagging::start();
        exchange.client().unified().place_order(&order("a")).await.unwrap();
        exchange.advance(600);
        (exchange.books().denials, exchange.books().stale_listings) = (denials, 1);
        let reconciled = exchange.compare().await;
        assert_eq!(of(&reconciled, "a"), difference, "{denials}: {reconciled}");
        assert_eq!(exchange.books().queried, queried, "{denials}");
    }
}

/// The answer that is lost may have shown the order between two denials.
#[tokio::test]
async fn denials_around_a_lost_answer_are_not_in_a_row() {
    for (denials, lost, difference, queried) in [
        (2, &[][..], NOT_OPEN, 2),
        (2, &[2][..], Difference::AsExpected, 4),
        (3, &[2], NOT_OPEN, 4),
        (3, &[2, 4], Difference::AsExpected, 6),
        // Then the listing shows it.
        (9, &[2, 4, 6], Difference::AsExpected, 7),
    ] {
        let exchange = Lagging::start();
        exchange.client().unified().place_order(&order("a")).await.unwrap();
        exchange.advance(600);
        (exchange.books().denials, exchange.books().lost, exchange.books().stale_listings) = (denials, lost, 1);
        let reconciled = exchange.compare().await;
        assert_eq!(of(&reconciled, "a"), difference, "{denials}, without {lost:?}: {reconciled}");
        assert_eq!(exchange.books().queried, queried, "{denials}, without {lost:?}");
    }
}

/// After more than two hours no query denies it, so two listings have to.
#[tokio::test]
async fn an_order_that_can_no_longer_be_queried_is_denied_by_two_listings() {
    for (stale, difference, listed) in
        [(0, Difference::AsExpected, 1), (1, Difference::AsExpected, 2), (2, NOT_OPEN, 2)]
    {
        let exchange = Lagging::start();
        exchange.client().unified().place_order(&order("a")).await.unwrap();
        exchange.advance(3 * 60 * 60);
        exchange.books().stale_listings = stale;
        let reconciled = exchange.compare().await;
        assert_eq!(of(&reconciled, "a"), difference, "{stale}: {reconciled}");
        let books = exchange.books();
        assert_eq!((books.queried, books.listed), (0, listed), "{stale}");
    }
}

#[tokio::test]
async fn the_policy_says_how_many_listings_deny_an_order() {
    for (denials, stale, difference, listed) in
        [(1, 1, NOT_OPEN, 1), (3, 2, Difference::AsExpected, 3), (3, 3, NOT_OPEN, 3)]
    {
        let exchange = Lagging::start();
        exchange.client().unified().place_order(&order("a")).await.unwrap();
        exchange.advance(3 * 60 * 60);
        exchange.books().stale_listings = stale;
        let mut account = exchange.reconciliation_by(ConfirmPolicy::new().denials(denials));
        let reconciled = exchange.client().reconcile(&mut account).await.unwrap();
        assert_eq!(of(&reconciled, "a"), difference, "{denials}, {stale}: {reconciled}");
        assert_eq!(exchange.books().listed, listed, "{denials}, {stale}");
    }
}

/// The same for a client that tracks its orders.
#[tokio::test]
async fn a_tracked_order_has_ended_when_as_many_listings_lack_it_as_assumed() {
    for (denials, stale, is_open, listed) in [(2, 0, true, 1), (2, 1, true, 2), (2, 2, false, 2), (1, 1, false, 1)] {
        let exchange = Lagging::start();
        let assumed = Assumptions { denials, ..Assumptions::DEFAULT };
        let client = exchange.builder().track_orders().assume(assumed).build().unwrap();
        client.unified().place_order(&order("a")).await.unwrap();
        exchange.advance(600);
        exchange.books().stale_listings = stale;
        let open = client.refresh_orders("unified").await.unwrap();
        assert_eq!((!open.is_empty(), exchange.books().listed), (is_open, listed), "{denials}, {stale}");
    }
}

/// An adopted order has no request that could be queried.
#[tokio::test]
async fn an_adopted_order_is_denied_by_two_listings_that_have_to_show_it() {
    let exchange = Lagging::start();
    exchange.client().without_journal().unified().place_order(&order("a")).await.unwrap();
    let mut adopts = exchange.reconciliation().foreign_orders(ForeignOrders::Adopt);
    let adopted = exchange.client().reconcile(&mut adopts).await.unwrap();
    assert_eq!(of(&adopted, "a"), Difference::Foreign);
    for (seconds, stale, difference) in
        [(20, 2, UNSETTLED), (600, 1, Difference::AsExpected), (0, 2, NOT_OPEN), (0, 0, Difference::AsExpected)]
    {
        exchange.advance(seconds);
        exchange.books().stale_listings = stale;
        let reconciled = exchange.compare().await;
        assert_eq!(of(&reconciled, "a"), difference, "{stale}: {reconciled}");
    }
}

/// One item of a batch is done, and the other may still arrive.
#[tokio::test]
async fn an_item_that_may_still_arrive_is_neither_gone_nor_settled() {
    let exchange = Lagging::start();
    exchange.client().call(&BatchOrder::new(vec![item("a"), item("bb")])).await.map(drop).unwrap();
    exchange.advance(20);
    let early = exchange.compare().await;
    assert_eq!((of(&early, "a"), of(&early, "bb")), (Difference::AsExpected, UNSETTLED), "{early}");
    assert!(!early.is_settled(), "{early}");
    let is_open = || all(&*journal(exchange.folder.path()))[0].ending.is_none();
    assert!(is_open());
    // It arrives, and is shown.
    let arrived = json!({"orderId": "9", "clientOid": "bb", "category": "USDT-FUTURES", "symbol": "BTCUSDT",
                         "orderStatus": "live"});
    exchange.books().open.insert("bb".to_owned(), arrived);
    let shown = exchange.compare().await;
    assert_eq!(of(&shown, "bb"), Difference::AsExpected, "{shown}");
    exchange.books().open.remove("bb");
    exchange.advance(600);
    let late = exchange.compare().await;
    assert_eq!((of(&late, "a"), of(&late, "bb")), (Difference::AsExpected, NOT_OPEN), "{late}");
    assert!(late.is_settled() && !is_open(), "{late}");
}

/// Requests are remembered for two hours, but a change can be open for longer.
#[tokio::test]
async fn an_order_of_a_forgotten_request_closes_no_other_change() {
    let lagging = Lagging::start();
    let client = lagging.client();
    client.unified().place_order(&order("a")).await.unwrap();
    client.unified().place_order(&order("a")).await.unwrap_err();
    let policy = ConfirmPolicy::new().deadline(Duration::from_millis(500));
    let outcomes = async || {
        let recovered = client.recover(&policy).await.unwrap();
        recovered.iter().map(|change| (change.outcome(), change.is_open)).collect::<Vec<_>>()
    };
    assert_eq!(outcomes().await, [(Outcome::Unknown, true)]);
    for hours in 1..4 {
        lagging.advance(2 * 60 * 60 + 60);
        client.unified().place_order(&order(&format!("later-{hours}"))).await.unwrap();
        assert_eq!(outcomes().await, [(Outcome::Unknown, true)], "the second one was not done");
    }
}
