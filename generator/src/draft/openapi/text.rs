//! The text of a description -> JSON values: JSON as it is written, and YAML.

use serde_json::{Map, Number, Value};

use crate::json;

/// Parses JSON or YAML. The reason is in words.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    if text.trim_start().starts_with('{') {
        // Some texts in braces are YAML only.
        if let Ok(node) = json::parse(text) {
            return Ok(of_json(node.value));
        }
    }
    serde_yaml::from_str(text).map(of_yaml).map_err(|error| error.to_string())
}

/// A number that the types of a machine do not hold stays the text that is written.
fn of_json(value: json::Value) -> Value {
    match value {
        json::Value::Null => Value::Null,
        json::Value::Boolean(truth) => Value::Bool(truth),
        json::Value::Number(text) => number(&text),
        json::Value::Text(text) => Value::String(text),
        json::Value::List(items) => items.into_iter().map(|item| of_json(item.value)).collect(),
        json::Value::Object(members) => {
            members.into_iter().map(|member| (member.name, of_json(member.value.value))).collect::<Map<_, _>>().into()
        }
    }
}

fn number(text: &str) -> Value {
    let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok();
    let fraction = || text.contains(['.', 'e', 'E']).then(|| Number::from_f64(text.parse().ok()?)).flatten();
    whole.or_else(fraction).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Keys that YAML reads as numbers, such as the status of a response, are texts.
fn of_yaml(value: serde_yaml::Value) -> Value {
    match value {
        serde_yaml::Value::Mapping(mapping) => mapping
            .into_iter()
            .filter_map(|(key, value)| Some((key_of(key)?, of_yaml(value))))
            .collect::<Map<_, _>>()
            .into(),
        serde_yaml::Value::Sequence(items) => items.into_iter().map(of_yaml).collect(),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

fn key_of(key: serde_yaml::Value) -> Option<String> {
    match key {
        serde_yaml::Value::String(text) => Some(text),
        other => super::reading::scalar(&serde_json::to_value(other).ok()?),
    }
}
