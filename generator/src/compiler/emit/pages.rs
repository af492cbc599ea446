//! Listings: the tables by which the runtime follows their pages.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::code::{ident, number};
use super::docs::code;
use super::records::page_name;
use super::scope::{Scope, as_timestamp, is_timestamp};
use super::{declarations, trees};
use crate::compiler::model::Effect;
use crate::compiler::model::{
    Field, Operation, PageOrder, Pages, PagesBy, Parameter, Reference, Response, Shape, Shown, Type,
};

/// Returns the implementation by which other operations find their records on a page.
pub(super) fn shows(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    if !scope.family.operations.are_confirmed_by(operation) {
        return None;
    }
    let (name, record, list, has_more) = match &operation.response {
        Response::Page { list, record, cursor, .. } => {
            let cursor = ident(&cursor.rust);
            let name = declarations::ty(&[&page_name(&operation.rust.rust)]);
            (name, *record, ident(&list.rust), quote!(self.#cursor.is_some()))
        }
        Response::Object { record } => {
            let list = operation.listed_field(scope.family)?;
            let has_it = |other: &&Operation| {
                matches!(other.response, Response::Object { record: of } if of == *record)
                    && scope.family.operations.are_confirmed_by(other)
            };
            // Two operations can return the same record.
            if scope.family.operations.iter().find(has_it)?.number != operation.number {
                return None;
            }
            let name = scope.ty(Type::Record(*record));
            (name, list.shape.listed_record()?, ident(&list.name.rust), quote!(false))
        }
        Response::Array { .. } | Response::Undefined => return None,
    };
    let record = scope.ty(Type::Record(record));
    Some(quote! {
        impl runtime::confirm::ShowsRecords<#record> for #name {
            fn shown(self) -> runtime::confirm::Shown<#record> {
                runtime::confirm::Shown::listed(self.#list, #has_more)
            }
        }
    })
}

/// Returns the implementation by which the runtime requests pages.
pub(super) fn emit(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let (parameter, record) = (followed_by(operation)?, operation.paged_record(scope.family)?);
    let (name, item) = (ident(&operation.rust.rust), scope.ty(Type::Record(record)));
    let Read { list: wire, page } = read(scope, operation)?;
    let next = ident(&parameter.name.rust);
    let begins = text_of(&parameter.shape);
    let id = operation.listing.id.as_ref().and_then(|id| Some(item_id(scope.family.records[record].named(id)?)));
    let paging = operation.listing.pages.as_ref().map(|pages| paging(scope, operation, pages, record));
    let range = range(operation);
    let each = each(scope, operation);
    Some(quote! {
        impl runtime::pages::Paged for #name {
            type Item = #item;

            const LIST: &'static str = #wire;

            #id
            #paging

            fn page(response: Self::Response) -> (runtime::List<Self::Item>, Option<String>) {
                #page
            }

            fn cursor(&self) -> Option<String> {
                #begins(&self.#next)
            }

            fn set_cursor(&mut self, cursor: Option<&str>) {
                self.#next = cursor.and_then(runtime::emitted::from_text);
            }

            #range
            #each
        }
    })
}

/// Returns the header of an answer with the beginning of the next page.
pub(super) fn next_page(operation: &Operation) -> Option<trees::Field> {
    let pages = operation.listing.pages.as_ref()?;
    let (by, name) = match (pages.by.0, &pages.header) {
        (PagesBy::Cursor, Some((header, _))) => ("Header", header),
        (PagesBy::Link, _) => ("Link", &pages.next.text),
        (PagesBy::Cursor | PagesBy::Last | PagesBy::Number | PagesBy::Offset, _) => return None,
    };
    trees::some("next_page", Some(trees::call(trees::of_table("NextPage", by), [trees::text(name)])))
}

/// The expressions that read the list and the cursor of an answer.
struct Read {
    /// The name of the list; empty if the data is the list.
    list: String,
    page: TokenStream,
}

fn read(scope: &Scope<'_>, operation: &Operation) -> Option<Read> {
    match (&operation.response, &operation.listing.pages) {
        (Response::Page { list, cursor, .. }, _) => {
            let (field, cursor) = (ident(&list.rust), ident(&cursor.rust));
            let page = quote!((response.#field, runtime::emitted::text_of(&response.#cursor)));
            Some(Read { list: list.wire.clone(), page })
        }
        (Response::Array { .. }, Some(_)) => Some(Read { list: String::new(), page: quote!((response, None)) }),
        (Response::Object { record }, Some(pages)) => {
            let field = |name: &str| scope.family.records[*record].field(name).map(|field| ident(&field.name.rust));
            let wire = &pages.list.as_ref()?.text;
            let list = field(wire)?;
            let cursor = match (pages.by.0, &pages.field) {
                (PagesBy::Cursor, Some((cursor, _))) => {
                    let cursor = field(cursor)?;
                    quote!(runtime::emitted::text_of(&response.#cursor))
                }
                (PagesBy::Cursor | PagesBy::Link | PagesBy::Last | PagesBy::Number | PagesBy::Offset, _) => {
                    quote!(None)
                }
            };
            Some(Read { list: wire.clone(), page: quote!((response.#list, #cursor)) })
        }
        (Response::Object { .. } | Response::Array { .. }, None) | (Response::Undefined, _) => None,
    }
}

/// Returns the function that returns the text of a value with which a page begins.
fn text_of(shape: &Shape) -> TokenStream {
    let is_time = shape.single().is_some_and(Type::is_time);
    if is_time { quote!(runtime::emitted::wire_text_of) } else { quote!(runtime::emitted::text_of) }
}

/// Returns how the next page is requested, if the answer is not a `page`.
fn paging(scope: &Scope<'_>, operation: &Operation, pages: &Pages, record: usize) -> TokenStream {
    let last = pages.field.as_ref().filter(|_| pages.by.0 == PagesBy::Last);
    let last = last.and_then(|(last, _)| scope.family.records[record].field(last));
    let first = number(pages.begins_with());
    let step = match pages.by.0 {
        PagesBy::Cursor | PagesBy::Link => quote!(Cursor),
        PagesBy::Last => {
            let shift = Literal::i8_unsuffixed(last.map_or(0, |last| shift(pages, &last.shape)));
            quote!(Last { shift: #shift })
        }
        PagesBy::Number => quote!(Number { first: #first }),
        PagesBy::Offset => quote!(Offset { first: #first }),
    };
    let last = last.map(|last| {
        let (text_of, field) = (text_of(&last.shape), ident(&last.name.rust));
        quote! {
            fn last(item: &Self::Item) -> Option<String> {
                #text_of(&item.#field)
            }
        }
    });
    let (continuation, size) = (continuation(scope, operation, pages), page_size(operation, pages));
    quote! {
        const STEP: runtime::pages::PageStep = runtime::pages::PageStep::#step;

        #last
        #continuation
        #size
    }
}

/// Returns the offset at which the next page begins. Items with the same time may be on two pages, so the next page
/// begins with the time of the last item; ids are unique, so it begins after the id.
fn shift(pages: &Pages, shape: &Shape) -> i8 {
    let onward = match pages.order.0 {
        PageOrder::NewestFirst => -1,
        PageOrder::OldestFirst => 1,
    };
    match shape.single() {
        Some(ty) if ty.is_time() && !pages.includes_last() => -onward,
        Some(Type::Integer) if pages.includes_last() => onward,
        Some(_) | None => 0,
    }
}

fn continuation(scope: &Scope<'_>, operation: &Operation, pages: &Pages) -> Option<TokenStream> {
    let Response::Object { record } = operation.response else { return None };
    let member = |member: &str, name: Option<&Reference>| {
        let (member, field) = (ident(member), scope.family.records[record].named(name?)?);
        let field = ident(&field.name.rust);
        Some(quote!(#member: response.#field,))
    };
    let members = [member("more", pages.more.as_deref()), member("total", pages.total.as_deref())];
    members.iter().any(Option::is_some).then(|| {
        let rest = members.iter().any(Option::is_none).then(|| quote!(..Default::default()));
        quote! {
            fn continuation(response: &Self::Response) -> runtime::pages::Continuation {
                runtime::pages::Continuation { #(#members)* #rest }
            }
        }
    })
}

fn page_size(operation: &Operation, pages: &Pages) -> Option<TokenStream> {
    let parameter = operation.parameter(pages.size.as_ref()?)?;
    let field = ident(&parameter.name.rust);
    let default = parameter.default.as_ref().and_then(|(default, _)| default.parse().ok()).map(number);
    let size = match (parameter.is_required(), default) {
        (true, _) => quote!(Some(self.#field)),
        (false, Some(default)) => quote!(self.#field.or(Some(#default))),
        (false, None) => quote!(self.#field),
    };
    Some(quote! {
        fn page_size(&self) -> Option<u64> {
            #size
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
    let (from, to) = (operation.parameter(&window.from)?, operation.parameter(&window.to)?);
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

/// Returns the function that makes one request for each value of a parameter.
fn each(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let parameter = operation.parameter(operation.listing.each.as_ref()?)?;
    let index = parameter.shape.single_enum()?;
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

/// Returns the parameter with the beginning of a page, for a listing whose pages can be followed. A required cursor
/// would leave no first page, and only an operation that reads may be called repeatedly.
fn followed_by(operation: &Operation) -> Option<&Parameter> {
    let next = match (&operation.response, &operation.listing.pages) {
        (Response::Page { next, .. }, _) => operation.parameter(next),
        (_, Some(pages)) => operation.parameter(&pages.next),
        (Response::Object { .. } | Response::Array { .. } | Response::Undefined, None) => return None,
    };
    let is_read = operation.effect == Effect::Read;
    next.filter(|parameter| is_read && !parameter.is_required() && !parameter.is_edit())
}

/// Returns whether the pages of a listing can be followed.
pub(super) fn is_followed(operation: &Operation) -> bool {
    followed_by(operation).is_some()
}

/// Returns the entry in the documentation of the operation.
pub(super) fn entry(operation: &Operation) -> Option<String> {
    followed_by(operation)?;
    let mut text =
        "**Listing:** page by page; [`Client::pages`](super::super::Client::pages) follows the pages".to_owned();
    if let Some(pages) = &operation.listing.pages {
        text.push_str(match pages.order.0 {
            PageOrder::NewestFirst => ", the newest items first",
            PageOrder::OldestFirst => ", the oldest items first",
        });
    }
    if let Some(id) = &operation.listing.id {
        text.push_str(&format!(", and identifies items by {}", code(&id.text)));
    }
    if let Some(each) = &operation.listing.each {
        text.push_str(&format!(
            ". It queries once for each value of {each}, in this order, where the request sets none: \
             an item that moves on to the next value in the meantime is still listed",
            each = code(&each.text)
        ));
    }
    if let Some(shows) = &operation.listing.shows {
        let what = match shows.what.0 {
            Shown::OpenOrders => "the open orders",
            Shown::PastOrders => "the past orders",
            Shown::Fills | Shown::Positions => "the fills",
        };
        text.push_str(&format!(
            ". [`Client::reconcile`](super::super::Client::reconcile) reads {what} of an account from it"
        ));
    }
    Some(text)
}
