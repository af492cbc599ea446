//! Alphabets: the text between the brackets of a bracket expression, without escapes.

use std::collections::BTreeSet;

/// The ranges of an alphabet; a single character is a range of one. An error says why it is invalid.
pub(crate) fn ranges(alphabet: &str) -> Result<Vec<(char, char)>, String> {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut ranges = Vec::new();
    let mut rest = letters.as_slice();
    loop {
        rest = match rest {
            [] => return Ok(ranges),
            [first, '-', last, ..] if first > last => {
                return Err(format!("the range `{first}-{last}` runs backwards"));
            }
            [first, '-', last, after @ ..] => {
                ranges.push((*first, *last));
                after
            }
            [only, after @ ..] => {
                ranges.push((*only, *only));
                after
            }
        };
    }
}

/// The characters of an alphabet; empty if it is invalid.
pub(crate) fn characters(alphabet: &str) -> BTreeSet<char> {
    ranges(alphabet).unwrap_or_default().into_iter().flat_map(|(first, last)| first..=last).collect()
}
