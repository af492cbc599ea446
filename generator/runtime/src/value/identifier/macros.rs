/// Declares an identifier type over a text.
///
/// Without constraints any text is taken, through `From<&str>` too, and an empty one or one with control characters
/// is found by `new` or before it is sent:
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
/// With constraints only a text that keeps them is taken. What the exchange sends is taken always:
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
                Self($crate::Text::unchecked(text))
            }
        }

        impl ::core::convert::From<::std::string::String> for $name {
            fn from(text: ::std::string::String) -> Self {
                Self($crate::Text::unchecked(&text))
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
            type Error = $crate::InvalidIdentifier;

            fn try_from(text: &str) -> ::core::result::Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl ::core::convert::TryFrom<::std::string::String> for $name {
            type Error = $crate::InvalidIdentifier;

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
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name($crate::Text);

        impl $name {
            /// Takes a text of the documented shape.
            ///
            /// # Errors
            ///
            /// When the text is empty, has control characters, or breaks the type's constraints.
            $vis fn new(text: impl ::core::convert::AsRef<str>) -> ::core::result::Result<Self, $crate::InvalidIdentifier> {
                $crate::Text::checked(text.as_ref(), &<Self as $crate::Identifier>::SHAPE).map(Self)
            }

            /// The text.
            $vis fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl $crate::Identifier for $name {
            const SHAPE: $crate::Shape = $crate::Shape::new(
                ::core::stringify!($name),
                $crate::__optional!($(($min, $max))?),
                $crate::__optional!($($alphabet)?),
            );

            fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl ::core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_tuple(::core::stringify!($name)).field(&self.0).finish()
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::InvalidIdentifier;

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

        impl $crate::Decode for $name {
            const FORM: $crate::Form = $crate::Form::Text;

            #[inline]
            fn decode(from: &mut $crate::Reader<'_>) -> ::core::result::Result<Self, $crate::ReadError> {
                $crate::Text::decode(from).map(Self)
            }

            #[inline]
            fn decode_some(
                place: &mut ::core::option::Option<Self>,
                from: &mut $crate::Reader<'_>,
            ) -> ::core::result::Result<(), $crate::ReadError> {
                place.insert(Self($crate::Text::EMPTY)).0.read(from)
            }
        }

        impl $crate::Encode for $name {
            #[inline]
            fn encode(&self, out: &mut $crate::JsonWriter) {
                out.string(self.as_str());
            }
        }

        impl $crate::Scalar for $name {
            #[inline]
            fn text<'a>(&'a self, _: &'a mut $crate::Scratch) -> &'a str {
                self.as_str()
            }
        }

        $crate::__serde_identifier!($name);
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
