//! JSON Schema of OpenAPI -> the fields of a draft.

use serde_json::Value;

use super::reading::{Cursor, Mark, scalar};
use crate::draft::{DraftField, JsonKind};
use crate::model::Need;
use crate::words::Times;

/// Whether a value is sent or answered: what it can state differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Answer,
}

/// Keywords that a draft cannot express, and that a reader would miss.
const NOT_EXPRESSIBLE: [&str; 16] = [
    "not",
    "if",
    "then",
    "else",
    "pattern",
    "minLength",
    "maxLength",
    "multipleOf",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "patternProperties",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "prefixItems",
    "contains",
];

/// The longest schema that a comment shows as it is.
const LONGEST_SHOWN: usize = 200;

/// The keys that the exporter adds for what JSON Schema cannot say.
const BOUNDS_OF_TEXT: [&str; 2] = ["x-minimum", "x-maximum"];

/// The field for a schema; `within` holds the places of the enclosing ones.
pub(super) fn field(name: &str, schema: &Cursor<'_>, side: Side, within: &[String]) -> DraftField {
    read(name, schema, side, within, false)
}

/// The field for a schema, or for a part of one, whose members may be in other parts.
fn read(name: &str, schema: &Cursor<'_>, side: Side, within: &[String], is_part: bool) -> DraftField {
    let mut field = DraftField { name: name.to_owned(), named: schema.name(), ..DraftField::default() };
    if schema.reference().is_some_and(|place| within.iter().any(|outer| outer == place)) {
        field.is_again = true;
        field.kind = JsonKind::Object;
        field.remarks.push("The type contains itself.".to_owned());
        return field;
    }
    let within: Vec<String> = within.iter().cloned().chain(schema.reference().map(str::to_owned)).collect();
    field.remarks.extend(schema.text_beside_gap("description").map(str::to_owned));
    if let Some(only) = only_form(schema, &mut field) {
        let inner = self::field(name, &only, side, &within);
        let remarks = [field.remarks, inner.remarks.clone()].concat();
        return DraftField { remarks, may_be_null: field.may_be_null || inner.may_be_null, ..inner };
    }
    all_of(schema, side, &within, &mut field);
    kind(schema, side, &mut field);
    values(schema, &mut field);
    if field.kind == JsonKind::List
        && let Some(items) = schema.get("items")
    {
        let item = self::field(name, &items, side, &within);
        field.remarks.extend(item.remarks);
        (field.item, field.fields, field.named, field.values) = (item.kind, item.fields, item.named, item.values);
        (field.is_again, field.times) = (item.is_again, item.times);
    }
    properties(schema, side, &within, is_part, &mut field);
    if side == Side::Request {
        stated_of_requests(schema, &mut field);
    }
    let is_form = |key: &str| key == "pattern" && field.is_text;
    let left: Vec<&str> =
        NOT_EXPRESSIBLE.into_iter().filter(|key| schema.value.get(*key).is_some() && !is_form(key)).collect();
    for key in left {
        field.remarks.push(format!("`{key}` is not read{}.", shown(&schema.value[key])));
    }
    field
}

/// A value of one line, for a remark.
fn shown(value: &Value) -> String {
    scalar(value).filter(|text| text.len() < 60).map_or_else(String::new, |text| format!(": {text}"))
}

/// The only form of several, beside null; and an enum beside the text that leaves it open. Several other forms leave
/// the type empty.
fn only_form<'a>(schema: &Cursor<'a>, field: &mut DraftField) -> Option<Cursor<'a>> {
    for key in ["oneOf", "anyOf"] {
        let Some(forms) = schema.get(key) else { continue };
        let (nulls, mut forms): (Vec<_>, Vec<_>) =
            forms.items().into_iter().partition(|form| form.value.get("type").is_some_and(|kind| kind == "null"));
        nulls.iter().for_each(|null| null.mark("type", Mark::Read));
        field.may_be_null |= !nulls.is_empty();
        let is_listed = forms.iter().any(|form| form.value.get("enum").is_some());
        if is_listed && forms.len() == 2 {
            forms.retain(|form| {
                let is_open = form.value == &serde_json::json!({"type": "string"});
                if is_open {
                    form.mark_all(Mark::Read);
                }
                !is_open
            });
        }
        if let [only] = forms.as_slice() {
            return Some(only.clone());
        }
        let shown: Vec<String> = forms.iter().map(in_short).collect();
        field.remarks.push(format!("One of {} forms (`{key}`): {}.", forms.len(), shown.join(", ")));
        field.kind = JsonKind::Unknown;
        field.is_undecided = true;
    }
    None
}

/// The name of a schema, or all of it if that is short; what is not shown does not count as read.
fn in_short(schema: &Cursor<'_>) -> String {
    let json = schema.value.to_string();
    match schema.name() {
        Some(name) => name,
        None if json.len() <= LONGEST_SHOWN => {
            schema.mark_all(Mark::LeftEmpty);
            json
        }
        None => "one without a name".to_owned(),
    }
}

/// Adds the parts of `allOf`. A part may require what another one has.
fn all_of(schema: &Cursor<'_>, side: Side, within: &[String], field: &mut DraftField) {
    let parts = schema.get("allOf").map(|parts| parts.items()).unwrap_or_default();
    for part in &parts {
        let part = read(&field.name.clone(), part, side, within, true);
        if field.kind == JsonKind::Unknown {
            (field.kind, field.item, field.times) = (part.kind, part.item, part.times);
            field.default = field.default.take().or(part.default);
            field.min = field.min.take().or(part.min);
            field.max = field.max.take().or(part.max);
        }
        field.named = field.named.take().or(part.named);
        field.values.extend(part.values.into_iter().filter(|value| !field.values.contains(value)).collect::<Vec<_>>());
        part.fields.into_iter().for_each(|inner| put(&mut field.fields, inner));
        field.remarks.extend(part.remarks);
        field.may_be_null |= part.may_be_null;
        field.is_undecided |= part.is_undecided;
    }
    parts.iter().for_each(|part| required(part, side, field));
}

/// Makes a field required. Its default, which is never assumed, becomes a remark.
pub(super) fn require(field: &mut DraftField) {
    field.need = Some(Need::Always);
    field.remarks.extend(field.default.take().map(|default| format!("Default {default}, although it is required.")));
}

/// Makes fields required, as far as the side states it.
fn required(schema: &Cursor<'_>, side: Side, field: &mut DraftField) {
    let names = schema.value.get("required").and_then(Value::as_array).into_iter().flatten();
    for (index, name) in names.enumerate() {
        let known = name.as_str().and_then(|name| field.fields.iter_mut().find(|inner| inner.name == name));
        if let (Some(inner), Side::Request) = (known, side) {
            require(inner);
            schema.mark_item("required", index);
        }
    }
}

/// Adds a field. Of two with the same name the later counts, and a remark has what only the earlier states.
fn put(fields: &mut Vec<DraftField>, field: DraftField) {
    let Some(known) = fields.iter_mut().find(|known| known.name == field.name) else {
        fields.push(field);
        return;
    };
    let mut merged = field;
    merged.need = if known.need == Some(Need::Always) { known.need } else { merged.need };
    let mut stated = vec![format!("{:?}", known.kind).to_lowercase()];
    let texts = [("default", &known.default), ("minimum", &known.min), ("maximum", &known.max)];
    stated.extend(texts.iter().filter_map(|(key, text)| Some(format!("{key} {}", text.as_ref()?))));
    stated.extend(known.values.clone());
    stated.extend(known.is_deprecated.then(|| "deprecated".to_owned()));
    merged.remarks.splice(..0, known.remarks.drain(..));
    merged.remarks.push(format!("Stated twice, first as {}.", stated.join(", ")));
    *known = merged;
}

/// The JSON type, and how a text or a number is meant.
fn kind(schema: &Cursor<'_>, side: Side, field: &mut DraftField) {
    if field.is_undecided {
        schema.mark("type", Mark::LeftEmpty);
        return;
    }
    match side {
        Side::Answer => field.may_be_null |= schema.is_true("nullable"),
        Side::Request if schema.value.get("nullable") == Some(&Value::Bool(true)) => {
            field.remarks.push("`nullable` is not read.".to_owned());
        }
        Side::Request => {}
    }
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
        // What is read as text may be a number, too.
        ["number" | "integer", "string"] | ["string", "number" | "integer"] => "string",
        several => {
            schema.mark("type", Mark::LeftEmpty);
            field.remarks.push(format!("One of several types: {}.", several.join(", ")));
            field.is_undecided = true;
            return;
        }
    };
    schema.mark("type", Mark::Read);
    field.kind = match word {
        "string" => JsonKind::Text,
        "integer" if is_never_negative(schema, side) => JsonKind::Integer,
        "integer" => JsonKind::Signed,
        "number" => JsonKind::Number,
        "boolean" => JsonKind::Boolean,
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

/// An integer is unsigned only if the file says so.
fn is_never_negative(schema: &Cursor<'_>, side: Side) -> bool {
    let bound = |key: &str| schema.value.get(key).and_then(Value::as_f64);
    let is_above = bound("exclusiveMinimum").is_some_and(|bound| bound >= -1.0);
    let is_unsigned =
        schema.value.get("format").is_some_and(|format| format.as_str().is_some_and(|one| one.starts_with("uint")));
    if let Some(bound) = bound("minimum").filter(|bound| *bound >= 0.0) {
        // Only requests state more of it than the sign.
        if side == Side::Request || bound < 1.0 {
            schema.mark("minimum", Mark::Read);
        }
        return true;
    }
    is_above || is_unsigned
}

/// The format of a text or a number. A date without a time has no type.
fn format(schema: &Cursor<'_>, field: &mut DraftField) {
    if let Some(times) = schema.text("x-times").and_then(Times::parse) {
        schema.mark("format", Mark::Read);
        schema.mark("minimum", Mark::Read);
        (field.kind, field.times) = (JsonKind::Time, Some(times));
        return;
    }
    field.scale = schema.scalar("x-scale");
    let Some(format) = schema.value.get("format").and_then(Value::as_str) else { return };
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
        (JsonKind::Text, "date" | "time" | "duration" | "byte" | "binary") => {
            schema.mark("format", Mark::LeftEmpty);
            field.remarks.push(format!("Format {format}."));
            field.is_undecided = true;
            field.kind = JsonKind::Unknown;
            return;
        }
        (JsonKind::Integer, format) if format.starts_with("uint") => Some((JsonKind::Integer, None)),
        _ => None,
    };
    match known {
        Some((kind, times)) => {
            schema.mark("format", Mark::Read);
            (field.kind, field.times) = (kind, times);
        }
        None if ["int32", "int64", "float", "double"].contains(&format) => {}
        None => field.remarks.push(format!("Format {format}, which is not read.")),
    }
}

/// The maximum number of digits, where the exporter states it as a pattern.
fn digits(schema: &Cursor<'_>) -> Option<String> {
    let pattern = schema.value.get("pattern")?.as_str()?;
    Some(pattern.strip_prefix("^[0-9]{1,")?.strip_suffix("}$")?.to_owned())
}

/// The values of an enum, and a constant, which is an enum of one.
fn values(schema: &Cursor<'_>, field: &mut DraftField) {
    let constant = schema.value.get("const").map(std::slice::from_ref).unwrap_or_default();
    let listed = schema.value.get("enum").and_then(Value::as_array).map_or(constant, Vec::as_slice);
    if listed.is_empty() {
        return;
    }
    let key = if constant.is_empty() { "enum" } else { "const" };
    let values: Vec<&Value> = listed.iter().filter(|value| !value.is_null()).collect();
    field.may_be_null |= values.len() < listed.len();
    let is_boolean = field.kind == JsonKind::Boolean && values.len() == 2;
    let all_texts = values.iter().all(|value| value.as_str().is_some_and(|text| !text.is_empty()));
    if is_boolean || (all_texts && matches!(field.kind, JsonKind::Text | JsonKind::Unknown)) {
        schema.mark(key, Mark::Read);
        let texts = values.iter().filter_map(|value| value.as_str()).map(str::to_owned);
        field.values = texts.collect();
        field.values.dedup();
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

/// The members of an object, or the value that each of them has.
fn properties(schema: &Cursor<'_>, side: Side, within: &[String], is_part: bool, field: &mut DraftField) {
    for (name, property) in schema.get("properties").map(|all| all.members()).unwrap_or_default() {
        let hidden = if side == Side::Request { "readOnly" } else { "writeOnly" };
        if property.is_true(hidden) {
            continue;
        }
        let mut inner = self::field(name, &property, side, within);
        inner.need = Some(Need::No);
        put(&mut field.fields, inner);
    }
    required(schema, side, field);
    if is_part {
        return;
    }
    let is_map = field.kind == JsonKind::Object && field.fields.is_empty();
    match schema.get("additionalProperties").filter(|more| is_map && more.value.is_object()) {
        Some(more) if side == Side::Answer => {
            let value = self::field(&field.name, &more, side, within);
            field.remarks.extend(value.remarks);
            (field.item, field.fields, field.named) = (value.kind, value.fields, value.named);
            (field.values, field.times, field.is_again) = (value.values, value.times, value.is_again);
            field.kind = JsonKind::Map;
        }
        Some(more) => {
            field.remarks.push(format!("An object with names of its own, each with {}.", in_short(&more)));
            (field.kind, field.is_undecided) = (JsonKind::Unknown, true);
        }
        None if is_map && side == Side::Answer => field.kind = JsonKind::Json,
        None if is_map => (field.kind, field.is_undecided) = (JsonKind::Unknown, true),
        None => {}
    }
}

/// What only requests can state: defaults and bounds.
fn stated_of_requests(schema: &Cursor<'_>, field: &mut DraftField) {
    if field.is_undecided || field.kind == JsonKind::Object {
        return;
    }
    let is_number = matches!(field.kind, JsonKind::Number | JsonKind::Integer | JsonKind::Signed);
    let bounds = match field.kind {
        JsonKind::List => ["minItems", "maxItems"],
        _ if is_number && field.is_text => BOUNDS_OF_TEXT,
        _ => ["minimum", "maximum"],
    };
    if is_number || field.kind == JsonKind::List {
        let [min, max] = bounds.map(|key| bound(schema, key, field));
        // A bound of zero is the type itself.
        field.min = min.filter(|min| field.kind != JsonKind::Integer || min != "0").or(field.min.take());
        field.max = max.or(field.max.take());
    }
    match schema.value.get("default") {
        Some(default) if field.kind != JsonKind::List && is_default_of(default, field) => {
            field.default = schema.scalar("default");
        }
        Some(default) => field.remarks.push(format!("`default` is not read{}.", shown(default))),
        None => {}
    }
    field.is_deprecated = schema.is_true("deprecated");
}

/// A bound, if the type has it.
fn bound(schema: &Cursor<'_>, key: &str, field: &mut DraftField) -> Option<String> {
    let value = schema.value.get(key)?;
    let text = scalar(value)?;
    let is_fit = match field.kind {
        JsonKind::Number => !text.contains(['e', 'E']),
        JsonKind::Signed => text.parse::<i64>().is_ok(),
        _ => text.parse::<u64>().is_ok(),
    };
    if !is_fit {
        field.remarks.push(format!("`{key}` is not read{}.", shown(value)));
        return None;
    }
    schema.scalar(key)
}

/// Whether a default is a value of the type.
fn is_default_of(default: &Value, field: &DraftField) -> bool {
    let Some(text) = scalar(default).filter(|text| !text.is_empty()) else { return false };
    match field.kind {
        _ if !field.values.is_empty() => field.values.contains(&text),
        JsonKind::Integer => text.parse::<u64>().is_ok(),
        JsonKind::Signed => text.parse::<i64>().is_ok(),
        JsonKind::Number => text.parse::<f64>().is_ok() && !text.contains(['e', 'E']),
        JsonKind::Boolean => ["true", "false"].contains(&text.as_str()),
        JsonKind::Text => true,
        _ => false,
    }
}
