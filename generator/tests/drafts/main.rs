//! Drafts: an operation's file is deleted and drafted again, and the facts that come back are counted.
//!
//! The real documents are not part of the project: where their folder is not there, their test says so and passes. The
//! garden's are always there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../examples/drafts/compare.rs"]
#[allow(dead_code, reason = "the counts are for the table of the example")]
mod compare;
mod documents;
#[path = "../../examples/drafts/draft.rs"]
mod draft;
#[path = "../../examples/drafts/file.rs"]
mod file;
#[path = "../../examples/drafts/fill.rs"]
mod fill;
mod followed;
mod openapi;
mod others;
#[path = "../../examples/drafts/prose.rs"]
mod prose;
mod random;
mod recording;
mod round_trip;
#[path = "../../examples/drafts/stated.rs"]
mod stated;
mod styles;

use std::path::{Path, PathBuf};

use tradeapi_gen::{DraftSource, Drafted, Generator};

/// Kinds of facts that a document states of an operation. Rules and open questions are sentences, which a draft has as
/// they stand in the document; contradictions and observations are in no document.
const KINDS: [&str; 14] = [
    "deprecated",
    "endpoint",
    "header",
    "oneof",
    "param",
    "paramdefault",
    "paramenum",
    "parammax",
    "permission",
    "rate",
    "respfield",
    "respshape",
    "window",
    "wins",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn garden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns whether a document describes a family, instead of only those who have seen it on the wire.
fn is_documented(family: &str) -> bool {
    !family.lines().any(|line| line.starts_with("sources:"))
}

/// Drafts from a file beside a schema of one family, whose operations are empty.
fn drafted_from(source: &DraftSource) -> (String, Drafted) {
    let folder = tempfile::tempdir().unwrap();
    copy(&garden().join("schema"), folder.path());
    let drafted = Generator::new().schema_dir(folder.path()).draft("garden", source).unwrap();
    let before = std::fs::read_to_string(garden().join("schema/garden/types.yaml")).unwrap();
    let mut shown = String::new();
    for path in &drafted.written {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let own = |line: &&str| name != "types.yaml" || !before.lines().any(|known| known == *line);
        let text: Vec<&str> = text.lines().filter(own).collect();
        shown.push_str(&format!("=== {name}\n{}\n", text.join("\n")));
    }
    let mistakes = Generator::new().schema_dir(folder.path()).read();
    assert!(mistakes.is_err(), "a draft is refused until it is filled in");
    (shown, drafted)
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drafts")
}

#[test]
fn files_that_are_something_else_are_refused() {
    let generator = Generator::new().schema_dir(garden().join("schema"));
    let file = garden().join("docs/garden-v1.md");
    for (source, expected) in [
        (DraftSource::OpenApi(file.clone()), "OpenAPI"),
        (DraftSource::OpenApi(file.join("none")), "cannot read"),
        (DraftSource::OpenApi(garden().join("schema/api.yaml")), "is not OpenAPI 3"),
        (DraftSource::Recording(file.clone()), "is not a recording"),
        (DraftSource::Recording(file.join("none")), "cannot read"),
    ] {
        let said = generator.draft("garden", &source).unwrap_err().render(tradeapi_gen::Format::Short);
        assert!(said.contains(expected) && said.contains("help: "), "{said}");
    }
}

/// Returns a schema of one family without operations.
fn empty_schema(folder: &Path) -> PathBuf {
    let schema = folder.join("schema");
    std::fs::create_dir_all(schema.join("garden")).unwrap();
    std::fs::write(schema.join("api.yaml"), "api: garden\nlanguage: 1\ndoc: A garden.\n").unwrap();
    let family = "family: garden\ntitle: Garden\ndoc: A garden.\nnumbers: json\nerrors: {}\n";
    std::fs::write(schema.join("garden/family.yaml"), family).unwrap();
    schema
}

/// Returns the texts of all drafted files.
fn texts(drafted: &Drafted) -> String {
    let text = |path: &PathBuf| {
        format!("=== {}\n{}", path.file_name().unwrap().to_str().unwrap(), std::fs::read_to_string(path).unwrap())
    };
    drafted.written.iter().map(text).collect()
}
