//! The way requests are authenticated.

use std::time::Duration;

#[doc(inline)]
pub use tradeapi_words::{Algorithm, Encoding, Hash, NonceForm, SecretForm, SignedQuery, TimestampForm};

/// [`Hash::Md5`], as tables name it: without the feature `md5`, a schema with digests by MD5 does not compile.
#[cfg(feature = "md5")]
pub const MD5: Hash = Hash::Md5;

/// The way requests are authenticated.
#[derive(Clone, Copy, Debug)]
pub struct Authentication {
    /// The parts that a request carries.
    pub carried: &'static [Carried],
    /// The way the signature is made; `None` if requests carry none.
    pub signature: Option<Signature>,
    /// Which text of a query is signed.
    pub signed_query: SignedQuery,
    /// The form of the timestamp.
    pub timestamp: TimestampForm,
    /// The form of the nonce.
    pub nonce: NonceForm,
    /// True if a body is sent, and not only signed and carried.
    pub sends_body: bool,
    /// The greatest distance of the timestamp from the server's clock, in milliseconds, where the request does not set
    /// it.
    pub window_ms: Option<u64>,
    /// The parameter or header with which a request sets that itself, in milliseconds.
    pub window_set_by: Option<&'static str>,
}

impl Authentication {
    /// Returns how far the timestamp of a request may differ from the server's clock; `text_of` returns the value of
    /// one of its parameters.
    pub(crate) fn window<T: AsRef<str>>(&self, text_of: impl FnOnce(&str) -> Option<T>) -> Option<Duration> {
        let own = self.window_set_by.and_then(text_of);
        // If the value is not a number, the window is not known.
        own.map_or(self.window_ms, |text| text.as_ref().parse().ok()).map(Duration::from_millis)
    }

    /// Returns the header that consists of `part` alone.
    pub fn header(&self, part: Part) -> Option<&'static str> {
        self.carried.iter().find_map(|carried| match carried.place {
            Place::Header(name) if *carried.parts == [part] => Some(name),
            Place::Header(_) | Place::Parameter(_) | Place::After(_) | Place::Query(_) => None,
        })
    }

    /// Returns whether the query of a request is part of what is signed.
    pub(crate) fn signs_query(&self) -> bool {
        let Some(signature) = self.signature else { return false };
        [Part::Query, Part::BareQuery, Part::SortedQuery].into_iter().any(|part| signature.content.has(part))
    }

    /// Returns whether requests carry `part`, by itself or in a token.
    pub(crate) fn carries(&self, part: Part) -> bool {
        let in_token = match self.signature.map(|signature| signature.content) {
            Some(token @ Content::Token(_)) => token.has(part),
            Some(Content::Text(_)) | None => false,
        };
        in_token || self.carried.iter().any(|carried| Part::among(carried.parts, part))
    }
}

/// A text with credentials, and where requests carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Where it goes.
    pub place: Place,
    /// The parts of the header.
    pub parts: &'static [Part],
}

/// Where a request carries something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the header with this name.
    Header(&'static str),
    /// Before the request's own parameters, in the query or the body.
    Parameter(&'static str),
    /// After the request's own parameters, in the query or the body.
    After(&'static str),
    /// In the query, after the request's own parameters, whatever the method.
    Query(&'static str),
}

/// The way a signature is made.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The content that is signed.
    pub content: Content,
    /// The algorithms that the exchange accepts, with the encoding of each. The first one is that of secrets that do
    /// not name another one.
    pub algorithms: &'static [(Algorithm, Encoding)],
    /// The form of the secret, if it is a plain text.
    pub secret: SecretForm,
}

/// The content that is signed.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// A text of these parts.
    Text(&'static [Part]),
    /// A JSON Web Token, which is itself the signature.
    Token(Token),
}

impl Content {
    /// Returns whether it contains `part`, or something that is made of it.
    fn has(&self, part: Part) -> bool {
        match self {
            Self::Text(parts) => Part::among(parts, part),
            Self::Token(Token { header, claims, .. }) => {
                header.iter().chain(*claims).any(|(_, parts)| Part::among(parts, part))
            }
        }
    }
}

/// A JSON Web Token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The members of its header, besides `alg` and `typ`.
    pub header: &'static [(&'static str, &'static [Part])],
    /// The claims.
    pub claims: &'static [(&'static str, &'static [Part])],
    /// The time for which a token is valid, in seconds: adds `nbf` and `exp`.
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
    /// The time when the request expires, as [`TimestampForm`] says: its time and the window of signatures.
    Expires,
    /// The signature. Only carried texts contain it.
    Signature,
    /// The method, in capitals.
    Method,
    /// The host that the request goes to, with the port if the base address has one.
    Host,
    /// The path, as sent.
    Path,
    /// A question mark and the query, as [`SignedQuery`] says; empty without a query.
    Query,
    /// The same without a question mark.
    BareQuery,
    /// The same as [`BareQuery`](Self::BareQuery), with the parameters in the order of their names.
    SortedQuery,
    /// The body; empty without a body.
    Body,
    /// The names and values of the parameters.
    Pairs(Pairs),
    /// The name of the call, if the operation makes one.
    Call,
    /// The number of the request, if calls have numbers.
    CallId,
    /// The value of this header, as sent; empty without one.
    Header(&'static str),
    /// The digest of a text of these parts.
    Digest(Hash, DigestForm, &'static [Part]),
    /// A text of these parts in Base64.
    Base64(&'static [Part]),
    /// The signature of a text of these parts.
    Signed(&'static [Part]),
    /// Other parts, which depend on the request.
    When(&'static Either),
}

/// The names and values of the parameters that a request has in its body or, without a body, in its query; for a call,
/// its own parameters. They have no escapes, and texts have no quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// True if they are in the order of their names.
    pub sorted: bool,
    /// The text between a name and its value.
    pub equals: &'static str,
    /// The text between two of them.
    pub between: &'static str,
}

/// Parts that depend on the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Either {
    /// The text that decides.
    pub when: &'static [Part],
    /// The parts if that is not empty.
    pub then: &'static [Part],
    /// The parts if it is.
    pub otherwise: &'static [Part],
}

impl Part {
    /// Returns whether a text that contains it must not be shown.
    pub(crate) fn is_secret(&self) -> bool {
        match self {
            Self::Key | Self::Passphrase | Self::Signature | Self::Signed(_) => true,
            Self::Digest(_, _, parts) | Self::Base64(parts) => parts.iter().any(Self::is_secret),
            Self::When(either) => either.then.iter().chain(either.otherwise).any(Self::is_secret),
            Self::Text(_)
            | Self::Timestamp
            | Self::Nonce
            | Self::Expires
            | Self::Method
            | Self::Host
            | Self::Path
            | Self::Query
            | Self::BareQuery
            | Self::SortedQuery
            | Self::Body
            | Self::Pairs(_)
            | Self::Call
            | Self::CallId
            | Self::Header(_) => false,
        }
    }

    /// Returns whether it is the same in each request of a client.
    pub(crate) fn is_fixed(&self) -> bool {
        match self {
            Self::Text(_) | Self::Key | Self::Passphrase => true,
            Self::Digest(_, _, parts) | Self::Base64(parts) | Self::Signed(parts) => parts.iter().all(Self::is_fixed),
            Self::When(_) => false,
            Self::Signature
            | Self::Timestamp
            | Self::Nonce
            | Self::Expires
            | Self::Method
            | Self::Host
            | Self::Path
            | Self::Query
            | Self::BareQuery
            | Self::SortedQuery
            | Self::Body
            | Self::Pairs(_)
            | Self::Call
            | Self::CallId
            | Self::Header(_) => false,
        }
    }

    /// Returns whether one of `parts` is `part`, or is made of it.
    fn among(parts: &[Self], part: Self) -> bool {
        parts.iter().any(|own| own.has(part))
    }

    /// Returns whether it is `part`, or is made from it.
    fn has(&self, part: Self) -> bool {
        *self == part
            || match self {
                Self::Digest(_, _, parts) | Self::Base64(parts) | Self::Signed(parts) => Self::among(parts, part),
                Self::When(either) => {
                    [either.when, either.then, either.otherwise].iter().any(|parts| Self::among(parts, part))
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
                | Self::SortedQuery
                | Self::Body
                | Self::Pairs(_)
                | Self::Call
                | Self::CallId
                | Self::Header(_) => false,
            }
    }
}

/// The form of a digest within a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestForm {
    /// The bytes as they are.
    Bytes,
    /// Encoded.
    Encoded(Encoding),
}
