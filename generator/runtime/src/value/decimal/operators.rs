//! Sign operations, and compiler messages for the arithmetic operators that `Decimal` does not implement.

use std::borrow::Cow;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Decimal;
use crate::value::small_text::SmallText;

impl Decimal {
    /// The number without its sign; its digits stay.
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

/// Implements an operator for no operand: the error of the compiler then names the checked function.
macro_rules! instead {
    ($($operator:ident::$function:ident as $hint:ident, $message:literal;)*) => {$(
        #[doc = $message]
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(message = $message, label = "this operator could not report a number that does not fit")]
        pub trait $hint {
            /// Never called.
            fn result(self) -> Decimal;
        }

        impl<T: $hint> $operator<T> for Decimal {
            type Output = Decimal;

            fn $function(self, other: T) -> Decimal {
                other.result()
            }
        }

        impl<T: $hint> $operator<T> for &Decimal {
            type Output = Decimal;

            fn $function(self, other: T) -> Decimal {
                other.result()
            }
        }
    )*};
}

instead! {
    Add::add as AddWithPlus, "a `Decimal` is added with `a.plus(&b)?`";
    Sub::sub as SubtractWithMinus, "a `Decimal` is subtracted with `a.minus(&b)?`";
    Mul::mul as MultiplyWithTimes, "a `Decimal` is multiplied with `a.times(&b)?`";
    Div::div as DivideElsewhere, "a `Decimal` is divided as `a.to_rust_decimal()?`, which rounds";
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
