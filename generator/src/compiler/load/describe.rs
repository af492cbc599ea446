//! Describes the YAML that [`super::typed`] accepts as JSON Schema (draft 7).
//!
//! A trait of ours makes it rather than `schemars`, for which positions, short forms and absent keys would each be an
//! exception.

use serde_json::{Map, Value, json};

use super::shapes::{Conditions, Formed, Named, Rare, Short, ShortForm, Spanned, TextForm, Texts, WordOr};
use crate::compiler::values::{Day, Duration, UtcOffset};
use crate::compiler::words::Word;

/// A type that is read from YAML.
pub(crate) trait Describe {
    /// Returns the JSON Schema. Definitions that it refers to are added to `to`.
    fn describe(to: &mut Definitions) -> Value;
}

/// The mappings described so far, by name.
#[derive(Default)]
pub(crate) struct Definitions(pub(super) Map<String, Value>);

/// A key of a mapping.
pub(crate) struct DescribedKey {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) value: Value,
    /// True if every such mapping has it.
    pub(crate) is_required: bool,
}

impl Definitions {
    /// Returns a reference to a mapping, which is described at its first occurrence.
    pub(super) fn mapping(
        &mut self,
        name: &str,
        doc: &str,
        keys: impl FnOnce(&mut Self) -> Vec<DescribedKey>,
    ) -> Value {
        if !self.0.contains_key(name) {
            // Inserted before its keys are described, because a mapping may refer to itself.
            self.0.insert(name.to_owned(), Value::Null);
            let keys = keys(self);
            let required: Vec<_> = keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
            let properties: Map<String, Value> =
                keys.into_iter().map(|key| (key.name.to_owned(), documented(key.value, key.doc))).collect();
            let mut mapping = json!({
                "description": doc.trim(),
                "type": "object",
                "properties": properties,
                "additionalProperties": false,
            });
            if !required.is_empty() {
                mapping["required"] = json!(required);
            }
            self.0.insert(name.to_owned(), mapping);
        }
        json!({ "$ref": format!("#/definitions/{name}") })
    }
}

/// Adds a description; a reference moves into `allOf`, because draft 7 ignores keys beside `$ref`.
fn documented(value: Value, doc: &str) -> Value {
    match value {
        Value::Object(mut object) if !object.contains_key("$ref") => {
            object.insert("description".to_owned(), json!(doc.trim()));
            Value::Object(object)
        }
        other => json!({ "description": doc.trim(), "allOf": [other] }),
    }
}

/// Returns a value that can be written in two ways.
pub(super) fn either(one: Value, other: Value) -> Value {
    json!({ "anyOf": [one, other] })
}

impl<W: Word> Describe for W {
    /// Describes words; those that YAML readers do not read as text, such as `null`, are listed in their other form,
    /// too.
    fn describe(_to: &mut Definitions) -> Value {
        let read_otherwise = W::WORDS.iter().filter_map(|word| serde_json::from_str(word).ok());
        let words = W::WORDS.iter().map(|word| json!(word)).chain(read_otherwise).collect::<Vec<Value>>();
        match W::DOCS.iter().any(|doc| !doc.is_empty()) {
            true => {
                json!({ "enum": words, "enumDescriptions": W::DOCS.iter().map(|doc| doc.trim()).collect::<Vec<_>>() })
            }
            false => json!({ "enum": words }),
        }
    }
}

impl Describe for String {
    /// Describes a text; every scalar is one unless its key says otherwise, whatever type other YAML readers give it.
    fn describe(_to: &mut Definitions) -> Value {
        json!({ "type": ["string", "number", "boolean"] })
    }
}

impl Describe for Duration {
    fn describe(_to: &mut Definitions) -> Value {
        json!({ "type": "string", "pattern": Self::PATTERN })
    }
}

impl Describe for UtcOffset {
    fn describe(_to: &mut Definitions) -> Value {
        json!({ "type": "string", "pattern": Self::PATTERN })
    }
}

impl Describe for Day {
    fn describe(_to: &mut Definitions) -> Value {
        json!({ "type": "string", "pattern": Self::PATTERN })
    }
}

impl<F: TextForm> Describe for Formed<F> {
    fn describe(to: &mut Definitions) -> Value {
        let kinds = if F::IS_NUMBER { json!(["string", "number"]) } else { json!("string") };
        if F::PATTERN.is_empty() { String::describe(to) } else { json!({ "type": kinds, "pattern": F::PATTERN }) }
    }
}

impl Describe for bool {
    fn describe(_to: &mut Definitions) -> Value {
        json!({ "type": "boolean" })
    }
}

impl Describe for u32 {
    fn describe(_to: &mut Definitions) -> Value {
        json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
    }
}

impl Describe for u64 {
    fn describe(_to: &mut Definitions) -> Value {
        json!({ "type": "integer", "minimum": 0 })
    }
}

impl<T: Describe> Describe for Option<T> {
    fn describe(to: &mut Definitions) -> Value {
        T::describe(to)
    }
}

impl<T: Describe> Describe for Rare<T> {
    fn describe(to: &mut Definitions) -> Value {
        T::describe(to)
    }
}

impl<T: Describe> Describe for Spanned<T> {
    fn describe(to: &mut Definitions) -> Value {
        T::describe(to)
    }
}

impl<T: Describe> Describe for Vec<T> {
    fn describe(to: &mut Definitions) -> Value {
        json!({ "type": "array", "items": T::describe(to) })
    }
}

impl<T: Describe> Describe for Named<T> {
    fn describe(to: &mut Definitions) -> Value {
        json!({ "type": "object", "additionalProperties": T::describe(to) })
    }
}

impl Describe for Conditions {
    fn describe(to: &mut Definitions) -> Value {
        Named::<Texts>::describe(to)
    }
}

impl Describe for Texts {
    fn describe(to: &mut Definitions) -> Value {
        either(String::describe(to), Vec::<String>::describe(to))
    }
}

impl<T: Describe + ShortForm> Describe for Short<T> {
    fn describe(to: &mut Definitions) -> Value {
        either(String::describe(to), T::describe(to))
    }
}

impl<W: Word, T: Describe> Describe for WordOr<W, T> {
    fn describe(to: &mut Definitions) -> Value {
        either(W::describe(to), T::describe(to))
    }
}

/// The value of a key of a declared mapping.
pub(crate) trait DescribeValue {
    /// Describes the value as [`Describe::describe`] does.
    fn describe_value(to: &mut Definitions) -> Value;
}
