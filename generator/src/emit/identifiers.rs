//! Identifiers: newtypes over text.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{file, ident, number};
use super::docs::{Docs, code};
use crate::model::{Family, Identifier};

/// `identifiers.rs` of a family.
pub(super) fn emit(family: &Family) -> String {
    let mut items = vec![quote!(
        use tradeapi_runtime as runtime;
    )];
    items.extend(family.identifiers.iter().map(identifier));
    file(
        Docs::new(&format!("Names and numbers that tell things of the {} operations apart.", family.title), "").inner(),
        items,
    )
}

fn identifier(all: &Identifier) -> TokenStream {
    let name = ident(&all.name.rust);
    let mut docs = Docs::new(&all.doc, &all.name.wire);
    let mut limits = Vec::new();
    if let Some((min, max)) = all.length {
        docs.prose(&format!("It has {min} to {max} characters."));
        let (min, max) = (number(min.into()), number(max.into()));
        limits.push(quote!(length: #min..=#max));
    }
    if let Some((alphabet, _)) = &all.alphabet {
        docs.markdown(&format!("Its characters are those of {}.", code(&format!("[{alphabet}]"))));
        limits.push(quote!(alphabet: #alphabet));
    }
    let docs = docs.outer();
    quote! {
        runtime::identifier! {
            #docs
            pub struct #name { #(#limits),* }
        }
    }
}
