//! The rules of an operation or a family as a table.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::optional_text;
use crate::diagnostics::Place;
use crate::load::raw::{RuleKind, Severity};
use crate::model::{Comparison, Condition, Rule, Test};

/// The table of an operation.
pub(super) fn table(rules: &[Rule]) -> TokenStream {
    let rows = rules.iter().map(row);
    quote! {
        const RULES: &[runtime::Rule] = &[#(#rows),*];
    }
}

/// A rule as a row of a table.
pub(super) fn row(rule: &Rule) -> TokenStream {
    let (id, at, says, why) = (&rule.id, &rule.at, &rule.says, optional_text(rule.why.as_deref()));
    let kind = match rule.kind {
        RuleKind::Type => quote!(Type),
        RuleKind::Checked => quote!(Checked),
        RuleKind::Limit => quote!(Limit),
        RuleKind::Simulated => quote!(Simulated),
        RuleKind::Stated => quote!(Stated),
    };
    let severity = match rule.severity {
        Severity::Refuse => quote!(Refuse),
        Severity::Warn => quote!(Warn),
    };
    let depends_on = depends_on(rule);
    let mend = mend(rule);
    quote!(runtime::Rule {
        id: #id,
        at: #at,
        kind: runtime::RuleKind::#kind,
        severity: runtime::Severity::#severity,
        says: #says,
        why: #why,
        depends_on: &[#(#depends_on),*],
        mend: #mend,
    })
}

/// The properties of the account and the instrument that the rule asks for, each once.
fn depends_on(rule: &Rule) -> Vec<&str> {
    let mut properties: Vec<&str> =
        rule.test.iter().flat_map(Test::conditions).filter_map(Condition::property).collect();
    properties.sort_unstable();
    properties.dedup();
    properties
}

/// What to do about a request that breaks the rule.
fn mend(rule: &Rule) -> String {
    match &rule.test {
        None => String::new(),
        Some(Test::Same(name, _)) => format!("use one {name} for all"),
        Some(Test::Unique(names)) => format!("use each {} once", list(names, " and ")),
        Some(Test::Condition { require, forbid, .. }) => {
            let parts: Vec<_> = require.iter().map(required).chain(forbid.iter().map(forbidden)).collect();
            parts.join(", ")
        }
    }
}

fn list(names: &[(String, Place)], word: &str) -> String {
    names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(word)
}

fn required(condition: &Condition) -> String {
    match condition {
        Condition::Given(names) => format!("set {}", list(names, " and ")),
        Condition::AnyGiven(names) => format!("set {}", list(names, " or ")),
        Condition::Is { parameter, values } => format!("set {} to {}", parameter.0, list(values, " or ")),
        Condition::HasForm { parameter, forms } => format!("use a {} of the form {}", parameter.0, list(forms, " or ")),
        Condition::AccountIs { property, values } => {
            format!("use an account whose {} is {}", property.0, list(values, " or "))
        }
        Condition::Compares { parameter: (parameter, _), comparison, property: (property, _) } => match comparison {
            Comparison::Among => format!("use a {parameter} that is among {property}"),
            Comparison::NotBefore => format!("use a {parameter} that is not before {property}"),
            Comparison::MultipleOf => format!("round {parameter} to a multiple of {property}"),
            Comparison::Places => format!("round {parameter} to {property} decimal places"),
            Comparison::AtLeast => format!("raise {parameter} to {property} or more"),
        },
    }
}

fn forbidden(condition: &Condition) -> String {
    match condition {
        Condition::Given(names) | Condition::AnyGiven(names) => format!("leave out {}", list(names, " and ")),
        Condition::HasForm { parameter, forms } => {
            format!("use a {} of another form than {}", parameter.0, list(forms, " or "))
        }
        Condition::Is { parameter, values } => {
            format!("set {} to something else than {}", parameter.0, list(values, " or "))
        }
        Condition::AccountIs { property, values } => {
            format!("use an account whose {} is not {}", property.0, list(values, " or "))
        }
        Condition::Compares { parameter: (parameter, _), comparison, property: (property, _) } => match comparison {
            Comparison::Among => format!("use a {parameter} that is not among {property}"),
            Comparison::NotBefore => format!("use a {parameter} before {property}"),
            Comparison::MultipleOf => format!("use a {parameter} that is no multiple of {property}"),
            Comparison::Places => format!("use a {parameter} with more than {property} decimal places"),
            Comparison::AtLeast => format!("lower {parameter} below {property}"),
        },
    }
}
