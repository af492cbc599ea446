//! Wire names -> the fields of a request that hold them, through the choices that some are members of.

use proc_macro2::TokenStream;
use quote::quote;

use super::choices::{alternative, variant};
use super::code::ident;
use super::expression::Expression;
use super::scope::Scope;
use crate::model::{Case, Choice, ChoiceKind, Parameter, Shape, Type};

/// One set of parameters, which stand in `base`.
pub(super) struct Lookup<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) parameters: &'a [Parameter],
    /// What the fields belong to: `self`, or one of several items.
    pub(super) base: TokenStream,
}

/// Where a wire name is found in the types of a set.
pub(super) enum Found<'a> {
    Plain(&'a Parameter),
    /// One of the alternatives of a choice.
    Alternative(&'a Parameter, &'a Choice, &'a Parameter),
    /// The parameter that decides a choice.
    Decider(&'a Parameter, usize),
    /// A parameter that goes with some values of the deciding one.
    Member(Member<'a>),
}

/// A parameter that goes with some values of a deciding one.
pub(super) struct Member<'a> {
    outer: &'a Parameter,
    choice: &'a Choice,
    enum_index: usize,
    cases: &'a [Case],
    wire: &'a str,
}

/// The text of a parameter.
pub(super) enum Text {
    /// A `&str`.
    Always(TokenStream),
    /// An `Option<&str>`.
    Sometimes(TokenStream),
}

impl Text {
    /// An `Option<&str>` in either case.
    pub(super) fn optional(self) -> TokenStream {
        match self {
            Self::Always(text) => quote!(Some(#text)),
            Self::Sometimes(text) => text,
        }
    }
}

impl<'a> Lookup<'a> {
    pub(super) fn find(&self, wire: &'a str) -> Option<Found<'a>> {
        self.parameters.iter().find_map(|parameter| match self.scope.family.choice_of(parameter) {
            Some(choice) => find_in_choice(parameter, choice, wire),
            None => (parameter.name.wire == wire).then_some(Found::Plain(parameter)),
        })
    }

    /// The field of a parameter.
    pub(super) fn field(&self, parameter: &Parameter) -> TokenStream {
        let (base, field) = (&self.base, ident(&parameter.name.rust));
        quote!(#base.#field)
    }

    pub(super) fn is_given(&self, wire: &'a str) -> Expression {
        match self.find(wire) {
            Some(Found::Plain(parameter)) => self.plain_is_given(parameter),
            Some(Found::Alternative(outer, choice, inner)) => {
                let (name, variant) = (self.scope.named(&choice.name.rust), ident(&alternative(inner)));
                self.matches(outer, &quote!(#name::#variant(_)), None)
            }
            Some(Found::Decider(outer, _)) => self.plain_is_given(outer),
            Some(Found::Member(member)) => self.member_is_given(&member),
            None => Expression::Atom(quote!(false)),
        }
    }

    fn plain_is_given(&self, parameter: &Parameter) -> Expression {
        let field = self.field(parameter);
        if parameter.is_required() {
            Expression::Atom(quote!(true))
        } else if parameter.deletes_with().is_some() {
            Expression::Equals(field, quote!(runtime::Edit::Keep)).not()
        } else {
            Expression::IsSome(field)
        }
    }

    /// A member that is required in its case is given whenever the case is; another one may be left out.
    fn member_is_given(&self, member: &Member<'a>) -> Expression {
        let parts = self.cases(member).map(|(pattern, inner)| {
            if inner.is_required() {
                return self.matches(member.outer, &quote!(#pattern(_)), None);
            }
            let field = ident(&inner.name.rust);
            self.matches(member.outer, &quote!(#pattern(ref with)), Some(quote!(with.#field.is_some())))
        });
        Expression::any(parts.collect())
    }

    /// Whether a member has a value of which `is` says that it is meant; `is` is told where the member stands.
    pub(super) fn member_is(
        &self,
        member: &Member<'a>,
        is: impl Fn(&TokenStream, &Parameter) -> Expression,
    ) -> Expression {
        let parts = self.cases(member).map(|(pattern, inner)| {
            let is = is(&quote!(with), inner).tokens();
            self.matches(member.outer, &quote!(#pattern(ref with)), Some(is))
        });
        Expression::any(parts.collect())
    }

    /// The cases that have the member: the variant, and the parameter there.
    fn cases(&self, member: &Member<'a>) -> impl Iterator<Item = (TokenStream, &'a Parameter)> {
        let Member { choice, enum_index, cases, wire, .. } = *member;
        let name = self.scope.named(&choice.name.rust);
        cases.iter().filter_map(move |case| {
            let inner = case.parameters.iter().find(|parameter| parameter.name.wire == wire)?;
            let variant = ident(&variant(self.scope.family, enum_index, case));
            Some((quote!(#name::#variant), inner))
        })
    }

    /// The value of a parameter as an `Option` of a reference.
    pub(super) fn value(&self, wire: &'a str) -> TokenStream {
        match self.find(wire) {
            Some(Found::Plain(parameter)) => value_of(&self.base, parameter),
            Some(Found::Alternative(outer, choice, inner)) => {
                let (name, variant) = (self.scope.named(&choice.name.rust), ident(&alternative(inner)));
                let (field, pattern) = (self.field(outer), through_option(outer, &quote!(#name::#variant(value))));
                quote!(match &#field { #pattern => Some(value), _ => None })
            }
            Some(Found::Member(member)) => {
                let field = self.field(member.outer);
                let arms: Vec<_> = self
                    .cases(&member)
                    .map(|(pattern, inner)| {
                        let value = value_of(&quote!(with), inner);
                        let pattern = through_option(member.outer, &quote!(#pattern(with)));
                        quote!(#pattern => #value,)
                    })
                    .collect();
                let has_others = arms.len() < member.cases.len() || !member.outer.is_required();
                let others = has_others.then(|| quote!(_ => None,));
                quote!(match &#field { #(#arms)* #others })
            }
            Some(Found::Decider(..)) | None => quote!(None),
        }
    }

    /// The value of a parameter as text; nothing when it has none.
    pub(super) fn text(&self, wire: &'a str) -> Option<Text> {
        match self.find(wire)? {
            Found::Plain(parameter) => {
                let field = self.field(parameter);
                match (&parameter.shape, parameter.is_required()) {
                    (Shape::One(Type::Enum(_) | Type::Identifier(_) | Type::String), true) => {
                        Some(Text::Always(quote!(#field.as_str())))
                    }
                    (Shape::One(Type::String), false) => Some(Text::Sometimes(quote!(#field.as_deref()))),
                    (Shape::One(Type::Enum(_) | Type::Identifier(_)), false) => {
                        Some(Text::Sometimes(quote!(#field.as_ref().map(|value| value.as_str()))))
                    }
                    _ => None,
                }
            }
            Found::Alternative(outer, choice, inner) => {
                let (name, variant) = (self.scope.named(&choice.name.rust), ident(&alternative(inner)));
                let (field, pattern) = (self.field(outer), through_option(outer, &quote!(#name::#variant(value))));
                Some(Text::Sometimes(quote!(match &#field { #pattern => Some(value.as_str()), _ => None })))
            }
            Found::Decider(..) | Found::Member(_) => None,
        }
    }

    /// `matches!` over a parameter, through the `Option` of one that may be left out.
    fn matches(&self, parameter: &Parameter, pattern: &TokenStream, guard: Option<TokenStream>) -> Expression {
        let (field, pattern) = (self.field(parameter), through_option(parameter, pattern));
        let guard = guard.map(|guard| quote!(if #guard));
        Expression::Atom(quote!(matches!(#field, #pattern #guard)))
    }
}

/// The value of a field of `base` as an `Option` of a reference.
fn value_of(base: &TokenStream, parameter: &Parameter) -> TokenStream {
    let field = ident(&parameter.name.rust);
    if parameter.is_required() {
        quote!(Some(&#base.#field))
    } else if parameter.deletes_with().is_some() {
        quote!(#base.#field.value())
    } else {
        quote!(#base.#field.as_ref())
    }
}

fn find_in_choice<'a>(outer: &'a Parameter, choice: &'a Choice, wire: &'a str) -> Option<Found<'a>> {
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
            is_member.then_some(Found::Member(Member { outer, choice, enum_index: *enum_index, cases, wire }))
        }
    }
}

fn through_option(parameter: &Parameter, pattern: &TokenStream) -> TokenStream {
    if parameter.is_required() { pattern.clone() } else { quote!(Some(#pattern)) }
}
