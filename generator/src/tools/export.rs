//! The model in other formats than Rust, for tools and people, and the JSON that they share. Only the command line uses it.

mod openapi;
mod outcomes;
mod site;

use serde_json::{Map, Value};

use crate::compiler::model::{Api, Calls, Operation};

pub use openapi::OpenApi;
pub(crate) use openapi::{exact_openapi, openapi};
pub use outcomes::Outcomes;
pub(crate) use outcomes::outcomes;
pub(crate) use site::{Baseline, DocumentFile, SiteInputs, SourceFile, site};
pub use site::{RuleTests, Site};

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

/// Returns the body of a request with these parameters, as it is sent.
pub(crate) fn body(api: &Api, operation: &Operation, parameters: Value) -> Value {
    match &operation.call {
        Some((name, _)) => call(&api.calls, name, parameters),
        None => parameters,
    }
}

/// Returns the body of the call `name`.
fn call(calls: &Calls, name: &str, parameters: Value) -> Value {
    let fixed = calls.fixed().iter().map(|(member, value)| ((*member).to_owned(), (*value).into()));
    let id = calls.id.iter().map(|member| (member.clone(), 1.into()));
    let method = calls.method.iter().map(|member| (member.clone(), name.into()));
    let mut body: Map<_, Value> = fixed.chain(id).chain(method).collect();
    match (&calls.params, parameters) {
        (Some(member), parameters) => _ = body.insert(member.clone(), parameters),
        (None, Value::Object(own)) => body.extend(own),
        // The body of a call is an object, so there is no other case.
        (None, parameters) => return parameters,
    }
    body.into()
}
