//! Modifications of orders that close a position or trade with borrowed funds.

use tradeapi::unified::{Category, Execution, ModifyOrder, OrderRef, OrderStatus, PlaceOrder, PosSide, Side, YesNo};
use tradeapi_exchange::{Mode, Profile};

use crate::fixture::{Fixture, code, limit, market, number};

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
        let fixture = Fixture::with(|_| {}, Profile::new().mode(if hedged { Mode::Hedge } else { Mode::OneWay }));
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
    let fixture = Fixture::with(|_| {}, Profile::new().balance("USDT", 100));
    let order = |category, name: &str| {
        PlaceOrder::new(category, "SOLUSDT", number("0.5"), Side::Buy, Execution::limit(number("140")))
            .client_oid(name.parse().unwrap())
    };
    place(&fixture, order(Category::Margin, "borrows")).await;
    assert!(fixture.unified().balances["USDT"].debt.is_zero());
    modify(&fixture, change("borrows").qty(number("2"))).await;
    assert_eq!(fixture.unified().balances["USDT"].debt, 180.into());
    // Without borrowing, the same is refused, and nothing changes.
    let fixture = Fixture::with(|_| {}, Profile::new().balance("USDT", 100));
    place(&fixture, order(Category::Spot, "own")).await;
    let refused = fixture.client.unified().modify_order(&change("own").qty(number("2"))).await;
    assert_eq!(code(refused).as_deref(), Some("25202"));
    assert_eq!(fixture.unified().balances["USDT"].frozen, 70.into());
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
