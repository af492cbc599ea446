//! New connections: the name is resolved, one of its addresses is connected to, and TLS is begun where the origin
//! requires it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use http::uri::Scheme;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;

use super::origins::Origin;
use super::race;
use super::socket::Socket;
use super::stream::Stream;

/// Makes connections.
#[derive(Clone)]
pub(super) struct Connector(TlsConnector);

impl Connector {
    pub(super) fn new(tls: ClientConfig) -> Self {
        Self(TlsConnector::from(Arc::new(tls)))
    }

    /// A connection to `origin`, which must be complete by `deadline`, TLS included. Nothing but a handshake was sent.
    pub(super) async fn connect(
        &self,
        origin: &Origin,
        deadline: Instant,
    ) -> Result<Stream, Box<dyn Error + Send + Sync>> {
        let server = match origin.scheme() {
            scheme if *scheme == Scheme::HTTP => None,
            scheme if *scheme == Scheme::HTTPS => Some(ServerName::try_from(origin.name().to_owned())?),
            scheme => return Err(format!("the scheme `{scheme}` is not supported").into()),
        };
        let addresses = timeout_at(deadline, lookup_host((origin.name(), origin.port())))
            .await
            .map_err(|_| "the name of the host was not resolved in time")??;
        let tcp = race::first(race::alternating(addresses), deadline, TcpStream::connect).await?;
        let socket = Socket::over(tcp);
        let Some(server) = server else { return Ok(Stream::plain(socket)) };
        let tls = timeout_at(deadline, self.0.connect(server, socket))
            .await
            .map_err(|_| "the TLS handshake did not end in time")??;
        Ok(Stream::tls(tls))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}
