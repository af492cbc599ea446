//! Pages over the whole API: tables of errors, limits, rules and names, and the changes since another revision.

use std::collections::BTreeMap;

use super::address::{Address, Anchors, anchor};
use super::page::Page;
use super::pieces::{self, KINDS, PageContext, capital, in_words, proves, sentence, to_do};
use super::search;
use super::view::{Access, CodeOutcome, ErrorCode, FamilyView, OperationView, Parameter, RuleView, Site};
use crate::tools::diff::{Change, Class, Diff};
use maud::{Markup, html};

pub(super) fn errors(site: &Site<'_>) -> Page {
    let address = Address::errors();
    let here = PageContext { site, page: &address };
    let mut anchors = Anchors::default();
    Page {
        title: "Errors".to_owned(),
        about: "What each code shows about the request it answers, and what to do.".to_owned(),
        main: html! {
            h1 { "Errors" }
            p.lead {
                "What each code shows about the request it answers, and what to do. What a call that changes something "
                "comes to when no code arrives is in "
                (here.link(&Address::concept("unknown-outcomes"), "Unknown outcomes")) "."
            }
            (filter("codes", "Filter codes", &[]))
            @for family in site.largest_first() {
                h2 id=(anchor("family", family.name())) { (family.family.title) }
                @for error in &family.family.errors {
                    section.entry.code data-filter="" id=(anchors.of(&format!("code-{}", family.name()), &error.code)) {
                        h3 { code { (error.code) } " " span.text { (error.text) } (here.line(error.place)) }
                        p { (sentence(&error.doc)) }
                        @if !error.success {
                            p { strong { (proves(error.proof.proves)) } }
                        }
                        @if let Some(source) = &error.source { p.quiet { "From " (here.source(source)) "." } }
                        (occurs(here, family, error))
                    }
                }
            }
            (observed(here))
        },
        aside: None,
        headings: headings(site),
        family: None,
        markdown: None,
        address,
    }
}

/// Returns the operations that can return a code, by what it shows about their requests.
fn occurs(here: PageContext<'_, '_>, family: &FamilyView<'_>, error: &ErrorCode) -> Markup {
    let with = |verdict: CodeOutcome| family.operations.iter().filter(move |view| view.verdict(error) == verdict);
    let groups = [
        CodeOutcome::Unknown,
        CodeOutcome::UnknownWhenCompound,
        CodeOutcome::NotDone,
        CodeOutcome::Done,
        CodeOutcome::Nothing,
    ];
    html! {
        @for verdict in groups {
            @if with(verdict).next().is_some() {
                p { (pieces::verdict(verdict)) " " (to_do(verdict, error.proof.proves)) }
                details.uses {
                    summary { (pieces::count(with(verdict).count(), "operation")) " of " (family.family.title) }
                    p {
                        @for (index, view) in with(verdict).enumerate() {
                            @if index > 0 { ", " }
                            a href=(view.address.from(here.page)) { code { (view.operation.name) } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the codes that no document lists, with the families whose operations return them.
fn observed(here: PageContext<'_, '_>) -> Markup {
    let codes = &here.site.api.codes;
    let mut anchors = Anchors::default();
    html! {
        @if !codes.is_empty() {
            h2 #observed { "Seen by others" }
            @if !here.site.api.codes_doc.is_empty() { p { (sentence(&here.site.api.codes_doc)) } }
            p {
                (pieces::count(codes.len(), "code"))
                " that no document lists for these families. Where a document describes a code, the document wins; "
                "where sources do not agree, a code shows nothing."
            }
            div.scroll tabindex="0" role="region" aria-label="Codes seen by others" { table.observed {
                thead {
                    tr {
                        th scope="col" { "Code" } th scope="col" { "Shows" } th scope="col" { "What it says" }
                        th scope="col" { "Families" } th scope="col" { "Sources" }
                    }
                }
                tbody { @for code in codes {
                    tr data-filter="" id=(anchors.of("observed", &code.code)) {
                        th scope="row" { (code.code) }
                        td { (in_words(code.proof.proves.as_str())) br; small { (code.proof.stage.as_str()) } }
                        td { (code.says) }
                        td {
                            @for (index, family) in here.site.families.iter().filter(|family| code.is_of(family.family)).enumerate() {
                                @if index > 0 { ", " } (family.name())
                            }
                        }
                        td {
                            (code.sources.join(", ")) " " small { "(" (code.certainty.as_str()) ")" }
                            " " (here.line(code.place))
                        }
                    }
                } }
            } }
        }
    }
}

pub(super) fn limits(site: &Site<'_>) -> Page {
    let address = Address::limits();
    let here = PageContext { site, page: &address };
    Page {
        title: "Limits".to_owned(),
        about: "How often each operation may be called, and by whom.".to_owned(),
        main: html! {
            h1 { "Limits" }
            p.lead {
                "How often each operation may be called, and by whom. Each row is a limit of its own. "
                (here.link(&Address::limits().at("permissions"), "Permissions")) " of a key are below."
            }
            @for family in &site.families {
                h2 id=(anchor("family", family.name())) { (family.family.title) }
                div.scroll tabindex="0" role="region" aria-label={ "Limits of " (family.family.title) } { table.limits {
                    thead {
                        tr {
                            th scope="col" { "Operation" } th scope="col" { "Rate" }
                            th scope="col" { "For each" } th scope="col" { "Class" }
                            th scope="col" { "Items in a call" } th scope="col" { "Effect" }
                        }
                    }
                    tbody { @for view in &family.operations { @for rate in &view.operation.rates {
                        tr {
                            th scope="row" {
                                a href=(view.address.clone().at("limits").from(&address)) {
                                    (view.operation.title)
                                }
                                br; code.quiet { (view.operation.name) }
                            }
                            td {
                                (rate.pace_in_words())
                                @if let Some(of) = &rate.of_pool { "; takes " (of) }
                            } td { (rate.scope.as_str()) }
                            td { (class(here, family, rate.own_class())) }
                            td { (items(view)) }
                            td { (view.operation.effect.as_str()) }
                        }
                    } } }
                } }
                @if !family.family.limits.is_empty() {
                    h3 { "Ceilings that are not rates" }
                    (super::families::ceilings(here, family))
                }
            }
            (permissions(here))
        },
        aside: None,
        headings: headings(site).into_iter().chain([("permissions".to_owned(), "Permissions".to_owned())]).collect(),
        family: None,
        markdown: None,
        address,
    }
}

/// Returns how many items the lists of a request may have.
fn items(view: &OperationView<'_>) -> Markup {
    let most = |parameter: &Parameter| Some((parameter.name.wire.clone(), parameter.max_items?.0));
    let lists: Vec<_> = view.operation.body.parameters().iter().filter_map(most).collect();
    html! {
        @for (index, (name, most)) in lists.iter().enumerate() {
            @if index > 0 { ", " } "at most " (most) " " code { (name) }
        }
    }
}

/// Returns the permission that the key needs for each operation.
fn permissions(here: PageContext<'_, '_>) -> Markup {
    let mut by_permission: BTreeMap<&str, Vec<&OperationView<'_>>> = BTreeMap::new();
    for (_, view) in here.site.operations() {
        let without = if view.operation.access == Access::Public { "none: public" } else { "not stated" };
        by_permission.entry(view.operation.permission.as_deref().unwrap_or(without)).or_default().push(view);
    }
    html! {
        h2 #permissions { "Permissions" }
        div.scroll tabindex="0" role="region" aria-label="Permissions" { table.permissions {
            thead { tr { th scope="col" { "The key needs" } th scope="col" { "Operations" } } }
            tbody { @for (permission, views) in &by_permission {
                tr {
                    th scope="row" { (permission) }
                    td { @for (index, view) in views.iter().enumerate() {
                        @if index > 0 { ", " }
                        a href=(view.address.from(here.page)) { (view.operation.title) }
                        @if view.operation.whitelisted { " (white list)" }
                    } }
                }
            } }
        } }
    }
}

/// Returns a class, linked to its definition.
fn class(here: PageContext<'_, '_>, family: &FamilyView<'_>, name: Option<&str>) -> Markup {
    let is_described = |name: &str| family.family.classes.iter().any(|class| class.name == name);
    html! {
        @match name {
            Some(name) if is_described(name) => (here.link(&Address::family(family.name()).at(anchor("class", name)), name)),
            Some(name) => (name),
            None => span.quiet { "everyone" },
        }
    }
}

/// Returns a field that filters by words, and boxes for kinds. The script shows it.
fn filter(of: &str, label: &str, kinds: &[(&str, &str)]) -> Markup {
    html! {
        form.filter role="search" data-of=(of) hidden {
            label.unseen for={ "filter-" (of) } { (label) }
            input type="search" id={ "filter-" (of) } placeholder=(label) autocomplete="off" spellcheck="false";
            @if !kinds.is_empty() {
                fieldset {
                    legend.unseen { "Kinds" }
                    @for (kind, title) in kinds {
                        label { input type="checkbox" name="kind" value=(kind) checked; span { (title) } }
                    }
                }
            }
            p.quiet role="status" {}
        }
    }
}

pub(super) fn rules(site: &Site<'_>) -> Page {
    let address = Address::rules();
    let kinds: Vec<_> = KINDS.iter().map(|(kind, title, _)| (kind.as_str(), *title)).collect();
    let of_families = site.families.iter().map(|family| (Address::family(family.name()), family.name(), &family.rules));
    let of_operations =
        site.operations().map(|(_, view)| (view.address.clone(), view.operation.id.as_str(), &view.rules));
    let all: Vec<_> = of_families.chain(of_operations).collect();
    let rows = |kind: &str| {
        all.iter().flat_map(|(_, _, rules)| rules.iter()).filter(|rule| rule.kind.as_str() == kind).count()
    };
    Page {
        title: "Rules".to_owned(),
        about: "Every rule of the documents, and how it is enforced.".to_owned(),
        main: html! {
            h1 { "Rules" }
            p.lead { "Every rule of the documents, and how it is enforced." }
            dl.values {
                @for (kind, title, meaning) in KINDS {
                    div { dt { (title) " " span.number { (rows(kind.as_str())) } } dd { (meaning) } }
                }
            }
            (filter("rules", "Filter rules", &kinds))
            div.scroll tabindex="0" role="region" aria-label="Rules" { table.book {
                thead { tr { th scope="col" { "Rule" } th scope="col" { "What it says" } th scope="col" { "Kind" } } }
                @for (page, about, rules) in &all { @if !rules.is_empty() {
                    tbody data-about=(about) {
                        tr.about { th colspan="3" scope="rowgroup" { a href=(page.from(&address)) { (about) } } }
                        @for rule in rules.iter() { (row(&address, page, rule)) }
                    }
                } }
            } }
        },
        aside: None,
        headings: Vec::new(),
        family: None,
        markdown: None,
        address,
    }
}

fn row(here: &Address, page: &Address, rule: &RuleView<'_>) -> Markup {
    html! {
        tr data-filter=(rule.kind.as_str()) {
            td { a href=(page.clone().at(rule.anchor.as_str()).from(here)) { (rule.id) } }
            td {
                (sentence(&rule.says)) @if rule.warns { " " span.tag.warn { "warns only" } }
            }
            td { (rule.kind.as_str()) }
        }
    }
}

/// Returns an index of all names, for readers without scripts.
pub(super) fn names(site: &Site<'_>) -> Page {
    let address = Address::names();
    let mut by_letter: BTreeMap<String, BTreeMap<String, Vec<search::IndexEntry>>> = BTreeMap::new();
    for entry in search::entries(site).into_iter().filter(search::IndexEntry::is_name) {
        let letter = entry.title.chars().find(|c| c.is_alphanumeric());
        let letter = letter.map_or_else(|| "Others".to_owned(), |c| c.to_uppercase().collect());
        by_letter.entry(letter).or_default().entry(entry.title.clone()).or_default().push(entry);
    }
    Page {
        title: "All names".to_owned(),
        about: "Every operation, parameter, field, value, type and code by its name.".to_owned(),
        main: html! {
            h1 { "All names" }
            p.lead { "Every operation, parameter, type and code by its name." }
            p.letters { @for letter in by_letter.keys() { a href={ "#" (anchor("letter", letter)) } { (letter) } " " } }
            @for (letter, names) in &by_letter {
                h2 id=(anchor("letter", letter)) { (letter) }
                dl.names { @for (name, entries) in names { div {
                    dt { code { (name) } }
                    dd {
                        @for (index, entry) in entries.iter().enumerate() {
                            @if index > 0 { ", " } a href=(entry.address.from(&address)) { (entry.place) }
                            " " (entry.kind)
                        }
                    }
                } } }
            }
        },
        aside: None,
        headings: Vec::new(),
        family: None,
        markdown: None,
        address,
    }
}

/// Returns a heading for each family.
fn headings(site: &Site<'_>) -> Vec<(String, String)> {
    site.families.iter().map(|family| (anchor("family", family.name()), family.family.title.clone())).collect()
}

/// The differences from an older schema, and its name.
#[derive(Clone, Copy)]
pub(crate) struct Baseline<'a> {
    pub(crate) revision: &'a str,
    pub(crate) diff: &'a Diff,
}

const CLASSES: [(Class, &str); 4] = [
    (Class::Breaking, "Breaking"),
    (Class::Behaviour, "Behaviour"),
    (Class::Additive, "Added"),
    (Class::Documentation, "Documentation"),
];

pub(super) fn changes(site: &Site<'_>, since: Baseline<'_>) -> Page {
    let address = Address::changes();
    let classes = || CLASSES.into_iter().filter(|(class, _)| since.diff.count(*class) > 0);
    let id = |title: &str| title.to_lowercase();
    Page {
        title: "Changes".to_owned(),
        about: format!("What changed since {}.", since.revision),
        main: html! {
            h1 { "Changes" }
            p.lead {
                "What changed in " (site.api.name) " since " code { (since.revision) }
                ", by what it does to code that uses it."
            }
            @if since.diff.differences.is_empty() { p { "Nothing differs." } }
            @for (class, title) in classes() {
                h2 id=(id(title)) { (title) " " span.number { (since.diff.count(class)) } }
                ul.changes { @for one in since.diff.of(class) { li {
                    p {
                        (capital(one.kind))
                        " " @for (index, subject) in one.subjects.iter().enumerate() {
                            @if index > 0 { ", " } code { (subject) }
                        }
                        @match &one.change {
                            Change::Added => " was added.",
                            Change::Removed => " was removed.",
                            Change::Changed { what, .. } => { ": " (what) " changed." }
                        }
                    }
                    @if let Change::Changed { old, new, .. } = &one.change {
                        dl.before-after {
                            @if !old.is_empty() { div { dt { "Before" } dd { del { (old) } } } }
                            @if !new.is_empty() { div { dt { "Now" } dd { ins { (new) } } } }
                        }
                    }
                    @if !one.means.is_empty() { p.quiet { (pieces::sentence(&capital(&one.means))) } }
                } } }
            }
        },
        aside: None,
        headings: classes().map(|(_, title)| (id(title), title.to_owned())).collect(),
        family: None,
        markdown: None,
        address,
    }
}
