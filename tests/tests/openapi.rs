//! The exported OpenAPI: what is committed is what the schema gives, others take it for OpenAPI, and it says what the
//! schema says. Tools of others are installed from their registries into the target folder; where they cannot be, the
//! test says so on standard error and passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tradeapi::runtime::{Meta, Operation};
use tradeapi_gen::{Generator, OpenApi, Schema};
use tradeapi_tests::schema::examples;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn schema() -> Schema {
    Generator::new().schema_dir(workspace().join("schema")).read().unwrap()
}

fn document(openapi: &OpenApi) -> Value {
    serde_json::from_str(&openapi.text).unwrap()
}

/// What is known of every operation, from the emitted crate.
fn metas() -> Vec<&'static Meta> {
    macro_rules! all {
        ($($operation:path),*) => { vec![$(<$operation as Operation>::META),*] };
    }
    tradeapi::for_each_operation!(all)
}

#[test]
fn the_committed_file_is_what_the_schema_gives() {
    let differences = schema().openapi().compare(&workspace().join("generated/openapi.json")).unwrap();
    assert!(differences.is_empty(), "run `cargo run --release -- export openapi` and commit the result");
}

#[test]
fn what_openapi_cannot_say_is_counted() {
    insta::assert_snapshot!(schema().openapi().to_string().replace(": ", ":\n").replace(", ", "\n"));
}

#[test]
fn every_operation_has_its_limits_its_credentials_and_no_address_of_ours() {
    let document = document(&schema().openapi());
    let operations = operations(&document);
    assert_eq!(operations.keys().copied().collect::<BTreeSet<_>>(), metas().iter().map(|meta| meta.id).collect());
    for (id, operation) in operations {
        assert!(operation["x-rate-limits"].as_array().is_some_and(|rates| !rates.is_empty()), "{id}");
        assert!(operation["x-source"]["section"].is_string(), "{id}");
        assert!(operation["security"].is_array(), "{id}");
    }
    assert_eq!(document["servers"][0]["url"], "{baseUrl}");
    assert_eq!(document["servers"][0]["variables"]["baseUrl"]["default"], "");
}

fn operations(document: &Value) -> BTreeMap<&str, &Value> {
    let methods = document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    methods.map(|operation| (operation["operationId"].as_str().unwrap(), operation)).collect()
}

/// Paths with parameters, JSON numbers, optional choices and answers without an envelope: another API, the same tools.
#[test]
fn another_api_is_said_too() {
    let schema = Generator::new().schema_dir(workspace().join("tests/downstream/schema")).read().unwrap();
    let openapi = schema.openapi();
    insta::assert_snapshot!(openapi.text);
    let Some(python) = python() else { return };
    let found = judge(&python, &json!({"document": document(&openapi), "calls": [], "requests": []}));
    assert_eq!(found["document"], json!([]));
}

/// An independent validator takes the document for OpenAPI 3.1, and independent JSON Schema takes the examples of the
/// schema, which are read without the generator. A member of the wrong kind is never taken.
#[test]
fn an_independent_validator_takes_the_document_and_its_examples() {
    let Some(python) = python() else { return };
    let calls: Vec<_> = metas().into_iter().flat_map(calls).collect();
    let found = judge(&python, &json!({"document": document(&schema().openapi()), "calls": calls, "requests": []}));
    for what in ["document", "examples", "mangled"] {
        assert_eq!(found[what], json!([]), "{what}");
    }
    assert!(calls.len() >= metas().len());
}

fn calls(meta: &Meta) -> Vec<Value> {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let calls = examples(meta).into_iter().map(
        |example| json!({"operation": meta.id, "request": read(&example.request), "response": read(&example.response)}),
    );
    calls.collect()
}

/// Requests that keep every rule are taken. Those that break a rule are not, unless the rule is one that no JSON Schema
/// says: of the account, across items, of numbers in texts, or across the parameters of a query.
#[test]
fn requests_that_keep_the_rules_are_taken_and_others_are_not() {
    let Some(python) = python() else { return };
    let schema = schema();
    let cases = schema.cases();
    let request = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let requests: Vec<_> =
        cases.iter().map(|case| json!({"operation": case.operation, "request": request(&case.request)})).collect();
    let found = judge(&python, &json!({"document": document(&schema.openapi()), "calls": [], "requests": requests}));
    let taken = found["requests"].as_array().unwrap().iter().map(|taken| taken.as_bool().unwrap());
    let mut refused = BTreeSet::new();
    let mut missed = BTreeSet::new();
    for (case, is_taken) in cases.iter().zip(taken) {
        let rule = format!("{} {}", case.operation, case.rule);
        match (case.breaks, is_taken) {
            (true, true) => drop(missed.insert(rule)),
            (true, false) => drop(refused.insert(rule)),
            (false, true) => {}
            (false, false) => panic!("{rule}: {} keeps it", case.request),
        }
    }
    let both: Vec<_> = refused.intersection(&missed).collect();
    assert!(both.is_empty(), "said in part: {both:?}");
    let missed: Vec<_> = missed.into_iter().collect();
    let counts = format!("said in schemas: {}\nleft to x-rules and other x- keys: {}", refused.len(), missed.len());
    insta::assert_snapshot!(format!("{counts}\n\n{}", missed.join("\n")));
}

/// A peer makes a client's types of it, and the compiler takes them.
#[test]
fn a_peer_generates_types_from_it() {
    let room = room("openapi-peer");
    let bin = room.join("node_modules/.bin");
    let peer = ["openapi-typescript@7.13.0", "typescript@5.9.3"];
    let mut install = Command::new("npm");
    install
        .args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(&room)
        .args(peer);
    if !bin.join("tsc").exists() && !succeeds(&mut install) {
        return skipped("openapi-typescript is not there and npm cannot install it");
    }
    let types = room.join("api.ts");
    let document = workspace().join("generated/openapi.json");
    let generated = Command::new(bin.join("openapi-typescript")).arg(document).arg("--output").arg(&types).output();
    let generated = generated.unwrap();
    assert!(generated.status.success(), "{}", String::from_utf8_lossy(&generated.stderr));
    let text = std::fs::read_to_string(&types).unwrap();
    for meta in metas() {
        assert!(text.contains(&format!("\"{}\": {{", meta.id)), "{} is missing", meta.id);
    }
    let compiled = Command::new(bin.join("tsc")).args(["--noEmit", "--strict"]).arg(&types).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stdout));
}

/// A Python with the validators, made once.
fn python() -> Option<PathBuf> {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let room = room("openapi-validator");
    let python = room.join("bin/python");
    let is_there = || succeeds(Command::new(&python).args(["-c", "import openapi_spec_validator, jsonschema"]));
    if !is_there() {
        succeeds(Command::new("python3").args(["-m", "venv"]).arg(&room));
        let packages = ["openapi-spec-validator==0.9.0", "jsonschema==4.26.0"];
        succeeds(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(packages),
        );
    }
    if is_there() {
        return Some(python);
    }
    skipped("openapi-spec-validator is not there and pip cannot install it");
    None
}

fn judge(python: &Path, given: &Value) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openapi/judge.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(given.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the judge has failed");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn room(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The macros that print are silenced in a test that passes; this is not.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}
