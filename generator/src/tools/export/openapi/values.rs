//! Types -> schemas of single values and lists in their form on the wire.

use serde_json::{Value, json};

use super::object::Object;
use crate::compiler::model::{Enum, Family, Identifier, Truth, Type};
use crate::compiler::words::Times;

/// The direction of a value. Requests contain only documented values; answers may contain others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    Query,
    Body,
    Answer,
}

const DECIMAL: &str = r"-?[0-9]+(\.[0-9]+)?";
const SIGNED: &str = "-?[0-9]+";
const WHOLE: &str = "[0-9]+";
/// The pattern of what may follow a decimal in answers: `0E-8`.
const EXPONENT: &str = "([eE][-+]?[0-9]{1,3})?";

/// The name of a shared schema.
pub(super) fn component(family: &Family, rust: &str) -> String {
    format!("{}.{}", family.name, rust.trim_start_matches("r#"))
}

/// A reference to a shared schema.
pub(super) fn reference(family: &Family, rust: &str) -> Object {
    Object::new().with("$ref", format!("#/components/schemas/{}", component(family, rust)))
}

/// The schema of one value. With `as_text`, numbers travel as JSON strings; `only` lists the allowed values.
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

/// The unit of a numeric time.
fn unix(times: Times) -> &'static str {
    match times {
        Times::Seconds => "unix-seconds",
        Times::Milliseconds => "unix-milliseconds",
        Times::Microseconds => "unix-microseconds",
        Times::Nanoseconds => "unix-nanoseconds",
        Times::Iso8601 => "date-time",
    }
}

/// The values of an enum that travels as a JSON number. Answers may contain others.
fn numbers_of(all: &Enum, only: &[&str], location: Location) -> Object {
    let listed = all.wires().filter(|wire| only.is_empty() || only.contains(wire));
    let listed: Vec<_> = listed.map(|wire| typed(wire, "number")).collect();
    open(Object::new().with("type", "number").with("enum", listed), "number", location)
}

/// A number that travels as text. Answers may leave it empty, which no format allows: readers that convert by `format`
/// would refuse the answer.
fn text(format: &str, pattern: &str, location: Location) -> Object {
    let text = Object::new().with("type", "string");
    if location != Location::Answer {
        return text.with("format", format).with("pattern", format!("^{pattern}$"));
    }
    let exponent = if pattern == DECIMAL { EXPONENT } else { "" };
    text.with("pattern", format!("^({pattern}{exponent})?$")).with("x-format", format)
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

/// In answers, any value of the type that is not listed is accepted, too.
fn open(listed: Object, json_type: &str, location: Location) -> Object {
    match location {
        Location::Answer => Object::new().with("anyOf", [listed.into_value(), json!({"type": json_type})]),
        Location::Query | Location::Body => listed,
    }
}

/// Also allows null.
pub(super) fn or_null(schema: Object) -> Object {
    Object::new().with("anyOf", [schema.into_value(), json!({"type": "null"})])
}

/// A text of the schema language as JSON of this type; as a string if it cannot be converted.
pub(super) fn typed(text: &str, json_type: &str) -> Value {
    let is_plain = matches!(json_type, "integer" | "number" | "boolean");
    let read = || serde_json::from_str::<Value>(text).ok().filter(|value| value.is_number() || value.is_boolean());
    is_plain.then(read).flatten().unwrap_or_else(|| Value::from(text))
}

/// A list of values; for records with a key, an object with a value for each.
pub(super) fn list_of(family: &Family, ty: Type, items: impl Into<Value>) -> Object {
    let record = ty.record().and_then(|index| family.records.get(index));
    match record.and_then(|record| record.key.as_ref()) {
        Some((key, _)) => {
            Object::new().with("type", "object").with("additionalProperties", items).with("x-key", key.as_str())
        }
        None => Object::new().with("type", "array").with("items", items),
    }
}
