//! The page for programs that move from one family to another: each operation with its counterpart, and each parameter
//! with what it becomes.

use maud::{Markup, html};

use super::address::{Address, anchor};
use super::page::Page;
use super::pieces::{PageContext, sentence};
use super::text::MarkdownPage;
use super::view::{CounterpartView, FamilyView, OperationView, Site};

/// The subject of the page, for lists of pages.
pub(super) const ABOUT: &str = "Which operation of another family does the same, and what becomes of each parameter.";

/// Returns the page; none for an API that states no counterparts.
pub(super) fn page(site: &Site<'_>) -> Option<Page> {
    let families: Vec<_> = families(site).collect();
    if families.is_empty() {
        return None;
    }
    let address = Address::counterparts();
    let here = PageContext { site, page: &address };
    let title = |family: &FamilyView<'_>| format!("From {}", family.family.title);
    Some(Page {
        title: "Counterparts".to_owned(),
        about: ABOUT.to_owned(),
        main: html! {
            h1 { "Counterparts" }
            p.lead { (ABOUT) }
            @for family in &families {
                h2 id=(anchor("family", family.name())) { (title(family)) }
                (overview(here, family))
                @for view in &family.operations { @if let Some(counterpart) = &view.counterpart {
                    (section(here, view, counterpart))
                } }
            }
        },
        aside: None,
        headings: families.iter().map(|family| (anchor("family", family.name()), title(family))).collect(),
        family: None,
        markdown: None,
        address,
    })
}

/// Returns whether the site has the page.
pub(super) fn has_page(site: &Site<'_>) -> bool {
    families(site).next().is_some()
}

fn families<'s, 'a>(site: &'s Site<'a>) -> impl Iterator<Item = &'s FamilyView<'a>> {
    site.families.iter().filter(|family| family.operations.iter().any(|view| view.counterpart.is_some()))
}

/// Returns the operations of a family, each with its counterpart.
fn overview(here: PageContext<'_, '_>, family: &FamilyView<'_>) -> Markup {
    let views = || family.operations.iter().filter_map(|view| Some((view, view.counterpart.as_ref()?)));
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Counterparts of " (family.family.title) } { table {
            thead { tr { th scope="col" { "Operation" } th scope="col" { "Counterpart" } } }
            tbody { @for (view, counterpart) in views() {
                tr {
                    th scope="row" { a href={ "#" (anchor("operation", &view.operation.id)) } { (view.operation.title) } }
                    td { (in_short(here, counterpart)) }
                }
            } }
        } }
    }
}

/// Returns the counterpart as a link, or the reason that there is none.
pub(super) fn in_short(here: PageContext<'_, '_>, counterpart: &CounterpartView<'_>) -> Markup {
    html! {
        @match counterpart {
            CounterpartView::None(why) => { strong { "None. " } (sentence(why)) }
            CounterpartView::Operation { id, title, address, .. } => {
                a href=(address.from(here.page)) { (title) } " " code.quiet { (id) }
            }
        }
    }
}

fn section(here: PageContext<'_, '_>, view: &OperationView<'_>, counterpart: &CounterpartView<'_>) -> Markup {
    let operation = view.operation;
    html! {
        section.entry {
            h3 id=(anchor("operation", &operation.id)) {
                a href=(view.address.from(here.page)) { (operation.title) }
                " " code.quiet { (operation.id) } (here.line(operation.place))
            }
            p { (in_short(here, counterpart)) }
            @if let CounterpartView::Operation { rows, differs, .. } = counterpart {
                div.scroll tabindex="0" role="region" aria-label={ "Parameters of " (operation.id) } { table {
                    thead { tr { th scope="col" { "Parameter" } th scope="col" { "Becomes" } } }
                    tbody { @for [what, becomes] in rows { tr { th scope="row" { (what) } td { (becomes) } } } }
                } }
                @if !differs.is_empty() {
                    p { "Differences that remain:" }
                    ul { @for says in differs { li { (sentence(says)) } } }
                }
            }
        }
    }
}

/// Writes the same for the page of an operation as Markdown.
pub(super) fn as_text(out: &mut MarkdownPage, counterpart: &CounterpartView<'_>) {
    let CounterpartView::Operation { id, title: _, address: _, rows, differs } = counterpart else { return };
    out.heading(2, &format!("Counterpart: {id}"));
    rows.iter().for_each(|[what, becomes]| out.entry(what, becomes));
    differs.iter().for_each(|says| out.entry("Differs", &sentence(says)));
}
