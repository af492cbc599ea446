//! Modifications of orders that close a position or trade with borrowed funds, and those that leave their order as it is.

use std::time::Duration;

use tradeapi::classic;
use tradeapi::dec;
use tradeapi::unified::{
    BatchModifyItem, BatchModifyOrders, CancelOrder, Category, Execution, ModifyOrder, OrderRef, OrderStatus,
    PlaceOrder, PosSide, Side, YesNo,
};
use tradeapi_exchange::{Mode, Profile};

use crate::fixture::{Fixture, classic_limit, code, limit, market, number};

fn change(client: &str) -> ModifyOrder {
    ModifyOrder::new(OrderRef::ClientOid(client.parse().unwrap()))
}

async fn place(fixture: &Fixture, order: PlaceOrder) {
    fixture.client.unified().place_order(&order).await.unwrap();
}

async fn modify(fixture: &Fixture, request: ModifyOrder) {
    fixture.client.unified().modify_order(&request).await.unwrap();
}

async fn qty(fixture: &Fixture, client: &str) -> String {
    fixture.details(client).await.unwrap().qty.unwrap().to_string()
}

#[tokio::test]
async fn a_reduce_only_order_never_grows_beyond_its_position() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.03")).await;
    place(&fixture, limit("close", Side::Sell, "0.02", "65000").reduce_only(true)).await;
    modify(&fixture, change("close").qty(number("0.5"))).await;
    assert_eq!(qty(&fixture, "close").await, "0.03");
    // At a price that trades at once, the order closes the position and opens nothing.
    modify(&fixture, change("close").qty(number("0.5")).price(number("63000"))).await;
    assert_eq!(fixture.details("close").await.unwrap().order_status, Some(OrderStatus::Filled));
    assert!(fixture.unified().positions.is_empty());
}

#[tokio::test]
async fn a_closing_order_grows_only_into_the_free_part() {
    for hedged in [false, true] {
        let fixture =
            Fixture::with(|_| {}, Profile::new().both().mode(if hedged { Mode::Hedge } else { Mode::OneWay }));
        let long = |order: PlaceOrder| if hedged { order.pos_side(PosSide::Long) } else { order };
        let close = |name, qty, price| match hedged {
            true => limit(name, Side::Sell, qty, price).pos_side(PosSide::Long),
            false => limit(name, Side::Sell, qty, price).reduce_only(true),
        };
        place(&fixture, long(market("a", Side::Buy, "0.05"))).await;
        place(&fixture, close("first", "0.02", "65000")).await;
        place(&fixture, close("second", "0.01", "66000")).await;
        modify(&fixture, change("first").qty(number("0.5"))).await;
        assert_eq!([qty(&fixture, "first").await, qty(&fixture, "second").await], ["0.04", "0.01"]);
        fixture.exchange.set_price("BTCUSDT", 67_000).unwrap();
        assert!(fixture.unified().positions.is_empty(), "{:?}", fixture.unified().positions);
    }
}

#[tokio::test]
async fn a_margin_order_borrows_for_its_modification() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 100));
    let order = |category, name: &str| {
        PlaceOrder::new(category, "SOLUSDT", number("0.5"), Side::Buy, Execution::limit(number("140")))
            .client_oid(name.parse().unwrap())
    };
    place(&fixture, order(Category::Margin, "borrows")).await;
    assert!(fixture.unified().balances["USDT"].debt.is_zero());
    modify(&fixture, change("borrows").qty(number("2"))).await;
    assert_eq!(fixture.unified().balances["USDT"].debt, dec!(180));
    // Without borrowing, the same is refused, and nothing changes.
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 100));
    place(&fixture, order(Category::Spot, "own")).await;
    let refused = fixture.client.unified().modify_order(&change("own").qty(number("2"))).await;
    assert_eq!(code(refused).as_deref(), Some("25202"));
    assert_eq!(fixture.unified().balances["USDT"].frozen, dec!(70));
}

/// The new Coin-M line has no modifications, also where the request does not name the pair.
#[tokio::test]
async fn orders_of_the_new_coin_m_line_are_not_modified() {
    let fixture = Fixture::one_way();
    let execution = Execution::limit(number("60000"));
    let order = PlaceOrder::new(Category::CoinFutures, "BTCUSD_CM", number("100"), Side::Buy, execution);
    place(&fixture, order.client_oid("coin".parse().unwrap())).await;
    let refused = change("coin").price(number("60001")).auto_cancel(YesNo::Yes);
    assert!(code(fixture.client.unified().modify_order(&refused).await).is_some());
    let kept = fixture.details("coin").await.unwrap();
    assert_eq!((kept.order_status, kept.price), (Some(OrderStatus::Live), Some(number("60000"))));
}

fn named(client: &str) -> OrderRef {
    OrderRef::ClientOid(client.parse().unwrap())
}

/// Returns a replacement of the classic order `a` by one called `b`.
fn replacement(size: &str, price: &str) -> classic::ModifyOrder {
    let by = classic::OrderRef::ClientOid("a".into());
    classic::ModifyOrder::new("BTCUSDT", classic::ProductType::UsdtFutures, "b", by)
        .new_size(number(size))
        .new_price(number(price))
}

#[tokio::test]
async fn a_suspended_pair_takes_no_modification() {
    let fixture = Fixture::one_way();
    let (unified, classic) = (fixture.client.unified(), fixture.client.classic());
    place(&fixture, limit("a", Side::Buy, "0.01", "60000")).await;
    classic.place_order(&classic_limit("a", classic::Side::Buy, "0.01", "60000")).await.unwrap();
    fixture.exchange.suspend("BTCUSDT", true).unwrap();
    let cancelling = change("a").price(number("61000")).auto_cancel(true);
    assert_eq!(code(unified.modify_order(&cancelling).await).as_deref(), Some("25102"));
    let by = classic::OrderRef::ClientOid("a".into());
    let presets = classic::ModifyOrder::new("BTCUSDT", classic::ProductType::UsdtFutures, "b", by)
        .new_preset_stop_loss_price(number("50000"));
    for request in [replacement("0.02", "61000"), presets] {
        assert_eq!(code(classic.modify_order(&request).await).as_deref(), Some("40844"));
    }
    fixture.exchange.time().advance(Duration::from_secs(1));
    fixture.exchange.suspend("BTCUSDT", false).unwrap();
    let (order, other) = (fixture.details("a").await.unwrap(), fixture.detail("a").await.unwrap());
    assert_eq!((order.price, order.order_status), (Some(number("60000")), Some(OrderStatus::Live)));
    assert_eq!((other.price, other.state), (Some(number("60000")), Some(classic::OrderState::Live)));
    assert_eq!(other.preset_stop_loss_price, None);
}

#[tokio::test]
async fn a_replacement_beyond_the_bounds_leaves_its_order() {
    let fixture = Fixture::one_way();
    let client = fixture.client.classic();
    client.place_order(&classic_limit("a", classic::Side::Buy, "0.01", "60000")).await.unwrap();
    for (size, price, expected) in [("0.01", "90000", "43009"), ("90000000", "60000", "45112"), ("0.01", "0", "45115")]
    {
        assert_eq!(
            code(client.modify_order(&replacement(size, price)).await).as_deref(),
            Some(expected),
            "{size} {price}"
        );
    }
    fixture.exchange.time().advance(Duration::from_secs(1));
    assert_eq!(fixture.detail("a").await.unwrap().state, Some(classic::OrderState::Live));
}

#[tokio::test]
async fn a_batch_that_names_an_order_by_each_of_its_ids_is_refused() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.01", "60000")).await;
    let id = fixture.details("a").await.unwrap().order_id.unwrap();
    let item = |order, price: &str| BatchModifyItem::new(order).price(number(price));
    let batch = BatchModifyOrders::new(vec![item(OrderRef::OrderId(id), "61000"), item(named("a"), "62000")]);
    let refused = fixture.client.unified().batch_modify_orders(&batch).await.unwrap_err();
    assert_eq!(refused.code(), Some("25200"), "as a batch that repeats an id");
    assert_eq!(fixture.details("a").await.unwrap().price, Some(number("60000")));
}

#[tokio::test]
async fn an_order_of_another_line_or_pair_is_not_found() {
    let fixture = Fixture::one_way();
    let client = fixture.client.unified();
    place(&fixture, limit("a", Side::Buy, "0.01", "60000")).await;
    let cancel = CancelOrder::new(named("a")).category(Category::Spot);
    assert_eq!(code(client.cancel_order(&cancel).await).as_deref(), Some("25204"));
    let modify = || change("a").price(number("61000"));
    for request in [modify().category(Category::Spot), modify().symbol("ETHUSDT")] {
        assert_eq!(code(client.modify_order(&request).await).as_deref(), Some("25204"));
    }
    let item = || BatchModifyItem::new(named("a")).price(number("61000"));
    for item in [item().category(Category::Margin), item().symbol("ETHUSDT")] {
        let reply = client.batch_modify_orders(&BatchModifyOrders::new(vec![item])).await.unwrap();
        assert_eq!(reply.data[0].code.as_deref(), Some("24056"));
    }
    assert_eq!(fixture.details("a").await.unwrap().price, Some(number("60000")));
    client.cancel_order(&CancelOrder::new(named("a")).category(Category::UsdtFutures)).await.unwrap();
}
