//! Decisions of the exchange that no other test shows. `decisions.tsv` names a test for each row of
//! [`DECISIONS`](tradeapi_exchange::DECISIONS).

use std::time::Duration;

use rust_decimal::Decimal;
use serde_json::json;
use tradeapi::Timestamp;
use tradeapi::classic::{self, TradeSide};
use tradeapi::dec;
use tradeapi::observed::{self, GetCandles, GetContractTrades, GetFundingRate, Interval};
use tradeapi::unified::{
    BatchModifyItem, BatchModifyOrders, CancelOrder, Category, GetFillHistory, GetOrderHistory, ModifyOrder, OrderRef,
    OrderStatus, PlaceOrder, PosSide, Side, TriggerBy, YesNo,
};
use tradeapi_exchange::{Exchange, Profile, Settings, Time};

use crate::fixture::{Fixture, classic_limit, classic_market, code, limit, market, number};
use crate::raw::{get, post};

fn named(client: &str) -> OrderRef {
    OrderRef::ClientOid(client.parse().unwrap())
}

async fn place(fixture: &Fixture, order: PlaceOrder) {
    fixture.client.unified().place_order(&order).await.unwrap();
}

async fn status(fixture: &Fixture, client: &str) -> Option<OrderStatus> {
    fixture.details(client).await.unwrap().order_status
}

#[tokio::test]
async fn refusals_have_the_status_of_the_settings() {
    for status in [400, 200] {
        let fixture = Fixture::with(|settings| settings.refusal_status = status, Profile::new().both());
        let refused = fixture.client.unified().cancel_order(&CancelOrder::new(named("nothing"))).await.unwrap_err();
        assert_eq!(refused.status().map(|status| status.as_u16()), Some(status), "{refused}");
    }
}

#[tokio::test]
async fn in_one_way_mode_a_position_side_is_ignored() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.030").pos_side(PosSide::Long)).await;
    place(&fixture, market("b", Side::Sell, "0.050").pos_side(PosSide::Long)).await;
    let position = &fixture.unified().positions[0];
    assert_eq!((position.pos.to_string().as_str(), position.side.to_string().as_str()), ("net", "sell"));
    assert_eq!(position.qty, Decimal::new(20, 3));
}

#[tokio::test]
async fn candles_begin_at_the_start_or_after_it() {
    for (is_after, count) in [(false, 3), (true, 2)] {
        let fixture = Fixture::with(|settings| settings.candles_after_start = is_after, Profile::new().both());
        fixture.exchange.set_price("BTCUSDT", 64_000).unwrap();
        let start = fixture.exchange.time().now().as_millis() / 60_000 * 60_000;
        fixture.exchange.time().advance(Duration::from_secs(120));
        let minutes = GetCandles::new(observed::Category::UsdtFutures, "BTCUSDT", Interval::Minute1);
        let minutes = minutes.start_time(Timestamp::from_millis(start));
        let minutes = fixture.client.observed().get_candles(&minutes).await.unwrap().data;
        assert_eq!(minutes.len(), count, "the last one, which is not closed yet, is among them");
    }
}

#[test]
fn values_with_dates_end_by_the_clock_of_the_exchange_and_its_settings() {
    let close = json!({"productType": "COIN-FUTURES"});
    let ends = |begun, takes_ended_values| {
        let mut settings = Settings::default();
        settings.takes_ended_values = takes_ended_values;
        let time = Time::by_hand_from(Timestamp::from_millis(begun));
        let exchange = Exchange::with(settings, time, Profile::new().both());
        let answer = post("/api/v2/mix/order/cancel-all-orders", &close).send(&exchange);
        let listed = get("/api/v2/mix/order/orders-pending?productType=COIN-FUTURES").send(&exchange);
        assert_eq!(listed["code"], "00000", "a listing is empty");
        answer["msg"].as_str().is_some_and(|message| message.contains("the exchange takes it until 2026-09-17"))
    };
    assert!(!ends(1_786_000_000_000, false), "2026-08-06");
    assert!(ends(1_790_000_000_000, false), "2026-09-21");
    assert!(!ends(1_790_000_000_000, true), "the documents still have the value");
}

#[tokio::test]
async fn a_month_has_one_candle() {
    let fixture = Fixture::one_way();
    fixture.exchange.set_price("BTCUSDT", 64_000).unwrap();
    for interval in [Interval::Month1, Interval::Month1Utc] {
        let months = GetCandles::new(observed::Category::UsdtFutures, "BTCUSDT", interval);
        assert_eq!(fixture.client.observed().get_candles(&months).await.unwrap().data.len(), 1);
    }
}

#[tokio::test]
async fn funding_rates_are_those_of_a_contract_a_line_or_all_lines() {
    let fixture = Fixture::one_way();
    let all = GetFundingRate::new();
    let count = async |wanted: &GetFundingRate| {
        fixture.client.observed().get_funding_rate(wanted).await.map(|rates| rates.data.len())
    };
    assert_eq!(count(&all.clone().symbol("BTCUSDT")).await.unwrap(), 1);
    let line = count(&all.clone().category(observed::Category::UsdcFutures)).await.unwrap();
    assert!(1 < line && line < count(&all).await.unwrap(), "{line}");
    assert_eq!(code(count(&all.symbol("NOSUCH")).await).as_deref(), Some("25100"));
}

#[tokio::test]
async fn trades_of_a_week_are_listed_without_times() {
    let fixture = Fixture::one_way();
    let client = fixture.client.observed();
    place(&fixture, market("a", Side::Buy, "0.01")).await;
    let trades = GetContractTrades::new("BTCUSDT", observed::ProductType::UsdtFutures);
    let count = async |trades: &GetContractTrades| client.get_contract_trades(trades).await.unwrap().data.len();
    let begun = fixture.exchange.time().now();
    let listed = count(&trades).await;
    assert!(listed > 0);
    fixture.exchange.time().advance(Duration::from_secs(8 * 24 * 60 * 60));
    assert_eq!(count(&trades).await, 0);
    let since = trades.start_time(Timestamp::from_millis(begun.as_millis() - 60_000));
    assert_eq!(count(&since).await, listed);
}

#[tokio::test]
async fn a_limit_close_beyond_the_free_part_is_refused() {
    let fixture = Fixture::hedged();
    fixture.open(classic::Side::Buy, "0.100").await;
    let close = |client, size| classic_limit(client, classic::Side::Buy, size, "65000").trade_side(TradeSide::Close);
    fixture.client.classic().place_order(&close("a", "0.070")).await.unwrap();
    assert!(code(fixture.client.classic().place_order(&close("b", "0.031")).await).is_some());
    fixture.client.classic().place_order(&close("c", "0.030")).await.unwrap();
    assert_eq!(fixture.classic().open_orders.len(), 2);
}

#[tokio::test]
async fn the_unified_family_closes_in_hedge_mode_as_the_classic_one() {
    let fixture = Fixture::hedged();
    place(&fixture, market("a", Side::Buy, "0.100").pos_side(PosSide::Long)).await;
    place(&fixture, limit("limit", Side::Sell, "0.070", "65000").pos_side(PosSide::Long)).await;
    place(&fixture, market("b", Side::Sell, "0.050").pos_side(PosSide::Long)).await;
    assert_eq!(fixture.unified().positions[0].qty, dec!(0.07), "only 0.030 are free");
    place(&fixture, limit("new", Side::Sell, "0.040", "65500").pos_side(PosSide::Long)).await;
    assert_eq!(status(&fixture, "limit").await, Some(OrderStatus::Cancelled), "it occupied the whole position");
}

#[tokio::test]
async fn a_reduce_only_order_does_not_open_a_position_in_hedge_mode() {
    let fixture = Fixture::hedged();
    place(&fixture, market("open", Side::Buy, "0.030").pos_side(PosSide::Long)).await;
    let reducing = |client, side| market(client, side, "0.010").pos_side(PosSide::Long).reduce_only(YesNo::Yes);
    let refused = fixture.client.unified().place_order(&reducing("adds", Side::Buy)).await.unwrap_err();
    assert!(refused.to_string().contains("reduceOnly: "), "{refused}");
    place(&fixture, reducing("closes", Side::Sell)).await;
    assert_eq!(fixture.unified().positions[0].qty, dec!(0.02));
}

#[tokio::test]
async fn a_reversal_in_one_way_mode_is_netted() {
    let fixture = Fixture::one_way();
    fixture.open(classic::Side::Buy, "0.030").await;
    let reversal = classic::Reversal::new("BTCUSDT", "USDT", classic::ProductType::UsdtFutures, classic::Side::Sell);
    fixture.client.classic().reversal(&reversal.size(number("0.010"))).await.unwrap();
    assert_eq!(fixture.sizes(), [("net buy".to_owned(), "0.01".to_owned())].into());
}

#[tokio::test]
async fn the_trade_side_of_a_reversal_means_nothing() {
    for trade_side in [TradeSide::Open, TradeSide::Close] {
        let fixture = Fixture::hedged();
        fixture.open(classic::Side::Buy, "0.020").await;
        let line = classic::ProductType::UsdtFutures;
        let reversal = classic::Reversal::new("BTCUSDT", "USDT", line, classic::Side::Buy).trade_side(trade_side);
        fixture.client.classic().reversal(&reversal).await.unwrap();
        assert_eq!(fixture.sizes(), [("short sell".to_owned(), "0.02".to_owned())].into());
    }
}

#[tokio::test]
async fn a_replacement_is_answered_with_the_old_id() {
    let fixture = Fixture::one_way();
    let placed = fixture.client.classic().place_order(&classic_limit("a", classic::Side::Buy, "0.05", "63900")).await;
    let line = classic::ProductType::UsdtFutures;
    let modify = classic::ModifyOrder::new("BTCUSDT", line, "b", classic::OrderRef::ClientOid("a".into()))
        .new_size(number("0.03"))
        .new_price(number("63950"));
    let modified = fixture.client.classic().modify_order(&modify).await.unwrap().data;
    assert_eq!(modified.order_id, placed.unwrap().data.order_id);
    assert_eq!(modified.client_oid.as_ref().map(|id| id.as_str()), Some("b"));
}

#[tokio::test]
async fn an_order_keeps_its_place_only_if_it_becomes_smaller() {
    for (qty, first) in [("0.010", "a"), ("0.030", "b")] {
        let fixture = Fixture::one_way();
        let (other, taker) = (fixture.another(Profile::new().both()), fixture.another(Profile::new().both()));
        place(&fixture, limit("a", Side::Buy, "0.020", "63999.5")).await;
        place(&other, limit("b", Side::Buy, "0.020", "63999.5")).await;
        let amend = ModifyOrder::new(named("a")).qty(number(qty));
        fixture.client.unified().modify_order(&amend).await.unwrap();
        place(&taker, market("take", Side::Sell, "0.010")).await;
        let is_filled = |fixture: &Fixture| fixture.unified().positions.len() == 1;
        assert_eq!((is_filled(&fixture), is_filled(&other)), (first == "a", first == "b"), "{qty}");
    }
}

fn amendment(client: &str, price: &str) -> ModifyOrder {
    ModifyOrder::new(named(client)).price(number(price)).auto_cancel(true)
}

async fn amend(fixture: &Fixture, request: &ModifyOrder) -> Option<String> {
    code(fixture.client.unified().modify_order(request).await)
}

#[tokio::test]
async fn auto_cancel_follows_a_refusal_that_depends_on_the_order() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 10_000));
    let nothing = ModifyOrder::new(named("nothing")).auto_cancel(true);
    let of_nothing = ModifyOrder::new(named("small")).qty(number("0.001")).auto_cancel(true);
    let of_funds = ModifyOrder::new(named("funds")).qty(number("100")).auto_cancel(true);
    let (of_range, of_step) = (amendment("range", "90000"), amendment("step", "63000.05"));
    for (client, request, is_cancelled) in [
        ("range", of_range, true),
        ("step", of_step, true),
        ("funds", of_funds, true),
        ("small", of_nothing, true),
        ("nothing", nothing, false),
    ] {
        place(&fixture, limit(client, Side::Buy, "0.02", "63000")).await;
        if client == "small" {
            fixture.exchange.fill(client, number("0.01")).unwrap();
        }
        assert!(amend(&fixture, &request).await.is_some(), "{client}");
        let cancelled = status(&fixture, client).await == Some(OrderStatus::Cancelled);
        assert_eq!(cancelled, is_cancelled, "{client}");
    }
}

#[tokio::test]
async fn auto_cancel_of_a_modification_too_many_follows_the_settings() {
    for cancels in [false, true] {
        let settings = |settings: &mut Settings| {
            (settings.modification_delay, settings.auto_cancel_in_progress) = (Duration::from_secs(1), cancels);
        };
        let fixture = Fixture::with(settings, Profile::new().both());
        place(&fixture, limit("a", Side::Buy, "0.02", "63000")).await;
        assert_eq!(amend(&fixture, &amendment("a", "63001")).await, None);
        assert_eq!(amend(&fixture, &amendment("a", "63002")).await.as_deref(), Some("25572"));
        let is_cancelled = || async { status(&fixture, "a").await == Some(OrderStatus::Cancelled) };
        assert_eq!(is_cancelled().await, cancels);
        fixture.exchange.time().advance(Duration::from_secs(1));
        assert_eq!(is_cancelled().await, cancels);
        let price = fixture.details("a").await.unwrap().price;
        assert_eq!(price, Some(number(if cancels { "63000" } else { "63001" })));
        // Without autoCancel, the order stays.
        place(&fixture, limit("b", Side::Buy, "0.02", "63000")).await;
        assert_eq!(amend(&fixture, &amendment("b", "63001").auto_cancel(false)).await, None);
        assert!(amend(&fixture, &amendment("b", "63002").auto_cancel(false)).await.is_some());
        assert_eq!(status(&fixture, "b").await, Some(OrderStatus::Live));
    }
}

#[tokio::test]
async fn modifications_in_progress_fail_with_the_order_that_one_cancels() {
    let fixture = Fixture::with(|settings| settings.modification_delay = Duration::from_secs(1), Profile::new().both());
    place(&fixture, limit("a", Side::Buy, "0.02", "63000")).await;
    for (price, cancels) in [("90000", YesNo::Yes), ("63001", YesNo::No)] {
        let item = BatchModifyItem::new(named("a")).price(number(price)).auto_cancel(cancels);
        let accepted = fixture.client.unified().batch_modify_orders(&BatchModifyOrders::new(vec![item])).await.unwrap();
        assert_eq!(accepted[0].code, None);
    }
    fixture.exchange.time().advance(Duration::from_secs(2));
    let order = fixture.details("a").await.unwrap();
    assert_eq!((order.order_status, order.price), (Some(OrderStatus::Cancelled), Some(number("63000"))));
    assert_eq!(fixture.unified().balances["USDT"].frozen, Decimal::ZERO);
}

#[tokio::test]
async fn only_a_refusal_with_auto_cancel_names_the_request() {
    let fixture = Fixture::one_way();
    for (client, cancels) in [("a", true), ("b", false)] {
        place(&fixture, limit(client, Side::Buy, "0.02", "63000")).await;
        let request = amendment(client, "90000").auto_cancel(cancels).request_id(4711);
        let refused = fixture.client.unified().modify_order(&request).await.unwrap_err();
        assert_eq!(refused.message().is_some_and(|message| message.contains("requestId 4711")), cancels, "{refused}");
    }
}

#[tokio::test]
async fn margin_is_a_tenth_of_the_value_and_the_fee() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("a", Side::Buy, "0.1", "63000")).await;
    // 630 of margin, and 0.06 percent of 6300.
    assert_eq!(fixture.unified().balances["USDT"].frozen, dec!(633.78));
}

#[tokio::test]
async fn makers_pay_less_than_takers() {
    let fixture = Fixture::one_way();
    place(&fixture, limit("maker", Side::Buy, "0.01", "63000")).await;
    fixture.exchange.fill("maker", number("0.01")).unwrap();
    place(&fixture, market("taker", Side::Buy, "0.01")).await;
    for (client, rate) in [("maker", "0.0002"), ("taker", "0.0006")] {
        let record = fixture.details(client).await.unwrap();
        let value = record.cum_exec_value.unwrap().to_rust_decimal().unwrap();
        let fee = record.fee_detail[0].fee.as_ref().unwrap().to_rust_decimal().unwrap();
        assert_eq!(fee, value * rate.parse::<Decimal>().unwrap(), "{client}");
    }
}

#[tokio::test]
async fn the_range_of_prices_holds_for_the_classic_family() {
    let fixture = Fixture::one_way();
    let place = |price| classic_limit(price, classic::Side::Buy, "0.01", price);
    assert!(code(fixture.client.classic().place_order(&place("70400.1")).await).is_some());
    fixture.client.classic().place_order(&place("70400")).await.unwrap();
}

#[tokio::test]
async fn unrealised_profit_is_not_available() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.1")).await;
    let before = fixture.unified().balances["USDT"];
    fixture.exchange.set_price("BTCUSDT", 70_000).unwrap();
    assert_eq!(fixture.unified().balances["USDT"], before);
}

#[tokio::test]
async fn a_trigger_compares_the_latest_trade_or_the_mark_price() {
    // A market order buys above the mark price of 64000, at 64003.2.
    for (by, is_left) in [(TriggerBy::Mark, true), (TriggerBy::Market, false)] {
        let fixture = Fixture::one_way();
        place(&fixture, market("a", Side::Buy, "0.01").take_profit(number("64003")).tp_trigger_by(by)).await;
        assert_eq!(!fixture.unified().positions.is_empty(), is_left);
    }
}

#[tokio::test]
async fn fills_are_kept_twice_as_long_as_a_range_of_them() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let fixture = Fixture::one_way();
    let begun = fixture.exchange.time().now();
    let order = classic_market(classic::Side::Buy, "0.01");
    fixture.client.classic().place_order(&order).await.unwrap();
    let end = begun.checked_add(DAY).unwrap();
    let fills = classic::GetOrderFillDetails::new(classic::ProductType::UsdtFutures).between(begun, end);
    let listed = || async { fixture.client.classic().get_order_fill_details(&fills).await.unwrap().fill_list.len() };
    fixture.exchange.time().advance(170 * DAY);
    assert_eq!(listed().await, 1);
    fixture.exchange.time().advance(30 * DAY);
    assert_eq!(listed().await, 0);
}

#[tokio::test]
async fn only_the_latest_of_what_ended_is_kept() {
    let fixture = Fixture::with(|settings| settings.history = 3, Profile::new().both());
    for id in ["a", "b", "c", "d", "e"] {
        place(&fixture, market(id, Side::Buy, "0.001")).await;
        place(&fixture, limit(&format!("open-{id}"), Side::Buy, "0.001", "63000")).await;
    }
    let unified = fixture.client.unified();
    let history = unified.get_order_history(&GetOrderHistory::new(Category::UsdtFutures)).await.unwrap();
    let ids: Vec<_> = history.list.iter().filter_map(|order| order.client_oid.as_ref()).map(|id| id.as_str()).collect();
    assert_eq!(ids, ["e", "d", "c"]);
    assert_eq!(unified.get_fill_history(&GetFillHistory::new()).await.unwrap().list.len(), 3);
    assert_eq!(code(fixture.details("b").await).as_deref(), Some("25204"));
    assert_eq!(fixture.unified().open_orders.len(), 5);
}

#[tokio::test]
async fn ranges_have_both_ends_and_mean_the_creation() {
    let fixture = Fixture::one_way();
    let (second, created) = (Duration::from_secs(1), fixture.exchange.time().now());
    place(&fixture, limit("a", Side::Buy, "0.01", "63000")).await;
    fixture.exchange.time().advance(10 * second);
    fixture.exchange.fill("a", number("0.01")).unwrap();
    let listed = |from: Duration, to: Duration| {
        let base = created.checked_sub(5 * second).unwrap();
        let at = |length| base.checked_add(length).unwrap();
        let history = GetOrderHistory::new(Category::UsdtFutures).between(at(from), at(to));
        let client = fixture.client.clone();
        async move { client.unified().get_order_history(&history).await.unwrap().list.len() }
    };
    assert_eq!((listed(Duration::ZERO, 5 * second).await, listed(5 * second, 9 * second).await), (1, 1));
    assert_eq!(listed(6 * second, 20 * second).await, 0, "it was filled, not created then");
}

#[tokio::test]
async fn fees_are_rounded_to_eight_places() {
    let fixture = Fixture::one_way();
    // 0.06 percent of them is in the middle between two numbers of eight places.
    for (client, qty, fee) in [("down", "0.000025", "0.00000002"), ("up", "0.000075", "0.00000004")] {
        let execution = tradeapi::unified::Execution::limit(number("66000"));
        let order = PlaceOrder::new(Category::Spot, "BTCUSDT", number(qty), Side::Buy, execution);
        place(&fixture, order.client_oid(client.parse().unwrap())).await;
        let paid = fixture.details(client).await.unwrap().fee_detail[0].fee.clone();
        assert_eq!(paid, Some(number(fee)), "{qty}");
    }
}

/// A stop-loss below the market would close the short position at once.
#[tokio::test]
async fn a_position_that_turns_has_none_of_the_presets_of_the_other_side() {
    let fixture = Fixture::one_way();
    place(&fixture, market("a", Side::Buy, "0.1").stop_loss(number("63000"))).await;
    place(&fixture, market("b", Side::Sell, "0.3")).await;
    fixture.exchange.set_price("BTCUSDT", 64_010).unwrap();
    let positions = fixture.unified().positions;
    assert_eq!(positions.iter().map(|position| position.qty).collect::<Vec<_>>(), [Decimal::new(2, 1)]);
}

#[tokio::test]
async fn a_spot_order_that_a_loss_leaves_unpaid_is_cancelled() {
    let fixture = Fixture::with(|_| {}, Profile::new().both().balance("USDT", 1_000));
    let execution = tradeapi::unified::Execution::limit(number("60000"));
    let order = PlaceOrder::new(Category::Spot, "BTCUSDT", number("0.01"), Side::Buy, execution);
    place(&fixture, order.client_oid("spot".parse().unwrap())).await;
    place(&fixture, market("a", Side::Buy, "0.05")).await;
    fixture.exchange.set_price((tradeapi_exchange::Line::UsdtFutures, "BTCUSDT"), 50_000).unwrap();
    assert_eq!(status(&fixture, "spot").await, Some(OrderStatus::Live));
    place(&fixture, market("b", Side::Sell, "0.05")).await;
    assert_eq!(status(&fixture, "spot").await, Some(OrderStatus::Cancelled));
    let balance = fixture.unified().balances["USDT"];
    assert!(balance.frozen.is_zero() && balance.available == balance.total && !balance.total.is_zero());
}
