//! The files of the schema, a page for each folder, so that everything can be linked to the line that says it.

use std::fmt::Write;

use maud::{Markup, html};

use super::address::{Address, anchor};
use super::code::Text;
use super::page::Page;
use super::view::{Site, SourceFile};

pub(super) fn pages(site: &Site<'_>) -> Vec<Page> {
    let mut addresses: Vec<Address> = site.sources.iter().map(|file| Address::sources(&file.name)).collect();
    addresses.sort_by(|a, b| a.file.cmp(&b.file));
    addresses.dedup();
    addresses.into_iter().map(|address| page(site, address)).collect()
}

fn page(site: &Site<'_>, address: Address) -> Page {
    let mut files: Vec<(usize, &SourceFile)> = site.sources.iter().enumerate().collect();
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
                (lines(site, *index, file))
            }
        },
        aside: None,
        headings: files.iter().map(|(_, file)| (anchor("file", &file.name), file.name.clone())).collect(),
        family: None,
        markdown: None,
        address,
    }
}

/// The numbers of the lines, and beside them the lines; those that pages link to have an anchor.
fn lines(site: &Site<'_>, index: usize, file: &SourceFile) -> Markup {
    let numbered = || (1..).zip(file.text.lines());
    let numbers = numbered().fold(String::new(), |mut numbers, (number, _)| {
        let _ = writeln!(numbers, "{number}");
        numbers
    });
    html! {
        div.source tabindex="0" role="region" aria-label=(file.name) {
            pre aria-hidden="true" { (numbers) }
            pre { code {
                @for (number, line) in numbered() {
                    @if site.is_linked(index, number) {
                        span id=(Address::source(&file.name, number).anchor) { (Text(line)) }
                    }
                    @else { (Text(line)) }
                    "\n"
                }
            } }
        }
    }
}
