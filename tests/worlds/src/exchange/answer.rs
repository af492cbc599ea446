//! An answer of the exchange, and what becomes of it on the way.

use bytes::Bytes;
use serde_json::{Value, json};

/// A success or a refusal, in the envelope that the documents show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    status: u16,
    pub(crate) code: String,
    body: String,
}

impl Answer {
    /// Creates a success.
    pub(crate) fn of(data: Value, time: i64) -> Self {
        Self::new(200, "00000", "success", time, data)
    }

    /// Creates a refusal by a code.
    pub(crate) fn refused((code, message): (&str, &str), time: i64) -> Self {
        Self::new(200, code, message, time, Value::Null)
    }

    fn new(status: u16, code: &str, message: &str, time: i64, data: Value) -> Self {
        let body = json!({"code": code, "msg": message, "requestTime": time, "data": data}).to_string();
        Self { status, code: code.to_owned(), body }
    }

    /// Returns whether it is a success.
    pub(crate) fn is_success(&self) -> bool {
        self.code == "00000"
    }

    /// Returns the same with other ids, as if it answered another request.
    pub(crate) fn of_another(&self, has_client_id: bool) -> Self {
        let ids = [("orderId", Some("7999999")), ("clientOid", has_client_id.then_some("someone-else"))];
        self.with_data(|data| ids.into_iter().for_each(|(name, other)| rename(data, name, other))).1
    }

    /// Returns whether it has a result for each of several items.
    pub(crate) fn lists_items(&self) -> bool {
        self.with_data(|data| data.as_array().is_some_and(|items| items.len() > 1)).0
    }

    /// Returns the same without the outcome of the last item, which has a code instead.
    pub(crate) fn with_open_item(&self, code: &str) -> Self {
        self.with_data(|data| {
            if let Some(last) = data.as_array_mut().and_then(|items| items.last_mut()) {
                *last = json!({"orderId": null, "clientOid": last["clientOid"], "code": code, "msg": "timed out"});
            }
        })
        .1
    }

    /// Returns the same without the last item.
    pub(crate) fn without_item(&self) -> Self {
        self.with_data(|data| data.as_array_mut().map(Vec::pop)).1
    }

    fn with_data<T>(&self, change: impl FnOnce(&mut Value) -> T) -> (T, Self) {
        let mut body = serde_json::from_str::<Value>(&self.body).unwrap_or_default();
        let result = change(&mut body["data"]);
        (result, Self { body: body.to_string(), ..self.clone() })
    }

    /// Returns the page of a gateway instead of it.
    pub(crate) fn of_gateway(&self) -> Self {
        Self { status: 502, body: "<html>Bad Gateway</html>".to_owned(), ..self.clone() }
    }

    /// Returns the same with the status of a gateway.
    pub(crate) fn by_gateway(&self) -> Self {
        Self { status: 502, ..self.clone() }
    }

    /// Returns the first half of it.
    pub(crate) fn cut(&self) -> Self {
        Self { body: self.body[..self.body.len() / 2].to_owned(), ..self.clone() }
    }

    /// Returns the answer as the client gets it.
    pub(crate) fn response(&self) -> http::Response<Bytes> {
        let mut response = http::Response::new(Bytes::copy_from_slice(self.body.as_bytes()));
        *response.status_mut() = http::StatusCode::from_u16(self.status).unwrap_or_default();
        response
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.body
    }
}

/// Replaces every member with a name.
fn rename(value: &mut Value, name: &str, other: Option<&str>) {
    match value {
        Value::Object(members) => members.iter_mut().for_each(|(key, member)| {
            if key == name {
                *member = json!(other);
            } else {
                rename(member, name, other);
            }
        }),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, name, other)),
        _ => {}
    }
}
