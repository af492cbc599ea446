//! The documentation of the crate: a program to begin with, the functions by purpose, observations beyond the documents,
//! and the chapters of the guide as modules that only the documentation has.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{File, Item, ident};
use super::docs::{Docs, cell, code, escape};
use super::{batches, module_name, pages, rules};
use crate::compiler::emit::Layout;
use crate::compiler::model::{Api, Chapter, Effect, Family, Operation, Program};

/// Purposes common to all APIs, each with the functions of the emitted client and what explains them.
const TASKS: &[(&str, &str, Subject)] = &[
    (
        "learn the outcome of a request without an answer",
        "[`place_and_confirm`](Client::place_and_confirm)",
        Subject::UnknownOutcomes,
    ),
    ("store each change before it is sent", "[`journal`](runtime::ClientBuilder::journal)", Subject::Journal),
    ("resolve what a crash left open", "[`recover`](Client::recover)", Subject::Journal),
    ("compare the account with what was sent", "[`reconcile`](Client::reconcile)", Subject::Reconciliation),
    ("list everything, over any length of time", "[`pages`](Client::pages)", Subject::PagesAndBatches),
    ("send more items than one call takes", "[`batch`](Client::batch)", Subject::PagesAndBatches),
    ("retry what is safe to repeat", "[`retrying`](Client::retrying)", Subject::UnknownOutcomes),
    ("wait for rate limits, or not", "[`limits`](runtime::ClientBuilder::limits)", Subject::RateLimits),
    ("see every call", "[`metrics`](runtime::ClientBuilder::metrics), the feature `tracing`", Subject::Transports),
    ("call without async", "the feature `blocking`", Subject::Transports),
];

/// Returns the attributes of the root file.
pub(super) fn crate_docs(api: &Api) -> TokenStream {
    let mut top = Docs::new(&api.doc, &api.name);
    let program = api.examples.split_first().map(|(first, others)| {
        top.heading("Getting started");
        top.prose(&first.shows);
        let (top, rest) = (top.inner(), rest(api, others).inner());
        let path = format!("../examples/{}.rs", first.name);
        // The program is compiled and run as an example of the crate.
        quote! {
            #top
            #![doc = ""]
            #![doc = " ```no_run"]
            #![doc = include_str!(#path)]
            #![doc = " ```"]
            #![doc = ""]
            #rest
        }
    });
    program.unwrap_or_else(|| {
        let (top, rest) = (top.inner(), rest(api, &[]).inner());
        quote!(#top #![doc = ""] #rest)
    })
}

fn rest(api: &Api, programs: &[Program]) -> Docs {
    let mut docs = Docs::default();
    if !programs.is_empty() {
        docs.markdown("More programs are in the folder `examples`:");
        for program in programs {
            docs.entry(&format!("{}: {}", code(&program.name), escape(&program.shows)));
        }
    }
    add(&mut docs, api);
    search_words(&mut docs, api);
    markets(&mut docs, api);
    docs.heading("Features");
    let observed = api.families.iter().filter(|family| family.is_observed()).map(|family| code(&family.name));
    let observed = observed.collect::<Vec<_>>().join(", ");
    let off = if observed.is_empty() { observed } else { format!(" except {observed}") };
    docs.markdown(&format!(
        "Each family is a feature, and `hyper` is the default transport; all of these are on by default{off}. Other \
         transports, calls without async, a journal, rate limits over Redis, serde and tracing are [features of the \
         runtime](runtime#features). The feature `cli` adds a program with a command for each operation, and `mcp` its \
         command for assistants.",
    ));
    families(&mut docs, api);
    documents(&mut docs, api);
    docs
}

/// Adds every operation with search words, and the other functions of a client.
fn search_words(docs: &mut Docs, api: &Api) {
    docs.heading("I want to …");
    docs.gap();
    docs.line("| I want to … | with |".to_owned());
    docs.line("|---|---|".to_owned());
    let mut search_words: Vec<(&str, Vec<String>)> = Vec::new();
    for (family, operation) in api.operations() {
        let Some((word, _)) = operation.called.first() else { continue };
        let link = link(family, operation);
        match search_words.iter_mut().find(|(other, _)| other == word) {
            Some((_, links)) => links.push(link),
            None => search_words.push((word, vec![link])),
        }
    }
    search_words.sort_by_key(|(word, _)| *word);
    let common = TASKS.iter().map(|(word, with, subject)| {
        let chapter = subject.link(api, Layout::Crate, "").map(|chapter| format!("guide: {chapter}"));
        (*word, [(*with).to_owned()].into_iter().chain(chapter).collect())
    });
    for (word, links) in search_words.into_iter().chain(common) {
        docs.line(format!("| {} | {} |", cell(&escape(word)), links.join(", ")));
    }
}

/// Returns the function of an operation. That of an observed family has no link, because its feature is off by default.
fn link(family: &Family, operation: &Operation) -> String {
    let (module, function) = (module_name(&family.name), &operation.function);
    if family.is_observed() {
        return format!("`{module}().{function}`, with the feature `{}`", family.name);
    }
    format!("[`{module}().{function}`]({module}::{}::{function})", family.rust)
}

fn markets(docs: &mut Docs, api: &Api) {
    if api.markets.is_empty() {
        return;
    }
    docs.heading("Practice and live");
    docs.markdown("The address is always explicit, and a client of [`Client::builder`] trades live there.");
    for market in &api.markets {
        docs.entry(&format!("[`Client::{}`]: {}", market.name, escape(&market.doc)));
    }
}

fn families(docs: &mut Docs, api: &Api) {
    docs.heading("Families");
    docs.markdown(
        "Each operation is a type of requests, with its method, path, limits, rules and answer. \
         [`Client::call`] sends any of them, and each family has a function for each of its operations.",
    );
    docs.gap();
    for family in &api.families {
        let module = module_name(&family.name);
        let count = family.operations.len();
        let operations = if count == 1 { "operation" } else { "operations" };
        let (link, note) = match family.is_observed() {
            true => (code(&module), ". They are observed, in no document, and their feature is off by default."),
            false => (format!("[`{module}`]"), ""),
        };
        docs.entry(&format!("{link}, {count} {operations}: {}{note}", escape(&family.title)));
    }
}

fn documents(docs: &mut Docs, api: &Api) {
    docs.heading("Documents");
    docs.gap();
    for document in &api.documents {
        docs.entry(&format!("{}: {}", code(&document.id), escape(&document.title)));
    }
    if api.observed.is_empty() {
        return;
    }
    docs.fold("Observed on the wire, in no document");
    for observation in &api.observed {
        let says = escape(observation.says.trim_end_matches('.'));
        docs.entry(&format!("{says}. ({})", escape(&observation.sources.join(", "))));
    }
    docs.unfold();
}

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
        (layout == Layout::Crate).then(|| chapter_link(chapter, root))
    }
}

/// Returns `guide.rs`: a module for each chapter. The links between chapters are defined ahead of each, because the
/// first definition of a name counts, and those in a chapter lead to files.
pub(super) fn chapters(api: &Api) -> File {
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

/// Adds the section of the crate's documentation that lists the chapters.
pub(super) fn add(docs: &mut Docs, api: &Api) {
    if api.guide.is_empty() {
        return;
    }
    docs.heading("Guide");
    docs.gap();
    for chapter in &api.guide {
        docs.entry(&format!("{}: {}", chapter_link(chapter, ""), super::docs::escape(&chapter.explains)));
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

fn chapter_link(chapter: &Chapter, root: &str) -> String {
    format!("[{}]({root}guide::{})", chapter.name.replace('-', " "), module(chapter))
}

fn module(chapter: &Chapter) -> String {
    super::module_name(&chapter.name)
}
