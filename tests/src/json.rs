//! Comparison of an answer with what was read from it.

use serde_json::{Map, Value};

/// Checks that `kept` has everything in `sent`, and nothing else. Numbers and strings with the same text are equal;
/// empty values (`null`, an empty text or list) may be missing.
///
/// # Errors
///
/// The first difference, with its place.
pub fn compare(sent: &Value, kept: &Value) -> Result<(), String> {
    at("data", sent, kept)
}

fn at(path: &str, sent: &Value, kept: &Value) -> Result<(), String> {
    match (sent, kept) {
        (Value::Object(sent), Value::Object(kept)) => objects(path, sent, kept),
        (Value::Array(sent), Value::Array(kept)) if sent.len() == kept.len() => {
            sent.iter().zip(kept).enumerate().try_for_each(|(i, (sent, kept))| at(&format!("{path}[{i}]"), sent, kept))
        }
        _ if says_nothing(sent) && says_nothing(kept) => Ok(()),
        _ if text(sent).is_some() && text(sent) == text(kept) => Ok(()),
        _ => Err(format!("{path}: {sent} became {kept}")),
    }
}

fn objects(path: &str, sent: &Map<String, Value>, kept: &Map<String, Value>) -> Result<(), String> {
    for (name, value) in sent {
        at(&format!("{path}.{name}"), value, kept.get(name).unwrap_or(&Value::Null))?;
    }
    let invented = kept.iter().find(|(name, value)| !sent.contains_key(*name) && !says_nothing(value));
    invented.map_or(Ok(()), |(name, value)| Err(format!("{path}.{name}: {value} came from nowhere")))
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(says_nothing),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the text of a single value.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
