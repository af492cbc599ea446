//! `export site`: everything that the schema says is on the pages, and nothing else; every link leads somewhere.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../tests/src/folders.rs"]
mod folders;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use scraper::{ElementRef, Html, Selector};
use tempfile::TempDir;
use tradeapi_gen::{Documents, Generator, RuleTests, Schema, Site, SiteOptions};

/// The schema of the project, and two of other exchanges.
const SCHEMAS: [&str; 3] = ["../schema", "../tests/downstream/schema", "../tests/fixtures/base"];

fn folder(schema: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(schema)
}

fn read(folder: &Path) -> Schema {
    Generator::new().schema_dir(folder).read().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn site_of(folder: &Path) -> Site {
    read(folder).site(&SiteOptions::default()).unwrap()
}

/// The sites of [`SCHEMAS`], made once.
fn sites() -> impl Iterator<Item = (&'static str, &'static Site)> {
    static SITES: LazyLock<Vec<Site>> = LazyLock::new(|| SCHEMAS.map(|schema| site_of(&folder(schema))).into());
    SCHEMAS.into_iter().zip(SITES.iter())
}

/// The folder with the documents: beside the project, or named by `TRADEAPI_DOCS`.
fn documents() -> Option<PathBuf> {
    let named = std::env::var_os("TRADEAPI_DOCS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| folder("../../shared/docs"));
    if !folder.is_dir() {
        eprintln!("SKIPPED: no documents in {}; name their folder with TRADEAPI_DOCS", folder.display());
    }
    folder.is_dir().then_some(folder)
}

/// A page as a browser reads it.
struct Page {
    html: Html,
}

impl Page {
    fn of(site: &Site, file: &str) -> Self {
        let text = site.files.get(file).unwrap_or_else(|| panic!("the site has no {file}"));
        Self { html: Html::parse_document(text) }
    }

    fn all(&self, selector: &str) -> Vec<ElementRef<'_>> {
        self.html.select(&parsed(selector)).collect()
    }

    fn texts(&self, selector: &str) -> Vec<String> {
        self.all(selector).into_iter().map(text).collect()
    }
}

fn parsed(selector: &str) -> Selector {
    Selector::parse(selector).unwrap_or_else(|error| panic!("{selector}: {error}"))
}

fn within<'a>(element: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    element.select(&parsed(selector)).collect()
}

/// The elements right below one, below a list of elements of these names or classes.
fn below<'a>(element: ElementRef<'a>, class: &str) -> Vec<ElementRef<'a>> {
    element.child_elements().filter(|child| child.value().classes().any(|one| one == class)).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a parameter or a field is in JSON: what stands behind its type, or the type itself.
fn json_type(element: ElementRef<'_>) -> String {
    type_in_json(below(element, "name")[0])
}

fn type_in_json(shown: ElementRef<'_>) -> String {
    within(shown, ".type small").first().or(within(shown, ".type").first()).map(|found| text(*found)).unwrap()
}

fn field_name(field: ElementRef<'_>) -> String {
    text(within(below(field, "name")[0], "code")[0])
}

/// The facts that a reader finds on the pages, in the lines of `facts`.
struct Reader<'a> {
    site: &'a Site,
    found: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn read(site: &'a Site) -> BTreeSet<String> {
        let mut reader = Self { site, found: BTreeSet::new() };
        let families = reader.families();
        for family in &families {
            reader.family(family);
        }
        reader.errors(&families);
        let pages = site.files.keys().filter(|file| file.starts_with("operations/") && file.ends_with(".html"));
        for file in pages {
            reader.operation(file);
        }
        reader.found
    }

    fn families(&self) -> Vec<String> {
        let of = |file: &String| Some(file.strip_prefix("families/")?.strip_suffix(".html")?.to_owned());
        self.site.files.keys().filter_map(of).collect()
    }

    fn add(&mut self, columns: &[&str]) {
        self.found.insert(columns.join("\t"));
    }

    fn family(&mut self, family: &str) {
        let page = Page::of(self.site, &format!("families/{family}.html"));
        self.statements(&page, family);
        for seen in Page::of(self.site, "index.html").texts(".seen li .says") {
            self.add(&["observed", family, &seen]);
        }
        let types = Page::of(self.site, &format!("types/{family}.html"));
        for record in types.all("section.record:not([data-observed])") {
            let id = format!("{family}.{}", record.attr("data-record").unwrap());
            for field in within(record, ".field") {
                let (name, json) = (&field_name(field), json_type(field));
                self.add(&["record", &id, name, &json]);
                for value in within(field, ".listed code") {
                    self.add(&["recordenum", &id, name, &text(value)]);
                }
                for notice in below(field, "notice") {
                    self.add(&["deprecated", &id, name, notice.attr("data-says").unwrap()]);
                }
            }
        }
        for values in types.all("section.enum") {
            let id = format!("{family}.{}", values.attr("data-enum").unwrap());
            for value in within(values, ".value") {
                for notice in within(value, ".notice") {
                    let says = notice.attr("data-says").unwrap();
                    self.add(&["deprecated", &id, value.attr("data-value").unwrap(), says]);
                }
            }
        }
        if !self.site.files.contains_key(&format!("lifecycles/{family}.html")) {
            return;
        }
        let lifecycle = Page::of(self.site, &format!("lifecycles/{family}.html"));
        for state in lifecycle.texts(".states dt code") {
            self.add(&["state", family, &state]);
        }
        for row in lifecycle.all("table.transitions tbody tr") {
            let to = text(within(row, ".to code")[0]);
            for from in within(row, ".from code").into_iter().map(text) {
                for trigger in within(row, ".trigger").into_iter().map(text) {
                    let to = if to == "unchanged" { &from } else { &to };
                    self.add(&["transition", family, &from, &trigger, to]);
                }
            }
        }
    }

    fn errors(&mut self, families: &[String]) {
        let page = Page::of(self.site, "errors.html");
        for family in families {
            let start = format!("code-{family}-");
            for error in page.all("section.code") {
                if error.attr("id").is_some_and(|id| id.starts_with(&start)) {
                    let head = within(error, "h3")[0];
                    let (code, says) = (text(within(head, "code")[0]), text(within(head, ".text")[0]));
                    self.add(&["error", family, &code, &says]);
                }
            }
        }
        for row in page.all("table.observed tbody tr") {
            let cells = within(row, "td");
            let (code, says) = (text(within(row, "th")[0]), text(cells[1]));
            let proves = cells[0].text().next().unwrap().replace(' ', "_");
            for family in text(cells[2]).split(", ") {
                self.add(&["observed", family, &format!("{code} {proves}: {says}")]);
            }
        }
    }

    fn statements(&mut self, page: &Page, about: &str) {
        for (kind, rule) in rules_of(page).into_iter().filter(|(_, rule)| !is_derived(*rule)) {
            self.add(&["rule", about, &text(within(rule, "a.id")[0]), &kind]);
        }
        for open in page.texts(".gaps .says") {
            self.add(&["notshown", about, &open]);
        }
        for readings in page.all(".readings") {
            let readings: Vec<_> = within(readings, "li").into_iter().map(text).collect();
            self.add(&["contradiction", about, &readings.join(" / ")]);
        }
        if about != "index" {
            for seen in page.texts(".seen li .says") {
                self.add(&["observed", about, &seen]);
            }
        }
    }

    fn operation(&mut self, file: &str) {
        let page = Page::of(self.site, file);
        let id = file.trim_start_matches("operations/").trim_end_matches(".html").replace('/', ".");
        let id = id.as_str();
        self.add(&["endpoint", id, &page.texts(".endpoint .verb")[0], &page.texts(".endpoint .path")[0]]);
        for rate in page.all(".rates li") {
            let (calls, window) = rate.attr("data-pace").unwrap().split_once('/').unwrap();
            let words = text(rate);
            let scope = words.split(" for each ").nth(1).unwrap().split([',', ' ']).next().unwrap();
            let class = within(rate, "code").first().map_or("default".to_owned(), |class| text(*class));
            assert!(words.starts_with(&format!("{calls} call")), "{words}");
            self.add(&["rate", id, calls, window, scope, &class]);
        }
        for permission in page.texts(".facts .permission dd") {
            self.add(&["permission", id, &permission]);
        }
        for header in page.texts(".facts .headers code") {
            self.add(&["headeron", &header, id]);
        }
        for (bound, selector) in [
            ("span", "#window .span"),
            ("access", "#window .access"),
            ("default", "#window .default"),
            ("access", "#history .access"),
        ] {
            for length in page.texts(selector) {
                self.add(&["window", id, bound, &length]);
            }
        }
        for notice in page.all("article > .notice[data-says]") {
            self.add(&["deprecated", id, "", notice.attr("data-says").unwrap()]);
        }
        for parameter in page.all(".parameter") {
            self.parameter(id, parameter);
        }
        for members in page.all(".choice > .members") {
            let paths: Vec<_> = within(members, "span").into_iter().map(text).collect();
            if members.attr("data-required").is_some() {
                self.add(&["oneof", id, &paths.join(",")]);
            }
            let choice = ElementRef::wrap(members.parent().unwrap()).unwrap();
            for wins in below(choice, "quiet").into_iter().flat_map(|one| within(one, ".wins")).map(text) {
                let path = paths.iter().find(|path| path.rsplit('.').next() == Some(wins.as_str())).unwrap();
                self.add(&["wins", id, path]);
            }
        }
        for names in page.all(".rule .one-of") {
            let names: Vec<_> = within(names, "code").into_iter().map(text).collect();
            self.add(&["oneof", id, &names.join(",")]);
        }
        self.answer(id, &page);
        self.statements(&page, id);
    }

    fn parameter(&mut self, id: &str, parameter: ElementRef<'_>) {
        let path = parameter.attr("data-path").unwrap();
        let name = below(parameter, "name")[0];
        let shown = text(within(name, "code")[0]);
        assert!(path.rsplit('.').next() == Some(shown.as_str()) || shown == "the body", "{path} is called {shown}");
        let need = text(within(name, ".need")[0]);
        let need = match need.as_str() {
            "required" => "yes",
            "required under a condition" | "one of these" => "conditional",
            words if words.starts_with("required with ") => "conditional",
            "required or not is unstated" => "unstated",
            "optional" => "no",
            other => panic!("{other}"),
        };
        self.add(&["param", id, path, need, &json_type(parameter)]);
        for values in below(parameter, "values") {
            for value in within(values, "dt code").into_iter().map(text) {
                self.add(&["paramenum", id, path, &value]);
            }
        }
        for bounds in below(parameter, "bounds") {
            for (kind, selector) in [("paramdefault", ".default"), ("parammax", ".max")] {
                for bound in within(bounds, selector).into_iter().map(text) {
                    self.add(&[kind, id, path, &bound]);
                }
            }
        }
        for notice in below(parameter, "notice") {
            self.add(&["deprecated", id, path, notice.attr("data-says").unwrap()]);
        }
    }

    fn answer(&mut self, id: &str, page: &Page) {
        let Some(shape) = page.all(".shape").into_iter().next() else { return };
        let prefix = match shape.attr("data-shape").unwrap() {
            "page" => {
                let (list, cursor) = (text(within(shape, ".list")[0]), text(within(shape, ".cursor")[0]));
                self.add(&["respshape", id, &format!("list+{cursor}")]);
                self.add(&["respfield", id, &list, "array"]);
                self.add(&["respfield", id, &cursor, "string"]);
                return;
            }
            "array" => "[].",
            _ => "",
        };
        self.add(&["respshape", id, if prefix.is_empty() { "object" } else { "array" }]);
        for field in page.all("table.answer tbody tr") {
            let path = format!("{prefix}{}", text(within(field, "th")[0]));
            self.add(&["respfield", id, &path, &type_in_json(within(field, "td")[0])]);
        }
    }
}

/// The rules of a page, each with its kind.
fn rules_of(page: &Page) -> Vec<(String, ElementRef<'_>)> {
    let sections = page.all("section.rules").into_iter();
    let of = |section| {
        within(section, ".rule, .derived li")
            .into_iter()
            .map(move |rule| (section.attr("data-kind").unwrap().to_owned(), rule))
    };
    sections.flat_map(of).collect()
}

fn is_derived(rule: ElementRef<'_>) -> bool {
    rule.value().name() == "li"
}

#[test]
fn every_fact_is_on_the_pages_and_the_pages_state_no_other() {
    for (schema, site) in sites() {
        let folder = folder(schema);
        let stated: BTreeSet<String> = read(&folder).facts().into_iter().collect();
        let shown = Reader::read(site);
        let missing: Vec<_> = stated.difference(&shown).collect();
        let invented: Vec<_> = shown.difference(&stated).collect();
        assert!(missing.is_empty() && invented.is_empty(), "{schema}: missing {missing:#?}, invented {invented:#?}");
    }
}

#[test]
fn every_rule_is_on_its_page_and_in_the_table_and_there_is_no_other() {
    for (schema, site) in sites() {
        let folder = folder(schema);
        let mut told: Vec<[String; 3]> = Vec::new();
        for line in read(&folder).rules().lines().skip(1).take_while(|line| !line.is_empty()) {
            let columns: Vec<&str> = line.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect();
            told.push([columns[0].to_owned(), columns[1].to_owned(), columns[2].replace(", warns", "")]);
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
        for rules in [&mut told, &mut shown, &mut listed] {
            rules.sort();
        }
        assert_eq!(told, shown, "{schema}: the pages");
        assert_eq!(told, listed, "{schema}: the table");
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
fn every_link_leads_somewhere_and_none_leaves_the_site() {
    for (schema, site) in sites() {
        let pages: BTreeMap<&str, Page> = site
            .files
            .keys()
            .filter(|file| file.ends_with(".html"))
            .map(|file| (file.as_str(), Page::of(site, file)))
            .collect();
        let ids = |page: &Page| {
            page.all("[id]").into_iter().map(|one| one.attr("id").unwrap().to_owned()).collect::<Vec<_>>()
        };
        let ids: BTreeMap<&str, Vec<String>> = pages.iter().map(|(file, page)| (*file, ids(page))).collect();
        for (file, of_page) in &ids {
            let unique: BTreeSet<_> = of_page.iter().collect();
            assert_eq!(unique.len(), of_page.len(), "{schema}: an id of {file} is there twice");
        }
        for (file, page) in &pages {
            for (attribute, element) in ["href", "src"]
                .into_iter()
                .flat_map(|name| page.all(&format!("[{name}]")).into_iter().map(move |one| (name, one)))
            {
                let link = element.attr(attribute).unwrap();
                if link == "data:," {
                    continue;
                }
                assert!(
                    !link.contains("//") && !link.starts_with('/') && !link.contains(':'),
                    "{schema}: {file} links to {link}"
                );
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = if path.is_empty() { (*file).to_owned() } else { resolved(file, path) };
                assert!(site.files.contains_key(&target), "{schema}: {file} links to {link}, which is not there");
                if !anchor.is_empty() {
                    let anchor = decoded(anchor);
                    assert!(
                        ids[target.as_str()].contains(&anchor),
                        "{schema}: {file} links to {link}, whose place is not there"
                    );
                }
            }
        }
        let search = &site.files["search.js"];
        let found = search.lines().next().unwrap().trim_start_matches("window.sitePages = ").trim_end_matches(';');
        let found: Vec<String> = serde_json::from_str(found).unwrap();
        for line in search.lines().filter(|line| line.starts_with('[')) {
            let row: serde_json::Value = serde_json::from_str(line.trim_end_matches(',')).unwrap();
            let page = decoded(&found[usize::try_from(row[4].as_u64().unwrap()).unwrap()]);
            let anchor = decoded(row[5].as_str().unwrap());
            assert!(ids.contains_key(page.as_str()), "{schema}: the search finds {row:?}");
            assert!(anchor.is_empty() || ids[page.as_str()].contains(&anchor), "{schema}: the search finds {row:?}");
        }
    }
}

fn resolved(page: &str, path: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => assert!(parts.pop().is_some(), "{page} links above the site: {path}"),
            part => parts.push(part),
        }
    }
    decoded(&parts.join("/"))
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

#[test]
fn every_page_is_valid_and_can_be_read_without_eyes() {
    for (schema, site) in sites() {
        for file in site.files.keys().filter(|file| file.ends_with(".html")) {
            let page = Page::of(site, file);
            assert!(page.html.errors.is_empty(), "{schema}: {file}: {:?}", page.html.errors);
            assert_eq!(page.all("h1").len(), 1, "{schema}: {file} has one first heading");
            assert_eq!(page.all("main").len(), 1, "{schema}: {file} has one main part");
            let levels = page.all("h1, h2, h3, h4").into_iter().map(|one| one.value().name().as_bytes()[1] - b'0');
            let mut last = 0;
            for level in levels {
                assert!(level <= last + 1, "{schema}: {file} jumps from heading {last} to {level}");
                last = level;
            }
            for field in page.all("input, textarea") {
                let id = field.attr("id");
                let is_labelled = id.is_some_and(|id| !page.all(&format!("label[for=\"{id}\"]")).is_empty());
                let is_inside = field.ancestors().filter_map(ElementRef::wrap).any(|one| one.value().name() == "label");
                assert!(
                    is_labelled || is_inside || field.attr("aria-label").is_some(),
                    "{schema}: {file}: {}",
                    field.html()
                );
            }
            for named in page.all("a, button, summary") {
                let is_named = !text(named).is_empty() || named.attr("aria-label").is_some();
                assert!(is_named, "{schema}: {file} has a link or button without a name: {}", named.html());
            }
            for scrolled in page.all("[role=region], nav, dialog") {
                assert!(scrolled.attr("aria-label").is_some(), "{schema}: {file}: {}", scrolled.html());
            }
        }
    }
}

#[test]
fn the_site_is_small_and_the_same_wherever_the_schema_is() {
    let (_, site) = sites().next().unwrap();
    let tests = RuleTests::read(&folder("../generated/exchange/tests/exchange/rules.tsv")).unwrap();
    let schema = read(&folder("../schema"));
    let documents = documents().map(|folder| schema.documents(&folder).unwrap());
    let options = SiteOptions { documents: documents.as_ref(), tests: Some(&tests), ..SiteOptions::default() };
    let bytes: usize = schema.site(&options).unwrap().files.values().map(String::len).sum();
    assert!(bytes < 3_000_000, "{bytes} bytes");
    let elsewhere = tempfile::tempdir().unwrap();
    folders::copy(&folder("../schema"), &elsewhere.path().join("a folder/of another name"));
    assert!(*site == site_of(&elsewhere.path().join("a folder/of another name")), "the bytes depend on the folder");
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
fn the_list_of_pages_opens_the_family_of_the_page() {
    let (_, site) = sites().next().unwrap();
    let listed = |file: &str| Page::of(site, file).all("nav.contents [data-verb]").len();
    let of_unified = site.files.keys().filter(|file| file.starts_with("operations/unified/") && file.ends_with(".md"));
    assert_eq!(listed("operations/unified/place-order.html"), of_unified.count());
    assert_eq!(listed("errors.html"), 0, "a page of no family opens none");
    let only = site_of(&folder("../tests/exchanges/schema/kraken"));
    assert_eq!(only.files.keys().filter(|file| file.starts_with("families/")).count(), 1);
    assert!(!Page::of(&only, "errors.html").all("nav.contents [data-verb]").is_empty(), "the only family is open");
}

#[test]
fn no_page_advises_to_repeat_what_may_be_done() {
    let (_, site) = sites().next().unwrap();
    let row = |operation: &str, code: &str| {
        let page = Page::of(site, &format!("operations/unified/{operation}.html"));
        text(page.all(&format!("#code-{code}"))[0])
    };
    for (operation, code, verdict, advice) in [
        ("place-order", "40725", "Unknown", "Do not send it again before a query"),
        ("place-order", "40762", "Not done", "send the request again"),
        // It cancels one order after the other, so the refusal of one says nothing about the others.
        ("cancel-symbol-order", "40762", "Unknown", "Do not send it again before a query"),
        // It may cancel the order that it fails to modify, when it is asked to.
        ("modify-order", "40762", "Partly unknown", "do not send it again before a query"),
        ("fills", "40725", "Changes nothing", ""),
        ("place-order", "00000", "Done", ""),
    ] {
        let row = row(operation, code);
        assert!(row.contains(verdict) && row.contains(advice), "{operation} {code}: {row}");
        assert_eq!(row.contains("send the request again"), verdict == "Not done", "{operation} {code}: {row}");
        let markdown = &site.files[&format!("operations/unified/{operation}.md")];
        let line = markdown.lines().find(|line| line.starts_with(&format!("- **{code}**"))).unwrap();
        assert!(line.contains(&format!("{verdict}.")), "{operation} {code}: {line}");
    }
}

/// A schema whose sentences are all this text.
fn saying(text: &str) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    folders::copy(&folder("../tests/fixtures/base"), copy.path());
    let mut said = 0;
    let mut folders = vec![copy.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let quoted = format!("'{}'", text.replace('\'', "''"));
            let lines = fs::read_to_string(&path).unwrap();
            let lines = lines.lines().map(|line| {
                let key = ["doc: ", "says: ", "why: ", "about: ", "- about: "]
                    .into_iter()
                    .find(|key| line.trim_start().starts_with(key));
                match key {
                    Some(key) if !line.trim_end().ends_with([',', '}', '-', '|', '>']) => {
                        said += 1;
                        let indent = line.len() - line.trim_start().len();
                        format!("{}{key}{quoted}", &line[..indent])
                    }
                    _ => line.to_owned(),
                }
            });
            fs::write(&path, lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
        }
    }
    assert!(said > 5, "only {said} sentences were replaced");
    copy
}

#[test]
fn texts_of_the_schema_stay_texts() {
    let hostile = "</code></pre></script><script>hacked()</script><img src=x onerror=hacked()> \"' onclick=\"hacked() &lt;b&gt; {{7*7}} `*_[x](javascript:hacked())";
    let schema = saying(hostile);
    let site = &site_of(schema.path());
    let mut shown = 0;
    for file in site.files.keys().filter(|file| file.ends_with(".html")) {
        let page = Page::of(site, file);
        assert!(page.html.errors.is_empty(), "{file}: {:?}", page.html.errors);
        assert_eq!(page.all("script").len(), 1, "{file} has a script of the schema");
        assert!(page.all("img, iframe, object, [onclick], [onerror]").is_empty(), "{file} has markup of the schema");
        shown += usize::from(text(page.html.root_element()).contains(hostile));
    }
    assert!(shown > 8, "the text is on {shown} pages");
    for file in site.files.keys().filter(|file| file.ends_with(".md")) {
        let text = &site.files[file];
        assert!(!text.contains("<script") && !text.contains("[x](javascript"), "{file}: {text}");
    }
}

#[test]
fn characters_that_turn_a_text_around_are_refused_or_shown() {
    let schema = saying("safe");
    let path = schema.path().join("api.yaml");
    let text = fs::read_to_string(&path).unwrap().replacen("doc: 'safe'", "doc: \"one \u{202e} two\"", 1);
    fs::write(&path, text).unwrap();
    assert!(Generator::new().schema_dir(schema.path()).read().is_err(), "a schema may not have them at all");
    let (_, site) = sites().next().unwrap();
    for (file, text) in &site.files {
        let invisible = text.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(invisible, None, "{file}");
    }
}

#[test]
fn a_folder_with_anything_else_in_it_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let site = site_of(&folder("../tests/fixtures/base"));
    for stray in ["notes.txt", "deep/er/notes.html", "index.html"] {
        let path = out.path().join(stray);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        let refused = site.write(out.path()).unwrap_err().to_string();
        assert!(
            refused.contains(path.file_name().unwrap().to_str().unwrap()) && refused.contains("did not write"),
            "{refused}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert!(!out.path().join("site.css").exists(), "something was written");
        fs::remove_file(&path).unwrap();
    }
    let first = site.write(out.path()).unwrap();
    assert_eq!(first.written.len(), site.files.len());
    assert!(site.write(out.path()).unwrap().written.is_empty(), "the second run writes nothing");
    assert!(site.compare(out.path()).unwrap().is_empty());
    fs::write(out.path().join("site.css"), "changed").unwrap();
    assert_eq!(site.compare(out.path()).unwrap().len(), 1);
    fs::write(out.path().join("added.html"), "mine").unwrap();
    assert!(site.write(out.path()).is_err(), "a file was added");
}

#[test]
fn pages_that_are_gone_are_removed() {
    let out = tempfile::tempdir().unwrap();
    site_of(&folder("../tests/downstream/schema")).write(out.path()).unwrap();
    let site = site_of(&folder("../tests/fixtures/base"));
    let report = site.write(out.path()).unwrap();
    assert!(!report.removed.is_empty());
    assert!(site.compare(out.path()).unwrap().is_empty());
    assert!(!out.path().join("families/desk.html").exists());
}

#[test]
fn changes_since_an_older_schema_have_a_page() {
    let older = read(&folder("../tests/fixtures/base"));
    let newer = tempfile::tempdir().unwrap();
    folders::copy(&folder("../tests/fixtures/base"), newer.path());
    let path = newer.path().join("api.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|line| line.starts_with("doc: ")).unwrap().to_owned();
    fs::write(&path, text.replacen(&line, "doc: Something else altogether.", 1)).unwrap();
    let site = read(newer.path()).site(&SiteOptions { since: Some(("v1", &older)), ..SiteOptions::default() }).unwrap();
    let page = Page::of(&site, "changes.html");
    assert!(text_of(&page).contains("since v1"));
    assert_eq!(page.texts("ins"), ["Something else altogether."]);
    assert!(Page::of(&site, "index.html").all("nav a[href='changes.html']").len() == 1, "the page is listed");
    assert!(!site_of(newer.path()).files.contains_key("changes.html"));
}

fn text_of(page: &Page) -> String {
    text(page.html.root_element())
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
    let told = rules.iter().find(|rule| rule["rule"] == "days.max").unwrap();
    assert_eq!(told["documents"], serde_json::json!(["handbook:7"]));
    assert_eq!(told["test"], "is_full shelf.rs:3");

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

#[test]
fn drawings_of_life_cycles_link_states_transitions_and_operations() {
    let (_, site) = sites().next().unwrap();
    for family in ["classic", "unified"] {
        let page = Page::of(site, &format!("lifecycles/{family}.html"));
        let drawn: BTreeSet<_> = page.all("svg a").into_iter().filter_map(|link| link.attr("href")).collect();
        let states = page.all(".states > div").into_iter().map(|state| format!("#{}", state.attr("id").unwrap()));
        let rows = page.all("table.transitions tbody tr");
        let transitions = rows.iter().map(|row| format!("#{}", row.attr("id").unwrap()));
        let operations =
            rows.iter().flat_map(|row| within(*row, ".trigger a")).map(|link| link.attr("href").unwrap().to_owned());
        let listed: BTreeSet<String> = states.chain(transitions).chain(operations).collect();
        assert_eq!(drawn, listed.iter().map(String::as_str).collect(), "{family}");
    }
}

#[test]
fn every_code_that_was_seen_says_what_it_shows_of_each_operation_that_changes_something() {
    let (_, site) = sites().next().unwrap();
    let page = Page::of(site, "operations/unified/place-order.html");
    let shown: BTreeSet<String> =
        page.texts(".groups .codes-of").iter().flat_map(|codes| codes.split(' ')).map(str::to_owned).collect();
    let documented: BTreeSet<String> = page.texts("table.codes th code").into_iter().collect();
    let errors = Page::of(site, "errors.html");
    let rows = errors.all("table.observed tbody tr").into_iter();
    let of_unified = rows.filter(|row| text(within(*row, "td")[2]).contains("unified"));
    let seen: BTreeSet<String> = of_unified.map(|row| text(within(row, "th")[0])).collect();
    assert_eq!(shown, seen.difference(&documented).cloned().collect());
    for group in page.all(".groups li") {
        let says = text(within(group, "span:not(.verdict)")[0]);
        assert!(!within(group, ".verdict").is_empty() && says.matches('.').count() == 2, "it says no advice: {says}");
    }
    let reads = Page::of(site, "operations/unified/fills.html");
    assert!(reads.all(".groups").is_empty() && text_of(&reads).contains("changes nothing, whatever the code"));
}

#[test]
fn markdown_says_what_the_page_says_of_outcomes_states_and_intents() {
    let (_, site) = sites().next().unwrap();
    for name in ["place-order", "modify-order", "cancel-order", "unfilled-orders"] {
        let page = Page::of(site, &format!("operations/unified/{name}.html"));
        let markdown = site.files[&format!("operations/unified/{name}.md")].replace('\\', "");
        let mut said = page.texts(".notice p");
        said.extend(page.texts("#states + ul li"));
        said.extend(page.texts(".groups .codes-of"));
        said.extend(page.texts(".intents strong"));
        assert!(name == "unfilled-orders" || !said.is_empty(), "{name} says nothing");
        for sentence in said {
            assert!(markdown.contains(sentence.trim_end()), "{name}: {sentence}\n{markdown}");
        }
    }
}
