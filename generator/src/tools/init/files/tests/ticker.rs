//! Calls an operation without a network: a transport with a fixed answer shows what is sent, and how the answer is read.

use std::sync::{Arc, Mutex};

use crate_name::Client;
use crate_name::market::GetTicker;
use crate_name::runtime::bytes::Bytes;
use crate_name::runtime::http::Response;
use crate_name::runtime::transport;

#[tokio::test]
async fn a_ticker_is_read() -> Result<(), Box<dyn std::error::Error>> {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let answer: &'static str = r#"{"symbol": "BTCUSDT", "price": "64000.50"}"#;
    let records = Arc::clone(&sent);
    let transport = transport::from_fn(move |request| {
        records.lock().expect("no thread panics").push(format!("{} {}", request.method(), request.uri()));
        async { Ok(Response::new(Bytes::from_static(answer.as_bytes()))) }
    });
    let client = Client::builder("https://example.com").transport(transport).build()?;
    let ticker = client.market().get_ticker(&GetTicker::new("BTCUSDT")).await?;
    // The price keeps the text of the wire.
    assert_eq!(ticker.price.as_ref().map(|price| price.as_str()), Some("64000.50"));
    assert_eq!(*sent.lock().expect("no thread panics"), ["GET https://example.com/api/v1/ticker?symbol=BTCUSDT"]);
    Ok(())
}
