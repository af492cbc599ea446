//! Through serde, values have the same form as on the wire.

use serde_json::{from_str, from_value, json, to_string, to_value};
use tradeapi_runtime::{Decimal, Edit, List, Timestamp};

use crate::Tested;
use crate::api::{ClientOid, Side};
use crate::orders::{AmendOrder, Execution, Orders, PlaceBatch, PlaceOrder, Placed};

#[test]
fn requests_are_the_json_that_is_sent() -> Tested {
    let order = PlaceOrder::new("BTCUSDT", Side::Buy, 2_u32, Execution::Limit { price: "64000.10".parse()? });
    let text = r#"{"symbol":"BTCUSDT","side":"buy","size":"2","orderType":"limit","price":"64000.10"}"#;
    assert_eq!(to_string(&order)?, text);
    assert_eq!(from_str::<PlaceOrder>(text)?, order);
    let batch = PlaceBatch { orders: vec![order] };
    assert_eq!(to_string(&batch)?, format!("[{text}]"));
    assert_eq!(from_value::<PlaceBatch>(to_value(&batch)?)?, batch);
    assert_eq!(to_value(Orders { limit: Some(5), ..Orders::default() })?, json!({"limit": 5}));
    Ok(())
}

#[test]
fn requests_are_read_with_their_checks() {
    let errors = |text| from_str::<Orders>(text).map(drop).map_err(|error| error.to_string());
    let errors_of = errors(r#"{"limit":500,"startTime":"5"}"#).err().unwrap_or_default();
    assert!(errors_of.contains("rule limit.max") && errors_of.contains("rule window.pair"), "{errors_of}");
    assert!(errors(r#"{"colour":1}"#).is_err());
    let edit = from_value::<AmendOrder>(json!({"orderId": 7, "takeProfit": "0"})).map(|amend| amend.take_profit);
    assert!(matches!(edit, Ok(Edit::Delete)));
}

#[test]
fn records_are_read_leniently() -> Tested {
    let text = r#"{"orderId":7,"side":"BUY","price":"","cTime":5,"new":{"a":[null,true,-1]}}"#;
    let record: Placed = from_str(text)?;
    assert_eq!((&record.side, record.created), (&Some(Side::Buy), Some(Timestamp::from_millis(5))));
    assert_eq!(to_string(&record)?, r#"{"orderId":"7","side":"buy","cTime":"5"}"#);
    let list: List<Placed> = from_value(json!([{"orderId": "1"}, 5]))?;
    assert_eq!((list.len(), list.bad.len()), (1, 1));
    assert_eq!(to_value(&list)?, json!([{"orderId": "1"}, 5]));
    Ok(())
}

#[test]
fn no_digit_is_lost() -> Tested {
    let long = "\"0.1234567890123456789012345678901234567890\"";
    assert_eq!(to_string(&from_str::<Decimal>(long)?)?, long);
    assert_eq!(from_str::<Decimal>("5")?, Decimal::from(5));
    // With the feature `arbitrary_precision` of any crate, serde_json keeps the digits; without it, they are gone.
    match from_str::<Decimal>("0.1000000000000000055") {
        Ok(number) => assert_eq!(number.as_str(), "0.1000000000000000055"),
        Err(error) => assert!(error.to_string().contains("write 0.1 as text"), "{error}"),
    }
    let forged = from_str::<Decimal>(r#"{"$serde_json::private::Number": "1, 2"}"#);
    assert!(forged.is_err());
    Ok(())
}

#[test]
fn identifiers_are_text() -> Tested {
    assert_eq!(to_value(ClientOid::new("mine-1")?)?, json!("mine-1"));
    assert_eq!(from_value::<ClientOid>(json!("mine-1"))?, ClientOid::new("mine-1")?);
    Ok(())
}
