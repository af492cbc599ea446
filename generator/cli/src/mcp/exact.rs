//! JSON without floating-point numbers.

use serde_json::{Map as Object, Value};
use tradeapi_runtime::json::{Json, Map, read_json};

/// Returns a JSON text as a value. A number becomes a string with its digits.
pub(super) fn value(json: &str) -> Value {
    match json.as_bytes().first() {
        Some(b'{') => {
            let members = read_json::<Map<Json>>(json).map(|map| map.entries).unwrap_or_default();
            Value::Object(
                members.into_iter().map(|(name, inner)| (name, value(inner.as_str()))).collect::<Object<_, _>>(),
            )
        }
        Some(b'[') => {
            let items = read_json::<Vec<Json>>(json).unwrap_or_default();
            Value::Array(items.iter().map(|item| value(item.as_str())).collect())
        }
        Some(b'"') => Value::String(read_json(json).unwrap_or_default()),
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        Some(b'n') | None => Value::Null,
        Some(_) => Value::String(json.to_owned()),
    }
}

/// Returns an array, or the array that a text has as JSON; some assistants write lists as texts.
///
/// # Errors
///
/// Fails for anything else, and if an object in a text has a name twice.
pub(super) fn array(value: Value) -> Result<Value, String> {
    let what = match value {
        Value::Array(_) => return Ok(value),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Array(_)) if has_twice(&text) => return Err("has an object with a name twice".to_owned()),
            Ok(Value::Array(items)) => return Ok(Value::Array(items)),
            _ => "a text that is no array",
        },
        Value::Object(_) => "an object",
        Value::Null => "missing or null",
        Value::Bool(_) | Value::Number(_) => "a single value",
    };
    Err(format!("has to be an array of objects, and is {what}"))
}

/// Returns whether an object in a JSON text has a name twice.
fn has_twice(json: &str) -> bool {
    match json.trim_start().as_bytes().first() {
        Some(b'{') => {
            let members = read_json::<Map<Json>>(json).map(|map| map.entries).unwrap_or_default();
            let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            names.windows(2).any(|pair| pair[0] == pair[1])
                || members.iter().any(|(_, inner)| has_twice(inner.as_str()))
        }
        Some(b'[') => read_json::<Vec<Json>>(json).unwrap_or_default().iter().any(|item| has_twice(item.as_str())),
        _ => false,
    }
}

/// Refuses numbers that were rounded when they were read; the error is the path to the first.
pub(super) fn check(value: &Value) -> Result<(), String> {
    match value {
        Value::Number(number) if number.is_f64() => Err(String::new()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(at, item)| check(item).map_err(|path| joined(&format!("[{at}]"), &path))),
        Value::Object(members) => {
            members.iter().try_for_each(|(name, inner)| check(inner).map_err(|path| joined(name, &path)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// Returns a step and the path behind it, which may be empty.
fn joined(step: &str, path: &str) -> String {
    let point = if path.is_empty() || path.starts_with('[') { "" } else { "." };
    format!("{step}{point}{path}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_stay_exact() {
        let text = r#"{"a":[1,-2,0.10,1e400,"x\n",null,true],"b":18446744073709551616}"#;
        let read = json!({ "a": ["1", "-2", "0.10", "1e400", "x\n", null, true], "b": "18446744073709551616" });
        assert_eq!(value(text), read);
        assert_eq!(check(&json!({ "a": [{ "b": 1 }, { "c": 0.1 }] })), Err("a[1].c".to_owned()));
        assert_eq!(check(&read), Ok(()));
    }
    #[test]
    fn an_array_may_be_a_text() {
        assert_eq!(array(json!([{ "a": 1 }])), Ok(json!([{ "a": 1 }])));
        assert_eq!(array(json!(r#"[{"a": "0.10"}]"#)), Ok(json!([{ "a": "0.10" }])));
        for wrong in [json!({}), json!(null), json!(1), json!("a"), json!("{}"), json!(r#"[{"a": "1", "a": "2"}]"#)] {
            assert!(array(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
