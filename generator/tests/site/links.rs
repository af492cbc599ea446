//! Links, and what people without a mouse or without eyes need.

use std::collections::{BTreeMap, BTreeSet};

use scraper::ElementRef;

use super::page::{Page, text, within};
use super::{folder, site_of, sites};

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
fn the_list_of_pages_opens_the_family_of_the_page() {
    let (_, site) = sites().next().unwrap();
    let listed = |file: &str| Page::of(site, file).all("nav.contents [data-verb]").len();
    let of_unified = site.files.keys().filter(|file| file.starts_with("operations/unified/") && file.ends_with(".md"));
    assert_eq!(listed("operations/unified/place-order.html"), of_unified.count());
    assert_eq!(listed("errors.html"), 0, "a page of no family opens none");
    let only = site_of(&folder("../tests/apis/schema/kraken"));
    assert_eq!(only.files.keys().filter(|file| file.starts_with("families/")).count(), 1);
    assert!(!Page::of(&only, "errors.html").all("nav.contents [data-verb]").is_empty(), "the only family is open");
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
