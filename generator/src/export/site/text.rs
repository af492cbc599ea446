//! Operations as Markdown, for programs that read text.

use super::pieces::{self, sentence};
use super::view::{Access, Echoes, FamilyView, OperationView, Response, Site, phrases};
use super::{code, markdown, outcome, parameters};

/// The operation as Markdown, for programs that read text.
pub(super) fn page(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> String {
    let operation = view.operation;
    let mut out = markdown::MarkdownPage::default();
    out.heading(1, &operation.title);
    out.prose(&sentence(&operation.doc));
    out.code("http", &format!("{} {}", operation.method.as_str(), operation.path.text));
    let (does, repeat) = pieces::effect(operation.effect);
    out.entry("Effect", does);
    out.entry("Repeat", operation.repeat.as_ref().map_or(repeat, |repeat| &*repeat.why.0));
    if let Some(compound) = &operation.compound {
        out.entry("Several things", &compound.why.0);
    }
    out.entry(
        "Access",
        match operation.access {
            Access::Signed => "signed",
            Access::Public => "public",
        },
    );
    let optional = [
        ("Deprecated", operation.deprecated.as_ref().map(phrases::deprecated)),
        ("Permission", operation.permission.clone()),
        ("Time range", operation.window.as_ref().map(ToString::to_string)),
        ("Goes back", operation.history.map(|length| length.to_string())),
        ("At a time", operation.in_flight.as_ref().map(|limit| format!("{} of one {}", limit.n.0, limit.per.0))),
        ("Your own id", operation.client_id.as_ref().map(|(id, _)| id.clone())),
        ("The answer repeats", operation.echoes.as_ref().map(members)),
        ("Family", Some(family.family.title.clone())),
    ];
    optional.into_iter().filter_map(|(name, text)| Some((name, text?))).for_each(|(name, text)| out.entry(name, &text));
    operation.rates.iter().for_each(|rate| out.entry("Limit", &rate.to_string()));
    operation.headers.iter().for_each(|(header, _)| out.entry("Header", header));
    out.heading(2, "Parameters");
    parameters::blocks_as_text(&mut out, 0, &view.parameters);
    out.heading(2, "Answer");
    out.prose(match &operation.response {
        Response::Object { .. } => "An object.",
        Response::Array { .. } => "A list of objects.",
        Response::Page { .. } => "A page of a list of objects.",
        Response::Undefined => "It is not documented.",
    });
    family.cases_of_answer(operation).iter().for_each(|(ty, told_by)| out.item(0, &format!("{}: {told_by}", ty.name)));
    parameters::fields_as_text(&mut out, 0, &view.answer);
    outcome::as_text(&mut out, site, family, view);
    out.heading(2, "Rules");
    // The other rules only repeat what is stated with the parameters and above them.
    for rule in view.rules.iter().filter(|rule| rule.is_written) {
        out.entry(
            &rule.id,
            &format!("({}; {}) {} {}", rule.kind.as_str(), rule.at, sentence(&rule.says), rule.why.unwrap_or_default()),
        );
    }
    let statements = &operation.statements;
    if !statements.contradictions.is_empty() {
        out.heading(2, "Contradictions");
    }
    for one in &statements.contradictions {
        out.entry(
            &one.id,
            &format!("{} Chosen: {} {}", one.readings.join(" / "), sentence(&one.chosen), sentence(&one.why)),
        );
    }
    if !statements.not_shown.is_empty() {
        out.heading(2, "Not shown in the documents");
    }
    statements.not_shown.iter().for_each(|open| out.item(0, &open.says.0));
    if !statements.observed.is_empty() {
        out.heading(2, "Observed on the wire, in no document");
    }
    statements
        .observed
        .iter()
        .for_each(|seen| out.entry(&seen.id, &format!("{} ({})", seen.says, seen.sources.join(", "))));
    if !operation.intents.is_empty() {
        out.heading(2, "Intents");
    }
    for intent in &operation.intents {
        let set: Vec<_> = intent.set.iter().map(|one| format!("{} {}", one.name, one.text)).collect();
        out.entry(&intent.id, &format!("{} Sets {}.", sentence(&intent.says), set.join(", ")));
    }
    for (index, example) in view.examples.iter().enumerate() {
        out.heading(2, &format!("Example: {}", example.about));
        out.code("json", &code::spaced_json(&code::parsed(example.request)));
        out.prose("Answer:");
        out.code("json", &code::spaced_json(&code::parsed(example.response)));
        if index > 0 {
            continue;
        }
        if let Some(calls) = &example.calls {
            out.code("rust", &calls.asynchronous);
        }
        if let Some(curl) = code::curl(site.api, operation, example.request) {
            out.code("sh", &curl);
        }
    }
    out.finish()
}

/// The members of the answer that repeat ids of the request.
fn members(echoes: &Echoes) -> String {
    echoes.ids.iter().map(|((member, _), _)| member.as_str()).collect::<Vec<_>>().join(", ")
}
