use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request};

use crate::client::{Credentials, Secret};
use crate::parameters::Scratch;
use crate::tables::{CredentialHeaders, Encoding, SignedPart};
use crate::value::Timestamp;

/// A header of the credentials is none.
pub(super) struct CannotBeSent;

/// Puts the headers that prove who sends `request` on it. What is signed is taken from the request itself, so that it
/// cannot differ from what is sent.
pub(super) fn sign(
    request: &mut Request<Bytes>,
    headers: &CredentialHeaders,
    credentials: &Credentials,
    now: Timestamp,
) -> Result<(), CannotBeSent> {
    let mut scratch = Scratch::new();
    let timestamp = scratch.digits(now.as_millis());
    let signature = credentials.sign(&signed_text(request, headers.signed_text, timestamp));
    let signature = encoded(&signature, headers.encoding);
    let to = request.headers_mut();
    insert(to, headers.timestamp, HeaderValue::from_str(timestamp).ok())?;
    insert(to, headers.key, credentials.key().header())?;
    insert(to, headers.signature, Secret::new(signature).header())?;
    if let Some(passphrase) = headers.passphrase {
        insert(to, passphrase, credentials.passphrase().header())?;
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

fn insert(headers: &mut HeaderMap, name: &'static str, value: Option<HeaderValue>) -> Result<(), CannotBeSent> {
    let name = header_name(name).ok_or(CannotBeSent)?;
    headers.insert(name, value.ok_or(CannotBeSent)?);
    Ok(())
}

/// A name in lower case needs no memory of its own.
fn header_name(name: &'static str) -> Option<HeaderName> {
    let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !name.is_empty() && name.bytes().all(is_lower) {
        return Some(HeaderName::from_static(name));
    }
    HeaderName::from_bytes(name.as_bytes()).ok()
}
