//! The search index: names, codes, rules, and words that people use for them.

use serde_json::json;

use super::address::{Address, anchor, encode};
use super::concepts;
use super::page::CONCEPTS;
use super::pieces::sentence;
use super::view::Site;

/// Separates a text from the further words in [`entries`].
const WORDS: &str = "\n";

/// An entry of the index.
#[derive(Clone, Debug)]
pub(super) struct IndexEntry {
    pub(super) title: String,
    pub(super) kind: &'static str,
    /// Where it is, in words.
    pub(super) place: String,
    /// Its description.
    pub(super) text: String,
    /// Further names and words by which it is found, separated by `|`.
    words: String,
    pub(super) address: Address,
    /// Whether it is a name rather than a sentence.
    pub(super) is_name: bool,
}

/// All entries, in the order of the pages.
pub(super) fn entries(site: &Site<'_>) -> Vec<IndexEntry> {
    let mut found = Vec::new();
    let mut add = |title: &str, kind, place: &str, text: String, address| {
        let is_name = !matches!(kind, "rule" | "concept");
        let (text, words) = text.split_once(WORDS).unwrap_or((&text, ""));
        let (title, place) = (title.to_owned(), place.to_owned());
        found.push(IndexEntry { title, kind, place, text: text.to_owned(), words: words.to_owned(), address, is_name });
    };
    for (concept, words) in CONCEPTS.iter().zip(concepts::words(site)) {
        let text = format!("{}{WORDS}{words}", concept.about);
        add(concept.title, "concept", "", text, Address::concept(concept.file));
    }
    for (title, about) in [
        ("Rate limits", "How often each operation may be called, and by whom."),
        ("Batch sizes", "How many items a call may have."),
    ] {
        add(title, "concept", "", about.to_owned(), Address::limits());
    }
    let permissions = "The permission that the key needs for each operation.".to_owned();
    add("Permissions", "concept", "", permissions, Address::limits().at("permissions"));
    for family in site.largest_first() {
        let title = family.family.title.as_str();
        for error in &family.family.errors {
            let address = Address::errors().at(anchor(&format!("code-{}", family.name()), &error.code));
            add(&error.code, "code", title, format!("{} {}", sentence(&error.text), error.doc), address);
        }
    }
    for family in &site.families {
        let title = family.family.title.as_str();
        add(title, "family", &site.api.name, family.family.doc.clone(), Address::family(family.name()));
        for rule in &family.rules {
            let address = Address::family(family.name()).at(rule.anchor.as_str());
            add(&rule.id, "rule", title, rule.says.clone(), address);
        }
        let of_types = |name: &str| Address::types(family.name()).at(anchor("type", name));
        for one in &family.family.enums {
            let values =
                one.values.iter().map(|value| format!("{}: {}", value.name.wire, value.doc)).collect::<Vec<_>>();
            add(
                &one.name.wire,
                "values",
                title,
                format!("{} {}", sentence(&one.doc), values.join(" ")),
                of_types(&one.name.wire),
            );
        }
        for one in &family.family.identifiers {
            add(&one.name.wire, "identifier", title, one.doc.clone(), of_types(&one.name.wire));
        }
        for one in &family.family.choices {
            add(&one.name.wire, "choice", title, one.doc.clone(), of_types(&one.name.wire));
        }
        for one in family.family.records.iter().filter(|one| !one.is_abstract) {
            let fields =
                one.fields.iter().map(|field| format!("{} {}", field.name.wire, field.doc)).collect::<Vec<_>>();
            add(
                &one.name.wire,
                "record",
                title,
                format!("{} {}", sentence(&one.doc), fields.join(" ")),
                of_types(&one.name.wire),
            );
        }
        for view in &family.operations {
            let (operation, page) = (view.operation, &view.address);
            let rates = operation.rates.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let mut text =
                format!("{}{WORDS}{}|{}|{rates}", sentence(&operation.doc), operation.name, operation.path.text);
            if operation.window.is_some() || operation.history.is_some() {
                text.push_str(" how far back time range history");
            }
            text.push_str(&format!(" {} repeat again", operation.effect.as_str()));
            for word in operation.called.iter().map(|(word, _)| word).chain(&operation.permission) {
                text.push_str(&format!("|{word}"));
            }
            add(&operation.title, "operation", title, text, page.clone());
            for rate in operation.rates.iter().filter(|rate| rate.own_class().is_some()) {
                let text =
                    format!("{rate}. How many calls a second; rate limit of {} of {}", operation.title, rate.class);
                add(
                    &format!("{}: limit for {}", operation.title, rate.class),
                    "limit",
                    title,
                    text,
                    page.clone().at("limits"),
                );
            }
            for one in view.all_parameters() {
                add(one.name, "parameter", &operation.title, one.doc.to_owned(), page.clone().at(one.anchor.as_str()));
            }
            for rule in view.rules.iter().filter(|rule| rule.is_written) {
                let says = rule.says.clone();
                add(&rule.id, "rule", &operation.title, says, page.clone().at(rule.anchor.as_str()));
            }
        }
    }
    for code in &site.api.codes {
        let address = Address::errors().at(anchor("observed", &code.code));
        add(&code.code, "observed code", "Errors", code.says.clone(), address);
    }
    found
}

/// The index as a script, because a page opened as a file must not fetch anything: numbered pages, then rows.
pub(super) fn script(site: &Site<'_>) -> String {
    let mut pages: Vec<String> = Vec::new();
    let mut number = |file: String| match pages.iter().position(|page| *page == file) {
        Some(number) => number,
        None => {
            pages.push(file);
            pages.len() - 1
        }
    };
    let rows = entries(site).into_iter().map(|entry| {
        let IndexEntry { title, kind, place, text, words, address, is_name: _ } = entry;
        let page = number(Address::page(address.file.as_str()).below_root());
        json!([title, kind, place, text, page, encode(&address.anchor), words]).to_string()
    });
    let rows = rows.collect::<Vec<_>>().join(",\n");
    format!("window.sitePages = {};\nwindow.siteIndex = [\n{rows}\n];\n", json!(pages))
}
