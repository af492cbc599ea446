//! Code that must not compile fails with the expected error.
//!
//! The first line of each file in `compile_fail` names its error, or says that it compiles. Only the error code is
//! compared, because messages, which trybuild compares, change between compiler versions. A second line may quote a
//! message of our own (`on_unimplemented`).
//!
//! Error codes are compared, not messages, which change with the compiler; so this does not use `trybuild`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The error codes of cases with errors, by name.
type Codes = BTreeMap<String, Vec<String>>;

/// The prefix of a quoted message.
const QUOTES: &str = "//! The compiler says: ";

#[test]
fn invalid_code_does_not_compile() {
    let cases = cases();
    assert!(cases.len() > 10);
    let messages = check(&cases);
    let found = codes(&messages);
    for (name, path) in &cases {
        let text = std::fs::read_to_string(path).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let (expected, _) = first.strip_prefix("//! ").and_then(|line| line.split_once(':')).expect("a first line");
        // Without an entry there are no errors at all, not even ones without a code.
        let expected = (expected != "compiles").then(|| vec![expected.to_owned()]);
        assert_eq!(found.get(name), expected.as_ref(), "{name}: {first}");
        if let Some(quoted) = text.lines().find_map(|line| line.strip_prefix(QUOTES)) {
            let rendered = rendered(&messages, name);
            assert!(rendered.contains(quoted), "{name}: {rendered}");
        }
    }
}

/// Returns the names and paths of the cases.
fn cases() -> BTreeMap<String, PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path)).collect()
}

/// Checks all cases at once, as binaries of one temporary crate.
fn check(cases: &BTreeMap<String, PathBuf>) -> String {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_fail");
    std::fs::create_dir_all(&room).unwrap();
    std::fs::write(room.join("Cargo.toml"), manifest(house, cases)).unwrap();
    // The versions of the workspace, which are available offline.
    std::fs::copy(house.join("Cargo.lock"), room.join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["check", "--bins", "--keep-going", "--offline", "--quiet", "--message-format=json"])
        // Tests share the results of their checks.
        .args(["--target-dir", "../checked"])
        .env("CARGO_INCREMENTAL", "0")
        .current_dir(&room)
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    // If the crate itself fails, no case was checked.
    assert!(!codes(&messages).is_empty(), "nothing was checked: {}", String::from_utf8_lossy(&output.stderr));
    messages
}

fn manifest(house: &Path, cases: &BTreeMap<String, PathBuf>) -> String {
    let mut manifest = format!(
        "[package]\nname = \"compile-fail\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         tradeapi = {{ path = {:?}, default-features = false, features = [\"unified\"] }}\n",
        house.join("generated")
    );
    for (name, path) in cases {
        write!(manifest, "\n[[bin]]\nname = {name:?}\npath = {path:?}\n").unwrap();
    }
    manifest
}

/// Returns the error codes in cargo's messages.
fn codes(messages: &str) -> Codes {
    let mut codes = Codes::new();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let diagnostic = &message["message"];
        if let (Some(name), Some("error")) = (message["target"]["name"].as_str(), diagnostic["level"].as_str()) {
            // The final summary has no code.
            let code = diagnostic["code"]["code"].as_str().map(str::to_owned);
            let of_case = codes.entry(name.to_owned()).or_default();
            of_case.extend(code);
            of_case.dedup();
        }
    }
    codes
}

/// Returns the compiler's errors of a case.
fn rendered(messages: &str, name: &str) -> String {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let of_case = messages.filter(|message| message["target"]["name"].as_str() == Some(name));
    of_case.filter_map(|message| message["message"]["rendered"].as_str().map(str::to_owned)).collect()
}
