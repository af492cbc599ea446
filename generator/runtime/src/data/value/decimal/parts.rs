//! The digits of a decimal number, seen without converting them, and the types that functions accept as exact numbers.
//!
//! Functions take a trait of ours: for a bound with `Into`, the compiler lists other types with `From`; for ours, it
//! suggests what to write instead of a float or a text. `From<f64> for Decimal` exists with a bound that is never met,
//! for callers that convert a float by hand.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::Decimal;
use crate::data::value::small_text::Edit;

/// Exponents beyond this would let a few bytes stand for a text of any size.
const MAX_EXPONENT: i32 = 1000;

/// A number's text, taken apart: `-12.50e3` is negative, `12`, `50`, 3.
pub(super) struct Parts<'a> {
    pub(super) negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i32,
}

impl<'a> Parts<'a> {
    pub(super) const ZERO: Self = Self { negative: false, whole: "0", fraction: "", exponent: 0 };

    /// Takes `text` apart; `None` if it is not a number.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let (negative, unsigned) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match unsigned.bytes().position(|byte| byte | 0x20 == b'e') {
            Some(at) => (&unsigned[..at], exponent(&unsigned[at + 1..])?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let has_digit = !whole.is_empty() || !fraction.is_empty();
        (has_digit && digits(whole) && digits(fraction)).then_some(Self { negative, whole, fraction, exponent })
    }

    /// Returns the number times ten to the power of `places`.
    pub(super) fn shifted(self, places: i32) -> Self {
        Self { exponent: self.exponent.saturating_add(places), ..self }
    }

    /// Returns how many decimal places are written; below zero if zeros in front of the point are not written.
    pub(super) fn places(&self) -> i64 {
        self.fraction.len() as i64 - i64::from(self.exponent)
    }

    /// Returns the digits that are written, the last one first, each with the sign of the number.
    pub(super) fn digits_from_the_right(&self) -> impl Iterator<Item = i64> {
        let sign = if self.negative { -1 } else { 1 };
        let digits = self.fraction.bytes().rev().chain(self.whole.bytes().rev());
        digits.map(move |digit| sign * i64::from(digit - b'0'))
    }

    /// Returns the number without an exponent, as JSON writes numbers; a zero has no sign.
    pub(super) fn plain(&self) -> String {
        let digits = [self.whole, self.fraction].concat();
        let point = self.whole.len() as i64 + i64::from(self.exponent);
        let (whole, fraction) = match usize::try_from(point) {
            Ok(point) if point >= digits.len() => {
                (format!("{digits}{}", "0".repeat(point - digits.len())), String::new())
            }
            Ok(point) => (digits[..point].to_owned(), digits[point..].to_owned()),
            Err(_) => (String::new(), format!("{}{digits}", "0".repeat(point.unsigned_abs() as usize))),
        };
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            significant => significant,
        };
        let is_zero = digits.bytes().all(|digit| digit == b'0');
        let sign = if self.negative && !is_zero { "-" } else { "" };
        let dot = if fraction.is_empty() { "" } else { "." };
        [sign, whole, dot, &fraction].concat()
    }

    /// Returns the value of the number, independent of its notation.
    pub(super) fn normalized(&self) -> Normalized<'a> {
        let head = self.whole.trim_start_matches('0');
        let tail = if head.is_empty() { self.fraction.trim_start_matches('0') } else { self.fraction };
        let skipped = if head.is_empty() { self.fraction.len() - tail.len() } else { 0 };
        let magnitude = head.len() as i64 - skipped as i64 + i64::from(self.exponent);
        let tail = tail.trim_end_matches('0');
        let head = if tail.is_empty() { head.trim_end_matches('0') } else { head };
        if head.is_empty() && tail.is_empty() {
            return Normalized { sign: 0, magnitude: 0, head, tail };
        }
        Normalized { sign: if self.negative { -1 } else { 1 }, magnitude, head, tail }
    }
}

fn exponent(text: &str) -> Option<i32> {
    // The absolute value of `i32::MIN` does not fit.
    text.parse().ok().filter(|exponent| (-MAX_EXPONENT..=MAX_EXPONENT).contains(exponent))
}

/// Returns whether `text` is a number.
pub(super) fn is_number(text: &str) -> bool {
    // Nearly every number is plain, which is faster to compare.
    is_plain(text.as_bytes()) || Parts::of(text).is_some()
}

/// Returns the number `text` without an exponent; `text` itself if it is already written like this.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if is_plain_number(text) {
        return Cow::Borrowed(text);
    }
    Parts::of(text).map_or(Cow::Borrowed(text), |parts| Cow::Owned(parts.plain()))
}

/// Returns whether the number `number` is plain, judging by its ends, an exponent and, of a zero, its sign.
#[inline]
pub(super) fn is_plain_number(number: &str) -> bool {
    let unsigned = match number.strip_prefix('-') {
        Some(negative) if !negative.bytes().any(|byte| matches!(byte, b'1'..=b'9')) => return false,
        Some(negative) => negative.as_bytes(),
        None => number.as_bytes(),
    };
    let begins = matches!(unsigned, [b'0'] | [b'0', b'.', ..] | [b'1'..=b'9', ..]);
    let ends = matches!(unsigned, [.., b'0'..=b'9']);
    begins && ends && !unsigned.iter().any(|byte| byte | 0x20 == b'e')
}

fn is_plain(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(unsigned);
    let leading_zero = whole > 1 && unsigned[0] == b'0';
    let fraction_is_plain = match &unsigned[whole..] {
        [] => true,
        [b'.', fraction @ ..] => !fraction.is_empty() && digits(fraction) == fraction.len(),
        _ => false,
    };
    whole > 0 && !leading_zero && fraction_is_plain
}

/// A number as sign, power of ten and significant digits: equal numbers have the same form.
pub(super) struct Normalized<'a> {
    /// -1, 0 or 1.
    pub(super) sign: i8,
    /// The number of places by which the first significant digit is left of the point.
    magnitude: i64,
    head: &'a str,
    tail: &'a str,
}

impl Normalized<'_> {
    fn digits(&self) -> impl Iterator<Item = u8> {
        self.head.bytes().chain(self.tail.bytes())
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let absolute = || self.magnitude.cmp(&other.magnitude).then_with(|| self.digits().cmp(other.digits()));
        self.sign.cmp(&other.sign).then_with(|| match self.sign {
            0 => Ordering::Equal,
            1 => absolute(),
            _ => absolute().reverse(),
        })
    }

    /// Returns how many digits it has without zeros at either end.
    pub(super) fn significant_digits(&self) -> u32 {
        u32::try_from(self.head.len() + self.tail.len()).unwrap_or(u32::MAX)
    }

    /// Returns how many decimal places the number needs.
    pub(super) fn places(&self) -> u32 {
        let digits = (self.head.len() + self.tail.len()) as i64;
        u32::try_from((digits - self.magnitude).max(0)).unwrap_or(u32::MAX)
    }

    /// Returns whether the number is a whole multiple of `step`, without rounding; `None` if `step` is not above zero
    /// or has more digits than any step has.
    pub(super) fn is_multiple_of(&self, step: &Self) -> Option<bool> {
        /// Ten times the greatest remainder must fit into 128 bits.
        const MAX_DIGITS: usize = 37;
        if step.sign <= 0 || step.head.len() + step.tail.len() > MAX_DIGITS {
            return None;
        }
        if self.sign == 0 {
            return Some(true);
        }
        // Both numbers become integers over one power of ten. Their last digits are not zero, so one that has more
        // places than the step is not a multiple of it.
        let exponent =
            |normalized: &Self| normalized.magnitude - (normalized.head.len() + normalized.tail.len()) as i64;
        let Ok(zeros) = usize::try_from(exponent(self) - exponent(step)) else { return Some(false) };
        let step = step.digits().fold(0, |number, digit| number * 10 + u128::from(digit - b'0'));
        let rest = self.digits().fold(0, |rest, digit| (rest * 10 + u128::from(digit - b'0')) % step);
        Some((0..zeros).fold(rest, |rest, _| rest * 10 % step) == 0)
    }

    pub(super) fn hash(&self, state: &mut impl Hasher) {
        (self.sign, self.magnitude).hash(state);
        for digit in self.digits() {
            state.write_u8(digit);
        }
    }
}

/// A number that is exact: a [`Decimal`] or a reference to one, a [`rust_decimal::Decimal`] or an integer. Functions of
/// requests and the operators of [`Decimal`] take it. It is a trait of its own, and not
/// `Into`, so that the compiler says in one sentence what to write instead of a floating-point number or a text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an exact number",
    label = "an exact number is expected",
    note = "write `dec!(0.1)` for a number that you know, and parse a text: `text.parse::<Decimal>()?`"
)]
pub trait IntoDecimal {
    /// Returns the number as a decimal.
    fn into_decimal(self) -> Decimal;
}

/// An exact number, or what an amendment does to one: see [`IntoDecimal`] and [`Edit`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an exact number",
    label = "an exact number or an `Edit` is expected",
    note = "write `dec!(0.1)` for a number that you know, and parse a text: `text.parse::<Decimal>()?`"
)]
pub trait IntoEdit {
    /// Returns what is done to the number.
    fn into_edit(self) -> Edit<Decimal>;
}

impl IntoEdit for Edit<Decimal> {
    fn into_edit(self) -> Self {
        self
    }
}

macro_rules! exact_numbers {
    ($($number:ty),*) => {$(
        impl IntoDecimal for $number {
            fn into_decimal(self) -> Decimal {
                self.into()
            }
        }

        impl IntoEdit for $number {
            fn into_edit(self) -> Edit<Decimal> {
                Edit::Set(self.into())
            }
        }
    )*};
}

impl IntoDecimal for &Decimal {
    fn into_decimal(self) -> Decimal {
        self.clone()
    }
}

impl IntoEdit for &Decimal {
    fn into_edit(self) -> Edit<Decimal> {
        Edit::Set(self.clone())
    }
}

exact_numbers!(Decimal, rust_decimal::Decimal, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128);

/// A number that is exact. A floating-point number is not, so nothing implements this: it exists for the message of the
/// compiler. Write `dec!(0.1)`, or parse the text of the number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not exact: write `dec!(0.1)`, or parse the text of the number",
    label = "a floating-point number, where an exact `Decimal` is wanted"
)]
#[doc(hidden)]
pub trait ExactNumber {
    /// Returns the number.
    fn exact(self) -> Decimal;
}

// The bound is never met. Because of its lifetime, it is checked where it is used, not here. Only one type of
// floating-point numbers has an implementation, so that a literal can be no other.
#[doc(hidden)]
impl From<f64> for Decimal
where
    for<'never> f64: ExactNumber,
{
    fn from(number: f64) -> Self {
        number.exact()
    }
}
