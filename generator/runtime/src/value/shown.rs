//! How a set of fields is printed for people: on one line, without those that are not set.
//!
//! A derived `Debug` prints `None` twenty times for an order. Inherent functions of [`Field`], which take precedence
//! over those of a trait, recognize absent fields.

use std::fmt;

use super::edit::Edit;

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

/// A field that is to be printed. A type that can be absent has a `shown` of its own, which precedes that of
/// [`Present`]. It is called, not inlined, because there is a call for each field of each record.
#[derive(Debug)]
pub struct Field<'a, T>(pub &'a T);

impl<T: fmt::Debug> Field<'_, Option<T>> {
    /// The value, without the `Some` around it.
    #[inline(never)]
    pub fn shown(&self) -> Option<&dyn fmt::Debug> {
        self.0.as_ref().map(|value| value as &dyn fmt::Debug)
    }
}

impl<T: fmt::Debug> Field<'_, Edit<T>> {
    /// The edit, unless it keeps the value.
    #[inline(never)]
    pub fn shown(&self) -> Option<&dyn fmt::Debug> {
        match self.0 {
            Edit::Keep => None,
            Edit::Set(value) => Some(value),
            Edit::Delete => Some(self.0),
        }
    }
}

/// A field that is always there.
pub trait Present {
    /// The value.
    fn shown(&self) -> Option<&dyn fmt::Debug>;
}

impl<T: fmt::Debug> Present for Field<'_, T> {
    fn shown(&self) -> Option<&dyn fmt::Debug> {
        Some(self.0)
    }
}

/// Implements `Debug` and `Display` for a struct by its fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __shown {
    ($name:ident { $($field:ident),* }) => {
        // A deprecated field is printed like the others.
        #[allow(deprecated)]
        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #[allow(unused_imports)]
                use $crate::emitted::Present as _;
                #[allow(unused_mut)]
                let mut shown = $crate::emitted::Shown::new(f, ::core::stringify!($name));
                $(shown.field(::core::stringify!($field), $crate::emitted::Field(&self.$field).shown());)*
                shown.finish()
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(self, f)
            }
        }
    };
}
