//! TLS as all transports of this crate have it.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

use super::builder::BuildError;

/// rustls with ring and the roots of Mozilla's list.
pub(super) fn tls() -> Result<ClientConfig, BuildError> {
    // Named, because a program that has a second provider in it has no default one.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| BuildError::Transport { why: error.to_string() })?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
