//! The number of pending amendments of one thing: the tables for the gate of the runtime.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{ident, number};
use super::docs::code;
use crate::compiler::model::{InFlight, Operation, Parameter};

/// The parameters of a request that the gate reads.
pub(super) fn emit(operation: &Operation) -> Option<TokenStream> {
    let in_flight = operation.in_flight.as_ref()?;
    let (name, at_most) = (ident(&operation.rust.rust), number(in_flight.n.0));
    let orders = orders(operation.body.parameters(), in_flight)?;
    Some(quote! {
        impl runtime::orders::Amendment for #name {
            const IN_FLIGHT: u32 = #at_most;

            fn orders(&self) -> Vec<String> {
                #orders
            }
        }
    })
}

fn orders(parameters: &[Parameter], in_flight: &InFlight) -> Option<TokenStream> {
    let is_meant = |parameter: &&Parameter| parameter.name.wire == in_flight.per.0;
    if let Some(parameter) = parameters.iter().find(is_meant) {
        let one = reference(parameter, &quote!(self));
        return Some(quote!(Vec::from([#one])));
    }
    let of_list = |list: &Parameter| {
        let item = list.item()?;
        let one = reference(item.parameters.iter().find(is_meant)?, &quote!(item));
        let field = ident(&list.name.rust);
        Some(quote!(self.#field.iter().map(|item| #one).collect()))
    };
    parameters.iter().find_map(of_list)
}

fn reference(parameter: &Parameter, of: &TokenStream) -> TokenStream {
    let field = ident(&parameter.name.rust);
    match parameter.shape.choice() {
        Some(_) => {
            quote!(runtime::emitted::order_reference(|out| runtime::parameters::Parameters::write(&#of.#field, out)))
        }
        None => {
            let wire = &parameter.name.wire;
            quote!(runtime::emitted::order_reference(|out| out.text(name!(#wire), &#of.#field)))
        }
    }
}

/// The entry in the documentation of the operation.
pub(super) fn entry(in_flight: &InFlight) -> String {
    let InFlight { per, n: (n, _), place: _ } = in_flight;
    let amendments = if *n == 1 { "amendment" } else { "amendments" };
    format!(
        "**In flight:** at most {n} {amendments} of one {}, which [`AmendGate`](runtime::orders::AmendGate) keeps, and a client that [tracks orders](runtime::ClientBuilder::track_orders)",
        code(&per.0)
    )
}
