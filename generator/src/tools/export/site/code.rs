//! Code on the site: JSON and Rust with spans for the style sheet to colour, and calls of curl.

use std::borrow::Cow;

use maud::{Markup, Render, html};
use percent_encoding::percent_decode_str;
use proc_macro2::{TokenStream, TokenTree};
use serde_json::{Map, Value};

use super::address::{encode, encode_in_query};
use super::view::{
    Access, Api, Credentials, Encoding, Lists, Objects, Operation, ParameterStyle, Part, PartKind, Sends, SignedPart,
    SignedQuery, Within, parts_text,
};
use crate::tools::export;
/// Code between tags, in which quotation marks are not escaped because code is full of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeText<T>(pub(super) T);

impl<T: AsRef<str>> Render for CodeText<T> {
    fn render_to(&self, out: &mut String) {
        for c in self.0.as_ref().chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                c => out.push(c),
            }
        }
    }
}

/// The maximum width of a list or an object on one line.
const WIDTH: usize = 48;

/// Shows JSON over several lines; any other text is shown unchanged.
pub(super) fn json(text: &str) -> Markup {
    match serde_json::from_str(text) {
        Ok(value) => html! { (member(&value, 0)) },
        Err(_) => html! { (text) },
    }
}

/// Returns JSON over several lines without colours, as the initial text of an editor.
pub(super) fn plain_json(text: &str) -> String {
    serde_json::from_str::<Value>(text).map_or_else(|_| text.to_owned(), |value| format!("{value:#}"))
}

/// Returns a request as a JSON value.
pub(super) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

/// Returns JSON on one line, which the browser may wrap.
pub(super) fn spaced_json(value: &Value) -> String {
    let all = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(members) => {
            let member =
                |(name, inner): (&String, &Value)| format!("{}: {}", Value::from(name.as_str()), spaced_json(inner));
            format!("{{{}}}", all(members.iter().map(member).collect()))
        }
        Value::Array(items) => format!("[{}]", all(items.iter().map(spaced_json).collect())),
        other => other.to_string(),
    }
}

/// The maximum number of items of a list that is shown completely.
const FEW: usize = 5;

/// Returns the value with longer lists cut to the first item and the number of the others.
pub(super) fn brief(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().map(|(name, inner)| (name.clone(), brief(inner))).collect(),
        Value::Array(items) if items.len() > FEW => {
            let more = Value::from(format!("\u{2026} {} more", items.len() - 1));
            items.iter().take(1).map(brief).chain([more]).collect()
        }
        Value::Array(items) => items.iter().map(brief).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Returns the JSON merge patch (RFC 7396) that turns one request into another, by their outermost members.
pub(super) fn patch(from: &Value, to: &Value) -> Value {
    let (Some(from), Some(to)) = (from.as_object(), to.as_object()) else { return to.clone() };
    let changed = to.iter().filter(|(name, value)| from.get(*name) != Some(value));
    let removed = from.keys().filter(|name| !to.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    changed.map(|(name, value)| (name.clone(), value.clone())).chain(removed).collect::<Map<_, _>>().into()
}

fn member(value: &Value, depth: usize) -> Markup {
    let is_short = value.to_string().len() <= WIDTH;
    let line = |depth: usize| if is_short { String::new() } else { format!("\n{}", "  ".repeat(depth)) };
    let comma = if is_short { ", " } else { "," };
    html! {
        @match value {
            Value::Object(members) if !members.is_empty() => {
                "{" @if is_short { " " }
                @for (index, (name, inner)) in members.iter().enumerate() {
                    @if index > 0 { (comma) }
                    (line(depth + 1)) (CodeText(Value::from(name.as_str()).to_string())) ": " (member(inner, depth + 1))
                }
                (line(depth)) @if is_short { " " } "}"
            }
            Value::Array(items) if !items.is_empty() => {
                "["
                @for (index, inner) in items.iter().enumerate() {
                    @if index > 0 { (comma) }
                    (line(depth + 1)) (member(inner, depth + 1))
                }
                (line(depth)) "]"
            }
            Value::String(_) => i { (CodeText(value.to_string())) },
            Value::Number(_) => i.n { (value) },
            Value::Bool(_) | Value::Null => i.w { (value) },
            Value::Object(_) | Value::Array(_) => (value),
        }
    }
}

/// The Rust keywords that the example programs use.
const WORDS: [&str; 12] =
    ["async", "await", "fn", "let", "use", "mut", "dyn", "pub", "crate", "self", "move", "return"];

/// Shows Rust; any other text is shown unchanged.
pub(super) fn rust(text: &str) -> Markup {
    let Ok(tokens) = text.parse::<TokenStream>() else { return html! { (text) } };
    let mut spans = Vec::new();
    coloured(tokens, &mut spans);
    let mut end = 0;
    let parts: Vec<_> = spans
        .into_iter()
        .map(|(range, class)| {
            let part = (text.get(end..range.start).unwrap_or_default(), text.get(range.clone()), class);
            end = range.end;
            part
        })
        .collect();
    html! {
        @for (before, inside, class) in parts {
            (CodeText(before)) i class=[class] { (CodeText(inside.unwrap_or_default())) }
        }
        (CodeText(text.get(end..).unwrap_or_default()))
    }
}

fn coloured(tokens: TokenStream, spans: &mut Vec<(std::ops::Range<usize>, Option<&'static str>)>) {
    for token in tokens {
        let range = token.span().byte_range();
        match token {
            TokenTree::Group(group) => coloured(group.stream(), spans),
            TokenTree::Literal(literal) => {
                let is_text = literal.to_string().starts_with('"');
                spans.push((range, if is_text { None } else { Some("n") }));
            }
            TokenTree::Ident(name) if WORDS.contains(&name.to_string().as_str()) => spans.push((range, Some("w"))),
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// A request in the form of an HTTP call.
pub(super) struct Call {
    pub(super) path: String,
    pub(super) query: String,
    pub(super) body: String,
    /// The parameters that travel in headers.
    pub(super) headers: Vec<(String, String)>,
}

/// Returns how a request travels: parameters in the path, in the query, in the body or in headers.
pub(super) fn call(api: &Api, operation: &Operation, request: &str) -> Option<Call> {
    let request: Value = serde_json::from_str(request).ok()?;
    let has_elsewhere = operation.members().iter().any(|parameter| operation.is_elsewhere(parameter));
    if operation.sends() == Sends::Json && !has_elsewhere {
        return Some(Call {
            path: operation.path.text.clone(),
            query: String::new(),
            body: export::body(api, operation, request).to_string(),
            headers: Vec::new(),
        });
    }
    let mut members: Map<String, Value> = request.as_object()?.clone();
    let mut path = operation.path.text.clone();
    for name in operation.path.parameters() {
        let value = members.shift_remove(name).map(|value| text_of(&value)).unwrap_or_default();
        path = path.replace(&format!("{{{name}}}"), &encode(&value));
    }
    let beside: Vec<_> = operation
        .beside_body()
        .filter_map(|parameter| Some((parameter.name.wire.clone(), members.shift_remove(&parameter.name.wire)?)))
        .collect();
    let in_headers = operation.in_headers().map(|parameter| &parameter.name.wire);
    let headers: Vec<_> =
        in_headers.filter_map(|name| Some((name.clone(), header_text(&members.shift_remove(name)?)))).collect();
    let has_plain =
        api.credentials.as_ref().is_none_or(|credentials| credentials.signed_query() != SignedQuery::Escaped);
    let in_query = if has_plain { encode_in_query } else { encode };
    let query = pairs(operation, beside.iter().map(|(name, value)| (name, value)), in_query);
    if operation.sends() == Sends::Json {
        let array = operation.body.array().and_then(|array| members.shift_remove(&array.name.wire));
        let body = export::body(api, operation, array.unwrap_or(Value::Object(members))).to_string();
        return Some(Call { path, query, body, headers });
    }
    if let Value::Object(all) = export::body(api, operation, Value::Object(members.clone())) {
        members = all;
    }
    let (query, body) = match operation.sends() {
        Sends::Form => (query, pairs(operation, &members, encode)),
        Sends::Query | Sends::Json => (pairs(operation, &members, in_query), String::new()),
    };
    Some(Call { path, query, body, headers })
}

/// Returns parameters as a query or a form.
fn pairs<'a>(
    operation: &Operation,
    members: impl IntoIterator<Item = (&'a String, &'a Value)>,
    encode: fn(&str) -> String,
) -> String {
    let pairs = members.into_iter().flat_map(|(name, value)| pairs_of(operation.style, name, value));
    pairs.map(|(name, value)| format!("{}={}", encode(&name), encode(&value))).collect::<Vec<_>>().join("&")
}

/// Returns the pairs that a value becomes in a query or a form.
fn pairs_of(style: ParameterStyle, name: &str, value: &Value) -> Vec<(String, String)> {
    let spreads = |value: &Value| value.is_object() && style.objects != Objects::Json;
    match value {
        Value::Object(members) if spreads(value) => {
            let path = |member: &str| match style.objects {
                Objects::Dots => format!("{name}.{member}"),
                Objects::Json | Objects::Brackets => format!("{name}[{member}]"),
            };
            members.iter().flat_map(|(member, value)| pairs_of(style, &path(member), value)).collect()
        }
        Value::Array(items) => match style.lists {
            Lists::Json => vec![(name.to_owned(), value.to_string())],
            Lists::Comma => vec![(name.to_owned(), items.iter().map(text_of).collect::<Vec<_>>().join(","))],
            Lists::Repeated => items.iter().map(|item| (name.to_owned(), text_of(item))).collect(),
            Lists::Brackets | Lists::Indexed => {
                let numbered = items.iter().enumerate().flat_map(|(index, item)| {
                    let has_place = style.lists == Lists::Indexed || spreads(item);
                    let place = if has_place { index.to_string() } else { String::new() };
                    pairs_of(style, &format!("{name}[{place}]"), item)
                });
                numbered.collect()
            }
        },
        _ => vec![(name.to_owned(), text_of(value))],
    }
}

/// Returns the text of a value in a header.
fn header_text(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join(","),
        one => text_of(one),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the environment variable from which a call takes a value: `SHOP_URL`.
fn variable(api: &Api, what: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("{}_{what}", api.name.chars().map(letter).collect::<String>())
}

/// Returns a call of an operation as a shell script, signed if the operation requires it.
pub(super) fn curl(api: &Api, operation: &Operation, request: &str) -> Option<String> {
    let Call { path, query, body, headers: own } = call(api, operation, request)?;
    let signed = api.credentials.as_ref().filter(|_| operation.access == Access::Signed);
    let mut lines = Vec::new();
    if !body.is_empty() {
        lines.push(format!("body={}", quoted(&body)));
    }
    lines.extend(
        signed.into_iter().flat_map(|credentials| signature(api, credentials, operation, &path, &query, &body)),
    );
    let target = if query.is_empty() { path } else { format!("{path}?{query}") };
    let mut url = format!("\"${}\"{}", variable(api, "URL"), quoted(&target));
    let mut separator = if query.is_empty() { '?' } else { '&' };
    let mut headers: Vec<_> =
        own.iter().map(|(name, value)| format!("-H {}", quoted(&format!("{name}: {value}")))).collect();
    for carried in signed.iter().flat_map(|credentials| &credentials.carried) {
        let name = &carried.name;
        let value = match shell_text(api, &carried.parts) {
            Some(text) => text,
            None => {
                let own = shell_name(name);
                lines.push(format!("{own}=  # {}", parts_text(&carried.parts)));
                format!("${own}")
            }
        };
        match carried.within {
            Within::Header => headers.push(format!("-H {}\"{value}\"", quoted(&format!("{name}: ")))),
            Within::Query | Within::After | Within::Parameters => {
                url.push_str(&format!("\"{separator}{name}={value}\""));
                separator = '&';
            }
        }
    }
    let mut arguments = vec![format!("curl -X {} {url}", operation.method.as_str())];
    arguments.extend(headers);
    let sends_body = signed.is_none_or(|credentials| credentials.keeps_body.is_none());
    if !body.is_empty() && sends_body {
        let content =
            if operation.sends() == Sends::Form { "application/x-www-form-urlencoded" } else { "application/json" };
        arguments.push(format!("-H 'Content-Type: {content}'"));
        arguments.push("-d \"$body\"".to_owned());
    }
    lines.push(arguments.join(" \\\n  "));
    Some(lines.join("\n"))
}

/// Returns the name of a shell variable.
fn shell_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    name.chars().map(letter).collect()
}

/// Returns the text of a credential within double quotes; `None` if a shell has no simple expression for it.
fn shell_text(api: &Api, parts: &[Part]) -> Option<String> {
    let text = |part: &Part| match &part.kind {
        PartKind::Word(SignedPart::Key) => Some(format!("${}", variable(api, "KEY"))),
        PartKind::Word(SignedPart::Passphrase) => Some(format!("${}", variable(api, "PASSPHRASE"))),
        PartKind::Word(word) => Some(format!("${}", word.as_str())),
        PartKind::Text(text) => Some(text.clone()),
        PartKind::Header(_)
        | PartKind::Digest(..)
        | PartKind::Base64(_)
        | PartKind::Signed(_)
        | PartKind::Pairs(_)
        | PartKind::When(_) => None,
    };
    parts.iter().map(text).collect()
}

/// Returns the lines that sign. A signature that is not of the plain form is only described, for the reader to make.
fn signature(
    api: &Api,
    credentials: &Credentials,
    operation: &Operation,
    path: &str,
    query: &str,
    body: &str,
) -> Vec<String> {
    let Some(signature) = &credentials.signature else { return Vec::new() };
    let timestamp = "timestamp=$(date +%s)000".to_owned();
    let Some(encoding) = signature.first().map(|(_, encoding)| encoding).filter(|_| credentials.is_plain()) else {
        let parts: Vec<_> = signature.parts().iter().map(ToString::to_string).collect();
        let by = signature.first().map_or("", |(algorithm, _)| algorithm.as_str());
        return vec![format!("signature=  # {by} of {}", parts.join(", "))];
    };
    let signed_text = |query| match credentials.signed_query() {
        SignedQuery::Decoded => percent_decode_str(query).decode_utf8_lossy(),
        SignedQuery::Sent | SignedQuery::Escaped => Cow::Borrowed(query),
    };
    let parts = signature.parts().into_iter().map(|part| match &part.kind {
        PartKind::Word(SignedPart::Timestamp) => "\"$timestamp\"".to_owned(),
        PartKind::Word(SignedPart::Method) => quoted(operation.method.as_str()),
        PartKind::Word(SignedPart::Path) => quoted(path),
        PartKind::Word(SignedPart::Query) if !query.is_empty() => quoted(&format!("?{}", signed_text(query))),
        PartKind::Word(SignedPart::Body) if !body.is_empty() => "\"$body\"".to_owned(),
        PartKind::Word(_)
        | PartKind::Text(_)
        | PartKind::Header(_)
        | PartKind::Digest(..)
        | PartKind::Base64(_)
        | PartKind::Signed(_)
        | PartKind::Pairs(_)
        | PartKind::When(_) => String::new(),
    });
    let text: String = parts.collect();
    let digest = format!("openssl dgst -sha256 -hmac \"${}\"", variable(api, "SECRET"));
    let written = match encoding {
        Encoding::Base64 => format!("{digest} -binary | openssl base64 -A"),
        Encoding::Base64Url => format!("{digest} -binary | openssl base64 -A | tr +/ -_"),
        Encoding::Hex => format!("{digest} -hex | sed 's/^.* //'"),
        Encoding::HexCapitals => format!("{digest} -hex | sed 's/^.* //' | tr a-f A-F"),
    };
    vec![timestamp, format!("signature=$(printf %s {text} |\n  {written})")]
}

/// Returns a text quoted for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
