//! Outcomes of requests: the tables and traits by which a client infers or queries them, and their documentation.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Expr;

use super::code::ident;
use super::codes;
use super::docs::{Docs, code, escape};
use super::front::Subject;
use super::pages;
use super::scope::{Scope, value_type};
use super::trees::{self, Field};
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Api, Compound, Confirm, Echoes, Effect, Ends, Family, NamesWithin, Operation, Pair, Repeat, RowOutcome, Shape,
    Type, has_parameter,
};

/// Returns the table of outcomes by the result of a call.
pub(super) fn outcomes(api: &Api) -> TokenStream {
    let rows = api.outcomes.iter().map(|row| {
        let (when, why) = (ident(row.when.variant()), &row.why);
        let outcome = match row.outcome {
            RowOutcome::NotDone => quote!(Some(tables::Outcome::NotDone)),
            RowOutcome::Done => quote!(Some(tables::Outcome::Done)),
            RowOutcome::Unknown => quote!(Some(tables::Outcome::Unknown)),
            RowOutcome::ByCode => quote!(None),
        };
        quote!(tables::OutcomeRow { when: tables::CallResult::#when, outcome: #outcome, why: #why })
    });
    quote!(&[#(#rows),*])
}

/// Returns the traits of an operation that can be repeated or confirmed.
pub(super) fn impls(scope: &Scope<'_>, operation: &Operation) -> TokenStream {
    let name = ident(&operation.rust.rust);
    let is_repeatable = operation.effect == Effect::Read || operation.repeat.is_some();
    let repeatable = is_repeatable.then(|| quote!(impl runtime::operation::Repeatable for #name {}));
    let cancels = operation.effect == Effect::Cancel;
    let cancellation = cancels.then(|| quote!(impl runtime::operation::Cancellation for #name {}));
    let confirmable = operation.first_query(scope.family).map(|(by, record)| {
        let (query, record) = (scope.named(&by.rust.rust), scope.named(&record.name.rust));
        let first = pages::is_followed(by).then(|| place(&quote!(query_first), &query, &record, true));
        let then = operation.second_query(scope.family).map(|second| {
            let of = scope.named(&second.rust.rust);
            place(&quote!(query_then), &of, &record, pages::is_followed(second))
        });
        let one_or_each = match operation.confirmed_list(scope.family) {
            None => quote!(Confirmable),
            Some(_) => quote!(ConfirmableItems),
        };
        quote! {
            impl runtime::confirm::Queryable for #name {
                type Query = #query;
                type Record = #record;
                #first
                #then
            }

            impl runtime::confirm::#one_or_each for #name {}
        }
    });
    quote!(#repeatable #cancellation #confirmable)
}

/// Returns the function that sends one query for a record, page by page if the query has pages.
fn place(function: &TokenStream, query: &Ident, record: &Ident, has_pages: bool) -> TokenStream {
    let query_at = if has_pages { quote!(query_pages_at) } else { quote!(query_at) };
    let (json, record_id) = (quote!(json), if has_pages { quote!(record_id) } else { quote!(_record_id) });
    let passed = has_pages.then(|| quote!(, #record_id));
    quote! {
        fn #function<'a>(
            client: &'a runtime::ClientCore,
            #json: &'a str,
            #record_id: runtime::confirm::RecordId<'a>,
        ) -> Option<runtime::confirm::QueryFuture<'a>> {
            Some(runtime::confirm::#query_at::<#query, #record>(client, #json #passed))
        }
    }
}

/// Returns whether the items of a list are queried one by one.
pub(super) fn is_of_items(family: &Family, operation: &Operation) -> bool {
    operation.confirmed_list(family).is_some()
}

/// Returns the field for the parameter that carries the caller's own id.
pub(super) fn client_id(family: &Family, operation: &Operation) -> Option<Field> {
    let (name, _) = operation.client_id.as_ref()?;
    // The id may stand in an object: `order.id`.
    let first = name.split('.').next().unwrap_or_default();
    let list = operation.list_with(|parameters| has_parameter(family, parameters, first));
    let list = trees::optional(list.map(|(list, _)| trees::text(&list.name.wire)));
    let client_id = trees::table("ClientId", [Some(("parameter", trees::text(name))), Some(("list", list))]);
    trees::some("client_id", Some(client_id))
}

/// Returns the field for how an unknown outcome is confirmed.
pub(super) fn confirm(family: &Family, operation: &Operation) -> Option<Field> {
    let confirm = operation.confirm.as_ref()?;
    let pair = |((one, _), (other, _)): &Pair| trees::pair(trees::text(one), trees::text(other));
    let several = |((one, _), others): &NamesWithin| {
        trees::pair(trees::text(one), trees::texts(others.iter().map(|(other, _)| other.as_str())))
    };
    let (first, second) = (operation.first_query(family).map(|(first, _)| first), operation.second_query(family));
    let expires = confirm.expires.as_ref().and_then(|(name, _)| {
        let time = time_type(family, operation, name)?;
        Some(trees::pair(trees::text(name), trees::tokens(quote!(runtime::emitted::time_of_text::<#time>))))
    });
    let fields = [
        trees::rows("ids", confirm.ids.iter().map(pair)),
        trees::rows("find", confirm.find.iter().map(pair)),
        trees::rows("with", confirm.with.iter().map(|(name, _)| trees::text(name))),
        trees::rows("with_as", confirm.with_as.iter().map(pair)),
        trees::some("list", operation.confirmed_list(family).map(trees::text)),
        trees::rows("lacks", lacked_by(family, first, confirm).map(trees::text)),
        trees::rows("then_lacks", lacked_by(family, second, confirm).map(trees::text)),
        trees::rows("set", set_of(family, first, confirm).map(pair)),
        trees::rows("then_set", set_of(family, second, confirm).map(pair)),
        trees::some("since", since(family, first, confirm)),
        trees::some("then_since", since(family, second, confirm)),
        trees::rows("matches", confirm.matches.iter().map(pair)),
        trees::rows("agrees", confirm.agrees.iter().map(several)),
        trees::some("created", confirm.created.as_ref().map(|field| trees::text(&field.text))),
        trees::rows("creates_with", confirm.creates_with.iter().map(|(name, _)| trees::text(name))),
        trees::some("changed", confirm.changed.as_ref().map(|field| trees::text(&field.text))),
        trees::rows("changed_while", confirm.changed_while.iter().map(several)),
        trees::some("ends", operation.ends(family).map(|ends| states(&ends))),
        trees::some("expires", expires),
        trees::some("kept_ms", confirm.kept.map(|(kept, _)| trees::number(kept.at_least_milliseconds()))),
    ];
    trees::some("confirm", Some(trees::table("Confirm", fields)))
}

/// Returns the states by which a cancellation or an amendment is judged.
fn states(Ends { field, left_in, others, open }: &Ends<'_>) -> Expr {
    let texts = |states: &[&str]| trees::texts(states.iter().copied());
    let fields = [
        Some(("field", trees::text(field))),
        Some(("left_in", texts(left_in))),
        Some(("others", texts(others))),
        Some(("open", texts(open))),
    ];
    trees::table("Ends", fields)
}

/// Returns the names of the request that the query of a place has no parameters for.
fn lacked_by<'a>(family: &Family, place: Option<&'a Operation>, confirm: &'a Confirm) -> impl Iterator<Item = &'a str> {
    let renamed = confirm.ids.iter().chain(&confirm.with_as).map(|((name, _), _)| name);
    let all = renamed.chain(confirm.with.iter().map(|(name, _)| name));
    let lacked = |name: &str| {
        let first = name.split('.').next().unwrap_or(name);
        place.is_some_and(|place| !has_parameter(family, place.members(), first))
    };
    let own: Vec<_> = all.map(String::as_str).filter(|name| lacked(name)).collect();
    own.into_iter()
}

/// Returns the fixed values that a query has parameters for.
fn set_of<'a>(family: &Family, place: Option<&'a Operation>, confirm: &'a Confirm) -> impl Iterator<Item = &'a Pair> {
    let has = move |name: &str| place.is_some_and(|place| has_parameter(family, place.members(), name));
    let own: Vec<_> = confirm.set.iter().filter(|((name, _), _)| has(name)).collect();
    own.into_iter()
}

/// Returns the parameter of a query with the earliest time of creation, and its form.
fn since(family: &Family, place: Option<&Operation>, confirm: &Confirm) -> Option<Expr> {
    let (name, _) = confirm.since.as_ref()?;
    let time = time_type(family, place?, name)?;
    Some(trees::pair(trees::text(name), trees::tokens(quote!(runtime::emitted::json_of_time::<#time>))))
}

/// Returns the Rust type of a time that is a parameter.
fn time_type(family: &Family, operation: &Operation, wire: &str) -> Option<TokenStream> {
    let sets = std::iter::once(operation.members()).chain(operation.items().map(|(_, item)| &item.parameters[..]));
    let all = sets.flatten().flat_map(|parameter| family.wire_parameters(None, parameter));
    let found = all.filter_map(|wire| wire.parameter().cloned()).find(|parameter| parameter.name.wire == wire)?;
    let name = found.shape.element().and_then(value_type).unwrap_or("Timestamp");
    let name = ident(name);
    Some(quote!(runtime::#name))
}

/// Returns the field for the values of the request that an answer repeats.
pub(super) fn echoes(operation: &Operation) -> Option<Field> {
    let Echoes { place: _, ids, also, by_one, one_is_enough } = operation.echoes.as_ref()?;
    let echo = |member: &str, of: &[&str]| {
        let of = trees::texts(of.iter().copied());
        trees::table("Echo", [Some(("member", trees::text(member))), Some(("of", of))])
    };
    let table = |echoes: &[NamesWithin]| {
        trees::list(echoes.iter().map(|((member, _), of)| {
            let of: Vec<&str> = of.iter().map(|(parameter, _)| parameter.as_str()).collect();
            echo(member, &of)
        }))
    };
    let groups = by_one
        .iter()
        .map(|((parameter, _), members)| trees::list(members.iter().map(|(member, _)| echo(member, &[parameter]))));
    let fields = [
        Some(("ids", table(ids))),
        Some(("also", table(also))),
        Some(("by_one", trees::list(groups))),
        Some(("one_is_enough", trees::truth(*one_is_enough))),
    ];
    trees::some("echoes", Some(trees::table("Echoes", fields)))
}

/// Returns the field for the separate effects of a request.
pub(super) fn compound(compound: &Compound) -> Option<Field> {
    let when = compound.when.as_ref();
    let when = when.map(|((name, _), (value, _))| trees::pair(trees::text(name), trees::text(value)));
    let fields = [Some(("when", trees::optional(when))), Some(("why", trees::text(&compound.why.0)))];
    trees::some("compound", Some(trees::table("Compound", fields)))
}

/// Returns the field for the parameter by which a repeat is recognized.
pub(super) fn repeat_key(repeat: &Repeat) -> Option<Field> {
    let parameter = &repeat.by_key.as_ref()?.text;
    let kept = trees::optional(repeat.kept.map(|(kept, _)| trees::number(kept.at_least_milliseconds())));
    let key = trees::table("RepeatKey", [Some(("parameter", trees::text(parameter))), Some(("kept_ms", kept))]);
    trees::some("repeat_key", Some(key))
}

/// Returns the function that adds a new key, if the request can be without one.
pub(super) fn with_key(family: &Family, operation: &Operation) -> Option<TokenStream> {
    let parameter = operation.parameter(operation.repeat.as_ref()?.by_key.as_ref()?)?;
    let Shape::One(ty @ Type::Identifier(_)) = parameter.shape else { return None };
    if parameter.is_required() {
        return None;
    }
    let (field, ty) = (ident(&parameter.name.rust), ident(family.type_rust(ty)));
    Some(quote! {
        fn with_key(&self, time: runtime::Timestamp, random: u64) -> Option<Self> {
            let key = || super::#ty::minted_of(time, random);
            self.#field.is_none().then(|| Self { #field: Some(key()), ..self.clone() })
        }
    })
}

/// Adds what callers need to know about an operation that changes something.
pub(super) fn add(docs: &mut Docs, api: &Api, family: &Family, operation: &Operation) {
    if operation.effect == Effect::Read || api.outcomes.is_empty() {
        return;
    }
    let unknown: Vec<_> = operation.open_errors(family).map(|error| code(&error.code)).collect();
    let after = if unknown.is_empty() { String::new() } else { format!("; unknown after {}", unknown.join(", ")) };
    docs.entry(&format!("**Outcome:** follows from [how the call ends](super::super::API#outcomes){after}"));
    if let Some(compound) = &operation.compound {
        let when =
            compound.when.as_ref().map(|((name, _), (value, _))| format!(" when {} is {}", code(name), code(value)));
        docs.entry(&format!(
            "**Several effects{}:** {} A refusal by a rule of trading leaves the outcome unknown.",
            when.unwrap_or_default(),
            escape(&sentence(&compound.why.0))
        ));
    }
    if let Some(repeat) = &operation.repeat {
        docs.entry(&format!("**Repeat:** harmless{}. {}", by_key(repeat), escape(&repeat.why.0)));
    }
    if let Some((confirm, (query, _))) = operation.confirm.as_ref().zip(operation.first_query(family)) {
        docs.entry(&confirm_sentence(operation, confirm, query));
    }
}

/// Adds the table of outcomes, which applies to every operation that changes something.
pub(super) fn add_outcomes(docs: &mut Docs, api: &Api, layout: Layout) {
    if api.outcomes.is_empty() {
        return;
    }
    docs.heading("Outcomes");
    docs.markdown("The outcome of a request that changes something, by how its call ends:");
    docs.gap();
    docs.line("| call | outcome | why |".to_owned());
    docs.line("|---|---|---|".to_owned());
    for row in &api.outcomes {
        let outcome = match row.outcome {
            RowOutcome::Done => "done",
            RowOutcome::NotDone => "not done",
            RowOutcome::Unknown => "unknown",
            RowOutcome::ByCode => "by the code",
        };
        docs.line(format!("| {} | {outcome} | {} |", row.when.as_str().replace('-', " "), escape(&row.why)));
    }
    docs.gap();
    docs.markdown(
        "Each operation names those of the listed codes that leave the outcome unknown; after any \
         other the request had no effect.",
    );
    if codes::of(api).next().is_some() {
        docs.markdown(
            "[`OBSERVED_CODES`](codes::OBSERVED_CODES) has the codes that no document lists, with the meanings that several \
            independent sources agree on.",
        );
    }
    if let Some(chapter) = Subject::UnknownOutcomes.link(api, layout, "") {
        docs.markdown(&format!("The guide describes {chapter} and how they are resolved."));
    }
}

/// Returns the parameter by which a repeat is recognized, and for how long.
fn by_key(repeat: &Repeat) -> String {
    let Some(key) = &repeat.by_key else { return String::new() };
    let within = repeat.kept.map(|(kept, _)| format!(" within {kept}")).unwrap_or_default();
    format!("{within} with the same {}", code(&key.text))
}

fn sentence(text: &str) -> String {
    format!("{}.", text.trim().trim_end_matches('.'))
}

fn confirm_sentence(operation: &Operation, confirm: &Confirm, query: &Operation) -> String {
    let by: Vec<_> = operation.queried_by().map(|(own, _)| code(own)).collect();
    let is_always_compound = operation.compound.as_ref().is_some_and(|compound| compound.when.is_none());
    let absence = match confirm.kept {
        None => "an absence proves nothing".to_owned(),
        Some(_) if is_always_compound => {
            "an absence proves nothing, because the request does several things".to_owned()
        }
        Some((kept, _)) if operation.effect == Effect::Cancel => {
            format!(
                "records are kept for at least {kept}, so an order that is open, or absent, can prove that it had no effect"
            )
        }
        Some((kept, _)) => {
            format!("records are kept for at least {kept}, so an absence can prove that it had no effect")
        }
    };
    format!(
        "**Unknown outcome:** [`{}`](super::{}) shows it by {}; {absence}",
        query.rust.rust,
        query.rust.rust,
        by.join(" or ")
    )
}
