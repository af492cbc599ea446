//! JSON Schema of OpenAPI -> the fields of a draft.

mod cases;
mod forms;
mod kinds;

use regex_lite::Regex;
use serde_json::{Map, Value};

use self::kinds::{kind, truth, values};
use super::exported;
use super::reading::{Cursor, Mark, scalar};
use crate::compiler::model::Need;
use crate::tools::draft::{DraftField, JsonKind};

/// The direction of a value, sent or answered: what it can state differs.
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

/// Returns the field for a schema; `within` holds the places of the enclosing ones.
pub(super) fn field(name: &str, schema: &Cursor<'_>, side: Side, within: &[String]) -> DraftField {
    read(name, schema, side, within, Part::Whole)
}

/// The relation of a schema to the one that encloses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// The members may be in other parts.
    OfSeveral,
    /// The item of a list or the value of a map, which has no bounds of its own in a draft.
    Item,
}

/// Returns the field for a schema, or for a part of one.
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
    let is_any_form = form.as_ref().is_some_and(is_anything) && !has_content(schema);
    let parts = schema.get("allOf").map(|parts| parts.items()).unwrap_or_default();
    let all = target.into_iter().chain(form).chain(parts);
    let (parts, bare): (Vec<_>, Vec<_>) = all.partition(has_type);
    bare.iter().for_each(|part| beside(part, &mut field));
    match parts.as_slice() {
        [only] if !has_content(schema) && !is_one_of(&field) => as_whole(only, side, &within, part, &mut field),
        parts => all_of(parts, side, &within, &mut field),
    }
    forms::wins_unstated(schema, &mut field);
    kind(schema, side, &mut field);
    values(schema, &mut field);
    let is_anything = is_anything(schema) || is_any_form;
    if field.kind == JsonKind::Unknown && !field.is_undecided && part != Part::OfSeveral && is_anything {
        field.kind = JsonKind::Json;
        if schema.value.as_object().is_some_and(Map::is_empty) {
            schema.mark_all(Mark::Read);
        }
    }
    if field.kind == JsonKind::List
        && let Some(items) = schema.get("items")
    {
        let item = item(&field.name.clone(), &items, side, &within);
        holds(item, &mut field);
    }
    properties(schema, side, &within, part, &mut field);
    if side == Side::Request {
        forms::variants(schema, &within, &mut field);
    }
    if field.one_of.is_some() {
        // Each of the records has them.
        field.fields.clear();
    }
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
    if schema.value.get("x-deprecated").is_some() {
        field.deprecation = exported::deprecation(schema);
    }
    let has_length = side == Side::Request && length(schema, &mut field);
    let has_pattern = side == Side::Request && pattern(schema, &mut field);
    let is_read = |key: &str| match key {
        "pattern" => field.is_text || has_pattern,
        "minLength" | "maxLength" => has_length,
        "minProperties" | "maxProperties" => side == Side::Request && field.kind == JsonKind::Map,
        _ => false,
    };
    let left: Vec<&str> =
        NOT_EXPRESSIBLE.into_iter().filter(|key| schema.value.get(*key).is_some() && !is_read(key)).collect();
    for key in left {
        field.remarks.push(format!("`{key}` is not read{}.", shown(&schema.value[key])));
    }
    field
}

/// Returns whether a schema restricts nothing, so that it is JSON of any form.
fn is_anything(schema: &Cursor<'_>) -> bool {
    let says = ["description", "title", "example", "examples", "deprecated", "readOnly", "writeOnly", "externalDocs"];
    schema
        .value
        .as_object()
        .is_some_and(|all| all.keys().all(|key| says.contains(&key.as_str()) || key.starts_with("x-")))
}

/// Returns whether forms were read that are told apart.
fn is_one_of(field: &DraftField) -> bool {
    field.one_of.is_some() || !field.choices.is_empty() || !field.by_value.is_empty()
}

/// Returns whether a schema has members or items beside its parts.
fn has_content(schema: &Cursor<'_>) -> bool {
    ["properties", "additionalProperties", "items"].iter().any(|key| schema.value.get(*key).is_some())
}

/// Returns whether a part states a type, and not only something about the whole.
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
fn beside(part: &Cursor<'_>, field: &mut DraftField) {
    field.remarks.extend(part.text_beside_gap("description").map(str::to_owned));
    field.is_deprecated |= part.is_true("deprecated");
    field.may_be_null |= part.is_true("nullable");
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

/// Returns the item of a list, or the value of a map. Lists and maps within are JSON of any form, and what they hold is
/// not read.
fn item(name: &str, schema: &Cursor<'_>, side: Side, within: &[String]) -> DraftField {
    let nested = |item: &DraftField| matches!(item.kind, JsonKind::List | JsonKind::Map);
    let read = || read(name, schema, side, within, Part::Item);
    match schema.attempt(|| Some(read()).filter(|item| !nested(item) && !item.is_undecided)) {
        Some(item) => {
            let no_null = item.may_be_null.then(|| "`nullable` of the items is not read.".to_owned());
            DraftField { remarks: item.remarks.iter().cloned().chain(no_null).collect(), ..item }
        }
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
    field.key = inner.key;
    (field.min, field.max, field.default, field.is_deprecated) =
        (inner.min, inner.max, inner.default, inner.is_deprecated);
}

/// Returns a value of one line, for a remark.
fn shown(value: &Value) -> String {
    scalar(value).filter(|text| text.len() < 60).map_or_else(String::new, |text| format!(": {text}"))
}

/// Adds parts. A part may require what another one has.
fn all_of(parts: &[Cursor<'_>], side: Side, within: &[String], field: &mut DraftField) {
    for part in parts {
        let part = read(&field.name.clone(), part, side, within, Part::OfSeveral);
        if field.kind == JsonKind::Unknown {
            (field.kind, field.item, field.times) = (part.kind, part.item, part.times);
            (field.is_text, field.is_again) = (part.is_text, part.is_again);
            (field.is_of_numbers, field.is_json_number) = (part.is_of_numbers, part.is_json_number);
            (field.key, field.deprecated_values) = (part.key, part.deprecated_values);
            (field.scale, field.digits, field.length) = (part.scale, part.digits, part.length);
            (field.places, field.significant_digits) = (part.places, part.significant_digits);
            field.pattern = part.pattern;
            field.default = field.default.take().or(part.default);
            field.fixed = part.fixed;
            field.min = field.min.take().or(part.min);
            field.max = field.max.take().or(part.max);
        }
        field.named = field.named.take().or(part.named);
        field.values.extend(part.values.into_iter().filter(|value| !field.values.contains(value)).collect::<Vec<_>>());
        part.fields.into_iter().for_each(|inner| put(&mut field.fields, inner));
        field.choices.extend(part.choices);
        field.by_value.extend(part.by_value);
        if part.one_of.is_some() {
            field.remarks.push("One of several forms, beside other parts.".to_owned());
            field.is_undecided = true;
        }
        field.is_by_position |= part.is_by_position;
        field.remarks.extend(part.remarks);
        field.may_be_null |= part.may_be_null;
        field.is_undecided |= part.is_undecided;
    }
    parts.iter().for_each(|part| required(part, side, field));
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
            inner.need = Some(Need::Always);
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
    stated.extend(known.pattern.as_ref().map(|pattern| format!("matching {pattern}")));
    stated.extend(known.values.clone());
    stated.extend(known.is_deprecated.then(|| "deprecated".to_owned()));
    stated.extend(known.may_be_null.then(|| "null".to_owned()));
    merged.remarks.splice(..0, known.remarks.drain(..));
    merged.remarks.push(format!("Stated twice, first as {}.", stated.join(", ")));
    *known = merged;
}

/// Drafts the members of an object, or the value that each of them has.
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
        inner.need = Some(if side == Side::Request {
            exported::need_of(property.beside().unwrap_or(&property))
        } else {
            Need::No
        });
        put(&mut field.fields, inner);
    }
    required(schema, side, field);
    if part == Part::OfSeveral {
        return;
    }
    let is_map = field.kind == JsonKind::Object && field.fields.is_empty() && !is_one_of(field);
    match schema.get("additionalProperties").filter(|more| is_map && more.value.is_object()) {
        Some(more) if side == Side::Answer => {
            field.key = exported::key_of_items(schema);
            field.kind = if field.key.is_some() { JsonKind::List } else { JsonKind::Map };
            holds(item(&field.name.clone(), &more, side, within), field);
        }
        Some(more) if has_single_values(&more, within) => {
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

/// Returns whether the values of a map in a request are texts, numbers, booleans, times or dates.
fn has_single_values(more: &Cursor<'_>, within: &[String]) -> bool {
    let value = more.peek(|| read("", more, Side::Request, within, Part::Item));
    let is_single =
        !matches!(value.kind, JsonKind::Unknown | JsonKind::Json | JsonKind::List | JsonKind::Map | JsonKind::Object);
    is_single && !value.is_undecided && value.values.is_empty()
}

/// The keys that the exporter adds for what JSON Schema cannot say.
const BOUNDS_OF_TEXT: [&str; 2] = ["x-minimum", "x-maximum"];

/// Drafts what only requests can state: defaults and bounds.
fn stated_of_requests(schema: &Cursor<'_>, field: &mut DraftField) {
    field.is_deprecated |= schema.is_true("deprecated");
    if field.is_undecided || field.kind == JsonKind::Object {
        return;
    }
    // The listed values bound an enum.
    let is_number = matches!(field.kind, JsonKind::Number | JsonKind::Integer | JsonKind::Signed);
    let bounds = match field.kind {
        JsonKind::List => ["minItems", "maxItems"],
        JsonKind::Map => ["minProperties", "maxProperties"],
        _ if is_number && field.is_text => BOUNDS_OF_TEXT,
        _ => ["minimum", "maximum"],
    };
    let has_items = matches!(field.kind, JsonKind::List | JsonKind::Map);
    if is_number || has_items {
        let [min, max] = bounds.map(|key| bound(schema, key, field));
        // A bound of zero is the type itself.
        field.min = min.filter(|min| field.kind != JsonKind::Integer || min != "0").or(field.min.take());
        let digits = field.digits.as_ref().and_then(|digits| 10_u64.checked_pow(digits.parse().ok()?));
        let is_implied = |max: &String| digits.is_some_and(|end| max.parse() == Ok(end - 1));
        field.max = max.or(field.max.take()).filter(|max| !is_implied(max));
    }
    // The exporter has a key of its own for a default that depends on other parameters.
    let key = if schema.value.get("default").is_some() { "default" } else { exported::DEFAULT };
    match schema.value.get(key) {
        Some(default) if !has_items && is_default_of(default, field) => {
            field.default = schema.scalar(key).map(|default| truth(field, default));
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

/// Reads the pattern of a text. Of two syntaxes of regular expressions, only what both have is read.
fn pattern(schema: &Cursor<'_>, field: &mut DraftField) -> bool {
    let Some(pattern) = schema.value.get("pattern").and_then(Value::as_str) else { return false };
    let is_text = field.kind == JsonKind::Text && field.values.is_empty() && !field.is_text && !field.is_undecided;
    if !is_text || Regex::new(pattern).is_err() {
        return false;
    }
    field.pattern = Some(pattern.to_owned());
    schema.mark("pattern", Mark::Read);
    true
}

/// Returns a bound, if the type has it.
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

/// Returns the value of a whole number that travels times a power of ten.
fn unscaled(text: &str, scale: usize) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let number = format!("{sign}{whole}.{fraction}");
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns whether a default is a value of the type.
fn is_default_of(default: &Value, field: &DraftField) -> bool {
    let Some(text) = scalar(default).filter(|text| !text.is_empty()) else { return false };
    match field.kind {
        _ if !field.values.is_empty() => field.values.contains(&text) && default.is_string() != field.is_of_numbers,
        JsonKind::Integer => text.parse::<u64>().is_ok(),
        JsonKind::Signed => text.parse::<i64>().is_ok(),
        JsonKind::Number => text.parse::<f64>().is_ok() && !text.contains(['e', 'E']),
        JsonKind::Boolean if field.is_json_number => ["1", "0"].contains(&text.as_str()),
        JsonKind::Boolean => ["true", "false"].contains(&text.as_str()),
        JsonKind::Text => true,
        _ => false,
    }
}
