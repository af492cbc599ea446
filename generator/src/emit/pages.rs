//! Listings: what the runtime needs to know to follow their pages.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::ident;
use super::docs::code;
use super::records::page_name;
use super::scope::{Scope, as_timestamp, is_timestamp};
use crate::model::Effect;
use crate::model::{Field, Operation, Parameter, Response, Shape, Shown, Type};

/// That a page shows records, where another operation finds its records there.
pub(super) fn shows(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let Response::Page { list, record, cursor, .. } = &operation.response else { return None };
    let is_meant = |other: &&Operation| {
        other.confirm.as_ref().is_some_and(|confirm| {
            confirm.by.0 == operation.name || confirm.then.as_ref().is_some_and(|(then, _)| *then == operation.name)
        })
    };
    scope.family.operations.iter().find(is_meant)?;
    let (name, record) = (ident(&page_name(&operation.rust.rust)), scope.ty(Type::Record(*record)));
    let (list, cursor) = (ident(&list.rust), ident(&cursor.rust));
    Some(quote! {
        impl runtime::confirm::Shows<#record> for #name {
            fn shown(self) -> runtime::confirm::Shown<#record> {
                runtime::confirm::Shown::listed(self.#list, self.#cursor.is_some())
            }
        }
    })
}

/// What a request says about its pages.
pub(super) fn emit(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let Response::Page { list, record, cursor, .. } = &operation.response else { return None };
    let parameter = followed_by(operation)?;
    let (name, item) = (ident(&operation.rust.rust), scope.ty(Type::Record(*record)));
    let wire = &list.wire;
    let (list, cursor, next) = (ident(&list.rust), ident(&cursor.rust), ident(&parameter.name.rust));
    let id = operation.listing.id.as_ref().and_then(|(id, _)| {
        let field = scope.family.records[*record].field(id)?;
        Some(item_id(field))
    });
    let range = range(operation);
    let each = each(scope, operation);
    Some(quote! {
        impl runtime::pages::Paged for #name {
            type Item = #item;

            const LIST: &'static str = #wire;

            #id

            fn page(response: Self::Response) -> (runtime::List<Self::Item>, Option<String>) {
                (response.#list, runtime::emitted::text_of(&response.#cursor))
            }

            fn cursor(&self) -> Option<String> {
                runtime::emitted::text_of(&self.#next)
            }

            fn set_cursor(&mut self, cursor: Option<&str>) {
                self.#next = cursor.and_then(runtime::emitted::from_text);
            }

            #range
            #each
        }
    })
}

fn item_id(field: &Field) -> TokenStream {
    let field = ident(&field.name.rust);
    quote! {
        const HAS_ID: bool = true;

        fn item_id(item: &Self::Item) -> Option<&str> {
            item.#field.as_ref().map(|id| id.as_str())
        }
    }
}

fn range(operation: &Operation) -> Option<TokenStream> {
    let window = operation.window.as_ref()?;
    let (from, to) = (find(operation, &window.from.0)?, find(operation, &window.to.0)?);
    let get = |parameter: &Parameter| {
        let field = ident(&parameter.name.rust);
        let time = if parameter.is_required() { quote!(Some(self.#field)) } else { quote!(self.#field) };
        as_timestamp(&parameter.shape, time)
    };
    let set = |parameter: &Parameter, end: TokenStream| {
        let field = ident(&parameter.name.rust);
        let end = match is_timestamp(&parameter.shape) {
            true => quote!(range.#end),
            false => quote!(range.#end.map(Into::into)),
        };
        if parameter.is_required() {
            quote!(self.#field = #end.unwrap_or(self.#field);)
        } else {
            quote!(self.#field = #end;)
        }
    };
    let (get_from, get_to) = (get(from), get(to));
    let (set_from, set_to) = (set(from, quote!(from)), set(to, quote!(to)));
    Some(quote! {
        fn range(&self) -> runtime::pages::TimeRange {
            runtime::pages::TimeRange { from: #get_from, to: #get_to }
        }

        fn set_range(&mut self, range: runtime::pages::TimeRange) {
            #set_from
            #set_to
        }
    })
}

/// One request for each value of a parameter.
fn each(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let parameter = find(operation, &operation.listing.each.as_ref()?.0)?;
    let Shape::One(Type::Enum(index)) = parameter.shape else { return None };
    let field = ident(&parameter.name.rust);
    let values = values(scope, parameter, index);
    let (all, of) = (&scope.family.enums[index], scope.ty(Type::Enum(index)));
    let values = values.iter().filter_map(|wire| {
        let variant = ident(&all.values[all.index_of(wire)?].name.rust);
        Some(quote!(#of::#variant))
    });
    Some(quote! {
        fn each(&self) -> Vec<Self> {
            if self.#field.is_some() {
                return vec![self.clone()];
            }
            let with = |value| Self { #field: Some(value), ..self.clone() };
            [#(#values),*].map(with).into()
        }
    })
}

fn values<'a>(scope: &Scope<'a>, parameter: &'a Parameter, index: usize) -> Vec<&'a str> {
    if parameter.only.is_empty() {
        scope.family.enums[index].wires().collect()
    } else {
        parameter.only.iter().map(|(value, _)| value.as_str()).collect()
    }
}

fn find<'a>(operation: &'a Operation, wire: &str) -> Option<&'a Parameter> {
    operation.body.parameters().iter().find(|parameter| parameter.name.wire == wire)
}

/// The parameter that takes the cursor, of a listing that can be followed: what always has a cursor has no first page, and
/// only what reads is asked for again and again.
fn followed_by(operation: &Operation) -> Option<&Parameter> {
    let Response::Page { next, .. } = &operation.response else { return None };
    let is_read = operation.effect == Effect::Read;
    find(operation, &next.0)
        .filter(|parameter| is_read && !parameter.is_required() && parameter.deletes_with().is_none())
}

/// Whether the pages of a listing can be followed.
pub(super) fn is_followed(operation: &Operation) -> bool {
    followed_by(operation).is_some()
}

/// What a reader of the operation should know.
pub(super) fn entry(operation: &Operation) -> Option<String> {
    followed_by(operation)?;
    let mut text =
        "**Listing:** page by page; [`Client::pages`](super::super::Client::pages) follows the pages".to_owned();
    if let Some((id, _)) = &operation.listing.id {
        text.push_str(&format!(", and tells items apart by {}", code(id)));
    }
    if let Some((each, _)) = &operation.listing.each {
        text.push_str(&format!(
            ". It asks once for each value of {each}, in this order, where the request sets none: \
             what moves on to the next value meanwhile is met in any case",
            each = code(each)
        ));
    }
    if let Some(shows) = &operation.listing.shows {
        let what = match shows.what {
            Shown::OpenOrders => "the open orders",
            Shown::PastOrders => "the past orders",
            Shown::Fills => "the fills",
        };
        text.push_str(&format!(
            ". [`Client::reconcile`](super::super::Client::reconcile) reads {what} of an account from it"
        ));
    }
    Some(text)
}
