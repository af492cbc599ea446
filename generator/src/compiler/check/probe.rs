//! The query that checks credentials.

use super::examples;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::compiler::json::{self, Member, Node, Value};
use crate::compiler::model::{Access, Api, Effect, Family, Identifier, Lookup, Operation, Type};

/// The probe is signed, changes nothing, and has a complete request.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(probe) = &family.probe else { return };
    let (name, place) = &probe.operation;
    let is_fit = |one: &&Operation| one.effect == Effect::Read && one.access == Access::Signed;
    let known = || family.operations.iter().filter(is_fit).map(|one| one.name.as_str());
    let Some(operation) = family.operations.iter().find(|one| one.name == *name) else {
        if api.is_whole {
            let help =
                did_you_mean(name, known()).unwrap_or_else(|| "name a signed operation with `effect: read`".into());
            to.at(*place, Code::UndefinedName, format!("the family has no operation `{name}`")).help(help);
        }
        return;
    };
    if !is_fit(&operation) {
        let why = match operation.effect {
            Effect::Read => "is not signed and cannot check credentials",
            Effect::Create | Effect::Amend | Effect::Cancel | Effect::Close => {
                "is not an operation with `effect: read`"
            }
        };
        to.at(*place, Code::Misplaced, format!("`{name}` {why}"))
            .related(operation.place, "it is defined here")
            .help("name a signed operation with `effect: read`");
        return;
    }
    examples::request(api, family, operation, &probe.request, to);
    is_built_without_reading(family, operation, &probe.request, to);
}

/// The emitted code that builds the request cannot fail, so its values must not be parsed at run time.
fn is_built_without_reading(
    family: &Family,
    operation: &Operation,
    (request, place): &(String, Place),
    to: &mut Diagnostics,
) {
    let Ok(Node { value: Value::Object(members), .. }) = json::parse(request) else { return };
    let names = family.names(operation.members());
    for Member { name, .. } in &members {
        let Lookup::Found(found) = names.find(name) else { continue };
        let Some(shape) = found.parameter().map(|parameter| &parameter.shape) else { continue };
        let is_read = shape.element().is_none_or(Type::is_decimal)
            || family.identifier_of(shape).is_some_and(Identifier::is_constrained);
        if is_read {
            to.at(
                *place,
                Code::Misplaced,
                format!("`{name}` cannot be set in a probe: its value is validated at run time"),
            )
            .related(found.name.place, "the parameter is here")
            .help("leave it out, or name an operation that does not need it");
        }
    }
}
