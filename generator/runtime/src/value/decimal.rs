use std::borrow::Cow;
use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use smol_str::{SmolStr, ToSmolStr};

use super::decimal_parts::{self, Parts, is_number};
use crate::json::{Decode, Encode, JsonWriter, ReadError, Reader};
use crate::parameters::{Scalar, Scratch};

/// An exact decimal number of any length, which keeps the text it was read from.
///
/// Two decimals are equal when their values are: `1.50` equals `1.5`, `0E-8` equals `0`. The text is kept beside the
/// value, because trailing zeros tell the precision an exchange works with.
///
/// ```
/// use tradeapi_runtime::Decimal;
///
/// let price: Decimal = "64000.10".parse()?;
/// assert_eq!(price, "64000.1".parse()?);
/// assert_eq!(price.as_str(), "64000.10");
/// # Ok::<(), tradeapi_runtime::InvalidDecimal>(())
/// ```
#[derive(Clone)]
pub struct Decimal {
    text: SmolStr,
}

/// Why a text is not a decimal number, or a number does not fit into another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDecimal {
    text: String,
    why: &'static str,
}

impl Decimal {
    /// The number as it was written, `0E-8` and trailing zeros included.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number without an exponent, in the form JSON has for numbers: `0E-8` gives `0.00000000`, `.5` gives `0.5`.
    /// The sign and trailing zeros are kept.
    pub fn to_plain(&self) -> Cow<'_, str> {
        decimal_parts::plain(&self.text)
    }

    /// The same number as a [`rust_decimal::Decimal`].
    ///
    /// # Errors
    ///
    /// When it does not fit exactly, which is from about 28 digits on. Nothing is ever rounded.
    pub fn to_rust_decimal(&self) -> Result<rust_decimal::Decimal, InvalidDecimal> {
        rust_decimal::Decimal::from_str_exact(&self.to_plain())
            .map_err(|_| InvalidDecimal::new(&self.text, "it does not fit a rust_decimal exactly"))
    }

    /// Whether this is zero, however it is written.
    pub fn is_zero(&self) -> bool {
        self.parts().worth().sign == 0
    }

    /// Whether a minus sign is written; `-0` has one.
    pub fn is_sign_negative(&self) -> bool {
        self.text.starts_with('-')
    }

    fn parts(&self) -> Parts<'_> {
        // No text that is not a number gets into a Decimal.
        Parts::of(&self.text).unwrap_or(Parts::ZERO)
    }
}

impl InvalidDecimal {
    fn new(text: &str, why: &'static str) -> Self {
        // A text that is no number may be of any length; its beginning tells enough.
        Self { text: text.chars().take(64).collect(), why }
    }
}

impl fmt::Display for InvalidDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.text, self.why)
    }
}

impl Error for InvalidDecimal {}

impl FromStr for Decimal {
    type Err = InvalidDecimal;

    /// Takes digits with an optional sign, fraction (`.5` and `5.` too) and exponent between -1000 and 1000.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !is_number(text) {
            return Err(InvalidDecimal::new(text, "not a decimal number, or with an exponent beyond 1000"));
        }
        Ok(Self { text: SmolStr::new(text) })
    }
}

impl TryFrom<&str> for Decimal {
    type Error = InvalidDecimal;

    fn try_from(text: &str) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<rust_decimal::Decimal> for Decimal {
    fn from(number: rust_decimal::Decimal) -> Self {
        Self { text: number.to_smolstr() }
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Decimal {
            fn from(number: $integer) -> Self {
                Self { text: number.to_smolstr() }
            }
        }
    )*};
}
from_integers!(u8, u16, u32, u64, i8, i16, i32, i64);

impl TryFrom<&Decimal> for rust_decimal::Decimal {
    type Error = InvalidDecimal;

    fn try_from(number: &Decimal) -> Result<Self, Self::Error> {
        number.to_rust_decimal()
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Decimal({})", self.text)
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
        self.parts().worth().compare(&other.parts().worth())
    }
}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().worth().hash(state);
    }
}

impl Decode for Decimal {
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.parsed("a decimal number", |text| text.parse().ok())
    }
}

impl Encode for Decimal {
    fn encode(&self, out: &mut JsonWriter) {
        out.string(self.as_str());
    }
}

impl Scalar for Decimal {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        match self.to_plain() {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => scratch.keep(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    type Tested = Result<(), InvalidDecimal>;

    #[test]
    fn takes_numbers_and_nothing_else() {
        for text in ["0", "-0", "+1.5", ".5", "5.", "0E-8", "1.5e3", "1e+1000", "12345678901234567890123456789012345.6"]
        {
            assert!(text.parse::<Decimal>().is_ok(), "{text}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e1001", "1e-1001", "1e99999999999", "1.2.3", "0x1", "1 ", "٣", "NaN"]
        {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
    }

    #[test]
    fn keeps_its_text() -> Tested {
        let number: Decimal = "0E-8".parse()?;
        assert_eq!((number.as_str(), number.to_string()), ("0E-8", "0E-8".to_owned()));
        assert_eq!(format!("{number:?}"), "Decimal(0E-8)");
        Ok(())
    }

    #[test]
    fn is_written_plainly() -> Tested {
        let cases = [
            ("0E-8", "0.00000000"),
            ("1.5e3", "1500"),
            ("-1.5E-3", "-0.0015"),
            ("12.345e1", "123.45"),
            ("12.345e2", "1234.5"),
            ("+7", "7"),
            ("007.10", "7.10"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-0", "-0"),
        ];
        for (text, plain) in cases {
            assert_eq!(text.parse::<Decimal>()?.to_plain(), plain, "{text}");
        }
        Ok(())
    }

    #[test]
    fn compares_by_value() -> Tested {
        let equal = [("1.50", "1.5"), ("0E-8", "0"), ("-0", "0"), ("100", "1e2"), ("0.001", "1e-3"), ("+1", "01.0")];
        for (left, right) in equal {
            let (left, right): (Decimal, Decimal) = (left.parse()?, right.parse()?);
            assert_eq!(left, right);
            assert_eq!(HashSet::from([left, right]).len(), 1);
        }
        let ascending = ["-1e3", "-2", "-1.9", "-1e-9", "0", "1e-9", "0.1", "0.11", "1", "9.99", "10", "1e1000"];
        for (index, left) in ascending.iter().enumerate() {
            for right in &ascending[index + 1..] {
                assert!(left.parse::<Decimal>()? < right.parse()?, "{left} {right}");
            }
        }
        Ok(())
    }

    #[test]
    fn leaves_to_rust_decimal_only_what_fits() -> Tested {
        assert_eq!("64000.10".parse::<Decimal>()?.to_rust_decimal()?.to_string(), "64000.10");
        assert_eq!("1.5e3".parse::<Decimal>()?.to_rust_decimal()?.to_string(), "1500");
        assert!("0.1234567890123456789012345678901".parse::<Decimal>()?.to_rust_decimal().is_err());
        assert!("1e40".parse::<Decimal>()?.to_rust_decimal().is_err());
        Ok(())
    }

    #[test]
    fn comes_from_integers() -> Tested {
        assert_eq!(Decimal::from(u64::MAX).as_str(), "18446744073709551615");
        assert_eq!(Decimal::from(-5_i32), "-5".parse()?);
        Ok(())
    }

    prop_compose! {
        fn rust_decimals()(number: i64, scale in 0_u32..28) -> rust_decimal::Decimal {
            rust_decimal::Decimal::new(number, scale)
        }
    }

    proptest! {
        #[test]
        fn agrees_with_rust_decimal(left in rust_decimals(), right in rust_decimals()) {
            let (mine, other) = (Decimal::from(left), Decimal::from(right));
            prop_assert_eq!(mine.cmp(&other), left.cmp(&right));
            prop_assert_eq!(mine.to_rust_decimal()?, left);
            prop_assert_eq!(mine.is_zero(), left.is_zero());
        }

        #[test]
        fn plain_notation_means_the_same(text in "[-+]?[0-9]{1,30}(\\.[0-9]{0,30})?([eE][-+]?[0-9]{1,2})?") {
            let number: Decimal = text.parse()?;
            let plain: Decimal = number.to_plain().parse()?;
            prop_assert_eq!(&plain, &number);
            prop_assert_eq!(plain.to_plain(), plain.as_str());
            let json = serde_json::from_str::<serde_json::Value>(plain.as_str());
            prop_assert!(json.is_ok(), "{} is no JSON number", plain);
        }

        #[test]
        fn never_panics(text in ".*") {
            let _ = text.parse::<Decimal>();
        }
    }
}
