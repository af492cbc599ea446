//! The lifecycle of an order from end to end, in both families.

use std::time::Duration;

use tradeapi::classic::{self, OrderState, ProductType};
use tradeapi::dec;
use tradeapi::unified::{self, Category, OrderRef, OrderStatus, Side};
use tradeapi_exchange::{Event, Line, Profile};

use crate::fixture::{Fixture, classic_limit, code, limit, market, number};

fn client_ref(client: &str) -> OrderRef {
    OrderRef::ClientOid(client.parse().unwrap())
}

#[tokio::test]
async fn a_unified_order_is_placed_filled_in_parts_and_the_rest_cancelled() {
    let fixture = Fixture::one_way();
    let unified = fixture.client.unified();
    let placed = unified.place_order(&limit("a", Side::Buy, "0.050", "63990")).await.unwrap();
    assert_eq!(placed.client_oid.as_ref().map(|id| id.as_str()), Some("a"));
    let open = unified.get_open_orders(&unified::GetOpenOrders::new()).await.unwrap();
    assert_eq!(open.list.len(), 1);
    assert_eq!(fixture.details("a").await.unwrap().order_status, Some(OrderStatus::Live));
    // A tenth of the value, and the taker's fee.
    assert_eq!(fixture.unified().balances["USDT"].frozen.normalize().to_string(), "321.8697");

    fixture.exchange.fill("a", number("0.020")).unwrap();
    let record = fixture.details("a").await.unwrap();
    assert_eq!(record.order_status, Some(OrderStatus::PartiallyFilled));
    assert_eq!(record.cum_exec_qty, Some(number("0.02")));
    assert_eq!(record.avg_price, Some(number("63990")));

    let cancelled = unified.cancel_order(&unified::CancelOrder::new(client_ref("a"))).await.unwrap();
    assert_eq!(cancelled.order_id, placed.order_id);
    let record = fixture.details("a").await.unwrap();
    assert_eq!(record.order_status, Some(OrderStatus::Cancelled));
    assert_eq!(record.cancel_reason, Some(unified::CancelReason::NormalCancel));
    let account = fixture.unified();
    assert!(account.open_orders.is_empty() && account.balances["USDT"].frozen.is_zero());
    assert_eq!(account.positions[0].qty.normalize().to_string(), "0.02");

    let history = unified.get_order_history(&unified::GetOrderHistory::new(Category::UsdtFutures)).await.unwrap();
    assert_eq!(history.list[0].order_id, placed.order_id);
    let fills = unified.get_fill_history(&unified::GetFillHistory::new()).await.unwrap();
    assert_eq!((fills.list.len(), fills.list[0].exec_qty.clone()), (1, Some(number("0.02"))));
    let again = unified.cancel_order(&unified::CancelOrder::new(client_ref("a"))).await;
    assert_eq!(code(again).as_deref(), Some("45134"));
}

#[tokio::test]
async fn a_classic_order_is_placed_replaced_filled_and_listed() {
    let fixture = Fixture::one_way();
    let classic = fixture.client.classic();
    classic.place_order(&classic_limit("a", classic::Side::Buy, "0.05", "63900")).await.unwrap();
    assert_eq!(fixture.detail("a").await.unwrap().state, Some(OrderState::Live));

    let named = classic::OrderRef::ClientOid("a".into());
    let modify = classic::ModifyOrder::new("BTCUSDT", ProductType::UsdtFutures, "b", named)
        .new_size(number("0.03"))
        .new_price(number("63950"));
    classic.modify_order(&modify).await.unwrap();
    assert_eq!(fixture.detail("a").await.unwrap().state, Some(OrderState::Canceled));
    assert_eq!(code(fixture.detail("b").await).as_deref(), Some("40768"), "the new order is created later");
    fixture.exchange.time().advance(Duration::from_millis(20));
    assert_eq!(fixture.detail("b").await.unwrap().size, Some(number("0.03")));

    fixture.exchange.fill("b", number("0.01")).unwrap();
    let pending = classic::GetPendingOrders::new(ProductType::UsdtFutures);
    let live = classic.get_pending_orders(&pending).await.unwrap();
    assert!(live.entrusted_list.is_empty(), "without a status, only untouched orders are listed");
    let partly = classic.get_pending_orders(&pending.status(OrderState::PartiallyFilled)).await.unwrap();
    assert_eq!(partly.entrusted_list[0].base_volume, Some(number("0.01")));

    fixture.exchange.fill("b", number("0.02")).unwrap();
    assert_eq!(fixture.detail("b").await.unwrap().state, Some(OrderState::Filled));
    let history = classic::GetHistoryOrder::new(ProductType::UsdtFutures);
    let history = classic.get_history_order(&history).await.unwrap();
    assert_eq!(history.entrusted_list.len(), 2);
    let fills = classic::GetOrderFillDetails::new(ProductType::UsdtFutures);
    let fills = classic.get_order_fill_details(&fills).await.unwrap();
    assert_eq!(fills.fill_list.len(), 2);
    assert_eq!(fills.fill_list[0].quote_volume, Some(number("1279")));
    let scopes = fills.fill_list.iter().map(|fill| fill.trade_scope.as_ref().map(classic::TradeScope::as_str));
    assert_eq!(scopes.collect::<Vec<_>>(), [Some("maker"); 2], "it waited in the book");
}

#[tokio::test]
async fn events_include_tasks_due_since_the_last_request() {
    let fixture = Fixture::one_way();
    let classic = fixture.client.classic();
    classic.place_order(&classic_limit("a", classic::Side::Buy, "0.05", "63900")).await.unwrap();
    let named = classic::OrderRef::ClientOid("a".into());
    let modify = classic::ModifyOrder::new("BTCUSDT", ProductType::UsdtFutures, "b", named)
        .new_size(number("0.03"))
        .new_price(number("64100"));
    classic.modify_order(&modify).await.unwrap();
    fixture.exchange.take_events();
    // The replacement matches the market.
    fixture.exchange.time().advance(Duration::from_secs(1));
    let events = fixture.exchange.take_events();
    assert!(events.iter().any(|event| matches!(event, Event::Filled { .. })), "{events:?}");
}

#[tokio::test]
async fn orders_match_by_price_and_then_by_time() {
    let maker = Fixture::one_way();
    let (second, taker) = (maker.another(Profile::new().both()), maker.another(Profile::new().both()));
    maker.client.unified().place_order(&limit("late", Side::Sell, "0.01", "64001")).await.unwrap();
    second.client.unified().place_order(&limit("first", Side::Sell, "0.01", "64000.5")).await.unwrap();
    maker.client.unified().place_order(&limit("next", Side::Sell, "0.01", "64000.5")).await.unwrap();
    maker.exchange.take_events();
    taker.client.unified().place_order(&market("take", Side::Buy, "0.025")).await.unwrap();
    let state = |fixture: &Fixture, client: &'static str| {
        let view = fixture.unified().open_orders;
        view.iter().find(|order| order.client_id.as_deref() == Some(client)).map(|order| order.filled.to_string())
    };
    assert_eq!((state(&second, "first"), state(&maker, "next")), (None, None), "both are filled");
    assert_eq!(state(&maker, "late").as_deref(), Some("0.005"));
    let record = taker.details("take").await.unwrap();
    assert_eq!(record.order_status, Some(OrderStatus::Filled));
    assert_eq!(record.cum_exec_value, Some(number("1600.015")));
    let fills = maker.exchange.take_events().into_iter().filter(|event| matches!(event, Event::Filled { .. }));
    assert_eq!(fills.count(), 6, "each of three trades has two sides");
}

#[tokio::test]
async fn times_in_force() {
    let fixture = Fixture::one_way();
    let unified = fixture.client.unified();
    let with = |client, price: &str, force| {
        let execution = unified::Execution::limit(number(price)).time_in_force(force);
        unified::PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", number("0.01"), Side::Buy, execution)
            .client_oid(client)
    };
    let id = |client: &str| unified::ClientOid::new(client).unwrap();
    for (client, price, force, status) in [
        ("ioc", "63000", unified::TimeInForce::Ioc, OrderStatus::Cancelled),
        ("fok", "63000", unified::TimeInForce::Fok, OrderStatus::Cancelled),
        ("fok-fills", "64100", unified::TimeInForce::Fok, OrderStatus::Filled),
        ("post", "63000", unified::TimeInForce::PostOnly, OrderStatus::Live),
        ("post-crosses", "64100", unified::TimeInForce::PostOnly, OrderStatus::Cancelled),
        ("gtc-crosses", "64100", unified::TimeInForce::Gtc, OrderStatus::Filled),
    ] {
        unified.place_order(&with(id(client), price, force)).await.unwrap();
        assert_eq!(fixture.details(client).await.unwrap().order_status, Some(status), "{client}");
    }
}

/// The documents bound open orders, and a market order is never one.
#[tokio::test]
async fn an_account_with_all_its_open_orders_can_still_close_at_market() {
    let fixture = Fixture::one_way();
    let unified = fixture.client.unified();
    unified.place_order(&market("open", Side::Buy, "0.01")).await.unwrap();
    for batch in 0..20 {
        let item = |item| {
            let execution = unified::Execution::limit(number("60000"));
            unified::BatchOrderItem::new(Category::UsdtFutures, "BTCUSDT", number("0.001"), Side::Buy, execution)
                .client_oid(format!("a{batch}-{item}").parse().unwrap())
        };
        let placed = unified.batch_order(&unified::BatchOrder::new((0..20).map(item).collect())).await.unwrap();
        assert!(placed.failures().is_empty());
    }
    assert_eq!(fixture.unified().open_orders.len(), 400);
    let refused = unified.place_order(&limit("one-more", Side::Buy, "0.001", "60000")).await;
    assert!(code(refused).is_some(), "no further order may rest");
    unified.place_order(&market("close", Side::Sell, "0.01")).await.unwrap();
    assert!(fixture.unified().positions.is_empty());
}

#[tokio::test]
async fn an_amended_order_keeps_its_state_and_may_trade_at_once() {
    let fixture = Fixture::one_way();
    let unified = fixture.client.unified();
    unified.place_order(&limit("a", Side::Buy, "0.05", "63000")).await.unwrap();
    let amend = unified::ModifyOrder::new(client_ref("a")).qty(number("0.03")).price(number("63100"));
    unified.modify_order(&amend).await.unwrap();
    let record = fixture.details("a").await.unwrap();
    assert_eq!((record.order_status, record.qty), (Some(OrderStatus::Live), Some(number("0.03"))));
    let amend = unified::ModifyOrder::new(client_ref("a")).price(number("64100"));
    unified.modify_order(&amend).await.unwrap();
    assert_eq!(fixture.details("a").await.unwrap().order_status, Some(OrderStatus::Filled));
    let amend = unified::ModifyOrder::new(client_ref("a")).price(number("64000"));
    assert_eq!(code(unified.modify_order(&amend).await).as_deref(), Some("45134"));
}

#[tokio::test]
async fn a_price_that_moves_fills_the_orders_that_it_reaches() {
    let fixture = Fixture::one_way();
    fixture.client.unified().place_order(&limit("a", Side::Buy, "0.05", "63500")).await.unwrap();
    fixture.exchange.set_price("BTCUSDT", 63_700).unwrap();
    assert_eq!(fixture.details("a").await.unwrap().order_status, Some(OrderStatus::Live));
    fixture.exchange.set_price("BTCUSDT", 63_400).unwrap();
    assert_eq!(fixture.details("a").await.unwrap().order_status, Some(OrderStatus::Filled));
}

#[tokio::test]
async fn in_a_lively_market_an_order_near_the_price_is_filled_in_parts() {
    let fixture = Fixture::with(|settings| settings.lively = true, Profile::new().both());
    fixture.client.unified().place_order(&limit("a", Side::Buy, "0.060", "64000")).await.unwrap();
    let mut states = Vec::new();
    for _ in 0..240 {
        let status = fixture.details("a").await.unwrap().order_status.unwrap();
        if states.last() != Some(&status) {
            states.push(status);
        }
        fixture.exchange.time().advance(Duration::from_millis(250));
    }
    assert_eq!(states, [OrderStatus::Live, OrderStatus::PartiallyFilled, OrderStatus::Filled]);
}

#[tokio::test]
async fn spot_coins_change_hands() {
    let fixture = Fixture::one_way();
    let unified = fixture.client.unified();
    unified.place_order(&unified::PlaceOrder::spot_market_buy("BTCUSDT", 6_400)).await.unwrap();
    let book = fixture.exchange.book(Line::Spot, "BTCUSDT");
    let account = fixture.unified();
    let (bought, ask) = (account.balances["BTC"].total, book.asks[0].0);
    // The quantity that the amount buys, less the fee in the received coin.
    assert!(bought > dec!(2.0998) && bought < dec!(2.1), "{bought} at {ask}");
    let spent = rust_decimal::Decimal::from(100_000) - account.balances["USDT"].total;
    assert!(spent <= dec!(6_400) && spent > dec!(6_399), "{spent}");
    assert!(account.balances.values().all(|balance| balance.frozen.is_zero()));

    let too_much = unified::PlaceOrder::spot_market_sell("BTCUSDT", 3);
    assert_eq!(code(unified.place_order(&too_much).await).as_deref(), Some("25202"));
    let assets = unified.get_account_assets(&unified::GetAccountAssets::new()).await.unwrap();
    assert!(assets.assets.iter().any(|asset| asset.coin.as_ref().is_some_and(|coin| coin.as_str() == "BTC")));
}

#[tokio::test]
async fn an_order_without_enough_margin_is_refused() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 1_000));
    let unified = fixture.client.unified();
    // 0.2 BTC at 64000 need 1280 of margin.
    let refused = unified.place_order(&limit("a", Side::Buy, "0.2", "64000")).await;
    assert_eq!(code(refused).as_deref(), Some("40762"));
    unified.place_order(&limit("b", Side::Buy, "0.1", "63000")).await.unwrap();
    let refused = unified.place_order(&limit("c", Side::Buy, "0.1", "63000")).await;
    assert_eq!(code(refused).as_deref(), Some("40762"), "the first order reserves its margin");
    unified.cancel_order(&unified::CancelOrder::new(client_ref("b"))).await.unwrap();
    unified.place_order(&limit("c", Side::Buy, "0.1", "63000")).await.unwrap();
}

#[tokio::test]
async fn a_client_id_is_used_once_or_as_the_settings_say() {
    let fixture = Fixture::one_way();
    let order = limit("a", Side::Buy, "0.01", "63000");
    fixture.client.unified().place_order(&order).await.unwrap();
    assert_eq!(code(fixture.client.unified().place_order(&order).await).as_deref(), Some("25212"));
    let order = classic_limit("a", classic::Side::Buy, "0.01", "63000");
    fixture.client.classic().place_order(&order).await.unwrap();
    assert_eq!(code(fixture.client.classic().place_order(&order).await).as_deref(), Some("40786"));

    let fixture = Fixture::with(|settings| settings.unique_client_ids = false, Profile::new().both());
    let order = limit("a", Side::Buy, "0.01", "63000");
    fixture.client.unified().place_order(&order).await.unwrap();
    fixture.client.unified().place_order(&order).await.unwrap();
    assert_eq!(fixture.unified().open_orders.len(), 2);
}

#[tokio::test]
async fn at_most_four_hundred_orders_are_open() {
    let fixture = Fixture::one_way();
    for index in 0..400 {
        fixture.client.unified().place_order(&limit(&format!("o{index}"), Side::Buy, "0.001", "60000")).await.unwrap();
    }
    let one_more = fixture.client.unified().place_order(&limit("more", Side::Buy, "0.001", "60000")).await;
    assert_eq!(code(one_more).as_deref(), Some("25211"));
    let spot = unified::Execution::limit(number("60000"));
    let spot = unified::PlaceOrder::new(Category::Spot, "BTCUSDT", number("0.001"), Side::Buy, spot);
    fixture.client.unified().place_order(&spot).await.unwrap();
}

#[tokio::test]
async fn rates_are_counted_and_reported() {
    let fixture = Fixture::with(|settings| settings.rate_limits = true, Profile::new().both());
    for left in (0..20).rev() {
        let reply = fixture.client.unified().get_open_orders(&unified::GetOpenOrders::new()).await.unwrap();
        assert_eq!(reply.remaining, Some(left));
    }
    let error = fixture.client.unified().get_open_orders(&unified::GetOpenOrders::new()).await.unwrap_err();
    assert_eq!((error.code(), error.status().map(|status| status.as_u16())), (Some("429"), Some(429)));
    fixture.exchange.time().advance(Duration::from_secs(1));
    fixture.client.unified().get_open_orders(&unified::GetOpenOrders::new()).await.unwrap();
}

#[tokio::test]
async fn faults_are_injected_on_request() {
    let fixture = Fixture::one_way();
    fixture.exchange.refuse_next("40010");
    let refused = fixture.client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await;
    assert_eq!(code(refused).as_deref(), Some("40010"));
    assert!(fixture.unified().open_orders.is_empty());
    fixture.exchange.hide_next("40725");
    let hidden = fixture.client.unified().place_order(&limit("b", Side::Buy, "0.01", "63000")).await;
    assert_eq!(code(hidden).as_deref(), Some("40725"));
    assert_eq!(fixture.details("b").await.unwrap().order_status, Some(OrderStatus::Live));
}

#[tokio::test]
async fn listings_come_in_pages() {
    let fixture = Fixture::one_way();
    for index in 0..25 {
        fixture.client.unified().place_order(&limit(&format!("o{index}"), Side::Buy, "0.001", "60000")).await.unwrap();
    }
    let mut request = unified::GetOpenOrders::new().limit(10);
    let (mut seen, mut pages) = (Vec::new(), 0);
    loop {
        let page = fixture.client.unified().get_open_orders(&request).await.unwrap().data;
        seen.extend(page.list.iter().filter_map(|order| order.order_id.clone()));
        pages += 1;
        let Some(cursor) = page.cursor else { break };
        assert_eq!(Some(cursor.as_str()), seen.last().map(|id| id.as_str()));
        request = request.cursor(cursor);
    }
    assert_eq!((seen.len(), pages), (25, 3));
    assert!(seen.is_sorted_by(|a, b| a.as_str() > b.as_str()), "newest first, each once");
}
