//! The values of a parameter or field in all calls, and what they suggest.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::compiler::model::Need;
use crate::tools::draft::{DraftField, JsonKind};

/// The maximum number of values of an enum; more distinct values are not one.
const MAX_VALUES: usize = 12;

/// The observed values of a parameter or field.
#[derive(Default)]
pub(super) struct ObservedValues {
    pub(super) times: usize,
    kinds: BTreeSet<&'static str>,
    texts: BTreeMap<String, usize>,
    members: Vec<(String, ObservedValues)>,
    pub(super) item: Option<Box<ObservedValues>>,
    was_null: bool,
}

impl ObservedValues {
    pub(super) fn see(&mut self, value: &Value) {
        self.times += 1;
        match value {
            Value::Null => self.was_null = true,
            Value::Bool(_) => drop(self.kinds.insert("boolean")),
            Value::Number(number) => drop(self.kinds.insert(match () {
                () if number.is_f64() => "number",
                () if number.is_i64() && !number.is_u64() => "negative",
                () => "integer",
            })),
            Value::String(text) => {
                self.kinds.insert("text");
                *self.texts.entry(text.clone()).or_default() += 1;
            }
            Value::Array(items) => {
                self.kinds.insert("list");
                let item = self.item.get_or_insert_default();
                items.iter().for_each(|value| item.see(value));
            }
            Value::Object(members) => {
                self.kinds.insert("object");
                for (name, value) in members {
                    let at = self.members.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                        self.members.push((name.clone(), ObservedValues::default()));
                        self.members.len() - 1
                    });
                    self.members[at].1.see(value);
                }
            }
        }
    }

    pub(super) fn kind(&self) -> JsonKind {
        let kinds: Vec<&str> = self.kinds.iter().copied().collect();
        match kinds.as_slice() {
            // Numbers as text, ids and times look alike.
            ["text"] if self.texts.keys().all(|text| is_number(text)) => JsonKind::Unknown,
            ["text"] => JsonKind::Text,
            ["boolean"] => JsonKind::Boolean,
            // No sample shows that the next one is not negative.
            ["integer" | "negative"] | ["integer", "negative"] => JsonKind::Signed,
            [numbers @ .., "number"] if numbers.iter().all(|kind| ["integer", "negative"].contains(kind)) => {
                JsonKind::Number
            }
            ["list"] => JsonKind::List,
            ["object"] => JsonKind::Object,
            _ => JsonKind::Unknown,
        }
    }

    pub(super) fn fields(&self) -> Vec<DraftField> {
        self.members.iter().map(|(name, seen)| seen.field(name, self.times)).collect()
    }

    /// Returns the field with this name, in an object that was observed `of` times.
    pub(super) fn field(&self, name: &str, of: usize) -> DraftField {
        let values = self.values(name);
        let mut remarks = vec![format!("Seen {} of {of} times.", self.times)];
        if !values.is_empty() {
            remarks.push("The values are those that were seen; there may be more.".to_owned());
        } else if self.kind() == JsonKind::Unknown && self.kinds.contains("text") {
            remarks.push("A number or an id, as text.".to_owned());
        }
        if self.was_null {
            remarks.push("Null was seen.".to_owned());
        }
        let inner = self.item.as_deref().unwrap_or(self);
        DraftField {
            may_be_null: self.was_null,
            name: name.to_owned(),
            need: Some(if self.times < of { Need::No } else { Need::Unstated }),
            kind: self.kind(),
            item: self.item.as_ref().map_or(JsonKind::Unknown, |item| item.kind()),
            values,
            fields: inner.fields(),
            remarks,
            ..DraftField::default()
        }
    }

    /// Returns the values of an enum: a few words, each observed more than once. Values that may be secret are never
    /// listed.
    fn values(&self, name: &str) -> Vec<String> {
        let lower = name.to_ascii_lowercase();
        let is_secret = ["key", "secret", "sign", "token", "pass", "auth"].iter().any(|word| lower.contains(word));
        let is_word = |text: &str| {
            (2..=24).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphabetic() || c == '_' || c == '-')
        };
        let is_enum = !is_secret
            && (1..=MAX_VALUES).contains(&self.texts.len())
            && self.texts.iter().all(|(text, times)| is_word(text) && *times > 1);
        if is_enum { self.texts.keys().cloned().collect() } else { Vec::new() }
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}
