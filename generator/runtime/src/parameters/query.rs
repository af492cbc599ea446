//! Query strings, percent-encoded: everything but unreserved characters, so that what is signed and what is sent cannot
//! be written in two ways.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Appends `name=value` to `query`, encoded.
pub(crate) fn push_pair(query: &mut String, name: &str, value: &str) {
    if !query.is_empty() {
        query.push('&');
    }
    encode(name, query);
    query.push('=');
    encode(value, query);
}

/// The pairs of `query`, decoded; a pair that cannot be decoded is an error and is given as it stands.
pub(super) fn pairs(query: &str) -> impl Iterator<Item = Result<(Cow<'_, str>, Cow<'_, str>), &str>> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        decode(name).zip(decode(value)).ok_or(pair)
    })
}

/// All bytes but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Appends `text` to `out`, encoded once.
pub(super) fn encode(text: &str, out: &mut String) {
    out.extend(utf8_percent_encode(text, RESERVED));
}

/// The text that `encoded` stands for, where `+` is a blank. `None` when an escape is broken or the bytes are not
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
    use proptest::prelude::*;

    use super::*;

    fn encoded(text: &str) -> String {
        let mut out = String::new();
        encode(text, &mut out);
        out
    }

    #[test]
    fn only_unreserved_characters_stay() {
        assert_eq!(encoded("Az09-._~"), "Az09-._~");
        assert_eq!(encoded("a b&c=d/é+%"), "a%20b%26c%3Dd%2F%C3%A9%2B%25");
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
        fn goes_there_and_back(text in ".*") {
            let encoded = encoded(&text);
            prop_assert!(encoded.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
            prop_assert_eq!(decode(&encoded).map(Cow::into_owned), Some(text));
        }
    }
}
