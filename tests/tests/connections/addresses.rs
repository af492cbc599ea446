//! The addresses that the default transport connects to. Which one of several is used, and when, is tested beside it, in
//! virtual time.

use std::net::{IpAddr, ToSocketAddrs};

use tokio::net::TcpSocket;
use tradeapi::runtime::error::{Delivery, TransportErrorKind};
use tradeapi::runtime::tables::{CallResult, Outcome};
use tradeapi::runtime::transport::{HyperTransport, Transport, TransportLimits};
use tradeapi_tests::peer::{Peer, read_request, write_response};
use tradeapi_tests::transports::Over;

use super::{body, cancelled, client_at};

fn answer(mut stream: std::net::TcpStream) -> std::io::Result<()> {
    while read_request(&mut stream)?.is_some() {
        write_response(&mut stream, "", &body("1"))?;
    }
    Ok(())
}

/// Where a name has several addresses and the server listens at one of them, the others refuse.
#[tokio::test]
async fn any_address_of_a_name_is_connected_to() {
    let servers = [Some(Peer::start(|_, stream| answer(stream))), Peer::start_v6(|_, stream| answer(stream))];
    let resolved: Vec<IpAddr> = ("localhost", 0).to_socket_addrs().unwrap().map(|address| address.ip()).collect();
    for server in servers.into_iter().flatten() {
        let mut urls = vec![server.url()];
        match resolved.contains(&server.address().ip()) {
            true => urls.push(format!("http://localhost:{}", server.address().port())),
            false => eprintln!("SKIPPED, because localhost is not {} here", server.address().ip()),
        }
        for url in urls {
            let client = client_at(Over::Hyper, url.clone(), TransportLimits::default());
            assert_eq!(cancelled(&client, "1").await.unwrap(), "1", "{url}");
        }
    }
}

#[tokio::test]
async fn a_refusal_names_the_address() {
    // Bound, so that nobody else can listen there.
    let refusing = TcpSocket::new_v4().unwrap();
    refusing.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = refusing.local_addr().unwrap();
    for scheme in ["http", "https"] {
        let client = client_at(Over::Hyper, format!("{scheme}://{address}"), TransportLimits::default());
        let error = cancelled(&client, "1").await.unwrap_err();
        assert_eq!((error.call_result(), error.outcome()), (CallResult::NotConnected, Outcome::NotDone), "{error}");
        assert!(error.to_string().contains(&format!("{address}: Connection refused")), "{error}");
        assert_eq!(error.to_string().matches(&address.to_string()).count(), 1, "{error}");
    }
}

#[tokio::test]
async fn another_scheme_than_http_is_refused() {
    let transport = HyperTransport::new(TransportLimits::default()).unwrap();
    for address in ["ftp://127.0.0.1/", "wss://127.0.0.1/"] {
        let request = http::Request::get(address).body(bytes::Bytes::new()).unwrap();
        let error = transport.send(request).await.unwrap_err();
        assert_eq!((error.kind(), error.sent()), (TransportErrorKind::Connect, Delivery::NotSent));
        assert!(error.to_string().contains("is not supported"), "{error}");
    }
}
