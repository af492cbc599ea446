//! Constructors named after an intent, compared with tables written from the documents.

use tradeapi::runtime::parameters::{ParameterWriter, Parameters};
use tradeapi::{Decimal, classic, unified};

fn wire(request: &impl Parameters) -> String {
    let mut out = ParameterWriter::json();
    request.write(&mut out);
    out.finish()
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Compares each request with the documented parameters.
macro_rules! sends {
    ($($request:expr => $json:literal;)*) => {
        $(assert_eq!(wire(&$request), $json, "{}", stringify!($request));)*
    };
}

#[test]
fn unified_hedge_mode_goes_by_side_and_pos_side() {
    use unified::{Category::UsdtFutures, Execution::Market, PlaceOrder};
    let qty = || decimal("2");
    sends! {
        PlaceOrder::hedge_open_long(UsdtFutures, "BTCUSDT", qty(), Market) =>
            r#"{"category":"USDT-FUTURES","symbol":"BTCUSDT","qty":"2","side":"buy","orderType":"market","posSide":"long"}"#;
        PlaceOrder::hedge_open_short(UsdtFutures, "BTCUSDT", qty(), Market) =>
            r#"{"category":"USDT-FUTURES","symbol":"BTCUSDT","qty":"2","side":"sell","orderType":"market","posSide":"short"}"#;
        PlaceOrder::hedge_close_long(UsdtFutures, "BTCUSDT", qty(), Market) =>
            r#"{"category":"USDT-FUTURES","symbol":"BTCUSDT","qty":"2","side":"sell","orderType":"market","posSide":"long"}"#;
        PlaceOrder::hedge_close_short(UsdtFutures, "BTCUSDT", qty(), Market) =>
            r#"{"category":"USDT-FUTURES","symbol":"BTCUSDT","qty":"2","side":"buy","orderType":"market","posSide":"short"}"#;
    }
}

#[test]
fn unified_one_way_mode_closes_by_reduce_only() {
    use unified::{Category::UsdcFutures, Execution, PlaceOrder};
    let (qty, limit) = (|| decimal("0.5"), || Execution::limit(decimal("91000")));
    sends! {
        PlaceOrder::one_way_open_long(UsdcFutures, "BTCPERP", qty(), limit()) =>
            r#"{"category":"USDC-FUTURES","symbol":"BTCPERP","qty":"0.5","side":"buy","orderType":"limit","price":"91000"}"#;
        PlaceOrder::one_way_open_short(UsdcFutures, "BTCPERP", qty(), limit()) =>
            r#"{"category":"USDC-FUTURES","symbol":"BTCPERP","qty":"0.5","side":"sell","orderType":"limit","price":"91000"}"#;
        PlaceOrder::one_way_close_long(UsdcFutures, "BTCPERP", qty(), limit()) =>
            r#"{"category":"USDC-FUTURES","symbol":"BTCPERP","qty":"0.5","side":"sell","orderType":"limit","price":"91000","reduceOnly":"yes"}"#;
        PlaceOrder::one_way_close_short(UsdcFutures, "BTCPERP", qty(), limit()) =>
            r#"{"category":"USDC-FUTURES","symbol":"BTCPERP","qty":"0.5","side":"buy","orderType":"limit","price":"91000","reduceOnly":"yes"}"#;
    }
}

#[test]
fn unified_market_orders_of_spot_and_margin_name_the_coin_of_their_amount() {
    use unified::PlaceOrder;
    sends! {
        PlaceOrder::spot_market_buy("SOLUSDT", decimal("250")) =>
            r#"{"category":"SPOT","symbol":"SOLUSDT","qty":"250","side":"buy","orderType":"market"}"#;
        PlaceOrder::spot_market_sell("SOLUSDT", decimal("1.5")) =>
            r#"{"category":"SPOT","symbol":"SOLUSDT","qty":"1.5","side":"sell","orderType":"market"}"#;
        PlaceOrder::margin_market_buy("SOLUSDT", decimal("250")) =>
            r#"{"category":"MARGIN","symbol":"SOLUSDT","qty":"250","side":"buy","orderType":"market"}"#;
        PlaceOrder::margin_market_sell("SOLUSDT", decimal("1.5")) =>
            r#"{"category":"MARGIN","symbol":"SOLUSDT","qty":"1.5","side":"sell","orderType":"market"}"#;
    }
    // Function pointers have no argument names, but the emitted text does.
    let emitted = std::fs::read_to_string("../generated/src/unified/place_order.rs").unwrap();
    for (function, amount, unit) in [
        ("spot_market_buy", "quote_amount", "quote"),
        ("spot_market_sell", "base_amount", "base"),
        ("margin_market_buy", "quote_amount", "quote"),
        ("margin_market_sell", "base_amount", "base"),
    ] {
        let (before, after) = emitted.split_once(&format!("pub fn {function}(")).unwrap();
        assert!(after.split_once(')').unwrap().0.contains(&format!("{amount}: ")), "{function}");
        let docs = before.rsplit_once("\n\n").unwrap().1.replace("\n    ///   ", " ");
        assert!(docs.contains(&format!("Quantity of the order. Unit: {unit} coin.\n")), "{function}: {docs}");
    }
}

#[test]
fn unified_batches_and_reality_orders_answer_alike() {
    use unified::{BatchOrderItem, Category::CoinFutures, Execution::Market, PlaceRealityOrder};
    let qty = || decimal("7");
    sends! {
        BatchOrderItem::hedge_open_long(CoinFutures, "BTCUSD", qty(), Market) =>
            r#"{"category":"COIN-FUTURES","symbol":"BTCUSD","qty":"7","side":"buy","orderType":"market","posSide":"long"}"#;
        BatchOrderItem::hedge_open_short(CoinFutures, "BTCUSD", qty(), Market) =>
            r#"{"category":"COIN-FUTURES","symbol":"BTCUSD","qty":"7","side":"sell","orderType":"market","posSide":"short"}"#;
        BatchOrderItem::hedge_close_long(CoinFutures, "BTCUSD", qty(), Market) =>
            r#"{"category":"COIN-FUTURES","symbol":"BTCUSD","qty":"7","side":"sell","orderType":"market","posSide":"long"}"#;
        BatchOrderItem::hedge_close_short(CoinFutures, "BTCUSD", qty(), Market) =>
            r#"{"category":"COIN-FUTURES","symbol":"BTCUSD","qty":"7","side":"buy","orderType":"market","posSide":"short"}"#;
        BatchOrderItem::one_way_open_long(CoinFutures, "BTCUSD", qty(), Market) =>
            r#"{"category":"COIN-FUTURES","symbol":"BTCUSD","qty":"7","side":"buy","orderType":"market"}"#;
        BatchOrderItem::one_way_open_short(CoinFutures, "BTCUSD", qty(), Market) =>
            r#"{"category":"COIN-FUTURES","symbol":"BTCUSD","qty":"7","side":"sell","orderType":"market"}"#;
        BatchOrderItem::spot_market_buy("ETHUSDT", qty()) =>
            r#"{"category":"SPOT","symbol":"ETHUSDT","qty":"7","side":"buy","orderType":"market"}"#;
        BatchOrderItem::spot_market_sell("ETHUSDT", qty()) =>
            r#"{"category":"SPOT","symbol":"ETHUSDT","qty":"7","side":"sell","orderType":"market"}"#;
        BatchOrderItem::margin_market_buy("ETHUSDT", qty()) =>
            r#"{"category":"MARGIN","symbol":"ETHUSDT","qty":"7","side":"buy","orderType":"market"}"#;
        BatchOrderItem::margin_market_sell("ETHUSDT", qty()) =>
            r#"{"category":"MARGIN","symbol":"ETHUSDT","qty":"7","side":"sell","orderType":"market"}"#;
        PlaceRealityOrder::market_buy("rAMDUSDT", qty()) =>
            r#"{"symbol":"rAMDUSDT","side":"buy","orderType":"market","qty":"7"}"#;
        PlaceRealityOrder::market_sell("rAMDUSDT", qty()) =>
            r#"{"symbol":"rAMDUSDT","side":"sell","orderType":"market","qty":"7"}"#;
    }
}

#[test]
fn classic_hedge_mode_goes_by_the_side_of_the_position() {
    use classic::{Execution::Market, MarginMode::Crossed, PlaceOrder, ProductType::UsdtFutures};
    let size = || decimal("0.4");
    sends! {
        PlaceOrder::hedge_open_long("ETHUSDT", UsdtFutures, Crossed, "USDT", size(), Market) =>
            r#"{"symbol":"ETHUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.4","side":"buy","orderType":"market","tradeSide":"open"}"#;
        PlaceOrder::hedge_close_long("ETHUSDT", UsdtFutures, Crossed, "USDT", size(), Market) =>
            r#"{"symbol":"ETHUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.4","side":"buy","orderType":"market","tradeSide":"close"}"#;
        PlaceOrder::hedge_open_short("ETHUSDT", UsdtFutures, Crossed, "USDT", size(), Market) =>
            r#"{"symbol":"ETHUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.4","side":"sell","orderType":"market","tradeSide":"open"}"#;
        PlaceOrder::hedge_close_short("ETHUSDT", UsdtFutures, Crossed, "USDT", size(), Market) =>
            r#"{"symbol":"ETHUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.4","side":"sell","orderType":"market","tradeSide":"close"}"#;
        PlaceOrder::one_way_reduce_only_sell("ETHUSDT", UsdtFutures, Crossed, "USDT", size(), Market) =>
            r#"{"symbol":"ETHUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.4","side":"sell","orderType":"market","reduceOnly":"YES"}"#;
        PlaceOrder::one_way_reduce_only_buy("ETHUSDT", UsdtFutures, Crossed, "USDT", size(), Market) =>
            r#"{"symbol":"ETHUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","size":"0.4","side":"buy","orderType":"market","reduceOnly":"YES"}"#;
    }
}

#[test]
fn classic_positions_are_reversed_and_closed_by_their_direction() {
    use classic::{FlashClosePosition, ProductType::CoinFutures, Reversal, TradeSide::Open};
    sends! {
        Reversal::hedge_reverse_long("BTCUSD", "BTC", CoinFutures, decimal("3"), Open) =>
            r#"{"symbol":"BTCUSD","marginCoin":"BTC","productType":"COIN-FUTURES","side":"buy","size":"3","tradeSide":"open"}"#;
        Reversal::hedge_reverse_short("BTCUSD", "BTC", CoinFutures, decimal("3"), Open) =>
            r#"{"symbol":"BTCUSD","marginCoin":"BTC","productType":"COIN-FUTURES","side":"sell","size":"3","tradeSide":"open"}"#;
        FlashClosePosition::hedge_close_long(CoinFutures, "BTCUSD") =>
            r#"{"productType":"COIN-FUTURES","symbol":"BTCUSD","holdSide":"long"}"#;
        FlashClosePosition::hedge_close_short(CoinFutures, "BTCUSD") =>
            r#"{"productType":"COIN-FUTURES","symbol":"BTCUSD","holdSide":"short"}"#;
    }
}

/// A new intent of the schema must be added to the tables above.
#[test]
fn every_intent_is_in_a_table() {
    let here = include_str!("intents.rs");
    let mut count = 0;
    for entry in ["classic", "unified", "broker"]
        .iter()
        .flat_map(|family| std::fs::read_dir(format!("../schema/{family}")).unwrap().map(|entry| entry.unwrap().path()))
    {
        let yaml: serde_yaml::Value = serde_yaml::from_str(&std::fs::read_to_string(&entry).unwrap()).unwrap();
        for intent in yaml.get("intents").and_then(serde_yaml::Value::as_sequence).into_iter().flatten() {
            let id = intent["id"].as_str().unwrap().replace('-', "_");
            assert!(here.contains(&format!("::{id}(")), "{}: {id}", entry.display());
            count += 1;
        }
    }
    assert_eq!(count, 34);
}
