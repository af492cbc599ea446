//! The text of a description -> JSON values: JSON as it is written, and YAML.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess as _, Visitor};
use serde_json::{Map, Number, Value};

use super::reading::scalar;
use crate::compiler::json;

/// Parses JSON or YAML. The reason is in words.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    if text.trim_start().starts_with('{') {
        // Some texts in braces are YAML only. A key that is there twice is refused as YAML, with its line.
        if let Some(value) = json::parse(text).ok().and_then(|node| of_json(node.value)) {
            return Ok(value);
        }
    }
    serde_yaml::from_str(text).map(|Yaml(value)| value).map_err(|error| error.to_string())
}

/// The value; `None` if an object has a key twice.
fn of_json(value: json::Value) -> Option<Value> {
    Some(match value {
        json::Value::Null => Value::Null,
        json::Value::Boolean(truth) => Value::Bool(truth),
        json::Value::Number(text) => number(&text),
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

/// A number. One that the types of a machine do not hold stays the text that is written.
fn number(text: &str) -> Value {
    let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok();
    let fraction = || text.contains(['.', 'e', 'E']).then(|| Number::from_f64(text.parse().ok()?)).flatten();
    whole.or_else(fraction).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// A value of YAML. Keys that YAML reads as numbers, such as the status of a response, are texts.
struct Yaml(Value);

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfYaml)
    }
}

struct OfYaml;

impl<'de> Visitor<'de> for OfYaml {
    type Value = Yaml;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Yaml, E> {
        Ok(Yaml(truth.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Yaml, E> {
        Ok(Yaml(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Yaml, E> {
        Ok(Yaml(number.into()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Yaml, E> {
        Ok(Yaml(self::number(&number.to_string())))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Yaml, E> {
        Ok(Yaml(self::number(&number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Yaml, E> {
        Ok(Yaml(Number::from_f64(number).map_or_else(|| number.to_string().into(), Value::Number)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Yaml, E> {
        Ok(Yaml(text.into()))
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut all = Vec::new();
        while let Some(Yaml(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Yaml(all.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Yaml, A::Error> {
        let mut all = Map::new();
        while let Some((Yaml(key), Yaml(value))) = members.next_entry()? {
            let key = scalar(&key).ok_or_else(|| de::Error::custom("a key is not a text"))?;
            if all.insert(key.clone(), value).is_some() {
                return Err(de::Error::custom(format!("the key {key} twice")));
            }
        }
        Ok(Yaml(all.into()))
    }

    /// A value with a tag.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Yaml, A::Error> {
        let (Yaml(_), content) = tagged.variant()?;
        content.newtype_variant()
    }
}
