//! Boolean expressions of emitted code, and those that a function uses several times and evaluates once.

use std::cell::{Cell, RefCell};

use super::code::ident;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// An expression of type `bool` that is printed with as few parentheses as possible.
pub(super) enum Expression {
    /// A value known when the code is generated, such as whether a required parameter is set.
    Known(bool),
    /// An expression that binds tighter than `!`.
    Atom(TokenStream),
    /// A comparison, which needs parentheses after `!`.
    Equals(TokenStream, TokenStream),
    /// A question about the account or an instrument, and the answer that must be known.
    Answered(TokenStream, bool),
    /// An `Option` that is `Some`.
    IsSome(TokenStream),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    pub(super) fn all(parts: Vec<Self>) -> Self {
        Self::joined(parts, true, Self::All)
    }

    pub(super) fn any(parts: Vec<Self>) -> Self {
        Self::joined(parts, false, Self::Any)
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::Known(is) => Self::Known(!is),
            Self::Not(inner) => *inner,
            other @ (Self::Atom(_)
            | Self::Equals(..)
            | Self::Answered(..)
            | Self::IsSome(_)
            | Self::All(_)
            | Self::Any(_)) => Self::Not(Box::new(other)),
        }
    }

    /// Returns the variable of an expression that a function uses several times; an expression that is short enough is
    /// repeated instead.
    pub(super) fn shared(self, name: String, shared: &Shared) -> Self {
        shared.name_of(name, &self.tokens()).map_or(self, |name| Self::Atom(quote!(#name)))
    }

    /// Joins parts: drops known ones equal to `neutral`; a known one of the other value decides the result.
    fn joined(mut parts: Vec<Self>, neutral: bool, many: fn(Vec<Self>) -> Self) -> Self {
        if parts.iter().any(|part| matches!(part, Self::Known(is) if *is != neutral)) {
            return Self::Known(!neutral);
        }
        parts.retain(|part| !matches!(part, Self::Known(_)));
        // What the request decides comes first, so that a question is asked only if its answer matters.
        parts.sort_by_key(Self::asks);
        match parts.len() {
            0 => Self::Known(neutral),
            1 => parts.remove(0),
            _ => many(parts),
        }
    }

    /// Returns whether it asks something about the account or an instrument.
    fn asks(&self) -> bool {
        match self {
            Self::Answered(..) => true,
            Self::Not(inner) => inner.asks(),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::asks),
            Self::Known(_) | Self::Atom(_) | Self::Equals(..) | Self::IsSome(_) => false,
        }
    }

    pub(super) fn tokens(&self) -> TokenStream {
        match self {
            Self::Known(is) => quote!(#is),
            Self::Atom(tokens) => tokens.clone(),
            Self::Equals(left, right) => quote!(#left == #right),
            Self::Answered(question, so) => quote!(#question == Some(#so)),
            Self::IsSome(option) => quote!(#option.is_some()),
            Self::Not(inner) => match &**inner {
                Self::Atom(tokens) => quote!(!#tokens),
                Self::Equals(left, right) => quote!(#left != #right),
                Self::Answered(question, so) => quote!(#question != Some(#so)),
                Self::IsSome(option) => quote!(#option.is_none()),
                other @ (Self::Known(_) | Self::Not(_) | Self::All(_) | Self::Any(_)) => {
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
    let mut parts = parts.into_iter();
    let first = parts.next();
    quote!(#first #(#operator #parts)*)
}

/// Returns whether `place` is one of these values.
pub(super) fn is_among(place: &TokenStream, values: &[TokenStream]) -> Expression {
    match values {
        [value] => Expression::Equals(place.clone(), value.clone()),
        _ => Expression::Atom(quote!([#(#values),*].contains(&#place))),
    }
}

/// Returns whether the optional `place` is set to one of these values.
pub(super) fn is_some_among(place: &TokenStream, values: &[TokenStream]) -> Expression {
    match values {
        [value] => Expression::Equals(place.clone(), quote!(Some(#value))),
        _ => Expression::Atom(quote!(#place.as_ref().is_some_and(|value| [#(#values),*].contains(value)))),
    }
}

/// The named expressions of one function.
#[derive(Default)]
pub(super) struct Shared {
    seen: RefCell<Vec<Occurrences>>,
    is_binding: Cell<bool>,
}

struct Occurrences {
    name: String,
    tokens: TokenStream,
    times: usize,
}

impl Shared {
    /// Returns the expression, or its variable if it is used several times.
    pub(super) fn use_of(&self, name: String, tokens: TokenStream) -> TokenStream {
        self.name_of(name, &tokens).map_or(tokens, |name| quote!(#name))
    }

    /// Returns the variable of an expression that is used several times. A name belongs to the first expression that
    /// uses it.
    pub(super) fn name_of(&self, name: String, tokens: &TokenStream) -> Option<Ident> {
        let mut seen = self.seen.borrow_mut();
        let Some(known) = seen.iter_mut().find(|known| known.name == name) else {
            seen.push(Occurrences { name, tokens: tokens.clone(), times: 1 });
            return None;
        };
        if known.tokens.to_string() != tokens.to_string() {
            return None;
        }
        if !self.is_binding.get() {
            known.times += 1;
            return None;
        }
        (known.times > 1).then(|| ident(&known.name))
    }

    /// Returns the statements of `write`, after those that evaluate shared expressions. If there are any, `write` runs
    /// twice: once to count uses, once to write.
    pub(super) fn bind(&self, write: impl Fn() -> TokenStream) -> TokenStream {
        let counted = write();
        if self.seen.borrow().iter().all(|seen| seen.times == 1) {
            return counted;
        }
        self.is_binding.set(true);
        let statements = write();
        let seen = self.seen.borrow();
        let bindings = seen.iter().filter(|seen| seen.times > 1).map(|Occurrences { name, tokens, .. }| {
            let name = ident(name);
            quote!(let #name = #tokens;)
        });
        quote!(#(#bindings)* #statements)
    }
}
