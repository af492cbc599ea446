//! Exact arithmetic, and comparisons with `rust_decimal`.
//!
//! Sums, differences and products of decimal numbers have finitely many digits, so the operators for them are exact and
//! total. A quotient may have infinitely many, so there is no operator for it, and the compiler says how to divide.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::Decimal;
use super::parts::IntoDecimal;
use crate::data::value::small_text::SmallText;

impl Decimal {
    /// Returns the number without its sign; its digits stay.
    ///
    /// ```
    /// # use tradeapi_runtime::dec;
    /// assert_eq!(dec!(-1.50).abs().as_str(), "1.50");
    /// assert_eq!((-dec!(1.50)).as_str(), "-1.50");
    /// ```
    #[must_use]
    pub fn abs(&self) -> Self {
        match self.as_str().strip_prefix('-') {
            Some(digits) => Self { text: SmallText::new(digits) },
            None => self.clone(),
        }
    }

    /// Returns this plus `other`, or less `other`.
    fn combined(&self, other: &Self, combine: fn(&mut i64, i64)) -> Self {
        let (one, other) = (self.parts(), other.parts());
        let places = one.places().max(other.places()).max(0);
        let mut columns = Vec::new();
        for (number, combine) in [(one, (|column, digit| *column += digit) as fn(&mut i64, i64)), (other, combine)] {
            let first = places.abs_diff(number.places()) as usize;
            for (at, digit) in number.digits_from_the_right().enumerate() {
                combine(column(&mut columns, first + at), digit);
            }
        }
        written(&columns, places as usize)
    }

    /// Returns the product of both.
    fn product(&self, other: &Self) -> Self {
        let (one, other) = (self.parts(), other.parts());
        let places = one.places() + other.places();
        // Zeros stand for the places of a product such as `1e3 * 1e3`, which has fewer than none.
        let first = places.min(0).unsigned_abs() as usize;
        let others: Vec<i64> = other.digits_from_the_right().collect();
        let mut columns = Vec::new();
        for (at, digit) in one.digits_from_the_right().enumerate().filter(|(_, digit)| *digit != 0) {
            for (beside, other) in others.iter().enumerate() {
                *column(&mut columns, first + at + beside) += digit * other;
            }
        }
        written(&columns, places.max(0) as usize)
    }
}

/// Returns the column at `at`, counted from the right.
fn column(columns: &mut Vec<i64>, at: usize) -> &mut i64 {
    if columns.len() <= at {
        columns.resize(at + 1, 0);
    }
    &mut columns[at]
}

/// Returns the number with a sum of digits in each column, the rightmost first, of which `places` are behind the point.
/// Each sum is of digits with one sign, or between -9 and 9, so the leftmost that is not zero has the number's sign.
fn written(columns: &[i64], places: usize) -> Decimal {
    let leading = columns.iter().rposition(|column| *column != 0);
    let sign = leading.map_or(1, |at| columns[at].signum());
    let (mut digits, mut carried) = (Vec::with_capacity(columns.len() + 2), 0);
    for column in columns.iter().take(leading.map_or(0, |at| at + 1)) {
        let sum = column * sign + carried;
        digits.push(b'0' + sum.rem_euclid(10) as u8);
        carried = sum.div_euclid(10);
    }
    while carried > 0 {
        digits.push(b'0' + (carried % 10) as u8);
        carried /= 10;
    }
    while digits.len() > places + 1 && digits.ends_with(b"0") {
        digits.pop();
    }
    digits.resize(digits.len().max(places + 1), b'0');
    let point = digits.len() - places;
    let mut text = String::with_capacity(digits.len() + 2);
    if sign < 0 {
        text.push('-');
    }
    for (at, digit) in digits.iter().rev().enumerate() {
        if at == point {
            text.push('.');
        }
        text.push(char::from(*digit));
    }
    Decimal { text: SmallText::new(&text) }
}

/// The number with the other sign; zero has none. Its digits stay.
impl Neg for Decimal {
    type Output = Self;

    fn neg(self) -> Self {
        -&self
    }
}

impl Neg for &Decimal {
    type Output = Decimal;

    fn neg(self) -> Decimal {
        if self.is_zero() || self.is_sign_negative() {
            return self.abs();
        }
        let text = self.to_plain();
        Decimal { text: SmallText::new(&(Cow::Borrowed("-") + text)) }
    }
}

/// Implements an operator for a [`Decimal`] or a reference to one, and any exact number.
macro_rules! operators {
    ($($(#[$doc:meta])* $operator:ident::$function:ident, $assign:ident::$assigned:ident: $exact:expr;)*) => {$(
        $(#[$doc])*
        impl<N: IntoDecimal> $operator<N> for &Decimal {
            type Output = Decimal;

            fn $function(self, other: N) -> Decimal {
                let exact: fn(&Decimal, &Decimal) -> Decimal = $exact;
                exact(self, &other.into_decimal())
            }
        }

        $(#[$doc])*
        impl<N: IntoDecimal> $operator<N> for Decimal {
            type Output = Decimal;

            fn $function(self, other: N) -> Decimal {
                $operator::$function(&self, other)
            }
        }

        $(#[$doc])*
        impl<N: IntoDecimal> $assign<N> for Decimal {
            fn $assigned(&mut self, other: N) {
                *self = $operator::$function(&*self, other);
            }
        }
    )*};
}

operators! {
    /// The exact sum. It has as many decimal places as the number with more of them.
    Add::add, AddAssign::add_assign: |one, other| one.combined(other, |column, digit| *column += digit);
    /// The exact difference. It has as many decimal places as the number with more of them; a zero has no sign.
    Sub::sub, SubAssign::sub_assign: |one, other| one.combined(other, |column, digit| *column -= digit);
    /// The exact product. It has the decimal places of both together.
    Mul::mul, MulAssign::mul_assign: Decimal::product;
}

/// The exact sum; zero of none.
impl Sum for Decimal {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::default(), |sum, number| sum + number)
    }
}

/// The exact sum; zero of none.
impl<'a> Sum<&'a Self> for Decimal {
    fn sum<I: Iterator<Item = &'a Self>>(numbers: I) -> Self {
        numbers.fold(Self::default(), |sum, number| sum + number)
    }
}

/// A number by which a [`Decimal`] is divided. Nothing implements this: it exists for the message of the compiler.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `Decimal` is divided as `a.to_rust_decimal()? / b.to_rust_decimal()?`, which rounds",
    label = "a quotient may have infinitely many digits"
)]
pub trait DivideElsewhere {
    /// Returns the type of the result; never called.
    fn result(self) -> Decimal;
}

impl<T: DivideElsewhere> Div<T> for Decimal {
    type Output = Decimal;

    fn div(self, other: T) -> Decimal {
        other.result()
    }
}

impl<T: DivideElsewhere> Div<T> for &Decimal {
    type Output = Decimal;

    fn div(self, other: T) -> Decimal {
        other.result()
    }
}

impl PartialEq<rust_decimal::Decimal> for Decimal {
    fn eq(&self, other: &rust_decimal::Decimal) -> bool {
        let other = Self::from(*other);
        *self == other
    }
}

impl PartialEq<Decimal> for rust_decimal::Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        other == self
    }
}

impl PartialOrd<rust_decimal::Decimal> for Decimal {
    fn partial_cmp(&self, other: &rust_decimal::Decimal) -> Option<Ordering> {
        self.partial_cmp(&Self::from(*other))
    }
}

impl PartialOrd<Decimal> for rust_decimal::Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Decimal::from(*self).partial_cmp(other)
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::*;
    use crate::dec;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn a_sign_changes_no_digit() {
        for (text, negative, absolute) in [
            ("1.50", "-1.50", "1.50"),
            ("-2", "2", "2"),
            ("0.00", "0.00", "0.00"),
            ("-0", "0", "0"),
            ("1E3", "-1000", "1E3"),
        ] {
            let number: Decimal = text.parse().unwrap_or(Decimal::UNSET);
            assert_eq!((-&number).as_str(), negative);
            assert_eq!(number.abs().as_str(), absolute);
        }
    }

    #[test]
    fn operators_are_exact() -> Tested {
        let shown = |one: &str, other: &str| -> Result<[String; 3], Box<dyn std::error::Error>> {
            let (one, other): (Decimal, Decimal) = (one.parse()?, other.parse()?);
            Ok([&one + &other, &one - &other, &one * &other].map(|number| number.to_string()))
        };
        for (one, other, expected) in [
            ("64000", "1.02", ["64001.02", "63998.98", "65280.00"]),
            ("0.1", "0.2", ["0.3", "-0.1", "0.02"]),
            ("1.50", "-1.5", ["0.00", "3.00", "-2.250"]),
            ("99.99", "0.01", ["100.00", "99.98", "0.9999"]),
            ("1e3", "1e-3", ["1000.001", "999.999", "1"]),
            ("1e2", "1e2", ["200", "0", "10000"]),
            ("-0", "0.0", ["0.0", "0.0", "0.0"]),
            ("+5", ".5", ["5.5", "4.5", "2.5"]),
            (
                "79228162514264337593543950335",
                "0.5",
                [
                    "79228162514264337593543950335.5",
                    "79228162514264337593543950334.5",
                    "39614081257132168796771975167.5",
                ],
            ),
        ] {
            assert_eq!(shown(one, other)?, expected, "{one} and {other}");
        }
        // The farthest apart that two numbers can be.
        let [sum, difference, product] = shown("1e1000", "1e-1000")?;
        assert_eq!((sum.len(), difference.len()), (2_002, 2_001));
        assert_eq!(product.parse::<Decimal>()?, dec!(1));
        Ok(())
    }

    #[test]
    fn operators_take_what_an_order_takes() {
        let (mut price, qty) = (dec!(64000), dec!(0.5));
        assert_eq!(&price * &qty + 1 - rust_decimal::Decimal::ONE_HUNDRED, dec!(31901));
        price += &qty;
        price -= 1;
        price *= dec!(2);
        assert_eq!(price, dec!(127999));
        assert_eq!([dec!(0.1), dec!(0.25)].iter().sum::<Decimal>(), dec!(0.35));
        assert_eq!([dec!(0.1), dec!(-0.25)].into_iter().sum::<Decimal>(), dec!(-0.15));
        assert_eq!([].iter().sum::<Decimal>().as_str(), "0");
    }

    #[test]
    fn compares_with_a_rust_decimal() {
        let quarter = rust_decimal::Decimal::new(250, 3);
        assert_eq!(quarter, dec!(0.25));
        assert_eq!(dec!(0.25), quarter);
        assert!(dec!(0.2) < quarter && quarter < dec!(0.3) && quarter != dec!(0.2500001));
    }

    proptest! {
        /// The integers of another library over one power of ten are the same.
        #[test]
        fn operators_agree_with_integers(
            one in "-?[0-9]{1,60}", other in "-?[0-9]{1,60}", ten in 0_i64..40, beside in -5_i64..5
        ) {
            let scaled = |digits: &str, by: i64| format!("{digits}e{by}").parse::<Decimal>();
            let (left, right) = (scaled(&one, -ten)?, scaled(&other, beside - ten)?);
            // Both in units of the smaller of the two last places.
            let least = (-ten).min(beside - ten);
            let power = |by: i64| BigInt::from(10).pow(u32::try_from(by).unwrap_or(0));
            let (one, other): (BigInt, BigInt) = (one.parse()?, other.parse()?);
            let (one, other) = (one * power(-ten - least), other * power(beside - ten - least));
            prop_assert_eq!(&left + &right, scaled(&(&one + &other).to_string(), least)?);
            prop_assert_eq!(&left - &right, scaled(&(&one - &other).to_string(), least)?);
            prop_assert_eq!(&left * &right, scaled(&(&one * &other).to_string(), 2 * least)?);
            prop_assert_eq!(&left - &left, dec!(0));
            for zero in [&left - &left, &left * dec!(0), -(&right - &right)] {
                prop_assert!(!zero.is_sign_negative(), "{}", zero);
            }
        }
    }
}
