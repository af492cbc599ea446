//! The files of the schema, with a page for each folder, and the documents, so that statements can link to their lines.

use maud::{Markup, html};

use super::address::{Address, anchor};
use super::code::CodeText;
use super::inputs::SourceFile;
use super::page::Page;
use super::view::Site;

pub(super) fn pages(site: &Site<'_>) -> Vec<Page> {
    let mut addresses: Vec<Address> = site.inputs.schema.iter().map(|file| Address::sources(&file.name)).collect();
    addresses.sort_by(|a, b| a.file.cmp(&b.file));
    addresses.dedup();
    addresses.into_iter().map(|address| page(site, address)).collect()
}

fn page(site: &Site<'_>, address: Address) -> Page {
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

/// The documents, if the site has them.
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

/// The lines of a file; those that pages link to have anchors. The script adds line numbers.
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
