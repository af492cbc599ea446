//! The lifecycle of a family as a drawing, with its transitions by number.

use maud::{Markup, PreEscaped, html};

use super::address::{Address, anchor};
use super::page::Page;
use super::pieces::{PageContext, sentence};
use super::view::{Exclusion, FamilyView, Lifecycle, Site};
use crate::compiler::emit::{self, Links};

pub(super) fn page(site: &Site<'_>, family: &FamilyView<'_>) -> Option<Page> {
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
                    tr id={ "transition-" (index + 1) } data-to=(one.to) {
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
                        td.to { code { (one.to) } }
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
