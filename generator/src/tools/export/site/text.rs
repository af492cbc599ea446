//! Operations as Markdown, for programs that read text. Page and text are two forms of one view, which the text takes
//! apart member by member, so that a new one does not compile until it is shown or left out on purpose.

use super::pieces::{self, sentence};
use super::view::{
    Access, Echoes, ExampleView, FamilyView, Intent, Operation, OperationView, Response, RuleView, Site, Source,
    Statements, phrases,
};
use super::{code, markdown, outcome, parameters};
use crate::compiler::diagnostics::Place;

/// The operation as Markdown. It says what the page says, in a line for each fact, without links, proofs and forms.
pub(super) fn page(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> String {
    let OperationView { operation, address: _, parameters, answer, rules, examples } = view;
    let mut out = markdown::MarkdownPage::default();
    in_short(&mut out, site, family, operation);
    out.heading(2, "Parameters");
    parameters::blocks_as_text(&mut out, 0, parameters);
    out.heading(2, "Answer");
    out.prose(match &operation.response {
        Response::Object { .. } => "An object.",
        Response::Array { .. } => "A list of objects.",
        Response::Page { .. } => "A page of a list of objects.",
        Response::Undefined => "It is not documented.",
    });
    family.cases_of_answer(operation).iter().for_each(|(ty, told_by)| out.item(0, &format!("{}: {told_by}", ty.name)));
    parameters::fields_as_text(&mut out, 0, answer);
    outcome::as_text(&mut out, site, family, view);
    rules_as_text(&mut out, rules);
    statements_as_text(&mut out, &operation.statements);
    intents_as_text(&mut out, &operation.intents);
    for (index, example) in examples.iter().enumerate() {
        example_as_text(&mut out, site, operation, example, index == 0);
    }
    out.finish()
}

/// Returns what the page states before its first parameter. Every member of the operation is shown, or left to another
/// part.
fn in_short(out: &mut markdown::MarkdownPage, site: &Site<'_>, family: &FamilyView<'_>, operation: &Operation) {
    let Operation {
        id: _,
        name: _,
        title,
        rust: _,
        function: _,
        place: _,
        source,
        sources,
        method,
        path,
        call,
        style: _,
        doc,
        effect,
        effect_why,
        access,
        whitelisted,
        called: _,
        deprecated,
        permission,
        headers,
        rates,
        body: _,
        in_flight,
        client_id,
        confirm: _,
        echoes,
        compound,
        repeat,
        window,
        history,
        response: _,
        beside_data: _,
        data: _,
        listing: _,
        batch: _,
        intents: _,
        examples: _,
        statements: _,
        key_places: _,
    } = operation;
    out.heading(1, title);
    out.prose(&sentence(doc));
    out.code("http", &format!("{} {}", method.as_str(), path.text));
    let (does, usual) = pieces::effect(*effect);
    out.entry("Effect", does);
    out.entry("Repeat", repeat.as_ref().map_or(usual, |repeat| &*repeat.why.0));
    out.entry(
        "Access",
        match (access, whitelisted) {
            (Access::Signed, false) => "signed",
            (Access::Signed, true) => "signed, only for user ids on the white list",
            (Access::Public, _) => "public",
        },
    );
    let optional = [
        ("Why it has this effect", effect_why.as_deref().map(sentence)),
        ("Several things", compound.as_ref().map(|compound| sentence(&compound.why.0))),
        ("Calls", call.as_ref().map(|(method, _)| method.clone())),
        ("Deprecated", deprecated.as_ref().map(phrases::deprecated)),
        ("Permission", permission.clone()),
        ("Time range", window.as_ref().map(ToString::to_string)),
        ("Goes back", history.map(|length| length.to_string())),
        ("In flight", in_flight.as_ref().map(ToString::to_string)),
        ("Your own id", client_id.as_ref().map(|(id, _)| id.clone())),
        ("The answer repeats", echoes.as_ref().map(members)),
        ("Family", Some(family.family.title.clone())),
        ("Source", source.as_ref().map(|source| source_in_words(site, source))),
        ("Observed by", (!sources.is_empty()).then(|| names(sources))),
    ];
    optional.into_iter().filter_map(|(name, text)| Some((name, text?))).for_each(|(name, text)| out.entry(name, &text));
    rates.iter().for_each(|rate| out.entry("Limit", &rate.to_string()));
    headers.iter().for_each(|(header, _)| out.entry("Header", header));
}

/// The rules that the schema writes out. The others only repeat what is stated with the parameters and above them.
fn rules_as_text(out: &mut markdown::MarkdownPage, rules: &[RuleView<'_>]) {
    out.heading(2, "Rules");
    for rule in rules.iter().filter(|rule| rule.is_written) {
        let (says, why) = (sentence(&rule.says), rule.why.map(sentence).unwrap_or_default());
        let unsupported = match rule.unsupported.as_slice() {
            [] => String::new(),
            names => format!(" Not supported here: {}.", names.join(", ")),
        };
        let warns = if rule.warns { ", warns only" } else { "" };
        out.entry(&rule.id, &format!("({}{warns}; {}) {says} {why}{unsupported}", rule.kind.as_str(), rule.at));
    }
}

fn statements_as_text(out: &mut markdown::MarkdownPage, statements: &Statements) {
    let Statements { rules: _, not_shown, contradictions, observed } = statements;
    if !contradictions.is_empty() {
        out.heading(2, "Contradictions");
    }
    for one in contradictions {
        let readings = one.readings.join(" / ");
        out.entry(&one.id, &format!("{readings} Chosen: {} {}", sentence(&one.chosen), sentence(&one.why)));
    }
    if !not_shown.is_empty() {
        out.heading(2, "Not shown in the documents");
    }
    not_shown.iter().for_each(|open| out.item(0, &open.says.0));
    if !observed.is_empty() {
        out.heading(2, "Observed on the wire, in no document");
    }
    observed.iter().for_each(|seen| out.entry(&seen.id, &format!("{} ({})", seen.says, seen.sources.join(", "))));
}

fn intents_as_text(out: &mut markdown::MarkdownPage, intents: &[Intent]) {
    if !intents.is_empty() {
        out.heading(2, "Intents");
    }
    for intent in intents {
        let set: Vec<_> = intent.set.iter().map(|one| format!("{} {}", one.name, one.text)).collect();
        out.entry(&intent.id, &format!("{} Sets {}.", sentence(&intent.says), set.join(", ")));
    }
}

/// A request with its answer; the first one with programs that send it.
fn example_as_text(
    out: &mut markdown::MarkdownPage,
    site: &Site<'_>,
    operation: &Operation,
    example: &ExampleView<'_>,
    has_programs: bool,
) {
    let ExampleView { about, request, response, calls } = example;
    out.heading(2, &format!("Example: {about}"));
    out.code("json", &code::spaced_json(&code::parsed(request)));
    out.prose("Answer:");
    out.code("json", &code::spaced_json(&code::parsed(response)));
    if !has_programs {
        return;
    }
    if let Some(calls) = calls {
        out.code("rust", &calls.asynchronous);
    }
    if let Some(curl) = code::curl(site.api, operation, request) {
        out.code("sh", &curl);
    }
}

/// The members of the answer that repeat ids of the request.
fn members(echoes: &Echoes) -> String {
    echoes.ids.iter().map(|((member, _), _)| member.as_str()).collect::<Vec<_>>().join(", ")
}

/// The document and the section of a statement.
fn source_in_words(site: &Site<'_>, source: &Source) -> String {
    let document = site.api.document_title(source.document());
    source.section().map_or_else(|| document.to_owned(), |section| format!("{document}, section {section}"))
}

fn names(sources: &[(String, Place)]) -> String {
    sources.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}
