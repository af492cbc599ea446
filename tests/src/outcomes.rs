//! An interpreter of `outcomes.json`, written from the descriptions of its JSON Schema: what an answer proves about the
//! change that was requested, and what the answers to queries prove afterwards. It shares no code with the client.

mod settling;

use serde_json::Value;

pub use settling::{Inquiry, Times};

use crate::json::text;

/// The outcome of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The change had its effect.
    Done,
    /// The change had no effect.
    NotDone,
    /// The change may have had its effect.
    Unknown,
}

/// A file with the outcomes of an API.
pub struct File(Value);

/// A request that changes something.
#[derive(Clone, Copy)]
pub struct Change<'f> {
    file: &'f Value,
    /// The entry of its operation.
    operation: &'f Value,
    request: &'f Value,
    /// The number of the call, where calls have numbers.
    call: Option<&'f str>,
}

/// An answer as it arrived.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: &'a [u8],
    /// True if it came so late that it may be that of a copy of the request.
    pub is_late: bool,
}

/// The kind of an answer, by its envelope.
enum Read<'a> {
    /// The code is that of a success, and this is the data.
    Success(Option<&'a Value>, IsFull),
    Code(String),
    Status,
    Unreadable,
}

/// True if a success has its message and its status.
type IsFull = bool;

impl File {
    /// Reads a file.
    ///
    /// # Panics
    ///
    /// The text is not JSON.
    pub fn new(text: &str) -> Self {
        Self(serde_json::from_str(text).expect("the file is JSON"))
    }

    /// Returns the ids of the operations that change something, in order.
    pub fn changes(&self) -> Vec<&str> {
        let all = self.0["operations"].as_object().into_iter().flatten();
        let mut ids: Vec<_> =
            all.filter(|(_, operation)| operation["effect"] != "read").map(|(id, _)| id.as_str()).collect();
        ids.sort_unstable();
        ids
    }

    /// Returns the whole file.
    pub fn json(&self) -> &Value {
        &self.0
    }

    /// Returns a request of an operation.
    pub fn change<'f>(&'f self, operation: &str, request: &'f Value, call: Option<&'f str>) -> Change<'f> {
        Change { file: &self.0, operation: &self.0["operations"][operation], request, call }
    }
}

impl<'f> Change<'f> {
    /// Returns the outcome after a call that ended without an answer.
    pub fn ended(&self, end: &str) -> Outcome {
        match self.file["ends"][end]["outcome"].as_str() {
            Some("done") => Outcome::Done,
            Some("not_done") => Outcome::NotDone,
            _ => Outcome::Unknown,
        }
    }

    /// Returns the outcome after an answer.
    pub fn answered(&self, answer: Answer<'_>) -> Outcome {
        let body = answer.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(answer.body);
        let json: Option<Value> = serde_json::from_slice(body).ok();
        if self.is_of_another_call(json.as_ref()) {
            return self.ended("unreadable");
        }
        match self.read(json.as_ref(), body, answer.status) {
            Read::Success(data, is_full) if self.is_own(data, is_full) => self.ended("success"),
            Read::Success(..) | Read::Unreadable => self.ended("unreadable"),
            Read::Code(code) => self.by_code(&code, answer.is_late),
            Read::Status => self.by_status(answer, body, json.is_none()),
        }
    }

    fn is_of_another_call(&self, json: Option<&Value>) -> bool {
        let member = self.file["call_id"].as_str().filter(|_| self.operation.get("call").is_some());
        let shown = member.zip(json).and_then(|(member, json)| told(json, member));
        shown.zip(self.call).is_some_and(|(shown, own)| shown != own)
    }

    fn read<'a>(&self, json: Option<&'a Value>, body: &[u8], status: u16) -> Read<'a> {
        let (envelope, is_ok) = (&self.file["envelope"], (200..300).contains(&status));
        let has_data_path = self.operation["success"]["data"].as_array().is_some_and(|path| !path.is_empty());
        let is_object = body.trim_ascii_start().starts_with(b"{");
        let may_be_bare = envelope.get("success").is_none() && !has_data_path;
        let is_bare = match envelope["around"].as_str() {
            None => true,
            Some("failures") => is_ok,
            _ => may_be_bare && is_ok && !is_object,
        };
        match (is_bare, is_ok) {
            (true, false) => Read::Status,
            (true, true) => self.bare(json, body),
            (false, _) => match (json.and_then(|json| self.enveloped(json, status, is_ok)), is_ok) {
                (Some(read), _) => read,
                (None, true) => Read::Unreadable,
                (None, false) if self.begins_as_success(body) => Read::Unreadable,
                (None, false) => Read::Status,
            },
        }
    }

    /// Returns whether a body that is cut off has a code of success and the beginning of its data.
    fn begins_as_success(&self, body: &[u8]) -> bool {
        let (envelope, data) = (&self.file["envelope"], &self.operation["success"]["data"]);
        let body = String::from_utf8_lossy(body);
        let behind = |member: &Value| Some(body.split_once(&format!("\"{}\":", member.as_str()?))?.1);
        let (code, data) = (behind(&envelope["code"][0][0]), behind(&data[0]));
        let success =
            envelope["success"].as_str().filter(|_| envelope["code"].as_array().is_some_and(|all| all.len() == 1));
        let is_before = |code: &&str| data.is_some_and(|data| data.len() < code.len());
        let is_success = |code: &str| success.is_some_and(|success| code.trim_start_matches('"').starts_with(success));
        code.filter(is_before).is_some_and(is_success)
    }

    /// Returns an answer whose body is its data.
    fn bare<'a>(&self, json: Option<&'a Value>, body: &[u8]) -> Read<'a> {
        const FULL: IsFull = true;
        match (self.operation["success"]["form"].as_str(), json) {
            (Some("bytes"), _) => Read::Success(None, FULL),
            (_, Some(json)) => match at(json, &self.operation["success"]["data"]) {
                Some(data) => Read::Success(Some(data), FULL),
                None => Read::Unreadable,
            },
            (_, None) if body.trim_ascii().is_empty() => Read::Success(None, FULL),
            (_, None) => Read::Unreadable,
        }
    }

    /// Returns an answer in an envelope; `None` if it is not one.
    fn enveloped<'a>(&self, json: &'a Value, status: u16, is_ok: bool) -> Option<Read<'a>> {
        let envelope = &self.file["envelope"];
        let may_be_array = paths(envelope).any(|path| path[0].is_number());
        let is_one = json.is_object() || may_be_array && json.is_array();
        if !is_one {
            return None;
        }
        let success = || {
            let message = first_at(json, &envelope["message"]).unwrap_or_default();
            let has_message = envelope["success_message"].as_str().is_none_or(|wanted| message == wanted);
            let has_status = envelope["success_status"].as_u64().is_none_or(|wanted| u64::from(status) == wanted);
            Read::Success(at(json, &self.operation["success"]["data"]), has_message && has_status)
        };
        match first_at(json, &envelope["code"]) {
            None => (envelope.get("success").is_none() && is_ok).then(success),
            Some(code) if self.means_success(&code) => Some(success()),
            Some(code) => Some(Read::Code(code)),
        }
    }

    fn means_success(&self, code: &str) -> bool {
        self.file["envelope"]["success"].as_str() == Some(code)
            || self.row(code).is_some_and(|row| row["success"] == true && row["certainty"] == "documented")
    }

    /// Returns whether the data of a success has its form, and is that of this request.
    fn is_own(&self, data: Option<&Value>, is_full: IsFull) -> bool {
        match self.repeats_id(data) {
            None => false,
            Some(true) => self.is_of_kind(data),
            Some(false) => self.shows_enough(data) && self.is_of_kind(data) && (is_full || self.lists_ids()),
        }
    }

    /// Returns whether the items of the request have ids.
    fn lists_ids(&self) -> bool {
        let (id, list) = (self.operation["client_id"].as_str(), self.list_of_items());
        id.zip(list).is_some_and(|(id, list)| items_of(self.request, list).iter().any(|item| told(item, id).is_some()))
    }

    /// Returns the list of the request whose items have ids of their own.
    fn list_of_items(&self) -> Option<&'f str> {
        self.operation["success"]["results"]["of"].as_str()
    }

    /// Returns whether the data repeats an id of the request; `None` if it belongs to another request.
    fn repeats_id(&self, data: Option<&Value>) -> Option<bool> {
        let success = &self.operation["success"];
        let Some(repeats) = success.get("repeats") else { return Some(false) };
        let mut records: Vec<Option<&Value>> = match success["shows"].as_str() {
            Some("list") => self.listed(data).into_iter().map(Some).collect(),
            _ => vec![data],
        };
        if records.is_empty() {
            records.push(None);
        }
        let mut is_another = false;
        for record in records {
            let Agreement { agrees, differs, omits, another_differs } = self.agreement(repeats, record);
            if agrees && (!differs || repeats["one_is_enough"] == true) && !another_differs {
                return Some(true);
            }
            is_another |= differs || omits || another_differs;
        }
        (!is_another).then_some(false)
    }

    fn agreement(&self, repeats: &Value, record: Option<&Value>) -> Agreement {
        let shown = |member: &Value| record.and_then(|record| self.member(record, member.as_str().unwrap_or_default()));
        let sent = |row: &Value| -> Vec<String> {
            let of = row["of"].as_array().into_iter().flatten();
            of.filter_map(|parameter| told(self.request, parameter.as_str()?)).collect()
        };
        let rows = |of: &str| repeats[of].as_array().into_iter().flatten();
        let mut all = Agreement::default();
        for (sent, shown) in rows("ids").map(|row| (sent(row), shown(&row["member"]))) {
            match shown {
                _ if sent.is_empty() => {}
                None => all.omits = true,
                Some(shown) if sent.contains(&shown) => all.agrees = true,
                Some(_) => all.differs = true,
            }
        }
        for (sent, shown) in rows("also").map(|row| (sent(row), shown(&row["member"]))) {
            all.another_differs |= !sent.is_empty() && shown.is_some_and(|shown| !sent.contains(&shown));
        }
        for row in rows("by_one") {
            let (sent, members) = (sent(row), row["members"].as_array().into_iter().flatten());
            let shown: Vec<String> = members.filter_map(shown).collect();
            let agrees = shown.iter().any(|shown| sent.contains(shown));
            all.another_differs |= !sent.is_empty() && !shown.is_empty() && !agrees;
        }
        all
    }

    /// Returns the text of a member of the data, whichever form a record has.
    fn member(&self, data: &Value, member: &str) -> Option<String> {
        let success = &self.operation["success"];
        let place = || success["members"].as_array()?.iter().position(|known| known == member);
        match data {
            Value::Object(_) => told(data, member),
            Value::Array(items) => items.get(place()?).and_then(text).filter(|text| !text.is_empty()),
            Value::String(_) | Value::Number(_) => {
                let is_only = success["members"].as_array().is_some_and(|all| all.len() == 1) && place() == Some(0);
                text(data).filter(|text| is_only && !text.is_empty())
            }
            Value::Null | Value::Bool(_) => None,
        }
    }

    /// Returns the items of data that is a list.
    fn listed<'a>(&self, data: Option<&'a Value>) -> Vec<&'a Value> {
        let list = self.operation["success"]["list"].as_str();
        let data = match (data, list) {
            (Some(Value::Object(members)), Some(list)) => members.get(list),
            (data, _) => data,
        };
        data.and_then(Value::as_array).into_iter().flatten().collect()
    }

    /// Returns whether data that repeats no id shows what it has to.
    fn shows_enough(&self, data: Option<&Value>) -> bool {
        let success = &self.operation["success"];
        let members = || success["members"].as_array().into_iter().flatten().filter_map(Value::as_str);
        match (success["shows"].as_str(), data) {
            (Some("nothing"), _) => true,
            (_, None) => false,
            (Some("list"), Some(data)) => data.is_array() || data.is_object(),
            (Some("each"), Some(data)) => members().all(|member| data.get(member).is_some()),
            (_, Some(Value::Object(data))) => members().any(|member| data.contains_key(member)),
            (_, Some(Value::Array(items))) => !items.is_empty(),
            (_, Some(data)) => text(data).is_some_and(|text| !text.is_empty()),
        }
    }

    /// Returns whether data is of the kind that its records have.
    fn is_of_kind(&self, data: Option<&Value>) -> bool {
        let success = &self.operation["success"];
        match (data, success["shows"].as_str()) {
            (Some(Value::Object(data)), Some("list")) => {
                success["by_name"] == true || success["list"].as_str().is_some_and(|list| data.contains_key(list))
            }
            (None | Some(Value::Null | Value::Object(_)), _) | (Some(Value::Array(_)), Some("list")) => true,
            (Some(Value::Array(_)), _) => success["by_place"].as_array().is_some_and(|fields| !fields.is_empty()),
            (Some(data), _) => {
                let is_value = success["by_place"].as_array().is_some_and(|fields| fields.len() == 1);
                is_value || success["form"].is_string() || text(data).is_some_and(|text| text.is_empty())
            }
        }
    }

    /// Returns the row of a code for this operation.
    fn row(&self, code: &str) -> Option<&'f Value> {
        let (family, account) = (&self.operation["family"], self.operation.get("account"));
        self.file["codes"][code].as_array()?.iter().find(|row| {
            let Some(families) = row["families"].as_array() else { return true };
            let is_of_account = account.is_some_and(|account| families.contains(account));
            families.contains(family) || is_of_account && row["certainty"] != "documented"
        })
    }

    fn by_code(&self, code: &str, is_late: bool) -> Outcome {
        let Some(row) = self.row(code) else { return self.late(self.ended("unlisted-code"), None, is_late) };
        let is_not_done = row["not_done"].as_array().is_some_and(|all| all.contains(&self.operation["effect"]));
        let is_open = row["open_if_several"] == true && self.has_several_effects();
        let outcome = if is_not_done && !is_open { Outcome::NotDone } else { Outcome::Unknown };
        self.late(outcome, Some(row), is_late)
    }

    /// Returns the outcome, unless the answer may be that of a copy that alone was refused.
    fn late(&self, outcome: Outcome, row: Option<&Value>, is_late: bool) -> Outcome {
        let is_alike = row.is_some_and(|row| row["alike"] == true);
        if outcome == Outcome::NotDone && is_late && !is_alike { Outcome::Unknown } else { outcome }
    }

    fn by_status(&self, answer: Answer<'_>, body: &[u8], is_torn: bool) -> Outcome {
        let code = answer.status.to_string();
        let row = self.row(&code);
        let is_trusted = row.is_some_and(|row| row["end"] != "unlisted-code");
        if is_trusted && self.file["envelope"].get("success").is_none() {
            return self.by_code(&code, answer.is_late);
        }
        let end = match answer.status {
            429 => "too-many-requests",
            500.. => "server-error",
            _ => "other-status",
        };
        let begins = matches!(body.trim_ascii_start().first(), Some(b'{' | b'['));
        match self.file["ends"][end]["outcome"].as_str() {
            Some("by_code") if begins && is_torn => Outcome::Unknown,
            Some("by_code") if is_trusted => self.by_code(&code, answer.is_late),
            _ => self.late(self.ended(end), row, answer.is_late),
        }
    }

    /// Returns whether the request does several things.
    fn has_several_effects(&self) -> bool {
        let Some(several) = self.operation.get("several_effects") else { return false };
        let (Some(parameter), Some(value)) = (several["when"]["parameter"].as_str(), several["when"]["is"].as_str())
        else {
            return true;
        };
        let has = |within: &Value| told(within, parameter).as_deref() == Some(value);
        let list = self.operation["settle"]["each_of"].as_str();
        has(self.request) || list.is_some_and(|list| items_of(self.request, list).into_iter().any(has))
    }
}

/// The agreement of the values of a record with those of the request.
#[derive(Default)]
struct Agreement {
    agrees: bool,
    differs: bool,
    omits: bool,
    another_differs: bool,
}

/// Returns the text of a member, which may be in nested objects; `None` if it is absent or empty.
fn told(object: &Value, name: &str) -> Option<String> {
    match object.get(name) {
        Some(value) => text(value).filter(|text| !text.is_empty()),
        None => {
            let (outer, inner) = name.split_once('.')?;
            told(object.get(outer)?, inner)
        }
    }
}

/// Returns the items of a list of a request; `[]` is the whole of it.
fn items_of<'a>(request: &'a Value, list: &str) -> Vec<&'a Value> {
    let list = if list == "[]" { request } else { &request[list] };
    list.as_array().into_iter().flatten().collect()
}

/// Returns the value at a path.
fn at<'a>(json: &'a Value, path: &Value) -> Option<&'a Value> {
    path.as_array()?.iter().try_fold(json, |value, step| match step {
        Value::String(member) => value.get(member),
        step => value.get(usize::try_from(step.as_u64()?).ok()?),
    })
}

/// Returns the text at the first of several paths that has one.
fn first_at(json: &Value, paths: &Value) -> Option<String> {
    paths.as_array()?.iter().find_map(|path| text(at(json, path)?))
}

/// Returns the paths to codes and messages.
fn paths(envelope: &Value) -> impl Iterator<Item = &Value> {
    let all = ["code", "message"].map(|of| envelope[of].as_array().into_iter().flatten());
    all.into_iter().flatten()
}
