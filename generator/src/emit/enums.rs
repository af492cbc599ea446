//! Enums: open in answers, strict in requests.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Variant;

use super::code::{File, Item, ident};
use super::docs::{Docs, code, escape};
use super::{codes, declarations, lifecycle, trees};
use crate::model::{Enum, EnumValue, Family, Name};

/// `enums.rs` of a family.
pub(super) fn emit(family: &Family) -> File {
    let mut items = vec![Item::Imports(Vec::new())];
    items.extend(family.enums.iter().flat_map(|all| enumeration(all, docs_of(family, all))));
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
