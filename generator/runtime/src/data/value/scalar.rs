//! Single values with a text of their own, and sets of fields printed for people: on one line, without those that are
//! not set.
//!
//! A derived `Debug` prints `None` twenty times for an order.

use std::fmt;

/// A single value with a text of its own, as parameters carry them.
pub trait Scalar {
    /// Returns the text that is sent. `scratch` is room for texts that must be made first.
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str;

    /// Returns whether the text is known to have no quotes, backslashes and control characters, so that they need not
    /// be searched for.
    #[inline]
    fn is_plain(&self) -> bool {
        false
    }
}

/// Room in which a [`Scalar`] makes its text; digits need no allocation.
#[derive(Clone, Default)]
pub struct Scratch {
    digits: itoa::Buffer,
    text: String,
}

impl Scratch {
    /// Creates empty room.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the decimal digits of `number`.
    pub fn digits(&mut self, number: u64) -> &str {
        self.digits.format(number)
    }

    /// Returns the decimal digits of `number`, after a minus sign if it is negative.
    pub fn signed_digits(&mut self, number: i64) -> &str {
        self.digits.format(number)
    }

    /// Keeps `text` while it is needed.
    pub fn keep(&mut self, text: String) -> &str {
        self.text = text;
        &self.text
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

impl<T: Scalar + ?Sized> Scalar for &T {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        (**self).text(scratch)
    }

    fn is_plain(&self) -> bool {
        (**self).is_plain()
    }
}

impl Scalar for str {
    fn text<'a>(&'a self, _: &'a mut Scratch) -> &'a str {
        self
    }
}

impl Scalar for String {
    fn text<'a>(&'a self, _: &'a mut Scratch) -> &'a str {
        self
    }
}

impl Scalar for bool {
    fn text<'a>(&'a self, _: &'a mut Scratch) -> &'a str {
        if *self { "true" } else { "false" }
    }
}

impl Scalar for u64 {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        scratch.digits(*self)
    }
}

impl Scalar for i64 {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        scratch.signed_digits(*self)
    }
}

/// Writes the values of a type as their texts, in JSON and as parameters.
#[doc(hidden)]
#[macro_export]
macro_rules! __written_as_text {
    ($name:ident $(, { $($is_plain:tt)* })?) => {
        impl $crate::json::Encode for $name {
            #[inline]
            fn encode(&self, out: &mut $crate::json::JsonWriter) {
                out.string(self.as_str());
            }
        }

        impl $crate::value::Scalar for $name {
            #[inline]
            fn text<'a>(&'a self, _: &'a mut $crate::value::Scratch) -> &'a str {
                self.as_str()
            }

            $($($is_plain)*)?
        }

        $crate::serde_value!($name);
    };
}

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

/// Returns a part of a value that is printed, or nothing.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_number() {
        for number in [0, 7, 10, 1_730_271_234_567, u64::MAX] {
            assert_eq!(number.text(&mut Scratch::new()), number.to_string());
        }
        for number in [i64::MIN, -7, 0, i64::MAX] {
            assert_eq!(number.text(&mut Scratch::new()), number.to_string());
        }
    }
}
