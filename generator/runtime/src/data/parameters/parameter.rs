//! A parameter as the field of a struct: required, optional, a list, or an edit.

use std::fmt;

use super::kinds::{Kind, ParameterValue};
use super::{ParameterReader, ParameterTable, ParameterWriter};
use crate::data::checks::Checks;
use crate::data::value::{Edit, Shown, part};

/// A parameter, by the type of its field: `T` is required, `Option<T>` is not, [`Edit<T>`] changes a value, and lists
/// are `Vec<T>` and `Option<Vec<T>>`.
pub trait Parameter: Sized {
    /// The value that reading gives: `None` if the parameter is required and missing or unreadable, else the value.
    type Read;

    /// Writes it if it is set.
    fn write(&self, row: &'static ParameterTable, out: &mut ParameterWriter);

    /// Reads it back. What is missing or unreadable, `from` reports.
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Self::Read;

    /// Reports the broken bounds of its row and of its type.
    fn check(&self, row: &'static ParameterTable, to: &mut Checks<'_>);

    /// Prints it for people if it is set.
    fn show(&self, name: &'static str, to: &mut Shown<'_, '_>);
}

impl<T: ParameterValue> Parameter for T {
    type Read = Option<Self>;

    #[inline]
    fn write(&self, row: &'static ParameterTable, out: &mut ParameterWriter) {
        T::Kind::write(self, row, out);
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Self::Read {
        if !row.fixed.is_empty() {
            from.fix(row);
        }
        T::Kind::read(row, from)
    }

    #[inline]
    fn check(&self, row: &'static ParameterTable, to: &mut Checks<'_>) {
        T::Kind::check(self, row, to);
    }

    fn show(&self, name: &'static str, to: &mut Shown<'_, '_>) {
        to.field(name, Some(self));
    }
}

impl<T: ParameterValue> Parameter for Option<T> {
    type Read = Self;

    #[inline]
    fn write(&self, row: &'static ParameterTable, out: &mut ParameterWriter) {
        if let Some(value) = self {
            T::Kind::write(value, row, out);
        }
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Self::Read {
        if row.may_be_blank {
            from.may_be_blank(row.wire);
        }
        T::Kind::read_optional(row, from)
    }

    #[inline]
    fn check(&self, row: &'static ParameterTable, to: &mut Checks<'_>) {
        if let Some(value) = self {
            T::Kind::check(value, row, to);
        }
    }

    fn show(&self, name: &'static str, to: &mut Shown<'_, '_>) {
        to.field(name, part(self));
    }
}

impl<T: ParameterValue> Parameter for Vec<T> {
    type Read = Option<Self>;

    #[inline]
    fn write(&self, row: &'static ParameterTable, out: &mut ParameterWriter) {
        T::Kind::write_list(self, row, out);
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Self::Read {
        T::Kind::read_list(row, from)
    }

    #[inline]
    fn check(&self, row: &'static ParameterTable, to: &mut Checks<'_>) {
        to.count(row.wire, self.len(), row.min_items, row.max_items);
        T::Kind::check_list(self, row, to);
    }

    fn show(&self, name: &'static str, to: &mut Shown<'_, '_>) {
        to.field(name, Some(self));
    }
}

impl<T: ParameterValue> Parameter for Option<Vec<T>> {
    type Read = Self;

    #[inline]
    fn write(&self, row: &'static ParameterTable, out: &mut ParameterWriter) {
        if let Some(values) = self {
            values.write(row, out);
        }
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Self::Read {
        T::Kind::read_optional_list(row, from)
    }

    #[inline]
    fn check(&self, row: &'static ParameterTable, to: &mut Checks<'_>) {
        if let Some(values) = self {
            to.optional_count(row.wire, values.len(), row.min_items, row.max_items);
            T::Kind::check_list(values, row, to);
        }
    }

    fn show(&self, name: &'static str, to: &mut Shown<'_, '_>) {
        to.field(name, part(self));
    }
}

impl<T: ParameterValue> Parameter for Edit<T> {
    type Read = Self;

    #[inline]
    fn write(&self, row: &'static ParameterTable, out: &mut ParameterWriter) {
        match self {
            Self::Keep => {}
            Self::Set(value) => T::Kind::write(value, row, out),
            Self::Delete => out.deletion(row),
        }
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Self::Read {
        from.edit(row, |from| T::Kind::read(row, from))
    }

    #[inline]
    fn check(&self, row: &'static ParameterTable, to: &mut Checks<'_>) {
        if let Self::Set(value) = self {
            T::Kind::check_new(value, row, to);
            T::Kind::check(value, row, to);
        }
    }

    fn show(&self, name: &'static str, to: &mut Shown<'_, '_>) {
        show_edit(self, name, to);
    }
}

impl<T: ParameterValue> Parameter for Edit<Vec<T>> {
    type Read = Self;

    #[inline]
    fn write(&self, row: &'static ParameterTable, out: &mut ParameterWriter) {
        match self {
            Self::Keep => {}
            Self::Set(values) => values.write(row, out),
            Self::Delete => out.deletion(row),
        }
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Self::Read {
        from.edit(row, |from| T::Kind::read_list(row, from))
    }

    #[inline]
    fn check(&self, row: &'static ParameterTable, to: &mut Checks<'_>) {
        if let Self::Set(values) = self {
            values.check(row, to);
        }
    }

    fn show(&self, name: &'static str, to: &mut Shown<'_, '_>) {
        show_edit(self, name, to);
    }
}

/// Prints an edit, unless it keeps the value.
fn show_edit<T: fmt::Debug>(edit: &Edit<T>, name: &'static str, to: &mut Shown<'_, '_>) {
    match edit {
        Edit::Keep => {}
        Edit::Set(value) => to.field(name, Some(value)),
        Edit::Delete => to.field(name, Some(edit)),
    }
}
