//! Addresses on the site: files, anchors, and links between pages.

use std::collections::BTreeSet;

use percent_encoding::utf8_percent_encode;
use tradeapi_words::escapes::{NOT_IN_QUERIES, RESERVED};

/// A page, or a position on one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The file, relative to the folder of the site.
    pub(super) file: String,
    /// The anchor on the page; empty for the page itself.
    pub(super) anchor: String,
}

impl Address {
    pub(super) fn page(file: impl Into<String>) -> Self {
        Self { file: file.into(), anchor: String::new() }
    }

    pub(super) fn operation(family: &str, operation: &str) -> Self {
        Self::page(format!("operations/{family}/{operation}.html"))
    }

    /// Returns the address of an operation as Markdown.
    pub(super) fn markdown(family: &str, operation: &str) -> Self {
        Self::page(format!("operations/{family}/{operation}.md"))
    }

    pub(super) fn family(family: &str) -> Self {
        Self::page(format!("families/{family}.html"))
    }

    pub(super) fn types(family: &str) -> Self {
        Self::page(format!("types/{family}.html"))
    }

    pub(super) fn lifecycle(family: &str) -> Self {
        Self::page(format!("lifecycles/{family}.html"))
    }

    /// Returns the page with the files of one folder of the schema.
    pub(super) fn sources(file: &str) -> Self {
        let folder = file.rsplit_once('/').map_or("index", |(folder, _)| folder);
        Self::page(format!("schema/{folder}.html"))
    }

    /// Creates a line of a file of the schema.
    pub(super) fn source(file: &str, line: usize) -> Self {
        let name = file.rsplit('/').next().unwrap_or(file);
        Self::sources(file).at(format!("{name}-{line}"))
    }

    /// Returns the page of a document.
    pub(super) fn document(id: &str) -> Self {
        Self::page(format!("documents/{id}.html"))
    }

    pub(super) fn concept(name: &str) -> Self {
        Self::page(format!("concepts/{name}.html"))
    }

    pub(super) fn errors() -> Self {
        Self::page("errors.html")
    }

    pub(super) fn limits() -> Self {
        Self::page("limits.html")
    }

    pub(super) fn rules() -> Self {
        Self::page("rules.html")
    }

    pub(super) fn counterparts() -> Self {
        Self::page("counterparts.html")
    }

    pub(super) fn home() -> Self {
        Self::page("index.html")
    }

    /// Creates an index of all names, for readers without scripts.
    pub(super) fn names() -> Self {
        Self::page("names.html")
    }

    pub(super) fn changes() -> Self {
        Self::page("changes.html")
    }

    pub(super) fn at(mut self, anchor: impl Into<String>) -> Self {
        self.anchor = anchor.into();
        self
    }

    /// Returns the link to it from a page.
    pub(super) fn from(&self, page: &Self) -> String {
        if page.file == self.file && !self.anchor.is_empty() {
            return self.fragment();
        }
        let folder = page.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        match self.file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) {
            Some(beside) if !folder.is_empty() => format!("{}{}", encoded(beside), self.fragment()),
            Some(_) | None => format!("{}{}", root(page), self.below_root()),
        }
    }

    /// Returns the link to it, relative to the folder of the site.
    pub(super) fn below_root(&self) -> String {
        format!("{}{}", encoded(&self.file), self.fragment())
    }

    fn fragment(&self) -> String {
        if self.anchor.is_empty() { String::new() } else { format!("#{}", encode(&self.anchor)) }
    }
}

fn encoded(file: &str) -> String {
    file.split('/').map(encode).collect::<Vec<_>>().join("/")
}

/// Returns the folder of the site, relative to a page.
pub(super) fn root(page: &Address) -> String {
    "../".repeat(page.file.matches('/').count())
}

/// Returns a part of a link, of a path or of a form, escaped.
pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Returns a name or a value in a query, escaped where it has to be.
pub(super) fn encode_in_query(text: &str) -> String {
    utf8_percent_encode(text, NOT_IN_QUERIES).to_string()
}

/// Returns the anchor of a name: a prefix, and the letters and digits of the name.
pub(super) fn anchor(word: &str, name: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() || ".-_".contains(c) { c } else { '-' };
    let name: String = name.replace("[]", "").chars().map(letter).collect();
    format!("{word}-{}", name.trim_start_matches('.'))
}

/// The anchors of one page, which are distinct.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    taken: BTreeSet<String>,
}

impl Anchors {
    /// Returns the anchor of a name, with a number if the anchor is already in use.
    pub(super) fn of(&mut self, word: &str, name: &str) -> String {
        let first = anchor(word, name);
        let numbered = (2..).map(|n: u32| format!("{first}.{n}"));
        let free = std::iter::once(first.clone()).chain(numbered).find(|anchor| !self.taken.contains(anchor));
        let free = free.unwrap_or(first);
        self.taken.insert(free.clone());
        free
    }
}
