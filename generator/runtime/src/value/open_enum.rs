use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use super::small_text::SmallText;
use crate::json::{ReadError, Reader};

/// An enum over texts that the exchange may extend: documented values are variants, any other text is kept.
///
/// Emitted enums implement this and take the rest from [`open_enum_impls!`](crate::open_enum_impls).
pub trait OpenEnum: Sized {
    /// The documented values, as they are written on the wire, in the order of the variants.
    const VALUES: &'static [&'static str];

    /// Other spellings that are read, each with the index of the value it stands for. They are never written.
    const ALSO: &'static [(&'static str, usize)] = &[];

    /// The variant of the value at `index` of [`VALUES`](Self::VALUES).
    fn known(index: usize) -> Option<Self>;

    /// The variant that keeps an undocumented value.
    fn unknown(value: UnknownValue) -> Self;

    /// The value as it is written on the wire.
    fn as_str(&self) -> &str;

    /// The index of this value in [`VALUES`](Self::VALUES), or `None` for an undocumented value.
    fn index(&self) -> Option<usize> {
        place_of(self.as_str(), Self::VALUES)
    }

    /// Whether the documents list it.
    fn is_known(&self) -> bool {
        self.index().is_some()
    }
}

/// A value that no document lists. Only a response can bring one: it cannot be built by hand.
///
/// It is rare, so it is boxed and keeps the enums small.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownValue(Box<SmallText>);

impl UnknownValue {
    #[cold]
    fn new(text: &str) -> Self {
        Self(Box::new(SmallText::new(text)))
    }

    /// The text the exchange sent.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValueError {
    given: String,
    allowed: &'static [&'static str],
}

impl UnknownValueError {
    #[cold]
    fn new(given: &str, allowed: &'static [&'static str]) -> Self {
        Self { given: given.to_owned(), allowed }
    }

    /// The values that would have been taken.
    pub fn allowed(&self) -> &'static [&'static str] {
        self.allowed
    }
}

impl fmt::Display for UnknownValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is none of {}", self.given, self.allowed.join(", "))
    }
}

impl Error for UnknownValueError {}

/// The enum value a response's text stands for: exact, another spelling, another case, or else unknown.
pub fn enum_from_wire<E: OpenEnum>(text: &str) -> E {
    find(text, E::VALUES, E::ALSO).and_then(E::known).unwrap_or_else(|| E::unknown(UnknownValue::new(text)))
}

/// The enum value with exactly this text.
///
/// # Errors
///
/// When no documented value has it.
pub fn enum_from_str<E: OpenEnum>(text: &str) -> Result<E, UnknownValueError> {
    place_of(text, E::VALUES).and_then(E::known).ok_or_else(|| UnknownValueError::new(text, E::VALUES))
}

/// Reads an enum value leniently: see [`enum_from_wire`].
///
/// # Errors
///
/// When the value is empty, or neither text nor number.
pub fn decode_enum<E: OpenEnum>(from: &mut Reader<'_>) -> Result<E, ReadError> {
    let word = word(from)?;
    Ok(enum_from_wire(&word))
}

// What follows is not generic, so that not each of the many enums brings a copy of it.

fn word<'a>(from: &mut Reader<'a>) -> Result<Cow<'a, str>, ReadError> {
    let start = from.here();
    let text = from.scalar()?;
    if text.is_empty() { Err(ReadError::new(start, "expected a word, found \"\"")) } else { Ok(text) }
}

fn place_of(text: &str, values: &[&str]) -> Option<usize> {
    values.iter().position(|value| *value == text)
}

/// Which of the values a response's text stands for.
pub(crate) fn find(text: &str, values: &[&str], also: &[(&str, usize)]) -> Option<usize> {
    let exact = place_of(text, values);
    let other = || also.iter().find(|(spelling, _)| *spelling == text).map(|(_, index)| *index);
    let any_case = || values.iter().position(|value| value.eq_ignore_ascii_case(text));
    exact.or_else(other).or_else(any_case)
}

/// Implements `Display`, `FromStr` (strict), [`Decode`](crate::Decode) (lenient), [`Encode`](crate::Encode) and
/// [`Scalar`](crate::Scalar) for types that are [`OpenEnum`](crate::OpenEnum).
#[macro_export]
macro_rules! open_enum_impls {
    ($($name:ident),+ $(,)?) => {$(
        impl ::core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad($crate::OpenEnum::as_str(self))
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::UnknownValueError;

            #[inline]
            fn from_str(text: &str) -> ::core::result::Result<Self, Self::Err> {
                $crate::enum_from_str(text)
            }
        }

        impl $crate::Decode for $name {
            const FORM: $crate::Form = $crate::Form::Word {
                values: <Self as $crate::OpenEnum>::VALUES,
                also: <Self as $crate::OpenEnum>::ALSO,
            };

            #[inline]
            fn decode(from: &mut $crate::Reader<'_>) -> ::core::result::Result<Self, $crate::ReadError> {
                $crate::decode_enum(from)
            }
        }

        impl $crate::Encode for $name {
            #[inline]
            fn encode(&self, out: &mut $crate::JsonWriter) {
                out.string($crate::OpenEnum::as_str(self));
            }
        }

        impl $crate::Scalar for $name {
            #[inline]
            fn text<'a>(&'a self, _: &'a mut $crate::Scratch) -> &'a str {
                $crate::OpenEnum::as_str(self)
            }
        }
    )+};
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::json::{read_json, write_json};

    /// A direction, as emitted code has it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) enum Side {
        Buy,
        Sell,
        Unknown(UnknownValue),
    }

    impl OpenEnum for Side {
        const VALUES: &'static [&'static str] = &["buy", "sell"];
        const ALSO: &'static [(&'static str, usize)] = &[("bid", 0), ("ask", 1)];

        fn known(index: usize) -> Option<Self> {
            match index {
                0 => Some(Self::Buy),
                1 => Some(Self::Sell),
                _ => None,
            }
        }

        fn index(&self) -> Option<usize> {
            match self {
                Self::Buy => Some(0),
                Self::Sell => Some(1),
                Self::Unknown(_) => None,
            }
        }

        fn unknown(value: UnknownValue) -> Self {
            Self::Unknown(value)
        }

        fn as_str(&self) -> &str {
            match self {
                Self::Buy => "buy",
                Self::Sell => "sell",
                Self::Unknown(value) => value.as_str(),
            }
        }
    }

    crate::open_enum_impls!(Side);

    #[test]
    fn responses_are_read_in_any_spelling() {
        for text in ["\"buy\"", "\"BUY\"", "\"bid\""] {
            assert_eq!(read_json(text), Ok(Side::Buy), "{text}");
        }
        let other = read_json::<Side>("\"Short\"");
        assert_eq!(other.as_ref().map(OpenEnum::as_str), Ok("Short"));
        assert_eq!(other.map(|other| write_json(&other)), Ok("\"Short\"".to_owned()));
    }

    #[test]
    fn from_str_takes_documented_values_only() {
        assert_eq!("sell".parse(), Ok(Side::Sell));
        let error = "SELL".parse::<Side>().map_err(|error| error.to_string());
        assert_eq!(error, Err("\"SELL\" is none of buy, sell".to_owned()));
    }
}
