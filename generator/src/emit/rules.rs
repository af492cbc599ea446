//! The checked rules of an operation, as a table. Other rules are documentation only.

use quote::quote;
use syn::Expr;

use super::trees;
use crate::diagnostics::Place;
use crate::model::{Comparison, Condition, Operand, Operation, Relation, Rule, Severity, Test};

/// The checked rules, each with its test and its index in the table.
pub(super) fn checked(operation: &Operation) -> impl Iterator<Item = (usize, &Rule, &Test)> {
    let tested = operation.statements.rules.iter().filter_map(|rule| Some((rule, rule.test.as_ref()?)));
    tested.enumerate().map(|(index, (rule, test))| (index, rule, test))
}

/// The table of an operation, if it has checked rules.
pub(super) fn table(operation: &Operation) -> Option<String> {
    checked(operation).next()?;
    let rows = checked(operation).map(|(_, rule, test)| row(rule, test));
    Some(trees::constant(
        quote!(
            const RULES: &[runtime::tables::Rule] = &[];
        ),
        trees::list(rows),
    ))
}

fn row(rule: &Rule, test: &Test) -> Expr {
    let severity = match rule.severity {
        Severity::Refuse => None,
        Severity::Warn => Some(("severity", trees::of_table("Severity", "Warn"))),
    };
    let fields = [
        Some(("id", trees::text(&rule.id))),
        Some(("at", trees::text(&rule.at))),
        severity,
        Some(("says", trees::text(&rule.says))),
        trees::rows("depends_on", depends_on(test).into_iter().map(trees::text)),
        Some(("hint", trees::text(&hint(test)))),
    ];
    trees::table("Rule", fields)
}

/// The properties of the account and the instrument that a test needs, without duplicates.
fn depends_on(test: &Test) -> Vec<&str> {
    let mut properties: Vec<&str> = test.conditions().filter_map(Condition::property).collect();
    properties.sort_unstable();
    properties.dedup();
    properties
}

/// How to correct a request that breaks the rule.
fn hint(test: &Test) -> String {
    match test {
        Test::Same(name, _) => format!("use one {name} for all"),
        Test::Unique(names) => format!("use each {} once", joined(names, " and ")),
        Test::Condition { require, forbid, .. } => {
            let parts: Vec<_> = require.iter().map(required).chain(forbid.iter().map(forbidden)).collect();
            parts.join(", ")
        }
    }
}

fn joined(names: &[(String, Place)], word: &str) -> String {
    names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(word)
}

fn required(condition: &Condition) -> String {
    match condition {
        Condition::Given(names) => format!("set {}", joined(names, " and ")),
        Condition::AnyGiven(names) => format!("set {}", joined(names, " or ")),
        Condition::Is { parameter, values } => format!("set {} to {}", parameter.0, joined(values, " or ")),
        Condition::HasForm { parameter, forms } => {
            format!("use a {} of the form {}", parameter.0, joined(forms, " or "))
        }
        Condition::AccountIs { property, values } => {
            format!("use an account whose {} is {}", property.0, joined(values, " or "))
        }
        Condition::Compares { parameter: (parameter, _), comparison, property: (property, _) } => match comparison {
            Comparison::Among => format!("use a {parameter} that is among {property}"),
            Comparison::NotBefore => format!("use a {parameter} that is not before {property}"),
            Comparison::MultipleOf => format!("round {parameter} to a multiple of {property}"),
            Comparison::Places => format!("round {parameter} to {property} decimal places"),
            Comparison::AtLeast => format!("raise {parameter} to {property} or more"),
            Comparison::AtMost => format!("lower {parameter} to {property} or less"),
        },
        Condition::Relates { parameter: (parameter, _), relation, operand, .. } => {
            related(parameter, *relation, operand)
        }
        Condition::Not(inner) => forbidden(inner),
    }
}

fn forbidden(condition: &Condition) -> String {
    match condition {
        Condition::Given(names) | Condition::AnyGiven(names) => format!("leave out {}", joined(names, " and ")),
        Condition::HasForm { parameter, forms } => {
            format!("use a {} of another form than {}", parameter.0, joined(forms, " or "))
        }
        Condition::Is { parameter, values } => {
            format!("set {} to something other than {}", parameter.0, joined(values, " or "))
        }
        Condition::AccountIs { property, values } => {
            format!("use an account whose {} is not {}", property.0, joined(values, " or "))
        }
        Condition::Compares { parameter: (parameter, _), comparison, property: (property, _) } => match comparison {
            Comparison::Among => format!("use a {parameter} that is not among {property}"),
            Comparison::NotBefore => format!("use a {parameter} before {property}"),
            Comparison::MultipleOf => format!("use a {parameter} that is not a multiple of {property}"),
            Comparison::Places => format!("use a {parameter} with more than {property} decimal places"),
            Comparison::AtLeast => format!("lower {parameter} below {property}"),
            Comparison::AtMost => format!("raise {parameter} above {property}"),
        },
        Condition::Relates { parameter: (parameter, _), relation, operand, .. } => {
            related(parameter, relation.negated(), operand)
        }
        Condition::Not(inner) => required(inner),
    }
}

fn related(parameter: &str, relation: Relation, operand: &Operand) -> String {
    format!("use a {parameter} that is {} {operand}", relation.in_words())
}
