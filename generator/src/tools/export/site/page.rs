//! The frame of every page: its head, the bar at the top, the list of pages at the side, and links to its neighbours.

use maud::{DOCTYPE, Markup, html};

use super::address::{Address, root};
use super::counterparts;
use super::view::Site;

/// A page on a topic that concerns many operations.
pub(super) struct Concept {
    pub(super) file: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    /// Other words that people search for it by, separated by `|`.
    pub(super) called: &'static str,
}

const fn concept(file: &'static str, title: &'static str, about: &'static str, called: &'static str) -> Concept {
    Concept { file, title, about, called }
}

pub(super) const CONCEPTS: [Concept; 7] = [
    concept("signing", "Signing", "Headers, credentials and what is signed", "authentication|signature|api key"),
    concept(
        "account",
        "Account",
        "What rules need to know about an account, and about what it trades",
        "account properties|position mode|hedge mode|one-way mode",
    ),
    concept(
        "time",
        "Time",
        "Timestamps, time ranges and how far back data goes",
        "time range|clock|history|timestamp expired",
    ),
    concept("ids", "Ids", "Identifiers, and ids of your own", "client id|order id|duplicate id"),
    concept(
        "unknown-outcomes",
        "Unknown outcomes",
        "Whether a change has happened, and how to find out",
        "retry|repeat|idempotent|idempotency|timeout|lost answer|exactly once",
    ),
    concept(
        "paging",
        "Paging and batches",
        "Lists that come in pages, and requests with several items",
        "pagination|cursor|next page|bulk",
    ),
    concept(
        "quantities",
        "Quantities and units",
        "Numbers on the wire, and the unit of each quantity",
        "precision|decimals|base coin|quote coin",
    ),
];

/// A page of the site.
pub(super) struct Page {
    pub(super) address: Address,
    pub(super) title: String,
    /// A summary in one sentence.
    pub(super) about: String,
    pub(super) main: Markup,
    /// The examples beside it.
    pub(super) aside: Option<Markup>,
    /// The headings of the page, for the list beside it.
    pub(super) headings: Vec<(String, String)>,
    /// The family that it belongs to; the list of pages shows the operations of this family only.
    pub(super) family: Option<String>,
    /// The address of the page as Markdown, if there is one.
    pub(super) markdown: Option<Address>,
}

/// A link at the end of a page.
pub(super) struct Neighbour {
    pub(super) title: String,
    pub(super) address: Address,
}

/// Draws a page.
pub(super) fn draw(
    site: &Site<'_>,
    page: &Page,
    has_changes: bool,
    neighbours: (Option<&Neighbour>, Option<&Neighbour>),
) -> String {
    let here = &page.address;
    let asset = |name: &str| format!("{}{name}", root(here));
    let title =
        if page.title == site.api.name { page.title.clone() } else { format!("{} · {}", page.title, site.api.name) };
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="description" content=(page.about);
                title { (title) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(asset("site.css"));
                @if let Some(markdown) = &page.markdown {
                    link rel="alternate" type="text/markdown" href=(markdown.from(here));
                }
                script src=(asset("site.js")) {}
            }
            body data-root=(root(here)) {
                a.skip href="#content" { "Skip to the content" }
                header.bar {
                    a.brand href=(Address::home().from(here)) {
                        span.mark aria-hidden="true" {} (site.api.name) span.quiet { "Reference" }
                    }
                    a.find #find href=(Address::names().from(here)) { span { "Search" } kbd hidden { "/" } }
                    nav.top aria-label="Reference" {
                        a href=(Address::rules().from(here)) { "Rules" }
                        a href=(Address::errors().from(here)) { "Errors" }
                        a href=(Address::limits().from(here)) { "Limits" }
                    }
                    button.theme #theme type="button" hidden aria-label="Dark theme" aria-pressed="false" {}
                }
                div.frame {
                    details.side #side open {
                        summary { "All pages" }
                        (contents(site, page, has_changes))
                    }
                    main #content tabindex="-1" class=(if page.aside.is_some() { "with-aside" } else { "plain" }) {
                        article {
                            (page.main)
                        }
                        @if let Some(aside) = &page.aside {
                            div.aside { (aside) }
                        } @else if page.headings.len() > 2 {
                            nav.toc aria-label="On this page" {
                                p { "On this page" }
                                ul {
                                    @for (anchor, title) in &page.headings {
                                        li { a href={ "#" (anchor) } { (title) } }
                                    }
                                }
                            }
                        }
                        footer.ends {
                            @if let Some(before) = neighbours.0 {
                                a.before rel="prev" href=(before.address.from(here)) {
                                    small { "Previous" } (before.title)
                                }
                            }
                            @if let Some(after) = neighbours.1 {
                                a.after rel="next" href=(after.address.from(here)) { small { "Next" } (after.title) }
                            }
                        }
                    }
                }
            }
        }
    };
    let mut text = markup.into_string();
    text.push('\n');
    text
}

/// Returns the list of pages, in which only the family of the current page is open.
fn contents(site: &Site<'_>, page: &Page, has_changes: bool) -> Markup {
    let here = &page.address;
    let link = |address: &Address, title: &str| {
        let current = (address.file == here.file).then_some("page");
        html! { a href=(address.from(here)) aria-current=[current] { (title) } }
    };
    html! {
        nav.contents aria-label="Pages" {
            ul {
                li { (link(&Address::home(), "Overview")) }
                @for concept in &CONCEPTS { li { (link(&Address::concept(concept.file), concept.title)) } }
            }
            @for family in &site.families {
                p.group { (link(&Address::family(family.name()), &family.family.title)) }
                @if page.family.as_deref().map_or(site.families.len() == 1, |open| open == family.name()) {
                    ul {
                        @for view in &family.operations {
                            @let current = (view.address.file == here.file).then_some("page");
                            li {
                                a href=(view.address.from(here)) aria-current=[current] data-verb=(view.operation.method.as_str()) {
                                    (view.operation.title)
                                }
                            }
                        }
                        li { (link(&Address::types(family.name()), "Types")) }
                        @if family.family.lifecycle.is_some() {
                            li { (link(&Address::lifecycle(family.name()), "Life cycle")) }
                        }
                    }
                }
            }
            p.group { "Reference" }
            ul {
                li { (link(&Address::errors(), "Errors")) }
                li { (link(&Address::limits(), "Limits")) }
                li { (link(&Address::rules(), "Rules")) }
                @if counterparts::has_page(site) { li { (link(&Address::counterparts(), "Counterparts")) } }
                li { (link(&Address::names(), "All names")) }
                @if has_changes { li { (link(&Address::changes(), "Changes")) } }
            }
        }
    }
}

/// Returns the headings of the parts of a page; each part has a flag for whether it exists, an anchor and a title.
pub(super) fn headings(parts: &[(bool, &str, &str)]) -> Vec<(String, String)> {
    parts.iter().filter(|(is, ..)| *is).map(|(_, id, title)| ((*id).to_owned(), (*title).to_owned())).collect()
}
