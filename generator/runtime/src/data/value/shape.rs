//! The documented shapes of texts. An alphabet is written as the inside of a character class: single characters and
//! ranges, `-` itself first or last.

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

/// The shape of a kind of identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The name of its type.
    pub name: &'static str,
    /// The least and the greatest number of characters.
    pub length: Option<(usize, usize)>,
    /// The characters allowed, written as in a character class: `A-Za-z0-9_-`.
    pub alphabet: Option<&'static str>,
    /// For each byte, true if it is an ASCII character of the alphabet.
    ascii: [bool; 256],
}

/// The reason why a text is not an identifier of its kind.
#[derive(Clone, PartialEq, Eq)]
pub struct InvalidIdentifier {
    kind: &'static str,
    given: String,
    expected: String,
}

impl InvalidIdentifier {
    /// Returns the text that was refused, or its beginning.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// Returns the expected form.
    pub fn expected(&self) -> &str {
        &self.expected
    }
}

/// Returns whether a text begins with `prefix` and ends with `suffix`, with some text between them, all of it from
/// `alphabet` if that is given.
pub fn has_form(text: &str, prefix: &str, alphabet: Option<&str>, suffix: &str) -> bool {
    let between = text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix)).unwrap_or_default();
    let fits = |letter| alphabet.is_none_or(|alphabet| contains(alphabet, letter));
    !between.is_empty() && between.chars().all(fits)
}

/// Returns the other spelling of a text that begins and ends as one of each pair does, with the same text between.
pub fn respelled(text: &str, pairs: &[[(&str, &str); 2]]) -> Option<String> {
    pairs.iter().find_map(|[one, other]| {
        let written = |(prefix, suffix): &(&str, &str), as_other: &(&str, &str)| {
            let between = text.strip_prefix(prefix)?.strip_suffix(suffix)?;
            (!between.is_empty()).then(|| [as_other.0, between, as_other.1].concat())
        };
        written(one, other).or_else(|| written(other, one))
    })
}

impl fmt::Display for InvalidIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a valid {}: it must have {}", self.given, self.kind, self.expected)
    }
}

debug_as_sentence!(InvalidIdentifier);

impl Error for InvalidIdentifier {}

impl Shape {
    /// Creates a shape of this name, length and alphabet.
    pub const fn new(name: &'static str, length: Option<(usize, usize)>, alphabet: Option<&'static str>) -> Self {
        let ascii = match alphabet {
            Some(alphabet) => ascii(alphabet),
            None => ascii(" -~"),
        };
        Self { name, length, alphabet, ascii }
    }

    /// Checks `text` against this shape; an empty text, one of blanks, and control characters never pass.
    ///
    /// # Errors
    ///
    /// Fails if the text has another shape.
    #[inline]
    pub fn check(&self, text: &str) -> Result<(), InvalidIdentifier> {
        let is_usual = self.bounds().contains(&text.len()) && self.has_only_ascii(text) && !text.starts_with(' ');
        if is_usual { Ok(()) } else { self.check_each(text) }
    }

    /// Returns the least and the greatest number of characters.
    #[inline]
    fn bounds(&self) -> RangeInclusive<usize> {
        let (least, most) = self.length.unwrap_or((1, usize::MAX));
        least.max(1)..=most
    }

    /// Checks a text that may have characters of any kind.
    #[cold]
    fn check_each(&self, text: &str) -> Result<(), InvalidIdentifier> {
        match self.broken_by(text) {
            Some(expected) => {
                Err(InvalidIdentifier { kind: self.name, given: text.chars().take(64).collect(), expected })
            }
            None => Ok(()),
        }
    }

    fn broken_by(&self, text: &str) -> Option<String> {
        let (least, most) = self.bounds().into_inner();
        let length = text.chars().count();
        if length < least {
            return Some(format!("at least {least} characters"));
        }
        if length > most {
            return Some(format!("at most {most} characters"));
        }
        if text.trim().is_empty() {
            // An exchange may take it for none.
            return Some("something besides blanks".to_owned());
        }
        if text.chars().any(char::is_control) {
            return Some("no control characters".to_owned());
        }
        let alphabet = self.alphabet?;
        let stranger = text.chars().find(|&letter| !contains(alphabet, letter))?;
        Some(format!("only characters of [{alphabet}], not {stranger:?}"))
    }

    /// Returns whether all characters are ASCII and of the alphabet, which those of nearly every identifier are.
    #[inline]
    fn has_only_ascii(&self, text: &str) -> bool {
        // Without an early end, which takes longer than a few bytes more.
        text.bytes().fold(true, |all, byte| all & self.ascii[usize::from(byte)])
    }
}

/// Returns whether `letter` belongs to `alphabet`.
fn contains(alphabet: &str, letter: char) -> bool {
    let mut rest = alphabet.chars();
    while let Some(first) = rest.next() {
        let last = range_end(&mut rest).unwrap_or(first);
        if (first..=last).contains(&letter) {
            return true;
        }
    }
    false
}

/// Returns for each byte whether it is a printable ASCII character of `alphabet`.
const fn ascii(alphabet: &str) -> [bool; 256] {
    let letters = alphabet.as_bytes();
    let (mut set, mut at) = ([false; 256], 0);
    while at < letters.len() {
        let mut letter = letters[at];
        at += if at + 2 < letters.len() && letters[at + 1] == b'-' { 2 } else { 0 };
        while letter <= letters[at] && letter.is_ascii() {
            set[letter as usize] = !letter.is_ascii_control();
            letter += 1;
        }
        at += 1;
    }
    set
}

/// Returns the end of a range whose beginning was just taken from `rest`; nothing is taken if no range follows.
fn range_end(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let mut ahead = rest.clone();
    if ahead.next() != Some('-') {
        return None;
    }
    let last = ahead.next()?;
    *rest = ahead;
    Some(last)
}

#[cfg(test)]
mod tests {
    use super::{ascii, contains};

    #[test]
    fn accepts_characters_and_ranges() {
        let alphabet = ".:/A-Za-z0-9_-";
        assert!("aZ5.:/_-".chars().all(|letter| contains(alphabet, letter)));
        assert!(!" ,\\@é".chars().any(|letter| contains(alphabet, letter)));
        assert!(contains("-a", '-'));
        assert!(!contains("", 'a'));
    }

    #[test]
    fn the_ascii_characters_are_those_it_contains() {
        for alphabet in [".:/A-Za-z0-9_-", "-a", "a-", "", "a-zé-ü", "x-é0", " -~", "\u{0}-\u{7f}"] {
            for letter in 0..128_u8 {
                let contained = contains(alphabet, letter.into()) && !letter.is_ascii_control();
                assert_eq!(ascii(alphabet)[usize::from(letter)], contained, "{alphabet:?} {letter}");
            }
        }
    }
}
