//! Exact decimal numbers.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use self::parts::{Parts, is_number, is_plain_number};
use super::scalar::{Scalar, Scratch};
use super::small_text::SmallText;

mod operators;
mod parts;

#[doc(hidden)]
pub use self::parts::ExactNumber;
pub use self::parts::{IntoDecimal, IntoEdit};

/// An exact decimal number of any length, which keeps the text it was read from.
///
/// Two decimals are equal if their values are: `1.50` equals `1.5`, `0E-8` equals `0`. The text is kept beside the
/// value, because trailing zeros show the precision an exchange works with.
///
/// ```
/// # use tradeapi_runtime::{Decimal, dec};
/// let price: Decimal = "64000.10".parse()?;
/// assert_eq!(price, dec!(64000.1));
/// assert_eq!(price.as_str(), "64000.10");
/// # Ok::<(), tradeapi_runtime::value::InvalidDecimal>(())
/// ```
///
/// # Arithmetic
///
/// `+`, `-`, `*` and [`sum`](Iterator::sum) take numbers and references to numbers. They are exact, whatever the
/// numbers, and neither round nor panic: a sum has the decimal places of the number with more of them, and a product
/// those of both. Rounding to a step makes a result short again. A quotient may have infinitely many digits, so numbers
/// are divided as [`rust_decimal::Decimal`]s.
///
/// ```
/// # use tradeapi_runtime::dec;
/// let (price, step) = (dec!(64000.10), dec!(0.1));
/// let above = (&price * dec!(1.02)).ceil_to(&step)?;
/// assert_eq!(above, dec!(65280.2));
/// assert_eq!((&above - &price) * 2, dec!(2560.2));
/// # Ok::<(), tradeapi_runtime::value::InvalidDecimal>(())
/// ```
///
/// # Zero
///
/// A zero has a sign only in the text that it was read from: no operation gives `-0`, and none is sent.
#[derive(Clone)]
pub struct Decimal {
    text: SmallText,
}

/// The reason why a text is not a decimal number, or a number does not fit into another type.
#[derive(Clone, PartialEq, Eq)]
pub struct InvalidDecimal {
    text: String,
    why: &'static str,
}

/// Zeros for the 28 decimal places of a `rust_decimal`.
const ZEROS: &str = "0000000000000000000000000000";

const TOO_LARGE: &str = "it does not fit a rust_decimal exactly";

impl Decimal {
    /// Returns the number as it was written, `0E-8` and trailing zeros included.
    #[inline]
    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// Returns the number without an exponent, in the form JSON has for numbers: `0E-8` gives `0.00000000`, `.5` gives
    /// `0.5`. Trailing zeros are kept, and the sign of every number but zero, which has none: `-0.0` gives `0.0`.
    pub fn to_plain(&self) -> Cow<'_, str> {
        parts::plain(self.as_str())
    }

    /// Returns the same number as a [`rust_decimal::Decimal`].
    ///
    /// # Errors
    ///
    /// Fails if it does not fit exactly, which happens from about 28 digits on. Nothing is rounded; zeros at the end of
    /// the decimal places are left out if there are too many of them.
    pub fn to_rust_decimal(&self) -> Result<rust_decimal::Decimal, InvalidDecimal> {
        let plain = self.to_plain();
        rust_decimal::Decimal::from_str_exact(&plain)
            .or_else(|_| rust_decimal::Decimal::from_str_exact(without_zeros(&plain)))
            .map_err(|_| InvalidDecimal::new(self.as_str(), TOO_LARGE))
    }

    /// Returns whether this is zero, however it is written.
    pub fn is_zero(&self) -> bool {
        self.parts().normalized().sign == 0
    }

    /// Returns whether this is above zero, and not zero itself.
    pub fn is_positive(&self) -> bool {
        self.parts().normalized().sign > 0
    }

    /// Returns whether this is below zero. `-0` is not.
    pub fn is_negative(&self) -> bool {
        self.parts().normalized().sign < 0
    }

    /// Returns whether a minus sign is written; `-0` has one.
    pub fn is_sign_negative(&self) -> bool {
        self.as_str().starts_with('-')
    }

    /// Returns how many decimal places the number needs: zeros at its end count for none.
    ///
    /// ```
    /// # use tradeapi_runtime::Decimal;
    /// assert_eq!("64000.10".parse::<Decimal>()?.places(), 1);
    /// # Ok::<(), tradeapi_runtime::value::InvalidDecimal>(())
    /// ```
    pub fn places(&self) -> u32 {
        self.parts().normalized().places()
    }

    /// Returns the number of its digits without zeros at either end: 3 of `0.01050`.
    pub(crate) fn significant_digits(&self) -> u32 {
        self.parts().normalized().significant_digits()
    }

    /// Returns the number times ten to the power of `places`: only its point moves.
    pub(crate) fn shifted(&self, places: i16) -> Self {
        Self { text: SmallText::new(&self.parts().shifted(i32::from(places)).plain()) }
    }

    /// Returns whether the number has more digits than this where it is written without an exponent.
    pub(crate) fn has_more_digits_than(&self, most: usize) -> bool {
        let text = self.as_str();
        let has_exponent = || text.bytes().any(|byte| byte | 0x20 == b'e');
        let digits = || self.to_plain().bytes().filter(u8::is_ascii_digit).count();
        (text.len() > most || has_exponent()) && digits() > most
    }

    /// Returns the greatest multiple of `step` that is not above this.
    ///
    /// ```
    /// # use tradeapi_runtime::dec;
    /// assert_eq!(dec!(64000.37).floor_to(&dec!(0.1))?.as_str(), "64000.3");
    /// assert_eq!(dec!(64000.31).ceil_to(&dec!(0.1))?.as_str(), "64000.4");
    /// assert_eq!(dec!(64000.37).round_to(&dec!(0.5))?.as_str(), "64000.5");
    /// # Ok::<(), tradeapi_runtime::value::InvalidDecimal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the step is not above zero, or if a number or the result does not fit a [`rust_decimal::Decimal`].
    pub fn floor_to(&self, step: &Self) -> Result<Self, InvalidDecimal> {
        self.to_multiple(step, &|_| false)
    }

    /// Returns the least multiple of `step` that is not below this.
    ///
    /// # Errors
    ///
    /// Like [`floor_to`](Self::floor_to).
    pub fn ceil_to(&self, step: &Self) -> Result<Self, InvalidDecimal> {
        self.to_multiple(step, &|_| true)
    }

    /// Returns the nearest multiple of `step`; of two, the one that is further from zero.
    ///
    /// # Errors
    ///
    /// Like [`floor_to`](Self::floor_to).
    pub fn round_to(&self, step: &Self) -> Result<Self, InvalidDecimal> {
        let is_positive = !self.is_sign_negative();
        self.to_multiple(step, &|[below, above]| if is_positive { above <= below } else { above < below })
    }

    /// Returns the multiple of `step` below this, or the one above it if `is_up` returns true for the distances to
    /// both.
    fn to_multiple(
        &self,
        step: &Self,
        is_up: &dyn Fn([rust_decimal::Decimal; 2]) -> bool,
    ) -> Result<Self, InvalidDecimal> {
        let (number, by) = (self.to_rust_decimal()?, step.to_rust_decimal()?.normalize());
        if by <= rust_decimal::Decimal::ZERO {
            return Err(InvalidDecimal::new(step.as_str(), "a step must be above zero"));
        }
        let too_large = || InvalidDecimal::new(self.as_str(), TOO_LARGE);
        let remainder = number.checked_rem(by).ok_or_else(too_large)?;
        let is_below_zero = remainder.is_sign_negative() && !remainder.is_zero();
        let above_floor = if is_below_zero { exact_sum(remainder, by).ok_or_else(too_large)? } else { remainder };
        let floor = exact_difference(number, above_floor).ok_or_else(too_large)?;
        let below_next = exact_difference(by, above_floor).ok_or_else(too_large)?;
        let is_up = !above_floor.is_zero() && is_up([above_floor, below_next]);
        let mut multiple = if is_up { exact_sum(floor, by).ok_or_else(too_large)? } else { floor };
        multiple.rescale(by.scale());
        Ok(multiple.into())
    }

    /// Creates a number that [`dec!`](crate::dec) has checked.
    #[doc(hidden)]
    pub fn literal(text: &'static str) -> Self {
        match text.contains('_') {
            true => Self { text: SmallText::new(&text.replace('_', "")) },
            false => Self { text: SmallText::new(text) },
        }
    }

    /// Returns whether this is a whole multiple of `step`, exactly. `None` if that cannot be decided: the step is not
    /// above zero, or has more than 37 significant digits.
    ///
    /// ```
    /// # use tradeapi_runtime::dec;
    /// assert_eq!(dec!(64000.3).is_multiple_of(&dec!(0.1)), Some(true));
    /// assert_eq!(dec!(64000.3).is_multiple_of(&dec!(0.5)), Some(false));
    /// ```
    pub fn is_multiple_of(&self, step: &Self) -> Option<bool> {
        self.parts().normalized().is_multiple_of(&step.parts().normalized())
    }

    /// The empty text, which [`set`](Self::set) replaces before anyone sees it.
    pub(crate) const UNSET: Self = Self { text: SmallText::EMPTY };

    /// Replaces the number by `text`, in place, and returns whether that is a number.
    #[inline]
    pub(crate) fn set(&mut self, text: &str) -> bool {
        let is_number = is_number(text);
        if is_number {
            self.text.set(text);
        }
        is_number
    }

    fn parts(&self) -> Parts<'_> {
        // No text that is not a number gets into a Decimal.
        Parts::of(self.as_str()).unwrap_or(Parts::ZERO)
    }
}

/// A [`Decimal`] from a literal, which is checked when the program is compiled.
///
/// ```
/// use tradeapi_runtime::{Decimal, dec};
///
/// let price: Decimal = dec!(64_000.10);
/// assert_eq!(price.as_str(), "64000.10");
/// assert_eq!(dec!(-0.5).as_str(), "-0.5");
/// ```
#[macro_export]
macro_rules! dec {
    ($number:literal) => {{
        const TEXT: &str = $crate::value::checked_literal(::core::stringify!($number));
        $crate::Decimal::literal(TEXT)
    }};
}

/// Returns the text of a literal, if it is a number.
///
/// # Panics
///
/// Fails to compile if it is not.
#[doc(hidden)]
pub const fn checked_literal(text: &'static str) -> &'static str {
    let bytes = text.as_bytes();
    let (mut at, mut digits, mut dots, mut others) = (0, 0, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'0'..=b'9' => digits += 1,
            b'.' => dots += 1,
            b'_' => {}
            b'-' if at == 0 => {}
            _ => others += 1,
        }
        at += 1;
    }
    let is_number = digits > 0 && dots <= 1 && others == 0;
    assert!(is_number, "`dec!` takes a number such as 0.01, without quotes, exponent and suffix");
    text
}

impl InvalidDecimal {
    fn new(text: &str, why: &'static str) -> Self {
        // An invalid text may have any length; its beginning is enough.
        Self { text: text.chars().take(64).collect(), why }
    }
}

impl fmt::Display for InvalidDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.text, self.why)
    }
}

debug_as_sentence!(InvalidDecimal);

impl Error for InvalidDecimal {}

impl FromStr for Decimal {
    type Err = InvalidDecimal;

    /// Takes digits with an optional sign, fraction (`.5` and `5.` too) and exponent between -1000 and 1000.
    #[inline]
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !is_number(text) {
            return Err(InvalidDecimal::new(text, "not a decimal number, or with an exponent beyond 1000"));
        }
        Ok(Self { text: SmallText::new(text) })
    }
}

impl TryFrom<&str> for Decimal {
    type Error = InvalidDecimal;

    fn try_from(text: &str) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<rust_decimal::Decimal> for Decimal {
    /// Takes the number with its decimal places. A zero loses its sign.
    fn from(number: rust_decimal::Decimal) -> Self {
        let number = unsigned_zero(number);
        Self { text: text_of(&number).unwrap_or_else(|| SmallText::of(&number)) }
    }
}

/// Returns a sum without rounding.
pub(crate) fn exact_sum(one: rust_decimal::Decimal, other: rust_decimal::Decimal) -> Option<rust_decimal::Decimal> {
    let sum = one.checked_add(other)?;
    (sum.checked_sub(other)? == one && sum.checked_sub(one)? == other).then(|| unsigned_zero(sum))
}

/// Returns the number; a zero without its sign, which `rust_decimal` keeps.
fn unsigned_zero(mut number: rust_decimal::Decimal) -> rust_decimal::Decimal {
    if number.is_zero() {
        number.set_sign_positive(true);
    }
    number
}

/// Returns a difference without rounding.
fn exact_difference(one: rust_decimal::Decimal, other: rust_decimal::Decimal) -> Option<rust_decimal::Decimal> {
    exact_sum(one, -other)
}

/// Returns the plain number `plain` without zeros at the end of its decimal places.
fn without_zeros(plain: &str) -> &str {
    if plain.contains('.') { plain.trim_end_matches('0').trim_end_matches('.') } else { plain }
}

/// Returns the plain number `plain` with exactly this many decimal places: with zeros, or without further digits.
fn with_places(plain: &str, places: usize) -> String {
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let kept = fraction.get(..places).unwrap_or(fraction);
    let cut = if places == 0 { whole.to_owned() } else { format!("{whole}.{kept:0<places$}") };
    // A number that is cut to zero has no sign.
    parts::plain(&cut).into_owned()
}

/// Returns the text that a number is displayed as, in a fraction of the time that displaying takes. `None` if it has
/// more digits than an integer of 64 bits.
fn text_of(number: &rust_decimal::Decimal) -> Option<SmallText> {
    let (mut buffer, places) = (itoa::Buffer::new(), number.scale() as usize);
    let digits = buffer.format(u64::try_from(number.mantissa().unsigned_abs()).ok()?);
    let (whole, fraction) = digits.split_at(digits.len().saturating_sub(places));
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if places == 0 { "" } else { "." };
    let zeros = ZEROS.get(..places - fraction.len())?;
    Some(SmallText::joined(&[sign, whole, point, zeros, fraction]))
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Decimal {
            fn from(number: $integer) -> Self {
                Self { text: SmallText::of(&number) }
            }
        }
    )*};
}
from_integers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128);

/// Zero.
impl Default for Decimal {
    fn default() -> Self {
        Self::literal("0")
    }
}

impl TryFrom<Decimal> for rust_decimal::Decimal {
    type Error = InvalidDecimal;

    fn try_from(number: Decimal) -> Result<Self, Self::Error> {
        number.to_rust_decimal()
    }
}

impl TryFrom<&Decimal> for rust_decimal::Decimal {
    type Error = InvalidDecimal;

    fn try_from(number: &Decimal) -> Result<Self, Self::Error> {
        number.to_rust_decimal()
    }
}

/// The number as it was written. A precision is a number of decimal places, and makes it plain: zeros are added, and
/// further digits cut off, as by `rust_decimal`; [`round_to`](Decimal::round_to) rounds. The other parameters are those
/// of the numbers of the standard library: it is aligned to the right.
///
/// ```
/// # use tradeapi_runtime::dec;
/// assert_eq!(format!("{:.1}|{:.3}|{:>10.2}|{:+}", dec!(64000.37), dec!(0.5), dec!(-1.5), dec!(2)), "64000.3|0.500|     -1.50|+2");
/// ```
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.width().is_none() && f.precision().is_none() && !f.sign_plus() {
            return f.write_str(self.as_str());
        }
        let text = match f.precision() {
            None => Cow::Borrowed(self.as_str()),
            Some(places) => Cow::Owned(with_places(&self.to_plain(), places)),
        };
        let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
        f.pad_integral(!text.starts_with('-'), "", digits)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().normalized().compare(&other.parts().normalized())
    }
}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().normalized().hash(state);
    }
}

/// Returns the text of a number that is not plain.
#[cold]
fn rewritten<'a>(number: &Decimal, scratch: &'a mut Scratch) -> &'a str {
    scratch.keep(number.to_plain().into_owned())
}

impl Scalar for Decimal {
    #[inline]
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        let text = self.as_str();
        if is_plain_number(text) { text } else { rewritten(self, scratch) }
    }

    #[inline]
    fn is_plain(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
