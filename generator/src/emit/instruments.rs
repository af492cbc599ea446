//! The listings of instruments, for the client's function `load_instruments`.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{gate, ident};
use super::flat::values;
use super::module_name;
use crate::emit::Layout;
use crate::model::{Api, Family, ListedInstruments, Operation, Pair};

/// A row for each operation that lists instruments.
pub(super) fn listings(api: &Api, layout: Layout) -> TokenStream {
    let rows = api.operations().filter_map(|(family, operation)| {
        let (gate, listing) = (gate(family, layout), listing(family, operation)?);
        Some(quote!(#gate #listing))
    });
    quote! {
        /// The listings of instruments that [`Client::load_instruments`] reads.
        static INSTRUMENTS: &[runtime::instruments::InstrumentListing] = &[#(#rows),*];
    }
}

fn listing(family: &Family, operation: &Operation) -> Option<TokenStream> {
    let ListedInstruments { of, over, lines, symbol, properties, in_last_place, place: _ } =
        operation.listing.instruments.as_ref()?;
    let [of, over, symbol] = [of, over, symbol].map(|(name, _)| name);
    let parameter = operation.body.parameters().iter().find(|parameter| parameter.name.wire == *over)?;
    let lines = match lines.is_empty() {
        true => values(family, parameter)?,
        false => lines.iter().map(|(line, _)| line.clone()).collect(),
    };
    let (properties, in_last_place) = (pairs(properties), pairs(in_last_place));
    let (module, name) = (ident(&module_name(&family.name)), ident(&operation.rust.rust));
    Some(quote! {
        runtime::instruments::InstrumentListing::of::<#module::#name>(runtime::instruments::InstrumentFields {
            family: #of, over: #over, lines: &[#(#lines),*], symbol: #symbol, properties: #properties,
            in_last_place: #in_last_place
        })
    })
}

fn pairs(pairs: &[Pair]) -> TokenStream {
    let pairs = pairs.iter().map(|((name, _), (value, _))| quote!((#name, #value)));
    quote!(&[#(#pairs),*])
}
