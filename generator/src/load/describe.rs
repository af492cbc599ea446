//! Describing what YAML can hold as JSON Schema (draft 7): what it accepts is what [`super::typed`] reads.

use serde_json::{Map, Value, json};

use super::shapes::{Named, Short, ShortForm, Spanned, Texts, WordOr};
use crate::words::Word;

/// Something that YAML can hold.
pub(crate) trait Describe {
    /// The JSON Schema of it. What it refers to is added to the definitions.
    fn describe(to: &mut Definitions) -> Value;
}

/// The mappings that were met, by their names.
#[derive(Default)]
pub(crate) struct Definitions(pub(super) Map<String, Value>);

impl Definitions {
    /// Refers to a mapping, and defines it when it is met for the first time.
    pub(super) fn mapping(
        &mut self,
        name: &str,
        doc: &str,
        keys: impl FnOnce(&mut Self) -> Vec<(&'static str, &'static str, Value)>,
    ) -> Value {
        if !self.0.contains_key(name) {
            // A mapping may hold itself.
            self.0.insert(name.to_owned(), Value::Null);
            let properties: Map<String, Value> = keys(self)
                .into_iter()
                .map(|(key, doc, value)| (key.trim_start_matches("r#").to_owned(), documented(value, doc)))
                .collect();
            let mapping = json!({
                "description": doc.trim(),
                "type": "object",
                "properties": properties,
                "additionalProperties": false,
            });
            self.0.insert(name.to_owned(), mapping);
        }
        json!({ "$ref": format!("#/definitions/{name}") })
    }
}

/// A reference leaves no room for keys beside it.
fn documented(value: Value, doc: &str) -> Value {
    match value {
        Value::Object(mut object) if !object.contains_key("$ref") => {
            object.insert("description".to_owned(), json!(doc.trim()));
            Value::Object(object)
        }
        other => json!({ "description": doc.trim(), "allOf": [other] }),
    }
}

/// What can be written in two ways.
pub(super) fn either(one: Value, other: Value) -> Value {
    json!({ "anyOf": [one, other] })
}

impl<W: Word> Describe for W {
    /// A word such as `null` is not a text to a reader of YAML.
    fn describe(_to: &mut Definitions) -> Value {
        let read_otherwise = W::WORDS.iter().filter_map(|word| serde_json::from_str(word).ok());
        json!({ "enum": W::WORDS.iter().map(|word| json!(word)).chain(read_otherwise).collect::<Vec<Value>>() })
    }
}

impl Describe for String {
    /// Every scalar is text until a key says otherwise, whatever a reader of YAML makes of it.
    fn describe(_to: &mut Definitions) -> Value {
        json!({ "type": ["string", "number", "boolean"] })
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
