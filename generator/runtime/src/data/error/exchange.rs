//! Responses that are not a success.
//!
//! A late refusal may answer a repeat. HTTP forbids proxies to repeat such requests, and one that does so waits for an
//! answer first, so a refusal within a second counts by its code, and a later one only if the request alone decides
//! about it (`alike`).

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;

use crate::data::account::AccountMismatch;
use crate::data::clock::Skew;
use crate::data::json::ReadError;
use crate::data::parameters::has_escape;
use crate::data::tables::{
    Authentication, CallResult, Certainty, CodeProof, CredentialCause, Effect, KnownError, Outcome, SignedQuery,
};
use crate::data::value::{OpenEnum, Shown, Timestamp, enum_from_wire, part};

/// A request that the exchange, or a gateway before it, answered with an error.
#[derive(Clone)]
#[non_exhaustive]
pub struct ExchangeError {
    /// The id of the operation.
    pub operation: &'static str,
    /// The effect of the operation; reads have none.
    pub effect: Effect,
    /// The outcome of the request.
    pub outcome: Outcome,
    /// The end of the call.
    pub call_result: CallResult,
    /// The code; the HTTP status if the response contains none.
    pub code: Code,
    /// The message; the beginning of the body if the response contains none.
    pub message: String,
    /// The HTTP status.
    pub status: StatusCode,
    /// The time of the request by the exchange's clock; where the envelope has no time, that of the header `Date`.
    pub request_time: Option<Timestamp>,
    /// The facts known about the code, even if it proves nothing.
    pub known: Option<&'static KnownError>,
    /// The proof that the code is, by the client's [`CodePolicy`](crate::network::wire::CodePolicy).
    pub proves: Option<CodeProof>,
    /// The wait that the exchange requires before the next request.
    pub retry_after: Option<Duration>,
    /// True if the answer came so late that it may belong to a repeat of the request; the first copy may have taken
    /// effect; see [`CodePolicy::repeats_after`](crate::network::wire::CodePolicy::repeats_after).
    pub may_answer_repeat: bool,
    /// The offset of the exchange's clock, if the timestamp was refused. By default, the next call is signed with a
    /// corrected timestamp; this one is sent again by a client that [signs again](crate::ClientBuilder::sign_again) only.
    pub skew: Option<Skew>,
    /// The way the query is signed, if the signature was refused and the query had escapes: another reading of them is
    /// a likely cause.
    pub escaped_query: Option<SignedQuery>,
    /// The property of the account that the code contradicts, if the client's account states it.
    pub mismatch: Option<Box<AccountMismatch>>,
    /// The whole response.
    pub raw: Bytes,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
}

impl ExchangeError {
    /// Returns what the code means, by the documents or as it was observed; `None` if nothing is known about it.
    pub fn meaning(&self) -> Option<&'static str> {
        let known = self.known?;
        let text =
            if known.certainty == Certainty::Documented && !known.doc.is_empty() { known.doc } else { known.text };
        (!text.is_empty()).then_some(text)
    }

    /// Returns what to do, unless the text of the error says so.
    pub fn remedy(&self) -> Option<&'static str> {
        let of_credentials = "check key, secret, passphrase and clock with `check_credentials`";
        let of_account = "correct the account of the client, in its file or with `with_account`";
        let of_escapes = "call `check_credentials`, whose query has no escapes: if it succeeds, the exchange reads those of \
                          this query otherwise, so use texts that need none";
        if self.mismatch.is_some() {
            return Some(of_account);
        }
        if self.escaped_query.is_some() {
            return Some(of_escapes);
        }
        self.observed_remedy().or_else(|| self.credential_cause().map(|_| of_credentials))
    }

    /// Returns what to do about an observed code. For a documented one, the text of the error says it.
    fn observed_remedy(&self) -> Option<&'static str> {
        let known = self.known.filter(|known| known.certainty != Certainty::Documented)?;
        (!known.doc.is_empty()).then_some(known.doc)
    }

    /// Notes the escapes in the query of the refused request, if they may be the reason.
    pub(crate) fn note_query(&mut self, authentication: Option<&Authentication>, query: Option<&str>) {
        let is_likely = self.credential_cause() == Some(CredentialCause::Secret) && query.is_some_and(has_escape);
        let signed = authentication.filter(|api| is_likely && api.signs_query());
        self.escaped_query = signed.map(|api| api.signed_query);
    }

    /// Returns the likely reason why the credentials or the signature were refused, if they were.
    pub fn credential_cause(&self) -> Option<CredentialCause> {
        match self.proves? {
            CodeProof::Timestamp => Some(CredentialCause::Clock),
            CodeProof::Credentials => self.known.and_then(|known| known.cause),
            CodeProof::NotDone
            | CodeProof::Unknown
            | CodeProof::NoSuchOrder
            | CodeProof::DuplicateId
            | CodeProof::Rate => None,
        }
    }
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code.as_str() {
            "" => f.write_str("no code")?,
            code => write!(f, "code {code}")?,
        }
        write!(f, ", HTTP status {}", self.status)?;
        match self.message.as_str() {
            "" => f.write_str(", without a body")?,
            message => write!(f, ", {message:?}")?,
        }
        if let Some(known) = self.known {
            match (known.certainty, known.doc) {
                (Certainty::Documented, "") => {}
                (Certainty::Documented, doc) => write!(f, " ({doc})")?,
                (Certainty::Named | Certainty::Several, _) => write!(f, " (observed: {})", known.text)?,
                (Certainty::Single, _) => write!(f, " (observed by one source: {})", known.text)?,
                (Certainty::Conflicting, _) => write!(f, " (observed, sources disagree: {})", known.text)?,
            }
        }
        if let Some(cause) = self.credential_cause() {
            write!(f, "; likely cause: {cause}")?;
        }
        if let Some(signed) = self.escaped_query {
            write!(f, ", or the escapes in the query, which was signed {signed}")?;
        }
        if let Some(mismatch) = &self.mismatch {
            write!(f, "; {mismatch}")?;
        }
        if self.may_answer_repeat && self.outcome == Outcome::Unknown {
            f.write_str("; it came so late that it may answer a repeat of the request")?;
        }
        self.skew.map_or(Ok(()), |skew| write!(f, ": {skew}"))
    }
}

/// Without the raw response, whose code and message are shown.
impl fmt::Debug for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = Shown::new(f, "ExchangeError");
        shown.field("operation", Some(&self.operation));
        shown.field("effect", Some(&self.effect));
        shown.field("outcome", Some(&self.outcome));
        shown.field("call_result", Some(&self.call_result));
        shown.field("code", Some(&self.code.as_str()));
        shown.field("message", Some(&self.message));
        shown.field("status", Some(&self.status));
        shown.field("request_time", part(&self.request_time));
        shown.field("known", part(&self.known));
        shown.field("proves", part(&self.proves));
        shown.field("escaped_query", part(&self.escaped_query));
        shown.field("mismatch", part(&self.mismatch));
        shown.field("retry_after", part(&self.retry_after));
        shown.field("skew", part(&self.skew));
        shown.field("waited", (!self.waited.is_zero()).then_some(&self.waited));
        shown.finish()
    }
}

/// The code of an error, as the exchange wrote it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(String);

impl Code {
    pub(crate) fn new(code: &str) -> Self {
        Self(code.to_owned())
    }

    /// Returns the code's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the code as a value of an enum of codes.
    pub fn typed<E: OpenEnum>(&self) -> E {
        enum_from_wire(&self.0)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A request whose response could not be read.
#[derive(Clone)]
#[non_exhaustive]
pub struct UnreadableAnswer {
    /// The id of the operation.
    pub operation: &'static str,
    /// The effect of the operation; reads have none.
    pub effect: Effect,
    /// The outcome of the request.
    pub outcome: Outcome,
    /// The HTTP status.
    pub status: StatusCode,
    /// The whole response.
    pub raw: Bytes,
    /// The error and its path in the response.
    pub error: ReadError,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
}

impl fmt::Debug for UnreadableAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        let beginning = &self.raw[..self.raw.len().min(SHOWN)];
        f.debug_struct("UnreadableAnswer")
            .field("operation", &self.operation)
            .field("status", &self.status)
            .field("error", &self.error)
            .field("raw_length", &self.raw.len())
            .field("raw_beginning", &String::from_utf8_lossy(beginning))
            .finish()
    }
}
