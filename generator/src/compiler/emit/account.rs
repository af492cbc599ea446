//! The properties of the account as types.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{File, Item, ident};
use super::docs::{Docs, code};
use crate::compiler::model::{Account, EnumValue, Instrument, InstrumentProperty, Name, Property, PropertyKind};

/// Returns `account.rs`.
pub(super) fn emit(account: &Account) -> File {
    let mut items = account_type(account);
    for (name, values, doc) in words(account) {
        items.extend(word_type(name, values, doc));
    }
    items.extend(account.instrument.iter().flat_map(instrument_type));
    items.push(table(account));
    let items = std::iter::once(Item::Imports(Vec::new())).chain(items.into_iter().map(Item::Code));
    File::new(Docs::new("Properties of the account that rules depend on and no request shows.", "").inner(), items)
}

/// Returns the types that the file defines.
pub(super) fn type_names(account: &Account) -> Vec<&str> {
    let instrument = account.instrument.iter().map(|_| "Instrument");
    let words = words(account).map(|(name, ..)| name.rust.as_str());
    std::iter::once("Account").chain(instrument).chain(words).collect()
}

fn words(account: &Account) -> impl Iterator<Item = (&Name, &[EnumValue], &str)> {
    account.properties.iter().filter_map(|property| match &property.kind {
        PropertyKind::Words(name, values) => Some((name, values.as_slice(), property.doc.as_str())),
        PropertyKind::Flag | PropertyKind::Time | PropertyKind::Names => None,
    })
}

fn account_type(account: &Account) -> Vec<TokenStream> {
    let mut docs = Docs::new(&account.doc, "");
    docs.markdown("All properties are optional. A rule that depends on a missing one is not checked.");
    let docs = docs.outer();
    let properties = account.properties.iter().map(property);
    let instrument = account.instrument.as_ref().map(|_| {
        quote! {
            /// Adds the steps and bounds of the instrument `symbol` in the business line `line`.
            pub fn instrument(
                mut self,
                line: impl std::fmt::Display,
                symbol: impl std::fmt::Display,
                instrument: Instrument,
            ) -> Self {
                self.properties.set_instrument(line.to_string(), symbol.to_string(), instrument.properties);
                self
            }
        }
    });
    let from_file = from_file(account);
    let definition = quote! {
        #docs
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[must_use = "an account has no effect until a client or a check uses it"]
        pub struct Account {
            properties: runtime::Account,
        }
    };
    let inherent = quote! {
        impl Account {
            /// Creates an account without properties.
            pub fn new() -> Self {
                Self::default()
            }

            /// Creates an account with a name, by which a shared limiter distinguishes accounts.
            pub fn named(name: impl Into<String>) -> Self {
                Self { properties: runtime::Account::named(name) }
            }

            /// Returns the name; empty if none is set.
            pub fn name(&self) -> &str {
                self.properties.name()
            }

            #from_file
            #(#properties)*
            #instrument
        }
    };
    let as_ref = quote! {
        impl AsRef<runtime::Account> for Account {
            fn as_ref(&self) -> &runtime::Account {
                &self.properties
            }
        }
    };
    let into = quote! {
        impl From<Account> for runtime::Account {
            fn from(account: Account) -> Self {
                account.properties
            }
        }
    };
    let serde = quote!(runtime::serde_account!(Account, &TABLE););
    vec![definition, inherent, as_ref, into, serde]
}

/// Returns the functions that read an account, with an example of every property.
fn from_file(account: &Account) -> TokenStream {
    let mut docs = Docs::default();
    docs.markdown("Reads an account from a file of JSON in the form that `to_json` writes, in which every member may be left out:");
    docs.gap();
    docs.line("```json".to_owned());
    example(account).lines().for_each(|line| docs.line(line.to_owned()));
    docs.line("```".to_owned());
    docs.gap();
    docs.markdown("Times are ISO 8601 or milliseconds since 1970; numbers are strings or JSON numbers.");
    docs.heading("Errors");
    docs.markdown("Fails if the file cannot be read, or with all mistakes in it, each with its line.");
    let docs = docs.outer();
    quote! {
        #docs
        pub fn from_file(
            path: impl AsRef<std::path::Path>,
        ) -> Result<Self, runtime::account_file::AccountFileError> {
            let properties = runtime::Account::from_file(&TABLE, path)?;
            Ok(Self { properties })
        }

        /// Reads an account from the text of such a file; see [`from_file`](Self::from_file).
        ///
        /// # Errors
        ///
        /// Returns all mistakes, each with its line.
        pub fn from_json(text: &str) -> Result<Self, runtime::account_file::AccountFileError> {
            let properties = runtime::Account::from_json(&TABLE, text)?;
            Ok(Self { properties })
        }

        /// Returns the account as JSON, which [`from_json`](Self::from_json) reads.
        #[must_use]
        pub fn to_json(&self) -> String {
            self.properties.to_json()
        }
    }
}

/// Returns an account with every property, as JSON.
fn example(account: &Account) -> String {
    let properties = account.properties.iter().map(|property| {
        let value = match &property.kind {
            PropertyKind::Words(_, values) => format!("{:?}", values.first().map_or("", |value| &value.name.wire)),
            PropertyKind::Flag => "true".to_owned(),
            PropertyKind::Time => "\"2026-01-31T00:00:00.000Z\"".to_owned(),
            PropertyKind::Names => "[\"A\", \"B\"]".to_owned(),
        };
        format!("\n    {:?}: {value}", property.name.wire)
    });
    let mut members = vec!["\n  \"name\": \"desk-1\"".to_owned()];
    members.push(format!("\n  \"properties\": {{{}\n  }}", properties.collect::<Vec<_>>().join(",")));
    members.extend(account.instrument.iter().map(|instrument| {
        let value = |property: &InstrumentProperty| if property.is_flag { "true" } else { "\"0.1\"" };
        let values = instrument.properties.iter().map(|one| format!("{:?}: {}", one.name.wire, value(one)));
        let values = values.collect::<Vec<_>>().join(", ");
        format!("\n  \"instruments\": {{\n    \"LINE\": {{\n      \"SYMBOL\": {{ {values} }}\n    }}\n  }}")
    }));
    format!("{{{}\n}}", members.join(","))
}

/// Returns the properties that a caller can state, for reading files and for comparisons with answers.
fn table(account: &Account) -> TokenStream {
    let properties = account.properties.iter().map(|property| {
        let name = &property.name.wire;
        let kind = match &property.kind {
            PropertyKind::Words(_, values) => {
                let words = values.iter().map(|value| &value.name.wire);
                quote!(Words(&[#(#words),*]))
            }
            PropertyKind::Flag => quote!(Flag),
            PropertyKind::Time => quote!(Time),
            PropertyKind::Names => quote!(Names),
        };
        let codes = property.denied_by.iter().map(|(code, _)| code);
        quote!(tables::AccountProperty {
            name: #name,
            kind: tables::PropertyKind::#kind,
            denied_by: &[#(#codes),*],
        })
    });
    let [numbers, flags] = [false, true].map(|flags| {
        let names = account.instrument.iter().flat_map(move |instrument| instrument.names(flags));
        names.collect::<Vec<_>>()
    });
    let denied_by = account.instrument.iter().flat_map(|instrument| &instrument.properties);
    let denied_by = denied_by.flat_map(|property| &property.denied_by).map(|(code, _)| code);
    quote! {
        /// The properties of an account that a caller can state.
        pub(crate) const TABLE: tables::AccountTable = tables::AccountTable {
            properties: &[#(#properties),*],
            instrument: &[#(#numbers),*],
            flags: &[#(#flags),*],
            instrument_denied_by: &[#(#denied_by),*],
        };
    }
}

fn property(property: &Property) -> TokenStream {
    let (wire, name) = (&property.name.wire, ident(&property.name.rust));
    let (ty, value) = match &property.kind {
        PropertyKind::Words(word, _) => {
            let ty = ident(&word.rust);
            (quote!(#ty), quote!(Word(#name.as_str().into())))
        }
        PropertyKind::Flag => (quote!(bool), quote!(Flag(#name))),
        PropertyKind::Time => (quote!(impl Into<runtime::Timestamp>), quote!(Time(#name.into()))),
        PropertyKind::Names => (
            quote!(impl IntoIterator<Item = impl Into<String>>),
            quote!(Names(#name.into_iter().map(Into::into).collect())),
        ),
    };
    let docs = Docs::new(&property.doc, "").outer();
    quote! {
        #docs
        pub fn #name(mut self, #name: #ty) -> Self {
            self.properties.set(#wire, runtime::account::PropertyValue::#value);
            self
        }
    }
}

fn word_type(name: &Name, values: &[EnumValue], doc: &str) -> Vec<TokenStream> {
    let (name, docs) = (ident(&name.rust), Docs::new(doc, "").outer());
    let variants: Vec<_> = values.iter().map(|value| ident(&value.name.rust)).collect();
    let variant_docs = values.iter().map(|value| Docs::new(&value.doc, &value.name.wire).outer());
    let wires = values.iter().map(|value| &value.name.wire);
    let definition = quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum #name {
            #(#variant_docs #variants,)*
        }
    };
    let inherent = quote! {
        impl #name {
            /// Returns the word as the documents write it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#variants => #wires,)*
                }
            }
        }
    };
    vec![definition, inherent]
}

fn instrument_type(instrument: &Instrument) -> Vec<TokenStream> {
    let docs = Docs::new(&instrument.doc, "").outer();
    let properties = instrument.properties.iter().map(instrument_property);
    let definition = quote! {
        #docs
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[must_use = "an instrument has no effect until it is added to an account"]
        pub struct Instrument {
            properties: runtime::account::Instrument,
        }
    };
    let inherent = quote! {
        impl Instrument {
            /// Creates an instrument without properties.
            pub fn new() -> Self {
                Self::default()
            }

            #(#properties)*
        }
    };
    let from = quote! {
        impl From<runtime::account::Instrument> for Instrument {
            fn from(properties: runtime::account::Instrument) -> Self {
                Self { properties }
            }
        }
    };
    let as_ref = quote! {
        impl AsRef<runtime::account::Instrument> for Instrument {
            fn as_ref(&self) -> &runtime::account::Instrument {
                &self.properties
            }
        }
    };
    vec![definition, inherent, from, as_ref]
}

fn instrument_property(property: &InstrumentProperty) -> TokenStream {
    let (wire, name) = (&property.name.wire, ident(&property.name.rust));
    let set = ident(&format!("with_{}", property.name.bare()));
    let mut docs = Docs::default();
    docs.markdown(&format!("{}: {}", code(wire), super::docs::escape(&property.doc)));
    let docs = docs.outer();
    let mut sets = Docs::default();
    sets.markdown(&format!("Sets {}.", code(wire)));
    let sets = sets.outer();
    if property.is_flag {
        return quote! {
            #docs
            pub fn #name(&self) -> Option<bool> {
                self.properties.flag(#wire)
            }

            #sets
            pub fn #set(self, value: bool) -> Self {
                let properties = self.properties.with_flag(#wire, value);
                Self { properties }
            }
        };
    }
    quote! {
        #docs
        pub fn #name(&self) -> Option<&runtime::Decimal> {
            self.properties.get(#wire)
        }

        #sets
        pub fn #set(self, value: impl runtime::value::IntoDecimal) -> Self {
            let properties = self.properties.with(#wire, runtime::value::IntoDecimal::into_decimal(value));
            Self { properties }
        }
    }
}
