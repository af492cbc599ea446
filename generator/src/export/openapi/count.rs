//! How often each `x-` key is there.

use std::collections::BTreeMap;

use serde_json::Value;

/// Members whose own members are named by the API, and not by OpenAPI.
const NAMED_BY_THE_API: [&str; 5] = ["headers", "parameters", "paths", "properties", "schemas"];

/// Members that hold data of the API.
const DATA: [&str; 3] = ["default", "example", "examples"];

/// The keys that OpenAPI leaves to us. A list has as many statements as entries, and what stands below a key is
/// counted with it.
pub(super) fn extensions(document: &Value) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    count(document, &mut counts);
    counts
}

fn count(value: &Value, counts: &mut BTreeMap<String, usize>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| count(value, counts)),
        Value::Object(members) => members.iter().for_each(|(name, value)| count_member(name, value, counts)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn count_member(name: &str, value: &Value, counts: &mut BTreeMap<String, usize>) {
    match value {
        _ if DATA.contains(&name) => {}
        Value::Object(members) if NAMED_BY_THE_API.contains(&name) => {
            members.values().for_each(|value| count(value, counts));
        }
        _ if name.starts_with("x-") => {
            *counts.entry(name.to_owned()).or_default() += value.as_array().map_or(1, Vec::len)
        }
        _ => count(value, counts),
    }
}
