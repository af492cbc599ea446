//! The way the accounts of an API become flat, for the client's function `flatten`.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{gate, ident};
use super::module_name;
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Api, Family, Flat, FlatCancel, FlatClose, FlatReduce, FlatSide, FlatValue, Operation, Pair, Parameter, Placed,
    Reference,
};

/// Returns a row for each family that says how it becomes flat.
pub(super) fn flats(api: &Api, layout: Layout) -> TokenStream {
    let rows = api.families.iter().filter_map(|family| {
        let (gate, flat) = (gate(family, layout), flat(family, family.flat.as_ref()?));
        Some(quote!(#gate #flat))
    });
    quote! {
        /// The calls by which [`Client::flatten`] makes each family flat.
        static FLATS: &[runtime::flatten::Flat] = &[#(#rows),*];
    }
}

fn flat(family: &Family, flat: &Flat) -> TokenStream {
    let Flat { place: _, cancel, close, value, reduce } = flat;
    let name = &family.name;
    let cancel = cancel.as_ref().and_then(|FlatCancel { operation, over, place: _ }| {
        let (request, over, lines) = each_line(family, operation, over)?;
        Some(quote!(.cancelled_by::<#request>(#over, #lines)))
    });
    let close = close.as_ref().and_then(|FlatClose { operation, over, closed, failed, nothing, place: _ }| {
        let (request, over, lines) = each_line(family, operation, over)?;
        let (closed, failed, nothing) = (&closed.text, &failed.text, texts(nothing));
        Some(quote! {
            .closed_by::<#request>(#over, #lines, runtime::flatten::ClosingFields {
                closed: #closed, failed: #failed, nothing: #nothing
            })
        })
    });
    let value = value.as_ref().and_then(|FlatValue { operation, field, place: _ }| {
        let (request, field) = (path(family, family.operations.get(operation)?), &field.text);
        Some(quote!(.valued_by::<#request>(#field)))
    });
    let reduce = reduce.as_ref().and_then(|reduce| {
        let request = path(family, family.operations.get(&reduce.operation)?);
        let fields = reducing(reduce);
        Some(quote!(.reduced_by::<#request>(#fields)))
    });
    quote!(runtime::flatten::Flat::new(#name) #cancel #close #value #reduce)
}

fn reducing(reduce: &FlatReduce) -> TokenStream {
    let FlatReduce { operation: _, line, lines, instrument, quantity, closes_with: _, long, short, side, place: _ } =
        reduce;
    let [line, instrument, quantity] = [line, instrument, quantity].map(|(name, _)| name);
    let (lines, long, short) = (texts(lines), sets(long), sets(short));
    let side = match side {
        None => quote!(None),
        Some(FlatSide { field: (field, _), long: (long, _), short: (short, _), place: _ }) => {
            quote!(Some(runtime::flatten::SideFields { field: #field, long: #long, short: #short }))
        }
    };
    quote! {
        runtime::flatten::ReducingFields {
            line: #line, lines: #lines, instrument: #instrument, quantity: #quantity, long: #long, short: #short,
            side: #side
        }
    }
}

/// Returns the request, its parameter and the values of that. An operation may be missing from a selection.
fn each_line(family: &Family, operation: &Reference, over: &Reference) -> Option<(TokenStream, String, TokenStream)> {
    let operation = family.operations.get(operation)?;
    let values = values(family, operation.parameter(over)?)?;
    Some((path(family, operation), over.text.clone(), quote!(&[#(#values),*])))
}

/// Returns the values that an enum parameter may have.
pub(super) fn values(family: &Family, parameter: &Parameter) -> Option<Vec<String>> {
    let index = parameter.shape.single_enum()?;
    Some(match parameter.only.is_empty() {
        true => family.enums.get(index)?.wires().map(str::to_owned).collect(),
        false => parameter.only.iter().map(|(value, _)| value.clone()).collect(),
    })
}

fn path(family: &Family, operation: &Operation) -> TokenStream {
    let (module, name) = (ident(&module_name(&family.name)), ident(&operation.rust.rust));
    quote!(#module::#name)
}

fn texts(all: &[Placed]) -> TokenStream {
    let values = all.iter().map(|(value, _)| value);
    quote!(&[#(#values),*])
}

fn sets(sets: &[Vec<Pair>]) -> TokenStream {
    let sets = sets.iter().map(|set| {
        let pairs = set.iter().map(|((name, _), (value, _))| quote!((#name, #value)));
        quote!(&[#(#pairs),*])
    });
    quote!(&[#(#sets),*])
}
