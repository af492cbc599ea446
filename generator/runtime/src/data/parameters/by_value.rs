//! Choices by the value of a parameter.

/// Declares a choice by the value of a parameter, which decides the others that go with it: an enum with a variant for
/// each value.
///
/// The attribute `wire` has the name of the parameter, its enum, and the names of all that may go with it. A variant is
/// called like the value. It holds the set of parameters that go with the value, if there are any; if all of them can
/// be left out, a second variant after `#[or]` holds the set, whose function `new` leaves them out.
///
/// ```
/// use tradeapi_runtime::parameters::ParameterReader;
///
/// tradeapi_runtime::open_enum! {
///     /// Whether an order names its price.
///     pub enum OrderType { Limit = "limit", Market = "market" }
/// }
///
/// tradeapi_runtime::parameters! {
///     /// What goes with a limit.
///     pub struct LimitExecution {
///         /// `price`: Price of the order.
///         #[wire("price")]
///         pub price: u64,
///     }
/// }
///
/// tradeapi_runtime::by_value! {
///     /// How an order executes.
///     #[wire("type" of OrderType, "price")]
///     pub enum Execution {
///         /// `type` = `limit`: Executes at its price.
///         Limit(LimitExecution),
///         /// `type` = `market`: Executes at once.
///         Market,
///     }
/// }
/// assert_eq!(ParameterReader::read(r#"{"type": "market"}"#), Ok(Execution::Market));
/// assert!(ParameterReader::read::<Execution>(r#"{"type": "market", "price": "7"}"#).is_err());
/// ```
#[macro_export]
macro_rules! by_value {
    (
        $(#[doc = $doc:literal])*
        #[wire($wire:literal of $decider:ident $(, $member:literal)* $(,)?)]
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $about:literal])*
                $value:ident $(($payload:ident $(,)?))?
                $(, #[or] $(#[doc = $or_about:literal])* $with:ident($optional:ident $(,)?))?
            ),* $(,)?
        }
        $($item:item)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        $vis enum $name {
            $(
                $(#[doc = $about])* $value $(($payload))?,
                $($(#[doc = $or_about])* $with($optional),)?
            )*
        }

        impl $name {
            /// The parameters it stands for.
            $vis const MEMBERS: &'static [&'static str] = &[$wire $(, $member)*];

            /// The value of the deciding parameter.
            $vis fn kind(&self) -> $decider {
                match self {
                    $(Self::$value { .. } $(| Self::$with($optional { .. }))? => $decider::$value,)*
                }
            }
        }

        $($item)*

        impl $crate::parameters::Parameters for $name {
            fn write(&self, out: &mut $crate::parameters::ParameterWriter) {
                out.text($crate::name!($wire), &self.kind());
                #[allow(unreachable_patterns, reason = "each value may have parameters")]
                match self {
                    $(
                        $(Self::$value(with) => <$payload as $crate::parameters::Parameters>::write(with, out),)?
                        $(Self::$with(with) => <$optional as $crate::parameters::Parameters>::write(with, out),)?
                    )*
                    _ => {}
                }
            }

            fn read(from: &mut $crate::parameters::ParameterReader<'_>) -> ::core::option::Option<Self> {
                match from.decide::<$decider>($wire, Self::MEMBERS)? {
                    $($decider::$value => $crate::__case!(from, Self::$value, [$($payload)?], [$($optional)?]),)*
                    $decider::Unknown(_) => ::core::option::Option::None,
                }
            }

            #[allow(unused_variables, reason = "no value may have parameters")]
            fn check(&self, to: &mut $crate::checks::Checks<'_>) {
                #[allow(unreachable_patterns, reason = "each value may have parameters")]
                match self {
                    $(
                        $(Self::$value(with) => <$payload as $crate::parameters::Parameters>::check(with, to),)?
                        $(Self::$with(with) => <$optional as $crate::parameters::Parameters>::check(with, to),)?
                    )*
                    _ => {}
                }
            }
        }

        $(
            $(impl ::core::convert::From<$payload> for $name {
                fn from(with: $payload) -> Self {
                    Self::$value(with)
                }
            })?

            $(impl ::core::convert::From<$optional> for $name {
                fn from(with: $optional) -> Self {
                    if with == $optional::new() { Self::$value } else { Self::$with(with) }
                }
            })?
        )*

        impl $crate::emitted::ParameterValue for $name {
            type Kind = $crate::emitted::kinds::Choice;
        }

        $crate::__described!(
            by_value $name [$($doc)*] $wire $decider { $($value [$($payload)? $($optional)?])* }
        );
    };
}

/// Reads the parameters that go with a value.
#[doc(hidden)]
#[macro_export]
macro_rules! __case {
    ($from:ident, $variant:expr, [], []) => {
        ::core::option::Option::Some($variant)
    };
    ($from:ident, $variant:expr, [$payload:ident], []) => {
        <$payload as $crate::parameters::Parameters>::read($from).map($variant)
    };
    ($from:ident, $variant:expr, [], [$optional:ident]) => {
        <$optional as $crate::parameters::Parameters>::read($from).map(::core::convert::Into::into)
    };
}
