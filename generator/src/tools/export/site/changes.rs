//! The page of changes since another revision.

use maud::html;

use super::address::Address;
use super::page::Page;
use super::pieces::{self, capital};
use super::view::Site;
use crate::tools::diff::{Change, Class, Diff};

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

pub(super) fn page(site: &Site<'_>, since: Baseline<'_>) -> Page {
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
