//! A local server of raw connections. A test defines what each connection does, step by step, and knows when a step is
//! complete.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A listener whose connections are served by a function, each on its own thread.
#[derive(Debug)]
pub struct Peer {
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
}

impl Peer {
    /// Starts a server on a free port. `serve` takes the number of the connection, counted from 0, and the connection.
    /// Its result is dropped, and the connection with it.
    ///
    /// # Panics
    ///
    /// No port is free.
    pub fn start(serve: impl Fn(usize, TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self::serve(TcpListener::bind("127.0.0.1:0").expect("a port is free"), serve)
    }

    /// Returns the same over IPv6; `None`, and a line that says so, if this machine has no address of that kind.
    pub fn start_v6(serve: impl Fn(usize, TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Option<Self> {
        match TcpListener::bind("[::1]:0") {
            Ok(listener) => Some(Self::serve(listener, serve)),
            Err(why) => {
                // Not captured, unlike what a test prints.
                let _ = writeln!(io::stderr(), "SKIPPED, because nothing can listen on [::1] here: {why}");
                None
            }
        }
    }

    fn serve(
        listener: TcpListener,
        serve: impl Fn(usize, TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().expect("it is bound");
        let accepted = Arc::new(AtomicUsize::new(0));
        let (count, serve) = (Arc::clone(&accepted), Arc::new(serve));
        // The thread ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let number = count.fetch_add(1, Ordering::SeqCst);
                let serve = Arc::clone(&serve);
                thread::spawn(move || {
                    let _ = stream.set_nodelay(true);
                    // The test notices a client that goes away.
                    let _ = serve(number, stream);
                });
            }
        });
        Self { address, accepted }
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the base address, without TLS.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the number of connections so far.
    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

/// Reads a whole request; `None` if the client has closed the connection.
///
/// # Errors
///
/// The connection fails.
pub fn read_request(stream: &mut impl Read) -> io::Result<Option<String>> {
    let (mut read, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Ok(Some(text));
            }
        }
        match stream.read(&mut part)? {
            0 => return Ok(None),
            bytes => read.extend_from_slice(&part[..bytes]),
        }
    }
}

/// Writes a response with status 200, these further header lines and this body.
///
/// # Errors
///
/// The connection fails.
pub fn write_response(stream: &mut impl Write, headers: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{headers}content-length: {length}\r\n\r\n{body}").as_bytes())?;
    stream.flush()
}
