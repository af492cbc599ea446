//! The documentation of the crate: a program to begin with, the functions by purpose, and observations beyond the
//! documents.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{Docs, cell, code, escape};
use super::guide::Subject;
use super::{guide, module_name};
use crate::compiler::emit::Layout;
use crate::compiler::model::{Api, Family, Operation, Program};

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
    guide::add(&mut docs, api);
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

/// Every operation with search words, and the other functions of a client.
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
