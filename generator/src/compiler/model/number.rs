//! Numbers as written, compared without rounding.

use std::cmp::Ordering;

/// A decimal number of any length.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    is_negative: bool,
    /// The digits before the point, without leading zeros.
    whole: String,
    /// The digits after the point, as written.
    fraction: String,
}

impl Number {
    /// Parses `-12.50`; no exponent, no plus sign, digits on both sides of the point.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !are_digits(whole) || !fraction.is_none_or(are_digits) {
            return None;
        }
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.unwrap_or_default());
        let is_zero = whole.is_empty() && fraction.bytes().all(|byte| byte == b'0');
        Some(Self { is_negative: is_negative && !is_zero, whole: whole.to_owned(), fraction: fraction.to_owned() })
    }

    /// Returns the digits after the point that it needs.
    fn significant(&self) -> &str {
        self.fraction.trim_end_matches('0')
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = |a: &Self, b: &Self| {
            (a.whole.len(), &a.whole, a.significant()).cmp(&(b.whole.len(), &b.whole, b.significant()))
        };
        match (self.is_negative, other.is_negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => size(self, other),
            (true, true) => size(other, self),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Number {
    /// Returns the number of decimal places that it needs.
    pub(crate) fn needed_places(&self) -> usize {
        self.significant().len()
    }

    /// Returns the number of its digits without the zeros at both ends.
    pub(crate) fn significant_digits(&self) -> usize {
        format!("{}{}", self.whole, self.fraction).trim_matches('0').len()
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

/// Arithmetic, within 128 bits.
impl Number {
    /// Returns a number with the same decimal places, and so many units more in the last one.
    pub(crate) fn moved(&self, by: i128) -> Option<String> {
        let places = self.fraction.len();
        let units = self.units(places)?.checked_add(by)?;
        let digits = format!("{:0>least$}", units.unsigned_abs(), least = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let (sign, point) = (if units < 0 { "-" } else { "" }, if fraction.is_empty() { "" } else { "." });
        Some(format!("{sign}{whole}{point}{fraction}"))
    }

    /// Returns whether it is a multiple of a positive number.
    pub(crate) fn is_multiple_of(&self, step: &Self) -> Option<bool> {
        let places = self.fraction.len().max(step.fraction.len());
        let (number, step) = (self.units(places)?, step.units(places)?);
        (step > 0).then(|| number % step == 0)
    }

    /// Returns how many units of the last of so many decimal places it is.
    fn units(&self, places: usize) -> Option<i128> {
        let units: i128 = format!("0{}{:0<places$}", self.whole, self.fraction).parse().ok()?;
        Some(if self.is_negative { -units } else { units })
    }
}

/// Returns whether a text is a decimal number as exchanges write them, possibly with an exponent, such as `0E-8`.
pub(crate) fn is_decimal(text: &str) -> bool {
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let is_exponent = (1..=4).contains(&exponent.len()) && exponent.bytes().all(|byte| byte.is_ascii_digit());
    is_exponent && Number::parse(number).is_some()
}

/// Returns whether a text is an unsigned integer of at most 64 bits.
pub(crate) fn is_integer(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u64>().is_ok()
}

/// Returns whether a text is an integer of any length.
pub(crate) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a text is an unsigned integer of more than 64 bits.
pub(crate) fn is_too_large(text: &str) -> bool {
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

    #[test]
    fn calculates_exactly() {
        let moved = |text: &str, by| Number::parse(text).and_then(|number| number.moved(by));
        for (number, by, to) in [
            ("20", 1, "21"),
            ("0.001", -1, "0.000"),
            ("99.5", 1, "99.6"),
            ("9.9", 1, "10.0"),
            ("0", -1, "-1"),
            ("0.0", -1, "-0.1"),
            ("-1.50", 1, "-1.49"),
        ] {
            assert_eq!(moved(number, by).as_deref(), Some(to));
        }
        let is_multiple = |text: &str, of: &str| Number::parse(text)?.is_multiple_of(&Number::parse(of)?);
        assert_eq!(is_multiple("0.30", "0.1"), Some(true));
        assert_eq!(is_multiple("-0.35", "0.1"), Some(false));
        assert_eq!(is_multiple("1", "0"), None);
        assert_eq!(Number::parse("1.500").map(|number| number.needed_places()), Some(1));
    }
}
