//! The files of a site: how they are written, replaced and removed.

use std::fs;

use tradeapi_gen::{RuleTests, SiteOptions};

use super::page::{Page, text_of};
use super::{documents, folder, folders, read, schema_in, site_of, sites};

#[test]
fn the_site_is_small_and_the_same_wherever_the_schema_is() {
    let (_, site) = sites().next().unwrap();
    let tests = RuleTests::read(&folder("../tests/exchange/tests/exchange/rules.tsv")).unwrap();
    let schema = schema_in("../schema");
    let documents = documents().map(|folder| schema.documents(&folder).unwrap());
    let options = SiteOptions { documents: documents.as_ref(), tests: Some(&tests), ..SiteOptions::default() };
    let operations = schema.counts().operations;
    let bytes: usize = schema.site(&options).unwrap().files.values().map(String::len).sum();
    assert!(bytes < 100_000 * operations, "{bytes} bytes");
    let elsewhere = tempfile::tempdir().unwrap();
    folders::copy(&folder("../schema"), &elsewhere.path().join("a folder/of another name"));
    assert!(*site == site_of(&elsewhere.path().join("a folder/of another name")), "the bytes depend on the folder");
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
