//! Credentials: security schemes, and what is signed, as one value in the words of the schema language.

use super::Object;
use crate::compiler::model::{
    Access, Api, Carried, Content, Credentials, Either, Operation, Pairs, Part, PartKind, Signature, SignedPart, Token,
    Within,
};
use crate::compiler::words::{NonceForm, PairOrder, SecretForm, TimestampForm};
use serde_json::{Value, json};

/// Returns each credential with a name for its security scheme.
fn all(credentials: &Credentials) -> impl Iterator<Item = (&str, &Carried)> {
    let word = |carried: &Carried| carried.word().filter(|word| *word != SignedPart::Path);
    let words = credentials.carried.iter().filter_map(move |carried| Some((word(carried)?.as_str(), carried)));
    let authorization = credentials.authorization().map(|carried| ("authorization", carried));
    words.chain(authorization).chain(credentials.others().map(|carried| (carried.name.as_str(), carried)))
}

/// Returns the security schemes, one for each credential.
pub(super) fn schemes(credentials: &Credentials) -> Vec<(String, Value)> {
    all(credentials).map(|(name, carried)| (name.to_owned(), scheme(credentials, carried))).collect()
}

fn scheme(credentials: &Credentials, carried: &Carried) -> Value {
    let Carried { within, name, parts, place: _ } = carried;
    let has_signature = parts.iter().any(|part| part.has(SignedPart::Signature));
    let signing = credentials.signature.as_ref().filter(|_| has_signature);
    let signing = signing.map(|signature| signing_of(credentials, signature));
    let is_among_parameters = *within == Within::Parameters;
    let is_after_parameters = *within == Within::After;
    let within = match within {
        Within::Header => "header",
        Within::Parameters | Within::After | Within::Query => "query",
    };
    let is_word = carried.word().is_some_and(|word| word != SignedPart::Path);
    let text = (!is_word).then(|| Value::from(texts(parts)));
    let form = credentials.timestamp.as_str();
    let is_time = matches!(carried.word(), Some(SignedPart::Timestamp | SignedPart::Expires));
    let form = (is_time && form != "ms").then(|| Value::from(form));
    let is_uuid = carried.word() == Some(SignedPart::Nonce) && credentials.nonce == NonceForm::Uuid;
    Object::new()
        .with("type", "apiKey")
        .with("in", within)
        .with("name", name.as_str())
        .maybe("x-among-parameters", is_among_parameters.then_some(Value::from(true)))
        .maybe("x-after-parameters", is_after_parameters.then_some(Value::from(true)))
        .maybe("x-text", text)
        .maybe("x-timestamp", form)
        .maybe("x-nonce", is_uuid.then(|| credentials.nonce.as_str()))
        .maybe("x-signing", signing)
        .into_value()
}

fn texts(parts: &[Part]) -> Vec<String> {
    parts.iter().map(ToString::to_string).collect()
}

fn signing_of(credentials: &Credentials, signature: &Signature) -> Value {
    let first = signature.first();
    let token = matches!(signature.content, Content::Token(_));
    let object = match &signature.content {
        Content::Text(parts) => Object::new().list("text", texts(parts)),
        Content::Token(Token { header, claims, lasts }) => Object::new()
            .with("header", members(header))
            .with("claims", members(claims))
            .maybe("lasts", lasts.map(|lasts| lasts.to_string())),
    };
    let also = signature.algorithms.iter().skip(1);
    let also = also.fold(Object::new(), |to, (algorithm, encoding)| to.with(algorithm.as_str(), encoding.as_str()));
    object
        .maybe("algorithm", first.map(|(algorithm, _)| algorithm.as_str()))
        .maybe("encoding", first.filter(|_| !token).map(|(_, encoding)| encoding.as_str()))
        .maybe("also", (signature.algorithms.len() > 1).then(|| also.into_value()))
        .maybe("signed_query", credentials.signs_query().then(|| credentials.signed_query().as_str()))
        .maybe("sends_body", credentials.keeps_body.map(|_| Value::from(false)))
        .maybe("window", credentials.window.map(|window| window.to_string()))
        .maybe("window_set_by", credentials.window_set_by.as_ref().map(|(name, _)| name.as_str()))
        .into_value()
}

fn members(members: &[(String, Vec<Part>)]) -> Value {
    members.iter().fold(Object::new(), |to, (name, parts)| to.with(name, texts(parts))).into_value()
}

/// Returns the security of an operation: all credentials together, or none.
pub(super) fn of_operation(api: &Api, operation: &Operation) -> Vec<Value> {
    let credentials = api.credentials.iter().filter(|_| operation.access == Access::Signed);
    let together = |credentials| {
        all(credentials).fold(Object::new(), |to, (name, _)| to.with(name, Vec::<Value>::new())).into_value()
    };
    credentials.map(together).collect()
}

/// Returns a body with the credentials that a signed request carries at these places in it. They are not required,
/// because examples leave them out.
pub(super) fn beside(api: &Api, operation: &Operation, body: Value, places: &[Within]) -> Value {
    let credentials = api.credentials.iter().filter(|_| operation.access == Access::Signed);
    let carried: Vec<_> = credentials.flat_map(all).filter(|(_, carried)| places.contains(&carried.within)).collect();
    if carried.is_empty() {
        return body;
    }
    let says = "A credential, which each signed request has.";
    let own = carried.iter().map(|(_, carried)| (carried.name.clone(), json!({"description": says})));
    let own = Object::new().with("type", "object").map("properties", own);
    Object::new().list("allOf", [body, own.into_value()]).into_value()
}

/// Returns the key `credentials` of a schema.
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
        .and(signature.as_ref().map(signature_members).unwrap_or_default())
        .maybe("signed_query", signed_query.map(|(word, _)| word.as_str()))
        .maybe("timestamp_as", (*timestamp != TimestampForm::Milliseconds).then(|| timestamp.as_str()))
        .maybe("nonce_as", (*nonce != NonceForm::Number).then(|| nonce.as_str()))
        .maybe("sends_body", keeps_body.map(|_| false))
        .maybe("window", window.map(|window| window.to_string()))
        .maybe("window_set_by", window_set_by.as_ref().map(|(name, _)| name.as_str()))
        .into_value()
}

/// Returns the names of what is carried at one place; `Authorization` has a key of its own.
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

fn signature_members(signature: &Signature) -> Object {
    let Signature { content, algorithms, secret } = signature;
    let is_token = matches!(content, Content::Token(_));
    let content = match content {
        Content::Text(text) => Object::new().with("signed_text", parts(text)),
        Content::Token(Token { header, claims, lasts }) => {
            let token = Object::new().map("header", signing_members(header)).map("claims", signing_members(claims));
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

fn signing_members(members: &[(String, Vec<Part>)]) -> impl Iterator<Item = (String, Value)> {
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
