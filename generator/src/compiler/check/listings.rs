//! Listings: how their items are identified, and which queries make them complete.

use super::records;
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{Api, Family, Lookup, Need, Operation, Record, Response, Role, Type, WireParameter};

/// Checks the listings of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        list_has_records(family, operation, to);
        let Some(record) = operation.paged_record(family) else { continue };
        if let Some(record) = family.records.get(record) {
            id_identifies_items(operation, record, to);
        }
        each_is_an_optional_enum(family, operation, to);
    }
}

fn list_has_records(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let (Some(list), Response::Object { record }) = (&operation.listing.list, &operation.response) else { return };
    let Some(field) = family.records.get(*record).and_then(|record| records::field(record, list, to)) else { return };
    if !field.shape.listed().is_some_and(|ty| ty == Type::Undefined || ty.record().is_some()) {
        to.at(list.1, Code::BadResponse, format!("expected a list of records, found `{}`", list.0))
            .related(field.name.place, "the field is here")
            .help("name a field that is a `list` of a record");
    }
}

fn id_identifies_items(operation: &Operation, record: &Record, to: &mut Diagnostics) {
    let Some(id) = &operation.listing.id else { return };
    let Some(field) = records::field(record, id, to) else { return };
    if !field.shape.is_one(Type::is_text) {
        to.at(id.1, Code::BadResponse, format!("`{}` does not identify an item", id.0))
            .related(field.name.place, "the field is here")
            .help("name a field that is a `string` or an identifier");
    }
}

/// The parameter that a listing names; an unknown one is reported.
pub(super) fn named_parameter<'a>(
    family: &'a Family,
    operation: &'a Operation,
    name: &str,
    place: Place,
    to: &mut Diagnostics,
) -> Option<WireParameter<'a>> {
    match family.names(operation.members()).find(name) {
        Lookup::Found(found) => Some(found),
        Lookup::Missing(help) => {
            to.at(place, Code::UndefinedName, format!("`{}` has no parameter `{name}`", operation.name)).help(help);
            None
        }
        Lookup::Unresolved => None,
    }
}

fn each_is_an_optional_enum(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let Some((name, place)) = &operation.listing.each else { return };
    let Some(found) = named_parameter(family, operation, name, *place, to) else { return };
    let can_be_left_out = matches!(found.role, Role::Plain(parameter)
        if parameter.need != Need::Always && parameter.shape.is_one(Type::is_enum));
    if !can_be_left_out {
        to.at(*place, Code::BadResponse, format!("expected an optional enum, found `{name}`"))
            .related(found.name.place, "the parameter is here")
            .help("name an optional parameter that is an enum");
    }
}
