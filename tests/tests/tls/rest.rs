//! What arrives on a connection while it rests, below a layer of TLS: some of it is TLS's own affair, and all else ends
//! the connection before it is used.

use std::io::{self, Read, Write};
use std::sync::{Arc, Barrier};

use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};
use tokio::runtime::Builder;
use tradeapi::runtime::transport::TransportLimits;
use tradeapi_tests::peer::{read_request, write_response};
use tradeapi_tests::transports::Over;

use crate::server::{Authority, DONE, Server, Tls, config};
use crate::{HERE, cancel, limited, trusting};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Befalls {
    /// New keys, as an example of what TLS sends whenever it likes. In TLS 1.3 tickets come in this way too.
    Keys,
    Response,
    CloseNotify,
    /// The end without having been announced, as an attacker could make it.
    End,
    /// What no key was used for.
    Garbage,
}

const CASES: [(Befalls, &SupportedProtocolVersion); 9] = [
    (Befalls::Keys, &TLS13),
    (Befalls::Response, &TLS12),
    (Befalls::Response, &TLS13),
    (Befalls::CloseNotify, &TLS12),
    (Befalls::CloseNotify, &TLS13),
    (Befalls::End, &TLS12),
    (Befalls::End, &TLS13),
    (Befalls::Garbage, &TLS12),
    (Befalls::Garbage, &TLS13),
];

impl Befalls {
    /// Answers one request, and does this to the first connection between two meetings at `barrier`.
    fn serve(self, number: usize, tls: &mut Tls, barrier: &Barrier) -> io::Result<()> {
        read_request(tls)?;
        write_response(tls, "", DONE)?;
        if number > 0 {
            return tls.read(&mut [0]).map(drop);
        }
        barrier.wait();
        match self {
            Self::Keys => tls.conn.refresh_traffic_keys().map_err(io::Error::other)?,
            Self::Response => write_response(tls, "", "{}")?,
            Self::CloseNotify => tls.conn.send_close_notify(),
            Self::End => tls.sock.shutdown(std::net::Shutdown::Write)?,
            Self::Garbage => tls.sock.write_all(&[0x17, 3, 3, 0, 4, 1, 2, 3, 4])?,
        }
        tls.flush()?;
        barrier.wait();
        // Whatever comes over this connection now is answered only if it may come.
        if self == Self::Keys {
            read_request(tls)?;
            return write_response(tls, "", DONE);
        }
        let mut next = String::new();
        tls.read_to_string(&mut next).map(drop)
    }
}

#[test]
fn a_busy_runtime_uses_only_what_is_open_and_silent() {
    let authority = Authority::new();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for (over, (befalls, version)) in Over::ALL.into_iter().flat_map(|over| CASES.map(|case| (over, case))) {
        let barrier = Arc::new(Barrier::new(2));
        let of_server = Arc::clone(&barrier);
        let server = Server::serving(config(&authority.signs(HERE), &[version], None), move |number, mut tls, _| {
            befalls.serve(number, &mut tls, &of_server)
        });
        let client = limited(over, server.url(), &trusting(&authority), TransportLimits::default());
        runtime.block_on(async {
            client.call(&cancel()).await.unwrap();
            barrier.wait();
            barrier.wait();
            let text = format!("{over:?} {befalls:?} {version:?}");
            client.call(&cancel()).await.unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(server.peer.accepted(), if befalls == Befalls::Keys { 1 } else { 2 }, "{text}");
        });
    }
}
