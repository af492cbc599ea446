//! Blank texts that the documents mention: what the schemas and the client make of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tradeapi::runtime::Operation;
use tradeapi_tests::schema::examples;

use super::{document, metas, operations, read, schema};

/// The schemas are for who writes a request, and leaving a parameter out says the same as the blank that the documents
/// mention. Who reads requests learns from a key where the client, and with it the local exchange, takes that blank.
#[test]
fn a_blank_that_is_read_as_left_out_is_announced_by_a_key() {
    macro_rules! readers {
        ($($operation:path),*) => {
            BTreeMap::from([$((<$operation as Operation>::META.id, violations::<$operation> as fn(&str) -> Vec<String>)),*])
        };
    }
    let readers: BTreeMap<_, _> = tradeapi::for_each_operation!(readers);
    let document = document(&schema().exact_openapi());
    let (mut announced, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for (id, operation) in operations(&document) {
        let mut names = BTreeMap::new();
        parameters_of(&document, operation, &mut names);
        for (name, _) in names.iter().filter(|(_, is_announced)| **is_announced) {
            announced.insert(format!("{id} {name}"));
        }
        let meta = metas().into_iter().find(|meta| meta.id == id).unwrap();
        for request in examples(meta).iter().flat_map(|example| with_blanks(&read(&example.request), names.keys())) {
            let (name, request) = request;
            let found = readers[id](&request.to_string());
            let is_refused = ["empty", "unknown-parameter"]
                .iter()
                .any(|kind| found.iter().any(|rule| rule.ends_with(&format!("{name}.{kind}"))));
            let is_unsupported = meta.unsupported.iter().any(|row| row.path.ends_with(name.as_str()));
            if !is_refused && !is_unsupported {
                taken.insert(format!("{id} {name}"));
            }
        }
    }
    assert_eq!(announced, taken);
    assert!(taken.len() > 10, "{taken:?}");
}

fn violations<O: Operation>(request: &str) -> Vec<String> {
    let found = O::from_json(request).err().into_iter().flatten();
    found.map(|violation| violation.rule).collect()
}

/// Adds the parameters of a part of the document, each with whether a blank is announced as left out.
fn parameters_of(document: &Value, part: &Value, names: &mut BTreeMap<String, bool>) {
    let is_announced = |one: &Value| one["x-blank"] == "left_out" || one["x-edit"]["keep"] == "left_out";
    if let Some(target) = part["$ref"].as_str() {
        parameters_of(document, document.pointer(target.trim_start_matches('#')).unwrap(), names);
    }
    for parameter in part["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "query") {
        names.insert(parameter["name"].as_str().unwrap().to_owned(), is_announced(parameter));
    }
    for (name, property) in part["properties"].as_object().into_iter().flatten() {
        *names.entry(name.clone()).or_default() |= is_announced(property);
        parameters_of(document, property, names);
    }
    let body = &part["requestBody"]["content"]["application/json"]["schema"];
    let parts = ["allOf", "oneOf", "anyOf"].iter().flat_map(|key| part[*key].as_array().into_iter().flatten());
    for inner in parts.chain([&part["items"], body]).filter(|inner| inner.is_object()) {
        parameters_of(document, inner, names);
    }
}

/// Returns copies of a request in which one parameter is blank, of the request or of an item, with its name.
fn with_blanks<'a>(request: &Value, names: impl Iterator<Item = &'a String> + Clone) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    match request {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                all.extend(with_blanks(item, names.clone()).into_iter().map(|(name, changed)| {
                    let mut items = items.clone();
                    items[index] = changed;
                    (name, Value::Array(items))
                }));
            }
        }
        Value::Object(members) => {
            for (list, items) in members.iter().filter(|(_, items)| items.is_array()) {
                all.extend(with_blanks(items, names.clone()).into_iter().map(|(name, changed)| {
                    let mut members = members.clone();
                    members[list] = changed;
                    (name, Value::Object(members))
                }));
            }
            all.extend(names.map(|name| {
                let mut members = members.clone();
                members.insert(name.clone(), json!(""));
                (name.clone(), Value::Object(members))
            }));
        }
        _ => {}
    }
    all
}
