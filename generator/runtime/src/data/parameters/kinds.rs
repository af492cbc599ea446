//! The kinds of values that parameters have, each with how it is written, read back and checked.

use std::fmt;

#[cfg(feature = "described")]
use super::described::{DECIMAL, Described, MILLIS, Values};
use super::{Entries, ParameterReader, ParameterTable, ParameterWriter, Parameters};
use crate::data::checks::Checks;
use crate::data::json::{Decode, Json};
use crate::data::value::{Date, Decimal, Identifier, OpenEnum, Scalar, Scaled, TimeFormat, TimeIn, Timestamp};

/// A type of values that parameters have.
pub trait ParameterValue: fmt::Debug + Sized {
    /// The kind that writes, reads back and checks the values.
    type Kind: Kind<Self>;
}

/// Writes, reads back and checks the values `T` of parameters.
pub trait Kind<T> {
    /// Writes a value.
    fn write(value: &T, row: &'static ParameterTable, out: &mut ParameterWriter);

    /// Reads a value that must be there.
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T>;

    /// Reads a value that may be left out.
    fn read_optional(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T>;

    /// Reports what a request must not contain.
    fn check(value: &T, row: &'static ParameterTable, to: &mut Checks<'_>);

    /// Reports a new value that is written like a deletion.
    fn check_new(_value: &T, _row: &'static ParameterTable, _to: &mut Checks<'_>) {}

    /// Writes a list of values.
    fn write_list(values: &[T], row: &'static ParameterTable, out: &mut ParameterWriter);

    /// Reads a list that must be there.
    fn read_list(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Vec<T>>;

    /// Reads a list that may be left out.
    fn read_optional_list(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Vec<T>>;

    /// Reports what the items of a list must not contain.
    fn check_list(values: &[T], row: &'static ParameterTable, to: &mut Checks<'_>);
}

/// Objects with parameters of their own.
#[derive(Debug)]
pub struct Object;

impl<T: Parameters> Kind<T> for Object {
    #[inline]
    fn write(value: &T, row: &'static ParameterTable, out: &mut ParameterWriter) {
        if out.takes(row) {
            out.object(row.written, value);
        }
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T> {
        from.required_object(row.wire)
    }

    #[inline]
    fn read_optional(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T> {
        from.optional_object(row.wire)
    }

    #[inline]
    fn check(value: &T, row: &'static ParameterTable, to: &mut Checks<'_>) {
        to.object(row.wire, value);
    }

    #[inline]
    fn write_list(values: &[T], row: &'static ParameterTable, out: &mut ParameterWriter) {
        if row.is_body {
            out.body(values, row.has_siblings);
        } else if out.takes(row) {
            out.list(row.written, values);
        }
    }

    #[inline]
    fn read_list(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Vec<T>> {
        if row.is_body { from.body(row.has_siblings) } else { from.required_list(row.wire) }
    }

    #[inline]
    fn read_optional_list(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Vec<T>> {
        from.optional_list(row.wire)
    }

    #[inline]
    fn check_list(values: &[T], row: &'static ParameterTable, to: &mut Checks<'_>) {
        to.items(row.wire, values);
    }
}

/// Choices, whose parameters stand among the others.
#[derive(Debug)]
pub struct Choice;

impl<T: Parameters> Kind<T> for Choice {
    #[inline]
    fn write(value: &T, row: &'static ParameterTable, out: &mut ParameterWriter) {
        if out.takes(row) {
            value.write(out);
        }
    }

    #[inline]
    fn read(_: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T> {
        T::read(from)
    }

    #[inline]
    fn read_optional(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T> {
        from.optional_choice(row.members)
    }

    #[inline]
    fn check(value: &T, _: &'static ParameterTable, to: &mut Checks<'_>) {
        value.check(to);
    }

    // A choice has no list: its parameters could not be told apart.

    fn write_list(_: &[T], _: &'static ParameterTable, _: &mut ParameterWriter) {}

    fn read_list(_: &'static ParameterTable, _: &mut ParameterReader<'_>) -> Option<Vec<T>> {
        None
    }

    fn read_optional_list(_: &'static ParameterTable, _: &mut ParameterReader<'_>) -> Option<Vec<T>> {
        None
    }

    fn check_list(_: &[T], _: &'static ParameterTable, _: &mut Checks<'_>) {}
}

/// Objects with names of their own and single values.
#[derive(Debug)]
pub struct Map;

impl<T: ParameterValue + Scalar + Decode> ParameterValue for Entries<T> {
    type Kind = Map;
}

impl<T: ParameterValue + Scalar + Decode> Kind<Entries<T>> for Map {
    fn write(value: &Entries<T>, row: &'static ParameterTable, out: &mut ParameterWriter) {
        out.entries(row, value);
    }

    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Entries<T>> {
        from.required_entries(row.wire)
    }

    fn read_optional(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Entries<T>> {
        from.optional_entries(row.wire)
    }

    fn check(value: &Entries<T>, row: &'static ParameterTable, to: &mut Checks<'_>) {
        to.count(row.wire, value.len(), row.min_items, row.max_items);
        value.values().for_each(|value| T::Kind::check(value, row, to));
    }

    // The language has no lists of maps.

    fn write_list(_: &[Entries<T>], _: &'static ParameterTable, _: &mut ParameterWriter) {}

    fn read_list(_: &'static ParameterTable, _: &mut ParameterReader<'_>) -> Option<Vec<Entries<T>>> {
        None
    }

    fn read_optional_list(_: &'static ParameterTable, _: &mut ParameterReader<'_>) -> Option<Vec<Entries<T>>> {
        None
    }

    fn check_list(_: &[Entries<T>], _: &'static ParameterTable, _: &mut Checks<'_>) {}
}

/// Single values, which the kind `C` checks.
#[derive(Debug)]
pub struct Single<C>(C);

/// The single values `T` that a request must not contain.
pub trait Check<T> {
    /// Reports what a request must not contain.
    fn check(value: &T, row: &'static ParameterTable, to: &mut Checks<'_>);
}

impl<T: Scalar + Decode, C: Check<T>> Kind<T> for Single<C> {
    #[inline]
    fn write(value: &T, row: &'static ParameterTable, out: &mut ParameterWriter) {
        out.single(row, value);
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T> {
        from.required(row.wire)
    }

    #[inline]
    fn read_optional(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T> {
        from.optional(row.wire)
    }

    #[inline]
    fn check(value: &T, row: &'static ParameterTable, to: &mut Checks<'_>) {
        C::check(value, row, to);
    }

    #[inline]
    fn check_new(value: &T, row: &'static ParameterTable, to: &mut Checks<'_>) {
        if !row.delete.is_empty() {
            to.new_value(row.wire, value, row.delete);
        }
    }

    #[inline]
    fn write_list(values: &[T], row: &'static ParameterTable, out: &mut ParameterWriter) {
        out.singles(row, values);
    }

    #[inline]
    fn read_list(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Vec<T>> {
        from.required_values(row.wire)
    }

    #[inline]
    fn read_optional_list(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Vec<T>> {
        from.optional_values(row.wire)
    }

    #[inline]
    fn check_list(values: &[T], row: &'static ParameterTable, to: &mut Checks<'_>) {
        values.iter().for_each(|value| C::check(value, row, to));
    }
}

/// Values of an enum, of which a request takes the documented ones.
#[derive(Debug)]
pub struct Word;

impl<T: OpenEnum + Scalar + Decode> Kind<T> for Word {
    #[inline]
    fn write(value: &T, row: &'static ParameterTable, out: &mut ParameterWriter) {
        out.single(row, value);
    }

    #[inline]
    fn read(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T> {
        from.word(row.wire)
    }

    #[inline]
    fn read_optional(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<T> {
        from.optional_word(row.wire)
    }

    #[inline]
    fn check(value: &T, row: &'static ParameterTable, to: &mut Checks<'_>) {
        if !T::DATED.is_empty() {
            to.dated(row.wire, value);
        }
        if row.only.is_empty() {
            to.known(row.wire, value);
        } else {
            to.only(row.wire, Some(value), row.only);
        }
    }

    #[inline]
    fn check_new(value: &T, row: &'static ParameterTable, to: &mut Checks<'_>) {
        if !row.delete.is_empty() {
            to.new_value(row.wire, value, row.delete);
        }
    }

    #[inline]
    fn write_list(values: &[T], row: &'static ParameterTable, out: &mut ParameterWriter) {
        out.singles(row, values);
    }

    #[inline]
    fn read_list(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Vec<T>> {
        from.required_values(row.wire)
    }

    #[inline]
    fn read_optional_list(row: &'static ParameterTable, from: &mut ParameterReader<'_>) -> Option<Vec<T>> {
        from.optional_values(row.wire)
    }

    #[inline]
    fn check_list(values: &[T], row: &'static ParameterTable, to: &mut Checks<'_>) {
        values.iter().for_each(|value| Self::check(value, row, to));
    }
}

/// Identifiers.
#[derive(Debug)]
pub struct Id;

impl<T: Identifier + Decode> Check<T> for Id {
    #[inline]
    fn check(value: &T, row: &'static ParameterTable, to: &mut Checks<'_>) {
        to.identifier(row.wire, Some(value));
    }
}

/// Texts.
#[derive(Debug)]
pub struct Text;

impl Check<String> for Text {
    #[inline]
    fn check(value: &String, row: &'static ParameterTable, to: &mut Checks<'_>) {
        to.text(row.wire, Some(value));
        to.length(row.wire, value, row.min_length, row.max_length);
        #[cfg(feature = "pattern")]
        if !row.pattern.is_empty() {
            to.pattern(row.wire, value, row.pattern);
        }
    }
}

/// Integers and decimals.
#[derive(Debug)]
pub struct Number;

impl Check<u64> for Number {
    fn check(value: &u64, row: &'static ParameterTable, to: &mut Checks<'_>) {
        check_integer(i128::from(*value), row, to);
        if let Some(digits) = row.digits {
            to.digits(row.wire, Some(*value), digits);
        }
    }
}

impl Check<i64> for Number {
    fn check(value: &i64, row: &'static ParameterTable, to: &mut Checks<'_>) {
        check_integer(i128::from(*value), row, to);
    }
}

fn check_integer(value: i128, row: &'static ParameterTable, to: &mut Checks<'_>) {
    if let Some(min) = row.min {
        to.at_least(row.wire, Some(value), min);
    }
    if let Some(max) = row.max {
        to.at_most(row.wire, Some(value), max);
    }
}

impl Check<Decimal> for Number {
    #[inline]
    fn check(value: &Decimal, row: &'static ParameterTable, to: &mut Checks<'_>) {
        to.decimal(row.wire, Some(value));
        if row.has_decimal_bound() {
            check_decimal(value, row, to);
        }
    }
}

impl<const SCALE: u8> Check<Scaled<SCALE>> for Number {
    fn check(value: &Scaled<SCALE>, row: &'static ParameterTable, to: &mut Checks<'_>) {
        to.scaled(row.wire, Some(value));
        check_decimal(value.value(), row, to);
    }
}

fn check_decimal(value: &Decimal, row: &'static ParameterTable, to: &mut Checks<'_>) {
    if let Some(min) = row.min_decimal {
        to.decimal_at_least(row.wire, Some(value), min);
    }
    if let Some(max) = row.max_decimal {
        to.decimal_at_most(row.wire, Some(value), max);
    }
    if let Some(places) = row.places {
        to.places(row.wire, value, places);
    }
    if let Some(digits) = row.significant_digits {
        to.significant_digits(row.wire, value, digits);
    }
}

/// Values that a request can always contain.
#[derive(Debug)]
pub struct Plain;

impl<T: ParameterValue<Kind = Single<Self>>> Check<T> for Plain {
    #[inline]
    fn check(_: &T, _: &'static ParameterTable, _: &mut Checks<'_>) {}
}

/// Declares types of single values: the kind of each, and what programs are told of its values.
macro_rules! singles {
    ($($type:ty $([$($generics:tt)*])?: $kind:ident, $values:ident $(($name:expr))?;)*) => {$(
        impl$(<$($generics)*>)? ParameterValue for $type {
            type Kind = Single<$kind>;
        }

        #[cfg(feature = "described")]
        impl$(<$($generics)*>)? Described for $type {
            const VALUES: Values = Values::$values$(($name))?;
        }
    )*};
}

singles! {
    String: Text, Text("string");
    u64: Number, Text("integer");
    i64: Number, Text("signed");
    Decimal: Number, Text(DECIMAL);
    Scaled<SCALE> [const SCALE: u8]: Number, Text(DECIMAL);
    bool: Plain, Truth;
    Timestamp: Plain, Text(MILLIS);
    TimeIn<F> [F: TimeFormat]: Plain, Text("time");
    Date: Plain, Text("date");
    Json: Plain, Json;
}
