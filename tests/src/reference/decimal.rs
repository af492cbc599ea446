//! Decimal numbers as written digits: exact at any length.

use std::cmp::Ordering;

/// A decimal number without superfluous zeros, so that `1.50` and `1.5` are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    /// All digits without the point and without leading zeros; empty for zero.
    digits: String,
    /// The number of decimal places, which may exceed the number of digits.
    decimals: usize,
}

impl Decimal {
    /// Parses `-12.50`, `.5` or `1e-7`; `None` if the text is not a number.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let mut decimals = i64::try_from(fraction.len()).ok()? - i64::from(exponent.parse::<i16>().ok()?);
        while decimals > 0 && digits.ends_with('0') {
            digits.pop();
            decimals -= 1;
        }
        while decimals < 0 {
            digits.push('0');
            decimals += 1;
        }
        let digits = digits.trim_start_matches('0').to_owned();
        let decimals = if digits.is_empty() { 0 } else { usize::try_from(decimals).ok()? };
        Some(Self { negative: negative && !digits.is_empty(), digits, decimals })
    }

    /// Returns the number of decimal places without trailing zeros.
    pub(super) fn decimals(&self) -> usize {
        self.decimals
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn is_less_than(&self, other: &Self) -> bool {
        let (left, right) = aligned(self, other);
        match (self.negative, other.negative) {
            (false, false) => compare(&left, &right).is_lt(),
            (true, true) => compare(&left, &right).is_gt(),
            (negative, _) => negative,
        }
    }

    /// Returns whether it is a multiple of the step. A step of zero means that there is none.
    pub(super) fn is_multiple_of(&self, step: &Self) -> bool {
        let (value, step) = aligned(self, step);
        step.is_empty() || remainder(&value, &step).is_empty()
    }
}

/// Returns both numbers as integers in the finer of the two units.
fn aligned(left: &Decimal, right: &Decimal) -> (String, String) {
    let decimals = left.decimals.max(right.decimals);
    let widen = |number: &Decimal| match number.is_zero() {
        true => String::new(),
        false => format!("{}{}", number.digits, "0".repeat(decimals - number.decimals)),
    };
    (widen(left), widen(right))
}

/// Compares integers without leading zeros; the longer one is greater.
fn compare(left: &str, right: &str) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

/// Returns the remainder of a long division.
fn remainder(value: &str, divisor: &str) -> String {
    let mut rest = String::new();
    for digit in value.chars() {
        rest.push(digit);
        rest = rest.trim_start_matches('0').to_owned();
        while compare(&rest, divisor).is_ge() {
            rest = difference(&rest, divisor);
        }
    }
    rest
}

/// Returns `greater` minus `smaller`, column by column.
fn difference(greater: &str, smaller: &str) -> String {
    let mut columns = Vec::new();
    let mut taken = 0;
    let mut below = smaller.bytes().rev();
    for above in greater.bytes().rev() {
        let above = i16::from(above - b'0') - taken;
        let below = i16::from(below.next().map_or(0, |digit| digit - b'0'));
        taken = i16::from(above < below);
        columns.push(char::from_digit(u32::from((above - below + 10 * taken).unsigned_abs()), 10).unwrap_or('0'));
    }
    let digits: String = columns.into_iter().rev().collect();
    digits.trim_start_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn decimals() {
        let number = |text: &str| Decimal::parse(text).expect("a number");
        assert_eq!(number("1.50"), number("01.5"));
        assert_eq!(number("1e-7").decimals(), 7);
        assert_eq!(number("1.2e3"), number("1200"));
        assert_eq!(number("-0.0"), number("0"));
        assert!(number("-2").is_less_than(&number("-1.5")) && number("-1").is_less_than(&number("0.5")));
        assert!(number("0.3").is_multiple_of(&number("0.1")) && !number("0.35").is_multiple_of(&number("0.1")));
        let long = "123456789012345678901234567890.123456789012345678901234567890";
        assert!(number(long).is_multiple_of(&number("0.00000000000000000000000000001")));
        assert!(!number(long).is_multiple_of(&number("7")));
        assert!(["", "-", "1.2.3", "1_0", "0x1", "1e", "NaN"].iter().all(|text| Decimal::parse(text).is_none()));
    }
}
