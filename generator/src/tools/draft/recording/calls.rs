//! The calls of a recording, whichever its form, with the bodies of requests and answers: JSON, forms, and what is
//! neither.

use serde_json::{Map, Value};

/// The body of a request.
pub(super) enum Body {
    None,
    Json(Value),
    /// The fields of a form, each as text.
    Form(Value),
    /// Something that is not read, in words.
    Other(String),
}

impl Body {
    /// Returns the `postData` of HAR: a text, parameters, or both.
    fn of_har(data: &Value) -> Self {
        let media = data["mimeType"].as_str().unwrap_or_default();
        let text = data["text"].as_str().unwrap_or_default();
        let params = data["params"].as_array().map(Vec::as_slice).unwrap_or_default();
        if media.starts_with("multipart/") {
            return Self::Other(format!("{media}, which is not read"));
        }
        if text.is_empty() && !params.is_empty() {
            let pair = |param: &Value| {
                let text = |key: &str| param[key].as_str().unwrap_or_default().to_owned();
                (decoded(&text("name")), decoded(&text("value")))
            };
            return Self::Form(object(params.iter().map(pair)));
        }
        Self::of_text(media, text)
    }

    /// Creates a text of this media type, which may be unknown.
    pub(super) fn of_text(media: &str, text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::None;
        }
        if media.starts_with("application/x-www-form-urlencoded") {
            return Self::Form(pairs(text));
        }
        match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() || value.is_array() => Self::Json(value),
            _ if media.is_empty() && is_form(text) => Self::Form(pairs(text)),
            _ => Self::Other("neither JSON nor a form".to_owned()),
        }
    }
}

/// Returns whether a text of an unknown type is written like a form.
fn is_form(text: &str) -> bool {
    text.split('&').all(|pair| pair.contains('=')) && !text.contains([' ', '\n', '<', '{'])
}

/// Returns the parameters of a query or a form. One that comes several times is a list.
pub(super) fn pairs(text: &str) -> Value {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    object(pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    }))
}

fn object(pairs: impl Iterator<Item = (String, String)>) -> Value {
    let mut members: Map<String, Value> = Map::new();
    for (name, value) in pairs {
        let value = Value::String(value);
        match members.get_mut(&name) {
            None => drop(members.insert(name, value)),
            Some(Value::Array(several)) => several.push(value),
            Some(one) => *one = Value::Array(vec![one.take(), value]),
        }
    }
    Value::Object(members)
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// Returns the JSON of an answer, which HAR may write in Base64.
pub(super) fn answer(content: &Value) -> Option<Value> {
    let text = content["text"].as_str()?;
    match content["encoding"].as_str() {
        Some("base64") => serde_json::from_slice(&of_base64(text)?).ok(),
        _ => serde_json::from_str(text).ok(),
    }
}

fn of_base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        bits = bits << 6 & 0xff_ffff | u32::from(digit(byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// One recorded call.
pub(super) struct Call {
    pub(super) host: String,
    pub(super) method: String,
    pub(super) path: String,
    /// The parameters in the query.
    pub(super) query: Value,
    pub(super) body: Body,
    /// The answer; `None` if there was none.
    pub(super) answer: Option<(u64, Option<Value>)>,
}

/// Returns the calls of a HAR file or a journal; `None` if the text is neither.
pub(super) fn read(text: &str) -> Option<Vec<Call>> {
    har(text).or_else(|| journal(text))
}

/// Returns the host with the most calls; a page also calls others.
pub(super) fn most_called(calls: &[Call]) -> String {
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
        let answer = status.map(|status| (status, answer(&entry["response"]["content"])));
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
    Call { host, method, path, query: pairs(query), body, answer }
}

/// Returns a path with its ids replaced by parameters.
pub(super) fn template(path: &str) -> String {
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
