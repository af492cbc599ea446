//! The keys of a mapping, of which no two may be the same to any reader of YAML.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::compiler::diagnostics::Place;

/// The keys of a mapping so far, with their places.
#[derive(Default)]
pub(super) struct SeenKeys<'a> {
    few: Vec<(Cow<'a, str>, Place)>,
    /// The keys after the first [`FEW`](Self::FEW).
    many: HashMap<Cow<'a, str>, Place>,
    /// The keys that are numbers or truth values, by each one that some YAML reader takes them for.
    others: HashMap<String, (Cow<'a, str>, Place)>,
}

impl<'a> SeenKeys<'a> {
    /// Up to this number, comparing keys is faster than hashing them.
    const FEW: usize = 16;

    /// Adds a key, or returns its earlier place.
    pub(super) fn insert(&mut self, key: Cow<'a, str>, place: Place) -> Option<Place> {
        let among_few = self.few.iter().find(|(known, _)| *known == key).map(|(_, place)| *place);
        let first = among_few.or_else(|| self.many.get(&key).copied());
        match first {
            Some(_) => {}
            None if self.few.len() < Self::FEW => self.few.push((key, place)),
            None => drop(self.many.insert(key, place)),
        }
        first
    }

    /// Adds a key without quotes, or returns an earlier one that some YAML reader takes for the same value.
    pub(super) fn insert_other(&mut self, key: &Cow<'a, str>, place: Place) -> Option<(Cow<'a, str>, Place)> {
        let others = read_otherwise(key);
        if let Some(first) = others.iter().find_map(|other| self.others.get(other)) {
            return Some(first.clone());
        }
        self.others.extend(others.into_iter().map(|other| (other, (key.clone(), place))));
        None
    }
}

/// Returns what readers of YAML 1.1 and 1.2 take a text without quotes for, if that is a number or a truth value: each in
/// one form, whatever way it is written.
fn read_otherwise(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "true" | "yes" | "on" | "y" => return vec!["true".to_owned()],
        "false" | "no" | "off" | "n" => return vec!["false".to_owned()],
        _ => {}
    }
    let (sign, digits) = match lower.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", lower.strip_prefix('+').unwrap_or(&lower)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Vec::new();
    }
    let digits = &*digits.replace('_', "");
    let of = |digits: Option<&str>, radix| u128::from_str_radix(digits?, radix).ok();
    let octal = digits.strip_prefix("0o").or(digits.strip_prefix('0'));
    let whole =
        [of(octal, 8), of(digits.strip_prefix("0x"), 16), of(digits.strip_prefix("0b"), 2), parts_of_sixty(digits)];
    let whole = whole.into_iter().flatten().filter_map(|number| decimal(&number.to_string()));
    let mut numbers: Vec<String> = decimal(digits).into_iter().chain(whole).collect();
    numbers.dedup();
    numbers.into_iter().map(|number| if number == "0" { number } else { format!("{sign}{number}") }).collect()
}

/// Returns a decimal number in one form: its digits between the zeros at both ends, and the power of ten.
fn decimal(text: &str) -> Option<String> {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    let power = exponent.parse::<i64>().ok()?.checked_add(i64::try_from(digits.len() - significant.len()).ok()?)?;
    let power = power.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    Some(if significant.is_empty() { "0".to_owned() } else { format!("{significant}e{power}") })
}

/// Returns a number such as `1:30`, whose parts are those of sixty.
fn parts_of_sixty(text: &str) -> Option<u128> {
    let mut parts = text.split(':').map(|part| part.parse::<u128>().ok());
    let first = parts.next().flatten().filter(|_| text.contains(':'))?;
    parts.try_fold(first, |sum, part| sum.checked_mul(60)?.checked_add(part.filter(|part| *part < 60)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_one_value_to_some_reader_share_it() {
        let share =
            |one: &str, other: &str| read_otherwise(one).iter().any(|value| read_otherwise(other).contains(value));
        for (one, other) in [
            ("1", "01"),
            ("0", "00000"),
            ("0", "-0"),
            ("8", "010"),
            ("10", "010"),
            ("1000", "1_000"),
            ("16", "0x10"),
            ("15", "0o17"),
            ("5", "0b101"),
            ("7", "7.0"),
            ("7", "+7"),
            ("1000", "1e3"),
            ("1000", "1.0E+3"),
            ("1.5", "15e-1"),
            ("1.5", "1.50"),
            ("0.5", ".5"),
            ("90", "1:30"),
            ("0", "0e7"),
            ("-8", "-010"),
            ("true", "True"),
            ("no", "off"),
        ] {
            assert!(share(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("1", "2"),
            ("1", "-1"),
            ("1", "1a"),
            ("1", "a1"),
            ("10", "1.5"),
            ("1", "1e1"),
            ("x", "y"),
            ("", "0"),
            (".", "0"),
        ] {
            assert!(!share(one, other), "{one} {other}");
        }
    }

    #[test]
    fn a_key_that_comes_twice_is_found_among_any_number() {
        let place = |line| Place { line, ..Place::default() };
        for count in [1, 2, SeenKeys::FEW, SeenKeys::FEW + 1, 3 * SeenKeys::FEW] {
            let mut seen = SeenKeys::default();
            let keys: Vec<Cow<'_, str>> = (0..count).map(|key| key.to_string().into()).collect();
            let lines = || (0..).map(place);
            assert!(keys.iter().zip(lines()).all(|(key, at)| seen.insert(key.clone(), at).is_none()));
            assert!(keys.iter().zip(lines()).all(|(key, at)| seen.insert(key.clone(), place(1_000)) == Some(at)));
        }
    }
}
