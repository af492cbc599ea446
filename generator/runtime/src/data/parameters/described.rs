//! Sets of parameters as data: what a command line, or another program that knows requests by name, shows of them.
//!
//! The macros that declare parameters and their types implement [`Described`] from the same rows and the same
//! documentation; texts are Markdown.
//!
//! ```
//! use tradeapi_runtime::parameters::described::{Described, Values};
//!
//! tradeapi_runtime::open_enum! {
//!     /// A direction.
//!     pub enum Side {
//!         /// `buy`: Buys the base coin.
//!         Buy = "buy",
//!         /// `sell`: Sells the base coin.
//!         Sell = "sell",
//!     }
//! }
//!
//! tradeapi_runtime::parameters! {
//!     /// Places an order.
//!     pub struct PlaceOrder {
//!         /// `side`: Direction.
//!         #[wire("side")]
//!         pub side: Side,
//!         /// `limitPrice`: Price of a limit order.
//!         #[wire("limitPrice" from impl IntoDecimal)]
//!         pub price: Option<tradeapi_runtime::Decimal>,
//!     }
//! }
//! let Values::Object([side, price]) = PlaceOrder::VALUES else { unreachable!() };
//! assert_eq!((price.name(), price.rust, price.is_required), ("limitPrice", "price", false));
//! assert_eq!(price.about.trim(), "`limitPrice`: Price of a limit order.");
//! assert!(side.is_required && matches!(side.values, Values::Words([buy, _]) if buy.wire == "buy"));
//! ```

use super::{BODY, Entries, ParameterTable};
use crate::data::value::Edit;

/// A type of values that parameters have.
pub trait Described {
    /// The values.
    const VALUES: Values;
}

/// The values of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One value that a text states; the name of its type.
    Text(&'static str),
    /// `true` or `false`.
    Truth,
    /// One of these words.
    Words(&'static [Word]),
    /// A list of such values.
    List(&'static Self),
    /// An object with these parameters.
    Object(&'static [Row]),
    /// Exactly one of these parameters, beside the others of its set.
    OneOf(&'static [Row]),
    /// A parameter beside the others of its set, whose value decides which parameters go with it.
    ByValue(&'static Decision),
    /// Any JSON.
    Json,
}

/// The [`Values::Text`] of a time in milliseconds since 1970.
pub const MILLIS: &str = "time in milliseconds";

/// The [`Values::Text`] of a decimal.
pub const DECIMAL: &str = "decimal";

/// A value of an enum.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The value on the wire.
    pub wire: &'static str,
    /// The documentation: the value, a colon, and its meaning.
    pub about: &'static str,
}

/// The parameter that decides which others go with it.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// The name on the wire.
    pub name: &'static str,
    /// The documentation of the choice.
    pub about: &'static str,
    /// The values.
    pub values: Values,
    /// The parameters that go with each of the values that have any.
    pub cases: &'static [Case],
}

/// The parameters that go with a value.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The value on the wire.
    pub value: fn() -> String,
    /// The parameters, an object.
    pub values: Values,
}

/// A parameter of a set, or a choice among several.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name in Rust.
    pub rust: &'static str,
    /// The documentation: its names on the wire, a colon, and its meaning with its default, unit and bounds.
    pub about: &'static str,
    /// True if a request cannot be made without the parameter.
    pub is_required: bool,
    /// The values.
    pub values: Values,
    table: &'static ParameterTable,
}

impl Row {
    /// Creates a row of a field of this type.
    #[doc(hidden)]
    pub const fn of<T: DescribedField>(
        rust: &'static str,
        about: &'static str,
        table: &'static ParameterTable,
    ) -> Self {
        Self { rust, about, is_required: T::IS_REQUIRED, values: T::VALUES, table }
    }

    /// Returns the name on the wire; the first of a choice. A body that is a list is `[]` beside others, and has no
    /// name alone.
    pub const fn name(&self) -> &'static str {
        if self.table.has_siblings { BODY } else { self.table.wire }
    }

    /// Returns whether every request sends its only value.
    pub const fn is_fixed(&self) -> bool {
        !self.table.fixed.is_empty()
    }

    /// Returns whether `null` is a value of it, which deletes what it names.
    pub const fn takes_null(&self) -> bool {
        self.table.or_null
    }

    /// Returns whether an empty text is a value of it, which keeps what an amendment could replace or delete.
    pub const fn takes_blank(&self) -> bool {
        !self.table.delete.is_empty() && !self.table.or_null
    }

    /// Returns the values that it takes, if not all of its type.
    pub const fn only(&self) -> &'static [&'static str] {
        self.table.only
    }
}

/// The type of the field of a parameter.
#[doc(hidden)]
pub trait DescribedField {
    /// True if a request cannot be made without the parameter.
    const IS_REQUIRED: bool;

    /// The values.
    const VALUES: Values;
}

impl<T: Described> DescribedField for T {
    const IS_REQUIRED: bool = true;
    const VALUES: Values = T::VALUES;
}

impl<T: Described> DescribedField for Option<T> {
    const IS_REQUIRED: bool = false;
    const VALUES: Values = T::VALUES;
}

impl<T: Described> DescribedField for Edit<T> {
    const IS_REQUIRED: bool = false;
    const VALUES: Values = T::VALUES;
}

impl<T> Described for Entries<T> {
    const VALUES: Values = Values::Json;
}

impl<T: Described> Described for Vec<T> {
    const VALUES: Values = Values::List(&T::VALUES);
}
