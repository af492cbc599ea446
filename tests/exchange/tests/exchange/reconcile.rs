//! The comparison of an account with a journal agrees with the exchange, after random histories.

mod history;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::runtime::reconcile::{
    Action, CancelForeignError, Difference, ForeignOrders, Gone, ListingFailure, ReconcileError, Reconciled,
    ReconciledOrder, Reconciliation,
};
use tradeapi::runtime::transport::{self, Transport};
use tradeapi::unified::{self, Category};
use tradeapi::{Operation, classic};
use tradeapi_exchange::{Accounts, Fault, FaultKind, FaultTarget};

use history::{Amended, By, History, OVER, OWN};

use crate::random::drive;

impl History {
    /// Checks that the report equals the account of the exchange.
    fn holds(&self, seed: u64, reconciled: &Reconciled) {
        let open: BTreeSet<String> = self.open().into_iter().map(|(_, order)| order.id).collect();
        let reported = reconciled.open().map(|order| order.id.clone().unwrap()).collect();
        assert_eq!(open, reported, "seed {seed}");
        for order in &reconciled.orders {
            let by = match order.client_id.as_deref() {
                Some(id) if id.starts_with("own-lost") => By::Own,
                Some(id) if id.starts_with(OWN) => By::Journal,
                _ => By::Other,
            };
            let fits = match order.difference {
                Difference::AsExpected => by == By::Journal && order.is_open,
                Difference::Ended => by == By::Journal && !order.is_open,
                Difference::Gone(Gone::NotOpen) => by == By::Journal && !order.is_open && order.seen.is_none(),
                Difference::Unjournaled => by == By::Own,
                Difference::Foreign => by == By::Other,
                _ => false,
            };
            assert!(fits, "seed {seed}: {order}");
            let is_of_journal = matches!(by, By::Journal);
            assert_eq!(order.change.is_some(), is_of_journal, "seed {seed}: {order}");
        }
        let quantity = |order: &ReconciledOrder| order.filled.to_rust_decimal().unwrap();
        let filled = reconciled.orders.iter().filter(|order| !order.filled.is_zero());
        let filled: BTreeMap<_, _> = filled.map(|order| (order.id.clone().unwrap(), quantity(order))).collect();
        assert_eq!(self.filled, filled, "seed {seed}");
        let ids: Vec<_> = reconciled.orders.iter().filter_map(|order| order.client_id.as_ref()).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "seed {seed}: an order is reported twice");
        self.everything_placed_is_reported(seed, reconciled);
    }

    /// Checks that each change of the journal that was carried out has an order.
    fn everything_placed_is_reported(&self, seed: u64, reconciled: &Reconciled) {
        use tradeapi::runtime::tables::Outcome;
        let reported: BTreeSet<_> = reconciled.orders.iter().filter_map(|order| order.client_id.clone()).collect();
        for stored in self.journal.0.lock().unwrap().iter() {
            let ending = stored.ending.as_ref().map(|ending| ending.outcome);
            let is_of = |end: &str| stored.change.operation.ends_with(end);
            let replaces = stored.change.request.contains("newSize");
            assert!(ending.is_some(), "seed {seed}: {stored} stayed open");
            let are_reported = stored.change.client_ids.iter().all(|id| reported.contains(id));
            match (is_of("place-order"), is_of("classic.modify-order")) {
                (true, _) if ending == Some(Outcome::Done) => {
                    assert!(are_reported, "seed {seed}: {stored} is not reported")
                }
                (_, true) if ending == Some(Outcome::Done) => {
                    assert_eq!(are_reported, replaces, "seed {seed}: {stored} replaced an order, or is reported");
                }
                _ => {}
            }
        }
    }
}

fn summary(reconciled: &Reconciled) -> Vec<String> {
    reconciled.orders.iter().map(ToString::to_string).collect()
}

/// Runs a history, and compares it with the book in several ways. Returns the differences and the effects of its
/// amendments.
fn check(seed: u64) -> (HashSet<Difference>, BTreeSet<Amended>) {
    let history = History::play(seed);
    let first = history.reconcile(&mut history.reconciliation()).unwrap();
    history.holds(seed, &first);
    let again = history.reconcile(&mut history.reconciliation()).unwrap();
    assert_eq!(summary(&first), summary(&again), "seed {seed}: a second comparison differs");

    history.exchange.add_fault(Fault::new(FaultKind::Drop).target(FaultTarget::All).per_mille(300));
    let mut interrupted = history.reconciliation().retrying(tradeapi::runtime::retry::RetryPolicy::new().attempts(1));
    let resumed = loop {
        match history.reconcile(&mut interrupted) {
            Ok(reconciled) => break reconciled,
            Err(ReconcileError::Listing(_) | ReconcileError::Query { .. }) => {}
            Err(error) => panic!("seed {seed}: {error}"),
        }
    };
    assert_eq!(summary(&first), summary(&resumed), "seed {seed}: a comparison with interruptions differs");
    history.exchange.clear_faults();

    let foreign: BTreeSet<_> = by_id(&first, |order| order.difference == Difference::Foreign && order.is_open);
    match seed % 2 {
        0 => {
            let adopted =
                history.reconcile(&mut history.reconciliation().foreign_orders(ForeignOrders::Adopt)).unwrap();
            assert_eq!(by_id(&adopted, |order| matches!(order.action, Action::Adopted)), foreign, "seed {seed}");
            let of_adopted = adopted.orders.iter().filter(|order| matches!(order.action, Action::Adopted));
            let of_adopted: Vec<_> = of_adopted.map(|order| order.change.unwrap()).collect();
            let open: BTreeSet<_> = {
                let changes = history.journal.0.lock().unwrap();
                changes.iter().filter(|stored| stored.ending.is_none()).map(|stored| stored.number).collect()
            };
            assert!(of_adopted.iter().all(|change| !open.contains(change)), "seed {seed}");
            let after = history.reconcile(&mut history.reconciliation()).unwrap();
            let is_known =
                |order: &ReconciledOrder| order.difference == Difference::AsExpected && order.change.is_some();
            assert!(foreign.is_subset(&by_id(&after, is_known)), "seed {seed}");
        }
        _ => {
            let ids: Vec<_> = first.foreign().filter_map(|order| order.id.as_deref()).collect();
            let cancelled = drive(&history.exchange, history.client.cancel_foreign(&first, &ids)).unwrap();
            assert!(cancelled.iter().all(|order| matches!(order.action, Action::Cancelled)), "seed {seed}");
            assert_eq!(cancelled.len(), foreign.len(), "seed {seed}");
            let open: BTreeSet<_> = history.open().into_iter().map(|(_, order)| Some(order.id)).collect();
            assert!(open.is_disjoint(&foreign), "seed {seed}: a foreign order is still open");
            assert_eq!(
                open,
                by_id(&first, |order| order.is_open).difference(&foreign).cloned().collect(),
                "seed {seed}"
            );
        }
    }
    (first.orders.iter().map(|order| order.difference).collect(), history.amended)
}

fn by_id(reconciled: &Reconciled, is_meant: impl Fn(&ReconciledOrder) -> bool) -> BTreeSet<Option<String>> {
    reconciled.orders.iter().filter(|order| is_meant(order)).map(|order| order.id.clone()).collect()
}

/// Runs these histories, which cover every difference and every effect of an amendment.
fn check_all(seeds: std::ops::Range<u64>) {
    let (mut differences, mut amended) = (HashSet::new(), BTreeSet::new());
    for seed in seeds {
        let met = check(seed);
        differences.extend(met.0);
        amended.extend(met.1);
    }
    let all = [
        Difference::AsExpected,
        Difference::Ended,
        Difference::Unjournaled,
        Difference::Foreign,
        Difference::Gone(Gone::NotOpen),
    ];
    assert_eq!(differences, all.into());
    use Amended::{Changed, Ended, Preset, Refused, Replaced, Unknown};
    assert_eq!(amended, [Changed, Replaced, Preset, Ended, Refused, Unknown].into());
}

#[test]
fn a_comparison_equals_the_book() {
    check_all(0..200);
}

#[test]
#[ignore = "takes minutes"]
fn a_comparison_equals_the_book_ten_thousand_times() {
    check_all(0..10_000);
}

/// Returns an order that stays open, without a client id or with one.
fn resting(id: Option<&str>) -> unified::PlaceOrder {
    let (price, qty) = (tradeapi::Decimal::from(60_000), Decimal::new(1, 2));
    let execution = unified::Execution::limit(price);
    let order = unified::PlaceOrder::new(Category::Spot, "BTCUSDT", qty, unified::Side::Buy, execution);
    id.iter().fold(order, |order, id| order.client_oid(id.parse().unwrap()))
}

fn differences(reconciled: &Reconciled) -> Vec<(Option<&str>, Difference)> {
    reconciled.orders.iter().map(|order| (order.client_id.as_deref(), order.difference)).collect()
}

#[test]
fn an_order_without_an_id_is_not_taken_for_a_foreign_one() {
    let history = History::new(1);
    drive(&history.exchange, history.client.unified().place_order(&resting(None))).unwrap();
    let reconciled = history.reconcile(&mut history.reconciliation()).unwrap();
    assert_eq!(reconciled.orders[0].difference, Difference::Unattributed);
    is_not_foreign(&history, &reconciled);
    assert!(!reconciled.is_settled() && history.open().len() == 1);
}

/// Checks that the only order of a comparison is not cancelled as one of others.
fn is_not_foreign(history: &History, reconciled: &Reconciled) {
    let id = reconciled.orders[0].id.as_deref().unwrap();
    let refused = drive(&history.exchange, history.client.cancel_foreign(reconciled, &[id]));
    assert!(matches!(&refused, Err(CancelForeignError::NotForeign { id: named }) if named == id), "{refused:?}");
    assert_eq!(history.open().len(), 1);
}

/// An order of a clone without the journal may be this program's, also for a later process.
#[test]
fn an_order_of_a_clone_without_the_journal_is_not_foreign() {
    let history = History::new(2);
    let place = |client: &tradeapi::Client, id| {
        drive(&history.exchange, client.unified().place_order(&resting(Some(id)))).unwrap();
    };
    place(&history.client.without_journal().with_account("").clone(), "emergency");
    let later = history.exchange.client_of(history.exchange.keys()).journal(history.journal.clone()).build().unwrap();
    for client in [&history.client, &later] {
        let mut how = Reconciliation::since(history.begun);
        let reconciled = drive(&history.exchange, client.reconcile(&mut how)).unwrap();
        assert_eq!(differences(&reconciled), [(Some("emergency"), Difference::PerhapsLost)]);
        assert!(reconciled.to_string().contains("; to do: adopt it"), "{reconciled}");
        is_not_foreign(&history, &reconciled);
    }
    // What was placed long after it by others is foreign, and ids tell whose an order is.
    history.exchange.time().advance(Duration::from_secs(1_300));
    place(&history.without, "other");
    let reconciled = history.reconcile(&mut Reconciliation::since(history.begun)).unwrap();
    assert_eq!(reconciled.foreign().filter_map(|order| order.client_id.as_deref()).collect::<Vec<_>>(), ["other"]);
    let reconciled = history.reconcile(&mut Reconciliation::since(history.begun).own_prefix("emer")).unwrap();
    assert!(differences(&reconciled).contains(&(Some("emergency"), Difference::Unjournaled)));
}

/// The operations of the family that does not serve the key refuse each request.
#[test]
fn the_account_of_a_key_of_one_kind_is_compared_as_a_whole() {
    for accounts in [Accounts::Unified, Accounts::Classic] {
        let history = History::of(2, accounts);
        let place = |client: &tradeapi::Client, id: &str| {
            drive(&history.exchange, async {
                match accounts {
                    Accounts::Classic => client.classic().place_order(&classic_resting(id)).await.map(drop),
                    Accounts::Unified | Accounts::Both => {
                        client.unified().place_order(&resting(Some(id))).await.map(drop)
                    }
                }
            })
            .unwrap();
        };
        place(&history.client, "own-1");
        place(&history.without, "other");
        let reconciled = history.reconcile(&mut history.reconciliation()).unwrap();
        let mut found = differences(&reconciled);
        found.sort_by_key(|(id, _)| *id);
        assert_eq!(found, [(Some("other"), Difference::Foreign), (Some("own-1"), Difference::AsExpected)]);
        let id = reconciled.foreign().next().and_then(|order| order.id.clone()).unwrap();
        drive(&history.exchange, history.client.cancel_foreign(&reconciled, &[id.as_str()])).unwrap();
        assert_eq!(history.open().len(), 1, "{accounts:?}");
    }
}

/// Returns an order that stays open in a classic account of hedge mode.
fn classic_resting(id: &str) -> classic::PlaceOrder {
    let json = serde_json::json!({
        "symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed", "marginCoin": "USDT",
        "size": "0.01", "side": "buy", "tradeSide": "open", "orderType": "limit", "price": "60000", "force": "gtc",
        "clientOid": id
    });
    Operation::from_json(&json.to_string()).unwrap()
}

#[test]
fn an_order_that_was_not_placed_by_the_journal_is_a_contradiction() {
    let history = History::new(2);
    history.exchange.refuse_next("40762");
    drive(&history.exchange, history.client.unified().place_order(&resting(Some("own-1")))).unwrap_err();
    drive(&history.exchange, history.without.unified().place_order(&resting(Some("own-1")))).unwrap();
    let reconciled = history.reconcile(&mut history.reconciliation()).unwrap();
    assert_eq!(differences(&reconciled), [(Some("own-1"), Difference::Contradiction)]);
    assert!(reconciled.to_string().contains("; to do: find what else placed it"), "{reconciled}");
    assert!(!reconciled.is_settled());
}

#[test]
fn an_amendment_of_presets_alone_creates_no_order() {
    use tradeapi::classic;
    use tradeapi::runtime::tables::Outcome;
    let history = History::new(7);
    let execution = classic::Execution::limit(60_000, classic::Force::Gtc);
    let (line, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    let order = classic::PlaceOrder::new("BTCUSDT", line.clone(), margin, "USDT", 1, classic::Side::Buy, execution);
    let order = order.client_oid("own-1").trade_side(classic::TradeSide::Open);
    drive(&history.exchange, history.client.classic().place_order(&order)).unwrap();
    let by = || classic::OrderRef::ClientOid("own-1".parse().unwrap());
    let amend = |id: &str| classic::ModifyOrder::new("BTCUSDT", line.clone(), id, by());
    let preset = |id: &str| amend(id).new_preset_stop_loss_price(50_000);
    drive(&history.exchange, history.client.classic().modify_order(&preset("own-2"))).unwrap();
    // An amendment without an answer is closed once it can no longer arrive, and one that repeats the id changes
    // nothing.
    history.exchange.hide_next("40725");
    drive(&history.exchange, history.client.classic().modify_order(&preset("own-3"))).unwrap_err();
    drive(&history.exchange, history.client.classic().modify_order(&preset("own-1"))).unwrap();
    history.exchange.time().advance(OVER);
    let reconciled = history.reconcile(&mut history.reconciliation().family("classic")).unwrap();
    assert_eq!(differences(&reconciled), [(Some("own-1"), Difference::AsExpected)]);
    assert!(reconciled.is_settled());
    assert_eq!(
        reconciled.recovered.iter().map(|change| (change.outcome(), change.is_open)).collect::<Vec<_>>(),
        [(Outcome::Unknown, false)]
    );

    let replacing = amend("own-4").new_size(2).new_price(59_000);
    drive(&history.exchange, history.client.classic().modify_order(&replacing)).unwrap();
    history.exchange.time().advance(OVER);
    let reconciled = history.reconcile(&mut history.reconciliation().family("classic")).unwrap();
    let expected = [(Some("own-1"), Difference::Ended), (Some("own-4"), Difference::AsExpected)];
    assert_eq!(differences(&reconciled), expected);
    // The id of a deleted order identifies it, although an amendment had the same id.
    drive(
        &history.exchange,
        history.client.classic().cancel_order(&{
            let by = classic::OrderRef::ClientOid("own-4".parse().unwrap());
            classic::CancelOrder::new("BTCUSDT", line.clone(), by)
        }),
    )
    .unwrap();
    let reconciled = history.reconcile(&mut history.reconciliation().family("classic")).unwrap();
    assert_eq!(differences(&reconciled)[1], (Some("own-4"), Difference::Ended));
}

#[test]
fn an_order_of_an_account_with_another_name_is_not_foreign() {
    let history = History::new(6);
    let builder = history.exchange.client_of(history.exchange.keys()).journal(history.journal.clone());
    let other = builder.account("other").build().unwrap();
    drive(&history.exchange, other.unified().place_order(&resting(Some("own-1")))).unwrap();
    for mut how in [history.reconciliation(), Reconciliation::since(history.begun)] {
        let reconciled = history.reconcile(&mut how).unwrap();
        assert_eq!(differences(&reconciled), [(Some("own-1"), Difference::OtherName)]);
        assert!(reconciled.orders[0].change.is_some() && !reconciled.is_settled());
        is_not_foreign(&history, &reconciled);
    }
    let reconciled = drive(&history.exchange, other.reconcile(&mut history.reconciliation())).unwrap();
    assert_eq!(differences(&reconciled), [(Some("own-1"), Difference::AsExpected)]);
}

#[test]
fn orders_that_ended_before_the_comparison_are_left_out() {
    let history = History::new(9);
    let trade = |id| drive(&history.exchange, history.without.unified().place_order(&resting(Some(id)))).unwrap();
    for id in ["other-1", "other-2"] {
        trade(id);
        history.exchange.fill(id, Decimal::new(1, 2)).unwrap();
        history.exchange.time().advance(OVER);
    }
    let since = history.exchange.time().now() - OVER - Duration::from_secs(1);
    let reconciled = history.reconcile(&mut Reconciliation::since(since)).unwrap();
    assert_eq!(differences(&reconciled), [(Some("other-2"), Difference::Foreign)]);
}

#[test]
fn an_adopted_order_is_of_the_account_that_adopted_it() {
    let history = History::new(6);
    let builder = history.exchange.client_of(history.exchange.keys()).journal(history.journal.clone());
    let desk = builder.account("desk").build().unwrap();
    drive(&history.exchange, history.without.unified().place_order(&resting(Some("other-1")))).unwrap();
    let reconcile =
        |client: &tradeapi::Client, how: &mut Reconciliation| drive(&history.exchange, client.reconcile(how)).unwrap();
    let adopted = reconcile(&desk, &mut history.reconciliation().foreign_orders(ForeignOrders::Adopt));
    let order = &adopted.orders[0];
    assert!(matches!(order.action, Action::Adopted), "{adopted}");
    let stored = history.journal.0.lock().unwrap().iter().find(|stored| Some(stored.number) == order.change).cloned();
    assert_eq!(stored.unwrap().change.client_ids, ["other-1"]);
    for (client, difference) in [(&desk, Difference::AsExpected), (&history.client, Difference::OtherName)] {
        let reconciled = reconcile(client, &mut history.reconciliation());
        assert_eq!(differences(&reconciled), [(Some("other-1"), difference)]);
    }
}

/// An order that was placed while the account was read may be missing from what was read before.
#[test]
fn the_next_comparison_begins_no_later_than_this_one_did() {
    let history = History::new(8);
    history.exchange.add_fault(Fault::new(FaultKind::Gateway).target(FaultTarget::Operation("unified.fills".into())));
    let mut reconciliation = history.reconciliation().family("unified");
    history.reconcile(&mut reconciliation).unwrap_err();
    history.exchange.clear_faults();
    history.exchange.time().advance(Duration::from_secs(1));
    let before = history.exchange.time().now();
    drive(&history.exchange, history.client.unified().place_order(&resting(Some("own-1")))).unwrap();
    let reconciled = history.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&reconciled), [(Some("own-1"), Difference::AsExpected)]);
    // What happened shortly before may have been missed, too: as long as the exchange may take, by clocks that are off.
    assert!(reconciled.next_since == reconciled.begun - Duration::from_secs(130), "{reconciled}");
    assert!(reconciled.begun < before);
}

#[test]
fn a_request_that_may_still_arrive_is_unsettled_until_it_cannot() {
    use tradeapi::runtime::confirm::ConfirmPolicy;
    let history = History::new(3);
    history.exchange.refuse_next("40725");
    drive(&history.exchange, history.client.unified().place_order(&resting(Some("own-1")))).unwrap_err();
    let mut reconciliation = history.reconciliation().confirming(ConfirmPolicy::new().deadline(Duration::ZERO));
    let early = history.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&early), [(Some("own-1"), Difference::Gone(Gone::Unsettled))]);
    assert!(early.to_string().contains("orders: 1, open: 0, with something to do: 1\n"), "{early}");
    assert!(early.to_string().contains("; to do: reconcile again later"), "{early}");
    assert!(!early.is_settled() && early.next_since <= history.begun);
    history.exchange.time().advance(OVER);
    let late = history.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&late), [(Some("own-1"), Difference::Gone(Gone::NotOpen))]);
    assert!(late.is_settled() && late.next_since > history.begun);
    // Nothing is open, so the next comparison begins with the current account.
    assert!(history.reconcile(&mut reconciliation).unwrap().orders.is_empty());
}

#[test]
fn the_next_comparison_begins_with_the_earliest_open_order() {
    let history = History::new(4);
    drive(&history.exchange, history.client.unified().place_order(&resting(Some("own-1")))).unwrap();
    history.exchange.time().advance(OVER);
    let mut reconciliation = history.reconciliation();
    let first = history.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&first), [(Some("own-1"), Difference::AsExpected)]);
    history.exchange.time().advance(OVER);
    history.exchange.fill("own-1", Decimal::new(1, 2)).unwrap();
    let second = history.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&second), [(Some("own-1"), Difference::Ended)]);
    let order = &second.orders[0];
    assert_eq!((order.filled.as_str(), order.seen.as_ref().unwrap().state.as_deref()), ("0.01", Some("filled")));
    assert_eq!(second.to_string().lines().count(), 2);
}

#[test]
fn a_comparison_that_cannot_be_whole_fails_and_does_nothing() {
    let history = History::new(5);
    drive(&history.exchange, history.without.unified().place_order(&resting(Some("other-1")))).unwrap();
    let adopts = || history.reconciliation().foreign_orders(ForeignOrders::Adopt);
    let without = drive(&history.exchange, history.without.reconcile(&mut adopts()));
    assert!(matches!(without, Err(ReconcileError::NoJournal)));
    let misspelt = history.reconcile(&mut adopts().family("unifeid"));
    assert!(matches!(misspelt, Err(ReconcileError::NoListing { family: Some(_) })), "{misspelt:?}");
    let partly = history.reconcile(&mut adopts().family("unified").family("unifeid"));
    assert!(matches!(&partly, Err(ReconcileError::NoListing { family: Some(family) }) if family == "unifeid"));
    // The last of the listings.
    history.exchange.add_fault(Fault::new(FaultKind::Gateway).target(FaultTarget::Operation("unified.fills".into())));
    let failed = history.reconcile(&mut adopts().family("unified"));
    let Err(ReconcileError::Listing(listing)) = &failed else { panic!("{failed:?}") };
    assert_eq!(listing.operation, "unified.fills");
    assert!(matches!(listing.failure, ListingFailure::Page(_)), "{listing}");
    assert!(history.journal.0.lock().unwrap().is_empty());
    history.exchange.clear_faults();
    let classic = history.reconcile(&mut adopts().family("classic")).unwrap();
    assert!(classic.orders.is_empty() && history.journal.0.lock().unwrap().is_empty());
    let whole = history.reconcile(&mut adopts().family("unified")).unwrap();
    assert!(matches!(whole.orders[0].action, Action::Adopted));
    assert_eq!(history.journal.0.lock().unwrap().len(), 1);
}

/// Puts something unreadable in front of every list of records.
fn unreadable(exchange: tradeapi_exchange::Exchange) -> impl Transport {
    transport::from_fn(move |request| {
        let exchange = exchange.clone();
        async move {
            let response = exchange.send(request).await?;
            Ok(response.map(|body| String::from_utf8_lossy(&body).replace("[{", "[7,{").into()))
        }
    })
}

#[test]
fn a_comparison_of_a_page_with_an_unreadable_record_fails_and_does_nothing() {
    let history = History::new(10);
    drive(&history.exchange, history.without.unified().place_order(&resting(Some("other-1")))).unwrap();
    let builder = history.exchange.client_of(history.exchange.keys()).journal(history.journal.clone());
    let client = builder.transport(unreadable(history.exchange.clone())).build().unwrap();
    let mut adopts = history.reconciliation().family("unified").foreign_orders(ForeignOrders::Adopt);
    let failed = drive(&history.exchange, client.reconcile(&mut adopts));
    let Err(ReconcileError::Listing(listing)) = &failed else { panic!("{failed:?}") };
    assert!(matches!(listing.failure, ListingFailure::Item(_)), "{listing}");
    assert!(history.journal.0.lock().unwrap().is_empty());
}

/// The caller sees the list first, and what the journal has meanwhile is not cancelled.
#[test]
fn orders_of_others_are_cancelled_only_if_the_caller_picks_them_from_the_list() {
    let history = History::new(12);
    for id in ["other-1", "other-2", "other-3"] {
        drive(&history.exchange, history.without.unified().place_order(&resting(Some(id)))).unwrap();
    }
    let mut adopts = history.reconciliation().foreign_orders(ForeignOrders::Adopt);
    let listed = history.reconcile(&mut history.reconciliation()).unwrap();
    let ids: Vec<_> = listed.foreign().filter_map(|order| order.id.as_deref()).collect();
    assert!(ids.len() == 3 && history.open().len() == 3, "nothing is cancelled by default");
    let cancel = |client: &tradeapi::Client, reconciled: &Reconciled, ids: &[&str]| {
        drive(&history.exchange, client.cancel_foreign(reconciled, ids))
    };
    assert!(matches!(cancel(&history.without, &listed, &ids[..1]), Err(CancelForeignError::NoJournal)));
    // All of them or none.
    let unlisted = cancel(&history.client, &listed, &[ids[0], "7"]);
    assert!(matches!(unlisted, Err(CancelForeignError::NotForeign { id }) if id == "7"));
    let cancelled = cancel(&history.client, &listed, &ids[..1]).unwrap();
    assert!(matches!(cancelled[0].action, Action::Cancelled) && cancelled.len() == 1);
    assert_eq!(history.open().len(), 2);
    // The journal has them from here on.
    assert_eq!(history.reconcile(&mut adopts).unwrap().foreign().count(), 2);
    let adopted = cancel(&history.client, &listed, &ids[1..]);
    assert!(matches!(adopted, Err(CancelForeignError::NotForeign { .. })), "{adopted:?}");
    assert_eq!(history.open().len(), 2);
    let after = history.reconcile(&mut history.reconciliation()).unwrap();
    assert_eq!(after.foreign().count(), 0);
}

/// Time passes without a call; whatever is due meanwhile is among the events that are taken.
#[test]
fn the_events_that_are_taken_include_what_is_due() {
    use tradeapi::classic;
    use tradeapi_exchange::Event;
    // An order with another size replaces the first after four seconds.
    let history = History::new(3);
    let execution = classic::Execution::limit(60_000, classic::Force::Gtc);
    let (line, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    let order = classic::PlaceOrder::new("BTCUSDT", line.clone(), margin, "USDT", 1, classic::Side::Buy, execution);
    drive(&history.exchange, history.client.classic().place_order(&order.client_oid("own-1"))).unwrap();
    let by = classic::OrderRef::ClientOid("own-1".parse().unwrap());
    let amend = classic::ModifyOrder::new("BTCUSDT", line, "own-2", by).new_size(2).new_price(70_000);
    drive(&history.exchange, history.client.classic().modify_order(&amend)).unwrap();
    history.exchange.take_events();
    history.exchange.time().advance(Duration::from_secs(60));
    let fills = history.exchange.take_events().into_iter().filter(|event| matches!(event, Event::Filled { .. }));
    assert_eq!(fills.count(), 1, "the replacing order meets the market");
}
