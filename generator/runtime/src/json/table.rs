//! What the documents say of the values in an answer. Reading goes by Rust types and needs none of this; whoever
//! compares an answer with the documents does.

use super::decode::Decode;

/// The form of a value.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Form {
    /// Unspecified.
    Anything,
    /// Any text.
    Text,
    /// A number, perhaps with a fraction.
    Decimal,
    /// A whole number, also of milliseconds.
    Whole,
    /// True or false.
    Boolean,
    /// One of the values of an enum.
    Word {
        /// The values, as they are written on the wire.
        values: &'static [&'static str],
        /// Other spellings, each with the index of the value it stands for.
        also: &'static [(&'static str, usize)],
    },
    /// A list of such values.
    List(&'static Form),
    /// A record. It is a function, because a record may contain others of its kind.
    Record(fn() -> &'static RecordTable),
}

/// The documented form of a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordTable {
    /// Its name in the schema; `None` if it has none, like a page.
    pub name: Option<&'static str>,
    /// Whether it was only observed, and is in no document.
    pub is_observed: bool,
    /// Its fields, in the order of the document. Empty if they are unknown.
    pub fields: &'static [FieldTable],
}

impl RecordTable {
    /// Unknown.
    pub const UNTOLD: Self = Self::of(&[]);

    /// A record without a name that has these fields.
    pub const fn of(fields: &'static [FieldTable]) -> Self {
        Self { name: None, is_observed: false, fields }
    }

    /// The same record, under its name in the schema.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// The same record, which was only seen on the wire.
    #[must_use]
    pub const fn observed(self) -> Self {
        Self { is_observed: true, ..self }
    }
}

/// The documented form of a field of a record.
#[derive(Clone, Copy, Debug)]
pub struct FieldTable {
    /// Its name on the wire.
    pub name: &'static str,
    /// The form of its value.
    pub form: Form,
    /// Whether a number travels as a JSON number, and not as a string.
    pub is_bare: bool,
    /// Whether `null` can come.
    pub may_be_null: bool,
    /// Whether it comes only under a condition.
    pub is_conditional: bool,
    /// The values of the enum that are listed here; all of them where there are none.
    pub only: &'static [&'static str],
    /// Whether it is an error code.
    pub is_code: bool,
}

impl FieldTable {
    /// A field of the type `T` without further properties.
    pub const fn of<T: Decode>(name: &'static str) -> Self {
        Self::in_form(name, T::FORM)
    }

    pub(crate) const fn in_form(name: &'static str, form: Form) -> Self {
        Self { name, form, is_bare: false, may_be_null: false, is_conditional: false, only: &[], is_code: false }
    }

    /// The same, whose numbers travel as JSON numbers.
    #[must_use]
    pub const fn bare(self) -> Self {
        Self { is_bare: true, ..self }
    }

    /// The same, which can be `null`.
    #[must_use]
    pub const fn or_null(self) -> Self {
        Self { may_be_null: true, ..self }
    }

    /// The same, which comes only under a condition.
    #[must_use]
    pub const fn conditional(self) -> Self {
        Self { is_conditional: true, ..self }
    }

    /// The same, of which only these values are listed.
    #[must_use]
    pub const fn only(self, values: &'static [&'static str]) -> Self {
        Self { only: values, ..self }
    }

    /// The same, which is an error code.
    #[must_use]
    pub const fn code(self) -> Self {
        Self { is_code: true, ..self }
    }
}
