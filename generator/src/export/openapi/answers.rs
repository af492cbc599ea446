//! What comes back: data in its envelope, or a refusal.

use serde_json::{Map, Value, json};

use super::object::Object;
use super::values::{or_null, reference};
use crate::model::{Api, Envelope, Example, Family, Operation, Response};

const REFUSAL: &str = "Refusal";

/// The answers of an operation by their HTTP status. A refusal of the exchange's own comes with any status; readers that
/// know no `default` look for it under `4XX`.
pub(super) fn responses(api: &Api, family: &Family, operation: &Operation) -> Value {
    let data = data(family, operation);
    let (success, refused) = match &api.envelope {
        None => (data, Object::new().with("description", "The request was refused.")),
        Some(envelope) => {
            let refusal = Object::new().with("$ref", format!("#/components/schemas/{REFUSAL}")).into_value();
            let answer = json!({"anyOf": [accepted(envelope, data), refusal]});
            (answer, Object::new().with("$ref", format!("#/components/responses/{REFUSAL}")))
        }
    };
    let examples =
        operation.examples.iter().enumerate().filter_map(|(index, example)| {
            Some(((index + 1).to_string(), self::example(example, &example.response.0)?))
        });
    let header =
        api.remaining_calls.iter().map(|name| (name.clone(), json!({"$ref": format!("#/components/headers/{name}")})));
    let success = Object::new()
        .with("description", "The answer.")
        .map("headers", header)
        .with("content", content(success, examples.collect()));
    Object::new().with("200", success).with("4XX", refused.clone()).with("default", refused).into_value()
}

/// JSON of this schema.
pub(super) fn content(schema: Value, examples: Map<String, Value>) -> Value {
    let media = Object::new().with("schema", schema).map("examples", examples);
    Object::new().with("application/json", media).into_value()
}

/// One side of an example.
pub(super) fn example(example: &Example, json: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(json).ok()?;
    Some(Object::new().text("summary", &example.about).with("value", value).into_value())
}

/// The envelope around data.
fn accepted(envelope: &Envelope, data: Value) -> Value {
    let code = json!({"type": "string", "const": envelope.success});
    let members = members(envelope, code).with(&envelope.data, data);
    Object::new()
        .with("title", "Accepted")
        .with("type", "object")
        .with("properties", members)
        .with("required", [envelope.code.as_str(), envelope.data.as_str()])
        .into_value()
}

fn members(envelope: &Envelope, code: Value) -> Object {
    Object::new()
        .with(&envelope.code, code)
        .and(envelope.message.iter().fold(Object::new(), |to, name| to.with(name, json!({"type": ["string", "null"]}))))
        .and(envelope.time.iter().fold(Object::new(), |to, name| {
            to.with(name, json!({"type": "integer", "format": "int64", "description": "Unix milliseconds."}))
        }))
}

/// The envelope of a refusal; which codes a family has stands at its tag.
pub(super) fn refusal(api: &Api) -> Option<(String, Value)> {
    let envelope = api.envelope.as_ref()?;
    let code = json!({"type": "string", "not": {"const": envelope.success}});
    let refusal = Object::new()
        .with("title", REFUSAL)
        .with("type", "object")
        .with("description", "A refusal. The codes of a family and what each leaves open stand at the family's tag.")
        .with("properties", members(envelope, code).with(&envelope.data, json!({})))
        .with("required", [envelope.code.as_str()]);
    Some((REFUSAL.to_owned(), refusal.into_value()))
}

/// A refusal that came with a status of its own.
pub(super) fn refused(api: &Api) -> Option<(String, Value)> {
    let refusal = json!({"$ref": format!("#/components/schemas/{REFUSAL}")});
    let refused = Object::new()
        .with("description", "The request was refused; the code tells why.")
        .with("content", content(refusal, Map::new()));
    api.envelope.as_ref().map(|_| (REFUSAL.to_owned(), refused.into_value()))
}

/// The response header that counts the calls that are left.
pub(super) fn remaining_calls(api: &Api) -> Option<(String, Value)> {
    let name = api.remaining_calls.clone()?;
    let says = "How many calls are left in the current second.";
    Some((name, json!({"description": says, "schema": {"type": "integer", "minimum": 0}})))
}

fn data(family: &Family, operation: &Operation) -> Value {
    let record = |index: usize| reference(family, &family.records[index].name.rust).into_value();
    let array = |index: usize| Object::new().with("type", "array").with("items", record(index));
    match &operation.response {
        Response::Object { record: index } => record(*index),
        Response::Array { record, observed_under: None } => array(*record).into_value(),
        Response::Array { record, observed_under: Some(member) } => {
            let under =
                json!({"type": "object", "properties": {member: array(*record).into_value()}, "required": [member]});
            Object::new()
                .with("oneOf", [array(*record).into_value(), under])
                .with("x-observed-under", member.as_str())
                .into_value()
        }
        Response::Page { list, record, cursor, .. } => {
            let members = Object::new()
                .with(&list.wire, or_null(array(*record)))
                .with(&cursor.wire, json!({"type": ["string", "null"]}));
            Object::new().with("type", "object").with("properties", members).into_value()
        }
        Response::Undefined => json!({}),
    }
}
