//! What programs read: the list of pages for language models, and the rules as JSON.

use serde_json::{Value, json};

use super::address::Address;
use super::code;
use super::markdown::{Text, escaped};
use super::page::CONCEPTS;
use super::pieces::{self, sentence};
use super::view::{Case, RuleView, Site};

/// The pages as a list, in the form of <https://llmstxt.org>.
pub(super) fn llms(site: &Site<'_>) -> String {
    let mut out = Text::default();
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

/// Every rule with its place and its proof: a request that it refuses, and the merge patch that makes it one that is
/// accepted.
pub(super) fn rules(site: &Site<'_>) -> String {
    let of_families = site.families.iter().map(|family| (family.name(), &family.rules));
    let of_operations = site.operations().map(|(_, view)| (view.operation.id.as_str(), &view.rules));
    let all = of_families.chain(of_operations);
    let rows = all.flat_map(|(about, rules)| rules.iter().map(move |rule| row(site, about, rule).to_string()));
    format!("[\n{}\n]\n", rows.collect::<Vec<_>>().join(",\n"))
}

fn row(site: &Site<'_>, about: &str, rule: &RuleView<'_>) -> Value {
    let (file, line) = site.source_of(rule.place).unwrap_or_default();
    let mut row = json!({
        "about": about, "rule": rule.id, "kind": rule.kind.as_str(), "says": rule.says, "at": rule.at,
        "file": file, "line": line,
    });
    let cases = pieces::tried(rule);
    let refused = cases.map(|(refused, _)| tried(code::parsed(&refused.request), refused));
    let patch = cases.map(|(refused, accepted)| {
        tried(code::patch(&code::parsed(&refused.request), &code::parsed(&accepted.request)), accepted)
    });
    let optional = [
        ("warns", rule.warns.then_some(Value::Bool(true))),
        ("why", rule.why.map(Value::from)),
        ("test", Some(Value::from(rule.test.as_str())).filter(|_| !rule.test.is_empty())),
        ("refused", refused),
        ("accepted", patch),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            row[name] = value;
        }
    }
    row
}

/// A request that tries a rule, and what it is told about the account.
fn tried(request: Value, case: &Case) -> Value {
    let mut shown = json!({ "request": request });
    if case.account != "{}" {
        shown["account"] = code::parsed(&case.account);
    }
    shown
}
