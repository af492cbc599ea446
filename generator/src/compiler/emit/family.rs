//! `mod.rs` of a family: its description, its functions and its tables.

use super::code::{File, Item, ident, number};
use super::docs::{Docs, code, escape};
use super::operation::type_names;
use super::records::emitted;
use super::{choices, root, rules};
use crate::compiler::model::{Api, Family, phrases};
use proc_macro2::TokenStream;
use quote::quote;

/// `mod.rs` of a family.
pub(super) fn emit(api: &Api, family: &Family) -> File {
    let items = vec![
        Item::Imports(Vec::new()),
        Item::Code(modules(family)),
        Item::Code(exports(family)),
        Item::Text(root::emit_facade(family)),
        Item::Code(tables(family)),
    ];
    File::new(family_docs(api, family).inner(), items)
}

fn modules(family: &Family) -> TokenStream {
    let mut names = Vec::new();
    if !family.choices.is_empty() {
        names.push("choices".to_owned());
    }
    if !family.enums.is_empty() {
        names.push("enums".to_owned());
    }
    names.push("errors".to_owned());
    if !family.identifiers.is_empty() {
        names.push("identifiers".to_owned());
    }
    if family.lifecycle.is_some() {
        names.push("lifecycle".to_owned());
    }
    if emitted(family).next().is_some() {
        names.push("records".to_owned());
    }
    names.extend(family.operations.iter().map(|operation| operation.function.clone()));
    names.sort();
    let names = names.iter().map(|name| ident(name));
    quote!(#(mod #names;)*)
}

/// Re-exports everything in the module of the family.
fn exports(family: &Family) -> TokenStream {
    let mut exports = Vec::new();
    let mut add = |module: &str, mut names: Vec<String>| {
        names.sort();
        let (module, names) = (ident(module), names.iter().map(|name| ident(name)).collect::<Vec<_>>());
        match names.as_slice() {
            [] => {}
            [name] => exports.push(quote!(pub use #module::#name;)),
            names => exports.push(quote!(pub use #module::{#(#names),*};)),
        }
    };
    add("choices", family.choices.iter().flat_map(|choice| choices::type_names(family, choice)).collect());
    add("enums", family.enums.iter().map(|all| all.name.rust.clone()).collect());
    add("errors", vec!["ERRORS".to_owned(), "ErrorCode".to_owned()]);
    add("identifiers", family.identifiers.iter().map(|all| all.name.rust.clone()).collect());
    add("lifecycle", family.lifecycle.iter().map(|_| "LIFECYCLE".to_owned()).collect());
    add("records", emitted(family).map(|record| record.name.rust.clone()).collect());
    for operation in &family.operations {
        add(&operation.function, type_names(operation));
    }
    quote!(#(#exports)*)
}

fn tables(family: &Family) -> TokenStream {
    let operations = family.operations.iter().map(|operation| ident(&operation.rust.rust));
    let limits = family.limits.iter().map(|limit| {
        let (id, n, doc) = (&limit.id, number(limit.n), &limit.doc);
        let over = limit.over.iter().flat_map(|over| &over.values).map(|(value, _)| value);
        quote!(tables::Ceiling { id: #id, n: #n, over: &[#(#over),*], doc: #doc })
    });
    let ceilings = (!family.limits.is_empty()).then(|| {
        quote! {
            /// Ceilings that are not a rate.
            pub const CEILINGS: &[tables::Ceiling] = &[#(#limits),*];
        }
    });
    let name = &family.name;
    quote! {
        /// The name of the family, by which functions for several families take it.
        pub const FAMILY: &str = #name;

        /// The tables of each operation of the family.
        pub const OPERATIONS: &[&tables::Meta] = &[#(<#operations as runtime::Operation>::META),*];

        #ceilings
    }
}

fn family_docs(api: &Api, family: &Family) -> Docs {
    let mut docs = Docs::new(&family.title, &family.name);
    docs.prose(&family.doc);
    if let Some(source) = &family.source {
        docs.markdown(&super::source_line(api, source));
    }
    docs.markdown(&escape(&phrases::observed(&family.sources)));
    docs.heading("Operations");
    docs.gap();
    docs.line("| operation | method and path | limit |".to_owned());
    docs.line("|---|---|---|".to_owned());
    for operation in &family.operations {
        let rates: Vec<_> = operation.rates.iter().map(|rate| escape(&rate.in_short())).collect();
        docs.line(format!(
            "| [`{}`] | `{} {}` | {} |",
            operation.rust.rust,
            operation.method.as_str(),
            operation.path.text,
            rates.join(", ")
        ));
    }
    if let Some(lifecycle) = &family.lifecycle {
        docs.heading("States");
        let states = &lifecycle.states_of(family).name.rust;
        docs.markdown(&format!("[`{states}`] shows its lifecycle: the states, and what leads from one to another."));
    }
    if !family.limits.is_empty() {
        docs.heading("Ceilings");
        docs.gap();
        for limit in &family.limits {
            docs.entry(&format!("{}: {}. {}", code(&limit.id), limit.n, escape(&limit.doc)));
        }
    }
    rules::add(&mut docs, &family.statements);
    docs
}
