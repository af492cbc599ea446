//! The compiler error for a floating-point number where a decimal is expected.

use super::Decimal;
use crate::value::edit::Edit;

/// A number that is exact. A floating-point number is not, and nothing implements this: it is there for what the compiler
/// says. Write `dec!(0.1)`, or parse the text of the number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not exact: write `dec!(0.1)`, or parse the text of the number",
    label = "a floating-point number, where an exact `Decimal` is wanted"
)]
#[doc(hidden)]
pub trait ExactNumber {
    /// The number.
    fn exact(self) -> Decimal;
}

// The bound is never met. With a lifetime in it, it is looked at where it is used, not here. One type of floating-point
// numbers only, so that a literal can be no other.
#[doc(hidden)]
impl From<f64> for Decimal
where
    for<'never> f64: ExactNumber,
{
    fn from(number: f64) -> Self {
        number.exact()
    }
}

#[doc(hidden)]
impl From<f64> for Edit<Decimal>
where
    for<'never> f64: ExactNumber,
{
    fn from(number: f64) -> Self {
        Self::Set(number.exact())
    }
}
