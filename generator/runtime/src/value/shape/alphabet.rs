//! Alphabets, written as the inside of a character class: single characters and ranges, `-` itself first or last.

/// Whether `letter` belongs to `alphabet`.
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

/// The end of a range whose beginning was just taken from `rest`; nothing is taken when no range follows.
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
    use super::contains;

    #[test]
    fn knows_characters_and_ranges() {
        let alphabet = ".:/A-Za-z0-9_-";
        assert!("aZ5.:/_-".chars().all(|letter| contains(alphabet, letter)));
        assert!(!" ,\\@é".chars().any(|letter| contains(alphabet, letter)));
        assert!(contains("-a", '-'));
        assert!(!contains("", 'a'));
    }
}
