//! Credentials: headers that go together, and what is signed.

use serde_json::Value;

use super::object::Object;
use crate::model::{Access, Api, Credentials, Operation, SignedPart};

/// Each header by a name of ours.
fn headers(credentials: &Credentials) -> impl Iterator<Item = (&'static str, &str)> {
    let Credentials { key, signature, passphrase, timestamp, .. } = credentials;
    let all = [
        ("key", Some(key)),
        ("signature", Some(signature)),
        ("passphrase", passphrase.as_ref()),
        ("timestamp", Some(timestamp)),
    ];
    all.into_iter().filter_map(|(name, header)| Some((name, header?.as_str())))
}

/// The security schemes, one a header.
pub(super) fn schemes(credentials: &Credentials) -> Vec<(String, Value)> {
    let scheme = |(name, header): (&str, &str)| {
        let signing = (name == "signature").then(|| signing(credentials));
        let scheme = Object::new().with("type", "apiKey").with("in", "header").with("name", header);
        (name.to_owned(), scheme.maybe("x-signing", signing).into_value())
    };
    headers(credentials).map(scheme).collect()
}

fn signing(credentials: &Credentials) -> Value {
    Object::new()
        .list("text", credentials.signed_text.iter().copied().map(SignedPart::as_str))
        .with("algorithm", "hmac-sha256")
        .with("encoding", credentials.encoding.as_str())
        .maybe("clock", credentials.window.map(|window| window.to_string()))
        .into_value()
}

/// What an operation needs: all headers together, or nothing.
pub(super) fn of_operation(api: &Api, operation: &Operation) -> Vec<Value> {
    let credentials = api.credentials.iter().filter(|_| operation.access == Access::Signed);
    let together = |credentials| {
        headers(credentials).fold(Object::new(), |to, (name, _)| to.with(name, Vec::<Value>::new())).into_value()
    };
    credentials.map(together).collect()
}
