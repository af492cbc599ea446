//! The forms in which values travel, as the field or the family states them.

use super::FamilyBuilder;
use crate::compiler::diagnostics::Code;
use crate::compiler::load::raw;
use crate::compiler::model::types::{Truth, Type};
use crate::compiler::words::Travels;

/// The largest scale.
const MAX_PLACES: u8 = 30;

impl FamilyBuilder<'_, '_> {
    /// A built-in type in the form that the field or the family states.
    pub(super) fn formed(&mut self, raw: &raw::Field, ty: Type) -> Type {
        if let Some(times) = raw.times.as_ref().filter(|_| !matches!(ty, Type::Time(_) | Type::Undefined)) {
            self.refuse_keys(&[("times", Some(times.place))], "is only allowed for a time");
        }
        if let Some(scale) = raw.scale.as_ref().filter(|_| !matches!(ty, Type::Decimal | Type::Undefined)) {
            self.refuse_keys(&[("scale", Some(scale.place))], "is only allowed for a decimal");
        }
        let own = raw.times.as_ref().map(|times| times.value);
        match (ty, raw.json.as_ref().map(|json| json.value)) {
            (Type::Time(as_usual), _) => Type::Time(own.or(self.family.family.times).unwrap_or(as_usual)),
            (Type::Decimal, _) => self.scaled(raw).map_or(ty, Type::Scaled),
            (Type::Boolean(_), Some(Travels::Text)) => Type::Boolean(Truth::Text),
            (Type::Boolean(_), Some(Travels::Number)) => Type::Boolean(Truth::Number),
            _ => ty,
        }
    }

    /// The scale of a decimal, if the field states a valid one.
    fn scaled(&mut self, raw: &raw::Field) -> Option<u8> {
        let scale = raw.scale.as_ref()?;
        let fitting = u8::try_from(scale.value).ok().filter(|scale| (1..=MAX_PLACES).contains(scale));
        if fitting.is_none() {
            self.builder
                .to
                .at(
                    scale.place,
                    Code::BadNumber,
                    format!("expected a `scale` from 1 to {MAX_PLACES}, found {}", scale.value),
                )
                .help("write by how many places the point moves: 4, where 12.5 travels as 125000");
        }
        fitting
    }
}
