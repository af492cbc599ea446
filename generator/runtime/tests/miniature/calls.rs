//! Whole calls over a custom transport.

use std::future::ready;

use bytes::Bytes;
use tradeapi_runtime::client::LimitMode;
use tradeapi_runtime::error::{Delivery, TransportError, TransportErrorKind};
use tradeapi_runtime::tables::Outcome;
use tradeapi_runtime::transport::{self, Transport};
use tradeapi_runtime::{Credentials, Error};

use crate::Tested;
use crate::api::{Client, Side};
use crate::orders::{Execution, PlaceOrder};

/// Gives every request the same answer, or none.
pub(crate) fn canned(answer: Option<&'static str>) -> impl Transport {
    let failure = || TransportError::new(TransportErrorKind::Other, Delivery::NotSent).caused_by("the line is cut");
    let answer = move || answer.map(|body| http::Response::new(Bytes::from_static(body.as_bytes())));
    transport::from_fn(move |_| ready(answer().ok_or_else(failure)))
}

fn client(answer: Option<&'static str>) -> Result<Client, tradeapi_runtime::error::BuildError> {
    let credentials = Credentials::new("key", "secret", "pass");
    Client::builder("https://mini.example").credentials(credentials).transport(canned(answer)).build()
}

fn order() -> PlaceOrder {
    PlaceOrder::new("BTCUSDT", Side::Buy, 1_u32, Execution::Market)
}

#[tokio::test]
async fn a_call_returns_the_data_of_its_answer() -> Tested {
    let reply = client(Some(r#"{"code":"00000","data":{"orderId":7}}"#))?.call(&order()).await?;
    assert_eq!(reply.order_id, Some("7".into()));
    Ok(())
}

#[tokio::test]
async fn a_transport_reports_delivery() -> Tested {
    let error = client(None)?.call(&order()).await.err().ok_or("answered")?;
    assert_eq!((error.operation(), error.outcome()), ("mini.orders", Outcome::NotDone));
    let text = "mini.orders got no response: the transport failed: the line is cut; it had no effect";
    assert_eq!(error.to_string(), text);
    Ok(())
}

#[tokio::test]
async fn forbidden_requests_are_not_sent() -> Tested {
    let forbidden = PlaceOrder { symbol: "".into(), ..order() };
    let error = client(None)?.call(&forbidden).await;
    let Err(Error::Refused(refusal)) = error else { return Err("it was sent".into()) };
    assert_eq!(refusal.violations.len(), 1);
    Ok(())
}

#[test]
fn a_call_can_move_between_threads() -> Tested {
    fn is_send<T: Send>(_: &T) {}
    is_send(&client(None)?.call(&order()));
    Ok(())
}

/// Reports how many calls remain.
fn counting() -> impl Transport {
    transport::from_fn(|_| async {
        let answer = http::Response::builder().header("x-remaining", "9").body(Bytes::from(r#"{"code":"00000"}"#));
        answer.map_err(|why| TransportError::new(TransportErrorKind::Other, Delivery::NotSent).caused_by(why))
    })
}

#[tokio::test]
async fn remaining_calls_are_reported_with_and_without_limits() -> Tested {
    for mode in [LimitMode::Wait, LimitMode::Refuse, LimitMode::Off] {
        let client = Client::builder("https://mini.example").credentials(Credentials::new("key", "secret", "pass"));
        let reply = client.limits(mode).transport(counting()).build()?.call(&order()).await?;
        assert_eq!(reply.remaining, Some(9), "{mode:?}");
    }
    Ok(())
}

/// Futures are moved into one another and into boxes, so their size is part of what a call costs.
#[test]
fn a_call_takes_little_room() -> Tested {
    const LITTLE: usize = 1024;
    let (client, order) = (client(None)?, order());
    let call = size_of_val(&client.call(&order));
    assert!(call <= LITTLE, "{call} bytes");
    #[cfg(feature = "hyper")]
    {
        let transport =
            tradeapi_runtime::transport::HyperTransport::new(tradeapi_runtime::transport::TransportLimits::default())?;
        let request = http::Request::get("https://mini.example").body(bytes::Bytes::new())?;
        let sending = size_of_val(&*transport.send(request));
        // The largest allocation that glibc caches for each thread; a larger one took seven times as many instructions.
        const CACHED: usize = 1032;
        assert!(sending <= CACHED, "{sending} bytes");
    }
    Ok(())
}

#[cfg(not(feature = "hyper"))]
#[test]
fn a_client_needs_a_transport() {
    let built = Client::builder("https://mini.example").build();
    assert_eq!(built.map(drop), Err(tradeapi_runtime::error::BuildError::NoTransport));
}
