//! The type of a value, how a text or a number is meant, and the values that are listed.

use serde_json::Value;

use super::super::exported;
use super::super::reading::{Cursor, Mark, scalar};
use super::Side;
use crate::compiler::model::{Format, Need};
use crate::compiler::words::Times;
use crate::tools::draft::{DraftField, JsonKind};

/// Formats of integers that are never negative.
const UNSIGNED: [&str; 5] = ["uint", "uint8", "uint16", "uint32", "uint64"];

/// Drafts the JSON type, and how a text or a number is meant.
pub(super) fn kind(schema: &Cursor<'_>, side: Side, field: &mut DraftField) {
    if field.is_undecided {
        schema.mark("type", Mark::LeftEmpty);
        return;
    }
    field.may_be_null |= schema.is_true("nullable");
    let listed: Vec<&str> = match schema.value.get("type") {
        Some(Value::String(word)) => vec![word],
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    field.may_be_null |= listed.contains(&"null");
    let words: Vec<&str> = listed.into_iter().filter(|word| *word != "null").collect();
    let has_properties = schema.value.get("properties").is_some();
    let word = match words.as_slice() {
        [] if has_properties => "object",
        [] => return,
        [word] => word,
        ["number", "string"] if side == Side::Answer => {
            field.is_json_number = true;
            "string"
        }
        // What is read as text may be a number, too.
        ["number" | "integer", "string"] | ["string", "number" | "integer"] => "string",
        several => {
            schema.mark("type", Mark::LeftEmpty);
            field.remarks.push(format!("One of several types: {}.", several.join(", ")));
            field.is_undecided = true;
            return;
        }
    };
    if field.kind != JsonKind::Unknown {
        if agrees(word, field) {
            schema.mark("type", Mark::Read);
        } else {
            schema.mark("type", Mark::LeftEmpty);
            field.remarks.push(format!("Type {word}, although its parts have another one."));
            field.is_undecided = true;
        }
        return;
    }
    schema.mark("type", Mark::Read);
    field.kind = match word {
        "string" => JsonKind::Text,
        "integer" if is_never_negative(schema, side) => JsonKind::Integer,
        "integer" => JsonKind::Signed,
        "number" => JsonKind::Number,
        "boolean" => JsonKind::Boolean,
        "array" if side == Side::Answer && by_position(schema, field) => JsonKind::Object,
        "array" => JsonKind::List,
        "object" => JsonKind::Object,
        other => {
            schema.mark("type", Mark::LeftEmpty);
            field.remarks.push(format!("Type {other}."));
            field.is_undecided = true;
            return;
        }
    };
    format(schema, field);
}

/// Reads an array whose places have titles, which are the names of the fields of a record.
fn by_position(schema: &Cursor<'_>, field: &mut DraftField) -> bool {
    let fields = schema.attempt(|| {
        let places = schema.get("prefixItems")?.items();
        let titled = |place: &Cursor<'_>| {
            let name = place.beside().unwrap_or(place).text("title")?;
            Some(DraftField { need: Some(Need::No), ..super::field(name, place, Side::Answer, &[]) })
        };
        places.iter().map(titled).collect::<Option<Vec<_>>>().filter(|fields| !fields.is_empty())
    });
    field.is_by_position = fields.is_some();
    field.fields = fields.unwrap_or_default();
    field.is_by_position
}

/// Returns whether a type is that of the parts, which may state it more exactly.
fn agrees(word: &str, field: &DraftField) -> bool {
    match field.kind {
        JsonKind::Unknown => true,
        JsonKind::Text => word == "string",
        JsonKind::Number => word == if field.is_text { "string" } else { "number" },
        JsonKind::Integer | JsonKind::Signed => word == if field.is_text { "string" } else { "integer" },
        JsonKind::Time if field.times == Some(Times::Iso8601) || field.is_text => word == "string",
        JsonKind::Time => word == "integer",
        JsonKind::Formatted(_) => word == "string",
        JsonKind::Boolean if field.is_text => word == "string",
        JsonKind::Boolean => word == if field.is_json_number { "integer" } else { "boolean" },
        JsonKind::List => word == "array",
        JsonKind::Map | JsonKind::Object | JsonKind::Json => word == "object",
    }
}

/// Returns whether a number is never negative: an integer is unsigned only if the file says so.
fn is_never_negative(schema: &Cursor<'_>, side: Side) -> bool {
    let bound = |key: &str| schema.value.get(key).and_then(Value::as_f64);
    let is_above = bound("exclusiveMinimum").is_some_and(|bound| bound >= -1.0);
    let is_unsigned =
        schema.value.get("format").is_some_and(|format| format.as_str().is_some_and(|one| UNSIGNED.contains(&one)));
    if let Some(bound) = bound("minimum").filter(|bound| *bound >= 0.0) {
        // Only requests state more of it than the sign.
        if side == Side::Request || bound < 1.0 {
            schema.mark("minimum", Mark::Read);
        }
        return true;
    }
    is_above || is_unsigned
}

/// Drafts the format of a text or a number. A date without a time has no type.
fn format(schema: &Cursor<'_>, field: &mut DraftField) {
    if let Some(times) = schema.text("x-times").and_then(Times::parse) {
        schema.mark("format", Mark::Read);
        schema.mark("minimum", Mark::Read);
        (field.kind, field.times) = (JsonKind::Time, Some(times));
        return;
    }
    field.scale = schema.scalar("x-scale");
    field.places = schema.scalar("x-places");
    field.significant_digits = schema.scalar("x-significant-digits");
    field.digits = schema.scalar("x-digits");
    // The exporter has a key of its own where the text may be blank, and adds a pattern to each number in a text.
    let is_exported = schema.value.get(exported::FORMAT).is_some();
    let key = if is_exported { exported::FORMAT } else { "format" };
    let Some(format) = schema.value.get(key).and_then(Value::as_str) else { return };
    if is_exported || format == "decimal" && exported::is_pattern_of_decimals(schema) {
        schema.mark("pattern", Mark::Read);
    }
    let unix = format.strip_prefix("unix-").or(format.strip_prefix("unix-time-")).and_then(Times::parse);
    let known = match (field.kind, format) {
        (JsonKind::Text, "date-time") => Some((JsonKind::Time, Some(Times::Iso8601))),
        (JsonKind::Text | JsonKind::Integer | JsonKind::Signed, _) if unix.is_some() => {
            field.is_text = field.kind == JsonKind::Text;
            Some((JsonKind::Time, unix))
        }
        (JsonKind::Text, "decimal") => {
            field.is_text = true;
            Some((JsonKind::Number, None))
        }
        (JsonKind::Text, "integer" | "signed-integer") => {
            field.is_text = true;
            field.digits = digits(schema);
            schema.mark("pattern", Mark::Read);
            Some((if format == "integer" { JsonKind::Integer } else { JsonKind::Signed }, None))
        }
        (JsonKind::Text | JsonKind::Integer | JsonKind::Signed, "boolean") => {
            field.is_text = field.kind == JsonKind::Text;
            field.is_json_number = !field.is_text;
            Some((JsonKind::Boolean, None))
        }
        (JsonKind::Text, "time" | "duration" | "byte" | "binary") => {
            schema.mark("format", Mark::LeftEmpty);
            field.remarks.push(format!("Format {format}."));
            field.is_undecided = true;
            field.kind = JsonKind::Unknown;
            return;
        }
        (JsonKind::Text, format) => Format::of_openapi(format).map(|format| (JsonKind::Formatted(format), None)),
        (JsonKind::Integer, format) if UNSIGNED.contains(&format) => Some((JsonKind::Integer, None)),
        _ => None,
    };
    match known {
        Some((kind, times)) => {
            schema.mark(key, Mark::Read);
            (field.kind, field.times) = (kind, times);
        }
        None if ["int32", "int64", "float", "double"].contains(&format) => {}
        None => field.remarks.push(format!("Format {format}, which is not read.")),
    }
}

/// Returns the word of the language for a boolean that may be written as 1 or 0.
pub(super) fn truth(field: &DraftField, value: String) -> String {
    match value.as_str() {
        "1" if field.kind == JsonKind::Boolean => "true".to_owned(),
        "0" if field.kind == JsonKind::Boolean => "false".to_owned(),
        _ => value,
    }
}

/// Returns the values without repetitions, in their order.
fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    values.fold(Vec::new(), |mut all, value| {
        if !all.contains(&value) {
            all.push(value);
        }
        all
    })
}

/// Returns the maximum number of digits, where the exporter states it as a pattern.
fn digits(schema: &Cursor<'_>) -> Option<String> {
    let pattern = schema.value.get("pattern")?.as_str()?;
    Some(pattern.strip_prefix("^[0-9]{1,")?.strip_suffix("}$")?.to_owned())
}

/// Drafts the values of an enum, and a constant, which is an enum of one.
pub(super) fn values(schema: &Cursor<'_>, field: &mut DraftField) {
    let constant = schema.value.get("const").map(std::slice::from_ref).unwrap_or_default();
    let listed = schema.value.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (key, listed) = if constant.is_empty() { ("enum", listed) } else { ("const", constant) };
    if schema.value["enum"].as_array().is_some_and(|all| constant.iter().all(|one| all.contains(one))) && key == "const"
    {
        schema.mark("enum", Mark::Read);
    }
    if let ([only], JsonKind::Boolean | JsonKind::Number) = (listed, field.kind)
        && (only.is_boolean() || only.is_number())
    {
        schema.mark(key, Mark::Read);
        field.fixed = scalar(only).map(|value| truth(field, value));
        return;
    }
    if field.kind == JsonKind::Boolean && (field.is_text || field.is_json_number) {
        schema.mark("enum", Mark::Read);
        schema.mark("const", Mark::Read);
        field.fixed = constant.first().and_then(scalar).map(|value| truth(field, value));
        return;
    }
    if listed.is_empty() {
        return;
    }
    field.deprecated_values = exported::deprecated_values(schema);
    let values: Vec<&Value> = listed.iter().filter(|value| !value.is_null()).collect();
    field.may_be_null |= values.len() < listed.len();
    if values.is_empty() {
        schema.mark(key, Mark::LeftEmpty);
        field.remarks.push("It is always null.".to_owned());
        (field.kind, field.is_undecided) = (JsonKind::Unknown, true);
        return;
    }
    let is_boolean = field.kind == JsonKind::Boolean && values.len() == 2;
    let are_whole = values.iter().all(|value| value.is_i64() || value.is_u64());
    let is_whole = |kind| matches!(kind, JsonKind::Integer | JsonKind::Signed | JsonKind::Number | JsonKind::Unknown);
    if are_whole && is_whole(field.kind) && !field.is_text {
        schema.mark(key, Mark::Read);
        field.values = distinct(values.into_iter().filter_map(scalar));
        (field.kind, field.is_of_numbers) = (JsonKind::Text, true);
        return;
    }
    let all_texts = values.iter().all(|value| value.as_str().is_some_and(|text| !text.is_empty()));
    if is_boolean || (all_texts && matches!(field.kind, JsonKind::Text | JsonKind::Unknown)) {
        schema.mark(key, Mark::Read);
        let texts = values.iter().filter_map(|value| value.as_str()).map(str::to_owned);
        field.values = distinct(texts);
        if all_texts {
            field.kind = JsonKind::Text;
        }
        return;
    }
    schema.mark(key, Mark::LeftEmpty);
    let shown: Vec<String> = values.iter().map(|value| value.to_string()).collect();
    field.remarks.push(format!("The values are {}.", shown.join(", ")));
    (field.kind, field.is_undecided) = (JsonKind::Unknown, true);
}
