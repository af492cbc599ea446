//! The comparison of an account with a journal tells what the exchange's own book says, after random histories.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::runtime::journal::{Change, ChangeNumber, Ending, Journal, JournalFuture, Selection, StoredChange};
use tradeapi::runtime::reconcile::{
    Action, Difference, ForeignOrders, Gone, ReconcileError, Reconciled, ReconciledOrder, Reconciliation,
};
use tradeapi::unified::{self, Category};
use tradeapi::{Client, Timestamp, classic};
use tradeapi_exchange::{Aim, Event, Exchange, Family, Fault, Mode, Profile, Seed, Settings, Time, Trouble};

/// After this, nothing that was sent before can arrive, and everything is shown.
const OVER: Duration = Duration::from_secs(100);

/// What the program's own ids begin with.
const OWN: &str = "own-";

/// A journal in memory.
#[derive(Default)]
struct Memory(Mutex<Vec<StoredChange>>);

impl Journal for Memory {
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        let mut all = self.0.lock().unwrap();
        let number = ChangeNumber(u64::try_from(all.len()).unwrap() + 1);
        all.push(StoredChange::new(number, change, None));
        Box::pin(std::future::ready(Ok(number)))
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        let mut all = self.0.lock().unwrap();
        all.iter_mut().filter(|stored| stored.number == number).for_each(|stored| stored.ending = Some(ending.clone()));
        Box::pin(std::future::ready(Ok(())))
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        let all = self.0.lock().unwrap();
        let is_read = |stored: &&StoredChange| match which {
            Selection::After(number) => stored.number > number,
            _ => stored.ending.is_none(),
        };
        let read = all.iter().filter(is_read).cloned().collect();
        Box::pin(std::future::ready(Ok(read)))
    }
}

/// Polls a future while the time of the exchange goes on.
fn drive<F: Future>(exchange: &Exchange, future: F) -> F::Output {
    let (mut future, mut context) = (pin!(future), Context::from_waker(Waker::noop()));
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => exchange.time().advance(Duration::from_millis(500)),
        }
    }
}

/// Numbers by chance that follow from a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn is(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// Who places an order, by its id.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// The program, with its journal.
    Journal,
    /// The program, without it.
    Own,
    /// Someone else.
    Other,
}

/// An account with a history.
struct Story {
    exchange: Exchange,
    client: Client,
    without: Client,
    journal: Arc<Memory>,
    chance: Chance,
    begun: Timestamp,
    count: u32,
    filled: BTreeMap<String, Decimal>,
}

impl Story {
    fn new(seed: u64) -> Self {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits) = (Seed(seed), false);
        let mode = if seed.is_multiple_of(2) { Mode::Hedge } else { Mode::OneWay };
        let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().mode(mode));
        let journal = Arc::new(Memory::default());
        let builder = || exchange.client_of(exchange.keys()).checks(false);
        let client = builder().journal(journal.clone()).build().unwrap();
        let without = builder().build().unwrap();
        let (begun, chance) = (exchange.time().now(), Chance(seed));
        Self { exchange, client, without, journal, chance, begun, count: 0, filled: BTreeMap::new() }
    }

    fn reconciliation(&self) -> Reconciliation {
        Reconciliation::since(self.begun).own_prefix(OWN)
    }

    fn reconcile(&self, reconciliation: &mut Reconciliation) -> Result<Reconciled, ReconcileError> {
        drive(&self.exchange, self.client.reconcile(reconciliation))
    }

    fn id(&mut self, by: By) -> String {
        self.count += 1;
        match by {
            By::Journal => format!("{OWN}j{}", self.count),
            By::Own => format!("{OWN}lost{}", self.count),
            By::Other => format!("other{}", self.count),
        }
    }

    fn client_by(&self, by: By) -> Client {
        if by == By::Journal { self.client.clone() } else { self.without.clone() }
    }

    fn price(&mut self, buys: bool) -> tradeapi::Decimal {
        // One in three meets the market.
        let (meets, away) = (self.chance.is(33), i64::try_from(self.chance.below(400)).unwrap());
        let offset = if buys == meets { away } else { -away };
        (64_000 + offset).into()
    }

    fn place(&mut self, by: By) {
        let (id, buys, line) = (self.id(by), self.chance.is(50), self.chance.below(3));
        let (price, client) = (self.price(buys), self.client_by(by));
        let lots: tradeapi::Decimal = Decimal::new(i64::try_from(1 + self.chance.below(30)).unwrap(), 3).into();
        if line == 0 {
            let side = if buys { classic::Side::Buy } else { classic::Side::Sell };
            let execution = classic::Execution::limit(price, classic::Force::Gtc);
            let (line, mode) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
            let order = classic::PlaceOrder::new("BTCUSDT", line, mode, "USDT", lots, side, execution)
                .trade_side(classic::TradeSide::Open)
                .client_oid(id);
            let _ = drive(&self.exchange, client.classic().place_order(&order));
            return;
        }
        let category = if line == 1 { Category::UsdtFutures } else { Category::Spot };
        let side = if buys { unified::Side::Buy } else { unified::Side::Sell };
        let execution = unified::Execution::limit(price);
        let order =
            unified::PlaceOrder::new(category, "BTCUSDT", lots, side, execution).client_oid(id.parse().unwrap());
        let _ = drive(&self.exchange, client.unified().place_order(&order));
    }

    fn place_batch(&mut self) {
        let mut items = Vec::new();
        for _ in 0..=self.chance.below(3) {
            let (id, buys) = (self.id(By::Journal), self.chance.is(50));
            let side = if buys { unified::Side::Buy } else { unified::Side::Sell };
            // Some are smaller than the exchange takes.
            let lots = Decimal::new(i64::try_from(self.chance.below(4)).unwrap(), 3);
            let execution = unified::Execution::limit(self.price(buys));
            let item = unified::BatchOrderItem::new(Category::UsdtFutures, "BTCUSDT", lots, side, execution);
            items.push(item.client_oid(id.parse().unwrap()));
        }
        let _ = drive(&self.exchange, self.client.call(&unified::BatchOrder::new(items)));
    }

    fn open(&self) -> Vec<(Family, tradeapi_exchange::OrderView)> {
        let of = |family| self.exchange.account(self.exchange.keys(), family).open_orders;
        let classic = of(Family::Classic).into_iter().map(|order| (Family::Classic, order));
        classic.chain(of(Family::Unified).into_iter().map(|order| (Family::Unified, order))).collect()
    }

    fn touch(&mut self, change: impl Fn(&Self, Family, tradeapi_exchange::OrderView)) {
        let open = self.open();
        let index = usize::try_from(self.chance.below(1 + u64::try_from(open.len()).unwrap())).unwrap();
        if let Some((family, order)) = open.into_iter().nth(index) {
            change(self, family, order);
        }
    }

    fn act(&mut self) {
        match self.chance.below(20) {
            0..=6 => self.place(By::Journal),
            7 => self.place(By::Own),
            8..=9 => self.place(By::Other),
            10 => self.place_batch(),
            11 => {
                let hides = self.chance.is(50);
                if hides {
                    self.exchange.hide_next("40725")
                } else {
                    self.exchange.refuse_next("40725")
                };
                self.place(By::Journal);
                self.exchange.clear_faults();
            }
            12 => {
                self.exchange.refuse_next("40762");
                self.place(By::Journal);
                self.exchange.clear_faults();
            }
            13..=14 => self.touch(|story, family, order| match family {
                Family::Unified => {
                    let cancel = unified::CancelOrder::new(unified::OrderRef::OrderId(order.id.as_str().into()));
                    let _ = drive(&story.exchange, story.client.unified().cancel_order(&cancel));
                }
                Family::Classic => {
                    let by = classic::OrderRef::OrderId(order.id.into());
                    let cancel = classic::CancelOrder::new("BTCUSDT", classic::ProductType::UsdtFutures, by);
                    let _ = drive(&story.exchange, story.client.classic().cancel_order(&cancel));
                }
            }),
            15..=16 => self.touch(|story, _, order| {
                let half = ((order.qty - order.filled) / Decimal::TWO).round_dp(3);
                let _ = story.exchange.fill(&order.id, half);
            }),
            17 => {
                let price = 63_900 + i64::try_from(self.chance.below(200)).unwrap();
                self.exchange.set_price("BTCUSDT", tradeapi::Decimal::from(price)).unwrap();
            }
            18 => self.exchange.time().advance(Duration::from_millis(self.chance.below(60_000))),
            _ if self.chance.is(10) => self.exchange.time().advance(Duration::from_secs(10_000)),
            _ => self.exchange.time().advance(Duration::from_secs(self.chance.below(600))),
        }
        self.count_fills();
    }

    fn count_fills(&mut self) {
        for event in self.exchange.take_events() {
            if let Event::Filled { order, qty, .. } = event {
                *self.filled.entry(order.to_string()).or_default() += qty;
            }
        }
    }

    fn play(seed: u64) -> Self {
        let mut story = Self::new(seed);
        for _ in 0..5 + story.chance.below(35) {
            story.act();
        }
        story.exchange.time().advance(OVER);
        story.count_fills();
        story
    }

    /// The account is told as the exchange has it.
    fn holds(&self, seed: u64, reconciled: &Reconciled) {
        let open: BTreeSet<String> = self.open().into_iter().map(|(_, order)| order.id).collect();
        let told = reconciled.open().map(|order| order.id.clone().unwrap()).collect();
        assert_eq!(open, told, "seed {seed}");
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
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "seed {seed}: an order is told of twice");
        self.everything_placed_is_told(seed, reconciled);
    }

    /// Of each change of the journal that was carried out there is an order.
    fn everything_placed_is_told(&self, seed: u64, reconciled: &Reconciled) {
        use tradeapi::runtime::tables::Outcome;
        let told: BTreeSet<_> = reconciled.orders.iter().filter_map(|order| order.client_id.clone()).collect();
        for stored in self.journal.0.lock().unwrap().iter() {
            let ending = stored.ending.as_ref().map(|ending| ending.outcome);
            let places = stored.change.operation.ends_with("place-order");
            assert!(!places || ending.is_some(), "seed {seed}: {stored} stayed open");
            if places && ending == Some(Outcome::Done) {
                assert!(
                    stored.change.client_ids.iter().all(|id| told.contains(id)),
                    "seed {seed}: {stored} is not told of"
                );
            }
        }
    }
}

fn summary(reconciled: &Reconciled) -> Vec<String> {
    reconciled.orders.iter().map(ToString::to_string).collect()
}

/// Plays a history, and compares it with the book in every way. Returns the differences that it met.
fn check(seed: u64) -> HashSet<Difference> {
    let story = Story::play(seed);
    let first = story.reconcile(&mut story.reconciliation()).unwrap();
    story.holds(seed, &first);
    let again = story.reconcile(&mut story.reconciliation()).unwrap();
    assert_eq!(summary(&first), summary(&again), "seed {seed}: a second comparison differs");

    story.exchange.add_fault(Fault::new(Trouble::Drop).aim(Aim::All).per_mille(300));
    let mut interrupted = story.reconciliation().retrying(tradeapi::runtime::retry::RetryPolicy::new().attempts(1));
    let resumed = loop {
        match story.reconcile(&mut interrupted) {
            Ok(reconciled) => break reconciled,
            Err(ReconcileError::Listing { .. } | ReconcileError::Query { .. }) => {}
            Err(error) => panic!("seed {seed}: {error}"),
        }
    };
    assert_eq!(summary(&first), summary(&resumed), "seed {seed}: a comparison with interruptions differs");
    story.exchange.clear_faults();

    let foreign: BTreeSet<_> = by_id(&first, |order| order.difference == Difference::Foreign && order.is_open);
    match seed % 2 {
        0 => {
            let adopted = story.reconcile(&mut story.reconciliation().foreign_orders(ForeignOrders::Adopt)).unwrap();
            assert_eq!(by_id(&adopted, |order| matches!(order.action, Action::Adopted)), foreign, "seed {seed}");
            let after = story.reconcile(&mut story.reconciliation()).unwrap();
            let is_known =
                |order: &ReconciledOrder| order.difference == Difference::AsExpected && order.change.is_some();
            assert!(foreign.is_subset(&by_id(&after, is_known)), "seed {seed}");
        }
        _ => {
            let cancelled = story.reconcile(&mut story.reconciliation().foreign_orders(ForeignOrders::Cancel)).unwrap();
            assert_eq!(by_id(&cancelled, |order| matches!(order.action, Action::Cancelled)), foreign, "seed {seed}");
            let open: BTreeSet<_> = story.open().into_iter().map(|(_, order)| Some(order.id)).collect();
            assert!(open.is_disjoint(&foreign), "seed {seed}: a foreign order is still open");
            assert_eq!(
                open,
                by_id(&first, |order| order.is_open).difference(&foreign).cloned().collect(),
                "seed {seed}"
            );
        }
    }
    first.orders.iter().map(|order| order.difference).collect()
}

fn by_id(reconciled: &Reconciled, is_meant: impl Fn(&ReconciledOrder) -> bool) -> BTreeSet<Option<String>> {
    reconciled.orders.iter().filter(|order| is_meant(order)).map(|order| order.id.clone()).collect()
}

#[test]
fn a_comparison_equals_the_book() {
    let met: HashSet<_> = (0..200).flat_map(check).collect();
    let all = [
        Difference::AsExpected,
        Difference::Ended,
        Difference::Unjournaled,
        Difference::Foreign,
        Difference::Gone(Gone::NotOpen),
    ];
    assert_eq!(met, all.into());
}

#[test]
#[ignore = "takes minutes"]
fn a_comparison_equals_the_book_ten_thousand_times() {
    (0..10_000).for_each(|seed| drop(check(seed)));
}

/// An order that stays open, without a client id or with one.
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
    let story = Story::new(1);
    drive(&story.exchange, story.client.unified().place_order(&resting(None))).unwrap();
    let mut cancels = story.reconciliation().foreign_orders(ForeignOrders::Cancel);
    let reconciled = story.reconcile(&mut cancels).unwrap();
    assert_eq!(reconciled.orders[0].difference, Difference::Unattributed);
    assert!(!reconciled.is_settled() && story.open().len() == 1);
}

#[test]
fn an_order_that_was_not_placed_by_the_journal_is_a_contradiction() {
    let story = Story::new(2);
    story.exchange.refuse_next("40762");
    drive(&story.exchange, story.client.unified().place_order(&resting(Some("own-1")))).unwrap_err();
    drive(&story.exchange, story.without.unified().place_order(&resting(Some("own-1")))).unwrap();
    let reconciled = story.reconcile(&mut story.reconciliation()).unwrap();
    assert_eq!(differences(&reconciled), [(Some("own-1"), Difference::Contradiction)]);
    assert!(!reconciled.is_settled());
}

#[test]
fn a_request_that_may_still_arrive_is_unsettled_until_it_cannot() {
    use tradeapi::runtime::confirm::ConfirmPolicy;
    let story = Story::new(3);
    story.exchange.refuse_next("40725");
    drive(&story.exchange, story.client.unified().place_order(&resting(Some("own-1")))).unwrap_err();
    let mut reconciliation = story.reconciliation().confirming(ConfirmPolicy::new().deadline(Duration::ZERO));
    let early = story.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&early), [(Some("own-1"), Difference::Gone(Gone::Unsettled))]);
    assert!(!early.is_settled() && early.next_since <= story.begun);
    story.exchange.time().advance(OVER);
    let late = story.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&late), [(Some("own-1"), Difference::Gone(Gone::NotOpen))]);
    assert!(late.is_settled() && late.next_since > story.begun);
    // Nothing is open any more, so the next one begins with the account as it is.
    assert!(story.reconcile(&mut reconciliation).unwrap().orders.is_empty());
}

#[test]
fn the_next_comparison_begins_with_the_earliest_open_order() {
    let story = Story::new(4);
    drive(&story.exchange, story.client.unified().place_order(&resting(Some("own-1")))).unwrap();
    story.exchange.time().advance(OVER);
    let mut reconciliation = story.reconciliation();
    let first = story.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&first), [(Some("own-1"), Difference::AsExpected)]);
    story.exchange.time().advance(OVER);
    story.exchange.fill("own-1", Decimal::new(1, 2)).unwrap();
    let second = story.reconcile(&mut reconciliation).unwrap();
    assert_eq!(differences(&second), [(Some("own-1"), Difference::Ended)]);
    let order = &second.orders[0];
    assert_eq!((order.filled.as_str(), order.seen.as_ref().unwrap().state.as_deref()), ("0.01", Some("filled")));
    assert_eq!(second.to_string().lines().count(), 2);
}

#[test]
fn a_comparison_that_cannot_be_whole_fails_and_does_nothing() {
    let story = Story::new(5);
    drive(&story.exchange, story.without.unified().place_order(&resting(Some("other-1")))).unwrap();
    let cancels = || story.reconciliation().foreign_orders(ForeignOrders::Cancel);
    let without = drive(&story.exchange, story.without.reconcile(&mut cancels()));
    assert!(matches!(without, Err(ReconcileError::NoJournal)));
    let misspelt = story.reconcile(&mut cancels().family("unifeid"));
    assert!(matches!(misspelt, Err(ReconcileError::NoListing { family: Some(_) })), "{misspelt:?}");
    // The last of the listings.
    story.exchange.add_fault(Fault::new(Trouble::Gateway).aim(Aim::Operation("unified.fills".into())));
    let failed = story.reconcile(&mut cancels().family("unified"));
    assert!(matches!(&failed, Err(ReconcileError::Listing { operation: "unified.fills", .. })), "{failed:?}");
    assert_eq!(story.open().len(), 1);
    story.exchange.clear_faults();
    let classic = story.reconcile(&mut cancels().family("classic")).unwrap();
    assert!(classic.orders.is_empty() && story.open().len() == 1);
    let whole = story.reconcile(&mut cancels().family("unified")).unwrap();
    assert!(matches!(whole.orders[0].action, Action::Cancelled) && story.open().is_empty());
}
