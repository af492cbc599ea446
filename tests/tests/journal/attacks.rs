//! Events that a program does not expect: clocks that are set, ids that come again, calls that are dropped, a runtime
//! that ends.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use tradeapi::runtime::clock::Clock;
use tradeapi::runtime::confirm::{ConfirmPolicy, Confirmation, RecoveredChanges};
use tradeapi::runtime::journal::{Durability, FileJournal, Journal};
use tradeapi::runtime::reconcile::{Difference, Gone, Reconciliation};
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::CancelOrder;
use tradeapi::{Client, Timestamp};
use tradeapi_exchange::{Conditions, Exchange, Family, Profile, Seed, Time};

use crate::{all, by_id, journal, order};

/// After this, nothing that was sent before can arrive.
const OVER: Duration = Duration::from_secs(250);

/// An hour, in milliseconds.
const HOUR: i64 = 3_600_000;

/// The wall clock of a machine, which someone sets.
#[derive(Clone)]
struct Set(Time, Arc<AtomicI64>);

impl Clock for Set {
    fn now(&self) -> Timestamp {
        let now = self.0.now().as_millis();
        Timestamp::from_millis(now.saturating_add_signed(self.1.load(Ordering::Relaxed)))
    }
}

fn client(exchange: &Exchange, folder: &Path) -> Client {
    exchange.client_of(exchange.keys()).journal(journal(folder)).build().unwrap()
}

/// Returns a client on a machine whose clock is off by so much.
fn client_off(exchange: &Exchange, folder: &Path, off: &Arc<AtomicI64>) -> Client {
    let clock = Set(exchange.time().clone(), Arc::clone(off));
    exchange.client_of(exchange.keys()).clock(clock).journal(journal(folder)).build().unwrap()
}

async fn recover(exchange: &Exchange, client: &Client) -> RecoveredChanges {
    exchange.time().run(client.recover(&ConfirmPolicy::new())).await.unwrap()
}

fn is_open(exchange: &Exchange, id: &str) -> bool {
    let open = exchange.account(exchange.keys(), Family::Unified).open_orders;
    open.iter().any(|order| order.client_id.as_deref() == Some(id))
}

/// Leaves open an order that was not carried out, one that was, and a cancellation, none of which has a clear answer.
async fn leave_open(exchange: &Exchange, client: &Client) {
    exchange.refuse_next("40725");
    client.unified().place_order(&order("refused")).await.unwrap_err();
    exchange.hide_next("40725");
    client.unified().place_order(&order("hidden")).await.unwrap_err();
    exchange.refuse_next("40725");
    client.unified().cancel_order(&CancelOrder::new(by_id("hidden"))).await.unwrap_err();
}

#[tokio::test]
async fn a_clock_that_is_set_while_changes_are_open_proves_nothing() {
    for off in [HOUR, -HOUR] {
        let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
        leave_open(&exchange, &client(&exchange, folder.path())).await;
        // The machine is started again at once, and shows another time until its clock is set right.
        let off = Arc::new(AtomicI64::new(off));
        let later = client_off(&exchange, folder.path(), &off);
        let short = ConfirmPolicy::new().deadline(Duration::ZERO);
        let early = later.recover(&short).await.unwrap();
        let refused = early.iter().find(|change| change.stored.change.client_ids == ["refused"]).unwrap();
        assert_eq!((refused.outcome(), refused.is_open), (Outcome::Unknown, true), "{early}");
        let mut account = Reconciliation::since(exchange.time().now()).family("unified").confirming(short.clone());
        let reconciled = later.reconcile(&mut account).await.unwrap();
        let refused = reconciled.orders.iter().find(|order| order.client_id.as_deref() == Some("refused")).unwrap();
        assert_eq!(refused.difference, Difference::Gone(Gone::Unsettled), "{reconciled}");
        exchange.time().advance(OVER);
        off.store(0, Ordering::Relaxed);
        drop(later);
        let recovered = recover(&exchange, &client(&exchange, folder.path())).await;
        let outcomes: Vec<_> = recovered.iter().map(|change| (change.outcome(), change.is_open)).collect();
        let (refused, cancelled) = ((Outcome::NotDone, false), (Outcome::Unknown, false));
        assert!(
            outcomes.contains(&refused) && outcomes.iter().all(|end| [refused, cancelled].contains(end)),
            "{recovered}"
        );
    }
}

#[tokio::test]
async fn a_clock_that_is_set_while_a_program_runs_proves_nothing() {
    for jump in [HOUR, -HOUR] {
        let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
        let off = Arc::new(AtomicI64::new(0));
        let client = client_off(&exchange, folder.path(), &off);
        leave_open(&exchange, &client).await;
        off.store(jump, Ordering::Relaxed);
        let early = client.recover(&ConfirmPolicy::new().deadline(Duration::ZERO)).await.unwrap();
        let of = |id: &str| early.iter().find(|change| change.stored.change.client_ids == [id]).unwrap().outcome();
        assert_eq!((of("refused"), of("hidden")), (Outcome::Unknown, Outcome::Done), "{early}");
        assert!(is_open(&exchange, "hidden"));
    }
}

/// The journal no longer knows that the id was used.
#[tokio::test]
async fn an_id_that_is_used_again_after_the_journal_was_deleted_proves_nothing() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
    client(&exchange, folder.path()).unified().place_order(&order("a")).await.unwrap();
    std::fs::remove_dir_all(folder.path().join("journal")).unwrap();
    exchange.time().advance(Duration::from_secs(5));
    let client = client(&exchange, folder.path());
    exchange.refuse_next("40725");
    let policy = ConfirmPolicy::new();
    let confirmation = exchange.time().run(client.place_and_confirm(&order("a"), &policy)).await;
    assert_eq!(confirmation.outcome(), Outcome::Unknown, "{confirmation}");
    // The exchange knows, and the record is older than the request.
    let refused = exchange.time().run(client.place_and_confirm(&order("a"), &policy)).await;
    assert_eq!(refused.outcome(), Outcome::NotDone, "{refused}");
    exchange.time().advance(OVER);
    let recovered = recover(&exchange, &client).await;
    assert!(recovered.iter().all(|change| change.outcome() != Outcome::Done), "{recovered}");
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).open_orders.len(), 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_while_its_change_is_stored_is_not_sent_and_resolved_later() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
    let path = folder.path().join("journal");
    let on_disk = Arc::new(FileJournal::open(&path, Durability::Machine).unwrap());
    let client = exchange.client_of(exchange.keys()).journal(on_disk.clone()).build().unwrap();
    // The journal has its owner.
    assert!(client.recover(&ConfirmPolicy::new()).await.unwrap().is_empty());
    let mut dropped = 0;
    for number in 0..20 {
        let order = order(&format!("dropped-{number}"));
        let mut call = Box::pin(client.call(&order));
        let is_dropped = call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
        drop(call);
        dropped += usize::from(is_dropped);
        if is_dropped {
            let settled = exchange.time().run(client.settle(&order, None, &ConfirmPolicy::new())).await;
            assert!(matches!(&settled, Confirmation::NotDone(not) if not.queries == 0), "{settled}");
        }
    }
    assert!(dropped > 0, "none waited for the disk");
    client.unified().place_order(&order("whole")).await.unwrap();
    drop((client, on_disk));
    exchange.time().advance(OVER);
    let again = Arc::new(FileJournal::open(&path, Durability::Machine).unwrap());
    assert_eq!((again.gap(""), all(&*again).len()), (None, 21));
    let client = exchange.client_of(exchange.keys()).journal(again.clone()).build().unwrap();
    let recovered = recover(&exchange, &client).await;
    assert_eq!(recovered.len(), dropped);
    for stored in all(&*again) {
        let expected = if is_open(&exchange, &stored.change.client_ids[0]) { Outcome::Done } else { Outcome::NotDone };
        assert_eq!(stored.ending.as_ref().map(|ending| ending.outcome), Some(expected), "{stored}");
    }
}

/// Calls are under way in tasks when the runtime ends, and with it every client.
#[test]
fn a_runtime_that_ends_with_calls_under_way_frees_the_journal_and_loses_nothing() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
    let mut conditions = Conditions::default();
    conditions.latency = vec![50];
    exchange.set_conditions(conditions);
    for (run, durability) in [(0, Durability::Process), (1, Durability::Machine)] {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let journal = Arc::new(FileJournal::open(folder.path().join("journal"), durability).unwrap());
        let client = exchange.client_of(exchange.keys()).journal(journal).build().unwrap();
        for number in 0..20 {
            let client = client.clone();
            runtime
                .spawn(async move { client.unified().place_order(&order(&format!("{run}-{number}"))).await.is_ok() });
        }
        // Some are answered, some under way, some not yet stored.
        drop(client);
        std::thread::sleep(Duration::from_millis(20));
        exchange.time().advance(Duration::from_millis(60));
        std::thread::sleep(Duration::from_millis(5));
        drop(runtime);
    }
    exchange.set_conditions(Conditions::default());
    exchange.time().advance(OVER);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let again = journal(folder.path());
    assert_eq!(again.gap(""), None);
    let client = exchange.client_of(exchange.keys()).journal(again.clone()).build().unwrap();
    let recovered = runtime.block_on(recover(&exchange, &client));
    assert!(recovered.iter().all(|change| !change.is_open), "{recovered}");
    let mut in_book = exchange.account(exchange.keys(), Family::Unified).open_orders.len();
    for stored in all(&*again) {
        let is_there = is_open(&exchange, &stored.change.client_ids[0]);
        let expected = if is_there { Outcome::Done } else { Outcome::NotDone };
        assert_eq!(stored.ending.as_ref().map(|ending| ending.outcome), Some(expected), "{stored}");
        in_book -= usize::from(is_there);
    }
    assert_eq!(in_book, 0, "orders that the journal does not have");
}
