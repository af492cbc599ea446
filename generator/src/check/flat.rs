//! How the account of a family becomes flat: the operations, their parameters, and the fields of their answers.

use crate::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::model::{
    Api, Effect, Family, Flat, FlatCall, FlatClose, FlatReduce, FlatValue, Lookup, Operation, Response, Shape, Type,
};

type Named = (String, Place);

pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    let Some(Flat { place: _, cancel, close, value, reduce }) = &family.flat else { return };
    if let Some(FlatCall { operation, over }) = cancel
        && let Some(operation) = find(api, family, operation, Effect::Cancel, to)
    {
        is_an_enum(family, operation, over, to);
    }
    if let Some(FlatClose { call: FlatCall { operation, over }, closed, failed, nothing: _ }) = close
        && let Some(operation) = find(api, family, operation, Effect::Close, to)
    {
        is_an_enum(family, operation, over, to);
        [closed, failed].into_iter().for_each(|field| is_answered(family, operation, field, to));
    }
    if let Some(FlatValue { operation, field }) = value
        && let Some(operation) = find(api, family, operation, Effect::Read, to)
    {
        is_answered(family, operation, field, to);
    }
    if let Some(reduce) = reduce
        && let Some(operation) = find(api, family, &reduce.operation, Effect::Create, to)
    {
        has_parameters(family, operation, reduce, to);
    }
}

/// The operation of this name, which has this effect.
fn find<'a>(
    api: &Api,
    family: &'a Family,
    (name, place): &Named,
    effect: Effect,
    to: &mut Diagnostics,
) -> Option<&'a Operation> {
    let fitting = || family.operations.iter().filter(|one| one.effect == effect);
    let found = fitting().find(|one| one.name == *name);
    if found.is_none() && api.is_whole {
        let what = format!("unknown operation `{name}`: expected one with `effect: {}`", effect.as_str());
        let help = did_you_mean(name, fitting().map(|one| one.name.as_str()));
        to.at(*place, Code::UndefinedName, what).help(help.unwrap_or_else(|| "name an operation of the family".into()));
    }
    found
}

fn is_an_enum(family: &Family, operation: &Operation, (name, place): &Named, to: &mut Diagnostics) {
    let Some(found) = parameter(family, operation, name, *place, to) else { return };
    if !found.is_some_and(|shape| shape.is_one(Type::is_enum)) {
        to.at(*place, Code::BadResponse, format!("expected an enum, found `{name}`"))
            .help("name a parameter that is an enum");
    }
}

/// The shape of a parameter; `Some(None)` if it is part of something else.
fn parameter<'a>(
    family: &'a Family,
    operation: &'a Operation,
    name: &str,
    place: Place,
    to: &mut Diagnostics,
) -> Option<Option<&'a Shape>> {
    let names = family.names(operation.members());
    match names.find(name) {
        Lookup::Found(_) => {
            Some(operation.body.parameters().iter().find(|one| one.name.wire == *name).map(|one| &one.shape))
        }
        Lookup::Missing(help) => {
            to.at(place, Code::UndefinedName, format!("`{}` has no parameter `{name}`", operation.name)).help(help);
            None
        }
        Lookup::Unresolved => None,
    }
}

fn is_answered(family: &Family, operation: &Operation, (name, place): &Named, to: &mut Diagnostics) {
    let record = match &operation.response {
        Response::Object { record } => family.records.get(*record),
        // Reported already.
        Response::Undefined => None,
        _ => {
            to.at(*place, Code::BadResponse, format!("the answer of `{}` is not an object", operation.name))
                .help("name an operation whose `response` is an object");
            None
        }
    };
    let Some(record) = record else { return };
    if record.field(name).is_none() {
        let help = did_you_mean(name, record.fields.iter().map(|field| field.name.wire.as_str()));
        to.at(*place, Code::UndefinedName, format!("`{}` has no field `{name}`", record.name.wire))
            .help(help.unwrap_or_else(|| "name a field of the record".into()));
    }
}

fn has_parameters(family: &Family, operation: &Operation, reduce: &FlatReduce, to: &mut Diagnostics) {
    let FlatReduce { operation: _, line, lines: _, instrument, quantity, long, short, side: _ } = reduce;
    let fixed = long.iter().chain(short).flatten().map(|(named, _)| named);
    for (name, place) in [line, instrument, quantity].into_iter().chain(fixed) {
        parameter(family, operation, name, *place, to);
    }
}
