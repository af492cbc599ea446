//! Rules of the schema language that need the resolved model, one function for each rule.
//!
//! Whatever an earlier step reported is left out of the model, or is `Undefined` or an empty name there; every rule
//! skips it.

mod account;
mod apart;
mod batches;
mod beside_data;
mod calls;
mod choices;
mod comparable;
mod compound;
mod conditions;
mod confirm;
mod credentials;
mod docs;
mod echoes;
mod effects;
mod enums;
mod errors;
mod examples;
mod fault;
mod files;
mod flat;
mod headers;
mod identifiers;
mod instruments;
mod intents;
mod lifecycle;
mod limits;
mod listings;
mod markets;
mod names;
mod one_of;
mod operations;
mod outcomes;
mod paging;
mod paths;
mod probe;
mod properties;
mod queries;
mod ranges;
mod records;
mod reserved;
mod rules;
mod shows;
mod trades;
mod units;
mod values;
mod windows;

use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::model::{Api, Family};

/// Rules for the whole API.
const API_RULES: &[fn(&Api, &mut Diagnostics)] = &[
    account::names,
    account::is_shown,
    calls::check,
    credentials::check,
    headers::are_distinct,
    headers::are_used,
    headers::signed_calls_have_credentials,
    paths::are_distinct,
    operations::pools_are_used,
    operations::pool_reports_are_distinct,
    outcomes::check,
    errors::observed_codes,
    errors::refusals,
    markets::check,
    files::programs,
    files::chapters,
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
    enums::check,
    identifiers::check,
    identifiers::forms,
    identifiers::mint,
    choices::check,
    units::check,
    records::check,
    one_of::check,
    errors::success_is_one,
    errors::codes_prove_refusals,
    probe::check,
    flat::check,
    account::instrument_is_named,
    account::served_families,
    account::classes,
    lifecycle::check,
    limits::in_flight,
    confirm::check,
    echoes::check,
    compound::check,
    intents::check,
    limits::ceilings,
    operations::check,
    effects::reads_are_meant,
    headers::are_declared,
    apart::parameters,
    beside_data::check,
    calls::of_operations,
    credentials::fit_beside_parameters,
    paths::check,
    windows::check,
    listings::check,
    paging::check,
    shows::check,
    instruments::check,
    batches::check,
    rules::check,
    docs::family_has_docs,
];

#[cfg(feature = "cli")]
pub(crate) use examples::{comparable, is_readable};
#[cfg(feature = "cli")]
pub(crate) use names::rust_names_of_types;
#[cfg(feature = "cli")]
pub(crate) use reserved::{is_free_operation, is_free_request, is_free_setter, is_free_type};

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
