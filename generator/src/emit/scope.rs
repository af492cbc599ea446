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
            Type::Enum(_) | Type::Identifier(_) | Type::Choice(_) | Type::Record(_) => {
                self.named(self.family.type_rust(ty))
            }
        }
    }

    /// Whether something else can become the type of a parameter.
    pub(super) fn converts(&self, parameter: &Parameter) -> bool {
        if parameter.deletes_with().is_some() {
            return true;
        }
        match parameter.shape {
            Shape::One(Type::String | Type::Decimal | Type::Time | Type::Choice(_)) => true,
            Shape::One(Type::Identifier(index)) => !self.family.identifiers[index].is_constrained(),
            Shape::One(Type::Enum(index)) => self.family.enums[index].truth.is_some(),
            Shape::One(Type::Integer | Type::Boolean | Type::Record(_) | Type::Undefined)
            | Shape::List(_)
            | Shape::Items(_) => false,
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
