//! Recorded calls -> drafts: HAR 1.2, or the journal of a local exchange. Conclusions from samples are guesses, and are
//! marked so.
//!
//! Headers are not read and no sample is copied, because a recording contains secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use super::{Answer, Data, Draft, DraftField, JsonKind, name_of_path};
use crate::diagnostics::{Code, Diagnostics};
use crate::model::{AnswerPath, Api, Around, Effect, Envelope, Method, Need, Step};

/// The maximum number of values of an enum; more distinct values are not one.
const MAX_VALUES: usize = 12;

/// One recorded call.
struct Call {
    method: String,
    path: String,
    request: Value,
    response: Value,
    status: u64,
}

/// Drafts of all operations with calls in a recording, and what was skipped.
///
/// # Errors
/// Fails if the file cannot be read, or is not a recording.
pub(crate) fn drafts(api: &Api, path: &Path) -> Result<(Vec<Draft>, Vec<String>), Diagnostics> {
    let mut to = Diagnostics::default();
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            to.whole(Code::CannotRead, format!("cannot read {shown}: {error}")).help("name a recording");
            return Err(to);
        }
    };
    let Some(calls) = har(&text).or_else(|| journal(&text)) else {
        to.whole(Code::CannotRead, format!("{shown} is not a recording"))
            .help("name a HAR 1.2 file, as browsers export it, or the journal of a local exchange");
        return Err(to);
    };
    let mut operations: BTreeMap<(String, String), RecordedOperation> = BTreeMap::new();
    let mut skipped = BTreeMap::new();
    for call in &calls {
        if !Method::ALL.iter().any(|method| method.as_str() == call.method) {
            *skipped
                .entry(format!("{} {}: the schema language does not have this method", call.method, call.path))
                .or_insert(0) += 1;
            continue;
        }
        let key = (template(&call.path), call.method.clone());
        operations.entry(key).or_default().see(api, call);
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let drafts = operations.into_iter().map(|((path, method), operation)| operation.draft(api, &file, &method, &path));
    let skipped = skipped.into_iter().map(|(what, count)| format!("{what} ({count} of the recorded calls)"));
    Ok((drafts.collect(), skipped.collect()))
}

fn har(text: &str) -> Option<Vec<Call>> {
    let root: Value = serde_json::from_str(text).ok()?;
    let entries = root["log"]["entries"].as_array()?;
    let call = |entry: &Value| {
        let request = &entry["request"];
        let url = request["url"].as_str()?;
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let target = rest.find('/').map_or("/", |at| &rest[at..]);
        let content = &entry["response"]["content"];
        // Content in base64 is not JSON.
        let answer = content["text"].as_str().filter(|_| content["encoding"].is_null()).unwrap_or_default();
        let body = request["postData"]["text"].as_str().unwrap_or_default();
        Some(made(request["method"].as_str()?, target, body, entry["response"]["status"].as_u64()?, answer))
    };
    Some(entries.iter().filter_map(call).collect())
}

fn journal(text: &str) -> Option<Vec<Call>> {
    let mut lines = text.lines();
    let head: Value = serde_json::from_str(lines.next()?).ok()?;
    head["journal"].as_u64()?;
    let call = |line: &str| {
        let line: Value = serde_json::from_str(line).ok()?;
        let (request, answer) = (&line["request"], &line["answer"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (body, response) = (text(&request["body"]), text(&answer["body"]));
        Some(made(
            request["method"].as_str()?,
            request["target"].as_str()?,
            &body,
            answer["status"].as_u64()?,
            &response,
        ))
    };
    Some(lines.filter_map(call).collect())
}

fn made(method: &str, target: &str, body: &str, status: u64, response: &str) -> Call {
    let target = target.split('#').next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = serde_json::from_str(body).unwrap_or_else(|_| Value::Object(Map::new()));
    if let Value::Object(members) = &mut request {
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            members.insert(decoded(name), Value::String(decoded(value)));
        }
    }
    let response = serde_json::from_str(response).unwrap_or(Value::Null);
    Call { method: method.to_owned(), path: path.to_owned(), request, response, status }
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// A path with its ids replaced by parameters.
fn template(path: &str) -> String {
    let mut count = 0;
    let is_id = |part: &str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        let is_version = part.starts_with('v') && digits + 1 == part.len();
        digits > 0 && !is_version && (digits == part.len() || part.len() >= 12)
    };
    let parts = path.split('/').map(|part| {
        if !is_id(part) {
            return part.to_owned();
        }
        count += 1;
        if count == 1 { "{id}".to_owned() } else { format!("{{id{count}}}") }
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The calls of one operation.
#[derive(Default)]
struct RecordedOperation {
    calls: usize,
    refused: usize,
    request: ObservedValues,
    data: ObservedValues,
}

impl RecordedOperation {
    fn see(&mut self, api: &Api, call: &Call) {
        self.calls += 1;
        let data = match &api.envelope {
            Some(envelope) => data_within(envelope, &call.response),
            None => (200..300).contains(&call.status).then_some(&call.response),
        };
        let Some(data) = data else {
            self.refused += 1;
            return;
        };
        self.request.see(&call.request);
        self.data.see(data);
    }

    fn draft(&self, api: &Api, file: &str, method: &str, path: &str) -> Draft {
        let mut request = match self.request.kind() {
            JsonKind::List => {
                let list = self.request.field("[]", self.request.times);
                vec![DraftField { need: Some(Need::Always), ..list }]
            }
            _ => self.request.fields(),
        };
        let in_path = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let in_path = in_path.map(|name| DraftField {
            name: name.to_owned(),
            need: Some(Need::Always),
            remarks: vec!["Guessed: this part of the path looks like an id; name it.".to_owned()],
            ..DraftField::default()
        });
        request.splice(..0, in_path);
        let used = self.calls - self.refused;
        let data = Data {
            fields: self.data.item.as_deref().unwrap_or(&self.data).fields(),
            named: None,
            records: Vec::new(),
            remarks: vec![format!("As seen in {used} answers; there may be more.")],
        };
        let name = name_of_path(path);
        Draft {
            title: name.clone(),
            name,
            method: method.to_owned(),
            path: path.to_owned(),
            effect: (method == "GET").then_some(Effect::Read),
            is_public: api.credentials.is_none(),
            request: Some(request),
            response: match self.data.kind() {
                JsonKind::Object => Answer::Object(data),
                JsonKind::List if !data.fields.is_empty() => Answer::Array(data),
                _ => Answer::Unknown,
            },
            about: vec![
                format!("From {file}: {} calls, of which {} were refused and are not read.", self.calls, self.refused),
                "Guessed from samples: review each parameter, type and value. A sample does not show what is required."
                    .to_owned(),
            ],
            ..Draft::default()
        }
    }
}

/// The observed values of a parameter or field.
#[derive(Default)]
struct ObservedValues {
    times: usize,
    kinds: BTreeSet<&'static str>,
    texts: BTreeMap<String, usize>,
    members: Vec<(String, ObservedValues)>,
    item: Option<Box<ObservedValues>>,
}

impl ObservedValues {
    fn see(&mut self, value: &Value) {
        self.times += 1;
        match value {
            Value::Null => {}
            Value::Bool(_) => drop(self.kinds.insert("boolean")),
            Value::Number(number) => drop(self.kinds.insert(if number.is_f64() { "number" } else { "integer" })),
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

    fn kind(&self) -> JsonKind {
        let kinds: Vec<&str> = self.kinds.iter().copied().collect();
        match kinds.as_slice() {
            // Numbers as text, ids and times look alike.
            ["text"] if self.texts.keys().all(|text| is_number(text)) => JsonKind::Unknown,
            ["text"] => JsonKind::Text,
            ["boolean"] => JsonKind::Boolean,
            ["integer"] => JsonKind::Integer,
            ["number"] | ["integer", "number"] => JsonKind::Number,
            ["list"] => JsonKind::List,
            ["object"] => JsonKind::Object,
            _ => JsonKind::Unknown,
        }
    }

    fn fields(&self) -> Vec<DraftField> {
        self.members.iter().map(|(name, seen)| seen.field(name, self.times)).collect()
    }

    /// The field with this name, in an object that was observed `of` times.
    fn field(&self, name: &str, of: usize) -> DraftField {
        let values = self.values(name);
        let mut remarks = vec![format!("Seen {} of {of} times.", self.times)];
        if !values.is_empty() {
            remarks.push("The values are those that were seen; there may be more.".to_owned());
        } else if self.kind() == JsonKind::Unknown && self.kinds.contains("text") {
            remarks.push("A number or an id, as text.".to_owned());
        }
        let inner = self.item.as_deref().unwrap_or(self);
        DraftField {
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

    /// The values of an enum: a few words, each observed more than once. Values that may be secret are never listed.
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

/// The data of an answer; `None` if it is a refusal.
fn data_within<'v>(envelope: &Envelope, answer: &'v Value) -> Option<&'v Value> {
    let code = envelope.code.iter().find_map(|way| at(answer, way)).and_then(text);
    let is_bare = code.is_none() && envelope.around == Around::Failures;
    let is_success = is_bare || code == envelope.success;
    let data = envelope.data.as_ref().filter(|_| !is_bare);
    is_success.then(|| data.map_or(answer, |data| at(answer, data).unwrap_or(&Value::Null)))
}

fn at<'v>(value: &'v Value, way: &AnswerPath) -> Option<&'v Value> {
    way.0.iter().try_fold(value, |value, step| match step {
        Step::Member(name) => value.get(name),
        Step::Item(index) => value.get(index),
    })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
