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
/// It runs on a thread of its own, so that it can be used from tests with and without a runtime.
pub struct ScriptedServer {
    address: SocketAddr,
    script: Arc<Script>,
    /// Dropped to stop the thread.
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedServer {
    /// Starts on a free port of this machine.
    ///
    /// # Errors
    ///
    /// When no port or no thread is to be had.
    pub fn start() -> io::Result<Self> {
        let script = Arc::new(Script::new());
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let mut port = Port::take()?;
        let address = port.address();
        // Before anyone can see it.
        let listener = {
            let _of_this_runtime = runtime.enter();
            port.listen()?
        };
        let server = serve(port, listener, Arc::clone(&script), stopped);
        let thread =
            std::thread::Builder::new().name("scripted-server".to_owned()).spawn(move || runtime.block_on(server))?;
        Ok(Self { address, script, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, as a base address: `http://127.0.0.1:...`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Gives `answer` to the next request that has none yet: answers given in a row go to requests in a row.
    pub fn answer_next(&self, answer: Answer) {
        self.script.answer_next(answer);
    }

    /// Calls `handler` for every request that was given no answer by [`answer_next`](Self::answer_next). Without, they
    /// get status 501.
    pub fn answer_otherwise(&self, handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.script.answer_otherwise(Arc::new(handler));
    }

    /// Lets each request wait before it is read: for as long as `delay` says by the number of its connection and by how many
    /// requests came on that before.
    pub fn delay_requests(&self, delay: impl Fn(usize, usize) -> Duration + Send + Sync + 'static) {
        self.script.line().set_delay(Arc::new(delay));
    }

    /// Closes connections on which nothing comes for this long.
    pub fn close_idle_after(&self, idle: Duration) {
        self.script.line().set_idle(idle);
    }

    /// How many connections were closed for that.
    pub fn idle_closes(&self) -> usize {
        self.script.line().idle_closes()
    }

    /// How often something was sent [behind](Answer::with_behind) an answer.
    pub fn unsolicited(&self) -> usize {
        self.script.line().unsolicited()
    }

    /// The requests that came, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.script.requests()
    }

    /// The same, and forgets them.
    pub fn take_requests(&self) -> Vec<Request> {
        self.script.take_requests()
    }

    /// Waits until `count` requests have come since the start.
    pub async fn reached(&self, count: usize) {
        self.script.reached(count).await;
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        // Whether the thread panicked is of no interest any more.
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
        // Comes as an error, for nothing can be sent.
        _ = stopped => {}
        // No listener, no connections: clients see that at once.
        _ = run(port, listener, script) => {}
    }
}

async fn run(mut port: Port, mut listener: TcpListener, script: Arc<Script>) -> io::Result<Infallible> {
    let mut numbers = 0..;
    loop {
        let lasts = accept(&listener, &mut numbers, &script).await?;
        // Those who wait to be accepted are turned away with it.
        drop(listener);
        tokio::time::sleep(lasts).await;
        listener = port.listen()?;
    }
}

/// Serves connections until an outage, which ends them all; how long it lasts.
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
        // A connection that fails is the client's affair.
        connections.spawn(async move { connection::serve(stream, number, &script, outages).await });
        while connections.try_join_next().is_some() {}
    }
    Err(io::Error::other("no more numbers for connections"))
}
