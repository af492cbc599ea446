//! A journal that may lack changes that were sent says so, until the account was reconciled.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::journal::{Change, Durability, FileJournal, GapReason, Journal};
use tradeapi::runtime::reconcile::{Action, CancelForeignError, Difference, ForeignOrders, Reconciled, Reconciliation};
use tradeapi::unified::{CancelOrder, OrderRef};
use tradeapi::{Client, Timestamp};
use tradeapi_exchange::{Exchange, Family, Profile, Seed};

use crate::{all, copy, cut, journal, order, written};

fn change(second: u64) -> Change {
    Change::new("a.b", "{}", Timestamp::from_millis(1_000 * second))
}

/// Changes what the journal notes of its last run.
fn note(folder: &Path, from: &str, to: &str) {
    let path = folder.join("journal/run");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

/// Leaves the journal as a killed process does.
fn is_killed(folder: &Path) {
    note(folder, "\"closed\"", "\"process\"");
}

/// Leaves the journal as after another start of the machine.
fn is_restarted(folder: &Path) {
    note(folder, "\"boot\":\"", "\"boot\":\"another-");
}

#[tokio::test]
async fn only_a_stopped_machine_leaves_a_gap_and_only_where_changes_need_not_outlive_it() {
    let folder = tempfile::tempdir().unwrap();
    for second in [7, 8] {
        journal(folder.path()).begin(change(second)).await.unwrap();
    }
    assert_eq!(journal(folder.path()).gap(""), None, "it was closed");
    is_killed(folder.path());
    assert_eq!(journal(folder.path()).gap(""), None, "the machine has what the process stored");
    is_restarted(folder.path());
    assert_eq!(journal(folder.path()).gap(""), None, "the disk has what was closed");
    note(folder.path(), "\"closed\"", "\"machine\"");
    is_restarted(folder.path());
    assert_eq!(journal(folder.path()).gap(""), None, "the disk has each change");
    is_killed(folder.path());
    is_restarted(folder.path());
    let gap = journal(folder.path()).gap("").unwrap();
    assert_eq!((gap.reason, gap.after), (GapReason::MachineStopped, Some(Timestamp::from_millis(8_000))));
    let text = gap.to_string();
    assert!(
        text.contains("the machine stopped")
            && text.contains("compare the account with the journal before anything else is sent")
    );
}

#[tokio::test]
async fn a_copy_has_a_gap_and_a_folder_that_was_moved_has_none() {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path()).begin(change(7)).await.unwrap();
    let (path, moved) = (folder.path().join("journal"), folder.path().join("moved"));
    fs::rename(&path, &moved).unwrap();
    assert_eq!(FileJournal::open(&moved, Durability::Process).unwrap().gap(""), None);
    copy(&moved, &path);
    for durability in [Durability::Process, Durability::Machine] {
        let restored = FileJournal::open(&path, durability).unwrap();
        assert_eq!(restored.gap("").unwrap().reason, GapReason::Copied);
    }
}

#[tokio::test]
async fn what_is_cut_off_is_a_gap_and_its_numbers_are_not_given_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let length = {
        let journal = journal(folder.path());
        journal.begin(change(7)).await.unwrap();
        let length = written(&path);
        journal.begin(change(8)).await.unwrap();
        length
    };
    cut(&path, length);
    let journal = journal(folder.path());
    assert_eq!(all(&*journal).len(), 1);
    let gap = journal.gap("").unwrap();
    assert_eq!((gap.reason, gap.after), (GapReason::Damaged, Some(Timestamp::from_millis(7_000))));
    assert_eq!(journal.begin(change(9)).await.unwrap().0, 3);
}

#[tokio::test]
async fn a_gap_stays_until_it_is_closed_for_each_account() {
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path()).begin(change(7)).await.unwrap();
    is_killed(folder.path());
    is_restarted(folder.path());
    let gap = journal(folder.path()).gap("one").unwrap();
    {
        let journal = journal(folder.path());
        assert_eq!(journal.gap("one").as_ref(), Some(&gap));
        journal.close_gap("one").await.unwrap();
        assert_eq!((journal.gap("one"), journal.gap("two").as_ref()), (None, Some(&gap)));
        journal.begin(change(9)).await.unwrap();
    }
    for (account, expected) in [("one", None), ("two", Some(&gap))] {
        assert_eq!(journal(folder.path()).gap(account).as_ref(), expected);
    }
    // Another one reaches back to the first, which is closed for one account only.
    is_killed(folder.path());
    is_restarted(folder.path());
    assert_eq!(journal(folder.path()).gap("one").unwrap().after, gap.after);
}

/// An account of two orders, of which the journal has lost the second.
struct Lost {
    folder: tempfile::TempDir,
    exchange: Exchange,
    begun: Timestamp,
}

impl Lost {
    async fn new() -> Self {
        let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
        let lost = Self { folder, begun: exchange.time().now(), exchange };
        {
            let client = lost.client();
            client.unified().place_order(&order("desk-1")).await.unwrap();
            let length = written(&lost.folder.path().join("journal"));
            client.unified().place_order(&order("desk-2")).await.unwrap();
            drop(client);
            cut(&lost.folder.path().join("journal"), length);
        }
        lost
    }

    fn client(&self) -> Client {
        self.exchange.client_of(self.exchange.keys()).journal(journal(self.folder.path())).build().unwrap()
    }

    fn reconciliation(&self) -> Reconciliation {
        Reconciliation::since(self.begun).family("unified")
    }

    async fn reconcile(&self, client: &Client, mut reconciliation: Reconciliation) -> Reconciled {
        let mut reconciling = std::pin::pin!(client.reconcile(&mut reconciliation));
        loop {
            tokio::select! {
                biased;
                reconciled = &mut reconciling => return reconciled.unwrap(),
                () = tokio::task::yield_now() => self.exchange.time().advance(Duration::from_millis(500)),
            }
        }
    }

    fn open(&self) -> usize {
        self.exchange.account(self.exchange.keys(), Family::Unified).open_orders.len()
    }
}

/// Adds a change, and cuts it off.
async fn lose_the_end(folder: &Path) {
    let path = folder.join("journal");
    let length = written(&path);
    journal(folder).begin(change(9)).await.unwrap();
    cut(&path, length);
}

fn of(reconciled: &Reconciled, id: &str) -> (Difference, bool) {
    let order = reconciled.orders.iter().find(|order| order.client_id.as_deref() == Some(id)).unwrap();
    (order.difference, matches!(order.action, Action::Adopted))
}

#[tokio::test]
async fn recovery_tells_of_the_gap() {
    let lost = Lost::new().await;
    let recovered = lost.client().recover(&ConfirmPolicy::new().deadline(Duration::ZERO)).await.unwrap();
    assert_eq!(recovered.gap.as_ref().unwrap().reason, GapReason::Damaged);
    assert!(recovered.to_string().contains("compare the account with the journal"), "{recovered}");
}

#[tokio::test]
async fn an_order_that_the_journal_lost_is_found_and_never_cancelled_as_foreign() {
    let lost = Lost::new().await;
    // However late the caller begins.
    let late = Reconciliation::since(lost.begun + Duration::from_secs(3_600)).family("unified");
    let client = lost.client();
    let before = lost.exchange.time().now();
    let reconciled = lost.reconcile(&client, late).await;
    assert_eq!(of(&reconciled, "desk-1"), (Difference::AsExpected, false));
    assert_eq!(of(&reconciled, "desk-2"), (Difference::PerhapsLost, false));
    assert!(reconciled.gap.is_some() && !reconciled.is_settled() && lost.open() == 2, "{reconciled}");
    let refused = client.cancel_foreign(&reconciled, &[]).await;
    assert!(matches!(refused, Err(CancelForeignError::Gap { gap: Some(_) })), "{refused:?}");
    let waited = lost.exchange.time().now().as_millis() - before.as_millis();
    // As long as a signature is valid, by clocks that may be as far apart, and until its effect is visible.
    assert!(waited >= 190_000, "what was sent before the start could still arrive: {waited} ms");

    let adopted = lost.reconcile(&client, lost.reconciliation().foreign_orders(ForeignOrders::Adopt)).await;
    assert_eq!(of(&adopted, "desk-2"), (Difference::PerhapsLost, true));
    assert!(adopted.gap.is_none() && adopted.is_settled(), "{adopted}");
    let after = lost.reconcile(&client, lost.reconciliation()).await;
    assert_eq!(of(&after, "desk-2"), (Difference::AsExpected, false));
    assert!(after.is_settled() && lost.open() == 2);
}

/// A change is signed before it is stored, by clocks that may be set in between.
#[tokio::test]
async fn an_order_from_shortly_before_the_gap_may_be_lost_too() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
    let lost = Lost { folder, begun: exchange.time().now(), exchange };
    let others = lost.exchange.client_of(lost.exchange.keys()).build().unwrap();
    for id in ["early-1", "late-1"] {
        others.unified().place_order(&order(id)).await.unwrap();
        lost.exchange.time().advance(Duration::from_secs(301));
    }
    lost.client().unified().place_order(&order("desk-1")).await.unwrap();
    lose_the_end(lost.folder.path()).await;
    let reconciled = lost.reconcile(&lost.client(), lost.reconciliation()).await;
    assert_eq!(of(&reconciled, "early-1").0, Difference::Foreign);
    assert_eq!(of(&reconciled, "late-1").0, Difference::PerhapsLost);
}

/// The caller says how far back the account is read, because nothing in the journal does.
#[tokio::test]
async fn a_journal_that_lost_everything_is_compared_from_the_time_that_is_given() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
    let lost = Lost { folder, begun: exchange.time().now(), exchange };
    drop(lost.client());
    let length = written(&lost.folder.path().join("journal"));
    lost.client().unified().place_order(&order("desk-1")).await.unwrap();
    cut(&lost.folder.path().join("journal"), length);
    let reconciled = lost.reconcile(&lost.client(), lost.reconciliation()).await;
    assert_eq!(of(&reconciled, "desk-1").0, Difference::PerhapsLost);
    assert_eq!(reconciled.gap.as_ref().unwrap().after, None);
    assert!(reconciled.clipped.is_empty(), "{:?}", reconciled.clipped);
}

#[tokio::test]
async fn a_torn_number_is_not_read_and_unreadable_notes_are_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    journal(folder.path()).begin(change(7)).await.unwrap();
    // A number without its complement.
    fs::write(path.join("last"), [99_u64.to_be_bytes(), [0; 8]].concat()).unwrap();
    {
        let journal = journal(folder.path());
        assert_eq!((journal.gap(""), journal.begin(change(8)).await.unwrap().0), (None, 2));
    }
    fs::write(path.join("run"), "{").unwrap();
    assert_eq!(journal(folder.path()).gap("").unwrap().reason, GapReason::Damaged);
}

#[tokio::test]
async fn a_prefix_says_which_orders_the_journal_lost() {
    let lost = Lost::new().await;
    let others = lost.exchange.client_of(lost.exchange.keys()).build().unwrap();
    others.unified().place_order(&order("other-1")).await.unwrap();
    let (client, reconciliation) = (lost.client(), || lost.reconciliation().own_prefix("desk-"));
    let reconciled = lost.reconcile(&client, reconciliation()).await;
    assert_eq!(of(&reconciled, "desk-2").0, Difference::Unjournaled);
    assert_eq!(of(&reconciled, "other-1").0, Difference::Foreign);
    assert!(reconciled.gap.is_none() && lost.open() == 3, "{reconciled}");
    // The comparison that closed the gap lists, and another one lists again what may be cancelled.
    let id = |reconciled: &Reconciled| reconciled.foreign().find_map(|order| order.id.clone()).unwrap();
    let refused = client.cancel_foreign(&reconciled, &[&id(&reconciled)]).await;
    assert!(matches!(refused, Err(CancelForeignError::Gap { gap: None })), "{refused:?}");
    let again = lost.reconcile(&client, reconciliation()).await;
    client.cancel_foreign(&again, &[&id(&again)]).await.unwrap();
    assert_eq!(lost.open(), 2);
}

#[tokio::test]
async fn a_gap_stays_open_while_a_change_can_arrive_or_a_family_is_left_out() {
    let lost = Lost::new().await;
    let client = lost.client();
    let own = || lost.reconciliation().own_prefix("desk-");
    let early = own().confirming(ConfirmPolicy::new().deadline(Duration::ZERO));
    assert!(lost.reconcile(&client, early).await.gap.is_some());
    let other = Reconciliation::since(lost.begun).family("classic").own_prefix("desk-");
    assert!(lost.reconcile(&client, other).await.gap.is_some());
    assert!(lost.reconcile(&client, own()).await.gap.is_none());
    assert!(lost.reconcile(&client, own()).await.gap.is_none());
}

/// The exchange lists it for a long time, also to a later run, and after it has changed again.
#[tokio::test]
async fn an_order_that_the_journal_lost_is_not_foreign_once_the_gap_is_closed() {
    let lost = Lost::new().await;
    let others = lost.exchange.client_of(lost.exchange.keys()).build().unwrap();
    let own = || OrderRef::ClientOid("desk-2".parse().unwrap());
    others.unified().cancel_order(&CancelOrder::new(own())).await.unwrap();
    let closing = lost.reconcile(&lost.client(), lost.reconciliation()).await;
    assert_eq!(of(&closing, "desk-2").0, Difference::PerhapsLost);
    assert!(closing.gap.is_none(), "it has ended");
    lost.exchange.time().advance(Duration::from_secs(3_600));
    others.unified().place_order(&order("other-1")).await.unwrap();
    for _ in 0..2 {
        let client = lost.client();
        let later = lost.reconcile(&client, lost.reconciliation()).await;
        assert_eq!(of(&later, "desk-2").0, Difference::PerhapsLost);
        assert_eq!(of(&later, "other-1").0, Difference::Foreign, "it was placed when the gap was closed");
    }
}

/// An order whose change was pruned may rest for months.
#[tokio::test]
async fn an_order_whose_change_was_pruned_is_not_foreign() {
    let (folder, exchange) = (tempfile::tempdir().unwrap(), Exchange::for_user(Seed(3), Profile::new().both()));
    let lost = Lost { folder, begun: exchange.time().now(), exchange };
    lost.client().unified().place_order(&order("desk-1")).await.unwrap();
    lost.exchange.time().advance(Duration::from_secs(3_600));
    assert_eq!(journal(lost.folder.path()).prune(lost.exchange.time().now()).unwrap(), 1);
    lost.exchange.time().advance(Duration::from_secs(3_600));
    let others = lost.exchange.client_of(lost.exchange.keys()).build().unwrap();
    others.unified().place_order(&order("other-1")).await.unwrap();
    let client = lost.client();
    let reconciled = lost.reconcile(&client, lost.reconciliation()).await;
    assert_eq!(of(&reconciled, "desk-1").0, Difference::PerhapsLost);
    assert_eq!(of(&reconciled, "other-1").0, Difference::Foreign);
    let id = |client_id| reconciled.orders.iter().find(|one| one.client_id.as_deref() == Some(client_id)).unwrap();
    let pruned = id("desk-1").id.clone().unwrap();
    let refused = client.cancel_foreign(&reconciled, &[&pruned]).await;
    assert!(matches!(refused, Err(CancelForeignError::NotForeign { .. })), "{refused:?}");
    assert_eq!(lost.open(), 2);
    let adopted = lost.reconcile(&client, lost.reconciliation().foreign_orders(ForeignOrders::Adopt)).await;
    assert!(adopted.is_settled(), "{adopted}");
    assert_eq!(of(&lost.reconcile(&client, lost.reconciliation()).await, "desk-1").0, Difference::AsExpected);
}
