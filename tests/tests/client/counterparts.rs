//! Requests of classic accounts as those of unified ones: every example, random requests compared with a validator that is
//! written from the documents alone, and the directions of orders.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use tradeapi::classic::{
    BatchOrder, BatchOrderItem, Execution, Force, MarginMode, ModifyOrder, OrderRef, OrderType, PlaceOrder,
    ProductType, ReduceOnly, Side, TradeSide,
};
use tradeapi::runtime::Account;
use tradeapi::runtime::checks::CheckContext;
use tradeapi::runtime::counterpart::{HasCounterpart, NoCounterpart, WhyNoCounterpart};
use tradeapi::runtime::parameters::ParameterWriter;
use tradeapi::{Operation, PositionMode, dec, observed, unified};
use tradeapi_tests::reference::{Verdict, verdict};
use tradeapi_tests::schema;

use crate::rules::{account, mixed};

/// The request of the counterpart as JSON with its operation, or the error.
type Converted = Result<(&'static str, String), NoCounterpart>;

/// A request of an operation, read from JSON without checks and converted; `None` if it cannot be read.
type Convert = fn(&str, &Account) -> Option<Converted>;

fn json_of<O: Operation>(request: &O) -> String {
    let mut out = ParameterWriter::json();
    request.write(&mut out);
    out.finish()
}

fn converted<O: HasCounterpart>(json: &str, account: &Account) -> Option<Converted> {
    let request =
        O::from_json_in(json, CheckContext { policy: &crate::rules::NOTHING, ..CheckContext::default() }).ok()?;
    let to_json = |other: O::Counterpart| (O::Counterpart::META.id, json_of(&other));
    Some(request.to_counterpart(account).map(to_json))
}

macro_rules! conversions {
    ($($operation:ty),+ $(,)?) => {
        /// The operations with a counterpart.
        const CONVERSIONS: &[(&str, Convert)] =
            &[$((<$operation as Operation>::META.id, converted::<$operation> as Convert)),+];
    };
}

conversions!(
    tradeapi::classic::BatchCancel,
    tradeapi::classic::BatchOrder,
    tradeapi::classic::CancelAllOrders,
    tradeapi::classic::CancelOrder,
    tradeapi::classic::FlashClosePosition,
    tradeapi::classic::GetHistoricalTransactionDetails,
    tradeapi::classic::GetHistoryOrder,
    tradeapi::classic::GetOrderDetail,
    tradeapi::classic::GetOrderFillDetails,
    tradeapi::classic::GetPendingOrders,
    tradeapi::classic::ModifyOrder,
    tradeapi::classic::PlaceOrder,
    observed::GetContractAccounts,
    observed::GetContractBills,
    observed::GetContractCandles,
    observed::GetContractDepth,
    observed::GetContractFundingHistory,
    observed::GetContractFundingRate,
    observed::GetContractFundingTime,
    observed::GetContractHistoryCandles,
    observed::GetContractIndexCandles,
    observed::GetContractMarkCandles,
    observed::GetContractOpenInterest,
    observed::GetContractPosition,
    observed::GetContractPositionHistory,
    observed::GetContractPositions,
    observed::GetContractPrice,
    observed::GetContractRecentTrades,
    observed::GetContractTicker,
    observed::GetContractTickers,
    observed::GetContractTiers,
    observed::GetContracts,
    observed::GetPastPlanOrders,
    observed::GetPlanOrders,
    observed::GetServerTime,
    observed::GetTradeRate,
    observed::ModifyPlanOrder,
    observed::PlacePlanOrder,
    observed::PlaceTpslOrder,
    observed::SetContractLeverage,
    observed::SetPositionMode,
);

fn in_mode(mode: PositionMode) -> Account {
    tradeapi::Account::new().position_mode(mode).into()
}

/// Returns the ids of the operations whose files name a counterpart.
fn stated() -> BTreeSet<String> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let mut found = BTreeSet::new();
    for family in ["broker", "classic", "observed", "unified"] {
        for file in fs::read_dir(schema.join(family)).unwrap().map(|entry| entry.unwrap().path()) {
            let text = fs::read_to_string(&file).unwrap();
            if text.contains("\ncounterpart:") && !text.contains("\n  none: ") {
                found.insert(format!("{family}.{}", file.file_stem().unwrap().to_str().unwrap()));
            }
        }
    }
    found
}

#[test]
fn every_conversion_of_the_schema_is_tried() {
    let tried: BTreeSet<String> = CONVERSIONS.iter().map(|(id, _)| (*id).to_owned()).collect();
    assert_eq!(tried, stated());
}

/// Every example becomes a request, or nothing corresponds to a value of it for a reason that the schema states.
#[test]
fn examples_are_converted_or_have_no_counterpart() {
    let mut shown = String::new();
    for (id, convert) in CONVERSIONS {
        for example in schema::examples_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema"), id) {
            for mode in [PositionMode::OneWayMode, PositionMode::HedgeMode] {
                let found = convert(&example.request, &in_mode(mode)).expect("an example can be read");
                let text = match found {
                    Ok((to, json)) => format!("{to} {json}"),
                    Err(error) => {
                        let is_stated = !matches!(error.why, WhyNoCounterpart::Refused(_));
                        assert!(is_stated, "the schema states no reason: {error}");
                        error.to_string()
                    }
                };
                let request: Value = serde_json::from_str(&example.request).unwrap();
                writeln!(shown, "{id} {request}\n{}: {text}\n", mode.as_str()).unwrap();
            }
        }
    }
    insta::assert_snapshot!("counterparts_of_examples", shown);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// A validator that is written from the documents accepts what is converted.
    #[test]
    fn converted_requests_are_right_by_the_documents(case in mixed()) {
        let conversion = CONVERSIONS.iter().find(|(id, _)| *id == case.operation);
        if let Some(Some(Ok((to, json)))) = conversion.map(|(_, convert)| convert(&case.request, &account(&case.account)))
            && to.starts_with("unified.")
        {
            let of = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let found = verdict(to, &of(&json), &of(&case.account), case.now);
            prop_assert!(found != Verdict::Refused, "{to} {json} from {case:?}");
        }
    }
}

fn order(side: Side) -> PlaceOrder {
    let execution = Execution::limit(dec!(64000), Force::Gtc);
    PlaceOrder::new("BTCUSDT", ProductType::UsdtFutures, MarginMode::Crossed, "USDT", dec!(0.5), side, execution)
}

/// The directions as rule 1 of the classic document and rule 3 of the unified one state them.
#[test]
fn the_direction_of_an_order_is_that_of_its_position() {
    use unified::PosSide::{Long, Short};
    use unified::Side::{Buy, Sell};
    let hedged = [
        (Side::Buy, TradeSide::Open, Buy, Long),
        (Side::Buy, TradeSide::Close, Sell, Long),
        (Side::Sell, TradeSide::Open, Sell, Short),
        (Side::Sell, TradeSide::Close, Buy, Short),
    ];
    for (side, trade_side, to_side, pos_side) in hedged {
        let classic = order(side.clone()).trade_side(trade_side.clone());
        let unified = classic.to_counterpart(&in_mode(PositionMode::HedgeMode)).unwrap();
        assert_eq!((&unified.side, &unified.pos_side), (&to_side, &Some(pos_side.clone())));
        let item = BatchOrderItem::new().size(dec!(1)).side(side).trade_side(trade_side).order_type(OrderType::Market);
        let batch = BatchOrder::new("BTCUSDT", ProductType::UsdtFutures, "USDT", MarginMode::Crossed, vec![item]);
        let batch = batch.to_counterpart(&in_mode(PositionMode::HedgeMode)).unwrap();
        assert_eq!((&batch.orders[0].side, &batch.orders[0].pos_side), (&to_side, &Some(pos_side)));
        // In one-way mode, tradeSide is ignored.
        let unified = classic.to_counterpart(&in_mode(PositionMode::OneWayMode)).unwrap();
        assert_eq!((unified.side.as_str(), unified.pos_side), (classic.side.as_str(), None));
    }
}

/// A conditional order has the direction of the order that it places.
#[test]
fn the_direction_of_a_conditional_order_is_that_of_its_position() {
    let plan = |side: &str, trade_side: &str| {
        let json = format!(
            r#"{{"planType": "normal_plan", "symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT",
            "marginMode": "crossed", "size": "1", "triggerPrice": "60000", "triggerType": "mark_price",
            "orderType": "market", "side": "{side}", "tradeSide": "{trade_side}"}}"#
        );
        let plan = observed::PlacePlanOrder::from_json(&json).unwrap();
        let order = plan.to_counterpart(&in_mode(PositionMode::HedgeMode)).unwrap();
        let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
        let side = text(order.side.as_ref().map(observed::OrderSide::as_str));
        (side, text(order.pos_side.as_ref().map(observed::PositionSide::as_str)))
    };
    let pair = |side: &str, position: &str| (side.to_owned(), position.to_owned());
    assert_eq!(plan("buy", "open"), pair("buy", "long"));
    assert_eq!(plan("buy", "close"), pair("sell", "long"));
    assert_eq!(plan("sell", "open"), pair("sell", "short"));
    assert_eq!(plan("sell", "close"), pair("buy", "short"));
}

/// The kind of a plan decides which leg of a strategy order it is, and which part of the position that closes.
#[test]
fn a_take_profit_or_stop_loss_is_a_leg_of_a_strategy_order() {
    let convert = |mode, plan: &str, more: &str| {
        let json = format!(
            r#"{{"planType": "{plan}", "symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT",
            "triggerPrice": "60000", "triggerType": "mark_price", "clientOid": "stop-1"{more}}}"#
        );
        observed::PlaceTpslOrder::from_json(&json).unwrap().to_counterpart(&in_mode(mode))
    };
    let (one_way, hedge) = (PositionMode::OneWayMode, PositionMode::HedgeMode);
    let json = |mode, plan, more| json_of(&convert(mode, plan, more).unwrap());
    let common = r#"{"category":"USDT-FUTURES","symbol":"BTCUSDT","clientOid":"stop-1","type":"tpsl","#;
    for (mode, plan, more, expected) in [
        (
            hedge,
            "pos_loss",
            r#", "holdSide": "long""#,
            r#""tpslMode":"full","posSide":"long","slTriggerBy":"mark","stopLoss":"60000","slOrderType":"market"}"#,
        ),
        (
            one_way,
            "pos_profit",
            r#", "holdSide": "buy", "executePrice": "60001""#,
            r#""tpslMode":"full","side":"sell","reduceOnly":"yes","tpTriggerBy":"mark","takeProfit":"60000","tpOrderType":"limit","tpLimitPrice":"60001"}"#,
        ),
        (
            one_way,
            "loss_plan",
            r#", "holdSide": "sell", "size": "2", "executePrice": "0.0""#,
            r#""tpslMode":"partial","qty":"2","side":"buy","reduceOnly":"yes","slTriggerBy":"mark","stopLoss":"60000","slOrderType":"market"}"#,
        ),
        (
            hedge,
            "profit_plan",
            r#", "holdSide": "short", "size": "2""#,
            r#""tpslMode":"partial","qty":"2","posSide":"short","tpTriggerBy":"mark","takeProfit":"60000","tpOrderType":"market"}"#,
        ),
    ] {
        assert_eq!(json(mode, plan, more), format!("{common}{expected}"), "{plan}");
    }
    let refused = |plan, more| convert(hedge, plan, more).unwrap_err().to_string();
    for (plan, more, why) in [
        (
            "moving_plan",
            r#", "holdSide": "long", "size": "2""#,
            "planType moving_plan: No strategy order follows the price.",
        ),
        ("loss_plan", r#", "holdSide": "long""#, "has no quantity"),
        ("pos_loss", r#", "holdSide": "long", "size": "2""#, "has a quantity"),
        ("pos_loss", r#", "holdSide": "long", "rangeRate": "1""#, "rangeRate 1: No strategy order follows the price."),
    ] {
        assert!(refused(plan, more).contains(why), "{}", refused(plan, more));
    }
}

/// A strategy order takes its words in small letters.
#[test]
fn a_conditional_order_that_only_reduces_says_so_in_small_letters() {
    let json = r#"{"planType": "normal_plan", "symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT",
        "marginMode": "crossed", "size": "1", "triggerPrice": "60000", "orderType": "market", "side": "sell", "reduceOnly": "YES"}"#;
    let plan = observed::PlacePlanOrder::from_json(json).unwrap();
    let order = plan.to_counterpart(&in_mode(PositionMode::OneWayMode)).unwrap();
    assert!(json_of(&order).contains(r#""reduceOnly":"yes""#), "{}", json_of(&order));
}

/// Returns the text of the error.
fn refused<O: HasCounterpart>(request: &O, account: &Account) -> String {
    request.to_counterpart(account).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn a_direction_is_not_guessed() {
    let unknown = refused(&order(Side::Buy), &Account::new());
    assert_eq!(
        unknown,
        "classic.place-order is not converted, because nothing of unified.place-order corresponds:\n\
         account.positionMode left out: the account does not state positionMode, which decides; state it"
    );
    let without = refused(&order(Side::Buy), &in_mode(PositionMode::HedgeMode));
    assert!(without.contains("it breaks a rule:\ntradeSide: nothing given; In hedge mode tradeSide is"), "{without}");
}

#[test]
fn all_that_has_no_counterpart_is_reported_at_once() {
    let item = |side: Side| BatchOrderItem::new().size(dec!(1)).side(side).order_type(OrderType::Market);
    let orders = vec![
        item(Side::Buy),
        item(Side::Sell).reduce_only(ReduceOnly::Yes).preset_stop_loss_price(dec!(60000)),
        item(Side::Sell).reduce_only(ReduceOnly::No),
    ];
    let batch = BatchOrder::new("BTCUSD", ProductType::CoinFutures, "BTC", MarginMode::Isolated, orders);
    insta::assert_snapshot!("counterparts_all_at_once", refused(&batch, &in_mode(PositionMode::OneWayMode)));
}

#[test]
fn what_breaks_a_rule_is_not_converted() {
    let long_id = order(Side::Buy).client_oid("an id that is longer than the thirty-two characters");
    let text = refused(&long_id, &in_mode(PositionMode::OneWayMode));
    assert!(
        text.starts_with(
            "classic.place-order is not converted, because unified.place-order would break a rule:\nclientOid: "
        ),
        "{text}"
    );
    let half =
        ModifyOrder::new("BTCUSDT", ProductType::UsdtFutures, "b", OrderRef::ClientOid("a".into())).new_size(dec!(2));
    let text = refused(&half, &in_mode(PositionMode::OneWayMode));
    assert!(text.contains("breaks a rule"), "{text}");
}

/// A take-profit executes at the price that is sent, and otherwise at the market's.
#[test]
fn the_type_of_a_preset_follows_from_its_price() {
    let account = in_mode(PositionMode::OneWayMode);
    let both = order(Side::Buy)
        .preset_stop_surplus_price(dec!(65000))
        .preset_stop_surplus_execute_price(dec!(64990))
        .preset_stop_loss_price(dec!(60000));
    let unified = both.to_counterpart(&account).unwrap();
    let types = (unified.tp_order_type, unified.sl_order_type);
    assert_eq!(types, (Some(unified::OrderType::Limit), Some(unified::OrderType::Market)));
    let prices = (unified.take_profit, unified.tp_limit_price, unified.stop_loss, unified.sl_limit_price);
    assert_eq!(prices, (Some(dec!(65000)), Some(dec!(64990)), Some(dec!(60000)), None));
    let without = order(Side::Buy).preset_stop_loss_execute_price(dec!(60000));
    assert!(refused(&without, &account).contains("Without a trigger price"), "{}", refused(&without, &account));
}
