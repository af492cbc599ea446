//! Recorded calls -> drafts: HAR 1.2, or the journal of a local exchange. Conclusions from samples are guesses, and are
//! marked so.
//!
//! Headers are not read and no sample is copied, because a recording contains secrets.
//!
//! Words become values of enums only if they occur several times, under names that no secret has.

mod body;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::{Answer, Data, Draft, DraftAccess, DraftField, JsonKind, Source, Wanted, name_of_path};
use crate::diagnostics::{Code, Diagnostics};
use crate::model::{AnswerPath, Api, Around, Envelope, Method, Need, Step};
use crate::plain_text;

/// The maximum number of values of an enum; more distinct values are not one.
const MAX_VALUES: usize = 12;

use self::body::Body;
use crate::words::{In, Lists, Sends};

/// One recorded call.
struct Call {
    host: String,
    method: String,
    path: String,
    /// The parameters in the query.
    query: Value,
    body: Body,
    /// The answer; `None` if there was none.
    answer: Option<(u64, Option<Value>)>,
}

/// Drafts of the operations with calls in a recording, as far as they are wanted.
///
/// # Errors
/// Fails if the file cannot be read, or is not a recording.
pub(crate) fn drafts(api: &Api, path: &Path, wanted: &Wanted) -> Result<Source, Diagnostics> {
    let mut to = Diagnostics::default();
    let shown = path.display();
    let text = match plain_text::read(path) {
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
    let host = most_called(&calls);
    let mut operations: BTreeMap<(String, String), RecordedOperation> = BTreeMap::new();
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    for call in calls.iter().filter(|call| wanted.has(&template(&call.path), std::iter::empty())) {
        let why = match &call.answer {
            _ if call.host != host => format!("{}: another host than {host}", call.host),
            _ if !Method::ALL.iter().any(|method| method.as_str() == call.method) => {
                format!("{} {}: the schema language does not have this method", call.method, call.path)
            }
            None => format!("{} {}: without an answer", call.method, call.path),
            Some((status, answer)) => {
                let key = (template(&call.path), call.method.clone());
                operations.entry(key).or_default().see(api, call, *status, answer.as_ref());
                continue;
            }
        };
        *skipped.entry(why).or_default() += 1;
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let drafts = operations.into_iter().map(|((path, method), operation)| operation.draft(&file, &method, &path));
    let skipped = skipped.into_iter().map(|(what, count)| format!("{what} ({count} of the recorded calls)"));
    Ok(Source { drafts: drafts.collect(), left_out: skipped.collect(), ..Source::default() })
}

/// The host with the most calls; a page also calls others.
fn most_called(calls: &[Call]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for call in calls {
        match counts.iter_mut().find(|(host, _)| *host == call.host) {
            Some((_, count)) => *count += 1,
            None => counts.push((&call.host, 1)),
        }
    }
    // Of several, the first.
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(host, _)| host.to_owned()).unwrap_or_default()
}

fn har(text: &str) -> Option<Vec<Call>> {
    let root: Value = serde_json::from_str(text).ok()?;
    let entries = root["log"]["entries"].as_array()?;
    let call = |entry: &Value| {
        let request = &entry["request"];
        let url = request["url"].as_str()?;
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (host, target) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let status = entry["response"]["status"].as_u64().filter(|status| *status > 0);
        let answer = status.map(|status| (status, body::answer(&entry["response"]["content"])));
        Some(made(host, request["method"].as_str()?, target, Body::of_har(&request["postData"]), answer))
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
        let body = Body::of_text("", request["body"].as_str().unwrap_or_default());
        let response = serde_json::from_str(answer["body"].as_str().unwrap_or_default()).ok();
        let answer = answer["status"].as_u64().map(|status| (status, response));
        Some(made("", request["method"].as_str()?, request["target"].as_str()?, body, answer))
    };
    Some(lines.filter_map(call).collect())
}

fn made(host: &str, method: &str, target: &str, body: Body, answer: Option<(u64, Option<Value>)>) -> Call {
    let target = target.split('#').next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (host, method, path) = (host.to_owned(), method.to_owned(), path.to_owned());
    Call { host, method, path, query: body::pairs(query), body, answer }
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
    query: ObservedValues,
    body: ObservedValues,
    is_form: bool,
    /// What could not be read of requests.
    unread: BTreeSet<String>,
    data: ObservedValues,
}

impl RecordedOperation {
    fn see(&mut self, api: &Api, call: &Call, status: u64, answer: Option<&Value>) {
        self.calls += 1;
        let is_success = (200..300).contains(&status);
        let data = match (&api.envelope, answer) {
            (Some(envelope), Some(answer)) => data_within(envelope, answer),
            (None, Some(answer)) => is_success.then_some(answer),
            (_, None) => is_success.then_some(&Value::Null),
        };
        let Some(data) = data else {
            self.refused += 1;
            return;
        };
        self.query.see(&call.query);
        match &call.body {
            Body::None => {}
            Body::Json(value) => self.body.see(value),
            Body::Form(value) => {
                self.is_form = true;
                self.body.see(value);
            }
            Body::Other(what) => drop(self.unread.insert(format!("the body: {what}"))),
        }
        self.data.see(data);
    }

    fn draft(&self, file: &str, method: &str, path: &str) -> Draft {
        let known = Method::parse(method);
        let has_body = self.body.times > 0 && known != Some(Method::Get);
        let mut unread: Vec<String> = self.unread.iter().cloned().collect();
        let in_query = self.query.fields();
        let mut request = match (has_body, self.body.kind()) {
            (true, JsonKind::List) => {
                let array = self.body.field("[]", self.body.times);
                let holds_objects = array.item == JsonKind::Object && !array.fields.is_empty();
                if !holds_objects {
                    unread.insert(0, "the body, a list whose items are not objects".to_owned());
                }
                holds_objects.then_some(DraftField { need: Some(Need::Always), ..array }).into_iter().collect()
            }
            (true, _) => self.body.fields(),
            (false, _) => Vec::new(),
        };
        let is_in_body = |name: &str| request.iter().any(|other| other.name == name);
        let apart = has_body.then_some(In::Query);
        // In the query, it has a name that the body has, too.
        let named = |field: DraftField| match is_in_body(&field.name) {
            true => DraftField { name: format!("query_{}", field.name), sent_as: Some(field.name), apart, ..field },
            false => DraftField { apart, ..field },
        };
        let in_query: Vec<_> = in_query.into_iter().map(named).collect();
        request.splice(..0, in_query);
        let is_repeated = |field: &DraftField| field.kind == JsonKind::List && field.fields.is_empty();
        let is_pair = |field: &&DraftField| !has_body || self.is_form || field.apart.is_some();
        let lists = request.iter().filter(is_pair).any(is_repeated).then_some(Lists::Repeated);
        let usual = known.is_some_and(|method| !method.has_query());
        let sends = match has_body {
            true if self.is_form => Some(Sends::Form),
            true => (!usual).then_some(Sends::Json),
            false => (usual && !request.is_empty()).then_some(Sends::Query),
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
        let seen = format!("As seen in {used} answers; there may be more.");
        let kind = self.data.kind();
        let inner = self.data.item.as_deref().unwrap_or(&self.data);
        let data = Data { fields: inner.fields(), remarks: vec![seen], ..Data::default() };
        let name = name_of_path(path);
        let mut draft = Draft {
            title: name.clone(),
            name,
            method: method.to_owned(),
            path: path.to_owned(),
            effect_seen: vec![method.to_owned(), path.to_owned()],
            access: DraftAccess::Unknown("A recording does not show who may call.".to_owned()),
            sends,
            lists,
            request: Some(request),
            response: match kind {
                JsonKind::Object if !data.fields.is_empty() => Answer::Object(data),
                JsonKind::List if !data.fields.is_empty() => Answer::Array(data),
                _ => Answer::Unknown(vec!["No answer with an object or a list of objects was seen.".to_owned()]),
            },
            about: vec![
                format!("From {file}: {} calls, of which {} were refused and are not read.", self.calls, self.refused),
                "Guessed from samples: review each parameter, type and value. A sample does not show what is required."
                    .to_owned(),
            ],
            unread,
            ..Draft::default()
        };
        if draft.unread.iter().any(|line| line.starts_with("the body, ")) || !self.unread.is_empty() {
            draft.body_is_unread();
        }
        draft
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
    was_null: bool,
}

impl ObservedValues {
    fn see(&mut self, value: &Value) {
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

    fn kind(&self) -> JsonKind {
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
