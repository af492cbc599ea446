//! Texts of parts: what is signed, and what is carried.

use bytes::Bytes;
use http::Request;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::authenticator::Stamp;
use super::credentials::Credentials;
use super::encoding::encoded;
use crate::tables::{DigestForm, Hash, Part};

/// What the parts of a text are taken from. The request itself is one of them, so that what is signed cannot differ from
/// what is sent.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) credentials: &'a Credentials,
    pub(super) stamp: &'a Stamp,
    /// `None` before there is a request: for parts that do not depend on it.
    pub(super) request: Option<&'a Request<Bytes>>,
    pub(super) signature: &'a str,
}

impl Sources<'_> {
    /// The text of `parts`.
    pub(super) fn text(&self, parts: &[Part]) -> Vec<u8> {
        let mut text = Vec::with_capacity(128 + self.request.map_or(0, |request| request.body().len()));
        parts.iter().for_each(|part| self.push(*part, &mut text));
        text
    }

    fn push(&self, part: Part, text: &mut Vec<u8>) {
        if let Some(own) = self.own(part) {
            return text.extend_from_slice(own);
        }
        match part {
            Part::Digest(hash, form, parts) => push_digest(&digest(hash, &self.text(parts)), form, text),
            Part::Method
            | Part::Host
            | Part::Path
            | Part::Query
            | Part::BareQuery
            | Part::DecodedQuery
            | Part::Body
            | Part::Header(_) => {
                if let Some(request) = self.request {
                    push_of_request(request, part, text);
                }
            }
            Part::Text(_) | Part::Key | Part::Passphrase | Part::Timestamp | Part::Nonce | Part::Signature => {}
        }
    }

    /// The text of a part that is neither made from others nor taken from the request.
    pub(super) fn own(&self, part: Part) -> Option<&[u8]> {
        Some(match part {
            Part::Text(fixed) => fixed.as_bytes(),
            Part::Key => self.credentials.key(),
            Part::Passphrase => self.credentials.passphrase(),
            Part::Timestamp => self.stamp.timestamp.as_bytes(),
            Part::Nonce => self.stamp.nonce.as_bytes(),
            Part::Signature => self.signature.as_bytes(),
            Part::Digest(..)
            | Part::Method
            | Part::Host
            | Part::Path
            | Part::Query
            | Part::BareQuery
            | Part::DecodedQuery
            | Part::Body
            | Part::Header(_) => return None,
        })
    }
}

fn push_of_request(request: &Request<Bytes>, part: Part, text: &mut Vec<u8>) {
    let uri = request.uri();
    match part {
        Part::Method => text.extend_from_slice(request.method().as_str().as_bytes()),
        Part::Host => text.extend(uri.authority().iter().flat_map(|host| host.as_str().bytes())),
        Part::Path => text.extend_from_slice(uri.path().as_bytes()),
        Part::Query | Part::BareQuery => {
            if let Some(query) = uri.query() {
                text.extend_from_slice(if part == Part::Query { b"?" } else { b"" });
                text.extend_from_slice(query.as_bytes());
            }
        }
        Part::DecodedQuery => text.extend(uri.query().iter().flat_map(|query| percent_decode_str(query))),
        Part::Body => text.extend_from_slice(request.body()),
        Part::Header(name) => text.extend(request.headers().get(name).iter().flat_map(|value| value.as_bytes())),
        Part::Text(_)
        | Part::Key
        | Part::Passphrase
        | Part::Timestamp
        | Part::Nonce
        | Part::Signature
        | Part::Digest(..) => {}
    }
}

fn digest(hash: Hash, text: &[u8]) -> Vec<u8> {
    match hash {
        Hash::Sha256 => Sha256::digest(text).to_vec(),
        Hash::Sha384 => Sha384::digest(text).to_vec(),
        Hash::Sha512 => Sha512::digest(text).to_vec(),
    }
}

fn push_digest(digest: &[u8], form: DigestForm, text: &mut Vec<u8>) {
    match form {
        DigestForm::Bytes => text.extend_from_slice(digest),
        DigestForm::Encoded(encoding) => text.extend_from_slice(encoded(digest, encoding).as_bytes()),
    }
}
