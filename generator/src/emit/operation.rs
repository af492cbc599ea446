//! One file an operation: request, response, what is known of it.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::checks;
use super::code::{self, File, capitalised, ident, list, number};
use super::docs::{Docs, MARKDOWN, code, documented, escape};
use super::parameter_docs;
use super::parameters::{Set, field_type};
use super::records::{self, Container, page_fields, page_name, response_type};
use super::scope::{Scope, as_timestamp, is_timestamp};
use super::{batches, classes, confirm, example, in_flight, intents, orders, pages, rules, statements};
use crate::emit::Layout;
use crate::model::{
    Access, Api, Condition, Duration, DurationUnit, Effect, Family, InstrumentNames, Lists, Objects, OfPool, Operation,
    Parameter, ParameterStyle, PathPiece, Rate, RateScope, Response, Rule, Test, Type, UtcOffset, WeighsWhen, Window,
};

/// The file of an operation.
pub(super) fn emit(api: &Api, family: &Family, operation: &Operation, layout: Layout) -> File {
    let scope = Scope::new(family);
    let mut items = request(api, &scope, operation, layout);
    items.push(operation_impl(&scope, operation));
    items.extend(in_flight::emit(operation));
    items.push(confirm::impls(&scope, operation));
    items.extend(pages::emit(&scope, operation));
    items.extend(pages::shows(&scope, operation));
    items.extend(batches::emit(&scope, operation));
    items.extend(batches::results(&scope, operation));
    items.push(meta(family, operation));
    items.extend(rules::table(operation));
    items.extend(item_structs(&scope, operation));
    items.extend(page(&scope, operation));
    let defined = type_names(operation);
    let defined: Vec<_> = defined.iter().map(String::as_str).collect();
    items.insert(0, scope.imports(&defined));
    File::new(Docs::new(&format!("{}.", operation.title.trim_end_matches('.')), "").inner(), items)
}

/// The types that the file of an operation defines.
pub(super) fn type_names(operation: &Operation) -> Vec<String> {
    let mut names = vec![operation.rust.rust.clone()];
    names.extend(operation.items().map(|(_, item)| item.rust.clone()));
    names.extend(operation.objects().into_iter().map(|object| object.rust.clone()));
    if matches!(operation.response, Response::Page { .. }) {
        names.push(page_name(&operation.rust.rust));
    }
    names
}

fn request(api: &Api, scope: &Scope<'_>, operation: &Operation, layout: Layout) -> Vec<TokenStream> {
    let mut set = Set::new(&operation.rust.rust, docs(api, scope, operation, layout), operation.body.parameters());
    set.called = &operation.called;
    let elsewhere = operation.members().iter().filter(|parameter| operation.is_elsewhere(parameter));
    set.elsewhere = elsewhere.map(|parameter| parameter.name.wire.as_str()).collect();
    set.rules = rules_of(operation, None);
    set.instrument = instrument(scope, operation, operation.body.parameters());
    set.checks = request_checks(scope, operation);
    set.constructors = intents::constructors(scope, operation, None, operation.body.parameters());
    set.methods = operation.window.as_ref().map(|window| between(scope, operation, window)).unwrap_or_default();
    set.emit(scope)
}

/// The rules with a condition over one set of parameters: those of the request, or of the items of a list.
fn rules_of<'a>(operation: &'a Operation, list: Option<&str>) -> Vec<(usize, &'a Rule)> {
    let within = |rule: &Rule| rule.within.as_ref().map(|(list, _)| list.as_str().to_owned());
    let conditions = rules::checked(operation).filter(|(_, _, test)| matches!(test, Test::Condition { .. }));
    conditions.filter(|(_, rule, _)| within(rule).as_deref() == list).map(|(index, rule, _)| (index, rule)).collect()
}

/// The parameters that name the instrument, where the set has them and a rule of the operation compares with it.
fn instrument<'a>(scope: &Scope<'a>, operation: &Operation, parameters: &[Parameter]) -> Option<&'a InstrumentNames> {
    let names = scope.family.instrument.as_ref()?;
    let has = |wire: &str| parameters.iter().any(|parameter| parameter.name.wire == wire);
    let tests = || operation.statements.rules.iter().filter_map(|rule| rule.test.as_ref());
    let is_needed = tests().flat_map(Test::conditions).any(Condition::is_of_instrument);
    (is_needed && has(&names.line.0) && has(&names.symbol.0)).then_some(names)
}

/// Checks that only a whole request has: its window, and rules across the items of a list.
fn request_checks(scope: &Scope<'_>, operation: &Operation) -> TokenStream {
    let window = operation.window.as_ref().map(|window| {
        let time = |wire: &str| {
            let parameter = operation.body.parameters().iter().find(|parameter| parameter.name.wire == wire);
            parameter.map(|parameter| {
                let field = ident(&parameter.name.rust);
                let time = if parameter.is_required() { quote!(Some(self.#field)) } else { quote!(self.#field) };
                as_timestamp(&parameter.shape, time)
            })
        };
        let (from, to) = (time(&window.from.0), time(&window.to.0));
        quote!(to.window(&WINDOW, #from, #to);)
    });
    let across = rules::checked(operation).filter_map(|(index, rule, test)| {
        let (within, _) = rule.within.as_ref()?;
        if matches!(test, Test::Condition { .. }) {
            return None;
        }
        let (list, _) = operation.items().find(|(_, item)| item.list == *within)?;
        Some(checks::list_rule(scope, list, index, rule))
    });
    quote!(#window #(#across)*)
}

/// Sets both ends of the window at once.
fn between(scope: &Scope<'_>, operation: &Operation, window: &Window) -> TokenStream {
    let field = |wire: &str| {
        let parameter = operation.body.parameters().iter().find(|parameter| parameter.name.wire == wire)?;
        (field_type(scope, parameter).to_string().starts_with("Option")).then(|| ident(&parameter.name.rust))
    };
    let (Some(from), Some(to)) = (field(&window.from.0), field(&window.to.0)) else { return TokenStream::new() };
    // What is given becomes a timestamp, and that the form of the parameter.
    let value = |wire: &str, given: TokenStream| {
        let shape = operation.body.parameters().iter().find(|parameter| parameter.name.wire == wire);
        let is_plain = shape.is_none_or(|parameter| is_timestamp(&parameter.shape));
        if is_plain { quote!(#given.into()) } else { quote!(#given.into().into()) }
    };
    let (from_value, to_value) = (value(&window.from.0, quote!(from)), value(&window.to.0, quote!(to)));
    let mut docs = Docs::default();
    docs.markdown(&format!("Sets {} and {}.", code(&window.from.0), code(&window.to.0)));
    let docs = docs.outer();
    quote! {
        #docs
        pub fn between(mut self, from: impl Into<runtime::Timestamp>, to: impl Into<runtime::Timestamp>) -> Self {
            self.#from = Some(#from_value);
            self.#to = Some(#to_value);
            self
        }
    }
}

fn operation_impl(scope: &Scope<'_>, operation: &Operation) -> TokenStream {
    let name = ident(&operation.rust.rust);
    let response = response_type(scope, &operation.rust.rust, &operation.response);
    let path = write_path(operation);
    let headers = write_headers(operation);
    let with_key = confirm::with_key(scope.family, operation);
    let class = classes::limit_class(scope, operation);
    let orders = orders::shown(scope, operation);
    quote! {
        impl runtime::Operation for #name {
            type Response = #response;
            const META: &'static runtime::tables::Meta = &META;
            #path
            #headers
            #with_key
            #orders
            #class
        }
    }
}

fn write_path(operation: &Operation) -> Option<TokenStream> {
    operation.path.parameters().next()?;
    let pieces = operation.path.pieces.iter().map(|piece| match piece {
        PathPiece::Literal(text) => quote!(out.literal(#text);),
        PathPiece::Parameter(wire) => {
            let parameters = operation.body.parameters();
            let field = parameters
                .iter()
                .find(|parameter| parameter.name.wire == *wire)
                .map(|parameter| ident(&parameter.name.rust));
            quote!(out.segment(&self.#field);)
        }
    });
    Some(quote! {
        fn write_path(&self, out: &mut runtime::emitted::PathWriter) {
            #(#pieces)*
        }
    })
}

fn write_headers(operation: &Operation) -> Option<TokenStream> {
    operation.in_headers().next()?;
    let writes = operation.in_headers().map(|parameter| {
        let (wire, field) = (&parameter.name.wire, ident(&parameter.name.rust));
        match parameter.is_required() {
            true => quote!(out.text(#wire, &self.#field);),
            false => quote!(out.optional_text(#wire, self.#field.as_ref());),
        }
    });
    Some(quote! {
        fn write_headers(&self, out: &mut runtime::emitted::HeaderWriter<'_>) {
            #(#writes)*
        }
    })
}

fn meta(family: &Family, operation: &Operation) -> TokenStream {
    let (id, title, doc, path) = (&operation.id, &operation.title, &operation.doc, &operation.path.text);
    let family_name = &family.name;
    let document = operation.source.as_ref().map(|source| &source.document);
    let section = operation.source.as_ref().and_then(|source| source.section.as_deref()).unwrap_or(title);
    let method = ident(&capitalised(operation.method.as_str()));
    let effect = ident(&capitalised(operation.effect.as_str()));
    let is_public = operation.access == Access::Public;
    let permission = operation.permission.as_ref().filter(|_| !is_public);
    let list_member = match &operation.response {
        Response::Array { observed_under, .. } => observed_under.as_ref(),
        Response::Object { .. } | Response::Page { .. } | Response::Undefined => None,
    };
    let [order_kind, amends] = orders::tables(family, operation);
    let fields = [
        Some(quote!(id: #id)),
        Some(quote!(family: #family_name)),
        Some(quote!(title: #title)),
        Some(quote!(doc: #doc)),
        document.map(|document| quote!(document: #document)),
        Some(quote!(section: #section)),
        Some(quote!(method: runtime::tables::Method::#method)),
        Some(quote!(path: #path)),
        operation.call.as_ref().map(|(method, _)| quote!(call: Some(#method))),
        style(operation.style),
        Some(quote!(effect: runtime::tables::Effect::#effect)),
        is_public.then(|| quote!(access: runtime::tables::Access::Public)),
        operation.whitelisted.then(|| quote!(whitelisted: true)),
        permission.map(|permission| quote!(permission: Some(#permission))),
        list(&quote!(headers), operation.headers.iter().map(|(header, _)| header)),
        list(&quote!(limits), operation.rates.iter().map(rate_limit)),
        operation.window.as_ref().map(|_| quote!(window: Some(WINDOW))),
        operation.history.map(|history| {
            let history = length_tokens(history);
            quote!(history: Some(#history))
        }),
        list(&quote!(defaults), defaults(operation)),
        rules::checked(operation).next().map(|_| quote!(rules: RULES)),
        rules::checked(operation)
            .any(|(_, _, test)| test.conditions().any(Condition::is_of_time))
            .then(|| quote!(rules_of_time: true)),
        Some(quote!(errors: super::errors::ERRORS)),
        operation.data.as_ref().map(|data| quote!(data: Some(#data))),
        list_member.map(|member| quote!(list_member: Some(#member))),
        pages::next_page(operation),
        confirm::client_id(family, operation),
        confirm::confirm(family, operation),
        confirm::echoes(family, operation),
        operation.compound.as_ref().map(confirm::compound),
        operation.repeat.as_ref().map(|repeat| &repeat.why).map(|why| quote!(repeat: Some(#why))),
        operation.repeat.as_ref().and_then(confirm::repeat_key),
        order_kind,
        amends,
    ];
    let meta = code::table(quote!(runtime::tables::Meta), fields);
    let window = operation.window.as_ref().map(window_table);
    quote! {
        const META: runtime::tables::Meta = #meta;
        #window
    }
}

/// The defaults of the request's own parameters, by their wire names.
fn defaults(operation: &Operation) -> impl Iterator<Item = TokenStream> {
    operation.body.parameters().iter().filter_map(|parameter| {
        let (name, (default, _)) = (&parameter.name.wire, parameter.default.as_ref()?);
        Some(quote!((#name, #default)))
    })
}

fn rate_limit(rate: &Rate) -> TokenStream {
    let calls = number(rate.calls.into());
    let limit = match rate.scope {
        RateScope::Uid => quote!(runtime::tables::RateLimit::per_uid(#calls)),
        RateScope::Ip => quote!(runtime::tables::RateLimit::per_ip(#calls)),
    };
    let seconds = rate.every.milliseconds().map_or(1, |length| length / 1000);
    let every = (seconds != 1).then(|| number(seconds)).map(|seconds| quote!(.every(#seconds)));
    let class = Some(&rate.class).filter(|class| *class != "default").map(|class| quote!(.class(#class)));
    let pool = rate.of_pool.as_ref().map(|OfPool { pool, weight, when }| {
        let weight = number((*weight).into());
        let when = when.as_ref().map(|when| match when {
            WeighsWhen::Without(name) => quote!(Without(#name)),
            WeighsWhen::With(name) => quote!(With(#name)),
            WeighsWhen::Over(name, most) => {
                let most = number(*most);
                quote!(Over(#name, #most))
            }
        });
        let when = when.map(|when| quote!(.when(runtime::tables::WeighsWhen::#when)));
        quote!(.pool(#pool, #weight) #when)
    });
    quote!(#limit #every #class #pool)
}

/// The field that says how parameters travel, where it does not follow from the method.
fn style(style: ParameterStyle) -> Option<TokenStream> {
    let is_usual = style.sends.is_none() && style.lists == Lists::Json && style.objects == Objects::Json;
    let variant = |ty: &str, word: &str| {
        let (ty, variant) = (ident(ty), ident(&capitalised(word)));
        quote!(runtime::tables::#ty::#variant)
    };
    let sends = style.sends.map(|sends| {
        let sends = variant("Sends", sends.as_str());
        quote!(sends: Some(#sends))
    });
    let lists = (style.lists != Lists::Json).then(|| {
        let lists = variant("Lists", style.lists.as_str());
        quote!(lists: #lists)
    });
    let objects = (style.objects != Objects::Json).then(|| {
        let objects = variant("Objects", style.objects.as_str());
        quote!(objects: #objects)
    });
    let style = code::table(quote!(runtime::tables::ParameterStyle), [sends, lists, objects]);
    (!is_usual).then(|| quote!(style: #style))
}

fn window_table(window: &Window) -> TokenStream {
    let (from, to) = (&window.from.0, &window.to.0);
    let length = |field: TokenStream, length: Option<Duration>| {
        let length = length_tokens(length?);
        Some(quote!(#field: Some(#length)))
    };
    let fields = [
        Some(quote!(from: #from)),
        Some(quote!(to: #to)),
        length(quote!(span), window.span),
        length(quote!(access), window.access),
        window.access_is_of_data.then(|| quote!(access_is_of_data: true)),
        length(quote!(default), window.default),
        window.both_or_neither.then(|| quote!(both_or_neither: true)),
        window.days.map(days_tokens),
    ];
    let window = code::table(quote!(runtime::tables::Window), fields);
    quote!(const WINDOW: runtime::tables::Window = #window;)
}

fn days_tokens(zone: UtcOffset) -> TokenStream {
    let minutes = Literal::i32_unsuffixed(zone.minutes);
    quote!(days: Some(runtime::tables::Days::of_utc_offset(#minutes)))
}

/// A length of time as the tables have it.
pub(super) fn length_tokens(length: Duration) -> TokenStream {
    let (unit, factor) = match length.unit {
        DurationUnit::Second => ("Seconds", 1),
        DurationUnit::Minute => ("Seconds", 60),
        DurationUnit::Hour => ("Seconds", 60 * 60),
        DurationUnit::Day => ("Days", 1),
        DurationUnit::Week => ("Days", 7),
        DurationUnit::Month => ("Months", 1),
    };
    let (unit, n) = (ident(unit), number(u64::from(length.n) * factor));
    quote!(runtime::tables::Length::#unit(#n))
}

fn item_structs(scope: &Scope<'_>, operation: &Operation) -> Vec<TokenStream> {
    let sets = operation.items().flat_map(|(list, item)| {
        let of = if list.is_body() { String::new() } else { format!("of {} ", code(&list.name.wire)) };
        let doc = format!("An item {of}of a [`{}`].", operation.rust.rust);
        let mut docs = Docs::default();
        docs.markdown(&doc);
        parameter_docs::table(&mut docs, scope, &item.parameters);
        let mut set = Set::new(&item.rust, docs, &item.parameters);
        set.rules = rules_of(operation, Some(&list.name.wire));
        set.instrument = instrument(scope, operation, &item.parameters);
        set.constructors = intents::constructors(scope, operation, Some(&list.name.wire), &item.parameters);
        set.emit(scope)
    });
    let objects = operation.objects().into_iter().flat_map(|object| {
        let mut docs = Docs::default();
        docs.markdown(&format!("The object {} of a [`{}`].", code(object.list.as_str()), operation.rust.rust));
        parameter_docs::table(&mut docs, scope, &object.parameters);
        Set::new(&object.rust, docs, &object.parameters).emit(scope)
    });
    sets.chain(objects).collect()
}

fn page(scope: &Scope<'_>, operation: &Operation) -> Option<TokenStream> {
    let Response::Page { next, .. } = &operation.response else { return None };
    let parameters = operation.body.parameters();
    let next_type = parameters.iter().find(|parameter| parameter.name.wire == next.0);
    let next_type = next_type.and_then(|parameter| parameter.shape.single());
    let fields = page_fields(&operation.response, next_type.unwrap_or(Type::String))?;
    let mut docs = Docs::default();
    docs.markdown(&format!("A page of the answer to [`{}`].", operation.rust.rust));
    docs.markdown(&format!("The cursor goes into {} of the next request.", code(&next.0)));
    Some(records::definition(scope, &page_name(&operation.rust.rust), docs, Container::default(), &fields))
}

/// Everything known about an operation, for its reader.
fn docs(api: &Api, scope: &Scope<'_>, operation: &Operation, layout: Layout) -> Docs {
    let mut docs = Docs::new(&operation.doc, &operation.title);
    docs.markdown(&format!("`{} {}`", operation.method.as_str(), operation.path.text));
    if let Some(source) = &operation.source {
        docs.markdown(&super::source_line(api, source));
    }
    parameter_docs::table(&mut docs, scope, operation.body.parameters());
    documented(&operation.keys(scope.family)).for_each(|says| docs.entry(&says));
    docs.entry(&format!("**Effect:** {}", effect(operation.effect)));
    docs.entry(&format!("**Access:** {}", access(operation)));
    let rate = |rate: &Rate| format!("{}{}", rate.in_words(), class_text(scope, rate.own_class()));
    let rates: Vec<_> = operation.rates.iter().map(rate).collect();
    docs.entry(&format!(
        "**Rate limit:** {}",
        if rates.is_empty() { "not stated".to_owned() } else { rates.join("; ") }
    ));
    if !operation.headers.is_empty() {
        let headers: Vec<_> = operation.headers.iter().map(|(header, _)| code(header)).collect();
        docs.entry(&format!("**Headers:** {}, when the client was given a value", headers.join(", ")));
    }
    if let Some(in_flight) = &operation.in_flight {
        docs.entry(&in_flight::entry(in_flight));
    }
    if let Some(window) = &operation.window {
        docs.entry(&format!("**Window:** {}", window.in_words(&MARKDOWN)));
    }
    if let Some(history) = operation.history {
        docs.entry(&format!("**History:** the last {history}"));
    }
    confirm::add(&mut docs, api, scope.family, operation);
    for entry in [pages::entry(operation), batches::entry(operation)].into_iter().flatten() {
        docs.entry(&entry);
    }
    statements::add(&mut docs, &operation.statements);
    example::add(&mut docs, api, scope, operation, layout);
    docs
}

/// For whom a rate holds, where it is not everyone.
fn class_text(scope: &Scope<'_>, class: Option<&str>) -> String {
    let Some(class) = class else { return String::new() };
    match scope.family.classes.iter().find(|known| known.name == class) {
        None => format!(" for {}", escape(class)),
        Some(known) => format!(" for {} ({})", escape(class), escape(known.doc.trim_end_matches('.'))),
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "reads; a repeat changes nothing",
        Effect::Create => "creates; a repeat would create again",
        Effect::Amend => "amends; a repeat would amend again",
        Effect::Cancel => "cancels",
        Effect::Close => "closes; a repeat could close again",
    }
}

fn access(operation: &Operation) -> String {
    let mut text = match operation.access {
        Access::Signed => "signed".to_owned(),
        Access::Public => "public, no credentials needed".to_owned(),
    };
    if let Some(permission) = operation.permission.as_ref().filter(|_| operation.access == Access::Signed) {
        text.push_str(&format!(", permission {}", code(permission)));
    }
    if operation.whitelisted {
        text.push_str("; only for user ids on the exchange's white list");
    }
    text
}
