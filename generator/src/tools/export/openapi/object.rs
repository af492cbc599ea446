//! JSON objects, built member by member in order.

use serde_json::{Map, Value, json};

use crate::compiler::json;
use crate::compiler::model::declared::{self, Mapping};
use crate::compiler::model::elements::Key;

/// An object under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// The members of a JSON object.
    pub(super) fn of(value: Value) -> Self {
        match value {
            Value::Object(members) => Self(members),
            _ => Self::default(),
        }
    }

    /// Adds a member.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a member, if it has a value.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a text, unless it is empty.
    pub(super) fn text(self, name: &str, text: &str) -> Self {
        self.maybe(name, Some(text).filter(|text| !text.is_empty()))
    }

    /// Adds a member that is true, if it is set.
    pub(super) fn flag(self, name: &str, is_so: bool) -> Self {
        self.maybe(name, is_so.then_some(true))
    }

    /// Adds a list, unless it is empty.
    pub(super) fn list(self, name: &str, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.maybe(name, Some(values).filter(|values| !values.is_empty()))
    }

    /// Adds an object with these members, unless there are none.
    pub(super) fn map(self, name: &str, members: impl IntoIterator<Item = (String, Value)>) -> Self {
        let members: Map<_, _> = members.into_iter().collect();
        self.maybe(name, Some(members).filter(|members| !members.is_empty()))
    }

    /// Adds the members of another object.
    pub(super) fn and(mut self, other: Object) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Adds the statements of keys that have no other form.
    pub(super) fn keys(self, keys: &[Key]) -> Self {
        let data = keys.iter().filter_map(|key| key.data.as_ref());
        data.fold(self, |object, (name, value)| object.with(name, written(value)))
    }

    /// Returns whether it has no members.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The JSON type of a schema, if it has one.
    pub(super) fn json_type(&self) -> &'static str {
        let named = self.0.get("type").and_then(Value::as_str).unwrap_or_default();
        ["integer", "number", "boolean"].into_iter().find(|known| *known == named).unwrap_or("string")
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// A schema for an object with all of these members, where each fits its own schema.
///
pub(super) fn having(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    let members: Map<_, _> = members.into_iter().collect();
    let required: Vec<_> = members.keys().cloned().collect();
    among_others(json!({"properties": members, "required": required}))
}

/// A schema that matches what at least one of these matches.
pub(super) fn any_of(mut schemas: Vec<Value>) -> Value {
    match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({"anyOf": schemas}),
    }
}

/// A schema of an object's members that allows others. Some readers reject other members wherever there are
/// `properties`, except directly in an `allOf` of several schemas.
pub(super) fn among_others(members: Value) -> Value {
    json!({"allOf": [{"type": "object"}, members]})
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        object.into_value()
    }
}

/// A declared mapping, with its members under the names of its keys.
pub(super) fn declared(mapping: &impl Mapping) -> Value {
    written(&declared::data(mapping))
}

/// A value of the model in the document.
fn written(value: &json::Value) -> Value {
    match value {
        json::Value::Null => Value::Null,
        json::Value::Boolean(value) => Value::Bool(*value),
        json::Value::Number(number) => number.parse().map_or(Value::Null, Value::Number),
        json::Value::Text(text) => Value::String(text.clone()),
        json::Value::List(items) => items.iter().map(|item| written(&item.value)).collect(),
        json::Value::Object(members) => {
            members.iter().map(|member| (member.name.clone(), written(&member.value.value))).collect()
        }
    }
}
