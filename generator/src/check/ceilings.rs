//! Ceilings: what they are over is there.

use super::enums;
use crate::diagnostics::{Code, Diagnostics};
use crate::model::{Api, Family};

/// Whether what is counted are values of the enum, each once.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for over in family.limits.iter().filter_map(|ceiling| ceiling.over.as_ref()) {
        let Some(of) = family.enums.get(over.enum_index) else { continue };
        for (index, (value, place)) in over.values.iter().enumerate() {
            if let Some(fault) = enums::why_not(of, value) {
                fault.report(to, *place, Code::BadValue, "`over`");
            }
            if let Some((_, first)) = over.values[..index].iter().find(|(earlier, _)| earlier == value) {
                to.at(*place, Code::DefinedTwice, format!("duplicate value `{value}`"))
                    .related(*first, "first listed here")
                    .help("remove one of them");
            }
        }
    }
}
