//! Credentials in the words of the schema language, as one value that a schema can take over.

use serde_json::{Value, json};

use super::object::Object;
use crate::compiler::model::{
    Carried, Content, Credentials, Either, Pairs, Part, PartKind, Signature, SignedPart, Token, Within,
};
use crate::compiler::words::{NonceForm, PairOrder, SecretForm, TimestampForm};

/// The key `credentials` of a schema.
pub(super) fn of(credentials: &Credentials) -> Value {
    let Credentials {
        carried: all,
        signature,
        signed_query,
        timestamp,
        nonce,
        keeps_body,
        window,
        window_set_by,
        place: _,
    } = credentials;
    let places = [Within::Header, Within::Parameters, Within::After, Within::Query];
    let carried = places.into_iter().fold(Object::new(), |to, place| {
        let here: Vec<_> = all.iter().filter(|one| one.within == place).collect();
        to.maybe(place.as_str(), names(credentials, &here))
    });
    carried
        .maybe("authorization", credentials.authorization().map(|one| parts(&one.parts)))
        .and(signature.as_ref().map(self::signature).unwrap_or_default())
        .maybe("signed_query", signed_query.map(|(word, _)| word.as_str()))
        .maybe("timestamp_as", (*timestamp != TimestampForm::Milliseconds).then(|| timestamp.as_str()))
        .maybe("nonce_as", (*nonce != NonceForm::Number).then(|| nonce.as_str()))
        .maybe("sends_body", keeps_body.map(|_| false))
        .maybe("window", window.map(|window| window.to_string()))
        .maybe("window_set_by", window_set_by.as_ref().map(|(name, _)| name.as_str()))
        .into_value()
}

/// The names of what is carried at one place; `Authorization` has a key of its own.
fn names(credentials: &Credentials, carried: &[&Carried]) -> Option<Value> {
    let authorization = credentials.authorization().map(|one| one.name.as_str());
    let (words, others): (Vec<&Carried>, Vec<&Carried>) = carried
        .iter()
        .copied()
        .filter(|one| Some(one.name.as_str()) != authorization || one.within != Within::Header)
        .partition(|one| one.word().is_some_and(|word| word != SignedPart::Path));
    let words = words.into_iter().filter_map(|one| Some((one.word()?, one.name.as_str())));
    let words = words.fold(Object::new(), |to, (word, name)| to.with(word.as_str(), name));
    let named = words.map("others", others.into_iter().map(|one| (one.name.clone(), parts(&one.parts))));
    (!named.is_empty()).then(|| named.into_value())
}

fn signature(signature: &Signature) -> Object {
    let Signature { content, algorithms, secret } = signature;
    let is_token = matches!(content, Content::Token(_));
    let content = match content {
        Content::Text(text) => Object::new().with("signed_text", parts(text)),
        Content::Token(Token { header, claims, lasts }) => {
            let token = Object::new().map("header", members(header)).map("claims", members(claims));
            Object::new().with("token", token.maybe("lasts", lasts.map(|lasts| lasts.to_string())))
        }
    };
    let also = algorithms
        .iter()
        .skip(1)
        .map(|(algorithm, encoding)| (algorithm.as_str().to_owned(), Value::from(encoding.as_str())));
    content
        .maybe("algorithm", signature.first().map(|(algorithm, _)| algorithm.as_str()))
        .maybe("encoding", signature.first().filter(|_| !is_token).map(|(_, encoding)| encoding.as_str()))
        .map("also", also)
        .maybe("secret", Some(*secret).filter(|form| *form != SecretForm::Text).map(SecretForm::as_str))
}

fn members(members: &[(String, Vec<Part>)]) -> impl Iterator<Item = (String, Value)> {
    members.iter().map(|(name, own)| (name.clone(), parts(own)))
}

fn parts(parts: &[Part]) -> Value {
    parts.iter().map(part).collect()
}

fn part(part: &Part) -> Value {
    let Part { kind, place: _ } = part;
    match kind {
        PartKind::Word(word) => word.as_str().into(),
        PartKind::Text(text) => json!({"text": text}),
        PartKind::Header(name) => json!({"header": name}),
        PartKind::Base64(inner) => json!({"base64": parts(inner)}),
        PartKind::Signed(inner) => json!({"signed": parts(inner)}),
        PartKind::Pairs(Pairs { order, equals, between }) => Object::new()
            .with("pairs", PairOrder::as_str(*order))
            .with("equals", equals.as_str())
            .with("between", between.as_str())
            .into_value(),
        PartKind::When(Either { when, then, otherwise }) => Object::new()
            .with("when", parts(when))
            .with("then", parts(then))
            .maybe("otherwise", (!otherwise.is_empty()).then(|| parts(otherwise)))
            .into_value(),
        PartKind::Digest(hash, encoding, inner) => Object::new()
            .with(hash.as_str(), parts(inner))
            .maybe("as", encoding.map(|encoding| encoding.as_str()))
            .into_value(),
    }
}
