//! Records: what the exchange answers with.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{file, ident, number};
use super::docs::{Docs, code, escape};
use super::scope::Scope;
use super::units;
use crate::model::{Api, Family, Field, Record, Response, Shape, Type};

/// `records.rs` of a family.
pub(super) fn emit(api: &Api, family: &Family) -> String {
    let scope = Scope::new(family);
    let records: Vec<_> = family.records.iter().filter(|record| !record.is_abstract).collect();
    let mut items = Vec::new();
    for record in &records {
        let mut docs = Docs::new(&record.doc, &record.name.wire);
        if let Some(source) = &record.source {
            docs.markdown(&super::source_line(api, source));
        }
        items.extend(definition(&scope, &record.name.rust, docs, &record.fields));
    }
    let defined: Vec<_> = records.iter().map(|record| record.name.rust.as_str()).collect();
    items.insert(0, scope.imports(&defined));
    file(Docs::new(&format!("What the {} operations answer with.", family.title), "").inner(), items)
}

/// A struct and how it is read and written.
pub(super) fn definition(scope: &Scope<'_>, rust: &str, docs: Docs, fields: &[Field]) -> Vec<TokenStream> {
    let name = ident(rust);
    let docs = docs.outer();
    let members = fields.iter().map(|field| member(scope, field));
    let structure = quote! {
        #docs
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct #name {
            #(#members)*
        }
    };
    let wires: Vec<_> = fields.iter().map(|field| &field.name.wire).collect();
    let names: Vec<_> = fields.iter().map(|field| ident(&field.name.rust)).collect();
    let indices: Vec<_> = (0..fields.len()).map(|index| number(index as u64)).collect();
    let implementation = quote! {
        impl runtime::Record for #name {
            const FIELDS: &'static [&'static str] = &[#(#wires),*];

            #[inline]
            fn read(&mut self, field: usize, from: &mut runtime::Reader<'_>) -> Result<(), runtime::ReadError> {
                match field {
                    #(#indices => from.read_into(&mut self.#names),)*
                    _ => from.skip(),
                }
            }

            #[inline]
            fn write(&self, out: &mut runtime::RecordWriter<'_>) {
                #(out.field(#wires, &self.#names);)*
            }
        }
    };
    vec![structure, implementation, quote!(runtime::serde_record!(#name);)]
}

fn member(scope: &Scope<'_>, field: &Field) -> TokenStream {
    let name = ident(&field.name.rust);
    let ty = scope.field_type(field);
    let mut text = code(&field.name.wire);
    if !field.doc.is_empty() {
        text.push_str(": ");
        text.push_str(&escape(&field.doc));
    }
    let mut docs = Docs::default();
    docs.markdown(&text);
    docs.markdown(&units::sentence(&field.units));
    if !field.only.is_empty() {
        let values: Vec<_> = field.only.iter().map(|(value, _)| code(value)).collect();
        docs.markdown(&format!("The document lists {} here.", values.join(", ")));
    }
    if field.may_be_null {
        docs.markdown("The document says that it can be `null`, which is `None` here.");
    }
    let docs = docs.outer();
    quote!(#docs pub #name: #ty,)
}

/// The name of the type that a page is read into.
pub(super) fn page_name(operation: &str) -> String {
    format!("{operation}Page")
}

/// The type of what an operation answers with.
pub(super) fn response_type(scope: &Scope<'_>, operation: &str, response: &Response) -> TokenStream {
    match response {
        Response::Object { record } => scope.ty(Type::Record(*record)),
        Response::Array { record, .. } => {
            let record = scope.ty(Type::Record(*record));
            quote!(runtime::List<#record>)
        }
        Response::Page { .. } => scope.named(&page_name(operation)),
        Response::Undefined => quote!(()),
    }
}

/// The fields of a page: the list and the cursor, whose type is that of the parameter it goes into.
pub(super) fn page_fields(response: &Response, next: Type) -> Option<[Field; 2]> {
    let Response::Page { list, record, cursor, .. } = response else { return None };
    let field = |name: &crate::model::Name, shape, doc: &str| Field {
        name: name.clone(),
        shape,
        may_be_null: false,
        only: Vec::new(),
        units: Vec::new(),
        as_text: true,
        doc: doc.to_owned(),
    };
    let next = if matches!(next, Type::Identifier(_)) { next } else { Type::String };
    Some([
        field(list, Shape::List(Type::Record(*record)), "The items of the page."),
        field(cursor, Shape::One(next), "Where the next page begins; opaque. `None` when the exchange gives none."),
    ])
}

/// Records that a family emits.
pub(super) fn emitted(family: &Family) -> impl Iterator<Item = &Record> {
    family.records.iter().filter(|record| !record.is_abstract)
}
