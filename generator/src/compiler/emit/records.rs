//! Records: the objects that the exchange returns, and the listings of instruments, for `load_instruments`.

use super::code::{File, Item, gate, ident};
use super::docs::{Docs, MARKDOWN, code, escape};
use super::reconcile::values;
use super::scope::Scope;
use super::{declarations, module_name};
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Api, Family, Field, ListedInstruments, OneOf, Operation, Pair, Record, RecordForm, Response, Shape, Truth, Type,
    phrases,
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Attribute;

/// Returns `records.rs` of a family.
pub(super) fn emit(api: &Api, family: &Family) -> File {
    let scope = Scope::new(family);
    let records: Vec<_> = family.records.iter().filter(|record| !record.is_abstract).collect();
    let mut items = Vec::new();
    for record in &records {
        let mut docs = Docs::new(&record.doc, &record.name.wire);
        if let Some(source) = &record.source {
            docs.markdown(&super::source_line(api, source));
        }
        docs.documented(&record.keys());
        if let Some(one_of) = record.one_of() {
            items.push(self::one_of(&scope, &record.name.rust, docs, one_of));
            continue;
        }
        let container = Container {
            name: Some(&record.name.wire),
            is_observed: record.is_observed || family.is_observed(),
            travels: &record.travels,
            key: record.key.as_ref().map(|(key, _)| key.as_str()),
        };
        items.push(definition(&scope, &record.name.rust, docs, container, &record.fields));
        if let [list] = &record.fields[..]
            && let Shape::List(item) = list.shape
        {
            items.push(as_its_list(&scope, &record.name.rust, list, item));
        }
    }
    let defined: Vec<_> = records.iter().map(|record| record.name.rust.as_str()).collect();
    items.insert(0, scope.imports(&defined));
    File::new(Docs::new(&format!("The records that the {} operations return.", family.title), "").inner(), items)
}

/// Properties of a record: its name in the schema, its form, and whether a document describes it.
pub(super) struct Container<'a> {
    name: Option<&'a str>,
    is_observed: bool,
    travels: &'a RecordForm,
    key: Option<&'a str>,
}

impl Default for Container<'_> {
    fn default() -> Self {
        Self { name: None, is_observed: false, travels: &RecordForm::Object, key: None }
    }
}

/// Returns a struct, how it is read and written, and its documentation.
pub(super) fn definition(
    scope: &Scope<'_>,
    rust: &str,
    docs: Docs,
    container: Container<'_>,
    fields: &[Field],
) -> Item {
    let docs = docs.outer();
    let members = fields.iter().map(|field| member(scope, &container, field));
    let record = container.name.map(|record| {
        let observed = container.is_observed.then(|| quote!(, observed));
        let form = match container.travels {
            RecordForm::Object | RecordForm::OneOf(_) => None,
            RecordForm::Array => Some(quote!(, by_position)),
            RecordForm::Value(_) => Some(quote!(, as_value)),
        };
        let key = container.key.map(|key| quote!(; key = #key));
        declarations::with_arguments("record", quote!(#record #observed #form #key))
    });
    let attributes = docs.into_iter().chain(record).collect();
    Item::declared_by("record", vec![declarations::structure(attributes, ident(rust), members)])
}

/// Makes a struct around a list the slice of the list's items, as answers that are a list are.
pub(super) fn as_its_list(scope: &Scope<'_>, rust: &str, list: &Field, item: Type) -> Item {
    let (name, field, item) = (ident(rust), ident(&list.name.rust), scope.ty(item));
    Item::Code(quote! {
        impl core::ops::Deref for #name {
            type Target = runtime::List<#item>;

            fn deref(&self) -> &Self::Target {
                &self.#field
            }
        }
    })
}

/// Returns an enum over the records of which a value is one.
fn one_of(scope: &Scope<'_>, rust: &str, mut docs: Docs, one_of: &OneOf) -> Item {
    let family = scope.family;
    if let Some((decider, _)) = &one_of.decider {
        docs.markdown(&format!("{} decides which record it is.", code(decider)));
    }
    let variants = one_of.cases.iter().map(|case| {
        let (record, words) = (Type::Record(case.record), case.told_by.iter().map(|(word, _)| word.as_str()));
        let mut docs = Docs::default();
        docs.markdown(&format!("{}: {}", code(family.type_name(record)), escape(family.type_doc(record))));
        docs.markdown(&phrases::told_by(one_of, case, &MARKDOWN));
        let told_by = declarations::with_arguments("told_by", quote!(#(#words),*));
        let boxed = declarations::of(&["Box"], scope.ty(record));
        declarations::holding(
            docs.outer().into_iter().chain([told_by]).collect(),
            ident(family.type_rust(record)),
            boxed,
        )
    });
    let decider =
        one_of.decider.as_ref().map(|(decider, _)| declarations::with_arguments("decided_by", quote!(#decider)));
    let attributes = docs.outer().into_iter().chain(decider).collect();
    Item::declared_by("one_of_records", vec![declarations::enumeration(attributes, ident(rust), variants)])
}

/// Returns the attribute of a field for the runtime's macro: its wire name and what the documents state about its form.
fn wire(scope: &Scope<'_>, container: &Container<'_>, field: &Field) -> Attribute {
    let wire = &field.name.wire;
    let bare = is_bare(field).then(|| quote!(, bare));
    let quoted = (field.shape.element() == Some(Type::Boolean(Truth::Text))).then(|| quote!(, quoted));
    // The cursor of the last page is null.
    let null = (field.may_be_null || container.name.is_none() && !field.shape.is_list()).then(|| quote!(, or_null));
    // The key is outside of the record.
    let comes_elsewhere = container.key == Some(wire.as_str());
    let is_conditional = field.comes_only.is_some() || comes_elsewhere || !field.sources.is_empty();
    let conditional = is_conditional.then(|| quote!(, conditional));
    let fixed = field.fixed.iter().map(|(fixed, _)| field.shape.wire_of_fixed(fixed));
    let only: Vec<_> = field.only.iter().map(|(value, _)| value.as_str()).chain(fixed).collect();
    let only = (!only.is_empty()).then(|| quote!(, only = [#(#only),*]));
    let code = container.name.is_some_and(|record| is_item_code(scope.family, record, wire)).then(|| quote!(, code));
    declarations::with_arguments("wire", quote!(#wire #bare #quoted #null #conditional #only #code))
}

/// Returns whether a batch reports by this field of the record why an item failed.
fn is_item_code(family: &Family, record: &str, field: &str) -> bool {
    let named = |index: usize| family.records.get(index).map(|record| record.name.wire.as_str());
    family.operations.item_codes().any(|(answer, list, code)| {
        let of = list.map_or(Some(answer), |list| list_of(family, answer, list));
        code == field && of.and_then(named) == Some(record)
    })
}

/// Returns the record of the items of a list in another record.
fn list_of(family: &Family, record: usize, list: &str) -> Option<usize> {
    let field = family.records.get(record)?.fields.iter().find(|field| field.name.wire == list)?;
    field.shape.listed_record()
}

/// Returns whether the field has values that travel as JSON numbers.
fn is_bare(field: &Field) -> bool {
    let is_bit = field.shape.element() == Some(Type::Boolean(Truth::Number));
    is_bit || !field.as_text && field.shape.can_be_bare()
}

fn member(scope: &Scope<'_>, container: &Container<'_>, field: &Field) -> syn::Field {
    let mut text = code(&field.name.wire);
    if !field.doc.is_empty() {
        text.push_str(": ");
        text.push_str(&escape(&field.doc));
    }
    let mut docs = Docs::default();
    docs.markdown(&text);
    docs.markdown(&phrases::unit_sentence(&field.units, &MARKDOWN));
    if !field.only.is_empty() {
        let values: Vec<_> = field.only.iter().map(|(value, _)| code(value)).collect();
        docs.markdown(&format!("The document lists {} here.", values.join(", ")));
    }
    if let Some((fixed, _)) = &field.fixed {
        docs.markdown(&format!("The document says that it is always {}.", code(fixed)));
    }
    if field.may_be_null {
        docs.markdown("The document says that it can be `null`, which is `None` here.");
    }
    docs.documented(&field.keys(scope.family));
    let deprecated = declarations::deprecation(field.deprecated.as_ref());
    let attributes = docs.outer().into_iter().chain(deprecated).chain([wire(scope, container, field)]).collect();
    declarations::field(attributes, ident(&field.name.rust), scope.field_type(field))
}

/// Returns the name of the type for a page.
pub(super) fn page_name(operation: &str) -> String {
    format!("{operation}Page")
}

/// Returns the type of an operation's response.
pub(super) fn response_type(scope: &Scope<'_>, operation: &str, response: &Response) -> syn::Type {
    match response {
        Response::Object { record } => scope.ty(Type::Record(*record)),
        Response::Array { record, .. } => declarations::of(&["runtime", "List"], scope.ty(Type::Record(*record))),
        Response::Page { .. } => declarations::named(scope.named(&page_name(operation))),
        Response::Undefined => declarations::unit(),
    }
}

/// Returns the fields of a page: the list, and the cursor with the type of the parameter that takes it.
pub(super) fn page_fields(response: &Response, next: Type) -> Option<[Field; 2]> {
    let Response::Page { list, record, cursor, .. } = response else { return None };
    let field = |name: &crate::compiler::model::Name, shape, doc: &str| Field::new(name.clone(), shape, doc.to_owned());
    let next = if matches!(next, Type::Identifier(_)) { next } else { Type::String };
    Some([
        field(list, Shape::List(Type::Record(*record)), "The items of the page."),
        field(cursor, Shape::One(next), "Where the next page begins; opaque. `None` if the exchange returns none."),
    ])
}

/// Returns the records that a family emits.
pub(super) fn emitted(family: &Family) -> impl Iterator<Item = &Record> {
    family.records.iter().filter(|record| !record.is_abstract)
}

/// Returns a row for each operation that lists instruments.
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
    let parameter = operation.parameter(over)?;
    let (of, over, symbol) = (&of.text, &over.text, &symbol.text);
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

/// Returns the texts of a field that stand for true and false.
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
