//! Operations by path and method.

use super::object::{Object, declared};
use super::parameters::{self, Form, Parameters};
use super::{answers, components, credentials, families, rules};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{
    Api, BesideData, Calls, Family, Intent, Listing, Operation, Pages, Parameter, ParameterStyle, Pool, PoolWeight,
    Rate, Response, Sent, Setting, Shape, Within,
};
use crate::compiler::words::{In, Lists, Objects, PagesBy, Sends};
use crate::tools::export;
use serde_json::{Map, Value, json};

/// Returns all operations, grouped by path.
pub(super) fn paths(api: &Api, form: Form) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for (family, operation) in api.operations() {
        // Calls with the same address are distinguished by a fragment, which is not sent.
        let call = operation.call.as_ref().map(|(method, _)| format!("#{method}")).unwrap_or_default();
        let methods = paths.entry(operation.path.text.clone() + &call).or_insert_with(|| json!({}));
        methods[operation.method.as_str().to_lowercase()] = self::operation(api, family, operation, form);
    }
    Value::Object(paths)
}

fn operation(api: &Api, family: &Family, operation: &Operation, form: Form) -> Value {
    Object::new()
        .with("operationId", operation.id.as_str())
        .with("tags", [family.name.as_str()])
        .with("summary", operation.title.as_str())
        .text("description", &operation.doc)
        .list("parameters", outside_body(api, family, operation, form))
        .maybe("requestBody", body(api, family, operation, form))
        .with("responses", answers::responses(api, family, operation))
        .flag("deprecated", operation.deprecated.is_some())
        .with("security", credentials::of_operation(api, operation))
        .and(beyond(api, family, operation))
        .and(rules::of(&operation.statements))
        .into_value()
}

/// Returns the parameters in the path, the query and headers.
fn outside_body(api: &Api, family: &Family, operation: &Operation, form: Form) -> Vec<Value> {
    let parameters = operation.members().iter();
    let outside = parameters.filter(|parameter| !operation.has_body() || operation.is_elsewhere(parameter));
    let listed = |number: usize| operation.headers.iter().any(|header| header.number == Some(number));
    let headers = api.headers.iter().enumerate().filter_map(|(number, header)| match header.sent {
        Sent::Always => Some(json!({"$ref": format!("#/components/parameters/{}", header.name)})),
        Sent::ByOperation => listed(number).then(|| components::header(header)),
    });
    let parameters = made_of(family, operation, form);
    outside.flat_map(|parameter| parameters.outside_body(operation, parameter)).chain(headers).collect()
}

fn made_of<'a>(family: &'a Family, operation: &'a Operation, form: Form) -> Parameters<'a> {
    Parameters { family, rules: Some(&operation.statements.rules), form }
}

fn body(api: &Api, family: &Family, operation: &Operation, form: Form) -> Option<Value> {
    if !operation.has_body() {
        return None;
    }
    let schema = match operation.body.array() {
        Some(array) => made_of(family, operation, form).value(array),
        None => {
            let members = operation.members().iter();
            let in_body: Vec<_> = members.filter(|parameter| !operation.is_elsewhere(parameter)).collect();
            let own = made_of(family, operation, form).object(&operation.rust.rust, &in_body, None);
            credentials::beside(api, operation, own, &[Within::Parameters])
        }
    };
    let examples = operation.examples.iter().enumerate().filter_map(|(index, example)| {
        Some(((index + 1).to_string(), answers::example(example, &in_body(api, operation, &example.request.0)?)?))
    });
    let schema = match &operation.call {
        Some((name, _)) => call(&api.calls, name, schema),
        None => schema,
    };
    let schema = match operation.body.array() {
        Some(_) => schema,
        None => credentials::beside(api, operation, schema, &[Within::After]),
    };
    Some(
        Object::new()
            .with("required", true)
            .with("content", answers::content(media_type(operation), schema, examples.collect()))
            .into_value(),
    )
}

/// Returns the body of a call with this schema for its parameters.
fn call(calls: &Calls, name: &str, parameters: Value) -> Value {
    let Calls { id, method, params, place: _ } = calls;
    let Some(method) = method else { return parameters };
    let text = |value: &str| json!({"const": value});
    let fixed = calls.fixed().iter().map(|(member, value)| ((*member).to_owned(), text(value)));
    let id = id.iter().map(|member| (member.clone(), json!({"type": "integer"})));
    let method_member = [(method.clone(), text(name))];
    let within = params.iter().map(|member| (member.clone(), parameters.clone()));
    let properties: Map<_, _> = fixed.chain(id).chain(method_member).chain(within).collect();
    let required = calls.fixed().iter().map(|(member, _)| *member).chain([method.as_str()]);
    let required: Vec<_> = required.chain(params.as_deref()).collect();
    let call = json!({"type": "object", "properties": properties, "required": required});
    if params.is_some() { call } else { json!({"allOf": [call, parameters]}) }
}

fn media_type(operation: &Operation) -> &'static str {
    if operation.sends() == Sends::Form { "application/x-www-form-urlencoded" } else { "application/json" }
}

/// Returns the part of a request that travels in the body.
fn in_body(api: &Api, operation: &Operation, request: &str) -> Option<String> {
    let mut request: Value = serde_json::from_str(request).ok()?;
    if let Some(members) = request.as_object_mut() {
        let elsewhere =
            |name: &str| operation.members().iter().any(|one| one.name.wire == name && operation.is_elsewhere(one));
        members.retain(|name, _| !elsewhere(name));
        if let Some(array) = operation.body.array().and_then(|array| members.remove(&array.name.wire)) {
            request = array;
        }
    }
    Some(export::body(api, operation, request).to_string())
}

/// Returns statements that OpenAPI cannot express.
fn beyond(api: &Api, family: &Family, operation: &Operation) -> Object {
    let Operation {
        source,
        effect,
        permission,
        whitelisted,
        rates,
        in_flight,
        window,
        history,
        data,
        intents,
        // In words of OpenAPI.
        id: _,
        title: _,
        method: _,
        path: _,
        call: _,
        doc: _,
        access: _,
        headers: _,
        body: _,
        response: _,
        beside_data: BesideData { refusal: _, headers: _, form: _ },
        deprecated: _,
        examples: _,
        // In statements of their own.
        style: ParameterStyle { sends: _, lists: _, objects: _, says_objects: _, place: _ },
        listing: _,
        client_id: _,
        confirm: _,
        echoes: _,
        compound: _,
        worth: _,
        counterpart: _,
        repeat: _,
        batch: _,
        statements: _,
        // Among the keys.
        sources: _,
        effect_why: _,
        // Of Rust, of the search, and of the files.
        name: _,
        rust: _,
        function: _,
        called: _,
        place: _,
        key_places: _,
        number: _,
    } = operation;
    let in_query = (!operation.has_body()).then_some(operation);
    let queries = in_query
        .into_iter()
        .flat_map(|operation| &operation.examples)
        .filter_map(|example| answers::example(example, &example.request.0));
    Object::new()
        .maybe("x-source", source.as_ref().map(rules::source))
        .with("x-effect", effect.as_str())
        .maybe("x-permission", permission.as_deref())
        .keys(&operation.keys(family))
        .maybe("x-lists", lists(operation).map(Lists::as_str))
        .maybe("x-objects", objects(operation).map(Objects::as_str))
        .flag("x-whitelisted", *whitelisted)
        .list("x-rate-limits", rates.iter().map(|rate| self::rate(api, rate)))
        .maybe("x-in-flight", in_flight.as_ref().map(declared))
        .list("x-choices", in_query.into_iter().flat_map(|operation| query_choices(family, operation)))
        .maybe("x-window", window.as_ref().map(declared))
        .maybe("x-history", history.map(|history| history.to_string()))
        .maybe("x-data", data.as_ref().map(ToString::to_string))
        .maybe("x-page", page(operation))
        .maybe("x-instruments", operation.listing.instruments.as_ref().map(declared))
        .maybe("x-prices", operation.listing.prices.as_ref().map(declared))
        .and(families::of(operation))
        .list("x-intents", intents.iter().map(intent))
        .list("x-request-examples", queries)
}

/// Returns how lists are written, where OpenAPI has no word for it.
fn lists(operation: &Operation) -> Option<Lists> {
    let is_list = |parameter: &Parameter| matches!(parameter.shape, Shape::List(_) | Shape::Items(_));
    let has_word = operation.sends() != Sends::Form && matches!(operation.style.lists, Lists::Comma | Lists::Repeated);
    (has_pairs(operation, is_list) && !has_word).then_some(operation.style.lists)
}

/// Returns how objects are written, where OpenAPI has no word for it.
fn objects(operation: &Operation) -> Option<Objects> {
    let is_object = |parameter: &Parameter| matches!(parameter.shape, Shape::Object(_));
    let has_word = operation.sends() == Sends::Query && operation.style.objects == Objects::Brackets;
    (has_pairs(operation, is_object) && !has_word).then_some(operation.style.objects)
}

/// Returns whether such a parameter travels in a query or a form.
fn has_pairs(operation: &Operation, is_such: impl Fn(&Parameter) -> bool) -> bool {
    let is_pair = |parameter: &Parameter| operation.sends() != Sends::Json || parameter.is_in(In::Query);
    operation.members().iter().any(|parameter| is_pair(parameter) && is_such(parameter))
}

fn rate(api: &Api, rate: &Rate) -> Value {
    let Rate { calls, every, scope, class: _, is_observed, dates: _, of_pool, place: _ } = rate;
    let object = Object::new()
        .with("calls", *calls)
        .with("per", if every.window() == "s" { "second".to_owned() } else { every.window() })
        .with("by", scope.as_str())
        .maybe("class", rate.own_class())
        .flag("observed", *is_observed);
    let object = match of_pool {
        None => object,
        Some(PoolWeight { pool, weight, when }) => {
            let shared = api.pools.iter().find(|shared| shared.name == *pool);
            let reported = |Pool { name: _, rate: _, doc: _, reporting, place: _ }: &Pool| {
                reporting.as_ref().map(ToString::to_string)
            };
            object
                .with("pool", pool.as_str())
                .with("weight", *weight)
                .maybe("when", when.as_ref().map(ToString::to_string))
                .maybe("reported", shared.and_then(reported))
        }
    };
    object.into_value()
}

fn query_choices(family: &Family, operation: &Operation) -> Vec<Value> {
    let own = operation.choices(family).filter(|(list, ..)| list.is_none());
    own.map(|(_, parameter, choice)| parameters::choice_of_query(family, parameter, choice)).collect()
}

/// Returns the member that leads to the next page, the parameter that takes it, and what makes a listing complete.
fn page(operation: &Operation) -> Option<Value> {
    let text = |named: &Option<(String, Place)>| named.as_ref().map(|(text, _)| text.clone());
    let Listing { id, each, list: _, pages, shows, instruments: _, prices: _ } = &operation.listing;
    let page = match (&operation.response, pages) {
        (Response::Page { list, cursor, next, .. }, _) => Object::new()
            .with("list", list.wire.as_str())
            .with("cursor", cursor.wire.as_str())
            .with("next", next.text.as_str()),
        (_, Some(pages)) => {
            let Pages { place: _, by, order, list, next, field, header, includes: _, first: _, size, more, total } =
                pages;
            let (by, order) = (by.0, order.0);
            let is_counted = matches!(by, PagesBy::Number | PagesBy::Offset);
            Object::new()
                .with("by", by.as_str())
                .with("order", order.as_str())
                .maybe("list", list.as_ref().map(|list| list.text.as_str()))
                .with("next", next.text.as_str())
                .maybe("field", text(field))
                .maybe("header", text(header))
                .maybe("includes", (by == PagesBy::Last).then_some(pages.includes_last()))
                .maybe("first", is_counted.then_some(pages.begins_with()))
                .maybe("size", size.as_ref().map(|size| size.text.as_str()))
                .maybe("more", more.as_ref().map(|more| more.text.as_str()))
                .maybe("total", total.as_ref().map(|total| total.text.as_str()))
        }
        (Response::Object { .. } | Response::Array { .. } | Response::Undefined, None) => return None,
    };
    let page = page
        .maybe("id", id.as_ref().map(|id| id.text.as_str()))
        .maybe("each", each.as_ref().map(|each| each.text.as_str()))
        .maybe("shows", shows.as_ref().map(declared));
    Some(page.into_value())
}

fn intent(intent: &Intent) -> Value {
    let settings = |settings: &[Setting]| -> Vec<_> {
        let member = |Setting { name, text, place: _, text_place: _ }: &Setting| (name.clone(), text.as_str().into());
        settings.iter().map(member).collect()
    };
    let Intent { id, rust: _, place: _, says, at, within, set, take, call } = intent;
    Object::new()
        .with("id", id.as_str())
        .text("at", at)
        .with("says", says.as_str())
        .maybe("in", within.as_ref().map(|(list, _)| list.as_str()))
        .map("set", settings(set))
        .list("take", take.iter().map(|(name, _)| name.as_str()))
        .map("call", settings(call))
        .into_value()
}
