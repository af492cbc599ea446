//! Checks that run before sending, for what types cannot express: bounds of single values, and rules with conditions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, Stmt};

use super::code::{ident, if_set, number};
use super::conditions::Conditions;
use super::expression::Expression;
use super::lookup::{Lookup, Text};
use super::scope::Scope;
use super::trees;
use crate::diagnostics::Place;
use crate::model::{Condition, InstrumentNames, Parameter, Rule, Shape, Test, Type};

/// The checks of one parameter of a set.
pub(super) fn parameter(parameter: &Parameter) -> Vec<Stmt> {
    let wire = &parameter.name.wire;
    let field = || trees::of_self(&parameter.name.rust);
    match (&parameter.shape, parameter.deletes_with()) {
        (Shape::One(Type::Choice(_)), _) => {
            trees::statements(if_set(parameter, |choice| quote!(runtime::parameters::Parameters::check(#choice, to);)))
        }
        (Shape::One(_), Some(delete)) => {
            let edit = check(parameter, "edit", [trees::reference(field()), trees::text(delete)]);
            let value = optional_value(parameter, &|| trees::flagged(field(), "value"));
            std::iter::once(edit).chain(value).collect()
        }
        (Shape::One(_), None) if parameter.is_required() => value(parameter, &|| trees::reference(field())),
        (Shape::One(_), None) => optional_value(parameter, &|| trees::flagged(field(), "as_ref")),
        (Shape::List(_) | Shape::Items(_), _) => trees::statements(list(parameter)),
        (Shape::Object(_), _) => trees::statements(if_set(parameter, |object| quote!(to.object(#wire, #object);))),
        (Shape::Map(_), _) => Vec::new(),
    }
}

/// The checks of a value that is set.
pub(super) fn value(parameter: &Parameter, place: &dyn Fn() -> Expr) -> Vec<Stmt> {
    optional_value(parameter, &|| trees::optional(Some(place())))
}

/// `place` is an optional reference.
fn optional_value(parameter: &Parameter, place: &dyn Fn() -> Expr) -> Vec<Stmt> {
    let Shape::One(ty) = parameter.shape else { return Vec::new() };
    let unary = |method| vec![check(parameter, method, [place()])];
    match ty {
        Type::Enum(_) if parameter.only.is_empty() => unary("optional_known"),
        Type::Enum(_) => {
            let only = trees::texts(parameter.only.iter().map(|(value, _)| value.as_str()));
            vec![check(parameter, "only", [place(), only])]
        }
        Type::Identifier(_) => unary("identifier"),
        Type::Integer | Type::Signed => integer(parameter, place),
        Type::Decimal => decimal(parameter, "decimal", place, place),
        Type::Scaled(_) => decimal(parameter, "scaled", place, &|| scaled_value(place())),
        Type::String => unary("text"),
        // These types have no values that a request must not contain.
        Type::Boolean(_) | Type::Time(_) | Type::Json | Type::Choice(_) | Type::Record(_) | Type::Undefined => {
            Vec::new()
        }
    }
}

/// `to.method(wire, ..)`.
fn check<const N: usize>(parameter: &Parameter, method: &str, arguments: [Expr; N]) -> Stmt {
    let wire = trees::text(&parameter.name.wire);
    trees::statement(trees::on(trees::path(&["to"]), method, std::iter::once(wire).chain(arguments)))
}

fn integer(parameter: &Parameter, place: &dyn Fn() -> Expr) -> Vec<Stmt> {
    let value = || trees::flagged(place(), "copied");
    let bound = |method, bound: &Option<(String, Place)>| {
        let bound = trees::whole(&bound.as_ref()?.0)?;
        Some(check(parameter, method, [value(), bound]))
    };
    let (min, max) = (bound("at_least", &parameter.min), bound("at_most", &parameter.max));
    let digits =
        parameter.digits.map(|(digits, _)| check(parameter, "digits", [value(), trees::number(digits.into())]));
    [min, max, digits].into_iter().flatten().collect()
}

/// The value of a decimal that travels as an integer. Both are optional references.
fn scaled_value(place: Expr) -> Expr {
    trees::call(trees::path(&["runtime", "emitted", "scaled_value"]), [place])
}

/// `method` checks the number itself, and bounds hold for its `value`.
fn decimal(parameter: &Parameter, method: &str, place: &dyn Fn() -> Expr, value: &dyn Fn() -> Expr) -> Vec<Stmt> {
    let bound = |method, bound: &Option<(String, Place)>| {
        Some(check(parameter, method, [value(), trees::text(&bound.as_ref()?.0)]))
    };
    let (min, max) = (bound("decimal_at_least", &parameter.min), bound("decimal_at_most", &parameter.max));
    let is_decimal = check(parameter, method, [place()]);
    [Some(is_decimal), min, max].into_iter().flatten().collect()
}

/// The bounds of a list, if it is set, and the checks of its items.
fn list(parameter: &Parameter) -> TokenStream {
    let wire = if parameter.is_body() { "" } else { parameter.name.wire.as_str() };
    let is_objects = parameter.item().is_some();
    let least = parameter.least_items();
    let (min, max) = (number(least), parameter.max_items.map(|(n, _)| number(n)));
    let counted = max.is_some() || least > 0;
    let max = max.map_or(quote!(usize::MAX), |max| quote!(#max));
    let item = parameter.shape.listed().map(|ty| item(parameter, ty)).filter(|check| !check.is_empty());
    if !counted && item.is_none() && !is_objects {
        return TokenStream::new();
    }
    if_set(parameter, |list| {
        // `list` is already a reference.
        let place = if parameter.is_required() { dereferenced(parameter) } else { list.clone() };
        let count = counted.then(|| quote!(to.count(#wire, #place.len(), #min, #max);));
        let objects = is_objects.then(|| quote!(to.items(#wire, #list);));
        let items = item.as_ref().map(|check| quote!(for value in #list { #check }));
        quote!(#count #objects #items)
    })
}

fn dereferenced(parameter: &Parameter) -> TokenStream {
    let field = ident(&parameter.name.rust);
    quote!(self.#field)
}

/// The check of one `value` of a list.
fn item(parameter: &Parameter, ty: Type) -> TokenStream {
    let wire = &parameter.name.wire;
    match ty {
        Type::Enum(_) if parameter.only.is_empty() => quote!(to.known(#wire, value);),
        Type::Enum(_) => {
            let only = parameter.only.iter().map(|(value, _)| value);
            quote!(to.only(#wire, Some(value), &[#(#only),*]);)
        }
        Type::Identifier(_) => quote!(to.identifier(#wire, Some(value));),
        Type::Decimal => quote!(to.decimal(#wire, Some(value));),
        Type::Scaled(_) => quote!(to.scaled(#wire, Some(value));),
        Type::String => quote!(to.text(#wire, Some(value));),
        Type::Integer
        | Type::Signed
        | Type::Boolean(_)
        | Type::Time(_)
        | Type::Json
        | Type::Choice(_)
        | Type::Record(_)
        | Type::Undefined => TokenStream::new(),
    }
}

/// Sets the instrument of the request for the checks that follow.
pub(super) fn instrument(scope: &Scope<'_>, parameters: &[Parameter], names: &InstrumentNames) -> TokenStream {
    let of = Lookup { scope, parameters, base: quote!(self) };
    let text = |wire| of.text(wire).map_or(quote!(None), Text::optional);
    let (line, symbol) = (text(&names.line.0), text(&names.symbol.0));
    quote!(to.names_instrument(#line, #symbol);)
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
