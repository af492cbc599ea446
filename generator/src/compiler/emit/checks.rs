//! Checks of rules that run before sending, for what types cannot express. Bounds of single values stand in the rows
//! of [`parameters`](super::parameters).

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{ident, number};
use super::conditions::Conditions;
use super::expression::Expression;
use super::lookup::{Lookup, Target, Text};
use super::scope::Scope;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Condition, Identifier, InstrumentNames, Parameter, Rule, Test};

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

/// The checks of all rules for one set of parameters, each with its index in the table of the operation's rules.
pub(super) fn rules(scope: &Scope<'_>, parameters: &[Parameter], rules: &[(usize, &Rule)]) -> TokenStream {
    let of = Conditions::in_check(scope, parameters);
    of.shared.bind(|| rules.iter().map(|(index, rule)| self::rule(&of, *index, rule)).collect())
}

/// The checks of a rule; `index` is its position in the table of the operation's rules.
///
/// Each required parameter has a check of its own, so that the violation names the missing parameter.
fn rule<'a>(of: &Conditions<'a>, index: usize, rule: &'a Rule) -> TokenStream {
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

/// A check for each parameter that breaks a rule when it is given, so that the violation names it. The other conditions
/// of the rule are evaluated once.
fn each_given<'a>(
    of: &Conditions<'a>,
    applies: Vec<Expression>,
    index: usize,
    names: &'a [(String, Place)],
) -> TokenStream {
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

/// The check of a rule over all items of a list.
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
