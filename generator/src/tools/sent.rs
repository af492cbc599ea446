//! Values of requests as JSON, as they are sent.

use serde_json::{Map, Value};

use crate::compiler::model::{Api, Calls, Operation, Truth};

/// Returns the body of a request with these parameters.
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

/// Returns the value of a boolean.
pub(crate) fn boolean(form: Truth, value: bool) -> Value {
    match form {
        Truth::Bare => value.into(),
        Truth::Text => value.to_string().into(),
        Truth::Number => u8::from(value).into(),
    }
}
