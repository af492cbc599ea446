//! Texts that identify something, and new ids, unique over processes, restarts and machines.
//!
//! An id has 45 bits of time in milliseconds, 40 random bits of the process, and a count of 20 bits. Two processes share
//! one only if they mint in the same millisecond with the same random bits, one in 10^12. A restart has other bits, a
//! fork another process number, and a clock that is set back meets another count.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use tradeapi_words::{MINTED_LETTERS, MINTED_PARTS as PARTS};

use super::scalar::Scalar;
use super::shape::{InvalidIdentifier, Shape};
use super::small_text::SmallText;
use super::timestamp::Timestamp;

/// A text that identifies something: an order, a symbol, a coin. Implemented by [`identifier!`](crate::identifier).
pub trait Identifier: Scalar + Sized {
    /// The documented shape of the text.
    const SHAPE: Shape;

    /// Returns the text.
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

    /// Returns the text.
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

            /// Returns the text.
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

        impl ::core::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
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

/// The length of a minted text without a prefix.
pub const MINTED_LENGTH: usize = PARTS[0] + PARTS[1] + PARTS[2];

/// Returns a unique text.
///
/// Public only because [`mintable!`](crate::mintable) needs it.
#[doc(hidden)]
pub fn mint() -> Text {
    Text::unchecked(&minted())
}

/// Returns the same after a prefix.
///
/// # Errors
///
/// Fails if the prefix is too long or has characters that the identifier does not allow.
#[doc(hidden)]
pub fn mint_with<I: Identifier>(prefix: &str) -> Result<Text, InvalidIdentifier> {
    Text::checked(&(prefix.to_owned() + &minted()), &I::SHAPE)
}

/// Returns the text of this time and this random number.
#[doc(hidden)]
pub fn minted_of(time: Timestamp, chance: u64) -> Text {
    Text::unchecked(&written([time.as_millis(), chance, chance >> (5 * PARTS[1])]))
}

fn minted() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = Timestamp::from(SystemTime::now());
    written([now.as_millis(), process(std::process::id()), COUNT.fetch_add(1, Ordering::Relaxed)])
}

fn written(parts: [u64; 3]) -> String {
    let mut text = String::with_capacity(MINTED_LENGTH);
    for (number, digits) in parts.into_iter().zip(PARTS) {
        write(&mut text, number, digits);
    }
    text
}

/// Returns a number for this process. Its random part distinguishes it from processes on other machines and from
/// earlier ones with its id; the id distinguishes it from forks, which share the random part.
fn process(id: u32) -> u64 {
    static CHANCE: OnceLock<RandomState> = OnceLock::new();
    CHANCE.get_or_init(RandomState::new).hash_one(id)
}

/// Writes the last `digits` digits of a number.
fn write(text: &mut String, number: u64, digits: usize) {
    for digit in (0..digits).rev() {
        let index = usize::try_from(number >> (5 * digit) & 31).unwrap_or_default();
        text.push(char::from(MINTED_LETTERS[index]));
    }
}

/// Adds functions to an identifier type that create new values. Its shape must accept [`MINTED_LENGTH`] lower-case
/// letters and digits, which the generator checks.
#[macro_export]
macro_rules! mintable {
    ($($name:ident),+ $(,)?) => {$(
        impl $name {
            /// Creates a new id, made from the time, 40 random bits of the process and a count. Two processes mint the
            /// same one only in the same millisecond with the same bits. Store it before sending what it identifies.
            #[must_use]
            pub fn mint() -> Self {
                Self($crate::emitted::mint())
            }

            /// Returns the id of this time and this random number, which are the same in each run of a simulation; see
            /// [`Environment`](tradeapi_runtime::clock::Environment).
            #[must_use]
            pub fn minted_of(time: $crate::value::Timestamp, random: u64) -> Self {
                Self($crate::emitted::minted_of(time, random))
            }

            /// Creates a new id after a prefix.
            ///
            /// # Errors
            ///
            /// Fails if the prefix is too long or has characters that such an id cannot have.
            pub fn mint_with(prefix: &str) -> ::core::result::Result<Self, $crate::value::InvalidIdentifier> {
                $crate::emitted::mint_with::<Self>(prefix).map(Self)
            }
        }
    )+};
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
        assert_eq!((symbol.as_deref(), symbol.as_ref().map(|symbol| symbol.len())), (Some("BTCUSDT"), Some(7)));
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

#[cfg(test)]
mod tests_of_mint {
    use std::collections::HashSet;

    use super::*;

    crate::identifier! {
        /// Has room for a prefix.
        pub struct OrderName { length: 1..=24, alphabet: "0-9a-z_" }
    }
    mintable!(OrderName);

    #[test]
    fn no_two_are_the_same() {
        let make = || (0..10_000).map(|_| OrderName::mint()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(make)).collect();
        let all: HashSet<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect();
        assert_eq!(all.len(), 40_000);
        assert!(all.iter().all(|name| OrderName::new(name.as_str()).as_ref() == Ok(name)));
    }

    #[test]
    fn processes_mint_different_ids() {
        let found: HashSet<_> = (0..1_000).map(|id| process(id) % (1 << 40)).collect();
        assert_eq!(found.len(), 1_000);
    }

    #[test]
    fn a_prefix_must_fit() {
        assert!(OrderName::mint_with("d1_").is_ok_and(|name| name.as_str().starts_with("d1_")));
        assert!(OrderName::mint_with("d1__").is_err() && OrderName::mint_with("D1").is_err());
    }

    #[test]
    fn the_same_time_and_number_mint_the_same_id() {
        let (time, later) = (Timestamp::from_millis(1_700_000_000_000), Timestamp::from_millis(1_700_000_000_001));
        let id = OrderName::minted_of(time, 7);
        assert_eq!(id, OrderName::minted_of(time, 7));
        let others =
            [OrderName::minted_of(later, 7), OrderName::minted_of(time, 8), OrderName::minted_of(time, 7 | 1 << 50)];
        assert!(others.iter().all(|other| *other != id) && OrderName::new(id.as_str()).as_ref() == Ok(&id));
    }

    #[test]
    fn digits_keep_their_order() {
        let written = |number| {
            let mut text = String::new();
            write(&mut text, number, 3);
            text
        };
        assert_eq!([written(0), written(31), written(32), written(32 * 32 * 32 + 1)], ["000", "00z", "010", "001"]);
        assert!(MINTED_LETTERS.is_sorted());
    }
}
