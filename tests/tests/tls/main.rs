//! Real handshakes with a local server: trust, client certificates, and the outcomes of failures by the schema's table.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod rest;
mod server;
mod settings;

use rustls::crypto::ring;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, SupportedProtocolVersion};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::tables::{CallResult, Outcome};
use tradeapi::runtime::transport::{ReqwestTransport, TlsSettings, TransportLimits};
use tradeapi::unified::{CancelOrder, OrderId, OrderRef};
use tradeapi::{API, Client, Credentials, Error};
use tradeapi_tests::peer::{Peer, read_request};
use tradeapi_tests::transports::Over;

use self::server::{Authority, DONE, Server, config};

tradeapi_tests::over_each_transport!(
    a_root_of_ones_own_is_trusted,
    untrusted_servers_get_no_request,
    servers_without_tls_get_no_request,
    an_ipv6_address_is_the_name_of_a_server,
    a_client_certificate_is_shown,
    without_the_client_certificate_nothing_happens,
    handshakes_are_resumed_and_carry_no_request,
    a_missing_close_notify_does_not_end_a_body,
    http_1_is_the_one_protocol,
    a_configuration_of_ones_own_offers_http_1_alone,
);

const HERE: &str = "127.0.0.1";

const VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];

fn cancel() -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(OrderId::from("1")))
}

fn trusting(authority: &Authority) -> TlsSettings {
    TlsSettings::new().add_roots(&authority.pem).unwrap()
}

fn client(over: Over, server: &Server, tls: &TlsSettings) -> Client {
    limited(over, server.url(), tls, TransportLimits::default())
}

fn limited(over: Over, url: String, tls: &TlsSettings, limits: TransportLimits) -> Client {
    let credentials = Credentials::new("key", "secret", "passphrase");
    over.client_with_tls(url, limits, tls).credentials(credentials).limits(LimitMode::Off).build().unwrap()
}

/// Returns the error of a call, with the outcome of its row in the table.
async fn failed(client: &Client) -> (CallResult, String) {
    let error = client.call(&cancel()).await.expect_err("that cannot succeed");
    let row = API.outcomes.iter().find(|row| row.when == error.call_result()).unwrap();
    assert_eq!(row.outcome, Some(error.outcome()), "{error}");
    assert_eq!(matches!(error, Error::Unknown(_)), error.outcome() == Outcome::Unknown, "{error}");
    // The text has all causes.
    (error.call_result(), error.to_string())
}

async fn a_root_of_ones_own_is_trusted(over: Over) {
    let authority = Authority::new();
    for version in VERSIONS {
        let server = Server::start(config(&authority.signs(HERE), &[version], None));
        for tls in [trusting(&authority), TlsSettings::without_roots().add_roots(&authority.pem).unwrap()] {
            let client = client(over, &server, &tls);
            for _ in 0..3 {
                client.call(&cancel()).await.unwrap();
            }
        }
        assert_eq!(server.requests(), 6, "{version:?}");
    }
}

async fn untrusted_servers_get_no_request(over: Over) {
    let (authority, other) = (Authority::new(), Authority::new());
    let cases = [
        (authority.signs(HERE), TlsSettings::new(), "UnknownIssuer"),
        (authority.signs(HERE), TlsSettings::without_roots(), "UnknownIssuer"),
        // The same name with another key.
        (other.signs(HERE), trusting(&authority), "BadSignature"),
        (authority.signs("exchange.example"), trusting(&authority), "not valid for name"),
        (authority.signs("127.0.0.2"), trusting(&authority), "not valid for name"),
        (authority.signs_until(HERE, 2020), trusting(&authority), "expired"),
    ];
    for (own, tls, why) in cases {
        for version in VERSIONS {
            let server = Server::start(config(&own, &[version], None));
            let client = client(over, &server, &tls);
            let (call_result, text) = failed(&client).await;
            assert_eq!((call_result, server.requests()), (CallResult::NotConnected, 0), "{text}");
            assert!(text.contains(why), "{text}");
            let remedy = client.call(&cancel()).await.expect_err("it is not trusted").remedy();
            assert!(remedy.is_some_and(|remedy| remedy.contains("certificate")), "{why}: {remedy:?}");
        }
    }
}

async fn servers_without_tls_get_no_request(over: Over) {
    let plain = Peer::start(|_, mut stream| {
        use std::io::Write;
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
    });
    let closed = Peer::start(|_, _| Ok(()));
    for peer in [plain, closed] {
        let url = peer.url().replace("http:", "https:");
        let (call_result, text) = failed(&limited(over, url, &TlsSettings::new(), TransportLimits::default())).await;
        assert_eq!(call_result, CallResult::NotConnected, "{text}");
    }
}

async fn an_ipv6_address_is_the_name_of_a_server(over: Over) {
    let authority = Authority::new();
    for (name, is_named) in [("::1", true), ("::2", false)] {
        let Some(server) = Server::start_v6(config(&authority.signs(name), &[], None)) else { return };
        let client = client(over, &server, &trusting(&authority));
        match is_named {
            true => drop(client.call(&cancel()).await.unwrap()),
            false => assert_eq!(failed(&client).await.0, CallResult::NotConnected),
        }
        assert_eq!(server.requests(), usize::from(is_named));
    }
}

async fn a_client_certificate_is_shown(over: Over) {
    let (authority, of_clients) = (Authority::new(), Authority::new());
    let own = of_clients.signs("desk");
    let tls = trusting(&authority).client_certificate(&own.pem, own.key.serialize_pem()).unwrap();
    for version in VERSIONS {
        let server = Server::start(config(&authority.signs(HERE), &[version], Some(&of_clients)));
        client(over, &server, &tls).call(&cancel()).await.unwrap();
        assert!(server.seen().iter().all(|seen| seen.has_certificate), "{:?}", server.seen());
    }
}

async fn without_the_client_certificate_nothing_happens(over: Over) {
    let (authority, of_clients) = (Authority::new(), Authority::new());
    let foreign = authority.signs("desk");
    let with_foreign = trusting(&authority).client_certificate(&foreign.pem, foreign.key.serialize_pem()).unwrap();
    for tls in [trusting(&authority), with_foreign] {
        let refusing = |version| Server::start(config(&authority.signs(HERE), &[version], Some(&of_clients)));
        let server = refusing(&TLS12);
        let (call_result, text) = failed(&client(over, &server, &tls)).await;
        assert_eq!((call_result, server.requests()), (CallResult::NotConnected, 0), "{text}");
        // In TLS 1.3 the client's handshake is complete before the server checks its certificate. The scheduler decides
        // whether the refusal arrives before the request is written.
        let server = refusing(&TLS13);
        let (call_result, text) = failed(&client(over, &server, &tls)).await;
        assert!(
            matches!(call_result, CallResult::NotConnected | CallResult::NotWritten | CallResult::ConnectionLost),
            "{text}"
        );
        assert_eq!(server.requests(), 0, "{text}");
    }
}

/// An eavesdropper could replay early data.
async fn handshakes_are_resumed_and_carry_no_request(over: Over) {
    let authority = Authority::new();
    for version in VERSIONS {
        let mut config = config(&authority.signs(HERE), &[version], None);
        config.max_early_data_size = u32::MAX;
        let server = Server::serving(config, |_, mut tls, seen| {
            assert!(tls.conn.early_data().is_none());
            while read_request(&mut tls)?.is_some() {
                seen();
                tradeapi_tests::peer::write_response(&mut tls, "", DONE)?;
            }
            Ok(())
        });
        let limits = TransportLimits { max_idle: 0, ..TransportLimits::default() };
        let client = limited(over, server.url(), &trusting(&authority), limits);
        for _ in 0..3 {
            client.call(&cancel()).await.unwrap();
        }
        let resumed: Vec<_> = server.seen().iter().map(|seen| (seen.resumed, seen.requests)).collect();
        assert_eq!(resumed, [(false, 1), (true, 1), (true, 1)], "{version:?}");
    }
}

/// An attacker who cuts a connection must not be able to truncate an answer.
async fn a_missing_close_notify_does_not_end_a_body(over: Over) {
    use std::io::Write;
    let authority = Authority::new();
    let until_the_end = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{DONE}");
    let with_length = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{DONE}", DONE.len());
    for (response, notifies, expected) in [
        (until_the_end.clone(), true, CallResult::Success),
        (until_the_end, false, CallResult::ConnectionLost),
        (with_length.clone(), true, CallResult::Success),
        (with_length.clone(), false, CallResult::Success),
        (with_length[..with_length.len() - 1].to_owned(), true, CallResult::ConnectionLost),
        (with_length[..with_length.len() - 1].to_owned(), false, CallResult::ConnectionLost),
    ] {
        for version in VERSIONS {
            let text = response.clone();
            let server = Server::serving(config(&authority.signs(HERE), &[version], None), move |_, mut tls, seen| {
                read_request(&mut tls)?;
                seen();
                tls.write_all(text.as_bytes())?;
                if notifies {
                    tls.conn.send_close_notify();
                }
                tls.flush()
            });
            let client = client(over, &server, &trusting(&authority));
            match expected {
                CallResult::Success => drop(client.call(&cancel()).await.unwrap()),
                expected => assert_eq!(failed(&client).await.0, expected, "{response} {notifies}"),
            }
            assert_eq!(server.requests(), 1, "sent once, whatever happens");
        }
    }
}

/// Returns a server that prefers HTTP/2.
fn modern(authority: &Authority) -> Server {
    let mut config = config(&authority.signs(HERE), &[], None);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Server::start(config)
}

/// Returns a client's configuration that offers HTTP/2, and trusts one authority.
fn offering_http_2(authority: &Authority) -> ClientConfig {
    let mut config = ClientConfig::builder_with_provider(std::sync::Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(authority.roots())
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

async fn a_configuration_of_ones_own_offers_http_1_alone(over: Over) {
    let authority = Authority::new();
    let tls = TlsSettings::from_config(offering_http_2(&authority));
    let server = modern(&authority);
    client(over, &server, &tls).call(&cancel()).await.unwrap();
    assert!(server.seen().iter().all(|seen| seen.protocol.as_deref() == Some("http/1.1")), "{:?}", server.seen());
    // Its roots apply, and they alone.
    let other = modern(&Authority::new());
    assert_eq!(failed(&client(over, &other, &tls)).await.0, CallResult::NotConnected);
    assert!(tls.clone().add_roots(&authority.pem).is_err());
    let own = authority.signs("desk");
    assert!(tls.client_certificate(&own.pem, own.key.serialize_pem()).is_err());
}

/// reqwest without HTTP/2 panics once a server has chosen it.
#[tokio::test]
async fn tls_settings_of_reqwest_cannot_offer_http_2() {
    let authority = Authority::new();
    let server = modern(&authority);
    let limits = TransportLimits::default();
    let offering = |settings: tradeapi::runtime::reqwest::ClientBuilder| {
        settings.tls_backend_preconfigured(offering_http_2(&authority))
    };
    let transport = ReqwestTransport::with_tls(limits, &trusting(&authority), offering).unwrap();
    let credentials = Credentials::new("key", "secret", "passphrase");
    let client = Client::builder(server.url()).transport(transport).credentials(credentials).build().unwrap();
    client.call(&cancel()).await.unwrap();
    assert!(server.seen().iter().all(|seen| seen.protocol.as_deref() == Some("http/1.1")), "{:?}", server.seen());
}

async fn http_1_is_the_one_protocol(over: Over) {
    let authority = Authority::new();
    let http_1 = Some("http/1.1".to_owned());
    for version in VERSIONS {
        for (offered, chosen) in [
            (&["h2", "http/1.1"][..], Some(http_1.clone())),
            (&["http/1.1", "h2"], Some(http_1.clone())),
            (&[], Some(None)),
            // The server would not understand a request, and its outcome would be unknown.
            (&["h2"], None),
        ] {
            let mut config = config(&authority.signs(HERE), &[version], None);
            config.alpn_protocols = offered.iter().map(|name| name.as_bytes().to_vec()).collect();
            let server = Server::start(config);
            let client = client(over, &server, &trusting(&authority));
            match chosen {
                Some(chosen) => {
                    client.call(&cancel()).await.unwrap();
                    assert!(server.seen().iter().all(|seen| seen.protocol == chosen), "{:?}", server.seen());
                }
                None => {
                    let (call_result, text) = failed(&client).await;
                    assert_eq!((call_result, server.requests()), (CallResult::NotConnected, 0), "{text}");
                }
            }
        }
    }
}
