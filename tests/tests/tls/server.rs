//! A local TLS server with its own certificates.

use std::io;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{HandshakeKind, RootCertStore, ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use tradeapi_tests::peer::{Peer, read_request, write_response};

pub(crate) type Tls = StreamOwned<ServerConnection, TcpStream>;

pub(crate) const DONE: &str = r#"{"code":"00000","data":{"orderId":"1"}}"#;

/// A certificate authority.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) pem: String,
}

/// A certificate with its key.
pub(crate) struct Signed {
    pub(crate) pem: String,
    der: rustls::pki_types::CertificateDer<'static>,
    pub(crate) key: KeyPair,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    pub(crate) fn signs(&self, name: &str) -> Signed {
        self.signs_until(name, 4000)
    }

    /// Signs a certificate that is valid from the year 2000 on.
    pub(crate) fn signs_until(&self, name: &str, year: i32) -> Signed {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(year, 1, 1));
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Signed { pem: certificate.pem(), der: certificate.der().clone(), key }
    }

    pub(crate) fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        let read = <rustls::pki_types::CertificateDer<'_> as rustls::pki_types::pem::PemObject>::from_pem_slice;
        roots.add(read(self.pem.as_bytes()).unwrap()).unwrap();
        roots
    }
}

/// Returns the server's configuration: of the current versions if none is given, with the authority of client
/// certificates if they are required.
pub(crate) fn config(
    own: &Signed,
    versions: &[&'static SupportedProtocolVersion],
    of_clients: Option<&Authority>,
) -> ServerConfig {
    let provider = Arc::new(ring::default_provider());
    let versions = if versions.is_empty() { rustls::ALL_VERSIONS } else { versions };
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_protocol_versions(versions).unwrap();
    let builder = match of_clients {
        Some(authority) => {
            let roots = Arc::new(authority.roots());
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        }
        None => builder.with_no_client_auth(),
    };
    let key = PrivateKeyDer::try_from(own.key.serialize_der()).unwrap();
    builder.with_single_cert(vec![own.der.clone()], key).unwrap()
}

/// The server's view of a connection after its handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) resumed: bool,
    pub(crate) protocol: Option<String>,
    pub(crate) has_certificate: bool,
    pub(crate) requests: usize,
}

pub(crate) struct Server {
    pub(crate) peer: Peer,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers every request.
    pub(crate) fn start(config: ServerConfig) -> Self {
        Self::serving(config, answer_all)
    }

    /// Answers every request over IPv6; `None` if this machine has no address of that kind.
    pub(crate) fn start_v6(config: ServerConfig) -> Option<Self> {
        let seen = Arc::default();
        let peer = Peer::start_v6(connections(config, &seen, answer_all))?;
        Some(Self { peer, seen })
    }

    /// Serves each connection by `serve`, which takes its number, counted from 0, and counts requests.
    pub(crate) fn serving(
        config: ServerConfig,
        serve: impl Fn(usize, Tls, &dyn Fn()) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let seen = Arc::default();
        let peer = Peer::start(connections(config, &seen, serve));
        Self { peer, seen }
    }

    pub(crate) fn url(&self) -> String {
        self.peer.url().replace("http:", "https:")
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen().iter().map(|seen| seen.requests).sum()
    }
}

fn answer_all(_: usize, mut tls: Tls, seen: &dyn Fn()) -> io::Result<()> {
    while read_request(&mut tls)?.is_some() {
        seen();
        write_response(&mut tls, "", DONE)?;
    }
    Ok(())
}

/// Completes the handshake of each connection, and lets `serve` continue.
fn connections(
    config: ServerConfig,
    seen: &Arc<Mutex<Vec<Seen>>>,
    serve: impl Fn(usize, Tls, &dyn Fn()) -> io::Result<()> + Send + Sync + 'static,
) -> impl Fn(usize, TcpStream) -> io::Result<()> + Send + Sync + 'static {
    let (config, log) = (Arc::new(config), Arc::clone(seen));
    move |number, mut tcp| {
        let mut connection = ServerConnection::new(Arc::clone(&config)).map_err(io::Error::other)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut tcp)?;
        }
        let place = {
            let mut log = log.lock().unwrap();
            log.push(Seen {
                resumed: connection.handshake_kind() == Some(HandshakeKind::Resumed),
                protocol: connection.alpn_protocol().map(|name| String::from_utf8_lossy(name).into_owned()),
                has_certificate: connection.peer_certificates().is_some(),
                requests: 0,
            });
            log.len() - 1
        };
        serve(number, StreamOwned::new(connection, tcp), &|| log.lock().unwrap()[place].requests += 1)
    }
}
