//! Requests in blocks of code, which may contradict the parameters that the section lists.

use serde_json::{Map, Value};

use super::super::findings::{FactKind, key};
use super::super::text::Span;
use super::Reader;

impl<'a> Reader<'a> {
    /// Reads a request of an operation: parameters, types and values that the schema does not have. What agrees with
    /// the schema is not stated a second time. Below words about an answer, a sample may be one.
    pub(super) fn example(&mut self, text: Span<'a>, id: &str, is_below_answer: bool) {
        let Some(first) = text.text.find(['{', '[']).filter(|at| text.text[..*at].trim().is_empty()) else { return };
        let Ok(value) = serde_json::from_str::<Value>(&text.text[first..]) else { return };
        match &value {
            Value::Object(members) if is_below_answer && self.is_answer(id, members) => {}
            Value::Object(members) => self.members(text, id, "", members),
            Value::Array(items) => {
                for members in items.iter().filter_map(Value::as_object) {
                    self.members(text, id, "[].", members);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Returns whether each parameter among the members is also a field of the answer.
    fn is_answer(&self, id: &str, members: &Map<String, Value>) -> bool {
        let parameters = self.claims.last_parts(FactKind::Parameter, [id]);
        let fields = self.claims.last_parts(FactKind::ResponseField, [id]);
        members.keys().filter(|name| parameters.contains(name)).all(|name| fields.contains(name))
    }

    fn members(&mut self, text: Span<'a>, id: &str, prefix: &str, members: &Map<String, Value>) {
        let known = self.claims.last_parts(FactKind::Parameter, [id]);
        let is_known = |name: &String| known.contains(&format!("{prefix}{name}"));
        // An answer has other members.
        if members.keys().filter(|name| is_known(name)).count() * 2 < members.len().max(2) {
            return;
        }
        for (name, value) in members {
            let path = format!("{prefix}{name}");
            let Some(at) = place(text, name, value) else { continue };
            if !known.contains(&path) {
                self.found.state(key(FactKind::Parameter, [id, &path]), "unstated", at);
                continue;
            }
            match value {
                Value::Array(items) => {
                    for inner in items.iter().filter_map(Value::as_object) {
                        self.members(text, id, &format!("{path}[]."), inner);
                    }
                }
                Value::Object(_) | Value::Null | Value::Bool(_) => {}
                Value::Number(_) => self.differs(at, id, &path, "number"),
                Value::String(value) => {
                    self.differs(at, id, &path, "string");
                    let values = self.claims.last_parts(FactKind::ParameterValue, [id, &path]);
                    if !values.is_empty() && !values.contains(value) && !value.is_empty() {
                        self.found.state(key(FactKind::ParameterValue, [id, &path, value]), "", at);
                    }
                }
            }
        }
    }

    /// States the type of a parameter if the schema has another one.
    fn differs(&mut self, at: Span<'a>, id: &str, path: &str, json: &str) {
        let of = key(FactKind::Type, [id, path]);
        let types = self.claims.get(&of);
        if !types.is_empty() && types.iter().all(|claim| claim.value != json) {
            self.found.state(of, json, at);
        }
    }
}

/// Returns the name of a member with this value.
fn place<'a>(text: Span<'a>, name: &str, value: &Value) -> Option<Span<'a>> {
    let quoted = format!("\"{name}\"");
    let is_it = |at: &usize| {
        let rest = text.text.get(at + quoted.len()..).unwrap_or_default().trim_start();
        let rest = rest.strip_prefix(':').unwrap_or_default().trim_start();
        value.is_array() || value.is_object() || rest.starts_with(&value.to_string())
    };
    let mut places = text.text.match_indices(&quoted).map(|(at, _)| at);
    let at = places.find(is_it)?;
    Some(Span::new(text.text.get(at + 1..at + 1 + name.len())?, text.at + at + 1))
}
