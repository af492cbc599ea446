//! Pages as a browser reads them.

use scraper::{ElementRef, Html, Selector};
use tradeapi_gen::Site;

/// A page as a browser reads it.
pub(super) struct Page {
    pub(super) html: Html,
}

impl Page {
    pub(super) fn of(site: &Site, file: &str) -> Self {
        let text = site.files.get(file).unwrap_or_else(|| panic!("the site has no {file}"));
        Self { html: Html::parse_document(text) }
    }

    pub(super) fn all(&self, selector: &str) -> Vec<ElementRef<'_>> {
        self.html.select(&parsed(selector)).collect()
    }

    pub(super) fn texts(&self, selector: &str) -> Vec<String> {
        self.all(selector).into_iter().map(text).collect()
    }
}

fn parsed(selector: &str) -> Selector {
    Selector::parse(selector).unwrap_or_else(|error| panic!("{selector}: {error}"))
}

pub(super) fn within<'a>(element: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    element.select(&parsed(selector)).collect()
}

/// Returns the elements right below one, below a list of elements of these names or classes.
pub(super) fn below<'a>(element: ElementRef<'a>, class: &str) -> Vec<ElementRef<'a>> {
    element.child_elements().filter(|child| child.value().classes().any(|one| one == class)).collect()
}

pub(super) fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn text_of(page: &Page) -> String {
    text(page.html.root_element())
}
