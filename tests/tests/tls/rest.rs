//! Data on an idle TLS connection: messages of TLS itself are accepted, and everything else ends the connection before
//! it is used.

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
enum Disturbance {
    /// A key update, as an example of messages that TLS sends at any time, such as tickets in TLS 1.3.
    Keys,
    Response,
    CloseNotify,
    /// The unannounced end, which an attacker can cause.
    End,
    /// Unencrypted data.
    Garbage,
}

const CASES: [(Disturbance, &SupportedProtocolVersion); 9] = [
    (Disturbance::Keys, &TLS13),
    (Disturbance::Response, &TLS12),
    (Disturbance::Response, &TLS13),
    (Disturbance::CloseNotify, &TLS12),
    (Disturbance::CloseNotify, &TLS13),
    (Disturbance::End, &TLS12),
    (Disturbance::End, &TLS13),
    (Disturbance::Garbage, &TLS12),
    (Disturbance::Garbage, &TLS13),
];

impl Disturbance {
    /// Answers one request. The first connection is disturbed between two waits at `barrier`.
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
        // A further request over this connection is answered only if the connection may be used.
        if self == Self::Keys {
            read_request(tls)?;
            return write_response(tls, "", DONE);
        }
        let mut next = String::new();
        tls.read_to_string(&mut next).map(drop)
    }
}

#[test]
fn a_busy_runtime_uses_open_and_silent_connections_only() {
    let authority = Authority::new();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for (over, (disturbance, version)) in Over::ALL.into_iter().flat_map(|over| CASES.map(|case| (over, case))) {
        let barrier = Arc::new(Barrier::new(2));
        let of_server = Arc::clone(&barrier);
        let server = Server::serving(config(&authority.signs(HERE), &[version], None), move |number, mut tls, _| {
            disturbance.serve(number, &mut tls, &of_server)
        });
        let client = limited(over, server.url(), &trusting(&authority), TransportLimits::default());
        runtime.block_on(async {
            client.call(&cancel()).await.unwrap();
            barrier.wait();
            barrier.wait();
            let text = format!("{over:?} {disturbance:?} {version:?}");
            client.call(&cancel()).await.unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(server.peer.accepted(), if disturbance == Disturbance::Keys { 1 } else { 2 }, "{text}");
        });
    }
}
