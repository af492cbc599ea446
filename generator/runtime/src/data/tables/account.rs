//! The properties of an account that a caller can state.

/// The properties of an account that a caller can state.
#[derive(Clone, Copy, Debug)]
pub struct AccountTable {
    /// The properties of an account.
    pub properties: &'static [AccountProperty],
    /// The properties of an instrument that are numbers.
    pub instrument: &'static [&'static str],
    /// The properties that are flags.
    pub flags: &'static [&'static str],
}

impl AccountTable {
    /// No properties: an account has a name only.
    pub const NONE: Self = Self { properties: &[], instrument: &[], flags: &[] };

    /// The property with this name.
    pub fn property(&self, name: &str) -> Option<&'static AccountProperty> {
        self.properties.iter().find(|property| property.name == name)
    }
}

/// A property of an account.
#[derive(Clone, Copy, Debug)]
pub struct AccountProperty {
    /// The name in the schema.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: PropertyKind,
    /// The codes with which the exchange refuses a request because the account has another value.
    pub denied_by: &'static [&'static str],
}

/// The kind of value that a property of an account has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// One of these words.
    Words(&'static [&'static str]),
    /// Yes or no.
    Flag,
    /// A point in time.
    Time,
    /// Names, such as those of trading pairs.
    Names,
}
