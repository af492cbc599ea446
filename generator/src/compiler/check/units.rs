//! Units that depend on other parameters.

use super::fault::Fault;
use super::values;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, one_of};
use crate::compiler::model::{
    Api, Family, Field, Lookup, Name, Parameter, Record, Role, Type, Unit, WireNames, WireParameter,
};

/// Checks the units of requests and records.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let outer = family.names(operation.body.parameters());
        of_names(family, &outer, &outer, to);
        for (_, item) in operation.items() {
            let inner = family.names(&item.parameters);
            of_names(family, &inner, &inner.clone().and(&outer), to);
        }
    }
    for record in &family.records {
        of_record(family, record, to);
    }
}

fn of_names(family: &Family, names: &WireNames<'_>, around: &WireNames<'_>, to: &mut Diagnostics) {
    for name in names.iter() {
        if let Some(parameter) = name.parameter() {
            of_parameter(family, parameter, around, to);
        }
    }
}

fn of_parameter(family: &Family, parameter: &Parameter, around: &WireNames<'_>, to: &mut Diagnostics) {
    are_reached(&parameter.name, &parameter.units, to);
    for (name, values, place) in parameter.units.iter().flat_map(|unit| &unit.when) {
        match around.find(name) {
            Lookup::Found(found) => {
                let all = found.values(family).into_iter().map(|(value, _)| value);
                tells_cases_apart(name, values, all, *place, to);
                for fault in values.iter().filter_map(|value| find_fault_of_value(family, &found, value)) {
                    fault.report(to, *place, Code::BadValue, &format!("the unit depends on `{name}`"));
                }
            }
            Lookup::Missing(help) => {
                to.at(*place, Code::UndefinedName, format!("the unit depends on an unknown parameter `{name}`"))
                    .help(help);
            }
            Lookup::Unresolved => {}
        }
    }
}

/// The first unit whose `when` holds counts, so the conditions of a unit do not imply those of an earlier one, and the
/// last one before `otherwise` is another unit.
fn are_reached(of: &Name, units: &[Unit], to: &mut Diagnostics) {
    let place = |unit: &Unit| unit.when.first().map_or(of.place, |(_, _, place)| *place);
    for (index, unit) in units.iter().enumerate() {
        let covers = |earlier: &&Unit| !earlier.when.is_empty() && covers(earlier, unit);
        if let Some(earlier) = units[..index].iter().find(covers) {
            to.at(place(unit), Code::BadValue, format!("unreachable unit `{}` of `{}`", unit.is, of.wire))
                .related(place(earlier), "an earlier `when` covers it")
                .help("put the unit with more conditions first, or remove one of them");
        }
    }
    if let [.., last, otherwise] = units
        && otherwise.when.is_empty()
        && last.is == otherwise.is
    {
        to.at(place(last), Code::BadValue, format!("`otherwise` of `{}` has the unit `{}`, too", of.wire, last.is))
            .help("remove this `when`, or correct one of the units");
    }
}

/// Returns whether the earlier unit has a condition less strict than each that it has in common with the other, and no
/// others.
fn covers(earlier: &Unit, unit: &Unit) -> bool {
    let is_implied = |(name, values, _): &(String, Vec<String>, Place)| {
        let own = unit.when.iter().find(|(own, _, _)| own == name);
        own.is_some_and(|(_, own, _)| own.iter().all(|value| values.contains(value)))
    };
    earlier.when.iter().all(is_implied)
}

/// A condition with every value of what it tests is none.
fn tells_cases_apart<'a>(
    name: &str,
    values: &'a [String],
    all: impl Iterator<Item = &'a str>,
    place: Place,
    to: &mut Diagnostics,
) {
    if lists_all(values.iter().map(String::as_str), all) {
        to.at(place, Code::BadValue, format!("the unit does not depend on `{name}`: every value of it is listed"))
            .help("remove it, or list the values for which the unit holds");
    }
}

/// Returns whether several values are all that there are.
pub(super) fn lists_all<'a>(values: impl Iterator<Item = &'a str> + Clone, all: impl Iterator<Item = &'a str>) -> bool {
    let mut all = all.peekable();
    values.clone().nth(1).is_some() && all.peek().is_some() && all.all(|one| values.clone().any(|value| value == one))
}

/// Why a parameter can never have a value; `None` if it can.
pub(super) fn find_fault_of_value(family: &Family, wire: &WireParameter<'_>, value: &str) -> Option<Fault> {
    match wire.role {
        Role::Decider(index) => values::find_fault(family, Type::Enum(index), value),
        Role::Plain(parameter) | Role::Alternative(parameter) | Role::Member(parameter) => {
            let ty = parameter.shape.single()?;
            values::find_fault(family, ty, value)
                .or_else(|| values::out_of_bounds(family, parameter, value))
                .or_else(|| values::wrong_length(parameter, value))
                .or_else(|| values::no_match(parameter, value))
                .or_else(|| values::not_the_fixed(&parameter.name, parameter.fixed.as_ref(), value))
        }
    }
}

fn of_record(family: &Family, record: &Record, to: &mut Diagnostics) {
    record.fields.iter().for_each(|field| are_reached(&field.name, &field.units, to));
    let conditions = record.fields.iter().flat_map(|field| &field.units).flat_map(|unit: &Unit| &unit.when);
    for (name, values, place) in conditions {
        let Some(Field { shape, only, .. }) = record.field(name) else {
            let fields = record.fields.iter().map(|field| (field.name.wire.as_str(), Some(field.name.place)));
            let help = one_of(name, fields);
            to.at(*place, Code::UndefinedName, format!("the unit depends on an unknown field `{name}`")).help(help);
            continue;
        };
        let all = family.values_of(shape, only).into_iter().map(|(value, _)| value);
        tells_cases_apart(name, values, all, *place, to);
        let Some(ty) = shape.single().filter(|ty| ty.is_enum()) else { continue };
        for fault in values.iter().filter_map(|value| values::find_fault(family, ty, value)) {
            fault.report(to, *place, Code::BadValue, &format!("the unit depends on `{name}`"));
        }
    }
}
