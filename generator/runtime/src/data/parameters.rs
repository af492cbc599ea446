//! Request parameters: written as a query or as JSON, and read back.

#[cfg(feature = "described")]
pub mod described;
mod described_macros;
#[doc(hidden)]
pub mod kinds;
mod named;
mod parameter;
mod path;
mod query;
mod reader;
mod table;
mod writer;

use crate::data::checks::Checks;

#[doc(hidden)]
pub use self::path::HeaderWriter;
pub use self::table::Name;
pub(crate) use self::writer::Unsendable;
pub(crate) use named::{Named, texts_of};
#[doc(hidden)]
pub use parameter::Parameter;
#[doc(hidden)]
pub use path::PathWriter;
pub(crate) use path::leads_elsewhere;
pub(crate) use query::{Escapes, has_escape, pairs, query_value};
pub use reader::ParameterReader;
#[doc(hidden)]
pub use table::ParameterTable;
pub use writer::ParameterWriter;

/// A set of request parameters: of an operation, of an item in a list, or of an alternative of a choice.
pub trait Parameters {
    /// Writes those that are set.
    fn write(&self, out: &mut ParameterWriter);

    /// Reads them back. `None` if that fails; `from` then contains the violations.
    fn read(from: &mut ParameterReader<'_>) -> Option<Self>
    where
        Self: Sized;

    /// Reports broken rules to `to`.
    fn check(&self, to: &mut Checks<'_>);
}

/// The name of the array that is a body, among the other parameters of its request.
const BODY: &str = "[]";

/// A parameter that is an object with names of its own, in their order.
pub type Entries<T> = std::collections::BTreeMap<String, T>;

/// The content type of parameters that are a form.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// Returns the JSON text of all `parameters`, also of those that are sent in the path or in headers.
pub(crate) fn json_of(parameters: &dyn Parameters) -> String {
    let mut out = ParameterWriter::whole();
    parameters.write(&mut out);
    out.finish()
}

/// Rules about several parameters of a set, beyond the bounds of each.
pub trait Rules {
    /// Reports those that are broken.
    fn check_rules(&self, to: &mut Checks<'_>);
}

/// Declares a set of [`Parameters`]: a struct whose fields have their names on the wire as an attribute.
///
/// Properties of the parameter follow its name, each the name of a method of
/// [`ParameterTable`](crate::facade::emitted::ParameterTable), such as `bare` or `max = 100`; the type of the field does the
/// rest, see [`Parameter`](crate::facade::emitted::Parameter). A choice lists the names of all its parameters. A field that is
/// an `Option` or a `runtime::Edit` gets a setter with the documentation of the field. The setter takes a value of the
/// type itself, or after the name `from impl Into`, `from impl IntoDecimal` or `from impl IntoEdit` what converts to it.
///
/// Attributes stand in one order, so that the compiler never has to try several: `checked_by`, `derive` and the
/// documentation of the struct; the documentation of a field, `wire` and `deprecated`.
///
/// With the attribute `checked_by(Rules)`, the struct implements [`Rules`](crate::data::parameters::Rules) beside it. What
/// follows the struct is kept; the documentation lists its functions before the setters.
///
/// The macro derives `Clone` and `PartialEq`, and implements `Debug` and `Display`, which print on one line what is
/// set, and serde's traits if the feature `serde` is on.
///
/// ```
/// use tradeapi_runtime::Decimal;
/// use tradeapi_runtime::parameters::ParameterReader;
///
/// tradeapi_runtime::parameters! {
///     /// Places an order.
///     pub struct PlaceOrder {
///         /// `symbol`: Symbol name.
///         #[wire("symbol")]
///         pub symbol: String,
///         /// `price`: Price of a limit order.
///         #[wire("price" from impl IntoDecimal)]
///         pub price: Option<Decimal>,
///     }
///
///     impl PlaceOrder {
///         /// Takes the required parameters.
///         pub fn new(symbol: String) -> Self {
///             Self { symbol, price: None }
///         }
///     }
/// }
/// let order = PlaceOrder::new("BTCUSDT".to_owned()).price(7);
/// assert_eq!(ParameterReader::read(r#"{"symbol": "BTCUSDT", "price": "7"}"#), Ok(order));
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[checked_by($rules:ident)])?
        $(#[derive($derive:ident)])?
        $(#[doc $($doc:tt)*])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc $($about:tt)*])*
                #[wire(
                    $wire:literal $(, $member:literal)* $(from impl $into:ident)?
                    $(, $how:ident $(= $bound:literal)? $(= [$($value:literal),* $(,)?])?)*
                )]
                $(#[deprecated(note = $note:literal)])?
                $field_vis:vis $field:ident: $($ty:ident)::+ $(<$($scale:literal)? $($of:ty $(,)?)?>)?
            ),* $(,)?
        }
        $($item:item)*
    ) => {
        $(#[doc $($doc)*])*
        #[derive(Clone, PartialEq $(, $derive)?)]
        #[must_use = "a request does nothing until it is sent"]
        #[non_exhaustive]
        $vis struct $name {
            $($(#[doc $($about)*])* $field_vis $field: $($ty)::+ $(<$($scale)? $($of)?>)?,)*
        }

        $($item)*

        impl $name {
            $($crate::__setter! {
                [$($ty)::+ $(<$($of)?>)?] [$($into)?]
                #[doc = ::core::concat!("Sets `", $wire, "`" $(, ", `", $member, "`")*, ".")]
                ///
                $(#[doc $($about)*])*
                $(#[deprecated(note = $note)])?
                $field_vis $field
            })*
        }

        const _: () = {
            $crate::__rows! { $($field $wire $(, $member)*; $(.$how($($bound)? $(&[$($value),*])?))*)* }

            impl $crate::parameters::Parameters for $name {
                #[allow(unused_variables, reason = "a set may have no parameters")]
                fn write(&self, out: &mut $crate::parameters::ParameterWriter) {
                    $($crate::emitted::Parameter::write(&self.$field, &ROWS.$field, out);)*
                }

                #[allow(unused_variables, reason = "a set may have no parameters")]
                fn read(from: &mut $crate::parameters::ParameterReader<'_>) -> ::core::option::Option<Self> {
                    // All are read before one ends the reading, so that all that are missing are reported.
                    $(let $field = <$($ty)::+ $(<$($scale)? $($of)?>)? as $crate::emitted::Parameter>::read(
                        &ROWS.$field,
                        from,
                    );)*
                    ::core::option::Option::Some(Self {
                        $($field: $crate::__given!([$($ty)::+ $(<$($of)?>)?] $field),)*
                    })
                }

                #[allow(unused_variables, reason = "a set may have no parameters")]
                fn check(&self, to: &mut $crate::checks::Checks<'_>) {
                    $($crate::emitted::Parameter::check(&self.$field, &ROWS.$field, to);)*
                    $($crate::parameters::$rules::check_rules(self, to);)?
                }
            }
        };

        impl $crate::emitted::ParameterValue for $name {
            type Kind = $crate::emitted::kinds::Object;
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #[allow(unused_mut, reason = "a set may have no parameters")]
                let mut shown = $crate::emitted::Shown::new(f, ::core::stringify!($name));
                $($crate::emitted::Parameter::show(&self.$field, ::core::stringify!($field), &mut shown);)*
                shown.finish()
            }
        }

        $crate::__displayed!($name);
        $crate::serde_parameters!($name);
        $crate::__described!(set Object $name { $(
            $field
            [$([$($about)*])*]
            [$wire $(, $member)*; $(.$how($($bound)? $(&[$($value),*])?))*]
            [$($ty)::+ $(<$($scale)? $($of)?>)?]
        )* });
    };
}

/// Declares a choice among parameters of which exactly one is sent: an enum with a variant for each.
///
/// Rows are as in [`parameters!`](crate::parameters!). After a name, `impl From` converts a value of a type that only
/// one of the variants has.
///
/// ```
/// use tradeapi_runtime::parameters::ParameterReader;
///
/// tradeapi_runtime::one_of! {
///     /// An order, by one of its ids.
///     pub enum OrderRef {
///         /// `orderId`: The exchange's id.
///         #[wire("orderId" impl From)]
///         OrderId(u64),
///         /// `clientOid`: The caller's own id.
///         #[wire("clientOid" impl From)]
///         ClientOid(String),
///     }
/// }
/// assert_eq!(ParameterReader::read(r#"{"orderId": "7"}"#), Ok(OrderRef::from(7)));
/// assert!(ParameterReader::read::<OrderRef>(r#"{"orderId": "7", "clientOid": "a"}"#).is_err());
/// ```
#[macro_export]
macro_rules! one_of {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derived:ident),*)])?
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $about:literal])*
                #[wire(
                    $wire:literal $(impl $from:ident)?
                    $(, $how:ident $(= $bound:literal)? $(= [$($value:literal),* $(,)?])?)*
                )]
                $variant:ident($ty:ty $(,)?)
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        $(#[derive($($derived),*)])?
        #[non_exhaustive]
        $vis enum $name {
            $($(#[doc = $about])* $variant($ty),)*
        }

        impl $name {
            /// The parameters it stands for.
            $vis const MEMBERS: &'static [&'static str] = &[$($wire),*];
        }

        $($(
            impl ::core::convert::$from<$ty> for $name {
                fn from(value: $ty) -> Self {
                    Self::$variant(value)
                }
            }
        )?)*

        const _: () = {
            $crate::__rows! { $($variant $wire; $(.$how($($bound)? $(&[$($value),*])?))*)* }

            impl $crate::parameters::Parameters for $name {
                fn write(&self, out: &mut $crate::parameters::ParameterWriter) {
                    match self {
                        $(Self::$variant(value) => $crate::emitted::Parameter::write(value, &ROWS.$variant, out),)*
                    }
                }

                fn read(from: &mut $crate::parameters::ParameterReader<'_>) -> ::core::option::Option<Self> {
                    let (mut given, mut read) = (0, ::core::option::Option::None);
                    $(if from.has($wire) {
                        given += 1;
                        read = <$ty as $crate::emitted::Parameter>::read(&ROWS.$variant, from).map(Self::$variant);
                    })*
                    from.exactly_one(given, Self::MEMBERS)?;
                    read
                }

                fn check(&self, to: &mut $crate::checks::Checks<'_>) {
                    match self {
                        $(Self::$variant(value) => $crate::emitted::Parameter::check(value, &ROWS.$variant, to),)*
                    }
                }
            }
        };

        impl $crate::emitted::ParameterValue for $name {
            type Kind = $crate::emitted::kinds::Choice;
        }

        $crate::__described!(set OneOf $name { $(
            $variant [$([= $about])*] [$wire; $(.$how($($bound)? $(&[$($value),*])?))*] [$ty]
        )* });
    };
}

/// The rows of a set as one static, because the compiler checks each constant by itself, and again wherever it is used.
/// A request may be called `Rows`, so that the type of the static has another name.
#[doc(hidden)]
#[macro_export]
macro_rules! __rows {
    ($($field:ident $wire:literal $(, $member:literal)*; $(.$how:ident($($bound:tt)*))*)*) => {
        #[allow(dead_code, non_snake_case, reason = "a set may have no parameters, and a row is named after its field")]
        struct __Rows {
            $($field: $crate::emitted::ParameterTable,)*
        }

        #[allow(dead_code, reason = "a set may have no parameters")]
        static ROWS: __Rows = __Rows { $($field: $crate::__parameter!($wire $(, $member)*; $(.$how($($bound)*))*),)* };
    };
}

/// The row of a parameter.
#[doc(hidden)]
#[macro_export]
macro_rules! __parameter {
    ($wire:literal $(, $member:literal)*; $($how:tt)*) => {
        $crate::emitted::ParameterTable::of(::core::concat!(",\"", $wire, "\":\""), &[$wire $(, $member)*]) $($how)*
    };
}

/// The value of a field that was read, of which only a required one can be missing.
#[doc(hidden)]
#[macro_export]
macro_rules! __given {
    ([Option<$ty:ty>] $read:ident) => {
        $read
    };
    ([runtime::Edit<$ty:ty>] $read:ident) => {
        $read
    };
    ([$($required:tt)*] $read:ident) => {
        $read?
    };
}

/// The setter of a parameter that may be left out.
#[doc(hidden)]
#[macro_export]
macro_rules! __setter {
    ([Option<$ty:ty>] [] $(#[$about:meta])* $vis:vis $field:ident) => {
        $(#[$about])*
        #[inline]
        $vis fn $field(mut self, $field: $ty) -> Self {
            self.$field = ::core::option::Option::Some($field);
            self
        }
    };
    ([Option<$ty:ty>] [Into] $(#[$about:meta])* $vis:vis $field:ident) => {
        $(#[$about])*
        #[inline]
        $vis fn $field(mut self, $field: impl ::core::convert::Into<$ty>) -> Self {
            self.$field = ::core::option::Option::Some($field.into());
            self
        }
    };
    ([Option<$ty:ty>] [IntoDecimal] $(#[$about:meta])* $vis:vis $field:ident) => {
        $(#[$about])*
        #[inline]
        $vis fn $field(mut self, $field: impl $crate::value::IntoDecimal) -> Self {
            let value = $crate::value::IntoDecimal::into_decimal($field);
            self.$field = ::core::option::Option::Some(<$ty as ::core::convert::From<$crate::Decimal>>::from(value));
            self
        }
    };
    ([runtime::Edit<$ty:ty>] [Into] $(#[$about:meta])* $vis:vis $field:ident) => {
        $(#[$about])*
        #[inline]
        $vis fn $field(mut self, $field: impl ::core::convert::Into<$crate::Edit<$ty>>) -> Self {
            self.$field = $field.into();
            self
        }
    };
    ([runtime::Edit<$ty:ty>] [IntoEdit] $(#[$about:meta])* $vis:vis $field:ident) => {
        $(#[$about])*
        #[inline]
        $vis fn $field(mut self, $field: impl $crate::value::IntoEdit) -> Self {
            self.$field = $crate::value::IntoEdit::into_edit($field).map(<$ty as ::core::convert::From<$crate::Decimal>>::from);
            self
        }
    };
    ([$($required:tt)*] $($rest:tt)*) => {};
}

impl Checks<'_> {
    /// Checks that an object among the parameters keeps its own rules.
    pub fn object<P: Parameters>(&mut self, name: &'static str, object: &P) {
        self.member(name, |checks| object.check(checks));
    }

    /// Checks that each item of a list keeps its own rules. `name` is empty where the body itself is the list.
    pub fn items<P: Parameters>(&mut self, name: &'static str, items: &[P]) {
        for (index, item) in items.iter().enumerate() {
            self.item(name, index, |checks| item.check(checks));
        }
    }
}
