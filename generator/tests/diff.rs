//! `tradeapi-gen diff` as a maintainer uses it: two folders, a revision, what it prints and how it exits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../../tests/src/folders.rs"]
mod folders;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn diff(within: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tradeapi-gen")).arg("diff").args(arguments).current_dir(within).output().unwrap()
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/change").canonicalize().unwrap()
}

/// Returns a folder with the schemas `old` and `new`, which differ in a maximum.
fn two() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    folders::copy(&fixture(), &folder.path().join("old"));
    folders::copy(&fixture(), &folder.path().join("new"));
    lower(&folder.path().join("new"));
    folder
}

fn lower(schema: &Path) {
    let file = schema.join("house/find-books.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, text.replace("max: 100", "max: 50")).unwrap();
}

fn git(within: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=A Maintainer", "-c", "user.email=m@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").current_dir(within).args(who).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn said(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn tool(arguments: &[&str]) -> String {
    said(Command::new(env!("CARGO_BIN_EXE_tradeapi-gen")).args(arguments).output().unwrap().stdout)
}

/// A rate over another window than a second is a change of behaviour, and every output names the window.
#[test]
fn a_rate_over_a_minute() {
    let folder = two();
    let new = folder.path().join("new");
    folders::copy(&fixture(), &new);
    let file = new.join("house/lend-many.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("[1/s per UID]", "[60/1m per UID]")).unwrap();
    let output = said(diff(folder.path(), &["old", "new"]).stdout);
    assert!(output.contains("1/s -> 60/1m  the limiter keeps another pace"), "{output}");
    let (new, out) = (new.to_str().unwrap(), folder.path().join("src"));
    assert!(tool(&["facts", "--schema", new]).contains("rate\thouse.lend-many\t60\t1m\tUID\tdefault\n"));
    assert!(tool(&["list", "--schema", new]).contains("60/1m per UID"));
    assert!(tool(&["rules", "--schema", new]).contains("rate-uid-1m"));
    let openapi = folder.path().join("openapi.json");
    tool(&["export", "openapi", "--schema", new, "--out", openapi.to_str().unwrap()]);
    assert!(std::fs::read_to_string(openapi).unwrap().contains("\"per\": \"1m\""));
    tool(&["generate", "--schema", new, "--out", out.to_str().unwrap()]);
    let emitted = std::fs::read_to_string(out.join("house/lend_many.rs")).unwrap();
    assert!(emitted.contains("RateLimit::per_uid(60).every(60)"), "{emitted}");
    assert!(emitted.contains("60 calls in 1 minute per UID"), "{emitted}");
}

/// A text of the fixture, and two texts in its place that say the same: the same time in another unit, names in another
/// order where that means nothing.
const SAME: &[(&str, &str, [&str; 2])] = &[
    ("api.yaml", "window: 30 seconds", ["window: 1 minute", "window: 60 seconds"]),
    ("house/extend-loan.yaml", "isbn } }\n", ["isbn }, kept: 1 week }\n", "isbn }, kept: 7 days }\n"]),
    (
        "house/extend-loan.yaml",
        "isbn } }\n",
        [
            "isbn }, changed: due, changed_while: { state: [open, closed] } }\n",
            "isbn }, changed: due, changed_while: { state: [closed, open] } }\n",
        ],
    ),
    ("house/types.yaml", "only: [open]", ["only: [open, closed]", "only: [closed, open]"]),
    (
        "house/family.yaml",
        "{ from: open, trigger: a return",
        ["{ from: open, trigger: [a return, a theft]", "{ from: open, trigger: [a theft, a return]"],
    ),
    (
        "house/lend-book.yaml",
        "when: { given: [card] }",
        ["when: { given: [card], place: home }", "when: { place: home, given: [card] }"],
    ),
];

#[test]
fn other_words_for_the_same_are_no_difference() {
    for (file, text, replacements) in SAME {
        let folder = two();
        for (name, replacement) in ["old", "new"].into_iter().zip(replacements) {
            folders::copy(&fixture(), &folder.path().join(name));
            let path = folder.path().join(name).join(file);
            let before = std::fs::read_to_string(&path).unwrap();
            let after = before.replacen(text, replacement, 1);
            assert_ne!(before, after, "{file} has no {text:?}");
            std::fs::write(path, after).unwrap();
        }
        let output = diff(folder.path(), &["old", "new"]);
        assert_eq!(said(output.stdout), "no differences\n", "{replacements:?}: {}", said(output.stderr));
    }
}

#[test]
fn compares_two_folders() {
    let folder = two();
    let output = diff(folder.path(), &["old", "new"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        said(output.stdout),
        "behaviour\n  parameter  house.find-books.limit  max: 100 -> 50  checked before sending  \
         new/house/find-books.yaml:13:40\n\n\
         1 behaviour: needs a new minor version (1.4.2 becomes 1.5.0; below 1.0, 0.4.2 becomes 0.4.3)\n"
    );
    let same = diff(folder.path(), &["old", "old", "--fail-on", "breaking,behaviour,additive,documentation"]);
    assert_eq!((same.status.code(), said(same.stdout)), (Some(0), "no differences\n".to_owned()));
}

#[test]
fn fail_on_makes_a_class_a_failure() {
    let folder = two();
    let code = |classes: &str| diff(folder.path(), &["old", "new", "--fail-on", classes]).status.code();
    assert_eq!(code("breaking"), Some(0));
    assert_eq!(code("breaking,behaviour"), Some(1));
    assert_eq!(code("nonsense"), Some(2));
}

#[test]
fn renders_markdown_and_json() {
    let folder = two();
    let print = |format: &str| said(diff(folder.path(), &["old", "new", "--format", format]).stdout);
    assert!(print("markdown").contains("- parameter `house.find-books.limit`: max `100` → `50`"));
    let json: serde_json::Value = serde_json::from_str(&print("json")).unwrap();
    assert_eq!(json["bump"], "minor");
    assert_eq!(json["differences"][0]["file"], "new/house/find-books.yaml");
}

#[test]
fn compares_with_a_revision() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("a schema/of ours");
    folders::copy(&fixture(), &schema);
    git(folder.path(), &["init", "--quiet"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "--quiet", "-m", "The schema"]);
    git(folder.path(), &["tag", "v1"]);
    let against = |revision: &str, schema: &str| diff(folder.path(), &["--against", revision, "--schema", schema]);
    assert_eq!(said(against("v1", "a schema/of ours").stdout), "no differences\n");

    lower(&schema);
    std::fs::remove_file(schema.join("house/lend-many.yaml")).unwrap();
    let output = against("v1", "a schema/of ours");
    assert_eq!(output.status.code(), Some(0));
    let table = said(output.stdout);
    // What is gone is shown where it was.
    assert!(table.contains("v1:a schema/of ours/house/lend-many.yaml:1:12"), "{table}");
    assert!(table.contains("  a schema/of ours/house/find-books.yaml:13:40"), "{table}");

    let last = diff(folder.path(), &["--schema", "a schema/of ours"]);
    assert_eq!(said(last.stdout), table.replace("v1:", "HEAD:"));

    let wrong = |revision: &str, schema: &str| {
        let output = against(revision, schema);
        assert_eq!(output.status.code(), Some(1));
        said(output.stderr)
    };
    assert!(wrong("v9", "a schema/of ours").contains("the repository of a schema/of ours has no revision `v9`"));
    let option = diff(folder.path(), &["--against=--all", "--schema", "a schema/of ours"]);
    assert!(said(option.stderr).contains("has no revision `--all`"));
    folders::copy(&fixture(), &folder.path().join("later"));
    assert!(wrong("v1", "later").contains("later does not exist at revision `v1`"));
    assert!(wrong("v1", "nowhere").contains("nowhere is not a folder"));

    // The mistakes of an older schema name the revision they are in.
    std::fs::write(schema.join("office/family.yaml"), "family: desk\n").unwrap();
    git(folder.path(), &["commit", "--quiet", "--all", "-m", "A mistake"]);
    folders::copy(&fixture(), &schema);
    assert!(wrong("HEAD", "a schema/of ours").contains("--> HEAD:a schema/of ours/office/family.yaml:1:9\n"));
    let json = said(diff(folder.path(), &["--schema", "a schema/of ours", "--format", "json"]).stdout);
    let mistake: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(mistake["file"], "HEAD:a schema/of ours/office/family.yaml");
}

#[test]
fn a_missing_repository_or_git_is_reported() {
    let folder = two();
    let output = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"))
        .args(["diff", "--against", "HEAD", "--schema", "new"])
        .env("GIT_CEILING_DIRECTORIES", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(said(output.stderr).contains("git cannot read new: not a git repository"));
    let output = Command::new(env!("CARGO_BIN_EXE_tradeapi-gen"))
        .args(["diff", "--against", "HEAD", "--schema", "new"])
        .env("PATH", "")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said(output.stderr).contains("git cannot be run"));
}

#[test]
fn wrong_usage() {
    let folder = two();
    let wrong: [&[&str]; 4] = [
        &["old"],
        &["old", "new", "--against", "HEAD"],
        &["old", "new", "--schema", "new"],
        &["old", "new", "--format", "xml"],
    ];
    for arguments in wrong {
        assert_eq!(diff(folder.path(), arguments).status.code(), Some(2), "{arguments:?}");
    }
}
