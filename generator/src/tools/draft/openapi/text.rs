//! The text of a description -> JSON values: JSON as it is written, and YAML. Numbers and keys keep their text.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, options};
use serde_json::{Map, Number, Value};

use crate::compiler::json;

/// The maximum depth of lists and mappings.
const MAX_DEPTH: usize = 200;

/// The maximum number of values, with those that aliases repeat.
const MAX_VALUES: usize = 2_000_000;

/// Parses JSON or YAML. The reason is in words.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    if text.trim_start().starts_with('{') {
        // Some texts in braces are YAML only. A key that is there twice is refused as YAML, with its line.
        if let Some(value) = json::parse(text).ok().and_then(|node| of_json(node.value)) {
            return Ok(value);
        }
    }
    of_yaml(text)
}

/// Returns the value; `None` if an object has a key twice.
fn of_json(value: json::Value) -> Option<Value> {
    Some(match value {
        json::Value::Null => Value::Null,
        json::Value::Boolean(truth) => Value::Bool(truth),
        json::Value::Number(text) => number(&text).map_or(Value::String(text), Value::Number),
        json::Value::Text(text) => Value::String(text),
        json::Value::List(items) => items.into_iter().map(|item| of_json(item.value)).collect::<Option<_>>()?,
        json::Value::Object(members) => {
            let mut all = Map::new();
            for member in members {
                let value = of_json(member.value.value)?;
                if all.insert(member.name, value).is_some() {
                    return None;
                }
            }
            all.into()
        }
    })
}

/// Returns a number with its digits as they are written; `None` if JSON has no such number.
fn number(text: &str) -> Option<Number> {
    text.parse().ok()
}

/// Returns the value of the only document of YAML.
fn of_yaml(text: &str) -> Result<Value, String> {
    let options = options! { emit_comments: false, flow_nesting_limit: MAX_DEPTH, block_nesting_limit: MAX_DEPTH };
    let mut tree = Tree::default();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        tree.take(event).map_err(|why| format!("{why} at line {}", span.start.line()))?;
    }
    tree.root.ok_or_else(|| "it is empty".to_owned())
}

/// The values of YAML while its events arrive.
#[derive(Default)]
struct Tree {
    root: Option<Value>,
    open: Vec<Open>,
    /// The values with an anchor, and the number of values in each.
    anchored: HashMap<usize, (Value, usize)>,
    values: usize,
}

/// A list or a mapping that has begun and not ended.
struct Open {
    value: Value,
    /// The key that waits for its value.
    key: Option<String>,
    anchor: usize,
    /// The number of values before it.
    before: usize,
}

impl Tree {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
                let is_key = self.open.last().is_some_and(|open| open.value.is_object() && open.key.is_none());
                let value = if is_text || is_key { Value::String(text.into_owned()) } else { plain(&text) };
                self.add(value, anchor, 1)
            }
            Event::SequenceStart(_, anchor, _) => self.begin(Value::Array(Vec::new()), anchor),
            Event::MappingStart(_, anchor, _) => self.begin(Value::Object(Map::new()), anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open { value, anchor, before, .. }) => {
                    let inside = self.values - before;
                    self.values = before;
                    self.add(value, anchor, inside + 1)
                }
                None => Ok(()),
            },
            Event::Alias(anchor) => match self.anchored.get(&anchor).cloned() {
                Some((value, count)) => self.add(value, 0, count),
                None => Err("an alias within what it stands for".to_owned()),
            },
            Event::DocumentStart(..) if self.root.is_some() => Err("a second document begins".to_owned()),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, value: Value, anchor: usize) -> Result<(), String> {
        let takes_key = self.open.last().is_some_and(|open| open.value.is_object() && open.key.is_none());
        if takes_key {
            return Err("a key is not a text".to_owned());
        }
        self.open.push(Open { value, key: None, anchor, before: self.values });
        Ok(())
    }

    /// Adds a whole value, which has so many values in it.
    fn add(&mut self, value: Value, anchor: usize, count: usize) -> Result<(), String> {
        self.values += count;
        if self.values > MAX_VALUES {
            return Err(format!("more than {MAX_VALUES} values"));
        }
        if anchor != 0 {
            self.anchored.insert(anchor, (value.clone(), count));
        }
        let Some(Open { value: outer, key, .. }) = self.open.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        match (outer, key.take(), value) {
            (Value::Array(items), _, value) => items.push(value),
            (Value::Object(members), Some(name), value) => {
                if members.contains_key(&name) {
                    return Err(format!("the key {name} twice"));
                }
                members.insert(name, value);
            }
            (_, None, Value::String(name)) => *key = Some(name),
            (_, _, _) => return Err("a key is not a text".to_owned()),
        }
        Ok(())
    }
}

/// Returns the value of a text without quotes, by the rules of YAML 1.2.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => number(text).or_else(|| respelled(text)).map_or_else(|| text.into(), Value::Number),
    }
}

/// Returns a number in a form that only YAML has: with another base, a plus, or a point at its beginning or end.
fn respelled(text: &str) -> Option<Number> {
    let base = |prefix: &str, base: u32| u64::from_str_radix(text.strip_prefix(prefix)?, base).ok().map(Number::from);
    if let Some(number) = base("0x", 16).or_else(|| base("0o", 8)) {
        return Some(number);
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let sign = match text.len() - unsigned.len() {
        0 => "",
        1 => text.strip_prefix('+').map_or("-", |_| ""),
        _ => return None,
    };
    let (mantissa, exponent) = unsigned.find(['e', 'E']).map_or((unsigned, ""), |at| unsigned.split_at(at));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = if whole.is_empty() && !fraction.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    number(&format!("{sign}{whole}{point}{fraction}{exponent}"))
}
