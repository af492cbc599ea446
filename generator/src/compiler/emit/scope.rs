//! The names that a file of a family uses.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::code::{Item, ident};
use super::declarations;
use crate::compiler::model::{Family, Field, Parameter, Shape, Type};
use crate::compiler::words::Times;

/// Returns the type of the runtime for values that not every API has.
pub(super) fn value_type(ty: Type) -> Option<&'static str> {
    match ty {
        Type::Json => Some("Json"),
        Type::Formatted(format) => Some(format.rust()),
        Type::Time(Times::Seconds) => Some("UnixSeconds"),
        Type::Time(Times::Microseconds) => Some("UnixMicros"),
        Type::Time(Times::Nanoseconds) => Some("UnixNanos"),
        Type::Time(Times::Iso8601) => Some("IsoTime"),
        Type::Time(Times::Milliseconds)
        | Type::String
        | Type::Decimal
        | Type::Scaled(_)
        | Type::Integer
        | Type::Signed
        | Type::Boolean(_)
        | Type::Enum(_)
        | Type::Identifier(_)
        | Type::Choice(_)
        | Type::Record(_)
        | Type::Undefined => None,
    }
}

/// Returns whether a time is a `Timestamp` in Rust, as times in milliseconds are.
pub(super) fn is_timestamp(shape: &Shape) -> bool {
    shape.element().is_none_or(|ty| value_type(ty).is_none())
}

/// Returns an expression that converts an optional time of this shape to an optional timestamp.
pub(super) fn as_timestamp(shape: &Shape, time: TokenStream) -> TokenStream {
    if is_timestamp(shape) { time } else { quote!(#time.map(runtime::Timestamp::from)) }
}

fn of_runtime(name: &str) -> syn::Type {
    declarations::ty(&["runtime", name])
}

/// The family of a file, and the names of the family that the file uses.
pub(super) struct Scope<'a> {
    pub(super) family: &'a Family,
    used: RefCell<BTreeSet<String>>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(family: &'a Family) -> Self {
        Self { family, used: RefCell::default() }
    }

    /// Returns a type of the family, which the file will import.
    pub(super) fn named(&self, rust: &str) -> Ident {
        if !self.used.borrow().contains(rust) {
            self.used.borrow_mut().insert(rust.to_owned());
        }
        ident(rust)
    }

    /// Returns a Rust type.
    pub(super) fn ty(&self, ty: Type) -> syn::Type {
        match ty {
            Type::String | Type::Undefined => declarations::ty(&["String"]),
            Type::Decimal => of_runtime("Decimal"),
            Type::Scaled(scale) => declarations::of_number(&["runtime", "Scaled"], scale.into()),
            Type::Integer => declarations::ty(&["u64"]),
            Type::Boolean(_) => declarations::ty(&["bool"]),
            Type::Signed => declarations::ty(&["i64"]),
            Type::Json | Type::Formatted(_) | Type::Time(_) => of_runtime(value_type(ty).unwrap_or("Timestamp")),
            Type::Enum(_) | Type::Identifier(_) | Type::Choice(_) | Type::Record(_) => {
                declarations::named(self.named(self.family.type_rust(ty)))
            }
        }
    }

    /// Returns whether the argument for a parameter can be of another type that converts into it.
    pub(super) fn converts(&self, parameter: &Parameter) -> bool {
        if parameter.is_edit() {
            return true;
        }
        match parameter.shape {
            Shape::One(Type::String | Type::Decimal | Type::Scaled(_) | Type::Time(_) | Type::Choice(_)) => true,
            Shape::One(Type::Identifier(index)) => !self.family.identifiers[index].is_constrained(),
            Shape::One(Type::Enum(index)) => self.family.enums[index].truth.is_some(),
            Shape::One(
                Type::Integer
                | Type::Signed
                | Type::Boolean(_)
                | Type::Formatted(_)
                | Type::Json
                | Type::Record(_)
                | Type::Undefined,
            )
            | Shape::List(_)
            | Shape::Map(_)
            | Shape::Items(_)
            | Shape::Object(_) => false,
        }
    }

    /// Returns the type of a single value of a parameter, optional or not.
    pub(super) fn parameter_type(&self, parameter: &Parameter) -> syn::Type {
        match &parameter.shape {
            Shape::One(ty) => self.ty(*ty),
            Shape::List(ty) => declarations::of(&["Vec"], self.ty(*ty)),
            Shape::Items(item) => declarations::of(&["Vec"], declarations::ty(&[&item.rust])),
            Shape::Object(object) => declarations::ty(&[&object.rust]),
            Shape::Map(ty) => declarations::of(&["runtime", "parameters", "Entries"], self.ty(*ty)),
        }
    }

    /// Returns the type of a field of a record: a value that the exchange leaves out is `None`, or an empty list.
    pub(super) fn field_type(&self, field: &Field) -> syn::Type {
        match field.shape {
            Shape::List(ty) => declarations::of(&["runtime", "List"], self.ty(ty)),
            Shape::One(ty) => declarations::of(&["Option"], self.ty(ty)),
            Shape::Map(ty) => declarations::of(&["runtime", "Map"], self.ty(ty)),
            Shape::Items(_) | Shape::Object(_) => declarations::unit(),
        }
    }

    /// Returns the imports of the file, except the names that it defines itself.
    pub(super) fn imports(&self, defined: &[&str]) -> Item {
        let used = self.used.borrow();
        Item::Imports(used.iter().filter(|name| !defined.contains(&name.as_str())).cloned().collect())
    }
}
