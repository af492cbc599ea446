//! Tables of what the documents say about the values in an answer, and the order in which the members of similar
//! objects came. Reading follows Rust types and does not need the tables; the comparison of an answer with the
//! documents does.

use crate::data::value::Timestamp;

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
    /// A whole number from zero on, also of milliseconds.
    Whole,
    /// A whole number, perhaps negative.
    Signed,
    /// A whole number of any length that encodes a decimal.
    Scaled,
    /// A time in another form than milliseconds; the function reads it.
    Time(fn(&str) -> Option<Timestamp>),
    /// A text in a format of its own; the function checks it.
    Formatted(fn(&str) -> bool),
    /// True or false.
    Boolean,
    /// One of the values of an enum.
    Word {
        /// The values, as they are written on the wire.
        values: &'static [&'static str],
        /// Other spellings, each with the value it stands for.
        also: &'static [(&'static str, &'static str)],
    },
    /// A list of such values.
    List(&'static Form),
    /// An object of any names with such values.
    Map(&'static Form),
    /// A record. It is a function, because a record may contain others of its kind.
    Record(fn() -> &'static RecordTable),
    /// One of several records.
    OneOf(&'static OneOfTable),
}

impl Form {
    /// Returns the time that `text` stands for as the value of a field of such a record.
    pub(crate) fn time_of(self, field: &str, text: &str) -> Option<Timestamp> {
        let form = match self {
            Self::Record(table) => table().fields.iter().find(|known| known.name == field).map(|known| known.form),
            _ => None,
        };
        match form {
            Some(Self::Time(read)) => read(text),
            _ => text.parse().ok().map(Timestamp::from_millis),
        }
    }
}

/// The documented form of a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordTable {
    /// The name in the schema; `None` for a page, which has none.
    pub name: Option<&'static str>,
    /// True if it was only observed, and is in no document.
    pub is_observed: bool,
    /// The form in JSON.
    pub travels: Travels,
    /// The fields, in the order of the document. Empty if they are unknown.
    pub fields: &'static [FieldTable],
}

impl RecordTable {
    /// A record whose fields are unknown.
    pub const UNKNOWN: Self = Self::of(&[]);

    /// Creates a record without a name that has these fields.
    pub const fn of(fields: &'static [FieldTable]) -> Self {
        Self { name: None, is_observed: false, travels: Travels::AsObject, fields }
    }

    /// Returns the same record, under its name in the schema.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Returns the same record, which was only observed.
    #[must_use]
    pub const fn observed(self) -> Self {
        Self { is_observed: true, ..self }
    }

    /// Returns the same record, which travels as an array.
    #[must_use]
    pub const fn by_position(self) -> Self {
        Self { travels: Travels::AsArray, ..self }
    }

    /// Returns the same record, which travels as the value of its only field.
    #[must_use]
    pub const fn as_value(self) -> Self {
        Self { travels: Travels::AsValue, ..self }
    }
}

/// The form of a record in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travels {
    /// An object with its fields.
    AsObject,
    /// An array of its fields, which their places identify.
    AsArray,
    /// The value of its only field.
    AsValue,
}

/// The field that decides which of several records a value is.
#[derive(Clone, Copy, Debug)]
pub struct OneOfTable {
    /// The member whose value decides; `None` if the form of the JSON does.
    pub decider: Option<&'static str>,
    /// The records, in the order of the schema.
    pub cases: &'static [CaseTable],
}

/// One of the records that a value can be.
#[derive(Clone, Copy, Debug)]
pub struct CaseTable {
    /// The values of the deciding member. Without one, members of which only this record has any; empty for the record
    /// of a value that no other fits.
    pub told_by: &'static [&'static str],
    /// The form, which is that of a record.
    pub form: Form,
}

/// The documented form of a field of a record.
#[derive(Clone, Copy, Debug)]
pub struct FieldTable {
    /// The name on the wire.
    pub name: &'static str,
    /// The form of its value.
    pub form: Form,
    /// True if a number travels as a JSON number, and not as a string.
    pub is_bare: bool,
    /// True if a boolean travels as a string.
    pub is_quoted: bool,
    /// True if it can be `null`.
    pub may_be_null: bool,
    /// True if it occurs only under a condition.
    pub is_conditional: bool,
    /// The values of the enum that are listed here; empty for all of them.
    pub only: &'static [&'static str],
    /// True if it is an error code.
    pub is_code: bool,
}

impl FieldTable {
    pub(crate) const fn in_form(name: &'static str, form: Form) -> Self {
        Self {
            name,
            form,
            is_bare: false,
            is_quoted: false,
            may_be_null: false,
            is_conditional: false,
            only: &[],
            is_code: false,
        }
    }

    /// Returns whether its value travels as a string; `None` if its type alone decides.
    pub(crate) const fn is_string(&self) -> Option<bool> {
        match self.form {
            _ if self.is_bare => Some(false),
            Form::Decimal | Form::Whole | Form::Signed | Form::Scaled => Some(true),
            Form::Boolean if self.is_quoted => Some(true),
            _ => None,
        }
    }

    /// Returns the JSON text of a missing value, where all fields are written; `None` if it occurs only under a
    /// condition.
    pub(crate) const fn missing(&self) -> Option<&'static str> {
        match self.form {
            _ if self.is_conditional => None,
            _ if self.may_be_null || self.is_bare => Some("null"),
            Form::Boolean if !self.is_quoted => Some("null"),
            Form::Anything | Form::List(_) | Form::Map(_) | Form::Record(_) | Form::OneOf(_) => Some("null"),
            _ => Some(r#""""#),
        }
    }

    /// Returns the same, whose booleans travel as strings.
    #[must_use]
    pub const fn quoted(self) -> Self {
        Self { is_quoted: true, ..self }
    }

    /// Returns the same, which travels as a JSON number.
    #[must_use]
    pub const fn bare(self) -> Self {
        Self { is_bare: true, ..self }
    }

    /// Returns the same, which can be `null`.
    #[must_use]
    pub const fn or_null(self) -> Self {
        Self { may_be_null: true, ..self }
    }

    /// Returns the same, which occurs only under a condition.
    #[must_use]
    pub const fn conditional(self) -> Self {
        Self { is_conditional: true, ..self }
    }

    /// Returns the same, where only these values are listed.
    #[must_use]
    pub const fn only(self, values: &'static [&'static str]) -> Self {
        Self { only: values, ..self }
    }

    /// Returns the same, which is an error code.
    #[must_use]
    pub const fn code(self) -> Self {
        Self { is_code: true, ..self }
    }
}

/// The maximum number of unknown members to remember, which bounds the memory for hostile responses.
const MAX_UNKNOWN: usize = 64;

/// The usual maximum of unknown members in the objects of a list.
const USUAL_UNKNOWN: usize = 8;

/// The members that objects with these fields had so far, in the order in which they came.
///
/// One program writes all objects of a list, so the member that was at a place the last time is probably there again.
/// Checking that takes less time than reading a name and searching for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout<'a> {
    fields: &'static [&'static str],
    members: Vec<Seen<'a>>,
}

/// A member that came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    /// The name as it is in the text, from the opening quote to the colon.
    pub(super) name: &'a [u8],
    /// Which of the fields it is, if any.
    pub(super) field: Option<usize>,
}

impl<'a> Layout<'a> {
    /// Creates a layout without members yet.
    pub(super) fn of(fields: &'static [&'static str]) -> Self {
        Self { fields, members: Vec::new() }
    }

    pub(super) fn is_of(&self, fields: &'static [&'static str]) -> bool {
        std::ptr::eq(self.fields, fields)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the member that came at `place`.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Option<Seen<'a>> {
        self.members.get(place).copied()
    }

    /// Returns the field with this name. The search begins at `expected` and wraps around.
    pub(super) fn field(&self, name: &str, expected: usize) -> Option<usize> {
        let (before, after) = self.fields.split_at_checked(expected).unwrap_or((self.fields, &[]));
        let behind = after.iter().position(|field| *field == name).map(|place| place + before.len());
        behind.or_else(|| before.iter().position(|field| *field == name))
    }

    /// Remembers a member that came at `place` of the current object. Returns the place of the next member.
    pub(super) fn learn(&mut self, seen: Seen<'a>, place: usize) -> usize {
        let is_same = |other: &Seen<'_>| other.name == seen.name || seen.field.is_some() && other.field == seen.field;
        if let Some(known) = self.members.iter().position(is_same) {
            // A field has one place, however its name is spelled.
            self.members[known] = seen;
            return known + 1;
        }
        if self.members.len() == self.fields.len() + MAX_UNKNOWN {
            return place;
        }
        if self.members.is_empty() {
            self.members.reserve(self.fields.len() + USUAL_UNKNOWN);
        }
        self.members.insert(place, seen);
        place + 1
    }
}
