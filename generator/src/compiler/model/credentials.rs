//! The credentials that authenticate calls.

use super::builder::Builder;
use super::elements::{Element, Key, behaviour, list, maybe};
use super::{Duration, Encoding, Hash, NonceForm, Placed, SecretForm, SignedPart, TimestampForm};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Named, Spanned, Text, WordOr, raw};
use crate::compiler::words::{Algorithm, PairOrder, SignedQuery};

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

    /// Returns the words that follow a name; empty for headers, the usual place.
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Header => String::new(),
            Self::Parameters | Self::After | Self::Query => format!(" in {}", self.as_str()),
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
        use SignedPart::{Body, Method, Path, Query, Timestamp};
        let is_plain = |part: &Part| matches!(part.kind, PartKind::Word(Timestamp | Method | Path | Query | Body));
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

    pub(super) fn in_words(&self) -> String {
        let Self { within, name, parts, place: _ } = self;
        format!("{name}{}: {}", within.in_words(), parts_text(parts))
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

    pub(super) fn members(&self) -> String {
        let Self { header, claims, lasts: _ } = self;
        let member = |(name, parts): &(String, Vec<Part>)| format!("{name}: {}", parts_text(parts));
        list(header.iter().map(|one| format!("header {}", member(one))).chain(claims.iter().map(member)))
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

impl Builder<'_> {
    pub(super) fn credentials(&mut self, raw: &Spanned<raw::Credentials>) -> Credentials {
        let mut carried = Vec::new();
        let places = [
            (Within::Header, &raw.headers),
            (Within::Parameters, &raw.parameters),
            (Within::After, &raw.after_parameters),
            (Within::Query, &raw.query),
        ];
        for (within, names) in places {
            carried.extend(self.carried(within, names));
        }
        if let Some(parts) = &raw.authorization {
            let within = Within::Header;
            let name = "Authorization".to_owned();
            carried.push(Carried { within, name, parts: self.parts(parts), place: parts.place });
        }
        let window = self.duration(raw.window.as_deref());
        if let (Some(text), None) = (&raw.window, window) {
            self.to.note_unread(text.place.file, "window");
        }
        Credentials {
            carried,
            signature: self.signature(raw),
            signed_query: raw.signed_query.as_ref().map(|word| (word.value, word.place)),
            timestamp: raw.timestamp_as.as_ref().map_or(TimestampForm::Milliseconds, |form| form.value),
            nonce: raw.nonce_as.as_ref().map_or(NonceForm::Number, |form| form.value),
            keeps_body: raw.sends_body.as_ref().filter(|sends| !sends.value).map(|sends| sends.place),
            window,
            window_set_by: raw.window_set_by.as_ref().map(|name| (name.value.clone(), name.place)),
            place: raw.place,
        }
    }

    fn carried(&mut self, within: Within, names: &Spanned<raw::CredentialNames>) -> Vec<Carried> {
        let all = [
            (SignedPart::Key, &names.key),
            (SignedPart::Passphrase, &names.passphrase),
            (SignedPart::Timestamp, &names.timestamp),
            (SignedPart::Nonce, &names.nonce),
            (SignedPart::Expires, &names.expires),
            (SignedPart::Signature, &names.signature),
        ];
        let what = match within {
            Within::Header => "two headers of the credentials",
            Within::Parameters | Within::After | Within::Query => "two parameters of the credentials",
        };
        let others: Vec<_> = names.others.iter().map(|(name, _)| Some(name.clone())).collect();
        let every: Vec<_> = all.iter().map(|(_, name)| *name).chain(&others).collect();
        self.refuse_twice(&every, Code::BadHeader, what);
        let mut carried: Vec<_> = all
            .into_iter()
            .filter_map(|(word, name)| {
                let place = name.as_ref()?.place;
                let text = self.need(name, word.as_str(), place);
                if within == Within::Header {
                    self.check_header(&text, place);
                }
                Some(Carried { within, name: text, parts: vec![Part { kind: PartKind::Word(word), place }], place })
            })
            .collect();
        for (name, parts) in names.others.iter() {
            if within == Within::Header {
                self.check_header(&name.value, name.place);
            }
            if parts.value.is_empty() {
                self.at(parts.place, Code::BadValue, format!("`{}` has no parts", name.value))
                    .help("write what it consists of, such as `[{ text: \"2\" }]`");
            }
            let parts = self.parts(&parts.value);
            carried.push(Carried { within, name: name.value.clone(), parts, place: name.place });
        }
        carried
    }

    /// Returns what is signed and how; `None` if no key of it is there.
    pub(super) fn signature(&mut self, raw: &Spanned<raw::Credentials>) -> Option<Signature> {
        let is_carried = [&raw.headers, &raw.parameters, &raw.after_parameters, &raw.query]
            .iter()
            .any(|names| names.signature.is_some());
        let has_content = !raw.signed_text.is_empty() || raw.token.is_some();
        if !is_carried && !has_content && raw.algorithm.is_none() {
            return None;
        }
        self.need_keys(&[("signed_text", has_content), ("algorithm", raw.algorithm.is_some())], raw.place);
        if let (Some(token), Some(first)) = (&raw.token, raw.signed_text.first()) {
            self.at(token.place, Code::Misplaced, "`token` and `signed_text` exclude each other")
                .related(first.place, "the signed text")
                .help("remove one of them");
        }
        if let (Some(token), Some(encoding)) = (&raw.token, &raw.encoding) {
            self.at(encoding.place, Code::Misplaced, "`encoding` and `token` exclude each other")
                .related(token.place, "a token is always written in the same way")
                .help("remove it");
        }
        let encoding = raw.encoding.as_ref().map_or(Encoding::Base64, |encoding| encoding.value);
        let mut algorithms: Vec<_> = raw.algorithm.iter().map(|first| (first.value, encoding)).collect();
        for (name, encoding) in raw.also.iter() {
            algorithms.extend(self.algorithm(name, &algorithms).map(|algorithm| (algorithm, encoding.value)));
        }
        let content = match &raw.token {
            Some(token) => Content::Token(Token {
                header: self.members(&token.header),
                claims: self.members(&token.claims),
                lasts: self.duration(token.lasts.as_deref()),
            }),
            None => Content::Text(self.parts(&raw.signed_text)),
        };
        let secret = raw.secret.as_ref().map_or(SecretForm::Text, |form| form.value);
        Some(Signature { content, algorithms, secret })
    }

    fn algorithm(&mut self, name: &Text, known: &[(Algorithm, Encoding)]) -> Option<Algorithm> {
        let Some(algorithm) = Algorithm::parse(&name.value) else {
            let words = Algorithm::WORDS.join(", ");
            self.at(name.place, Code::UndefinedName, format!("unknown algorithm `{}`", name.value))
                .help(format!("write one of: {words}"));
            return None;
        };
        if known.iter().any(|(other, _)| *other == algorithm) {
            self.at(name.place, Code::DefinedTwice, format!("duplicate algorithm `{}`", name.value))
                .help("remove one of them");
        }
        Some(algorithm)
    }

    pub(super) fn members(&mut self, raw: &Named<Vec<Spanned<raw::SignedText>>>) -> Vec<(String, Vec<Part>)> {
        raw.iter().map(|(name, parts)| (name.value.clone(), self.parts(parts))).collect()
    }

    pub(super) fn parts(&mut self, raw: &Parts) -> Vec<Part> {
        raw.iter().filter_map(|part| self.part(part)).collect()
    }

    pub(super) fn part(&mut self, raw: &Spanned<raw::SignedText>) -> Option<Part> {
        let kind = match &raw.value {
            WordOr::Word(word) => PartKind::Word(*word),
            WordOr::Mapping(mapping) => self.mapped_part(mapping, raw.place)?,
        };
        Some(Part { kind, place: raw.place })
    }

    fn mapped_part(&mut self, raw: &raw::SignedMapping, place: Place) -> Option<PartKind> {
        let encoding = raw.r#as.as_ref().map(|encoding| encoding.value);
        let digests = [
            (Hash::Sha256, &raw.sha256),
            (Hash::Sha384, &raw.sha384),
            (Hash::Sha512, &raw.sha512),
            (Hash::Md5, &raw.md5),
        ];
        let mut kinds = Vec::new();
        kinds.extend(raw.text.as_ref().map(|text| PartKind::Text(text.value.clone())));
        kinds.extend(raw.header.as_ref().map(|name| PartKind::Header(name.value.clone())));
        for (hash, parts) in digests {
            kinds.extend(parts.as_ref().map(|parts| PartKind::Digest(hash, encoding, self.parts(parts))));
        }
        kinds.extend(raw.base64.as_ref().map(|parts| PartKind::Base64(self.parts(parts))));
        kinds.extend(raw.signed.as_ref().map(|parts| PartKind::Signed(self.parts(parts))));
        kinds.extend(raw.pairs.as_ref().map(|order| PartKind::Pairs(pairs(raw, order.value))));
        if raw.when.is_some() || raw.then.is_some() {
            kinds.push(PartKind::When(self.either(raw, place)));
        }
        let [_] = kinds.as_slice() else {
            self.at(
                    place,
                    Code::BadValue,
                    "a part of a text needs one of `text`, `header`, `sha256`, `sha384`, `sha512`, `md5`, `base64`, `signed`, \
                     `pairs`, `when`",
                )
                .help("write a word such as `timestamp`, or a mapping with one of these keys");
            return None;
        };
        let kind = kinds.pop()?;
        if let (Some(encoding), false) = (&raw.r#as, matches!(kind, PartKind::Digest(..))) {
            self.at(encoding.place, Code::Misplaced, "`as` without a digest")
                .help("remove it; only a digest is encoded");
        }
        for (name, text) in [("equals", &raw.equals), ("between", &raw.between)] {
            if let (Some(text), false) = (text, matches!(kind, PartKind::Pairs(_))) {
                self.at(text.place, Code::Misplaced, format!("`{name}` without `pairs`")).help("remove it");
            }
        }
        if let (Some(first), false) =
            (raw.otherwise.as_ref().and_then(|parts| parts.first()), matches!(kind, PartKind::When(_)))
        {
            self.at(first.place, Code::Misplaced, "`otherwise` without `when`").help("remove it");
        }
        Some(kind)
    }

    pub(super) fn either(&mut self, raw: &raw::SignedMapping, place: Place) -> Either {
        let has = |parts: &Option<Vec<_>>| parts.as_ref().is_some_and(|parts| !parts.is_empty());
        self.need_keys(&[("when", has(&raw.when)), ("then", has(&raw.then))], place);
        let mut parts = |parts: &Option<Vec<Spanned<raw::SignedText>>>| {
            parts.as_ref().map(|parts| self.parts(parts)).unwrap_or_default()
        };
        Either { when: parts(&raw.when), then: parts(&raw.then), otherwise: parts(&raw.otherwise) }
    }
}

type Parts = [Spanned<raw::SignedText>];

fn pairs(raw: &raw::SignedMapping, order: PairOrder) -> Pairs {
    let text = |text: &Option<Spanned<String>>, usual: &str| {
        text.as_ref().map_or_else(|| usual.to_owned(), |text| text.value.clone())
    };
    Pairs { order, equals: text(&raw.equals, "="), between: text(&raw.between, "&") }
}

impl Credentials {
    pub(super) fn element(&self) -> Element {
        let Self { carried, signature, signed_query: _, timestamp, nonce, keeps_body, window, window_set_by, place } =
            self;
        let key = |name, value: Option<String>| Key::new(name, maybe(value), behaviour("how calls are signed"));
        let signed_query = self.signs_query().then(|| self.signed_query().as_str().to_owned());
        let nonce_as = (*nonce != NonceForm::Number).then(|| nonce.as_str().to_owned());
        Element::new("credentials", "api", ["credentials", "credentials"], *place)
            .when(behaviour("calls are signed"), behaviour("calls are no longer signed"))
            .keys([
                key("key", self.sent(SignedPart::Key)),
                key("signature", self.sent(SignedPart::Signature)),
                key("passphrase", self.sent(SignedPart::Passphrase)),
                key("timestamp", self.sent(SignedPart::Timestamp)),
                key("nonce", self.sent(SignedPart::Nonce)),
                key("expires", self.sent(SignedPart::Expires)),
                key("others", Some(list(self.others().map(Carried::in_words)))),
                key("authorization", self.authorization().map(|carried| parts_text(&carried.parts))),
            ])
            .keys(of_signature(signature.as_ref()).map(|(name, value)| key(name, value)))
            .keys([
                key("signed_query", signed_query),
                key("timestamp_as", Some(timestamp.as_str().to_owned())),
                key("nonce_as", nonce_as),
                key("sends_body", keeps_body.map(|_| "false".to_owned())),
                key("window", window.map(|window| window.to_string()))
                    .same_as(maybe(window.map(|window| window.length()))),
                key("window_set_by", window_set_by.as_ref().map(|(name, _)| name.clone())),
                key("order", Some(order(carried))),
            ])
    }

    /// Returns where a word is sent by itself.
    pub(super) fn sent(&self, word: SignedPart) -> Option<String> {
        let Carried { within, name, parts: _, place: _ } = self.of(word)?;
        Some(format!("{name}{}", within.in_words()))
    }
}

/// Returns the order of those that travel among parameters, by which a signed query or body differs; headers have none.
fn order(carried: &[Carried]) -> String {
    list(carried.iter().filter(|one| one.within != Within::Header).map(|one| one.name.as_str()))
}

/// Returns what is signed, and how. Without a signature, the keys have no values.
fn of_signature(signature: Option<&Signature>) -> [(&'static str, Option<String>); 7] {
    let (content, algorithms, secret) = match signature {
        Some(Signature { content, algorithms, secret }) => (Some(content), algorithms.as_slice(), Some(secret)),
        None => (None, [].as_slice(), None),
    };
    let (text, token) = match content {
        Some(Content::Text(parts)) => (Some(parts), None),
        Some(Content::Token(token)) => (None, Some(token)),
        None => (None, None),
    };
    let first = algorithms.first();
    let others = algorithms.iter().skip(1).map(|(one, encoding)| format!("{}: {}", one.as_str(), encoding.as_str()));
    [
        ("signed_text", text.map(|parts| parts_text(parts))),
        ("token", token.map(Token::members)),
        ("lasts", token.and_then(|token| token.lasts).map(|lasts| lasts.to_string())),
        ("algorithm", first.map(|(algorithm, _)| algorithm.as_str().to_owned())),
        ("encoding", first.map(|(_, encoding)| encoding.as_str().to_owned())),
        ("also", Some(list(others))),
        ("secret", secret.map(|secret| secret.as_str().to_owned())),
    ]
}
