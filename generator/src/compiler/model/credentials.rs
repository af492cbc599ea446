//! The credentials that authenticate calls.

use crate::compiler::diagnostics::Place;
use crate::compiler::words::{
    Algorithm, Encoding, Hash, NonceForm, PairOrder, SecretForm, SignedPart, SignedQuery, TimestampForm,
};

use super::{Duration, Placed};

/// The credentials that authenticate calls.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    pub(crate) carried: Vec<Carried>,
    pub(crate) signature: Option<Signature>,
    /// Which text of a query is signed, if the schema says so.
    pub(crate) signed_query: Option<(SignedQuery, Place)>,
    pub(crate) timestamp: TimestampForm,
    pub(crate) nonce: NonceForm,
    /// The key that keeps bodies from being sent, if the schema has it.
    pub(crate) keeps_body: Option<Place>,
    pub(crate) window: Option<Duration>,
    /// The parameter or header with which a request sets the window itself.
    pub(crate) window_set_by: Option<Placed>,
    pub(crate) place: Place,
}

/// A text with credentials that a request carries.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    pub(crate) within: Within,
    pub(crate) name: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) place: Place,
}

/// Where a request carries something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    Header,
    /// Before the request's own parameters, in the query or the body.
    Parameters,
    /// After the request's own parameters, in the query or the body.
    After,
    /// In the query, after the request's own parameters.
    Query,
}

/// The way a signature is made.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) content: Content,
    /// The first is that of plain secrets.
    pub(crate) algorithms: Vec<(Algorithm, Encoding)>,
    pub(crate) secret: SecretForm,
}

/// The content that is signed.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Text(Vec<Part>),
    Token(Token),
}

/// A JSON Web Token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) header: Vec<(String, Vec<Part>)>,
    pub(crate) claims: Vec<(String, Vec<Part>)>,
    pub(crate) lasts: Option<Duration>,
}

/// A part of a text that is signed or carried.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) kind: PartKind,
    pub(crate) place: Place,
}

/// The kind of a part.
#[derive(Clone, Debug)]
pub(crate) enum PartKind {
    Word(SignedPart),
    Text(String),
    Header(String),
    /// A digest; raw bytes if there is no encoding.
    Digest(Hash, Option<Encoding>, Vec<Part>),
    Base64(Vec<Part>),
    Signed(Vec<Part>),
    Pairs(Pairs),
    When(Either),
}

/// The names and values of the parameters of a request.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    pub(crate) order: PairOrder,
    pub(crate) equals: String,
    pub(crate) between: String,
}

/// Parts that depend on whether the text of other parts is empty.
#[derive(Clone, Debug)]
pub(crate) struct Either {
    pub(crate) when: Vec<Part>,
    pub(crate) then: Vec<Part>,
    pub(crate) otherwise: Vec<Part>,
}

impl Within {
    /// Returns the key of the schema for this position.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Header => "headers",
            Self::Parameters => "parameters",
            Self::After => "after_parameters",
            Self::Query => "query",
        }
    }
}

impl Credentials {
    /// Returns how signatures with plain secrets are written.
    pub(crate) fn encoding(&self) -> Option<&'static str> {
        self.signature.as_ref()?.first().map(|(_, encoding)| encoding.as_str())
    }

    /// Returns which text of a query is signed.
    pub(crate) fn signed_query(&self) -> SignedQuery {
        self.signed_query.map_or(SignedQuery::Sent, |(word, _)| word)
    }

    /// Returns whether a query is signed.
    pub(crate) fn signs_query(&self) -> bool {
        let parts = self.signature.as_ref().map(Signature::parts).unwrap_or_default();
        let words = [SignedPart::Query, SignedPart::BareQuery, SignedPart::SortedQuery];
        parts.into_iter().any(|part| words.into_iter().any(|word| part.has(word)))
    }

    /// Returns whether signatures are HMAC-SHA256 of plain words, all sent in headers, with a time in milliseconds.
    pub(crate) fn is_plain(&self) -> bool {
        let Some(Signature { content: Content::Text(parts), algorithms, secret: SecretForm::Text }) = &self.signature
        else {
            return false;
        };
        let is_plain = |part: &Part| match part.kind {
            PartKind::Word(word) => match word {
                SignedPart::Timestamp
                | SignedPart::Method
                | SignedPart::Path
                | SignedPart::Query
                | SignedPart::Body => true,
                SignedPart::BareQuery
                | SignedPart::SortedQuery
                | SignedPart::Host
                | SignedPart::Key
                | SignedPart::Passphrase
                | SignedPart::Nonce
                | SignedPart::Expires
                | SignedPart::Signature
                | SignedPart::Call
                | SignedPart::CallId => false,
            },
            PartKind::Text(_)
            | PartKind::Header(_)
            | PartKind::Digest(..)
            | PartKind::Base64(_)
            | PartKind::Signed(_)
            | PartKind::Pairs(_)
            | PartKind::When(_) => false,
        };
        parts.iter().all(is_plain)
            && self.signed_query() != SignedQuery::Escaped
            && matches!(algorithms.first(), Some((Algorithm::HmacSha256, _)))
            && self.timestamp == TimestampForm::Milliseconds
            && self.carried.iter().all(|carried| carried.within == Within::Header && carried.word().is_some())
    }

    /// Returns the text that consists of this word alone.
    pub(crate) fn of(&self, word: SignedPart) -> Option<&Carried> {
        self.carried.iter().find(|carried| carried.word() == Some(word))
    }

    /// Returns the header that consists of this word alone.
    pub(crate) fn header(&self, word: SignedPart) -> Option<&String> {
        self.of(word).filter(|carried| carried.within == Within::Header).map(|carried| &carried.name)
    }

    /// Returns the header `Authorization`, unless it is a single word.
    pub(crate) fn authorization(&self) -> Option<&Carried> {
        self.headers().find(|carried| carried.is_authorization())
    }

    /// Returns the texts that are sent in addition to single words and the header `Authorization`.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Carried> {
        let is_other = |carried: &&Carried| carried.word().is_none_or(|word| word == SignedPart::Path);
        self.carried.iter().filter(is_other).filter(|carried| !carried.is_authorization())
    }

    /// Returns the texts that are sent in headers.
    pub(crate) fn headers(&self) -> impl Iterator<Item = &Carried> {
        self.carried.iter().filter(|carried| carried.within == Within::Header)
    }

    /// Returns the texts that are sent before or after the parameters of a request.
    pub(crate) fn beside_parameters(&self) -> impl Iterator<Item = &Carried> {
        self.carried.iter().filter(|carried| carried.within != Within::Header)
    }

    /// Returns all parts of the texts that are signed or carried.
    pub(crate) fn all_parts(&self) -> Vec<&Part> {
        let signed = self.signature.as_ref().map(Signature::parts).unwrap_or_default();
        signed.into_iter().chain(self.carried.iter().flat_map(|carried| &carried.parts)).collect()
    }

    /// Returns whether requests carry `word`: alone, with other parts, or in a token.
    pub(crate) fn carries(&self, word: SignedPart) -> bool {
        let in_token = match self.signature.as_ref().map(|signature| &signature.content) {
            Some(Content::Token(token)) => token.parts().any(|part| part.has(word)),
            Some(Content::Text(_)) | None => false,
        };
        in_token || self.carried.iter().flat_map(|carried| &carried.parts).any(|part| part.has(word))
    }
}

impl Carried {
    fn is_authorization(&self) -> bool {
        self.within == Within::Header && self.word().is_none() && self.name.eq_ignore_ascii_case("authorization")
    }

    /// Returns the word, if it consists of a single one.
    pub(crate) fn word(&self) -> Option<SignedPart> {
        match self.parts.as_slice() {
            [Part { kind: PartKind::Word(word), .. }] => Some(*word),
            _ => None,
        }
    }
}

impl Signature {
    /// Returns the algorithm for plain secrets, and how its signatures are written.
    pub(crate) fn first(&self) -> Option<(Algorithm, Encoding)> {
        self.algorithms.first().copied()
    }

    /// Returns all parts of the signed text.
    pub(crate) fn parts(&self) -> Vec<&Part> {
        match &self.content {
            Content::Text(parts) => parts.iter().collect(),
            Content::Token(token) => token.parts().collect(),
        }
    }
}

impl Token {
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.header.iter().chain(&self.claims).flat_map(|(_, parts)| parts)
    }
}

impl Part {
    /// Returns whether it is `word` or contains it.
    pub(crate) fn has(&self, word: SignedPart) -> bool {
        self.all().iter().any(|part| matches!(part.kind, PartKind::Word(own) if own == word))
    }

    /// Returns the part and all parts within it.
    pub(crate) fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        all.extend(self.within().into_iter().flat_map(Self::all));
        all
    }

    /// Returns the parts that it directly consists of.
    pub(crate) fn within(&self) -> Vec<&Self> {
        self.lists().into_iter().flatten().collect()
    }

    /// Returns the texts that it directly consists of, each as its parts.
    pub(crate) fn lists(&self) -> Vec<&[Self]> {
        match &self.kind {
            PartKind::Digest(_, _, parts) | PartKind::Base64(parts) | PartKind::Signed(parts) => vec![parts],
            PartKind::When(Either { when, then, otherwise }) => vec![when, then, otherwise],
            PartKind::Word(_) | PartKind::Text(_) | PartKind::Header(_) | PartKind::Pairs(_) => Vec::new(),
        }
    }
}

/// Parts in a readable form: `key`, `"Bearer "`, `sha256(nonce, body)`.
impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, place: _ } = self;
        match kind {
            PartKind::Word(word) => f.write_str(word.as_str()),
            PartKind::Text(text) => write!(f, "{text:?}"),
            PartKind::Header(name) => write!(f, "header {name}"),
            PartKind::Base64(parts) => write!(f, "base64({})", parts_text(parts)),
            PartKind::Signed(parts) => write!(f, "signed({})", parts_text(parts)),
            PartKind::Pairs(Pairs { order, equals, between }) => {
                let order = order.as_str();
                write!(f, "parameters as {order}, each as {:?}, joined by {between:?}", format!("name{equals}value"))
            }
            PartKind::When(Either { when, then, otherwise }) => {
                write!(f, "when there is {}: ({})", parts_text(when), parts_text(then))?;
                if otherwise.is_empty() { Ok(()) } else { write!(f, ", otherwise ({})", parts_text(otherwise)) }
            }
            PartKind::Digest(hash, encoding, parts) => {
                write!(f, "{}({})", hash.as_str(), parts_text(parts))?;
                encoding.map_or(Ok(()), |encoding| write!(f, " in {}", encoding.as_str()))
            }
        }
    }
}

/// Returns parts in their order, with commas between them.
pub(crate) fn parts_text(parts: &[Part]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
