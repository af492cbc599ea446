//! The checked rules of an operation, as a table. Other rules are documentation only.

use quote::quote;
use syn::Expr;

use super::trees;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{
    Comparison, Condition, Family, Form, Operand, Operation, Relation, Role, Rule, Severity, Test,
};

/// The checked rules, each with its test and its index in the table.
pub(super) fn checked(operation: &Operation) -> impl Iterator<Item = (usize, &Rule, &Test)> {
    let tested = operation.statements.rules.iter().filter_map(|rule| Some((rule, rule.test.as_ref()?)));
    tested.enumerate().map(|(index, (rule, test))| (index, rule, test))
}

/// The table of an operation, if it has checked rules.
pub(super) fn table(family: &Family, operation: &Operation) -> Option<String> {
    let hints = Hints { family, operation };
    let rows: Vec<_> = checked(operation).map(|(_, rule, test)| row(rule, test, &hints)).collect();
    let count = (!rows.is_empty()).then_some(rows.len())?;
    let count = proc_macro2::Literal::usize_unsuffixed(count);
    Some(trees::fixed(
        quote!(
            static RULES: [tables::Rule; #count] = [];
        ),
        trees::array(rows.into_iter()),
    ))
}

fn row(rule: &Rule, test: &Test, hints: &Hints<'_>) -> Expr {
    let severity =
        (rule.severity != Severity::Refuse).then(|| ("severity", trees::of_table("Severity", rule.severity.variant())));
    let fields = [
        Some(("id", trees::text(&rule.id))),
        Some(("at", trees::text(&rule.at))),
        severity,
        Some(("says", trees::text(&rule.says))),
        trees::rows("depends_on", hints.depends_on(test).into_iter().map(trees::text)),
        Some(("hint", trees::text(&hints.hint(test)))),
    ];
    trees::table("Rule", fields)
}

/// The parameters that the operation does not support, each with the rule that says so.
pub(super) fn unsupported(operation: &Operation) -> impl Iterator<Item = Expr> {
    operation.statements.rules.iter().flat_map(|rule| {
        rule.unsupported_paths().map(|(path, _)| {
            let fields = [
                Some(("path", trees::text(&path))),
                Some(("rule", trees::text(&rule.id))),
                Some(("at", trees::text(&rule.at))),
                Some(("says", trees::text(&rule.says))),
            ];
            trees::table("Unsupported", fields)
        })
    })
}

/// The hints for requests of an operation that break a rule.
struct Hints<'a> {
    family: &'a Family,
    operation: &'a Operation,
}

impl Hints<'_> {
    /// The properties of the account and the instrument that a test needs, without duplicates.
    fn depends_on<'t>(&'t self, test: &'t Test) -> Vec<&'t str> {
        let of_forms = test.conditions().flat_map(|condition| self.forms(condition));
        let of_forms = of_forms.filter_map(|form| Some(form.decided.as_ref()?.by.0.as_str()));
        let mut properties: Vec<&str> = test.conditions().filter_map(Condition::property).chain(of_forms).collect();
        properties.sort_unstable();
        properties.dedup();
        properties
    }

    /// The forms that a condition tests.
    fn forms<'t>(&'t self, condition: &'t Condition) -> Vec<&'t Form> {
        match condition {
            Condition::HasForm { parameter, forms } => self.named_forms(&parameter.0, forms),
            Condition::Not(inner) => self.forms(inner),
            Condition::Given(_)
            | Condition::AnyGiven(_)
            | Condition::Is { .. }
            | Condition::AccountIs { .. }
            | Condition::Compares { .. }
            | Condition::Relates { .. } => Vec::new(),
        }
    }

    /// Returns how to correct a request that breaks the rule.
    fn hint(&self, test: &Test) -> String {
        match test {
            Test::Same(name, _) => format!("use one {name} for all"),
            Test::Unique(names) => format!("use each {} once", joined(names, "and")),
            Test::Condition { when, require, forbid } => {
                let required: Vec<_> = require.iter().map(|one| self.required(one)).collect();
                // One of the conditions that are forbidden together is enough.
                let forbidden: Vec<_> = forbid.iter().map(|one| self.forbidden(one)).collect();
                let kept = [required.join(" and "), forbidden.join(", or ")];
                let kept = kept.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", and ");
                let tested: Vec<&str> = require.iter().chain(forbid).flat_map(Condition::names).collect();
                // What is only missing can be added to the request that was meant.
                let is_missing = |one: &Condition| matches!(one, Condition::Given(_) | Condition::AnyGiven(_));
                let lacks = forbid.is_empty() && require.iter().all(is_missing);
                match when.iter().find_map(|one| self.avoided(one, &tested)).filter(|_| !lacks) {
                    Some(avoided) => format!("{avoided}, or {kept}"),
                    None => kept,
                }
            }
        }
    }

    /// Returns how a request leaves the rule behind, if its condition is only that parameters are set that can be left
    /// out: to set another one to what the rule requires may be another request than the caller meant.
    fn avoided(&self, when: &Condition, tested: &[&str]) -> Option<String> {
        let (Condition::Given(names) | Condition::AnyGiven(names)) = when else { return None };
        let parameters = self.operation.wire_parameters(self.family);
        let can_be_left_out = |(name, _): &(String, Place)| {
            let found = parameters.iter().find(|wire| wire.name.wire == *name);
            found.is_some_and(|wire| match wire.role {
                Role::Plain(parameter) | Role::Member(parameter) => !parameter.is_required(),
                Role::Alternative(_) | Role::Decider(_) => false,
            })
        };
        let is_free = |named: &(String, Place)| can_be_left_out(named) && !tested.contains(&named.0.as_str());
        names.iter().all(is_free).then(|| self.forbidden(when))
    }

    fn required(&self, condition: &Condition) -> String {
        match condition {
            Condition::Given(names) => format!("set {}", joined(names, "and")),
            Condition::AnyGiven(names) => format!("set {}", joined(names, "or")),
            Condition::Is { parameter, values } => format!("set {} to {}", parameter.0, joined(values, "or")),
            Condition::HasForm { parameter, forms } => {
                format!("use a {} of the form {}", parameter.0, self.patterns(&parameter.0, forms))
            }
            Condition::AccountIs { property, values } => {
                format!("use an account whose {} is {}", property.0, joined(values, "or"))
            }
            Condition::Compares { parameter: (parameter, _), comparison, property: (property, _) } => {
                match comparison {
                    Comparison::Among => format!("use a {parameter} that is among {property}"),
                    Comparison::NotBefore => format!("use a {parameter} that is not before {property}"),
                    Comparison::MultipleOf => format!("round {parameter} to a multiple of {property}"),
                    Comparison::Places => format!("round {parameter} to {property} decimal places"),
                    Comparison::AtLeast => format!("raise {parameter} to {property} or more"),
                    Comparison::AtMost => format!("lower {parameter} to {property} or less"),
                }
            }
            Condition::Relates { parameter: (parameter, _), relation, operand, .. } => {
                related(parameter, *relation, operand)
            }
            Condition::Not(inner) => self.forbidden(inner),
        }
    }

    fn forbidden(&self, condition: &Condition) -> String {
        match condition {
            Condition::Given(names) => format!("leave out {}", joined(names, "or")),
            Condition::AnyGiven(names) => format!("leave out {}", joined(names, "and")),
            Condition::HasForm { parameter, forms } => {
                format!("use a {} of another form than {}", parameter.0, self.patterns(&parameter.0, forms))
            }
            Condition::Is { parameter, values } => {
                format!("set {} to something other than {}", parameter.0, joined(values, "or"))
            }
            Condition::AccountIs { property, values } => {
                format!("use an account whose {} is not {}", property.0, joined(values, "or"))
            }
            Condition::Compares { parameter: (parameter, _), comparison, property: (property, _) } => {
                match comparison {
                    Comparison::Among => format!("use a {parameter} that is not among {property}"),
                    Comparison::NotBefore => format!("use a {parameter} before {property}"),
                    Comparison::MultipleOf => format!("use a {parameter} that is not a multiple of {property}"),
                    Comparison::Places => format!("use a {parameter} with more than {property} decimal places"),
                    Comparison::AtLeast => format!("lower {parameter} below {property}"),
                    Comparison::AtMost => format!("raise {parameter} above {property}"),
                }
            }
            Condition::Relates { parameter: (parameter, _), relation, operand, .. } => {
                related(parameter, relation.negated(), operand)
            }
            Condition::Not(inner) => self.required(inner),
        }
    }

    /// The patterns of these forms of an identifier.
    fn patterns(&self, parameter: &str, forms: &[(String, Place)]) -> String {
        let known = self.named_forms(parameter, forms);
        known.into_iter().map(Form::in_words).collect::<Vec<_>>().join(" or ")
    }

    /// These forms of the identifier that a parameter is.
    fn named_forms(&self, parameter: &str, forms: &[(String, Place)]) -> Vec<&Form> {
        let parameters = self.operation.wire_parameters(self.family);
        let found = parameters.iter().filter(|known| known.name.wire == parameter).find_map(|known| known.parameter());
        let known =
            found.and_then(|found| self.family.identifier_of(&found.shape)).map_or(&[][..], |known| &known.forms);
        known.iter().filter(|known| forms.iter().any(|(name, _)| *name == known.name.wire)).collect()
    }
}

/// The names with `word` before the last one: `A, B or C`.
fn joined(names: &[(String, Place)], word: &str) -> String {
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} {word} {last}", others.join(", ")),
        _ => names.concat(),
    }
}

fn related(parameter: &str, relation: Relation, operand: &Operand) -> String {
    format!("use a {parameter} that is {} {operand}", relation.in_words())
}
