//! The schemas of single values and of objects with members; the number of each `x-` key.

use std::collections::BTreeMap;

use crate::compiler::json;
use crate::compiler::model::declared::{self, Mapping};
use crate::compiler::model::elements::Key;
use crate::compiler::model::{Decided, Enum, Family, Form, Identifier, Pattern, Truth, Type};
use crate::compiler::words::Times;
pub(super) use crate::tools::export::Object;
use heck::ToUpperCamelCase as _;
use serde_json::{Map, Value, json};

impl Object {
    /// Adds the statements of keys that have no other form.
    pub(super) fn keys(self, keys: &[Key]) -> Self {
        let data = keys.iter().filter_map(|key| key.data.as_ref());
        data.fold(self, |object, (name, value)| object.with(name, written(value)))
    }

    /// Returns the JSON type of a schema, if it has one.
    pub(super) fn json_type(&self) -> &'static str {
        let named = self.get("type").and_then(Value::as_str).unwrap_or_default();
        ["integer", "number", "boolean"].into_iter().find(|known| *known == named).unwrap_or("string")
    }
}

/// Returns a schema for an object with all of these members, where each fits its own schema.
pub(super) fn having(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    let members: Map<_, _> = members.into_iter().collect();
    let required: Vec<_> = members.keys().cloned().collect();
    among_others(json!({"properties": members, "required": required}))
}

/// Returns a schema that matches what at least one of these matches.
pub(super) fn any_of(mut schemas: Vec<Value>) -> Value {
    match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({"anyOf": schemas}),
    }
}

/// Returns a schema of an object's members that allows others. Some readers reject other members wherever there are
/// `properties`, except directly in an `allOf` of several schemas.
pub(super) fn among_others(members: Value) -> Value {
    json!({"allOf": [{"type": "object"}, members]})
}

/// Returns a declared mapping, with its members under the names of its keys.
pub(super) fn declared(mapping: &impl Mapping) -> Value {
    written(&declared::data(mapping))
}

/// Returns a value of the model in the document.
fn written(value: &json::Value) -> Value {
    match value {
        json::Value::Null => Value::Null,
        json::Value::Boolean(value) => Value::Bool(*value),
        json::Value::Number(number) => number.parse().map_or(Value::Null, Value::Number),
        json::Value::Text(text) => Value::String(text.clone()),
        json::Value::List(items) => items.iter().map(|item| written(&item.value)).collect(),
        json::Value::Object(members) => {
            members.iter().map(|member| (member.name.clone(), written(&member.value.value))).collect()
        }
    }
}

/// Keywords whose members have names of the API.
const NAMED_BY_THE_API: [&str; 5] = ["headers", "parameters", "paths", "properties", "schemas"];

/// Members that hold data of the API.
const DATA: [&str; 3] = ["default", "example", "examples"];

/// Returns the `x-` keys with the number of statements. A list counts as many statements as it has entries, and keys
/// below an `x-` key are counted as a part of it.
pub(super) fn extensions(document: &Value) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    count(document, &mut counts);
    counts
}

/// Returns the number of rules that are stated as schemas, which have the name of the rule in a comment.
pub(super) fn conditions(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(conditions).sum(),
        Value::Object(members) => {
            usize::from(members.get("$comment").is_some_and(Value::is_string))
                + members.values().map(conditions).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
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

/// Returns a form: its regular expression, or an object with that and what an instrument decides.
pub(super) fn form(Form { name: _, pattern, decided }: &Form) -> Value {
    let pattern = regular_expression(pattern);
    match decided {
        None => Value::from(pattern),
        Some(Decided { also, by: (by, _) }) => {
            json!({"pattern": pattern, "also": regular_expression(also), "decided_by": by})
        }
    }
}

/// Returns the regular expressions of the texts that have a form; with `may_be`, also of those that an instrument
/// decides.
pub(super) fn form_patterns(Form { name: _, pattern, decided }: &Form, may_be: bool) -> Vec<String> {
    let also = decided.iter().filter(|_| may_be).map(|Decided { also, by: _ }| also);
    std::iter::once(pattern).chain(also).map(regular_expression).collect()
}

fn regular_expression(Pattern { text: _, place: _, prefix, alphabet, suffix }: &Pattern) -> String {
    let between = alphabet.as_deref().map_or_else(|| ".".to_owned(), class);
    format!("^{}{between}*{}$", literal(prefix), literal(suffix))
}

/// Returns the bracket expression of an alphabet, in which only `-` has a special meaning.
pub(super) fn class(alphabet: &str) -> String {
    let escaped =
        alphabet.chars().flat_map(|c| matches!(c, '\\' | '[' | ']' | '^').then_some('\\').into_iter().chain([c]));
    let escaped: String = escaped.collect();
    // A trailing hyphen is literal, and is escaped because some dialects of regular expressions require it.
    match escaped.strip_suffix('-') {
        Some(rest) => format!("[{rest}\\-]"),
        None => format!("[{escaped}]"),
    }
}

fn literal(text: &str) -> String {
    text.chars().flat_map(|c| r"\^$.|?*+()[]{}/".contains(c).then_some('\\').into_iter().chain([c])).collect()
}

/// The direction of a value. Requests contain only documented values; answers may contain others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    Query,
    Body,
    Answer,
}

/// The pattern of a decimal in requests, which have one notation of each number.
const DECIMAL: &str = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?";
/// The pattern of a decimal in answers, which may also have leading zeros and an exponent: `0E-8`.
const ANSWERED: &str = r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?";
const SIGNED: &str = "-?[0-9]+";
const WHOLE: &str = "[0-9]+";

/// Returns the name of a shared schema.
pub(super) fn component(family: &Family, rust: &str) -> String {
    format!("{}.{}", family.name, rust.trim_start_matches("r#"))
}

/// Returns a reference to a shared schema.
pub(super) fn reference(family: &Family, rust: &str) -> Object {
    Object::new().with("$ref", format!("{SHARED}{}", component(family, rust)))
}

/// Returns the schema of one value. With `as_text`, numbers travel as JSON strings; `only` lists the allowed values.
pub(super) fn schema(family: &Family, ty: Type, as_text: bool, only: &[&str], location: Location) -> Object {
    match ty {
        // Numbers in answers are accepted for everything that is read as text.
        Type::String | Type::Identifier(_) if !as_text => Object::new().with("type", ["number", "string"]),
        Type::String | Type::Undefined => Object::new().with("type", "string"),
        Type::Json => Object::new(),
        Type::Boolean(Truth::Bare) => Object::new().with("type", "boolean"),
        Type::Boolean(Truth::Text) => {
            Object::new().with("type", "string").with("format", "boolean").with("enum", ["true", "false"])
        }
        Type::Boolean(Truth::Number) => {
            Object::new().with("type", "integer").with("format", "boolean").with("enum", [0, 1])
        }
        Type::Decimal if as_text || location == Location::Query => text("decimal", DECIMAL, location),
        Type::Decimal => Object::new().with("type", "number"),
        Type::Scaled(scale) if as_text && location != Location::Query => {
            text("signed-integer", SIGNED, location).with("x-scale", scale)
        }
        Type::Scaled(scale) => Object::new().with("type", "integer").with("x-scale", scale),
        Type::Integer if as_text && location != Location::Query => text("integer", WHOLE, location),
        Type::Integer => Object::new().with("type", "integer").with("minimum", 0),
        Type::Signed if as_text && location != Location::Query => text("signed-integer", SIGNED, location),
        Type::Signed => Object::new().with("type", "integer").with("format", "int64"),
        Type::Time(Times::Iso8601) => Object::new().with("type", "string").with("format", "date-time"),
        Type::Formatted(format) => Object::new().with("type", "string").with("format", format.openapi()),
        Type::Time(times) if as_text && location != Location::Query => text(unix(times), WHOLE, location),
        Type::Time(times @ Times::Seconds) => {
            Object::new().with("type", "number").with("minimum", 0).with("x-times", times.as_str())
        }
        Type::Time(times) => {
            let integer = Object::new().with("type", "integer").with("format", "int64").with("minimum", 0);
            integer.with("x-times", times.as_str())
        }
        Type::Enum(index) if !as_text => numbers_of(&family.enums[index], only, location),
        Type::Enum(index) => one_of_the_values(family, &family.enums[index], only, location),
        Type::Identifier(index) => identifier(family, &family.identifiers[index], location),
        Type::Choice(index) => reference(family, &family.choices[index].name.rust),
        Type::Record(index) => reference(family, &family.records[index].name.rust),
    }
}

/// Returns the unit of a numeric time.
fn unix(times: Times) -> &'static str {
    match times {
        Times::Seconds => "unix-seconds",
        Times::Milliseconds => "unix-milliseconds",
        Times::Microseconds => "unix-microseconds",
        Times::Nanoseconds => "unix-nanoseconds",
        Times::Iso8601 => "date-time",
    }
}

/// Returns the values of an enum that travels as a JSON number. Answers may contain others.
fn numbers_of(all: &Enum, only: &[&str], location: Location) -> Object {
    let listed = all.wires().filter(|wire| only.is_empty() || only.contains(wire));
    let listed: Vec<_> = listed.map(|wire| typed(wire, "number")).collect();
    open(Object::new().with("type", "number").with("enum", listed), "number", location)
}

/// Returns a number that travels as text. Answers may leave it empty, which no format allows: readers that convert by
/// `format` would refuse the answer.
fn text(format: &str, pattern: &str, location: Location) -> Object {
    let text = Object::new().with("type", "string");
    if location != Location::Answer {
        return text.with("format", format).with("pattern", format!("^{pattern}$"));
    }
    let pattern = if pattern == DECIMAL { ANSWERED } else { pattern };
    text.with("pattern", format!("^({pattern})?$")).with("x-format", format)
}

fn one_of_the_values(family: &Family, all: &Enum, only: &[&str], location: Location) -> Object {
    let listed = match only {
        [] => reference(family, &all.name.rust),
        only => Object::new().with("type", "string").with("enum", only),
    };
    open(listed, "string", location)
}

fn identifier(family: &Family, all: &Identifier, location: Location) -> Object {
    let named = reference(family, &all.name.rust);
    if all.is_constrained() { open(named, "string", location) } else { named }
}

/// Opens an enum: in answers, any value of the type that is not listed is accepted, too.
fn open(listed: Object, json_type: &str, location: Location) -> Object {
    match location {
        Location::Answer => Object::new().with("anyOf", [listed.into_value(), json!({"type": json_type})]),
        Location::Query | Location::Body => listed,
    }
}

/// Allows also null.
pub(super) fn or_null(schema: Object) -> Object {
    Object::new().with("anyOf", [schema.into_value(), json!({"type": "null"})])
}

/// Returns a text of the schema language as JSON of this type; as a string if it cannot be converted.
pub(super) fn typed(text: &str, json_type: &str) -> Value {
    let is_plain = matches!(json_type, "integer" | "number" | "boolean");
    let read = || serde_json::from_str::<Value>(text).ok().filter(|value| value.is_number() || value.is_boolean());
    is_plain.then(read).flatten().unwrap_or_else(|| Value::from(text))
}

/// Returns a list of values; for records with a key, an object with a value for each.
pub(super) fn list_of(family: &Family, ty: Type, items: impl Into<Value>) -> Object {
    let record = ty.record().and_then(|index| family.records.get(index));
    match record.and_then(|record| record.key.as_ref()) {
        Some((key, _)) => {
            Object::new().with("type", "object").with("additionalProperties", items).with("x-key", key.as_str())
        }
        None => Object::new().with("type", "array").with("items", items),
    }
}

/// The beginning of the places of shared schemas.
const SHARED: &str = "#/components/schemas/";

/// Returns the document with names of shared schemas that have no dots, which some tools put into identifiers as they
/// are.
pub(super) fn without_dots(mut document: Value) -> Value {
    if let Some(schemas) = document["components"].get_mut("schemas").and_then(Value::as_object_mut) {
        *schemas = std::mem::take(schemas).into_iter().map(|(name, schema)| (without_dot(&name), schema)).collect();
    }
    refer(&mut document);
    document
}

fn without_dot(name: &str) -> String {
    match name.split_once('.') {
        Some((family, name)) => format!("{}{name}", family.to_upper_camel_case()),
        None => name.to_owned(),
    }
}

/// Changes references to the names without dots, and parts that only allow other members into whole objects.
fn refer(value: &mut Value) {
    if let Some([bare, members]) = value.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
        && *bare == json!({"type": "object"})
    {
        *value = Object::of(bare.clone()).and(Object::of(members.clone())).into_value();
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(refer),
        Value::Object(members) => members.values_mut().for_each(refer),
        Value::String(text) => {
            if let Some(name) = text.strip_prefix(SHARED) {
                *text = format!("{SHARED}{}", without_dot(name));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
