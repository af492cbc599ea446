//! Everything that the schema states about one operation, for a terminal.

mod answer;
mod data;
mod page;
mod parameters;
mod statements;

use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::compiler::model::phrases::{self, joined, sentence};
use crate::compiler::model::{Api, Certainty, Effect, Exclusion, Family, Operation};
use page::TextPage;

/// The page of the operation with this id, such as `unified.place-order`, or with this name if only one family has it.
pub(crate) fn operation(api: &Api, id: &str) -> Result<String, Diagnostics> {
    find(api, id).map(|(family, operation)| describe(api, family, operation))
}

/// The same operation as JSON.
pub(crate) fn operation_as_json(api: &Api, id: &str) -> Result<String, Diagnostics> {
    let (_, operation) = find(api, id)?;
    let root = api.element();
    Ok(data::find(&root, "operation", &operation.id).map(data::of).unwrap_or_default().to_string())
}

fn find<'a>(api: &'a Api, id: &str) -> Result<(&'a Family, &'a Operation), Diagnostics> {
    let has_it = |operation: &Operation| operation.id == id || operation.name == id;
    let found: Vec<_> = api.operations().filter(|(_, operation)| has_it(operation)).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(unknown(api, id)),
        several => {
            let ids: Vec<_> = several.iter().map(|(_, operation)| operation.id.as_str()).collect();
            let mut to = Diagnostics::default();
            to.whole(Code::UndefinedName, format!("ambiguous operation `{id}`: several families have it"))
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
    to.whole(Code::UndefinedName, format!("unknown operation `{id}`"))
        .help(did_you_mean(id, known).unwrap_or_else(|| "`tradeapi-gen list` prints all operations".into()));
    to
}

/// The page of an operation: its own keys first, then the elements within.
fn describe(api: &Api, family: &Family, operation: &Operation) -> String {
    let mut page = TextPage::default();
    page.line(&format!("{}: {}", operation.id, operation.title));
    page.line(&format!("{} {}", operation.method.as_str(), operation.path.text));
    page.line(&operation.doc);
    page.heading("In short");
    for key in operation.keys(family).iter().filter(|key| !key.says.is_empty()) {
        page.named(1, 10, key.name, &key.says);
    }
    page.named(1, 10, "source", &source(api, operation));
    pools(&mut page, api, operation);
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

/// The pools that a call counts in, and what answers report about them.
fn pools(page: &mut TextPage, api: &Api, operation: &Operation) {
    let takes = |name: &str| operation.rates.iter().filter_map(|rate| rate.of_pool.as_ref()).any(|of| of.pool == name);
    let pools: Vec<_> = api.pools.iter().filter(|pool| takes(&pool.name)).collect();
    if !pools.is_empty() {
        page.heading("Pools");
    }
    for pool in pools {
        let reported = pool.reporting.as_ref().map(|reported| format!(" Answers report its use: {reported}."));
        let text = format!("{}: {}{}", pool.rate, sentence(&pool.doc), reported.unwrap_or_default());
        page.named(1, 10, &pool.name, &text);
    }
}

/// The section of the document, with the title of the document.
fn source(api: &Api, operation: &Operation) -> String {
    let source = operation.source.as_ref().map(|source| {
        let section = source.section().map(|section| format!(", section {section}")).unwrap_or_default();
        format!("{}{section}", api.document_title(source.document()))
    });
    source.unwrap_or_else(|| phrases::observed(&operation.sources))
}

/// The state transitions that the operation triggers.
fn states(page: &mut TextPage, family: &Family, operation: &Operation) {
    let is_named = |names: &[(String, Place)]| names.iter().any(|(name, _)| *name == operation.name);
    let of_family = family.lifecycle.iter().flat_map(|lifecycle| &lifecycle.transitions);
    let caused: Vec<_> = of_family.filter(|transition| is_named(&transition.trigger)).collect();
    let never = family.lifecycle.iter().flat_map(|lifecycle| &lifecycle.never);
    let ruled_out: Vec<_> =
        never.filter(|never| matches!(&never.what, Exclusion::Operations(names) if is_named(names))).collect();
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

/// The constructors for documented purposes.
fn intents(page: &mut TextPage, operation: &Operation) {
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

/// The refusals after which the outcome is unknown; reads have none.
fn errors(page: &mut TextPage, api: &Api, family: &Family, operation: &Operation) {
    if operation.effect == Effect::Read {
        return;
    }
    compound(page, operation);
    let open: Vec<_> = operation.open_errors(family).collect();
    if !open.is_empty() {
        page.heading("Errors after which the outcome is unknown");
    }
    let width = open.iter().map(|error| error.code.chars().count()).max().unwrap_or(0);
    for error in open {
        page.named(1, width, &error.code, &joined(&[sentence(&error.text), sentence(&error.doc)], " "));
    }
    observed_codes(page, api, family);
}

fn compound(page: &mut TextPage, operation: &Operation) {
    let Some(compound) = &operation.compound else { return };
    page.heading("Several things in one request");
    let when = compound.when.as_ref().map(|((name, _), (value, _))| format!("When {name} is {value}."));
    page.entry(1, &joined(&[sentence(&compound.why.0), when.unwrap_or_default()], " "));
}

/// The number of codes that no document lists; there are too many to print all.
fn observed_codes(page: &mut TextPage, api: &Api, family: &Family) {
    let all: Vec<_> = api.observed_of(family).collect();
    let trusted = all.iter().filter(|code| code.certainty == Certainty::Several).count();
    if !all.is_empty() {
        page.heading("Codes that no document lists");
        let count = all.len();
        page.entry(
            1,
            &format!("codes.yaml has {count}; {trusted} of them are trusted, because several sources agree."),
        );
    }
}
