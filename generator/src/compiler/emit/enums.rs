//! Types over text: enums, open in answers and strict in requests, and identifiers.

use super::code::{File, Item, gate, ident, optional_text};
use super::docs::{Docs, code, escape};
use super::{codes, declarations, lifecycle, module_name, trees};
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Api, Decided, Enum, EnumValue, Family, Form, Identifier, InstrumentNames, Name, Parameter, Pattern, PropertyKind,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Variant;

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
        counterpart: None,
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

/// Returns the description of an enum; for the states of a lifecycle, also how they follow each other.
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

/// Returns the conversions from the enums that other families have under the same name, and from the property of the
/// account that the values show. The texts on the wire are the same, whatever the variants are called.
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

/// Returns the family whose instruments have the values of an enum as business lines.
fn line_of(family: &Family, index: usize) -> Option<&str> {
    let is_of = |parameter: &Parameter| parameter.shape.single_enum() == Some(index);
    let is_line = |parameter: &Parameter, line: &str| parameter.name.wire == line && is_of(parameter);
    let is_named = |names: &InstrumentNames| family.all_parameters().any(|one| is_line(one, &names.line.0));
    let own = family.instrument.as_ref().filter(|names| is_named(names)).map(|_| family.name.as_str());
    own.or_else(|| {
        let listings = family.operations.iter().filter_map(|operation| {
            let listed = operation.listing.instruments.as_ref()?;
            operation.parameter(&listed.over).is_some_and(is_of).then_some(listed.of.text.as_str())
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
    let deprecation = declarations::deprecation(value.deprecated.as_ref());
    let attributes = docs.outer().into_iter().chain(deprecation).chain(declarations::dated(&value.dates)).collect();
    let also = value.also.iter().map(|(text, _)| trees::text(text));
    let wires = also.fold(trees::text(&value.name.wire), trees::or);
    declarations::variant(attributes, ident(&value.name.rust), wires)
}

/// Returns the conversion from `bool`, if the enum has truth values.
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

/// `identifiers.rs` of a family.
pub(super) fn emit_identifiers(family: &Family) -> File {
    let mut items = vec![Item::Imports(Vec::new())];
    items.extend(
        family
            .identifiers
            .iter()
            .flat_map(|all| [Item::Text(identifier(all)), Item::Text(mint(all)), Item::Code(forms(all))]),
    );
    let what = format!("Names and numbers that identify things of the {} operations.", family.title);
    File::new(Docs::new(&what, "").inner(), items)
}

/// Returns a call of the runtime's macro, as text because formatters leave the arguments of macros alone.
fn identifier(all: &Identifier) -> String {
    let mut docs = Docs::new(&all.doc, &all.name.wire);
    docs.documented(&all.keys());
    let mut limits = Vec::new();
    if let Some((min, max)) = all.length {
        docs.prose(&format!("The text has {min} to {max} characters."));
        limits.push(format!("length: {min}..={max}"));
    }
    if let Some((alphabet, _)) = &all.alphabet {
        docs.markdown(&format!("The characters are those of {}.", code(&format!("[{alphabet}]"))));
        limits.push(format!("alphabet: {}", Literal::string(alphabet)));
    }
    let (comments, name) = (docs.comments("    "), ident(&all.name.rust));
    let limits = if limits.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", limits.join(", ")) };
    format!("runtime::identifier! {{\n{comments}    pub struct {name} {limits}\n}}\n")
}

/// Returns a call of the runtime's macro that makes new values.
fn mint(all: &Identifier) -> String {
    match all.mint {
        Some(_) => format!("runtime::mintable!({});\n", ident(&all.name.rust)),
        None => String::new(),
    }
}

/// Returns the function that tests for a form.
pub(super) fn form_function(form: &Form) -> String {
    format!("is_{}", form.name.bare())
}

fn forms(all: &Identifier) -> TokenStream {
    if all.forms.is_empty() {
        return TokenStream::new();
    }
    let name = ident(&all.name.rust);
    let functions = all.forms.iter().map(form);
    let respelled = respelled(all);
    quote!(impl #name { #(#functions)* #respelled })
}

/// Returns the function that tests for a form.
fn form(form: &Form) -> TokenStream {
    let function = ident(&form_function(form));
    let mut docs = Docs::default();
    docs.markdown(&format!(
        "Returns whether the identifier has the form {}, which identifies {}.",
        code(&form.pattern.text),
        code(&form.name.wire)
    ));
    let is_it = has_pattern(&form.pattern);
    let Some(Decided { also, by: (by, _) }) = &form.decided else {
        let docs = docs.outer();
        return quote! {
            #docs
            pub fn #function(&self) -> bool {
                #is_it
            }
        };
    };
    docs.markdown(&format!(
        "`None` for a text of the form {}: {} of the instrument decides whether that is one.",
        code(&also.text),
        code(by)
    ));
    let (docs, may_be) = (docs.outer(), has_pattern(also));
    quote! {
        #docs
        pub fn #function(&self) -> Option<bool> {
            if #is_it {
                return Some(true);
            }
            if #may_be { None } else { Some(false) }
        }
    }
}

/// Returns whether the text has a pattern.
fn has_pattern(Pattern { prefix, suffix, alphabet, text: _, place: _ }: &Pattern) -> TokenStream {
    let alphabet = optional_text(alphabet.as_deref());
    quote!(runtime::emitted::has_form(self.as_str(), #prefix, #alphabet, #suffix))
}

/// Returns the function that returns the other spelling of a text, by which an instrument may be listed.
fn respelled(all: &Identifier) -> Option<TokenStream> {
    if !all.is_respelled() {
        return None;
    }
    let affixes = |Pattern { prefix, suffix, .. }: &Pattern| quote!((#prefix, #suffix));
    let pairs = all.forms.iter().filter_map(|form| {
        let [one, other] = [affixes(&form.pattern), affixes(&form.decided.as_ref()?.also)];
        Some(quote!([#one, #other]))
    });
    Some(quote! {
        /// Returns the other spelling of a text of a form that is written in two ways.
        pub fn respelled(&self) -> Option<String> {
            runtime::emitted::respelled(self.as_str(), &[#(#pairs),*])
        }
    })
}
