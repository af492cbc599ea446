//! Units that depend on other parameters.

use super::fault::Fault;
use super::values;
use crate::diagnostics::{Code, Diagnostics, did_you_mean, name_list};
use crate::model::{Api, Family, Field, Lookup, Parameter, Record, Role, Type, Unit, WireNames, WireParameter};

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
    for (name, values, place) in parameter.units.iter().flat_map(|unit| &unit.when) {
        match around.find(name) {
            Lookup::Found(found) => {
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

/// Why a parameter can never have a value; `None` if it can.
pub(super) fn find_fault_of_value(family: &Family, wire: &WireParameter<'_>, value: &str) -> Option<Fault> {
    match wire.role {
        Role::Decider(index) => values::find_fault(family, Type::Enum(index), value),
        Role::Plain(parameter) | Role::Alternative(parameter) | Role::Member(parameter) => {
            let ty = parameter.shape.single()?;
            values::find_fault(family, ty, value).or_else(|| values::out_of_bounds(family, parameter, value))
        }
    }
}

fn of_record(family: &Family, record: &Record, to: &mut Diagnostics) {
    let names = || record.fields.iter().map(|field| field.name.wire.as_str());
    let conditions = record.fields.iter().flat_map(|field| &field.units).flat_map(|unit: &Unit| &unit.when);
    for (name, values, place) in conditions {
        let Some(Field { shape, .. }) = record.field(name) else {
            let help = did_you_mean(name, names())
                .unwrap_or_else(|| format!("expected one of: {}", name_list(names())).into());
            to.at(*place, Code::UndefinedName, format!("the unit depends on an unknown field `{name}`")).help(help);
            continue;
        };
        let Some(ty) = shape.single().filter(|ty| ty.is_enum()) else { continue };
        for fault in values.iter().filter_map(|value| values::find_fault(family, ty, value)) {
            fault.report(to, *place, Code::BadValue, &format!("the unit depends on `{name}`"));
        }
    }
}
