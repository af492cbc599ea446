//! Expressions that a function uses several times and evaluates once.

use std::cell::{Cell, RefCell};

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::code::ident;

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
    /// The expression, or its variable if it is used several times.
    pub(super) fn use_of(&self, name: String, tokens: TokenStream) -> TokenStream {
        self.name_of(name, &tokens).map_or(tokens, |name| quote!(#name))
    }

    /// The variable of an expression that is used several times. A name belongs to the first expression that uses it.
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

    /// The statements of `write`, after those that evaluate shared expressions. If there are any, `write` runs twice:
    /// once to count uses, once to write.
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
