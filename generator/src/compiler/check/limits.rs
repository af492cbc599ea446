//! Limits other than rates: ceilings, and the number of pending amendments.

use super::enums;
use crate::compiler::diagnostics::{Code, Diagnostics, one_of};
use crate::compiler::model::{Api, Effect, Family, InFlight, Need, Operation, Parameter, Type};

/// The values that a ceiling counts belong to the enum.
pub(super) fn ceilings(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for over in family.limits.iter().filter_map(|ceiling| ceiling.over.as_ref()) {
        let Some(of) = family.enums.get(over.enum_index) else { continue };
        for (value, place) in &over.values {
            if let Some(fault) = enums::find_fault(of, value) {
                fault.report(to, *place, Code::BadValue, "`over`");
            }
        }
    }
}

/// `in_flight` belongs to an operation that amends orders, and names the parameter that identifies the order.
pub(super) fn in_flight(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(in_flight) = &operation.in_flight else { continue };
        if operation.effect != Effect::Amend {
            to.at(in_flight.n.1, Code::Misplaced, "`in_flight` requires an operation with `effect: amend`")
                .help("remove it");
        }
        if in_flight.n.0 == 0 || u32::try_from(in_flight.n.0).is_err() {
            to.at(
                in_flight.n.1,
                Code::BadNumber,
                format!("expected a number from 1 to {}, found {}", u32::MAX, in_flight.n.0),
            )
            .help("write how many amendments may be pending");
        }
        names_what_is_meant(family, operation, in_flight, to);
    }
}

/// The parameters that may identify the amended order: those of the request and of its items.
fn candidates(operation: &Operation) -> impl Iterator<Item = &Parameter> {
    operation.members().iter().chain(operation.items().flat_map(|(_, item)| &item.parameters))
}

fn names_what_is_meant(family: &Family, operation: &Operation, in_flight: &InFlight, to: &mut Diagnostics) {
    let (name, place) = &in_flight.per;
    let Some(parameter) = candidates(operation).find(|parameter| parameter.name.wire == *name) else {
        let known = candidates(operation).map(|one| (one.name.wire.as_str(), Some(one.name.place)));
        to.at(*place, Code::UndefinedName, format!("`{}` has no parameter `{name}`", operation.name))
            .help(one_of(name, known));
        return;
    };
    let has_alternatives = || family.choice_of(parameter).is_some_and(|choice| choice.alternatives().is_some());
    let identifies = parameter.shape.is_one(Type::is_text) || has_alternatives();
    let is_always = parameter.need == Need::Always || parameter.shape.is_undefined();
    if !identifies || !is_always {
        to.at(*place, Code::Misplaced, format!("`{name}` does not always identify what is amended"))
            .related(parameter.name.place, "the parameter is here")
            .help("name a required identifier, or a required choice of which one alternative is sent");
    }
}
