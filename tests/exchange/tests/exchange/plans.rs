//! Conditional orders: they wait for a price, place their order, and end with the position that they close.

use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::observed::{
    self, CancelPlanOrder, GetPastPlanOrders, GetPlanOrders, GetStrategyOrders, HoldSide, MarginMode, OrderType,
    PlacePlanOrder, PlacePositionTpsl, PlaceStrategyOrder, PlaceTpslOrder, PlanStatus, PlanType, PositionSide,
    ProductType, StrategyStatus, StrategyType, TpslMode, TriggerType,
};
use tradeapi::unified::Side;
use tradeapi::{Decimal, classic};
use tradeapi_exchange::Profile;

use crate::fixture::{Fixture, code, market, number};
use crate::raw::{get, post};

const USDT: ProductType = ProductType::UsdtFutures;

fn stop(kind: PlanType, price: &str, side: HoldSide) -> PlaceTpslOrder {
    PlaceTpslOrder::new("BTCUSDT", USDT, "USDT", kind, number(price), side)
}

fn plan(side: observed::OrderSide, size: &str, price: &str, kind: OrderType) -> PlacePlanOrder {
    let (size, price) = (number(size), number(price));
    PlacePlanOrder::new(PlanType::NormalPlan, "BTCUSDT", USDT, "USDT", MarginMode::Crossed, size, price, side, kind)
}

async fn waiting(fixture: &Fixture, kind: PlanType) -> Vec<observed::PlanOrder> {
    let of = GetPlanOrders::new(kind, USDT);
    fixture.client.observed().get_plan_orders(&of).await.unwrap().data.entrusted_list.items
}

async fn past(fixture: &Fixture, kind: PlanType) -> Vec<observed::PlanOrder> {
    let of = GetPastPlanOrders::new(kind, USDT);
    fixture.client.observed().get_past_plan_orders(&of).await.unwrap().data.entrusted_list.items
}

fn set_price(fixture: &Fixture, price: i64) {
    fixture.exchange.set_price("BTCUSDT", price).unwrap();
}

/// A plan order has a side of its own, so that of a position says nothing.
#[tokio::test]
async fn in_one_way_mode_a_stop_loss_of_the_other_side_is_refused() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
    let order = || PlaceStrategyOrder::new(observed::Category::UsdtFutures, "BTCUSDT");
    let stop = |side| order().stop_loss(number("63000")).pos_side(side);
    let wrong = client.place_strategy_order(&stop(PositionSide::Short)).await;
    assert_eq!(code(wrong).as_deref(), Some("25227"), "there is no short position");
    client.place_strategy_order(&stop(PositionSide::Long)).await.unwrap();
    for side in [PositionSide::Long, PositionSide::Short] {
        let plan = order().strategy_type(StrategyType::Trigger).side(observed::OrderSide::Sell).qty(number("0.150"));
        let plan = plan.trigger_price(number("63500")).pos_side(side);
        client.place_strategy_order(&plan).await.unwrap();
    }
    set_price(&fixture, 63_500);
    let position = &fixture.unified().positions[0];
    assert_eq!((position.side.to_string(), position.qty.normalize().to_string()), ("sell".into(), "0.2".into()));
}

#[tokio::test]
async fn a_stop_loss_closes_the_position_and_ends_the_take_profit() {
    for (hold, side) in [(HoldSide::Buy, classic::Side::Buy), (HoldSide::Sell, classic::Side::Sell)] {
        let fixture = Fixture::one_way();
        let client = fixture.client.observed();
        let is_long = hold == HoldSide::Buy;
        let [below, above] = ["63000", "65000"];
        let (loss, profit) = if is_long { (below, above) } else { (above, below) };
        let early = client.place_tpsl_order(&stop(PlanType::PosLoss, loss, hold.clone())).await;
        assert_eq!(code(early).as_deref(), Some("22002"), "there is no position");
        fixture.open(side.clone(), "0.100").await;
        let wrong = client.place_tpsl_order(&stop(PlanType::PosLoss, profit, hold.clone())).await;
        assert!(code(wrong).is_some(), "the price has reached it already");
        let stop_loss = stop(PlanType::PosLoss, loss, hold.clone()).client_oid("stop");
        let id = client.place_tpsl_order(&stop_loss).await.unwrap().data.order_id.unwrap();
        client.place_tpsl_order(&stop(PlanType::PosProfit, profit, hold.clone())).await.unwrap();
        assert_eq!(waiting(&fixture, PlanType::ProfitLoss).await.len(), 2);
        // It closes whatever the position is by then.
        fixture.open(side, "0.050").await;
        set_price(&fixture, if is_long { 63_010 } else { 64_990 });
        assert_eq!(fixture.classic().positions.len(), 1);
        set_price(&fixture, if is_long { 63_000 } else { 65_000 });
        assert!(fixture.classic().positions.is_empty());
        assert!(waiting(&fixture, PlanType::ProfitLoss).await.is_empty());
        let ended = past(&fixture, PlanType::ProfitLoss).await;
        let states: Vec<_> = ended.iter().map(|plan| plan.status.clone().unwrap()).collect();
        assert_eq!(states, [PlanStatus::Cancelled, PlanStatus::Executed]);
        assert_eq!((ended[1].order_id.clone(), ended[1].client_oid.as_deref()), (Some(id), Some("stop")));
        assert_eq!(ended[1].base_volume, Some(number("0.15")));
        let placed = ended[1].placed_order_id.as_ref().unwrap().as_str();
        let of = classic::OrderRef::OrderId(placed.into());
        let detail = classic::GetOrderDetail::new("BTCUSDT", classic::ProductType::UsdtFutures, of);
        let detail = fixture.client.classic().get_order_detail(&detail).await.unwrap().data;
        assert_eq!(detail.state, Some(classic::OrderState::Filled));
    }
}

#[tokio::test]
async fn a_stop_loss_of_one_side_leaves_the_other() {
    let fixture = Fixture::hedged();
    let client = fixture.client.observed();
    fixture.open(classic::Side::Buy, "0.100").await;
    fixture.open(classic::Side::Sell, "0.100").await;
    let part = stop(PlanType::LossPlan, "63000", HoldSide::Long).size(number("0.04"));
    client.place_tpsl_order(&part).await.unwrap();
    // The mark price triggers the other one.
    let by_mark = stop(PlanType::PosLoss, "65000", HoldSide::Short).trigger_type(TriggerType::MarkPrice);
    client.place_tpsl_order(&by_mark).await.unwrap();
    set_price(&fixture, 62_990);
    let sizes = fixture.sizes();
    assert_eq!((sizes["long buy"].as_str(), sizes["short sell"].as_str()), ("0.06", "0.1"));
    fixture.exchange.set_mark_price("BTCUSDT", Some(65_000.into())).unwrap();
    assert_eq!(fixture.sizes().keys().collect::<Vec<_>>(), ["long buy"]);
}

#[tokio::test]
async fn a_plan_places_its_order_at_its_price() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    let limit = plan(observed::OrderSide::Buy, "0.02", "64500", OrderType::Limit).price(number("60000"));
    client.place_plan_order(&limit.client_oid("limit")).await.unwrap();
    let far = plan(observed::OrderSide::Sell, "0.02", "60000", OrderType::Market).client_oid("far");
    client.place_plan_order(&far).await.unwrap();
    assert_eq!(waiting(&fixture, PlanType::NormalPlan).await.len(), 2);
    assert!(fixture.classic().open_orders.is_empty() && fixture.classic().balances["USDT"].frozen.is_zero());
    set_price(&fixture, 64_500);
    assert_eq!(fixture.classic().open_orders.len(), 1);
    let ended = past(&fixture, PlanType::NormalPlan).await;
    assert_eq!(
        ended[0].placed_order_id.as_ref().map(|id| id.as_str().to_owned()),
        Some(fixture.classic().open_orders[0].id.to_string())
    );

    // A changed trigger waits on the other side of the price.
    let change = observed::ModifyPlanOrder::new(USDT).client_oid("far").new_trigger_price(number("66000"));
    client.modify_plan_order(&change.new_size(number("0.03"))).await.unwrap();
    set_price(&fixture, 66_000);
    assert_eq!(fixture.sizes().values().collect::<Vec<_>>(), ["0.03"]);
    assert!(waiting(&fixture, PlanType::NormalPlan).await.is_empty());

    // What cannot be placed then has failed.
    let large = plan(observed::OrderSide::Sell, "100", "66100", OrderType::Market);
    client.place_plan_order(&large).await.unwrap();
    set_price(&fixture, 66_100);
    assert_eq!(past(&fixture, PlanType::NormalPlan).await[0].status, Some(PlanStatus::FailExecute));
}

#[tokio::test]
async fn a_trailing_plan_follows_the_price() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    fixture.open(classic::Side::Buy, "0.100").await;
    let mut track = plan(observed::OrderSide::Sell, "0.100", "65000", OrderType::Market).callback_ratio(number("1"));
    track.plan_type = PlanType::TrackPlan;
    client.place_plan_order(&track.reduce_only(observed::ReduceOnly::Yes)).await.unwrap();
    for (price, is_open) in [(64_000, true), (65_000, true), (66_000, true), (65_400, true), (65_340, false)] {
        set_price(&fixture, price);
        assert_eq!(fixture.classic().positions.len(), usize::from(is_open), "at {price}");
    }
    assert_eq!(past(&fixture, PlanType::TrackPlan).await[0].callback_ratio, Some(number("1")));
}

#[tokio::test]
async fn conditional_orders_are_cancelled_by_their_ids_or_all_of_a_kind() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    for (id, price) in [("a", "60000"), ("b", "61000"), ("c", "62000")] {
        let order = plan(observed::OrderSide::Buy, "0.02", price, OrderType::Market).client_oid(id);
        client.place_plan_order(&order).await.unwrap();
    }
    let again = plan(observed::OrderSide::Buy, "0.02", "60000", OrderType::Market).client_oid("a");
    assert_eq!(code(client.place_plan_order(&again).await).as_deref(), Some("40786"));
    let items = ["a", "none"].map(|id| observed::CancelPlanItem::new().client_oid(id));
    let cancelled =
        client.cancel_plan_order(&CancelPlanOrder::new(USDT).order_id_list(items.to_vec())).await.unwrap().data;
    assert_eq!((cancelled.success_list.len(), cancelled.failure_list.len()), (1, 1));
    let other = CancelPlanOrder::new(USDT).plan_type(PlanType::ProfitLoss);
    assert!(client.cancel_plan_order(&other).await.unwrap().data.success_list.is_empty());
    let rest = CancelPlanOrder::new(USDT).symbol("BTCUSDT");
    assert_eq!(client.cancel_plan_order(&rest).await.unwrap().data.success_list.len(), 2);
    fixture.exchange.set_price("BTCUSDT", 59_000).unwrap();
    assert!(fixture.classic().positions.is_empty());
}

#[tokio::test]
async fn a_strategy_closes_a_position_at_either_of_its_prices() {
    for (price, is_profit) in [(63_000, false), (65_000, true)] {
        let fixture = Fixture::with(|_| {}, Profile::new());
        let client = fixture.client.observed();
        let category = observed::Category::UsdtFutures;
        let order = PlaceStrategyOrder::new(category.clone(), "BTCUSDT").stop_loss(number("63000"));
        let order = order.take_profit(number("65000")).client_oid("both");
        assert_eq!(code(client.place_strategy_order(&order).await).as_deref(), Some("25227"));
        fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
        client.place_strategy_order(&order).await.unwrap();
        let shown = client.get_strategy_orders(&GetStrategyOrders::new(category.clone())).await.unwrap().data;
        assert_eq!((shown.len(), shown[0].pos_side.clone()), (1, Some(PositionSide::Long)));
        assert_eq!(
            (shown[0].take_profit.clone(), shown[0].status.clone()),
            (Some(number("65000")), Some(StrategyStatus::Pending))
        );
        set_price(&fixture, price);
        assert!(fixture.unified().positions.is_empty());
        let of = observed::GetPastStrategyOrders::new(category).strategy_type(StrategyType::Tpsl);
        let past = client.get_past_strategy_orders(&of).await.unwrap().data.list.items;
        assert_eq!(past[0].status, Some(StrategyStatus::Success));
        let kind = tradeapi::unified::GetOrderHistory::new(tradeapi::unified::Category::UsdtFutures);
        let last = fixture.client.unified().get_order_history(&kind).await.unwrap().data.list.items.remove(0);
        let kind = last.delegate_type.unwrap();
        assert_eq!(kind.as_str(), if is_profit { "position_stop_profit_market" } else { "position_stop_loss_market" });
    }
}

#[tokio::test]
async fn a_strategy_is_amended_and_cancelled() {
    let fixture = Fixture::with(|_| {}, Profile::new());
    let client = fixture.client.observed();
    let category = observed::Category::UsdtFutures;
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
    let part = PlaceStrategyOrder::new(category.clone(), "BTCUSDT").tpsl_mode(TpslMode::Partial);
    let part = part.qty(number("0.02")).stop_loss(number("62000")).client_oid("part");
    client.place_strategy_order(&part).await.unwrap();
    let shown = get("/api/v3/trade/unfilled-strategy-orders?category=USDT-FUTURES").send(&fixture.exchange);
    assert_eq!(shown["data"][0]["triggerType"], "stopLoss", "{shown}");
    let change = observed::ModifyStrategyOrder::new().client_oid("part").stop_loss(number("63500"));
    client.modify_strategy_order(&change.qty(number("0.03"))).await.unwrap();
    let trigger = PlaceStrategyOrder::new(category.clone(), "BTCUSDT").strategy_type(StrategyType::Trigger);
    let trigger = trigger.side(observed::OrderSide::Buy).qty(number("0.01")).trigger_price(number("66000"));
    client.place_strategy_order(&trigger.client_oid("later")).await.unwrap();
    let cancel = observed::CancelStrategyOrder::new().client_oid("later");
    let cancelled = post("/api/v3/trade/cancel-strategy-order", &json!({"clientOid": "later"})).send(&fixture.exchange);
    assert_eq!((&cancelled["code"], &cancelled["data"]), (&json!("00000"), &Value::Null), "{cancelled}");
    assert_eq!(code(client.cancel_strategy_order(&cancel).await).as_deref(), Some("45134"));
    set_price(&fixture, 63_500);
    assert_eq!(fixture.unified().positions[0].qty.normalize().to_string(), "0.07");
    set_price(&fixture, 66_000);
    assert_eq!(fixture.unified().positions[0].qty.normalize().to_string(), "0.07", "the trigger is cancelled");
    let mode = observed::SetHoldMode::new(observed::PositionMode::Hedge);
    assert!(code(client.set_hold_mode(&mode).await).is_some());
}

#[tokio::test]
async fn what_waits_survives_a_day_and_is_listed_in_pages() {
    let fixture = Fixture::one_way();
    for price in 0..5 {
        let price = Decimal::from(60_000 + price);
        let order = plan(observed::OrderSide::Buy, "0.02", price.as_str(), OrderType::Market);
        fixture.client.observed().place_plan_order(&order).await.unwrap();
    }
    fixture.exchange.time().advance(Duration::from_secs(24 * 60 * 60));
    let answer = |query: &str| -> Value {
        let path =
            format!("/api/v2/mix/order/orders-plan-pending?planType=normal_plan&productType=USDT-FUTURES{query}");
        get(&path).send(&fixture.exchange)["data"].clone()
    };
    let first = answer("&limit=3");
    assert_eq!(first["entrustedList"].as_array().unwrap().len(), 3);
    let rest = answer(&format!("&idLessThan={}", first["endId"].as_str().unwrap()));
    assert_eq!(rest["entrustedList"].as_array().unwrap().len(), 2);
    let none = post("/api/v2/mix/order/cancel-plan-order", &json!({"productType": "COIN-FUTURES"}));
    assert_eq!(none.send(&fixture.exchange)["data"]["successList"], json!([]));
}

/// Without a statement, the price of the latest trade triggers, not the mark price, and what is placed goes to the market.
#[tokio::test]
async fn the_latest_price_triggers_unless_the_mark_is_named() {
    let mark = |fixture: &Fixture, price: i64| {
        fixture.exchange.set_mark_price("BTCUSDT", Some(Decimal::from(price))).unwrap();
    };
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    client.place_plan_order(&plan(observed::OrderSide::Buy, "0.02", "65000", OrderType::Market)).await.unwrap();
    mark(&fixture, 65_000);
    assert!(fixture.classic().positions.is_empty());
    set_price(&fixture, 65_000);
    assert_eq!(fixture.classic().positions.len(), 1);
    client.place_tpsl_order(&stop(PlanType::PosLoss, "63000", HoldSide::Buy)).await.unwrap();
    let both = PlacePositionTpsl::new("BTCUSDT", USDT, "USDT", HoldSide::Buy);
    let both = both.take_profit(number("66000")).stop_loss(number("63500"));
    client.place_position_tpsl(&both).await.unwrap();
    mark(&fixture, 66_000);
    mark(&fixture, 63_000);
    assert_eq!(fixture.classic().positions.len(), 1);
    set_price(&fixture, 63_000);
    assert!(fixture.classic().positions.is_empty());

    let fixture = Fixture::with(|_| {}, Profile::new());
    let client = fixture.client.observed();
    let strategy = || PlaceStrategyOrder::new(observed::Category::UsdtFutures, "BTCUSDT");
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
    let both = strategy().stop_loss(number("63000")).take_profit(number("66000"));
    client.place_strategy_order(&both).await.unwrap();
    let trigger = strategy().strategy_type(StrategyType::Trigger).side(observed::OrderSide::Buy);
    let trigger = trigger.qty(number("0.01")).trigger_price(number("65000"));
    client.place_strategy_order(&trigger).await.unwrap();
    for price in [63_000, 65_000, 66_000] {
        mark(&fixture, price);
        assert_eq!(fixture.unified().positions[0].qty.normalize().to_string(), "0.1", "at {price}");
    }
    set_price(&fixture, 65_000);
    assert_eq!(fixture.unified().positions[0].qty.normalize().to_string(), "0.11");
    assert!(fixture.unified().open_orders.is_empty());
    set_price(&fixture, 66_000);
    assert!(fixture.unified().positions.is_empty(), "all of it is closed, at the market");
}

/// Without `limit`, a page has as many items as the schema states.
#[tokio::test]
async fn listings_have_their_usual_length() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    for _ in 0..105 {
        client.place_plan_order(&plan(observed::OrderSide::Buy, "0.02", "60000", OrderType::Market)).await.unwrap();
    }
    assert_eq!(waiting(&fixture, PlanType::NormalPlan).await.len(), 100);
    for _ in 0..3 {
        client.cancel_plan_order(&CancelPlanOrder::new(USDT).symbol("BTCUSDT")).await.unwrap();
    }
    assert_eq!(past(&fixture, PlanType::NormalPlan).await.len(), 100);
    for _ in 0..25 {
        fixture.open(classic::Side::Buy, "0.001").await;
        fixture.open(classic::Side::Sell, "0.001").await;
    }
    let bills = client.get_contract_bills(&observed::GetContractBills::new(USDT)).await.unwrap().data.bills;
    let positions = observed::GetContractPositionHistory::new();
    let positions = client.get_contract_position_history(&positions).await.unwrap().data.list;
    assert_eq!((bills.len(), positions.len()), (20, 20));

    let fixture = Fixture::with(|_| {}, Profile::new());
    let client = fixture.client.observed();
    let category = observed::Category::UsdtFutures;
    for index in 0..105 {
        for (name, side) in [("b", Side::Buy), ("s", Side::Sell)] {
            let order = market(&format!("{name}{index}"), side, "0.001");
            fixture.client.unified().place_order(&order).await.unwrap();
        }
        let id = format!("t{index}");
        let trigger = PlaceStrategyOrder::new(category.clone(), "BTCUSDT").strategy_type(StrategyType::Trigger);
        let trigger = trigger.side(observed::OrderSide::Buy).qty(number("0.01")).trigger_price(number("66000"));
        client.place_strategy_order(&trigger.client_oid(id.as_str())).await.unwrap();
        client.cancel_strategy_order(&observed::CancelStrategyOrder::new().client_oid(id.as_str())).await.unwrap();
    }
    let records = client.get_financial_records(&observed::GetFinancialRecords::new(category.clone())).await.unwrap();
    let positions = client.get_position_history(&observed::GetPositionHistory::new(category.clone())).await.unwrap();
    let past = observed::GetPastStrategyOrders::new(category).strategy_type(StrategyType::Trigger);
    let past = client.get_past_strategy_orders(&past).await.unwrap();
    assert_eq!((records.data.list.len(), positions.data.list.len(), past.data.list.len()), (100, 100, 100));
}

/// One request sets both prices of a position; set again, they are changed and keep their ids.
#[tokio::test]
async fn a_position_has_one_take_profit_and_one_stop_loss_for_the_whole_of_it() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    fixture.open(classic::Side::Buy, "0.100").await;
    let request = || PlacePositionTpsl::new("BTCUSDT", USDT, "USDT", HoldSide::Buy);
    let both = request().take_profit(number("66000")).stop_loss(number("62000")).stop_loss_client_oid("stop");
    let first = client.place_position_tpsl(&both).await.unwrap().data;
    assert_eq!(first.iter().map(|ids| ids.stop_loss_client_oid.as_deref()).collect::<Vec<_>>(), [None, Some("stop")]);
    let again = request().take_profit(number("67000")).stop_loss(number("63000"));
    let second = client.place_position_tpsl(&again).await.unwrap().data;
    let ids = |of: &[observed::PositionPlanIds]| of.iter().map(|ids| ids.order_id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&first.items), ids(&second.items));
    // What is refused in a part changes nothing.
    let wrong = request().take_profit(number("68000")).stop_loss(number("65000"));
    assert!(code(client.place_position_tpsl(&wrong).await).is_some());
    assert!(code(client.place_position_tpsl(&request()).await).is_some());
    let prices: Vec<_> =
        waiting(&fixture, PlanType::ProfitLoss).await.into_iter().map(|plan| plan.trigger_price.unwrap()).collect();
    assert_eq!(prices, [number("63000"), number("67000")]);
    // A part is one more.
    let part = request().take_profit(number("65000")).take_profit_size(number("0.04"));
    client.place_position_tpsl(&part).await.unwrap();
    set_price(&fixture, 65_000);
    assert_eq!(fixture.sizes().values().collect::<Vec<_>>(), ["0.06"]);
    set_price(&fixture, 63_000);
    assert!(fixture.classic().positions.is_empty());
}

#[tokio::test]
async fn a_plan_shows_the_order_that_it_placed() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    let limit = plan(observed::OrderSide::Buy, "0.02", "64500", OrderType::Limit).price(number("60000"));
    let id = client.place_plan_order(&limit).await.unwrap().data.order_id.unwrap();
    let placed = |id| observed::GetPlanSubOrders::new(USDT, PlanType::NormalPlan, id);
    assert!(client.get_plan_sub_orders(&placed(id.clone())).await.unwrap().is_empty());
    set_price(&fixture, 64_500);
    let orders = client.get_plan_sub_orders(&placed(id)).await.unwrap().data;
    let open = fixture.classic().open_orders[0].id.to_string();
    assert_eq!(orders[0].order_id.as_ref().map(|id| id.as_str()), Some(open.as_str()));
    assert_eq!(
        (orders[0].price.clone(), orders[0].order_type.clone()),
        (Some(number("60000")), Some(OrderType::Limit))
    );
    assert!(code(client.get_plan_sub_orders(&placed("17".into())).await).is_some());
}
