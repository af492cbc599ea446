//! Identifiers: newtypes over text.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::code::{File, Item, ident, optional_text};
use super::docs::{Docs, code};
use crate::compiler::model::{Decided, Family, Form, Identifier, Pattern};

/// `identifiers.rs` of a family.
pub(super) fn emit(family: &Family) -> File {
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

/// A call of the runtime's macro, as text because formatters leave the arguments of macros alone.
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

/// A call of the runtime's macro that makes new values.
fn mint(all: &Identifier) -> String {
    match all.mint {
        Some(_) => format!("runtime::mintable!({});\n", ident(&all.name.rust)),
        None => String::new(),
    }
}

/// The function that tests for a form.
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

/// The function that tests for a form.
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

/// The function that returns the other spelling of a text, by which an instrument may be listed.
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
        /// The other spelling of a text of a form that is written in two ways.
        pub fn respelled(&self) -> Option<String> {
            runtime::emitted::respelled(self.as_str(), &[#(#pairs),*])
        }
    })
}
