//! The API as a site for people: pages without external requests that are readable without scripts, and files for
//! programs.
//!
//! 1. **view**: the parts of the model that the pages show, such as each rule with its proof and each type with its
//!    uses.
//! 2. **pages**: a module for each kind of page. maud makes the markup, so that no text of the schema becomes a part of
//!    it.
//! 3. **files**: pages, style sheet, script, Markdown and JSON in memory, for `write`.
//!
//! Scripts are optional: languages of examples are radio buttons, the search is a link to an index, and filters stay
//! hidden until the script is there. The index is a script, not JSON, because a page that is opened as a file may not
//! fetch anything. Documents and tests come from outside: the schema names sections, a line is found in the documents
//! where the reader has them, and a test in a list that the project keeps.
//!
//! A proof is a refused request and a merge patch, because two whole requests hide the difference and took a third of
//! the site. An operation's page has the fields of its answer in short; their values are with the types, once.

mod address;
mod code;
mod concepts;
mod counterparts;
mod families;
mod operation;
mod outcome;
mod page;
mod parameters;
mod pieces;
mod search;
mod tables;
mod text;
mod types;
mod view;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

pub(crate) use tables::Baseline;
pub use view::RuleTests;
pub(crate) use view::{DocumentFile, SiteInputs, SourceFile};

use crate::compiler::diagnostics::{Diagnostics, is_invisible};
use crate::compiler::model::Api;
use crate::compiler::write::{self, Kind, Report};
use crate::tools::compare::{Difference, compare};
use crate::tools::rules::Case;
use page::{Neighbour, Page};

/// The kind of folder that the site is written to.
const KIND: Kind = Kind { endings: &["html", "css", "js", "json", "md", "txt"], is_alone: true };

/// A schema as a site: files by name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Site {
    /// The files by their names relative to the folder of the site.
    pub files: BTreeMap<String, String>,
}

/// Makes the site of a schema; `since` adds the changes since another revision.
pub(crate) fn site(api: &Api, cases: &[Case], inputs: &SiteInputs, since: Option<Baseline<'_>>) -> Site {
    let site = view::Site::new(api, inputs, cases);
    let pages = pages(&site, since);
    let mut files = BTreeMap::new();
    let ends: Vec<_> =
        pages.iter().map(|page| Neighbour { title: page.title.clone(), address: page.address.clone() }).collect();
    for (index, page) in pages.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| ends.get(index));
        let text = page::draw(&site, page, since.is_some(), (before, ends.get(index + 1)));
        files.insert(page.address.file.clone(), text);
    }
    for (family, view) in site.operations() {
        let address = address::Address::markdown(family.name(), &view.operation.name);
        files.insert(address.file, text::page(&site, family, view));
    }
    let outcomes = super::outcomes(api);
    let others = [
        ("site.css", include_str!("site/site.css").to_owned()),
        ("site.js", include_str!("site/site.js").to_owned()),
        ("search.js", search::script(&site)),
        ("llms.txt", text::llms(&site)),
        ("rules.json", text::rules(&site)),
        ("openapi.json", compact(&super::openapi(api).text)),
        ("outcomes.json", compact(&outcomes.text)),
        ("outcomes.schema.json", outcomes.schema.to_owned()),
    ];
    files.extend(others.map(|(name, text)| (name.to_owned(), text)));
    Site { files: files.into_iter().map(|(name, text)| (name, visible(&text))).collect() }
}

/// Returns the pages in reading order.
fn pages(site: &view::Site<'_>, since: Option<Baseline<'_>>) -> Vec<Page> {
    let mut pages = vec![families::home(site)];
    pages.extend(concepts::pages(site));
    for family in &site.families {
        pages.push(families::page(site, family));
        pages.extend(family.operations.iter().map(|view| operation::page(site, family, view)));
        pages.push(types::page(site, family));
        pages.extend(families::lifecycle(site, family));
    }
    pages.extend([tables::errors(site), tables::limits(site), tables::rules(site), tables::names(site)]);
    pages.extend(counterparts::page(site));
    pages.extend(since.map(|since| tables::changes(site, since)));
    // Last, because the other pages determine which lines have links.
    pages.extend(families::documents(site));
    pages.extend(families::files(site));
    pages
}

/// Returns JSON without whitespace.
fn compact(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json).map_or_else(|_| json.to_owned(), |value| value.to_string())
}

/// Returns the text without characters that are invisible or change the text direction.
fn visible(text: &str) -> String {
    let mend = |c: char| if is_invisible(c) && c != '\n' { '\u{fffd}' } else { c };
    text.chars().map(mend).collect()
}

impl Site {
    /// Makes a folder hold exactly the site.
    ///
    /// # Errors
    /// Fails if the folder has a file that the generator did not write, or if a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Report, Diagnostics> {
        write::write(folder, &self.files, &KIND)
    }

    /// Returns what [`Site::write`] would change; writes nothing.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn compare(&self, folder: &Path) -> Result<Vec<Difference>, Diagnostics> {
        compare(folder, &self.files, &KIND)
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: usize = self.files.values().map(String::len).sum();
        write!(f, "{} files, {} kB", self.files.len(), bytes / 1000)
    }
}
