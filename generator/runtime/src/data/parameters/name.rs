//! The names of parameters, stored as they are written in JSON.
//!
//! A JSON writer copies `,"symbol":"` in one piece, and a query takes the name out of it. That is a seventh of the
//! instructions of writing an order.

use std::fmt;

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
    /// The name in a member that [`name!`](crate::name) has written.
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

    /// The name itself.
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
