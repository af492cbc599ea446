//! Budgets: the worst worth of orders over every combination of parameters, computed a second time from the documents,
//! and random programs, whose trades in the books of the exchange stay within.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::observed::{self, GetTickers};
use tradeapi::runtime::budget::{Budget, BudgetBound, BudgetEffects, BudgetObstacle, OverBudget};
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::limits::{
    Admission, Call, InProcessLimits, LimitSettings, Limiter, RateLimitFeedback, Reservation,
};
use tradeapi::runtime::tables::{Meta, Outcome};
use tradeapi::runtime::{ClientCore, Operation};
use tradeapi::unified::{self, Category};
use tradeapi::{Account, Client, Error, PositionMode, classic, dec};
use tradeapi_exchange::{Event, Exchange, Family, Fault, FaultKind, FaultTarget, Profile, Seed, Settings, Time};

use crate::random::{Chance, batch_item, drive, unified_order};

const COINS: [&str; 3] = ["USDT", "USDC", "USD"];

/// The price of the orders, the last price, and the last price with the slippage.
const PRICE: &str = "60000";
const LAST: &str = "64000";
const MARKET: &str = "64640.00";

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Returns a client that knows the last price of each line.
fn valued(mode: Option<PositionMode>) -> Client {
    let exchange = Exchange::with(Settings::default(), Time::by_hand(), Profile::new().both());
    let account = mode.map_or_else(Account::new, |mode| Account::new().position_mode(mode));
    let budget = Budget::new(COINS).order(dec!(1000000000));
    let client = exchange.client_of(exchange.keys()).account(account).budget(budget).build().unwrap();
    for line in ["SPOT", "MARGIN", "USDT-FUTURES", "COIN-FUTURES", "USDC-FUTURES"] {
        for (family, symbol) in [("unified", "BTCUSDT"), ("classic", "BTCUSDT")] {
            client.set_last_price((family, line), symbol, LAST.parse().unwrap());
        }
    }
    client
}

fn worth(client: &Client, meta: &'static Meta, request: &str) -> Decimal {
    let core: &ClientCore = client.as_ref();
    let worth = core.worth_of(meta, request).unwrap_or_else(|error| panic!("{request}: {error}")).unwrap();
    worth.to_rust_decimal().unwrap()
}

fn members(pairs: &[(&str, Option<&str>)]) -> String {
    let given = pairs.iter().filter_map(|(name, value)| Some(format!("\"{name}\": \"{}\"", (*value)?)));
    format!("{{{}}}", given.collect::<Vec<_>>().join(", "))
}

/// The arithmetic of unified-v3 about an order (Place Order, `qty`, `price`, `pxAmendType` and rule 3).
#[derive(Clone, Copy)]
struct Unified {
    category: &'static str,
    buys: bool,
    is_market: bool,
    may_move: bool,
    reduce_only: bool,
    pos_side: Option<&'static str>,
    mode: Option<PositionMode>,
}

impl Unified {
    fn expected(self, qty: Decimal) -> Decimal {
        let is_future = self.category.ends_with("FUTURES");
        let closes_its_side = matches!((self.buys, self.pos_side), (false, Some("long")) | (true, Some("short")));
        let only_reduces = match (&self.mode, self.pos_side) {
            (Some(PositionMode::HedgeMode), Some(_)) if closes_its_side => true,
            (_, None) => self.reduce_only,
            (_, Some(_)) => self.reduce_only && closes_its_side,
        };
        if is_future && only_reduces {
            return Decimal::ZERO;
        }
        let is_spot = matches!(self.category, "SPOT" | "MARGIN");
        if self.category == "COIN-FUTURES" || is_spot && self.buys && self.is_market {
            return qty;
        }
        let worst = match (self.is_market, self.buys && !self.may_move) {
            (false, true) => number(PRICE),
            (false, false) => number(PRICE).max(number(MARKET)),
            (true, _) => number(MARKET),
        };
        qty * worst
    }

    fn request(self, qty: &str) -> String {
        members(&[
            ("category", Some(self.category)),
            ("symbol", Some("BTCUSDT")),
            ("qty", Some(qty)),
            ("side", Some(if self.buys { "buy" } else { "sell" })),
            ("orderType", Some(if self.is_market { "market" } else { "limit" })),
            ("price", (!self.is_market).then_some(PRICE)),
            ("pxAmendType", self.may_move.then_some("yes")),
            ("reduceOnly", self.reduce_only.then_some("yes")),
            ("posSide", self.pos_side),
        ])
    }
}

const MODES: [Option<PositionMode>; 3] = [None, Some(PositionMode::OneWayMode), Some(PositionMode::HedgeMode)];

#[test]
fn the_worth_of_unified_orders_is_that_of_the_documents() {
    let mut count = 0;
    for mode in MODES {
        let client = valued(mode);
        for category in ["SPOT", "MARGIN", "USDT-FUTURES", "COIN-FUTURES", "USDC-FUTURES"] {
            for bits in 0..16_u32 {
                for pos_side in [None, Some("long"), Some("short")] {
                    let [buys, is_market, may_move, reduce_only] = [0, 1, 2, 3].map(|bit| bits >> bit & 1 == 1);
                    // A market order has no price that could move.
                    let may_move = may_move && !is_market;
                    let order = Unified { category, buys, is_market, may_move, reduce_only, pos_side, mode };
                    let order = &order;
                    for qty in ["0.013", "250"] {
                        let request = order.request(qty);
                        let expected = order.expected(number(qty));
                        assert_eq!(worth(&client, unified::PlaceOrder::META, &request), expected, "{request}");
                        if !reduce_only {
                            let batch = format!("[{request}, {request}]");
                            let expected = expected * Decimal::TWO;
                            assert_eq!(worth(&client, unified::BatchOrder::META, &batch), expected, "{batch}");
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    assert_eq!(count, 3 * 5 * 16 * 3 * 2);
}

#[test]
fn the_worth_of_reality_orders_is_that_of_the_documents() {
    let client = valued(None);
    client.set_last_price(("unified", "SPOT"), "rTSLAUSDT", LAST.parse().unwrap());
    for (side, kind, expected) in [
        ("buy", "market", number("3")),
        ("sell", "market", number("3") * number(MARKET)),
        ("buy", "limit", number("3") * number(PRICE)),
        ("sell", "limit", number("3") * number(MARKET)),
    ] {
        let price = (kind == "limit").then_some(PRICE);
        let order =
            [("symbol", Some("rTSLAUSDT")), ("side", Some(side)), ("orderType", Some(kind)), ("qty", Some("3"))];
        let request = members(&[&order[..], &[("price", price)]].concat());
        assert_eq!(worth(&client, unified::PlaceRealityOrder::META, &request), expected, "{request}");
    }
}

/// The arithmetic of classic-futures-v2 about an order (Place Order, `size`, `tradeSide`, `reduceOnly` and rule 1): sizes
/// are in base coin, and in hedge mode a buy that closes sells.
#[test]
fn the_worth_of_classic_orders_is_that_of_the_documents() {
    for mode in MODES {
        let client = valued(mode);
        for line in ["USDT-FUTURES", "COIN-FUTURES", "USDC-FUTURES"] {
            for bits in 0..8_u32 {
                for trade_side in [None, Some("open"), Some("close")] {
                    let [buys, is_market, reduce_only] = [0, 1, 2].map(|bit| bits >> bit & 1 == 1);
                    let order = [
                        ("size", Some("0.013")),
                        ("side", Some(if buys { "buy" } else { "sell" })),
                        ("orderType", Some(if is_market { "market" } else { "limit" })),
                        ("price", (!is_market).then_some(PRICE)),
                        ("tradeSide", trade_side),
                        ("reduceOnly", reduce_only.then_some("YES")),
                    ];
                    let around = [
                        ("symbol", Some("BTCUSDT")),
                        ("productType", Some(line)),
                        ("marginMode", Some("crossed")),
                        ("marginCoin", Some("USDT")),
                    ];
                    let only_reduces = match &mode {
                        Some(PositionMode::OneWayMode) => reduce_only,
                        Some(PositionMode::HedgeMode) if trade_side == Some("close") => true,
                        _ => reduce_only && trade_side != Some("open"),
                    };
                    let may_sell = !buys || trade_side == Some("close");
                    let worst = if is_market || may_sell { MARKET } else { PRICE };
                    let expected = if only_reduces { Decimal::ZERO } else { number("0.013") * number(worst) };
                    let request = members(&[&around[..], &order[..]].concat());
                    assert_eq!(worth(&client, classic::PlaceOrder::META, &request), expected, "{mode:?} {request}");
                    let list = members(&order);
                    let around = members(&around);
                    let batch = format!("{}, \"orderList\": [{list}, {list}]}}", around.strip_suffix('}').unwrap());
                    let expected = expected * Decimal::TWO;
                    assert_eq!(worth(&client, classic::BatchOrder::META, &batch), expected, "{mode:?} {batch}");
                }
            }
        }
        let around = [("symbol", Some("BTCUSDT")), ("productType", Some("USDT-FUTURES")), ("marginCoin", Some("USDT"))];
        let reversal = [("side", Some("buy")), ("size", Some("2")), ("tradeSide", Some("open"))];
        let request = members(&[&around[..], &reversal[..]].concat());
        assert_eq!(worth(&client, classic::Reversal::META, &request), number("2") * number(MARKET), "{request}");
        let unsized_one = members(&[&around[..], &reversal[..1]].concat());
        let core: &ClientCore = client.as_ref();
        assert!(core.worth_of(classic::Reversal::META, &unsized_one).is_err());
    }
}

/// A client with a budget in virtual time, and what the books say of its orders.
struct Trader {
    exchange: Exchange,
    client: Client,
    chance: Chance,
    count: u32,
    /// The value of the fills of each order.
    traded: BTreeMap<u64, Decimal>,
}

impl Trader {
    fn new(seed: u64, budget: Budget) -> Self {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits) = (Seed(seed), false);
        let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().both());
        let client = exchange.client_of(exchange.keys()).checks(false).budget(budget).build().unwrap();
        Self { exchange, client, chance: Chance(seed), count: 0, traded: BTreeMap::new() }
    }

    fn run<F: Future>(&self, future: F) -> F::Output {
        drive(&self.exchange, future)
    }

    fn id(&mut self) -> String {
        self.count += 1;
        format!("order-{}", self.count)
    }

    /// Reads the last prices, which the budget learns.
    fn look(&self) {
        for category in [observed::Category::UsdtFutures, observed::Category::Spot] {
            let _ = self.run(self.client.observed().get_tickers(&GetTickers::new(category)));
        }
    }

    fn order(&mut self) -> unified::PlaceOrder {
        let (id, buys) = (self.id(), self.chance.is(50));
        let category = if self.chance.is(60) { Category::UsdtFutures } else { Category::Spot };
        let away = i64::try_from(self.chance.below(600)).unwrap() - 300;
        let order = unified_order(&id, &category, buys, &self.chance.thousandths(40).into(), &(64_000 + away).into());
        match self.chance.below(5) {
            0 if category == Category::Spot && buys => {
                let mut order = at_market(order);
                order.qty = i64::try_from(self.chance.below(3000)).unwrap().into();
                order
            }
            0 | 1 => at_market(order),
            2 if category == Category::UsdtFutures => order.reduce_only(true),
            _ => order,
        }
    }

    fn act(&mut self) {
        match self.chance.below(12) {
            0..=5 => {
                let order = self.order();
                if self.chance.is(30) {
                    let kind = match self.chance.below(4) {
                        0 => FaultKind::Drop,
                        1 => FaultKind::Lose,
                        2 => FaultKind::Hide("40725".into()),
                        _ => FaultKind::Refuse("40762".into()),
                    };
                    self.exchange.add_fault(Fault::new(kind).target(FaultTarget::Changes).times(1));
                }
                let _ = self.run(self.client.unified().place_order(&order));
                self.exchange.clear_faults();
            }
            6 => {
                let (first, second) = (self.id(), self.id());
                let lots = self.chance.thousandths(20).into();
                let items = vec![
                    batch_item(&first, &Category::UsdtFutures, true, &lots, &63_990.into()),
                    batch_item(&second, &Category::UsdtFutures, false, &lots, &64_010.into()),
                ];
                let _ = self.run(self.client.call(&unified::BatchOrder::new(items)));
            }
            7..=8 => {
                let open = self.exchange.account(self.exchange.keys(), Family::Unified).open_orders;
                if let Some(order) = self.chance.one_of(open) {
                    let by = unified::OrderRef::OrderId(order.id.as_str().into());
                    let price = tradeapi::Decimal::from(63_800 + i64::try_from(self.chance.below(400)).unwrap());
                    let qty: tradeapi::Decimal = self.chance.thousandths(60).into();
                    let amend = unified::ModifyOrder::new(by);
                    let amend = match self.chance.below(3) {
                        0 => amend.price(price),
                        1 => amend.qty(qty),
                        _ => amend.qty(qty).price(price),
                    };
                    let _ = self.run(self.client.unified().modify_order(&amend));
                }
            }
            9 => {
                // Within the slippage between two looks.
                let price = 63_800 + i64::try_from(self.chance.below(400)).unwrap();
                self.exchange.set_price("BTCUSDT", tradeapi::Decimal::from(price)).unwrap();
            }
            10 => self.exchange.time().advance(Duration::from_millis(self.chance.below(4_000))),
            _ => self.look(),
        }
        self.count_fills();
    }

    fn count_fills(&mut self) {
        for event in self.exchange.take_events() {
            if let Event::Filled { order, price, qty } = event {
                let is_counted = self.exchange.order(order).is_some_and(|order| !order.closes);
                *self.traded.entry(order).or_default() += if is_counted { price * qty } else { Decimal::ZERO };
            }
        }
    }
}

fn at_market(mut order: unified::PlaceOrder) -> unified::PlaceOrder {
    order.execution = unified::Execution::Market;
    order
}

/// Runs a random program, and returns what its orders traded: each, and all together.
fn traded_by(seed: u64, budget: Budget) -> (Decimal, Decimal) {
    let mut trader = Trader::new(seed, budget);
    trader.look();
    for _ in 0..40 {
        trader.act();
    }
    let largest = trader.traded.values().max().copied().unwrap_or_default();
    (largest, trader.traded.values().sum())
}

/// Returns the number of programs; `TRADEAPI_BUDGET_PROGRAMS=1000000` runs a million.
fn programs() -> u64 {
    std::env::var("TRADEAPI_BUDGET_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(150)
}

/// A program lasts less than an hour, so that each bound is one on all of its orders.
#[test]
fn no_random_program_trades_beyond_its_budget() {
    let (order, all) = (dec!(2000), dec!(5000));
    let mut spent = Decimal::ZERO;
    for seed in 0..programs() {
        let budget = Budget::new(["USDT"]).order(order.clone());
        let budget = match seed % 3 {
            0 => budget.hour(all.clone()),
            1 => budget.day(all.clone()),
            _ => budget.open(all.clone()),
        };
        let (largest, sum) = traded_by(seed, budget);
        assert!(largest <= order && sum <= all, "seed {seed}: {largest} by an order, {sum} by all");
        spent = spent.max(sum);
    }
    // The bounds are reached, so that they, and not the programs, are what keeps within.
    assert!(spent > Decimal::from(4000), "{spent}");
}

/// Without the budget, the same programs trade more than it allows.
#[test]
fn the_programs_would_trade_beyond_the_budget() {
    let beyond = (0..20).filter(|seed| {
        let (largest, sum) = traded_by(*seed, Budget::new(["USDT"]).order(dec!(1000000)));
        largest > Decimal::from(2000) && sum > Decimal::from(5000)
    });
    assert!(beyond.count() > 10);
}

fn over(result: Result<impl Sized, Error>) -> OverBudget {
    match result.err() {
        Some(Error::OverBudget(over)) => *over,
        other => panic!("{other:?}"),
    }
}

fn limit(id: &str, qty: &str) -> unified::PlaceOrder {
    unified_order(id, &Category::UsdtFutures, true, &qty.parse().unwrap(), &60_000.into())
}

#[test]
fn a_refusal_says_which_bound_how_much_is_left_and_what_the_order_is_worth() {
    let trader = Trader::new(1, Budget::new(["USDT"]).order(dec!(1000)).hour(dec!(1500)).orders_a_minute(2));
    let place = |id: &str, qty: &str| trader.run(trader.client.unified().place_order(&limit(id, qty)));
    place("a", "0.015").unwrap();
    let refused = over(place("b", "0.02"));
    assert_eq!(refused.worth, Some(dec!(1200)));
    let bound = |obstacle: &BudgetObstacle| match obstacle {
        BudgetObstacle::Bound { bound, most, left } => (*bound, most.clone(), left.clone()),
        other => panic!("{other}"),
    };
    let bounds: Vec<_> = refused.obstacles.iter().map(bound).collect();
    assert_eq!(bounds, [(BudgetBound::Order, dec!(1000), dec!(1000)), (BudgetBound::Hour, dec!(1500), dec!(600)),]);
    place("c", "0.005").unwrap();
    assert_eq!(over(place("d", "0.001")).obstacles, [BudgetObstacle::Orders { most: 2, left: 0 }]);
    assert_eq!(trader.exchange.account(trader.exchange.keys(), Family::Unified).open_orders.len(), 2);

    trader.exchange.time().advance(Duration::from_secs(61));
    let left = trader.client.budget_left().unwrap().unwrap();
    assert_eq!((left.hour, left.orders), (Some(dec!(300)), Some(2)));
    trader.exchange.time().advance(Duration::from_secs(3600));
    assert_eq!(trader.client.budget_left().unwrap().unwrap().hour, Some(dec!(1500)));
}

#[test]
fn what_cannot_be_valued_is_refused_before_it_is_sent() {
    let trader = Trader::new(2, Budget::new(["USDT"]).order(dec!(1000)));
    let market = at_market(limit("a", "0.001"));
    let no_price = over(trader.run(trader.client.unified().place_order(&market)));
    assert!(matches!(&no_price.obstacles[..], [BudgetObstacle::NoPrice { .. }]), "{no_price}");
    trader.look();
    trader.run(trader.client.unified().place_order(&market)).unwrap();
    trader.exchange.time().advance(Duration::from_secs(61));
    assert!(matches!(
        &over(trader.run(trader.client.unified().place_order(&market))).obstacles[..],
        [BudgetObstacle::NoPrice { .. }]
    ));

    let mut coin = limit("b", "1");
    (coin.category, coin.symbol) = (Category::CoinFutures, "BTCUSD".into());
    let coin = over(trader.run(trader.client.unified().place_order(&coin)));
    assert!(matches!(&coin.obstacles[..], [BudgetObstacle::Coin { .. }]), "{coin}");
    let amend = unified::ModifyOrder::new(unified::OrderRef::OrderId("7".into())).qty(dec!(1));
    let amend = over(trader.run(trader.client.unified().modify_order(&amend)));
    assert!(matches!(&amend.obstacles[..], [BudgetObstacle::Unvalued { .. }]), "{amend}");
}

#[test]
fn unknown_orders_count_and_those_without_an_effect_do_not() {
    let trader = Trader::new(3, Budget::new(["USDT"]).order(dec!(1000)).hour(dec!(1000)));
    let left = || trader.client.budget_left().unwrap().unwrap().hour.unwrap();
    for (kind, expected) in [(FaultKind::Refuse("40762".into()), 1000), (FaultKind::Lose, 400)] {
        trader.exchange.add_fault(Fault::new(kind).target(FaultTarget::Changes).times(1));
        let _ = trader.run(trader.client.unified().place_order(&limit("a", "0.01")));
        trader.exchange.clear_faults();
        assert_eq!(left(), tradeapi::Decimal::from(expected));
    }
}

#[test]
fn an_amendment_counts_what_it_adds() {
    let trader = Trader::new(4, Budget::new(["USDT"]).order(dec!(1000)).hour(dec!(1000)));
    let left = || trader.client.budget_left().unwrap().unwrap().hour.unwrap();
    trader.run(trader.client.unified().place_order(&limit("a", "0.01"))).unwrap();
    assert_eq!(left(), dec!(400));
    let amend = |qty: &str| {
        let by = unified::OrderRef::ClientOid("a".parse().unwrap());
        trader.run(
            trader
                .client
                .unified()
                .modify_order(&unified::ModifyOrder::new(by).qty(qty.parse::<tradeapi::Decimal>().unwrap())),
        )
    };
    amend("0.012").unwrap();
    assert_eq!(left(), dec!(280));
    amend("0.005").unwrap();
    assert_eq!(left(), dec!(280));
    assert_eq!(over(amend("0.02")).worth, Some(dec!(480)));
}

#[test]
fn what_only_reduces_is_never_kept_from_being_sent() {
    let budget = Budget::new(["USDT"]).order(dec!(1000)).open(dec!(700));
    let trader = Trader::new(5, budget);
    trader.look();
    let market = |id: &str, buys: bool| {
        let order = unified_order(id, &Category::UsdtFutures, buys, &dec!(0.01), &64_000.into());
        at_market(order)
    };
    trader.run(trader.client.unified().place_order(&market("a", true))).unwrap();
    let refused = over(trader.run(trader.client.unified().place_order(&market("b", false))));
    assert!(matches!(&refused.obstacles[..], [BudgetObstacle::Bound { bound: BudgetBound::Open, .. }]), "{refused}");
    trader.run(trader.client.unified().place_order(&market("c", false).reduce_only(true))).unwrap();
    assert!(trader.exchange.account(trader.exchange.keys(), Family::Unified).positions.is_empty());
    trader.client.set_flat().unwrap();
    assert_eq!(trader.client.budget_left().unwrap().unwrap().open, Some(dec!(700)));
}

/// The exchange never had the order, which queries prove; another one is placed, and goes on counting.
#[test]
fn an_order_that_queries_prove_not_placed_no_longer_counts() {
    let trader = Trader::new(9, Budget::new(["USDT"]).order(dec!(1000)).day(dec!(1000)).open(dec!(1000)));
    let left = || {
        let left = trader.client.budget_left().unwrap().unwrap();
        [left.day, left.open].map(|left| left.unwrap())
    };
    let place = |id: &str, kind: FaultKind| {
        trader.exchange.add_fault(Fault::new(kind).target(FaultTarget::Changes).times(1));
        trader.run(trader.client.place_and_confirm(&limit(id, "0.01"), &ConfirmPolicy::new())).outcome()
    };
    assert_eq!((place("a", FaultKind::Drop), left()), (Outcome::NotDone, [dec!(1000), dec!(1000)]));
    assert_eq!((place("b", FaultKind::Lose), left()), (Outcome::Done, [dec!(400), dec!(400)]));
}

#[test]
fn a_budget_of_reductions_sends_no_order() {
    let trader = Trader::new(6, Budget::new(["USDT"]).order(dec!(1000)).effects(BudgetEffects::Reduce));
    let refused = over(trader.run(trader.client.unified().place_order(&limit("a", "0.001"))));
    assert_eq!(refused.obstacles, [BudgetObstacle::Effect { allowed: BudgetEffects::Reduce }]);
    let cancel = unified::CancelOrder::new(unified::OrderRef::ClientOid("a".parse().unwrap()));
    let answer = trader.run(trader.client.unified().cancel_order(&cancel));
    assert!(!matches!(answer, Err(Error::OverBudget(_))));
}

/// Two clients, as of two processes, and a third one after both: the file has what they spent.
#[test]
fn clients_on_one_file_spend_one_budget() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("desk.spent");
    let budget = || Budget::new(["USDT"]).order(dec!(1000)).day(dec!(1500)).kept_in(&file).unwrap();
    let [one, other] = [Trader::new(7, budget()), Trader::new(7, budget())];
    one.run(one.client.unified().place_order(&limit("a", "0.015"))).unwrap();
    other.run(other.client.unified().place_order(&limit("b", "0.005"))).unwrap();
    let refused = over(one.run(one.client.unified().place_order(&limit("c", "0.01"))));
    assert!(matches!(&refused.obstacles[..], [BudgetObstacle::Bound { left, .. }] if *left == dec!(300)), "{refused}");
    drop((one, other));

    // A line that was being written when its process was killed was not followed by a request.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}{{\"sent\":9,\"at\"")).unwrap();
    let third = Trader::new(7, budget());
    assert_eq!(third.client.budget_left().unwrap().unwrap().day, Some(dec!(300)));
    // An amendment knows the orders of an earlier run.
    let amend = unified::ModifyOrder::new(unified::OrderRef::ClientOid("a".parse().unwrap())).qty(dec!(0.03));
    assert_eq!(over(third.run(third.client.unified().modify_order(&amend))).worth, Some(dec!(900)));
    std::fs::write(&file, "spent\n").unwrap();
    let damaged = Budget::new(["USDT"]).kept_in(&file).unwrap_err();
    assert!(damaged.to_string().ends_with("it has a line that is not an event: spent"), "{damaged}");
}

/// A limiter of a fleet.
struct Fleet(InProcessLimits);

impl Limiter for Fleet {
    fn admit<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a> {
        self.0.admit(call, wait)
    }

    fn sent(&self, reservation: &mut Reservation) {
        self.0.sent(reservation);
    }

    fn answered(&self, reservation: Reservation, feedback: RateLimitFeedback) {
        self.0.answered(reservation, feedback);
    }

    fn give_back(&self, reservation: Reservation) {
        self.0.give_back(reservation);
    }

    fn is_shared(&self) -> bool {
        true
    }
}

#[test]
fn a_fleet_shares_a_budget_by_its_file_or_has_none() {
    let exchange = Exchange::new(Seed(8));
    let build = |budget: Budget| {
        let limiter = Arc::new(Fleet(InProcessLimits::new(LimitSettings::default())));
        exchange.client_of(exchange.keys()).limiter(limiter).budget(budget).build()
    };
    let refused = build(Budget::new(["USDT"]).order(dec!(1))).unwrap_err();
    assert!(refused.to_string().contains("keep it in a file with `Budget::kept_in`"), "{refused}");
    let folder = tempfile::tempdir().unwrap();
    build(Budget::new(["USDT"]).order(dec!(1)).kept_in(folder.path().join("spent")).unwrap()).unwrap();
}
