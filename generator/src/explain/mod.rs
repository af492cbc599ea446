//! Everything the schema knows about one operation, for reading in a terminal.

mod answer;
mod page;
mod parameters;
mod statements;

use crate::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::model::{Access, Api, Certainty, Effect, Family, InFlight, Operation, Rate, Ruled, Window, phrases};
use page::{Page, joined, sentence};

/// The operation with this id, such as `unified.place-order`, or with this name where one family alone has it.
pub(crate) fn operation(api: &Api, id: &str) -> Result<String, Diagnostics> {
    let has_it = |operation: &Operation| operation.id == id || operation.name == id;
    let found: Vec<_> = api.operations().filter(|(_, operation)| has_it(operation)).collect();
    match found.as_slice() {
        [(family, operation)] => Ok(describe(api, family, operation)),
        [] => Err(unknown(api, id)),
        several => {
            let ids: Vec<_> = several.iter().map(|(_, operation)| operation.id.as_str()).collect();
            let mut to = Diagnostics::default();
            to.whole(Code::UndefinedName, format!("`{id}` is an operation of several families"))
                .help(format!("name one of: {}", ids.join(", ")));
            Err(to)
        }
    }
}

fn unknown(api: &Api, id: &str) -> Diagnostics {
    let by_id = api.operations().map(|(_, operation)| operation.id.as_str());
    let by_name = api.operations().map(|(_, operation)| operation.name.as_str());
    let known = by_id.chain(by_name);
    let mut to = Diagnostics::default();
    to.whole(Code::UndefinedName, format!("no operation is called `{id}`"))
        .help(did_you_mean(id, known).unwrap_or_else(|| "`tradeapi-gen list` prints them all".into()));
    to
}

fn describe(api: &Api, family: &Family, operation: &Operation) -> String {
    // Each key of an operation is shown below or left out on purpose; a new one has to be named here too.
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
    } = operation;
    let mut page = Page::default();
    page.line(&format!("{}: {}", operation.id, operation.title));
    page.line(&format!("{} {}", operation.method.as_str(), operation.path.text));
    page.line(&operation.doc);
    page.heading("In short");
    for (name, text) in in_short(api, operation) {
        page.named(1, 10, name, &text);
    }
    parameters::add(&mut page, family, operation);
    answer::add(&mut page, family, &operation.response);
    statements::rules(&mut page, "Rules", &operation.statements);
    intents(&mut page, operation);
    states(&mut page, family, operation);
    errors(&mut page, api, family, operation);
    statements::others(&mut page, &operation.statements);
    for example in &operation.examples {
        page.heading(&format!("Example: {}", example.about));
        page.verbatim(1, &example.request.0);
        page.entry(1, "is answered with");
        page.verbatim(1, &example.response.0);
    }
    page.finish()
}

fn in_short(api: &Api, operation: &Operation) -> [(&'static str, String); 10] {
    let headers: Vec<&str> = operation.headers.iter().map(|(header, _)| header.as_str()).collect();
    let source = operation.source.as_ref().map(|source| {
        let section = source.section.as_ref().map(|section| format!(", section {section}")).unwrap_or_default();
        format!("{}{section}", api.document_title(&source.document))
    });
    [
        ("effect", effect(operation.effect).to_owned()),
        ("access", access(operation)),
        ("deprecated", operation.deprecated.as_ref().map(phrases::deprecated).unwrap_or_default()),
        ("permission", operation.permission.clone().unwrap_or_default()),
        ("limits", operation.rates.iter().map(Rate::to_string).collect::<Vec<_>>().join("; ")),
        ("in flight", operation.in_flight.as_ref().map(in_flight).unwrap_or_default()),
        ("headers", headers.join(", ")),
        ("window", operation.window.as_ref().map(Window::to_string).unwrap_or_default()),
        ("history", operation.history.map(|length| format!("reaches back {length}")).unwrap_or_default()),
        ("source", source.unwrap_or_default()),
    ]
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read: changes nothing",
        Effect::Create => "create: a repeat makes another one",
        Effect::Amend => "amend: changes what is there",
        Effect::Cancel => "cancel: takes back what is there",
        Effect::Close => "close: ends what is there",
    }
}

fn access(operation: &Operation) -> String {
    let who = match operation.access {
        Access::Signed => "signed",
        Access::Public => "public",
    };
    let listed = if operation.whitelisted { ", only for user ids on the white list" } else { "" };
    format!("{who}{listed}")
}

fn in_flight(limit: &InFlight) -> String {
    format!("{} amendment(s) at a time of one {}", limit.n, limit.per.0)
}

/// The changes of state that the operation causes.
fn states(page: &mut Page, family: &Family, operation: &Operation) {
    let is_named = |names: &[(String, Place)]| names.iter().any(|(name, _)| *name == operation.name);
    let of_family = family.lifecycle.iter().flat_map(|lifecycle| &lifecycle.transitions);
    let caused: Vec<_> = of_family.filter(|transition| is_named(&transition.trigger)).collect();
    let never = family.lifecycle.iter().flat_map(|lifecycle| &lifecycle.never);
    let ruled_out: Vec<_> =
        never.filter(|never| matches!(&never.what, Ruled::Operations(names) if is_named(names))).collect();
    if caused.is_empty() && ruled_out.is_empty() {
        return;
    }
    page.heading("States");
    for transition in caused {
        let text = [
            format!("{} becomes {}.", transition.from.join(", "), transition.to),
            sentence(&transition.condition),
            sentence(&transition.doc),
        ];
        page.entry(1, &joined(&text, " "));
    }
    for never in ruled_out {
        page.entry(1, &format!("Never takes effect on {}. {}", never.from.join(", "), sentence(&never.why)));
    }
}

/// The constructors that say what somebody wants.
fn intents(page: &mut Page, operation: &Operation) {
    if !operation.intents.is_empty() {
        page.heading("Intents");
    }
    for intent in &operation.intents {
        let set: Vec<_> = intent.set.iter().map(|setting| format!("{} {}", setting.name, setting.text)).collect();
        let take: Vec<_> = intent.take.iter().map(|(name, _)| name.as_str()).collect();
        let list = |word: &str, names: String| {
            if names.is_empty() { names } else { format!("{word} {names}.") }
        };
        let parts = [sentence(&intent.says), list("Sends", set.join(", ")), list("Takes", take.join(", "))];
        page.entry(1, &format!("{}: {}", intent.id, joined(&parts, " ")));
    }
}

/// What a read answers with changes nothing; for the rest it matters which refusals leave the outcome open.
fn errors(page: &mut Page, api: &Api, family: &Family, operation: &Operation) {
    if operation.effect == Effect::Read {
        return;
    }
    compound(page, operation);
    let open: Vec<_> = operation.open_errors(family).collect();
    if !open.is_empty() {
        page.heading("Errors that leave it unknown whether it was done");
    }
    let width = open.iter().map(|error| error.code.chars().count()).max().unwrap_or(0);
    for error in open {
        page.named(1, width, &error.code, &joined(&[sentence(&error.text), sentence(&error.doc)], " "));
    }
    observed_codes(page, api, family);
}

fn compound(page: &mut Page, operation: &Operation) {
    let Some(compound) = &operation.compound else { return };
    page.heading("Several things in one request");
    let when = compound.when.as_ref().map(|((name, _), (value, _))| format!("When {name} is {value}."));
    page.entry(1, &joined(&[sentence(&compound.why), when.unwrap_or_default()], " "));
}

/// How many codes there are that no document lists. They are too many to be told here.
fn observed_codes(page: &mut Page, api: &Api, family: &Family) {
    let all: Vec<_> = api.observed_of(family).collect();
    let believed = all.iter().filter(|code| code.certainty == Certainty::Several).count();
    if !all.is_empty() {
        page.heading("Codes that no document lists");
        let count = all.len();
        page.entry(1, &format!("codes.yaml has {count}, of which {believed} are believed, for several sources agree."));
    }
}
