//! Programs of classic orders, and the same programs converted for a unified account: both leave the same orders,
//! positions, fills and balances, conditional orders included.
//!
//! Each program runs on two exchanges of the same seed. The first is asked in the classic form, the second in what
//! `to_counterpart` makes of the same requests. Programs leave out what the two families do differently by their
//! documents: orders that close more than is free, and modifications of orders that are filled in part, or have presets,
//! which reach an open position when the classic family places the order anew.

mod books;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rust_decimal::Decimal;
use tradeapi::classic::{
    BatchCancel, BatchCancelItem, BatchOrder, BatchOrderItem, CancelAllOrders, CancelOrder, Execution,
    FlashClosePosition, Force, HoldSide, MarginMode, ModifyOrder, OrderRef, OrderType, PlaceOrder, ProductType,
    ReduceOnly, Side, StpMode, TradeSide,
};
use tradeapi::runtime::counterpart::HasCounterpart;
use tradeapi::{Account, PositionMode, observed, unified};
use tradeapi_exchange::Family;

use crate::fixture::Fixture;
use books::{Books, balance, classic_fills, classic_plans, unified_fills, unified_plans};

const LINE: ProductType = ProductType::UsdtFutures;
const SYMBOL: &str = "BTCUSDT";

/// An order of a program.
#[derive(Clone, Debug)]
struct Ticket {
    buys: bool,
    /// In hedge mode, it closes a position; in one-way mode, it only reduces one.
    closes: bool,
    lots: u32,
    offset: i32,
    /// The force of a limit order, or past the last one a market order.
    force: usize,
    stp: usize,
    /// The distance of a take-profit, if the order presets one.
    preset: Option<u32>,
}

/// A take-profit or stop-loss of a position.
#[derive(Clone, Debug)]
struct Stop {
    kind: observed::PlanType,
    long: bool,
    lots: u32,
    /// The distance of its trigger price.
    trigger: i32,
    by_mark: bool,
    /// The distance of its limit; zero stands for the price 0, which is that of a market order.
    limit: Option<i32>,
}

/// A step of a program.
#[derive(Clone, Debug)]
enum Step {
    Stop(Stop),
    /// An order that waits for a price at this distance, the mark price if so.
    Plan(Ticket, i32, bool),
    AmendPlan {
        index: usize,
        trigger: i32,
    },
    Place(Ticket),
    Batch(Vec<Ticket>),
    Cancel(usize),
    CancelTwo([usize; 2]),
    CancelAll,
    Modify {
        index: usize,
        lots: u32,
        offset: i32,
    },
    Close(Option<bool>),
    Move(i32),
    Wait(u64),
}

impl Step {
    /// Returns a name of what it does.
    fn kind(&self) -> &'static str {
        match self {
            Self::Place(ticket) if ticket.closes => "close",
            Self::Place(_) => "open",
            Self::Stop(_) => "stop",
            Self::Plan(..) => "plan",
            Self::AmendPlan { .. } => "amend plan",
            Self::Batch(_) => "batch",
            Self::Cancel(_) => "cancel",
            Self::CancelTwo(_) => "cancel two",
            Self::CancelAll => "cancel all",
            Self::Modify { .. } => "modify",
            Self::Close(_) => "close all",
            Self::Move(_) => "move",
            Self::Wait(_) => "wait",
        }
    }
}

fn ticket() -> impl Strategy<Value = Ticket> {
    let preset = prop::option::weighted(0.2, 1..200_u32);
    (any::<[bool; 2]>(), 1..60_u32, -40..40_i32, 0..5_usize, 0..4_usize, preset).prop_map(
        |([buys, closes], lots, offset, force, stp, preset)| Ticket { buys, closes, lots, offset, force, stp, preset },
    )
}

fn stop() -> impl Strategy<Value = Stop> {
    use observed::PlanType::{LossPlan, PosLoss, PosProfit, ProfitPlan};
    let kind = prop::sample::select(vec![PosProfit, PosLoss, ProfitPlan, LossPlan]);
    let limit = prop::option::weighted(0.3, -40..40_i32);
    (kind, any::<[bool; 2]>(), 1..60_u32, -60..60_i32, limit)
        .prop_map(|(kind, [long, by_mark], lots, trigger, limit)| Stop { kind, long, lots, trigger, by_mark, limit })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        14 => ticket().prop_map(Step::Place),
        2 => prop::collection::vec(ticket(), 1..4).prop_map(Step::Batch),
        6 => (0..9_usize).prop_map(Step::Cancel),
        5 => any::<[prop::sample::Index; 2]>().prop_map(|at| Step::CancelTwo(at.map(|at| at.index(9)))),
        1 => Just(Step::CancelAll),
        7 => (0..9_usize, 1..60_u32, -40..40_i32).prop_map(|(index, lots, offset)| Step::Modify { index, lots, offset }),
        2 => any::<Option<bool>>().prop_map(Step::Close),
        5 => stop().prop_map(Step::Stop),
        2 => (ticket(), -60..60_i32, any::<bool>()).prop_map(|(ticket, at, by_mark)| Step::Plan(ticket, at, by_mark)),
        2 => (0..9_usize, -60..60_i32).prop_map(|(index, trigger)| Step::AmendPlan { index, trigger }),
        2 => (-60..60_i32).prop_map(Step::Move),
        1 => (1..2_000_u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..60)
}

fn price(offset: i32) -> tradeapi::Decimal {
    (64_000 + i64::from(offset)).into()
}

fn qty(lots: u32) -> tradeapi::Decimal {
    Decimal::new(lots.into(), 3).into()
}

/// The two accounts, and the names of orders.
struct Desks {
    classic: Fixture,
    unified: Fixture,
    mode: PositionMode,
    account: Account,
    /// The balances at the beginning.
    starts: [Decimal; 2],
    placed: usize,
    /// The names of orders of the classic account, each with that of the unified one.
    names: BTreeMap<String, String>,
    /// The names of orders with presets.
    preset: BTreeSet<String>,
    /// A mistake that a conversion could make.
    spoil: fn(&mut unified::PlaceOrder),
}

impl Desks {
    fn new(mode: PositionMode, spoil: fn(&mut unified::PlaceOrder)) -> Self {
        let fixture = || if mode == PositionMode::HedgeMode { Fixture::hedged() } else { Fixture::one_way() };
        let account = Account::new().position_mode(mode);
        let (classic, unified) = (fixture(), fixture());
        let starts = [balance(&classic, Family::Classic), balance(&unified, Family::Unified)];
        let (names, preset) = Default::default();
        Self { classic, unified, mode, account, starts, placed: 0, names, preset, spoil }
    }

    /// Returns the request of the unified account.
    fn converted<R: HasCounterpart>(&self, request: &R) -> R::Counterpart {
        request.to_counterpart(self.account.as_ref()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn name(&mut self) -> String {
        self.placed += 1;
        let name = format!("order-{}", self.placed);
        self.names.insert(name.clone(), name.clone());
        name
    }

    fn order(&mut self, ticket: &Ticket) -> PlaceOrder {
        let Ticket { buys, closes, lots, offset, force, stp, preset } = *ticket;
        let forces = [Force::Gtc, Force::Ioc, Force::Fok, Force::PostOnly];
        let execution = match forces.get(force) {
            Some(force) => Execution::limit(price(offset), force.clone()).into(),
            None => Execution::Market,
        };
        let side = if buys { Side::Buy } else { Side::Sell };
        let order = PlaceOrder::new(SYMBOL, LINE, MarginMode::Crossed, "USDT", qty(lots), side, execution)
            .stp_mode(StpMode::ALL[stp].clone())
            .client_oid(self.name());
        let order = if self.mode == PositionMode::HedgeMode {
            order.trade_side(if closes { TradeSide::Close } else { TradeSide::Open })
        } else {
            order.reduce_only(ReduceOnly::from(closes))
        };
        match preset.filter(|_| !closes) {
            Some(distance) => {
                self.preset.extend(order.client_oid.as_ref().map(ToString::to_string));
                let distance = i64::from(distance) * 10;
                order.preset_stop_surplus_price(64_000 + if buys { 100 + distance } else { -100 - distance })
            }
            None => order,
        }
    }

    fn item(&mut self, ticket: &Ticket) -> BatchOrderItem {
        let order = self.order(&Ticket { preset: None, ..ticket.clone() });
        let mut item = BatchOrderItem::new().size(order.size).side(order.side);
        (item.trade_side, item.client_oid, item.stp_mode) = (order.trade_side, order.client_oid, order.stp_mode);
        match order.execution {
            Execution::Limit(limit) => item.order_type(OrderType::Limit).price(limit.price).force(limit.force),
            _ => item.order_type(OrderType::Market),
        }
    }

    /// Returns a take-profit or stop-loss.
    fn stop(&mut self, stop: &Stop) -> observed::PlaceTpslOrder {
        let side = match (self.mode == PositionMode::HedgeMode, stop.long) {
            (true, true) => observed::HoldSide::Long,
            (true, false) => observed::HoldSide::Short,
            (false, true) => observed::HoldSide::Buy,
            (false, false) => observed::HoldSide::Sell,
        };
        let at = price(stop.trigger * 10);
        let product = observed::ProductType::UsdtFutures;
        let order = observed::PlaceTpslOrder::new(SYMBOL, product, "USDT", stop.kind.clone(), at, side);
        let mut order = order.client_oid(self.name()).trigger_type(kind_of_trigger(stop.by_mark));
        if matches!(stop.kind, observed::PlanType::ProfitPlan | observed::PlanType::LossPlan) {
            order = order.size(qty(stop.lots));
        }
        match stop.limit {
            Some(0) => order.execute_price(0),
            Some(offset) => order.execute_price(price(stop.trigger * 10 + offset)),
            None => order,
        }
    }

    /// Returns an order that waits for a price.
    fn plan(&mut self, ticket: &Ticket, at: i32, by_mark: bool) -> observed::PlacePlanOrder {
        let side = if ticket.buys { observed::OrderSide::Buy } else { observed::OrderSide::Sell };
        let is_limit = ticket.force < 4;
        let kind = if is_limit { observed::OrderType::Limit } else { observed::OrderType::Market };
        let (normal, product) = (observed::PlanType::NormalPlan, observed::ProductType::UsdtFutures);
        let (crossed, at) = (observed::MarginMode::Crossed, price(at * 10));
        let size = qty(ticket.lots);
        let mut plan =
            observed::PlacePlanOrder::new(normal, SYMBOL, product, "USDT", crossed, size, at.clone(), side, kind)
                .client_oid(self.name())
                .trigger_type(kind_of_trigger(by_mark));
        if is_limit {
            plan = plan.price(at.to_rust_decimal().unwrap() + Decimal::from(ticket.offset));
        }
        let closes = ticket.closes;
        if self.mode == PositionMode::HedgeMode {
            plan.trade_side(if closes { observed::TradeSide::Close } else { observed::TradeSide::Open })
        } else {
            plan.reduce_only(if closes { observed::ReduceOnly::Yes } else { observed::ReduceOnly::No })
        }
    }

    /// Returns the name of an open order of the classic account.
    fn open(&self, index: usize) -> Option<String> {
        let open = self.classic.classic().open_orders;
        open.get(index % open.len().max(1))?.client_id.clone()
    }

    /// Lets time pass on both exchanges.
    fn wait(&self, time: Duration) {
        for desk in [&self.classic, &self.unified] {
            desk.exchange.time().advance(time);
        }
    }

    /// Returns whether an order that closes leaves room for those that wait. What becomes of others depends on the family:
    /// see rules 2 to 4 of the classic Place Order and rule 4 of the unified one.
    fn fits(&self, ticket: &Ticket) -> bool {
        if !ticket.closes {
            return true;
        }
        let view = self.classic.classic();
        let is_hedged = self.mode == PositionMode::HedgeMode;
        // The side in the book: in hedge mode, what closes a long is a buy of the classic family.
        let side = if ticket.buys == is_hedged { "sell" } else { "buy" };
        let closed = view.positions.iter().filter(|position| position.side.to_string() != side);
        let held: Decimal = closed.map(|position| position.qty).sum();
        let waiting = view.open_orders.iter().filter(|order| order.closes && order.side.to_string() == side);
        let waiting: Decimal = waiting.map(|order| order.qty - order.filled).sum();
        held >= waiting + Decimal::new(ticket.lots.into(), 3)
    }

    /// Returns the name in the unified account.
    fn other(&self, name: &str) -> String {
        self.names.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Takes a step on both accounts; returns whether each did it. `None` if there is nothing to do.
    async fn step(&mut self, step: &Step) -> Option<[bool; 2]> {
        let client = self.classic.client.clone();
        let other = self.unified.client.clone();
        let (classic, unified) = (client.classic(), other.unified());
        Some(match step {
            Step::Place(ticket) => {
                if !self.fits(ticket) {
                    return None;
                }
                let order = self.order(ticket);
                let mut converted = self.converted(&order);
                (self.spoil)(&mut converted);
                [classic.place_order(&order).await.is_ok(), unified.place_order(&converted).await.is_ok()]
            }
            Step::Batch(tickets) => {
                let opening: Vec<_> = tickets.iter().filter(|ticket| !ticket.closes).collect();
                let items: Vec<_> = opening.into_iter().map(|ticket| self.item(ticket)).collect();
                if items.is_empty() {
                    return None;
                }
                let batch = BatchOrder::new(SYMBOL, LINE, "USDT", MarginMode::Crossed, items);
                let converted = self.converted(&batch);
                [classic.batch_order(&batch).await.is_ok(), unified.batch_order(&converted).await.is_ok()]
            }
            Step::Cancel(index) => {
                let name = self.open(*index)?;
                let cancel = |name: String| CancelOrder::new(SYMBOL, LINE, OrderRef::ClientOid(name.into()));
                let converted = self.converted(&cancel(self.other(&name)));
                [classic.cancel_order(&cancel(name)).await.is_ok(), unified.cancel_order(&converted).await.is_ok()]
            }
            Step::CancelTwo(indices) => {
                let names: Vec<_> = indices.iter().filter_map(|index| self.open(*index)).collect();
                if names.is_empty() {
                    return None;
                }
                let item = |name: &String| BatchCancelItem::new().client_oid(name.as_str());
                let batch = |names: Vec<String>| {
                    BatchCancel::new(LINE).symbol(SYMBOL).order_id_list(names.iter().map(item).collect::<Vec<_>>())
                };
                let converted = self.converted(&batch(names.iter().map(|name| self.other(name)).collect()));
                [classic.batch_cancel(&batch(names)).await.is_ok(), unified.batch_cancel(&converted).await.is_ok()]
            }
            Step::CancelAll => {
                let cancel = CancelAllOrders::new(LINE);
                let converted = self.converted(&cancel);
                [classic.cancel_all_orders(&cancel).await.is_ok(), unified.cancel_all_orders(&converted).await.is_ok()]
            }
            Step::Modify { index, lots, offset } => {
                // An order that is filled in part or only closes is modified in the unified family only, and one with
                // presets there without placing it anew.
                let open = self.classic.classic().open_orders;
                let is_new = |name: &String| {
                    let order = open.iter().find(|order| order.client_id.as_ref() == Some(name));
                    order.is_some_and(|order| order.filled.is_zero() && !order.closes)
                };
                let name = self.open(*index).filter(is_new).filter(|name| !self.preset.contains(name))?;
                let (old, new) = (self.other(&name), self.name());
                let modify = |name: &str| {
                    ModifyOrder::new(SYMBOL, LINE, new.as_str(), OrderRef::ClientOid(name.into()))
                        .new_size(qty(*lots))
                        .new_price(price(*offset))
                };
                let converted = self.converted(&modify(&old));
                let done = [
                    classic.modify_order(&modify(&name)).await.is_ok(),
                    unified.modify_order(&converted).await.is_ok(),
                ];
                // The unified order keeps its name. The classic one is replaced a little later.
                self.names.insert(new, old);
                self.wait(Duration::from_secs(1));
                done
            }
            Step::Close(long) => {
                let mut close = FlashClosePosition::new(LINE).symbol(SYMBOL);
                if self.mode == PositionMode::HedgeMode {
                    close.hold_side = long.map(|long| if long { HoldSide::Long } else { HoldSide::Short });
                }
                let converted = self.converted(&close);
                let unified = other.observed().close_positions(&converted).await.is_ok();
                [classic.flash_close_position(&close).await.is_ok(), unified]
            }
            Step::Stop(stop) => {
                let stop = self.stop(stop);
                let converted = self.converted(&stop);
                [
                    client.observed().place_tpsl_order(&stop).await.is_ok(),
                    other.observed().place_strategy_order(&converted).await.is_ok(),
                ]
            }
            Step::Plan(ticket, at, by_mark) => {
                let plan = self.plan(ticket, *at, *by_mark);
                let converted = self.converted(&plan);
                [
                    client.observed().place_plan_order(&plan).await.is_ok(),
                    other.observed().place_strategy_order(&converted).await.is_ok(),
                ]
            }
            Step::AmendPlan { index, trigger } => {
                let waiting = classic_plans(&self.classic, observed::PlanType::NormalPlan).await;
                let name = waiting.keys().nth(index % waiting.len().max(1))?.clone();
                let amend = observed::ModifyPlanOrder::new(observed::ProductType::UsdtFutures)
                    .client_oid(name)
                    .new_trigger_price(price(trigger * 10));
                let converted = self.converted(&amend);
                [
                    client.observed().modify_plan_order(&amend).await.is_ok(),
                    other.observed().modify_strategy_order(&converted).await.is_ok(),
                ]
            }
            Step::Move(offset) => {
                for desk in [&self.classic, &self.unified] {
                    desk.exchange.set_price(SYMBOL, price(offset * 10)).unwrap();
                }
                [true; 2]
            }
            Step::Wait(millis) => {
                self.wait(Duration::from_millis(*millis));
                [true; 2]
            }
        })
    }

    /// Returns the books of both accounts.
    async fn books(&self) -> [Books; 2] {
        let name = |name: &str| self.other(name);
        let [classic, unified] = self.starts;
        let classic = (&self.classic, Family::Classic, classic);
        let unified = (&self.unified, Family::Unified, unified);
        let mut classic = Books::of(classic, classic_fills(&self.classic).await, name);
        let mut unified = Books::of(unified, unified_fills(&self.unified).await, str::to_owned);
        for kind in [observed::PlanType::NormalPlan, observed::PlanType::ProfitLoss] {
            classic.plans.extend(classic_plans(&self.classic, kind).await);
        }
        unified.plans = unified_plans(&self.unified).await;
        [classic, unified]
    }
}

fn kind_of_trigger(by_mark: bool) -> observed::TriggerType {
    if by_mark { observed::TriggerType::MarkPrice } else { observed::TriggerType::FillPrice }
}

/// Runs a program; returns the step after which the two accounts differ, with both books.
async fn difference(
    mode: PositionMode,
    steps: &[Step],
    spoil: fn(&mut unified::PlaceOrder),
    succeeded: &mut dyn FnMut(&'static str),
) -> Option<(usize, [bool; 2], [Books; 2])> {
    let mut desks = Desks::new(mode, spoil);
    for (index, step) in steps.iter().enumerate() {
        let Some(done) = desks.step(step).await else { continue };
        let [classic, unified] = desks.books().await;
        if classic != unified || done[0] != done[1] {
            return Some((index, done, [classic, unified]));
        }
        if done == [true; 2] {
            succeeded(step.kind());
        }
    }
    None
}

/// Runs a hundred random programs, and more until every kind of step has succeeded ten times.
fn run(mode: PositionMode) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let succeeded = RefCell::new(BTreeMap::<&str, usize>::new());
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() });
    let kinds = ["open", "close", "batch", "cancel", "cancel two", "cancel all", "modify", "close all", "stop", "plan"];
    for _ in 0..5 {
        let outcome = runner.run(&steps(), |steps| {
            let found = runtime.block_on(difference(mode, &steps, |_| {}, &mut |kind| {
                *succeeded.borrow_mut().entry(kind).or_default() += 1;
            }));
            let Some((index, done, [classic, unified])) = found else { return Ok(()) };
            let step = &steps[index];
            Err(TestCaseError::fail(format!(
                "after step {index} ({step:?}), done {done:?}\nclassic {classic:#?}\nunified {unified:#?}"
            )))
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
        let often = |kind| succeeded.borrow().get(kind).is_some_and(|count| *count >= 10);
        if kinds.into_iter().chain(["amend plan"]).all(often) {
            return;
        }
    }
    panic!("{succeeded:?}");
}

#[test]
fn programs_of_hedge_mode_do_the_same() {
    run(PositionMode::HedgeMode);
}

#[test]
fn programs_of_one_way_mode_do_the_same() {
    run(PositionMode::OneWayMode);
}

/// A conversion with the other position opens the other side, which the books show.
#[tokio::test]
async fn a_position_on_the_other_side_is_noticed() {
    let open = Ticket { buys: true, closes: false, lots: 30, offset: 0, force: 4, stp: 0, preset: None };
    let program = [Step::Place(open.clone()), Step::Place(Ticket { closes: true, lots: 10, ..open })];
    assert!(difference(PositionMode::HedgeMode, &program, |_| {}, &mut |_| {}).await.is_none());
    let flipped = |order: &mut unified::PlaceOrder| {
        order.pos_side = order.pos_side.take().map(|side| match side {
            unified::PosSide::Long => unified::PosSide::Short,
            _ => unified::PosSide::Long,
        });
    };
    assert!(difference(PositionMode::HedgeMode, &program, flipped, &mut |_| {}).await.is_some());
    let turned = |order: &mut unified::PlaceOrder| {
        order.side = if order.side == unified::Side::Buy { unified::Side::Sell } else { unified::Side::Buy };
    };
    for mode in [PositionMode::HedgeMode, PositionMode::OneWayMode] {
        assert!(difference(mode, &program, turned, &mut |_| {}).await.is_some(), "{mode:?}");
    }
}
