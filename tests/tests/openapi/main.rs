//! The exported OpenAPI document is up to date, valid for other tools, and agrees with the schema. Other tools are
//! installed from their registries into the target folder. If that fails, the test prints a note on standard error and
//! passes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod blanks;
mod judges;
mod validator;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tradeapi::runtime::Operation;
use tradeapi::runtime::tables::Meta;
use tradeapi_gen::{Generator, OpenApi, Schema};
use tradeapi_tests::schema::examples;
use validator::OpenApiValidator;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the schema without the family that no document describes, as the committed file has it.
fn schema() -> Schema {
    Generator::new().schema_dir(workspace().join("schema")).read().unwrap().documented()
}

fn document(openapi: &OpenApi) -> Value {
    serde_json::from_str(&openapi.text).unwrap()
}

/// Returns both forms of the document: the one for tools, and the exact one.
fn forms(schema: &Schema) -> [Value; 2] {
    [schema.openapi(), schema.exact_openapi()].map(|openapi| document(&openapi))
}

/// Returns the tables of every operation, from the emitted crate.
fn metas() -> Vec<&'static Meta> {
    macro_rules! all {
        ($($operation:path),*) => { vec![$(<$operation as Operation>::META),*] };
    }
    tradeapi::for_each_operation!(all)
}

#[test]
fn the_committed_file_is_up_to_date() {
    let differences = schema().openapi().compare(&workspace().join("generated/openapi.json")).unwrap();
    assert!(differences.is_empty(), "run `cargo run -- export openapi` and commit the result");
}

#[test]
fn inexpressible_rules_are_counted() {
    insta::assert_snapshot!(schema().openapi().to_string().replace(": ", ":\n").replace(", ", "\n"));
}

/// The emitted tables are independent of the export.
#[test]
fn outcomes_are_those_of_the_client() {
    let document = document(&schema().openapi());
    let outcomes = document["info"]["x-outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), tradeapi::API.outcomes.len());
    let operations = operations(&document);
    for meta in metas() {
        let operation = operations[meta.id];
        let client_id = meta.client_id.as_ref().map(|id| id.parameter);
        assert_eq!(operation["x-client-id"].as_str(), client_id, "{}", meta.id);
        assert_eq!(operation["x-repeat"]["why"].as_str(), meta.repeat, "{}", meta.id);
        let queried = meta.confirm.as_ref().map(|confirm| {
            confirm.ids.iter().map(|(query, parameter)| ((*query).to_owned(), Value::from(*parameter))).collect()
        });
        assert_eq!(operation["x-confirm"].get("ids").and_then(Value::as_object).cloned(), queried, "{}", meta.id);
    }
    assert_eq!(operations["unified.place-batch"]["x-items"]["of"], "[]");
    let minted: Vec<_> = document["components"]["schemas"].as_object().unwrap().iter().collect();
    assert!(minted.iter().any(|(name, schema)| name.ends_with("ClientOid") && schema["x-mint"] == true));
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
    assert_eq!(document["servers"][0]["variables"]["baseUrl"]["default"], "https://api.example.com");
}

fn operations(document: &Value) -> BTreeMap<&str, &Value> {
    let methods = document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    methods.map(|operation| (operation["operationId"].as_str().unwrap(), operation)).collect()
}

/// Another API has paths with parameters, JSON numbers, optional choices and answers without an envelope.
#[test]
fn another_api_is_exported_too() {
    let schema = Generator::new().schema_dir(workspace().join("tests/downstream/schema")).read().unwrap();
    let openapi = schema.openapi();
    insta::assert_snapshot!(openapi.text);
    OpenApiValidator::new(&document(&openapi));
}

/// The examples of the schema, read without the generator, are valid; with a member of the wrong type they are not.
#[test]
fn examples_are_valid_and_mangled_ones_are_not() {
    for document in forms(&schema()) {
        let validator = OpenApiValidator::new(&document);
        for meta in metas() {
            for example in examples(meta) {
                let (request, about) = (read(&example.request), &example.about);
                assert_eq!(validator.request(meta.id, &request), [""; 0], "{about}");
                assert_eq!(validator.answer(meta.id, &read(&example.response)), [""; 0], "{about}");
                for (name, wrong) in mangled(&request) {
                    assert!(!validator.request(meta.id, &wrong).is_empty(), "{about}: `{name}` can be anything");
                }
            }
        }
    }
}

/// The examples are also valid for readers that allow only named members next to `properties` outside of an `allOf`.
#[test]
fn examples_are_valid_for_readers_that_allow_only_named_members() {
    let mut document = document(&schema().exact_openapi());
    let closed = close(&mut document, false);
    assert!(closed > metas().len(), "{closed}");
    let validator = OpenApiValidator::new(&document);
    for meta in metas() {
        for example in examples(meta) {
            assert_eq!(validator.request(meta.id, &read(&example.request)), [""; 0], "{}", example.about);
            assert_eq!(validator.answer(meta.id, &read(&example.response)), [""; 0], "{}", example.about);
        }
        let beyond = json!({"noSuchMember": "1"});
        assert!(!validator.answer(meta.id, &beyond).is_empty(), "{}", meta.id);
    }
}

/// Forbids further members in every schema with `properties`, like such readers. Returns the number of schemas.
fn close(schema: &mut Value, is_in_all_of: bool) -> usize {
    match schema {
        Value::Array(items) => items.iter_mut().map(|item| close(item, is_in_all_of)).sum(),
        Value::Object(members) => {
            let inside: usize =
                members.iter_mut().map(|(name, member)| close(member, name == "allOf" && member.is_array())).sum();
            let is_closed = members.get("properties").is_some_and(Value::is_object) && !is_in_all_of;
            if is_closed {
                members.insert("unevaluatedProperties".to_owned(), json!(false));
            }
            inside + usize::from(is_closed)
        }
        _ => 0,
    }
}

/// Returns the schemas of this API and of all others, with their names.
fn all_schemas() -> Vec<(String, Schema)> {
    let others = std::fs::read_dir(workspace().join("tests/apis/schema")).unwrap().map(|entry| entry.unwrap().path());
    let read = |folder: PathBuf| {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        (name, Generator::new().schema_dir(folder).read().unwrap())
    };
    others.filter(|path| path.is_dir()).map(read).chain([("own".to_owned(), schema())]).collect()
}

/// Every example of every export fits its schema, as it is and with what tools add to requests: each `default`.
#[test]
fn every_example_of_every_export_fits_its_schema_also_with_defaults() {
    let schemas = all_schemas();
    assert_eq!(schemas.len(), 17);
    let mut faults = Vec::new();
    for (api, document) in schemas.iter().flat_map(|(api, schema)| forms(schema).map(|document| (api, document))) {
        let mut examples = 0;
        for (id, operation) in operations(&document) {
            let sides = [&operation["requestBody"], &operation["responses"]["200"]];
            let contents = sides.iter().flat_map(|side| side["content"].as_object().into_iter().flatten());
            for (_, content) in contents {
                let whole = json!({"components": document["components"], "allOf": [content["schema"]]});
                let validator = tradeapi_tests::json_schema::JsonSchema::draft2020(&whole);
                for example in content["examples"].as_object().into_iter().flat_map(|all| all.values()) {
                    let mut value = example["value"].clone();
                    faults.extend(validator.mistakes(&value).iter().map(|fault| format!("{api} {id}: {fault}")));
                    fill_in(&document, &content["schema"], &mut value);
                    let filled = validator.mistakes(&value);
                    faults.extend(filled.iter().map(|fault| format!("{api} {id} with defaults: {fault}")));
                    examples += 1;
                }
            }
        }
        assert!(examples > 0, "{api} has no example");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Adds each `default` of members that a value lacks, without a look at conditions.
fn fill_in(document: &Value, schema: &Value, value: &mut Value) {
    if let Some(target) = schema["$ref"].as_str() {
        fill_in(document, document.pointer(target.trim_start_matches('#')).unwrap(), value);
    }
    for part in ["allOf", "oneOf", "anyOf"].iter().flat_map(|key| schema[*key].as_array().into_iter().flatten()) {
        fill_in(document, part, value);
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in(document, &schema["items"], item)),
        Value::Object(members) => {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                match (members.get_mut(name), property.get("default")) {
                    (Some(known), _) => fill_in(document, property, known),
                    (None, Some(default)) => drop(members.insert(name.clone(), default.clone())),
                    (None, None) => {}
                }
            }
        }
        _ => {}
    }
}

/// The form for tools: names that are identifiers, references that lead somewhere, a type beside each pattern, no object
/// without members, no conditions, and choices of whole objects that a value or a member tells apart.
#[test]
fn tools_find_whole_objects_under_plain_names() {
    let (mut choices, mut told) = (0, 0);
    for (api, schema) in all_schemas() {
        let openapi = schema.openapi();
        let document = document(&openapi);
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let is_plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        assert!(schemas.keys().all(is_plain), "{api}: {:?}", schemas.keys());
        let lost = document.to_string().contains("\"$comment\"");
        assert!(!lost, "{api}: a rule is stated as a condition");
        walk(&document, &mut |at| {
            if let Some(target) = at["$ref"].as_str() {
                assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{api}: {target}");
            }
            assert!(!at["pattern"].is_string() || at["type"] == "string", "{api}: {at}");
            assert!(at.get("if").is_none() || at.get("then").is_none(), "{api}: {at}");
            for part in at["allOf"].as_array().into_iter().flatten() {
                assert_ne!(part, &json!({"type": "object"}), "{api}: {at}");
            }
        });
        for (_, operation) in operations(&document) {
            walk(&operation["requestBody"], &mut |at| {
                let Some(mapping) = at["discriminator"]["mapping"].as_object() else { return };
                let decider = at["discriminator"]["propertyName"].as_str().unwrap();
                assert_eq!(at["oneOf"].as_array().map(Vec::len), Some(mapping.len()), "{api}: {at}");
                for (value, target) in mapping {
                    let object = document.pointer(target.as_str().unwrap().trim_start_matches('#')).unwrap();
                    assert_eq!(&object["properties"][decider]["const"], value, "{api}: {target}");
                    assert!(object["required"].as_array().unwrap().contains(&json!(decider)), "{api}: {target}");
                    told += 1;
                }
            });
            walk(&operation["requestBody"], &mut |at| choices += usize::from(at["oneOf"].is_array()));
        }
    }
    assert!(choices > 10 && told > 5, "{choices}, {told}");
    let own = schema();
    let conditions = own.exact_openapi().text.matches("\"$comment\"").count();
    assert_eq!(own.openapi().lost, conditions);
}

/// Visits each object of a document that is not data of the API.
fn walk(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        Value::Object(members) => {
            visit(value);
            let of_schemas = members.iter().filter(|(name, _)| !name.starts_with("x-") && !name.starts_with("example"));
            of_schemas.for_each(|(_, member)| walk(member, visit));
        }
        _ => {}
    }
}

/// The list form that readers of the extension know: `enum-descriptions-in-openapi`.
#[test]
fn descriptions_of_values_are_a_list_beside_the_values() {
    let mut count = 0;
    for (api, schema) in all_schemas() {
        let document = document(&schema.openapi());
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for (name, schema) in schemas.iter().filter(|(_, schema)| !schema["x-enum-descriptions"].is_null()) {
            let lengths = ["x-enum-descriptions", "enum"].map(|key| schema[key].as_array().map(Vec::len));
            assert!(lengths[0].is_some() && lengths[0] == lengths[1], "{api} {name}: {schema}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

/// Readers turn texts of the format into numbers, and a blank text is none.
#[test]
fn texts_of_answers_that_may_be_blank_have_no_format_of_numbers() {
    for (api, schema) in all_schemas() {
        let document = document(&schema.openapi());
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            for (member, property) in schema["properties"].as_object().into_iter().flatten() {
                let Some(pattern) = property["pattern"].as_str().filter(|_| property["x-format"] == "decimal") else {
                    let is_of_request = property["format"] == "decimal" && property["pattern"].is_string();
                    assert!(property["format"] != "decimal" || is_of_request, "{api} {name}.{member}: {property}");
                    continue;
                };
                let validator = tradeapi_tests::json_schema::JsonSchema::draft2020(property);
                assert!(property.get("format").is_none(), "{api} {name}.{member}");
                for text in ["", "0", "-1.50", "0E-8"] {
                    assert!(validator.mistakes(&json!(text)).is_empty(), "{pattern}: {text}");
                }
                assert!(!validator.mistakes(&json!("word")).is_empty(), "{pattern}");
            }
        }
    }
}

/// An exchange refuses an empty text, except where it deletes a value.
#[test]
fn an_empty_text_is_refused_unless_it_deletes() {
    let document = document(&schema().openapi());
    let validator = OpenApiValidator::new(&document);
    let mut allowed = BTreeSet::new();
    for meta in metas() {
        for example in examples(meta) {
            let request = read(&example.request);
            for (name, value) in request.as_object().into_iter().flatten().filter(|(_, value)| value.is_string()) {
                let mut empty = request.clone();
                empty[name] = json!("");
                if validator.request(meta.id, &empty).is_empty() {
                    allowed.insert(format!("{} {name} {value}", meta.id));
                }
            }
        }
    }
    assert_eq!(allowed, BTreeSet::new());
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Copies with an invalid value for one member each, with the member's name.
fn mangled(request: &Value) -> Vec<(String, Value)> {
    match request {
        Value::Array(items) => {
            let of_item = |(index, item)| mangled(item).into_iter().map(move |(name, wrong)| (name, index, wrong));
            let put = |(name, index, wrong)| {
                let mut items = items.clone();
                items[index] = wrong;
                (name, Value::Array(items))
            };
            items.iter().enumerate().flat_map(of_item).map(put).collect()
        }
        members => {
            let put = |name: &String| {
                let mut members = members.clone();
                members[name] = json!({"no": ["such", "value"]});
                (name.clone(), members)
            };
            members.as_object().unwrap().keys().map(put).collect()
        }
    }
}

/// Requests that keep every rule are valid. Those that break a rule are not, unless no schema of a single object can
/// state the rule: rules of the account, across items, of numbers in texts, or across the parameters of a query.
#[test]
fn requests_that_keep_the_rules_are_valid_and_others_are_not() {
    let schema = schema();
    let [whole, exact] = forms(&schema);
    let (whole, validator) = (OpenApiValidator::new(&whole), OpenApiValidator::new(&exact));
    let (mut refused, mut missed, mut lost) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for case in schema.cases() {
        let rule = format!("{} {}", case.operation, case.rule);
        let request = read(&case.request);
        let faults = validator.request(&case.operation, &request);
        let also = whole.request(&case.operation, &request);
        assert!(also.is_empty() || !faults.is_empty(), "{rule}: only the form for tools refuses {request}: {also:?}");
        if also.is_empty() && !faults.is_empty() {
            lost.insert(rule.clone());
        }
        match (case.breaks, faults.is_empty()) {
            (true, true) => drop(missed.insert(rule)),
            (true, false) => drop(refused.insert(rule)),
            (false, true) => {}
            (false, false) => panic!("{rule}: {} keeps it: {faults:?}", case.request),
        }
    }
    let both: Vec<_> = refused.intersection(&missed).collect();
    assert!(both.is_empty(), "said in part: {both:?}");
    let missed: Vec<_> = missed.into_iter().collect();
    let counts = format!(
        "said in schemas: {}, of them by the exact form alone: {}\nleft to x-rules and other x- keys: {}",
        refused.len(),
        lost.len(),
        missed.len()
    );
    let lost: Vec<_> = lost.into_iter().collect();
    insta::assert_snapshot!(format!(
        "{counts}\n\n{}\n\nby the exact form alone:\n{}",
        missed.join("\n"),
        lost.join("\n")
    ));
}

/// An independent validator accepts the document, and that of another API, as OpenAPI 3.1.
#[test]
fn an_independent_validator_accepts_the_document() {
    let room = room("openapi-validator");
    let python = room.join("bin/python");
    let is_there = || succeeds(Command::new(&python).args(["-c", "import openapi_spec_validator"]));
    if !is_there() {
        succeeds(Command::new("python3").args(["-m", "venv"]).arg(&room));
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        succeeds(Command::new(&python).args(install).arg("openapi-spec-validator==0.9.0"));
    }
    if !is_there() {
        return skipped("openapi-spec-validator is not there and pip cannot install it");
    }
    let library = Generator::new().schema_dir(workspace().join("tests/downstream/schema")).read().unwrap();
    let file = room.join("library.json");
    library.openapi().write(&file).unwrap();
    for document in [workspace().join("generated/openapi.json"), file] {
        let output = Command::new(&python).args(["-m", "openapi_spec_validator"]).arg(&document).output().unwrap();
        assert!(output.status.success(), "{}: {}", document.display(), String::from_utf8_lossy(&output.stdout));
    }
}

/// Another generator makes types of the document, and they compile.
#[test]
fn another_generator_generates_types_from_the_document() {
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

/// Prints a note without a macro, whose output is captured in passing tests.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// Answers that are one of several records, by a member or by their form: every example of the operations that have some,
/// and what is none of the records.
#[test]
fn answers_that_are_one_of_several_records_are_valid_and_others_are_not() {
    let folder = workspace().join("tests/apis/schema/assorted");
    let mut document = document(&Generator::new().schema_dir(&folder).read().unwrap().openapi());
    let paths = ["/v1/payments", "/v1/check-out/{item}"];
    document["paths"].as_object_mut().unwrap().retain(|path, _| paths.contains(&path.as_str()));
    let validator = OpenApiValidator::new(&document);
    let mut count = 0;
    for operation in ["read-payments", "check-out"] {
        let text = std::fs::read_to_string(folder.join(format!("vault/{operation}.yaml"))).unwrap();
        let file: Value = serde_yaml::from_str(&text).unwrap();
        for example in file["examples"].as_array().unwrap() {
            let answer = read(example["response"].as_str().unwrap());
            assert_eq!(validator.answer(&format!("vault.{operation}"), &answer), [""; 0], "{answer}");
            count += 1;
        }
    }
    assert_eq!(count, 5);
    for wrong in [
        json!({"latest": {"kind": "gold"}}),
        json!({"latest": {"last": "42"}}),
        json!({"latest": {"kind": "transfer", "amount": []}}),
        json!({"payments": [{"kind": "transfer", "parts": [{"kind": "gold"}]}]}),
        json!({"by_month": {"may": "credit"}}),
    ] {
        assert!(!validator.answer("vault.read-payments", &wrong).is_empty(), "{wrong}");
    }
    for wrong in [json!({}), json!({"shelf": "7", "lent_to": "b"}), json!({"shelf": 7}), json!([7, "8"]), json!(true)] {
        assert!(!validator.answer("vault.check-out", &wrong).is_empty(), "{wrong}");
    }
}

/// Returns the exported schema of a body of a public exchange.
fn body_of(exchange: &str, path: &str) -> Value {
    let folder = workspace().join("tests/apis/schema").join(exchange);
    let document = document(&Generator::new().schema_dir(folder).read().unwrap().exact_openapi());
    let content = &document["paths"][path]["post"]["requestBody"]["content"];
    content.as_object().unwrap().values().next().unwrap()["schema"].clone()
}

/// Returns whether a member stands in an object, or in one of its parts.
fn has_member(schema: &Value, name: &str) -> bool {
    let parts = schema["allOf"].as_array().into_iter().flatten();
    schema["properties"].get(name).is_some() || parts.into_iter().any(|part| has_member(part, name))
}

#[test]
fn bodies_have_the_credentials_that_travel_in_them() {
    assert!(has_member(&body_of("kraken", "/0/private/AddOrder"), "nonce"));
    // In the body of a call, they stand beside the parameters.
    let call = body_of("cryptocom", "/exchange/v1/private/create-order#private/create-order");
    assert!(has_member(&call, "sig") && has_member(&call, "params"), "{call}");
    assert!(!has_member(&call["properties"]["params"], "sig"), "{call}");
}

#[test]
fn decimals_that_travel_as_integers_have_integer_bounds() {
    let body = body_of("phemex", "/orders");
    let price = body["allOf"].as_array().into_iter().flatten().chain([&body]).find_map(|part| {
        let price = &part["properties"]["priceEp"];
        (!price.is_null()).then(|| price.clone())
    });
    let price = price.unwrap();
    let bounds = (&price["type"], &price["minimum"], &price["maximum"], &price["x-scale"]);
    assert_eq!(bounds, (&"integer".into(), &1.into(), &10_000_000_000_u64.into(), &4.into()));
}
