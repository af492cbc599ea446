//! Batches: split into batches of one item, whose answers are merged.

use std::borrow::Cow;

use serde_json::Value;
use tradeapi::runtime::json::{Kind, ReadError, Reader};

/// The items of the body of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    body: Value,
    items: Vec<Value>,
}

fn is_list(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_object))
}

/// Returns the list of a body: the body itself or its first member that is a list of objects.
fn list(body: &mut Value) -> Option<&mut Vec<Value>> {
    if is_list(body) {
        return body.as_array_mut();
    }
    body.as_object_mut()?.values_mut().find(|value| is_list(value))?.as_array_mut()
}

impl Batch {
    /// Returns whether a body is a batch.
    pub(crate) fn is_batch(body: &Value) -> bool {
        is_list(body) || body.as_object().is_some_and(|members| members.values().any(is_list))
    }

    /// Returns the batch in a body, if it is one.
    pub(crate) fn of(body: &Value) -> Option<Self> {
        if !Self::is_batch(body) {
            return None;
        }
        let mut body = body.clone();
        let items = std::mem::take(list(&mut body)?);
        Some(Self { body, items })
    }

    /// Returns how many items it has.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the bodies with one item each.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = String> + '_ {
        self.items.iter().map(|item| {
            let mut body = self.body.clone();
            match &mut body {
                Value::Array(items) => items.push(item.clone()),
                body => {
                    if let Some(items) = body.as_object_mut().and_then(|members| {
                        members.values_mut().find_map(|value| value.as_array_mut().filter(|items| items.is_empty()))
                    }) {
                        items.push(item.clone());
                    }
                }
            }
            body.to_string()
        })
    }
}

/// Merges the answers to single items: lists are joined, and flags are set if all are.
pub(crate) fn join(answers: impl IntoIterator<Item = Value>) -> Value {
    let mut answers = answers.into_iter();
    let Some(mut all) = answers.next() else { return Value::Array(Vec::new()) };
    for answer in answers {
        join_into(&mut all, answer);
    }
    all
}

fn join_into(all: &mut Value, other: Value) {
    match (all, other) {
        (Value::Array(all), Value::Array(other)) => all.extend(other),
        (Value::Bool(all), Value::Bool(other)) => *all &= other,
        (Value::Object(all), Value::Object(other)) => {
            for (name, value) in other {
                match all.get_mut(&name) {
                    Some(member) => join_into(member, value),
                    None => {
                        all.insert(name, value);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Returns an answer without its items.
pub(crate) fn without_items(mut answer: Value) -> Value {
    match &mut answer {
        Value::Array(items) => items.clear(),
        answer => answer.as_object_mut().into_iter().flat_map(|members| members.values_mut()).for_each(|member| {
            if let Some(items) = member.as_array_mut() {
                items.clear();
            }
        }),
    }
    answer
}

/// Returns whether all items of an answer, or the answer itself without items, have a text with this name.
pub(crate) fn all_have(answer: &Value, name: &str) -> bool {
    match answer {
        Value::Array(items) => items.iter().all(|item| all_have(item, name)),
        Value::Object(members) if members.values().any(Value::is_array) => {
            members.values().filter(|member| member.is_array()).all(|member| all_have(member, name))
        }
        other => other.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty()),
    }
}

/// Returns the first text in a JSON text with one of these names, at any depth.
pub(crate) fn first_text<'a>(json: &'a str, names: &[&str]) -> Option<Cow<'a, str>> {
    first_in(&mut Reader::new(json), names).ok().flatten()
}

fn first_in<'a>(from: &mut Reader<'a>, names: &[&str]) -> Result<Option<Cow<'a, str>>, ReadError> {
    match from.peek() {
        Kind::Object => {
            let mut members = from.object(&[])?;
            while let Some(name) = members.next_name(from)? {
                let found = match from.peek() {
                    Kind::String if names.contains(&&*name) => Some(from.scalar()?).filter(|text| !text.is_empty()),
                    _ => first_in(from, names)?,
                };
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        }
        Kind::Array => {
            let mut elements = from.array()?;
            while elements.next(from)?.is_some() {
                if let Some(found) = first_in(from, names)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        }
        _ => from.skip().map(|()| None),
    }
}

/// Lists all texts with these names at any depth, with their names.
pub(crate) fn texts<'a>(value: &'a Value, names: &[&str], found: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts(item, names, found)),
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(text) if names.contains(&name.as_str()) && !text.is_empty() => found.push((name, text)),
                    _ => texts(member, names, found),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_batch_is_taken_apart_and_its_answers_are_joined() {
        let batch = json!({"symbol": "A", "list": [{"id": "1"}, {"id": "2"}]});
        let batch = Batch::of(&batch).map(|batch| batch.bodies().collect());
        let bodies: Vec<String> = batch.unwrap_or_default();
        let bodies: Vec<Value> = bodies.iter().filter_map(|body| serde_json::from_str(body).ok()).collect();
        let with = |id| json!({"symbol": "A", "list": [{"id": id}]});
        assert_eq!(bodies, [with("1"), with("2")]);
        assert!(Batch::of(&json!({"symbol": "A"})).is_none() && Batch::of(&json!([{}])).is_some());
        let answers =
            [json!({"done": [1], "failed": [], "result": true}), json!({"done": [], "failed": [2], "result": false})];
        assert_eq!(join(answers), json!({"done": [1], "failed": [2], "result": false}));
        let mut found = Vec::new();
        let request = json!([{"id": "1", "other": {"id": "2"}}, {"id": ""}]);
        texts(&request, &["id"], &mut found);
        assert_eq!(found, [("id", "1"), ("id", "2")]);
        for (json, first) in [
            (request.to_string(), Some("1")),
            (r#"{"list": [{"id": ""}, {"no": "1", "id": "a\"b"}]}"#.to_owned(), Some("a\"b")),
            (r#"{"id": 7, "no": "1"}"#.to_owned(), None),
            (r#"[{"id": "1""#.to_owned(), Some("1")),
            ("[{".to_owned(), None),
        ] {
            assert_eq!(first_text(&json, &["id"]).as_deref(), first, "{json}");
        }
        assert!(all_have(&json!({"done": [{"id": "1"}], "failed": []}), "id") && !all_have(&json!([{"id": ""}]), "id"));
    }
}
