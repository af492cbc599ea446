//! What a caller may tell about the account, and what follows from it.

use super::{Condition, EnumValue, Name};
use crate::diagnostics::Place;

/// What may be told about an account.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Account {
    pub(crate) doc: String,
    pub(crate) properties: Vec<Property>,
    pub(crate) instrument: Option<Instrument>,
}

/// Something that may be told about an account.
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

/// What may be told about something that is traded.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Instrument {
    pub(crate) doc: String,
    pub(crate) properties: Vec<InstrumentProperty>,
}

/// A number that may be told about an instrument.
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
