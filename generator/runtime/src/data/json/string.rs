//! Strings: where they end, and what their escapes stand for.

use super::path::ReadError;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = ONES << 7;

/// Returns the place of the first byte from `start` on that does not stand for itself in a string: a quote, a backslash
/// or a control character. The length of `bytes` if there is none.
#[inline]
pub(super) fn stop(bytes: &[u8], start: usize) -> usize {
    first(bytes, start, stops, is_stop)
}

/// Returns the places where `bytes` has `byte`.
pub(crate) fn places_of(byte: u8, bytes: &[u8]) -> impl Iterator<Item = usize> {
    let place = move |start| first(bytes, start, |word| equal_to(word, byte) & HIGHS, |other| other == byte);
    let next = move |start| Some(place(start)).filter(|place| *place < bytes.len());
    std::iter::successors(next(0), move |place| next(place + 1))
}

/// Returns the place of the first byte from `start` on that `is_one`; the length of `bytes` if there is none. `marks`
/// sets the high bit of each such byte of a word; it must be right up to the lowest of them.
#[inline]
fn first(bytes: &[u8], start: usize, marks: impl Fn(u64) -> u64, is_one: impl Fn(u8) -> bool) -> usize {
    let mut at = start;
    while let Some(&word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let marks = marks(u64::from_le_bytes(word));
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|&byte| is_one(byte)).unwrap_or(rest.len())
}

/// Returns whether a string contains no escapes.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let plain = |word: &[u8; 8]| stops(u64::from_le_bytes(*word)) == 0;
    match (bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The last word overlaps the one before it, which is faster than looking at single bytes.
        (Some(last), ..) => bytes.as_chunks().0.iter().all(plain) && plain(last),
        (None, Some(&[a, b, c, d]), Some(&[e, f, g, h])) => plain(&[a, b, c, d, e, f, g, h]),
        _ => !bytes.iter().any(|&byte| is_stop(byte)),
    }
}

/// Returns whether a byte does not stand for itself in a string.
fn is_stop(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

/// Marks in the high bit of each byte whether it is a stop. A byte above a marked one may be marked wrongly, which
/// does no harm because only the lowest is looked at.
#[inline]
fn stops(word: u64) -> u64 {
    // With this bit flipped, a quote comes right after the control characters, and no other byte does.
    let turned = word ^ (ONES * 0x02);
    (less_than(turned, 0x21) | equal_to(word, b'\\')) & HIGHS
}

#[inline]
fn less_than(word: u64, bound: u8) -> u64 {
    word.wrapping_sub(ONES * u64::from(bound)) & !word
}

#[inline]
fn equal_to(word: u64, byte: u8) -> u64 {
    less_than(word ^ (ONES * u64::from(byte)), 1)
}

/// Calls `see` with the content of each string of a JSON text, also of the names of members, and with each number.
pub(crate) fn each_text(text: &str, see: &mut dyn FnMut(&str)) {
    let mut at = 0;
    while let Some(quote) = text.as_bytes().get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'"')) {
        let start = at + quote + 1;
        each_number(&text[at..start], see);
        let stop = stop(text.as_bytes(), start);
        at = match text.as_bytes().get(stop) {
            Some(b'"') => {
                see(&text[start..stop]);
                stop + 1
            }
            _ => unescape(text, start).map_or(start, |(content, end)| {
                see(&content);
                end
            }),
        };
    }
    each_number(text.get(at..).unwrap_or_default(), see);
}

/// Calls `see` with each number in a part of a JSON text without strings.
fn each_number(part: &str, see: &mut dyn FnMut(&str)) {
    let is_within = |letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.' | 'e' | 'E');
    for text in part.split(|letter| !is_within(letter)) {
        if text.contains(|letter: char| letter.is_ascii_digit()) {
            see(text);
        }
    }
}

/// Returns the content of the string that begins at `start`, after its opening quote, and the place after its closing
/// one.
#[cold]
pub(super) fn unescape(text: &str, start: usize) -> Result<(String, usize), ReadError> {
    let mut content = String::new();
    let mut at = start;
    loop {
        let stop = stop(text.as_bytes(), at);
        content.push_str(&text[at..stop]);
        match text.as_bytes().get(stop) {
            Some(b'"') => return Ok((content, stop + 1)),
            Some(b'\\') => {
                let (letter, end) = escape(text, stop).ok_or_else(|| ReadError::new(stop, "not a JSON escape"))?;
                content.push(letter);
                at = end;
            }
            Some(_) => return Err(ReadError::new(stop, "a control character in a string")),
            None => return Err(ReadError::new(stop, "a string without an end")),
        }
    }
}

/// Returns what the escape at `start` stands for, and the place after it.
fn escape(text: &str, start: usize) -> Option<(char, usize)> {
    let letter = match text.as_bytes().get(start + 1)? {
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(text, start),
        _ => return None,
    };
    Some((letter, start + 2))
}

/// Reads `\u0041`, or a pair such as `\ud83d\ude00`. Half a pair is replaced, because it may come from a truncated
/// message, and must not make the rest of the answer unreadable.
fn unicode_escape(text: &str, start: usize) -> Option<(char, usize)> {
    const LENGTH: usize = 6;
    let first = code_unit(text, start)?;
    let pair = [Some(first), code_unit(text, start + LENGTH)];
    let letter = char::decode_utf16(pair.into_iter().flatten()).next()?.unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((letter, start + LENGTH * letter.len_utf16()))
}

fn code_unit(text: &str, start: usize) -> Option<u16> {
    let digits = text.get(start..start + 6)?.strip_prefix("\\u")?;
    let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unescaped(content: &str) -> Result<String, ReadError> {
        unescape(&format!("{content}\""), 0).map(|(content, _)| content)
    }

    #[test]
    fn escapes_stand_for_characters() {
        assert_eq!(unescaped(r#"a\"\\\/\b\f\n\r\tz"#), Ok("a\"\\/\u{8}\u{c}\n\r\tz".to_owned()));
        assert_eq!(unescaped(r"\u0041\u00e9\ud83d\ude00"), Ok("Aé😀".to_owned()));
    }

    #[test]
    fn half_a_pair_is_replaced() {
        let halves = [(r"\ud83d", "\u{fffd}"), (r"\ude00x", "\u{fffd}x"), (r"\ud83d\u0041", "\u{fffd}A")];
        let several = [(r"\ud83d\ud83d\ude00", "\u{fffd}😀"), (r"\ud83d\n", "\u{fffd}\n"), (r"\ud83d\", "")];
        for (half, letters) in halves.into_iter().chain(several) {
            assert_eq!(unescaped(half).unwrap_or_default(), letters, "{half}");
        }
    }

    #[test]
    fn invalid_escapes_are_refused() {
        for broken in [r"\u12", r"\u+123", r"\x", r"\ué000", r"\ud83d\u12"] {
            assert!(unescaped(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_string_must_end() {
        assert!(unescape("abc", 0).is_err());
        assert!(unescape("abc\\", 0).is_err());
        assert!(unescape("a\nb\"", 0).is_err());
    }

    proptest! {
        #[test]
        fn the_first_stop_is_found(bytes: Vec<u8>, start in 0_usize..20) {
            let slowly = bytes.iter().skip(start).position(|&byte| is_stop(byte)).map_or(bytes.len(), |at| at + start);
            prop_assert_eq!(stop(&bytes, start), slowly.max(start));
        }

        #[test]
        fn every_place_of_a_byte_is_found(bytes in proptest::collection::vec(b'8'..b'=', 0..40)) {
            let slowly: Vec<_> = (0..bytes.len()).filter(|place| bytes[*place] == b':').collect();
            prop_assert_eq!(places_of(b':', &bytes).collect::<Vec<_>>(), slowly);
        }
    }
}
