//! Prints a set of fields for people: on one line, without those that are not set.
//!
//! A derived `Debug` prints `None` twenty times for an order.

use std::fmt;

/// Prints the fields of a request or a record that are there.
pub struct Shown<'f, 'w> {
    fields: fmt::DebugStruct<'f, 'w>,
}

impl<'f, 'w> Shown<'f, 'w> {
    /// Begins with the name of the type.
    pub fn new(f: &'f mut fmt::Formatter<'w>, name: &'static str) -> Self {
        Self { fields: f.debug_struct(name) }
    }

    /// Prints a field if it is there.
    pub fn field(&mut self, name: &'static str, value: Option<&dyn fmt::Debug>) {
        if let Some(value) = value {
            self.fields.field(name.trim_start_matches("r#"), value);
        }
    }

    /// Ends the line.
    ///
    /// # Errors
    ///
    /// Fails if the formatter fails.
    pub fn finish(&mut self) -> fmt::Result {
        self.fields.finish()
    }
}

impl fmt::Debug for Shown<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown").finish_non_exhaustive()
    }
}

/// Writes a text with the width and the alignment that the formatter asks for. Without them, it takes no memory.
pub(crate) fn pad_args(f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>) -> fmt::Result {
    if f.width().is_none() && f.precision().is_none() { f.write_fmt(text) } else { f.pad(&text.to_string()) }
}

/// A part of a value that is printed, or nothing.
pub(crate) fn part<T: fmt::Debug>(value: &Option<T>) -> Option<&dyn fmt::Debug> {
    value.as_ref().map(|value| value as &dyn fmt::Debug)
}

/// Implements `Display` by `Debug`.
#[doc(hidden)]
#[macro_export]
macro_rules! __displayed {
    ($name:ident) => {
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(self, f)
            }
        }
    };
}
