//! Operations made at random from the keys of parameters, fields, choices and records.

use std::fmt::Write as _;
use std::path::Path;

use tradeapi_gen::Generator;

use crate::random::Random;
use crate::{compile, fill};

const ENUMS: &str = r#"
enums:
  Side: { doc: A side., values: { buy: Buys., sell: Sells., "3": { doc: A third., rust: Third } } }
identifiers:
  Id: { doc: An id., length: [1, 8], alphabet: "a-z" }
"#;
const CHOICES: &str = r#"choices:
  Ref: { doc: One of two., one_of: { refId: { type: Id }, refName: { type: string, doc: Its name. } }, wins: refId }
  How:
    doc: How.
    choose_by: how
    type: Side
    cases: { buy: { price: { type: decimal, required: always, doc: A price. } }, sell: { some: { list: string, doc: Some. } }, "3": {} }
"#;
const RECORDS: &str = r#"records:
  Inner: { doc: Within., fields: { a: { type: string, doc: A. }, b: { type: decimal, doc: B. } } }
  Row: { doc: By place., by_position: true, fields: { x: { type: integer, doc: X. }, y: { type: Side } } }
  Kind: { doc: By a member., choose_by: kind, one_of: { Left: left, Right: [right, wrong] } }
  Left: { doc: One., fields: { kind: { type: string, fixed: left, doc: Kind. }, in: { list: Kind, doc: More. }, next: { type: Kind } } }
  Right: { doc: Another., fields: { kind: { type: string, doc: Kind. }, day: { type: date, doc: A day. } } }
  Form: { doc: By its form., one_of: { Inner: [a, b], Left: in, Row: [], Text: [] } }
  Text: { doc: A text., as_value: true, fields: { text: { type: string, doc: Text. } } }
  Only: { doc: A value., as_value: true, fields: { only: { map: integer, doc: Only. } } }
"#;

/// A key of numbers alone.
const UNIT: &str = ", unit: USD";

impl Random {
    /// Returns keys that are there in one case of four, whether or not they fit; of two that state one key, the first.
    fn keys(&mut self, keys: &[&str]) -> String {
        let mut found: Vec<&str> = keys.iter().filter(|_| self.below(4) == 0).copied().collect();
        let key = |entry: &str| entry.split(':').next().unwrap_or_default().to_owned();
        found.dedup_by(|one, other| key(one) == key(other));
        found.iter().map(|entry| format!(", {entry}")).collect()
    }

    fn parameter(&mut self, depth: usize) -> String {
        let need = self.one(&["", "", ", required: always", ", required: unstated"]);
        let shape = self.below(if depth == 0 { 6 } else { 10 });
        match shape {
            6 | 7 => {
                let kind = if shape == 6 { "item" } else { "object" };
                let name = format!("Part{}", self.below(1_000_000));
                let keys: &[&str] =
                    if shape == 6 { &["max_items: 3", "min_items: 0", "deprecated: {}"] } else { &["may_be: null"] };
                let keys = self.keys(keys);
                format!("{{ {kind}: {name}{need}{keys}, doc: Parts., fields: {{ {} }} }}", self.parameters(depth - 1))
            }
            8 => {
                let wins = self.keys(&["wins: unstated"]);
                format!("{{ type: {}{need}{wins} }}", self.one(&["Ref", "How"]))
            }
            9 => {
                let keys = self.keys(&["rust: taken_over", "unit: USD"]);
                let name = self.one(&["side", "id", "size", "flag"]);
                let keys = if name == "size" { keys } else { keys.replace(UNIT, "") };
                format!("{{ as: all.{name}{keys} }}")
            }
            _ => {
                let ty = self
                    .one(&["string", "decimal", "integer", "signed", "boolean", "time", "date", "json", "Side", "Id"]);
                let key = if shape == 4 {
                    "list"
                } else if shape == 5 {
                    "map"
                } else {
                    "type"
                };
                let keys: &[&str] = match (key, ty) {
                    ("map", _) => &["max_items: 3", "min_items: 0", "length: [1, 4]", "may_be: null"],
                    ("list", "string") => &["length: [1, 4]", "max_items: 4", "min_items: 2", "in: header"],
                    ("list", _) => &["max_items: 4", "min_items: 0", "in: header"],
                    (_, "string") => &[
                        "length: [2, 4]",
                        "default: ab",
                        "blank: left_out",
                        "edit: { keep: left_out, delete: '-' }",
                        "may_be: null",
                        "fixed: ab",
                        "pattern: '^[a-z]+$'",
                        "in: query",
                    ],
                    (_, "integer") => &[
                        "min: 1",
                        "max: 50",
                        "digits: 2",
                        "default: '7'",
                        "json: text",
                        "edit: { keep: left_out, delete: '0' }",
                    ],
                    (_, "signed") => &["min: -5", "max: 50", "json: text", "default: '-1'"],
                    (_, "decimal") => &[
                        "min: 0.5",
                        "max: 9",
                        "scale: 2",
                        "json: text",
                        "edit: { keep: left_out, delete: '0' }",
                        "places: 2",
                        "significant_digits: 4",
                        "may_be: null",
                    ],
                    (_, "time") => &["times: iso8601", "json: text"],
                    (_, "boolean") => &["json: number", "default: 'true'"],
                    (_, "Side") => &["only: [buy, sell]", "default: buy", "in: header"],
                    _ => &["in: header"],
                };
                let keys = self.keys(keys);
                let both = self.keys(&[
                    "deprecated: { since: v2, use: other }",
                    "called: [thing]",
                    "unit: USD",
                    "default_note: as the account says",
                    "rust: renamed",
                ]);
                let has_unit = !["boolean", "Side", "Id"].contains(&ty);
                let both = if has_unit { both } else { both.replace(UNIT, "") };
                format!("{{ {key}: {ty}{need}{keys}{both}, doc: A value. }}")
            }
        }
    }

    fn parameters(&mut self, depth: usize) -> String {
        let names = ["a", "type", "b-c", "newName", "x_1", "self"];
        let own: Vec<&str> = names.into_iter().filter(|_| self.below(3) == 0).collect();
        own.iter().map(|name| format!("{name}: {}", self.parameter(depth))).collect::<Vec<_>>().join(", ")
    }

    /// Returns a choice whose cases or alternatives are parameters of any kind.
    fn choice(&mut self, name: &str) -> String {
        if self.below(3) == 0 {
            let alternatives = (1..=2 + self.below(2)).map(|n| format!("{name}_{n}: {}", self.parameter(1)));
            let alternatives = alternatives.collect::<Vec<_>>().join(", ");
            let wins = self.keys(&[&format!("wins: {name}_1")]);
            return format!("  {name}: {{ doc: One of several., one_of: {{ {alternatives} }}{wins} }}\n");
        }
        let cases = ["buy", "sell", "\"3\""].map(|case| format!("{case}: {{ {} }}", self.parameters(1)));
        format!("  {name}: {{ doc: By a side., choose_by: {name}By, type: Side, cases: {{ {} }} }}\n", cases.join(", "))
    }

    fn field(&mut self) -> String {
        let ty = self.one(&[
            "string", "decimal", "integer", "signed", "boolean", "time", "date", "json", "Side", "Id", "Inner", "Kind",
        ]);
        let key = self.one(&["type", "type", "list", "map"]);
        let keys: &[&str] = match ty {
            "string" => &["fixed: ab", "json: number"],
            "decimal" => &["scale: 4", "unit: [{ when: { x: a }, is: USD }, { otherwise: EUR }]"],
            "integer" | "signed" => &["json: text", "fixed: '3'"],
            "boolean" => &["json: number", "json: text"],
            "time" => &["times: iso8601", "times: seconds"],
            "Side" => &["only: [buy]", "json: number"],
            "Id" => &["json: number"],
            _ => &[],
        };
        let keys = self.keys(keys);
        let both = self.keys(&[
            "may_be: null",
            "comes_only: for some",
            "sources: [a capture, a client]",
            "deprecated: {}",
            "rust: renamed",
        ]);
        format!("{{ {key}: {ty}{keys}{both}, doc: A value. }}")
    }

    fn record(&mut self, name: &str) -> String {
        let keys = self.keys(&["by_position: true", "rust: Renamed", "includes: Ids"]);
        let names = ["a", "type", "b-c", "newName", "self"];
        let own: Vec<&str> = names.into_iter().filter(|_| self.below(2) == 0).collect();
        let fields = own.iter().map(|name| format!("{name}: {}", self.field())).collect::<Vec<_>>().join(", ");
        format!("  {name}: {{ doc: Something.{keys}, fields: {{ {fields} }} }}\n")
            .replace("Renamed", &format!("{name}Renamed"))
    }

    fn operation(&mut self, number: usize) -> Sample {
        let (name, choice, record) = (format!("op{number}"), format!("Choice{number}"), format!("Record{number}"));
        let method = self.one(&["GET", "POST", "POST", "PUT", "DELETE"]);
        let keys = self.keys(&[
            "sends: form",
            "lists: comma",
            "objects: brackets",
            "deprecated: {}",
            "permission: trade",
            "called: [do it]",
            "whitelisted: true",
            "history: 3 months",
        ]);
        let keys = keys.replace(", ", "\n");
        let chosen = if self.below(2) == 0 { format!("pick: {{ type: {choice} }}") } else { String::new() };
        let request =
            [chosen.clone(), self.parameters(2)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let own = [format!("object: {record}"), format!("array: {record}")];
        let response = self.one(&[
            own[0].as_str(),
            &own[0],
            &own[1],
            "object: Inner",
            "object: Only",
            "array: Row",
            "array: Inner",
            "object: Row",
            "object: Kind",
            "array: Form",
        ]);
        let mut text = String::new();
        writeln!(text, "operation: {name}\ntitle: {name}\nhttp: {method} /v1/{name}\ndoc: Something.\neffect: create\naccess: public").unwrap();
        writeln!(text, "rate_limit: []{keys}\nrequest: {{ {} }}\nresponse: {{ {response} }}", request.join(", "))
            .unwrap();
        let choices = if chosen.is_empty() { String::new() } else { self.choice(&choice) };
        let records = if response.contains("Record") { self.record(&record) } else { String::new() };
        Sample { name, text, choices, records }
    }
}

/// An operation, and the types that it alone uses.
struct Sample {
    name: String,
    text: String,
    choices: String,
    records: String,
}

/// An operation that uses all types.
const ALL: &str = "operation: all\ntitle: all\nhttp: POST /v1/all\ndoc: All.\neffect: create\naccess: public\nrate_limit: []\n\
    request: { asked: { type: string, in: query, sent_as: side, doc: A side to be asked for. }, side: { type: Side }, id: { type: Id }, ref: { type: Ref }, how: { type: How }, size: { type: decimal, max: 9, doc: A size. }, flag: { type: boolean, doc: A flag. } }\nresponse: { object: Every }\n";
const EVERY: &str = "  Ids: { doc: Ids., abstract: true, fields: { own: { type: Id } } }\n  Taken: { doc: Taken., includes: Ids, fields: {} }\n  Every: { doc: Every., fields: { i: { type: Inner }, r: { list: Row, doc: Rows. }, o: { list: Only, doc: O. }, k: { type: Kind }, f: { map: Form, doc: F. }, t: { type: Taken } } }\n";

fn write(schema: &Path, samples: &[Sample]) {
    let folder = schema.join("sample");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(schema.join("api.yaml"), "api: sample\nlanguage: 1\ndoc: Made at random.\n").unwrap();
    let family = "family: sample\ntitle: Sample\ndoc: Made at random.\nnumbers: json\nerrors: {}\n";
    std::fs::write(folder.join("family.yaml"), family).unwrap();
    let choices: String = samples.iter().map(|sample| sample.choices.as_str()).collect();
    let records: String = samples.iter().map(|sample| sample.records.as_str()).collect();
    let types = format!("{ENUMS}{CHOICES}{choices}{RECORDS}{EVERY}{records}");
    std::fs::write(folder.join("types.yaml"), types).unwrap();
    std::fs::write(folder.join("all.yaml"), ALL).unwrap();
    for Sample { name, text, .. } in samples {
        std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    }
    fill::fill(&folder);
}

/// Samples that pass `check`, out of those made at random, which are counted.
fn passing(room: &Path, count: usize) -> Vec<Sample> {
    let schema = room.join("schema");
    let generator = Generator::new().schema_dir(&schema);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut kept = Vec::new();
    for number in 0..count {
        let sample = random.operation(number);
        write(&schema, std::slice::from_ref(&sample));
        if generator.read().is_ok() {
            kept.push(sample);
        }
    }
    println!("{} of {count} pass", kept.len());
    kept
}

const SAMPLES: usize = 800;

/// Returns the keys of a mapping, out of the language's own table.
fn keys(file: &str, mapping: &str) -> Vec<String> {
    let table: serde_json::Value = serde_json::from_str(&tradeapi_gen::editor_schemas()[file]).unwrap();
    table["definitions"][mapping]["properties"].as_object().unwrap().keys().cloned().collect()
}

/// Every key of a parameter, a field, a choice and a record is in samples that pass.
#[test]
fn every_key_is_reached() {
    let room = tempfile::tempdir().unwrap();
    let kept = passing(room.path(), SAMPLES);
    let all: String = kept.iter().map(|one| format!("{}{}{}", one.text, one.choices, one.records)).collect();
    let all = format!("{ENUMS}{CHOICES}{RECORDS}{EVERY}{ALL}{all}");
    let mut count = 0;
    // What only other files can hold, or what stands beside documents.
    let elsewhere = ["source", "observed", "key"];
    for (file, mapping) in [("operation.json", "Field"), ("types.json", "Choice"), ("types.json", "Record")] {
        for key in keys(file, mapping).iter().filter(|key| !elsewhere.contains(&key.as_str())) {
            count += 1;
            assert!(all.contains(&format!(" {key}: ")), "no sample that passes has `{key}` of {mapping}");
        }
    }
    assert!(count >= 50, "{count}");
}

#[test]
#[ignore = "it compiles a crate, which takes a minute"]
fn what_passes_check_compiles() {
    let room = tempfile::tempdir().unwrap();
    let kept = passing(room.path(), SAMPLES);
    assert!(kept.len() > 100, "only {} of {SAMPLES} pass", kept.len());
    let schema = room.path().join("schema");
    write(&schema, &kept);
    let generator = Generator::new().schema_dir(&schema).out_dir(room.path().join("out"));
    generator.generate().unwrap_or_else(|error| panic!("{error}"));
    if !compile::compiles(room.path(), &["out"]) {
        let kept: String = kept.iter().map(|one| format!("{}{}{}\n", one.text, one.choices, one.records)).collect();
        panic!("{kept}");
    }
}
