//! A hand-written call.

use std::error::Error;
use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use serde::Deserialize;
use sha2::Sha256;
use tradeapi::unified::PlaceOrder;

const PATH: &str = "/api/v3/trade/place-order";

/// Credentials and address.
pub(crate) struct ByHand {
    keyed: Hmac<Sha256>,
    address: String,
}

#[derive(Deserialize)]
struct Answer {
    code: String,
    data: Option<Placed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Placed {
    order_id: Option<String>,
}

impl ByHand {
    pub(crate) fn new(address: SocketAddr) -> Self {
        // HMAC accepts keys of any length.
        let keyed = Hmac::new_from_slice(b"secret-of-some-length").unwrap_or_else(|_| unreachable!());
        Self { keyed, address: format!("http://{address}{PATH}") }
    }

    pub(crate) async fn place(
        &self,
        hyper: &Hyper<HttpConnector, Full<Bytes>>,
        order: &PlaceOrder,
    ) -> Result<String, Box<dyn Error>> {
        let body = format!(
            r#"{{"category":"USDT-FUTURES","symbol":"{}","qty":"{}","side":"buy","orderType":"limit","price":"{}","timeInForce":"gtc","posSide":"long","clientOid":"{}"}}"#,
            order.symbol,
            order.qty,
            "3150.25",
            order.client_oid.as_ref().map(ToString::to_string).unwrap_or_default(),
        );
        let timestamp = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis().to_string();
        let mut mac = self.keyed.clone();
        mac.update(format!("{timestamp}POST{PATH}{body}").as_bytes());
        let signature = STANDARD.encode(mac.finalize().into_bytes());
        let request = Request::post(&self.address)
            .header("ACCESS-KEY", "key-of-some-length")
            .header("ACCESS-SIGN", signature)
            .header("ACCESS-TIMESTAMP", timestamp)
            .header("ACCESS-PASSPHRASE", "passphrase")
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(body)))?;
        let response = hyper.request(request).await?;
        let answer: Answer = serde_json::from_slice(&response.into_body().collect().await?.to_bytes())?;
        match answer.data.and_then(|data| data.order_id) {
            Some(id) if answer.code == "00000" => Ok(id),
            _ => Err("refused".into()),
        }
    }
}
