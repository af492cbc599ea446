//! The meaning of a row of [`parameters!`](crate::data::parameters) for its parameter, and the names of parameters,
//! stored as they are written in JSON.
//!
//! A JSON writer copies `,"symbol":"` in one piece, and a query takes the name out of it. That is a seventh of the
//! instructions of writing an order.

use std::fmt;

/// Where a parameter travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the body, or in the query of a request without one.
    Among,
    /// In the query beside a body.
    Query,
    /// In the path or in a header.
    Elsewhere,
}

/// The row of a parameter: its name on the wire, how it travels, and the bounds that the documents state.
///
/// The words after the name in `#[wire(..)]` are methods of this type.
#[derive(Clone, Copy, Debug)]
pub struct ParameterTable {
    pub(super) written: Name,
    pub(super) wire: &'static str,
    /// The name in a query or a form.
    pub(super) sent: &'static str,
    /// All names on the wire, of which a choice has several.
    pub(super) members: &'static [&'static str],
    pub(super) is_bare: bool,
    pub(super) is_bit: bool,
    pub(super) is_body: bool,
    pub(super) place: Place,
    pub(super) has_siblings: bool,
    pub(super) may_be_blank: bool,
    pub(super) delete: &'static str,
    /// True if `null` deletes the value.
    pub(super) or_null: bool,
    /// The only value; empty if there are others.
    pub(super) fixed: &'static str,
    pub(super) only: &'static [&'static str],
    pub(super) min: Option<i128>,
    pub(super) max: Option<i128>,
    pub(super) min_decimal: Option<&'static str>,
    pub(super) max_decimal: Option<&'static str>,
    pub(super) digits: Option<u32>,
    pub(super) places: Option<u32>,
    pub(super) significant_digits: Option<u32>,
    pub(super) min_length: usize,
    pub(super) max_length: usize,
    /// The regular expression that a text matches; empty if there is none.
    #[cfg(feature = "pattern")]
    pub(super) pattern: &'static str,
    pub(super) min_items: usize,
    pub(super) max_items: usize,
}

impl ParameterTable {
    /// Creates a parameter that travels as text, without bounds. `member` is the name as [`Name::of_member`] takes it.
    pub const fn of(member: &'static str, members: &'static [&'static str]) -> Self {
        let wire = if let [wire, ..] = members { wire } else { "" };
        Self {
            written: Name::of_member(member),
            wire,
            sent: wire,
            members,
            is_bare: false,
            is_bit: false,
            is_body: false,
            place: Place::Among,
            has_siblings: false,
            may_be_blank: false,
            delete: "",
            or_null: false,
            fixed: "",
            only: &[],
            min: None,
            max: None,
            min_decimal: None,
            max_decimal: None,
            digits: None,
            places: None,
            significant_digits: None,
            min_length: 0,
            max_length: usize::MAX,
            #[cfg(feature = "pattern")]
            pattern: "",
            min_items: 0,
            max_items: usize::MAX,
        }
    }

    /// Declares that the parameter travels as a bare JSON number or boolean.
    #[must_use]
    pub const fn bare(self) -> Self {
        Self { is_bare: true, ..self }
    }

    /// Makes a boolean travel as the number 1 or 0.
    #[must_use]
    pub const fn bit(self) -> Self {
        Self { is_bit: true, ..self }
    }

    /// Declares that the parameter is the whole body, which is an array.
    #[must_use]
    pub const fn body(self) -> Self {
        Self { is_body: true, ..self }
    }

    /// Declares that the parameter travels in the path or in a header.
    #[must_use]
    pub const fn elsewhere(self) -> Self {
        Self { place: Place::Elsewhere, ..self }
    }

    /// Declares that the parameter travels in the query, beside a body with the others.
    #[must_use]
    pub const fn in_query(self) -> Self {
        Self { place: Place::Query, ..self }
    }

    /// Declares that the parameter has this name in the query beside a body.
    #[must_use]
    pub const fn sent_as(self, sent: &'static str) -> Self {
        Self { sent, ..self }
    }

    /// Declares that the parameter is the body, and other parameters travel elsewhere.
    #[must_use]
    pub const fn beside_others(self) -> Self {
        Self { has_siblings: true, ..self }
    }

    /// Declares that an empty text stands for a parameter that is left out.
    #[must_use]
    pub const fn may_be_blank(self) -> Self {
        Self { may_be_blank: true, ..self }
    }

    /// Sets the text that deletes the value.
    #[must_use]
    pub const fn deleted_by(self, delete: &'static str) -> Self {
        Self { delete, ..self }
    }

    /// Declares that `null` deletes the value.
    #[must_use]
    pub const fn or_null(self) -> Self {
        Self { or_null: true, ..self }
    }

    /// Sets the only value, as it is sent.
    #[must_use]
    pub const fn fixed(self, fixed: &'static str) -> Self {
        Self { fixed, ..self }
    }

    /// Declares that the parameter takes only these values of its type.
    #[must_use]
    pub const fn only(self, only: &'static [&'static str]) -> Self {
        Self { only, ..self }
    }

    /// Sets the least integer.
    #[must_use]
    pub const fn min(self, min: i128) -> Self {
        Self { min: Some(min), ..self }
    }

    /// Sets the greatest integer.
    #[must_use]
    pub const fn max(self, max: i128) -> Self {
        Self { max: Some(max), ..self }
    }

    /// Sets the least decimal number.
    #[must_use]
    pub const fn min_decimal(self, min: &'static str) -> Self {
        Self { min_decimal: Some(min), ..self }
    }

    /// Sets the greatest decimal number.
    #[must_use]
    pub const fn max_decimal(self, max: &'static str) -> Self {
        Self { max_decimal: Some(max), ..self }
    }

    /// Sets the greatest number of digits of an integer.
    #[must_use]
    pub const fn digits(self, digits: u32) -> Self {
        Self { digits: Some(digits), ..self }
    }

    /// Sets the greatest number of decimal places.
    #[must_use]
    pub const fn places(self, places: u32) -> Self {
        Self { places: Some(places), ..self }
    }

    /// Sets the greatest number of significant digits of a decimal.
    #[must_use]
    pub const fn significant_digits(self, significant_digits: u32) -> Self {
        Self { significant_digits: Some(significant_digits), ..self }
    }

    /// Sets the least number of characters of a text.
    #[must_use]
    pub const fn min_length(self, min_length: usize) -> Self {
        Self { min_length, ..self }
    }

    /// Sets the greatest number of characters of a text.
    #[must_use]
    pub const fn max_length(self, max_length: usize) -> Self {
        Self { max_length, ..self }
    }

    /// Sets the regular expression that a text matches.
    #[cfg(feature = "pattern")]
    #[must_use]
    pub const fn pattern(self, pattern: &'static str) -> Self {
        Self { pattern, ..self }
    }

    /// Sets the regular expression that a text matches.
    ///
    /// # Panics
    ///
    /// Fails to compile without the feature `pattern`.
    #[cfg(not(feature = "pattern"))]
    #[expect(clippy::panic, reason = "tables are constants, so it fails when they are compiled")]
    #[must_use]
    pub const fn pattern(self, _: &'static str) -> Self {
        panic!("the patterns of this schema need the feature `pattern` of tradeapi-runtime")
    }

    /// Sets the least number of items.
    #[must_use]
    pub const fn min_items(self, min_items: usize) -> Self {
        Self { min_items, ..self }
    }

    /// Sets the greatest number of items.
    #[must_use]
    pub const fn max_items(self, max_items: usize) -> Self {
        Self { max_items, ..self }
    }

    /// Returns whether a decimal number has bounds or a greatest precision.
    pub(super) const fn has_decimal_bound(&self) -> bool {
        let has_bound = self.min_decimal.is_some() || self.max_decimal.is_some();
        has_bound || self.places.is_some() || self.significant_digits.is_some()
    }
}

/// The name of a parameter, made by [`name!`](crate::name).
///
/// It is stored as the beginning of a JSON member, so that a writer copies it in one piece. The compiler has checked
/// that it needs no escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// Such as `,"symbol":"`.
    member: &'static str,
}

/// The text before and after the name in a member.
const BEFORE: &str = ",\"";

const AFTER: &str = "\":\"";

impl Name {
    /// Returns the name in a member that [`name!`](crate::name) has written.
    ///
    /// # Panics
    ///
    /// Fails to compile if the name needs escapes in JSON.
    #[doc(hidden)]
    pub const fn of_member(member: &'static str) -> Self {
        let bytes = member.as_bytes();
        let (mut at, end) = (BEFORE.len(), bytes.len() - AFTER.len());
        // The compiler runs this for each name, and a call takes it much longer than anything else, so there is none.
        while at < end {
            let is_stop = matches!(bytes[at], b'"' | b'\\' | 0..0x20);
            assert!(!is_stop, "the name of a parameter must not need escapes in JSON");
            at += 1;
        }
        Self { member }
    }

    /// Returns the name itself.
    pub fn as_str(self) -> &'static str {
        &self.member[BEFORE.len()..self.member.len() - AFTER.len()]
    }

    /// Returns what JSON has before a text, which ends with a quote: `,"symbol":"`.
    #[inline]
    pub(super) fn before_text(self) -> &'static str {
        self.member
    }

    /// Returns what JSON has before any other value: `,"symbol":`.
    #[inline]
    pub(super) fn before_value(self) -> &'static str {
        &self.member[..self.member.len() - 1]
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// A [`Name`](crate::data::parameters::Name) from a literal, which is checked when the program is compiled.
///
/// ```
/// use tradeapi_runtime::name;
/// use tradeapi_runtime::parameters::ParameterWriter;
///
/// let mut out = ParameterWriter::json();
/// out.text(name!("symbol"), &"BTCUSDT");
/// assert_eq!(out.finish(), r#"{"symbol":"BTCUSDT"}"#);
/// ```
///
/// A name that needs escapes in JSON does not compile:
///
/// ```compile_fail,E0080
/// tradeapi_runtime::name!("line\n");
/// ```
#[macro_export]
macro_rules! name {
    ($name:literal) => {
        const { $crate::parameters::Name::of_member(::core::concat!(",\"", $name, "\":\"")) }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_is_shown_as_it_is() {
        for (name, text) in
            [(crate::name!("symbol"), "symbol"), (crate::name!(""), ""), (crate::name!("größe"), "größe")]
        {
            assert_eq!(
                (name.as_str(), name.to_string(), format!("{name:?}")),
                (text, text.to_owned(), format!("{text:?}"))
            );
        }
    }
}
