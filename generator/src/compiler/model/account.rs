//! The properties of the account, and what follows from them.

use super::{Condition, Dates, Enum, EnumValue, Family, Field, Name, Placed, Record, Sources};
use crate::compiler::diagnostics::Place;

/// The properties of an account that a caller can state.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) doc: String,
    pub(crate) properties: Vec<Property>,
    pub(crate) instrument: Option<Instrument>,
}

/// A property of an account.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) kind: PropertyKind,
    /// The enums that show it, as `family.Enum`.
    pub(crate) shown_as: Vec<Placed>,
    /// The codes that refuse a request because the account has another value.
    pub(crate) denied_by: Vec<Placed>,
}

impl Property {
    /// Returns whether values of an enum show it.
    pub(crate) fn is_shown_as(&self, family: &str, name: &str) -> bool {
        self.shown_as.iter().any(|(shown, _)| shown.split_once('.') == Some((family, name)))
    }
}

impl Account {
    /// Returns the properties that a record shows, each with the field that shows it.
    pub(crate) fn shown_in<'a>(
        &'a self,
        family: &'a Family,
        record: &'a Record,
    ) -> impl Iterator<Item = (&'a Property, &'a Field)> {
        self.properties.iter().filter_map(|property| {
            let is_it = |shown: &&Enum| property.is_shown_as(&family.name, &shown.name.wire);
            let index = family.enums.iter().position(|shown| is_it(&shown))?;
            Some((property, record.field_of_enum(index)?))
        })
    }
}

/// The kind of a property's values.
#[derive(Clone, Debug)]
pub(crate) enum PropertyKind {
    /// One of these words; the name is that of their Rust type.
    Words(Name, Vec<EnumValue>),
    Flag,
    Time,
    Names,
}

/// The properties of an instrument that a caller can state.
#[derive(Clone, Debug)]
pub(crate) struct Instrument {
    pub(crate) doc: String,
    pub(crate) properties: Vec<InstrumentProperty>,
}

/// A property of an instrument: a number, or a flag.
#[derive(Clone, Debug)]
pub(crate) struct InstrumentProperty {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) is_flag: bool,
    /// The codes that refuse a request because the instrument has another value.
    pub(crate) denied_by: Vec<Placed>,
}

impl Instrument {
    /// Returns the names of its properties that are flags, or of those that are numbers.
    pub(crate) fn names(&self, flags: bool) -> impl Iterator<Item = &str> {
        self.properties.iter().filter(move |one| one.is_flag == flags).map(|property| property.name.wire.as_str())
    }
}

/// A class of accounts or requests that has rate limits of its own.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) doc: String,
    pub(crate) when: Vec<Condition>,
    /// Who has seen it, if no document describes it.
    pub(crate) sources: Sources,
    /// The days on which the exchange knows it.
    pub(crate) dates: Dates,
}
