//! Authentication of requests by their headers.

use std::net::IpAddr;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use bytes::Bytes;
use http::{HeaderName, Request};
use percent_encoding::percent_decode_str;
use tradeapi::API;
use tradeapi::runtime::signing::Signer;
use tradeapi::runtime::tables::{self, Authentication, Content, Effect, Encoding, Meta, Part};

use crate::operations::routes::served;
use crate::state::core::Core;
use crate::state::refusal::{Reason, Refusal};
use crate::state::settings::SignedQuery;

/// The parts of the authentication that headers carry.
const PARTS: [Part; 4] = [Part::Key, Part::Signature, Part::Timestamp, Part::Passphrase];

/// The names of their headers. They are parsed once, because that takes longer than a comparison.
static NAMES: LazyLock<[Option<HeaderName>; 4]> =
    LazyLock::new(|| PARTS.map(|part| API.credentials?.header(part)?.parse().ok()));

/// Returns the texts of the parts in a request. One pass over its few headers takes less than a lookup of each.
fn carried(request: &Request<Bytes>) -> [Option<&str>; 4] {
    let mut parts = [None; 4];
    for (name, value) in request.headers() {
        let place = NAMES.iter().position(|wanted| wanted.as_ref() == Some(name));
        if let Some(part) = place.and_then(|place| parts.get_mut(place)).filter(|part| part.is_none()) {
            *part = value.to_str().ok();
        }
    }
    parts
}

/// Returns the time of the signature, as the request states it.
pub(crate) fn timestamp(request: &Request<Bytes>) -> Option<&str> {
    let [_, _, name, _] = &*NAMES;
    request.headers().get(name.as_ref()?)?.to_str().ok()
}

/// Authenticates a request by the clock of its node, and returns the user.
pub(crate) fn authenticate(
    core: &Core,
    now: u64,
    meta: &Meta,
    request: &Request<Bytes>,
    address: IpAddr,
) -> Result<usize, Refusal> {
    identify(core, now, meta, request, address).map_err(|reason| reason.of_account(meta))
}

fn identify(core: &Core, now: u64, meta: &Meta, request: &Request<Bytes>, address: IpAddr) -> Result<usize, Reason> {
    let credentials = API.credentials.ok_or(Reason::Parameter)?;
    let [key, signature, timestamp, passphrase] = carried(request).map(|part| part.filter(|text| !text.is_empty()));
    let key = key.ok_or(Reason::MissingKey)?;
    let signature = signature.ok_or(Reason::MissingSignature)?;
    let timestamp = timestamp.ok_or(Reason::MissingTimestamp)?;
    let index = *core.keys.get(key).ok_or(Reason::UnknownKey)?;
    let user = &core.users[index];
    let is_served = served(meta).is_none_or(|family| user.profile.accounts.serve(family));
    let comes_early = || Reason::WrongAccount.known(meta).is_some_and(|known| known.before_signature);
    if !is_served && comes_early() {
        return Err(Reason::WrongAccount);
    }
    let [.., passphrase_header] = &*NAMES;
    if passphrase_header.is_some() && passphrase.ok_or(Reason::MissingPassphrase)? != user.keys[2] {
        return Err(Reason::WrongPassphrase);
    }
    let at: u64 = timestamp.parse().map_err(|_| Reason::MissingTimestamp)?;
    if credentials.window_ms.is_some_and(|window| at.abs_diff(now) > window) {
        return Err(Reason::ExpiredTimestamp);
    }
    let (parts, encoding) = signed(&credentials).ok_or(Reason::Parameter)?;
    let readings: &[bool] = match core.settings.signed_query {
        None if core.settings.tolerant => &[true, false],
        None => &[credentials.signed_query == tables::SignedQuery::Decoded],
        Some(reading) => &[reading == SignedQuery::Decoded],
    };
    let is_signed = readings.iter().any(|decodes| {
        let text = signed_text(request, parts, timestamp, *decodes);
        is_signature(&user.signer.sign(&text), encoding, signature)
    });
    if !is_signed {
        return Err(Reason::WrongSignature);
    }
    if !is_served {
        return Err(Reason::WrongAccount);
    }
    if !user.profile.addresses.is_empty() && !user.profile.addresses.contains(&address) {
        return Err(Reason::UnknownAddress);
    }
    match &user.permissions {
        Some(given) if !given.iter().any(|given| allows(given, meta)) => Err(Reason::MissingPermission),
        _ => Ok(index),
    }
}

/// Returns the signed text, and the encoding of the signature.
fn signed(credentials: &Authentication) -> Option<(&'static [Part], Encoding)> {
    let signature = credentials.signature?;
    let (_, encoding) = signature.algorithms.first()?;
    match signature.content {
        Content::Text(parts) => Some((parts, *encoding)),
        Content::Token(_) => None,
    }
}

/// Returns whether a text has the encoding of a signature.
fn is_signature(signature: &[u8], encoding: Encoding, text: &str) -> bool {
    match encoding {
        Encoding::Base64 => STANDARD.decode(text).is_ok_and(|given| given == signature),
        Encoding::Base64Url => URL_SAFE.decode(text).is_ok_and(|given| given == signature),
        Encoding::Hex => signature.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == text,
        Encoding::HexCapitals => signature.iter().map(|byte| format!("{byte:02X}")).collect::<String>() == text,
    }
}

fn signed_text(request: &Request<Bytes>, parts: &[Part], timestamp: &str, decodes: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(256 + request.body().len());
    for part in parts {
        match part {
            Part::Timestamp => text.extend_from_slice(timestamp.as_bytes()),
            Part::Method => text.extend_from_slice(request.method().as_str().as_bytes()),
            Part::Path => text.extend_from_slice(request.uri().path().as_bytes()),
            Part::Query => {
                if let Some(query) = request.uri().query() {
                    text.push(b'?');
                    match decodes && query.contains('%') {
                        true => text.extend(percent_decode_str(query)),
                        false => text.extend_from_slice(query.as_bytes()),
                    }
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

/// Returns whether a key with this permission may call an operation. Where no source names the operation's permission,
/// any allows a query, and any that does not only read allows a change.
fn allows(given: &str, meta: &Meta) -> bool {
    match meta.permission {
        Some(needed) => covers(given, needed),
        None => meta.effect == Effect::Read || !given.ends_with("(read)"),
    }
}

/// Returns whether a permission includes another one, as read-write includes read.
fn covers(given: &str, needed: &str) -> bool {
    given == needed || (without_kind(given) == without_kind(needed) && given.contains("write"))
}

/// Returns the permission without the part in parentheses, which says whether it reads or writes.
fn without_kind(permission: &str) -> &str {
    permission.split(" (").next().unwrap_or_default()
}
