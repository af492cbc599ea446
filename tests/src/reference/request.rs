//! A request or an item of its list, and the checks that operations share.

use serde_json::Value;

use super::Findings;
use super::decimal::Decimal;

/// Parameters with a fixed set of values, and the values.
pub(super) type Words = [(&'static str, &'static [&'static str])];

/// A JSON object by wire names. A missing member, `null` and an empty text are absent.
#[derive(Clone, Copy)]
pub(super) struct Request<'a>(pub(super) &'a Value);

impl<'a> Request<'a> {
    pub(super) fn text(self, name: &str) -> Option<String> {
        text(self.0.get(name)?)
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.text(name).is_some()
    }

    pub(super) fn has_any(self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    pub(super) fn is(self, name: &str, word: &str) -> bool {
        self.text(name).as_deref() == Some(word)
    }

    pub(super) fn decimal(self, name: &str) -> Option<Decimal> {
        Decimal::parse(&self.text(name)?)
    }

    pub(super) fn integer(self, name: &str) -> Option<i128> {
        self.text(name)?.parse().ok()
    }

    /// Returns the items of a list inside the request.
    pub(super) fn list(self, name: &str) -> Option<Vec<Request<'a>>> {
        Some(self.0.get(name)?.as_array()?.iter().map(Request).collect())
    }

    /// Returns the items of a body that is an array, or an object around an array.
    pub(super) fn body_list(self) -> Vec<Request<'a>> {
        let array = match self.0 {
            Value::Object(members) => members.values().find_map(Value::as_array),
            body => body.as_array(),
        };
        array.into_iter().flatten().map(Request).collect()
    }
}

/// Returns the text of a JSON value, if it is not empty.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

pub(super) fn words(request: Request, words: &Words, out: &mut Findings) {
    for (name, allowed) in words {
        if let Some(word) = request.text(name) {
            out.refuse_if(!allowed.contains(&word.as_str()), format!("{name} has no value {word}"));
        }
    }
}

pub(super) fn limit(request: Request, most: i128, out: &mut Findings) {
    out.refuse_if(request.integer("limit").is_some_and(|limit| limit > most), format!("limit is above {most}"));
}

pub(super) fn count(items: &[Request], most: usize, out: &mut Findings) {
    out.refuse_if(items.is_empty(), "no item in the list");
    out.refuse_if(items.len() > most, format!("more than {most} items in the list"));
}

/// Checks that the single digit 0 deletes a trigger price.
pub(super) fn clear_zero(request: Request, names: &[&str], out: &mut Findings) {
    for name in names {
        let zero = request.decimal(name).is_some_and(|number| number.is_zero());
        out.refuse_if(zero && !request.is(name, "0"), format!("{name}: a deletion is written 0, and nothing else"));
    }
}
