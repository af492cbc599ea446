//! Adds the credentials and the signature to requests.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::InvalidHeaderValue;
use http::{HeaderName, HeaderValue, Request};

use super::credentials::Credentials;
use crate::error::BuildError;
use crate::tables::{Api, CredentialHeaders, Encoding, SignedPart};
use crate::value::{Scratch, Timestamp};

/// Adds the headers with credentials and the signature to requests. Headers that are always the same are built once.
#[derive(Clone)]
pub struct Authenticator {
    credentials: Credentials,
    signed_text: &'static [SignedPart],
    encoding: Encoding,
    timestamp: HeaderName,
    signature: HeaderName,
    /// The key, and the passphrase where there is one.
    fixed: Vec<(HeaderName, HeaderValue)>,
}

impl Authenticator {
    /// An authenticator for requests of `api`; `None` if the API does not use credentials.
    ///
    /// # Errors
    ///
    /// Fails if the key or the passphrase is not valid in a header.
    pub fn new(api: &'static Api, credentials: &Credentials) -> Result<Option<Self>, BuildError> {
        let (key, passphrase) = credentials.headers()?;
        let Some(headers) = &api.credentials else { return Ok(None) };
        let CredentialHeaders { signed_text, encoding, .. } = *headers;
        let mut fixed = vec![(named(headers.key)?, key)];
        if let Some(name) = headers.passphrase {
            fixed.push((named(name)?, passphrase));
        }
        let (timestamp, signature) = (named(headers.timestamp)?, named(headers.signature)?);
        Ok(Some(Self { credentials: credentials.clone(), signed_text, encoding, timestamp, signature, fixed }))
    }

    /// The credentials.
    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// Signs `request` as of `now`. The signed text is taken from the request itself, so that it cannot differ from
    /// what is sent.
    pub(crate) fn prove(&self, request: &mut Request<Bytes>, now: Timestamp) -> Result<(), InvalidHeaderValue> {
        let mut scratch = Scratch::new();
        let timestamp = scratch.digits(now.as_millis());
        let signature = self.credentials.sign(&signed_text(request, self.signed_text, timestamp.as_bytes()));
        let mut signature = HeaderValue::from_maybe_shared(Bytes::from(encoded(&signature, self.encoding)))?;
        signature.set_sensitive(true);
        let headers = request.headers_mut();
        headers.insert(self.timestamp.clone(), HeaderValue::from_str(timestamp)?);
        headers.insert(self.signature.clone(), signature);
        for (name, value) in &self.fixed {
            headers.insert(name.clone(), value.clone());
        }
        Ok(())
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticator(not shown)")
    }
}

fn named(name: &'static str) -> Result<HeaderName, BuildError> {
    HeaderName::from_bytes(name.as_bytes())
        .map_err(|error| BuildError::Header { name: name.to_owned(), why: error.to_string() })
}

/// The text that is signed for `request`.
fn signed_text(request: &Request<Bytes>, parts: &[SignedPart], timestamp: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(128 + request.body().len());
    for part in parts {
        match part {
            SignedPart::Timestamp => text.extend_from_slice(timestamp),
            SignedPart::Method => text.extend_from_slice(request.method().as_str().as_bytes()),
            SignedPart::Path => text.extend_from_slice(request.uri().path().as_bytes()),
            SignedPart::Body => text.extend_from_slice(request.body()),
            SignedPart::Query => {
                if let Some(query) = request.uri().query() {
                    text.push(b'?');
                    text.extend_from_slice(query.as_bytes());
                }
            }
        }
    }
    text
}

fn encoded(signature: &[u8], encoding: Encoding) -> String {
    match encoding {
        Encoding::Base64 => STANDARD.encode(signature),
        Encoding::Hex => signature.iter().flat_map(|byte| [byte >> 4, byte & 0xf]).map(hex_digit).collect(),
    }
}

fn hex_digit(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0')
}
