//! The facts about an operation that clients need to track orders: the orders that its response shows, and those that
//! it creates and amends.

use proc_macro2::TokenStream;
use quote::quote;

use super::batches;
use super::code::ident;
use super::scope::Scope;
use super::trees::{self, Field as Row};
use crate::compiler::model::{Api, Effect, Family, Field, Operation, Parameter, Record, Response, Shape, Tracked};

/// Returns the function that shows the orders in a response: their records, or the results of their placement.
pub(super) fn shown(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let family = scope.family;
    let lifecycle = family.lifecycle.as_ref()?;
    let body = match records(family, operation) {
        Some((Records::One, _)) => quote!(see(runtime::lifecycle::OrderShown::of(response));),
        Some((Records::Each(list), _)) => {
            quote!(#list.iter().map(runtime::lifecycle::OrderShown::of).for_each(see);)
        }
        None if operation.effect == Effect::Create => {
            let body = results(family, operation, lifecycle.records.first()?)?;
            return Some(quote! {
                fn show_results(response: &Self::Response, see: &mut dyn FnMut(runtime::lifecycle::OrderResult)) {
                    #body
                }
            });
        }
        None => return None,
    };
    Some(quote! {
        fn show_orders<'a>(
            response: &'a Self::Response,
            see: &mut dyn FnMut(runtime::lifecycle::OrderShown<'a>),
        ) {
            #body
        }
    })
}

/// Returns the function that shows the properties of the account in the records of a response.
pub(super) fn properties_shown(api: &Api, scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let family = scope.family;
    let (records, record) = records(family, operation)?;
    api.account.as_ref()?.shown_in(family, &family.records[record]).next()?;
    let body = match records {
        Records::One => quote!(runtime::lifecycle::PropertyShown::each(response, see);),
        Records::Each(list) => {
            quote!(#list.iter().for_each(|record| runtime::lifecycle::PropertyShown::each(record, see));)
        }
    };
    Some(quote! {
        fn show_properties(response: &Self::Response, see: &mut dyn FnMut(runtime::lifecycle::PropertyShown<'_>)) {
            #body
        }
    })
}

/// Where a response has records of orders.
enum Records {
    /// The response is a record.
    One,
    /// The records are in this list.
    Each(TokenStream),
}

/// Returns the records of orders in a response, and the index of their type.
fn records(family: &Family, operation: &Operation) -> Option<(Records, usize)> {
    let lifecycle = family.lifecycle.as_ref()?;
    let has_state = |record: &usize| lifecycle.records.iter().any(|tracked| tracked.record == *record);
    match &operation.response {
        Response::Object { record } if has_state(record) => Some((Records::One, *record)),
        Response::Array { record, .. } if has_state(record) => Some((Records::Each(quote!(response.items)), *record)),
        Response::Page { list, record, .. } if has_state(record) => {
            let list = ident(&list.rust);
            Some((Records::Each(quote!(response.#list.items)), *record))
        }
        Response::Object { .. } => {
            let field = operation.listed_field(family).filter(|field| matches!(field.shape, Shape::List(_)))?;
            let record = field.shape.listed_record().filter(has_state)?;
            let name = ident(&field.name.rust);
            Some((Records::Each(quote!(response.#name.items)), record))
        }
        Response::Array { .. } | Response::Page { .. } | Response::Undefined => None,
    }
}

/// Returns the function for orders whose placement a response accepts or refuses.
fn results(family: &Family, operation: &Operation, tracked: &Tracked) -> Option<TokenStream> {
    let ids = |record: &Record, of: &TokenStream| {
        let text = |named: &Option<(String, _)>| text(record, of, named.as_ref().map(|(name, _)| name.as_str()));
        let (id, client_id) = (text(&tracked.id), text(&tracked.client_id));
        (id.is_some() || client_id.is_some()).then(|| (or_none(id), or_none(client_id)))
    };
    let item = quote!(item);
    let code = |record: &Record| {
        let code = operation.batch.as_ref().and_then(|batch| batch.code.as_ref());
        or_none(text(record, &item, code.map(|(name, _)| name.as_str())))
    };
    match (&operation.response, &operation.batch) {
        (Response::Object { record }, None) => {
            let (id, client_id) = ids(&family.records[*record], &quote!(response))?;
            Some(quote!(see(runtime::lifecycle::OrderResult::accepted(#id, #client_id, None));))
        }
        (Response::Array { record, .. }, Some(_)) => {
            let record = &family.records[*record];
            let ((id, client_id), code) = (ids(record, &item)?, code(record));
            Some(quote! {
                for item in &response.items {
                    see(runtime::lifecycle::OrderResult::accepted(#id, #client_id, #code));
                }
            })
        }
        (Response::Object { record }, Some(batch)) => {
            let ((done, done_of), (failed, failed_of)) = batches::result_lists(family, *record, batch)?;
            let (id, client_id) = ids(&family.records[done_of], &item)?;
            let accepted = quote! {
                for item in &response.#done.items {
                    see(runtime::lifecycle::OrderResult::accepted(#id, #client_id, None));
                }
            };
            let (id, client_id) = ids(&family.records[failed_of], &item)?;
            let code = code(&family.records[failed_of]);
            Some(quote! {
                #accepted
                for item in &response.#failed.items {
                    see(runtime::lifecycle::OrderResult::refused(#id, #client_id, #code));
                }
            })
        }
        (Response::Array { .. } | Response::Page { .. } | Response::Undefined, _) => None,
    }
}

fn text(record: &Record, of: &TokenStream, name: Option<&str>) -> Option<TokenStream> {
    let field = ident(&record.field(name?)?.name.rust);
    Some(quote!(runtime::emitted::text_of(&#of.#field)))
}

fn or_none(tokens: Option<TokenStream>) -> TokenStream {
    tokens.unwrap_or_else(|| quote!(None))
}

/// Returns the enums whose values the family's ceilings count.
fn kinds(family: &Family) -> impl Iterator<Item = usize> {
    family.limits.iter().filter_map(|limit| limit.over.as_ref()).map(|over| over.enum_index)
}

/// Returns the field of a record by which ceilings of open orders count it.
pub(super) fn kind_of<'a>(family: &Family, record: &'a Record) -> Option<&'a Field> {
    let is_kind =
        |field: &&Field| field.shape.single_enum().is_some_and(|index| kinds(family).any(|kind| kind == index));
    record.fields.iter().find(is_kind)
}

/// Returns the fields of an operation's table: the parameters by which ceilings count created orders, and amended ones.
pub(super) fn tables(family: &Family, operation: &Operation) -> [Option<Row>; 2] {
    [kind(family, operation), amends(family, operation)]
}

fn kind(family: &Family, operation: &Operation) -> Option<Row> {
    if operation.effect != Effect::Create {
        return None;
    }
    let items = operation.items().flat_map(|(_, item)| &item.parameters);
    let is_kind = |parameter: &&Parameter| {
        parameter.shape.single_enum().is_some_and(|index| kinds(family).any(|kind| kind == index))
    };
    let name = &operation.body.parameters().iter().chain(items).find(is_kind)?.name.wire;
    trees::some("order_kind", Some(trees::text(name)))
}

fn amends(family: &Family, operation: &Operation) -> Option<Row> {
    if operation.effect != Effect::Amend {
        return None;
    }
    let tracked = family.lifecycle.as_ref()?.records.first()?;
    let named: Vec<_> = tracked.id.iter().chain(&tracked.client_id).map(|(name, _)| name.as_str()).collect();
    let wires = operation.wire_parameters(family);
    let ids: Vec<_> = wires.iter().filter(|wire| named.contains(&wire.name.wire.as_str())).collect();
    let in_list = ids.first()?.list;
    let names = ids.iter().filter(|wire| wire.list == in_list).map(|wire| wire.name.wire.as_str());
    let in_flight = operation.in_flight.as_ref().map(|in_flight| trees::number(in_flight.n.0));
    let fields = [
        Some(("list", trees::optional(in_list.map(|list| trees::text(list.as_str()))))),
        Some(("ids", trees::texts(names))),
        Some(("in_flight", trees::optional(in_flight))),
    ];
    trees::some("amends", Some(trees::table("Amends", fields)))
}
