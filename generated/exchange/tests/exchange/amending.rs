//! Modifications of orders that close a position or trade with borrowed funds.

use tradeapi::unified::{Category, Execution, ModifyOrder, OrderRef, OrderStatus, PlaceOrder, PosSide, Side};
use tradeapi_exchange::{Mode, Profile};

use crate::desk::{Desk, code, limit, market, number};

fn change(client: &str) -> ModifyOrder {
    ModifyOrder::new(OrderRef::ClientOid(client.parse().unwrap()))
}

async fn place(desk: &Desk, order: PlaceOrder) {
    desk.client.unified().place_order(&order).await.unwrap();
}

async fn modify(desk: &Desk, request: ModifyOrder) {
    desk.client.unified().modify_order(&request).await.unwrap();
}

async fn qty(desk: &Desk, client: &str) -> String {
    desk.details(client).await.unwrap().qty.unwrap().to_string()
}

#[tokio::test]
async fn a_reduce_only_order_never_grows_beyond_its_position() {
    let desk = Desk::one_way();
    place(&desk, market("a", Side::Buy, "0.03")).await;
    place(&desk, limit("close", Side::Sell, "0.02", "65000").reduce_only(true)).await;
    modify(&desk, change("close").qty(number("0.5"))).await;
    assert_eq!(qty(&desk, "close").await, "0.03");
    // At a price that trades at once, it closes the position and opens nothing.
    modify(&desk, change("close").qty(number("0.5")).price(number("63000"))).await;
    assert_eq!(desk.details("close").await.unwrap().order_status, Some(OrderStatus::Filled));
    assert!(desk.unified().positions.is_empty());
}

#[tokio::test]
async fn a_closing_order_grows_only_into_what_others_leave() {
    for hedged in [false, true] {
        let desk = Desk::with(|_| {}, Profile::new().mode(if hedged { Mode::Hedge } else { Mode::OneWay }));
        let long = |order: PlaceOrder| if hedged { order.pos_side(PosSide::Long) } else { order };
        let close = |name, qty, price| match hedged {
            true => limit(name, Side::Sell, qty, price).pos_side(PosSide::Long),
            false => limit(name, Side::Sell, qty, price).reduce_only(true),
        };
        place(&desk, long(market("a", Side::Buy, "0.05"))).await;
        place(&desk, close("first", "0.02", "65000")).await;
        place(&desk, close("second", "0.01", "66000")).await;
        modify(&desk, change("first").qty(number("0.5"))).await;
        assert_eq!([qty(&desk, "first").await, qty(&desk, "second").await], ["0.04", "0.01"]);
        desk.exchange.set_price("BTCUSDT", 67_000).unwrap();
        assert!(desk.unified().positions.is_empty(), "{:?}", desk.unified().positions);
    }
}

#[tokio::test]
async fn a_margin_order_borrows_for_its_modification() {
    let desk = Desk::with(|_| {}, Profile::new().balance("USDT", 100));
    let order = |category, name: &str| {
        PlaceOrder::new(category, "SOLUSDT", number("0.5"), Side::Buy, Execution::limit(number("140")))
            .client_oid(name.parse().unwrap())
    };
    place(&desk, order(Category::Margin, "borrows")).await;
    assert!(desk.unified().balances["USDT"].debt.is_zero());
    modify(&desk, change("borrows").qty(number("2"))).await;
    assert_eq!(desk.unified().balances["USDT"].debt, 180.into());
    // Without borrowing, the same is refused, and nothing changes.
    let desk = Desk::with(|_| {}, Profile::new().balance("USDT", 100));
    place(&desk, order(Category::Spot, "own")).await;
    let refused = desk.client.unified().modify_order(&change("own").qty(number("2"))).await;
    assert_eq!(code(refused).as_deref(), Some("25202"));
    assert_eq!(desk.unified().balances["USDT"].frozen, 70.into());
}
