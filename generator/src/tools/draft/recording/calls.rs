//! The calls of a recording, whichever its form.

use serde_json::Value;

use super::body::{self, Body};

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

/// The calls of a HAR file or a journal; `None` if the text is neither.
pub(super) fn read(text: &str) -> Option<Vec<Call>> {
    har(text).or_else(|| journal(text))
}

/// The host with the most calls; a page also calls others.
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
