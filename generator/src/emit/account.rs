//! The properties of an account, as types.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{File, ident};
use super::docs::{Docs, code};
use crate::model::{Account, EnumValue, Instrument, InstrumentProperty, Name, Property, PropertyKind};

/// `account.rs`.
pub(super) fn emit(account: &Account) -> File {
    let mut items = vec![quote!(
        use std::ops::Deref;

        use tradeapi_runtime as runtime;
    )];
    items.extend(account_type(account));
    for (name, values, doc) in words(account) {
        items.extend(word_type(name, values, doc));
    }
    items.extend(account.instrument.iter().flat_map(instrument_type));
    File::new(Docs::new("What rules depend on and no request shows.", "").inner(), items)
}

/// The types that the file defines.
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
            /// Adds the steps and bounds of what is traded under `symbol` in the line of business `line`.
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
            /// An account without properties.
            pub fn new() -> Self {
                Self::default()
            }

            /// An account with a name, by which a shared limiter distinguishes accounts.
            pub fn named(name: impl Into<String>) -> Self {
                Self { properties: runtime::Account::named(name) }
            }

            #(#properties)*
            #instrument
        }
    };
    let deref = quote! {
        impl Deref for Account {
            type Target = runtime::Account;

            fn deref(&self) -> &runtime::Account {
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
    vec![definition, inherent, deref, into]
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
            /// The word as the documents write it.
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
            /// An instrument without properties.
            pub fn new() -> Self {
                Self::default()
            }

            #(#properties)*
        }
    };
    vec![definition, inherent]
}

fn instrument_property(property: &InstrumentProperty) -> TokenStream {
    let (wire, name) = (&property.name.wire, ident(&property.name.rust));
    let mut docs = Docs::default();
    docs.markdown(&format!("{}: {}", code(wire), super::docs::escape(&property.doc)));
    let docs = docs.outer();
    quote! {
        #docs
        pub fn #name(mut self, #name: impl Into<runtime::Decimal>) -> Self {
            self.properties = self.properties.with(#wire, #name.into());
            self
        }
    }
}
