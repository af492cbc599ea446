//! The TLS configuration of all transports of this crate.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, RootCertStore};

use crate::data::error::BuildError;

/// The servers that a transport trusts, and the client certificate that it sends on request.
///
/// The protocol versions are TLS 1.2 and 1.3, by rustls with ring. A request is written only after the handshake, never
/// as early data, so a request whose handshake fails was not sent. In TLS 1.3 a server refuses the client certificate
/// only after the client has finished the handshake, so the outcome of a request that meets such a refusal is unknown.
///
/// ```no_run
/// use tradeapi_runtime::transport::TlsSettings;
///
/// let tls = TlsSettings::new()
///     .add_roots(std::fs::read("gateway-ca.pem")?)?
///     .client_certificate(std::fs::read("desk.pem")?, std::fs::read("desk-key.pem")?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct TlsSettings {
    roots: RootCertStore,
    /// The private key is in it.
    own: Option<Arc<CertifiedKey>>,
    /// A configuration in place of these settings.
    whole: Option<Arc<ClientConfig>>,
}

impl TlsSettings {
    /// Trusts the roots of Mozilla's list and sends no client certificate.
    pub fn new() -> Self {
        Self { roots: RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }, own: None, whole: None }
    }

    /// Trusts no root, until some are added.
    pub fn without_roots() -> Self {
        Self { roots: RootCertStore::empty(), own: None, whole: None }
    }

    /// Creates a configuration of rustls, for what the other settings cannot express, such as a verifier of one's own.
    /// The roots and the client certificate of the configuration apply; of application protocols, only HTTP/1.1 is offered.
    pub fn from_config(config: ClientConfig) -> Self {
        Self { whole: Some(Arc::new(config)), ..Self::without_roots() }
    }

    /// Trusts the root certificates in `pem` as well.
    ///
    /// # Errors
    ///
    /// Fails if `pem` contains no certificate, or one that is not a root, and after [`from_config`](Self::from_config).
    pub fn add_roots(mut self, pem: impl AsRef<[u8]>) -> Result<Self, BuildError> {
        self.refuse_whole()?;
        for root in certificates(pem.as_ref())? {
            self.roots.add(root).map_err(unusable)?;
        }
        Ok(self)
    }

    /// Trusts the roots that the operating system trusts now as well.
    ///
    /// # Errors
    ///
    /// Fails if none can be read.
    #[cfg(feature = "system-roots")]
    pub fn add_system_roots(mut self) -> Result<Self, BuildError> {
        self.refuse_whole()?;
        let found = rustls_native_certs::load_native_certs();
        // Systems keep old ones in obsolete formats.
        let (added, _) = self.roots.add_parsable_certificates(found.certs);
        match (added, found.errors.first()) {
            (0, Some(error)) => Err(unusable(error)),
            (0, None) => Err(unusable("the system has no roots")),
            _ => Ok(self),
        }
    }

    /// Sends the certificate that `chain` begins with to servers that request one; `key` is its private key. Both are
    /// PEM.
    ///
    /// # Errors
    ///
    /// Fails if one of them cannot be read, or if the key does not match the certificate. Errors contain nothing of the
    /// key.
    pub fn client_certificate(mut self, chain: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Result<Self, BuildError> {
        self.refuse_whole()?;
        let key = PrivateKeyDer::from_pem_slice(key.as_ref()).map_err(|_| unusable("the PEM holds no private key"))?;
        let own = CertifiedKey::from_der(certificates(chain.as_ref())?, key, &provider()).map_err(unusable)?;
        self.own = Some(Arc::new(own));
        Ok(self)
    }

    /// Fails if roots and certificates are those of a whole configuration.
    fn refuse_whole(&self) -> Result<(), BuildError> {
        match self.whole {
            Some(_) => Err(unusable("a configuration of rustls has its own roots and certificates")),
            None => Ok(()),
        }
    }

    pub(super) fn config(&self) -> Result<ClientConfig, BuildError> {
        let mut config = match &self.whole {
            Some(whole) => ClientConfig::clone(whole),
            None => self.built()?,
        };
        // A server with HTTP/2 only refuses in the handshake, before anything is sent.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }

    fn built(&self) -> Result<ClientConfig, BuildError> {
        // Explicit, because a program with a second provider has no default one.
        let config = ClientConfig::builder_with_provider(Arc::new(provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_root_certificates(self.roots.clone());
        Ok(match &self.own {
            Some(own) => config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(Arc::clone(own)))),
            None => config.with_no_client_auth(),
        })
    }
}

impl Default for TlsSettings {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TlsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsSettings")
            .field("roots", &self.roots.len())
            .field("client_certificate", &self.own.is_some())
            .field("is_whole", &self.whole.is_some())
            .finish_non_exhaustive()
    }
}

fn provider() -> CryptoProvider {
    ring::default_provider()
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, BuildError> {
    // A detailed error would contain a line of the PEM, which may be of a key.
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match read {
        Ok(read) if !read.is_empty() => Ok(read),
        _ => Err(unusable("the PEM holds no certificate, or a broken one")),
    }
}

fn unusable(why: impl ToString) -> BuildError {
    BuildError::Transport { why: why.to_string() }
}
