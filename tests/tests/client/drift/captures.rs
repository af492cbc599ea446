//! Answers with every member that public clients have seen or read in 2026, with invented values, in the forms that the
//! wire has: nothing of them is unknown, and none is left out.

use tradeapi::Operation;
use tradeapi::runtime::drift::{Drift, DriftKind};
use tradeapi::{classic, observed, unified};

use super::record;

/// Reads an answer of `O` with this data, of which nothing may be unknown or left out.
fn read<O: Operation>(data: &str) -> O::Response {
    let drift = Drift::new();
    let body = format!(r#"{{"code": "00000", "msg": "success", "requestTime": 1790000000000, "data": {data}}}"#);
    let reply = record::<O>(&drift, &body).unwrap_or_else(|error| panic!("{}: {error}", O::META.id));
    for operation in drift.report().operations {
        assert_eq!((operation.broken, operation.left_out), (0, 0), "{}", operation.operation);
        let is_unknown = |kind| matches!(kind, DriftKind::UnknownField | DriftKind::UnknownValue);
        let unknown = operation.entries.iter().find(|entry| is_unknown(entry.kind));
        assert!(unknown.is_none(), "{}: {}", operation.operation, unknown.unwrap());
    }
    reply.data
}

#[test]
fn instruments_of_all_lines() {
    let list = read::<observed::GetInstruments>(
        r#"[{"symbol": "RAMDUSDT", "category": "SPOT", "baseCoin": "rAMD", "quoteCoin": "USDT", "buyLimitPriceRatio":
        "0.05", "sellLimitPriceRatio": "0.05", "minOrderQty": "0", "maxOrderQty": "0", "minOrderAmount": "1",
        "pricePrecision": "2", "quantityPrecision": "4", "quotePrecision": "6", "status": "online", "launchTime": "",
        "maintainTime": "", "maxSymbolOrderNum": "400", "maxProductOrderNum": "400", "isReality": "yes", "areaSymbol":
        "NO", "symbolType": "stock"},
        {"symbol": "ETHUSDT", "category": "MARGIN", "baseCoin": "ETH", "quoteCoin": "USDT", "pricePrecision": 2,
        "quantityPrecision": 4, "quotePrecision": null, "minOrderQty": "0.0001", "maxOrderQty": "0", "minOrderAmount":
        "1", "status": "online", "launchTime": null, "areaSymbol": "no", "isIsolatedBaseBorrowable": "YES",
        "isIsolatedQuotedBorrowable": "NO", "maxCrossedLeverage": "3", "maxIsolatedLeverage": "0",
        "warningRiskRatio": "0.8", "liquidationRiskRatio": "1", "userMinBorrow": "0.00000001"},
        {"symbol": "BTCUSD261225", "category": "COIN-FUTURES", "baseCoin": "BTC", "quoteCoin": "USD", "type":
        "delivery", "pricePrecision": "1", "quantityPrecision": "0", "priceMultiplier": "0.1", "quantityMultiplier":
        "1", "minOrderQty": "1", "maxOrderQty": "", "minOrderAmount": "", "maxMarketOrderQty": "90000",
        "quotePrecision": "", "makerFeeRate": "0.0002", "takerFeeRate": "0.0006", "minLeverage": "1", "maxLeverage":
        "125", "status": "limit_close", "launchTime": "0", "deliveryStartTime": "1798185600000", "deliveryTime":
        "1798185600000", "deliveryPeriod": "this_quarter", "fundInterval": "", "feeRateUpRatio": "0.005",
        "openCostUpRatio": "0.01", "maxSymbolOrderNum": "", "maxProductOrderNum": "1000", "maxPositionNum": "150",
        "offTime": "-1", "limitOpenTime": "-1", "maintainTime": "", "isRwa": "NO", "symbolType": "crypto"}]"#,
    );
    let [reality, margin, delivery] = &list[..] else { panic!("{} instruments", list.len()) };
    assert_eq!(reality.is_reality, Some(observed::YesNo::Yes));
    assert_eq!((margin.price_precision, margin.launch_time), (Some(2), None), "a number in place of a text");
    assert_eq!((delivery.fund_interval, delivery.max_order_qty.as_ref()), (None, None), "an empty text is no value");
}

#[test]
fn contracts_pairs_and_coins() {
    read::<observed::GetContracts>(
        r#"[{"symbol": "ETHUSDT", "baseCoin": "ETH", "quoteCoin": "USDT", "buyLimitPriceRatio": "0.05",
        "sellLimitPriceRatio": "0.05", "feeRateUpRatio": "0.005", "makerFeeRate": "0.0002", "takerFeeRate": "0.0006",
        "openCostUpRatio": "0.01", "supportMarginCoins": ["USDT"], "minTradeNum": "0.01", "priceEndStep": "1",
        "volumePlace": "2", "pricePlace": "2", "sizeMultiplier": "0.01", "symbolType": "perpetual", "minTradeUSDT":
        "5", "maxSymbolOrderNum": "200", "maxProductOrderNum": "400", "maxPositionNum": "150", "symbolStatus":
        "normal", "offTime": "-1", "limitOpenTime": "-1", "deliveryTime": "", "deliveryStartTime": "",
        "deliveryPeriod": "", "launchTime": "", "fundInterval": "8", "minLever": "1", "maxLever": "100", "posLimit":
        "0.05", "maintainTime": "", "maxMarketOrderQty": "317460.31", "maxOrderQty": "317460.31", "openTime": "",
        "isRwa": "NO"}]"#,
    );
    read::<observed::GetSpotSymbols>(
        r#"[{"symbol": "ETHUSDT", "baseCoin": "ETH", "quoteCoin": "USDT", "minTradeAmount": "0", "maxTradeAmount":
        "10000000000", "takerFeeRate": "0.002", "makerFeeRate": "0.002", "pricePrecision": "2", "quantityPrecision":
        "4", "quotePrecision": "6", "status": "gray", "minTradeUSDT": "1", "buyLimitPriceRatio": "0.05",
        "sellLimitPriceRatio": "0.05", "areaSymbol": "no", "orderQuantity": "200", "openTime": "1600000000000",
        "offTime": "", "maxLimitOrderValue": "500000", "maxMarketOrderValue": "100000"}]"#,
    );
    let list = read::<observed::GetMarginCurrencies>(
        r#"[{"symbol": "ETHUSDT", "baseCoin": "ETH", "quoteCoin": "USDT", "maxCrossedLeverage": "3",
        "maxIsolatedLeverage": "10", "warningRiskRatio": "0.8", "liquidationRiskRatio": "1", "minTradeAmount":
        "0.0001", "maxTradeAmount": "10000", "takerFeeRate": "0.001", "makerFeeRate": "0.001", "pricePrecision": "2",
        "quantityPrecision": "4", "minTradeUSDT": "5", "isBorrowable": true, "userMinBorrow": "0.00000001", "status":
        "1", "isIsolatedBaseBorrowable": "true", "isIsolatedQuotedBorrowable": "false", "isIsolatedQuoteBorrowable":
        false, "isCrossBorrowable": true}]"#,
    );
    assert_eq!(list[0].is_isolated_base_borrowable, Some(true), "a text in place of a boolean");
    read::<observed::GetCoins>(
        r#"[{"coinId": "3", "coin": "ETH", "transfer": "true", "areaCoin": "no", "chains": [{"chain": "ERC20",
        "needTag": "false", "withdrawable": "true", "rechargeable": "true", "withdrawFee": "0.0012",
        "extraWithdrawFee": "0", "depositConfirm": "12", "withdrawConfirm": "64", "minDepositAmount": "0.0001",
        "minWithdrawAmount": "0.005", "browserUrl": "https://explorer.example/tx/", "contractAddress": null,
        "withdrawStep": "0", "withdrawMinScale": "8", "congestion": "normal"}]}, {"coin": "OLD", "coinId": "4",
        "transfer": "false", "chains": []}]"#,
    );
}

#[test]
fn market_data() {
    let list = read::<observed::GetTickers>(
        r#"[{"category": "COIN-FUTURES", "symbol": "BTCUSD261225", "ts": "1790000000000", "lastPrice": "64000.5",
        "openPrice24h": "63000", "highPrice24h": "64500", "lowPrice24h": "62800.1", "ask1Price": "64000.6",
        "bid1Price": "64000.4", "bid1Size": "12", "ask1Size": "3", "price24hPcnt": "0.01588", "volume24h": "150",
        "turnover24h": "9600000", "indexPrice": "64001.2", "markPrice": "64000.7", "fundingRate": "", "openInterest":
        "3300", "deliveryStartTime": "", "deliveryTime": "1798185600000", "deliveryStatus": "delivery_normal"},
        {"category": "spot", "symbol": "RAMDUSDT", "ts": "0", "lastPrice": "160.2", "turnover24h": "9000000000",
        "platformTurnover24h": "51000.25"}]"#,
    );
    assert_eq!(list[1].category, Some(observed::Category::Spot), "small letters are read, too");
    read::<observed::GetContractTickers>(
        r#"[{"symbol": "ETHUSDT", "lastPr": "3150.2", "askPr": "3150.3", "bidPr": "3150.2", "bidSz": "4.1", "askSz":
        "2", "high24h": "3200", "low24h": "3100", "ts": "1790000000000", "change24h": "-0.004", "baseVolume": "90000",
        "quoteVolume": "280000000", "usdtVolume": "280000000", "openUtc": "3140", "changeUtc24h": "0.003",
        "indexPrice": "3151", "fundingRate": "0.0001", "holdingAmount": "40000", "deliveryStartTime": null,
        "deliveryTime": null, "deliveryStatus": "", "open24h": "3162", "markPrice": "3150.4"}]"#,
    );
    read::<observed::GetOrderBook>(r#"{"a": [[3150.3, 2]], "b": [["3150.2", "4.1"]], "ts": "1790000000000"}"#);
    let candles = read::<observed::GetCandles>(
        r#"[["1790000000000", "3150", "3151", "3149", "3150.5", "12", "37800"], [1790000060000, 3150.5, 3152, 3150,
        3151, 4, 12604]]"#,
    );
    assert_eq!(candles[1].close.as_ref().map(ToString::to_string).as_deref(), Some("3151"));
    read::<observed::GetRecentTrades>(
        r#"[{"execId": "7", "execLinkId": "7", "price": "3150.2", "size": "0.4", "side": "sell", "ts":
        "1790000000000", "isRPI": "no"}]"#,
    );
    read::<observed::GetContractTrades>(
        r#"[{"tradeId": "7", "price": "3150.2", "size": "0.4", "side": "Sell", "ts": "1790000000000", "symbol":
        "ETHUSDT"}]"#,
    );
    read::<observed::GetFundingRate>(
        r#"[{"symbol": "AMDUSDT", "fundingRate": "-0.00012", "fundingRateInterval": "4", "nextUpdate":
        "1790006400000", "minFundingRate": "-0.003", "maxFundingRate": "0.003", "cashDividend": "0.42",
        "cashDividendNextUpdate": "1791000000000"}]"#,
    );
}

/// The data of a cancelled strategy order is `null`, by the vendor's page and the tests of JKorf/Bitget.Net.
#[test]
fn a_cancellation_without_data_is_done() {
    let drift = Drift::new();
    let body = r#"{"code": "00000", "msg": "success", "requestTime": 1790000000000, "data": null}"#;
    record::<observed::CancelStrategyOrder>(&drift, body).unwrap();
    let operations = drift.report().operations;
    assert!(operations.iter().all(|operation| operation.entries.is_empty()), "{operations:?}");
}

#[test]
fn positions_and_balances() {
    read::<observed::GetPositions>(
        r#"{"list": [{"category": "usdt-futures", "symbol": "AMDUSDT", "marginCoin": "USDT", "holdMode":
        "hedge_mode", "posSide": "short", "marginMode": "isolated", "positionBalance": "32.04", "available": "0",
        "frozen": "2", "total": "2", "leverage": "10", "curRealisedPnl": "-0.2", "avgPrice": "160.2",
        "positionStatus": "normal", "unrealisedPnl": "0.4", "liquidationPrice": "-12.5", "mmr": "0.004",
        "profitRate": "0.0125", "markPrice": "160", "breakEvenPrice": "160.01", "totalFunding": "0", "openFeeTotal":
        "-0.19", "closeFeeTotal": "0", "cashDividend": "", "createdTime": "1790000000000", "updatedTime":
        "1790000000001"}]}"#,
    );
    let nothing = read::<observed::GetPositions>(r#"{"list": null}"#);
    assert!(nothing.list.is_empty());
    read::<observed::GetContractPositions>(
        r#"[{"marginCoin": "USDT", "symbol": "ETHUSDT", "holdSide": "long", "openDelegateSize": "0", "marginSize":
        "31.5", "available": "0.1", "locked": "0", "total": "0.1", "leverage": "10", "achievedProfits": "0",
        "openPriceAvg": "3150", "marginMode": "crossed", "posMode": "one_way_mode", "unrealizedPL": "0.02",
        "liquidationPrice": "-1.5", "keepMarginRate": "0.004", "markPrice": "3150.2", "marginRatio": "0.01",
        "breakEvenPrice": "3153.8", "totalFee": "", "deductedFee": "0.189", "grant": "", "assetMode": "single",
        "autoMargin": "off", "takeProfit": null, "stopLoss": null, "takeProfitId": null, "stopLossId": null,
        "cashDividend": "", "cTime": "1790000000000", "uTime": "1790000000001"}]"#,
    );
    read::<observed::GetContractAccounts>(
        r#"[{"marginCoin": "USDT", "locked": "0", "available": "1000", "crossedMaxAvailable": "1000",
        "isolatedMaxAvailable": "1000", "maxTransferOut": "1000", "accountEquity": "1000.02", "usdtEquity":
        "1000.020000000000", "btcEquity": "0.015625312500", "crossedRiskRate": "0", "unrealizedPL": "",
        "coupon": "0", "crossedUnrealizedPL": null, "isolatedUnrealizedPL": "", "grant": "", "assetMode": "union",
        "isolatedMargin": null, "crossedMargin": null, "unionTotalMargin": "1500", "unionAvailable": "1400",
        "unionMm": "0", "assetList": [{"coin": "BTC", "balance": "0.01", "available": "0.01"}]}, {"marginCoin":
        "USDC", "available": "7", "unionTotalMagin": "1500", "unionAvailable": "1400", "unionMm": "0",
        "assetList": null}]"#,
    );
    let account = read::<observed::GetContractAccount>(
        r#"{"marginCoin": "USDT", "locked": "0", "available": "1000", "crossedMarginLeverage": 20,
        "isolatedLongLever": "10", "isolatedShortLever": 10, "marginMode": "crossed", "posMode": "hedge_mode",
        "unrealizedPL": null}"#,
    );
    assert_eq!((account.crossed_margin_leverage, account.isolated_long_leverage), (Some(20), Some(10)));
    read::<observed::GetSpotAssets>(
        r#"[{"coin": "USDT", "available": "7", "limitAvailable": "0", "frozen": "0", "locked": "0", "uTime":
        "1790000000000"}]"#,
    );
    read::<observed::GetAccountSettings>(
        r#"{"uid": "1000000", "accountMode": "switching", "assetMode": "multi_assets", "accountLevel": "delta",
        "holdMode": "one_way_mode", "stpMode": "cancel_both", "symbolConfigList": [], "coinConfigList": [{"coin":
        "ETH", "leverage": "3"}]}"#,
    );
    read::<observed::ClosePositions>(
        r#"{"list": [{"orderId": "3", "clientOid": "3"}, {"orderId": "", "clientOid": "", "code": "25227", "msg":
        "no position"}]}"#,
    );
}

#[test]
fn orders_and_fills() {
    let page = read::<unified::GetOrderHistory>(
        r#"{"list": [{"orderId": "3", "clientOid": "3", "category": "SPOT", "symbol": "ETHUSDT", "orderType":
        "market", "side": "sell", "price": "0", "qty": "0.3", "amount": "0", "cumExecQty": "0", "cumExecValue": "0",
        "avgPrice": "0", "timeInForce": "gtc", "orderStatus": "new", "posSide": "", "holdMode": "", "reduceOnly": "NO",
        "feeDetail": [{"feeCoin": "", "fee": ""}], "createdTime": "1790000000000", "updatedTime": "1790000000000",
        "stpMode": "none", "takeProfit": null, "stopLoss": null, "tpTriggerBy": null, "slTriggerBy": null,
        "tpOrderType": null, "slOrderType": null, "tpLimitPrice": null, "slLimitPrice": null, "cancelReason": "",
        "execType": "normal"}], "cursor": "1398204417750016001"}"#,
    );
    assert_eq!(page.list[0].take_profit, None);
    let order = read::<unified::GetOrderDetails>(
        r#"{"orderId": "3", "clientOid": "a", "category": "USDT-FUTURES", "symbol": "ETHUSDT", "orderType": "market",
        "side": "sell", "price": "", "qty": "9", "cumExecQty": "9", "avgPrice": "3150.2", "orderStatus": "filled",
        "posSide": "long", "holdMode": "hedge_mode", "tradeSide": "close_long", "reduceOnly": "NO", "delegateType":
        "market"}"#,
    );
    assert_eq!(order.price, None, "a market order has none");
    assert!(read::<unified::GetFillHistory>(r#"{"list": null, "cursor": null}"#).list.is_empty());
    assert!(read::<unified::GetOpenOrders>(r#"{"list": [], "cursor": null}"#).list.is_empty());
    read::<unified::GetFillHistory>(
        r#"{"list": [{"execId": "7", "orderId": "3", "category": "coin-futures", "symbol": "BTCUSD_CM", "orderType":
        "limit", "side": "sell", "execPrice": "64000.5", "execQty": "3", "execValue": "0.0001", "tradeScope": "maker",
        "tradeSide": "close_short", "posSide": "short", "isRPI": "yes", "feeDetail": [{"feeCoin": "BTC", "fee":
        "0.00000001"}], "execPnl": "0", "createdTime": "1790000000000", "updatedTime": "1790000000000"}], "cursor":
        "7"}"#,
    );
    let list = read::<unified::CancelAllOrders>(r#"{"list": [{"orderId": "3", "clientOid": "3"}]}"#);
    assert_eq!(list.len(), 1, "the list within an object");
    let orders = read::<classic::GetPendingOrders>(
        r#"{"entrustedList": [{"symbol": "ETHUSDT", "size": "0.1", "orderId": "3", "clientOid": "3", "baseVolume":
        "0", "fee": "0", "price": "", "priceAvg": "", "status": "live", "side": "buy", "force": "gtc", "totalProfits":
        "0", "posSide": "net", "marginCoin": "USDT", "quoteVolume": "0", "leverage": "10", "marginMode": "crossed",
        "enterPointSource": "api", "tradeSide": "buy_single", "posMode": "one_way_mode", "orderType": "market",
        "orderSource": "market", "reduceOnly": "NO", "cTime": "1790000000000", "uTime": "1790000000000",
        "presetStopSurplusPrice": "", "presetStopLossPrice": ""}, {"symbol": "ethusdt", "orderId": "4", "status": "live",
        "marginMode": "cross", "presetStopSurplusPrice": "3400", "presetStopSurplusType": "mark_price",
        "presetStopSurplusExecutePrice": "3399", "presetStopLossPrice": "3000", "presetStopLossType": "fill_price",
        "presetStopLossExecutePrice": "2999"}], "endId": null}"#,
    );
    let sample = &orders.entrusted_list[1];
    assert_eq!(sample.margin_mode, Some(classic::MarginMode::Crossed), "an older name");
    assert_eq!(sample.preset_stop_loss_type, Some(classic::TriggerType::FillPrice), "an older name");
    assert!(read::<classic::GetPendingOrders>(r#"{"entrustedList": null, "endId": null}"#).entrusted_list.is_empty());
    let fills = read::<classic::GetOrderFillDetails>(
        r#"{"fillList": [{"tradeId": "7", "symbol": "ETHUSDT", "orderId": "3", "price": "3150", "baseVolume": "0.1",
        "feeDetail": [{"deduction": "no", "feeCoin": "USDT", "totalDeductionFee": null, "totalFee": "-0.063"}], "side":
        "buy", "quoteVolume": "315", "profit": "0", "enterPointSource": "api", "tradeSide": "buy_single", "posMode":
        "one_way_mode", "tradeScope": "maker", "cTime": "1790000000000"}], "endId": "7"}"#,
    );
    assert_eq!(fills.fill_list[0].fee_detail[0].total_deduction_fee, None);
}

#[test]
fn conditional_orders() {
    let page = read::<observed::GetPlanOrders>(
        r#"{"entrustedList": [{"planType": "pos_profit", "symbol": "ETHUSDT", "size": "0", "orderId": "3", "clientOid":
        "3", "price": "3200", "executePrice": "3200", "callbackRatio": "", "triggerPrice": "3200", "triggerType":
        "fill_price", "planStatus": "live", "side": "buy", "posSide": "long", "marginCoin": "USDT", "marginMode": "",
        "enterPointSource": "API", "tradeSide": "close", "posMode": "hedge_mode", "orderType": "limit",
        "stopSurplusTriggerPrice": "3200", "stopSurplusExecutePrice": null, "stopSurplusTriggerType": "fill_price",
        "stopLossTriggerPrice": null, "stopLossExecutePrice": null, "stopLossTriggerType": null, "cTime":
        "1790000000000", "uTime": "1790000000000"}, {"planType": "normal_plan", "symbol": "ethusdt", "size": "1",
        "orderId": "4", "planStatus": "not_trigger", "triggerPrice": "3000", "triggerType": "mark_price", "uTime": "",
        "marginMode": "cross", "presetStopSurplusPrice": "3400", "presetStopLossPrice": "2900"}, {"planType": "pos_loss",
        "symbol": "ETHUSDT", "size": "0", "orderId": "5", "planStatus": "live", "side": "sell", "posSide": "net",
        "marginMode": "crossed", "tradeSide": "sell_single", "posMode": "one_way_mode", "stopSurplusTriggerPrice": null,
        "stopSurplusTriggerType": null, "stopLossTriggerPrice": "2900", "stopLossTriggerType": "mark_price"}]}"#,
    );
    assert_eq!(page.entrusted_list[2].trade_side, Some(observed::PlanTradeSide::SellSingle), "in one-way mode");
    assert_eq!(page.entrusted_list[1].status, Some(observed::PlanStatus::Live), "it waits, under an older name");
    read::<observed::CancelPlanOrder>(r#"{"successList": [{"orderId": "3", "clientOid": "a"}], "failureList": []}"#);
    let list = read::<observed::GetStrategyOrders>(
        r#"[{"orderId": "3", "clientOid": "3", "symbol": "ETHUSDT", "category": "USDT-FUTURES", "qty": "0.1", "posSide":
        "long", "tpTriggerBy": "market", "slTriggerBy": "mark", "takeProfit": "", "stopLoss": "3000", "tpOrderType":
        "market", "slOrderType": "limit", "tpLimitPrice": "", "slLimitPrice": "2990", "createdTime": "1790000000000",
        "updatedTime": "1790000000011"}, {"orderId": "4", "symbol": "ETHUSDT", "category": "usdt-futures", "qty": "0.1",
        "posSide": "short", "type": "tpsl", "status": "pending", "triggerType": "stopLoss", "stopLoss": "3300"}]"#,
    );
    assert_eq!((list[0].take_profit.as_ref(), list[0].strategy_type.as_ref()), (None, None), "an older answer");
    read::<observed::GetPastStrategyOrders>(r#"{"list": [], "cursor": 1330960754317619202}"#);
}

/// A null that several captures have is no drift.
#[test]
fn an_expected_null_is_no_drift() {
    let drift = Drift::new();
    let answer =
        |data: &str| format!(r#"{{"code": "00000", "msg": "success", "requestTime": 1790000000000, "data": {data}}}"#);
    let plan = r#"{"entrustedList": [{"orderId": "5", "stopSurplusTriggerType": null, "stopLossTriggerType": null}], "endId": "5"}"#;
    record::<observed::GetPlanOrders>(&drift, &answer(plan)).unwrap();
    let account = r#"{"marginCoin": "USDT", "unrealizedPL": null, "crossedUnrealizedPL": null, "isolatedMargin": null,
        "crossedMargin": null}"#;
    record::<observed::GetContractAccount>(&drift, &answer(account)).unwrap();
    let fill = r#"{"fillList": [{"tradeId": "7", "feeDetail": [{"feeCoin": "USDT", "totalDeductionFee": null}]}]}"#;
    record::<classic::GetOrderFillDetails>(&drift, &answer(fill)).unwrap();
    let ticker = r#"[{"symbol": "ETHUSDT", "deliveryStartTime": null, "deliveryTime": null}]"#;
    record::<observed::GetContractTickers>(&drift, &answer(ticker)).unwrap();
    let entries = drift.report().operations.into_iter().flat_map(|operation| operation.entries);
    let otherwise: Vec<_> = entries.filter(|entry| entry.kind == DriftKind::WrittenOtherwise).collect();
    assert!(otherwise.is_empty(), "{otherwise:?}");
}

#[test]
fn closed_positions_bills_and_tiers() {
    let page = read::<observed::GetContractPositionHistory>(
        r#"{"list": [{"positionId": "9", "symbol": "ETHUSDT", "marginCoin": "USDT", "holdSide": "long", "posMode":
        "hedge_mode", "openAvgPrice": "3150", "closeAvgPrice": "3149.5", "marginMode": "crossed", "openTotalPos": "0.1",
        "closeTotalPos": "0.1", "pnl": "-0.05", "netProfit": "-0.43", "totalFunding": "0", "openFee": "-0.189",
        "closeFee": "-0.189", "ctime": "1790000000000", "utime": "1790000000343"}], "endId": "9"}"#,
    );
    assert!(page.list[0].updated_time.is_some(), "in small letters");
    read::<observed::GetPositionHistory>(
        r#"{"list": [{"positionId": "9", "category": "USDT-FUTURES", "symbol": "ETHUSDT", "marginCoin": "USDT",
        "holdMode": "hedge_mode", "posSide": "long", "marginMode": "crossed", "openPriceAvg": "3150", "closePriceAvg":
        "3150.5", "openTotalPos": "0.1", "closeTotalPos": "0.1", "cumRealisedPnl": "0.05", "netProfit": "-0.33",
        "totalFunding": "0", "openFeeTotal": "-0.189", "closeFeeTotal": "-0.189", "createdTime": "1790000000000",
        "updatedTime": "1790000000343"}], "cursor": "9"}"#,
    );
    read::<observed::GetContractBills>(
        r#"{"bills": [{"billId": "9", "symbol": "ETHUSDT", "amount": "-0.0314", "fee": "0", "feeByCoupon": "",
        "businessType": "contract_settle_fee", "coin": "USDT", "balance": "1000", "cTime": "1790000000000"}],
        "endId": "9"}"#,
    );
    read::<observed::GetFinancialRecords>(
        r#"{"list": [{"category": "USDT-FUTURES", "id": "9", "symbol": "ETHUSDT", "coin": "USDT", "type":
        "CONTRACT_MAIN_SETTLE_FEE_USER_OUT", "amount": "-0.0314", "fee": "0", "balance":
        "1000.7105387860399993", "ts": "1790000000000"}], "cursor": "9"}"#,
    );
    read::<observed::GetPositionTiers>(
        r#"[{"tier": "8", "minTierValue": "480000000", "maxTierValue": "600000000", "leverage": "4", "mmr": "0.125"},
        {"tier": "9", "minTierValue": "600000000", "maxTierValue": "800000000", "leverage": "3", "mmr": "0.1666"}]"#,
    );
    read::<observed::GetFundingHistory>(
        r#"{"resultList": [{"symbol": "ETHUSDT", "fundingRate": "-0.000013", "fundingRateTimestamp": "1790000000000"}]}"#,
    );
    read::<observed::GetContractFundingTime>(
        r#"[{"symbol": "ETHUSDT", "nextFundingTime": "1790006400000", "ratePeriod": "8"}]"#,
    );
    read::<observed::GetOpenInterest>(
        r#"{"list": [{"symbol": "ETHUSDT", "openInterest": "18166.3583"}], "ts": "1790000000000"}"#,
    );
}
