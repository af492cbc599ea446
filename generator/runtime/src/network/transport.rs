//! Transports, which send requests: the trait, and the implementations of the runtime.

#[cfg(any(feature = "hyper", feature = "reqwest"))]
mod bounds;
#[cfg(feature = "hyper")]
mod hyper;
#[cfg(feature = "reqwest")]
mod reqwest;
#[cfg(any(feature = "hyper", feature = "reqwest"))]
mod tls;

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;

use crate::data::error::TransportError;

#[cfg(any(feature = "hyper", feature = "reqwest"))]
pub use self::bounds::TransportLimits;
#[cfg(feature = "hyper")]
pub use self::hyper::HyperTransport;
#[cfg(feature = "reqwest")]
pub use self::reqwest::ReqwestTransport;
#[cfg(any(feature = "hyper", feature = "reqwest"))]
pub use self::tls::TlsSettings;

/// The response to a request, or a transport error.
pub type ResponseFuture<'a> = Pin<Box<dyn Future<Output = Result<http::Response<Bytes>, TransportError>> + Send + 'a>>;

/// Sends requests. Implement it to use another HTTP library, or no library.
///
/// An implementation sends each request at most once and follows no redirects: a repeat could double an order, and a
/// redirect would send a signed request elsewhere. It bounds the time and the length of a response, and reports that a
/// request was not sent only if that is certain.
///
/// This example uses no library. It blocks, as a blocking client may; its responses end with the connection. It leaves
/// out TLS, and the headers of responses.
///
/// ```
/// use std::error::Error;
/// use std::io::{Error as IoError, Read, Write};
/// use std::net::{TcpStream, ToSocketAddrs};
/// use std::time::{Duration, Instant};
///
/// use bytes::Bytes;
/// use http::{Request, Response};
/// use tradeapi_runtime::error::{TransportError, TransportErrorKind, Delivery};
/// use tradeapi_runtime::transport::{ResponseFuture, Transport};
///
/// const TIME: Duration = Duration::from_secs(15);
/// const MAX_LENGTH: usize = 1 << 20;
///
/// /// One plain connection for each call.
/// struct Plain;
///
/// impl Transport for Plain {
///     fn send<'a>(&'a self, request: Request<Bytes>) -> ResponseFuture<'a> {
///         Box::pin(async move { exchange(&request) })
///     }
/// }
///
/// fn exchange(request: &Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
///     let (ends, uri, body) = (Instant::now() + TIME, request.uri(), request.body());
///     let host = uri.authority().map_or("", |host| host.as_str());
///     let address = if uri.port().is_some() { host.to_owned() } else { format!("{host}:80") };
///     let address = address.to_socket_addrs().map_err(not_connected)?.next();
///     let address = address.ok_or_else(|| not_connected(IoError::other("the host has no address")))?;
///     let mut stream = TcpStream::connect_timeout(&address, TIME).map_err(not_connected)?;
///     stream.set_write_timeout(Some(TIME)).map_err(not_connected)?;
///     let target = uri.path_and_query().map_or("/", |target| target.as_str());
///     let mut head = format!("{} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n", request.method());
///     for (name, value) in request.headers() {
///         head += &format!("{name}: {}\r\n", String::from_utf8_lossy(value.as_bytes()));
///     }
///     head += &format!("content-length: {}\r\n\r\n", body.len());
///     stream.write_all(&[head.as_bytes(), body].concat()).map_err(lost)?;
///     let (mut answer, mut part) = (Vec::new(), [0; 4096]);
///     loop {
///         // A read time-out bounds one read; without time left, it is zero, which is an error.
///         let left = ends.saturating_duration_since(Instant::now());
///         stream.set_read_timeout(Some(left)).map_err(lost)?;
///         match stream.read(&mut part).map_err(lost)? {
///             0 => break,
///             length => answer.extend_from_slice(&part[..length]),
///         }
///         if answer.len() > MAX_LENGTH {
///             return Err(TransportError::new(TransportErrorKind::BodyTooLarge, Delivery::MaybeSent));
///         }
///     }
///     let answer = String::from_utf8(answer).map_err(lost)?;
///     let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| lost("that is not HTTP"))?;
///     let status = head.get(9..12).unwrap_or_default();
///     Response::builder().status(status).body(Bytes::from(body.to_owned())).map_err(lost)
/// }
///
/// fn not_connected(why: IoError) -> TransportError {
///     TransportError::new(TransportErrorKind::Connect, Delivery::NotSent).caused_by(why)
/// }
///
/// fn lost(why: impl Into<Box<dyn Error + Send + Sync>>) -> TransportError {
///     TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent).caused_by(why)
/// }
/// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let request = || Request::post(format!("http://{}/a?b=c", listener.local_addr().unwrap())).header("x", "y");
/// # let (one, other) = (request().body(Bytes::from("{}"))?, request().body(Bytes::from("{}"))?);
/// # let received = std::thread::spawn(move || {
/// #     let mut answer = |body: &str| {
/// #         let (mut stream, _) = listener.accept().unwrap();
/// #         let mut read = vec![0; 1000];
/// #         let mut length = 0;
/// #         while !read[..length].ends_with(b"{}") { length += stream.read(&mut read[length..]).unwrap(); }
/// #         let _ = stream.write_all(format!("HTTP/1.1 201 Created\r\nx: y\r\n\r\n{body}").as_bytes());
/// #         String::from_utf8_lossy(&read[..length]).into_owned()
/// #     };
/// #     answer(&"0".repeat(MAX_LENGTH + 1));
/// #     answer("[]")
/// # });
/// # assert_eq!(exchange(&one).unwrap_err().kind(), TransportErrorKind::BodyTooLarge);
/// # let answer = exchange(&one)?;
/// # assert_eq!((answer.status().as_u16(), &answer.body()[..]), (201, &b"[]"[..]));
/// # let received = received.join().unwrap();
/// # assert!(received.starts_with("POST /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:"), "{received}");
/// # assert!(received.ends_with("\r\nx: y\r\ncontent-length: 2\r\n\r\n{}"), "{received}");
/// # assert_eq!(exchange(&other).unwrap_err().sent(), Delivery::NotSent);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Transport: Send + Sync {
    /// Sends `request` and waits for the whole response.
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a>;

    /// Returns the same, and records the round trip in `trip`, if the transport measures it. By default it does not.
    fn send_timed<'a>(&'a self, request: http::Request<Bytes>, trip: &'a RoundTrip) -> ResponseFuture<'a> {
        let _ = trip;
        self.send(request)
    }
}

/// Returns a transport that is a function, for tests without a network or around another transport.
///
/// ```
/// use bytes::Bytes;
/// use http::Response;
/// use tradeapi_runtime::transport::{self, Transport};
///
/// /// A transport that answers every request with an empty object.
/// fn empty() -> impl Transport {
///     transport::from_fn(|_request| async { Ok(Response::new(Bytes::from_static(b"{}"))) })
/// }
/// # let _ = empty();
/// ```
pub fn from_fn<F, R>(send: F) -> impl Transport
where
    F: Fn(http::Request<Bytes>) -> R + Send + Sync,
    R: Future<Output = Result<http::Response<Bytes>, TransportError>> + Send + 'static,
{
    FromFn(send)
}

struct FromFn<F>(F);

impl<F, R> Transport for FromFn<F>
where
    F: Fn(http::Request<Bytes>) -> R + Send + Sync,
    R: Future<Output = Result<http::Response<Bytes>, TransportError>> + Send + 'static,
{
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin((self.0)(request))
    }
}

/// The time from writing a request to reading the head of its response, over a connection that had carried a response
/// before.
///
/// The limiter uses it to bound how early a call may have been counted, and to tell how long requests usually take.
/// Without it, a call counts from its response.
#[derive(Debug, Default)]
pub struct RoundTrip(AtomicU64);

impl RoundTrip {
    /// Records the round trip.
    pub fn set(&self, trip: Duration) {
        // Zero means that nothing is recorded.
        let nanos = u64::try_from(trip.as_nanos()).unwrap_or(u64::MAX).max(1);
        self.0.store(nanos, Ordering::Relaxed);
    }

    /// Returns the round trip, if recorded.
    pub fn get(&self) -> Option<Duration> {
        Some(self.0.load(Ordering::Relaxed)).filter(|nanos| *nanos > 0).map(Duration::from_nanos)
    }
}
