//! Texts of parts: what is signed, and what is carried. The parameters of a request are pairs of names and values
//! there, without the form in which they travel.

use bytes::Bytes;
use http::Request;
use http::uri::Authority;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::authenticator::Stamp;
use super::credentials::{Credentials, Signer};
use super::signature::encoded;
use crate::data::json::{Kind, ReadError, Reader};
use crate::data::operation::Call;
use crate::data::parameters::{has_escape, pairs as pairs_of_query};
use crate::data::tables::{DigestForm, Encoding, Hash, Pairs, Part, SignedQuery};

/// The sources of the parts of a text. The request itself is one of them, so that the signed text cannot differ from
/// the sent one.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) credentials: &'a Credentials,
    /// The signer, and how its signatures are written.
    pub(super) signer: Option<(&'a dyn Signer, Encoding)>,
    /// The way the query is signed.
    pub(super) signed_query: SignedQuery,
    pub(super) stamp: &'a Stamp,
    /// The path of the request, which is known before the rest of it.
    pub(super) path: &'a str,
    /// `None` before there is a request: for parts that do not depend on it.
    pub(super) request: Option<&'a Request<Bytes>>,
    pub(super) signature: &'a str,
}

impl Sources<'_> {
    /// Returns the text of `parts`.
    pub(super) fn text(&self, parts: &[Part]) -> Vec<u8> {
        let mut text = Vec::with_capacity(128 + self.request.map_or(0, |request| request.body().len()));
        parts.iter().for_each(|part| self.push(*part, &mut text));
        text
    }

    fn push(&self, part: Part, text: &mut Vec<u8>) {
        if let Some(own) = self.own(part) {
            return text.extend_from_slice(own);
        }
        match part {
            Part::Digest(hash, form, parts) => push_digest(&digest(hash, &self.text(parts)), form, text),
            Part::Base64(parts) => text.extend_from_slice(encoded(&self.text(parts), Encoding::Base64).as_bytes()),
            Part::Signed(parts) => {
                if let Some((signer, encoding)) = self.signer {
                    text.extend_from_slice(encoded(&signer.sign(&self.text(parts)), encoding).as_bytes());
                }
            }
            Part::When(either) => {
                let parts = if self.text(either.when).is_empty() { either.otherwise } else { either.then };
                parts.iter().for_each(|part| self.push(*part, text));
            }
            Part::Pairs(form) => {
                if let Some(request) = self.request {
                    text.extend_from_slice(text_of_pairs(request, self.stamp.call.as_ref(), form).as_bytes());
                }
            }
            Part::CallId => {
                if let Some(call) = &self.stamp.call {
                    text.extend_from_slice(call.number.to_string().as_bytes());
                }
            }
            Part::Method
            | Part::Host
            | Part::Query
            | Part::BareQuery
            | Part::SortedQuery
            | Part::Body
            | Part::Header(_) => {
                if let Some(request) = self.request {
                    push_of_request(request, self.signed_query, part, text);
                }
            }
            Part::Text(_)
            | Part::Key
            | Part::Passphrase
            | Part::Timestamp
            | Part::Nonce
            | Part::Expires
            | Part::Path
            | Part::Call
            | Part::Signature => {}
        }
    }

    /// Returns the text of a part that is neither made from others nor taken from the request.
    pub(super) fn own(&self, part: Part) -> Option<&[u8]> {
        Some(match part {
            Part::Text(fixed) => fixed.as_bytes(),
            Part::Key => self.credentials.key(),
            Part::Passphrase => self.credentials.passphrase(),
            Part::Timestamp => self.stamp.timestamp.as_bytes(),
            Part::Nonce => self.stamp.nonce.as_bytes(),
            Part::Expires => self.stamp.expires.as_bytes(),
            Part::Path => self.request.map_or(self.path, |request| request.uri().path()).as_bytes(),
            Part::Signature => self.signature.as_bytes(),
            Part::Call => self.stamp.call.as_ref().map_or("", |call| call.name).as_bytes(),
            Part::Digest(..)
            | Part::Base64(_)
            | Part::Signed(_)
            | Part::When(_)
            | Part::Pairs(_)
            | Part::CallId
            | Part::Method
            | Part::Host
            | Part::Query
            | Part::BareQuery
            | Part::SortedQuery
            | Part::Body
            | Part::Header(_) => return None,
        })
    }
}

fn push_of_request(request: &Request<Bytes>, signed_query: SignedQuery, part: Part, text: &mut Vec<u8>) {
    let uri = request.uri();
    match part {
        Part::Method => text.extend_from_slice(request.method().as_str().as_bytes()),
        Part::Host => text.extend_from_slice(uri.authority().map_or("", Authority::as_str).as_bytes()),
        Part::Query | Part::BareQuery => {
            if let Some(query) = uri.query() {
                text.extend_from_slice(if part == Part::Query { b"?" } else { b"" });
                push_query(query, signed_query, text);
            }
        }
        Part::SortedQuery => push_query(&uri.query().map(sorted).unwrap_or_default(), signed_query, text),
        Part::Body => text.extend_from_slice(request.body()),
        Part::Header(name) => {
            text.extend_from_slice(request.headers().get(name).map_or(&[], |value| value.as_bytes()));
        }
        Part::Text(_)
        | Part::Key
        | Part::Passphrase
        | Part::Timestamp
        | Part::Nonce
        | Part::Expires
        | Part::Path
        | Part::Signature
        | Part::Pairs(_)
        | Part::Call
        | Part::CallId
        | Part::Digest(..)
        | Part::Base64(_)
        | Part::Signed(_)
        | Part::When(_) => {}
    }
}

fn push_query(query: &str, signed_query: SignedQuery, text: &mut Vec<u8>) {
    match signed_query {
        SignedQuery::Decoded if has_escape(query) => text.extend(percent_decode_str(query)),
        SignedQuery::Sent | SignedQuery::Decoded | SignedQuery::Escaped => text.extend_from_slice(query.as_bytes()),
    }
}

/// Returns the parameters of a query in the order of their names; those of one name stay in their order.
fn sorted(query: &str) -> String {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for pair in query.split('&') {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        pairs.insert(pairs.partition_point(|(before, _)| *before <= name), (name, pair));
    }
    let mut text = String::new();
    for (index, (_, pair)) in pairs.into_iter().enumerate() {
        let between = if index == 0 { "" } else { "&" };
        text.extend([between, pair]);
    }
    text
}

fn digest(hash: Hash, text: &[u8]) -> Vec<u8> {
    match hash {
        Hash::Sha256 => Sha256::digest(text).to_vec(),
        Hash::Sha384 => Sha384::digest(text).to_vec(),
        Hash::Sha512 => Sha512::digest(text).to_vec(),
        #[cfg(feature = "md5")]
        Hash::Md5 => md5::Md5::digest(text).to_vec(),
        // Tables name it by a constant that does not exist then.
        #[cfg(not(feature = "md5"))]
        Hash::Md5 => Vec::new(),
    }
}

fn push_digest(digest: &[u8], form: DigestForm, text: &mut Vec<u8>) {
    match form {
        DigestForm::Bytes => text.extend_from_slice(digest),
        DigestForm::Encoded(encoding) => text.extend_from_slice(encoded(digest, encoding).as_bytes()),
    }
}

/// Returns the text of the parameters of `request`, as `form` describes; empty without parameters.
pub(super) fn text_of_pairs(request: &Request<Bytes>, call: Option<&Call>, form: Pairs) -> String {
    let body = std::str::from_utf8(request.body()).unwrap_or_default();
    match body.as_bytes().first() {
        // The client writes its bodies itself, as valid JSON.
        Some(b'{' | b'[') => of_body(body, call, form).unwrap_or_default(),
        Some(_) => of_query(body, form),
        None => of_query(request.uri().query().unwrap_or_default(), form),
    }
}

fn of_query(query: &str, form: Pairs) -> String {
    // The client writes its queries itself, so they can be decoded.
    let mut decoded = Vec::new();
    for (name, value) in pairs_of_query(query).into_iter().flatten() {
        decoded.push((name.into_owned(), value.into_owned()));
    }
    joined(decoded, form)
}

fn of_body(body: &str, call: Option<&Call>, form: Pairs) -> Result<String, ReadError> {
    let mut from = Reader::new(body);
    let Some(parameters) = call.and_then(|call| call.calls.parameters) else { return value(&mut from, form) };
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(&mut from)? {
        if name == parameters {
            return value(&mut from, form);
        }
        from.skip()?;
    }
    Ok(String::new())
}

/// Returns the text of a value: for an object its pairs, for a list its items one after the other.
fn value(from: &mut Reader<'_>, form: Pairs) -> Result<String, ReadError> {
    match from.peek() {
        Kind::Object => {
            let mut all = Vec::new();
            let mut members = from.object(&[])?;
            while let Some(name) = members.next_name(from)? {
                all.push((name.into_owned(), value(from, form)?));
            }
            Ok(joined(all, form))
        }
        Kind::Array => {
            let mut all = String::new();
            let mut elements = from.array()?;
            while elements.next(from)?.is_some() {
                all.push_str(&value(from, form)?);
            }
            Ok(all)
        }
        Kind::String | Kind::Number | Kind::Boolean => from.scalar().map(|text| text.into_owned()),
        Kind::Null | Kind::Nothing => from.raw_value().map(str::to_owned),
    }
}

fn joined(pairs: Vec<(String, String)>, form: Pairs) -> String {
    let mut in_order: Vec<&(String, String)> = Vec::with_capacity(pairs.len());
    for pair in &pairs {
        // Pairs of one name stay in their order.
        let place = match form.sorted {
            true => in_order.partition_point(|(before, _)| *before <= pair.0),
            false => in_order.len(),
        };
        in_order.insert(place, pair);
    }
    let mut text = String::new();
    for (index, (name, value)) in in_order.into_iter().enumerate() {
        let between = if index == 0 { "" } else { form.between };
        text.extend([between, name, form.equals, value]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{sorted, *};

    #[test]
    fn parameters_of_one_name_stay_in_their_order() {
        assert_eq!(sorted("b=2&a=1&b=1&a-b=&a&c=="), "a=1&a&a-b=&b=2&b=1&c==");
        assert_eq!(sorted(""), "");
    }

    #[test]
    fn pairs_of_one_name_stay_in_their_order() {
        for (sorted, expected) in [(true, "a:1,b:2,b:1,b-:3"), (false, "b:2,b-:3,a:1,b:1")] {
            assert_eq!(of_query("b=2&b-=3&a=1&b=1", Pairs { sorted, equals: ":", between: "," }), expected);
        }
    }
}
