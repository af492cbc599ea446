//! What a type cannot carry, as checks that run before sending: bounds of single values, and rules with conditions.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{ident, number};
use super::conditions::{Conditions, Expression, Text};
use super::parameters::{deletes_with, is_required, local};
use super::scope::Scope;
use crate::model::{Condition, Parameter, Rule, Shape, Test, Type};

/// The checks of one parameter of a set.
pub(super) fn parameter(scope: &Scope<'_>, parameter: &Parameter, is_body: bool) -> TokenStream {
    let field = ident(&parameter.name.rust);
    match &parameter.shape {
        Shape::One(Type::Choice(_)) if is_required(parameter) => quote!(runtime::Parameters::check(&self.#field, to);),
        Shape::One(Type::Choice(_)) => {
            let local = local(parameter);
            quote! {
                if let Some(#local) = &self.#field {
                    runtime::Parameters::check(#local, to);
                }
            }
        }
        Shape::One(_) => {
            let place = if is_required(parameter) {
                quote!(Some(&self.#field))
            } else if deletes_with(parameter).is_some() {
                quote!(self.#field.value())
            } else {
                quote!(self.#field.as_ref())
            };
            optional_value(scope, parameter, &place)
        }
        Shape::List(_) | Shape::Items(_) => list(scope, parameter, is_body),
    }
}

/// The checks of a value that is there.
pub(super) fn value(scope: &Scope<'_>, parameter: &Parameter, place: &TokenStream) -> TokenStream {
    optional_value(scope, parameter, &quote!(Some(#place)))
}

/// `place` is an optional reference.
fn optional_value(_scope: &Scope<'_>, parameter: &Parameter, place: &TokenStream) -> TokenStream {
    let wire = &parameter.name.wire;
    let Shape::One(ty) = parameter.shape else { return TokenStream::new() };
    match ty {
        Type::Enum(_) if parameter.only.is_empty() => quote!(to.optional_known(#wire, #place);),
        Type::Enum(_) => {
            let only = parameter.only.iter().map(|(value, _)| value);
            quote!(to.only(#wire, #place, &[#(#only),*]);)
        }
        Type::Identifier(_) => quote!(to.identifier(#wire, #place);),
        Type::Integer => integer(parameter, place),
        Type::Decimal => decimal(parameter, place),
        _ => TokenStream::new(),
    }
}

fn integer(parameter: &Parameter, place: &TokenStream) -> TokenStream {
    let wire = &parameter.name.wire;
    let bound = |bound: &Option<(String, _)>| bound.as_ref().and_then(|(text, _)| text.parse().ok()).map(number);
    let min = bound(&parameter.min).map(|min| quote!(to.at_least(#wire, #place.copied(), #min);));
    let max = bound(&parameter.max).map(|max| quote!(to.at_most(#wire, #place.copied(), #max);));
    let digits = parameter.digits.map(|(digits, _)| {
        let digits = number(digits.into());
        quote!(to.digits(#wire, #place.copied(), #digits);)
    });
    quote!(#min #max #digits)
}

fn decimal(parameter: &Parameter, place: &TokenStream) -> TokenStream {
    let wire = &parameter.name.wire;
    let min = parameter.min.as_ref().map(|(min, _)| quote!(to.decimal_at_least(#wire, #place, #min);));
    let max = parameter.max.as_ref().map(|(max, _)| quote!(to.decimal_at_most(#wire, #place, #max);));
    quote!(#min #max)
}

fn list(_scope: &Scope<'_>, parameter: &Parameter, is_body: bool) -> TokenStream {
    let field = ident(&parameter.name.rust);
    let wire = if is_body { "" } else { parameter.name.wire.as_str() };
    let least = parameter.min_items.map_or(u64::from(is_required(parameter)), |(n, _)| n);
    let counted = parameter.max_items.is_some() || least > 0;
    let (min, max) = (number(least), parameter.max_items.map(|(n, _)| number(n)));
    let max = max.map_or(quote!(usize::MAX), |max| quote!(#max));
    let count = counted.then(|| quote!(to.count(#wire, self.#field.len(), #min, #max);));
    let each = match &parameter.shape {
        Shape::Items(_) => quote!(to.items(#wire, &self.#field);),
        Shape::List(Type::Enum(_)) => {
            let each = match parameter.only.as_slice() {
                [] => quote!(to.known(#wire, value);),
                only => {
                    let only = only.iter().map(|(value, _)| value);
                    quote!(to.only(#wire, Some(value), &[#(#only),*]);)
                }
            };
            quote! {
                for value in &self.#field {
                    #each
                }
            }
        }
        Shape::List(Type::Identifier(_)) => quote! {
            for value in &self.#field {
                to.identifier(#wire, Some(value));
            }
        },
        _ => TokenStream::new(),
    };
    quote!(#count #each)
}

/// The check of a rule over one set of parameters; `index` is its place in the table of the operation's rules.
pub(super) fn rule(scope: &Scope<'_>, parameters: &[Parameter], index: usize, rule: &Rule) -> Option<TokenStream> {
    let Some(Test::Condition { when, require, forbid }) = &rule.test else { return None };
    let row = number(index as u64);
    let of = Conditions { scope, parameters };
    let mut broken = Vec::new();
    if !require.is_empty() {
        broken.push(of.all(require).not());
    }
    if !forbid.is_empty() {
        broken.push(of.all(forbid));
    }
    let mut all = of.parts(when);
    all.push(Expression::any(broken));
    let broken = Expression::all(all).tokens();
    let names = forbid.iter().chain(require).chain(when);
    let name = names.flat_map(Condition::names).next().unwrap_or_default();
    Some(quote!(to.rule(&RULES[#row], #name, #broken);))
}

/// The check of a rule over all items of a list.
pub(super) fn list_rule(scope: &Scope<'_>, list: &Parameter, index: usize, rule: &Rule, is_body: bool) -> TokenStream {
    let Shape::Items(item) = &list.shape else { return TokenStream::new() };
    let (field, row) = (ident(&list.name.rust), number(index as u64));
    let wire = if is_body { "" } else { list.name.wire.as_str() };
    let of = Conditions { scope, parameters: &item.parameters };
    let (names, method): (Vec<&str>, _) = match &rule.test {
        Some(Test::Unique(names)) => (names.iter().map(|(name, _)| name.as_str()).collect(), ident("unique")),
        Some(Test::Same(name, _)) => (vec![name.as_str()], ident("same")),
        _ => (Vec::new(), ident("same")),
    };
    let checks = names.into_iter().filter_map(|name| {
        let texts = match of.text(name)? {
            Text::Always(text) => quote!(self.#field.iter().map(|item| #text)),
            Text::Sometimes(text) => quote!(self.#field.iter().filter_map(|item| #text)),
        };
        Some(quote!(to.#method(&RULES[#row], #wire, #texts);))
    });
    quote!(#(#checks)*)
}
