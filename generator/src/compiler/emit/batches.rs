//! Batches: the tables by which the runtime splits them into calls and matches results with items.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::code::{ident, number, optional_text};
use super::codes;
use super::docs::code;
use super::scope::Scope;
use super::trees::{self, Field};
use crate::compiler::model::{
    AnswerPath, Batch, Effect, Family, ListOfAnswer, NameOf, Operation, Parameter, Placed, Record, Response, Type,
};

/// Returns the tables for the items of a request.
pub(super) fn emit(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let batch = operation.batch.as_ref()?;
    let list = list_of(operation, batch)?;
    let item = list.item()?;
    let (name, item, field) = (ident(&operation.rust.rust), ident(&item.rust), ident(&list.name.rust));
    let shape = shape(batch, list)?;
    let sent =
        |items: TokenStream| quote!(runtime::batches::SentItems::of(#items, <Self as runtime::batches::Batch>::SHAPE));
    let sent = if list.is_required() {
        let sent = sent(quote!(&self.#field));
        quote!(Some(#sent))
    } else {
        let sent = sent(quote!(items));
        quote!(self.#field.as_ref().map(|items| #sent))
    };
    let results = lists_results(scope, operation, batch, &sent)?;
    let (take, set) = if list.is_required() {
        (quote!(std::mem::take(&mut self.#field)), quote!(items))
    } else {
        (quote!(self.#field.take().unwrap_or_default()), quote!(Some(items)))
    };
    Some(quote! {
        #results

        impl runtime::batches::Batch for #name {
            type Item = #item;
            const SHAPE: &'static runtime::batches::BatchShape = #shape;

            fn take_items(&mut self) -> Vec<Self::Item> {
                #take
            }

            fn set_items(&mut self, items: Vec<Self::Item>) {
                self.#field = #set;
            }
        }
    })
}

/// Returns the tables for the results of an operation that is not a batch, but whose answer states results: by its own
/// `items`, or because it has the form of a batch of the family.
pub(super) fn results(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    lists_results(scope, operation, answers_like(scope.family, operation)?, &quote!(None))
}

/// Returns whether the answer lists successes and failures.
pub(super) fn has_results(family: &Family, operation: &Operation) -> bool {
    operation.batch.is_some() || answers_like(family, operation).is_some()
}

/// The data of a success.
pub(crate) enum DataShown<'a> {
    /// A list.
    List,
    /// Each of these lists.
    Each(Vec<&'a str>),
    /// One of these members.
    OneOf(Vec<&'a str>),
}

/// Returns what the data of a success shows: the lists of results or of a page, or else some member. `None` if no member
/// is known.
pub(crate) fn data_shown<'a>(family: &'a Family, operation: &'a Operation) -> Option<DataShown<'a>> {
    Some(match &operation.response {
        Response::Undefined => return None,
        Response::Array { .. } => DataShown::List,
        Response::Page { list, .. } => DataShown::Each(vec![list.wire.as_str()]),
        Response::Object { record } => {
            let batch = operation.batch.as_ref().or_else(|| answers_like(family, operation));
            let results = batch.into_iter().flat_map(|batch| batch.list.iter().chain(&batch.done).chain(&batch.failed));
            let listed = operation.listed_field(family).map(|field| field.name.wire.as_str());
            let lists: Vec<&str> = results.map(|name| name.text.as_str()).chain(listed).collect();
            let members = family.records.get(*record)?.fields.iter().map(|field| field.name.wire.as_str());
            match lists.is_empty() {
                false => DataShown::Each(lists),
                true if members.len() == 0 => return None,
                true => DataShown::OneOf(members.collect()),
            }
        }
    })
}

/// Returns the field for what the data of a success shows.
pub(super) fn shows(family: &Family, operation: &Operation) -> Option<Field> {
    let of =
        |variant, names: Vec<&str>| trees::call(trees::of_table("Shows", variant), [trees::texts(names.into_iter())]);
    let shows = match data_shown(family, operation)? {
        DataShown::List => trees::of_table("Shows", "List"),
        DataShown::Each(lists) => of("Each", lists),
        DataShown::OneOf(members) => of("OneOf", members),
    };
    Some(("shows", shows))
}

/// Returns the function by which a journal learns the outcomes of the items in an answer.
pub(super) fn item_outcomes(family: &Family, operation: &Operation) -> Option<TokenStream> {
    has_results(family, operation).then(|| {
        quote! {
            fn item_outcomes(
                &self,
                response: &Self::Response,
                judge: &runtime::emitted::ItemJudge<'_>,
            ) -> Option<runtime::emitted::ItemOutcomes> {
                Some(runtime::batches::item_outcomes(self, response, judge))
            }
        }
    })
}

/// Returns how the answer of an operation that is not a batch states results: by its own `items`, or as a batch of the
/// family whose answer has the same lists.
fn answers_like<'a>(family: &'a Family, operation: &'a Operation) -> Option<&'a Batch> {
    if operation.effect == Effect::Read {
        return None;
    }
    if let Some(own) = &operation.batch {
        return own.of.is_none().then_some(own);
    }
    let is_like = |(other, batch): &(&Response, &Batch)| match (&operation.response, other) {
        (Response::Array { record, .. }, Response::Array { record: of, .. }) => record == of,
        (Response::Object { record }, Response::Object { .. }) => result_lists(family, *record, batch).is_some(),
        _ => false,
    };
    family.operations.batches().find(is_like).map(|(_, batch)| batch)
}

fn lists_results(scope: &Scope<'_>, operation: &Operation, batch: &Batch, sent: &TokenStream) -> Option<TokenStream> {
    let name = ident(&operation.rust.rust);
    let (done, answer) = answer(scope, operation, batch)?;
    let is_array = matches!(operation.response, Response::Array { .. });
    let is_one_list = is_array || batch.list.is_some();
    let codes_are_within = is_one_list && batch.results.is_none() && batch.succeeded.is_none();
    let is_success = ident(if codes_are_within { "is_success" } else { "_is_success" });
    let apart = batch.codes_apart().map(|way| codes_apart(&way, batch));
    Some(quote! {
        impl runtime::batches::ListsResults for #name {
            type Done = #done;
            #apart

            fn sent(&self) -> Option<runtime::batches::SentItems> {
                #sent
            }

            fn answer(
                response: Self::Response,
                #is_success: &dyn Fn(&str) -> bool,
            ) -> runtime::emitted::BatchAnswer<Self::Done> {
                let mut answer = runtime::emitted::BatchAnswer::default();
                #answer
                answer
            }
        }
    })
}

fn list_of<'a>(operation: &'a Operation, batch: &Batch) -> Option<&'a Parameter> {
    let (of, _) = batch.of.as_ref()?;
    operation.body.parameters().iter().find(|parameter| parameter.name.wire == of.as_str())
}

fn shape(batch: &Batch, list: &Parameter) -> Option<TokenStream> {
    let wire = if list.is_body() { "" } else { list.name.wire.as_str() };
    let max_items = number(list.max_items?.0);
    let (ids, by_place) = (batch.ids_of_items(), batch.by_place.is_set());
    Some(quote! {
        &runtime::batches::BatchShape {
            list: #wire,
            max_items: #max_items,
            ids: &[#(#ids),*],
            by_place: #by_place,
        }
    })
}

/// Returns the path to codes that are not in the items.
fn codes_apart(way: &AnswerPath, batch: &Batch) -> TokenStream {
    let path = codes::path(way);
    let word = |word: &Option<Placed>| word.as_ref().map(|(name, _)| name.clone());
    let code = word(&batch.code).unwrap_or_default();
    let message = optional_text(word(&batch.message).as_deref());
    quote! {
        const APART: Option<runtime::batches::ResultsApart> =
            Some(runtime::batches::ResultsApart { path: #path, code: #code, message: #message });
    }
}

/// Returns the record of a successful item, and how results are read from the answer.
fn answer(scope: &Scope<'_>, operation: &Operation, batch: &Batch) -> Option<(syn::Type, TokenStream)> {
    let (family, records) = (scope.family, &scope.family.records);
    if batch.results.is_some() {
        return results_in_order(scope, operation, batch);
    }
    match operation.response {
        Response::Array { record, .. } => Some(results_in_one_list(scope, &quote!(response), record, batch)),
        Response::Object { record } if batch.list.is_some() => {
            let (name, of) = list_in(&records[record], batch.list.as_ref())?;
            Some(results_in_one_list(scope, &quote!(response.#name), of, batch))
        }
        Response::Object { record } => {
            let ((done, done_of), (failed, failed_of)) = result_lists(scope.family, record, batch)?;
            let (done_ids, failed_ids) =
                (texts(family, &records[done_of], &batch.id), texts(family, &records[failed_of], &batch.id));
            let words = words(family, &records[failed_of], batch);
            let all_done = batch.all_done.as_ref().and_then(|name| records[record].named(name)).map(|field| {
                let field = ident(&field.name.rust);
                quote!(answer.all_done(response.#field);)
            });
            let answer = quote! {
                answer.done(response.#done, |item| [#done_ids]);
                answer.failed(response.#failed, |item| [#failed_ids], |item| (#words));
                #all_done
            };
            Some((scope.ty(Type::Record(done_of)), answer))
        }
        Response::Page { .. } | Response::Undefined => None,
    }
}

/// Returns the record of the answer for an item, and the list of these records, each of which states whether its item
/// succeeded.
fn results_in_one_list(
    scope: &Scope<'_>,
    list: &TokenStream,
    record: usize,
    batch: &Batch,
) -> (syn::Type, TokenStream) {
    let (family, of) = (scope.family, &scope.family.records[record]);
    let (ids, words) = (texts(family, of, &batch.id), words(family, of, batch));
    let shown = batch.succeeded.as_ref().map(|(name, _)| (name, family.field_at(of, name)));
    let answer = match shown {
        Some((name, Some(field))) if field.shape.record().is_some() => {
            let object = value(family, of, name, &|object| quote!(#object.as_ref()));
            quote!(answer.by_object(#list, |item| #object.is_some(), |item| [#ids], |item| (#words));)
        }
        Some((name, _)) => {
            let flag = value(family, of, name, &|flag| quote!(#flag));
            quote!(answer.by_flag(#list, |item| #flag, |item| [#ids], |item| (#words));)
        }
        None => quote!(answer.by_code(#list, is_success, |item| [#ids], |item| (#words));),
    };
    (scope.ty(Type::Record(record)), answer)
}

/// Returns the record of the answer for an item, and the list of these records, whose codes are elsewhere.
fn results_in_order(scope: &Scope<'_>, operation: &Operation, batch: &Batch) -> Option<(syn::Type, TokenStream)> {
    let records = &scope.family.records;
    let (list, of) = match operation.response {
        Response::Array { record, .. } => (quote!(response), record),
        Response::Object { record } => {
            let (name, of) = list_in(&records[record], batch.list.as_ref())?;
            (quote!(response.#name), of)
        }
        Response::Page { .. } | Response::Undefined => return None,
    };
    let ids = texts(scope.family, &records[of], &batch.id);
    Some((scope.ty(Type::Record(of)), quote!(answer.in_order(#list, |item| [#ids]);)))
}

/// Returns the fields of a record that list successes and failures, each with the record of its items.
pub(super) fn result_lists(family: &Family, record: usize, batch: &Batch) -> Option<((Ident, usize), (Ident, usize))> {
    let record = &family.records[record];
    Some((list_in(record, batch.done.as_ref())?, list_in(record, batch.failed.as_ref())?))
}

/// Returns the field of a record that is a list of records, and the record of the items.
fn list_in(record: &Record, name: Option<&NameOf<ListOfAnswer>>) -> Option<(Ident, usize)> {
    let field = record.named(name?)?;
    Some((ident(&field.name.rust), field.shape.listed_record()?))
}

/// Returns the texts of fields of an item, separated by commas.
fn texts(family: &Family, record: &Record, names: &[Placed]) -> TokenStream {
    let texts = names.iter().map(|(name, _)| text(family, record, Some(name)));
    quote!(#(#texts),*)
}

fn words(family: &Family, record: &Record, batch: &Batch) -> TokenStream {
    let [code, message] =
        [&batch.code, &batch.message].map(|word| text(family, record, word.as_ref().map(|(name, _)| name)));
    quote!(#code, #message)
}

fn text(family: &Family, record: &Record, name: Option<&String>) -> TokenStream {
    let text = |field: TokenStream| quote!(runtime::emitted::text_of(&#field));
    name.map_or_else(|| quote!(None), |name| value(family, record, name, &text))
}

/// Returns an `Option` that `read` creates from a field of an item, or of an object within the item.
fn value(family: &Family, record: &Record, path: &str, read: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
    value_within(family, record, &quote!(item), path, read).unwrap_or_else(|| quote!(None))
}

fn value_within(
    family: &Family,
    record: &Record,
    base: &TokenStream,
    path: &str,
    read: &dyn Fn(TokenStream) -> TokenStream,
) -> Option<TokenStream> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let field = record.field(first)?;
    let name = ident(&field.name.rust);
    let Some(rest) = rest else { return Some(read(quote!(#base.#name))) };
    let within = family.records.get(field.shape.single()?.record()?)?;
    let inner = value_within(family, within, &quote!(within), rest, read)?;
    Some(quote!(#base.#name.as_ref().and_then(|within| #inner)))
}

/// Returns the entry in the documentation of the operation.
pub(super) fn entry(operation: &Operation) -> Option<String> {
    let batch = operation.batch.as_ref()?;
    let max_items = list_of(operation, batch)?.max_items?.0;
    Some(format!(
        "**Batch:** [`Client::batch`](super::super::Client::batch) takes any number of items, sends {max_items} in a call, \
         and returns the result of each by {}",
        batch.ids_of_items().map(code).collect::<Vec<_>>().join(" or ")
    ))
}
