//! Drafts: an operation's file is deleted and drafted again, and the facts that come back are counted.
//!
//! The real documents are not part of the project: where their folder is not there, their test says so and passes. The
//! garden's are always there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../examples/drafts/compare.rs"]
#[allow(dead_code, reason = "the counts are for the table of the example")]
mod compare;
#[path = "../examples/drafts/fill.rs"]
mod fill;
#[path = "../examples/drafts/stated.rs"]
mod stated;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tradeapi_gen::{Code, DraftSource, Drafted, Generator};

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

/// The lines of facts about an operation that a document states.
fn facts(folder: &Path, id: &str) -> BTreeSet<String> {
    let all = Generator::new().schema_dir(folder).facts_as_read().unwrap();
    let is_own = |line: &String| {
        let columns: Vec<&str> = line.split('\t').collect();
        let owner = if columns[0] == "header" { 2 } else { 1 };
        KINDS.contains(&columns[0]) && columns.get(owner) == Some(&id)
    };
    all.into_iter().filter(is_own).collect()
}

/// A schema without one of its operations, and that operation drafted.
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

/// Whether a document describes a family, instead of only those who have seen it on the wire.
fn is_documented(family: &str) -> bool {
    !family.lines().any(|line| line.starts_with("sources:"))
}

/// The documented operations of a schema: family and name.
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
fn an_openapi_file_becomes_operations_and_types() {
    let (shown, drafted) = drafted_from(&DraftSource::OpenApi(sources().join("greenhouse.yaml")));
    insta::assert_snapshot!(shown);
    assert_eq!(drafted.left_out, ["POST /garden/v1/water-bed: the schema has it as garden.water-bed"]);
}

#[test]
fn a_recording_becomes_operations_that_are_marked_as_guessed() {
    let (shown, drafted) = drafted_from(&DraftSource::Recording(sources().join("greenhouse.har")));
    insta::assert_snapshot!(shown);
    for secret in ["ABCD-SECRET", "sig-of-a-call", "SIGABCDEF"] {
        assert!(!shown.contains(secret), "{secret} is in a draft");
    }
    assert_eq!(
        drafted.left_out,
        ["OPTIONS /garden/v1/lamps: the schema language does not have this method (1 of the recorded calls)"]
    );
}

#[test]
fn the_journal_of_a_local_exchange_gives_the_drafts_of_a_recording() {
    let har: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(sources().join("greenhouse.har")).unwrap()).unwrap();
    let mut journal = String::from("{\"journal\":1,\"begun\":0,\"setup\":{}}\n{\"at\":1,\"action\":\"look\"}\n");
    for entry in har["log"]["entries"].as_array().unwrap() {
        let (request, response) = (&entry["request"], &entry["response"]);
        let target = request["url"].as_str().unwrap().trim_start_matches("https://garden.example");
        let line = serde_json::json!({
            "at": 2,
            "request": { "address": "127.0.0.1", "method": request["method"], "target": target, "headers": {},
                "body": request["postData"]["text"].as_str().unwrap_or_default() },
            "answer": { "status": response["status"], "body": response["content"]["text"] },
        });
        journal.push_str(&format!("{line}\n"));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("greenhouse.har");
    std::fs::write(&path, journal).unwrap();
    let of_har = drafted_from(&DraftSource::Recording(sources().join("greenhouse.har"))).0;
    assert_eq!(drafted_from(&DraftSource::Recording(path)).0, of_har);
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

/// Drafts of an OpenAPI description into a garden without operations: the texts of all files, and what was said.
fn drafted_openapi(text: &str, name: &str) -> (String, Drafted) {
    let folder = tempfile::tempdir().unwrap();
    let schema = empty_schema(folder.path());
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let drafted = Generator::new().schema_dir(&schema).draft("garden", &DraftSource::OpenApi(path));
    let drafted = drafted.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let shown = texts(&drafted);
    (shown, drafted)
}

/// The case openapi-draft-loses-facts: path items by reference, and one name in two places.
#[test]
fn nothing_of_a_description_is_lost_without_a_word() {
    let by_reference = "openapi: 3.1.0\ninfo: { title: T, version: 1.0.0 }\npaths:\n  /v1/a:\n    get:\n      operationId: getA\n      \
        responses: { 200: { description: ok } }\n  /v1/b:\n    $ref: '#/components/pathItems/B'\ncomponents:\n  pathItems:\n    B:\n      \
        get:\n        operationId: getB\n        responses: { \"200\": { description: ok } }\n";
    let (shown, drafted) = drafted_openapi(by_reference, "path-item.yaml");
    assert!(shown.contains("http: GET /v1/a\n") && shown.contains("http: GET /v1/b\n"), "{shown}");
    assert_eq!(drafted.unread, ["#/info (2 statements)"]);

    let same_name = "openapi: 3.1.0\ninfo: { title: T, version: 1.0.0 }\npaths:\n  /v1/a:\n    get:\n      operationId: getA\n      \
        parameters:\n        - { name: account, in: header, schema: { type: string } }\n        - { name: account, in: query, schema: \
        { type: string } }\n      responses: { \"200\": { description: ok } }\n    options: { responses: {} }\n    head: { responses: {} }\n";
    let (shown, drafted) = drafted_openapi(same_name, "same-name.yaml");
    assert!(shown.contains("  account:\n    type: string\n    doc:\n"), "{shown}");
    assert!(shown.contains("# the header parameter account, which has the name of another one"), "{shown}");
    for method in ["OPTIONS", "HEAD"] {
        let line = format!("{method} /v1/a: the schema language does not have this method");
        assert!(drafted.left_out.contains(&line), "{drafted:?}");
    }
}

/// A description that is made at random, with every keyword that drafts know and some that they do not.
fn random_openapi(seed: u64) -> serde_json::Value {
    use serde_json::json;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    };
    let leaf = |kind: u64| match kind {
        0 => json!({"type": "string", "description": "Words.", "maxLength": 20}),
        1 => json!({"type": "integer", "minimum": 1, "maximum": 9, "default": 3}),
        2 => json!({"type": "integer", "format": "int32", "nullable": true}),
        3 => json!({"type": "number", "minimum": -1.5, "example": 2}),
        4 => json!({"type": "string", "format": "date-time"}),
        5 => json!({"type": "string", "format": "date", "title": "Day"}),
        6 => json!({"type": "string", "enum": ["buy", "sell"], "default": "buy"}),
        7 => json!({"type": ["boolean", "null"], "deprecated": true}),
        8 => json!({"type": "array", "items": {"type": "string"}, "maxItems": 5}),
        9 => json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
        10 => json!({"type": "object", "additionalProperties": {"type": "number"}}),
        11 => json!({"type": "integer", "enum": [1, 2]}),
        12 => json!({"type": "string", "const": "fixed", "pattern": "^f"}),
        13 => json!({"$ref": "#/components/schemas/Node"}),
        14 => {
            json!({"anyOf": [{"type": "string", "enum": ["x", "y"]}, {"type": "null"}], "default": "x", "deprecated": true})
        }
        15 => json!({"allOf": [{"$ref": "#/components/schemas/Part"}], "nullable": true}),
        16 => {
            json!({"allOf": [{"type": "object", "additionalProperties": {"type": "string"}}, {"description": "Beside."}]})
        }
        17 => json!({"type": "array", "items": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}}),
        18 => {
            json!({"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}})
        }
        19 => {
            json!({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 5}, "minItems": 2, "required": ["name"]})
        }
        20 => json!({"type": "array", "items": {"type": "string"}, "properties": {"stray": {"type": "string"}}}),
        21 => json!({"allOf": [{"type": "string", "format": "date-time"}], "type": "string"}),
        22 => json!({"type": "integer", "format": "uint64"}),
        23 => {
            json!({"type": "array", "items": {"oneOf": [{"required": ["name"]}, {"required": ["x"]}], "properties": {"name": {"type": "string"}, "x": {"type": "string"}}}})
        }
        25 => json!({"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 4}}),
        26 => json!({"type": "string", "minLength": 1}),
        27 => json!({"type": "string", "minLength": 3}),
        24 => json!({"allOf": [{"type": "integer"}], "type": "string"}),
        _ => json!({"type": "array", "items": {"$ref": "#/components/schemas/Node"}, "xml": {"wrapped": true}}),
    };
    let mut paths = serde_json::Map::new();
    for path in 0..2 + next(2) {
        let mut item = json!({});
        for method in ["get", "post", "put", "delete", "options"] {
            if next(2) == 0 {
                continue;
            }
            let places = ["query", "header", "cookie"];
            let parameters: Vec<_> = (0..next(4))
                .map(|n| {
                    let place = places[usize::try_from(next(3)).unwrap()];
                    json!({"name": format!("p{n}"), "in": place, "required": next(2) == 0, "schema": leaf(next(29)), "style": "form", "explode": next(2) == 0})
                })
                .collect();
            let mut operation = json!({
                "summary": "Does it", "description": "It does it at length.", "tags": ["t"], "parameters": parameters,
                "responses": {
                    "200": {"description": "ok", "content": {"application/json": {"schema": {
                        "type": "object", "required": ["a"], "properties": {"a": leaf(next(29)), "b": leaf(next(29))}}}}},
                    "400": {"description": "no"},
                },
                "x-other": {"more": [1, 2]},
            });
            match next(4) {
                0 => operation["security"] = json!([]),
                1 => operation["security"] = json!([{"key": []}]),
                2 => operation["deprecated"] = json!(next(2) == 0),
                _ => operation["operationId"] = json!(format!("op{path}{method}")),
            }
            if method != "get" && next(2) == 0 {
                let media = ["application/json", "application/x-www-form-urlencoded", "text/plain"]
                    [usize::try_from(next(3)).unwrap()];
                operation["requestBody"] = json!({"required": true, "content": {media: {"schema": {
                    "allOf": [{"$ref": "#/components/schemas/Part"}, {"type": "object", "required": ["c"], "properties": {"c": leaf(next(29))}}]}}}});
            }
            item[method] = operation;
        }
        paths.insert(format!("/v1/path{path}/{{id}}"), item);
    }
    json!({
        "openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.b/base"}, {"url": "https://c.d"}], "paths": paths,
        "components": {"schemas": {
            "Part": {"type": "object", "required": ["x"], "properties": {"x": leaf(next(10)), "c": leaf(next(10))}},
            "Node": {"type": "object", "properties": {"name": {"type": "string"}, "nodes": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}}},
        }},
    })
}

/// The values without members of a JSON value, each with its pointer.
fn statements(value: &serde_json::Value, at: &str, to: &mut Vec<String>) {
    let name = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        serde_json::Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, value)| statements(value, &format!("{at}/{}", name(key)), to));
        }
        serde_json::Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(index, value)| statements(value, &format!("{at}/{index}"), to));
        }
        _ => to.push(at.to_owned()),
    }
}

/// The places that a draft lists as not read.
fn listed(shown: &str, drafted: &Drafted) -> Vec<String> {
    let in_files = shown.lines().filter_map(|line| line.strip_prefix("# #"));
    let elsewhere = drafted.unread.iter().filter_map(|line| line.strip_prefix('#'));
    in_files.chain(elsewhere).map(|line| line.split(" (").next().unwrap().to_owned()).collect()
}

/// Each statement of a file is read, leaves a key empty, or is listed as not read with its place. A statement that is
/// said to be read changes the drafts when it changes.
#[test]
fn each_statement_of_a_description_is_read_left_empty_or_listed() {
    let mut silent = Vec::new();
    for seed in 1..=12 {
        let root = random_openapi(seed);
        let (shown, drafted) = drafted_openapi(&root.to_string(), "api.json");
        let (read, left_empty, not_read) = drafted.statements.unwrap();
        let mut all = Vec::new();
        statements(&root, "", &mut all);
        assert_eq!(read + left_empty + not_read, all.len(), "{root:#}");
        let places = listed(&shown, &drafted);
        let is_listed = |place: &str| {
            places.iter().any(|listed| {
                place.strip_prefix(listed.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        assert_eq!(all.iter().filter(|place| is_listed(place)).count(), not_read, "{places:#?}\n{root:#}\n{shown}");
        for place in all.iter().filter(|place| !is_listed(place)) {
            let mut changed = root.clone();
            let Some(value) = changed.pointer_mut(place) else { panic!("{place}") };
            *value = match value.clone() {
                serde_json::Value::String(text) if text.starts_with("#/") => continue,
                serde_json::Value::String(text) if place.ends_with("/openapi") => format!("2{text}").into(),
                serde_json::Value::String(text) => format!("{text}x").into(),
                serde_json::Value::Number(number) if number.is_i64() => (number.as_i64().unwrap() + 1).into(),
                serde_json::Value::Number(number) => (number.as_f64().unwrap() + 0.25).into(),
                serde_json::Value::Bool(truth) => (!truth).into(),
                _ => continue,
            };
            if place.ends_with("/openapi") {
                continue;
            }
            let again = drafted_openapi(&changed.to_string(), "api.json").0;
            if again == shown {
                silent.push(format!("{seed}: {place} {}", root.pointer(place.rsplit_once("/").unwrap().0).unwrap()));
            }
        }
    }
    assert!(silent.is_empty(), "not listed as unread, but without an effect: {silent:#?}");
}

/// Another reader of the same file finds nothing that a draft states otherwise, or leaves out without a word.
#[test]
fn no_fact_of_a_description_is_wrong_in_silence() {
    for text in std::iter::once(HOSTILE.to_owned()).chain((1..=150).map(|seed| random_openapi(seed).to_string())) {
        let folder = tempfile::tempdir().unwrap();
        let schema = empty_schema(folder.path());
        let path = folder.path().join("api.json");
        std::fs::write(&path, &text).unwrap();
        let drafted =
            Generator::new().schema_dir(&schema).draft("garden", &DraftSource::OpenApi(path.clone())).unwrap();
        let measured = compare::compare(&path, &schema.join("garden"), &drafted);
        assert!(measured.wrong.is_empty(), "{:#?}\n{text}\n{}", measured.wrong, texts(&drafted));
    }
}

/// Drafts of a recording into a garden without operations.
fn drafted_recording(entries: &serde_json::Value) -> (String, Drafted) {
    let folder = tempfile::tempdir().unwrap();
    let schema = empty_schema(folder.path());
    let path = folder.path().join("calls.har");
    std::fs::write(&path, serde_json::json!({"log": {"version": "1.2", "entries": entries}}).to_string()).unwrap();
    let drafted = Generator::new().schema_dir(&schema).draft("garden", &DraftSource::Recording(path)).unwrap();
    (texts(&drafted), drafted)
}

fn entry(method: &str, url: &str, post: serde_json::Value, answer: serde_json::Value) -> serde_json::Value {
    serde_json::json!({"request": {"method": method, "url": url, "headers": [], "postData": post}, "response": answer})
}

fn answered(text: &str) -> serde_json::Value {
    serde_json::json!({"status": 200, "content": {"mimeType": "application/json", "text": text}})
}

/// The case recording-form-body: a form may be recorded as a text, as parameters, or as both.
#[test]
fn a_recorded_form_is_one() {
    let form = "application/x-www-form-urlencoded";
    let params = serde_json::json!([{"name": "q", "value": "1"}, {"name": "side", "value": "buy%20it"}]);
    for post in [
        serde_json::json!({"mimeType": form, "text": "q=1&side=buy", "params": params}),
        serde_json::json!({"mimeType": form, "text": "q=1&side=buy"}),
        serde_json::json!({"mimeType": form, "params": params}),
    ] {
        let entry = entry("POST", "https://api.example.com/api/v1/form", post, answered(r#"{"b":"2"}"#));
        let (shown, _) = drafted_recording(&serde_json::json!([entry]));
        assert!(
            shown.contains("\nsends: form\n") && shown.contains("\n  q:\n") && shown.contains("\n  side:\n"),
            "{shown}"
        );
    }
    let multipart = serde_json::json!({"mimeType": "multipart/form-data; boundary=x", "text": "--x", "params": params});
    let entry = entry("POST", "https://api.example.com/api/v1/form", multipart, answered("{}"));
    let (shown, _) = drafted_recording(&serde_json::json!([entry]));
    assert!(shown.contains("\nrequest:\n\n") && shown.contains("# the body: multipart/form-data"), "{shown}");
}

#[test]
fn a_recording_shows_more_than_json_objects() {
    let none = serde_json::Value::Null;
    let base64 =
        serde_json::json!({"status": 200, "content": {"encoding": "base64", "text": "eyJiIjogLTIsICJjIjogbnVsbH0="}});
    let (shown, _) = drafted_recording(&serde_json::json!([
        entry("GET", "https://a.example/v1/x?id=1&id=2", none.clone(), base64),
        entry("GET", "https://other.example/v1/y", none.clone(), answered("{}")),
        entry("GET", "https://a.example/v1/z", none.clone(), serde_json::json!({"status": 0})),
        entry("POST", "https://a.example/v1/w?limit=-5", none.clone(), answered("[1]")),
        entry(
            "PUT",
            "https://a.example/v1/w?limit=5",
            serde_json::json!({"text": "{\"n\": -3}"}),
            answered("\"done\"")
        ),
    ]));
    assert!(shown.contains("lists: repeated") && shown.contains("  id:\n    list:\n"), "{shown}");
    assert!(shown.contains("      b:\n        type: signed\n") && shown.contains("may_be: null"), "{shown}");
    assert!(shown.contains("sends: query") && shown.contains("  limit:\n    type:\n    in: query\n"), "{shown}");
    assert!(!shown.contains("/v1/y"), "{shown}");
    let (_, drafted) = drafted_recording(&serde_json::json!([
        entry("GET", "https://a.example/v1/x", none.clone(), answered("{}")),
        entry("GET", "https://a.example/v1/z", none.clone(), serde_json::json!({"status": 0})),
        entry("GET", "https://other.example/v1/y", none, answered("{}")),
    ]));
    let said = drafted.left_out.join("\n");
    assert!(
        said.contains("GET /v1/z: without an answer (1 of") && said.contains("other.example: another host"),
        "{said}"
    );
}

/// Facts that a draft once made up or changed.
#[test]
fn a_draft_states_what_the_description_states() {
    let text = r##"{"openapi": "3.0.0", "info": {}, "security": [{"key": []}], "paths": {"/private/buy": {
        "get": {"summary": "Buy", "parameters": [{"name": "size", "in": "query", "schema": {"type": "integer"}},
            {"name": "day", "in": "query", "schema": {"type": "string", "format": "date"}}], "responses": {}},
        "post": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], "responses": {"404": {"description": "none"}}},
        "put": {"requestBody": {"content": {"application/json": {"schema": {"required": ["a"], "allOf": [{"$ref": "#/components/schemas/A"}]}}}}, "responses": {}},
        "delete": {"security": [], "responses": {}}}},
        "components": {"schemas": {"A": {"type": "object", "properties": {"a": {"type": "string"}, "big": {"type": "integer", "maximum": 340282366920938463463374607431768211456, "description": "\ud83e\udd80"}}}}}}"##;
    let (shown, drafted) = drafted_openapi(text, "api.json");
    let of = |head: &str| {
        shown.split("=== ").find(|file| file.contains(head)).unwrap_or_else(|| panic!("{head}: {shown}")).to_owned()
    };
    let get = of("http: GET /private/buy");
    assert!(get.contains("# Seen: GET; /private/buy; Buy.\neffect:\n"), "{get}");
    assert!(get.contains("# Secured by key.\n# signed or public.\naccess:\n"), "{get}");
    assert!(get.contains("  size:\n    type: signed\n"), "{get}");
    assert!(get.contains("  day:\n    type: date\n"), "{get}");
    let post = of("http: POST /private/buy");
    assert!(post.contains("sends: query\n") && post.contains("  q:\n"), "{post}");
    assert!(post.contains("# #/paths/~1private~1buy/post/responses\n"), "{post}");
    let put = of("http: PUT /private/buy");
    assert!(put.contains("  a:\n    type: string\n    required: always\n"), "{put}");
    assert!(put.contains("340282366920938463463374607431768211456") && put.contains('\u{1f980}'), "{put}");
    assert!(of("http: DELETE /private/buy").contains("access: public\n"));
    assert!(drafted.statements.is_some());
}

#[test]
fn swagger_2_is_read_as_openapi_3() {
    let text = r##"{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "host": "a.b", "basePath": "/v2", "consumes": ["application/json"],
        "produces": ["application/json"], "parameters": {"Limit": {"name": "limit", "in": "query", "type": "integer", "minimum": 1}},
        "paths": {"/pets": {"get": {"operationId": "listPets", "parameters": [{"$ref": "#/parameters/Limit"}, {"name": "tags", "in": "query", "type": "array",
            "items": {"type": "string"}, "collectionFormat": "csv"}], "responses": {"200": {"description": "ok", "schema": {"type": "array", "items": {"$ref": "#/definitions/Pet"}}}}},
            "post": {"parameters": [{"name": "body", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}], "responses": {}},
            "put": {"consumes": ["application/x-www-form-urlencoded"], "parameters": [{"name": "name", "in": "formData", "required": true, "type": "string"}], "responses": {}}}},
        "definitions": {"Pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "parents": {"type": "array", "items": {"$ref": "#/definitions/Pet"}}}}}}"##;
    let (shown, _) = drafted_openapi(text, "api.json");
    for expected in [
        "http: GET /v2/pets\n",
        "  limit:\n    type: integer\n    min: 1\n",
        "lists: comma\n",
        "  array: Pet\n",
        "http: POST /v2/pets\n",
        "  name:\n    type: string\n    required: always\n",
        "http: PUT /v2/pets\n",
        "sends: form\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
}

#[test]
fn a_part_of_a_description_is_drafted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.json");
    let operation =
        |id: &str, tag: &str| serde_json::json!({"get": {"operationId": id, "tags": [tag], "responses": {}}});
    let root = serde_json::json!({"openapi": "3.0.0", "info": {}, "paths": {
        "/a": operation("getA", "one"), "/a/b": operation("getB", "two"), "/ab": operation("getC", "two")}});
    std::fs::write(&path, root.to_string()).unwrap();
    let draft = |only: &str| {
        let schema = empty_schema(&folder.path().join(only.replace('/', "_")));
        let source = DraftSource::OpenApi(path.clone());
        Generator::new().schema_dir(schema).draft_only("garden", &source, &[only.to_owned()])
    };
    for (only, names) in [("/a", &["get-a", "get-b"][..]), ("two", &["get-b", "get-c"]), ("getA", &["get-a"])] {
        let written = draft(only).unwrap().written;
        let found: Vec<_> = written.iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        assert_eq!(found, names, "{only}");
    }
    assert!(draft("three").unwrap_err().to_string().contains("no operation of three"));
}

/// The case openapi-export-list-form: what the exporter writes is read again.
#[test]
fn the_exporter_is_read_back() {
    let operation = |lists: &str| {
        format!(
            "operation: ticker\ntitle: Get Ticker\nhttp: GET /api/v1/ticker\ndoc: Reads prices.\neffect: read\naccess: public\n\
             lists: {lists}\nrate_limit: [10/s per IP, 600/1m per IP]\nrequest:\n  symbols: {{ list: string, doc: Names. }}\n  \
             since: {{ type: time, times: seconds, doc: Since then. }}\n  least: {{ type: integer, min: 1, max: 9, doc: The least. }}\n\
             response: {{ object: Ticker }}\nexamples:\n  - about: One.\n    request: '{{}}'\n    response: '{{}}'\n"
        )
    };
    let types = "records:\n  Ticker:\n    doc: A price.\n    fields:\n      price: { type: decimal, doc: The price. }\n      \
        at: { type: time, times: microseconds, doc: When. }\n      change: { type: signed, doc: The change. }\n";
    for lists in ["json", "repeated", "comma", "brackets", "indexed"] {
        let folder = tempfile::tempdir().unwrap();
        let schema = empty_schema(&folder.path().join("old"));
        std::fs::write(schema.join("garden/ticker.yaml"), operation(lists)).unwrap();
        std::fs::write(schema.join("garden/types.yaml"), types).unwrap();
        let old = Generator::new().schema_dir(&schema).read().unwrap_or_else(|error| panic!("{error}"));
        let path = folder.path().join("openapi.json");
        old.openapi().write(&path).unwrap();
        let exported = std::fs::read_to_string(&path).unwrap();
        if lists == "comma" {
            assert!(exported.contains("\"explode\": false"), "{exported}");
        }
        let new = empty_schema(&folder.path().join("new"));
        let drafted = Generator::new().schema_dir(&new).draft("garden", &DraftSource::OpenApi(path)).unwrap();
        let shown = texts(&drafted);
        for expected in [
            &format!("lists: {lists}\n"),
            "effect: read\n",
            "rate_limit: [10/s per IP, 600/1m per IP]\n",
            "  symbols:\n    list: string\n",
            "times: seconds\n",
            "    min: 1\n    max: 9\n",
            "times: microseconds\n",
            "type: signed\n",
            "operation: ticker\n",
            "access: public\n",
        ] {
            assert!(shown.contains(expected), "{lists}: {expected:?} is not in\n{shown}\n{exported}");
        }
    }
}

/// The schemas of other APIs, and of this one.
fn schemas() -> Vec<PathBuf> {
    let apis = std::fs::read_dir(root().join("tests/apis/schema")).unwrap();
    let mut all: Vec<PathBuf> = apis.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.extend([root().join("tests/downstream/schema"), root().join("schema")]);
    all
}

/// A schema without operations and types, but with the conventions of its families.
fn emptied(schema: &Path, folder: &Path) -> Vec<String> {
    let mut families = Vec::new();
    std::fs::create_dir_all(folder).unwrap();
    let mut api = fill::read(&schema.join("api.yaml"));
    ["credentials", "account"].iter().for_each(|key| drop(api.as_mapping_mut().unwrap().remove(*key)));
    std::fs::write(folder.join("api.yaml"), serde_yaml::to_string(&api).unwrap()).unwrap();
    for entry in std::fs::read_dir(schema).unwrap().map(Result::unwrap) {
        let Ok(text) = std::fs::read_to_string(entry.path().join("family.yaml")) else { continue };
        // The exported document has no family that only others have seen.
        if !is_documented(&text) {
            continue;
        }
        let family = entry.file_name().into_string().unwrap();
        std::fs::create_dir_all(folder.join(&family)).unwrap();
        let is_kept = |line: &&str| {
            ["family:", "title:", "doc:", "numbers:", "sends:", "lists:", "objects:", "times:"]
                .iter()
                .any(|key| line.starts_with(key))
        };
        let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
        std::fs::write(folder.join(&family).join("family.yaml"), format!("{kept}errors: {{}}\n")).unwrap();
        families.push(family);
    }
    families
}

/// What OpenAPI can hold of a schema, exported and drafted into a schema without operations, comes back.
#[test]
fn facts_survive_an_export_and_a_draft() {
    let (mut kept, mut all, mut made_up) = (0, 0, Vec::new());
    for schema in schemas() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("openapi.json");
        let generator = Generator::new().schema_dir(&schema);
        generator.read().unwrap_or_else(|error| panic!("{error}")).documented().openapi().write(&file).unwrap();
        let credentials =
            |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["x-credentials"].clone();
        let exported = credentials(&std::fs::read_to_string(&file).unwrap());
        let new = folder.path().join("schema");
        let families = emptied(&schema, &new);
        let again = Generator::new().schema_dir(&new);
        for family in &families {
            let source = DraftSource::OpenApi(file.clone());
            again.draft_only(family, &source, std::slice::from_ref(family)).unwrap();
            fill::fill(&new.join(family));
        }
        let of = |generator: &Generator| -> BTreeSet<String> {
            let all = generator.facts_as_read().unwrap();
            all.into_iter().filter(|line| KINDS.contains(&line.split('\t').next().unwrap())).collect()
        };
        let (old, drafted) = (of(&generator), of(&again));
        let lost: Vec<_> = old.difference(&drafted).collect();
        println!("{}: lost {lost:#?}", schema.display());
        made_up.extend(drafted.difference(&old).cloned());
        (kept, all) = (kept + old.len() - lost.len(), all + old.len());
        let api = std::fs::read_to_string(new.join("api.yaml")).unwrap();
        let drafted = api.lines().find_map(|line| line.strip_prefix("credentials: "));
        let drafted = drafted.map_or(serde_json::Value::Null, |text| serde_json::from_str(text).unwrap());
        assert_eq!(drafted, exported);
        if !exported.is_null() {
            check_credentials(&schema, &folder.path().join("again"), &exported, credentials);
        }
    }
    println!("{kept} of {all}, made up {made_up:#?}");
    // What is lost: the forms of arrays of answers, the names of single values, and objects under names.
    assert!(kept * 100 >= all * 96 && made_up.len() * 100 <= all * 2, "{kept} of {all}, {}", made_up.len());
}

/// A schema with the drafted credentials in the place of its own states the same.
fn check_credentials(
    schema: &Path,
    folder: &Path,
    exported: &serde_json::Value,
    of: impl Fn(&str) -> serde_json::Value,
) {
    copy(schema, folder);
    let path = folder.join("api.yaml");
    let mut api = fill::read(&path);
    api["credentials"] = serde_yaml::to_value(exported).unwrap();
    std::fs::write(&path, serde_yaml::to_string(&api).unwrap()).unwrap();
    let again = Generator::new().schema_dir(folder).read().unwrap_or_else(|error| panic!("{error}")).openapi();
    assert_eq!(&of(&again.text), exported);
}

/// A schema of one family without operations.
fn empty_schema(folder: &Path) -> PathBuf {
    let schema = folder.join("schema");
    std::fs::create_dir_all(schema.join("garden")).unwrap();
    std::fs::write(schema.join("api.yaml"), "api: garden\nlanguage: 1\ndoc: A garden.\n").unwrap();
    let family = "family: garden\ntitle: Garden\ndoc: A garden.\nnumbers: json\nerrors: {}\n";
    std::fs::write(schema.join("garden/family.yaml"), family).unwrap();
    schema
}

/// The texts of all drafted files.
fn texts(drafted: &Drafted) -> String {
    let text = |path: &PathBuf| {
        format!("=== {}\n{}", path.file_name().unwrap().to_str().unwrap(), std::fs::read_to_string(path).unwrap())
    };
    drafted.written.iter().map(text).collect()
}

/// Names that collide in Rust, are reserved, or cannot become one.
const HOSTILE: &str = r##"{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "paths": {
    "/category": {"get": {"summary": "Category", "parameters": [{"name": "category", "in": "query", "schema": {"$ref": "#/components/schemas/Category"}}],
        "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}}}}},
        "put": {"summary": "", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}}}, "responses": {}}},
    "/24h-ticker": {"get": {"summary": "24h ticker", "parameters": [{"name": "new", "in": "query", "schema": {"type": "string"}},
        {"name": "filter[x]", "in": "query", "schema": {"type": "string"}}, {"name": "filter(x)", "in": "query", "schema": {"type": "string"}}],
        "responses": {"200": {"content": {"text/plain": {"schema": {"type": "string"}}}}}}},
    "/types": {"get": {"operationId": "types", "summary": "Types", "responses": {"200": {"content": {"application/json": {"schema":
        {"type": "object", "additionalProperties": {"type": "number"}}}}}}}},
    "/con/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}], "delete": {"summary": "Vec", "responses": {}}},
    "/lists": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["orders", "inner"], "properties": {
        "orders": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "legs": {"type": "array", "items": {"$ref": "#/components/schemas/Result"}}}}},
        "inner": {"type": "object", "properties": {"list": {"type": "array", "items": {"$ref": "#/components/schemas/Result"}}, "nested": {"type": "object", "properties": {"a": {"type": "string"}}}}}}}}}}, "responses": {}}}},
    "components": {"schemas": {"Category": {"type": "string", "enum": ["spot", "SPOT", "1m", "***", "Unknown", "Self"]},
        "Result": {"type": "object", "properties": {"sort-by": {"type": "string"}, "sortBy": {"type": "string"}, "1d": {"type": "number"}, "名前": {"type": "string"},
            "type": {"type": "string", "enum": ["a"]}, "Category": {"type": "object", "properties": {"x": {"type": "string"}}}, "map": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Result"}},
            "any": {}, "free": {"type": "object"}}}}}}"##;

#[test]
fn a_draft_passes_once_its_empty_keys_are_filled() {
    let random = (1..=12).map(|seed| random_openapi(seed).to_string());
    for text in std::iter::once(HOSTILE.to_owned()).chain(random) {
        let folder = tempfile::tempdir().unwrap();
        let schema = empty_schema(folder.path());
        let path = folder.path().join("api.json");
        std::fs::write(&path, &text).unwrap();
        let generator = Generator::new().schema_dir(&schema);
        let drafted = generator.draft("garden", &DraftSource::OpenApi(path)).unwrap();
        fill::fill(&schema.join("garden"));
        if let Err(mistakes) = generator.read() {
            panic!("{}\n{}", mistakes.render(tradeapi_gen::Format::Short), texts(&drafted));
        }
    }
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
    assert!(text.contains(": It is large\n") && text.contains(": the section Errors\n"), "{text}");
}
