//! Rules of kind `simulated` of the unified family. Each test has the name of its rule.

use std::time::Duration;

use tradeapi::broker::GetAgentDirectCommissions;
use tradeapi::dec;
use tradeapi::unified::{
    BatchCancel, BatchCancelItem, BatchModifyItem, BatchModifyOrders, BatchOrder, BatchOrderItem, CancelAllOrders,
    CancelOrder, CancelRealityOrder, CancelReason, Category, Execution, GetAccountAssets, GetFillHistory,
    GetInsiderTrades, GetOpenOrders, GetOrderHistory, GetRealityFills, ModifyOrder, OrderRef, OrderStatus, PlaceOrder,
    PlaceRealityOrder, PosSide, RealityExecution, Side, StpMode, TimeInForce, YesNo,
};
use tradeapi_exchange::Profile;

use crate::fixture::{Fixture, code, limit, market, number};

fn named(client: &str) -> OrderRef {
    OrderRef::ClientOid(client.parse().unwrap())
}

async fn status(fixture: &Fixture, client: &str) -> OrderStatus {
    fixture.details(client).await.unwrap().order_status.unwrap()
}

async fn place(fixture: &Fixture, order: PlaceOrder) {
    fixture.client.unified().place_order(&order).await.unwrap();
}

#[tokio::test]
async fn market_executes_as_ioc() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.01")).await;
    let record = fixture.details("a").await.unwrap();
    assert_eq!((record.time_in_force, record.order_status), (Some(TimeInForce::Ioc), Some(OrderStatus::Filled)));
}

#[tokio::test]
async fn price_outside_range() {
    let fixture = Fixture::one_way();
    let refused = fixture.client.unified().place_order(&limit("a", Side::Buy, "0.01", "71000")).await;
    assert_eq!(code(refused).as_deref(), Some("25206"));
    let execution = Execution::limit(number("71000")).px_amend_type(YesNo::Yes);
    let order = PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", number("0.01"), Side::Buy, execution)
        .client_oid("b".parse().unwrap());
    place(&fixture, order).await;
    assert_eq!(fixture.details("b").await.unwrap().price, Some(number("70400")));
}

#[tokio::test]
async fn hedge_mode_directions() {
    let fixture = Fixture::hedged();
    let positions = |fixture: &Fixture| {
        let of = |p: &tradeapi_exchange::PositionView| format!("{} {}", p.pos, p.qty.normalize());
        fixture.unified().positions.iter().map(of).collect::<Vec<_>>()
    };
    place(&fixture, market("a", Side::Buy, "0.03").pos_side(PosSide::Long)).await;
    place(&fixture, market("b", Side::Sell, "0.02").pos_side(PosSide::Short)).await;
    assert_eq!(positions(&fixture), ["long 0.03", "short 0.02"]);
    place(&fixture, market("c", Side::Sell, "0.01").pos_side(PosSide::Long)).await;
    place(&fixture, market("d", Side::Buy, "0.02").pos_side(PosSide::Short)).await;
    assert_eq!(positions(&fixture), ["long 0.02"]);
}

#[tokio::test]
async fn one_way_mode_directions() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.03")).await;
    place(&fixture, market("b", Side::Sell, "0.05").reduce_only(true)).await;
    assert!(fixture.unified().positions.is_empty(), "a reduce-only sell closes the long and opens nothing");
    place(&fixture, market("c", Side::Sell, "0.03")).await;
    place(&fixture, market("d", Side::Buy, "0.01").reduce_only(true)).await;
    let position = &fixture.unified().positions[0];
    assert_eq!((position.side.as_str(), position.qty.normalize().to_string().as_str()), ("sell", "0.02"));
}

#[tokio::test]
async fn reduce_only_replaces() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.03")).await;
    place(&fixture, limit("first", Side::Sell, "0.03", "65000").reduce_only(true)).await;
    let order = limit("second", Side::Sell, "0.02", "65100").reduce_only(true);
    let reply = fixture.client.unified().place_order(&order).await.unwrap();
    assert_eq!(reply.order_id, None);
    assert_eq!(
        (status(&fixture, "first").await, status(&fixture, "second").await),
        (OrderStatus::Cancelled, OrderStatus::Live)
    );
}

#[tokio::test]
async fn margin_borrows_by_itself() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 100));
    place(&fixture, PlaceOrder::margin_market_buy("BTCUSDT", 1_000)).await;
    let usdt = fixture.unified().balances["USDT"];
    assert!(usdt.debt > dec!(899) && usdt.debt <= dec!(900), "{usdt:?}");
    assert!(usdt.available.is_zero(), "the rest has repaid a part of the debt: {usdt:?}");
}

#[tokio::test]
async fn auto_borrow_takes_shortfall() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 100));
    let plain = PlaceOrder::spot_market_buy("SOLUSDT", 1_000);
    assert_eq!(code(fixture.client.unified().place_order(&plain).await).as_deref(), Some("25202"));
    let btc = PlaceOrder::spot_market_buy("BTCUSDT", 1_000).auto_borrow(true);
    let refused = code(fixture.client.unified().place_order(&btc).await);
    assert_eq!(refused.as_deref(), Some("25202"), "BTC, which the order receives, can be borrowed");
    place(&fixture, PlaceOrder::spot_market_buy("SOLUSDT", 1_000).auto_borrow(true)).await;
    let debt = fixture.unified().balances["USDT"].debt;
    assert!(debt > dec!(899) && debt <= dec!(900), "{debt}");
    let sold = PlaceOrder::spot_market_sell("SOLUSDT", number("6"));
    place(&fixture, sold).await;
    let usdt = fixture.unified().balances["USDT"];
    assert!(usdt.debt < dec!(10) && usdt.available.is_zero(), "received coins repay the debt: {usdt:?}");
}

#[tokio::test]
async fn presets_of_a_spot_order_apply_to_the_bought_quantity() {
    let fixture = Fixture::one_way();
    fixture.exchange.set_price("BTCUSDT", 64_000).unwrap();
    let before = fixture.unified().balances["BTC"].total;
    let execution = Execution::limit(number("64010"));
    let order = PlaceOrder::new(Category::Spot, "BTCUSDT", number("0.01"), Side::Buy, execution)
        .client_oid("a".parse().unwrap())
        .take_profit(number("66000"))
        .stop_loss(number("63000"));
    place(&fixture, order).await;
    assert_eq!(status(&fixture, "a").await, OrderStatus::Filled);
    fixture.exchange.set_price("BTCUSDT", 65_000).unwrap();
    assert!(fixture.unified().balances["BTC"].total > before, "between both prices nothing happens");
    fixture.exchange.set_price("BTCUSDT", 62_900).unwrap();
    let btc = fixture.unified().balances["BTC"].total;
    assert!(btc >= before && btc - before < dec!(0.000001), "{before} {btc}");
    let history = GetOrderHistory::new(Category::Spot);
    let history = fixture.client.unified().get_order_history(&history).await.unwrap();
    let kinds: Vec<_> = history.list.iter().map(|order| order.delegate_type.as_ref().unwrap().as_str()).collect();
    assert_eq!(kinds, ["position_stop_loss_market", "normal"]);
    fixture.exchange.set_price("BTCUSDT", 67_000).unwrap();
    assert_eq!(fixture.unified().balances["BTC"].total, btc, "the stop-loss has removed the take-profit");
}

#[tokio::test]
async fn a_position_without_margin_is_liquidated() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 100));
    fixture.exchange.set_price("BTCUSDT", 64_000).unwrap();
    place(&fixture, market("a", Side::Buy, "0.014")).await;
    place(&fixture, limit("b", Side::Sell, "0.001", "70000").reduce_only(true)).await;
    fixture.exchange.set_price("BTCUSDT", 58_000).unwrap();
    assert_eq!(fixture.unified().positions.len(), 1, "the loss is 84 of 100 USDT");
    fixture.exchange.set_price("BTCUSDT", 57_000).unwrap();
    let account = fixture.unified();
    assert!(account.positions.is_empty() && account.open_orders.is_empty());
    let history = GetOrderHistory::new(Category::UsdtFutures);
    let history = fixture.client.unified().get_order_history(&history).await.unwrap();
    assert_eq!(history.list[0].exec_type.as_ref().unwrap().as_str(), "liquidation");
}

#[tokio::test]
async fn a_market_without_liquidation_leaves_positions() {
    let fixture = Fixture::with(|settings| settings.liquidation = false, Profile::new().both().balance("USDT", 100));
    fixture.exchange.set_price("BTCUSDT", 64_000).unwrap();
    place(&fixture, market("a", Side::Buy, "0.014")).await;
    fixture.exchange.set_price("BTCUSDT", 50_000).unwrap();
    assert_eq!(fixture.unified().positions.len(), 1);
}

#[tokio::test]
async fn unknown_outcome_query() {
    let fixture = Fixture::one_way();
    for code in ["40010", "40725", "45001"] {
        let (done, not_done) = (format!("done-{code}"), format!("not-{code}"));
        fixture.exchange.hide_next(code);
        assert!(fixture.client.unified().place_order(&limit(&done, Side::Buy, "0.01", "63000")).await.is_err());
        fixture.exchange.refuse_next(code);
        assert!(fixture.client.unified().place_order(&limit(&not_done, Side::Buy, "0.01", "63000")).await.is_err());
        assert_eq!(status(&fixture, &done).await, OrderStatus::Live);
        assert!(fixture.details(&not_done).await.is_err());
    }
}

#[tokio::test]
async fn defaults_of_place_order() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.01", "63000").take_profit(number("70000")).stop_loss(number("60000")))
        .await;
    let record = fixture.details("a").await.unwrap();
    assert_eq!(record.time_in_force, Some(TimeInForce::Gtc));
    assert_eq!(record.stp_mode, Some(StpMode::Off));
    assert_eq!(record.reduce_only, Some(false.into()));
    assert_eq!(record.margin_mode, Some(tradeapi::unified::MarginMode::Crossed));
    let by_market = Some(tradeapi::unified::TriggerBy::Market);
    assert_eq!((record.tp_trigger_by, record.sl_trigger_by), (by_market.clone(), by_market));
}

#[tokio::test]
async fn self_trades_are_prevented() {
    let is_left = |mode: StpMode| async move {
        let fixture = Fixture::one_way();
        place(&fixture, limit("maker", Side::Sell, "0.01", "64000.5")).await;
        place(&fixture, limit("taker", Side::Buy, "0.01", "64000.5").stp_mode(mode)).await;
        let why = fixture.details("taker").await.unwrap().cancel_reason;
        assert_eq!(why.is_some(), matches!(why, Some(CancelReason::NormalCancel)), "the document lists no other");
        let (maker, taker) = (status(&fixture, "maker").await, status(&fixture, "taker").await);
        assert_eq!(why.is_some(), taker == OrderStatus::Cancelled);
        (maker, taker)
    };
    use OrderStatus::{Cancelled, Filled, Live};
    assert_eq!(is_left(StpMode::Off).await, (Filled, Filled));
    assert_eq!(is_left(StpMode::CancelTaker).await, (Live, Cancelled));
    assert_eq!(is_left(StpMode::CancelMaker).await, (Cancelled, Live));
    assert_eq!(is_left(StpMode::CancelBoth).await, (Cancelled, Cancelled));
}

#[tokio::test]
async fn cancelled_orders_kept_two_hours() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.01", "63000")).await;
    place(&fixture, market("b", Side::Buy, "0.01")).await;
    fixture.client.unified().cancel_order(&CancelOrder::new(named("a"))).await.unwrap();
    let listed = || async {
        let history = fixture.client.unified().get_order_history(&GetOrderHistory::new(Category::UsdtFutures)).await;
        history.unwrap().list.len()
    };
    fixture.exchange.time().advance(Duration::from_secs(7_199));
    assert_eq!((listed().await, status(&fixture, "a").await), (2, OrderStatus::Cancelled));
    fixture.exchange.time().advance(Duration::from_secs(1));
    assert_eq!(listed().await, 1);
    assert_eq!(code(fixture.details("a").await).as_deref(), Some("25204"));
    fixture.exchange.time().advance(Duration::from_secs(80 * 24 * 60 * 60));
    assert_eq!(listed().await, 1, "the filled order stays");
}

#[tokio::test]
async fn batch_items_fail_alone() {
    let fixture = Fixture::one_way();
    let item = |client: &str, qty: &str| {
        let execution = Execution::limit(number("63000"));
        BatchOrderItem::new(Category::UsdtFutures, "BTCUSDT", number(qty), Side::Buy, execution)
            .client_oid(client.parse().unwrap())
    };
    let batch = BatchOrder::new(vec![item("a", "0.01"), item("b", "0.0001"), item("c", "500"), item("a", "0.01")]);
    let results = fixture.client.unified().batch_order(&batch).await.unwrap();
    let codes: Vec<_> = results.iter().map(|result| result.code.as_deref().unwrap_or("-")).collect();
    assert_eq!(codes, ["-", "25611", "40762", "25212"]);
    assert_eq!(fixture.unified().open_orders.len(), 1);
}

#[tokio::test]
async fn partial_success() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.01", "63000")).await;
    let item = |client| BatchCancelItem::new(Category::UsdtFutures, "BTCUSDT", named(client));
    let results =
        fixture.client.unified().batch_cancel(&BatchCancel::new(vec![item("gone"), item("a")])).await.unwrap();
    let codes: Vec<_> = results.iter().map(|result| result.code.as_deref()).collect();
    assert_eq!(codes, [Some("24056"), None]);
    assert!(fixture.unified().open_orders.is_empty());
}

#[tokio::test]
async fn no_symbol_means_whole_category() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.01", "63000")).await;
    let eth =
        PlaceOrder::new(Category::UsdtFutures, "ETHUSDT", number("1"), Side::Buy, Execution::limit(number("3000")));
    place(&fixture, eth).await;
    let eth = CancelAllOrders::new(Category::UsdtFutures).symbol("ETHUSDT");
    assert_eq!(fixture.client.unified().cancel_all_orders(&eth).await.unwrap().len(), 1);
    place(&fixture, limit("b", Side::Buy, "0.01", "63000")).await;
    let all = fixture.client.unified().cancel_all_orders(&CancelAllOrders::new(Category::UsdtFutures)).await.unwrap();
    assert_eq!((all.len(), fixture.unified().open_orders.len()), (2, 0));
}

#[tokio::test]
async fn qty_not_below_filled() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.05", "63000")).await;
    fixture.exchange.fill("a", number("0.03")).unwrap();
    let amend = |qty| ModifyOrder::new(named("a")).qty(number(qty));
    assert_eq!(code(fixture.client.unified().modify_order(&amend("0.02")).await).as_deref(), Some("25568"));
    fixture.client.unified().modify_order(&amend("0.04")).await.unwrap();
    assert_eq!(status(&fixture, "a").await, OrderStatus::PartiallyFilled);
    fixture.exchange.fill("a", number("0.01")).unwrap();
    assert_eq!(status(&fixture, "a").await, OrderStatus::Filled);
}

#[tokio::test]
async fn one_modification_at_a_time() {
    let fixture = Fixture::with(|settings| settings.modification_delay = Duration::from_secs(1), Profile::new().both());
    place(&fixture, limit("a", Side::Buy, "0.05", "63000")).await;
    let amend = |price| ModifyOrder::new(named("a")).price(number(price));
    fixture.client.unified().modify_order(&amend("63001")).await.unwrap();
    assert_eq!(code(fixture.client.unified().modify_order(&amend("63002")).await).as_deref(), Some("25572"));
    fixture.exchange.time().advance(Duration::from_secs(1));
    fixture.client.unified().modify_order(&amend("63003")).await.unwrap();
    assert_eq!(fixture.details("a").await.unwrap().price, Some(number("63001")));
}

#[tokio::test]
async fn five_modifications_in_progress() {
    let fixture = Fixture::with(|settings| settings.modification_delay = Duration::from_secs(1), Profile::new().both());
    place(&fixture, limit("a", Side::Buy, "0.05", "63000")).await;
    let amend = |price: String| BatchModifyOrders::new(vec![BatchModifyItem::new(named("a")).price(number(&price))]);
    let mut codes = Vec::new();
    for index in 1..=6 {
        let results = fixture.client.unified().batch_modify_orders(&amend(format!("6300{index}"))).await.unwrap();
        codes.push(results[0].code.clone());
    }
    assert_eq!(codes[..5], [const { None }; 5]);
    assert_eq!(codes[5].as_deref(), Some("25572"));
    fixture.exchange.time().advance(Duration::from_secs(1));
    assert_eq!(fixture.details("a").await.unwrap().price, Some(number("63005")));
}

#[tokio::test]
async fn nothing_after_auto_cancel() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.05", "63000")).await;
    let amend = ModifyOrder::new(named("a")).price(number("90000")).auto_cancel(true).request_id(17);
    let error = fixture.client.unified().modify_order(&amend).await.unwrap_err();
    assert!(error.message().is_some_and(|message| message.contains("requestId 17")), "{error}");
    assert_eq!(status(&fixture, "a").await, OrderStatus::Cancelled);
    let amend = ModifyOrder::new(named("a")).price(number("63100"));
    assert_eq!(code(fixture.client.unified().modify_order(&amend).await).as_deref(), Some("45134"));
}

#[tokio::test]
async fn without_auto_cancel_a_rejected_modification_leaves_the_order() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.05", "63000")).await;
    let amend = ModifyOrder::new(named("a")).price(number("90000"));
    assert_eq!(code(fixture.client.unified().modify_order(&amend).await).as_deref(), Some("25206"));
    assert_eq!(status(&fixture, "a").await, OrderStatus::Live);
}

#[tokio::test]
async fn no_reduce_only() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.03")).await;
    place(&fixture, limit("b", Side::Sell, "0.03", "65000").reduce_only(true)).await;
    let amend = BatchModifyOrders::new(vec![BatchModifyItem::new(named("b")).price(number("65100"))]);
    let results = fixture.client.unified().batch_modify_orders(&amend).await.unwrap();
    assert_eq!(results[0].code.as_deref(), Some("25574"));
}

#[tokio::test]
async fn only_unfilled_or_partly() {
    let fixture = Fixture::one_way();
    for client in ["live", "partly", "filled", "cancelled"] {
        place(&fixture, limit(client, Side::Buy, "0.02", "63000")).await;
    }
    fixture.exchange.fill("partly", number("0.01")).unwrap();
    fixture.exchange.fill("filled", number("0.02")).unwrap();
    fixture.client.unified().cancel_order(&CancelOrder::new(named("cancelled"))).await.unwrap();
    let open = fixture.client.unified().get_open_orders(&GetOpenOrders::new()).await.unwrap();
    let clients: Vec<_> =
        open.list.iter().filter_map(|order| order.client_oid.as_ref()).map(|id| id.as_str()).collect();
    assert_eq!(clients, ["partly", "live"]);
}

#[tokio::test]
async fn only_non_zero_balances() {
    let fixture = Fixture::one_way();
    let assets = fixture.client.unified().get_account_assets(&GetAccountAssets::new()).await.unwrap();
    let coins: Vec<_> =
        assets.assets.iter().filter_map(|asset| asset.coin.as_ref()).map(|coin| coin.as_str()).collect();
    assert_eq!(coins, ["BTC", "ETH", "USDC", "USDT"]);
}

#[tokio::test]
async fn reality_orders() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().whitelisted());
    let limit = |price| RealityExecution::limit(number(price));
    let order = PlaceRealityOrder::new("rAAPLUSDT", Side::Buy, limit("225.00"), number("1"));
    let placed = fixture.client.unified().place_reality_order(&order).await.unwrap();
    assert_eq!(placed.client_oid, None, "an empty clientOid is absent");
    let id = OrderRef::OrderId(placed.order_id.clone().unwrap());
    fixture.client.unified().cancel_reality_order(&CancelRealityOrder::new("rAAPLUSDT", id.clone())).await.unwrap();
    let again = fixture.client.unified().cancel_reality_order(&CancelRealityOrder::new("rAAPLUSDT", id)).await;
    assert_eq!(code(again).as_deref(), Some("45134"));

    let market = PlaceRealityOrder::new("rAAPLUSDT", Side::Buy, RealityExecution::Market, number("230.05"));
    fixture.client.unified().place_reality_order(&market).await.unwrap();
    let fills = fixture.client.unified().get_reality_fills(&GetRealityFills::new("rAAPLUSDT")).await.unwrap();
    assert_eq!((fills.len(), fills[0].size.clone()), (1, Some(number("1.0001"))));

    let stranger = fixture.another(Profile::new().both());
    let refused = stranger.client.unified().place_reality_order(&order).await;
    assert_eq!(code(refused).as_deref(), Some("40014"));
}

#[tokio::test]
async fn insider_trades_are_public_and_come_in_pages() {
    let fixture = Fixture::one_way();
    let mut request = GetInsiderTrades::new("AAPL");
    let first = fixture.client.unified().get_insider_trades(&request).await.unwrap().data;
    assert_eq!(first.list.len(), 20, "limit.default");
    request = request.limit(100);
    let mut seen = 0;
    loop {
        let page = fixture.client.unified().get_insider_trades(&request).await.unwrap().data;
        seen += page.list.len();
        let Some(cursor) = page.cursor else { break };
        request = request.cursor(cursor);
    }
    assert_eq!(seen, 250);
}

#[tokio::test]
async fn commissions_default_is_previous_day_and_arrive_a_day_later() {
    let fixture = Fixture::one_way();
    let broker = fixture.client.broker();
    // The clock starts at 2026-01-01 00:00 UTC, which is 08:00 in UTC+8; the previous day begins at 16:00 UTC.
    let day = |days: u64| (1_767_110_400_000 + days * 86_400_000).to_string();
    let report = broker.get_agent_direct_commissions(&GetAgentDirectCommissions::new()).await.unwrap();
    let dates: Vec<_> = report.commission_list.iter().filter_map(|found| found.date.clone()).collect();
    assert_eq!(dates, vec![day(0); 4]);
    let now = fixture.exchange.time().now();
    let week = now.checked_sub(Duration::from_secs(7 * 86_400)).unwrap();
    let request = GetAgentDirectCommissions::new().between(week, now);
    let report = broker.get_agent_direct_commissions(&request).await.unwrap();
    assert_eq!(report.commission_list[0].date, Some(day(0)), "today is not readable yet");
    assert_eq!(report.commission_list.len(), 24, "six days begin within the week and are over");
}

#[tokio::test]
async fn limit_default() {
    let fixture = Fixture::one_way();
    for index in 0..105 {
        place(&fixture, limit(&format!("o{index}"), Side::Buy, "0.001", "60000")).await;
        place(&fixture, market(&format!("m{index}"), Side::Buy, "0.001")).await;
    }
    let unified = fixture.client.unified();
    let open = unified.get_open_orders(&GetOpenOrders::new()).await.unwrap();
    let history = unified.get_order_history(&GetOrderHistory::new(Category::UsdtFutures)).await.unwrap();
    let fills = unified.get_fill_history(&GetFillHistory::new()).await.unwrap();
    assert_eq!((open.list.len(), history.list.len(), fills.list.len()), (100, 100, 100));
    let mut pages = fixture.client.pages(GetFillHistory::new());
    let mut count = 0;
    while let Some(page) = pages.next_page().await {
        count += page.unwrap().list.len();
    }
    assert_eq!(count, 105, "the client's own pages find each fill once");

    let now = fixture.exchange.time().now();
    let month = now.checked_sub(Duration::from_secs(30 * 86_400)).unwrap();
    let report = GetAgentDirectCommissions::new().between(month, now);
    let report = fixture.client.broker().get_agent_direct_commissions(&report).await.unwrap();
    assert_eq!(report.commission_list.len(), 100);
}

#[tokio::test]
async fn reality_fills_of_three_months() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().whitelisted());
    let buy = PlaceRealityOrder::new("rAAPLUSDT", Side::Buy, RealityExecution::Market, number("50"));
    for _ in 0..105 {
        fixture.client.unified().place_reality_order(&buy).await.unwrap();
    }
    let count = || async {
        fixture.client.unified().get_reality_fills(&GetRealityFills::new("rAAPLUSDT")).await.unwrap().len()
    };
    assert_eq!(count().await, 100);
    fixture.exchange.time().advance(Duration::from_secs(91 * 86_400));
    assert_eq!(count().await, 0);
}

#[tokio::test]
async fn items_as_modify_order() {
    let fixture = Fixture::one_way();
    for client in ["a", "b", "c"] {
        place(&fixture, limit(client, Side::Buy, "0.05", "63000")).await;
    }
    let too_high = |client: &str| BatchModifyItem::new(named(client)).price(number("90000"));
    let items = vec![too_high("a"), too_high("b").auto_cancel(true).request_id(5), too_high("c").px_amend_type(true)];
    let results = fixture.client.unified().batch_modify_orders(&BatchModifyOrders::new(items)).await.unwrap();
    let codes: Vec<_> = results.iter().map(|result| result.code.as_deref().unwrap_or("-")).collect();
    assert_eq!(codes, ["25206", "25206", "-"]);
    assert_eq!(status(&fixture, "a").await, OrderStatus::Live, "by default, the order stays");
    assert_eq!(status(&fixture, "b").await, OrderStatus::Cancelled);
    assert_eq!(fixture.details("c").await.unwrap().price, Some(number("70400")), "the best price within the range");
}

#[tokio::test]
async fn items_as_place_order() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("maker", Side::Sell, "0.01", "64000.5")).await;
    let item = |client: &str, execution: Execution| {
        BatchOrderItem::new(Category::UsdtFutures, "BTCUSDT", number("0.01"), Side::Buy, execution)
            .client_oid(client.parse().unwrap())
    };
    let limit = |price| Execution::limit(number(price));
    let items = vec![
        item("stp", limit("64000.5").into()).stp_mode(StpMode::CancelTaker),
        item("post", limit("64000.5").time_in_force(TimeInForce::PostOnly).into()),
        item("plain", limit("63000").into()),
        item("far", limit("90000").into()),
        item("amended", limit("90000").px_amend_type(YesNo::Yes).into()),
    ];
    let results = fixture.client.unified().batch_order(&BatchOrder::new(items)).await.unwrap();
    let codes: Vec<_> = results.iter().map(|result| result.code.as_deref().unwrap_or("-")).collect();
    assert_eq!(codes, ["-", "-", "-", "25206", "-"]);
    assert_eq!(status(&fixture, "stp").await, OrderStatus::Cancelled);
    assert_eq!(status(&fixture, "post").await, OrderStatus::Cancelled);
    let plain = fixture.details("plain").await.unwrap();
    assert_eq!((plain.time_in_force, plain.stp_mode), (Some(TimeInForce::Gtc), Some(StpMode::Off)));
    assert_eq!(status(&fixture, "amended").await, OrderStatus::Filled);
}

#[tokio::test]
async fn a_stop_loss_closes_at_its_limit_price() {
    let fixture = Fixture::hedged();
    let order = market("a", Side::Sell, "0.02").pos_side(PosSide::Short).stop_loss(number("65000"));
    let limit = tradeapi::unified::OrderType::Limit;
    place(&fixture, order.sl_order_type(limit).sl_limit_price(number("64500"))).await;
    fixture.exchange.set_price("BTCUSDT", 65_200).unwrap();
    let account = fixture.unified();
    assert_eq!(account.open_orders[0].price.map(|price| price.normalize().to_string()).as_deref(), Some("64500"));
    fixture.exchange.set_price("BTCUSDT", 64_400).unwrap();
    assert!(fixture.unified().positions.is_empty(), "filled as the price comes back");
}
