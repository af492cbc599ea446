//! One file for each operation: its request, its response, its tables and its class of rate limits.

use super::code::{File, Item, ident};
use super::conditions::Conditions;
use super::conditions::Expression;
use super::docs::{Docs, MARKDOWN, code, documented, escape};
use super::parameters::{self, Set};
use super::records::{self, Container, page_fields, page_name, response_type};
use super::scope::{Scope, as_timestamp, is_timestamp};
use super::trees::{self, Field};
use super::{batches, codes, confirm, counterpart, example, front, intents, orders, pages, rules};
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Access, Api, BesideData, Class, Condition, Dates, Effect, Family, InstrumentNames, Lists, Objects, Operation,
    Parameter, ParameterStyle, PathPiece, PoolWeight, Rate, Reference, Response, Rule, Shape, Test, Truth, Type,
    UtcOffset, WeightCondition, Window,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{Expr, ImplItem};

/// Returns the file of an operation.
pub(super) fn emit(api: &Api, family: &Family, operation: &Operation, layout: Layout) -> File {
    let scope = Scope::new(family);
    let request = request(api, &scope, operation, layout);
    let mut code = vec![operation_impl(api, &scope, operation)];
    code.extend(codes::in_flight(operation));
    code.extend(beside_data(&scope, operation));
    code.push(confirm::impls(&scope, operation));
    let (conversion, conversion_table) = counterpart::emit(api, family, operation, layout).unzip();
    code.extend(conversion);
    code.extend(pages::emit(&scope, operation));
    code.extend(pages::shows(&scope, operation));
    code.extend(batches::emit(&scope, operation));
    code.extend(batches::results(&scope, operation));
    let tables =
        std::iter::once(tables(family, operation)).chain(rules::table(family, operation)).chain(conversion_table);
    let tables = tables.map(Item::Text);
    let page = page(&scope, operation);
    let below: Vec<_> = tables.chain(item_structs(&scope, operation)).chain(page.into_iter().flatten()).collect();
    let defined = type_names(operation);
    let defined: Vec<_> = defined.iter().map(String::as_str).collect();
    let imports = scope.imports(&defined);
    let top = Docs::new(&format!("{}.", operation.title.trim_end_matches('.')), "").inner();
    File::new(top, [imports].into_iter().chain(request).chain(code.into_iter().map(Item::Code)).chain(below))
}

/// Returns the types that the file of an operation defines.
pub(super) fn type_names(operation: &Operation) -> Vec<String> {
    let mut names = vec![operation.rust.rust.clone()];
    names.extend(operation.items().map(|(_, item)| item.rust.clone()));
    names.extend(operation.objects().into_iter().map(|object| object.rust.clone()));
    if matches!(operation.response, Response::Page { .. }) {
        names.push(page_name(&operation.rust.rust));
    }
    names
}

fn request(api: &Api, scope: &Scope<'_>, operation: &Operation, layout: Layout) -> Vec<Item> {
    let mut set = Set::new(&operation.rust.rust, docs(api, scope, operation, layout), operation.body.parameters());
    set.called = &operation.called;
    let elsewhere = operation.members().iter().filter(|parameter| operation.is_elsewhere(parameter));
    set.elsewhere = elsewhere.map(|parameter| parameter.name.wire.as_str()).collect();
    set.rules = rules_of(operation, None);
    set.instrument = instrument(scope, operation, operation.body.parameters());
    set.checks = request_checks(scope, operation);
    set.constructors = intents::constructors(scope, operation, None, operation.body.parameters());
    set.methods = operation.window.as_ref().and_then(|window| between(operation, window));
    set.emit(scope)
}

/// Returns the rules with a condition on one set of parameters: that of the request, or of the items of a list.
fn rules_of<'a>(operation: &'a Operation, list: Option<&str>) -> Vec<(usize, &'a Rule)> {
    let within = |rule: &Rule| rule.within.as_ref().map(|(list, _)| list.as_str().to_owned());
    let conditions = rules::checked(operation).filter(|(_, _, test)| matches!(test, Test::Condition { .. }));
    conditions.filter(|(_, rule, _)| within(rule).as_deref() == list).map(|(index, rule, _)| (index, rule)).collect()
}

/// Returns the parameters that name the instrument, if the set has them and a rule of the operation compares with it.
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
        let time = |name: &Reference| {
            operation.parameter(name).map(|parameter| {
                let field = ident(&parameter.name.rust);
                let time = if parameter.is_required() { quote!(Some(self.#field)) } else { quote!(self.#field) };
                as_timestamp(&parameter.shape, time)
            })
        };
        let (from, to) = (time(&window.from), time(&window.to));
        quote!(to.window(&WINDOW, #from, #to);)
    });
    let across = rules::checked(operation).filter_map(|(index, rule, test)| {
        let (within, _) = rule.within.as_ref()?;
        if matches!(test, Test::Condition { .. }) {
            return None;
        }
        let (list, _) = operation.items().find(|(_, item)| item.list == *within)?;
        Some(rules::list_rule(scope, list, index, rule))
    });
    quote!(#window #(#across)*)
}

/// Returns the function that sets both ends of the window.
fn between(operation: &Operation, window: &Window) -> Option<ImplItem> {
    let (from, to) = (operation.parameter(&window.from)?, operation.parameter(&window.to)?);
    if [from, to].into_iter().any(|parameter| parameter.is_required() || parameter.is_edit()) {
        return None;
    }
    // The arguments become timestamps, and then values in the form of the parameters.
    let value = |parameter: &Parameter, given: TokenStream| match is_timestamp(&parameter.shape) {
        true => quote!(#given.into()),
        false => quote!(#given.into().into()),
    };
    let (from_value, to_value) = (value(from, quote!(from)), value(to, quote!(to)));
    let (from, to) = (ident(&from.name.rust), ident(&to.name.rust));
    let mut docs = Docs::default();
    docs.markdown(&format!("Sets {} and {}.", code(&window.from.text), code(&window.to.text)));
    let docs = docs.outer();
    let between = quote! {
        #docs
        pub fn between(mut self, from: impl Into<runtime::Timestamp>, to: impl Into<runtime::Timestamp>) -> Self {
            self.#from = Some(#from_value);
            self.#to = Some(#to_value);
            self
        }
    };
    Some(trees::member(between))
}

fn operation_impl(api: &Api, scope: &Scope<'_>, operation: &Operation) -> TokenStream {
    let name = ident(&operation.rust.rust);
    let response = response_type(scope, &operation.rust.rust, &operation.response);
    let path = write_path(operation);
    let headers = write_headers(operation);
    let with_key = confirm::with_key(scope.family, operation);
    let class = limit_class(scope, operation);
    let orders = orders::shown(scope, operation);
    let properties = orders::properties_shown(api, scope, operation);
    let items = batches::item_outcomes(scope.family, operation);
    quote! {
        impl runtime::Operation for #name {
            type Response = #response;
            const META: &'static tables::Meta = &META;
            #path
            #headers
            #with_key
            #orders
            #properties
            #items
            #class
        }
    }
}

/// Returns the types of a refusal and of the headers of a success.
fn beside_data(scope: &Scope<'_>, operation: &Operation) -> Vec<TokenStream> {
    let name = ident(&operation.rust.rust);
    let BesideData { refusal, headers, form: _ } = operation.beside_data;
    let refusal = refusal.map(|(record, _)| {
        let record = scope.ty(Type::Record(record));
        quote!(impl runtime::wire::RefusesWith for #name { type Refusal = #record; })
    });
    let headers = headers.map(|(record, _)| {
        let record = scope.ty(Type::Record(record));
        quote!(impl runtime::wire::AnswersWithHeaders for #name { type Headers = #record; })
    });
    refusal.into_iter().chain(headers).collect()
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
            quote!(out.segment(#wire, &self.#field);)
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
        let (wire, field) = (parameter.sent_name(), ident(&parameter.name.rust));
        let is_bit = parameter.shape.element() == Some(Type::Boolean(Truth::Number));
        match (parameter.is_required(), &parameter.shape) {
            (true, Shape::List(_)) => quote!(out.list(#wire, &self.#field);),
            (false, Shape::List(_)) => quote!(out.optional_list(#wire, self.#field.as_ref());),
            (true, _) if is_bit => quote!(out.text(#wire, &u64::from(self.#field));),
            (false, _) if is_bit => quote!(out.optional_text(#wire, self.#field.map(u64::from).as_ref());),
            (true, _) => quote!(out.text(#wire, &self.#field);),
            (false, _) => quote!(out.optional_text(#wire, self.#field.as_ref());),
        }
    });
    Some(quote! {
        fn write_headers(&self, out: &mut runtime::emitted::HeaderWriter<'_>) {
            #(#writes)*
        }
    })
}

/// Returns the tables of the operation, and that of its window, if there is one.
fn tables(family: &Family, operation: &Operation) -> String {
    let meta = trees::fixed(
        quote!(
            static META: tables::Meta = ();
        ),
        meta(family, operation),
    );
    let window = operation.window.as_ref().map(|window| {
        trees::constant(
            quote!(
                const WINDOW: tables::Window = ();
            ),
            window_table(window),
        )
    });
    meta + &window.unwrap_or_default()
}

fn meta(family: &Family, operation: &Operation) -> Expr {
    let text = |name, text: &str| Some((name, trees::text(text)));
    let document = operation.source.as_ref().map(|source| source.document());
    let section = operation.source.as_ref().and_then(|source| source.section()).unwrap_or(&operation.title);
    let is_public = operation.access == Access::Public;
    let permission = operation.permission.as_ref().filter(|_| !is_public);
    let list_member = match &operation.response {
        Response::Array { observed_under, .. } => observed_under.as_ref(),
        Response::Object { .. } | Response::Page { .. } | Response::Undefined => None,
    };
    let checked = || rules::checked(operation);
    let is_of_time = checked().any(|(_, _, test)| test.conditions().any(Condition::is_of_time));
    let [order_kind, amends] = orders::tables(family, operation);
    let fields = [
        text("id", &operation.id),
        text("family", &family.name),
        text("title", &operation.title),
        text("doc", &operation.doc),
        document.map(|document| ("document", trees::text(document))),
        text("section", section),
        Some(("method", trees::of_table("Method", operation.method.variant()))),
        text("path", &operation.path.text),
        trees::some("serves", family.served_at(&operation.path.text).map(|served| trees::text(&served.text))),
        trees::some("call", operation.call.as_ref().map(|(method, _)| trees::text(method))),
        style(operation.style),
        trees::flag("query_beside_body", operation.beside_body().next().is_some()),
        Some(("effect", trees::of_table("Effect", operation.effect.variant()))),
        is_public.then(|| ("access", trees::of_table("Access", "Public"))),
        trees::flag("whitelisted", operation.whitelisted),
        trees::some("permission", permission.map(|permission| trees::text(permission))),
        trees::rows("headers", operation.headers.iter().map(|header| trees::text(&header.text))),
        trees::rows("limits", operation.rates.iter().map(rate_limit)),
        trees::some("window", operation.window.as_ref().map(|_| trees::path(&["WINDOW"]))),
        trees::some("history", operation.history.map(trees::length)),
        trees::rows("defaults", defaults(operation)),
        checked().next().map(|_| ("rules", trees::reference(trees::path(&["RULES"])))),
        trees::flag("rules_of_time", is_of_time),
        trees::rows("unsupported", rules::unsupported(operation)),
        Some(("errors", trees::path(&["super", "errors", "ERRORS"]))),
        trees::some("data", operation.data.as_ref().map(|data| trees::tokens(codes::path(data)))),
        operation.beside_data.form.map(|(form, _)| ("answer_form", trees::of_table("AnswerForm", form.variant()))),
        trees::some("list_member", list_member.map(|member| trees::text(member))),
        pages::next_page(operation),
        confirm::client_id(family, operation),
        confirm::confirm(family, operation),
        confirm::echoes(operation),
        batches::shows(family, operation),
        operation.compound.as_ref().and_then(confirm::compound),
        counterpart::worth(family, operation),
        counterpart::prices(operation),
        trees::some("repeat", operation.repeat.as_ref().map(|repeat| trees::text(&repeat.why.0))),
        operation.repeat.as_ref().and_then(confirm::repeat_key),
        order_kind,
        amends,
    ];
    trees::table("Meta", fields)
}

/// Returns the defaults of the request's own parameters, by their wire names.
fn defaults(operation: &Operation) -> impl Iterator<Item = Expr> {
    operation.body.parameters().iter().filter_map(|parameter| {
        let (default, _) = parameter.default.as_ref()?;
        let ty = parameter.shape.single();
        let wire = ty.map_or_else(|| default.clone(), |ty| ty.wire_of_value(default));
        Some(trees::pair(trees::text(&parameter.name.wire), trees::text(&wire)))
    })
}

/// Returns a rate limit as tables have it.
pub(super) fn rate_limit(rate: &Rate) -> Expr {
    let kind = match rate.scope {
        crate::compiler::words::Scope::Uid => "per_uid",
        crate::compiler::words::Scope::Ip => "per_ip",
    };
    let limit = trees::call(trees::of_table("RateLimit", kind), [trees::number(rate.calls.into())]);
    let limit = match rate.every.milliseconds().unwrap_or(1000) {
        1000 => limit,
        millis if millis % 1000 == 0 => trees::on(limit, "every", [trees::number(millis / 1000)]),
        millis => trees::on(limit, "every_millis", [trees::number(millis)]),
    };
    let class = Some(&rate.class).filter(|class| *class != "default");
    let limit = trees::with(limit, "class", class.map(|class| trees::text(class)));
    match &rate.of_pool {
        None => limit,
        Some(PoolWeight { pool, weight, when }) => {
            let limit = trees::on(limit, "pool", [trees::text(pool), trees::number((*weight).into())]);
            trees::with(limit, "when", when.as_ref().map(weight_condition))
        }
    }
}

fn weight_condition(when: &WeightCondition) -> Expr {
    let of = |variant| trees::of_table("WeightCondition", variant);
    match when {
        WeightCondition::Without(name) => trees::call(of("Without"), [trees::text(name)]),
        WeightCondition::With(name) => trees::call(of("With"), [trees::text(name)]),
        WeightCondition::Over(name, most) => trees::call(of("Over"), [trees::text(name), trees::number(*most)]),
    }
}

/// Returns the field for how parameters travel, if it does not follow from the method.
fn style(style: ParameterStyle) -> Option<Field> {
    let sends = trees::some("sends", style.sends.map(|sends| trees::of_table("Sends", sends.variant())));
    let lists = (style.lists != Lists::Json).then(|| ("lists", trees::of_table("Lists", style.lists.variant())));
    let objects =
        (style.objects != Objects::Json).then(|| ("objects", trees::of_table("Objects", style.objects.variant())));
    let is_usual = sends.is_none() && lists.is_none() && objects.is_none();
    (!is_usual).then(|| ("style", trees::table("ParameterStyle", [sends, lists, objects])))
}

fn window_table(window: &Window) -> Expr {
    let fields = [
        Some(("from", trees::text(&window.from.text))),
        Some(("to", trees::text(&window.to.text))),
        trees::some("span", window.span.map(|(length, _)| trees::length(length))),
        trees::some("access", window.access.map(|(length, _)| trees::length(length))),
        trees::flag("access_is_of_data", window.access_is_of_data()),
        trees::some("default", window.default.map(|(length, _)| trees::length(length))),
        trees::flag("both_or_neither", window.both_or_neither.is_set()),
        trees::some("days", window.days.map(|(zone, _)| days(zone))),
    ];
    trees::table("Window", fields)
}

fn days(zone: UtcOffset) -> Expr {
    let minutes = Literal::i32_unsuffixed(zone.minutes);
    trees::tokens(quote!(tables::Days::of_utc_offset(#minutes)))
}

fn item_structs(scope: &Scope<'_>, operation: &Operation) -> Vec<Item> {
    let sets = operation.items().flat_map(|(list, item)| {
        let of = if list.is_body() { String::new() } else { format!("of {} ", code(&list.name.wire)) };
        let doc = format!("An item {of}of a [`{}`].", operation.rust.rust);
        let mut docs = Docs::default();
        docs.markdown(&doc);
        parameters::table(&mut docs, scope, &item.parameters);
        let mut set = Set::new(&item.rust, docs, &item.parameters);
        set.rules = rules_of(operation, Some(&list.name.wire));
        set.instrument = instrument(scope, operation, &item.parameters);
        set.constructors = intents::constructors(scope, operation, Some(&list.name.wire), &item.parameters);
        set.emit(scope)
    });
    let objects = operation.objects().into_iter();
    let objects = objects.flat_map(|object| parameters::object(scope, object, &operation.rust.rust));
    sets.chain(objects).collect()
}

fn page(scope: &Scope<'_>, operation: &Operation) -> Option<[Item; 2]> {
    let Response::Page { next, record, .. } = &operation.response else { return None };
    let next_type = operation.parameter(next).and_then(|parameter| parameter.shape.single());
    let fields = page_fields(&operation.response, next_type.unwrap_or(Type::String))?;
    let mut docs = Docs::default();
    docs.markdown(&format!("A page of the answer to [`{}`].", operation.rust.rust));
    docs.markdown(&format!("The cursor goes into {} of the next request.", code(&next.text)));
    let name = page_name(&operation.rust.rust);
    let definition = records::definition(scope, &name, docs, Container::default(), &fields);
    Some([definition, records::as_its_list(scope, &name, &fields[0], Type::Record(*record))])
}

/// Returns the documentation of an operation.
fn docs(api: &Api, scope: &Scope<'_>, operation: &Operation, layout: Layout) -> Docs {
    let mut docs = Docs::new(&operation.doc, &operation.title);
    docs.markdown(&format!("`{} {}`", operation.method.as_str(), operation.path.text));
    if let Some(source) = &operation.source {
        docs.markdown(&super::source_line(api, source));
    }
    parameters::table(&mut docs, scope, operation.body.parameters());
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
        let headers: Vec<_> = operation.headers.iter().map(|header| code(&header.text)).collect();
        docs.entry(&format!("**Headers:** {}, when the client was given a value", headers.join(", ")));
    }
    if let Some(in_flight) = &operation.in_flight {
        docs.entry(&codes::entry(in_flight));
    }
    if let Some(window) = &operation.window {
        docs.entry(&format!("**Window:** {}", window.in_words(&MARKDOWN)));
    }
    if let Some(history) = operation.history {
        docs.entry(&format!("**History:** the last {history}"));
    }
    for says in operation.beside_data.in_words(scope.family) {
        docs.entry(&escape(&says));
    }
    confirm::add(&mut docs, api, scope.family, operation);
    let entries = [
        counterpart::entry(operation),
        pages::entry(operation),
        batches::entry(operation),
        front::entry(api, operation, layout),
    ];
    for entry in entries.into_iter().flatten() {
        docs.entry(&entry);
    }
    rules::add(&mut docs, &operation.statements);
    counterpart::add(&mut docs, api, scope.family, operation);
    example::add(&mut docs, api, scope, operation, layout);
    docs
}

/// Returns the class of users that a rate applies to; empty for everyone.
fn class_text(scope: &Scope<'_>, class: Option<&str>) -> String {
    let Some(class) = class else { return String::new() };
    match scope.family.classes.iter().find(|known| known.name == class) {
        None => format!(" for {}", escape(class)),
        Some(known) => format!(" for {} ({})", escape(class), escape(known.in_words().trim_end_matches('.'))),
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "reads; a repeat changes nothing",
        Effect::Create => "creates; sending it again creates another",
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

/// Returns the function that returns the classes, if the operation has limits by class and the request determines it.
///
/// Classes are tried in the order of the schema. A class is skipped if its condition names a parameter that the
/// operation lacks; only the caller knows whether it applies. There are two if an instrument decides that is not known,
/// or the exchange's clock: the one if the flag of the instrument is set and dated classes hold, and the one if not.
pub(super) fn limit_class<'a>(scope: &'a Scope<'a>, operation: &'a Operation) -> Option<TokenStream> {
    let parameters = operation.body.parameters();
    let has = |name: &str| parameters.iter().any(|parameter| parameter.name.wire == name);
    let is_known = |class: &&Class| class.when.iter().flat_map(Condition::names).all(has);
    let has_rows = |class: &&Class| operation.rates.iter().any(|rate| rate.class == class.name);
    let conditions = Conditions::of_account(scope, parameters);
    let classes: Vec<&Class> = scope.family.classes.iter().filter(has_rows).filter(is_known).collect();
    let answer = |class: &&'a Class| {
        let (name, is) = (&class.name, Expression::all(conditions.all_hold(&class.when)).tokens());
        let holds = dates(&class.dates).map(|dates| quote!(&& known.hold(#dates).unwrap_or(assumed)));
        quote!(if #is #holds { return Some(#name); })
    };
    let answers = conditions.shared.bind(|| classes.iter().map(answer).collect());
    if answers.is_empty() {
        return None;
    }
    let asks = |condition: &Condition| condition.property().is_some() || is_decided(scope, operation, condition);
    let conditions = || classes.iter().flat_map(|class| &class.when);
    let has_dates = classes.iter().any(|class| !class.dates.are_open());
    let known = if has_dates || conditions().any(asks) { quote!(known) } else { quote!(_known) };
    let body = match has_dates || conditions().any(|condition| is_decided(scope, operation, condition)) {
        true => quote! {
            let class = |assumed: bool| -> Option<&'static str> {
                #answers
                None
            };
            [class(true), class(false)]
        },
        false => quote! {
            let class = || -> Option<&'static str> {
                #answers
                None
            };
            [class(); 2]
        },
    };
    Some(quote! {
        fn limit_class(&self, #known: runtime::account::Known<'_>) -> [Option<&'static str>; 2] {
            #body
        }
    })
}

/// Returns the days on which the exchange knows something, as the runtime writes them; `None` for what has no dates.
fn dates(Dates { from, until, by: _ }: &Dates) -> Option<TokenStream> {
    let [from, until] = [("from", from), ("until", until)].map(|(method, end)| {
        let (method, day) = (ident(method), end.as_ref()?.0.to_string());
        Some(quote!(.#method(#day)))
    });
    (from.is_some() || until.is_some()).then(|| quote!(runtime::value::Dates::OPEN #from #until))
}

/// Returns whether a condition is about a form that an instrument decides.
fn is_decided(scope: &Scope<'_>, operation: &Operation, condition: &Condition) -> bool {
    let Condition::HasForm { parameter, forms } = condition else {
        return matches!(condition, Condition::Not(inner) if is_decided(scope, operation, inner));
    };
    let parameters = operation.body.parameters().iter().filter(|known| known.name.wire == parameter.0);
    let known = parameters.filter_map(|parameter| scope.family.identifier_of(&parameter.shape));
    let mut known = known.flat_map(|identifier| &identifier.forms);
    known.any(|form| form.decided.is_some() && forms.iter().any(|(name, _)| *name == form.name.wire))
}
