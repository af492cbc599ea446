//! What becomes of a request: the tables and traits by which a client tells or finds out, and the words about it.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{ident, number, optional_text};
use super::docs::{Docs, code, escape};
use super::scope::Scope;
use crate::load::raw::{Effect, RowOutcome};
use crate::model::{Api, Compound, Confirm, Echoes, Family, Operation, Pair, Response, Several, has_parameter};

/// The table of what becomes of a request when its call ends in a certain way.
pub(super) fn outcomes(api: &Api) -> TokenStream {
    let rows = api.outcomes.iter().map(|row| {
        let (when, why) = (ident(&camel(row.when.as_str())), &row.why);
        let outcome = match row.outcome {
            RowOutcome::NotDone => quote!(Some(runtime::Outcome::NotDone)),
            RowOutcome::Done => quote!(Some(runtime::Outcome::Done)),
            RowOutcome::Unknown => quote!(Some(runtime::Outcome::Unknown)),
            RowOutcome::ByCode => quote!(None),
        };
        quote!(runtime::OutcomeRow { when: runtime::Ending::#when, outcome: #outcome, why: #why })
    });
    quote!(&[#(#rows),*])
}

/// `not-connected` -> `NotConnected`.
pub(super) fn camel(words: &str) -> String {
    words.split(['-', '_']).map(super::operation::capitalised).collect()
}

/// What an operation can be used for: to be repeated, to be confirmed.
pub(super) fn impls(scope: &Scope<'_>, operation: &Operation) -> TokenStream {
    let name = ident(&operation.rust.rust);
    let is_repeatable = operation.effect == Effect::Read || operation.repeat.is_some();
    let repeatable = is_repeatable.then(|| quote!(impl runtime::Repeatable for #name {}));
    let confirmable = operation.teller(scope.family).map(|(teller, record)| {
        let (query, record) = (scope.named(&teller.rust.rust), scope.named(&record.name.rust));
        let one_or_each = match confirmed_list(scope.family, operation) {
            None => quote!(Confirmable),
            Some(_) => quote!(ConfirmableItems),
        };
        quote! {
            impl runtime::Asked for #name {
                type Query = #query;
                type Record = #record;
            }

            impl runtime::#one_or_each for #name {}
        }
    });
    quote!(#repeatable #confirmable)
}

/// The list whose items are asked for one by one.
fn confirmed_list<'a>(family: &Family, operation: &'a Operation) -> Option<&'a str> {
    let confirm = operation.confirm.as_ref()?;
    let asks = |parameters: &[_]| confirm.ask.iter().any(|(_, (own, _))| has_parameter(family, parameters, own));
    operation.list_with(asks).map(|(list, _)| list.name.wire.as_str())
}

/// The fields of the table of an operation.
pub(super) fn meta_fields(family: &Family, operation: &Operation) -> TokenStream {
    let client_id = optional(operation.client_id.as_ref().map(|(name, _)| {
        let list = operation.list_with(|parameters| has_parameter(family, parameters, name));
        let list = optional_text(list.map(|(list, _)| list.name.wire.as_str()));
        quote!(runtime::ClientId { parameter: #name, list: #list })
    }));
    let confirm =
        optional(operation.confirm.as_ref().map(|confirm| confirm_table(confirm, confirmed_list(family, operation))));
    let echoes = optional(operation.echoes.as_ref().map(|echoes| echoes_table(family, operation, echoes)));
    let compound = optional(operation.compound.as_ref().map(compound_table));
    let repeat = optional_text(operation.repeat.as_ref().map(|repeat| repeat.why.as_str()));
    quote! {
        client_id: #client_id,
        confirm: #confirm,
        echoes: #echoes,
        compound: #compound,
        repeat: #repeat,
    }
}

fn optional(table: Option<impl quote::ToTokens>) -> TokenStream {
    table.map_or_else(|| quote!(None), |table| quote!(Some(#table)))
}

fn confirm_table(confirm: &Confirm, list: Option<&str>) -> TokenStream {
    let pairs = |pairs: &[Pair]| {
        let pairs = pairs.iter().map(|((one, _), (other, _))| quote!((#one, #other)));
        quote!(&[#(#pairs),*])
    };
    let (ask, matches) = (pairs(&confirm.ask), pairs(&confirm.matches));
    let with = confirm.with.iter().map(|(name, _)| name);
    let several = |all: &[Several]| {
        let all = all.iter().map(|((one, _), others)| {
            let others = others.iter().map(|(other, _)| other);
            quote!((#one, &[#(#others),*]))
        });
        quote!(&[#(#all),*])
    };
    let (agrees, changed_while) = (several(&confirm.agrees), several(&confirm.changed_while));
    let list = optional_text(list);
    let created = optional_text(confirm.created.as_ref().map(|(field, _)| field.as_str()));
    let changed = optional_text(confirm.changed.as_ref().map(|(field, _)| field.as_str()));
    let kept = optional(confirm.kept.map(|kept| number(kept.at_least_milliseconds())));
    quote! {
        runtime::Confirm {
            ask: #ask,
            with: &[#(#with),*],
            list: #list,
            matches: #matches,
            agrees: #agrees,
            created: #created,
            changed: #changed,
            changed_while: #changed_while,
            kept_ms: #kept,
        }
    }
}

fn echoes_table(family: &Family, operation: &Operation, echoes: &Echoes) -> TokenStream {
    let ids = echoes.ids.iter().map(|((member, _), of)| {
        let of = of.iter().map(|(parameter, _)| parameter);
        quote!(runtime::Echo { member: #member, of: &[#(#of),*] })
    });
    let record = match operation.response {
        Response::Object { record } => family.records.get(record),
        Response::Array { .. } | Response::Page { .. } | Response::Undefined => None,
    };
    let members = record.into_iter().flat_map(|record| &record.fields).map(|field| &field.name.wire);
    let one_is_enough = echoes.one_is_enough;
    quote!(runtime::Echoes { ids: &[#(#ids),*], members: &[#(#members),*], one_is_enough: #one_is_enough })
}

fn compound_table(compound: &Compound) -> TokenStream {
    let when = optional(compound.when.as_ref().map(|((name, _), (value, _))| quote!((#name, #value))));
    let why = &compound.why;
    quote!(runtime::Compound { when: #when, why: #why })
}

/// What a reader of an operation that changes something should know.
pub(super) fn add(docs: &mut Docs, api: &Api, family: &Family, operation: &Operation) {
    if operation.effect == Effect::Read || api.outcomes.is_empty() {
        return;
    }
    docs.heading("What becomes of a call");
    docs.gap();
    let has_items = operation.batch.is_some();
    let kinds = [
        (RowOutcome::Done, "**It happened**"),
        (RowOutcome::NotDone, "**It did not happen**"),
        (RowOutcome::ByCode, "**What the code says**"),
        (RowOutcome::Unknown, "**It is unknown**"),
    ];
    for (outcome, words) in kinds {
        let rows = api.outcomes.iter().filter(|row| row.outcome == outcome);
        let rows = rows.filter(|row| has_items || !row.when.as_str().starts_with("item-"));
        let rows: Vec<_> = rows.map(|row| row.when.as_str().replace('-', " ")).collect();
        if !rows.is_empty() {
            docs.entry(&format!("{words}: {}.", rows.join(", ")));
        }
    }
    codes(docs, api, family, operation);
    if let Some(repeat) = &operation.repeat {
        docs.entry(&format!("**Repeating:** harmless. {}", escape(&repeat.why)));
    }
    if let Some((confirm, (teller, _))) = operation.confirm.as_ref().zip(operation.teller(family)) {
        docs.entry(&confirm_sentence(confirm, teller));
    }
}

/// What the codes of a refusal say of this operation.
fn codes(docs: &mut Docs, api: &Api, family: &Family, operation: &Operation) {
    let unknown: Vec<_> = operation.open_errors(family).map(|error| code(&error.code)).collect();
    if !unknown.is_empty() {
        docs.entry(&format!(
            "Codes after which it is unknown: {}; after other listed ones it did not happen.",
            unknown.join(", ")
        ));
    }
    if api.observed_of(family).next().is_some() {
        docs.entry(
            "Of codes that no document lists, [`OBSERVED_CODES`](super::super::codes::OBSERVED_CODES) has what several \
             independent sources agree on.",
        );
    }
    if let Some(compound) = &operation.compound {
        let when =
            compound.when.as_ref().map(|((name, _), (value, _))| format!(" when {} is {}", code(name), code(value)));
        docs.entry(&format!(
            "**Several things**{}: {} A refusal by a rule of trading leaves it unknown.",
            when.unwrap_or_default(),
            escape(&sentence(&compound.why))
        ));
    }
}

fn sentence(text: &str) -> String {
    format!("{}.", text.trim().trim_end_matches('.'))
}

fn confirm_sentence(confirm: &Confirm, teller: &Operation) -> String {
    let by: Vec<_> = confirm.ask.iter().map(|(_, (own, _))| code(own)).collect();
    let absence = match confirm.kept {
        None => "that it is not found proves nothing".to_owned(),
        Some(kept) => format!("it is kept for {kept} at least, so its absence can prove that it did not happen"),
    };
    format!("**Finding out:** [`{}`](super::{}) by {}; {absence}", teller.rust.rust, teller.rust.rust, by.join(" or "))
}
