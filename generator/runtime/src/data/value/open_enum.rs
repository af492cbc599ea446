//! Enums over texts that the exchange may extend.

use std::error::Error;
use std::fmt;

use super::date::Dates;
use super::small_text::{SmallText, is_same};

/// An enum over texts that the exchange may extend: documented values are variants, any other text is kept.
///
/// Declared by [`open_enum!`](crate::open_enum).
pub trait OpenEnum: Clone + 'static {
    /// The documented values, in the order of the document.
    const ALL: &'static [Self];

    /// The documented values, as they are written on the wire, in the same order.
    const VALUES: &'static [&'static str];

    /// Other spellings that are read, each with the value it stands for. They are never written.
    const ALSO: &'static [(&'static str, &'static str)] = &[];

    /// The values that the exchange takes on some days only, each with these.
    const DATED: &'static [(&'static str, Dates)] = &[];

    /// True if no documented value has quotes, backslashes or control characters.
    const ARE_PLAIN: bool = are_plain(Self::VALUES);

    /// Returns the variant of the value at `index` of [`VALUES`](Self::VALUES).
    fn known(index: usize) -> Option<Self> {
        Self::ALL.get(index).cloned()
    }

    /// Returns the variant that keeps an undocumented value.
    fn unknown(value: UnknownValue) -> Self;

    /// Returns the value as on the wire.
    fn as_str(&self) -> &str;

    /// Returns the index of this value in [`VALUES`](Self::VALUES), or `None` for an undocumented value.
    fn index(&self) -> Option<usize> {
        place_of(self.as_str(), Self::VALUES)
    }

    /// Returns whether the documents list it.
    fn is_known(&self) -> bool {
        self.index().is_some()
    }
}

/// A value that no document lists. Only responses contain one: it cannot be built by hand.
///
/// It is rare, so it is boxed and keeps the enums small.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownValue(Box<SmallText>);

impl UnknownValue {
    #[cold]
    fn new(text: &str) -> Self {
        Self(Box::new(SmallText::new(text)))
    }

    /// Returns the text the exchange sent.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// A text is not among the values an enum has.
#[derive(Clone, PartialEq, Eq)]
pub struct UnknownValueError {
    given: String,
    allowed: &'static [&'static str],
}

impl UnknownValueError {
    #[cold]
    fn new(given: &str, allowed: &'static [&'static str]) -> Self {
        Self { given: given.to_owned(), allowed }
    }

    /// Returns the accepted values.
    pub fn allowed(&self) -> &'static [&'static str] {
        self.allowed
    }
}

impl fmt::Display for UnknownValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not one of {}", self.given, self.allowed.join(", "))
    }
}

debug_as_sentence!(UnknownValueError);

impl Error for UnknownValueError {}

/// Returns the enum value for a text in a response: by exact spelling, another spelling or another case, or else
/// unknown.
pub fn enum_from_wire<E: OpenEnum>(text: &str) -> E {
    find(text, E::VALUES, E::ALSO).and_then(E::known).unwrap_or_else(|| E::unknown(UnknownValue::new(text)))
}

/// Returns the enum value with exactly this text.
///
/// # Errors
///
/// Fails if no documented value has it.
pub fn enum_from_str<E: OpenEnum>(text: &str) -> Result<E, UnknownValueError> {
    place_of(text, E::VALUES).and_then(E::known).ok_or_else(|| UnknownValueError::new(text, E::VALUES))
}

// The rest is not generic, so that the many enums share one copy of it.

pub(crate) fn place_of(text: &str, values: &[&str]) -> Option<usize> {
    values.iter().position(|value| is_same(value.as_bytes(), text.as_bytes()))
}

const fn are_plain(values: &[&str]) -> bool {
    let mut rest = values;
    while let [value, others @ ..] = rest {
        let mut bytes = value.as_bytes();
        while let [byte, following @ ..] = bytes {
            if matches!(byte, b'"' | b'\\' | 0..0x20) {
                return false;
            }
            bytes = following;
        }
        rest = others;
    }
    true
}

/// Returns which of the values a response's text stands for.
pub(crate) fn find(text: &str, values: &[&str], also: &[(&str, &str)]) -> Option<usize> {
    let exact = place_of(text, values);
    let other = || also.iter().find(|(spelling, _)| *spelling == text).and_then(|(_, value)| place_of(value, values));
    let any_case = || values.iter().position(|value| value.eq_ignore_ascii_case(text));
    exact.or_else(other).or_else(any_case)
}

/// Declares an [`OpenEnum`]: each variant with its text on the wire, then other spellings that
/// are read. `#[dates(from = "2026-08-18", until = "")]` before a variant states the days on which the exchange takes it.
///
/// The macro adds the variant `Unknown`, the list `ALL`, `as_str`, `Display`, `FromStr` (strict),
/// [`Decode`](crate::data::json::Decode) (lenient), [`Encode`](crate::data::json::Encode), [`Scalar`](crate::data::value::Scalar), and
/// serde's traits if the feature `serde` is on.
///
/// ```
/// tradeapi_runtime::open_enum! {
///     /// A direction.
///     pub enum Side {
///         /// `buy`
///         Buy = "buy" | "bid",
///         /// `sell`
///         Sell = "sell",
///     }
/// }
/// assert_eq!("buy".parse(), Ok(Side::Buy));
/// assert_eq!(tradeapi_runtime::json::read_json("\"bid\""), Ok(Side::Buy));
/// assert_eq!(Side::ALL, [Side::Buy, Side::Sell]);
/// ```
#[macro_export]
macro_rules! open_enum {
    (
        $(#[$attribute:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $about:literal])*
                $(#[deprecated(note = $note:literal)])?
                $(#[dates(from = $from:literal, until = $until:literal)])?
                $variant:ident = $wire:literal $(| $also:literal)*
            ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Hash)]
        #[non_exhaustive]
        $vis enum $name {
            $(
                $(#[doc = $about])*
                $(#[deprecated(note = $note)])?
                $variant,
            )*
            /// A value that the documents do not list. Only responses contain one; a request with it is refused.
            Unknown($crate::value::UnknownValue),
        }

        // A deprecated value is read and written like the others.
        #[allow(deprecated)]
        impl $name {
            /// Every documented value, in the order of the document.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the value as on the wire.
            $vis fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $wire,)*
                    Self::Unknown(value) => value.as_str(),
                }
            }
        }

        impl $crate::value::OpenEnum for $name {
            const ALL: &'static [Self] = Self::ALL;

            const VALUES: &'static [&'static str] = &[$($wire),*];

            const ALSO: &'static [(&'static str, &'static str)] = &[$($(($also, $wire),)*)*];

            const DATED: &'static [(&'static str, $crate::value::Dates)] = &[
                $($(($wire, $crate::value::Dates::OPEN.from($from).until($until)),)?)*
            ];

            fn unknown(value: $crate::value::UnknownValue) -> Self {
                Self::Unknown(value)
            }

            #[inline]
            fn is_known(&self) -> bool {
                !::core::matches!(self, Self::Unknown(_))
            }

            fn as_str(&self) -> &str {
                Self::as_str(self)
            }
        }

        // Deriving `Eq` and `Debug` gives the compiler more to check.
        impl ::core::cmp::Eq for $name {}

        #[allow(deprecated, unreachable_code, reason = "a value may be deprecated, and none may be documented")]
        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let name = match self {
                    $(Self::$variant => ::core::stringify!($variant),)*
                    Self::Unknown(value) => return f.debug_tuple("Unknown").field(value).finish(),
                };
                f.write_str(name)
            }
        }

        impl $crate::emitted::ParameterValue for $name {
            type Kind = $crate::emitted::kinds::Word;
        }

        impl ::core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::value::UnknownValueError;

            #[inline]
            fn from_str(text: &str) -> ::core::result::Result<Self, $crate::value::UnknownValueError> {
                $crate::emitted::enum_from_str(text)
            }
        }

        impl $crate::json::Decode for $name {
            const FORM: $crate::json::Form = $crate::json::Form::Word {
                values: <Self as $crate::value::OpenEnum>::VALUES,
                also: <Self as $crate::value::OpenEnum>::ALSO,
            };

            #[inline]
            fn decode(from: &mut $crate::json::Reader<'_>) -> ::core::result::Result<Self, $crate::json::ReadError> {
                $crate::emitted::decode_enum(from)
            }
        }

        $crate::__described!(words $name { $($wire [$($about)*])* });
        $crate::__written_as_text!($name, {
            #[inline]
            fn is_plain(&self) -> bool {
                <Self as $crate::value::OpenEnum>::ARE_PLAIN && $crate::value::OpenEnum::is_known(self)
            }
        });
    };
}

/// Converts the values of another enum to those of an open one, by their texts.
#[doc(hidden)]
#[macro_export]
macro_rules! same_texts {
    ($other:path => $name:ident) => {
        impl ::core::convert::From<$other> for $name {
            /// Takes the value with the same text. One that this enum does not have becomes `Unknown`, and is refused in
            /// requests.
            fn from(value: $other) -> Self {
                $crate::emitted::enum_from_wire(value.as_str())
            }
        }
    };
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::data::json::{ReadError, read_json, write_json};
    use crate::data::parameters::ParameterWriter;
    use crate::data::value::Scalar;

    crate::open_enum! {
        /// A direction.
        pub(crate) enum Side {
            /// `buy`
            Buy = "buy" | "bid",
            /// `sell`
            Sell = "sell" | "ask",
        }
    }

    #[test]
    fn responses_are_read_in_any_spelling() {
        for text in ["\"buy\"", "\"BUY\"", "\"bid\""] {
            assert_eq!(read_json(text), Ok(Side::Buy), "{text}");
        }
        let other = read_json::<Side>("\"Short\"");
        assert_eq!(other.as_ref().map(OpenEnum::as_str), Ok("Short"));
        assert_eq!(other.map(|other| write_json(&other)), Ok("\"Short\"".to_owned()));
    }

    crate::open_enum! {
        /// Words as no exchange has them yet.
        enum Odd {
            /// `"`
            Quote = "\"",
            /// `word`
            Word = "word",
        }
    }

    #[test]
    fn values_are_escaped_where_they_must_be() -> Result<(), ReadError> {
        let other: Side = read_json(r#""a\\b""#)?;
        let mut out = ParameterWriter::json();
        out.text(crate::name!("known"), &Side::Buy);
        out.text(crate::name!("unknown"), &other);
        out.text(crate::name!("odd"), &Odd::Quote);
        assert_eq!(out.finish(), r#"{"known":"buy","unknown":"a\\b","odd":"\""}"#);
        assert!(Side::Buy.is_plain() && !other.is_plain() && !Odd::Word.is_plain());
        Ok(())
    }

    #[test]
    fn from_str_takes_documented_values_only() {
        assert_eq!("sell".parse(), Ok(Side::Sell));
        let error = "SELL".parse::<Side>().map_err(|error| error.to_string());
        assert_eq!(error, Err("\"SELL\" is not one of buy, sell".to_owned()));
    }
}
