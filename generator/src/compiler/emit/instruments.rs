//! The listings of instruments, for the client's function `load_instruments`.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{gate, ident};
use super::flat::values;
use super::module_name;
use crate::compiler::emit::Layout;
use crate::compiler::model::{Api, Family, ListedInstruments, Operation, Pair, Response};

/// A row for each operation that lists instruments.
pub(super) fn listings(api: &Api, layout: Layout) -> TokenStream {
    let rows = api.operations().filter_map(|(family, operation)| {
        let (gate, listing) = (gate(family, layout), listing(api, family, operation)?);
        Some(quote!(#gate #listing))
    });
    quote! {
        /// The listings of instruments that [`Client::load_instruments`] reads.
        static INSTRUMENTS: &[runtime::instruments::InstrumentListing] = &[#(#rows),*];
    }
}

fn listing(api: &Api, family: &Family, operation: &Operation) -> Option<TokenStream> {
    let ListedInstruments { of, over, lines, symbol, properties, in_last_place, place: _ } =
        operation.listing.instruments.as_ref()?;
    let [of, over, symbol] = [of, over, symbol].map(|(name, _)| name);
    let parameter = operation.body.parameters().iter().find(|parameter| parameter.name.wire == *over)?;
    let lines = match lines.is_empty() {
        true => values(family, parameter)?,
        false => lines.iter().map(|(line, _)| line.clone()).collect(),
    };
    let instrument = api.account.as_ref().and_then(|account| account.instrument.as_ref());
    let is_flag = |name: &str| instrument.is_some_and(|instrument| instrument.names(true).any(|flag| flag == name));
    let flags = properties.iter().filter(|((name, _), _)| is_flag(name));
    let flags = flags.filter_map(|((name, _), (field, _))| Some(flag(name, field, truth(family, operation, field)?)));
    let numbers = properties.iter().filter(|((name, _), _)| !is_flag(name));
    let (flags, properties) = (flags.collect::<Vec<_>>(), pairs(numbers));
    let in_last_place = pairs(in_last_place.iter());
    let (module, name) = (ident(&module_name(&family.name)), ident(&operation.rust.rust));
    Some(quote! {
        runtime::instruments::InstrumentListing::of::<#module::#name>(runtime::instruments::InstrumentFields {
            family: #of, over: #over, lines: &[#(#lines),*], symbol: #symbol, properties: #properties,
            flags: &[#(#flags),*], in_last_place: #in_last_place
        })
    })
}

/// The texts of a field that stand for true and false.
fn truth(family: &Family, operation: &Operation, field: &str) -> Option<[String; 2]> {
    let Response::Array { record, .. } = operation.response else { return None };
    family.truth_of(&family.records.get(record)?.field(field)?.shape)
}

fn flag(name: &str, field: &str, [yes, no]: [String; 2]) -> TokenStream {
    quote!(runtime::instruments::InstrumentFlag { name: #name, field: #field, yes: #yes, no: #no })
}

fn pairs<'a>(pairs: impl Iterator<Item = &'a Pair>) -> TokenStream {
    let pairs = pairs.map(|((name, _), (value, _))| quote!((#name, #value)));
    quote!(&[#(#pairs),*])
}
