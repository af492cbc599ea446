//! Files for programs: the list of pages for language models, and the rules as JSON.

use serde_json::{Value, json};

use super::address::Address;
use super::code;
use super::markdown::{MarkdownPage, escaped};
use super::page::CONCEPTS;
use super::pieces::{self, sentence};
use super::view::{Case, RuleView, Site};

/// The pages as a list, in the form of <https://llmstxt.org>.
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
    out.raw(&link("Rules as JSON", &Address::page("rules.json"), "Every rule with requests that break and keep it"));
    out.raw(&link("OpenAPI", &Address::page("openapi.json"), "The API as OpenAPI 3.1"));
    out.finish()
}

/// The rules of each family and operation, with their places and proofs. A proof turns the request of the operation
/// into a refused and into an accepted one, each as a merge patch whose longer lists are cut.
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

/// The changes that turn a request into one that tests a rule, and what the caller states about the account.
fn example_cases(base: &Value, case: &Case) -> Value {
    let mut shown = json!({ "change": code::brief(&code::patch(base, &code::parsed(&case.request))) });
    if case.account != "{}" {
        shown["account"] = code::parsed(&case.account);
    }
    shown
}
