//! Cases that users reported, each played as it was reported: a schema, a command, and what it prints.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tradeapi-gen")).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Returns a new project: its folder, and the path of its schema.
fn project() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let desk = folder.path().join("desk");
    let output = run(&["init", desk.to_str().unwrap(), "--crates", root().to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
    let schema = desk.join("schema").to_str().unwrap().to_owned();
    (folder, schema)
}

fn edit(schema: &str, file: &str, from: &str, to: &str) {
    let path = Path::new(schema).join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from:?} is not in {file}:\n{text}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn check(schema: &str) -> String {
    said(&run(&["check", "--schema", schema, "--format", "short"]))
}

/// Adds a record that travels as an array, with these fields.
fn with_candles(schema: &str, fields: &str) {
    let candle = format!("records:\n  Candle:\n    doc: A price.\n    by_position: true\n    fields:\n{fields}");
    edit(schema, "market/types.yaml", "records:\n", &candle);
    let list = "    fields:\n      candles: { list: Candle, doc: The hours. }\n      symbol";
    edit(schema, "market/types.yaml", "    fields:\n      symbol", list);
}

/// The case diff-misses-positions: the place of a field is its meaning, so fields that change places, and fields that
/// others push away, are read from elsewhere.
#[test]
fn fields_that_change_places_are_read_from_elsewhere() {
    const CLOSE: &str = "      close: { type: decimal, doc: The price. }\n";
    const TRADED: &str = "      traded: { type: decimal, doc: The quantity. }\n";
    let open = "      open: { type: decimal, doc: The first price. }\n";
    let (old, old_schema) = project();
    with_candles(&old_schema, &format!("{CLOSE}{TRADED}"));
    let diff = |fields: String| {
        let (_new, schema) = project();
        with_candles(&schema, &fields);
        said(&run(&["diff", &old_schema, &schema]))
    };
    let swapped = diff(format!("{TRADED}{CLOSE}"));
    for (field, change, line) in [("close", "place: 1 -> 2", ":8:"), ("traded", "place: 2 -> 1", ":7:")] {
        let found = swapped.lines().find(|line| line.contains(&format!("market.Candle.{field}"))).expect(&swapped);
        assert!(found.contains(change) && found.contains("it is read from another place"), "{swapped}");
        assert!(found.contains(&format!("types.yaml{line}")), "{swapped}");
    }
    assert!(swapped.contains("2 behaviour: needs a new minor version"), "{swapped}");
    let pushed = diff(format!("{open}{CLOSE}{TRADED}"));
    assert!(pushed.contains("place: 1 -> 2") && pushed.contains("place: 2 -> 3"), "{pushed}");
    let longer = diff(format!("{CLOSE}{TRADED}{open}"));
    assert!(!longer.contains("place:") && longer.contains("1 additive"), "{longer}");
    drop(old);
}

/// The case generate-and-check-disagree: what one command refuses, the others refuse in the same words.
#[test]
fn all_commands_agree_on_a_schema() {
    let refused = [
        ("Name of the trading pair. }\n      price", "\"Emoji \\ud83e\\udd80.\" }\n      price", "half a character"),
        ("Name of the trading pair. }\n      price", "\"Half \\uDCFF.\" }\n      price", "E0101"),
    ];
    for (from, to, expected) in refused {
        let (folder, schema) = project();
        edit(&schema, "market/types.yaml", from, to);
        agree(&folder, &schema, Some(expected));
    }
    let accepted =
        [r#""Emoji \U0001f980.""#, r#""A backslash before a word: \\ud83e.""#, r"'In single quotes: \ud83e'"];
    for doc in accepted {
        let (folder, schema) = project();
        edit(&schema, "market/types.yaml", "Name of the trading pair.", doc);
        agree(&folder, &schema, None);
    }
    // An example that breaks a rule.
    let (folder, schema) = project();
    let rules = "rules:\n  - { id: short, at: here, kind: checked, says: A pair is short., forbid: { symbol: BTCUSDT } }\nexamples:";
    edit(&schema, "market/ticker.yaml", "examples:", rules);
    agree(&folder, &schema, Some("E0412"));
}

fn agree(folder: &TempDir, schema: &str, refused: Option<&str>) {
    let out = folder.path().join("out");
    let (out, openapi) = (out.to_str().unwrap(), folder.path().join("openapi.json"));
    let commands: [&[&str]; 4] = [
        &["check"],
        &["generate", "--out", out],
        &["generate", "--check", "--out", out],
        &["export", "openapi", "--out", openapi.to_str().unwrap()],
    ];
    for command in commands {
        let output = run(&[command, &["--schema", schema, "--format", "short"]].concat());
        let is_refused = said(&output).contains("error[");
        assert_eq!(is_refused, refused.is_some(), "{command:?}: {}", said(&output));
        assert!(said(&output).contains(refused.unwrap_or_default()), "{command:?}: {}", said(&output));
    }
}

/// The words of edition 2024 that no crate can have as its name, from the Rust reference: strict and reserved ones.
const RESERVED: &str = "as async await break const continue crate dyn else enum extern false fn for if impl in let \
    loop match mod move mut pub ref return self static struct super trait true type unsafe use where while \
    abstract become box do final gen macro override priv try typeof unsized virtual yield";

/// The case init-gen.
#[test]
fn no_project_has_a_reserved_word_as_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let crates = root();
    for word in RESERVED.split_whitespace().chain(["tradeapi_gen", "tradeapi-runtime"]) {
        for arguments in [vec![word], vec!["other", "--name", word]] {
            let path = folder.path().join(arguments[0]);
            let mut all = vec!["init", path.to_str().unwrap(), "--crates", crates.to_str().unwrap()];
            all.extend(&arguments[1..]);
            let output = run(&all);
            assert!(said(&output).contains(&format!("invalid crate name `{word}`")), "{word}: {}", said(&output));
            assert!(!path.exists(), "{word}");
        }
    }
}

/// Without the sources, the project could not be built.
#[test]
fn a_project_names_the_sources_that_it_is_built_from() {
    let folder = tempfile::tempdir().unwrap();
    let desk = folder.path().join("desk");
    let output = run(&["init", desk.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--crates <FOLDER>"), "{}", said(&output));
    assert!(!desk.exists());
}

/// The case entities-in-docs.
#[test]
fn documentation_shows_the_characters_of_the_schema() {
    let (folder, schema) = project();
    edit(&schema, "market/types.yaml", "Name of the trading pair.", "\"Literal &copy; and &#42;, R&D & more.\"");
    let out = folder.path().join("out");
    let output = run(&["generate", "--schema", &schema, "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
    let emitted = std::fs::read_to_string(out.join("market/records.rs")).unwrap();
    assert!(emitted.contains(r"Literal \&copy; and \&#42;, R\&D & more."), "{emitted}");
}

/// The case check-with-crlf.
#[test]
fn line_ends_are_reported_in_one_line_with_their_remedy() {
    let (folder, schema) = project();
    let out = folder.path().join("out");
    let generate =
        |more: &[&str]| run(&[&["generate", "--schema", &schema, "--out", out.to_str().unwrap()], more].concat());
    assert!(generate(&[]).status.success());
    let lib = out.join("lib.rs");
    let text = std::fs::read_to_string(&lib).unwrap();
    std::fs::write(&lib, text.replace('\n', "\r\n")).unwrap();
    let output = generate(&["--check"]);
    let printed = said(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(printed.contains("only the line ends differ") && printed.contains("`* text eol=lf`"), "{printed}");
    assert_eq!(printed.lines().count(), 3, "{printed}");
    let attributes = std::fs::read_to_string(folder.path().join("desk/.gitattributes")).unwrap();
    assert!(attributes.lines().any(|line| line.starts_with("* text") && line.ends_with("eol=lf")), "{attributes}");
}

/// The case byte-order-mark: files of other programs may begin with one.
#[test]
fn files_of_other_programs_may_begin_with_a_byte_order_mark() {
    let openapi = "openapi: 3.0.3\ninfo: { title: T, version: 1.0.0 }\npaths:\n  /v1/x:\n    get:\n      \
        operationId: getX\n      responses: { \"200\": { description: ok } }\n";
    let recording = r#"{"log": {"version": "1.2", "entries": [{"request": {"method": "GET", "url": "https://a.b/v1/y",
        "headers": [], "queryString": []}, "response": {"status": 200, "content": {"text": "{\"b\": \"2\"}"}}}]}}"#;
    for (option, name, text, written) in
        [("--from-openapi", "bom.yaml", openapi, "get-x.yaml"), ("--from-recording", "bom.har", recording, "y.yaml")]
    {
        let (folder, schema) = project();
        let path = folder.path().join(name);
        let draft = |bytes: Vec<u8>| {
            std::fs::write(&path, bytes).unwrap();
            run(&["new", "market", option, path.to_str().unwrap(), "--schema", &schema])
        };
        let wide: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert!(said(&draft(wide)).contains("UTF-16"));
        let output = draft(format!("\u{feff}{text}").into_bytes());
        assert!(said(&output).contains(written), "{}", said(&output));
    }
    let (folder, schema) = project();
    edit(&schema, "api.yaml", "doc:", "documents: { guide: { title: Guide } }\ndoc:");
    let guide = "\u{feff}# Guide\n\n## Pause\n\nGET /v1/pause\n\nParameters: none.\n";
    std::fs::write(folder.path().join("guide.md"), guide).unwrap();
    let output = run(&["new", "market", "Guide", "--from", folder.path().to_str().unwrap(), "--schema", &schema]);
    assert!(!said(&output).contains("cannot read"), "{}", said(&output));
    assert!(said(&output).contains("method and a path"), "the first heading is one: {}", said(&output));
}

#[test]
fn a_condition_has_a_rule() {
    let with = |rules: &str| {
        let (_folder, schema) = project();
        let side = "\n  side: { type: string, required: conditional, doc: The side. }\nresponse:";
        edit(&schema, "market/ticker.yaml", "\nresponse:", side);
        edit(&schema, "market/ticker.yaml", "examples:", &format!("{rules}examples:"));
        check(&schema)
    };
    let without = with("");
    assert!(without.contains("`side` is required conditionally, but no rule states the condition"), "{without}");
    assert!(without.ends_with("1 mistake\n") && without.contains("ticker.yaml:"), "{without}");
    let rule = |keys: &str| format!("rules:\n  - {{ id: side, at: here, says: A trade has one., {keys} }}\n");
    let checked = with(&rule("kind: checked, when: { symbol: BTCUSD }, require: { given: [side] }"));
    assert!(checked.starts_with("no mistakes"), "{checked}");
    let stated = "rules:\n  - { id: a, at: here, kind: stated, says: The side is required of some accounts., why: It says so. }\n";
    assert!(with(stated).starts_with("no mistakes"), "{}", with(stated));
    let other = "rules:\n  - { id: a, at: here, kind: stated, says: Both sides differ., why: It says so. }\n";
    assert!(with(other).contains("no rule states the condition"));
}

/// A near word would be another signature.
#[test]
fn no_word_of_a_signature_is_suggested() {
    let (_folder, schema) = project();
    let credentials = "credentials:\n  headers: { key: K, signature: S, timestamp: T }\n  signed_text: [timestamp, body]\n  \
        algorithm: rsa-pss-sha512\n  encoding: base46\ndoc:";
    edit(&schema, "api.yaml", "doc:", credentials);
    let printed = check(&schema);
    assert!(printed.contains("unknown value `rsa-pss-sha512`, expected one of: hmac-sha256"), "{printed}");
    assert!(printed.contains("unknown value `base46`"), "{printed}");
    assert!(!printed.contains("did you mean"), "{printed}");
}

#[test]
fn an_unknown_code_is_called_one() {
    for code in ["E9999", "e9999"] {
        let output = run(&["explain", code, "--schema", "nowhere"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(&format!("unknown code `{code}`")), "{}", said(&output));
    }
    assert!(said(&run(&["explain", "E0024"])).contains("did you mean `E0"), "{}", said(&run(&["explain", "E0024"])));
}

#[test]
fn tables_and_pages_are_printed_as_json() {
    let schema = root().join("schema");
    let print = |arguments: &[&str]| {
        let output = run(&[arguments, &["--schema", schema.to_str().unwrap(), "--format", "json"]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        text.lines().map(read).collect::<Vec<serde_json::Value>>()
    };
    let operations = print(&["list"]);
    let families = std::fs::read_dir(&schema).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = families.flat_map(|family| std::fs::read_dir(family).unwrap()).map(|file| file.unwrap().file_name());
    let of_operations = files
        .filter(|name| !["family.yaml", "types.yaml"].iter().any(|other| name == other))
        .filter(|name| Path::new(name).extension() == Some("yaml".as_ref()));
    assert_eq!(operations.len(), of_operations.count());
    assert_eq!(operations[0]["operation"], "broker.customer-commissions");
    assert_eq!(operations[0]["limits"][0], "10/s per UID");
    let rules = print(&["rules"]);
    let checked = rules.iter().filter(|rule| rule["kind"] == "checked");
    assert!(checked.clone().count() > 20);
    checked.for_each(|rule| assert!(rule["broken"].as_u64() > Some(0) && rule["says"].is_string(), "{rule}"));
    let code = print(&["explain", "E0411"]);
    assert_eq!((&code[0]["code"], code.len()), (&"E0411".into(), 1));
    assert!(code[0]["explanation"].as_str().unwrap().starts_with("# E0411"));
    let operation = print(&["explain", "unified.place-order"]);
    assert_eq!((&operation[0]["name"], operation.len()), (&"unified.place-order".into(), 1));
    assert_eq!(operation[0]["keys"]["effect"], "create");
    let parameters = operation[0]["elements"].as_array().unwrap().iter().filter(|one| one["kind"] == "parameter");
    assert!(parameters.clone().any(|one| one["name"] == "unified.place-order.qty"), "{operation:#?}");
}

#[test]
fn an_occupied_folder_is_one_mistake() {
    let (folder, schema) = project();
    let out = folder.path().join("site");
    std::fs::create_dir_all(out.join("below")).unwrap();
    for name in ["index.html", "notes.txt", "below/more.txt"] {
        std::fs::write(out.join(name), "mine").unwrap();
    }
    let output = run(&["export", "site", "--schema", &schema, "--out", out.to_str().unwrap(), "--format", "short"]);
    let printed = said(&output);
    assert!(printed.ends_with("1 mistake\n"), "{printed}");
    assert!(printed.contains("has 3 files that the generator did not write, such as "), "{printed}");
    assert_eq!(std::fs::read_to_string(out.join("index.html")).unwrap(), "mine");
}

#[test]
fn a_response_of_no_form_is_asked_for_one() {
    let (_folder, schema) = project();
    edit(&schema, "market/ticker.yaml", "response: { object: Ticker }", "response: { data: result }");
    let printed = check(&schema);
    assert!(printed.contains("E0411") && printed.contains("missing `object`, `array` or `page`"), "{printed}");
}

/// Retries send a read again; one that is named after a change says why it is one.
#[test]
fn a_read_that_is_named_after_a_change_needs_a_reason() {
    let named = |title: &str, path: &str, effect: &str| {
        let (_folder, schema) = project();
        edit(&schema, "market/ticker.yaml", "Get Ticker", title);
        edit(&schema, "market/ticker.yaml", "/api/v1/ticker", path);
        edit(&schema, "market/ticker.yaml", "effect: read", &format!("effect: {effect}"));
        check(&schema)
    };
    for (title, path, verb) in
        [("Buy", "/private/x", "buy"), ("X", "/private/buy", "buy"), ("Get X", "/v1/close-position", "close")]
    {
        let printed = named(title, path, "read");
        assert!(printed.contains("E0417") && printed.contains(&format!("says `{verb}`")), "{printed}");
        assert!(printed.contains("ticker.yaml:6:9: "), "{printed}");
        for effect in ["{ is: create, why: It buys. }", "{ is: read, why: It shows what a purchase would cost. }"] {
            let printed = named(title, path, effect);
            assert!(printed.starts_with("no mistakes"), "{printed}");
        }
        let printed = named(title, path, "create");
        assert!(printed.contains("E0417") && printed.contains("a GET only reads"), "{printed}");
    }
    assert!(named("Query Order", "/v1/order", "read").starts_with("no mistakes"));
    assert!(named("X", "/v1/buy", "{ is: read }").contains("missing key `why`"));
}

/// However many values of a file are wrong, each is reported, and none hides another.
#[test]
fn every_mistake_of_a_file_is_reported() {
    let (_folder, schema) = project();
    let field = |number: u32| format!("      f{number}: {{ type: decimal, doc: A number., json: wrong }}\n");
    with_candles(&schema, &(0..150).map(field).collect::<String>());
    let said = check(&schema);
    assert_eq!(said.matches("unknown value `wrong`").count(), 150, "{said}");
}
