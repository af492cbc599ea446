//! What the exchange takes although the documents do not describe it: two names of an order, of which the orderId
//! counts, and, if it is tolerant, parameters that no document lists and values in other letters.

use std::collections::BTreeMap;

use tradeapi::Violations;
use tradeapi::runtime::checks::Violation;
use tradeapi::runtime::json::{JsonWriter, Kind, ReadError, Reader, read_json};

/// The depth of requests: a list of objects in an object.
const DEPTH: u32 = 4;

/// A change to a parameter that lets its request be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    /// A parameter of another name is left out.
    Unknown,
    /// The clientOid is left out, because there is an orderId.
    Outranked,
    /// The value is written in small letters.
    Lower,
    /// The value is written in capitals.
    Upper,
}

/// The changes to a request, by the paths of its parameters.
#[derive(Debug, Default)]
pub(crate) struct Repairs(BTreeMap<String, Repair>);

impl Repairs {
    /// Adds what lets a request be read that has these violations. Returns whether there is anything new.
    pub(crate) fn add(&mut self, violations: &Violations, is_tolerant: bool) -> bool {
        let before = self.0.len();
        let mut is_changed = false;
        for violation in violations.iter() {
            match kind_of(violation) {
                "one-of" => {
                    self.0.entry(sibling(&violation.parameter, "clientOid")).or_insert(Repair::Outranked);
                }
                "unknown-parameter" if is_tolerant => {
                    self.0.entry(violation.parameter.clone()).or_insert(Repair::Unknown);
                }
                "values" if is_tolerant => {
                    let repair = self.0.get(&violation.parameter).copied();
                    let next = if repair == Some(Repair::Lower) { Repair::Upper } else { Repair::Lower };
                    is_changed |= repair == Some(Repair::Lower);
                    if repair != Some(Repair::Upper) {
                        self.0.insert(violation.parameter.clone(), next);
                    }
                }
                _ => {}
            }
        }
        is_changed || self.0.len() > before
    }

    /// Drops the spellings of values that are not understood in any letters, so that a refusal quotes what was sent.
    /// Returns whether there are any.
    pub(crate) fn drop_spellings(&mut self, violations: &Violations) -> bool {
        let before = self.0.len();
        for violation in violations.iter() {
            if matches!(self.0.get(&violation.parameter), Some(Repair::Lower | Repair::Upper)) {
                self.0.remove(&violation.parameter);
            }
        }
        self.0.len() < before
    }

    /// The names of the parameters that are left out because nobody knows them.
    pub(crate) fn ignored(&self) -> impl Iterator<Item = &str> {
        let unknown = self.0.iter().filter(|(_, repair)| **repair == Repair::Unknown);
        unknown.map(|(path, _)| path.rsplit('.').next().unwrap_or(path))
    }

    /// The parameters with the changes; `None` if they cannot be read.
    pub(crate) fn apply(&self, parameters: &str, is_query: bool) -> Option<String> {
        if is_query {
            return Some(self.apply_to_query(parameters));
        }
        let mut out = JsonWriter::new();
        self.copy(&mut Reader::new(parameters), &mut out, "", DEPTH).ok()?;
        Some(out.finish())
    }

    fn apply_to_query(&self, query: &str) -> String {
        let has_id = query.split('&').any(|pair| pair.strip_prefix("orderId=").is_some_and(|id| !id.is_empty()));
        let pairs = query.split('&').filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some(match self.0.get(name) {
                Some(Repair::Unknown) => return None,
                Some(Repair::Outranked) if has_id => return None,
                Some(Repair::Lower) => format!("{name}={}", value.to_ascii_lowercase()),
                Some(Repair::Upper) => format!("{name}={}", value.to_ascii_uppercase()),
                Some(Repair::Outranked) | None => pair.to_owned(),
            })
        });
        pairs.collect::<Vec<_>>().join("&")
    }

    /// Copies a JSON value with the changes. Values nested deeper than any request are copied unchanged.
    fn copy(&self, from: &mut Reader<'_>, out: &mut JsonWriter, path: &str, depth: u32) -> Result<(), ReadError> {
        match from.peek() {
            _ if depth == 0 => out.raw(from.raw_value()?),
            Kind::Object => {
                let mut found = Vec::new();
                let mut members = from.object(&[])?;
                while let Some(name) = members.next_name(from)? {
                    found.push((name, from.raw_value()?));
                }
                let is_given = |json: &str| !matches!(json, "null" | r#""""#);
                let has_id = found.iter().any(|(name, json)| name == "orderId" && is_given(json));
                out.begin_object();
                for (name, json) in &found {
                    let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                    match self.0.get(&path) {
                        Some(Repair::Unknown) => {}
                        Some(Repair::Outranked) if has_id => {}
                        Some(Repair::Lower) => out.member(name).string(&text_of(json).to_ascii_lowercase()),
                        Some(Repair::Upper) => out.member(name).string(&text_of(json).to_ascii_uppercase()),
                        Some(Repair::Outranked) | None => {
                            self.copy(&mut Reader::new(json), out.member(name), &path, depth - 1)?;
                        }
                    }
                }
                out.end_object();
            }
            Kind::Array => {
                out.begin_array();
                let mut elements = from.array()?;
                let mut index = 0_usize;
                while elements.next(from)?.is_some() {
                    self.copy(from, out.element(), &format!("{path}[{index}]"), depth - 1)?;
                    index += 1;
                }
                out.end_array();
            }
            _ => out.raw(from.raw_value()?),
        }
        Ok(())
    }
}

/// The last word of a rule's id, which names the kind of rules that come with every parameter.
fn kind_of(violation: &Violation) -> &str {
    violation.rule.rsplit('.').next().unwrap_or_default()
}

/// The path of another parameter beside one.
fn sibling(path: &str, name: &str) -> String {
    path.rsplit_once('.').map_or_else(|| name.to_owned(), |(place, _)| format!("{place}.{name}"))
}

fn text_of(json: &str) -> String {
    read_json(json).unwrap_or_default()
}
