use std::borrow::Cow;

use crate::value::Decimal;

/// Steps and bounds of what is traded, by the names of the schema. What was not told is not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instrument {
    properties: Vec<(Cow<'static, str>, Decimal)>,
}

impl Instrument {
    /// An instrument of which nothing is told.
    pub const fn new() -> Self {
        Self { properties: Vec::new() }
    }

    /// The same, with a property told, in the place of what was told of it before.
    #[must_use]
    pub fn with(mut self, property: impl Into<Cow<'static, str>>, value: Decimal) -> Self {
        let property = property.into();
        self.properties.retain(|(known, _)| *known != property);
        self.properties.push((property, value));
        self
    }

    /// What was told of a property.
    pub fn told(&self, property: &str) -> Option<&Decimal> {
        self.properties.iter().find(|(known, _)| known == property).map(|(_, value)| value)
    }

    /// Whether `value` is a multiple of the step `property`, exactly; `None` when it was not told, or is no step.
    pub fn divides(&self, property: &str, value: &Decimal) -> Option<bool> {
        value.is_multiple_of(self.told(property)?)
    }

    /// Whether `value` has no more decimal places than `property` says, zeros at its end aside.
    pub fn has_places_for(&self, property: &str, value: &Decimal) -> Option<bool> {
        Some(Decimal::from(value.decimal_places()) <= *self.told(property)?)
    }

    /// Whether `value` is not below `property`.
    pub fn is_reached_by(&self, property: &str, value: &Decimal) -> Option<bool> {
        Some(value >= self.told(property)?)
    }
}
