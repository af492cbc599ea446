//! Single values with a text of their own.

use std::fmt;

/// A single value with a text of its own, as parameters carry them.
pub trait Scalar {
    /// The text that is sent. `scratch` is room for texts that must be made first.
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
    /// Empty room.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// The decimal digits of `number`.
    pub fn digits(&mut self, number: u64) -> &str {
        self.digits.format(number)
    }

    /// The decimal digits of `number`, after a minus sign if it is negative.
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
