//! What an operation says of itself: its rates, the parameter that takes a cursor.

use crate::diagnostics::{Code, Diagnostics};
use crate::model::{Api, Family, Lookup, Operation, Rate, Response, Role, Type};

/// The operations of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        rates_are_distinct(operation, to);
        next_takes_the_cursor(family, operation, to);
    }
}

/// For one class of users, one way of counting and one window there is one rate.
fn rates_are_distinct(operation: &Operation, to: &mut Diagnostics) {
    for (index, rate) in operation.rates.iter().enumerate() {
        let same = |first: &&Rate| first.counted() == rate.counted() && first.every.window() == rate.every.window();
        if let Some(first) = operation.rates.iter().take(index).find(same) {
            let help = match rate.of_pool {
                None => "remove one of them, or give each a class with `for` or a window of its own",
                Some(_) => "remove one of them: a call takes of a pool once",
            };
            to.at(rate.place, Code::BadRate, format!("duplicate rate limit {}", rate.counted()))
                .related(first.place, "the first one")
                .help(help);
        }
    }
}

/// Each pool is used.
pub(super) fn pools_are_used(api: &Api, to: &mut Diagnostics) {
    let rates = || api.operations().flat_map(|(_, operation)| &operation.rates);
    for pool in api.pools.iter().filter(|_| api.is_whole) {
        if !rates().filter_map(|rate| rate.of_pool.as_ref()).any(|of| of.pool == pool.name) {
            to.at(pool.place, Code::Unused, format!("unused pool `{}`: no operation takes of it", pool.name))
                .help(format!("remove the pool, or write `1 of {}` in the `rate_limit` of an operation", pool.name));
        }
    }
}

/// A page is followed by sending its cursor back.
fn next_takes_the_cursor(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    let Response::Page { next: (next, place), .. } = &operation.response else { return };
    let names = family.names(operation.members());
    let found = match names.find(next) {
        Lookup::Found(found) => found,
        Lookup::Missing(help) => {
            to.at(*place, Code::UndefinedName, format!("unknown parameter `{next}`")).help(help);
            return;
        }
        Lookup::Unresolved => return,
    };
    let takes_it = matches!(found.role, Role::Plain(parameter) if parameter.shape.is_one(Type::is_cursor));
    if !takes_it {
        to.at(*place, Code::BadResponse, format!("expected a parameter that takes the cursor, found `{next}`"))
            .related(found.name.place, "the parameter is here")
            .help("name a parameter outside of choices that is a `string`, an `integer` or an identifier");
    }
}
