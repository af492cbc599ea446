//! The books of an account after a step of a program, in words that mean the same in both families.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use tradeapi::classic::GetOrderFillDetails;
use tradeapi::{observed, unified};
use tradeapi_exchange::{Family, OrderView, State};

use super::LINE;
use crate::fixture::Fixture;

/// The state of an account, in words that mean the same in both families.
#[derive(Debug, PartialEq)]
pub(super) struct Books {
    /// The position of each kind: its side and its quantity.
    positions: BTreeMap<String, (String, Decimal)>,
    /// The open orders by their names.
    orders: BTreeMap<String, Waiting>,
    /// The conditional orders that wait.
    pub(super) plans: Plans,
    /// Price, quantity and fee of each fill, the oldest first.
    fills: Vec<[Decimal; 3]>,
    /// The balance less that of the beginning.
    gained: Decimal,
}

/// An open order.
#[derive(Debug, PartialEq)]
pub(super) struct Waiting {
    /// The side in the book.
    side: String,
    price: Option<Decimal>,
    qty: Decimal,
    filled: Decimal,
    state: State,
    closes: bool,
}

impl Waiting {
    fn of(order: &OrderView) -> Self {
        Self {
            side: order.side.to_string(),
            price: order.price.map(|price| price.normalize()),
            qty: order.qty.normalize(),
            filled: order.filled.normalize(),
            state: order.state,
            closes: order.closes,
        }
    }
}

/// Returns the balance in USDT.
pub(super) fn balance(fixture: &Fixture, family: Family) -> Decimal {
    let balances = fixture.exchange.account(&fixture.keys, family).balances;
    balances.get("USDT").map(|balance| balance.total).unwrap_or_default()
}

impl Books {
    /// Returns the books of an account that began with a balance of `start`.
    pub(super) fn of(
        (fixture, family, start): (&Fixture, Family, Decimal),
        fills: Vec<[Decimal; 3]>,
        name: impl Fn(&str) -> String,
    ) -> Self {
        let view = fixture.exchange.account(&fixture.keys, family);
        let positions = view.positions.iter();
        let positions = positions.map(|one| (one.pos.to_string(), (one.side.to_string(), one.qty.normalize())));
        let orders = view.open_orders.iter();
        // An order that a conditional one placed has no name.
        let nameless = |one: &OrderView| format!("{:?}", Waiting::of(one));
        let orders =
            orders.map(|one| (one.client_id.as_deref().map_or_else(|| nameless(one), &name), Waiting::of(one)));
        let gained = (balance(fixture, family) - start).normalize();
        Self { positions: positions.collect(), orders: orders.collect(), plans: Plans::new(), fills, gained }
    }
}

/// The conditional orders that wait, by their names.
pub(super) type Plans = BTreeMap<String, Plan>;

/// A conditional order.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    trigger: Decimal,
    by_mark: bool,
    limit: Option<Decimal>,
    /// The quantity, unless it closes a whole position.
    qty: Option<Decimal>,
}

pub(super) async fn classic_plans(fixture: &Fixture, kind: observed::PlanType) -> Plans {
    let request = observed::GetPlanOrders::new(kind, observed::ProductType::UsdtFutures);
    let all = fixture.client.observed().get_plan_orders(&request).await.unwrap().data.entrusted_list;
    let plan = |one: &observed::PlanOrder| {
        let plan = Plan {
            trigger: exact(one.trigger_price.as_ref()),
            by_mark: one.trigger_type == Some(observed::TriggerType::MarkPrice),
            limit: one.price.as_ref().map(|price| exact(Some(price))),
            qty: one.size.as_ref().map(|qty| exact(Some(qty))),
        };
        (one.client_oid.clone().unwrap_or_default(), plan)
    };
    all.iter().map(plan).collect()
}

pub(super) async fn unified_plans(fixture: &Fixture) -> Plans {
    let request = observed::GetStrategyOrders::new(observed::Category::UsdtFutures);
    let all = fixture.client.observed().get_strategy_orders(&request).await.unwrap().data;
    let plan = |one: &observed::StrategyOrder| {
        let legs = [
            (&one.take_profit, &one.tp_trigger_by, &one.tp_limit_price),
            (&one.stop_loss, &one.sl_trigger_by, &one.sl_limit_price),
            (&one.trigger_price, &one.trigger_by, &one.trigger_order_price),
        ];
        let (trigger, by, limit) = legs.into_iter().find(|(price, ..)| price.is_some()).unwrap();
        let plan = Plan {
            trigger: exact(trigger.as_ref()),
            by_mark: *by == Some(observed::TriggerBy::Mark),
            limit: limit.as_ref().map(|price| exact(Some(price))),
            qty: one.qty.as_ref().map(|qty| exact(Some(qty))).filter(|qty| !qty.is_zero()),
        };
        (one.client_oid.clone().unwrap_or_default(), plan)
    };
    all.iter().map(plan).collect()
}

fn exact(number: Option<&tradeapi::Decimal>) -> Decimal {
    number.unwrap().to_rust_decimal().unwrap().normalize()
}

pub(super) async fn classic_fills(fixture: &Fixture) -> Vec<[Decimal; 3]> {
    let request = GetOrderFillDetails::new(LINE);
    let all = fixture.client.classic().get_order_fill_details(&request).await.unwrap().data.fill_list;
    let fill = |one: &tradeapi::classic::Fill| {
        let fee = exact(one.fee_detail[0].total_fee.as_ref()).abs();
        [exact(one.price.as_ref()), exact(one.base_volume.as_ref()), fee]
    };
    all.iter().rev().map(fill).collect()
}

pub(super) async fn unified_fills(fixture: &Fixture) -> Vec<[Decimal; 3]> {
    let request = unified::GetFillHistory::new().category(unified::Category::UsdtFutures);
    let all = fixture.client.unified().get_fill_history(&request).await.unwrap().data.list;
    let fill = |one: &unified::Fill| {
        let fee = exact(one.fee_detail[0].fee.as_ref()).abs();
        [exact(one.exec_price.as_ref()), exact(one.exec_qty.as_ref()), fee]
    };
    all.iter().rev().map(fill).collect()
}
