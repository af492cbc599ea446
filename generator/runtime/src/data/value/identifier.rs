//! Texts that identify something.

use std::fmt;

use super::scalar::Scalar;
use super::shape::{InvalidIdentifier, Shape};
use super::small_text::SmallText;

/// A text that identifies something: an order, a symbol, a coin. Implemented by [`identifier!`](crate::identifier).
pub trait Identifier: Scalar + Sized {
    /// The documented shape of the text.
    const SHAPE: Shape;

    /// The text.
    fn as_str(&self) -> &str;
}

/// The text inside an identifier type.
///
/// Public only because [`identifier!`](crate::identifier) needs it; use the identifier's own methods.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(SmallText<LONGEST_USUAL>);

/// The longest ids that are usual, UUIDs, have 36 characters.
const LONGEST_USUAL: usize = 40;

impl Text {
    /// The empty text, which is not a valid identifier.
    pub const EMPTY: Self = Self(SmallText::EMPTY);

    /// Accepts any text; it is checked before it is sent.
    #[inline]
    pub fn unchecked(text: &str) -> Self {
        Self(SmallText::new(text))
    }

    /// Takes a text of the given shape.
    ///
    /// # Errors
    ///
    /// Fails if the text has another shape.
    #[inline]
    pub fn checked(text: &str, shape: &Shape) -> Result<Self, InvalidIdentifier> {
        shape.check(text).map(|()| Self::unchecked(text))
    }

    /// Replaces the text by `text`, in place.
    #[inline]
    pub(crate) fn set(&mut self, text: &str) {
        self.0.set(text);
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Declares an identifier type over a text.
///
/// Without constraints any text is accepted, also by `From<&str>`. An empty text or one with control characters is
/// refused by `new`, or before it is sent:
///
/// ```
/// tradeapi_runtime::identifier! {
///     /// The name of a trading pair.
///     pub struct Symbol {}
/// }
/// let symbol = Symbol::from("BTCUSDT");
/// assert_eq!(symbol.as_str(), "BTCUSDT");
/// ```
///
/// With constraints only a text that keeps them is accepted. Values from the exchange are always accepted:
///
/// ```
/// tradeapi_runtime::identifier! {
///     /// The caller's own name for an order.
///     pub struct ClientOid { length: 1..=32, alphabet: ".:/A-Za-z0-9_-" }
/// }
/// assert!(ClientOid::new("my-order.1").is_ok());
/// assert!(ClientOid::new("my order").is_err());
/// assert_eq!(ClientOid::MAX_LENGTH, 32);
/// ```
#[macro_export]
macro_rules! identifier {
    ($(#[$attribute:meta])* $vis:vis struct $name:ident {}) => {
        $crate::__identifier!($(#[$attribute])* $vis struct $name, (), ());

        impl ::core::convert::From<&str> for $name {
            fn from(text: &str) -> Self {
                Self($crate::emitted::Text::unchecked(text))
            }
        }

        impl ::core::convert::From<::std::string::String> for $name {
            fn from(text: ::std::string::String) -> Self {
                Self($crate::emitted::Text::unchecked(&text))
            }
        }
    };
    ($(#[$attribute:meta])* $vis:vis struct $name:ident { length: $min:literal ..= $max:literal $(, alphabet: $alphabet:literal)? $(,)? }) => {
        $crate::__identifier!($(#[$attribute])* $vis struct $name, ($min, $max), ($($alphabet)?));
        $crate::__constrained_identifier!($name);

        impl $name {
            /// The least number of characters.
            $vis const MIN_LENGTH: usize = $min;
            /// The greatest number of characters.
            $vis const MAX_LENGTH: usize = $max;
        }
    };
    ($(#[$attribute:meta])* $vis:vis struct $name:ident { alphabet: $alphabet:literal $(,)? }) => {
        $crate::__identifier!($(#[$attribute])* $vis struct $name, (), ($alphabet));
        $crate::__constrained_identifier!($name);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __constrained_identifier {
    ($name:ident) => {
        impl ::core::convert::TryFrom<&str> for $name {
            type Error = $crate::value::InvalidIdentifier;

            fn try_from(text: &str) -> ::core::result::Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl ::core::convert::TryFrom<::std::string::String> for $name {
            type Error = $crate::value::InvalidIdentifier;

            fn try_from(text: ::std::string::String) -> ::core::result::Result<Self, Self::Error> {
                Self::new(text)
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __identifier {
    ($(#[$attribute:meta])* $vis:vis struct $name:ident, ($($min:literal, $max:literal)?), ($($alphabet:literal)?)) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, PartialOrd, Ord, Hash)]
        $vis struct $name($crate::emitted::Text);

        impl ::core::cmp::Eq for $name {}

        impl $name {
            /// Takes a text of the documented shape.
            ///
            /// # Errors
            ///
            /// Fails if the text is empty, has control characters, or breaks the type's constraints.
            $vis fn new(text: impl ::core::convert::AsRef<str>) -> ::core::result::Result<Self, $crate::value::InvalidIdentifier> {
                $crate::emitted::Text::checked(text.as_ref(), &<Self as $crate::value::Identifier>::SHAPE).map(Self)
            }

            /// The text.
            $vis fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl $crate::value::Identifier for $name {
            const SHAPE: $crate::value::Shape = $crate::value::Shape::new(
                ::core::stringify!($name),
                $crate::__optional!($(($min, $max))?),
                $crate::__optional!($($alphabet)?),
            );

            fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl $crate::emitted::ParameterValue for $name {
            type Kind = $crate::emitted::kinds::Single<$crate::emitted::kinds::Id>;
        }

        $crate::__described!(identifier $name);

        impl ::core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.0, f)
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::value::InvalidIdentifier;

            #[inline]
            fn from_str(text: &str) -> ::core::result::Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl ::core::convert::From<$name> for ::std::string::String {
            fn from(identifier: $name) -> Self {
                identifier.as_str().to_owned()
            }
        }

        impl ::core::convert::AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl ::core::cmp::PartialEq<str> for $name {
            fn eq(&self, text: &str) -> bool {
                self.as_str() == text
            }
        }

        impl ::core::cmp::PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                self.as_str() == *text
            }
        }

        impl $crate::json::Decode for $name {
            const FORM: $crate::json::Form = $crate::json::Form::Text;

            #[inline]
            fn decode(from: &mut $crate::json::Reader<'_>) -> ::core::result::Result<Self, $crate::json::ReadError> {
                $crate::emitted::Text::decode(from).map(Self)
            }

            #[inline]
            fn decode_some(
                place: &mut ::core::option::Option<Self>,
                from: &mut $crate::json::Reader<'_>,
            ) -> ::core::result::Result<(), $crate::json::ReadError> {
                place.insert(Self($crate::emitted::Text::EMPTY)).0.read(from)
            }
        }

        $crate::__written_as_text!($name);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __optional {
    () => {
        ::core::option::Option::None
    };
    ($value:expr) => {
        ::core::option::Option::Some($value)
    };
}

#[cfg(test)]
mod tests {
    use super::Identifier;
    use crate::data::json::{read_json, write_json};

    crate::identifier! {
        /// Any text.
        struct Symbol {}
    }

    crate::identifier! {
        /// A short text of few characters.
        struct ClientOid { length: 1..=8, alphabet: "a-z0-9_-" }
    }

    crate::identifier! {
        /// Digits.
        struct Digits { alphabet: "0-9" }
    }

    #[test]
    fn a_constrained_one_keeps_its_shape() {
        assert!(ClientOid::new("order-1").is_ok());
        assert!("order_1".parse::<ClientOid>().is_ok());
        assert!(ClientOid::try_from("Order").is_err());
        assert!(Digits::try_from(String::from("12x")).is_err());
        assert_eq!((ClientOid::MIN_LENGTH, ClientOid::MAX_LENGTH), (1, 8));
        let error = ClientOid::new("order number 1").map_err(|error| error.to_string());
        assert_eq!(
            error,
            Err("\"order number 1\" is not a valid ClientOid: it must have at most 8 characters".to_owned())
        );
        let error = ClientOid::new("or der").map_err(|error| error.to_string());
        assert_eq!(
            error,
            Err("\"or der\" is not a valid ClientOid: it must have only characters of [a-z0-9_-], not ' '".to_owned())
        );
    }

    #[test]
    fn is_compared_with_a_text() {
        let symbol = Symbol::new("BTCUSDT").ok();
        assert!(symbol.as_ref().is_some_and(|symbol| symbol == "BTCUSDT" && *symbol != "ETHUSDT"));
        assert!(symbol.is_some_and(|symbol| symbol == *"BTCUSDT" && symbol != "btcusdt"));
    }

    #[test]
    fn none_is_empty_or_blank_or_has_control_characters() {
        assert!(Symbol::new("").is_err());
        assert!(Symbol::new(" ").is_err() && Symbol::new("\u{3000}").is_err() && Symbol::new(" A").is_ok());
        assert!(Symbol::new("BTC\nUSDT").is_err());
        assert!(Symbol::new("BTC/USDT été").is_ok());
        assert!(Symbol::SHAPE.check(Symbol::from("").as_str()).is_err());
    }

    #[test]
    fn values_from_the_exchange_are_accepted() {
        let oid = read_json::<ClientOid>("\"not of the documented shape\"");
        assert_eq!(oid.map(|oid| oid.to_string()), Ok("not of the documented shape".to_owned()));
        assert_eq!(read_json::<Symbol>("12345").map(String::from), Ok("12345".to_owned()));
        assert!(read_json::<Symbol>("\"\"").is_err());
    }

    #[test]
    fn is_shown_as_its_text() {
        let symbol = Symbol::from("BTCUSDT");
        assert_eq!(format!("{symbol} {symbol:?}"), "BTCUSDT \"BTCUSDT\"");
        assert_eq!(write_json(&symbol), "\"BTCUSDT\"");
    }
}
