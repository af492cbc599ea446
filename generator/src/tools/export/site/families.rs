//! The first page, the page of each family and of its lifecycle, and the files of the schema and the documents, so that
//! statements can link to their lines.

use super::address::{Address, anchor};
use super::code::CodeText;
use super::page::{CONCEPTS, Page, headings};
use super::pieces::{PageContext, count, sentence};
use super::view::{Exclusion, FamilyView, Lifecycle, OperationView, RuleKind, Site, SourceFile, Statements};
use crate::compiler::emit::{self, Links};
use maud::{Markup, PreEscaped, html};

pub(super) fn home(site: &Site<'_>) -> Page {
    let address = Address::home();
    let here = PageContext { site, page: &address };
    let api = site.api;
    let operations = site.operations().count();
    let of_operations: usize = site.operations().map(|(_, view)| view.rules.len()).sum();
    let rules = of_operations + site.families.iter().map(|family| family.rules.len()).sum::<usize>();
    let checked =
        site.operations().flat_map(|(_, view)| &view.rules).filter(|rule| rule.kind == RuleKind::Checked).count();
    Page {
        title: api.name.clone(),
        about: api.doc.clone(),
        main: html! {
            h1 { (api.name) " reference" }
            p.lead { (sentence(&api.doc)) }
            ul.numbers aria-label="In numbers" {
                li { strong { (operations) } " operations" }
                li { strong { (rules) } " rules" }
                li { strong { (checked) } " checked before sending" }
            }
            h2 #start { "Start here" }
            ul.cards {
                @for concept in &CONCEPTS {
                    li {
                        a href=(Address::concept(concept.file).from(&address)) {
                            strong { (concept.title) } span { (concept.about) }
                        }
                    }
                }
                li {
                    a href=(Address::rules().from(&address)) {
                        strong { "Rules" } span { "Every rule, to filter by kind and words" }
                    }
                }
                li {
                    a href=(Address::errors().from(&address)) {
                        strong { "Errors" } span { "What each code shows, and what to do" }
                    }
                }
                li {
                    a href=(Address::limits().from(&address)) {
                        strong { "Limits" } span { "How often each operation may be called, and by whom" }
                    }
                }
            }
            @for family in &site.families {
                h2 id=(anchor("family", family.name())) {
                    (here.link(&Address::family(family.name()), &family.family.title))
                }
                p { (sentence(&family.family.doc)) }
                (operations_of(here, &family.operations))
            }
            h2 #documents { "Written from" }
            ul {
                @for document in &api.documents {
                    li {
                        @if site.inputs.documents.contains_key(&document.id) {
                            (here.link(&Address::document(&document.id), &document.title))
                        } @else { (document.title) }
                        " " span.quiet { code { (document.id) } } " " (here.line(document.place))
                        @if let Some((day, _)) = document.aligned { ", compared with changes until " (day) }
                    }
                }
            }
            @if !api.observed.is_empty() {
                (here.statements(&Statements { observed: api.observed.clone(), ..Statements::default() }))
            }
            p.quiet {
                "Programs read " a href="llms.txt" { "llms.txt" } ", " a href="openapi.json" { "OpenAPI" } ", "
                a href="rules.json" { "the rules" } " and " a href="outcomes.json" { "the outcomes as JSON" } "."
            }
        },
        aside: None,
        headings: Vec::new(),
        family: None,
        markdown: None,
        address,
    }
}

pub(super) fn page(site: &Site<'_>, family: &FamilyView<'_>) -> Page {
    let address = Address::family(family.name());
    let here = PageContext { site, page: &address };
    let of = family.family;
    let statements = &of.statements;
    let parts = [
        (true, "operations", "Operations"),
        (!of.limits.is_empty(), "ceilings", "Ceilings"),
        (!of.classes.is_empty(), "classes", "Classes"),
        (!family.rules.is_empty(), "rules", "Rules"),
        (!statements.contradictions.is_empty(), "contradictions", "Contradictions"),
        (!statements.not_shown.is_empty(), "not-shown", "Not shown"),
        (!statements.observed.is_empty(), "observed", "Observed"),
    ];
    Page {
        title: of.title.clone(),
        about: of.doc.clone(),
        main: html! {
            h1 { (of.title) }
            p.lead { (sentence(&of.doc)) }
            @if let Some(source) = &of.source { p.quiet { "From " (here.source(source)) ". " (here.line(of.place)) } }
            h2 #operations { "Operations" }
            (operations_of(here, &family.operations))
            @if !of.limits.is_empty() {
                h2 #ceilings { "Ceilings" }
                (ceilings(here, family))
            }
            @if !of.classes.is_empty() {
                h2 #classes { "Classes" }
                p.quiet { "Rates differ by class; the first class that matches applies." }
                dl.values {
                    @for class in &of.classes {
                        div id=(anchor("class", &class.name)) {
                            dt { code { (class.name) } } dd { (sentence(&class.in_words())) }
                        }
                    }
                }
            }
            @if !family.rules.is_empty() { h2 #rules { "Rules" } (here.rules(&family.rules)) }
            (here.statements(statements))
        },
        aside: None,
        headings: headings(&parts),
        family: Some(family.name().to_owned()),
        markdown: None,
        address,
    }
}

/// Returns ceilings that are not rates.
pub(super) fn ceilings(here: PageContext<'_, '_>, family: &FamilyView<'_>) -> Markup {
    html! {
        ul {
            @for ceiling in &family.family.limits {
                li id=(anchor("ceiling", &ceiling.id)) {
                    strong { (ceiling.n) } " · " (sentence(&ceiling.doc))
                    @if let Some(over) = &ceiling.over {
                        " Counts " @for (index, (value, _)) in over.values.iter().enumerate() {
                            @if index > 0 { ", " } code { (value) }
                        }
                        "."
                    }
                    " " (here.line(ceiling.place))
                }
            }
        }
    }
}

fn operations_of(here: PageContext<'_, '_>, operations: &[OperationView<'_>]) -> Markup {
    html! {
        ul.operations {
            @for view in operations {
                @let operation = view.operation;
                li { a href=(view.address.from(here.page)) {
                    span.verb.(operation.method.as_str().to_lowercase()) { (operation.method.as_str()) }
                    span {
                        strong { (operation.title) } span.quiet { (sentence(&operation.doc)) }
                        code { (operation.path.text) }
                    }
                } }
            }
        }
    }
}

/// Returns the list of the uses of a type, for the margin of its page.
pub(super) fn uses(here: PageContext<'_, '_>, family: &FamilyView<'_>, name: &str) -> Markup {
    let uses: Vec<_> = family.uses_of(name).collect();
    html! {
        @if !uses.is_empty() {
            details.uses {
                summary { "Used in " (count(uses.len(), "place")) }
                ul {
                    @for one in uses {
                        li {
                            a href=(Address::page(one.file.as_str()).at(one.anchor.as_str()).from(here.page)) { (one.text) }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn files(site: &Site<'_>) -> Vec<Page> {
    let mut addresses: Vec<Address> = site.inputs.schema.iter().map(|file| Address::sources(&file.name)).collect();
    addresses.sort_by(|a, b| a.file.cmp(&b.file));
    addresses.dedup();
    addresses.into_iter().map(|address| folder(site, address)).collect()
}

fn folder(site: &Site<'_>, address: Address) -> Page {
    let mut files: Vec<(usize, &SourceFile)> = site.inputs.schema.iter().enumerate().collect();
    files.retain(|(_, file)| Address::sources(&file.name) == address);
    let folder =
        files.first().and_then(|(_, file)| file.name.rsplit_once('/')).map_or("all families", |(folder, _)| folder);
    Page {
        title: format!("Schema: {folder}"),
        about: "The files of the schema, from which this reference is made.".to_owned(),
        main: html! {
            h1 { "Schema: " (folder) }
            p.lead { "The files of the schema, from which this reference is made." }
            @for (index, file) in &files {
                h2 id=(anchor("file", &file.name)) { (file.name) }
                (lines(&file.name, &file.text, |line| {
                    site.is_linked(*index, line).then(|| Address::source(&file.name, line).anchor)
                }))
            }
        },
        aside: None,
        headings: files.iter().map(|(_, file)| (anchor("file", &file.name), file.name.clone())).collect(),
        family: None,
        markdown: None,
        address,
    }
}

/// Returns the documents, if the site has them.
pub(super) fn documents(site: &Site<'_>) -> Vec<Page> {
    let known = site.api.documents.iter();
    let with_text = known.filter_map(|known| Some((known, site.inputs.documents.get(&known.id)?)));
    with_text
        .map(|(known, file)| Page {
            address: Address::document(&known.id),
            title: known.title.clone(),
            about: "A document that this reference is made from.".to_owned(),
            main: html! {
                h1 { (known.title) }
                p.lead { "A document that this reference is made from, line by line." }
                (lines(&known.id, &file.text, |line| {
                    site.is_document_linked(&known.id, line).then(|| format!("line-{line}"))
                }))
            },
            aside: None,
            headings: Vec::new(),
            family: None,
            markdown: None,
        })
        .collect()
}

/// Returns the lines of a file; those that pages link to have anchors. The script adds line numbers.
fn lines(name: &str, text: &str, anchor: impl Fn(usize) -> Option<String>) -> Markup {
    html! {
        div.source tabindex="0" role="region" aria-label=(name) {
            pre { code {
                @for (number, line) in (1..).zip(text.lines()) {
                    @match anchor(number) {
                        Some(anchor) => span id=(anchor) { (CodeText(line)) },
                        None => (CodeText(line)),
                    }
                    "\n"
                }
            } }
        }
    }
}

pub(super) fn lifecycle(site: &Site<'_>, family: &FamilyView<'_>) -> Option<Page> {
    let lifecycle = family.family.lifecycle.as_ref()?;
    let all = lifecycle.states_of(family.family);
    let address = Address::lifecycle(family.name());
    let here = PageContext { site, page: &address };
    Some(Page {
        title: format!("{}: life cycle", family.family.title),
        about: format!("The states of {}, and what leads from one to another.", all.name.wire),
        main: html! {
            p.crumbs { (here.link(&Address::family(family.name()), &family.family.title)) }
            h1 { "Life cycle" }
            p.lead {
                "The states of " (here.link(&Address::types(family.name()).at(anchor("type", &all.name.wire)), &all.name.wire))
                ", and what leads from one to another."
            }
            figure.lifecycle {
                div.scroll tabindex="0" role="region" aria-label="Drawing of the life cycle" { (drawing(here, family, lifecycle)) }
                figcaption.quiet {
                    "Numbers are those of the transitions; their causes are below the drawing. A double frame marks a final state; a dashed line is neither "
                    "shown nor ruled out by the documents."
                }
            }
            h2 #transitions { "Transitions" }
            div.scroll tabindex="0" role="region" aria-label="Transitions" { table.transitions {
                thead {
                    tr {
                        th scope="col" { "#" } th scope="col" { "From" } th scope="col" { "Through" }
                        th scope="col" { "To" } th scope="col" { "When" }
                    }
                }
                tbody { @for (index, one) in lifecycle.transitions.iter().enumerate() {
                    tr id={ "transition-" (index + 1) } data-to=(one.to.as_str()) {
                        th scope="row" { (index + 1) }
                        td.from {
                            @for (index, from) in one.from.iter().enumerate() {
                                @if index > 0 { ", " } code { (from) }
                            }
                        }
                        td.through {
                            @for (index, name) in one.trigger.iter().enumerate() {
                                @if index > 0 { ", " } span.trigger { (here.trigger(family, &name.text)) }
                            }
                        }
                        td.to { code { (one.to.as_str()) } }
                        td {
                            (sentence(&one.condition)) " " span.quiet { (sentence(&one.doc)) }
                            " " (here.line(one.place))
                        }
                    }
                } }
            } }
            h2 #states { "States" }
            dl.values.states { @for state in &lifecycle.states {
                div id=(anchor("state", &state.value)) {
                    dt { code { (state.value) } }
                    dd { (sentence(&state.doc)) @if state.terminal { " " span.tag { "end" } } }
                }
            } }
            @if !lifecycle.never.is_empty() {
                h2 #never { "Ruled out" }
                ul { @for never in &lifecycle.never { li {
                    code { (never.from.join(", ")) }
                    @match &never.what {
                        Exclusion::Becoming(states) => { " never becomes " code { (states.join(", ")) } }
                        Exclusion::Operations(names) => {
                            " is never changed by " @for (index, name) in names.iter().enumerate() {
                                @if index > 0 { ", " } (here.trigger(family, &name.text))
                            }
                        }
                    }
                    ". " (sentence(&never.why)) span.quiet { " " (never.at) } " " (here.line(never.place))
                } } }
            }
        },
        aside: None,
        headings: [("transitions", "Transitions"), ("states", "States"), ("never", "Ruled out")]
            .into_iter()
            .filter(|(id, _)| *id != "never" || !lifecycle.never.is_empty())
            .map(|(id, title)| (id.to_owned(), title.to_owned()))
            .collect(),
        family: Some(family.name().to_owned()),
        markdown: None,
        address,
    })
}

/// Returns the drawing, which escapes its texts itself.
fn drawing(here: PageContext<'_, '_>, family: &FamilyView<'_>, lifecycle: &Lifecycle) -> Markup {
    let links = Links {
        state: &|state| here.page.clone().at(anchor("state", state)).from(here.page),
        transition: &|number| here.page.clone().at(format!("transition-{number}")).from(here.page),
        trigger: &|name| family.operation(name).map(|view| view.address.from(here.page)),
    };
    PreEscaped(emit::draw(family.family, lifecycle, Some(&links)).join("\n"))
}
