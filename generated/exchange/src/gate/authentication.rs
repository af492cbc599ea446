//! Authentication of requests by their headers.

use std::net::IpAddr;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use bytes::Bytes;
use http::{HeaderName, Request};
use tradeapi::API;
use tradeapi::runtime::signing::Signer;
use tradeapi::runtime::tables::{Authentication, Content, Encoding, Meta, Part};

use crate::refusal::{Reason, Refusal};
use crate::state::Core;

/// The name of the header that carries a part of the authentication. It is parsed once, because that takes longer than
/// a lookup.
type Name = LazyLock<Option<HeaderName>>;

static KEY: Name = LazyLock::new(|| name_of(Part::Key));
static SIGNATURE: Name = LazyLock::new(|| name_of(Part::Signature));
static TIMESTAMP: Name = LazyLock::new(|| name_of(Part::Timestamp));
static PASSPHRASE: Name = LazyLock::new(|| name_of(Part::Passphrase));

fn name_of(part: Part) -> Option<HeaderName> {
    API.credentials?.header(part)?.parse().ok()
}

fn header<'a>(request: &'a Request<Bytes>, name: &Name) -> Option<&'a str> {
    request.headers().get(name.as_ref()?)?.to_str().ok()
}

/// The time of the signature, as the request states it.
pub(crate) fn timestamp(request: &Request<Bytes>) -> Option<&str> {
    header(request, &TIMESTAMP)
}

/// Authenticates a request by the clock of its node, and returns the user.
pub(super) fn authenticate(
    core: &Core,
    now: u64,
    meta: &Meta,
    request: &Request<Bytes>,
    address: IpAddr,
) -> Result<usize, Refusal> {
    identify(core, now, meta, request, address).map_err(|reason| reason.of(meta))
}

fn identify(core: &Core, now: u64, meta: &Meta, request: &Request<Bytes>, address: IpAddr) -> Result<usize, Reason> {
    let credentials = API.credentials.ok_or(Reason::Parameter)?;
    let header = |name: &Name, missing: Reason| header(request, name).filter(|text| !text.is_empty()).ok_or(missing);
    let key = header(&KEY, Reason::MissingKey)?;
    let signature = header(&SIGNATURE, Reason::MissingSignature)?;
    let timestamp = header(&TIMESTAMP, Reason::MissingTimestamp)?;
    let index = *core.keys.get(key).ok_or(Reason::UnknownKey)?;
    let user = &core.users[index];
    if PASSPHRASE.is_some() && header(&PASSPHRASE, Reason::MissingPassphrase)? != user.keys[2] {
        return Err(Reason::WrongPassphrase);
    }
    let at: u64 = timestamp.parse().map_err(|_| Reason::MissingTimestamp)?;
    if credentials.window_ms.is_some_and(|window| at.abs_diff(now) > window) {
        return Err(Reason::ExpiredTimestamp);
    }
    let (parts, encoding) = signed(&credentials).ok_or(Reason::Parameter)?;
    let text = signed_text(request, parts, timestamp);
    if !is_signature(&user.signer.sign(&text), encoding, signature) {
        return Err(Reason::WrongSignature);
    }
    if !user.profile.addresses.is_empty() && !user.profile.addresses.contains(&address) {
        return Err(Reason::UnknownAddress);
    }
    match (&user.profile.permissions, meta.permission) {
        (Some(given), Some(needed)) if !given.iter().any(|given| covers(given, needed)) => {
            Err(Reason::MissingPermission)
        }
        _ => Ok(index),
    }
}

/// The signed text, and the encoding of the signature.
fn signed(credentials: &Authentication) -> Option<(&'static [Part], Encoding)> {
    let signature = credentials.signature?;
    let (_, encoding) = signature.algorithms.first()?;
    match signature.content {
        Content::Text(parts) => Some((parts, *encoding)),
        Content::Token(_) => None,
    }
}

/// Whether a text has the encoding of a signature.
fn is_signature(signature: &[u8], encoding: Encoding, text: &str) -> bool {
    match encoding {
        Encoding::Base64 => STANDARD.decode(text).is_ok_and(|given| given == signature),
        Encoding::Base64Url => URL_SAFE.decode(text).is_ok_and(|given| given == signature),
        Encoding::Hex => signature.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == text,
    }
}

fn signed_text(request: &Request<Bytes>, parts: &[Part], timestamp: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(256 + request.body().len());
    for part in parts {
        match part {
            Part::Timestamp => text.extend_from_slice(timestamp.as_bytes()),
            Part::Method => text.extend_from_slice(request.method().as_str().as_bytes()),
            Part::Path => text.extend_from_slice(request.uri().path().as_bytes()),
            Part::Query => {
                if let Some(query) = request.uri().query() {
                    text.push(b'?');
                    text.extend_from_slice(query.as_bytes());
                }
            }
            Part::Body => text.extend_from_slice(request.body()),
            // The documents name no others.
            Part::Text(_)
            | Part::Key
            | Part::Passphrase
            | Part::Nonce
            | Part::Expires
            | Part::Signature
            | Part::Host
            | Part::BareQuery
            | Part::DecodedQuery
            | Part::SortedQuery
            | Part::Header(_)
            | Part::Pairs(_)
            | Part::Call
            | Part::CallId
            | Part::Digest(..)
            | Part::Base64(_)
            | Part::Signed(_)
            | Part::When(_) => {}
        }
    }
    text
}

/// Whether a permission includes another one, as read-write includes read.
fn covers(given: &str, needed: &str) -> bool {
    given == needed || (without_kind(given) == without_kind(needed) && given.contains("write"))
}

/// The permission without whether it reads or writes, which stands in parentheses.
fn without_kind(permission: &str) -> &str {
    permission.split(" (").next().unwrap_or_default()
}
