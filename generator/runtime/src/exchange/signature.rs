use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request};

use crate::client::Credentials;
use crate::parameters::Scratch;
use crate::tables::{CredentialHeaders, Encoding, SignedPart};
use crate::value::Timestamp;

/// Puts the headers that prove who sends `request` on it. What is signed is taken from the request itself, so that it
/// cannot differ from what is sent.
pub(super) fn sign(
    request: &mut Request<Bytes>,
    headers: &CredentialHeaders,
    credentials: &Credentials,
    now: Timestamp,
) -> Result<(), http::Error> {
    let mut scratch = Scratch::new();
    let timestamp = scratch.digits(now.as_millis());
    let signature = credentials.sign(&signed_text(request, headers.signed_text, timestamp));
    let signature = encoded(&signature, headers.encoding);
    let to = request.headers_mut();
    insert(to, headers.timestamp, timestamp)?;
    insert_secret(to, headers.key, credentials.key())?;
    insert_secret(to, headers.signature, &signature)?;
    if let Some(passphrase) = headers.passphrase {
        insert_secret(to, passphrase, credentials.passphrase())?;
    }
    Ok(())
}

/// The text that is signed for `request`.
pub(super) fn signed_text(request: &Request<Bytes>, parts: &[SignedPart], timestamp: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(128 + request.body().len());
    for part in parts {
        match part {
            SignedPart::Timestamp => text.extend_from_slice(timestamp.as_bytes()),
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

fn insert(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), http::Error> {
    headers.insert(HeaderName::from_bytes(name.as_bytes())?, HeaderValue::from_str(value)?);
    Ok(())
}

/// As [`insert`], but whoever prints the headers does not see the value.
fn insert_secret(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), http::Error> {
    let mut value = HeaderValue::from_str(value)?;
    value.set_sensitive(true);
    headers.insert(HeaderName::from_bytes(name.as_bytes())?, value);
    Ok(())
}
