//! The server, which runs on a thread of its own.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::loopback::connection;
use crate::loopback::port::Port;
use crate::loopback::script::Script;
use crate::loopback::{Answer, Request};

/// A running scripted server. It ends, with all its connections, when it is dropped.
///
/// It runs on its own thread, so that tests can use it with and without a runtime.
pub struct ScriptedServer {
    address: SocketAddr,
    script: Arc<Script>,
    /// Dropped to stop the thread.
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedServer {
    /// Starts a server on a free port.
    ///
    /// # Errors
    ///
    /// The system has no free port or thread.
    pub fn start() -> io::Result<Self> {
        let script = Arc::new(Script::new());
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let mut port = Port::take()?;
        let address = port.address();
        // Before the address is known to anyone.
        let listener = {
            let _of_this_runtime = runtime.enter();
            port.listen()?
        };
        let server = serve(port, listener, Arc::clone(&script), stopped);
        let thread =
            std::thread::Builder::new().name("scripted-server".to_owned()).spawn(move || runtime.block_on(server))?;
        Ok(Self { address, script, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the base address: `http://127.0.0.1:...`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Scripts the answer to the next request that has none. Answers are used in order.
    pub fn answer_next(&self, answer: Answer) {
        self.script.answer_next(answer);
    }

    /// Calls `handler` for every request without an answer from [`answer_next`](Self::answer_next). Without a handler,
    /// they are answered with status 501.
    pub fn answer_otherwise(&self, handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.script.answer_otherwise(Arc::new(handler));
    }

    /// Delays the reading of each request. `delay` takes the number of the connection, and the number of earlier
    /// requests on it.
    pub fn delay_requests(&self, delay: impl Fn(usize, usize) -> Duration + Send + Sync + 'static) {
        self.script.connection_rules().set_delay(Arc::new(delay));
    }

    /// Closes connections that are idle for this long.
    pub fn close_idle_after(&self, idle: Duration) {
        self.script.connection_rules().set_idle(idle);
    }

    /// Returns the number of connections that were closed because they were idle.
    pub fn idle_closes(&self) -> usize {
        self.script.connection_rules().idle_closes()
    }

    /// Returns how often unsolicited bytes [followed](Answer::with_behind) an answer.
    pub fn unsolicited(&self) -> usize {
        self.script.connection_rules().unsolicited()
    }

    /// Returns the requests, in the order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.script.requests()
    }

    /// Removes and returns the requests.
    pub fn take_requests(&self) -> Vec<Request> {
        self.script.take_requests()
    }

    /// Waits until `count` requests have arrived since the start.
    pub async fn reached(&self, count: usize) {
        self.script.reached(count).await;
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A panic of the thread has been reported already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl std::fmt::Debug for ScriptedServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptedServer").field("address", &self.address).finish_non_exhaustive()
    }
}

async fn serve(port: Port, listener: TcpListener, script: Arc<Script>, stopped: oneshot::Receiver<Infallible>) {
    tokio::select! {
        // Always an error, because nothing is ever sent.
        _ = stopped => {}
        // Without a listener, clients are refused at once.
        _ = run(port, listener, script) => {}
    }
}

async fn run(mut port: Port, mut listener: TcpListener, script: Arc<Script>) -> io::Result<Infallible> {
    let mut numbers = 0..;
    loop {
        let lasts = accept(&listener, &mut numbers, &script).await?;
        // Connections that wait to be accepted are refused with it.
        drop(listener);
        tokio::time::sleep(lasts).await;
        listener = port.listen()?;
    }
}

/// Serves connections until an outage, which ends all of them. Returns its length.
async fn accept(
    listener: &TcpListener,
    numbers: &mut impl Iterator<Item = usize>,
    script: &Arc<Script>,
) -> io::Result<Duration> {
    let (sender, mut outages) = mpsc::channel(1);
    let mut connections = JoinSet::new();
    for number in numbers {
        let (stream, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            Some(lasts) = outages.recv() => return Ok(lasts),
        };
        stream.set_nodelay(true)?;
        let (script, outages) = (Arc::clone(script), sender.clone());
        // The client notices a connection that fails.
        connections.spawn(async move { connection::serve(stream, number, &script, outages).await });
        while connections.try_join_next().is_some() {}
    }
    Err(io::Error::other("no more numbers for connections"))
}
