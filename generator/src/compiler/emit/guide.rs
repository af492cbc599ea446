//! The chapters of the guide, as modules that only the documentation of a crate has, and the links of items to them.

use quote::quote;

use super::code::{File, Item, ident};
use super::docs::Docs;
use super::{batches, pages, rules};
use crate::compiler::emit::Layout;
use crate::compiler::model::{Api, Chapter, Effect, Operation};

/// A subject of emitted items. Each links to the chapter that explains it, if the API has one with this name.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    Checks,
    CommandLine,
    Journal,
    PagesAndBatches,
    RateLimits,
    Reconciliation,
    Transports,
    UnknownOutcomes,
}

impl Subject {
    const fn chapter(self) -> &'static str {
        match self {
            Self::Checks => "checks",
            Self::CommandLine => "command-line",
            Self::Journal => "journal",
            Self::PagesAndBatches => "pages-and-batches",
            Self::RateLimits => "rate-limits",
            Self::Reconciliation => "reconciliation",
            Self::Transports => "transports",
            Self::UnknownOutcomes => "unknown-outcomes",
        }
    }

    /// Returns a link to its chapter from an item of a crate; `root` is the path from there to the root, such as
    /// `super::`.
    pub(super) fn link(self, api: &Api, layout: Layout, root: &str) -> Option<String> {
        let chapter = api.guide.iter().find(|chapter| chapter.name == self.chapter())?;
        (layout == Layout::Crate).then(|| link(chapter, root))
    }
}

/// `guide.rs`: a module for each chapter. The links between chapters are defined ahead of each, because the first
/// definition of a name counts, and those in a chapter lead to files.
pub(super) fn emit(api: &Api) -> File {
    let chapters = api.guide.iter().map(|chapter| {
        let docs = Docs::new(&chapter.explains, &chapter.name).outer();
        let (module, path) = (ident(&module(chapter)), format!("../guide/{}.md", chapter.name));
        quote! {
            #docs
            #[doc = ""]
            #[doc = include_str!("../guide/links.md")]
            #[doc = ""]
            #[doc = include_str!(#path)]
            pub mod #module {}
        }
    });
    let top =
        Docs::new("The guide. Its chapters are modules without items, which are compiled for documentation only.", "");
    File::new(top.inner(), chapters.map(Item::Code))
}

/// The section of the crate's documentation that lists the chapters.
pub(super) fn add(docs: &mut Docs, api: &Api) {
    if api.guide.is_empty() {
        return;
    }
    docs.heading("Guide");
    docs.gap();
    for chapter in &api.guide {
        docs.entry(&format!("{}: {}", link(chapter, ""), super::docs::escape(&chapter.explains)));
    }
}

/// Returns the entry in the documentation of an operation: the chapters about what a call of it involves.
pub(super) fn entry(api: &Api, operation: &Operation, layout: Layout) -> Option<String> {
    let subjects = [
        (operation.effect != Effect::Read).then_some(Subject::UnknownOutcomes),
        rules::checked(operation).next().map(|_| Subject::Checks),
        (pages::is_followed(operation) || batches::entry(operation).is_some()).then_some(Subject::PagesAndBatches),
        (!operation.rates.is_empty()).then_some(Subject::RateLimits),
    ];
    let links = subjects.into_iter().flatten().filter_map(|subject| subject.link(api, layout, "super::super::"));
    let links: Vec<_> = links.collect();
    (!links.is_empty()).then(|| format!("**Guide:** {}", links.join(", ")))
}

fn link(chapter: &Chapter, root: &str) -> String {
    format!("[{}]({root}guide::{})", chapter.name.replace('-', " "), module(chapter))
}

fn module(chapter: &Chapter) -> String {
    super::module_name(&chapter.name)
}
