//! Percent-encoding of queries and path segments: everything but unreserved characters, so that what is signed and
//! what is sent cannot be written in two ways.

use std::borrow::Cow;

/// Appends `text` to `out`, encoded once.
pub(super) fn encode(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(stop) = rest.bytes().position(|byte| !is_unreserved(byte)) {
        out.push_str(&rest[..stop]);
        let letter = rest[stop..].chars().next().map_or(1, char::len_utf8);
        rest[stop..stop + letter].bytes().for_each(|byte| push_encoded(byte, out));
        rest = &rest[stop + letter..];
    }
    out.push_str(rest);
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn push_encoded(byte: u8, out: &mut String) {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    out.push('%');
    out.push(DIGITS[usize::from(byte >> 4)]);
    out.push(DIGITS[usize::from(byte & 0xf)]);
}

/// The text that `encoded` stands for, `+` taken as a blank; nothing when an escape is broken or the bytes are no UTF-8.
pub(super) fn decode(encoded: &str) -> Option<Cow<'_, str>> {
    if !encoded.contains(['%', '+']) {
        return Some(Cow::Borrowed(encoded));
    }
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (digits, behind) = rest.split_first_chunk::<2>()?;
                bytes.push(from_hex(*digits)?);
                rest = behind;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn from_hex([high, low]: [u8; 2]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
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
            prop_assert!(encoded.bytes().all(|byte| is_unreserved(byte) || byte == b'%'));
            prop_assert_eq!(decode(&encoded).map(Cow::into_owned), Some(text));
        }
    }
}
