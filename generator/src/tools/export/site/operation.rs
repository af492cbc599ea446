//! The page of an operation, with its examples and the form that sends one to a local exchange.

use maud::{Markup, html};

use super::address::{Address, anchor};
use super::page::Page;
use super::pieces::{self, PageContext, capital, sentence};
use super::view::{
    Access, Class, Credentials, ExampleView, FamilyView, Operation, OperationView, PoolReporting, Rate, Response,
    Sends, Signature, SignedPart, Site, Window,
};
use super::{code, counterparts, outcome, parameters};

pub(super) fn page(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Page {
    let here = PageContext { site, page: &view.address };
    let operation = view.operation;
    let has_statements = [
        (!operation.statements.contradictions.is_empty(), "contradictions", "Contradictions"),
        (!operation.statements.not_shown.is_empty(), "not-shown", "Not shown"),
        (!operation.statements.observed.is_empty(), "observed", "Observed"),
    ];
    let headings = [("parameters", "Parameters"), ("answer", "Answer"), ("outcome", "Outcome"), ("rules", "Rules")];
    let headings =
        headings.into_iter().chain(has_statements.into_iter().filter(|(is, ..)| *is).map(|(_, id, title)| (id, title)));
    let headings: Vec<_> = headings.map(|(id, title)| (id.to_owned(), title.to_owned())).collect();
    let markdown = Address::markdown(family.name(), &operation.name);
    let trial = trial(site, family, view);
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
            (jumps(here, &headings, &markdown, !trial.0.is_empty()))
            (in_short(here, family, view))
            h2 #parameters { (if operation.body.bare_array().is_some() { "Body" } else { "Parameters" }) }
            @if view.parameters.is_empty() { p.quiet { "None." } }
            (parameters::blocks(here, &view.rules, &view.parameters))
            (answer(here, family, view))
            (outcome::codes(here, family, view))
            (outcome::states(here, family, view))
            h2 #rules { "Rules" }
            (here.rules(&view.rules))
            (intents(here, view))
            (here.statements(&operation.statements))
        },
        aside: Some(html! {
            h2.unseen { "Examples" }
            @for (index, example) in view.examples.iter().enumerate() { (shown_example(site, view, example, index)) }
            (trial)
        }),
        headings,
        family: Some(family.name().to_owned()),
        markdown: Some(markdown),
    }
}

/// Returns the parts of the page, and the page in another form. The script shows what needs a server.
fn jumps(here: PageContext<'_, '_>, headings: &[(String, String)], markdown: &Address, has_trial: bool) -> Markup {
    html! {
        nav.jump aria-label="On this page" {
            @for (anchor, title) in headings { a href={ "#" (anchor) } { (title) } " " }
            @if has_trial { a href="#try" hidden { "Try it" } " " }
            a href=(markdown.from(here.page)) type="text/markdown" { "View as Markdown" }
        }
    }
}

/// Returns what answers report about the pool in which a call counts.
fn reporting_of<'a>(here: PageContext<'_, 'a>, rate: &Rate) -> Option<&'a PoolReporting> {
    let of = rate.of_pool.as_ref()?;
    here.site.api.pools.iter().find(|pool| pool.name == of.pool)?.reporting.as_ref()
}

/// Returns a summary before the first parameter.
fn in_short(here: PageContext<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let operation = view.operation;
    let (does, repeat) = pieces::effect(operation.effect);
    html! {
        dl.facts {
            div { dt { "Effect" } dd { (does) } }
            div #repeat { dt { "Repeat" } dd {
                @match &operation.repeat {
                    Some(repeat) => { strong { "Harmless. " } (sentence(&repeat.why.0)) }
                    None => (repeat),
                }
            } }
            @if let Some(compound) = &operation.compound {
                div { dt { "Several things" } dd {
                    (sentence(&compound.why.0))
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
            @if !operation.rates.is_empty() { div #limits { dt { "Limits" } dd { (rates(here, family, operation)) } } }
            @if let Some(limit) = &operation.in_flight {
                div {
                    dt { "At a time" }
                    dd {
                        (pieces::count(usize::try_from(limit.n.0).unwrap_or(usize::MAX), "amendment"))
                        " of one " code { (limit.per.0) }
                    }
                }
            }
            @if !operation.headers.is_empty() {
                div.headers {
                    dt { "Headers" }
                    dd {
                        @for (index, header) in operation.headers.iter().enumerate() {
                            @if index > 0 { ", " }
                            @let described = Address::concept("signing").at(anchor("header", &header.text));
                            a href=(described.from(here.page)) { code { (header) } }
                        }
                    }
                }
            }
            @if let Some(window) = &operation.window { div #window { dt { "Time range" } dd { (time_range(window)) } } }
            @if let Some(history) = operation.history {
                div #history { dt { "Goes back" } dd { strong.access { (history) } } }
            }
            @if let Some((id, _)) = &operation.client_id { div { dt { "Your own id" } dd { code { (id) } } } }
            @if let Some(echoes) = operation.echoes.as_ref().filter(|echoes| !echoes.ids.is_empty()) {
                div { dt { "Repeats" } dd {
                    "The answer repeats "
                    @for (index, ((member, _), _)) in echoes.ids.iter().enumerate() {
                        @if index > 0 { " and " } code { (member) }
                    }
                    " of the request; an answer with other ids belongs to another request."
                } }
            }
            @if let Some(counterpart) = &view.counterpart {
                div #counterpart { dt { "Counterpart" } dd {
                    (counterparts::in_short(here, counterpart)) " "
                    @let more = Address::counterparts().at(anchor("operation", &operation.id));
                    (here.link(&more, "What becomes of each parameter"))
                } }
            }
            div { dt { "Source" } dd {
                @if let Some(source) = &operation.source { (here.source(source)) " " }
                (here.line(operation.place))
            } }
        }
    }
}

/// Returns the rates of an operation, each with what answers report about its use.
fn rates(here: PageContext<'_, '_>, family: &FamilyView<'_>, operation: &Operation) -> Markup {
    let in_words = |name: &str| {
        let class = family.family.classes.iter().find(|class| class.name == name);
        class.map(Class::in_words).filter(|says| !says.is_empty())
    };
    html! {
        ul.rates {
            @for rate in &operation.rates {
                li data-class=(rate.class) data-pace=(rate.pace()) {
                    @if let Some(of) = &rate.of_pool { strong { (of) } ": all its operations together have " }
                    strong { (rate.pace_in_words()) } " for each " (rate.scope.as_str())
                    @if let Some(class) = rate.own_class() {
                        ", for " code { (class) }
                        @if let Some(says) = in_words(class) { ": " (sentence(&says)) }
                    }
                    @if let Some(reported) = reporting_of(here, rate) { ". Answers report its use: " (reported) }
                }
            }
        }
    }
}

fn time_range(window: &Window) -> Markup {
    html! {
        "From " code { (window.from) } " to " code { (window.to) }
        @if window.both_or_neither.is_set() { ", both or neither" } "."
        ul {
            @if let Some((span, _)) = window.span { li { "Covers at most " strong.span { (span) } "." } }
            @if let Some((access, _)) = window.access {
                li {
                    @if window.access_is_of_data() { "Data goes back " } @else { "Begins at most " }
                    strong.access { (access) } @if window.access_is_of_data() { "." } @else { " ago." }
                }
            }
            @if let Some((default, _)) = window.default { li { "Left out, it covers " strong.default { (default) } "." } }
            @if let Some((zone, _)) = window.days { li { "Its data is of whole days in " strong.days { (zone) } "." } }
        }
    }
}

fn answer(here: PageContext<'_, '_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let record = |index: usize| {
        let name = family.family.records.get(index).map_or("", |record| record.name.wire.as_str());
        let address = Address::types(family.name()).at(anchor("type", name));
        html! { a href=(address.from(here.page)) { code { (name) } } }
    };
    let data = view.operation.data_path(here.site.api);
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
                " goes into " code { (next) } " of the next call. "
                (here.link(&Address::concept("paging"), "Paging"))
            },
            Response::Undefined => p.quiet { "It is not documented." },
        }
        (pieces::cases(here, &family.cases_of_answer(view.operation)))
        (parameters::fields_in_short(here, &view.answer))
    }
}

fn intents(here: PageContext<'_, '_>, view: &OperationView<'_>) -> Markup {
    html! {
        @if !view.operation.intents.is_empty() {
            h2 #intents { "Intents" }
            p.quiet { "Constructors of the Rust client, for common purposes." }
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

/// Returns an example in each language; radio buttons switch between them without scripts.
fn shown_example(site: &Site<'_>, view: &OperationView<'_>, example: &ExampleView<'_>, index: usize) -> Markup {
    let curl = code::curl(site.api, view.operation, example.request);
    let id = |language: &str| format!("example-{index}-{language}");
    let mut languages = vec![("json", "JSON", html! { (code::json(example.request)) })];
    if let Some(calls) = &example.calls {
        languages.push(("rust", "Rust", code::rust(&calls.asynchronous)));
        languages.extend((index == 0).then(|| ("blocking", "Blocking", code::rust(&calls.blocking))));
    }
    if let Some(curl) = curl.filter(|_| index == 0) {
        languages.push(("curl", "curl", html! { (code::CodeText(&curl)) }));
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
                @for (language, _, shown) in &languages {
                    div.panel.(language) { pre tabindex="0" { code { (shown) } } }
                }
            }
            p.answered { "Answer" }
            div.panel.reply { pre tabindex="0" { code { (code::json(example.response)) } } }
        }
    }
}

/// Returns the form that sends a request to a local exchange. The script shows it if there is one.
fn trial(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> Markup {
    let operation = view.operation;
    let request = view.examples.first().map(|example| code::plain_json(example.request)).unwrap_or_default();
    let signed = site.api.credentials.as_ref().filter(|_| operation.access == Access::Signed);
    let is_split = operation.beside_body().next().is_some()
        || operation.body.array().is_some() != operation.body.bare_array().is_some();
    if is_split || signed.is_some_and(|credentials| !credentials.is_plain()) {
        // The script puts all parameters in one place, and signs in the plain form only.
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
            data-signed-query=[signed.map(|credentials| credentials.signed_query().as_str())]
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
