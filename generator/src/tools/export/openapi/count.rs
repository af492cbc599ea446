//! The number of occurrences of each `x-` key.

use std::collections::BTreeMap;

use serde_json::Value;

/// Keywords whose members have names of the API.
const NAMED_BY_THE_API: [&str; 5] = ["headers", "parameters", "paths", "properties", "schemas"];

/// Members that hold data of the API.
const DATA: [&str; 3] = ["default", "example", "examples"];

/// The `x-` keys with the number of statements. A list counts as many statements as it has entries, and keys below an
/// `x-` key are counted as a part of it.
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
