//! Requests that have several effects.

use super::{enums, values};
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Effect, Family, Lookup, Operation, Pair, Role, Type};

/// `compound` belongs to an operation that changes something; its condition is a parameter and one of its values.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Some(compound) = &operation.compound else { continue };
        if operation.effect == Effect::Read {
            to.at(compound.place, Code::Misplaced, "an operation with `effect: read` cannot be `compound`")
                .help("remove it");
        }
        if let Some(when) = &compound.when {
            condition_is_one(family, operation, when, to);
        }
    }
}

fn condition_is_one(family: &Family, operation: &Operation, when: &Pair, to: &mut Diagnostics) {
    let ((name, place), (value, value_place)) = when;
    let own = family.names(operation.members());
    let names = operation.items().fold(own, |names, (_, item)| names.and(&family.names(&item.parameters)));
    let found = match names.find(name) {
        Lookup::Found(found) => found,
        Lookup::Missing(help) => {
            let message = format!("`{}` has no parameter `{name}`", operation.name);
            to.at(*place, Code::UndefinedName, message).help(help);
            return;
        }
        Lookup::Unresolved => return,
    };
    let fault = match found.role {
        Role::Decider(index) => family.enums.get(index).and_then(|all| enums::why_not_listed(all, &[], value)),
        Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => match one.shape.single() {
            Some(Type::Enum(index)) => {
                family.enums.get(index).and_then(|all| enums::why_not_listed(all, &one.only, value))
            }
            Some(ty) => values::find_fault(family, ty, value),
            None => {
                to.at(*place, Code::Misplaced, format!("expected a parameter with a single value, found `{name}`"))
                    .related(found.name.place, "the parameter is here")
                    .help("name a parameter that is neither a list nor a choice");
                None
            }
        },
    };
    if let Some(fault) = fault {
        fault.report(to, *value_place, Code::BadValue, &format!("`{name}`"));
    }
}
