//! `explain`: a page for each kind of mistake, whose examples are proved, and a page for each operation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../tests/src/folders.rs"]
mod folders;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use tradeapi_gen::{Code, Generator};

/// Returns the schema that the pages change: small, and without mistakes.
fn base() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    folders::copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/base"), &folder.path().join("schema"));
    folder
}

/// A fenced block of a page: what follows the fence, and the text within.
struct Block {
    info: String,
    text: String,
}

/// Returns the blocks below a heading of a page.
fn blocks(page: &str, heading: &str) -> Vec<Block> {
    let (_, section) =
        page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no `## {heading}`: {page}"));
    let section = section.split("\n## ").next().unwrap();
    let mut rest = section.split("```");
    let mut found = Vec::new();
    while let (Some(_), Some(block)) = (rest.next(), rest.next()) {
        let (info, text) = block.split_once('\n').unwrap();
        found.push(Block { info: info.to_owned(), text: text.to_owned() });
    }
    assert!(!found.is_empty(), "no example below `## {heading}`: {page}");
    found
}

/// Returns the codes that a run of the program reports, each once.
fn codes(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let objects = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut codes: Vec<String> = objects.filter_map(|one| Some(one["code"].as_str()?.to_owned())).collect();
    codes.dedup();
    codes
}

fn check(folder: &Path) -> Vec<String> {
    let check = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"))
        .args(["check", "--format", "json"])
        .current_dir(folder)
        .output()
        .unwrap();
    codes(&check)
}

/// Runs the lines of a block; `tradeapi-gen` is the program that is tested.
fn shell(folder: &Path, text: &str) -> Vec<String> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_tradeapi-gen"));
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program.parent().unwrap().to_path_buf()).chain(std::env::split_paths(&before));
    let output = Command::new("sh")
        .args(["-c", text])
        .env("PATH", std::env::join_paths(folders).unwrap())
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.split("error[").skip(1).filter_map(|rest| Some(rest.split_once(']')?.0.to_owned())).collect()
}

/// The wrong example of a page gives its code and nothing else, and the right one no mistake.
///
/// A `yaml` block names a file of the base and shows a passage: the right one stands there, and the wrong one takes its
/// place. An `sh` block is run beside the folder `schema`.
fn prove(code: Code) -> Result<(), String> {
    let page = code.explanation();
    let folder = base();
    let (wrong, right) = (blocks(page, "Wrong"), blocks(page, "Right"));
    let mut codes = Vec::new();
    let mut undo = Vec::new();
    for (wrong, right) in wrong.iter().zip(&right) {
        match wrong.info.split_once(' ') {
            Some(("yaml", file)) => {
                let path = folder.path().join("schema").join(file);
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
                if format!("\n{text}").matches(&format!("\n{}", right.text)).count() != 1 {
                    return Err(format!(
                        "this is not once in tests/fixtures/base/{file}; show a passage that is:\n{}",
                        right.text
                    ));
                }
                undo.push((path.clone(), text.clone()));
                let changed =
                    format!("\n{text}").replacen(&format!("\n{}", right.text), &format!("\n{}", wrong.text), 1);
                std::fs::write(path, &changed[1..]).unwrap();
            }
            None if wrong.info == "sh" => codes.extend(shell(folder.path(), &wrong.text)),
            _ => return Err(format!("a block is `yaml FILE` or `sh`, not `{}`", wrong.info)),
        }
    }
    codes.extend(check(folder.path()));
    if codes != [code.as_str()] {
        return Err(format!("the wrong example gives {codes:?}"));
    }
    undo.into_iter().for_each(|(path, text)| std::fs::write(path, text).unwrap());
    for right in right.iter().filter(|right| right.info == "sh") {
        let codes = shell(folder.path(), &right.text);
        if !codes.is_empty() {
            return Err(format!("the right example gives {codes:?}"));
        }
    }
    match check(folder.path()) {
        codes if codes.is_empty() => Ok(()),
        codes => Err(format!("the right example leaves {codes:?}")),
    }
}

#[test]
#[cfg_attr(not(unix), ignore = "some examples are lines for a shell")]
fn every_page_shows_its_mistake_and_the_fix() {
    let failed: Vec<String> =
        Code::ALL.iter().filter_map(|code| Some(format!("{code}: {}", prove(*code).err()?))).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn a_page_is_found_by_its_code_in_any_spelling() {
    for code in ["E0203", "e0203"] {
        let output = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen")).args(["explain", code]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), Code::UnknownWord.explanation().trim_end());
    }
}

#[test]
fn every_operation_is_explained() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let schema = Generator::new().schema_dir(schema).read().unwrap();
    for line in schema.list().lines().skip(1) {
        let id = line.split_whitespace().next().unwrap();
        let text = schema.explain(id).unwrap();
        for heading in [id, "In short", "Answer: ", "Example: "] {
            assert!(text.contains(heading), "{heading:?} is missing:\n{text}");
        }
        let described = text.split("\nExample: ").next().unwrap();
        let is_narrow = |line: &str| line.chars().count() <= 100 || line.starts_with("Answer: ");
        assert!(described.lines().all(is_narrow), "{described}");
    }
    // Every fact about parameters and answers is on the page of its operation.
    for fact in schema.facts() {
        let columns: Vec<&str> = fact.split('\t').collect();
        let name = |at: usize| columns[at].rsplit(['.', ']']).next().unwrap().trim_start_matches('.');
        match columns[0] {
            "param" | "respfield" => assert!(schema.explain(columns[1]).unwrap().contains(name(2)), "{fact}"),
            "paramenum" | "paramdefault" | "parammax" => {
                assert!(schema.explain(columns[1]).unwrap().contains(columns[3]), "{fact}");
            }
            "endpoint" => assert!(schema.explain(columns[1]).unwrap().contains(columns[3]), "{fact}"),
            "rule" if columns[1].contains('.') => {
                assert!(schema.explain(columns[1]).unwrap().contains(columns[2]), "{fact}");
            }
            _ => {}
        }
    }
}

#[test]
fn a_name_alone_finds_an_operation_of_one_family() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let schema = Generator::new().schema_dir(schema).read().unwrap();
    assert_eq!(schema.explain("assets").unwrap(), schema.explain("unified.assets").unwrap());
    let several = schema.explain("place-order").unwrap_err().to_string();
    assert!(several.contains("name one of: classic.place-order, unified.place-order"), "{several}");
    let unknown = schema.explain("unified.asets").unwrap_err().to_string();
    assert!(unknown.contains("did you mean `unified.assets`?"), "{unknown}");
}

/// An operation shows what a call takes of a pool, and what answers tell of it.
#[test]
fn an_operation_shows_its_pools() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/apis/schema/assorted");
    let explain = |operation: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"))
            .args(["explain", operation, "--schema", schema.to_str().unwrap()])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let says = "Pools quotes 10/1m per IP: Quotes. Answers report its use: usage.left in the body reports what remains, \
                and usage.reset in the body when it is free (in milliseconds).";
    assert!(explain("quote").contains(says), "{}", explain("quote"));
    assert!(!explain("tick").contains("Pools"), "{}", explain("tick"));
}

/// No state is named `unchanged`, so that nothing becomes that.
#[test]
fn a_change_that_leaves_a_state_is_told_in_words() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let page = Generator::new().schema_dir(schema).read().unwrap().explain("unified.modify-order").unwrap().to_string();
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "What is live or new or partially_filled stays the same. The order is not wholly filled.",
        "What is filled stays the same, because the change is rejected.",
    ] {
        assert!(page.contains(sentence), "{page}");
    }
    assert!(!page.contains("unchanged") && !page.contains("becomes rejected"), "{page}");
}
