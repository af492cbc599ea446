//! The properties of the account, and what follows from them.

use super::{Condition, EnumValue, Name};
use crate::diagnostics::Place;

/// The properties of an account that a caller can state.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Account {
    pub(crate) doc: String,
    pub(crate) properties: Vec<Property>,
    pub(crate) instrument: Option<Instrument>,
}

/// A property of an account.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Property {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) kind: PropertyKind,
}

/// What a property is.
#[derive(Clone, Debug, Hash)]
pub(crate) enum PropertyKind {
    /// One of these; the name is that of their Rust type.
    Words(Name, Vec<EnumValue>),
    Flag,
    Time,
    Names,
}

/// The properties of an instrument that a caller can state.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Instrument {
    pub(crate) doc: String,
    pub(crate) properties: Vec<InstrumentProperty>,
}

/// A property of an instrument, which is a number.
#[derive(Clone, Debug, Hash)]
pub(crate) struct InstrumentProperty {
    pub(crate) name: Name,
    pub(crate) doc: String,
}

/// The parameters that name the instrument of a request.
#[derive(Clone, Debug, Hash)]
pub(crate) struct InstrumentNames {
    pub(crate) line: (String, Place),
    pub(crate) symbol: (String, Place),
}

/// A class of accounts or requests that has rate limits of its own.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) doc: String,
    pub(crate) when: Vec<Condition>,
}
