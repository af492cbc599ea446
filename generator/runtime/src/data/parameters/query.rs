//! Queries and forms, percent-encoded in one way each, so that what is signed and what is sent cannot differ.
//!
//! A query has as few escapes as it can: clients of one exchange disagree on whether the signed query has its escapes,
//! and without an escape both are right. The apostrophe has one although RFC 3986 allows it, because the URL type of
//! reqwest adds it after the signature. Forms and paths keep escapes for everything that is reserved.

use std::borrow::Cow;

use crate::data::json::JsonWriter;
use crate::data::tables::{Lists, Objects, ParameterStyle, SignedQuery};
use percent_encoding::{AsciiSet, percent_decode_str, utf8_percent_encode};
use tradeapi_words::escapes::{NOT_IN_QUERIES, RESERVED};

/// Most queries are shorter than this, so that one allocation is enough.
const USUAL_LENGTH: usize = 128;

/// The initial capacity of the JSON text of a value, enough for an id.
const ROOM: usize = 48;

/// Which characters of names and values are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// All that a query cannot have as they are, or that separate names and values.
    Needed,
    /// All but the unreserved ones.
    All,
}

impl Escapes {
    /// Returns the parameters in the query of an API that signs queries like this.
    pub(crate) fn of(signed: Option<SignedQuery>) -> Self {
        match signed {
            None | Some(SignedQuery::Sent | SignedQuery::Decoded) => Self::Needed,
            Some(SignedQuery::Escaped) => Self::All,
        }
    }

    fn set(self) -> &'static AsciiSet {
        match self {
            Self::Needed => NOT_IN_QUERIES,
            Self::All => RESERVED,
        }
    }

    /// Appends `name=value` to `query`, encoded.
    pub(crate) fn push_pair(self, query: &mut String, name: &str, value: &str) {
        if query.is_empty() {
            query.reserve(USUAL_LENGTH);
        } else {
            query.push('&');
        }
        let set = self.set();
        query.extend(utf8_percent_encode(name, set));
        query.push('=');
        query.extend(utf8_percent_encode(value, set));
    }
}

/// Returns whether a query has an escape.
pub(crate) fn has_escape(query: &str) -> bool {
    query.contains('%')
}

/// A name and its value, decoded.
type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// Returns the pairs of `query`, decoded. A pair that cannot be decoded is an error with the original pair.
pub(crate) fn pairs(query: &str) -> Vec<Result<Pair<'_>, &str>> {
    let mut pairs = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        pairs.push(decode(name).zip(decode(value)).ok_or(pair));
    }
    pairs
}

/// Returns pairs as the members of an object, each with its JSON text: names such as `a[b]` and `a.b` are taken apart.
pub(super) fn members<'a>(pairs: Vec<Pair<'a>>, style: ParameterStyle) -> Vec<(Cow<'a, str>, String)> {
    let mut found: Vec<(Cow<'a, str>, Node<'a>)> = Vec::new();
    for (name, value) in pairs {
        // Few names can be taken apart.
        let parts = if name.contains(['.', '[']) { parts(&name, style) } else { Vec::new() };
        let (first, rest) = parts.split_first().map_or((&*name, [].as_slice()), |(first, rest)| (*first, rest));
        let outer = (!rest.is_empty()).then(|| first.to_owned());
        let node = Node::of(rest, value);
        let first = outer.map_or(name, Cow::Owned);
        match found.iter_mut().find(|(known, _)| *known == first) {
            Some((_, known)) => known.add(node),
            None => found.push((first, node)),
        }
    }
    found.into_iter().map(|(name, node)| (name, node.json())).collect()
}

/// Returns the parts of a name, such as `a[b][0]` or `a[0].b`.
fn parts(name: &str, style: ParameterStyle) -> Vec<&str> {
    let has_brackets = style.objects == Objects::Brackets || matches!(style.lists, Lists::Brackets | Lists::Indexed);
    let has_dots = style.objects == Objects::Dots;
    let mut parts = Vec::new();
    for part in name.split(|letter| has_dots && letter == '.') {
        match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
            Some((outer, inner)) if has_brackets => {
                parts.push(outer);
                parts.extend(inner.split("]["));
            }
            _ => parts.push(part),
        }
    }
    parts
}

/// The values under a name.
enum Node<'a> {
    Text(Cow<'a, str>),
    Texts(Vec<Cow<'a, str>>),
    Members(Vec<(String, Node<'a>)>),
}

impl<'a> Node<'a> {
    fn of(path: &[&str], value: Cow<'a, str>) -> Self {
        match path.split_first() {
            None => Self::Text(value),
            Some((first, rest)) => Self::Members(vec![((*first).to_owned(), Self::of(rest, value))]),
        }
    }

    fn add(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Texts(texts), Self::Text(more)) => texts.push(more),
            (Self::Text(text), Self::Text(more)) => {
                let texts = vec![std::mem::take(text), more];
                *self = Self::Texts(texts);
            }
            (Self::Members(members), Self::Members(more)) => {
                for (name, node) in more {
                    match members.iter_mut().find(|(known, _)| *known == name && !name.is_empty()) {
                        Some((_, known)) => known.add(node),
                        None => members.push((name, node)),
                    }
                }
            }
            // A value and an object under one name: the last counts.
            (_, other) => *self = other,
        }
    }

    /// Returns the JSON text. Several texts under one name are a list, which no single value is read from.
    fn json(&self) -> String {
        let mut out = JsonWriter::with_capacity(ROOM);
        self.write(&mut out);
        out.finish()
    }

    fn write(&self, out: &mut JsonWriter) {
        match self {
            Self::Text(text) => out.string(text),
            Self::Texts(texts) => {
                out.begin_array();
                texts.iter().for_each(|text| out.element().string(text));
                out.end_array();
            }
            Self::Members(members) if members.iter().all(|(name, _)| name.bytes().all(|b| b.is_ascii_digit())) => {
                out.begin_array();
                members.iter().for_each(|(_, node)| node.write(out.element()));
                out.end_array();
            }
            Self::Members(members) => {
                out.begin_object();
                members.iter().for_each(|(name, node)| node.write(out.member(name)));
                out.end_object();
            }
        }
    }
}

/// Appends `text` to `out`, so that it stays within one segment of a path.
pub(super) fn encode_segment(text: &str, out: &mut String) {
    out.extend(utf8_percent_encode(text, RESERVED));
}

/// Returns the value of the first pair of `query` with this name, decoded. `None` if it is missing or cannot be
/// decoded.
pub(crate) fn query_value<'a>(query: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let (_, value) = pairs.find(|(given, _)| decode(given).is_some_and(|given| given == name))?;
    decode(value)
}

/// Returns the text that `encoded` stands for, where `+` is a blank. `None` if an escape is broken or the bytes are not
/// UTF-8.
fn decode(encoded: &str) -> Option<Cow<'_, str>> {
    if !encoded.contains(['%', '+']) {
        return Some(Cow::Borrowed(encoded));
    }
    // The library passes broken escapes through.
    let is_escape =
        |rest: &str| rest.as_bytes().first_chunk::<2>().is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let is_whole = encoded.split('%').skip(1).all(is_escape);
    let spaced = encoded.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok().filter(|_| is_whole)?;
    Some(Cow::Owned(decoded.into_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails panics")]

    use proptest::prelude::*;

    use super::*;

    fn encoded(escapes: Escapes, text: &str) -> String {
        let mut out = String::new();
        escapes.push_pair(&mut out, "", text);
        out.split_off(1)
    }

    #[test]
    fn only_what_needs_an_escape_has_one() {
        for escapes in [Escapes::Needed, Escapes::All] {
            assert_eq!(encoded(escapes, "Az09-._~"), "Az09-._~");
            assert_eq!(encoded(escapes, "a b&c=dé+%#'"), "a%20b%26c%3Dd%C3%A9%2B%25%23%27");
        }
        assert_eq!(encoded(Escapes::Needed, ":/@$,;!()*?"), ":/@$,;!()*?");
        assert_eq!(encoded(Escapes::All, ":/@$,;!()*?"), "%3A%2F%40%24%2C%3B%21%28%29%2A%3F");
    }

    #[test]
    fn names_with_brackets_and_dots_are_taken_apart() {
        let style = ParameterStyle { sends: None, lists: Lists::Indexed, objects: Objects::Dots };
        let pair = |name: &'static str, value: &'static str| (name.into(), value.into());
        let read = members(vec![pair("a[0].b", "1"), pair("a[0].c[0]", "2"), pair("d.e[0]", "3")], style);
        assert_eq!(
            read,
            [("a".into(), r#"[{"b":"1","c":["2"]}]"#.to_owned()), ("d".into(), r#"{"e":["3"]}"#.to_owned())]
        );
    }

    #[test]
    fn broken_escapes_are_refused() {
        for broken in ["%", "%1", "%zz", "%ff", "%+1"] {
            assert_eq!(decode(broken), None, "{broken}");
        }
        assert_eq!(decode("a+b").as_deref(), Some("a b"));
    }

    proptest! {
        #[test]
        fn round_trips(text in ".*") {
            for (escapes, plain) in [(Escapes::Needed, "-._~%:/@$,;!()*?"), (Escapes::All, "-._~%")] {
                let encoded = encoded(escapes, &text);
                prop_assert!(encoded.chars().all(|char| char.is_ascii_alphanumeric() || plain.contains(char)));
                let decoded = decode(&encoded).map(Cow::into_owned);
                prop_assert_eq!(decoded.as_ref(), Some(&text));
                // An address has such a query, and no part of it is read otherwise.
                let address: http::Uri = format!("http://a/b?{encoded}").parse().unwrap();
                prop_assert_eq!(address.query(), Some(&*encoded));
            }
        }
    }
}
