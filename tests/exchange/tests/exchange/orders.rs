//! The orders that a client tracks equal those of the exchange, after random histories.

use std::collections::BTreeSet;
use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::runtime::confirm::{self, ConfirmPolicy};
use tradeapi::runtime::error::AmendmentObstacle;
use tradeapi::runtime::orders::Standing;
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{self, Category};
use tradeapi::{Client, Error, Timestamp, classic};
use tradeapi_exchange::{Exchange, Family, Fault, FaultKind, FaultTarget, OrderView, Profile, Seed, Settings, Time};

use crate::random::{Chance, batch_item, classic_order, drive, open_orders, unified_order};

/// The time after which no earlier request can arrive, and everything is shown.
const OVER: Duration = Duration::from_secs(250);

/// An account, with a client that tracks its orders and one that does not.
struct Fixture {
    exchange: Exchange,
    client: Client,
    other: Client,
    chance: Chance,
    count: u32,
}

impl Fixture {
    fn new(seed: u64) -> Self {
        Self::with(seed, |_| {})
    }

    fn with(seed: u64, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits) = (Seed(seed), false);
        // Modifications are in progress for a while, with both settings of autoCancel.
        settings.modification_delay = Duration::from_millis(if seed.is_multiple_of(3) { 700 } else { 0 });
        settings.auto_cancel_in_progress = seed.is_multiple_of(2);
        change(&mut settings);
        let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().both());
        let builder = || exchange.client_of(exchange.keys()).checks(false);
        let (client, other) = (builder().track_orders().build().unwrap(), builder().build().unwrap());
        Self { exchange, client, other, chance: Chance(seed), count: 0 }
    }

    fn run<F: Future>(&self, future: F) -> F::Output {
        drive(&self.exchange, future)
    }

    fn id(&mut self) -> String {
        self.count += 1;
        format!("order-{}", self.count)
    }

    fn tracked(&self) -> BTreeSet<String> {
        let open = self.client.tracked_orders().unwrap().open();
        open.iter().map(|order| order.id.clone().unwrap_or_else(|| format!("without an id: {order}"))).collect()
    }

    fn place(&mut self, client: &Client) {
        let (id, line, buys) = (self.id(), self.chance.below(3), self.chance.below(2) == 0);
        let away = i64::try_from(self.chance.below(400)).unwrap() - 100;
        let price = tradeapi::Decimal::from(if buys { 64_000 - away } else { 64_000 + away });
        let lots = self.chance.thousandths(30).into();
        if line == 0 {
            let _ = self.run(client.classic().place_order(&classic_order(id, buys, lots, price)));
            return;
        }
        let category = if line == 1 { Category::UsdtFutures } else { Category::Spot };
        let order = unified_order(&id, &category, buys, &lots, &price);
        match self.chance.below(4) {
            0 => drop(self.run(client.place_and_confirm(&order, &ConfirmPolicy::new()))),
            1 => {
                let mut items = vec![batch_item(&id, &category, buys, &lots, &price)];
                let (second, third) = (self.id(), self.id());
                // The exchange refuses the quantity of the last one.
                items.push(batch_item(&second, &category, buys, &lots, &price));
                items.push(batch_item(&third, &category, buys, &0.into(), &price));
                let _ = self.run(client.call(&unified::BatchOrder::new(items)));
            }
            2 => drop(self.run(client.unified().place_order(&without_id(&order)))),
            _ => drop(self.run(client.unified().place_order(&order))),
        }
    }

    fn touch(&mut self, change: impl Fn(&Self, Family, OrderView)) {
        if let Some((family, order)) = self.chance.one_of(open_orders(&self.exchange)) {
            change(self, family, order);
        }
    }

    fn act(&mut self) {
        match self.chance.below(20) {
            0..=6 => self.place(&self.client.clone()),
            7 => self.place(&self.other.clone()),
            8..=10 => {
                let kind = match self.chance.below(4) {
                    0 => FaultKind::Drop,
                    1 => FaultKind::Lose,
                    2 => FaultKind::Hide("40725".into()),
                    _ => FaultKind::Refuse("40762".into()),
                };
                self.exchange.add_fault(Fault::new(kind).target(FaultTarget::Changes).times(1));
                self.place(&self.client.clone());
                self.exchange.clear_faults();
            }
            11..=12 => self.touch(|fixture, family, order| fixture.cancel(&fixture.client, family, order)),
            13 => self.touch(|fixture, family, order| fixture.cancel(&fixture.other, family, order)),
            14..=15 => {
                let (is_rejected, cancels) = (self.chance.below(3) == 0, self.chance.below(2) == 0);
                self.touch(|fixture, family, order| fixture.amend(family, order, is_rejected, cancels));
            }
            16..=17 => self.touch(|fixture, _, order| {
                let half = ((order.qty - order.filled) / Decimal::TWO).round_dp(3);
                let _ = fixture.exchange.fill(&order.id, half);
            }),
            18 => {
                let price = 63_900 + i64::try_from(self.chance.below(200)).unwrap();
                self.exchange.set_price("BTCUSDT", tradeapi::Decimal::from(price)).unwrap();
            }
            _ => {
                let listing = unified::GetOpenOrders::new().category(Category::Spot);
                let _ = self.run(self.client.unified().get_open_orders(&listing));
                let pause = self.chance.below(60_000);
                self.exchange.time().advance(Duration::from_millis(pause));
            }
        }
    }

    fn cancel(&self, client: &Client, family: Family, order: OrderView) {
        match family {
            Family::Unified => {
                let cancel = unified::CancelOrder::new(unified::OrderRef::OrderId(order.id.as_str().into()));
                let _ = self.run(client.unified().cancel_order(&cancel));
            }
            Family::Classic => {
                let by = classic::OrderRef::OrderId(order.id.into());
                let cancel = classic::CancelOrder::new("BTCUSDT", classic::ProductType::UsdtFutures, by);
                let _ = self.run(client.classic().cancel_order(&cancel));
            }
        }
    }

    /// Amends an order twice, the second time while the first may still be in progress.
    fn amend(&self, family: Family, order: OrderView, is_rejected: bool, cancels: bool) {
        if family != Family::Unified {
            return;
        }
        let price = tradeapi::Decimal::from(if is_rejected { 640_000 } else { 62_000 });
        for price in [price, tradeapi::Decimal::from(62_001)] {
            let by = unified::OrderRef::OrderId(order.id.as_str().into());
            let amend = unified::ModifyOrder::new(by).price(price).auto_cancel(cancels);
            let _ = self.run(self.client.unified().modify_order(&amend));
        }
    }
}

fn without_id(order: &unified::PlaceOrder) -> unified::PlaceOrder {
    let mut order = order.clone();
    order.client_oid = None;
    order
}

#[test]
fn the_view_equals_the_book_once_nothing_is_in_flight() {
    let seeds = std::env::var("TRADEAPI_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(100);
    for seed in 0..seeds {
        let mut fixture = Fixture::new(seed);
        for _ in 0..5 + fixture.chance.below(35) {
            fixture.act();
        }
        let orders = fixture.client.tracked_orders().unwrap();
        fixture.exchange.time().advance(OVER);
        let mut open = BTreeSet::new();
        for family in ["classic", "unified"] {
            let reported = fixture.run(fixture.client.refresh_orders(family)).unwrap();
            open.extend(reported.iter().map(|order| order.id.clone().unwrap()));
        }
        let book: BTreeSet<_> = open_orders(&fixture.exchange).into_iter().map(|(_, order)| order.id).collect();
        assert_eq!(book, fixture.tracked(), "seed {seed}");
        assert_eq!(book, open, "seed {seed}");
        assert_eq!(orders.take_contradictions(), [], "seed {seed}");
    }
}

fn resting(id: &str) -> unified::PlaceOrder {
    unified_order(id, &Category::Spot, true, &Decimal::new(1, 2).into(), &60_000.into())
}

fn modify(by: unified::OrderRef) -> unified::ModifyOrder {
    unified::ModifyOrder::new(by).price(tradeapi::Decimal::from(61_000))
}

fn obstacle(result: Result<impl Sized, Error>) -> AmendmentObstacle {
    match result.err() {
        Some(Error::NotAmendable(refusal)) => refusal.why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_amendment_of_an_order_that_ended_is_not_sent() {
    let fixture = Fixture::new(1);
    fixture.run(fixture.client.unified().place_order(&resting("own-1"))).unwrap();
    fixture.exchange.fill("own-1", Decimal::new(1, 2)).unwrap();
    let by_client_id = || unified::OrderRef::ClientOid("own-1".parse().unwrap());
    // No record has shown the end yet, so the exchange refuses the amendment.
    let refused = fixture.run(fixture.client.unified().modify_order(&modify(by_client_id())));
    assert!(matches!(refused, Err(Error::Exchange(_) | Error::Unknown(_))), "{refused:?}");
    fixture.run(fixture.client.unified().get_order_details(&unified::GetOrderDetails::new(by_client_id()))).unwrap();
    fixture.exchange.time().advance(OVER);
    let order = fixture.client.tracked_orders().unwrap().get("unified", "own-1").unwrap();
    assert_eq!((order.standing, order.state.as_deref()), (Standing::Ended, Some("filled")));
    for by in [by_client_id(), unified::OrderRef::OrderId(order.id.as_deref().unwrap().into())] {
        let why = obstacle(fixture.run(fixture.client.unified().modify_order(&modify(by))));
        assert_eq!(why, AmendmentObstacle::State { state: "filled" });
    }
    // A cancellation is never refused here.
    let cancel = unified::CancelOrder::new(by_client_id());
    assert!(matches!(
        fixture.run(fixture.client.unified().cancel_order(&cancel)),
        Err(Error::Exchange(_) | Error::Unknown(_))
    ));
}

#[test]
fn an_amendment_waits_for_the_result_of_the_other() {
    let fixture = Fixture::new(2);
    let placed = fixture.run(fixture.client.unified().place_order(&resting("own-1"))).unwrap();
    let id = placed.order_id.clone().unwrap();
    let (by_id, by_client_id) =
        (modify(unified::OrderRef::OrderId(id)), modify(unified::OrderRef::ClientOid("own-1".parse().unwrap())));
    fixture.exchange.add_fault(Fault::new(FaultKind::Drop).target(FaultTarget::Changes).times(1));
    let lost = fixture.run(fixture.client.unified().modify_order(&by_id));
    assert!(matches!(lost, Err(Error::Unknown(_))), "{lost:?}");
    // The other id names the same order.
    let why = obstacle(fixture.run(fixture.client.unified().modify_order(&by_client_id)));
    assert_eq!(why, AmendmentObstacle::InFlight { in_flight: 1, at_most: 1 });
    // The lost amendment has a result once it can no longer arrive.
    fixture.exchange.time().advance(OVER);
    fixture.run(fixture.client.unified().modify_order(&by_client_id)).unwrap();
    fixture.run(fixture.client.unified().modify_order(&by_client_id)).unwrap();
}

#[test]
fn a_confirmed_amendment_makes_room_for_the_next_at_once() {
    // A change proves an amendment if it is later beyond doubt.
    let fixture = Fixture::with(3, |settings| settings.modification_delay = Duration::from_secs(4));
    fixture.run(fixture.client.unified().place_order(&resting("own-1"))).unwrap();
    // Two requests with the same id and millisecond could not be distinguished.
    fixture.exchange.time().advance(Duration::from_secs(1));
    let amend = modify(unified::OrderRef::ClientOid("own-1".parse().unwrap()));
    fixture.exchange.hide_next("40725");
    let Err(Error::Unknown(unknown)) = fixture.run(fixture.client.unified().modify_order(&amend)) else {
        panic!("it is known")
    };
    let next = amend.clone().price(tradeapi::Decimal::from(62_000));
    let why = obstacle(fixture.run(fixture.client.unified().modify_order(&next)));
    assert_eq!(why, AmendmentObstacle::InFlight { in_flight: 1, at_most: 1 });

    let (before, policy) = (fixture.exchange.time().now(), ConfirmPolicy::new());
    let settled = confirm::settle(fixture.client.core(), &amend, unknown.sent.signed_at, &policy);
    let settled = fixture.run(settled);
    assert_eq!(settled.outcome(), Outcome::Done, "{settled}");
    let next = fixture.run(fixture.client.place_and_confirm(&next, &policy));
    assert_eq!(next.outcome(), Outcome::Done, "{next}");
    let passed = fixture.exchange.time().now() - before;
    assert!(passed < Duration::from_secs(30), "{passed:?}: it could no longer arrive anyway");
}

#[test]
fn an_amendment_of_presets_alone_is_no_order() {
    let fixture = Fixture::new(8);
    let execution = classic::Execution::limit(60_000, classic::Force::Gtc);
    let (line, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    let order = classic::PlaceOrder::new("BTCUSDT", line.clone(), margin, "USDT", 1, classic::Side::Buy, execution);
    fixture.run(fixture.client.classic().place_order(&order.client_oid("own-1"))).unwrap();
    let by = classic::OrderRef::ClientOid("own-1".parse().unwrap());
    let amend = classic::ModifyOrder::new("BTCUSDT", line, "own-2", by);
    let open = || fixture.client.tracked_orders().unwrap().open().len();
    fixture.run(fixture.client.classic().modify_order(&amend.clone().new_preset_stop_loss_price(50_000))).unwrap();
    assert_eq!(open(), 1);
    fixture.run(fixture.client.classic().modify_order(&amend.new_size(2).new_price(59_000))).unwrap();
    assert_eq!(open(), 2, "the old order counts until a response shows that it ended");
}

#[test]
fn open_orders_count_against_the_ceilings_from_before_they_are_sent() {
    let fixture = Fixture::new(4);
    let room = |category: Category| {
        fixture.client.tracked_orders().unwrap().counted("unified", unified::CEILINGS).room(&category).unwrap()
    };
    let all = room(Category::Spot);
    fixture.run(fixture.client.unified().place_order(&resting("own-1"))).unwrap();
    assert_eq!((room(Category::Spot), room(Category::UsdtFutures)), (all - 1, all));
    // One that is refused does not count, and one whose outcome is unknown does.
    fixture.exchange.refuse_next("40762");
    fixture.run(fixture.client.unified().place_order(&resting("own-2"))).unwrap_err();
    assert_eq!(room(Category::Spot), all - 1);
    fixture.exchange.add_fault(Fault::new(FaultKind::Drop).target(FaultTarget::Changes).times(1));
    fixture.run(fixture.client.unified().place_order(&resting("own-3"))).unwrap_err();
    assert_eq!(room(Category::Spot), all - 2);
    let orders = fixture.client.tracked_orders().unwrap();
    assert_eq!(orders.get("unified", "own-3").unwrap().standing, Standing::Unknown);
    // An order without a client id counts once it is accepted.
    fixture.run(fixture.client.unified().place_order(&without_id(&resting("own-4")))).unwrap();
    assert_eq!((room(Category::Spot), room(Category::UsdtFutures)), (all - 3, all));
    // A call that is dropped before it is sent does not count.
    drop(fixture.client.unified().place_order(&resting("own-5")));
    assert_eq!(room(Category::Spot), all - 3);
}

#[test]
fn a_record_from_outside_ends_an_order() {
    let fixture = Fixture::new(5);
    fixture.run(fixture.client.unified().place_order(&resting("own-1"))).unwrap();
    fixture.exchange.fill("own-1", Decimal::new(1, 2)).unwrap();
    let by = unified::OrderRef::ClientOid("own-1".parse().unwrap());
    let record =
        fixture.run(fixture.other.unified().get_order_details(&unified::GetOrderDetails::new(by))).unwrap().data;
    assert_eq!(fixture.client.tracked_orders().unwrap().open().len(), 1);
    let _ = fixture.run(fixture.client.evidence(&record)).unwrap();
    assert_eq!(fixture.client.tracked_orders().unwrap().open(), []);
    // An older record changes nothing, and a contradicting one is reported.
    let mut later = record.clone();
    later.order_status = Some(unified::OrderStatus::Live);
    later.updated_time = record.updated_time.map(|at| Timestamp::from_millis(at.as_millis() + 1000));
    let _ = fixture.run(fixture.client.evidence(&later)).unwrap();
    let contradictions = fixture.client.tracked_orders().unwrap().take_contradictions();
    assert_eq!(contradictions.len(), 1);
    assert!(contradictions[0].to_string().contains("was filled"), "{}", contradictions[0]);
    assert_eq!(fixture.client.tracked_orders().unwrap().open(), []);
}

#[test]
fn a_client_that_does_not_track_orders_has_no_view() {
    let fixture = Fixture::new(6);
    assert!(fixture.other.tracked_orders().is_none());
    let refused = fixture.run(fixture.other.refresh_orders("unified")).unwrap_err();
    assert!(refused.to_string().contains("track_orders"), "{refused}");
    assert!(fixture.run(fixture.client.refresh_orders("unifeid")).is_err());
}
