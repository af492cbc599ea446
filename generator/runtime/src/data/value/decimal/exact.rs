//! The types that functions accept as exact numbers, and the compiler's messages for any other.
//!
//! Functions take a trait of ours: for a bound with `Into`, the compiler lists other types with `From`; for ours, it
//! suggests what to write instead of a float or a text. `From<f64> for Decimal` exists with a bound that is never met,
//! for callers that convert a float by hand.

use super::Decimal;
use crate::data::value::edit::Edit;

/// A number that is exact: a [`Decimal`] or a reference to one, a [`rust_decimal::Decimal`] or an integer. Functions of
/// requests and the operators of [`Decimal`] take it. It is a trait of its own, and not
/// `Into`, so that the compiler says in one sentence what to write instead of a floating-point number or a text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an exact number",
    label = "an exact number is expected",
    note = "write `dec!(0.1)` for a number that you know, and parse a text: `text.parse::<Decimal>()?`"
)]
pub trait IntoDecimal {
    /// The number as a decimal.
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
    /// The number.
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
