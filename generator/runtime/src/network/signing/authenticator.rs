//! Adds the credentials and the signature to requests, with the texts that differ in each of them.
//!
//! A nonce is a text that no other request of a client has. A UUID is a keyed hash of the number that grows, so that a
//! clock that is set back repeats no nonce. The number of the process is hashed too, because a fork has the same key.

use std::fmt::{self, Write};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arrayvec::ArrayString;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::uri::PathAndQuery;
use http::{HeaderName, HeaderValue, Request, Uri};

use super::credentials::{Credentials, Secret, wrong};
use super::signature::Signing;
use super::text::Sources;
use crate::data::error::BuildError;
use crate::data::json::JsonWriter;
use crate::data::operation::Call;
use crate::data::parameters::{Escapes, FORM, ParameterWriter};
use crate::data::tables::{Api, Authentication, Carried, NonceForm, Part, Place, TimestampForm};
use crate::data::value::Timestamp;

/// Adds credentials and the signature to requests. Headers that are always the same are built once.
#[derive(Clone)]
pub struct Authenticator {
    credentials: Credentials,
    api: &'static Authentication,
    signing: Option<Signing>,
    /// Headers that consist of fixed texts, the key and the passphrase.
    fixed: Vec<(HeaderName, HeaderValue)>,
    /// The other headers.
    headers: Vec<Varying<HeaderName>>,
    /// The pairs of the query.
    query: Vec<Varying<&'static str>>,
    /// The pairs that follow the parameters, in the same place.
    after: Vec<Varying<&'static str>>,
    /// True if requests carry the time, the time when they expire, and a nonce.
    has_timestamp: bool,
    has_expiry: bool,
    has_nonce: bool,
    nonces: Arc<Nonces>,
}

/// A text that differs from request to request, and the name that it has.
#[derive(Clone)]
struct Varying<N> {
    name: N,
    parts: &'static [Part],
    is_secret: bool,
    /// True if it contains the signature, so that it is not part of what is signed.
    is_signature: bool,
}

/// The reason why a request cannot be signed: credentials or the signature are not valid where they would go.
#[derive(Debug)]
pub(crate) struct CannotCarry;

impl Authenticator {
    /// Returns an authenticator for requests of `api`; `None` if the API does not use credentials.
    ///
    /// # Errors
    ///
    /// Fails if a part of the credentials cannot be right, or the secret is of another kind than the API's.
    pub fn new(api: &'static Api, credentials: &Credentials) -> Result<Option<Self>, BuildError> {
        credentials.check_for(api.credentials.as_ref())?;
        let Some(api) = &api.credentials else { return Ok(None) };
        let signing = api.signature.as_ref().map(|signature| Signing::new(signature, credentials)).transpose()?;
        // The secret itself is not kept.
        let credentials = credentials.without_secret();
        let mut new = Self {
            credentials,
            api,
            signing,
            fixed: Vec::new(),
            headers: Vec::new(),
            query: Vec::new(),
            after: Vec::new(),
            has_timestamp: api.carries(Part::Timestamp),
            has_expiry: api.carries(Part::Expires),
            has_nonce: api.carries(Part::Nonce),
            nonces: Arc::default(),
        };
        for Carried { place, parts } in api.carried {
            match place {
                Place::Header(name) => new.add_header(name, parts)?,
                Place::Query(name) => new.query.push(Varying::new(*name, parts)),
                Place::After(name) => new.after.push(Varying::new(*name, parts)),
                // They are written with the other parameters.
                Place::Parameter(_) => {}
            }
        }
        Ok(Some(new))
    }

    fn add_header(&mut self, name: &str, parts: &'static [Part]) -> Result<(), BuildError> {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|error| BuildError::Header { name: name.to_owned(), why: error.to_string() })?;
        let value = match parts {
            [Part::Key] => self.credentials.key_header(),
            [Part::Passphrase] => self.credentials.passphrase_header(),
            _ if parts.iter().all(Part::is_fixed) => {
                Secret::of_bytes(self.sources(&Stamp::default(), None, "").text(parts)).header()
            }
            _ => {
                self.headers.push(Varying::new(name, parts));
                return Ok(());
            }
        };
        self.fixed
            .push((name, value.ok_or_else(|| wrong("key and passphrase must be plain text without line breaks"))?));
        Ok(())
    }

    /// Returns the credentials.
    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// Returns the timestamp and the nonce of a request that is signed as of `now`.
    pub(crate) fn stamp(&self, now: Timestamp) -> Stamp {
        let mut stamp = Stamp { at: now, ..Stamp::default() };
        if self.has_timestamp {
            stamp.timestamp = written(now, self.api.timestamp);
        }
        if self.has_expiry {
            let window = Duration::from_millis(self.api.window_ms.unwrap_or_default());
            stamp.expires = written(now + window, self.api.timestamp);
        }
        if self.has_nonce {
            stamp.nonce = self.nonces.next(now, self.api.nonce);
        }
        stamp
    }

    /// Writes the pairs that go before the parameters of a request to `path`.
    pub(crate) fn write_parameters(&self, stamp: &Stamp, path: &str, to: &mut ParameterWriter) {
        for Carried { place, parts } in self.api.carried {
            if let Place::Parameter(name) = place {
                to.text_of_table(name, &lossy(Sources { path, ..self.sources(stamp, None, "") }.text(parts)));
            }
        }
    }

    /// Adds headers and members of the query to `request`, and signs it. The signed text is taken from the request
    /// itself, so that it cannot differ from what is sent.
    pub(crate) fn prove(&self, request: &mut Request<Bytes>, stamp: &Stamp) -> Result<(), CannotCarry> {
        for (name, value) in &self.fixed {
            request.headers_mut().insert(name.clone(), value.clone());
        }
        self.add(request, stamp, None)?;
        if let Some(signing) = &self.signing {
            let signature = signing.sign(&self.sources(stamp, Some(request), ""));
            self.add(request, stamp, Some(&signature))?;
        }
        if !self.api.sends_body {
            *request.body_mut() = Bytes::new();
            request.headers_mut().remove(CONTENT_TYPE);
        }
        Ok(())
    }

    /// Adds the texts that contain the signature; without a signature, those that do not.
    fn add(&self, request: &mut Request<Bytes>, stamp: &Stamp, signature: Option<&str>) -> Result<(), CannotCarry> {
        let (is_signature, signature) = (signature.is_some(), signature.unwrap_or_default());
        let mut query = String::new();
        let escapes = Escapes::of(Some(self.api.signed_query));
        for Varying { name, parts, .. } in self.query.iter().filter(|varying| varying.is_signature == is_signature) {
            escapes.push_pair(&mut query, name, &lossy(self.sources(stamp, Some(request), signature).text(parts)));
        }
        if !query.is_empty() {
            extend_query(request, &query)?;
        }
        self.add_after(request, stamp, is_signature, signature)?;
        for header in self.headers.iter().filter(|varying| varying.is_signature == is_signature) {
            let sources = self.sources(stamp, Some(request), signature);
            let own = if let [part] = header.parts { sources.own(*part) } else { None };
            let value = match own {
                Some(text) => HeaderValue::from_bytes(text),
                None => HeaderValue::from_bytes(&sources.text(header.parts)),
            };
            let mut value = value.map_err(|_| CannotCarry)?;
            value.set_sensitive(header.is_secret);
            request.headers_mut().insert(header.name.clone(), value);
        }
        Ok(())
    }

    /// Adds the pairs that follow the parameters: to the body, or to the query of a request without one.
    fn add_after(
        &self,
        request: &mut Request<Bytes>,
        stamp: &Stamp,
        is_signature: bool,
        signature: &str,
    ) -> Result<(), CannotCarry> {
        let mut texts = Vec::new();
        for Varying { name, parts, .. } in self.after.iter().filter(|varying| varying.is_signature == is_signature) {
            texts.push((*name, *parts, lossy(self.sources(stamp, Some(request), signature).text(parts))));
        }
        if texts.is_empty() {
            return Ok(());
        }
        if request.body().first() == Some(&b'{') {
            let mut members = JsonWriter::with_capacity(128);
            members.begin_object();
            for (name, parts, text) in &texts {
                let is_number = matches!(parts, [Part::Timestamp | Part::Expires | Part::Nonce]);
                let is_number = is_number && text.bytes().all(|digit| digit.is_ascii_digit());
                let member = members.member(name);
                if is_number { member.raw(text) } else { member.string(text) }
            }
            members.end_object();
            *request.body_mut() = extended_object(request.body(), &members.finish())?;
            return Ok(());
        }
        let mut pairs = String::new();
        let escapes = if stamp.is_form { Escapes::All } else { Escapes::of(Some(self.api.signed_query)) };
        texts.iter().for_each(|(name, _, text)| escapes.push_pair(&mut pairs, name, text));
        if !stamp.is_form {
            return extend_query(request, &pairs);
        }
        let separator: &[u8] = if request.body().is_empty() { b"" } else { b"&" };
        *request.body_mut() = [request.body(), separator, pairs.as_bytes()].concat().into();
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(FORM));
        Ok(())
    }

    fn sources<'a>(&'a self, stamp: &'a Stamp, request: Option<&'a Request<Bytes>>, signature: &'a str) -> Sources<'a> {
        let (credentials, signer) = (&self.credentials, self.signing.as_ref().map(Signing::signer));
        let signed_query = self.api.signed_query;
        Sources { credentials, signer, signed_query, stamp, path: "", request, signature }
    }
}

impl<N> Varying<N> {
    fn new(name: N, parts: &'static [Part]) -> Self {
        let is_secret = parts.iter().any(Part::is_secret);
        Self { name, parts, is_secret, is_signature: parts.contains(&Part::Signature) }
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticator(not shown)")
    }
}

/// Returns an object with the members of another one after its own.
fn extended_object(object: &[u8], members: &str) -> Result<Bytes, CannotCarry> {
    let open = object.strip_suffix(b"}").ok_or(CannotCarry)?;
    let separator: &[u8] = if open == b"{" { b"" } else { b"," };
    Ok([open, separator, members.get(1..).ok_or(CannotCarry)?.as_bytes()].concat().into())
}

/// Adds pairs to the query of a request.
fn extend_query(request: &mut Request<Bytes>, query: &str) -> Result<(), CannotCarry> {
    let mut parts = request.uri().clone().into_parts();
    let target = parts.path_and_query.as_ref().map_or("/", PathAndQuery::as_str);
    let separator = if target.contains('?') { '&' } else { '?' };
    let target = format!("{target}{separator}{query}").try_into().map_err(|_| CannotCarry)?;
    parts.path_and_query = Some(target);
    *request.uri_mut() = Uri::from_parts(parts).map_err(|_| CannotCarry)?;
    Ok(())
}

fn lossy(text: Vec<u8>) -> String {
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The length of a UUID; a number is shorter.
pub(super) const LONGEST_NONCE: usize = 36;

/// The nonces of a client.
#[derive(Debug, Default)]
struct Nonces {
    last: AtomicU64,
    /// Distinguishes the UUIDs of this client from those of others.
    chance: RandomState,
}

impl Nonces {
    /// Returns the nonce of a request at `now`.
    pub(super) fn next(&self, now: Timestamp, form: NonceForm) -> ArrayString<LONGEST_NONCE> {
        let number = self.next_number(now);
        let mut text = ArrayString::new();
        // It is long enough for both forms.
        let _ = match form {
            NonceForm::Number => write!(text, "{number}"),
            NonceForm::Uuid => {
                let [high, low] = self.uuid(number);
                let (first, second, third) = (high >> 32, high >> 16 & 0xffff, high & 0xffff);
                write!(text, "{first:08x}-{second:04x}-{third:04x}-{:04x}-{:012x}", low >> 48, low & 0xffff_ffff_ffff)
            }
        };
        text
    }

    /// Returns at least the time in milliseconds, and more than the last number.
    fn next_number(&self, now: Timestamp) -> u64 {
        let next = |last: u64| last.saturating_add(1).max(now.as_millis());
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        next(last.unwrap_or_else(|last| last))
    }

    /// Returns the random UUID (RFC 9562, version 4) that belongs to a number. After a fork, only the process tells two
    /// apart.
    fn uuid(&self, number: u64) -> [u64; 2] {
        let bits = |half: u8| self.chance.hash_one((std::process::id(), number, half));
        [bits(0) & !0xf000 | 0x4000, bits(1) & (u64::MAX >> 2) | 1 << 63]
    }
}

/// A timestamp in nanoseconds takes 26 digits at most; as in ISO 8601 it has fewer characters.
const LONGEST_TIMESTAMP: usize = 32;

/// The texts that are different in each request.
#[derive(Debug, Default)]
pub(crate) struct Stamp {
    pub(crate) at: Timestamp,
    pub(crate) timestamp: ArrayString<LONGEST_TIMESTAMP>,
    pub(crate) expires: ArrayString<LONGEST_TIMESTAMP>,
    pub(crate) nonce: ArrayString<LONGEST_NONCE>,
    /// The call that the request makes.
    pub(crate) call: Option<Call>,
    /// True if the parameters are a form.
    pub(crate) is_form: bool,
}

/// Returns a time as it is sent.
pub(super) fn written(at: Timestamp, form: TimestampForm) -> ArrayString<LONGEST_TIMESTAMP> {
    let millis = at.as_millis();
    match form {
        TimestampForm::Seconds => text_of(format_args!("{}", millis / 1000)),
        TimestampForm::Milliseconds => text_of(format_args!("{millis}")),
        TimestampForm::Microseconds => text_of(format_args!("{millis}000")),
        TimestampForm::Nanoseconds => text_of(format_args!("{millis}000000")),
        TimestampForm::Iso8601 => text_of(format_args!("{at}")),
        TimestampForm::Iso8601Seconds => {
            text_of(format_args!("{}", at.to_string().split('.').next().unwrap_or_default()))
        }
    }
}

fn text_of(what: fmt::Arguments<'_>) -> ArrayString<LONGEST_TIMESTAMP> {
    let mut text = ArrayString::new();
    // It is long enough for every time.
    let _ = text.write_fmt(what);
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn uuids_differ_although_the_clock_stands_still() {
        let nonces = Nonces::default();
        let other = Nonces::default();
        let at = Timestamp::from_millis(1_700_000_000_000);
        let all: HashSet<_> =
            (0..1_000).flat_map(|_| [&nonces, &other]).map(|from| from.next(at, NonceForm::Uuid)).collect();
        assert_eq!(all.len(), 2_000);
        for text in all {
            let groups: Vec<_> = text.split('-').map(str::len).collect();
            assert_eq!(groups, [8, 4, 4, 4, 12], "{text}");
            assert!(text.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9' | b'a'..=b'f')), "{text}");
            assert!(text.as_bytes()[14] == b'4' && matches!(text.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{text}");
        }
    }
}
