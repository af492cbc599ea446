//! Statements that only requests can make: defaults, bounds, lengths and patterns.

use regex_lite::Regex;
use serde_json::Value;

use super::super::exported;
use super::super::reading::{Cursor, Mark, scalar};
use super::kinds::truth;
use super::shown;
use crate::tools::draft::{DraftField, JsonKind};

/// The keys that the exporter adds for what JSON Schema cannot say.
const BOUNDS_OF_TEXT: [&str; 2] = ["x-minimum", "x-maximum"];

/// Returns what only requests can state: defaults and bounds.
pub(super) fn stated_of_requests(schema: &Cursor<'_>, field: &mut DraftField) {
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
pub(super) fn length(schema: &Cursor<'_>, field: &mut DraftField) -> bool {
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
pub(super) fn pattern(schema: &Cursor<'_>, field: &mut DraftField) -> bool {
    let Some(pattern) = schema.value.get("pattern").and_then(Value::as_str) else { return false };
    let is_text = field.kind == JsonKind::Text && field.values.is_empty() && !field.is_text && !field.is_undecided;
    if !is_text || Regex::new(pattern).is_err() {
        return false;
    }
    field.pattern = Some(pattern.to_owned());
    schema.mark("pattern", Mark::Read);
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
