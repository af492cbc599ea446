//! Operations: what is called, how it is called, what comes back.

use super::aspect::{Aspect, aspect, flag, list, maybe, prose};
use super::class::{Verdict, additive, behaviour, breaking, documentation};
use super::found::{Found, Thing};
use super::pairs::pairs;
use super::parameters::deprecated;
use super::scope::Scope;
use super::statements::{self, source};
use super::{batches, confirm, intents, limits, parameters, response};
use crate::model::{Body, Operation};

pub(super) fn compare(to: &mut Found, scope: &Scope<'_>) {
    let pairs = pairs(&scope.old.operations, &scope.new.operations, |all| [&all.id, &all.rust.rust]);
    let thing = |all: &Operation| Thing::new("operation", all.id.as_str(), all.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), breaking("its types and its function are gone"));
    }
    for (old, new) in pairs.both {
        both(to, scope, &thing(new), old, new);
    }
    for more in pairs.added {
        to.added(&thing(more), additive("a new request and function"));
    }
}

fn both(to: &mut Found, scope: &Scope<'_>, thing: &Thing, old: &Operation, new: &Operation) {
    // Each key of an operation is compared below; a new one has to be named here too.
    let Operation {
        id: _,
        name: _,
        title: _,
        rust: _,
        function: _,
        place: _,
        source: _,
        method: _,
        path: _,
        doc: _,
        effect: _,
        access: _,
        whitelisted: _,
        deprecated: _,
        permission: _,
        headers: _,
        rates: _,
        body: _,
        in_flight: _,
        client_id: _,
        confirm: _,
        echoes: _,
        compound: _,
        repeat: _,
        window: _,
        history: _,
        response: _,
        listing: _,
        batch: _,
        intents: _,
        examples: _,
        statements: _,
        said_at: _,
    } = new;
    to.compare(thing, names(old, new).into_iter().chain(call(old, new)).chain(texts(old, new)));
    parameters::compare(to, scope, &new.id, old.body.parameters(), new.body.parameters());
    intents::compare(to, scope, old, new);
    intents::in_flight(to, thing, old.in_flight.as_ref(), new.in_flight.as_ref());
    limits::rates(to, thing, &old.rates, &new.rates);
    limits::window(to, thing, old, new);
    response::compare(to, scope, thing, old, new);
    confirm::compare(to, scope, thing, old, new);
    batches::compare(to, scope, thing, old, new);
    statements::compare(to, thing, &old.statements, &new.statements);
}

/// The Rust names come from the title, unless `rust` says otherwise.
fn names(old: &Operation, new: &Operation) -> [Aspect; 3] {
    let renames = old.rust.rust != new.rust.rust;
    let renamed = || breaking(format!("its request is called `{}` in Rust", new.rust.rust));
    let is_title = renames && old.title != new.title;
    let title: Verdict = if is_title { renamed() } else { documentation("") };
    let rust = |operation: &Operation| if is_title { String::new() } else { operation.rust.rust.clone() };
    [
        aspect("name", &old.name, &new.name, behaviour("its id is another one")),
        aspect("title", &old.title, &new.title, title).at(None, Some(new.rust.place)),
        aspect("rust", rust(old), rust(new), renamed()).at(None, Some(new.rust.place)),
    ]
}

fn call(old: &Operation, new: &Operation) -> [Aspect; 9] {
    let http = |all: &Operation| format!("{} {}", all.method.as_str(), all.path.text);
    let headers = |all: &Operation| list(all.headers.iter().map(|(header, _)| header));
    let first = |all: &Operation| all.headers.first().map(|(_, place)| *place);
    [
        aspect("http", http(old), http(new), behaviour("another endpoint is called"))
            .at(Some(old.path.place), Some(new.path.place)),
        aspect("body", body(&old.body), body(&new.body), behaviour("the body has another shape on the wire")),
        aspect("effect", old.effect.as_str(), new.effect.as_str(), confirm::effect(old, new)),
        aspect("access", old.access.as_str(), new.access.as_str(), behaviour("who may call it")),
        aspect("whitelisted", flag(old.whitelisted), flag(new.whitelisted), behaviour("who may call it")),
        deprecated(old.deprecated.as_ref(), new.deprecated.as_ref()),
        aspect("headers", headers(old), headers(new), behaviour("what is sent with it")).at(first(old), first(new)),
        aspect("history", maybe(old.history), maybe(new.history), behaviour("how far back the answer reaches")),
        aspect("permission", maybe(old.permission.as_ref()), maybe(new.permission.as_ref()), documentation("")),
    ]
}

fn texts(old: &Operation, new: &Operation) -> [Aspect; 3] {
    let examples = |all: &Operation| {
        let texts = all.examples.iter().map(|one| format!("{}: {} {}", one.about, one.request.0, one.response.0));
        texts.collect::<Vec<_>>().join("; ")
    };
    let place = |all: &Operation| all.examples.first().map(|example| example.request.1);
    [
        source(old.source.as_ref(), new.source.as_ref()),
        prose("doc", &old.doc, &new.doc),
        prose("examples", &examples(old), &examples(new)).at(place(old), place(new)),
    ]
}

fn body(body: &Body) -> &'static str {
    match body {
        Body::Parameters(_) => "parameters",
        Body::Array(_) => "an array",
    }
}
