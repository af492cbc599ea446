//! The bodies of recorded requests and answers: JSON, forms, and what is neither.

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
    /// The `postData` of HAR: a text, parameters, or both.
    pub(super) fn of_har(data: &Value) -> Self {
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

    /// A text of this media type, which may be unknown.
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

/// The parameters of a query or a form. One that comes several times is a list.
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

/// The JSON of an answer, which HAR may write in Base64.
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
