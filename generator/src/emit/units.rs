//! Units of quantities, in words.

use super::docs::{code, escape};
use crate::model::Unit;

/// In which unit a quantity is counted, and when, as a sentence; empty when nothing is known.
pub(super) fn sentence(units: &[Unit]) -> String {
    if units.is_empty() { String::new() } else { format!("Unit: {}.", phrase(units)) }
}

/// In which unit a quantity is counted, and when; Markdown, empty when nothing is known.
pub(super) fn phrase(units: &[Unit]) -> String {
    match units {
        [unit] if unit.when.is_empty() => escape(&unit.is),
        units => units.iter().map(part).collect::<Vec<_>>().join("; "),
    }
}

fn part(unit: &Unit) -> String {
    if unit.when.is_empty() {
        return format!("otherwise {}", escape(&unit.is));
    }
    let conditions: Vec<_> = unit
        .when
        .iter()
        .map(|(parameter, values, _)| {
            let values: Vec<_> = values.iter().map(|value| code(value)).collect();
            format!("{} is {}", code(parameter), values.join(" or "))
        })
        .collect();
    format!("{} when {}", escape(&unit.is), conditions.join(" and "))
}
