//! Alphabets, written as the inside of a character class: single characters and ranges, `-` itself first or last.

/// Returns whether `letter` belongs to `alphabet`.
pub(super) fn contains(alphabet: &str, letter: char) -> bool {
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
pub(super) const fn ascii(alphabet: &str) -> [bool; 256] {
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

/// The end of a range whose beginning was just taken from `rest`; nothing is taken if no range follows.
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
