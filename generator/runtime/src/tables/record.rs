//! What the documents say of the values in an answer. Reading goes by Rust types and needs none of this; whoever compares
//! an answer with the documents does.

use crate::json::Decode;

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Form {
    /// Nobody tells.
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
    /// A record. The table is asked for rather than held, for a record may hold others of its kind.
    Record(fn() -> &'static RecordTable),
}

/// What the documents say of a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordTable {
    /// Its name in the schema; `None` of what has none, such as a page.
    pub name: Option<&'static str>,
    /// Whether it was only seen on the wire, and no document has it.
    pub is_observed: bool,
    /// Its fields, in the order of the document. Where there are none, nobody tells.
    pub fields: &'static [FieldTable],
}

impl RecordTable {
    /// That nobody tells.
    pub const UNTOLD: Self = Self { name: None, is_observed: false, fields: &[] };
}

/// What the documents say of a field of a record.
#[derive(Clone, Copy, Debug)]
pub struct FieldTable {
    /// Its name on the wire.
    pub name: &'static str,
    /// What its value looks like.
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
    /// A field of the type `T`, of which nothing more is said.
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
