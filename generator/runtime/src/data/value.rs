//! Values: exact numbers, times, identifiers and open enums.

mod date;
#[cfg(any(feature = "chrono", feature = "jiff"))]
mod dates;
mod decimal;
mod identifier;
mod open_enum;
mod scalar;
mod scaled;
mod shape;
mod small_text;
mod time_in;
mod timestamp;

#[doc(hidden)]
pub use self::scalar::Shown;
pub(crate) use self::scalar::part;
pub use self::small_text::Edit;
pub(crate) use self::small_text::is_same;
pub use date::{Date, Dates, ExchangeTime, InvalidDate};
#[cfg(any(feature = "chrono", feature = "jiff"))]
pub use dates::TimeOutOfRange;
pub(crate) use decimal::exact_sum;
pub use decimal::{Decimal, IntoDecimal, IntoEdit, InvalidDecimal};
#[doc(hidden)]
pub use decimal::{ExactNumber, checked_literal};
pub use identifier::Identifier;
#[doc(hidden)]
pub use identifier::Text;
#[doc(hidden)]
pub use identifier::{MINTED_LENGTH, mint, mint_with, minted_of};
pub use open_enum::{OpenEnum, UnknownValue, UnknownValueError};
#[doc(hidden)]
pub use open_enum::{enum_from_str, enum_from_wire};
pub(crate) use open_enum::{find as find_value, place_of};
pub use scalar::{Scalar, Scratch};
pub use scaled::Scaled;
#[doc(hidden)]
pub use scaled::scaled_value;
pub use shape::{InvalidIdentifier, Shape};
#[doc(hidden)]
pub use shape::{has_form, respelled};
pub use time_in::{
    InvalidTime, Iso8601, IsoTime, Micros, Nanos, Seconds, TimeFormat, TimeIn, UnixMicros, UnixNanos, UnixSeconds,
};
pub use timestamp::{Timestamp, days};
