//! Operations: their rates and pools, and the parameter for the cursor.

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{
    Access, Api, Family, Lookup, Need, Operation, Pool, PoolReporting, PoolWeight, Rate, Response, Role, Type,
    WeightCondition,
};

/// Checks the operations of a family.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for operation in &family.operations {
        users_are_known(operation, to);
        rates_are_distinct(operation, to);
        weights_are_of_parameters(family, operation, to);
        next_takes_the_cursor(family, operation, to);
    }
}

/// A public call shows no user who could be listed.
fn users_are_known(operation: &Operation, to: &mut Diagnostics) {
    if operation.whitelisted && operation.access == Access::Public {
        to.at(
            operation.key_places.whitelisted,
            Code::Misplaced,
            "`whitelisted` and `access: public` exclude each other",
        )
        .help("remove one of them: a public call is sent without a key");
    }
}

/// Rates are unique by class of users, unit counted and window.
fn rates_are_distinct(operation: &Operation, to: &mut Diagnostics) {
    for (index, rate) in operation.rates.iter().enumerate() {
        let same = |first: &&Rate| first.counted() == rate.counted() && first.every.window() == rate.every.window();
        if let Some(first) = operation.rates.iter().take(index).find(same) {
            let help = match rate.of_pool {
                None => "remove one of them, or give each a class with `for` or a window of its own",
                Some(_) => "remove one of them, or state which calls have this weight, such as `with limit over 100`",
            };
            to.at(rate.place, Code::BadRate, format!("duplicate rate limit {}", rate.counted()))
                .related(first.place, "the first one")
                .help(help);
        }
    }
}

/// A weight depends on a parameter of the operation, and there is a weight for all other calls.
fn weights_are_of_parameters(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    for rate in &operation.rates {
        let Some((of, when)) = rate.of_pool.as_ref().and_then(|of| Some((of, of.when.as_ref()?))) else { continue };
        let is_of_all = |other: &&PoolWeight| other.pool == of.pool && other.when.is_none();
        if operation.rates.iter().filter_map(|other| other.of_pool.as_ref()).find(is_of_all).is_none() {
            to.at(rate.place, Code::BadRate, format!("missing weight in `{}` for all other calls", of.pool))
                .help(format!("add what any other call takes, such as `1 of {}`", of.pool));
        }
        let found = match family.names(operation.members()).find(when.parameter()) {
            Lookup::Found(found) => found,
            Lookup::Missing(help) => {
                let message = format!("`{}` has no parameter `{}`", operation.name, when.parameter());
                to.at(rate.place, Code::UndefinedName, message).help(help);
                continue;
            }
            Lookup::Unresolved => continue,
        };
        let fits = match (when, found.role) {
            (WeightCondition::Over(..), Role::Plain(parameter)) => parameter.shape.is_one(|ty| ty == Type::Integer),
            (WeightCondition::Without(_) | WeightCondition::With(_), Role::Plain(parameter)) => {
                parameter.need != Need::Always
            }
            (_, Role::Alternative(_) | Role::Member(_) | Role::Decider(_)) => {
                !matches!(when, WeightCondition::Over(..))
            }
        };
        if !fits {
            to.at(rate.place, Code::BadRate, format!("the weight of a call cannot depend on `{}`", when.parameter()))
                .related(found.name.place, "the parameter is here")
                .help("name a parameter that can be left out, or with `over` an integer outside of choices");
        }
    }
}

/// Every pool is used.
pub(super) fn pools_are_used(api: &Api, to: &mut Diagnostics) {
    let rates = || api.operations().flat_map(|(_, operation)| &operation.rates);
    // A rate that could not be read may be one of the pool.
    let are_read = api.operations().all(|(_, operation)| !to.is_unread(operation.place.file, "rate_limit"));
    for pool in api.pools.iter().filter(|_| api.is_whole && are_read) {
        if !rates().filter_map(|rate| rate.of_pool.as_ref()).any(|of| of.pool == pool.name) {
            to.at(pool.place, Code::Unused, format!("unused pool `{}`: no operation counts in it", pool.name))
                .help(format!("remove the pool, or write `1 of {}` in the `rate_limit` of an operation", pool.name));
        }
    }
}

/// The number of pools whose reports the runtime keeps.
const MAX_REPORTED: usize = 4;

/// The number of pools with reports is limited, and no two pools of an operation are reported in the same place.
pub(super) fn pool_reports_are_distinct(api: &Api, to: &mut Diagnostics) {
    let reporting: Vec<_> = api.pools.iter().filter_map(|pool| Some((pool, pool.reporting.as_ref()?))).collect();
    if let Some((_, beyond)) = reporting.get(MAX_REPORTED) {
        to.at(beyond.place, Code::BadRate, format!("`reported` for more than {MAX_REPORTED} pools"))
            .help("keep it for the pools that other programs use, too");
    }
    for (index, (pool, own)) in reporting.iter().enumerate() {
        let is_same =
            |(_, other): &&(_, &PoolReporting)| other.count.to_string().eq_ignore_ascii_case(&own.count.to_string());
        let first = reporting.iter().take(index).filter(is_same).find_map(|(first, _)| {
            let taking =
                api.operations().find(|(_, operation)| takes_of(operation, pool) && takes_of(operation, first));
            taking.map(|(_, operation)| (first, operation))
        });
        if let Some((first, operation)) = first {
            to.at(own.place, Code::BadRate, format!("{} already reports `{}`", own.count, first.name))
                .related(first.place, "the pool is here")
                .related(operation.place, "an operation counts in both")
                .help(format!("name what reports `{}`", pool.name));
        }
    }
}

fn takes_of(operation: &Operation, pool: &Pool) -> bool {
    operation.rates.iter().filter_map(|rate| rate.of_pool.as_ref()).any(|of| of.pool == pool.name)
}

/// The cursor of a page can be sent back with the next request.
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
