//! What passes `check` compiles: schemas are made at random from the keys of parameters and fields, those with mistakes are
//! dropped, and the others are compiled together.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

#[path = "../examples/drafts/compile.rs"]
mod compile;
#[path = "../examples/drafts/fill.rs"]
#[allow(dead_code, reason = "it also reads drafts")]
mod fill;

use std::fmt::Write as _;
use std::path::Path;

use tradeapi_gen::Generator;

const TYPES: &str = r#"
enums:
  Side: { doc: A side., values: { buy: Buys., sell: Sells., "3": { doc: A third., rust: Third } } }
identifiers:
  Id: { doc: An id., length: [1, 8], alphabet: "a-z" }
choices:
  Ref: { doc: One of two., one_of: { refId: { type: Id }, refName: { type: string, doc: Its name. } }, wins: refId }
  How:
    doc: How.
    choose_by: how
    type: Side
    cases: { buy: { price: { type: decimal, required: always, doc: A price. } }, sell: { some: { list: string, doc: Some. } }, "3": {} }
records:
  Inner: { doc: Within., fields: { a: { type: string, doc: A. }, b: { type: decimal, doc: B. } } }
  Row: { doc: By place., by_position: true, fields: { x: { type: integer, doc: X. }, y: { type: Side } } }
  Kind: { doc: By a member., choose_by: kind, one_of: { Left: left, Right: [right, wrong] } }
  Left: { doc: One., fields: { kind: { type: string, fixed: left, doc: Kind. }, in: { list: Kind, doc: More. }, next: { type: Kind } } }
  Right: { doc: Another., fields: { kind: { type: string, doc: Kind. }, day: { type: date, doc: A day. } } }
  Form: { doc: By its form., one_of: { Inner: [a, b], Left: in, Row: [], Text: [] } }
  Text: { doc: A text., as_value: true, fields: { text: { type: string, doc: Text. } } }
  Only: { doc: A value., as_value: true, fields: { only: { map: integer, doc: Only. } } }
"#;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// Keys that are there in one case of four, whether or not they fit.
    fn keys(&mut self, keys: &[&str]) -> String {
        keys.iter().filter(|_| self.below(4) == 0).map(|key| format!(", {key}")).collect()
    }

    fn parameter(&mut self, depth: usize) -> String {
        let need = self.one(&["", "", ", required: always", ", required: unstated"]);
        let shape = self.below(if depth == 0 { 5 } else { 8 });
        match shape {
            5 | 6 => {
                let kind = if shape == 5 { "item" } else { "object" };
                let name = format!("Part{}", self.below(1_000_000));
                let keys = if shape == 5 { self.keys(&["max_items: 3", "deprecated: {}"]) } else { String::new() };
                format!("{{ {kind}: {name}{need}{keys}, doc: Parts., fields: {{ {} }} }}", self.parameters(depth - 1))
            }
            7 => format!("{{ type: {}{need} }}", self.one(&["Ref", "How"])),
            _ => {
                let ty = self
                    .one(&["string", "decimal", "integer", "signed", "boolean", "time", "date", "json", "Side", "Id"]);
                let key = if shape == 4 { "list" } else { "type" };
                let keys: &[&str] = match (key, ty) {
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
                let both = self.keys(&["deprecated: {}", "called: [thing]", "unit: USD"]);
                format!("{{ {key}: {ty}{need}{keys}{both}, doc: A value. }}")
            }
        }
    }

    fn parameters(&mut self, depth: usize) -> String {
        let names = ["a", "type", "b-c", "newName", "x_1", "self"];
        let own: Vec<&str> = names.into_iter().filter(|_| self.below(3) == 0).collect();
        own.iter().map(|name| format!("{name}: {}", self.parameter(depth))).collect::<Vec<_>>().join(", ")
    }

    fn operation(&mut self, name: &str) -> String {
        let method = self.one(&["GET", "POST", "PUT", "DELETE"]);
        let style = self.keys(&["sends: form", "lists: comma", "objects: brackets"]).replace(", ", "\n");
        let request = self.parameters(2);
        let response = self.one(&[
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
        writeln!(text, "rate_limit: []{style}\nrequest: {{ {request} }}\nresponse: {{ {response} }}").unwrap();
        text
    }
}

/// An operation that uses all types.
const ALL: &str = "operation: all\ntitle: all\nhttp: POST /v1/all\ndoc: All.\neffect: create\naccess: public\nrate_limit: []\n\
    request: { side: { type: Side }, id: { type: Id }, ref: { type: Ref }, how: { type: How } }\nresponse: { object: Every }\n";
const EVERY: &str = "  Every: { doc: Every., fields: { i: { type: Inner }, r: { list: Row, doc: Rows. }, o: { list: Only, doc: O. }, k: { type: Kind }, f: { map: Form, doc: F. } } }\n";

fn write(schema: &Path, operations: &[(String, String)]) {
    let folder = schema.join("sample");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(schema.join("api.yaml"), "api: sample\nlanguage: 1\ndoc: Made at random.\n").unwrap();
    let family = "family: sample\ntitle: Sample\ndoc: Made at random.\nnumbers: json\nerrors: {}\n";
    std::fs::write(folder.join("family.yaml"), family).unwrap();
    std::fs::write(folder.join("types.yaml"), format!("{TYPES}{EVERY}")).unwrap();
    std::fs::write(folder.join("all.yaml"), ALL).unwrap();
    for (name, text) in operations {
        std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    }
    fill::fill(&folder);
}

#[test]
#[ignore = "it compiles a crate, which takes a minute"]
fn what_passes_check_compiles() {
    let room = tempfile::tempdir().unwrap();
    let schema = room.path().join("schema");
    let generator = Generator::new().schema_dir(&schema).out_dir(room.path().join("out"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut kept = Vec::new();
    for n in 0..400 {
        let name = format!("op{n}");
        let operation = (name.clone(), random.operation(&name));
        write(&schema, std::slice::from_ref(&operation));
        if generator.read().is_ok() {
            kept.push(operation);
        }
    }
    assert!(kept.len() > 60, "only {} of 400 pass", kept.len());
    println!("{} of 400 pass", kept.len());
    write(&schema, &kept);
    generator.generate().unwrap_or_else(|error| panic!("{error}"));
    if !compile::compiles(room.path()) {
        let kept: String = kept.iter().map(|(_, text)| format!("{text}\n")).collect();
        panic!("{kept}");
    }
}
