//! JSON objects, built member by member in order.

use serde_json::{Map, Value};

/// An object under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Returns the members of a JSON object.
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

    /// Returns whether it has no members.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a member.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        object.into_value()
    }
}
