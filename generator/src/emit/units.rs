//! Units of quantities, as sentences.

use super::docs::{code, escape};
use crate::model::Unit;

/// In which unit a quantity is counted, and when; Markdown, empty when nothing is known.
pub(super) fn sentence(units: &[Unit]) -> String {
    match units {
        [] => String::new(),
        [unit] if unit.when.is_empty() => format!("Unit: {}.", escape(&unit.is)),
        units => {
            let parts: Vec<_> = units.iter().map(part).collect();
            format!("Unit: {}.", parts.join("; "))
        }
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
