//! The parts of a request that can be shown: its address and its body, without anything that authenticates it.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Uri};

use crate::data::json::{JsonWriter, Kind, ReadError, Reader};
use crate::data::tables::{Authentication, Part, Place};

/// Returns the address and the body of `request`, without keys, passphrases and signatures.
pub(crate) fn redacted(authentication: Option<&Authentication>, request: &Request<Bytes>) -> (Uri, Bytes) {
    let (uri, body) = (request.uri(), request.body());
    let secrets = authentication.map(secret_parameters).unwrap_or_default();
    if secrets.is_empty() {
        return (uri.clone(), body.clone());
    }
    let is_json = request.headers().get(CONTENT_TYPE).is_some_and(|form| form.as_bytes().ends_with(b"json"));
    let text = std::str::from_utf8(body).unwrap_or_default();
    let body =
        if is_json { without_members(text, &secrets).unwrap_or_default() } else { without_pairs(text, &secrets) };
    (without_query_pairs(uri, &secrets), body.into())
}

/// Returns the names under which a secret travels in a query or a body.
fn secret_parameters(authentication: &Authentication) -> Vec<&'static str> {
    let mut names = Vec::new();
    for carried in authentication.carried {
        match carried.place {
            Place::Parameter(name) | Place::After(name) | Place::Query(name) => {
                if carried.parts.iter().any(Part::is_secret) {
                    names.push(name);
                }
            }
            Place::Header(_) => {}
        }
    }
    names
}

fn without_query_pairs(uri: &Uri, secrets: &[&str]) -> Uri {
    let Some(query) = uri.query() else { return uri.clone() };
    let query = without_pairs(query, secrets);
    let separator = if query.is_empty() { "" } else { "?" };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = format!("{}{separator}{query}", uri.path()).try_into().ok();
    Uri::from_parts(parts).unwrap_or_default()
}

/// Returns the pairs of a query or a form that are not secret. Names of credentials need no percent-encoding.
fn without_pairs(text: &str, secrets: &[&str]) -> String {
    let mut pairs = Vec::new();
    for pair in text.split('&') {
        let (name, _) = pair.split_once('=').unwrap_or((pair, ""));
        if !secrets.contains(&name) {
            pairs.push(pair);
        }
    }
    pairs.join("&")
}

/// Returns the members of a JSON object that are not secret, within inner objects as well.
fn without_members(json: &str, secrets: &[&str]) -> Result<String, ReadError> {
    let mut from = Reader::new(json);
    if from.peek() != Kind::Object {
        return Ok(json.to_owned());
    }
    let mut members = from.object(&[])?;
    let mut out = JsonWriter::with_capacity(json.len());
    out.begin_object();
    while let Some(name) = members.next_name(&mut from)? {
        let value = from.raw_value()?;
        if !secrets.contains(&&*name) {
            out.member(&name).raw(&without_members(value, secrets)?);
        }
    }
    out.end_object();
    Ok(out.finish())
}

#[cfg(test)]
mod tests {
    use super::{Bytes, CONTENT_TYPE, Request, redacted};
    use crate::data::tables::{Authentication, Carried, NonceForm, Part, Place, SignedQuery, TimestampForm};

    const IN_QUERY: Authentication = Authentication {
        carried: &[
            Carried { place: Place::Parameter("key"), parts: &[Part::Key] },
            Carried { place: Place::Parameter("at"), parts: &[Part::Timestamp] },
            Carried { place: Place::Query("sign"), parts: &[Part::Signature] },
            Carried { place: Place::Header("pass"), parts: &[Part::Passphrase] },
        ],
        signature: None,
        signed_query: SignedQuery::Sent,
        timestamp: TimestampForm::Milliseconds,
        nonce: NonceForm::Number,
        sends_body: true,
        window_ms: None,
        window_set_by: None,
    };

    fn shown(address: &str, form: &'static str, body: &'static str) -> Result<(String, String), http::Error> {
        let request = Request::post(address).header(CONTENT_TYPE, form).body(Bytes::from_static(body.as_bytes()))?;
        let (uri, body) = redacted(Some(&IN_QUERY), &request);
        Ok((uri.to_string(), String::from_utf8_lossy(&body).into_owned()))
    }

    #[test]
    fn secrets_among_the_parameters_are_left_out() -> Result<(), http::Error> {
        let cases = [
            ("http://a/b?key=SECRET&at=1&size=2&sign=SECRET", "text/plain", "", "http://a/b?at=1&size=2", ""),
            ("http://a/b?key=SECRET&sign=SECRET", "text/plain", "", "http://a/b", ""),
            (
                "http://a/b?sign=SECRET",
                "application/x-www-form-urlencoded",
                "key=SECRET&keys=1",
                "http://a/b",
                "keys=1",
            ),
            ("http://a/b", "application/json", r#"{"key": "SECRET", "size": 2}"#, "http://a/b", r#"{"size":2}"#),
            (
                "http://a/b",
                "application/json",
                r#"{"method": "m", "params": {"key": "SECRET", "list": [1]}}"#,
                "http://a/b",
                r#"{"method":"m","params":{"list":[1]}}"#,
            ),
            ("http://a/b", "application/json", r#"{"key": "SECRET"#, "http://a/b", ""),
        ];
        for (address, form, body, uri, left) in cases {
            assert_eq!(shown(address, form, body)?, (uri.to_owned(), left.to_owned()));
        }
        Ok(())
    }

    #[test]
    fn requests_with_credentials_in_headers_are_shown_as_they_are() -> Result<(), http::Error> {
        let request = Request::get("http://a/b?sign=1").body(Bytes::from_static(b"x"))?;
        let headers_only = Authentication { carried: &IN_QUERY.carried[3..], ..IN_QUERY };
        assert_eq!(redacted(Some(&headers_only), &request), (request.uri().clone(), request.body().clone()));
        Ok(())
    }
}
