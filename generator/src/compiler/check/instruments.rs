//! The instruments that listings have: the family that names them, and the fields of their records.

use super::properties::instrument_property;
use super::records::is_field;
use super::shows::is_an_enum;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::compiler::model::{Api, Family, ListedInstruments, Response, Shape, Type};

/// Checks `instruments` of the responses of a family.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        let (Some(listed), Response::Array { record, .. }) = (&operation.listing.instruments, &operation.response)
        else {
            continue;
        };
        let Some(record) = family.records.get(*record) else { continue };
        let ListedInstruments { of, over, lines, symbol, properties, in_last_place, place: _ } = listed;
        names_instruments(api, of, to);
        if let Some(index) = is_an_enum(family, operation, over, to) {
            for (line, place) in lines {
                let known = || family.enums[index].wires();
                if !known().any(|known| known == line) {
                    let help =
                        did_you_mean(line, known()).unwrap_or_else(|| format!("name a value of `{}`", over.0).into());
                    to.at(*place, Code::BadValue, format!("`{}` has no value `{line}`", over.0)).help(help);
                }
            }
        }
        is_field(record, Some(symbol), "a `string` or an identifier", |shape| shape.is_one(Type::is_text), to);
        const NUMBER: &str = "a `decimal` or an `integer`";
        let is_number = |shape: &Shape| shape.is_one(Type::is_quantity);
        for (property, field) in properties {
            if is_flag(api, &property.0) {
                let is_truth = |shape: &Shape| family.truth_of(shape).is_some();
                is_field(record, Some(field), "a boolean, or an enum with `truth`", is_truth, to);
            } else {
                instrument_property(api, property, false, to);
                is_field(record, Some(field), NUMBER, is_number, to);
            }
        }
        for (field, places) in in_last_place {
            is_field(record, Some(places), NUMBER, is_number, to);
            if !properties.iter().any(|(_, (used, _))| *used == field.0) {
                to.at(field.1, Code::Unused, format!("no property is the field `{}`", field.0))
                    .help("name it under `properties`, or remove it here");
            }
        }
    }
}

/// Returns whether instruments have a flag of this name.
fn is_flag(api: &Api, name: &str) -> bool {
    let instrument = api.account.as_ref().and_then(|account| account.instrument.as_ref());
    instrument.is_some_and(|instrument| instrument.names(true).any(|flag| flag == name))
}

/// The family has requests that name their instruments.
fn names_instruments(api: &Api, (name, place): &(String, Place), to: &mut Diagnostics) {
    let naming = || api.families.iter().filter(|family| family.instrument.is_some());
    if api.is_whole && !naming().any(|family| family.name == *name) {
        let help = did_you_mean(name, naming().map(|family| family.name.as_str()));
        let help = help.unwrap_or_else(|| "name a family with `instrument`".into());
        to.at(*place, Code::UndefinedName, format!("unknown family `{name}`: expected one with `instrument`"))
            .help(help);
    }
}
