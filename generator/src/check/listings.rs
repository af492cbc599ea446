//! Listings: what tells their items apart, and what has to be asked for so that they are whole.

use super::wire::{self, Found, Meaning};
use crate::diagnostics::{Code, Diagnostics, did_you_mean};
use crate::model::{Api, Family, Need, Operation, Record, Response, Shape, Type};

/// The listings of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let Response::Page { record, .. } = operation.response else { continue };
        if let Some(record) = family.records.get(record) {
            id_tells_items_apart(operation, record, to);
        }
        each_is_asked_for(family, operation, to);
    }
}

fn id_tells_items_apart(operation: &Operation, record: &Record, to: &mut Diagnostics) {
    let Some((name, place)) = &operation.listing.id else { return };
    let Some(field) = record.fields.iter().find(|field| field.name.wire == *name) else {
        let names = || record.fields.iter().map(|field| field.name.wire.as_str());
        let help =
            did_you_mean(name, names()).unwrap_or_else(|| format!("its fields are: {}", wire::list(names())).into());
        to.at(*place, Code::UndefinedName, format!("the record `{}` has no field `{name}`", record.name.wire))
            .related(record.name.place, "the record is here")
            .help(help);
        return;
    };
    if !matches!(field.shape, Shape::One(Type::Identifier(_) | Type::String | Type::Undefined)) {
        to.at(*place, Code::BadResponse, format!("`{name}` tells no item from another"))
            .related(field.name.place, "the field is here")
            .help("name a field that is a `string` or an identifier");
    }
}

fn each_is_asked_for(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let Some((name, place)) = &operation.listing.each else { return };
    let found = match wire::names(family, wire::top(operation)).find(name) {
        Found::Wire(found) => found,
        Found::Nothing(help) => {
            to.at(*place, Code::UndefinedName, format!("`{}` has no parameter `{name}`", operation.name)).help(help);
            return;
        }
        Found::Perhaps => return,
    };
    let can_be_left_out = matches!(found.meaning, Meaning::Plain(parameter)
        if parameter.need != Need::Always && matches!(parameter.shape, Shape::One(Type::Enum(_) | Type::Undefined)));
    if !can_be_left_out {
        to.at(
            *place,
            Code::BadResponse,
            format!("`{name}` has no values of which one is asked for when it is left out"),
        )
        .related(found.place, "the parameter is here")
        .help("name a parameter that is an enum and is not required");
    }
}
