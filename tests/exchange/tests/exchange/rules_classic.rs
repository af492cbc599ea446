//! Rules of kind `simulated` of the classic family. Each test has the name of its rule.

use std::time::Duration;

use tradeapi::classic::{
    BatchCancel, BatchCancelItem, BatchOrder, BatchOrderItem, CancelAllOrders, CancelReason, Execution,
    FlashClosePosition, Force, GetHistoricalTransactionDetails, GetHistoryOrder, GetOrderFillDetails, HoldSide,
    MarginMode, ModifyOrder, OrderRef, OrderState, OrderType, PlaceOrder, ProductType, ReduceOnly, Reversal, Side,
    StpMode, TradeSide,
};
use tradeapi_exchange::Profile;

use crate::fixture::{Fixture, classic_limit, classic_market, code, number};

const LINE: ProductType = ProductType::UsdtFutures;

async fn place(fixture: &Fixture, order: PlaceOrder) {
    fixture.client.classic().place_order(&order).await.unwrap();
}

async fn state(fixture: &Fixture, client: &str) -> OrderState {
    fixture.detail(client).await.unwrap().state.unwrap()
}

fn sizes(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    pairs.iter().map(|(position, size)| ((*position).to_owned(), (*size).to_owned())).collect()
}

#[tokio::test]
async fn side_by_position_mode() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_market(Side::Buy, "0.03")).await;
    place(&fixture, classic_market(Side::Sell, "0.05")).await;
    assert_eq!(fixture.sizes(), sizes(&[("net sell", "0.02")]));
    let fixture = Fixture::hedged();
    fixture.open(Side::Buy, "0.03").await;
    fixture.open(Side::Sell, "0.05").await;
    assert_eq!(fixture.sizes(), sizes(&[("long buy", "0.03"), ("short sell", "0.05")]));
}

#[tokio::test]
async fn hedge_mode_directions() {
    let fixture = Fixture::hedged();
    fixture.open(Side::Buy, "0.03").await;
    fixture.open(Side::Sell, "0.05").await;
    place(&fixture, classic_market(Side::Buy, "0.01").trade_side(TradeSide::Close)).await;
    place(&fixture, classic_market(Side::Sell, "0.05").trade_side(TradeSide::Close)).await;
    assert_eq!(fixture.sizes(), sizes(&[("long buy", "0.02")]));
    let none = classic_market(Side::Sell, "0.01").trade_side(TradeSide::Close);
    assert_eq!(code(fixture.client.classic().place_order(&none).await).as_deref(), Some("22002"));
}

#[tokio::test]
async fn reduce_only_overflow() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_market(Side::Buy, "0.1")).await;
    for (client, size) in [("a", "0.04"), ("b", "0.03"), ("c", "0.03")] {
        place(&fixture, classic_limit(client, Side::Sell, size, "65000").reduce_only(ReduceOnly::Yes)).await;
    }
    let order = classic_limit("d", Side::Sell, "0.06", "65000").reduce_only(ReduceOnly::Yes);
    let reply = fixture.client.classic().place_order(&order).await.unwrap();
    assert_eq!(reply.order_id, None);
    let mut states = Vec::new();
    for client in ["a", "b", "c", "d"] {
        states.push(state(&fixture, client).await);
    }
    use OrderState::{Canceled, Live};
    assert_eq!(states, [Canceled, Canceled, Live, Live], "the oldest are cancelled, until the rest fits");
}

#[tokio::test]
async fn market_close_beside_limit_close() {
    let fixture = Fixture::hedged();
    fixture.open(Side::Buy, "0.100").await;
    place(&fixture, classic_limit("limit", Side::Buy, "0.070", "65000").trade_side(TradeSide::Close)).await;
    place(&fixture, classic_market(Side::Buy, "0.050").trade_side(TradeSide::Close)).await;
    assert_eq!(fixture.sizes(), sizes(&[("long buy", "0.07")]), "only 0.030 are closed");
    assert_eq!(state(&fixture, "limit").await, OrderState::Live);
}

#[tokio::test]
async fn close_order_replaces_full_limit_close() {
    let fixture = Fixture::hedged();
    fixture.open(Side::Buy, "0.100").await;
    place(&fixture, classic_limit("limit", Side::Buy, "0.100", "65000").trade_side(TradeSide::Close)).await;
    place(&fixture, classic_limit("new", Side::Buy, "0.040", "65500").trade_side(TradeSide::Close)).await;
    assert_eq!(
        (state(&fixture, "limit").await, state(&fixture, "new").await),
        (OrderState::Canceled, OrderState::Live)
    );
}

#[tokio::test]
async fn defaults_of_place_order() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_limit("a", Side::Buy, "0.01", "63000")).await;
    let record = fixture.detail("a").await.unwrap();
    assert_eq!((record.force, record.reduce_only), (Some(Force::Gtc), Some(ReduceOnly::No)));
    assert_eq!((record.preset_stop_surplus_price, record.preset_stop_loss_price), (None, None));
    // Without stpMode the user's orders trade with each other.
    place(&fixture, classic_limit("maker", Side::Sell, "0.01", "64000.5")).await;
    place(&fixture, classic_limit("taker", Side::Buy, "0.01", "64000.5")).await;
    assert_eq!(state(&fixture, "taker").await, OrderState::Filled);
}

#[tokio::test]
async fn self_trade_reason() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_limit("maker", Side::Sell, "0.01", "64000.5")).await;
    place(&fixture, classic_limit("taker", Side::Buy, "0.01", "64000.5").stp_mode(StpMode::CancelTaker)).await;
    let record = fixture.detail("taker").await.unwrap();
    assert_eq!(record.cancel_reason, Some(CancelReason::StpCancel));
    assert_eq!(record.state, Some(OrderState::Canceled));
}

fn reversal(side: Side) -> Reversal {
    Reversal::new("BTCUSDT", "USDT", LINE, side)
}

#[tokio::test]
async fn reversal_hedge_mode_directions() {
    let fixture = Fixture::hedged();
    fixture.open(Side::Buy, "0.02").await;
    fixture.client.classic().reversal(&reversal(Side::Buy).trade_side(TradeSide::Open)).await.unwrap();
    assert_eq!(fixture.sizes(), sizes(&[("short sell", "0.02")]));
    fixture.client.classic().reversal(&reversal(Side::Sell).trade_side(TradeSide::Open)).await.unwrap();
    assert_eq!(fixture.sizes(), sizes(&[("long buy", "0.02")]));
}

#[tokio::test]
async fn whole_position_without_size() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_market(Side::Buy, "0.03")).await;
    let reply = fixture.client.classic().reversal(&reversal(Side::Sell).client_oid("flip")).await.unwrap();
    assert_eq!(reply.client_oid.as_ref().map(|id| id.as_str()), Some("flip"));
    assert_eq!(fixture.sizes(), sizes(&[("net sell", "0.03")]));
    assert_eq!(state(&fixture, "flip").await, OrderState::Filled);
}

#[tokio::test]
async fn part_of_the_position() {
    let fixture = Fixture::hedged();
    fixture.open(Side::Buy, "0.020").await;
    let part = reversal(Side::Buy).size(number("0.003")).trade_side(TradeSide::Open);
    fixture.client.classic().reversal(&part).await.unwrap();
    assert_eq!(fixture.sizes(), sizes(&[("long buy", "0.017"), ("short sell", "0.003")]));
}

#[tokio::test]
async fn size_of_the_position_or_more() {
    for size in ["0.010", "0.011"] {
        let fixture = Fixture::hedged();
        fixture.open(Side::Buy, "0.010").await;
        let whole = reversal(Side::Buy).size(number(size)).trade_side(TradeSide::Open);
        fixture.client.classic().reversal(&whole).await.unwrap();
        assert_eq!(fixture.sizes(), sizes(&[("short sell", "0.01")]), "{size}");
    }
}

#[tokio::test]
async fn hold_side_in_hedge_mode() {
    let fixture = Fixture::hedged();
    fixture.open(Side::Buy, "0.02").await;
    fixture.open(Side::Sell, "0.03").await;
    let close = FlashClosePosition::new(LINE);
    let closed = fixture.client.classic().flash_close_position(&close.clone().hold_side(HoldSide::Long)).await;
    closed.unwrap().done().unwrap();
    assert_eq!(fixture.sizes(), sizes(&[("short sell", "0.03")]));
    fixture.open(Side::Buy, "0.02").await;
    let closed = fixture.client.classic().flash_close_position(&close).await.unwrap();
    assert_eq!((closed.success_list.len(), fixture.sizes().len()), (2, 0));
}

#[tokio::test]
async fn closes_at_market_price() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_market(Side::Buy, "0.02")).await;
    fixture.exchange.set_price("BTCUSDT", 66_000).unwrap();
    let closed = fixture.client.classic().flash_close_position(&FlashClosePosition::new(LINE)).await.unwrap();
    let id = closed.success_list[0].order_id.clone().unwrap();
    let fills = GetOrderFillDetails::new(LINE).order_id(id);
    let fills = fixture.client.classic().get_order_fill_details(&fills).await.unwrap();
    assert_eq!(fills.fill_list[0].price, Some(number("65996.8")), "the best bid");
}

#[tokio::test]
async fn close_may_fail() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_market(Side::Buy, "0.02")).await;
    fixture.exchange.suspend("BTCUSDT", true).unwrap();
    let closed = fixture.client.classic().flash_close_position(&FlashClosePosition::new(LINE)).await.unwrap();
    // failed-items-are-listed
    let failure = &closed.failure_list[0];
    assert_eq!(failure.error_code.as_deref(), Some("40844"));
    assert!(failure.error_msg.is_some());
    assert_eq!(fixture.sizes(), sizes(&[("net buy", "0.02")]));
}

#[tokio::test]
async fn failed_items_are_listed() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_limit("a", Side::Buy, "0.01", "63000")).await;
    let item = |client: &str| BatchCancelItem::new().client_oid(client);
    let cancel = BatchCancel::new(LINE).symbol("BTCUSDT").order_id_list(vec![item("a"), item("gone")]);
    let outcome = fixture.client.classic().batch_cancel(&cancel).await.unwrap();
    assert_eq!((outcome.success_list.len(), outcome.failure_list.len()), (1, 1));
    assert_eq!(outcome.failure_list[0].error_code.as_deref(), Some("43001"));
}

#[tokio::test]
async fn listed_orders_are_named() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_limit("a", Side::Buy, "0.01", "63000")).await;
    let items = vec![BatchCancelItem::new().client_oid("a"), BatchCancelItem::new()];
    let cancel = BatchCancel::new(LINE).symbol("BTCUSDT").order_id_list(items);
    assert_eq!(code(fixture.client.classic().batch_cancel(&cancel).await).as_deref(), Some("40924"));
    assert_eq!(state(&fixture, "a").await, OrderState::Live);
}

#[tokio::test]
async fn cancels_by_product_and_pair() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_limit("a", Side::Buy, "0.01", "63000")).await;
    let eth = Execution::limit(number("3000"), Force::Gtc);
    let eth = PlaceOrder::new("ETHUSDT", LINE, MarginMode::Crossed, "USDT", number("0.1"), Side::Buy, eth);
    place(&fixture, eth).await;
    let outcome = fixture.client.classic().batch_cancel(&BatchCancel::new(LINE).symbol("ETHUSDT")).await.unwrap();
    assert_eq!(outcome.success_list.len(), 1);
    assert_eq!(state(&fixture, "a").await, OrderState::Live);
    let all = fixture.client.classic().cancel_all_orders(&CancelAllOrders::new(LINE)).await.unwrap();
    assert_eq!(all.success_list.len(), 1);
    assert_eq!(state(&fixture, "a").await, OrderState::Canceled);
}

#[tokio::test]
async fn a_late_request_to_cancel_all_is_refused() {
    let fixture = Fixture::one_way();
    let sent = fixture.exchange.time().now();
    fixture.exchange.time().advance(Duration::from_secs(2));
    let cancel = CancelAllOrders::new(LINE).request_time(sent).receive_window(1_000);
    assert_eq!(code(fixture.client.classic().cancel_all_orders(&cancel).await).as_deref(), Some("40078"));
    // Two sources have a code for a window that is too wide; no document states how wide it may be.
    for (window, refusal) in [(59_999, None), (60_000, Some("40079"))] {
        let cancel = CancelAllOrders::new(LINE).request_time(sent).receive_window(window);
        assert_eq!(code(fixture.client.classic().cancel_all_orders(&cancel).await).as_deref(), refusal, "{window}");
    }
}

#[tokio::test]
async fn a_result_lists_all_items() {
    let fixture = Fixture::one_way();
    let item = |client: &str, size: &str| {
        BatchOrderItem::new()
            .size(number(size))
            .price(number("63000"))
            .side(Side::Buy)
            .order_type(OrderType::Limit)
            .client_oid(client)
    };
    let batch = |items| BatchOrder::new("BTCUSDT", LINE, "USDT", MarginMode::Crossed, items);
    let classic = fixture.client.classic();
    let all = classic.batch_order(&batch(vec![item("a", "0.01"), item("b", "0.01")])).await.unwrap();
    assert_eq!((all.result, all.success_list.len()), (Some(true), 2));
    let some = classic.batch_order(&batch(vec![item("c", "0.01"), item("a", "0.01")])).await.unwrap();
    assert_eq!((some.result, some.success_list.len(), some.failure_list.len()), (Some(false), 1, 1));
    assert_eq!(some.failure_list[0].error_code.as_deref(), Some("40786"));
}

fn modify(new: &str, old: &str) -> ModifyOrder {
    ModifyOrder::new("BTCUSDT", LINE, new, OrderRef::ClientOid(old.into()))
}

#[tokio::test]
async fn new_limit_orders_only() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_limit("a", Side::Buy, "0.02", "63000")).await;
    fixture.exchange.fill("a", number("0.01")).unwrap();
    let change = modify("b", "a").new_size(number("0.03")).new_price(number("63100"));
    assert_eq!(code(fixture.client.classic().modify_order(&change).await).as_deref(), Some("40922"));
}

#[tokio::test]
async fn one_preset_cancels_the_other() {
    let fixture = Fixture::one_way();
    let order = classic_limit("a", Side::Buy, "0.02", "63000");
    place(&fixture, order.preset_stop_surplus_price(number("70000")).preset_stop_loss_price(number("60000"))).await;
    let change = modify("b", "a").new_preset_stop_surplus_price(number("71000"));
    fixture.client.classic().modify_order(&change).await.unwrap();
    let record = fixture.detail("a").await.unwrap();
    assert_eq!(record.preset_stop_surplus_price, Some(number("71000")));
    assert_eq!(record.preset_stop_loss_price, None);
    assert_eq!(record.state, Some(OrderState::Live), "the order stays");
}

#[tokio::test]
async fn listed_as_filled() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_market(Side::Buy, "0.02")).await;
    let history = fixture.client.classic().get_history_order(&GetHistoryOrder::new(LINE)).await.unwrap();
    assert_eq!(history.entrusted_list[0].status, Some(OrderState::Filled));
}

#[tokio::test]
async fn margin_coin_present() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_market(Side::Buy, "0.02")).await;
    let history = GetHistoricalTransactionDetails::new(LINE);
    let history = fixture.client.classic().get_historical_transaction_details(&history).await.unwrap();
    assert_eq!(history.fill_list[0].margin_coin.as_ref().map(|coin| coin.as_str()), Some("USDT"));
}

#[tokio::test]
async fn window_default() {
    let fixture = Fixture::with(|_| {}, Profile::new().both());
    place(&fixture, classic_market(Side::Buy, "0.02")).await;
    let count = || async {
        let classic = fixture.client.classic();
        let recent = classic.get_historical_transaction_details(&GetHistoricalTransactionDetails::new(LINE)).await;
        let fills = classic.get_order_fill_details(&GetOrderFillDetails::new(LINE)).await;
        (recent.unwrap().fill_list.len(), fills.unwrap().fill_list.len())
    };
    let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
    fixture.exchange.time().advance(days(7));
    assert_eq!(count().await, (1, 1));
    fixture.exchange.time().advance(days(1));
    assert_eq!(count().await, (0, 1), "one week by default");
    fixture.exchange.time().advance(days(82));
    assert_eq!(count().await, (0, 1));
    fixture.exchange.time().advance(days(1));
    assert_eq!(count().await, (0, 0), "three months by default");
}

#[tokio::test]
async fn limit_default() {
    let fixture = Fixture::one_way();
    for index in 0..105 {
        place(&fixture, classic_limit(&format!("o{index}"), Side::Buy, "0.001", "60000")).await;
    }
    let pending = tradeapi::classic::GetPendingOrders::new(LINE);
    let page = fixture.client.classic().get_pending_orders(&pending).await.unwrap().data;
    assert_eq!(page.entrusted_list.len(), 100);
    let rest = pending.id_less_than(page.end_id.unwrap());
    assert_eq!(fixture.client.classic().get_pending_orders(&rest).await.unwrap().entrusted_list.len(), 5);

    for _ in 0..105 {
        place(&fixture, classic_market(Side::Buy, "0.001")).await;
    }
    let classic = fixture.client.classic();
    let orders = classic.get_history_order(&GetHistoryOrder::new(LINE)).await.unwrap();
    let fills = classic.get_order_fill_details(&GetOrderFillDetails::new(LINE)).await.unwrap();
    let recent = GetHistoricalTransactionDetails::new(LINE);
    let recent = classic.get_historical_transaction_details(&recent).await.unwrap();
    assert_eq!((orders.entrusted_list.len(), fills.fill_list.len(), recent.fill_list.len()), (100, 100, 100));

    let mut pages = fixture.client.pages(GetOrderFillDetails::new(LINE));
    let mut count = 0;
    while let Some(page) = pages.next_page().await {
        count += page.unwrap().list.len();
    }
    assert_eq!(count, 105, "the client's own pages find each fill once");
}

#[tokio::test]
async fn three_months_follow_a_start() {
    let fixture = Fixture::one_way();
    let start = fixture.exchange.time().now();
    place(&fixture, classic_market(Side::Buy, "0.001")).await;
    fixture.exchange.time().advance(Duration::from_secs(89 * 24 * 60 * 60));
    place(&fixture, classic_market(Side::Buy, "0.001")).await;
    fixture.exchange.time().advance(Duration::from_secs(2 * 24 * 60 * 60));
    place(&fixture, classic_market(Side::Buy, "0.001")).await;
    let fills = GetOrderFillDetails::new(LINE).start_time(start);
    assert_eq!(fixture.client.classic().get_order_fill_details(&fills).await.unwrap().fill_list.len(), 2);
}

/// The checks of the schema refuse such a request, so the rule has no further effect.
#[tokio::test]
async fn presets_beside_size_and_price_have_no_effect() {
    let fixture = Fixture::one_way();
    place(&fixture, classic_limit("a", Side::Buy, "0.02", "63000")).await;
    let change = modify("b", "a").new_size(number("0.03")).new_price(number("63100"));
    let change = change.new_preset_stop_surplus_price(number("70000"));
    fixture.client.classic().modify_order(&change).await.unwrap();
    fixture.exchange.time().advance(Duration::from_secs(1));
    let replacement = fixture.detail("b").await.unwrap();
    assert_eq!((replacement.price, replacement.preset_stop_surplus_price), (Some(number("63100")), None));
}

#[tokio::test]
async fn presets_follow_the_position() {
    let fixture = Fixture::one_way();
    let item = |client: &str, take_profit: &str| {
        BatchOrderItem::new()
            .size(number("0.01"))
            .side(Side::Buy)
            .order_type(OrderType::Market)
            .preset_stop_surplus_price(number(take_profit))
            .client_oid(client)
    };
    let batch = |items| BatchOrder::new("BTCUSDT", LINE, "USDT", MarginMode::Crossed, items);
    // Without a position, the presets apply to the next one; otherwise they change those of the position.
    fixture.client.classic().batch_order(&batch(vec![item("a", "66000")])).await.unwrap().done().unwrap();
    fixture.client.classic().batch_order(&batch(vec![item("b", "65000")])).await.unwrap().done().unwrap();
    fixture.exchange.set_price("BTCUSDT", 64_900).unwrap();
    assert_eq!(fixture.sizes(), sizes(&[("net buy", "0.02")]));
    fixture.exchange.set_price("BTCUSDT", 65_100).unwrap();
    assert!(fixture.sizes().is_empty(), "the take-profit of the second order closed both");
    let source = tradeapi::classic::OrderSource::PosProfitMarket;
    let history = GetHistoryOrder::new(LINE).order_source(source);
    let closing = fixture.client.classic().get_history_order(&history).await.unwrap();
    assert_eq!(closing.entrusted_list[0].size, Some(number("0.02")));
}
