//! Decimals that travel as integers.

use std::fmt;

use super::decimal::{Decimal, IntoDecimal};
use super::scalar::{Scalar, Scratch};

/// A decimal number that travels as an integer: its value times ten to the power of `SCALE`.
///
/// It is created from a [`Decimal`], which it keeps unchanged. Nothing is rounded: a number with more than `SCALE`
/// decimal places is refused before it is sent.
///
/// ```
/// use tradeapi_runtime::dec;
/// use tradeapi_runtime::value::Scaled;
///
/// let price = Scaled::<4>::from(dec!(64000.5));
/// assert_eq!(price.wire(), "640005000");
/// assert_eq!(Scaled::<4>::from_wire("640005000"), Some(price));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scaled<const SCALE: u8> {
    value: Decimal,
}

impl<const SCALE: u8> Scaled<SCALE> {
    /// Returns the value.
    pub fn value(&self) -> &Decimal {
        &self.value
    }

    /// Returns the value.
    pub fn into_value(self) -> Decimal {
        self.value
    }

    /// Reads an integer from the wire; `None` if the text is not a number.
    pub fn from_wire(text: &str) -> Option<Self> {
        let number: Decimal = text.parse().ok()?;
        Some(Self { value: number.shifted(-i16::from(SCALE)) })
    }

    /// Returns the integer that is sent. A number with too many decimal places keeps a fraction, so that it is not sent
    /// as another number.
    pub fn wire(&self) -> String {
        let shifted = self.value.shifted(i16::from(SCALE));
        let plain = shifted.as_str();
        match plain.split_once('.') {
            Some((whole, fraction)) if fraction.bytes().all(|byte| byte == b'0') => whole.to_owned(),
            _ => plain.to_owned(),
        }
    }

    /// Returns whether the number is an integer on the wire.
    pub(crate) fn fits(&self) -> bool {
        self.value.places() <= u32::from(SCALE)
    }
}

/// Returns the value of an optional number.
pub fn scaled_value<const SCALE: u8>(number: Option<&Scaled<SCALE>>) -> Option<&Decimal> {
    number.map(Scaled::value)
}

impl<const SCALE: u8, N: IntoDecimal> From<N> for Scaled<SCALE> {
    fn from(number: N) -> Self {
        Self { value: number.into_decimal() }
    }
}

/// Writes the value, not the integer.
impl<const SCALE: u8> fmt::Display for Scaled<SCALE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value, f)
    }
}

impl<const SCALE: u8> fmt::Debug for Scaled<SCALE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value, f)
    }
}

impl<const SCALE: u8> Scalar for Scaled<SCALE> {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        scratch.keep(self.wire())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails panics")]

    use proptest::prelude::*;

    use super::*;
    use crate::data::json::{read_json, write_json};
    use crate::dec;

    #[test]
    fn only_the_decimal_point_moves() {
        for (value, wire) in [
            (dec!(64000.5), "640005000"),
            (dec!(64000), "640000000"),
            (dec!(0.0001), "1"),
            (dec!(-1.50), "-15000"),
            (dec!(0), "0"),
            (dec!(0.00), "0"),
        ] {
            assert_eq!(Scaled::<4>::from(value.clone()).wire(), wire);
            assert_eq!(Scaled::<4>::from_wire(wire), Some(value.into()));
        }
        assert_eq!(Scaled::<8>::from_wire("1e9").unwrap().value(), &dec!(10));
        assert_eq!(Scaled::<18>::from_wire("123456789012345678901").unwrap().to_string(), "123.456789012345678901");
        assert_eq!(Scaled::<4>::from_wire("x"), None);
    }

    #[test]
    fn a_number_without_an_integer_is_not_sent_as_another() {
        let price = Scaled::<4>::from(dec!(1.00005));
        assert!(!price.fits());
        assert_eq!(price.wire(), "10000.5");
        assert!(Scaled::<4>::from(dec!(1.000500)).fits());
    }

    proptest! {
        #[test]
        fn round_trips(whole: i64, scale in 0_u32..12) {
            let wire = whole.to_string();
            let number = Scaled::<7>::from_wire(&wire).unwrap();
            prop_assert!(number.fits());
            prop_assert_eq!(number.wire(), wire);
            prop_assert_eq!(read_json::<Scaled<7>>(&write_json(&number)), Ok(number));
            let text = format!("{whole}e-{scale}");
            let number = Scaled::<11>::from(text.parse::<Decimal>().unwrap());
            prop_assert_eq!(Scaled::<11>::from_wire(&number.wire()), Some(number));
        }
    }
}
