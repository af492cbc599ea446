//! Rules of the schema language that need the resolved model, one function for each rule.
//!
//! Whatever an earlier step reported is left out of the model, or is `Undefined` or an empty name there; every rule
//! skips it.

mod account;
mod batches;
mod conditions;
mod confirm;
mod counterpart;
mod credentials;
mod docs;
mod errors;
mod examples;
mod identifiers;
mod intents;
mod lifecycle;
mod listings;
mod names;
mod operations;
mod paths;
mod records;
mod reserved;
mod rules;
mod values;
mod worth;

use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::model::{Api, Family};

/// Rules for the whole API.
const API_RULES: &[fn(&Api, &mut Diagnostics)] = &[
    counterpart::check,
    account::names,
    account::is_shown,
    operations::calls,
    credentials::check,
    paths::headers_are_distinct,
    paths::are_used,
    paths::signed_calls_have_credentials,
    paths::are_distinct,
    operations::pools_are_used,
    operations::pool_reports_are_distinct,
    errors::check,
    errors::observed_codes,
    errors::refusals,
    docs::check,
    docs::programs,
    docs::chapters,
    docs::api_has_docs,
];

/// Rules for a family, its types and its operations.
const FAMILY_RULES: &[fn(&Api, &Family, &mut Diagnostics)] = &[
    names::family,
    names::types,
    names::values,
    names::errors,
    names::operations,
    names::parameters,
    names::fields,
    docs::words_are_searchable,
    values::parameters,
    values::fields,
    docs::names_what_exists,
    identifiers::enums,
    identifiers::check,
    identifiers::forms,
    identifiers::mint,
    identifiers::choices,
    records::units,
    records::check,
    records::records_of_several,
    errors::success_is_one,
    errors::codes_prove_refusals,
    account::check,
    account::becomes_flat,
    account::instrument_is_named,
    account::served_families,
    account::classes,
    lifecycle::check,
    errors::in_flight,
    confirm::check,
    batches::echoes,
    batches::compound,
    worth::check,
    counterpart::enums,
    intents::check,
    errors::ceilings,
    operations::check,
    operations::reads_are_meant,
    paths::are_declared,
    paths::parameters,
    records::beside_data,
    operations::of_operations,
    credentials::fit_beside_parameters,
    paths::check,
    operations::windows,
    listings::check,
    listings::paging,
    listings::shows,
    listings::instruments,
    batches::check,
    rules::check,
    docs::family_has_docs,
];

pub(crate) use examples::{comparable, is_readable};
pub(crate) use names::rust_names_of_types;
pub(crate) use reserved::{is_free_operation, is_free_request, is_free_setter, is_free_type};

/// Returns each item that is the same as an earlier one, after the first such.
fn repeated<T>(all: &[T], is_same: impl Fn(&T, &T) -> bool) -> impl Iterator<Item = (&T, &T)> {
    let first = move |at: usize| all[..at].iter().find(|first| is_same(first, &all[at]));
    (0..all.len()).filter_map(move |at| Some((first(at)?, &all[at])))
}

/// Checks all rules and reports every violation.
pub(crate) fn check(api: &Api, to: &mut Diagnostics) {
    for rule in API_RULES {
        rule(api, to);
    }
    for family in &api.families {
        for rule in FAMILY_RULES {
            rule(api, family, to);
        }
    }
    examples::check(api, to);
}
