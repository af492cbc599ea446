//! What a file of a family refers to.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::code::ident;
use crate::model::{Family, Field, Parameter, Shape, Type};

/// The family a file belongs to, and the names of the family that the file mentions.
pub(super) struct Scope<'a> {
    pub(super) family: &'a Family,
    used: RefCell<BTreeSet<String>>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(family: &'a Family) -> Self {
        Self { family, used: RefCell::default() }
    }

    /// A type of the family, which the file is going to import.
    pub(super) fn named(&self, rust: &str) -> TokenStream {
        self.used.borrow_mut().insert(rust.to_owned());
        let name = ident(rust);
        quote!(#name)
    }

    /// A Rust type.
    pub(super) fn ty(&self, ty: Type) -> TokenStream {
        match ty {
            Type::String | Type::Undefined => quote!(String),
            Type::Decimal => quote!(runtime::Decimal),
            Type::Integer => quote!(u64),
            Type::Boolean => quote!(bool),
            Type::Time => quote!(runtime::Timestamp),
            named => self.named(self.rust_name(named)),
        }
    }

    /// The Rust name of a type of the family.
    pub(super) fn rust_name(&self, ty: Type) -> &'a str {
        match ty {
            Type::Enum(index) => &self.family.enums[index].name.rust,
            Type::Identifier(index) => &self.family.identifiers[index].name.rust,
            Type::Choice(index) => &self.family.choices[index].name.rust,
            Type::Record(index) => &self.family.records[index].name.rust,
            Type::String | Type::Undefined | Type::Decimal | Type::Integer | Type::Boolean | Type::Time => "",
        }
    }

    /// The type of one value of a parameter, whether it is optional or not.
    pub(super) fn parameter_type(&self, parameter: &Parameter) -> TokenStream {
        match &parameter.shape {
            Shape::One(ty) => self.ty(*ty),
            Shape::List(ty) => {
                let ty = self.ty(*ty);
                quote!(Vec<#ty>)
            }
            Shape::Items(item) => {
                let ty = ident(&item.rust);
                quote!(Vec<#ty>)
            }
        }
    }

    /// The type of a field of a record: whatever the exchange leaves out is `None`, or an empty list.
    pub(super) fn field_type(&self, field: &Field) -> TokenStream {
        match field.shape {
            Shape::List(ty) => {
                let ty = self.ty(ty);
                quote!(runtime::List<#ty>)
            }
            Shape::One(ty) => {
                let ty = self.ty(ty);
                quote!(Option<#ty>)
            }
            Shape::Items(_) => quote!(()),
        }
    }

    /// The imports of the file, without the names it defines itself.
    pub(super) fn imports(&self, defined: &[&str]) -> TokenStream {
        let used = self.used.borrow();
        let names: Vec<_> =
            used.iter().filter(|name| !defined.contains(&name.as_str())).map(|name| ident(name)).collect();
        match names.as_slice() {
            [] => quote!(
                use tradeapi_runtime as runtime;
            ),
            [name] => quote!(use tradeapi_runtime as runtime; use super::#name;),
            names => quote!(use tradeapi_runtime as runtime; use super::{#(#names),*};),
        }
    }
}
