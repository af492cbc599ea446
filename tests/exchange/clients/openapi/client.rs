//! The client of openapi-to-rust places, finds and cancels an order.

#[path = "src/generated/mod.rs"]
mod api;

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, error, fmt};

use api::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Serialize;
use serde_json::Value;
use sha2::Sha256;

type Failure = Box<dyn error::Error>;

/// Returns a client for one request, because its headers are those of all its requests.
fn signed(method: &str, target: &str, body: &str) -> Result<HttpClient, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis().to_string();
    let mut signature = Hmac::<Sha256>::new_from_slice(env::var("TRADEAPI_SECRET")?.as_bytes())?;
    signature.update(format!("{now}{method}{target}{body}").as_bytes());
    let headers = BTreeMap::from([
        ("ACCESS-KEY".to_owned(), env::var("TRADEAPI_KEY")?),
        ("ACCESS-PASSPHRASE".to_owned(), env::var("TRADEAPI_PASSPHRASE")?),
        ("ACCESS-TIMESTAMP".to_owned(), now),
        ("ACCESS-SIGN".to_owned(), STANDARD.encode(signature.finalize().into_bytes())),
    ]);
    Ok(HttpClient::new().with_base_url(env::var("TRADEAPI_URL")?).with_headers(headers))
}

/// Returns the data of an answer that is a success.
fn data<E: fmt::Debug>(answer: Result<impl Serialize, ApiOpError<E>>) -> Result<Value, Failure> {
    let answer = serde_json::to_value(answer.map_err(|error| format!("{error:?}"))?)?;
    if answer["code"] == "00000" { Ok(answer["data"].clone()) } else { Err(answer.to_string().into()) }
}

const NOT_SENT: Option<&str> = None;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    // An order of the market has no member for a price.
    let order = UnifiedPlaceOrderLimit {
        category: UnifiedCategory::UsdtFutures,
        symbol: "BTCUSDT".to_owned(),
        qty: "0.01".to_owned(),
        side: UnifiedSide::Buy,
        order_type: UnifiedPlaceOrderLimitOrderType::Limit,
        price: "50000".to_owned(),
        auto_borrow: None,
        client_oid: None,
        margin_mode: None,
        pos_side: None,
        px_amend_type: None,
        reduce_only: None,
        sl_limit_price: None,
        sl_order_type: None,
        sl_trigger_by: None,
        stop_loss: None,
        stp_mode: None,
        take_profit: None,
        time_in_force: None,
        tp_limit_price: None,
        tp_order_type: None,
        tp_trigger_by: None,
    };
    let request = UnifiedPlaceOrderRequest::UnifiedPlaceOrderLimit(order);
    let client = signed("POST", "/api/v3/trade/place-order", &serde_json::to_string(&request)?)?;
    let placed = data(client.unified_place_order(NOT_SENT, NOT_SENT, NOT_SENT, request).await)?;
    let id = placed["orderId"].as_str().ok_or("an order without an id")?.to_owned();

    let client = signed("GET", &format!("/api/v3/trade/order-info?orderId={id}"), "")?;
    let found = data(client.unified_order_info(Some(&id), NOT_SENT, NOT_SENT, NOT_SENT).await)?;
    assert_eq!(found["price"], "50000", "{found}");

    let order = UnifiedCancelOrderByOrderId { category: None, order_id: id };
    let request = UnifiedCancelOrderRequest::UnifiedCancelOrderByOrderId(order);
    let client = signed("POST", "/api/v3/trade/cancel-order", &serde_json::to_string(&request)?)?;
    data(client.unified_cancel_order(NOT_SENT, NOT_SENT, request).await)?;
    Ok(())
}
