//! Calls an operation without a network: a transport with a fixed answer shows what is sent, and how the answer is read.

use std::sync::{Arc, Mutex};

use crate_name::Client;
use crate_name::market::GetTicker;
use crate_name::runtime::bytes::Bytes;
use crate_name::runtime::http::{Request, Response};
use crate_name::runtime::transport::{ResponseFuture, Transport};

/// Records each request and returns the same answer to all of them.
struct Fixed {
    sent: Arc<Mutex<Vec<String>>>,
    answer: &'static str,
}

impl Transport for Fixed {
    fn send<'a>(&'a self, request: Request<Bytes>) -> ResponseFuture<'a> {
        self.sent.lock().expect("no thread panics").push(format!("{} {}", request.method(), request.uri()));
        Box::pin(async { Ok(Response::new(Bytes::from_static(self.answer.as_bytes()))) })
    }
}

#[tokio::test]
async fn a_ticker_is_read() -> Result<(), Box<dyn std::error::Error>> {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let answer = r#"{"symbol": "BTCUSDT", "price": "64000.50"}"#;
    let client = Client::builder("https://example.com").transport(Fixed { sent: Arc::clone(&sent), answer }).build()?;
    let ticker = client.market().get_ticker(&GetTicker::new("BTCUSDT")).await?;
    // The price keeps the text of the wire.
    assert_eq!(ticker.price.as_ref().map(|price| price.as_str()), Some("64000.50"));
    assert_eq!(*sent.lock().expect("no thread panics"), ["GET https://example.com/api/v1/ticker?symbol=BTCUSDT"]);
    Ok(())
}
