//! JSON Schema of OpenAPI -> the fields of a draft.

mod forms;

use serde_json::{Map, Value};

use super::exported;
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

/// Formats of integers that are never negative.
const UNSIGNED: [&str; 5] = ["uint", "uint8", "uint16", "uint32", "uint64"];

/// The keys that the exporter adds for what JSON Schema cannot say.
const BOUNDS_OF_TEXT: [&str; 2] = ["x-minimum", "x-maximum"];

/// The field for a schema; `within` holds the places of the enclosing ones.
pub(super) fn field(name: &str, schema: &Cursor<'_>, side: Side, within: &[String]) -> DraftField {
    read(name, schema, side, within, Part::Whole)
}

/// What a schema is to the one that encloses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// Its members may be in other parts.
    OfSeveral,
    /// The item of a list or the value of a map, which has no bounds of its own in a draft.
    Item,
}

/// The field for a schema, or for a part of one.
pub(super) fn read(name: &str, schema: &Cursor<'_>, side: Side, within: &[String], part: Part) -> DraftField {
    let (schema, target) = match schema.beside() {
        Some(beside) => (&beside.clone(), Some(schema.alone())),
        None => (schema, None),
    };
    let mut field = DraftField { name: name.to_owned(), named: schema.name(), ..DraftField::default() };
    if schema.reference().is_some_and(|place| within.iter().any(|outer| outer == place)) {
        field.is_again = true;
        field.kind = JsonKind::Object;
        field.remarks.push("The type contains itself.".to_owned());
        return field;
    }
    let within: Vec<String> = within.iter().cloned().chain(schema.reference().map(str::to_owned)).collect();
    field.remarks.extend(schema.text_beside_gap("description").map(str::to_owned));
    let form = forms::only(schema, side, &within, &mut field);
    let parts = schema.get("allOf").map(|parts| parts.items()).unwrap_or_default();
    let all = target.into_iter().chain(form).chain(parts);
    let (parts, bare): (Vec<_>, Vec<_>) = all.partition(has_type);
    bare.iter().for_each(|part| beside(part, side, &mut field));
    match parts.as_slice() {
        [only] if !has_content(schema) => as_whole(only, side, &within, part, &mut field),
        parts => all_of(parts, side, &within, &mut field),
    }
    kind(schema, side, &mut field);
    values(schema, &mut field);
    if field.kind == JsonKind::Unknown && !field.is_undecided && part != Part::OfSeveral && is_anything(schema) {
        field.kind = JsonKind::Json;
    }
    if field.kind == JsonKind::List
        && let Some(items) = schema.get("items")
    {
        let item = item(&field.name.clone(), &items, side, &within);
        holds(item, &mut field);
    }
    properties(schema, side, &within, part, &mut field);
    match (side, part) {
        (Side::Request, Part::Whole | Part::OfSeveral) => stated_of_requests(schema, &mut field),
        (Side::Request, Part::Item) => {
            for key in ["minimum", "maximum", "minItems", "maxItems", "default"] {
                if let Some(value) = schema.value.get(key) {
                    field.remarks.push(format!("`{key}` of the items is not read{}.", shown(value)));
                }
            }
        }
        (Side::Answer, _) => field.is_deprecated |= schema.is_true("deprecated"),
    }
    if let Some(deprecation) = schema.get("x-deprecated") {
        field.deprecation =
            ["since", "use"].iter().filter_map(|key| Some((*key, deprecation.text(key)?.to_owned()))).collect();
    }
    // A remark of the parts says so, too.
    let no_null = "`nullable` is not read.";
    if side == Side::Request && field.may_be_null && !field.remarks.iter().any(|remark| remark == no_null) {
        field.remarks.push(no_null.to_owned());
    }
    let has_length = side == Side::Request && length(schema, &mut field);
    let is_read = |key: &str| match key {
        "pattern" => field.is_text,
        "minLength" | "maxLength" => has_length,
        _ => false,
    };
    let left: Vec<&str> =
        NOT_EXPRESSIBLE.into_iter().filter(|key| schema.value.get(*key).is_some() && !is_read(key)).collect();
    for key in left {
        field.remarks.push(format!("`{key}` is not read{}.", shown(&schema.value[key])));
    }
    field
}

/// Whether a schema restricts nothing, so that it is JSON of any form.
fn is_anything(schema: &Cursor<'_>) -> bool {
    let says = ["description", "title", "example", "examples", "deprecated", "readOnly", "writeOnly", "externalDocs"];
    schema
        .value
        .as_object()
        .is_some_and(|all| all.keys().all(|key| says.contains(&key.as_str()) || key.starts_with("x-")))
}

/// Whether a schema has members or items beside its parts.
fn has_content(schema: &Cursor<'_>) -> bool {
    ["properties", "additionalProperties", "items"].iter().any(|key| schema.value.get(*key).is_some())
}

/// Whether a part states a type, and not only something about the whole.
fn has_type(part: &Cursor<'_>) -> bool {
    const OF_TYPES: [&str; 11] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "allOf",
        "oneOf",
        "anyOf",
        "enum",
        "const",
        "default",
    ];
    OF_TYPES.iter().any(|key| part.value.get(*key).is_some())
}

/// Takes over what a part without a type states of the whole.
fn beside(part: &Cursor<'_>, side: Side, field: &mut DraftField) {
    field.remarks.extend(part.text_beside_gap("description").map(str::to_owned));
    field.is_deprecated |= part.is_true("deprecated");
    field.may_be_null |= match side {
        Side::Answer => part.is_true("nullable"),
        Side::Request => part.value.get("nullable") == Some(&Value::Bool(true)),
    };
}

/// Takes over what the only part states.
fn as_whole(only: &Cursor<'_>, side: Side, within: &[String], part: Part, field: &mut DraftField) {
    let inner = read(&field.name, only, side, within, part);
    let remarks = [std::mem::take(&mut field.remarks), inner.remarks.clone()].concat();
    let named = field.named.take().or(inner.named.clone());
    let (may_be_null, is_undecided) =
        (field.may_be_null || inner.may_be_null, field.is_undecided || inner.is_undecided);
    let is_deprecated = field.is_deprecated || inner.is_deprecated;
    *field = DraftField { remarks, named, may_be_null, is_undecided, is_deprecated, ..inner };
}

/// The item of a list, or the value of a map. Lists and maps within are JSON of any form, and what they hold is not read.
fn item(name: &str, schema: &Cursor<'_>, side: Side, within: &[String]) -> DraftField {
    let nested = |item: &DraftField| matches!(item.kind, JsonKind::List | JsonKind::Map);
    let read = || read(name, schema, side, within, Part::Item);
    match schema.attempt(|| Some(read()).filter(|item| !nested(item) && !item.is_undecided)) {
        Some(item) => item,
        None => {
            let item = schema.peek(read);
            let kind = if nested(&item) && side == Side::Answer { JsonKind::Json } else { JsonKind::Unknown };
            let mut remarks = item.remarks;
            if !item.is_undecided {
                remarks.push("What is in the inner list or object is not read.".to_owned());
            }
            DraftField { kind, remarks, may_be_null: item.may_be_null, ..DraftField::default() }
        }
    }
}

/// Makes the field one of these items.
fn holds(item: DraftField, field: &mut DraftField) {
    let (remarks, inner) = (std::mem::take(&mut field.remarks), field.clone());
    *field = DraftField { kind: inner.kind, item: item.kind, name: inner.name, need: inner.need, ..item };
    field.remarks.splice(..0, remarks);
    field.may_be_null = inner.may_be_null;
    field.is_undecided = inner.is_undecided;
    (field.min, field.max, field.default, field.is_deprecated) =
        (inner.min, inner.max, inner.default, inner.is_deprecated);
}

/// A value of one line, for a remark.
fn shown(value: &Value) -> String {
    scalar(value).filter(|text| text.len() < 60).map_or_else(String::new, |text| format!(": {text}"))
}

/// How far a parameter is required, where the exporter says more than `required` can.
pub(super) fn need_of(parameter: &Cursor<'_>) -> Need {
    match parameter.text(exported::REQUIRED) {
        Some("conditional") => Need::Conditional,
        Some("unstated") => Need::Unstated,
        _ => Need::No,
    }
}

/// Adds parts. A part may require what another one has.
fn all_of(parts: &[Cursor<'_>], side: Side, within: &[String], field: &mut DraftField) {
    for part in parts {
        let part = read(&field.name.clone(), part, side, within, Part::OfSeveral);
        if field.kind == JsonKind::Unknown {
            (field.kind, field.item, field.times) = (part.kind, part.item, part.times);
            (field.is_text, field.is_again) = (part.is_text, part.is_again);
            (field.scale, field.digits, field.length) = (part.scale, part.digits, part.length);
            field.default = field.default.take().or(part.default);
            field.min = field.min.take().or(part.min);
            field.max = field.max.take().or(part.max);
        }
        field.named = field.named.take().or(part.named);
        field.values.extend(part.values.into_iter().filter(|value| !field.values.contains(value)).collect::<Vec<_>>());
        part.fields.into_iter().for_each(|inner| put(&mut field.fields, inner));
        field.choices.extend(part.choices);
        field.by_value.extend(part.by_value);
        field.is_by_position |= part.is_by_position;
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
    if !matches!(field.kind, JsonKind::Object | JsonKind::Unknown) {
        return;
    }
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
pub(super) fn put(fields: &mut Vec<DraftField>, field: DraftField) {
    let Some(known) = fields.iter_mut().find(|known| known.name == field.name) else {
        fields.push(field);
        return;
    };
    let mut merged = field;
    merged.need = if known.need == Some(Need::Always) { known.need } else { merged.need };
    let mut stated = vec![format!("{:?}", known.kind).to_lowercase()];
    let texts = [("default", &known.default), ("minimum", &known.min), ("maximum", &known.max)];
    stated.extend(texts.iter().filter_map(|(key, text)| Some(format!("{key} {}", text.as_ref()?))));
    stated.extend(known.length.map(|(least, most)| format!("of {least} to {most} characters")));
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
        Side::Request => field.may_be_null |= schema.value.get("nullable") == Some(&Value::Bool(true)),
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
            mark_type(schema, side);
        } else {
            schema.mark("type", Mark::LeftEmpty);
            field.remarks.push(format!("Type {word}, although its parts have another one."));
            field.is_undecided = true;
        }
        return;
    }
    mark_type(schema, side);
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
            Some(DraftField { need: Some(Need::No), ..self::field(name, place, Side::Answer, &[]) })
        };
        places.iter().map(titled).collect::<Option<Vec<_>>>().filter(|fields| !fields.is_empty())
    });
    field.is_by_position = fields.is_some();
    field.fields = fields.unwrap_or_default();
    field.is_by_position
}

/// Counts a type as read, but not the `null` of a request.
fn mark_type(schema: &Cursor<'_>, side: Side) {
    match &schema.value["type"] {
        Value::Array(words) if side == Side::Request => {
            let read = words.iter().enumerate().filter(|(_, word)| *word != "null");
            read.for_each(|(index, _)| schema.mark_item("type", index));
        }
        _ => schema.mark("type", Mark::Read),
    }
}

/// Whether a type is that of the parts, which may state it more exactly.
fn agrees(word: &str, field: &DraftField) -> bool {
    match field.kind {
        JsonKind::Unknown => true,
        JsonKind::Text => word == "string",
        JsonKind::Number => word == if field.is_text { "string" } else { "number" },
        JsonKind::Integer | JsonKind::Signed => word == if field.is_text { "string" } else { "integer" },
        JsonKind::Time if field.times == Some(Times::Iso8601) || field.is_text => word == "string",
        JsonKind::Time => word == "integer",
        JsonKind::Boolean => word == "boolean",
        JsonKind::List => word == "array",
        JsonKind::Map | JsonKind::Object | JsonKind::Json => word == "object",
    }
}

/// An integer is unsigned only if the file says so.
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
        (JsonKind::Integer, format) if UNSIGNED.contains(&format) => Some((JsonKind::Integer, None)),
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
    let are_whole = values.iter().all(|value| value.is_i64() || value.is_u64());
    if are_whole && matches!(field.kind, JsonKind::Integer | JsonKind::Signed | JsonKind::Unknown) {
        schema.mark(key, Mark::Read);
        field.values = values.into_iter().filter_map(scalar).collect();
        (field.kind, field.is_of_numbers) = (JsonKind::Text, true);
        return;
    }
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
fn properties(schema: &Cursor<'_>, side: Side, within: &[String], part: Part, field: &mut DraftField) {
    if !matches!(field.kind, JsonKind::Object | JsonKind::Unknown) {
        return;
    }
    for (name, property) in schema.get("properties").map(|all| all.members()).unwrap_or_default() {
        let hidden = if side == Side::Request { "readOnly" } else { "writeOnly" };
        if property.is_true(hidden) {
            continue;
        }
        let mut inner = self::field(name, &property, side, within);
        inner.need =
            Some(if side == Side::Request { need_of(property.beside().unwrap_or(&property)) } else { Need::No });
        put(&mut field.fields, inner);
    }
    required(schema, side, field);
    if part == Part::OfSeveral {
        return;
    }
    let is_map = field.kind == JsonKind::Object && field.fields.is_empty();
    match schema.get("additionalProperties").filter(|more| is_map && more.value.is_object()) {
        Some(more) if side == Side::Answer => {
            field.kind = JsonKind::Map;
            holds(item(&field.name.clone(), &more, side, within), field);
        }
        Some(more) => {
            field.remarks.push(format!("An object with names of its own, each with {}.", forms::in_short(&more)));
            (field.kind, field.is_undecided) = (JsonKind::Unknown, true);
        }
        None if schema.value["properties"].as_object().is_some_and(Map::is_empty) => {
            schema.mark("properties", Mark::Read);
        }
        None if is_map && side == Side::Answer => field.kind = JsonKind::Json,
        None if is_map => (field.kind, field.is_undecided) = (JsonKind::Unknown, true),
        None => {}
    }
}

/// What only requests can state: defaults and bounds.
fn stated_of_requests(schema: &Cursor<'_>, field: &mut DraftField) {
    field.is_deprecated |= schema.is_true("deprecated");
    if field.is_undecided || field.kind == JsonKind::Object {
        return;
    }
    // The listed values bound an enum.
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
}

/// Reads the length of a text. An empty one is never sent, so a least length of 1 says nothing more.
fn length(schema: &Cursor<'_>, field: &mut DraftField) -> bool {
    if field.kind != JsonKind::Text || !field.values.is_empty() || field.is_undecided {
        return false;
    }
    let bound = |key: &str| schema.value.get(key).map(|bound| bound.as_u64().filter(|n| *n <= u64::from(u32::MAX)));
    match (bound("minLength"), bound("maxLength")) {
        (None | Some(Some(_)), Some(Some(most))) if most > 0 && bound("minLength").flatten() <= Some(most) => {
            field.length = Some((bound("minLength").flatten().unwrap_or_default(), most));
        }
        (Some(Some(0 | 1)), None) => {}
        _ => return false,
    }
    ["minLength", "maxLength"].iter().for_each(|key| schema.mark(key, Mark::Read));
    true
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
    let text = schema.scalar(key)?;
    Some(match field.scale.as_ref().and_then(|scale| scale.parse().ok()) {
        Some(scale) => unscaled(&text, scale),
        None => text,
    })
}

/// The value of a whole number that travels times a power of ten.
fn unscaled(text: &str, scale: usize) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let number = format!("{sign}{whole}.{fraction}");
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Whether a default is a value of the type.
fn is_default_of(default: &Value, field: &DraftField) -> bool {
    let Some(text) = scalar(default).filter(|text| !text.is_empty()) else { return false };
    match field.kind {
        _ if !field.values.is_empty() => field.values.contains(&text) && default.is_string() != field.is_of_numbers,
        JsonKind::Integer => text.parse::<u64>().is_ok(),
        JsonKind::Signed => text.parse::<i64>().is_ok(),
        JsonKind::Number => text.parse::<f64>().is_ok() && !text.contains(['e', 'E']),
        JsonKind::Boolean => ["true", "false"].contains(&text.as_str()),
        JsonKind::Text => true,
        _ => false,
    }
}
