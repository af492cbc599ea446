//! Which characters are percent-encoded in the parts of a URL.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};

/// All bytes but the letters, the digits and the marks that need no escape anywhere in a URL.
pub const RESERVED: &AsciiSet = &without(NON_ALPHANUMERIC, b"-._~");

/// The characters that the names and values of a query cannot have as they are. RFC 3986 allows more marks than are
/// left out here: `&`, `+` and `=` have a meaning between values, and the apostrophe would be escaped by URL libraries,
/// after it was signed.
pub const NOT_IN_QUERIES: &AsciiSet = &without(RESERVED, b":/@$,;!()*?");

const fn without(set: &AsciiSet, marks: &[u8]) -> AsciiSet {
    match marks {
        [] => set.union(AsciiSet::EMPTY),
        [mark, rest @ ..] => without(&set.remove(*mark), rest),
    }
}
