//! Drafts from a section of a document.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tradeapi_gen::{Code, DraftSource, Drafted, Generator};

use crate::{KINDS, copy, garden, is_documented, root};

/// Returns the lines of facts about an operation that a document states.
fn facts(folder: &Path, id: &str) -> BTreeSet<String> {
    let all = Generator::new().schema_dir(folder).facts_as_read().unwrap();
    let is_own = |line: &String| {
        let columns: Vec<&str> = line.split('\t').collect();
        let owner = if columns[0] == "header" { 2 } else { 1 };
        KINDS.contains(&columns[0]) && columns.get(owner) == Some(&id)
    };
    all.into_iter().filter(is_own).collect()
}

/// Returns a schema without one of its operations, and that operation drafted.
fn drafted(schema: &Path, docs: &Path, family: &str, name: &str) -> (TempDir, Drafted) {
    let folder = tempfile::tempdir().unwrap();
    copy(schema, folder.path());
    let path = folder.path().join(family).join(format!("{name}.yaml"));
    let text = std::fs::read_to_string(&path).unwrap();
    let title = text.split("section: ").nth(1).unwrap().split(" }").next().unwrap();
    std::fs::remove_file(&path).unwrap();
    let source = DraftSource::Section { folder: docs.to_owned(), title: title.to_owned() };
    let generator = Generator::new().schema_dir(folder.path());
    let drafted = generator.draft(family, &source).unwrap_or_else(|error| panic!("{family}.{name}: {error}"));
    assert!(drafted.written.contains(&path), "{family}.{name}: {drafted:?}");
    (folder, drafted)
}

/// Returns the documented operations of a schema: family and name.
fn operations(schema: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for family in std::fs::read_dir(schema).unwrap().map(Result::unwrap) {
        // Other folders have no such file.
        let Ok(text) = std::fs::read_to_string(family.path().join("family.yaml")) else { continue };
        if !is_documented(&text) {
            continue;
        }
        for file in std::fs::read_dir(family.path()).unwrap().map(Result::unwrap) {
            let name = file.file_name().into_string().unwrap();
            let family = family.file_name().into_string().unwrap();
            match name.strip_suffix(".yaml") {
                Some(name) if !["family", "types"].contains(&name) => found.push((family, name.to_owned())),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Drafts every operation; returns how many facts came back, and of how many. A fact that the schema does not have is
/// wrong.
fn come_back(schema: &Path, docs: &Path) -> (usize, usize) {
    let (mut back, mut all) = (0, 0);
    for (family, name) in operations(schema) {
        let id = format!("{family}.{name}");
        let expected = facts(schema, &id);
        let (folder, _) = drafted(schema, docs, &family, &name);
        let found = facts(folder.path(), &id);
        let wrong: Vec<_> = found.difference(&expected).collect();
        assert!(wrong.is_empty(), "{id}: the schema does not have {wrong:#?}");
        let missing: Vec<_> = expected.difference(&found).collect();
        if !missing.is_empty() {
            eprintln!("{id} lacks {missing:#?}");
        }
        back += found.intersection(&expected).count();
        all += expected.len();
    }
    (back, all)
}

#[test]
fn ninety_nine_of_a_hundred_facts_of_the_real_documents_come_back() {
    let named = std::env::var_os("TRADEAPI_DOCS").map(PathBuf::from);
    let docs = named.unwrap_or_else(|| root().join("../shared/docs"));
    if !docs.join("unified-v3.md").is_file() {
        eprintln!("SKIPPED: no documents in {}; name their folder with TRADEAPI_DOCS", docs.display());
        return;
    }
    let schema = root().join("schema");
    assert_eq!(operations(&schema).len(), 30);
    let (back, all) = come_back(&schema, &docs);
    assert!(back * 100 >= all * 99, "{back} of {all}");
}

#[test]
fn nine_of_ten_facts_of_the_garden_come_back() {
    let (back, all) = come_back(&garden().join("schema"), &garden().join("docs"));
    assert!(back * 10 >= all * 9, "{back} of {all}");
}

#[test]
fn a_draft_keeps_unread_sentences() {
    for name in ["sow-seed", "harvests"] {
        let (folder, _) = drafted(&garden().join("schema"), &garden().join("docs"), "garden", name);
        let text = std::fs::read_to_string(folder.path().join(format!("garden/{name}.yaml"))).unwrap();
        insta::assert_snapshot!(format!("a_draft_of_{name}"), text);
    }
}

#[test]
fn every_gap_is_refused() {
    let (folder, _) = drafted(&garden().join("schema"), &garden().join("docs"), "garden", "sow-seed");
    let path = folder.path().join("garden/sow-seed.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let mistakes = Generator::new().schema_dir(folder.path()).read().unwrap_err();
    let undecided = mistakes.iter().filter(|mistake| mistake.code == Code::Unfinished).count();
    assert_eq!(undecided, text.matches("kind: todo").count());
    let short = mistakes.render(tradeapi_gen::Format::Short);
    for (index, line) in text.lines().enumerate() {
        let is_gap = line.ends_with(':') && {
            let indent = |line: &str| line.len() - line.trim_start().len();
            let next =
                text.lines().skip(index + 1).find(|line| !line.trim().is_empty() && !line.trim().starts_with('#'));
            !line.trim().starts_with('#') && next.is_none_or(|next| indent(next) <= indent(line))
        };
        let at = format!("sow-seed.yaml:{}:", index + 1);
        assert!(!is_gap || short.contains(&at) || short.contains("more place"), "line {}: {line}\n{short}", index + 1);
    }
}

#[test]
fn new_types_are_added_with_gaps() {
    let folder = tempfile::tempdir().unwrap();
    copy(&garden().join("schema"), folder.path());
    let docs = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(garden().join("docs/garden-v1.md")).unwrap();
    let section = "### Feed Cat\n\nPOST /garden/v1/feed-cat. Rate limit 1/s.\n\nParameters: food (required; fish, milk), \
        bedId. Response data: purr (boolean), mood.\n\n## Access";
    std::fs::write(docs.path().join("garden-v1.md"), text.replace("## Access", section)).unwrap();
    let source = DraftSource::Section { folder: docs.path().to_owned(), title: "Feed Cat".to_owned() };
    let drafted = Generator::new().schema_dir(folder.path()).draft("garden", &source).unwrap();
    assert_eq!(drafted.types, ["enum Food", "record FeedCatResult"]);
    let types = std::fs::read_to_string(folder.path().join("garden/types.yaml")).unwrap();
    let operation = std::fs::read_to_string(folder.path().join("garden/feed-cat.yaml")).unwrap();
    let before = std::fs::read_to_string(garden().join("schema/garden/types.yaml")).unwrap();
    let added: Vec<&str> = types.lines().filter(|line| !before.lines().any(|known| known == *line)).collect();
    insta::assert_snapshot!(format!("{operation}--- types.yaml\n{}\n", added.join("\n")));

    // Filled in, the schema is one again.
    let fill = |text: &str, words: &[(&str, &str)]| {
        words.iter().fold(text.to_owned(), |text, (from, to)| text.replacen(from, to, 1))
    };
    let operation = fill(
        &operation,
        &[
            ("doc:\n", "doc: Feeds the cat.\n"),
            ("effect:\n", "effect: create\n"),
            (
                "examples:\n",
                "examples:\n  - about: Milk.\n    request: '{\"food\": \"milk\"}'\n    \
          response: '{\"status\": \"0000\", \"data\": {\"purr\": true, \"mood\": \"happy\"}}'\n",
            ),
        ],
    );
    let types = types
        .replace("fish:\n", "fish: Fresh.\n")
        .replace("milk:\n", "milk: Warm.\n")
        .replace("doc:\n", "doc: What it says.\n");
    std::fs::write(folder.path().join("garden/feed-cat.yaml"), operation).unwrap();
    std::fs::write(folder.path().join("garden/types.yaml"), types).unwrap();
    let schema = Generator::new().schema_dir(folder.path()).read();
    schema.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(tradeapi_gen::Format::Short)));
}

#[test]
fn undraftable_sources_are_reported_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    copy(&garden().join("schema"), folder.path());
    let generator = Generator::new().schema_dir(folder.path());
    let draft = |family: &str, docs: &Path, title: &str| {
        let source = DraftSource::Section { folder: docs.to_owned(), title: title.to_owned() };
        generator.draft(family, &source).unwrap_err().render(tradeapi_gen::Format::Short)
    };
    let docs = garden().join("docs");
    assert!(draft("garten", &docs, "Sow Seed").contains("did you mean `garden`?"));
    assert!(draft("garden", &docs, "Sow Seeds").contains("did you mean `Sow Seed`?"));
    assert!(draft("garden", &docs, "Growing").contains("use the heading of a section with a method and a path"));
    assert!(draft("garden", &docs, "Sow Seed").contains("already has this section"));
    assert!(draft("garden", folder.path(), "Sow Seed").contains("name the folder that holds each"));
}

/// Two sections with one path are two operations, and a section within another is listed.
#[test]
fn a_second_section_with_the_same_path_has_its_own_parameters() {
    let folder = tempfile::tempdir().unwrap();
    copy(&garden().join("schema"), folder.path());
    let docs = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(garden().join("docs/garden-v1.md")).unwrap();
    let section = "### Look At Bed\n\nGET /garden/v1/water-bed. Rate limit 1/s.\n\nParameters: colour (required).\n\n\
        #### Response\n\nIt is large.\n\n| Field | Type | Meaning |\n|---|---|---|\n| depth | number | How deep. |\n| rows[].plant | string | What grows. |\n\
        | tags | array of strings | Words. |\n\n#### Errors\n\nNone.\n\n## Access";
    std::fs::write(docs.path().join("garden-v1.md"), text.replace("## Access", section)).unwrap();
    let source = DraftSource::Section { folder: docs.path().to_owned(), title: "Look At Bed".to_owned() };
    let drafted = Generator::new().schema_dir(folder.path()).draft("garden", &source).unwrap();
    let path = drafted.written.iter().find(|path| path.ends_with("get-water-bed.yaml")).expect("a name of its own");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("  colour:\n") && !text.contains("litres") && !text.contains("bedId"), "{text}");
    // The table of the answer becomes fields, and what is beside it is listed.
    let types = std::fs::read_to_string(folder.path().join("garden/types.yaml")).unwrap();
    let record = types.split("  GetWaterBedResult:").nth(1).unwrap();
    for expected in
        ["      depth:\n        type: decimal\n", "      rows:\n        list: ", "      tags:\n        list: string\n"]
    {
        assert!(record.contains(expected), "{expected:?} is not in\n{types}");
    }
    assert!(text.contains(": It is large\n") && text.contains(": Errors\n"), "{text}");
}
