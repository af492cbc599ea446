//! Parameters that the queries of `confirm` send in addition to those of the request: fixed values and a time.

use super::values;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{Confirm, Family, Lookup, Operation, Parameter, Shape, Type, WireNames};

/// Checks `set`, `since` and `expires`.
pub(super) fn check(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    values_can_be_sent(family, operation, confirm, to);
    times_are_times(family, operation, confirm, to);
}

/// The parameters of the queries; `None` if one of them is unknown.
fn queried_names<'a>(family: &'a Family, operation: &'a Operation, confirm: &Confirm) -> Option<Vec<WireNames<'a>>> {
    let queries: Vec<_> = operation.queries(family).collect();
    let is_known = queries.len() == 1 + usize::from(confirm.then.is_some());
    is_known.then(|| queries.into_iter().map(|query| names(family, query)).collect())
}

/// A parameter of one of the queries; an unknown name is reported.
fn parameter_of_a_query<'a>(
    places: &[WireNames<'a>],
    (name, at): &(String, Place),
    to: &mut Diagnostics,
) -> Option<&'a Parameter> {
    let mut found = places.iter().map(|names| names.find(name)).collect::<Vec<_>>();
    let is_there = |lookup: &Lookup<'_>| !matches!(lookup, Lookup::Missing(_));
    let place = found.iter().position(is_there).unwrap_or(0);
    match found.swap_remove(place) {
        Lookup::Found(found) => found.parameter(),
        Lookup::Missing(help) => {
            to.at(*at, Code::UndefinedName, format!("no query has a parameter `{name}`")).help(help);
            None
        }
        Lookup::Unresolved => None,
    }
}

/// A fixed value is valid for its parameter, and no other key sets that parameter.
fn values_can_be_sent(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    let Some(places) = queried_names(family, operation, confirm) else { return };
    let others = confirm.ids.iter().chain(&confirm.with_as).map(|(query, _)| query).chain(&confirm.with);
    let others: Vec<_> = others.chain(&confirm.since).collect();
    for (name, (value, place)) in &confirm.set {
        if let Some((_, other)) = others.iter().find(|(other, _)| *other == name.0) {
            to.at(name.1, Code::BadOutcome, format!("`{}` already gets a value", name.0))
                .related(*other, "here")
                .help("remove one of them");
        }
        let Some(parameter) = parameter_of_a_query(&places, name, to) else { continue };
        let find_fault = match parameter.shape {
            Shape::One(ty) => values::find_fault(family, ty, value),
            Shape::List(_) | Shape::Map(_) | Shape::Items(_) | Shape::Object(_) => {
                to.at(name.1, Code::BadOutcome, format!("`{}` has no single value", name.0))
                    .related(parameter.name.place, "the parameter is here")
                    .help("name a parameter with one value");
                continue;
            }
        };
        if let Some(fault) = find_fault {
            fault.report(to, *place, Code::BadOutcome, &format!("invalid value of `{}`", name.0));
        }
    }
}

/// `since` is a time of a query, and `expires` is a time of the request.
fn times_are_times(family: &Family, operation: &Operation, confirm: &Confirm, to: &mut Diagnostics) {
    if let Some(name) = &confirm.expires
        && let Lookup::Found(found) = names(family, operation).find(&name.0)
    {
        is_time(found.parameter(), name, to);
    }
    if let Some(name) = &confirm.since
        && let Some(places) = queried_names(family, operation, confirm)
    {
        is_time(parameter_of_a_query(&places, name, to), name, to);
    }
}

fn is_time(parameter: Option<&Parameter>, (name, place): &(String, Place), to: &mut Diagnostics) {
    let is_time = |parameter: &&Parameter| matches!(parameter.shape, Shape::One(Type::Time(_) | Type::Undefined));
    if let Some(parameter) = parameter.filter(|parameter| !is_time(parameter)) {
        to.at(*place, Code::BadOutcome, format!("expected a `time`, found `{name}`"))
            .related(parameter.name.place, "the parameter is here")
            .help("name a parameter that is a time");
    }
}

/// The parameters of the request, and of the items of its lists.
pub(super) fn names<'a>(family: &'a Family, operation: &'a Operation) -> WireNames<'a> {
    let own = family.names(operation.members());
    operation.items().fold(own, |names, (_, item)| names.and(&family.names(&item.parameters)))
}

/// Looks up a parameter of the request, or of an object within it, as in `stop.price`.
pub(super) fn find_within<'a>(family: &'a Family, names: &WireNames<'a>, path: &str) -> Lookup<'a> {
    let mut steps = path.split('.');
    let mut found = names.find(steps.next().unwrap_or_default());
    for step in steps {
        let Lookup::Found(wire) = found else { return found };
        let object = wire.parameter().and_then(|parameter| parameter.shape.object());
        let Some(object) = object else {
            return Lookup::Missing(format!("`{}` is not an object", wire.name.wire).into());
        };
        found = family.names(&object.parameters).find(step);
    }
    found
}
