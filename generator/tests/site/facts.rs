//! The facts on the pages are those of the schema.

use std::collections::BTreeSet;

use scraper::ElementRef;
use serde_json::Value;
use tradeapi_gen::{Schema, Site};

use super::page::{Page, below, text, within};
use super::rules::{is_derived, rules_of};
use super::{folder, read, sites};

#[test]
fn every_fact_is_on_the_pages_and_the_pages_state_no_other() {
    for (schema, site) in sites() {
        let folder = folder(schema);
        let all = read(&folder);
        let observed: BTreeSet<String> = all.observed_facts().into_iter().collect();
        let documented = all.documented();
        let stated: BTreeSet<String> = documented.facts().into_iter().collect();
        let shown = Reader::read(site, &families(&documented));
        let missing: Vec<_> = stated.difference(&shown).collect();
        let invented: Vec<_> = shown.difference(&stated).filter(|fact| !observed.contains(*fact)).collect();
        assert!(missing.is_empty() && invented.is_empty(), "{schema}: missing {missing:#?}, invented {invented:#?}");
    }
}

/// Returns the families that have operations.
fn families(schema: &Schema) -> BTreeSet<String> {
    let family = |line: &str| {
        let operation: Value = serde_json::from_str(line).unwrap();
        operation["operation"].as_str().unwrap().split('.').next().unwrap().to_owned()
    };
    schema.list_as_json().lines().map(family).collect()
}

/// The facts that a reader finds on the pages, in the lines of `facts`.
struct Reader<'a> {
    site: &'a Site,
    /// The families that a statement about the whole API is a fact about.
    documented: &'a BTreeSet<String>,
    found: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    fn read(site: &'a Site, documented: &'a BTreeSet<String>) -> BTreeSet<String> {
        let mut reader = Self { site, documented, found: BTreeSet::new() };
        let families = reader.families();
        for family in &families {
            reader.family(family);
        }
        reader.errors(&families);
        let pages = site.files.keys().filter(|file| file.starts_with("operations/") && file.ends_with(".html"));
        for file in pages {
            reader.operation(file);
        }
        reader.found.iter().filter(|fact| !reader.is_of_another_case(fact)).cloned().collect()
    }

    /// Returns whether a parameter that several cases of a choice have is optional in one of them, and required in
    /// another.
    fn is_of_another_case(&self, fact: &str) -> bool {
        let columns: Vec<_> = fact.split('\t').collect();
        let ["param", id, name, "no", json] = columns[..] else { return false };
        self.found.contains(&["param", id, name, "conditional", json].join("\t"))
    }

    fn families(&self) -> Vec<String> {
        let of = |file: &String| Some(file.strip_prefix("families/")?.strip_suffix(".html")?.to_owned());
        self.site.files.keys().filter_map(of).collect()
    }

    fn add(&mut self, columns: &[&str]) {
        self.found.insert(columns.join("\t"));
    }

    /// Adds a statement about the whole API.
    fn add_to_documented(&mut self, family: &str, says: &str) {
        if self.documented.contains(family) {
            self.add(&["observed", family, says]);
        }
    }

    fn family(&mut self, family: &str) {
        let page = Page::of(self.site, &format!("families/{family}.html"));
        self.statements(&page, family);
        for seen in Page::of(self.site, "index.html").texts(".seen li .says") {
            self.add_to_documented(family, &seen);
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
                self.add_to_documented(family, &format!("{code} {proves}: {says}"));
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
        for path in page.texts(".rule .unsupported code") {
            self.add(&["unsupported", id, &path]);
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
            "not stated whether required" => "unstated",
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

/// Returns what a parameter or a field is in JSON: what stands behind its type, or the type itself.
fn json_type(element: ElementRef<'_>) -> String {
    type_in_json(below(element, "name")[0])
}

fn type_in_json(shown: ElementRef<'_>) -> String {
    within(shown, ".type small").first().or(within(shown, ".type").first()).map(|found| text(*found)).unwrap()
}

fn field_name(field: ElementRef<'_>) -> String {
    text(within(below(field, "name")[0], "code")[0])
}
