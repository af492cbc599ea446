//! The client of oas3-gen places, finds and cancels an order.

#[path = "api/mod.rs"]
mod api;

use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fmt};

use anyhow::{Result, bail, ensure};
use api::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Returns a client for one request, because its headers are those of all its requests.
fn signed(method: &str, target: &str, body: &str) -> Result<TradeapiClient> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis().to_string();
    let mut signature = Hmac::<Sha256>::new_from_slice(env::var("TRADEAPI_SECRET")?.as_bytes())?;
    signature.update(format!("{now}{method}{target}{body}").as_bytes());
    Ok(TradeapiClient::with_base_url(env::var("TRADEAPI_URL")?)?
        .with_key(env::var("TRADEAPI_KEY")?)
        .with_passphrase(env::var("TRADEAPI_PASSPHRASE")?)
        .with_timestamp(now)
        .with_signature(STANDARD.encode(signature.finalize().into_bytes())))
}

/// Returns the body of an answer with status 200.
fn body<H, T, F: fmt::Debug>(answer: ApiResponse<WithHeaders<H, T>, F>) -> Result<T> {
    match answer {
        ApiResponse::Ok(answer) => Ok(answer.body),
        ApiResponse::ClientError(_, refusal) | ApiResponse::Unknown(_, refusal) => bail!("{refusal:?}"),
        ApiResponse::Other(answer) => bail!("{answer:?}"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    // An order of the market has no member for a price.
    let order = UnifiedPlaceOrderLimit {
        category: UnifiedCategory::UsdtFutures,
        symbol: "BTCUSDT".to_owned(),
        qty: "0.01".to_owned(),
        side: UnifiedSide::Buy,
        price: "50000".to_owned(),
        ..UnifiedPlaceOrderLimit::default()
    };
    let order = PlaceOrderRequestBody2::Limit(order);
    let client = signed("POST", "/api/v3/trade/place-order", &serde_json::to_string(&order)?)?;
    let request = UnifiedPlaceOrderRequest { body: order, ..Default::default() };
    let PlaceOrder200Response2::Accepted(placed) = body(client.unified_place_order(request).await?)? else {
        bail!("refused");
    };
    // A refusal with status 200 is read as a success, too.
    ensure!(placed.code == "00000", "{placed:?}");
    let id = placed.data.order_id.unwrap_or_default();

    let client = signed("GET", &format!("/api/v3/trade/order-info?orderId={id}"), "")?;
    let query = UnifiedOrderInfoRequestQuery { order_id: Some(id.clone()), ..Default::default() };
    let request = UnifiedOrderInfoRequest { query, ..Default::default() };
    let OrderInfo200Response::Accepted(found) = body(client.unified_order_info(request).await?)? else {
        bail!("refused");
    };
    ensure!(found.data.price.as_deref() == Some("50000"), "{found:?}");

    let cancellation = CancelOrderRequestBody2::id(id);
    let client = signed("POST", "/api/v3/trade/cancel-order", &serde_json::to_string(&cancellation)?)?;
    let request = UnifiedCancelOrderRequest { body: cancellation, ..Default::default() };
    let CancelOrder200Response2::Accepted(cancelled) = body(client.unified_cancel_order(request).await?)? else {
        bail!("refused");
    };
    ensure!(cancelled.code == "00000", "{cancelled:?}");
    Ok(())
}
