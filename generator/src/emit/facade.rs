//! The type that has a function for each operation of a family, in both ways to call.

use proc_macro2::TokenStream;
use quote::quote;

use super::calls::Calls;
use super::code::{file, ident};
use super::docs::Docs;
use super::example;
use super::records::response_type;
use super::scope::Scope;
use crate::model::{Family, Operation, Probe};

/// `blocking.rs` of a family.
pub(super) fn emit_blocking(family: &Family) -> String {
    let scope = Scope::new(family);
    let items = items_in(&scope, Calls::Blocking);
    let mut all = vec![scope.imports(&[])];
    all.extend(items);
    let docs = Docs::new("The operations of the family as functions that block the thread that calls them.", "");
    file(docs.inner(), all)
}

/// The type and its functions, in the module of the family.
pub(super) fn items(family: &Family, calls: Calls) -> [TokenStream; 2] {
    items_in(&Scope::new(family), calls)
}

fn items_in(scope: &Scope<'_>, calls: Calls) -> [TokenStream; 2] {
    let family = scope.family;
    let name = ident(&family.rust);
    let docs = Docs::new(&format!("Operations of the family {}.", family.title.trim_end_matches('.')), "").outer();
    let functions = family.operations.iter().map(|operation| function(scope, operation, calls));
    let functions = functions.chain(family.probe.as_ref().and_then(|probe| credentials(scope, probe, calls)));
    let (client, reach) = match calls {
        Calls::Awaited => (quote!(super::Client), quote!(pub(super))),
        Calls::Blocking => (quote!(super::super::blocking::Client), quote!(pub(in super::super))),
    };
    let structure = quote! {
        #docs
        #[derive(Clone, Copy, Debug)]
        pub struct #name<'a> {
            client: &'a #client,
        }
    };
    let functions = quote! {
        impl<'a> #name<'a> {
            #reach fn of(client: &'a #client) -> Self {
                Self { client }
            }

            #(#functions)*
        }
    };
    [structure, functions]
}

fn function(scope: &Scope<'_>, operation: &Operation, calls: Calls) -> TokenStream {
    let (function, request) = (ident(&operation.function), scope.named(&operation.rust.rust));
    let response = response_type(scope, &operation.rust.rust, &operation.response);
    let (before, behind) = (calls.before(), calls.behind());
    let docs = docs(scope, operation, calls).outer();
    quote! {
        #docs
        pub #before fn #function(
            &self,
            request: &#request,
        ) -> Result<runtime::Reply<#response>, runtime::Error> {
            self.client.call(request)#behind
        }
    }
}

/// The function that finds out whether the credentials are accepted.
fn credentials(scope: &Scope<'_>, probe: &Probe, calls: Calls) -> Option<TokenStream> {
    let operation = scope.family.operations.iter().find(|operation| operation.name == probe.operation.0)?;
    let request = example::request(scope, operation, &probe.request.0)?;
    let (before, behind) = (calls.before(), calls.behind());
    let mut docs = Docs::new("Finds out whether the exchange accepts the credentials.", "");
    docs.markdown(&format!("It costs one call of `{} {}`.", operation.method.as_str(), operation.path.text));
    docs.heading("Errors");
    docs.markdown(&format!(
        "As [`Client::call`]({}). Where the credentials are refused, it is [`runtime::Error::Exchange`], whose \
         [`ending`](runtime::Error::ending) is [`CredentialsRefused`](runtime::Ending::CredentialsRefused) or \
         [`TimestampRefused`](runtime::Ending::TimestampRefused), and whose text names the likely cause.",
        match calls {
            Calls::Awaited => "super::Client::call",
            Calls::Blocking => "super::super::Client::call",
        }
    ));
    let docs = docs.outer();
    Some(quote! {
        #docs
        pub #before fn check_credentials(&self) -> Result<(), runtime::Error> {
            let request = #request;
            self.client.call(&request)#behind.map(drop)
        }
    })
}

fn docs(scope: &Scope<'_>, operation: &Operation, calls: Calls) -> Docs {
    let request = &operation.rust.rust;
    match calls {
        Calls::Awaited => {
            let mut docs = Docs::new(&operation.doc, &operation.title);
            docs.markdown(&format!("`{} {}`; see [`{request}`].", operation.method.as_str(), operation.path.text));
            docs.heading("Errors");
            docs.markdown("As [`Client::call`](super::Client::call).");
            docs
        }
        Calls::Blocking => {
            let (facade, function) = (&scope.family.rust, operation.function.trim_start_matches("r#"));
            let same = format!("[`{facade}::{function}`](super::{facade}::{function})");
            let mut docs = Docs::new("", "");
            docs.markdown(&format!("As {same}, and waits for the answer."));
            docs.heading("Errors");
            docs.markdown("As [`Client::call`](super::super::Client::call).");
            docs
        }
    }
}
