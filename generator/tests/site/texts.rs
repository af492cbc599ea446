//! Texts of a schema stay texts.

use std::fs;

use tempfile::TempDir;
use tradeapi_gen::Generator;

use super::page::{Page, text};
use super::{folder, folders, site_of, sites};

/// Returns a schema whose sentences are all this text.
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
