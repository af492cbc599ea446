//! The examples of the schema have no undocumented parts.

use tradeapi::runtime::drift::{Drift, DriftKind};
use tradeapi::{Operation, observed, unified};
use tradeapi_tests::schema;

use super::record;

macro_rules! for_each {
    ($($operation:ty),+ $(,)?) => {
        /// Collects the drift of all examples.
        fn all_examples() -> Drift {
            let drift = Drift::new();
            $(examples_of::<$operation>(&drift);)+
            drift
        }
    };
}
tradeapi::for_each_operation!(for_each);

fn examples_of<O: Operation>(drift: &Drift) {
    for example in schema::examples(O::META) {
        let _ = record::<O>(drift, &example.response);
    }
}

#[test]
fn examples_have_no_unknown_parts() {
    let report = all_examples().report();
    assert_eq!(report.operations.len(), schema::operations().len());
    // Fields that examples may omit, undocumented ones that they show, and codes of items, which no document lists.
    let may_be = [DriftKind::MissingField, DriftKind::Observed, DriftKind::UnlistedCode];
    for operation in &report.operations {
        assert_eq!((operation.broken, operation.left_out), (0, 0), "{}", operation.operation);
        let unknown = operation.entries.iter().find(|entry| !may_be.contains(&entry.kind));
        assert!(unknown.is_none(), "{}: {}", operation.operation, unknown.unwrap());
    }
}

/// Answers as the exchange gives them in 2026, with invented values.
fn answers_of_2026() -> Drift {
    let drift = Drift::new();
    let answer =
        |data: &str| format!(r#"{{"code": "00000", "msg": "success", "requestTime": 1790000000000, "data": {data}}}"#);
    let fill = r#"{"execId": "7", "execLinkId": "7", "orderId": "3", "clientOid": "a", "category": "usdt-futures",
        "symbol": "ETHUSDT", "orderType": "limit", "side": "sell", "execPrice": "3150.25", "execQty": "0.3",
        "execValue": "945.0750", "tradeScope": "taker", "tradeSide": "close_long", "posSide": "long", "isRPI": "no",
        "feeDetail": [{"feeCoin": "USDT", "fee": "-0.567"}], "execPnl": "4.5", "createdTime": "1790000000000",
        "updatedTime": "1790000000000"}"#;
    let _ = record::<unified::GetFillHistory>(&drift, &answer(&format!(r#"{{"list": [{fill}], "cursor": "7"}}"#)));
    let order = r#"{"orderId": "3", "category": "spot", "symbol": "RAMDUSDT", "orderStatus": "cancelled",
        "cancelReason": "cancel_receiveWindow", "posSide": "", "reduceOnly": "NO"}"#;
    let _ = record::<unified::GetOrderHistory>(&drift, &answer(&format!(r#"{{"list": [{order}], "cursor": null}}"#)));
    let position = r#"{"category": "USDT-FUTURES", "symbol": "AMDUSDT", "posSide": "long", "total": "2",
        "positionStatus": "normal", "cashDividend": "0.42"}"#;
    let _ = record::<observed::GetPositions>(&drift, &answer(&format!(r#"{{"list": [{position}]}}"#)));
    let position = r#"{"symbol": "AMDUSDT", "holdSide": "long", "total": "2", "cashDividend": "0.42"}"#;
    let _ = record::<observed::GetContractPositions>(&drift, &answer(&format!("[{position}]")));
    let ticker =
        r#"{"category": "SPOT", "symbol": "RAMDUSDT", "turnover24h": "3000000000", "platformTurnover24h": "51000"}"#;
    let _ = record::<observed::GetTickers>(&drift, &answer(&format!("[{ticker}]")));
    let instrument = r#"{"symbol": "AMDUSDT", "category": "USDT-FUTURES", "type": "perpetual", "isRwa": "YES",
        "symbolType": "stock", "fundInterval": "", "deliveryTime": ""}"#;
    let _ = record::<observed::GetInstruments>(&drift, &answer(&format!("[{instrument}]")));
    let settings = r#"{"uid": "1", "accountMode": "hybrid", "accountLevel": "advanced", "stpMode": "none",
        "holdMode": "hedge_mode", "symbolConfigList": [], "coinConfigList": []}"#;
    let _ = record::<observed::GetAccountSettings>(&drift, &answer(settings));
    drift
}

#[test]
fn answers_of_2026_have_no_unknown_parts() {
    let report = answers_of_2026().report();
    assert_eq!(report.operations.len(), 7);
    for operation in &report.operations {
        assert_eq!((operation.broken, operation.left_out), (0, 0), "{}", operation.operation);
        let is_unknown = |kind: DriftKind| matches!(kind, DriftKind::UnknownField | DriftKind::UnknownValue);
        let unknown = operation.entries.iter().find(|entry| is_unknown(entry.kind));
        assert!(unknown.is_none(), "{}: {}", operation.operation, unknown.unwrap());
    }
}

#[test]
fn parts_without_an_example_equal_their_snapshot() {
    insta::assert_snapshot!(all_examples().report());
}
