//! Conditions of rules -> expressions over the fields of a request.

use proc_macro2::TokenStream;
use quote::quote;

use super::choices::{alternative, variant};
use super::code::{ident, number};
use super::identifiers::form_function;
use super::parameters::{deletes_with, is_required};
use super::scope::Scope;
use crate::model::{Case, Choice, ChoiceKind, Condition, EnumValue, Parameter, Shape, Type};

/// A truth value in the making; brackets come only where they are needed.
pub(super) enum Expression {
    /// Something that binds tighter than `!`.
    Atom(TokenStream),
    /// A comparison, which `!` would need brackets for.
    Equals(TokenStream, TokenStream),
    /// Whether an `Option` holds something.
    IsSome(TokenStream),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    pub(super) fn all(parts: Vec<Self>) -> Self {
        Self::one_or(parts, Self::All)
    }

    pub(super) fn any(parts: Vec<Self>) -> Self {
        Self::one_or(parts, Self::Any)
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    fn one_or(mut parts: Vec<Self>, many: fn(Vec<Self>) -> Self) -> Self {
        match parts.len() {
            1 => parts.remove(0),
            _ => many(parts),
        }
    }

    pub(super) fn tokens(&self) -> TokenStream {
        match self {
            Self::Atom(tokens) => tokens.clone(),
            Self::Equals(left, right) => quote!(#left == #right),
            Self::IsSome(option) => quote!(#option.is_some()),
            Self::Not(inner) => match &**inner {
                Self::Atom(tokens) => quote!(!#tokens),
                Self::Equals(left, right) => quote!(#left != #right),
                Self::IsSome(option) => quote!(#option.is_none()),
                other => {
                    let other = other.tokens();
                    quote!(!(#other))
                }
            },
            Self::All(parts) => join(parts, &quote!(&&), |part| matches!(part, Self::Any(_))),
            Self::Any(parts) => join(parts, &quote!(||), |part| matches!(part, Self::All(_))),
        }
    }
}

fn join(parts: &[Expression], operator: &TokenStream, needs_brackets: fn(&Expression) -> bool) -> TokenStream {
    let parts: Vec<_> = parts
        .iter()
        .map(|part| {
            let tokens = part.tokens();
            if needs_brackets(part) { quote!((#tokens)) } else { tokens }
        })
        .collect();
    let Some((first, rest)) = parts.split_first() else { return quote!(true) };
    quote!(#first #(#operator #rest)*)
}

impl Condition {
    /// The parameters it speaks of.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Given(names) | Self::AnyGiven(names) => names.iter().map(|(name, _)| name.as_str()).collect(),
            Self::Is { parameter, .. } | Self::HasForm { parameter, .. } => vec![parameter.0.as_str()],
        }
    }
}

/// Conditions over one set of parameters, which stand in `self`.
pub(super) struct Conditions<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) parameters: &'a [Parameter],
}

/// Where a wire name is found in the types of a set.
enum Found<'a> {
    Plain(&'a Parameter),
    /// One of the alternatives of a choice.
    Alternative(&'a Parameter, &'a Choice, &'a Parameter),
    /// The parameter that decides a choice.
    Decider(&'a Parameter, usize),
    /// A parameter that goes with some values of the deciding one.
    Member(&'a Parameter, &'a Choice, usize, &'a [Case]),
}

/// The text of a parameter of `item`.
pub(super) enum Text {
    /// A `&str`.
    Always(TokenStream),
    /// An `Option<&str>`.
    Sometimes(TokenStream),
}

impl<'a> Conditions<'a> {
    fn find(&self, wire: &str) -> Option<Found<'a>> {
        self.parameters.iter().find_map(|parameter| match parameter.shape {
            Shape::One(Type::Choice(index)) => find_in_choice(parameter, &self.scope.family.choices[index], wire),
            _ => (parameter.name.wire == wire).then_some(Found::Plain(parameter)),
        })
    }

    pub(super) fn parts(&self, conditions: &[Condition]) -> Vec<Expression> {
        conditions.iter().map(|condition| self.one(condition)).collect()
    }

    pub(super) fn all(&self, conditions: &[Condition]) -> Expression {
        Expression::all(self.parts(conditions))
    }

    pub(super) fn one(&self, condition: &Condition) -> Expression {
        let given = |names: &[(String, _)]| names.iter().map(|(name, _)| self.is_given(name)).collect();
        match condition {
            Condition::Given(names) => Expression::all(given(names)),
            Condition::AnyGiven(names) => Expression::any(given(names)),
            Condition::HasForm { parameter, forms } => {
                Expression::any(forms.iter().map(|(form, _)| self.has_form(&parameter.0, form)).collect())
            }
            Condition::Is { parameter, values } => {
                let values: Vec<&str> = values.iter().map(|(value, _)| value.as_str()).collect();
                self.is_one_of(&parameter.0, &values)
            }
        }
    }

    pub(super) fn is_given(&self, wire: &str) -> Expression {
        Expression::Atom(match self.find(wire) {
            Some(Found::Plain(parameter)) => return plain_is_given(parameter),
            Some(Found::Alternative(outer, choice, inner)) => {
                let (name, variant) = (self.scope.named(&choice.name.rust), ident(&alternative(inner)));
                matches(outer, &quote!(#name::#variant(_)))
            }
            Some(Found::Decider(outer, _)) => return plain_is_given(outer),
            Some(Found::Member(outer, choice, enum_index, cases)) => {
                return self.member_is_given(outer, choice, enum_index, cases, wire);
            }
            None => quote!(false),
        })
    }

    /// A member that is required in its case is given whenever the case is; another one may be left out.
    fn member_is_given(
        &self,
        outer: &Parameter,
        choice: &Choice,
        enum_index: usize,
        cases: &[Case],
        wire: &str,
    ) -> Expression {
        let name = self.scope.named(&choice.name.rust);
        let parts = cases.iter().filter_map(|case| {
            let member = case.parameters.iter().find(|parameter| parameter.name.wire == wire)?;
            let variant = ident(&variant(self.scope.family, enum_index, case));
            let field = ident(&member.name.rust);
            Some(Expression::Atom(if is_required(member) {
                matches(outer, &quote!(#name::#variant(_)))
            } else {
                let outer_field = ident(&outer.name.rust);
                let pattern = through_option(outer, &quote!(#name::#variant(ref with)));
                quote!(matches!(self.#outer_field, #pattern if with.#field.is_some()))
            }))
        });
        Expression::any(parts.collect())
    }

    fn has_form(&self, wire: &str, form: &str) -> Expression {
        let Some(Found::Plain(parameter)) = self.find(wire) else { return Expression::Atom(quote!(false)) };
        let Shape::One(Type::Identifier(index)) = parameter.shape else { return Expression::Atom(quote!(false)) };
        let identifier = &self.scope.family.identifiers[index];
        let Some(form) = identifier.forms.iter().find(|known| known.name.wire == form) else {
            return Expression::Atom(quote!(false));
        };
        let (field, asks) = (ident(&parameter.name.rust), ident(&form_function(form)));
        if is_required(parameter) {
            return Expression::Atom(quote!(self.#field.#asks()));
        }
        let name = self.scope.named(&identifier.name.rust);
        Expression::Atom(quote!(self.#field.as_ref().is_some_and(#name::#asks)))
    }

    fn is_one_of(&self, wire: &str, values: &[&str]) -> Expression {
        match self.find(wire) {
            Some(Found::Plain(parameter)) => self.plain_is_one_of(parameter, values),
            Some(Found::Decider(outer, enum_index)) => {
                let variants = self.variants(enum_index, values);
                let field = ident(&outer.name.rust);
                if is_required(outer) {
                    return is_among(&quote!(self.#field.kind()), &variants);
                }
                let is = is_among(&quote!(chosen.kind()), &variants).tokens();
                Expression::Atom(quote!(self.#field.as_ref().is_some_and(|chosen| #is)))
            }
            _ => Expression::Atom(quote!(false)),
        }
    }

    fn variants(&self, enum_index: usize, values: &[&str]) -> Vec<TokenStream> {
        let all = &self.scope.family.enums[enum_index];
        let name = self.scope.named(&all.name.rust);
        let known = values.iter().filter_map(|value| all.index_of(value)).map(|index| &all.values[index]);
        known
            .map(|EnumValue { name: value, .. }| {
                let variant = ident(&value.rust);
                quote!(#name::#variant)
            })
            .collect()
    }

    fn plain_is_one_of(&self, parameter: &Parameter, values: &[&str]) -> Expression {
        let field = ident(&parameter.name.rust);
        match parameter.shape {
            Shape::One(Type::Enum(index)) if is_required(parameter) => {
                is_among(&quote!(self.#field), &self.variants(index, values))
            }
            Shape::One(Type::Enum(index)) => is_some_among(&field, &self.variants(index, values)),
            Shape::One(Type::Identifier(_) | Type::String) if is_required(parameter) => {
                Expression::Atom(quote!([#(#values),*].contains(&self.#field.as_str())))
            }
            Shape::One(Type::Identifier(_) | Type::String) => Expression::Atom(
                quote!(self.#field.as_ref().is_some_and(|value| [#(#values),*].contains(&value.as_str()))),
            ),
            Shape::One(Type::Boolean) => {
                let values: Vec<_> =
                    values.iter().map(|value| if *value == "true" { quote!(true) } else { quote!(false) }).collect();
                scalar_among(parameter, &field, &values)
            }
            Shape::One(Type::Integer) => {
                let values: Vec<_> = values
                    .iter()
                    .filter_map(|value| value.parse().ok())
                    .map(|n| {
                        let n = number(n);
                        quote!(#n)
                    })
                    .collect();
                scalar_among(parameter, &field, &values)
            }
            _ => Expression::Atom(quote!(false)),
        }
    }

    /// The value of a parameter of `item` as text; nothing when it has none.
    pub(super) fn text(&self, wire: &str) -> Option<Text> {
        match self.find(wire)? {
            Found::Plain(parameter) => {
                let field = ident(&parameter.name.rust);
                match (&parameter.shape, is_required(parameter)) {
                    (Shape::One(Type::Enum(_) | Type::Identifier(_) | Type::String), true) => {
                        Some(Text::Always(quote!(item.#field.as_str())))
                    }
                    (Shape::One(Type::String), false) => Some(Text::Sometimes(quote!(item.#field.as_deref()))),
                    (Shape::One(Type::Enum(_) | Type::Identifier(_)), false) => {
                        Some(Text::Sometimes(quote!(item.#field.as_ref().map(|value| value.as_str()))))
                    }
                    _ => None,
                }
            }
            Found::Alternative(outer, choice, inner) => {
                let (name, variant) = (self.scope.named(&choice.name.rust), ident(&alternative(inner)));
                let field = ident(&outer.name.rust);
                let pattern = through_option(outer, &quote!(#name::#variant(value)));
                Some(Text::Sometimes(quote!(match &item.#field { #pattern => Some(value.as_str()), _ => None })))
            }
            Found::Decider(..) | Found::Member(..) => None,
        }
    }
}

fn find_in_choice<'a>(outer: &'a Parameter, choice: &'a Choice, wire: &str) -> Option<Found<'a>> {
    match &choice.kind {
        ChoiceKind::Presence { alternatives, .. } => alternatives
            .iter()
            .find(|parameter| parameter.name.wire == wire)
            .map(|inner| Found::Alternative(outer, choice, inner)),
        ChoiceKind::Value { decider, enum_index, .. } if decider.wire == wire => {
            Some(Found::Decider(outer, *enum_index))
        }
        ChoiceKind::Value { enum_index, cases, .. } => {
            let is_member = choice.members().iter().any(|member| member.name.wire == wire);
            is_member.then_some(Found::Member(outer, choice, *enum_index, cases))
        }
    }
}

fn plain_is_given(parameter: &Parameter) -> Expression {
    let field = ident(&parameter.name.rust);
    if is_required(parameter) {
        Expression::Atom(quote!(true))
    } else if deletes_with(parameter).is_some() {
        Expression::Equals(quote!(self.#field), quote!(runtime::Edit::Keep)).not()
    } else {
        Expression::IsSome(quote!(self.#field))
    }
}

/// `place` is one of these.
fn is_among(place: &TokenStream, values: &[TokenStream]) -> Expression {
    match values {
        [value] => Expression::Equals(place.clone(), value.clone()),
        _ => Expression::Atom(quote!([#(#values),*].contains(&#place))),
    }
}

fn is_some_among(field: &proc_macro2::Ident, values: &[TokenStream]) -> Expression {
    match values {
        [value] => Expression::Equals(quote!(self.#field), quote!(Some(#value))),
        _ => Expression::Atom(quote!(self.#field.as_ref().is_some_and(|value| [#(#values),*].contains(value)))),
    }
}

fn scalar_among(parameter: &Parameter, field: &proc_macro2::Ident, values: &[TokenStream]) -> Expression {
    if is_required(parameter) { is_among(&quote!(self.#field), values) } else { is_some_among(field, values) }
}

fn through_option(parameter: &Parameter, pattern: &TokenStream) -> TokenStream {
    if is_required(parameter) { pattern.clone() } else { quote!(Some(#pattern)) }
}

/// `matches!` over a parameter, through the `Option` of one that may be left out.
fn matches(parameter: &Parameter, pattern: &TokenStream) -> TokenStream {
    let field = ident(&parameter.name.rust);
    let pattern = through_option(parameter, pattern);
    quote!(matches!(self.#field, #pattern))
}
