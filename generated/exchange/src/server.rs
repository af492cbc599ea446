//! The exchange over HTTP.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::control;
use crate::exchange::Exchange;
use crate::log::Log;

/// The longest body that is read.
const MOST_BODY: usize = 1 << 20;

/// How many connections are served at once; further ones wait.
const MOST_CONNECTIONS: usize = 4_096;

/// How long a connection may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(60);

/// Serves an exchange until the future is dropped: its operations, and the page at `/` that shows
/// what happens.
pub async fn serve(listener: TcpListener, exchange: Exchange) {
    exchange.core().log.get_or_insert_with(Log::default);
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let exchange = exchange.clone();
                tokio::spawn(async move {
                    // A connection that breaks HTTP is closed; others are not affected.
                    let _ = connection(stream, peer, exchange).await;
                    drop(place);
                });
            }
            // The system has no room for another connection; some will end.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Listens at an address of this machine.
///
/// # Errors
///
/// What to do when the port is taken.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    TcpListener::bind(address).await.map_err(|error| {
        let what = match error.kind() {
            io::ErrorKind::AddrInUse => {
                format!("port {port} is in use: end the program that has it, or choose another with --port")
            }
            _ => format!("cannot listen at {address}: {error}"),
        };
        io::Error::new(error.kind(), what)
    })
}

async fn connection(stream: TcpStream, peer: SocketAddr, exchange: Exchange) -> hyper::Result<()> {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let exchange = exchange.clone();
        async move { Ok::<_, Infallible>(answer(request, peer.ip(), &exchange).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

async fn answer(request: Request<Incoming>, peer: IpAddr, exchange: &Exchange) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    match Limited::new(body, MOST_BODY).collect().await {
        Ok(_) if control::serves(head.uri.path()) => control::answer(&head, exchange).map(Full::new),
        Ok(body) => exchange.answer(&Request::from_parts(head, body.to_bytes()), peer).map(Full::new),
        Err(_) => {
            let mut response = Response::new(Full::default());
            *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
            response
        }
    }
}
