//! JSON objects, member by member, in the order in which they are given.

use serde_json::{Map, Value, json};

use crate::model::elements::Key;

/// An object that is being made.
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

    /// With a member.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// With a member where there is something to say.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// With a text, unless it is empty.
    pub(super) fn text(self, name: &str, text: &str) -> Self {
        self.maybe(name, Some(text).filter(|text| !text.is_empty()))
    }

    /// With a member that is true, or without it.
    pub(super) fn flag(self, name: &str, is_so: bool) -> Self {
        self.maybe(name, is_so.then_some(true))
    }

    /// With a list, unless it is empty.
    pub(super) fn list(self, name: &str, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.maybe(name, Some(values).filter(|values| !values.is_empty()))
    }

    /// With an object of these members, unless there are none.
    pub(super) fn map(self, name: &str, members: impl IntoIterator<Item = (String, Value)>) -> Self {
        let members: Map<_, _> = members.into_iter().collect();
        self.maybe(name, Some(members).filter(|members| !members.is_empty()))
    }

    /// With everything that another object has.
    pub(super) fn and(mut self, other: Object) -> Self {
        self.0.extend(other.0);
        self
    }

    /// With what the keys say that have no form of their own.
    pub(super) fn keys(self, keys: &[Key]) -> Self {
        let data = keys.iter().filter_map(|key| key.data.as_ref());
        data.fold(self, |object, (name, value)| object.with(name, value.clone()))
    }

    /// Whether nothing is said.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The JSON type that a schema names, if it names one.
    pub(super) fn json_type(&self) -> &'static str {
        let named = self.0.get("type").and_then(Value::as_str).unwrap_or_default();
        ["integer", "number", "boolean"].into_iter().find(|known| *known == named).unwrap_or("string")
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// A schema that an object fits when it has all of these members, each of which fits its schema.
///
pub(super) fn having(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    let members: Map<_, _> = members.into_iter().collect();
    let required: Vec<_> = members.keys().cloned().collect();
    among_others(json!({"properties": members, "required": required}))
}

/// A schema that fits what one of these fits.
pub(super) fn any_of(mut schemas: Vec<Value>) -> Value {
    match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({"anyOf": schemas}),
    }
}

/// A schema of an object's members that leaves room for others: some readers allow no others wherever `properties`
/// stand, except directly in an `allOf` of several schemas.
pub(super) fn among_others(members: Value) -> Value {
    json!({"allOf": [{"type": "object"}, members]})
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        object.into_value()
    }
}
