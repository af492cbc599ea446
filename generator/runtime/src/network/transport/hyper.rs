//! The default transport, over hyper.
//!
//! It keeps its connections itself: the pool of hyper-util has a task for each connection, which every request must
//! wake, often on another thread, and polling the connection in the call saves 7 to 8 % of it. hyper returns a request
//! of which no byte was written, so using another connection is safe. HTTP is hyper's, TLS is rustls's, and resolving
//! names and TCP are tokio's; which of several addresses is used is decided in `race`.
//!
//! A connection has one waker and one timer as long as it lives. The waker passes on to the task of the present call,
//! so nothing is registered for each call, and a connection that rests wakes no task.

mod connection;
mod pool;
mod race;
mod socket;

use std::error::Error;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{Request, Response};
use tokio::runtime::{self, Handle};
use tokio::time::Instant;

use self::connection::{Connection, OnePart};
use self::pool::{Origin, Origins};
use self::race::Connector;
use super::bounds::{FOR_EVER, NAME, TransportLimits};
use super::tls::TlsSettings;
use super::{ResponseFuture, RoundTrip, Transport};
use crate::data::error::{BuildError, Delivery, TransportError, TransportErrorKind};

/// The default transport: HTTP/1.1 over kept connections, TLS by rustls. It needs a runtime of tokio with I/O and time.
///
/// Where the name of a host has several addresses, IPv6 and IPv4 alternate, and the next one is tried when one fails or
/// has not answered within 250 ms; the first connection is used. An error names every address that was tried.
///
/// It sends each request at most once and follows no redirects. The only thing that is retried is taking a connection,
/// if a kept one turns out to be closed before a byte of the request was written.
///
/// A connection carries one request at a time and is used in the runtime that created it, the most recently used one
/// first. Before a request is written, the operating system is polled for unread data: a connection that
/// was closed or has unsolicited data is not used, even if a busy runtime has not noticed. A task that exists only
/// while there are idle connections closes those that expire. [`TransportLimits`] sets how long connections stay idle,
/// how old they get and how many are kept; a shorter time that a server announces by `Keep-Alive: timeout=N` applies.
#[derive(Clone, Debug)]
pub struct HyperTransport {
    connector: Connector,
    origins: Arc<Origins>,
    limits: TransportLimits,
}

impl HyperTransport {
    /// Creates a transport without connections. Creating it needs no tokio runtime.
    ///
    /// # Errors
    ///
    /// Fails if TLS cannot be set up.
    pub fn new(limits: TransportLimits) -> Result<Self, BuildError> {
        Self::with_tls(limits, &TlsSettings::new())
    }

    /// Returns the same with the trusted servers and the client certificate of `tls`.
    ///
    /// # Errors
    ///
    /// Fails if TLS cannot be set up.
    pub fn with_tls(limits: TransportLimits, tls: &TlsSettings) -> Result<Self, BuildError> {
        let connector = Connector::new(tls.config()?);
        Ok(Self { connector, origins: Arc::default(), limits })
    }

    fn exchanging<'a>(&'a self, mut request: Request<Bytes>, trip: Option<&'a RoundTrip>) -> ResponseFuture<'a> {
        request.headers_mut().entry(USER_AGENT).or_insert(NAME);
        let Some(origin) = self.origins.of(request.uri()) else {
            return Box::pin(ready(Err(unsent("the request names no host"))));
        };
        let mut request = request.map(OnePart::from);
        origin.address(&mut request);
        let mut exchange = Exchange { transport: self, origin, request, trip };
        Box::pin(async move { exchange.run().await })
    }

    /// Returns a new connection, from the resolution of the name to the end of the TLS handshake. If this fails, also
    /// by the time-out of the whole call, the request was not sent.
    async fn connect(
        &self,
        origin: &Origin,
        runtime: runtime::Id,
        deadline: Instant,
    ) -> Result<Box<Connection>, TransportError> {
        let deadline = deadline.min(later(Instant::now(), self.limits.connect));
        let connecting =
            async { Ok(Connection::over(self.connector.connect(origin, deadline).await?, runtime).await?) };
        connecting.await.map_err(|why| not_connected(why).at(origin.host()))
    }
}

/// A request on its way. One struct, because an async function keeps each of its arguments twice.
struct Exchange<'a> {
    transport: &'a HyperTransport,
    origin: Arc<Origin>,
    request: Request<OnePart>,
    trip: Option<&'a RoundTrip>,
}

impl Exchange<'_> {
    /// Sends the request over a kept connection, or else over a new one, and reads the whole answer.
    async fn run(&mut self) -> Result<Response<Bytes>, TransportError> {
        let Self { transport, origin, request, trip } = self;
        let limits = &transport.limits;
        let runtime = Handle::try_current().map_err(unsent)?.id();
        let mut now = Instant::now();
        let deadline = later(now, limits.call);
        loop {
            let mut connection = match origin.pool().take(runtime, now) {
                Some(kept) => kept,
                None => {
                    // Rare, and larger than the rest of the future.
                    let new = Box::pin(transport.connect(origin, runtime, deadline)).await?;
                    now = Instant::now();
                    new
                }
            };
            if deadline <= now {
                return Err(unsent("the time for the call ended before the request could be sent"));
            }
            let was_kept = connection.is_kept();
            match connection.exchange(request, limits, deadline, *trip).await {
                Ok(answer) => {
                    origin.pool().keep(connection, limits.max_idle);
                    return Ok(answer);
                }
                Err(error) if was_kept && error.sent() == Delivery::NotSent => now = Instant::now(),
                Err(error) => return Err(error.at(origin.host())),
            }
        }
    }
}

impl Transport for HyperTransport {
    fn send<'a>(&'a self, request: Request<Bytes>) -> ResponseFuture<'a> {
        self.exchanging(request, None)
    }

    fn send_timed<'a>(&'a self, request: Request<Bytes>, trip: &'a RoundTrip) -> ResponseFuture<'a> {
        self.exchanging(request, Some(trip))
    }
}

fn not_connected(why: Box<dyn Error + Send + Sync>) -> TransportError {
    TransportError::new(TransportErrorKind::Connect, Delivery::NotSent).caused_by(why)
}

fn unsent(why: impl Into<Box<dyn Error + Send + Sync>>) -> TransportError {
    TransportError::new(TransportErrorKind::Other, Delivery::NotSent).caused_by(why)
}

/// Returns the moment `wait` after `instant`, at most thirty years, which every clock can represent.
fn later(instant: Instant, wait: Duration) -> Instant {
    instant + wait.min(FOR_EVER)
}

/// The task that waits for a connection, if any.
///
/// All parts of a connection keep one waker, which wakes this task. So nothing has to be registered again for each
/// call, and an idle connection wakes no task.
#[derive(Debug, Default)]
struct Caller(Mutex<Option<Waker>>);

impl Caller {
    /// Lets the task of `waker` be woken from now on.
    fn waits(&self, waker: &Waker) {
        let mut task = self.lock();
        match &mut *task {
            Some(known) => known.clone_from(waker),
            None => *task = Some(waker.clone()),
        }
    }

    /// Lets no task be woken from now on.
    fn leaves(&self) {
        // Dropped after the lock.
        let _left = self.lock().take();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Caller {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Not under the lock: waking may run the task.
        let task = self.lock().clone();
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_latest_caller_is_woken_until_it_leaves() {
        let (first, second) = (Arc::new(Task::default()), Arc::new(Task::default()));
        let caller = Arc::new(Caller::default());
        let waker = Waker::from(Arc::clone(&caller));
        let woken = || (first.0.load(Ordering::Relaxed), second.0.load(Ordering::Relaxed));
        waker.wake_by_ref();
        caller.waits(&Waker::from(Arc::clone(&first)));
        waker.wake_by_ref();
        assert_eq!(woken(), (1, 0));
        caller.waits(&Waker::from(Arc::clone(&second)));
        waker.wake_by_ref();
        assert_eq!(woken(), (1, 1));
        caller.leaves();
        waker.wake();
        assert_eq!(woken(), (1, 1));
        assert_eq!((Arc::strong_count(&first), Arc::strong_count(&second)), (1, 1), "no task is held");
    }
}
