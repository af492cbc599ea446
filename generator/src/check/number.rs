//! Numbers as written, compared without rounding.

use std::cmp::Ordering;

/// A decimal number without redundant zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
}

impl<'a> Number<'a> {
    /// Parses `-12.50`; no exponent, no plus sign, digits on both sides of the point.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        Some(Self { negative: negative && !(whole.is_empty() && fraction.is_empty()), whole, fraction })
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = |number: &Self| (number.whole.len(), number.whole.to_owned(), number.fraction.to_owned());
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => size(self).cmp(&size(other)),
            (true, true) => size(other).cmp(&size(self)),
        }
    }
}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether a text is a decimal number as exchanges write them, possibly with an exponent, such as `0E-8`.
pub(super) fn is_decimal(text: &str) -> bool {
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let is_exponent = (1..=4).contains(&exponent.len()) && exponent.bytes().all(|byte| byte.is_ascii_digit());
    is_exponent && Number::parse(number).is_some()
}

/// Whether a text is an unsigned integer of at most 64 bits.
pub(super) fn is_integer(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u64>().is_ok()
}

/// Whether a text is an integer of any length.
pub(super) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is an unsigned integer of more than 64 bits.
pub(super) fn is_too_large(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_without_rounding() {
        let order = ["-10", "-9.5", "-0.1", "0", "0.05", "0.5", "3", "12", "12.0000000000000000000000001", "100"];
        let numbers: Vec<_> = order.iter().map(|text| Number::parse(text)).collect();
        assert!(numbers.iter().all(Option::is_some) && numbers.is_sorted());
        assert_eq!(Number::parse("007.10"), Number::parse("7.1"));
        assert_eq!(Number::parse("-0.0"), Number::parse("0"));
        for text in ["", "-", ".5", "5.", "+5", "1e3", "1 0", "٣"] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
        assert!(is_decimal("0E-8") && !is_decimal("E8") && !is_decimal("1e") && !is_decimal("1e99999"));
    }
}
