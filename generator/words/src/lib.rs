//! Words that the generator and the clients that it writes share: the words of the schema language that mean something
//! at run time, each declared once with its spelling, the calendar, the escapes of URLs, the letters of minted ids, and
//! which of several names resembles a misspelt one.
//!
//! The runtime re-exports the words in its own modules.
#![forbid(unsafe_code)]

pub mod calendar;
mod credentials;
#[cfg(feature = "escapes")]
pub mod escapes;
mod operation;
mod outcome;
pub mod similar;

pub use credentials::{Algorithm, Encoding, Hash, NonceForm, SecretForm, SignedQuery, TimestampForm};
pub use operation::{
    Access, Around, CountedIn, Effect, Lists, Method, Objects, ResetForm, Scope, Sends, Sent, Severity,
};
pub use outcome::{Assumptions, CallResult, CodeProof, CredentialCause, DriftKind, REPEATS_AFTER, RowOutcome, Stage};

/// The letters of minted ids, five bits each: digits and lower-case letters that are not mistaken for each other.
pub const MINTED_LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The number of letters of a minted id, without a prefix: of the time in milliseconds, the process, and a count.
pub const MINTED_PARTS: [usize; 3] = [9, 8, 4];

/// The time by which a time may exceed the bound of a window before a check refuses it, in milliseconds: clocks differ,
/// and time passes between creating and checking a request.
pub const ACCESS_TOLERANCE_MS: u64 = 60_000;

/// Declares enums whose variants are words, each with its spelling.
#[macro_export]
macro_rules! words {
    ($($(#[$about:meta])* $visible:vis enum $name:ident { $($(#[$($doc:tt)+])* $word:ident = $text:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $visible enum $name { $($(#[$($doc)+])* $word,)* }

        #[allow(dead_code, reason = "not every word is printed or listed")]
        impl $name {
            /// All of them, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$word,)*];

            /// All of them, as the schema spells them.
            pub const WORDS: &'static [&'static str] = &[$($text,)*];

            /// The meaning of each, in the same order; empty where it says itself what it means.
            pub const DOCS: &'static [&'static str] = &[$(concat!($($crate::text_of_doc!($($doc)+)),*),)*];

            /// Returns the word as the schema spells it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text,)* }
            }

            /// Returns the word with this spelling.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$word),)* _ => None }
            }

            /// Returns the name of the variant in Rust.
            pub const fn variant(self) -> &'static str {
                match self { $(Self::$word => stringify!($word),)* }
            }
        }
    )*};
}

/// The text of an attribute that is documentation; nothing of any other.
#[doc(hidden)]
#[macro_export]
macro_rules! text_of_doc {
    (doc = $text:literal) => {
        $text
    };
    ($($other:tt)*) => {
        ""
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_as_it_is_written() {
        for method in Method::ALL {
            assert_eq!(Method::parse(method.as_str()), Some(*method));
        }
        assert_eq!(Method::parse("get"), None);
        assert_eq!((Method::Get.variant(), Method::WORDS[0]), ("Get", "GET"));
        assert_eq!(Effect::DOCS.len(), Effect::WORDS.len());
        assert_eq!(Effect::DOCS[0].trim(), "Nothing changes: it may be sent again.");
    }
}
