//! Enums: open in answers, strict in requests.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Variant;

use super::code::{File, Item, gate, ident};
use super::docs::{Docs, code, escape};
use super::{codes, declarations, lifecycle, module_name, trees};
use crate::compiler::emit::Layout;
use crate::compiler::model::{Api, Enum, EnumValue, Family, InstrumentNames, Name, Parameter, PropertyKind};

/// `enums.rs` of a family.
pub(super) fn emit(api: &Api, family: &Family, layout: Layout) -> File {
    let mut items = vec![Item::Imports(Vec::new())];
    for (index, all) in family.enums.iter().enumerate() {
        items.extend(enumeration(all, docs_of(family, all)));
        items.extend(conversions(api, family, layout, all).into_iter().map(Item::Code));
        items.extend(line_of(family, index).map(|of| Item::Code(instrument_line(all, of))));
    }
    File::new(Docs::new(&format!("Values of the {} operations.", family.title), "").inner(), items)
}

/// `errors.rs`: the codes as an enum, and what each proves.
pub(super) fn emit_errors(family: &Family) -> File {
    let values = family.errors.iter().map(|error| {
        let name = Name { wire: error.code.clone(), rust: error.rust.clone(), place: error.place };
        let doc = match error.doc.as_str() {
            "" => error.text.clone(),
            doc => format!("{}. {doc}", error.text.trim_end_matches('.')),
        };
        EnumValue::new(name, doc)
    });
    let codes = Enum {
        name: Name { wire: "ErrorCode".to_owned(), rust: "ErrorCode".to_owned(), place: family.place },
        doc: "The code of an answer: of a refusal, or of a success.".to_owned(),
        values: values.collect(),
        truth: None,
        truth_places: Vec::new(),
    };
    let mut items = vec![Item::Imports(Vec::new())];
    items.extend(enumeration(&codes, Docs::new(&codes.doc, "")));
    items.push(error_table(family));
    File::new(Docs::new(&format!("Codes of the {} operations.", family.title), "").inner(), items)
}

fn error_table(family: &Family) -> Item {
    let rows = family.errors.iter().map(|error| {
        let success = if error.success { " and success" } else { "" };
        codes::row(&error.code, "", &error.proof, success, [&error.text, &error.doc])
    });
    codes::table(
        "Every documented code, and what it proves about the request that it answers.",
        "ERRORS",
        "documented",
        rows,
    )
}

/// The description of an enum; for the states of a lifecycle, also how they follow each other.
fn docs_of(family: &Family, all: &Enum) -> Docs {
    let mut docs = Docs::new(&all.doc, &all.name.wire);
    docs.documented(&all.keys());
    if let Some(lifecycle) = family.lifecycle.as_ref().filter(|one| one.states_of(family).name == all.name) {
        docs.heading("Lifecycle");
        lifecycle::add(&mut docs, family, lifecycle);
    }
    docs
}

fn enumeration(all: &Enum, docs: Docs) -> Vec<Item> {
    let attributes = docs.outer().into_iter().collect();
    let definition = declarations::enumeration(attributes, ident(&all.name.rust), all.values.iter().map(variant));
    let truth = truth(all).map(Item::Code);
    std::iter::once(Item::declared_by("open_enum", vec![definition])).chain(truth).collect()
}

/// The conversions from the enums that other families have under the same name, and from the property of the account that
/// the values show. The texts on the wire are the same, whatever the variants are called.
fn conversions(api: &Api, family: &Family, layout: Layout, all: &Enum) -> Vec<TokenStream> {
    let name = ident(&all.name.rust);
    let others = api
        .families
        .iter()
        .filter(|other| other.name != family.name && other.enums.iter().any(|one| one.name.rust == all.name.rust));
    let others = others.map(|other| {
        let (gate, module) = (gate(other, layout), ident(&module_name(&other.name)));
        (gate, quote!(super::super::#module::#name))
    });
    let properties = api.account.iter().flat_map(|account| &account.properties);
    let shown = properties.filter_map(|property| match &property.kind {
        PropertyKind::Words(words, _)
            if words.rust == all.name.rust || property.is_shown_as(&family.name, &all.name.wire) =>
        {
            let words = ident(&words.rust);
            Some((None, quote!(super::super::#words)))
        }
        _ => None,
    });
    let conversion = |(gate, other): (Option<TokenStream>, TokenStream)| {
        quote! {
            #gate
            runtime::same_texts!(#other => #name);
        }
    };
    others.chain(shown).map(conversion).collect()
}

/// The family whose instruments have the values of an enum as business lines.
fn line_of(family: &Family, index: usize) -> Option<&str> {
    let is_of =
        |parameter: &Parameter, name: &str| parameter.name.wire == name && parameter.shape.single_enum() == Some(index);
    let is_named = |names: &InstrumentNames| family.all_parameters().any(|one| is_of(one, &names.line.0));
    let own = family.instrument.as_ref().filter(|names| is_named(names)).map(|_| family.name.as_str());
    own.or_else(|| {
        let listings = family.operations.iter().filter_map(|operation| {
            let listed = operation.listing.instruments.as_ref()?;
            let is_over = operation.body.parameters().iter().any(|one| is_of(one, &listed.over.0));
            is_over.then_some(listed.of.0.as_str())
        });
        let mut of = listings.collect::<Vec<_>>();
        of.dedup();
        // An enum of several families' lines names none of them.
        of.pop().filter(|_| of.is_empty())
    })
}

fn instrument_line(all: &Enum, family: &str) -> TokenStream {
    let name = ident(&all.name.rust);
    quote! {
        impl runtime::account::InstrumentLine for #name {
            fn family(&self) -> &str {
                #family
            }

            fn line(&self) -> &str {
                self.as_str()
            }
        }
    }
}

fn variant(value: &EnumValue) -> Variant {
    let mut text = code(&value.name.wire);
    if !value.doc.is_empty() {
        text.push_str(": ");
        text.push_str(&escape(&value.doc));
    }
    let mut docs = Docs::default();
    docs.markdown(&text);
    docs.documented(&value.keys());
    let attributes = docs.outer().into_iter().chain(declarations::deprecation(value.deprecated.as_ref())).collect();
    let also = value.also.iter().map(|(text, _)| trees::text(text));
    let wires = also.fold(trees::text(&value.name.wire), trees::or);
    declarations::variant(attributes, ident(&value.name.rust), wires)
}

/// The conversion from `bool`, if the enum has truth values.
fn truth(all: &Enum) -> Option<TokenStream> {
    let name = ident(&all.name.rust);
    let (yes, no) = all.truth?;
    let (yes, no) = (ident(&all.values[yes].name.rust), ident(&all.values[no].name.rust));
    Some(quote! {
        impl From<bool> for #name {
            fn from(value: bool) -> Self {
                if value { Self::#yes } else { Self::#no }
            }
        }
    })
}
