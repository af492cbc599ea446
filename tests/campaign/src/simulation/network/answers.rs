//! Answers as an HTTP library reads them.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tradeapi::runtime::error::{Delivery as Sent, TransportError, TransportErrorKind};
use tradeapi_exchange::{Delivered, Delivery};
use tradeapi_tests::dice::Dice;

use crate::operation::{Action, Operation};

/// The number of headers from which on an answer is rejected.
const HEADERS: usize = 100;

/// The number of bytes in a piece of a slow answer.
const PIECE: u64 = 64;

pub(super) fn failed(kind: TransportErrorKind, sent: Sent) -> TransportError {
    TransportError::new(kind, sent)
}

pub(super) fn lost() -> TransportError {
    failed(TransportErrorKind::Closed, Sent::MaybeSent)
}

pub(super) fn timed_out() -> Result<http::Response<Bytes>, TransportError> {
    Err(failed(TransportErrorKind::Timeout, Sent::MaybeSent))
}

/// The journey of an answer.
pub(super) struct Transfer {
    pub(super) answer: http::Response<Bytes>,
    /// The length that it announces.
    pub(super) announced: usize,
    /// The time from the first byte to the last.
    pub(super) takes: Duration,
    /// True if the exchange closes the connection after it.
    pub(super) closes: bool,
}

/// The reason why no answer arrives.
pub(super) enum Interruption {
    /// All connections are cut, and none can be made for so long.
    Outage(Duration),
    /// Nothing is sent, and the connection stays open.
    Hang,
    /// The connection is closed.
    Closed,
}

impl Transfer {
    /// Returns how the exchange sends an answer.
    pub(super) fn of(delivered: Delivered) -> Result<Self, Interruption> {
        let whole = |answer: http::Response<Bytes>| {
            let announced = answer.body().len();
            Self { answer, announced, takes: Duration::ZERO, closes: false }
        };
        match delivered {
            Delivered::Whole(answer) => Ok(whole(answer)),
            Delivered::Misstated(answer, announced) => Ok(Self { announced, ..whole(answer) }),
            Delivered::Last(answer) => Ok(Self { closes: true, ..whole(answer) }),
            Delivered::Slow(answer, pause) => {
                let pieces = (answer.body().len() as u64 + 200).div_ceil(PIECE);
                Ok(Self { takes: pause * u32::try_from(pieces).unwrap_or(u32::MAX), ..whole(answer) })
            }
            Delivered::Outage(lasts) => Err(Interruption::Outage(lasts)),
            Delivered::Hang => Err(Interruption::Hang),
            _ => Err(Interruption::Closed),
        }
    }
}

/// Returns the code of a complete answer.
pub(super) fn code(delivered: &Delivered) -> Option<String> {
    let Delivered::Whole(answer) = delivered else { return None };
    let body: Value = serde_json::from_slice(answer.body()).ok()?;
    body["code"].as_str().map(str::to_owned)
}

/// An answer in a trace.
pub(super) struct DeliveryLine<'a>(pub(super) &'a Delivery);

impl fmt::Display for DeliveryLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, answer) = match &self.0.delivered {
            Delivered::Whole(answer) => ("whole", answer),
            Delivered::Last(answer) => ("the last", answer),
            Delivered::Slow(answer, _) => ("in pieces", answer),
            Delivered::Half(answer) => ("half", answer),
            Delivered::Misstated(answer, announced) => {
                write!(f, "announced as {announced} bytes, ")?;
                ("whole", answer)
            }
            other => return write!(f, "{other:?}"),
        };
        let (status, headers) = (answer.status().as_u16(), answer.headers().len());
        write!(f, "{kind} {status}, {headers} headers, {}", String::from_utf8_lossy(answer.body()))?;
        self.0.behind.as_ref().map_or(Ok(()), |behind| write!(f, ", with {} bytes behind", behind.bytes.len()))
    }
}

/// Returns an answer as an HTTP library reads it, with an announced length.
pub(super) fn response(
    answer: http::Response<Bytes>,
    announced: usize,
) -> Result<http::Response<Bytes>, TransportError> {
    if answer.headers().len() >= HEADERS {
        return Err(lost());
    }
    Ok(answer.map(|body| body.slice(..announced.min(body.len()))))
}

/// Parses an unsolicited answer.
pub(super) fn read(bytes: &[u8]) -> Result<http::Response<Bytes>, TransportError> {
    let text = std::str::from_utf8(bytes).map_err(|_| lost())?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(lost)?;
    let status = head.get(9..12).and_then(|status| status.parse().ok()).ok_or_else(lost)?;
    let mut response = http::Response::new(Bytes::copy_from_slice(body.as_bytes()));
    *response.status_mut() = status;
    Ok(response)
}

/// Returns whether a request and an answer have different ids, so that a client can recognize that they do not belong
/// together. A refusal has no ids, so no client could know.
pub(super) fn is_distinct_from(operation: Option<&Operation>, body: &[u8], answer: &[u8]) -> bool {
    let Some(operation) = operation else { return false };
    let is_replacement = operation.name == "modify-order";
    if operation.is_batch || matches!(operation.action, Action::List(_) | Action::Detail) || is_replacement {
        return false;
    }
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return false };
    let answer = String::from_utf8_lossy(answer);
    if !answer.contains(r#""code":"00000""#) {
        return false;
    }
    let ids = ["clientOid", "orderId"].map(|name| body[name].as_str().unwrap_or_default().to_owned());
    let mut named = ids.iter().filter(|id| !id.is_empty()).peekable();
    named.peek().is_some() && named.all(|id| !answer.contains(&format!("\"{id}\"")))
}

/// Returns the same answer without some of its ids, as real ones leave them out.
pub(super) fn with_fewer_ids(answer: http::Response<Bytes>, dice: &mut Dice) -> http::Response<Bytes> {
    let left_out: &[&str] = dice.weighted(&[
        (["orderId", "clientOid"].as_slice(), 1),
        (["clientOid"].as_slice(), 1),
        (["orderId"].as_slice(), 1),
        ([].as_slice(), 2),
    ]);
    let Ok(mut body) = serde_json::from_slice::<Value>(answer.body()) else { return answer };
    if let Some(data) = body["data"].as_object_mut() {
        data.retain(|name, _| !left_out.contains(&name.as_str()));
        if data.is_empty() && dice.percent(50) {
            body["data"] = Value::Null;
        }
    }
    answer.map(|_| Bytes::from(body.to_string()))
}

/// Returns the honest answer to a request that a proxy sent a second time: it comes too often, its order has taken the
/// funds, or its signature has expired.
pub(super) fn refusal_of_repeat(dice: &mut Dice) -> http::Response<Bytes> {
    let (status, code) =
        dice.weighted(&[((429, "429"), 1), ((400, "40762"), 1), ((400, "43012"), 1), ((400, "40008"), 1)]);
    let body = format!(r#"{{"code":"{code}","msg":"it was refused","data":null}}"#);
    let mut response = http::Response::new(Bytes::from(body));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    response
}
