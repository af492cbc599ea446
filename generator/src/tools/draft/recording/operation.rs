//! Facts that the calls of one operation show about it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::calls::Body;
use super::calls::Call;
use super::observed::ObservedValues;
use crate::compiler::model::{AnswerPath, Api, Around, Envelope, Method, Need, Step};
use crate::compiler::words::{In, Lists, Sends};
use crate::tools::draft::{Answer, Data, Draft, DraftAccess, DraftField, JsonKind, name_of_path};

/// The calls of one operation.
#[derive(Default)]
pub(super) struct RecordedOperation {
    calls: usize,
    refused: usize,
    query: ObservedValues,
    body: ObservedValues,
    is_form: bool,
    /// The parts of requests that could not be read.
    unread: BTreeSet<String>,
    data: ObservedValues,
}

impl RecordedOperation {
    pub(super) fn see(&mut self, api: &Api, call: &Call, status: u64, answer: Option<&Value>) {
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

    /// Returns the draft. `file` is the name of the recording.
    pub(super) fn draft(&self, file: &str, method: &str, path: &str) -> Draft {
        let name = name_of_path(path);
        let body = self.body(method);
        let mut draft = Draft {
            title: name.clone(),
            name,
            method: method.to_owned(),
            path: path.to_owned(),
            effect_seen: vec![method.to_owned(), path.to_owned()],
            access: DraftAccess::Unknown("A recording does not show who may call.".to_owned()),
            response: self.response(),
            about: vec![
                format!("From {file}: {} calls, of which {} were refused and are not read.", self.calls, self.refused),
                "Guessed from samples: review each parameter, type and value. A sample does not show what is required."
                    .to_owned(),
            ],
            unread: self.unread.iter().cloned().collect(),
            ..Draft::default()
        };
        if body.as_ref().is_some_and(Result::is_err) {
            draft.unread.insert(0, "the body, a list whose items are not objects".to_owned());
        }
        let body = body.map(Result::unwrap_or_default);
        let request = self.request(body.as_deref());
        (draft.sends, draft.lists) = self.forms(method, body.is_some(), &request);
        draft.request = Some(of_path(path).chain(request).collect());
        if !draft.unread.is_empty() {
            draft.body_is_unread();
        }
        draft
    }

    /// Returns the parameters of the body, if calls have one; an error if they cannot be drafted.
    fn body(&self, method: &str) -> Option<Result<Vec<DraftField>, UnreadableBody>> {
        if self.body.times == 0 || Method::parse(method) == Some(Method::Get) {
            return None;
        }
        if self.body.kind() != JsonKind::List {
            return Some(Ok(self.body.fields()));
        }
        let array = self.body.field("[]", self.body.times);
        let holds_objects = array.item == JsonKind::Object && !array.fields.is_empty();
        Some(if holds_objects {
            Ok(vec![DraftField { need: Some(Need::Always), ..array }])
        } else {
            Err(UnreadableBody)
        })
    }

    /// Returns the parameters of the query and of the body. In the query, one that the body has too gets another name.
    fn request(&self, body: Option<&[DraftField]>) -> Vec<DraftField> {
        let apart = body.map(|_| In::Query);
        let in_body = body.unwrap_or_default();
        let named = |field: DraftField| match in_body.iter().any(|other| other.name == field.name) {
            true => DraftField { name: format!("query_{}", field.name), sent_as: Some(field.name), apart, ..field },
            false => DraftField { apart, ..field },
        };
        self.query.fields().into_iter().map(named).chain(in_body.iter().cloned()).collect()
    }

    /// Returns how the parameters are sent, and lists among them, where the method does not imply it.
    fn forms(&self, method: &str, has_body: bool, request: &[DraftField]) -> (Option<Sends>, Option<Lists>) {
        let in_body = Method::parse(method).is_some_and(|method| !method.has_query());
        let sends = match has_body {
            true if self.is_form => Some(Sends::Form),
            true => (!in_body).then_some(Sends::Json),
            false => (in_body && !request.is_empty()).then_some(Sends::Query),
        };
        let is_repeated = |field: &DraftField| field.kind == JsonKind::List && field.fields.is_empty();
        let is_pair = |field: &&DraftField| !has_body || self.is_form || field.apart.is_some();
        (sends, request.iter().filter(is_pair).any(is_repeated).then_some(Lists::Repeated))
    }

    fn response(&self) -> Answer {
        let seen = format!("As seen in {} answers; there may be more.", self.calls - self.refused);
        let inner = self.data.item.as_deref().unwrap_or(&self.data);
        let data = Data { fields: inner.fields(), remarks: vec![seen], ..Data::default() };
        match self.data.kind() {
            JsonKind::Object if !data.fields.is_empty() => Answer::Object(data),
            JsonKind::List if !data.fields.is_empty() => Answer::Array(data),
            _ => Answer::Unknown(vec!["No answer with an object or a list of objects was seen.".to_owned()]),
        }
    }
}

/// A body that is a list of something else than objects.
#[derive(Debug)]
struct UnreadableBody;

/// Returns the parameters in a path.
fn of_path(path: &str) -> impl Iterator<Item = DraftField> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| DraftField {
        name: name.to_owned(),
        need: Some(Need::Always),
        remarks: vec!["Guessed: this part of the path looks like an id; name it.".to_owned()],
        ..DraftField::default()
    })
}

/// Returns the data of an answer; `None` if it is a refusal.
pub(super) fn data_within<'v>(envelope: &Envelope, answer: &'v Value) -> Option<&'v Value> {
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
