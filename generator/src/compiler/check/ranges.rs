//! The values for which comparisons hold, to find those that always hold, never hold, or contradict each other.

use std::cmp::Ordering;

use crate::compiler::model::Number;
use crate::compiler::model::{Condition, Operand, Parameter, Relation, Shape, Type};

/// An interval; an end that is `None` is open.
pub(super) struct Range {
    low: Option<End>,
    high: Option<End>,
}

/// The end of an interval. That of times counts milliseconds from now.
#[derive(Clone)]
struct End {
    at: String,
    is_included: bool,
}

impl End {
    fn new(at: impl ToString, is_included: bool) -> Self {
        Self { at: at.to_string(), is_included }
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(Number::parse(&self.at)?.cmp(&Number::parse(&other.at)?))
    }
}

impl Range {
    /// Returns the parameter that a condition compares with a number or a moment, and the values for which it holds.
    pub(super) fn of_condition(condition: &Condition) -> Option<(&str, Self)> {
        let (condition, is_negated) = match condition {
            Condition::Not(inner) => (&**inner, true),
            condition => (condition, false),
        };
        let Condition::Relates { parameter, relation, operand, .. } = condition else { return None };
        let relation = if is_negated { relation.negated() } else { *relation };
        Some((&parameter.0, Self::of_relation(relation, operand)?))
    }

    fn of_relation(relation: Relation, operand: &Operand) -> Option<Self> {
        let at = match operand {
            Operand::Number(number) => number.clone(),
            Operand::Moment { length, is_ahead } => {
                let length = length.map_or(Some(0), |length| length.milliseconds())?;
                format!("{}{length}", if *is_ahead || length == 0 { "" } else { "-" })
            }
            Operand::Parameter(_) => return None,
        };
        Some(match relation {
            Relation::Below => Self { low: None, high: Some(End::new(at, false)) },
            Relation::NotAbove => Self { low: None, high: Some(End::new(at, true)) },
            Relation::Above => Self { low: Some(End::new(at, false)), high: None },
            Relation::NotBelow => Self { low: Some(End::new(at, true)), high: None },
        })
    }

    /// Returns the values that a parameter can have, if it is a number.
    pub(super) fn of_parameter(parameter: &Parameter) -> Option<Self> {
        let (low, high) = match parameter.shape {
            Shape::One(Type::Integer) => (Some(End::new(0, true)), Some(End::new(u64::MAX, true))),
            Shape::One(Type::Signed) => (Some(End::new(i64::MIN, true)), Some(End::new(i64::MAX, true))),
            Shape::One(Type::Decimal | Type::Scaled(_)) => (None, None),
            Shape::One(_) | Shape::List(_) | Shape::Map(_) | Shape::Items(_) | Shape::Object(_) => return None,
        };
        let digits = parameter.digits.and_then(|(digits, _)| usize::try_from(digits).ok()).filter(|n| *n < 20);
        let of_digits = digits.map(|digits| End::new("9".repeat(digits.max(1)), true));
        let stated = |bound: &Option<(String, _)>| bound.as_ref().map(|(text, _)| End::new(text, true));
        let own = Self { low: stated(&parameter.min).or(low), high: stated(&parameter.max).or(of_digits).or(high) };
        // Bounds in the wrong order are reported.
        (!own.excludes(&own)).then_some(own)
    }

    /// Returns whether the other has all of its values.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let ends = |own: &Option<End>, outer: &Option<End>, inwards: Ordering| match (own, outer) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(outer)) => match own.compare(outer) {
                Some(Ordering::Equal) => outer.is_included || !own.is_included,
                order => order == Some(inwards),
            },
        };
        ends(&self.low, &other.low, Ordering::Greater) && ends(&self.high, &other.high, Ordering::Less)
    }

    /// Returns whether both have no value in common.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        let is_beyond = |low: &Option<End>, high: &Option<End>| match (low, high) {
            (Some(low), Some(high)) => match low.compare(high) {
                Some(Ordering::Equal) => !(low.is_included && high.is_included),
                order => order == Some(Ordering::Greater),
            },
            _ => false,
        };
        is_beyond(&self.low, &other.high) || is_beyond(&other.low, &self.high)
    }
}

/// In messages: `from 0 to 100`, `at least 0`.
impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) => write!(f, "from {} to {}", low.at, high.at),
            (Some(low), None) => write!(f, "at least {}", low.at),
            (None, Some(high)) => write!(f, "at most {}", high.at),
            (None, None) => f.write_str("any number"),
        }
    }
}
