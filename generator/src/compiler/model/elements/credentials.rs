//! The element of the credentials.

use super::{Element, Key, behaviour, list, maybe};
use crate::compiler::model::{
    Carried, Content, Credentials, NonceForm, Part, Signature, SignedPart, Token, Within, parts_text,
};

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
    fn sent(&self, word: SignedPart) -> Option<String> {
        let Carried { within, name, parts: _, place: _ } = self.of(word)?;
        Some(format!("{name}{}", within.in_words()))
    }
}

/// Returns the order of those that travel among parameters, by which a signed query or body differs; headers have none.
fn order(carried: &[Carried]) -> String {
    list(carried.iter().filter(|one| one.within != Within::Header).map(|one| one.name.as_str()))
}

impl Carried {
    fn in_words(&self) -> String {
        let Self { within, name, parts, place: _ } = self;
        format!("{name}{}: {}", within.in_words(), parts_text(parts))
    }
}

impl Within {
    /// To follow a name; empty for headers, the usual place.
    fn in_words(self) -> String {
        match self {
            Self::Header => String::new(),
            Self::Parameters | Self::After | Self::Query => format!(" in {}", self.as_str()),
        }
    }
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

impl Token {
    fn members(&self) -> String {
        let Self { header, claims, lasts: _ } = self;
        let member = |(name, parts): &(String, Vec<Part>)| format!("{name}: {}", parts_text(parts));
        list(header.iter().map(|one| format!("header {}", member(one))).chain(claims.iter().map(member)))
    }
}
