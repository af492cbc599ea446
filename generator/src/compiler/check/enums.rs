//! Enums: spellings and truth values, and whether a text is a value.

use super::fault::Fault;
use crate::compiler::diagnostics::{Code, Diagnostics, Help, Place, name_list, unknown};
use crate::compiler::model::{Api, Enum, Family};

/// Checks the spellings and truth values of enums.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for all in &family.enums {
        spellings(all, to);
        truth(all, to);
    }
}

/// Each spelling belongs to one value.
fn spellings(all: &Enum, to: &mut Diagnostics) {
    let mut known: Vec<(&str, Place)> =
        all.values.iter().map(|value| (value.name.wire.as_str(), value.name.place)).collect();
    for (also, place) in all.values.iter().flat_map(|value| &value.also) {
        match known.iter().find(|(known, _)| known == also) {
            Some((_, first)) => {
                to.at(
                    *place,
                    Code::DefinedTwice,
                    format!("`{also}` is already a spelling of a value of `{}`", all.name.wire),
                )
                .related(*first, "the other value is here")
                .help("remove one of them");
            }
            None => known.push((also, *place)),
        }
    }
}

/// `truth` names one true and one false value.
fn truth(all: &Enum, to: &mut Diagnostics) {
    let unknown = |name: &str| !all.wires().any(|wire| wire == name);
    for (name, place) in all.truth_places.iter().filter(|(name, _)| unknown(name)) {
        to.at(*place, Code::BadValue, format!("`{}` has no value `{name}`", all.name.wire)).help(nearest(all, name));
    }
    let Some((_, place)) = all.truth_places.first() else { return };
    let all_known = !all.truth_places.iter().any(|(name, _)| unknown(name));
    if all_known && (all.truth.is_none() || all.truth_places.len() != 2) {
        to.at(
            *place,
            Code::BadValue,
            format!("the `truth` of `{}` must have one true value and one false value", all.name.wire),
        )
        .help("write both, such as `truth: { yes: true, no: false }`, or remove `truth`");
    }
}

/// Why a text is not a value of an enum in the spelling of requests; `None` if it is one.
pub(super) fn find_fault(all: &Enum, text: &str) -> Option<Fault> {
    if all.values.is_empty() || all.wires().any(|wire| wire == text) {
        return None;
    }
    let same = all.index_of(text).and_then(|index| all.values.get(index));
    let help = match same {
        Some(value) => format!("write `{}`; this is another spelling of it", value.name.wire).into(),
        None => nearest(all, text),
    };
    Some(Fault::new(format!("`{}` has no value `{text}`", all.name.wire), help))
}

/// Why a text is not, in any spelling, one of the allowed values of an enum; `None` if it is one.
pub(super) fn why_not_listed(all: &Enum, only: &[(String, Place)], text: &str) -> Option<Fault> {
    let Some(index) = all.index_of(text) else { return find_fault(all, text) };
    let (_, place) = only.first()?;
    let is_listed = only.iter().any(|(only, _)| all.index_of(only) == Some(index));
    (!is_listed).then(|| Fault {
        bound: Some(*place),
        ..Fault::new(format!("`{text}` is not among `only`"), "correct one of them")
    })
}

fn places(all: &Enum) -> impl Iterator<Item = (&str, Option<Place>)> {
    all.placed_wires().into_iter().map(|(wire, place)| (wire, Some(place)))
}

/// Help with the most similar value, or with all values.
pub(super) fn nearest(all: &Enum, text: &str) -> Help {
    unknown(text, places(all), || format!("the values of `{}` are: {}", all.name.wire, name_list(all.wires())))
}
