//! Truth values in the making.

use proc_macro2::TokenStream;
use quote::quote;

use super::shared::Shared;

/// An expression of type `bool`; brackets come only where they are needed.
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
            other @ (Self::Atom(_) | Self::Equals(..) | Self::IsSome(_) | Self::All(_) | Self::Any(_)) => {
                Self::Not(Box::new(other))
            }
        }
    }

    /// The same, by its name where a function uses it several times. What is short enough to repeat stays.
    pub(super) fn shared(self, name: String, shared: &Shared) -> Self {
        let tokens = self.tokens();
        let used = shared.use_of(name, tokens.clone());
        if used.to_string() == tokens.to_string() { self } else { Self::Atom(used) }
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
                other @ (Self::Not(_) | Self::All(_) | Self::Any(_)) => {
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

/// `place` is one of these.
pub(super) fn is_among(place: &TokenStream, values: &[TokenStream]) -> Expression {
    match values {
        [value] => Expression::Equals(place.clone(), value.clone()),
        _ => Expression::Atom(quote!([#(#values),*].contains(&#place))),
    }
}

/// The optional `place` is set to one of these.
pub(super) fn is_some_among(place: &TokenStream, values: &[TokenStream]) -> Expression {
    match values {
        [value] => Expression::Equals(place.clone(), quote!(Some(#value))),
        _ => Expression::Atom(quote!(#place.as_ref().is_some_and(|value| [#(#values),*].contains(value)))),
    }
}
