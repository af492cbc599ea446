//! Files for programs that read text: operations as Markdown, the list of pages, and the rules as JSON. Page and text are
//! two forms of one view, which the text takes apart member by member, so that a new one does not compile until it is
//! shown or left out on purpose.

use std::fmt::Write;

use serde_json::{Value, json};

use super::address::Address;
use super::page::CONCEPTS;
use super::pieces::{self, sentence};
use super::view::{
    Case, ExampleView, FamilyView, Intent, Operation, OperationView, Response, RuleView, Site, Source, Statements,
};
use super::{code, counterparts, outcome, parameters};

/// Returns the operation as Markdown. It says what the page says, in a line for each fact, without links, proofs and
/// forms.
pub(super) fn page(site: &Site<'_>, family: &FamilyView<'_>, view: &OperationView<'_>) -> String {
    let OperationView { operation, address: _, parameters, answer, counterpart, rules, examples } = view;
    let mut out = MarkdownPage::default();
    in_short(&mut out, site, family, operation);
    out.heading(2, "Parameters");
    parameters::blocks_as_text(&mut out, 0, parameters);
    out.heading(2, "Answer");
    out.prose(match &operation.response {
        Response::Object { .. } => "An object.",
        Response::Array { .. } => "A list of objects.",
        Response::Page { .. } => "A page of a list of objects.",
        Response::Undefined => "It is not documented.",
    });
    family.cases_of_answer(operation).iter().for_each(|(ty, told_by)| out.item(0, &format!("{}: {told_by}", ty.name)));
    parameters::fields_as_text(&mut out, 0, answer);
    outcome::as_text(&mut out, site, family, view);
    counterpart.iter().for_each(|counterpart| counterparts::as_text(&mut out, counterpart));
    rules_as_text(&mut out, rules);
    statements_as_text(&mut out, &operation.statements);
    intents_as_text(&mut out, &operation.intents);
    for (index, example) in examples.iter().enumerate() {
        example_as_text(&mut out, site, operation, example, index == 0);
    }
    out.finish()
}

/// Writes what the page states before its first parameter: the keys of the operation, in the words of `explain`.
fn in_short(out: &mut MarkdownPage, site: &Site<'_>, family: &FamilyView<'_>, operation: &Operation) {
    out.heading(1, &operation.title);
    out.prose(&sentence(&operation.doc));
    out.code("http", &format!("{} {}", operation.method.as_str(), operation.path.text));
    for key in operation.keys(family.family).iter().filter(|key| !key.says.is_empty()) {
        out.entry(key.name, &key.says);
    }
    out.entry("family", &family.family.title);
    operation.counterpart.iter().for_each(|counterpart| out.entry("counterpart", &counterpart.in_short()));
    operation.source.iter().for_each(|source| out.entry("source", &source_in_words(site, source)));
}

fn rules_as_text(out: &mut MarkdownPage, rules: &[RuleView<'_>]) {
    out.heading(2, "Rules");
    for rule in rules.iter().filter(|rule| rule.is_written) {
        let (says, why) = (sentence(&rule.says), rule.why.map(sentence).unwrap_or_default());
        let unsupported = match rule.unsupported.as_slice() {
            [] => String::new(),
            names => format!(" Not supported here: {}.", names.join(", ")),
        };
        let warns = if rule.warns { ", warns only" } else { "" };
        out.entry(&rule.id, &format!("({}{warns}; {}) {says} {why}{unsupported}", rule.kind.as_str(), rule.at));
    }
}

fn statements_as_text(out: &mut MarkdownPage, statements: &Statements) {
    let Statements { rules: _, not_shown, contradictions, observed } = statements;
    if !contradictions.is_empty() {
        out.heading(2, "Contradictions");
    }
    for one in contradictions {
        let readings = one.readings.join(" / ");
        out.entry(&one.id, &format!("{readings} Chosen: {} {}", sentence(&one.chosen), sentence(&one.why)));
    }
    if !not_shown.is_empty() {
        out.heading(2, "Not shown in the documents");
    }
    not_shown.iter().for_each(|open| out.item(0, &open.says.0));
    if !observed.is_empty() {
        out.heading(2, "Observed on the wire, in no document");
    }
    observed.iter().for_each(|seen| out.entry(&seen.id, &format!("{} ({})", seen.says, seen.sources.join(", "))));
}

fn intents_as_text(out: &mut MarkdownPage, intents: &[Intent]) {
    if !intents.is_empty() {
        out.heading(2, "Intents");
    }
    for intent in intents {
        let set: Vec<_> = intent.set.iter().map(|one| format!("{} {}", one.name, one.text)).collect();
        out.entry(&intent.id, &format!("{} Sets {}.", sentence(&intent.says), set.join(", ")));
    }
}

/// Writes a request with its answer; the first one with programs that send it.
fn example_as_text(
    out: &mut MarkdownPage,
    site: &Site<'_>,
    operation: &Operation,
    example: &ExampleView<'_>,
    has_programs: bool,
) {
    let ExampleView { about, request, response, calls } = example;
    out.heading(2, &format!("Example: {about}"));
    out.code("json", &code::spaced_json(&code::parsed(request)));
    out.prose("Answer:");
    out.code("json", &code::spaced_json(&code::parsed(response)));
    if !has_programs {
        return;
    }
    if let Some(calls) = calls {
        out.code("rust", &calls.asynchronous);
    }
    if let Some(curl) = code::curl(site.api, operation, request) {
        out.code("sh", &curl);
    }
}

/// Returns the document and the section of a statement.
fn source_in_words(site: &Site<'_>, source: &Source) -> String {
    let document = site.api.document_title(source.document());
    source.section().map_or_else(|| document.to_owned(), |section| format!("{document}, section {section}"))
}

/// Returns the pages as a list, in the form of <https://llmstxt.org>.
pub(super) fn llms(site: &Site<'_>) -> String {
    let mut out = MarkdownPage::default();
    let link = |title: &str, address: &Address, about: &str| {
        format!("- [{}]({}): {}", escaped(title), address.below_root(), escaped(&sentence(about)))
    };
    out.heading(1, &site.api.name);
    out.raw(&format!("> {}", escaped(&site.api.doc)));
    for family in &site.families {
        out.heading(2, &family.family.title);
        for view in &family.operations {
            let address = Address::markdown(family.name(), &view.operation.name);
            out.raw(&link(&view.operation.title, &address, &view.operation.doc));
        }
        out.raw(&link("Types", &Address::types(family.name()), "Values, identifiers, choices and records"));
    }
    out.heading(2, "Concepts");
    for concept in &CONCEPTS {
        out.raw(&link(concept.title, &Address::concept(concept.file), concept.about));
    }
    out.heading(2, "Reference");
    out.raw(&link("Errors", &Address::errors(), "What each code shows about the request it answers"));
    out.raw(&link("Limits", &Address::limits(), "How often each operation may be called, and by whom"));
    if counterparts::has_page(site) {
        out.raw(&link("Counterparts", &Address::counterparts(), counterparts::ABOUT));
    }
    out.raw(&link("Rules as JSON", &Address::page("rules.json"), "Every rule with requests that break and keep it"));
    out.raw(&link(
        "Outcomes as JSON",
        &Address::page("outcomes.json"),
        "What each end of a call proves about a change",
    ));
    out.raw(&link("OpenAPI", &Address::page("openapi.json"), "The API as OpenAPI 3.1"));
    out.finish()
}

/// Returns the rules of each family and operation, with their places and proofs. A proof turns the request of the
/// operation into a refused and into an accepted one, each as a merge patch whose longer lists are cut.
pub(super) fn rules(site: &Site<'_>) -> String {
    let of_families = site.families.iter().map(|family| (family.name(), &family.rules));
    let of_operations = site.operations().map(|(_, view)| (view.operation.id.as_str(), &view.rules));
    let groups = of_families.chain(of_operations).map(|(about, rules)| {
        let base = rules.iter().find_map(pieces::example_cases).map(|(_, accepted)| code::parsed(&accepted.request));
        let rows: Vec<_> = rules.iter().map(|rule| row(site, rule, base.as_ref()).to_string()).collect();
        let request = base.map(|base| format!("\"request\":{base},\n")).unwrap_or_default();
        format!("{}:{{{request}\"rules\":[\n{}\n]}}", Value::from(about), rows.join(",\n"))
    });
    format!("{{{}}}\n", groups.collect::<Vec<_>>().join(",\n"))
}

fn row(site: &Site<'_>, rule: &RuleView<'_>, base: Option<&Value>) -> Value {
    let (file, line) = site.source_of(rule.place).unwrap_or_default();
    let mut row = json!({
        "rule": rule.id, "kind": rule.kind.as_str(), "says": rule.says, "at": rule.at, "line": format!("{file}:{line}"),
    });
    let cases = pieces::example_cases(rule).zip(base);
    let documents: Vec<_> =
        site.lines_of(rule).filter_map(|(_, line)| line).map(|(id, line)| format!("{id}:{line}")).collect();
    let optional = [
        ("documents", Some(Value::from(documents)).filter(|lines| lines != &json!([]))),
        ("test", rule.test_of.map(|test| format!("{} {}:{}", test.name, test.file, test.line).into())),
        ("warns", rule.warns.then_some(Value::Bool(true))),
        ("why", rule.why.map(Value::from)),
        ("condition", Some(Value::from(rule.test.as_str())).filter(|_| !rule.test.is_empty())),
        ("refused", cases.map(|((refused, _), base)| example_cases(base, refused))),
        ("accepted", cases.map(|((_, accepted), base)| example_cases(base, accepted))),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            row[name] = value;
        }
    }
    row
}

/// Returns the changes that turn a request into one that tests a rule, and what the caller states about the account.
fn example_cases(base: &Value, case: &Case) -> Value {
    let mut shown = json!({ "change": code::brief(&code::patch(base, &code::parsed(&case.request))) });
    if case.account != "{}" {
        shown["account"] = code::parsed(&case.account);
    }
    shown
}

/// A page under construction.
#[derive(Debug, Default)]
pub(super) struct MarkdownPage {
    text: String,
    in_list: bool,
}

impl MarkdownPage {
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        self.gap();
        let _ = writeln!(self.text, "{} {}", "#".repeat(level), escaped(text));
        self.in_list = false;
    }

    pub(super) fn prose(&mut self, text: &str) {
        self.gap();
        let _ = writeln!(self.text, "{}", escaped(text));
        self.in_list = false;
    }

    /// Writes an item of a list.
    pub(super) fn item(&mut self, depth: usize, text: &str) {
        self.line(depth, &escaped(text));
    }

    /// Writes an item of a list with a name.
    pub(super) fn entry(&mut self, name: &str, text: &str) {
        self.line(0, &format!("**{}**: {}", escaped(name), escaped(text)));
    }

    /// Writes a name of the wire with its description.
    pub(super) fn named(&mut self, depth: usize, name: &str, text: &str) {
        self.line(depth, &format!("`{}`: {}", name.replace('`', "'"), escaped(text)));
    }

    /// Writes a block of code, whose fence is longer than any run of backticks in it.
    pub(super) fn code(&mut self, language: &str, code: &str) {
        let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.gap();
        let _ = writeln!(self.text, "{fence}{language}\n{}\n{fence}", code.trim_end());
        self.in_list = false;
    }

    /// Writes a line of Markdown.
    pub(super) fn raw(&mut self, line: &str) {
        self.line_of(line);
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.line_of(&format!("{}- {}", "  ".repeat(depth), text.trim_end()));
    }

    fn line_of(&mut self, line: &str) {
        if !self.in_list {
            self.gap();
        }
        let _ = writeln!(self.text, "{line}");
        self.in_list = true;
    }

    fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}

/// Returns a text on one line, with its markup escaped.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
