//! Rules, their proofs, their lines of the documents and their tests.

use std::collections::BTreeMap;
use std::fs;

use scraper::ElementRef;
use tradeapi_gen::{Documents, RuleTests, SiteOptions};

use super::page::{Page, text, within};
use super::{folder, read, schema_in, sites};

/// Returns the rules of a page, each with its kind.
pub(super) fn rules_of(page: &Page) -> Vec<(String, ElementRef<'_>)> {
    let sections = page.all("section.rules").into_iter();
    let of = |section| {
        within(section, ".rule, .derived li")
            .into_iter()
            .map(move |rule| (section.attr("data-kind").unwrap().to_owned(), rule))
    };
    sections.flat_map(of).collect()
}

pub(super) fn is_derived(rule: ElementRef<'_>) -> bool {
    rule.value().name() == "li"
}

#[test]
fn every_rule_is_on_its_page_and_in_the_table_and_there_is_no_other() {
    for (schema, site) in sites() {
        let mut stated: Vec<[String; 3]> = Vec::new();
        for line in schema_in(schema).rules().lines().skip(1).take_while(|line| !line.is_empty()) {
            let columns: Vec<&str> = line.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect();
            stated.push([columns[0].to_owned(), columns[1].to_owned(), columns[2].replace(", warns", "")]);
        }
        let mut shown: Vec<[String; 3]> = Vec::new();
        for file in site.files.keys().filter(|file| file.ends_with(".html")) {
            let Some((folder, rest)) = file.trim_end_matches(".html").split_once('/') else { continue };
            let about = match folder {
                "families" => rest.to_owned(),
                "operations" => rest.replace('/', "."),
                _ => continue,
            };
            let page = Page::of(site, file);
            shown.extend(
                rules_of(&page).into_iter().map(|(kind, rule)| [about.clone(), text(within(rule, "a.id")[0]), kind]),
            );
        }
        let table = Page::of(site, "rules.html");
        let mut listed: Vec<[String; 3]> = Vec::new();
        for group in table.all("tbody[data-about]") {
            let about = text(within(group, ".about")[0]);
            for row in within(group, "tr[data-filter]") {
                listed.push([about.clone(), text(within(row, "a")[0]), text(within(row, "td")[2])]);
            }
        }
        for rules in [&mut stated, &mut shown, &mut listed] {
            rules.sort();
        }
        assert_eq!(stated, shown, "{schema}: the pages");
        assert_eq!(stated, listed, "{schema}: the table");
    }
}

#[test]
fn every_checked_rule_has_its_proof() {
    let (_, site) = sites().next().unwrap();
    let groups: BTreeMap<String, serde_json::Value> = serde_json::from_str(&site.files["rules.json"]).unwrap();
    let mut checked = 0;
    for (about, group) in &groups {
        let rules = group["rules"].as_array().unwrap().iter();
        for rule in rules.filter(|rule| rule["kind"] == "checked") {
            assert!(group["request"].is_object() || group["request"].is_array(), "{about} has no request");
            assert!(!rule["refused"]["change"].is_null() && !rule["accepted"]["change"].is_null(), "{about}: {rule}");
            assert_ne!(rule["refused"], rule["accepted"], "{about}: {rule}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn a_long_list_of_a_proof_is_cut_and_a_short_one_is_not() {
    let (_, site) = sites().next().unwrap();
    let page = Page::of(site, "operations/unified/place-batch.html");
    let rule = text(page.all("#rule-max-items")[0]);
    assert!(rule.contains("\u{2026} 20 more") && rule.contains("\u{2026} 19 more"), "{rule}");
    assert!(!text(page.all("#rule-one-category")[0]).contains('\u{2026}'));
    let book: serde_json::Value = serde_json::from_str(&site.files["rules.json"]).unwrap();
    let rules = book["unified.place-batch"]["rules"].as_array().unwrap();
    let change = |name: &str| {
        let rule = rules.iter().find(|rule| rule["rule"] == name).unwrap();
        rule["refused"]["change"].as_array().unwrap().clone()
    };
    assert_eq!((change("max-items").len(), &change("max-items")[1]), (2, &"\u{2026} 20 more".into()));
    assert!(change("one-category").iter().all(serde_json::Value::is_object));
}

#[test]
fn rules_lead_to_their_lines_of_the_documents_and_to_their_tests() {
    let schema = read(&folder("../tests/fixtures/base"));
    let handbook =
        "# Handbook\n\n## Loans\n\n| Parameter | Meaning |\n|---|---|\n| days | How long |\n| book | Which |\n";
    let documents = Documents::one("handbook", handbook);
    let tests = tempfile::tempdir().unwrap();
    fs::write(tests.path().join("shelf.rs"), "\n#[test]\nfn is_full() {}\n").unwrap();
    let list = tests.path().join("rules.tsv");
    fs::write(&list, "house.lend-book\tdays.max\tshelf::is_full\n").unwrap();
    let shown = RuleTests::read(&list).unwrap();
    let site = schema
        .site(&SiteOptions { documents: Some(&documents), tests: Some(&shown), ..SiteOptions::default() })
        .unwrap();
    let page = Page::of(&site, "operations/house/lend-book.html");
    let rule = page.all("#rule-days\\.max")[0];
    let links: Vec<_> = within(rule, "a.line").into_iter().filter_map(|link| link.attr("href")).collect();
    assert!(links.contains(&"../../documents/handbook.html#line-7"), "{links:?}");
    assert!(text(rule).contains("Shown by is_full, shelf.rs:3"), "{}", text(rule));
    let line = Page::of(&site, "documents/handbook.html").texts("#line-7");
    assert_eq!(line, ["| days | How long |"]);
    let book: serde_json::Value = serde_json::from_str(&site.files["rules.json"]).unwrap();
    let rules = book["house.lend-book"]["rules"].as_array().unwrap();
    let rule = rules.iter().find(|rule| rule["rule"] == "days.max").unwrap();
    assert_eq!(rule["documents"], serde_json::json!(["handbook:7"]));
    assert_eq!(rule["test"], "is_full shelf.rs:3");

    for (line, why) in [
        ("house.lend-book\tdays.max\tshelf::is_gone", "names no test"),
        ("house.lend-book\tdays.max", "names no test"),
        ("house.lend-book\tdays.max\tcellar::is_full", "cannot read"),
    ] {
        fs::write(&list, line).unwrap();
        let refused = RuleTests::read(&list).unwrap_err().to_string();
        assert!(refused.contains(why), "{line}: {refused}");
    }
    fs::write(&list, "house.lend-book\tno-such-rule\tshelf::is_full").unwrap();
    let tests = RuleTests::read(&list).unwrap();
    let refused = schema.site(&SiteOptions { tests: Some(&tests), ..SiteOptions::default() }).unwrap_err();
    assert!(refused.to_string().contains("no-such-rule"), "{refused}");
}
