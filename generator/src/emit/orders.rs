//! What clients that track orders need to know of an operation: the orders that its response shows, and those that it
//! creates and amends.

use proc_macro2::TokenStream;
use quote::quote;

use super::batches;
use super::code::ident;
use super::scope::Scope;
use super::trees::{self, Field as Row};
use crate::model::{Effect, Family, Field, Operation, Parameter, Record, Response, Shape, Tracked};

/// The function that shows the orders in a response.
pub(super) fn shown(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let family = scope.family;
    let lifecycle = family.lifecycle.as_ref()?;
    let has_state = |record: usize| lifecycle.records.iter().any(|tracked| tracked.record == record);
    let each = |list: TokenStream| quote!(#list.iter().map(runtime::lifecycle::OrderShown::of).for_each(see););
    let body = match &operation.response {
        Response::Object { record } if has_state(*record) => {
            quote!(see(runtime::lifecycle::OrderShown::of(response));)
        }
        Response::Array { record, .. } if has_state(*record) => each(quote!(response.items)),
        Response::Page { list, record, .. } if has_state(*record) => {
            let list = ident(&list.rust);
            each(quote!(response.#list.items))
        }
        Response::Object { .. } if operation.listed_field(family).is_some() => {
            let field = operation.listed_field(family)?;
            let is_of_orders =
                matches!(field.shape, Shape::List(_)) && field.shape.listed_record().is_some_and(has_state);
            let name = ident(&field.name.rust);
            is_of_orders.then(|| each(quote!(response.#name.items)))?
        }
        Response::Object { .. } | Response::Array { .. } if operation.effect == Effect::Create => {
            results(family, operation, lifecycle.records.first()?)?
        }
        Response::Object { .. } | Response::Array { .. } | Response::Page { .. } | Response::Undefined => return None,
    };
    Some(quote! {
        fn show_orders(response: &Self::Response, see: &mut dyn FnMut(runtime::lifecycle::OrderShown)) {
            #body
        }
    })
}

/// The orders whose placement a response accepts or refuses.
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
            Some(quote!(see(runtime::lifecycle::OrderShown::accepted(#id, #client_id, None));))
        }
        (Response::Array { record, .. }, Some(_)) => {
            let record = &family.records[*record];
            let ((id, client_id), code) = (ids(record, &item)?, code(record));
            Some(quote! {
                for item in &response.items {
                    see(runtime::lifecycle::OrderShown::accepted(#id, #client_id, #code));
                }
            })
        }
        (Response::Object { record }, Some(batch)) => {
            let ((done, done_of), (failed, failed_of)) = batches::result_lists(family, *record, batch)?;
            let (id, client_id) = ids(&family.records[done_of], &item)?;
            let accepted = quote! {
                for item in &response.#done.items {
                    see(runtime::lifecycle::OrderShown::accepted(#id, #client_id, None));
                }
            };
            let (id, client_id) = ids(&family.records[failed_of], &item)?;
            let code = code(&family.records[failed_of]);
            Some(quote! {
                #accepted
                for item in &response.#failed.items {
                    see(runtime::lifecycle::OrderShown::refused(#id, #client_id, #code));
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

/// The enums of the values that the family's ceilings are over.
fn kinds(family: &Family) -> impl Iterator<Item = usize> {
    family.limits.iter().filter_map(|limit| limit.over.as_ref()).map(|over| over.enum_index)
}

/// The field of a record by which ceilings of open orders count it.
pub(super) fn kind_of<'a>(family: &Family, record: &'a Record) -> Option<&'a Field> {
    let is_kind =
        |field: &&Field| field.shape.single_enum().is_some_and(|index| kinds(family).any(|kind| kind == index));
    record.fields.iter().find(is_kind)
}

/// The fields of the table of an operation: by which parameter ceilings count what it creates, and what it amends.
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
    let in_flight = operation.in_flight.as_ref().map(|in_flight| trees::number(in_flight.n));
    let fields = [
        Some(("list", trees::optional(in_list.map(|list| trees::text(list.as_str()))))),
        Some(("ids", trees::texts(names))),
        Some(("in_flight", trees::optional(in_flight))),
    ];
    trees::some("amends", Some(trees::table("Amends", fields)))
}
