//! The search index: names, codes, rules, and words that people use for them.

use serde_json::{Value, json};

use super::address::{Address, anchor, encode};
use super::concepts;
use super::page::CONCEPTS;
use super::pieces::sentence;
use super::view::{FamilyView, OperationView, Site};
use crate::compiler::model::{Family, Name, Operation};

/// Separates a text from the further words in [`entries`].
const WORDS: &str = "\n";

/// Separates the words by which people call an operation, which count like its title, from further ones.
const CALLED: &str = "||";

/// The weight of what no document describes, by which documented entries come first among equals.
const OBSERVED: f64 = 0.7;

/// An entry of the index.
#[derive(Clone, Debug)]
pub(super) struct IndexEntry {
    pub(super) title: String,
    pub(super) kind: &'static str,
    /// Where it is, in words.
    pub(super) place: String,
    /// The description.
    pub(super) text: String,
    /// Further names and words by which it is found, separated by `|`.
    words: String,
    pub(super) address: Address,
    /// The factor of its rank; `None` for 1.
    weight: Option<f64>,
}

impl IndexEntry {
    /// Returns whether it is a name rather than a sentence.
    pub(super) fn is_name(&self) -> bool {
        !matches!(self.kind, "rule" | "concept")
    }
}

/// Returns all entries, in the order of the pages.
pub(super) fn entries(site: &Site<'_>) -> Vec<IndexEntry> {
    let mut to = Entries::default();
    to.concepts(site);
    for family in site.largest_first() {
        to.codes(family);
    }
    for family in &site.families {
        to.weight = family.family.is_observed().then_some(OBSERVED);
        to.family(site, family);
        to.types(family);
        for view in &family.operations {
            to.operation(family, view);
        }
    }
    to.weight = None;
    for code in &site.api.codes {
        let address = Address::errors().at(anchor("observed", &code.code));
        to.add(&code.code, "observed code", "Errors", code.says.clone(), address);
    }
    to.found
}

#[derive(Default)]
struct Entries {
    found: Vec<IndexEntry>,
    /// The weight of the entries that are added.
    weight: Option<f64>,
}

impl Entries {
    fn add(&mut self, title: &str, kind: &'static str, place: &str, text: String, address: Address) {
        let (text, words) = text.split_once(WORDS).unwrap_or((&text, ""));
        let (title, place, text, words) = (title.to_owned(), place.to_owned(), text.to_owned(), words.to_owned());
        self.found.push(IndexEntry { title, kind, place, text, words, address, weight: self.weight });
    }

    fn concepts(&mut self, site: &Site<'_>) {
        for (concept, words) in CONCEPTS.iter().zip(concepts::words(site)) {
            let text = format!("{}{WORDS}{}|{words}", concept.about, concept.called);
            self.add(concept.title, "concept", "", text, Address::concept(concept.file));
        }
        for (title, about) in [
            ("Rate limits", "How often each operation may be called, and by whom."),
            ("Batch sizes", "How many orders, or other items, a call may have."),
        ] {
            self.add(title, "concept", "", about.to_owned(), Address::limits());
        }
        for market in &site.api.markets {
            let text = format!("{}{WORDS}sandbox|testnet|paper trading|practice|simulated", market.doc);
            self.add(&format!("The market {}", market.name), "concept", "", text, Address::concept("signing"));
        }
        let websockets = "Not supported: the reference has requests over HTTP and their answers.";
        let text = format!("{websockets}{WORDS}websocket|ws|wss|socket|stream|streaming|subscribe|subscription|push");
        self.add("Websockets", "concept", "", text, Address::home());
        let permissions = "The permission that the key needs for each operation.".to_owned();
        self.add("Permissions", "concept", "", permissions, Address::limits().at("permissions"));
    }

    fn codes(&mut self, family: &FamilyView<'_>) {
        for error in &family.family.errors {
            let address = Address::errors().at(anchor(&format!("code-{}", family.name()), &error.code));
            let text = format!("{} {}", sentence(&error.text), error.doc);
            self.add(&error.code, "code", &family.family.title, text, address);
        }
    }

    fn family(&mut self, site: &Site<'_>, family: &FamilyView<'_>) {
        let title = family.family.title.as_str();
        self.add(title, "family", &site.api.name, family.family.doc.clone(), Address::family(family.name()));
        for rule in &family.rules {
            let address = Address::family(family.name()).at(rule.anchor.as_str());
            self.add(&rule.id, "rule", title, rule.says.clone(), address);
        }
    }

    fn types(&mut self, family: &FamilyView<'_>) {
        let Family { title, enums, identifiers, choices, records, .. } = family.family;
        let mut add = |name: &Name, kind, text| {
            let address = Address::types(family.name()).at(anchor("type", &name.wire));
            self.add(&name.wire, kind, title, text, address);
        };
        for one in enums {
            let values = one.values.iter().map(|value| format!("{}: {}", value.name.wire, value.doc));
            add(&one.name, "values", with_parts(&one.doc, values));
        }
        for one in identifiers {
            add(&one.name, "identifier", one.doc.clone());
        }
        for one in choices {
            add(&one.name, "choice", one.doc.clone());
        }
        for one in records.iter().filter(|one| !one.is_abstract) {
            let fields = one.fields.iter().map(|field| format!("{} {}", field.name.wire, field.doc));
            add(&one.name, "record", with_parts(&one.doc, fields));
        }
    }

    fn operation(&mut self, family: &FamilyView<'_>, view: &OperationView<'_>) {
        let (operation, page, title) = (view.operation, &view.address, family.family.title.as_str());
        self.add(&operation.title, "operation", title, of_operation(operation), page.clone());
        for rate in operation.rates.iter().filter(|rate| rate.own_class().is_some()) {
            let text = format!("{rate}. How many calls a second; rate limit of {} of {}", operation.title, rate.class);
            let name = format!("{}: limit for {}", operation.title, rate.class);
            self.add(&name, "limit", title, text, page.clone().at("limits"));
        }
        // Operations of several families share their titles.
        let place = format!("{}, {title}", operation.title);
        for one in view.all_parameters() {
            let address = page.clone().at(one.anchor.as_str());
            self.add(one.name, "parameter", &place, one.doc.to_owned(), address);
        }
        for rule in view.rules.iter().filter(|rule| rule.is_written) {
            let address = page.clone().at(rule.anchor.as_str());
            self.add(&rule.id, "rule", &place, rule.says.clone(), address);
        }
    }
}

/// Returns what a type is, and what it consists of.
fn with_parts(doc: &str, parts: impl Iterator<Item = String>) -> String {
    format!("{} {}", sentence(doc), parts.collect::<Vec<_>>().join(" "))
}

/// Returns what an operation does, and the words by which it is found.
fn of_operation(operation: &Operation) -> String {
    let rates = operation.rates.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut text = format!("{}{WORDS}{}|{}|{rates}", sentence(&operation.doc), operation.name, operation.path.text);
    if !operation.rates.is_empty() {
        text.push_str(" rate limit");
    }
    if operation.window.is_some() || operation.history.is_some() {
        text.push_str(" how far back time range history kept");
    }
    text.push_str(&format!(" {} repeat again", operation.effect.as_str()));
    if let Some(permission) = &operation.permission {
        text.push_str(&format!("|{permission}"));
    }
    let called = operation.called.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join("|");
    text + CALLED + &called
}

/// Returns the index as a script, because a page opened as a file must not fetch anything: numbered pages, then rows.
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
        let IndexEntry { title, kind, place, text, words, address, weight } = entry;
        let page = number(Address::page(address.file.as_str()).below_root());
        let mut row = vec![json!(title), json!(kind), json!(place), json!(text), json!(page)];
        row.extend([json!(encode(&address.anchor)), json!(words)]);
        row.extend(weight.map(|weight| json!(weight)));
        Value::from(row).to_string()
    });
    let rows = rows.collect::<Vec<_>>().join(",\n");
    format!("window.sitePages = {};\nwindow.siteIndex = [\n{rows}\n];\n", json!(pages))
}
