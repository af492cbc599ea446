//! Adds the credentials and the signature to requests.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderName, HeaderValue, Request, Uri};

use super::Signer;
use super::credentials::{Credentials, Secret};
use super::encoding::encoded;
use super::signer::{signer_of, wrong};
use super::text::Sources;
use super::token::token;
use crate::error::BuildError;
use crate::parameters::{ParameterWriter, push_pair};
use crate::tables::{
    Algorithm, Api, Authentication, Carried, Content, Encoding, Part, Place, Signature, TimestampForm,
};
use crate::value::Timestamp;

/// Adds credentials and the signature to requests. Headers that are always the same are built once.
#[derive(Clone)]
pub struct Authenticator {
    credentials: Credentials,
    api: &'static Authentication,
    signing: Option<Signing>,
    /// Headers that consist of fixed texts, the key and the passphrase.
    fixed: Vec<(HeaderName, HeaderValue)>,
    /// The other headers.
    varying: Vec<(HeaderName, &'static [Part])>,
    last_nonce: Arc<AtomicU64>,
}

/// How signatures are made.
#[derive(Clone)]
struct Signing {
    signer: Arc<dyn Signer>,
    content: Content,
    algorithm: Algorithm,
    encoding: Encoding,
}

/// What is different in each request, as texts.
#[derive(Debug)]
pub(crate) struct Stamp {
    at: Timestamp,
    pub(super) timestamp: String,
    pub(super) nonce: String,
}

/// Why a request cannot be signed: credentials or the signature are not valid where they would go.
#[derive(Debug)]
pub(crate) struct CannotCarry;

impl Authenticator {
    /// An authenticator for requests of `api`; `None` if the API does not use credentials.
    ///
    /// # Errors
    ///
    /// Fails if the key or the passphrase is not valid in a header, or the secret is of another kind than the API's.
    pub fn new(api: &'static Api, credentials: &Credentials) -> Result<Option<Self>, BuildError> {
        credentials.check()?;
        let Some(api) = &api.credentials else { return Ok(None) };
        credentials.check_for(api)?;
        let signing = api.signature.as_ref().map(|signature| Signing::new(signature, credentials)).transpose()?;
        // The secret itself is not kept.
        let credentials = credentials.without_secret();
        let mut new = Self {
            credentials,
            api,
            signing,
            fixed: Vec::new(),
            varying: Vec::new(),
            last_nonce: Arc::new(AtomicU64::new(0)),
        };
        for Carried { place, parts } in api.carried {
            if let Place::Header(name) = place {
                new.add_header(name, parts)?;
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
            _ if parts.iter().all(|part| matches!(part, Part::Text(_) | Part::Key | Part::Passphrase)) => {
                let text = Sources {
                    credentials: &self.credentials,
                    stamp: &Stamp { at: Timestamp::default(), timestamp: String::new(), nonce: String::new() },
                    request: None,
                    signature: "",
                }
                .text(parts);
                Secret::of_bytes(text).header()
            }
            _ => {
                self.varying.push((name, parts));
                return Ok(());
            }
        };
        self.fixed
            .push((name, value.ok_or_else(|| wrong("key and passphrase must be plain text without line breaks"))?));
        Ok(())
    }

    /// The credentials.
    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// The timestamp and the nonce of a request that is signed as of `now`.
    pub(crate) fn stamp(&self, now: Timestamp) -> Stamp {
        let timestamp =
            if self.api.carries(Part::Timestamp) { written(now, self.api.timestamp) } else { String::new() };
        let nonce = if self.api.carries(Part::Nonce) { self.next_nonce(now).to_string() } else { String::new() };
        Stamp { at: now, timestamp, nonce }
    }

    /// At least the time in milliseconds, and more than the last one.
    fn next_nonce(&self, now: Timestamp) -> u64 {
        let next = |last: u64| last.saturating_add(1).max(now.as_millis());
        let last = self.last_nonce.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        next(last.unwrap_or_else(|last| last))
    }

    /// Writes what goes among the parameters of a request, before them.
    pub(crate) fn write_parameters(&self, stamp: &Stamp, to: &mut ParameterWriter) {
        for Carried { place, parts } in self.api.carried {
            if let Place::Parameter(name) = place {
                to.text(name, &lossy(self.sources(stamp, None, "").text(parts)));
            }
        }
    }

    /// Adds headers and members of the query to `request`, and signs it. The signed text is taken from the request
    /// itself, so that it cannot differ from what is sent.
    pub(crate) fn prove(&self, request: &mut Request<Bytes>, stamp: &Stamp) -> Result<(), CannotCarry> {
        let is_signature = |parts: &[Part]| parts.contains(&Part::Signature);
        for (name, value) in &self.fixed {
            request.headers_mut().insert(name.clone(), value.clone());
        }
        self.add_to_query(request, stamp, "", |parts| !is_signature(parts))?;
        self.add_headers(request, stamp, "", |parts| !is_signature(parts))?;
        let Some(signing) = &self.signing else { return Ok(()) };
        let signature = signing.sign(&self.sources(stamp, Some(request), ""));
        self.add_to_query(request, stamp, &signature, is_signature)?;
        self.add_headers(request, stamp, &signature, is_signature)
    }

    fn add_headers(
        &self,
        request: &mut Request<Bytes>,
        stamp: &Stamp,
        signature: &str,
        which: impl Fn(&[Part]) -> bool,
    ) -> Result<(), CannotCarry> {
        for (name, parts) in self.varying.iter().filter(|(_, parts)| which(parts)) {
            let text = self.sources(stamp, Some(request), signature).text(parts);
            let is_secret = parts.iter().any(Part::is_secret);
            let mut value = HeaderValue::from_maybe_shared(Bytes::from(text)).map_err(|_| CannotCarry)?;
            value.set_sensitive(is_secret);
            request.headers_mut().insert(name.clone(), value);
        }
        Ok(())
    }

    fn add_to_query(
        &self,
        request: &mut Request<Bytes>,
        stamp: &Stamp,
        signature: &str,
        which: impl Fn(&[Part]) -> bool,
    ) -> Result<(), CannotCarry> {
        let mut query = String::new();
        for Carried { place, parts } in self.api.carried.iter().filter(|carried| which(carried.parts)) {
            if let Place::Query(name) = place {
                push_pair(&mut query, name, &lossy(self.sources(stamp, Some(request), signature).text(parts)));
            }
        }
        if query.is_empty() {
            return Ok(());
        }
        let mut parts = request.uri().clone().into_parts();
        let target = parts.path_and_query.as_ref().map_or("/", PathAndQuery::as_str);
        let separator = if target.contains('?') { '&' } else { '?' };
        let target = format!("{target}{separator}{query}").try_into().map_err(|_| CannotCarry)?;
        parts.path_and_query = Some(target);
        *request.uri_mut() = Uri::from_parts(parts).map_err(|_| CannotCarry)?;
        Ok(())
    }

    fn sources<'a>(&'a self, stamp: &'a Stamp, request: Option<&'a Request<Bytes>>, signature: &'a str) -> Sources<'a> {
        Sources { credentials: &self.credentials, stamp, request, signature }
    }
}

impl Signing {
    fn new(signature: &Signature, credentials: &Credentials) -> Result<Self, BuildError> {
        let signer = match credentials.signer() {
            Some(signer) => signer,
            None => signer_of(signature, &credentials.secret())?,
        };
        let accepted = match signer.algorithm() {
            None => signature.algorithms.first(),
            Some(own) => signature.algorithms.iter().find(|(algorithm, _)| *algorithm == own),
        };
        let (algorithm, encoding) =
            *accepted.ok_or_else(|| wrong("the exchange does not accept signatures of this kind of key"))?;
        Ok(Self { signer, content: signature.content, algorithm, encoding })
    }

    fn sign(&self, from: &Sources<'_>) -> String {
        match &self.content {
            Content::Text(parts) => encoded(&self.signer.sign(&from.text(parts)), self.encoding),
            Content::Token(table) => {
                token(table, self.algorithm, &*self.signer, from, from.stamp.at.as_millis() / 1000)
            }
        }
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticator(not shown)")
    }
}

pub(super) fn written(at: Timestamp, form: TimestampForm) -> String {
    let millis = at.as_millis();
    match form {
        TimestampForm::Seconds => (millis / 1000).to_string(),
        TimestampForm::Milliseconds => millis.to_string(),
        TimestampForm::Microseconds => format!("{millis}000"),
        TimestampForm::Nanoseconds => format!("{millis}000000"),
        TimestampForm::Iso8601 => at.to_string(),
    }
}

fn lossy(text: Vec<u8>) -> String {
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
