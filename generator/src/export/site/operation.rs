//! The page of an operation.

use maud::{Markup, html};

use super::address::{Address, anchor};
use super::code;
use super::page::Page;
use super::parameters;
use super::pieces::{self, Here, capital, sentence, to_do};
use super::view::{
    Access, Body, Confirm, Credentials, ExampleView, FamilyView, OperationView, Response, Ruled, Sends, Signature,
    SignedPart, Site, phrases,
};

pub(super) fn page(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Page {
    let here = Here { site, page: &view.address };
    let operation = view.operation;
    let has_statements = [
        (!operation.statements.contradictions.is_empty(), "contradictions", "Contradictions"),
        (!operation.statements.not_shown.is_empty(), "not-shown", "Not shown"),
        (!operation.statements.observed.is_empty(), "observed", "Observed"),
    ];
    let headings = [("parameters", "Parameters"), ("answer", "Answer"), ("outcome", "Outcome"), ("rules", "Rules")];
    let headings =
        headings.into_iter().chain(has_statements.into_iter().filter(|(is, ..)| *is).map(|(_, id, title)| (id, title)));
    let headings = headings.map(|(id, title)| (id.to_owned(), title.to_owned())).collect();
    Page {
        address: view.address.clone(),
        title: operation.title.clone(),
        about: operation.doc.clone(),
        main: html! {
            p.crumbs { (here.link(&Address::family(family.name()), &family.family.title)) }
            h1 { (operation.title) }
            p.lead { (sentence(&operation.doc)) }
            (pieces::deprecated(operation.deprecated.as_ref()))
            div.endpoint {
                span.verb.(operation.method.as_str().to_lowercase()) { (operation.method.as_str()) }
                code.path { (operation.path.text) }
            }
            (in_short(here, family, view))
            h2 #parameters { @match operation.body { Body::Parameters(_) => "Parameters", Body::Array(_) => "Body" } }
            @if view.parameters.is_empty() { p.quiet { "None." } }
            (parameters::blocks(here, &view.rules, &view.parameters))
            (answer(here, family, view))
            (outcome(here, family, view))
            (states(here, family, view))
            h2 #rules { "Rules" }
            (here.rules(&view.rules))
            (intents(here, view))
            (here.statements(&operation.statements))
        },
        aside: Some(html! {
            h2.unseen { "Examples" }
            @for (index, example) in view.examples.iter().enumerate() { (shown(site, view, example, index)) }
            (trial(site, family, view))
        }),
        headings,
        family: Some(family.name().to_owned()),
        markdown: Some(Address::markdown(family.name(), &operation.name)),
    }
}

/// What there is to know before the first parameter.
fn in_short(here: Here<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let operation = view.operation;
    let (does, repeat) = pieces::effect(operation.effect);
    let class_doc =
        |name: &str| family.family.classes.iter().find(|class| class.name == name).map_or("", |class| &class.doc);
    html! {
        dl.facts {
            div { dt { "Effect" } dd { (does) } }
            div #repeat { dt { "Repeat" } dd {
                @match &operation.repeat {
                    Some(repeat) => { strong { "Harmless. " } (sentence(&repeat.why)) }
                    None => (repeat),
                }
            } }
            @if let Some(compound) = &operation.compound {
                div { dt { "Several things" } dd {
                    (sentence(&compound.why))
                    @if let Some(((name, _), (value, _))) = &compound.when {
                        " Only when " code { (name) } " is " code { (value) } "."
                    }
                } }
            }
            div { dt { "Access" } dd {
                @match operation.access {
                    Access::Signed => (here.link(&Address::concept("signing"), "Signed")),
                    Access::Public => "Public, without credentials",
                }
                @if operation.whitelisted { ", only for user ids on the white list" }
            } }
            @if let Some(permission) = &operation.permission {
                div.permission { dt { "Permission" } dd { (permission) } }
            }
            @if !operation.rates.is_empty() {
                div #limits { dt { "Limits" } dd { ul.rates {
                    @for rate in &operation.rates {
                        li data-class=(rate.class) data-pace=(rate.pace()) {
                            @if let Some(of) = &rate.of_pool { strong { (of) } ": all its operations together have " }
                            strong { (rate.pace_in_words()) } " for each " (rate.scope.as_str())
                            @if let Some(class) = rate.own_class() {
                                ", for " code { (class) }
                                @if !class_doc(class).is_empty() { ": " (sentence(class_doc(class))) }
                            }
                        }
                    }
                } } }
            }
            @if let Some(limit) = &operation.in_flight {
                div {
                    dt { "At a time" }
                    dd {
                        (pieces::count(usize::try_from(limit.n).unwrap_or(usize::MAX), "amendment"))
                        " of one " code { (limit.per.0) }
                    }
                }
            }
            @if !operation.headers.is_empty() {
                div.headers {
                    dt { "Headers" }
                    dd {
                        @for (index, (header, _)) in operation.headers.iter().enumerate() {
                            @if index > 0 { ", " }
                            @let described = Address::concept("signing").at(anchor("header", header));
                            a href=(described.from(here.page)) { code { (header) } }
                        }
                    }
                }
            }
            @if let Some(window) = &operation.window {
                div #window { dt { "Time range" } dd {
                    "From " code { (window.from.0) } " to " code { (window.to.0) }
                    @if window.both_or_neither { ", both or neither" } "."
                    ul {
                        @if let Some(span) = window.span { li { "Covers at most " strong.span { (span) } "." } }
                        @if let Some(access) = window.access {
                            li {
                                @if window.access_is_of_data { "Data goes back " } @else { "Begins at most " }
                                strong.access { (access) } @if window.access_is_of_data { "." } @else { " ago." }
                            }
                        }
                        @if let Some(default) = window.default {
                            li { "Left out, it covers " strong.default { (default) } "." }
                        }
                        @if let Some(zone) = window.days { li { "Its data is of whole days in " strong.days { (zone) } "." } }
                    }
                } }
            }
            @if let Some(history) = operation.history {
                div #history { dt { "Goes back" } dd { strong.access { (history) } } }
            }
            @if let Some((id, _)) = &operation.client_id { div { dt { "Your own id" } dd { code { (id) } } } }
            @if let Some(echoes) = &operation.echoes {
                div { dt { "Repeats" } dd {
                    "The answer repeats "
                    @for (index, ((member, _), _)) in echoes.ids.iter().enumerate() {
                        @if index > 0 { " and " } code { (member) }
                    }
                    " of the request; an answer with other ids belongs to another request."
                } }
            }
            div { dt { "Source" } dd {
                @if let Some(source) = &operation.source { (here.source(source)) " " }
                (here.line(operation.place))
            } }
        }
    }
}

fn answer(here: Here<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let record = |index: usize| {
        let name = family.family.records.get(index).map_or("", |record| record.name.wire.as_str());
        let address = Address::types(family.name()).at(anchor("type", name));
        html! { a href=(address.from(here.page)) { code { (name) } } }
    };
    let data = view.operation.data_member(here.site.api);
    html! {
        h2 #answer { "Answer" }
        @match &view.operation.response {
            Response::Object { record: of } => p.shape data-shape="object" {
                "An object, " (record(*of)) @if let Some(data) = data { ", in " code { (data) } } "."
            },
            Response::Array { record: of, observed_under } => p.shape data-shape="array" {
                "A list of " (record(*of)) @if let Some(data) = data { ", in " code { (data) } } "."
                @if let Some(member) = observed_under { " It was also seen inside " code { (member) } "." }
            },
            Response::Page { list, record: of, cursor, next } => p.shape data-shape="page" {
                "A page: " code.list { (list.wire) } " has a list of " (record(*of))
                ", and " code.cursor { (cursor.wire) }
                " goes into " code { (next.0) } " of the next call. "
                (here.link(&Address::concept("paging"), "Paging"))
            },
            Response::Undefined => p.quiet { "Nothing is known of it." },
        }
        (parameters::fields(here, &view.answer))
    }
}

/// What each code and each end of a call shows, and how the rest is found out.
fn outcome(here: Here<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let observed = here.site.api.observed_of(family.family).count();
    html! {
        h2 #outcome { "Outcome" }
        p { "What an answer with a code shows about this request. A call that ends without an answer is in "
            (here.link(&Address::concept("unknown-outcomes"), "Unknown outcomes")) "." }
        @if !family.family.errors.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Codes" { table.codes {
                thead {
                    tr {
                        th scope="col" { "Code" } th scope="col" { "This request" }
                        th scope="col" { "Meaning, and what to do" }
                    }
                }
                tbody { @for error in &family.family.errors {
                    @let verdict = view.verdict(error);
                    tr id=(anchor("code", &error.code)) {
                        th scope="row" {
                            @let code = anchor(&format!("code-{}", family.name()), &error.code);
                            a href=(Address::errors().at(code).from(here.page)) { code { (error.code) } }
                        }
                        td { (pieces::verdict(verdict)) }
                        td {
                            strong { (sentence(&error.text)) } " " (sentence(&error.doc))
                            " " span.quiet { (to_do(verdict, error.proof.proves)) }
                        }
                    }
                } }
            } }
        }
        @if observed > 0 {
            p.quiet { (pieces::count(observed, "more code")) " that no document lists " @if observed == 1 { "is" } @else { "are" } " in "
                (here.link(&Address::errors().at("observed"), "Errors")) "." }
        }
        @if let Some(confirm) = &view.operation.confirm { (confirmation(here, family, confirm)) }
    }
}

fn confirmation(here: Here<'_, '_>, family: &FamilyView<'_>, confirm: &Confirm) -> Markup {
    html! {
        div.notice {
            h3 #confirm { "When the outcome is unknown" }
            p {
                @let by_id = !confirm.ask.is_empty();
                @let ids = if by_id { &confirm.ask } else { &confirm.find };
                @if by_id { "Ask " } @else { "Look in " }
                (here.trigger(family, &confirm.by.0)) " for "
                @for (index, ((field, _), (own, _))) in ids.iter().enumerate() {
                    @if index > 0 { " or " } code { (field) }
                    @if field != own { " (the " code { (own) } " of the request)" }
                }
                ". "
                @if let Some((then, _)) = &confirm.then {
                    "What is not there may be in " (here.trigger(family, then)) ". "
                }
                @if !confirm.matches.is_empty() {
                    "It was done when "
                    @for (index, ((field, _), (parameter, _))) in confirm.matches.iter().enumerate() {
                        @if index > 0 { " and " } code { (field) } " is the " code { (parameter) } " of the request"
                    }
                    ". "
                }
                @if !confirm.agrees.is_empty() {
                    "The record belongs to the request only if it agrees in " (pieces::count(confirm.agrees.len(), "parameter"))
                    ". "
                }
                @if let Some(kept) = confirm.kept { "A record is kept for " (kept) ". " }
                "Until then, do not send the request again."
            }
        }
    }
}

/// The changes of state that the operation causes.
fn states(here: Here<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let name = &view.operation.name;
    let Some(lifecycle) = &family.family.lifecycle else { return html! {} };
    let names = |names: &[(String, crate::diagnostics::Place)]| names.iter().any(|(one, _)| one == name);
    let caused: Vec<_> = lifecycle.transitions.iter().filter(|one| names(&one.trigger)).collect();
    let never: Vec<_> =
        lifecycle.never.iter().filter(|one| matches!(&one.what, Ruled::Operations(all) if names(all))).collect();
    if caused.is_empty() && never.is_empty() {
        return html! {};
    }
    html! {
        h2 #states { "States" }
        ul {
            @for one in caused {
                li {
                    code { (one.from.join(", ")) } " becomes " code { (one.to) } ". " (sentence(&one.condition))
                    " " (sentence(&one.doc))
                }
            }
            @for one in never {
                li { "Never takes effect on " code { (one.from.join(", ")) } ". " (sentence(&one.why)) }
            }
        }
        p { (here.link(&Address::lifecycle(family.name()), "The whole life cycle")) }
    }
}

fn intents(here: Here<'_, '_>, view: &OperationView<'_>) -> Markup {
    html! {
        @if !view.operation.intents.is_empty() {
            h2 #intents { "Intents" }
            p.quiet { "Constructors of the Rust client, named after what somebody wants." }
            ul.intents {
                @for intent in &view.operation.intents {
                    li id=(anchor("intent", &intent.id)) {
                        p { strong { (intent.id) } ". " (sentence(&intent.says)) }
                        p.quiet {
                            "Sets " @for (index, setting) in intent.set.iter().enumerate() {
                                @if index > 0 { ", " } code { (setting.name) } " " code { (setting.text) }
                            }
                            ". " (here.line(intent.place))
                        }
                    }
                }
            }
        }
    }
}

/// An example in each language; without scripts, the radio buttons switch between them all the same.
fn shown(site: &Site<'_>, view: &OperationView<'_>, example: &ExampleView<'_>, index: usize) -> Markup {
    let curl = code::curl(site.api, view.operation, example.request);
    let id = |language: &str| format!("example-{index}-{language}");
    let mut languages = vec![("json", "JSON", html! { (code::json(example.request)) })];
    if let Some(calls) = &example.calls {
        languages.push(("rust", "Rust", code::rust(&calls.asynchronous)));
        languages.extend((index == 0).then(|| ("blocking", "Blocking", code::rust(&calls.blocking))));
    }
    if let Some(curl) = curl.filter(|_| index == 0) {
        languages.push(("curl", "curl", html! { (code::Text(&curl)) }));
    }
    html! {
        section.example id={ "example-" (index) } aria-labelledby={ "example-" (index) "-title" } {
            h3 id={ "example-" (index) "-title" } { (capital(&sentence(example.about))) }
            fieldset.tabs {
                legend.unseen { "Language" }
                @for (number, (language, title, _)) in languages.iter().enumerate() {
                    input type="radio" name={ "example-" (index) }
                    id=(id(language)) value=(language) class=(language) checked[number == 0];
                    label for=(id(language)) { (title) }
                }
                @for (language, title, shown) in &languages {
                    div.panel.(language) { pre tabindex="0" aria-label=(title) { code { (shown) } } }
                }
            }
            p.answered { "Answer" }
            div.panel.reply { pre tabindex="0" aria-label="Answer" { code { (code::json(example.response)) } } }
        }
    }
}

/// What the local exchange lets a reader send. The script shows it where there is one.
fn trial(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let operation = view.operation;
    let request = view.examples.first().map(|example| code::plain_json(example.request)).unwrap_or_default();
    let signed = site.api.credentials.as_ref().filter(|_| operation.access == Access::Signed);
    if signed.is_some_and(|credentials| !credentials.is_plain()) {
        // The script signs in the plain form only.
        return Markup::default();
    }
    html! {
        form.try #try hidden
            data-method=(operation.method.as_str()) data-path=(operation.path.text)
            data-body=(operation.sends() == Sends::Json)
            data-code=[site.api.envelope.as_ref().and_then(|envelope| envelope.code_member())]
            data-success=[site.api.envelope.as_ref().and_then(|envelope| envelope.success.as_ref())]
            data-signs=[signed.map(signs)] data-encoding=[signed.and_then(Credentials::encoding)]
            data-key=[signed.and_then(|credentials| credentials.header(SignedPart::Key))]
            data-signature=[signed.and_then(|credentials| credentials.header(SignedPart::Signature))]
            data-passphrase=[signed.and_then(|credentials| credentials.header(SignedPart::Passphrase))]
            data-timestamp=[signed.and_then(|credentials| credentials.header(SignedPart::Timestamp))]
            data-family=(family.name()) {
            h3 #try-title { "Try it" }
            p.quiet { "Sent to the local exchange that serves this page, signed with its key." }
            label for="try-request" { "Request" }
            textarea #try-request rows="10" spellcheck="false" { (request) }
            button type="submit" { "Send" }
            div #try-answer role="status" {}
        }
    }
}

fn signs(credentials: &Credentials) -> String {
    let parts = credentials.signature.iter().flat_map(Signature::parts);
    parts.map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The operation as Markdown, for programs that read text.
pub(super) fn markdown(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> String {
    let operation = view.operation;
    let mut out = super::markdown::Text::default();
    out.heading(1, &operation.title);
    out.prose(&sentence(&operation.doc));
    out.code("http", &format!("{} {}", operation.method.as_str(), operation.path.text));
    let (does, repeat) = pieces::effect(operation.effect);
    out.entry("Effect", does);
    out.entry("Repeat", operation.repeat.as_ref().map_or(repeat, |repeat| &repeat.why));
    if let Some(compound) = &operation.compound {
        out.entry("Several things", &compound.why);
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
        Response::Undefined => "Nothing is known of it.",
    });
    parameters::fields_as_text(&mut out, 0, &view.answer);
    out.heading(2, "Outcome by code");
    for error in &family.family.errors {
        let verdict = view.verdict(error);
        let parts = [sentence(&error.text), sentence(&error.doc), format!("{}.", pieces::verdict_in_words(verdict).1)];
        out.entry(&error.code, &format!("{} {}", parts.join(" "), to_do(verdict, error.proof.proves)));
    }
    out.heading(2, "Rules");
    // The others only repeat what stands at the parameters and above them.
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
    statements.not_shown.iter().for_each(|open| out.item(0, &open.says));
    if !statements.observed.is_empty() {
        out.heading(2, "Seen on the wire, in no document");
    }
    statements
        .observed
        .iter()
        .for_each(|seen| out.entry(&seen.id, &format!("{} ({})", seen.says, seen.sources.join(", "))));
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
