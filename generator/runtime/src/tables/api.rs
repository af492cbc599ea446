use std::time::Duration;

use super::{AccountTable, KnownError, OutcomeRow};

/// The properties that all operations of an API share.
#[derive(Clone, Copy, Debug)]
pub struct Api {
    /// The name of the API.
    pub name: &'static str,
    /// The envelope of responses; `None` if the HTTP status decides and the whole body is the data.
    pub envelope: Option<Envelope>,
    /// How requests are authenticated; `None` if they never are.
    pub credentials: Option<Authentication>,
    /// Further headers with values that the client sets.
    pub headers: &'static [Header],
    /// The response header with the remaining calls.
    pub remaining_calls: Option<&'static str>,
    /// What a caller can state about an account.
    pub account: AccountTable,
    /// What responses report of the pools of rate limits.
    pub pools: &'static [PoolReporting],
    /// The outcome of a request that changes something, by how its call ends.
    pub outcomes: &'static [OutcomeRow],
    /// Observed codes that no document lists.
    pub observed_codes: &'static [KnownError],
}

/// What responses report of a pool of rate limits.
#[derive(Clone, Copy, Debug)]
pub struct PoolReporting {
    /// The pool.
    pub pool: &'static str,
    /// How many calls it takes in its window.
    pub calls: u32,
    /// How much of it is used, or remains.
    pub count: Count,
    /// When all of it is free, if responses say so.
    pub reset: Option<Reset>,
}

/// What a number means for a pool.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// How much is used.
    Used(ResponseValue),
    /// How much remains.
    Remaining(ResponseValue),
}

/// Where a value stands in a response.
#[derive(Clone, Copy, Debug)]
pub enum ResponseValue {
    /// In this header.
    Header(&'static str),
    /// In its body.
    Body(Path),
}

/// When a pool is free.
#[derive(Clone, Copy, Debug)]
pub struct Reset {
    /// Where it stands.
    pub value: ResponseValue,
    /// Its form.
    pub form: ResetForm,
}

/// How a response states when a pool is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetForm {
    /// In so many seconds.
    InSeconds,
    /// In so many milliseconds.
    InMilliseconds,
    /// At a time in seconds since 1970.
    AtSeconds,
    /// At a time in milliseconds since 1970.
    AtMilliseconds,
}

/// The members of the object around a response.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// The responses that it is around.
    pub around: Around,
    /// Where the code is, which distinguishes success from failure; of several places, the first that has one.
    pub code: &'static [Path],
    /// Where the message for people is.
    pub message: &'static [Path],
    /// The member with the time of the request, in Unix milliseconds.
    pub time: Option<&'static str>,
    /// The member with the data; `None` if the whole body is the data.
    pub data: Option<&'static str>,
    /// The code of success; `None` if only failures have a code.
    pub success: Option<&'static str>,
    /// Other members beside the data.
    pub beside: &'static [&'static str],
}

/// The responses that have an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// All.
    All,
    /// Those with an HTTP status other than success.
    Failures,
}

/// The way to a value within a response. It begins with a member.
pub type Path = &'static [Step];

/// A step on the way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member of an object.
    Member(&'static str),
    /// To the item of an array, counted from 0.
    Item(usize),
}

impl Envelope {
    /// The members that it has on the outside, except for the data.
    pub(crate) fn members(&self) -> impl Iterator<Item = &'static str> {
        let paths = self.code.iter().chain(self.message).filter_map(|path| first_member(path));
        paths.chain(self.time).chain(self.beside.iter().copied())
    }

    /// The member that is the code itself.
    pub fn code_member(&self) -> Option<&'static str> {
        itself(self.code)
    }

    /// The member that is the message itself.
    pub fn message_member(&self) -> Option<&'static str> {
        itself(self.message)
    }
}

/// The member that one of `paths` leads to directly.
fn itself(paths: &[Path]) -> Option<&'static str> {
    paths.iter().find_map(|path| match path {
        [Step::Member(name)] => Some(*name),
        _ => None,
    })
}

/// The member that a path begins with.
pub(crate) fn first_member(path: &[Step]) -> Option<&'static str> {
    match path.first() {
        Some(Step::Member(name)) => Some(name),
        Some(Step::Item(_)) | None => None,
    }
}

/// How requests are authenticated.
#[derive(Clone, Copy, Debug)]
pub struct Authentication {
    /// What a request carries.
    pub carried: &'static [Carried],
    /// How the signature is made; `None` if requests carry none.
    pub signature: Option<Signature>,
    /// How a timestamp is written.
    pub timestamp: TimestampForm,
    /// How a nonce is written.
    pub nonce: NonceForm,
    /// Whether a body is sent, and not only signed and carried.
    pub sends_body: bool,
    /// How far the timestamp may differ from the server's clock, in milliseconds, where the request does not set it.
    pub window_ms: Option<u64>,
    /// The parameter or header with which a request sets that itself, in milliseconds.
    pub window_set_by: Option<&'static str>,
}

impl Authentication {
    /// How far the timestamp of a request may differ from the server's clock; `text_of` returns the value of one of its
    /// parameters.
    pub(crate) fn window(&self, text_of: impl FnOnce(&str) -> Option<String>) -> Option<Duration> {
        let own = self.window_set_by.and_then(text_of);
        // With a value that is not a number, it is not known.
        own.map_or(self.window_ms, |text| text.parse().ok()).map(Duration::from_millis)
    }

    /// The header that consists of `part` alone.
    pub fn header(&self, part: Part) -> Option<&'static str> {
        self.carried.iter().find_map(|carried| match carried.place {
            Place::Header(name) if *carried.parts == [part] => Some(name),
            Place::Header(_) | Place::Parameter(_) | Place::Query(_) => None,
        })
    }

    /// Whether requests carry `part`, by itself or in a token.
    pub(crate) fn carries(&self, part: Part) -> bool {
        let in_token = match self.signature.map(|signature| signature.content) {
            Some(Content::Token(token)) => {
                token.header.iter().chain(token.claims).any(|(_, parts)| parts.iter().any(|own| own.has(part)))
            }
            Some(Content::Text(_)) | None => false,
        };
        in_token || self.carried.iter().flat_map(|carried| carried.parts).any(|own| own.has(part))
    }
}

/// A text with credentials, and where requests carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Where it goes.
    pub place: Place,
    /// What it consists of.
    pub parts: &'static [Part],
}

/// Where a request carries something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the header with this name.
    Header(&'static str),
    /// Before the request's own parameters, in the query or the body.
    Parameter(&'static str),
    /// In the query, after the request's own parameters, whatever the method.
    Query(&'static str),
}

/// How a signature is made.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// What is signed.
    pub content: Content,
    /// The algorithms that the exchange accepts, with the encoding of each. The first one is that of secrets that do not
    /// name another one.
    pub algorithms: &'static [(Algorithm, Encoding)],
    /// How the secret is written, if it is a plain text.
    pub secret: SecretForm,
}

/// What is signed.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// A text of these parts.
    Text(&'static [Part]),
    /// A JSON Web Token, which is itself the signature.
    Token(Token),
}

/// A JSON Web Token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The members of its header, beside `alg` and `typ`.
    pub header: &'static [(&'static str, &'static [Part])],
    /// Its claims.
    pub claims: &'static [(&'static str, &'static [Part])],
    /// How long it is valid, in seconds: adds `nbf` and `exp`.
    pub lasts: Option<u64>,
}

/// A part of a text that is signed or carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A fixed text.
    Text(&'static str),
    /// The key.
    Key,
    /// The passphrase.
    Passphrase,
    /// The time of the request, as [`TimestampForm`] says.
    Timestamp,
    /// A text that no other request of a client has, as [`NonceForm`] says.
    Nonce,
    /// The time until which the request counts, as [`TimestampForm`] says: its time and the window of signatures.
    Expires,
    /// The signature. Only carried texts contain it.
    Signature,
    /// The method, in capitals.
    Method,
    /// The host that the request goes to, with the port if the base address has one.
    Host,
    /// The path as it is sent.
    Path,
    /// A question mark and the query as it is sent; nothing when there is no query.
    Query,
    /// The query as it is sent, without a question mark.
    BareQuery,
    /// The same without escapes: `a:b` where `a%3Ab` is sent.
    DecodedQuery,
    /// The same as [`BareQuery`](Self::BareQuery), with the parameters in the order of their names.
    SortedQuery,
    /// The body; empty without a body.
    Body,
    /// The value of this header as it is sent; empty without one.
    Header(&'static str),
    /// The digest of a text of these parts.
    Digest(Hash, DigestForm, &'static [Part]),
    /// A text of these parts in Base64.
    Base64(&'static [Part]),
    /// The signature of a text of these parts.
    Signed(&'static [Part]),
}

impl Part {
    /// Whether a text with it is not to be shown.
    pub(crate) fn is_secret(&self) -> bool {
        match self {
            Self::Key | Self::Passphrase | Self::Signature | Self::Signed(_) => true,
            Self::Digest(_, _, parts) | Self::Base64(parts) => parts.iter().any(Self::is_secret),
            Self::Text(_)
            | Self::Timestamp
            | Self::Nonce
            | Self::Expires
            | Self::Method
            | Self::Host
            | Self::Path
            | Self::Query
            | Self::BareQuery
            | Self::DecodedQuery
            | Self::SortedQuery
            | Self::Body
            | Self::Header(_) => false,
        }
    }

    /// Whether it is the same in each request of a client.
    pub(crate) fn is_fixed(&self) -> bool {
        match self {
            Self::Text(_) | Self::Key | Self::Passphrase => true,
            Self::Digest(_, _, parts) | Self::Base64(parts) | Self::Signed(parts) => parts.iter().all(Self::is_fixed),
            Self::Signature
            | Self::Timestamp
            | Self::Nonce
            | Self::Expires
            | Self::Method
            | Self::Host
            | Self::Path
            | Self::Query
            | Self::BareQuery
            | Self::DecodedQuery
            | Self::SortedQuery
            | Self::Body
            | Self::Header(_) => false,
        }
    }

    /// Whether it is `part`, or made of it.
    fn has(&self, part: Self) -> bool {
        *self == part
            || match self {
                Self::Digest(_, _, parts) | Self::Base64(parts) | Self::Signed(parts) => {
                    parts.iter().any(|own| own.has(part))
                }
                Self::Signature
                | Self::Text(_)
                | Self::Key
                | Self::Passphrase
                | Self::Timestamp
                | Self::Nonce
                | Self::Expires
                | Self::Method
                | Self::Host
                | Self::Path
                | Self::Query
                | Self::BareQuery
                | Self::DecodedQuery
                | Self::SortedQuery
                | Self::Body
                | Self::Header(_) => false,
            }
    }
}

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// How a digest is part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestForm {
    /// Its bytes as they are.
    Bytes,
    /// Encoded.
    Encoded(Encoding),
}

/// How a timestamp is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimestampForm {
    /// Unix seconds.
    Seconds,
    /// Unix milliseconds.
    Milliseconds,
    /// Unix microseconds.
    Microseconds,
    /// Unix nanoseconds.
    Nanoseconds,
    /// As in ISO 8601, in UTC and to the millisecond: `2020-12-08T09:08:57.715Z`.
    Iso8601,
    /// As in ISO 8601, in UTC, which is not named, and to the second: `2020-12-08T09:08:57`.
    Iso8601Seconds,
}

/// How a nonce is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonceForm {
    /// A number that grows with each request of a client, and is at least the time in milliseconds.
    Number,
    /// A UUID in lower-case letters.
    Uuid,
}

/// An algorithm of signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// HMAC with SHA-256.
    HmacSha256,
    /// HMAC with SHA-384.
    HmacSha384,
    /// HMAC with SHA-512.
    HmacSha512,
    /// Ed25519.
    Ed25519,
    /// RSA as in PKCS #1, version 1.5, with SHA-256.
    RsaSha256,
    /// ECDSA on the curve P-256 with SHA-256, both numbers of a signature with a fixed length.
    EcdsaSha256,
}

impl Algorithm {
    /// Its name, as the schema spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HmacSha256 => "hmac-sha256",
            Self::HmacSha384 => "hmac-sha384",
            Self::HmacSha512 => "hmac-sha512",
            Self::Ed25519 => "ed25519",
            Self::RsaSha256 => "rsa-sha256",
            Self::EcdsaSha256 => "ecdsa-sha256",
        }
    }

    /// Its name in a JSON Web Token.
    pub(crate) const fn in_token(self) -> &'static str {
        match self {
            Self::HmacSha256 => "HS256",
            Self::HmacSha384 => "HS384",
            Self::HmacSha512 => "HS512",
            Self::Ed25519 => "EdDSA",
            Self::RsaSha256 => "RS256",
            Self::EcdsaSha256 => "ES256",
        }
    }
}

/// How a secret is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretForm {
    /// Its text is the secret.
    Text,
    /// Its text is the secret in Base64.
    Base64,
}

/// How bytes become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The standard alphabet, padded.
    Base64,
    /// Two lower-case hexadecimal digits a byte.
    Hex,
}

/// A header with a value that the client sets.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Its name.
    pub name: &'static str,
    /// The requests that it is sent with.
    pub sent: Sent,
    /// What it is for.
    pub doc: &'static str,
}

/// The requests that a header is sent with, if it has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// All requests.
    Always,
    /// Those of the operations that name it.
    ByOperation,
}
