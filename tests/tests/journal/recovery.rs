//! Recovery: a later run of a program resolves changes that an earlier one left open.

use std::time::Duration;

use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::journal::{Change, Ending, Journal};
use tradeapi::runtime::reconcile::{Difference, Reconciliation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{BatchOrder, CancelAllOrders, CancelOrder, Category, ModifyOrder};
use tradeapi::{Client, Decimal};
use tradeapi_exchange::{Exchange, Profile, Seed};

use crate::{AnotherProcess, all, by_id, item, journal, order};

/// The time after which no earlier request can arrive.
const OVER: Duration = Duration::from_secs(250);

fn client(exchange: &Exchange, folder: &std::path::Path) -> Client {
    exchange.client_of(exchange.keys()).journal(journal(folder)).build().unwrap()
}

/// Runs a recovery while the time of the exchange advances.
async fn recover(client: &Client, exchange: &Exchange) -> tradeapi::runtime::confirm::RecoveredChanges {
    let policy = ConfirmPolicy::new();
    let mut recovering = std::pin::pin!(client.recover(&policy));
    loop {
        tokio::select! {
            biased;
            recovered = &mut recovering => return recovered.unwrap(),
            () = tokio::task::yield_now() => exchange.time().advance(Duration::from_millis(100)),
        }
    }
}

#[tokio::test]
async fn open_changes_are_resolved_by_a_later_run() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
    {
        let client = client(&exchange, folder.path());
        client.unified().place_order(&order("known")).await.unwrap();
        exchange.hide_next("40725");
        client.unified().place_order(&order("hidden")).await.unwrap_err();
        exchange.refuse_next("40725");
        client.unified().place_order(&order("refused")).await.unwrap_err();
    }
    exchange.time().advance(OVER);
    let client = client(&exchange, folder.path());
    let recovered = recover(&client, &exchange).await;
    let summary: Vec<_> = recovered
        .iter()
        .map(|change| (change.items[0].id.as_deref().unwrap(), change.outcome(), change.is_open))
        .collect();
    assert_eq!(summary, [("hidden", Outcome::Done, false), ("refused", Outcome::NotDone, false)]);
    let record = recovered[0].items[0].record.as_ref().unwrap();
    assert!(String::from_utf8_lossy(record).contains("\"clientOid\":\"hidden\""));
    assert!(recover(&client, &exchange).await.is_empty());
    assert_eq!(recovered[1].to_string().lines().count(), 2, "{}", recovered[1]);
}

/// A known outcome is closed at once, without a wait until the request can no longer arrive.
#[tokio::test]
async fn a_known_outcome_is_closed_at_once() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(8), Profile::new().both()));
    {
        let client = client(&exchange, folder.path());
        exchange.hide_next("40725");
        client.unified().place_order(&order("hidden")).await.unwrap_err();
        exchange.refuse_next("40725");
        client.unified().place_order(&order("refused")).await.unwrap_err();
    }
    let client = client(&exchange, folder.path());
    let short = ConfirmPolicy::new().deadline(Duration::ZERO);
    let recovered = client.recover(&short).await.unwrap();
    let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
    assert_eq!(outcomes, [(Outcome::Done, false), (Outcome::Unknown, true)]);
    let endings: Vec<_> = recovered.iter().map(|change| change.stored.ending.is_some()).collect();
    assert_eq!(endings, [true, false]);
    let journal = client.core().journal().unwrap().clone();
    let endings: Vec<_> = all(&*journal).iter().map(|stored| stored.ending.as_ref().map(|end| end.outcome)).collect();
    assert_eq!(endings, [Some(Outcome::Done), None]);
    // Later queries can still settle it, although it can no longer arrive.
    exchange.time().advance(OVER);
    let open = client.recover(&short).await.unwrap();
    assert!(open[0].is_open && open.to_string().contains("; it stays open: recover again later"), "{open}");
    assert_eq!(recover(&client, &exchange).await[0].outcome(), Outcome::NotDone);
}

#[tokio::test]
async fn each_item_of_a_batch_is_resolved() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(4), Profile::new().both()));
    {
        let client = client(&exchange, folder.path());
        exchange.hide_next("40725");
        client.call(&BatchOrder::new(vec![item("b1"), item("b2")])).await.unwrap_err();
        exchange.refuse_next("40725");
        client.call(&BatchOrder::new(vec![item("b3")])).await.unwrap_err();
        client.call(&BatchOrder::new(vec![item("b4")])).await.map(drop).unwrap();
    }
    exchange.time().advance(OVER);
    let client = client(&exchange, folder.path());
    let recovered = recover(&client, &exchange).await;
    let summary: Vec<Vec<_>> = recovered
        .iter()
        .map(|change| change.items.iter().map(|item| (item.id.clone().unwrap(), item.outcome)).collect())
        .collect();
    assert_eq!(
        summary,
        [
            vec![("b1".to_owned(), Outcome::Done), ("b2".to_owned(), Outcome::Done)],
            vec![("b3".to_owned(), Outcome::NotDone)]
        ]
    );
}

/// No record proves an amendment of an earlier run, so it is closed when it can no longer have an effect.
#[tokio::test]
async fn changes_that_nothing_proves_are_closed_once_they_can_no_longer_arrive() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(5), Profile::new().both()));
    let client = client(&exchange, folder.path());
    client.unified().place_order(&order("here")).await.unwrap();
    exchange.hide_next("40725");
    let qty: Decimal = "0.002".parse().unwrap();
    let amend = ModifyOrder::new(by_id("here")).qty(qty);
    client.unified().modify_order(&amend).await.unwrap_err();
    exchange.refuse_next("40725");
    client.unified().cancel_order(&CancelOrder::new(by_id("here"))).await.unwrap_err();
    let journal = client.core().journal().unwrap().clone();
    drop(client);

    let later = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
    let short = ConfirmPolicy::new().deadline(Duration::ZERO);
    let open = later.recover(&short).await.unwrap();
    assert!(open.len() == 2 && open.iter().all(|change| change.is_open));
    exchange.time().advance(OVER);
    let recovered = recover(&later, &exchange).await;
    let summary: Vec<_> =
        recovered.iter().map(|change| (change.outcome(), change.is_open, change.items.len())).collect();
    assert_eq!(summary, [(Outcome::Unknown, false, 1), (Outcome::NotDone, false, 1)]);
    assert!(all(&*journal).iter().all(|stored| stored.ending.is_some()));
}

/// As long as a signature is valid by clocks that may be as far apart, or wrong together, and until the effect is visible
/// everywhere: 190 seconds, if nothing is known of the exchange's clock.
#[tokio::test]
async fn a_change_stays_open_while_it_may_arrive_by_any_clock() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(5), Profile::new().both()));
    let journal = journal(folder.path());
    let client = || exchange.client_of(exchange.keys()).journal(journal.clone());
    let policy = ConfirmPolicy::new().deadline(Duration::ZERO);
    exchange.refuse_next("40725");
    let cancel = CancelAllOrders::new(Category::UsdtFutures);
    client().build().unwrap().call(&cancel).await.map(drop).unwrap_err();
    exchange.time().advance(Duration::from_secs(190));
    assert!(client().build().unwrap().recover(&policy).await.unwrap()[0].is_open);
    exchange.time().advance(Duration::from_millis(1));
    assert!(!client().build().unwrap().recover(&policy).await.unwrap()[0].is_open);
}

/// Shows the time of an exchange an hour late.
struct HourAhead(tradeapi_exchange::Time);

impl tradeapi::runtime::clock::Clock for HourAhead {
    fn now(&self) -> tradeapi::Timestamp {
        self.0.now() + HOUR
    }
}

/// Shows the time of an exchange an hour early.
struct HourBehind(tradeapi_exchange::Time);

impl tradeapi::runtime::clock::Clock for HourBehind {
    fn now(&self) -> tradeapi::Timestamp {
        self.0.now() - HOUR
    }
}

const HOUR: Duration = Duration::from_secs(3_600);

/// The clock of the exchange alone shows that it can no longer arrive, and that may be the one which is wrong.
#[tokio::test]
async fn a_clock_that_was_set_back_closes_nothing() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(5), Profile::new().both()));
    let journal = journal(folder.path());
    exchange.refuse_next("40725");
    let before = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
    before.unified().cancel_order(&CancelOrder::new(by_id("here"))).await.unwrap_err();
    exchange.time().advance(OVER);
    let clock = HourBehind(exchange.time().clone());
    let later = exchange.client_of(exchange.keys()).clock(clock).journal(journal).build().unwrap();
    let ask = tradeapi::unified::GetOrderDetails::new(by_id("here"));
    later.unified().get_order_details(&ask).await.unwrap_err();
    let policy = ConfirmPolicy::new().deadline(Duration::ZERO);
    assert!(later.recover(&policy).await.unwrap()[0].is_open);
}

/// A machine of the exchange that is an hour behind corrected the time in the signature.
#[tokio::test]
async fn a_change_whose_signature_was_an_hour_early_is_as_old_as_the_machine_says() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(5), Profile::new().both()));
    let journal = journal(folder.path());
    let placed = r#"{"category":"SPOT","symbol":"BTCUSDT","qty":"0.01","side":"buy","orderType":"limit","timeInForce":"gtc","price":"64000","clientOid":"a"}"#;
    for (operation, request, id) in
        [("unified.cancel-order", r#"{"clientOid":"here"}"#, "here"), ("unified.place-order", placed, "a")]
    {
        let made_at = exchange.time().now();
        let mut change = Change::new(operation, request, made_at - HOUR);
        (change.made_at, change.client_ids) = (Some(made_at), vec![id.to_owned()]);
        journal.begin(change).await.unwrap();
    }
    let client = exchange.client_of(exchange.keys()).journal(journal).build().unwrap();
    let policy = ConfirmPolicy::new().deadline(Duration::from_secs(30));
    let recovered = exchange.time().run(client.recover(&policy)).await.unwrap();
    let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
    assert_eq!(outcomes, [(Outcome::Unknown, true), (Outcome::Unknown, true)], "{recovered}");
    exchange.time().advance(OVER);
    let recovered = exchange.time().run(client.recover(&policy)).await.unwrap();
    let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
    assert_eq!(outcomes, [(Outcome::NotDone, false), (Outcome::NotDone, false)], "{recovered}");
}

#[tokio::test]
async fn a_clock_that_was_set_forward_closes_nothing() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(5), Profile::new().both()));
    let journal = journal(folder.path());
    exchange.refuse_next("40725");
    let before = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
    before.unified().cancel_order(&CancelOrder::new(by_id("here"))).await.unwrap_err();
    let clock = HourAhead(exchange.time().clone());
    let later = exchange.client_of(exchange.keys()).clock(clock).journal(journal).build().unwrap();
    // The answer shows the exchange's time.
    let ask = tradeapi::unified::GetOrderDetails::new(by_id("here"));
    later.unified().get_order_details(&ask).await.unwrap_err();
    let policy = ConfirmPolicy::new().deadline(Duration::ZERO);
    assert!(later.recover(&policy).await.unwrap()[0].is_open);
}

/// The first use of the id is done, and older than what a client reads of its journal if nothing is open.
#[tokio::test]
async fn an_order_closes_no_later_use_of_its_id_after_an_hour() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(5), Profile::new().both()));
    let journal = journal(folder.path());
    let run = || -> Client {
        let environment = AnotherProcess(exchange.time().clone());
        exchange.client_of(exchange.keys()).environment(environment).journal(journal.clone()).build().unwrap()
    };
    let before = run();
    before.unified().place_order(&order("a")).await.unwrap();
    exchange.refuse_next("40725");
    before.unified().place_order(&order("a")).await.unwrap_err();
    exchange.time().advance(HOUR);
    let policy = ConfirmPolicy::new().deadline(Duration::from_secs(2));
    let recovered = exchange.time().run(run().recover(&policy)).await.unwrap();
    assert_eq!((recovered[0].outcome(), recovered[0].is_open), (Outcome::Unknown, true), "{recovered}");
}

/// The machine is started again with a clock that is off, and the machine of the exchange that answers is off by as much.
/// The request can still arrive for fourteen seconds, and no clock shows that.
#[tokio::test]
async fn clocks_that_are_wrong_together_close_nothing() {
    for error in [29, 45] {
        let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(5), Profile::new().both()));
        let journal = journal(folder.path());
        exchange.refuse_next("40725");
        let before = exchange.client_of(exchange.keys()).journal(journal.clone()).build().unwrap();
        before.unified().place_order(&order("a")).await.unwrap_err();
        // As seen by both: sixteen seconds, and the error.
        exchange.time().advance(Duration::from_secs(16 + error));
        let later = exchange.client_of(exchange.keys()).journal(journal).build().unwrap();
        let policy = ConfirmPolicy::new().deadline(Duration::from_secs(2));
        let mut recovering = std::pin::pin!(later.recover(&policy));
        let recovered = loop {
            tokio::select! {
                biased;
                recovered = &mut recovering => break recovered.unwrap(),
                () = tokio::task::yield_now() => exchange.time().advance(Duration::from_millis(100)),
            }
        };
        assert_eq!((recovered[0].outcome(), recovered[0].is_open), (Outcome::Unknown, true), "{recovered}");
    }
}

#[tokio::test]
async fn changes_of_another_account_stay_open() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(6), Profile::new().both()));
    let journal = journal(folder.path());
    let of = |name: &str| exchange.client_of(exchange.keys()).journal(journal.clone()).account(name).build().unwrap();
    exchange.hide_next("40725");
    of("one").unified().place_order(&order("x")).await.unwrap_err();
    assert!(recover(&of("two"), &exchange).await.is_empty());
    assert_eq!(recover(&of("one"), &exchange).await[0].outcome(), Outcome::Done);
}

/// A journal is compared in parts, of which most do not matter: the account shows an order of long ago.
#[tokio::test]
async fn an_old_order_of_a_long_journal_is_known() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(7), Profile::new().both()));
    let client = client(&exchange, folder.path());
    client.unified().place_order(&order("old")).await.unwrap();
    let journal = client.core().journal().unwrap().clone();
    for number in 0..3_000 {
        // Of a request that cannot be read.
        let mut change = Change::new("unified.place-order", "{}", exchange.time().now());
        change.client_ids.push(format!("past-{number}"));
        let number = journal.begin(change).await.unwrap();
        journal.end(number, Ending::new(Outcome::NotDone)).await.unwrap();
    }
    exchange.time().advance(Duration::from_secs(3_600));
    client.unified().place_order(&order("new")).await.unwrap();
    exchange.client().unified().place_order(&order("foreign")).await.unwrap();
    let mut account = Reconciliation::since(exchange.time().now()).family("unified");
    let reconciled = exchange.time().run(client.reconcile(&mut account)).await.unwrap();
    let of = |id: &str| reconciled.orders.iter().find(|order| order.client_id.as_deref() == Some(id)).unwrap();
    let differences = ["old", "new", "foreign"].map(|id| of(id).difference);
    assert_eq!(differences, [Difference::AsExpected, Difference::AsExpected, Difference::Foreign]);
}

/// A cancellation is settled by the end of its order, or by an order that is open after it could arrive.
#[tokio::test]
async fn cancellations_are_resolved_by_their_orders() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(9), Profile::new().both()));
    {
        let client = client(&exchange, folder.path());
        for id in ["hidden", "refused"] {
            client.unified().place_order(&order(id)).await.unwrap();
        }
        exchange.hide_next("40725");
        client.unified().cancel_order(&CancelOrder::new(by_id("hidden"))).await.unwrap_err();
        exchange.refuse_next("40725");
        client.unified().cancel_order(&CancelOrder::new(by_id("refused"))).await.unwrap_err();
    }
    let client = client(&exchange, folder.path());
    let recovered = client.recover(&ConfirmPolicy::new().deadline(Duration::ZERO)).await.unwrap();
    let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
    assert_eq!(outcomes, [(Outcome::Done, false), (Outcome::Unknown, true)]);
    let recovered = recover(&client, &exchange).await;
    let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
    assert_eq!(outcomes, [(Outcome::NotDone, false)]);
    assert_eq!(recovered[0].items[0].because, "it had no effect: the order is live");
}
