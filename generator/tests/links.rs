//! Links in documents for people lead to files and headings that exist; those between the chapters of a guide also where
//! the chapters are the documentation of a crate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// The folders of chapters, each with the file that includes them.
const GUIDES: [(&str, &str); 2] =
    [("generated/guide", "generated/src/guide.rs"), ("generator/guide", "generator/src/guide.rs")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the chapters in a folder.
fn chapters(folder: &str) -> Vec<String> {
    let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
    let names = files.map(|name| name.into_string().unwrap());
    let mut chapters: Vec<_> = names.filter(|name| name.ends_with(".md") && name != "links.md").collect();
    chapters.sort();
    chapters
}

/// Returns the links of a document, and the anchors of its headings as GitHub and rustdoc make them.
fn parsed(text: &str) -> (Vec<(LinkType, String)>, Vec<String>) {
    let (mut links, mut anchors, mut heading) = (Vec::new(), Vec::new(), None::<String>);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
                links.push((link_type, dest_url.into_string()));
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => heading.iter_mut().for_each(|heading| heading.push_str(&words)),
            Event::End(TagEnd::Heading(_)) => {
                let words = heading.take().unwrap().to_lowercase().replace(' ', "-");
                anchors.push(words.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect());
            }
            _ => {}
        }
    }
    (links, anchors)
}

fn is_elsewhere(link: &str) -> bool {
    link.starts_with("https://") || link.starts_with("http://127.0.0.1")
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let of_guides =
        GUIDES.iter().flat_map(|(folder, _)| chapters(folder).into_iter().map(move |name| format!("{folder}/{name}")));
    let of_language = chapters("schema").into_iter().map(|name| format!("schema/{name}"));
    let documents: Vec<String> = documents.into_iter().map(str::to_owned).chain(of_language).chain(of_guides).collect();
    let mut followed = 0;
    for document in &documents {
        for (_, link) in parsed(&read(document)).0.into_iter().filter(|(_, link)| !is_elsewhere(link)) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => root().join(document),
                path => root().join(document).parent().unwrap().join(path),
            };
            assert!(target.exists(), "{document} links to {link}, which is not there");
            if !anchor.is_empty() {
                let anchors = parsed(&fs::read_to_string(&target).unwrap()).1;
                assert!(anchors.iter().any(|one| one == anchor), "{document} links to {link}; there are {anchors:?}");
            }
            followed += 1;
        }
    }
    assert!(followed > 60, "{followed}");
}

#[test]
fn links_between_chapters_lead_to_their_modules_in_rustdoc() {
    for (folder, module) in GUIDES {
        let included = read(module);
        let defined = read(&format!("{folder}/links.md"));
        let defined = Parser::new(&defined);
        let defined: BTreeMap<_, _> =
            defined.reference_definitions().iter().map(|(label, to)| (label.to_owned(), to.dest.to_string())).collect();
        let mut used = BTreeMap::new();
        for name in chapters(folder) {
            assert!(included.contains(&name), "{module} does not include {name}");
            let text = read(&format!("{folder}/{name}"));
            for (link_type, link) in parsed(&text).0.into_iter().filter(|(_, link)| !is_elsewhere(link)) {
                let is_defined = matches!(link_type, LinkType::Reference | LinkType::Shortcut | LinkType::Collapsed);
                assert!(is_defined || link.starts_with('#'), "{folder}/{name}: {link} leads nowhere in rustdoc");
            }
            for (label, to) in Parser::new(&text).reference_definitions().iter() {
                let (file, anchor) =
                    to.dest.split_once(".md").unwrap_or_else(|| panic!("{folder}/{name}: {}", to.dest));
                used.insert(label.to_owned(), format!("crate::guide::{}{anchor}", file.replace('-', "_")));
            }
        }
        assert_eq!(used, defined, "{folder}/links.md");
    }
}

/// Words that leave the subject of a sentence to the reader.
const OPENERS: [&str; 7] = ["Whether", "What", "How", "Its", "It", "Those", "Of"];

/// The folders whose documentation comments [`OPENERS`] may not begin.
const SOURCES: [&str; 10] = [
    "generated/examples",
    "generated/src",
    "generator/cli/src",
    "generator/examples",
    "generator/runtime/src",
    "generator/src",
    "generator/words/src",
    "tests/campaign/src",
    "tests/exchange/src",
    "tests/worlds/src",
];

/// The folders in which functions begin with the sentence of a fact or a check.
const SAY_FACTS: [&str; 2] = ["generated/src", "generator/src/compiler/check"];

#[test]
fn documentation_comments_begin_with_a_verb_or_a_noun() {
    let mut folders: Vec<PathBuf> = SOURCES.iter().map(|folder| root().join(folder)).collect();
    let (mut comments, mut vague) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some("rs".as_ref()) {
                let text = fs::read_to_string(&path).unwrap();
                let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
                let says_facts = SAY_FACTS.iter().any(|folder| path.starts_with(root().join(folder)));
                for (number, line) in (1..).zip(&lines) {
                    let Some(said) = documentation(line) else { continue };
                    // Within a macro, a comment goes on after an attribute.
                    let goes_on = |line: &str| {
                        documentation(line).is_some() || line.contains("#[doc = ") || line.contains("$(#[")
                    };
                    if number > 1 && goes_on(lines[number - 2]) {
                        continue;
                    }
                    comments += 1;
                    let opener = said.split(' ').next().unwrap_or_default().trim_end_matches(',');
                    let needs_verb = !says_facts && is_of_function(&lines[number - 1..]);
                    if OPENERS.contains(&opener) || needs_verb && !is_verb(opener) {
                        vague.push(format!("{}:{number}: {said}", path.display()));
                    }
                }
            }
        }
    }
    assert!(comments > 10_000, "{comments}");
    assert!(vague.is_empty(), "begin with a verb (Returns, Reads) or a noun:\n{}", vague.join("\n"));
}

/// Returns whether a documentation comment at the first of these lines is that of a function, tests aside.
fn is_of_function(lines: &[&str]) -> bool {
    let mut after = lines.iter().skip_while(|line| documentation(line).is_some());
    let Some(item) = after.find(|line| !line.starts_with("#[") || line.contains("test")) else { return false };
    let modifiers = ["pub", "pub(crate)", "pub(super)", "const", "async", "fn"];
    item.split(' ').take_while(|word| modifiers.contains(word)).last() == Some("fn")
}

/// Returns whether a word can be a verb in the third person, such as Returns.
fn is_verb(word: &str) -> bool {
    word.ends_with('s') && word.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Returns the text of a line of a documentation comment.
fn documentation(line: &str) -> Option<&str> {
    let said = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    Some(said.strip_prefix(' ').unwrap_or(said))
}
