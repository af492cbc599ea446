//! The way the account of a family becomes flat: the operations, their parameters, and the fields of their answers.

use std::collections::BTreeSet;

use super::records::find_fault_of_value;
use super::{identifiers, rules};
use crate::compiler::diagnostics::{Code, Diagnostics, Place, one_of, unknown};
use crate::compiler::model::{
    Api, Condition, Family, Flat, FlatClose, FlatReduce, FlatSide, Lookup, NamesWithin, Operation, Pair, Placed, Shape,
    Type,
};

pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    let operations = &family.operations;
    let Some(Flat { place: _, cancel: _, close, value: _, reduce }) = &family.flat else { return };
    if let Some(FlatClose { nothing, .. }) = close {
        nothing.iter().for_each(|code| is_refused_with(api, family, code, to));
    }
    if let Some(reduce) = reduce
        && let Some(operation) = operations.get(&reduce.operation)
    {
        orders_only_close(family, operation, reduce, to);
    }
}

/// The code is documented or observed, and not that of success.
fn is_refused_with(api: &Api, family: &Family, (code, place): &Placed, to: &mut Diagnostics) {
    let documented = family.errors.iter().filter(|error| !error.success);
    let documented = documented.map(|error| (error.code.as_str(), Some(error.place)));
    let observed = api.codes.iter().filter(|known| known.is_of(family));
    let known = documented.chain(observed.map(|known| (known.code.as_str(), Some(known.place))));
    if api.is_whole && !known.clone().any(|(known, _)| known == code) {
        let help = unknown(code, known, || "name a code that is documented or observed".to_owned());
        to.at(*place, Code::UndefinedName, format!("unknown code `{code}`")).help(help);
    }
}

/// Returns the shape of a parameter; `Some(None)` if it is part of something else.
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

/// The parameters of the orders exist and have these values, no set can open a position, and no rule refuses one.
fn orders_only_close(family: &Family, operation: &Operation, reduce: &FlatReduce, to: &mut Diagnostics) {
    if reduce.closes_with.is_empty() {
        to.lacking(reduce.place, "closes_with");
    }
    let FlatReduce { operation: _, line, lines, instrument, quantity, closes_with, long, short, side, place } = reduce;
    has_shape(family, operation, line, "an enum", |shape| shape.is_one(Type::is_enum), to);
    has_shape(family, operation, instrument, "a text", |shape| shape.is_one(Type::is_text), to);
    has_shape(family, operation, quantity, "a number", |shape| shape.is_one(Type::is_quantity), to);
    lines.iter().for_each(|value| takes(family, operation, line, value, to));
    for (name, values) in closes_with {
        values.iter().for_each(|value| takes(family, operation, name, value, to));
    }
    for (sets, key) in [(long, "long"), (short, "short")] {
        for (index, set) in sets.iter().enumerate() {
            let at = set.first().map_or(*place, |((_, at), _)| *at);
            set.iter().for_each(|(name, value)| takes(family, operation, name, value, to));
            let text = |set: &[Pair]| set.iter().map(|((name, _), (value, _))| (name.clone(), value.clone())).collect();
            let own: BTreeSet<_> = text(set);
            if sets[..index].iter().any(|first| text(first) == own) {
                to.at(at, Code::DefinedTwice, format!("duplicate order under `{key}`")).help("remove one of them");
            }
            if !closes_with.is_empty() && !only_closes(set, closes_with) {
                to.at(
                    at,
                    Code::BadValue,
                    format!("this order of `{key}` can open a position: it has none of `closes_with`"),
                )
                .related(closes_with.first().map_or(*place, |((_, place), _)| *place), "`closes_with` is here")
                .help("add what keeps it from that, or remove the order");
            }
            keeps_the_rules(operation, reduce, (key, set), at, to);
        }
    }
    if let Some(side) = side {
        is_recorded(family, side, to);
    }
}

/// Returns whether an order has a value that keeps it from opening a position.
fn only_closes(set: &[Pair], closes_with: &[NamesWithin]) -> bool {
    set.iter().any(|((name, _), (value, _))| {
        let with = closes_with.iter().find(|((known, _), _)| known == name);
        with.is_some_and(|(_, values)| values.iter().any(|(known, _)| known == value))
    })
}

/// No rule of the operation refuses the order.
fn keeps_the_rules(
    operation: &Operation,
    reduce: &FlatReduce,
    (key, set): (&str, &[Pair]),
    at: Place,
    to: &mut Diagnostics,
) {
    let is = |parameter: &Placed, values: Vec<Placed>| Condition::Is { parameter: parameter.clone(), values };
    let line = Some(is(&reduce.line, reduce.lines.clone())).filter(|_| !reduce.lines.is_empty());
    let set = set.iter().map(|(name, value)| is(name, vec![value.clone()]));
    let given = [&reduce.line, &reduce.instrument, &reduce.quantity].map(|name| Condition::Given(vec![name.clone()]));
    let facts: Vec<Condition> = set.chain(line).chain(given).collect();
    let rules = operation.statements.rules.iter().filter(|rule| rule.within.is_none());
    for rule in rules.filter(|rule| rules::refuses(rule, &facts)) {
        to.at(at, Code::BadValue, format!("this order of `{key}` breaks {}", rules::name(rule)))
            .related(rule.place, "the rule is here")
            .help("correct the order, or the rule");
    }
}

/// A parameter of the operation has a shape.
fn has_shape(
    family: &Family,
    operation: &Operation,
    (name, place): &Placed,
    what: &str,
    fits: impl Fn(&Shape) -> bool,
    to: &mut Diagnostics,
) {
    let found = parameter(family, operation, name, *place, to).flatten();
    if found.is_some_and(|shape| !shape.is_undefined() && !fits(shape)) {
        to.at(*place, Code::BadResponse, format!("expected {what}, found `{name}`"))
            .help(format!("name a parameter that is {what}"));
    }
}

/// A parameter of the operation exists and can have a value.
fn takes(family: &Family, operation: &Operation, (name, place): &Placed, (value, at): &Placed, to: &mut Diagnostics) {
    if parameter(family, operation, name, *place, to).is_some()
        && let Lookup::Found(found) = family.names(operation.members()).find(name)
        && let Some(fault) = find_fault_of_value(family, &found, value)
    {
        fault.report(to, *at, Code::BadValue, &format!("`{name}`"));
    }
}

/// The side of a position is a field of the records of orders.
fn is_recorded(family: &Family, FlatSide { field, long, short, place: _ }: &FlatSide, to: &mut Diagnostics) {
    let (name, place) = field;
    let records = || family.tracked_records();
    let fields = || records().filter_map(|record| record.field(name));
    if records().next().is_some() && fields().next().is_none() {
        let known = records().flat_map(|record| &record.fields);
        let help = one_of(name, known.map(|field| (field.name.wire.as_str(), Some(field.name.place))));
        to.at(*place, Code::UndefinedName, format!("no record in the lifecycle has a field `{name}`")).help(help);
    }
    let enums = || fields().filter_map(|field| family.enum_of(&field.shape));
    for (value, at) in [long, short] {
        if let Some(fault) = enums().find_map(|all| identifiers::find_enum_fault(all, value)) {
            fault.report(to, *at, Code::BadValue, &format!("`{name}`"));
        }
    }
    if long.0 == short.0 {
        to.at(*place, Code::BadValue, format!("`{name}` is `{}` for long and short positions", long.0))
            .help("write the value of each");
    }
}
