//! Credentials: security schemes, and what is signed.

use serde_json::{Value, json};

use super::object::Object;
use crate::compiler::model::{
    Access, Api, Carried, Content, Credentials, NonceForm, Operation, Part, Signature, SignedPart, Token, Within,
};

/// Each credential with a name for its security scheme.
fn all(credentials: &Credentials) -> impl Iterator<Item = (&str, &Carried)> {
    let word = |carried: &Carried| carried.word().filter(|word| *word != SignedPart::Path);
    let words = credentials.carried.iter().filter_map(move |carried| Some((word(carried)?.as_str(), carried)));
    let authorization = credentials.authorization().map(|carried| ("authorization", carried));
    words.chain(authorization).chain(credentials.others().map(|carried| (carried.name.as_str(), carried)))
}

/// The security schemes, one for each credential.
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

/// The security of an operation: all credentials together, or none.
pub(super) fn of_operation(api: &Api, operation: &Operation) -> Vec<Value> {
    let credentials = api.credentials.iter().filter(|_| operation.access == Access::Signed);
    let together = |credentials| {
        all(credentials).fold(Object::new(), |to, (name, _)| to.with(name, Vec::<Value>::new())).into_value()
    };
    credentials.map(together).collect()
}

/// A body with the credentials that a signed request carries at these places in it. They are not required, because
/// examples leave them out.
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
