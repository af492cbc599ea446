//! JSON without floating-point numbers.

use serde_json::{Map as Object, Number, Value};
use tradeapi_runtime::json::{Json, Map, read_json};

/// A JSON text as a value. A number that is not a whole one becomes a string with its digits.
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
        Some(_) => match (json.parse::<u64>(), json.parse::<i64>()) {
            (Ok(number), _) => Value::Number(Number::from(number)),
            (_, Ok(number)) => Value::Number(Number::from(number)),
            _ => Value::String(json.to_owned()),
        },
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

/// A step and the path behind it, which may be empty.
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
        let read = json!({ "a": [1, -2, "0.10", "1e400", "x\n", null, true], "b": "18446744073709551616" });
        assert_eq!(value(text), read);
        assert_eq!(check(&json!({ "a": [{ "b": 1 }, { "c": 0.1 }] })), Err("a[1].c".to_owned()));
        assert_eq!(check(&read), Ok(()));
    }
}
