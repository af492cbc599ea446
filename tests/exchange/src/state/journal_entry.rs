//! Requests and answers, as a journal records them, and how an answer is delivered: whole or damaged.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response};
use serde::{Deserialize, Serialize};
use tradeapi::API;
use tradeapi::runtime::tables::Part;

/// A request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedRequest {
    pub(crate) address: IpAddr,
    method: String,
    target: String,
    headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    body: String,
    /// A body that is not text, in base64.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    bytes: String,
}

/// An answer, and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedAnswer {
    status: u16,
    body: String,
    /// The rule that the request broke, or another reason of the refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// The fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

impl RecordedRequest {
    /// Creates a request, reduced to the headers that the exchange reads.
    pub(crate) fn new(request: &Request<Bytes>, address: IpAddr) -> Self {
        let of_credentials = API.credentials.iter().flat_map(|credentials| {
            [Part::Key, Part::Signature, Part::Passphrase, Part::Timestamp]
                .into_iter()
                .filter_map(|part| credentials.header(part))
        });
        let names = of_credentials.chain(["content-type"]);
        let headers = names.filter_map(|name| {
            let value = request.headers().get(name)?.to_str().ok()?;
            Some((name.to_owned(), value.to_owned()))
        });
        let (body, bytes) = match std::str::from_utf8(request.body()) {
            Ok(body) => (body.to_owned(), String::new()),
            Err(_) => (String::new(), STANDARD.encode(request.body())),
        };
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        Self {
            address,
            method: request.method().as_str().to_owned(),
            target: target.to_owned(),
            headers: headers.collect(),
            body,
            bytes,
        }
    }

    /// Returns the request; `None` if it is incomplete.
    pub(crate) fn request(&self) -> Option<Request<Bytes>> {
        let body = if self.bytes.is_empty() {
            Bytes::from(self.body.clone())
        } else {
            Bytes::from(STANDARD.decode(&self.bytes).ok()?)
        };
        let mut request = Request::builder().method(self.method.as_str()).uri(self.target.as_str()).body(body).ok()?;
        for (name, value) in &self.headers {
            let name = HeaderName::try_from(name.as_str()).ok()?;
            request.headers_mut().insert(name, HeaderValue::from_str(value).ok()?);
        }
        Some(request)
    }
}

impl RecordedAnswer {
    pub(crate) fn new(response: &Response<Bytes>, rule: Option<&str>, fault: Option<&str>) -> Self {
        Self {
            status: response.status().as_u16(),
            body: String::from_utf8_lossy(response.body()).into_owned(),
            rule: rule.map(str::to_owned),
            fault: fault.map(str::to_owned),
        }
    }
}

/// The arrival of an answer, with its delay and unsolicited bytes after it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Delivery {
    /// The delivered part.
    pub delivered: Delivered,
    /// The delay.
    pub latency: Duration,
    /// Unsolicited bytes after a whole answer. Only a server that writes bytes can send them.
    pub behind: Option<Behind>,
    /// The number of the request in the trace, if there is one.
    pub(crate) call: Option<usize>,
    /// The answer in the journal, if there is one.
    pub(crate) answered: Option<RecordedAnswer>,
}

/// Unsolicited bytes after an answer, on a connection that stays open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The bytes.
    pub bytes: Bytes,
    /// The pause before the bytes. Zero sends them with the answer; otherwise a request that comes first prevents them.
    pub pause: Duration,
}

/// The bytes that the client receives.
#[derive(Debug)]
#[non_exhaustive]
pub enum Delivered {
    /// The whole answer.
    Whole(Response<Bytes>),
    /// The whole answer, then the end of the connection, unannounced.
    Last(Response<Bytes>),
    /// The whole answer in small pieces, with a pause after each.
    Slow(Response<Bytes>, Duration),
    /// The first half of the answer, then the end of the connection.
    Half(Response<Bytes>),
    /// The whole answer with a wrong length, on a connection that stays open.
    Misstated(Response<Bytes>, usize),
    /// Bytes that are not HTTP, then the end of the connection.
    Raw(Bytes),
    /// The end of the connection.
    Nothing,
    /// A reset of the connection.
    Reset,
    /// The end of all connections. None can be made for this time.
    Outage(Duration),
    /// Nothing, on a connection that stays open.
    Hang,
}
