//! The rules of an operation: a table of the checked ones, the checks that run before sending for what types cannot
//! express, and the documentation of all statements.

use super::code::{ident, number};
use super::conditions::Conditions;
use super::conditions::Expression;
use super::docs::{Docs, code, escape};
use super::scope::Scope;
use super::scope::{Lookup, Target, Text};
use super::trees;
use crate::compiler::model::{
    Comparison, Condition, Family, Form, Identifier, InstrumentNames, Operand, Operation, Parameter, Placed, Relation,
    Role, Rule, RuleKind, Severity, Statements, Test,
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

/// Returns the checked rules, each with its test and its index in the table.
pub(super) fn checked(operation: &Operation) -> impl Iterator<Item = (usize, &Rule, &Test)> {
    let tested = operation.statements.rules.iter().filter_map(|rule| Some((rule, rule.test.as_ref()?)));
    tested.enumerate().map(|(index, (rule, test))| (index, rule, test))
}

/// Returns the table of an operation, if it has checked rules.
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

/// Returns the parameters that the operation does not support, each with the rule that says so.
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
    /// Returns the properties of the account and the instrument that a test needs, without duplicates.
    fn depends_on<'t>(&'t self, test: &'t Test) -> Vec<&'t str> {
        let of_forms = test.conditions().flat_map(|condition| self.forms(condition));
        let of_forms = of_forms.filter_map(|form| Some(form.decided.as_ref()?.by.0.as_str()));
        let mut properties: Vec<&str> = test.conditions().filter_map(Condition::property).chain(of_forms).collect();
        properties.sort_unstable();
        properties.dedup();
        properties
    }

    /// Returns the forms that a condition tests.
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
        let can_be_left_out = |(name, _): &Placed| {
            let found = parameters.iter().find(|wire| wire.name.wire == *name);
            found.is_some_and(|wire| match wire.role {
                Role::Plain(parameter) | Role::Member(parameter) => !parameter.is_required(),
                Role::Alternative(_) | Role::Decider(_) => false,
            })
        };
        let is_free = |named: &Placed| can_be_left_out(named) && !tested.contains(&named.0.as_str());
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

    /// Returns the patterns of these forms of an identifier.
    fn patterns(&self, parameter: &str, forms: &[Placed]) -> String {
        let known = self.named_forms(parameter, forms);
        known.into_iter().map(Form::in_words).collect::<Vec<_>>().join(" or ")
    }

    /// Returns these forms of the identifier that a parameter is.
    fn named_forms(&self, parameter: &str, forms: &[Placed]) -> Vec<&Form> {
        let parameters = self.operation.wire_parameters(self.family);
        let found = parameters.iter().filter(|known| known.name.wire == parameter).find_map(|known| known.parameter());
        let known =
            found.and_then(|found| self.family.identifier_of(&found.shape)).map_or(&[][..], |known| &known.forms);
        known.iter().filter(|known| forms.iter().any(|(name, _)| *name == known.name.wire)).collect()
    }
}

/// Returns the names with `word` before the last one: `A, B or C`.
fn joined(names: &[Placed], word: &str) -> String {
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} {word} {last}", others.join(", ")),
        _ => names.concat(),
    }
}

fn related(parameter: &str, relation: Relation, operand: &Operand) -> String {
    format!("use a {parameter} that is {} {operand}", relation.in_words())
}

/// Adds all statements of a family or an operation.
pub(super) fn add(docs: &mut Docs, statements: &Statements) {
    add_rules(docs, &statements.rules);
    if !statements.contradictions.is_empty() {
        docs.heading("Where the documents contradict themselves");
        docs.gap();
        for contradiction in &statements.contradictions {
            let readings: Vec<_> = contradiction.readings.iter().map(|reading| sentence(reading)).collect();
            docs.entry(&format!(
                "{}: {} Chosen: {} {}",
                code(&contradiction.id),
                readings.join(" Against: "),
                sentence(&contradiction.chosen),
                sentence(&contradiction.why)
            ));
        }
    }
    if !statements.not_shown.is_empty() {
        docs.heading("Not shown in the documents");
        docs.gap();
        for open in &statements.not_shown {
            docs.entry(&sentence(&open.says.0));
        }
    }
    if !statements.observed.is_empty() {
        docs.heading("Observed on the wire, in no document");
        docs.gap();
        for observation in &statements.observed {
            docs.entry(&format!("{} ({})", sentence(&observation.says), escape(&observation.sources.join(", "))));
        }
    }
}

/// Adds the checked rules, followed by the others in a folded section.
fn add_rules(docs: &mut Docs, rules: &[Rule]) {
    if rules.is_empty() {
        return;
    }
    docs.heading("Rules");
    let (checked, others): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.kind == RuleKind::Checked);
    if !checked.is_empty() {
        docs.markdown("Checked before a request is sent:");
    }
    for rule in checked {
        let warns = if rule.severity == Severity::Warn { " (warns)" } else { "" };
        docs.entry(&rule_entry(rule, warns));
    }
    if others.is_empty() {
        return;
    }
    docs.fold("What the exchange does, and other rules that are not checked");
    for rule in others {
        docs.entry(&rule_entry(rule, kept_by(rule.kind)));
    }
    docs.unfold();
}

/// Returns what enforces a rule that is not checked.
fn kept_by(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Type => " (kept by the types)",
        RuleKind::Limit => " (kept by the limiter)",
        RuleKind::Stated | RuleKind::Todo => " (not checked)",
        RuleKind::Checked | RuleKind::Simulated => "",
    }
}

fn rule_entry(rule: &Rule, note: &str) -> String {
    let why = rule.why.as_ref().map(|why| format!(" {}", sentence(why))).unwrap_or_default();
    let unsupported = rule.unsupported.iter().map(|(name, _)| code(name)).collect::<Vec<_>>();
    let unsupported =
        if unsupported.is_empty() { String::new() } else { format!(" Not supported: {}.", unsupported.join(", ")) };
    format!("{}{note}: {}{why}{unsupported}", code(&rule.id), sentence(&rule.says))
}

/// Returns the text with a final full stop.
fn sentence(text: &str) -> String {
    let text = escape(text.trim());
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// Sets the instrument of the request for the checks that follow.
pub(super) fn instrument(scope: &Scope<'_>, parameters: &[Parameter], names: &InstrumentNames) -> TokenStream {
    let of = Lookup { scope, parameters, base: quote!(self) };
    let text = |wire| of.text(wire).map_or(quote!(None), Text::optional);
    let (line, symbol) = (text(&names.line.0), text(&names.symbol.0));
    let named = quote!(to.names_instrument(#line, #symbol););
    let Some(Target::Plain(parameter)) = of.find(&names.symbol.0) else { return named };
    if !scope.family.identifier_of(&parameter.shape).is_some_and(Identifier::is_respelled) {
        return named;
    }
    let field = of.field(parameter);
    let respelled = match parameter.is_required() {
        true => quote!(#field.respelled()),
        false => quote!(#field.as_ref().and_then(|text| text.respelled())),
    };
    quote!(#named to.also_listed_as(#line, #respelled.as_deref());)
}

/// Returns the checks of all rules for one set of parameters, each with its index in the table of the operation's
/// rules.
pub(super) fn rules(scope: &Scope<'_>, parameters: &[Parameter], rules: &[(usize, &Rule)]) -> TokenStream {
    let of = Conditions::in_check(scope, parameters);
    of.shared.bind(|| rules.iter().map(|(index, rule)| rule_row(&of, *index, rule)).collect())
}

/// Returns the checks of a rule; `index` is its position in the table of the operation's rules.
///
/// Each required parameter has a check of its own, so that the violation names the missing parameter.
fn rule_row<'a>(of: &Conditions<'a>, index: usize, rule: &'a Rule) -> TokenStream {
    let Some(Test::Condition { when, require, forbid }) = &rule.test else { return TokenStream::new() };
    of.ask_for(index);
    let row = number(index as u64);
    let check = |name: &str, broken: Expression| {
        let mut all = of.all_hold(when);
        all.push(broken);
        let broken = Expression::all(all).tokens();
        quote!(to.rule(&RULES[#row], #name, #broken);)
    };
    let named = |condition: &'_ Condition| condition.names().first().copied().map(str::to_owned);
    let spoken_of = || require.iter().chain(forbid).chain(when).find_map(named).unwrap_or_default();
    // A condition on the account alone has no parameter, so the violation names one that the rule uses in `when`.
    let only_when = require.iter().chain(forbid).all(|condition| condition.names().is_empty());
    let when_given = when.iter().find(|condition| only_when && !condition.names().is_empty());
    let mut checks = Vec::new();
    for condition in require {
        match (condition, when_given) {
            (Condition::Given(names), _) => {
                checks.extend(names.iter().map(|(name, _)| check(name, of.of.is_given(name).not())));
            }
            (_, Some(Condition::AnyGiven(names))) => {
                let applies = of.all_hold(when).into_iter().chain([of.fails(condition)]);
                checks.push(each_given(of, applies.collect(), index, names));
            }
            _ => checks.push(check(&named(condition).unwrap_or_else(spoken_of), of.fails(condition))),
        }
    }
    match forbid.as_slice() {
        [] => {}
        [Condition::AnyGiven(names)] => checks.push(each_given(of, of.all_hold(when), index, names)),
        _ => {
            let name = forbid.iter().find_map(named).unwrap_or_else(spoken_of);
            checks.push(check(&name, Expression::all(of.all_hold(forbid))));
        }
    }
    quote!(#(#checks)*)
}

/// Returns a check for each parameter that breaks a rule when it is given, so that the violation names it. The other
/// conditions of the rule are evaluated once.
fn each_given<'a>(of: &Conditions<'a>, applies: Vec<Expression>, index: usize, names: &'a [Placed]) -> TokenStream {
    let row = number(index as u64);
    let checks = names.iter().map(|(name, _)| {
        let given = of.of.is_given(name).tokens();
        quote!(to.rule(&RULES[#row], #name, #given);)
    });
    match Expression::all(applies) {
        Expression::Known(true) => quote!(#(#checks)*),
        applies => {
            let applies = applies.tokens();
            quote!(if #applies { #(#checks)* })
        }
    }
}

/// Returns the check of a rule over all items of a list.
pub(super) fn list_rule(scope: &Scope<'_>, list: &Parameter, index: usize, rule: &Rule) -> TokenStream {
    let Some(item) = list.item() else { return TokenStream::new() };
    let (field, row) = (ident(&list.name.rust), number(index as u64));
    let wire = if list.is_body() { "" } else { list.name.wire.as_str() };
    let items = if list.is_required() { quote!(self.#field.iter()) } else { quote!(self.#field.iter().flatten()) };
    let of = Lookup { scope, parameters: &item.parameters, base: quote!(item) };
    let (names, method): (Vec<&str>, _) = match &rule.test {
        Some(Test::Unique(names)) => (names.iter().map(|(name, _)| name.as_str()).collect(), ident("unique")),
        Some(Test::Same(name, _)) => (vec![name.as_str()], ident("same")),
        Some(Test::Condition { .. }) | None => return TokenStream::new(),
    };
    let checks = names.into_iter().filter_map(|name| {
        let texts = match of.text(name)? {
            Text::Always(text) => quote!(#items.map(|item| #text)),
            Text::Sometimes(text) => quote!(#items.filter_map(|item| #text)),
        };
        Some(quote!(to.#method(&RULES[#row], #wire, #texts);))
    });
    quote!(#(#checks)*)
}
