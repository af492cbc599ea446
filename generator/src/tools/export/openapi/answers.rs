//! Responses: data in its envelope, or a refusal.

use super::object::{Location, Object, any_of, having, list_of, or_null, reference, schema};
use crate::compiler::model::{
    AnswerPath, Api, Around, Duration, Envelope, Example, Family, Operation, Response, Step, Type,
};
use crate::compiler::words::AnswerForm;
use serde_json::{Map, Value, json};

const REFUSAL: &str = "Refusal";

/// Returns the responses of an operation by HTTP status. A refusal of the exchange may have any status; readers that do
/// not support `default` find it under `4XX`.
pub(super) fn responses(api: &Api, family: &Family, operation: &Operation) -> Value {
    let data = data(family, operation);
    let (success, refused) = match &api.envelope {
        None => (within(operation.data.as_ref(), data), Object::new().with("description", "The request was refused.")),
        Some(envelope) => {
            let refusal = Object::new().with("$ref", format!("#/components/schemas/{REFUSAL}")).into_value();
            let answer = json!({"anyOf": [accepted(envelope, operation.data_path(api), data), refusal]});
            (answer, Object::new().with("$ref", format!("#/components/responses/{REFUSAL}")))
        }
    };
    let examples =
        operation.examples.iter().enumerate().filter_map(|(index, example)| {
            Some(((index + 1).to_string(), self::example(example, &example.response.0)?))
        });
    let header =
        api.remaining_calls.iter().map(|name| (name.clone(), json!({"$ref": format!("#/components/headers/{name}")})));
    let header = header.chain(headers(family, operation));
    let refused = match operation.beside_data.refusal {
        Some((index, _)) => {
            let record = reference(family, &family.records[index].name.rust).into_value();
            let content = content("application/json", record, Map::new());
            Object::new().with("description", "The request was refused.").with("content", content)
        }
        None => refused,
    };
    let content = match operation.beside_data.form {
        None => content("application/json", success, examples.collect()),
        Some((AnswerForm::Text, _)) => {
            let text = Object::new().with("type", "string").maybe("x-value", name_of_text(family, operation));
            content("text/plain", text.into_value(), Map::new())
        }
        Some((AnswerForm::Bytes, _)) => {
            content("application/octet-stream", json!({"type": "string", "format": "binary"}), Map::new())
        }
    };
    let success = Object::new().with("description", "The answer.").map("headers", header).with("content", content);
    Object::new().with("200", success).with("4XX", refused.clone()).with("default", refused).into_value()
}

/// Returns the name of the field whose value is the whole answer.
fn name_of_text<'a>(family: &'a Family, operation: &Operation) -> Option<&'a str> {
    let Response::Object { record } = &operation.response else { return None };
    Some(&family.records.get(*record)?.fields.first()?.name.wire)
}

/// Returns the headers of a success that have fields.
fn headers<'a>(family: &'a Family, operation: &Operation) -> impl Iterator<Item = (String, Value)> + use<'a> {
    let record = operation.beside_data.headers.and_then(|(index, _)| family.records.get(index));
    record.into_iter().flat_map(|record| &record.fields).map(|field| {
        let schema = field.shape.single().map(|ty| {
            let only: Vec<_> = field.only.iter().map(|(value, _)| value.as_str()).collect();
            schema(family, ty, false, &only, Location::Query)
        });
        let header = Object::new().text("description", &field.doc).maybe("schema", schema.map(Object::into_value));
        (field.name.wire.clone(), header.into_value())
    })
}

/// Returns a body of JSON of this schema.
pub(super) fn content(media_type: &str, schema: Value, examples: Map<String, Value>) -> Value {
    let media = Object::new().with("schema", schema).map("examples", examples);
    Object::new().with(media_type, media).into_value()
}

/// Returns one side of an example.
pub(super) fn example(example: &Example, json: &str) -> Option<Value> {
    let Example { about, request: _, response: _ } = example;
    let value: Value = serde_json::from_str(json).ok()?;
    Some(Object::new().text("summary", about).with("value", value).into_value())
}

/// Returns the envelope of a success with its data.
fn accepted(envelope: &Envelope, path: Option<&AnswerPath>, data: Value) -> Value {
    let Some((Step::Member(member), rest)) = path.and_then(|path| path.0.split_first()) else {
        return within(path, data);
    };
    if envelope.around == Around::Failures {
        return within(path, data);
    }
    let (member, data) = (member.as_str(), within_steps(rest, data));
    let codes = Codes::of(envelope, |values| match values {
        [text] => json!({"type": "string", "const": text}),
        values => json!({"type": ["number", "string"], "enum": values}),
    });
    Object::new()
        .with("title", "Accepted")
        .with("type", "object")
        .with("properties", members(envelope, codes.only).with(member, data))
        .with("required", codes.required.into_iter().chain([member]).collect::<Vec<_>>())
        .list("anyOf", codes.first_of_several)
        .into_value()
}

/// The statements about the code of an answer.
struct Codes<'a> {
    /// The schema of the code, if it has one place.
    only: Option<Value>,
    required: Option<&'a str>,
    /// A schema for each place that the code can have. The first one that is there counts.
    first_of_several: Vec<Value>,
}

impl<'a> Codes<'a> {
    /// Makes the statements from the values that mean success: the text, and the number if the text is one.
    fn of(envelope: &'a Envelope, schema: impl FnOnce(&[Value]) -> Value) -> Self {
        let schema = envelope.success.as_ref().map(|success| {
            let number = serde_json::from_str::<Value>(success).ok().filter(Value::is_number);
            schema(&number.into_iter().chain([Value::from(success.as_str())]).collect::<Vec<_>>())
        });
        let places: Vec<&str> = envelope.code.iter().filter_map(AnswerPath::member).collect();
        match (schema, places.as_slice()) {
            (Some(schema), [_, _, ..]) => {
                let is_there = |name: &&str| having([((*name).to_owned(), json!({}))]);
                let first = places.iter().enumerate().map(|(index, name)| {
                    let here = having([((*name).to_owned(), schema.clone())]);
                    let before: Vec<_> = places[..index].iter().map(is_there).collect();
                    if before.is_empty() { here } else { json!({"allOf": [here, {"not": any_of(before)}]}) }
                });
                Self { only: None, required: None, first_of_several: first.collect() }
            }
            (schema, places) => {
                let required = places.first().copied().filter(|_| schema.is_some());
                Self { only: schema, required, first_of_several: Vec::new() }
            }
        }
    }
}

/// Returns a schema in which the data is at the end of a path; without a path, the schema of the data itself.
fn within(path: Option<&AnswerPath>, data: Value) -> Value {
    within_steps(path.map(|path| path.0.as_slice()).unwrap_or_default(), data)
}

fn within_steps(steps: &[Step], data: Value) -> Value {
    steps.iter().rev().fold(data, |inner, step| match step {
        Step::Member(name) => json!({"type": "object", "properties": {name: inner}, "required": [name]}),
        Step::Item(place) => {
            let before = std::iter::repeat_n(json!({}), *place);
            json!({"type": "array", "prefixItems": before.chain([inner]).collect::<Vec<_>>(), "minItems": place + 1})
        }
    })
}

/// Returns the members of an envelope; `code` is the schema of the code, if answers have one.
fn members(envelope: &Envelope, code: Option<Value>) -> Object {
    let Envelope {
        code: codes,
        message,
        time,
        // In the schemas of successes and refusals.
        around: _,
        data: _,
        success: _,
        // For clients.
        success_with: _,
        beside: _,
        place: _,
    } = envelope;
    envelope.members().into_iter().fold(Object::new(), |to, name| {
        let is_of = |paths: &[AnswerPath]| paths.iter().any(|path| path.member() == Some(name));
        let value = if is_of(codes) {
            code.clone()
        } else if is_of(message) {
            Some(json!({"type": ["string", "null"]}))
        } else if time.as_deref() == Some(name) {
            Some(json!({"type": "integer", "format": "int64", "description": "Unix milliseconds."}))
        } else {
            None
        };
        to.with(name, value.unwrap_or_else(|| json!({})))
    })
}

/// Returns the envelope of a refusal. The codes of a family are listed at its tag.
pub(super) fn refusal(api: &Api) -> Option<(String, Value)> {
    let envelope = api.envelope.as_ref()?;
    let codes = Codes::of(envelope, |values| match values {
        [text] => json!({"type": "string", "not": {"const": text}}),
        values => json!({"type": ["number", "string"], "not": {"enum": values}}),
    });
    let code = match &envelope.success {
        Some(_) => codes.only,
        None => Some(json!({"type": ["string", "number", "null"]})),
    };
    let data =
        envelope.data.iter().filter_map(AnswerPath::first).fold(Object::new(), |to, name| to.with(name, json!({})));
    let forms = if envelope.can_be_array() { json!(["object", "array"]) } else { json!("object") };
    // Paths that the schema of members cannot express.
    let nested = envelope.code.iter().filter(|path| path.member().is_none()).map(ToString::to_string);
    let refusal = Object::new()
        .with("title", REFUSAL)
        .with("type", forms)
        .with("description", "A refusal. The tag of a family lists its codes, and what each leaves open.")
        .with("properties", members(envelope, code).and(data))
        .list("required", codes.required)
        .list("anyOf", codes.first_of_several)
        .list("x-code", nested);
    Some((REFUSAL.to_owned(), refusal.into_value()))
}

/// Returns a refusal with a status of its own.
pub(super) fn refused(api: &Api) -> Option<(String, Value)> {
    let refusal = json!({"$ref": format!("#/components/schemas/{REFUSAL}")});
    let refused = Object::new()
        .with("description", "The request was refused; the code states the reason.")
        .with("content", content("application/json", refusal, Map::new()));
    api.envelope.as_ref().map(|_| (REFUSAL.to_owned(), refused.into_value()))
}

/// Returns the response header with the number of remaining calls.
pub(super) fn remaining_calls(api: &Api) -> Option<(String, Value)> {
    let name = api.remaining_calls.clone()?;
    let says = match api.remaining_calls_in.as_slice() {
        [Duration::SECOND] => "How many calls are left in the current second.",
        _ => "How many calls of the operation are left in its current window.",
    };
    Some((name, json!({"description": says, "schema": {"type": "integer", "minimum": 0}})))
}

fn data(family: &Family, operation: &Operation) -> Value {
    let record = |index: usize| reference(family, &family.records[index].name.rust).into_value();
    let array = |index: usize| list_of(family, Type::Record(index), record(index));
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
