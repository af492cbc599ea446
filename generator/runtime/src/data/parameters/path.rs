//! Writes the paths of requests, and the parameters that travel in headers.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

use super::query;
use super::writer::Unsendable;
use crate::data::value::{Scalar, Scratch};

/// Writes the path of a request. A path without parameters, after an address without a path, is not even copied.
#[derive(Clone, Debug, Default)]
pub struct PathWriter {
    path: Cow<'static, str>,
    /// The last parameter in the segment that is written.
    parameter: Option<&'static str>,
    refused: Option<Unsendable>,
}

impl PathWriter {
    /// Begins after `base`, the path of the base address.
    pub(crate) fn after(base: &str) -> Self {
        Self { path: Cow::Owned(base.to_owned()), ..Self::default() }
    }

    /// Writes a part of the path unchanged.
    pub fn literal(&mut self, part: &'static str) {
        if let Some(slash) = part.find('/').filter(|_| self.parameter.is_some()) {
            let (end, rest) = part.split_at(slash);
            self.path.to_mut().push_str(end);
            self.end_segment();
            self.path.to_mut().push_str(rest);
        } else if self.path.is_empty() {
            self.path = Cow::Borrowed(part);
        } else {
            self.path.to_mut().push_str(part);
        }
    }

    /// Writes the value of a parameter inside one segment, escaped so that it stays one segment.
    pub fn segment(&mut self, parameter: &'static str, value: &impl Scalar) {
        query::encode_segment(value.text(&mut Scratch::new()), self.path.to_mut());
        self.parameter = Some(parameter);
    }

    /// Returns the path written.
    pub(crate) fn finish(mut self) -> Result<Cow<'static, str>, Unsendable> {
        self.end_segment();
        match self.refused {
            None => Ok(self.path),
            Some(refused) => Err(refused),
        }
    }

    /// Refuses a segment with a parameter in it that leads to another path.
    fn end_segment(&mut self) {
        let Some(parameter) = self.parameter.take() else { return };
        let segment = self.path.rsplit('/').next().unwrap_or_default();
        if segment.is_empty() || leads_elsewhere(segment) {
            self.refused = Some(Unsendable::segment(parameter, segment));
        }
    }
}

/// Returns whether a segment of a path is one to remove, or contains one: servers and proxies on the way resolve `.`
/// and `..`, also where they or a slash are escaped, some of them twice, and some take other numbers of dots likewise.
pub(crate) fn leads_elsewhere(segment: &str) -> bool {
    if segment.contains('%') {
        let decoded = percent_decode_str(segment).decode_utf8_lossy();
        return leads_elsewhere_unescaped(segment) || decoded != segment && leads_elsewhere(&decoded);
    }
    leads_elsewhere_unescaped(segment)
}

fn leads_elsewhere_unescaped(segment: &str) -> bool {
    segment.split(['/', '\\']).any(|part| !part.is_empty() && part.bytes().all(|byte| byte == b'.'))
}

/// Writes the parameters that travel in headers.
#[derive(Debug)]
pub struct HeaderWriter<'a> {
    headers: &'a mut HeaderMap,
    refused: Option<Unsendable>,
}

impl<'a> HeaderWriter<'a> {
    /// Writes into `headers`.
    pub(crate) fn into(headers: &'a mut HeaderMap) -> Self {
        Self { headers, refused: None }
    }

    /// Writes a value.
    pub fn text(&mut self, name: &'static str, value: &impl Scalar) {
        let mut scratch = Scratch::new();
        // Other texts are bytes without a meaning to a server.
        let text = Some(value.text(&mut scratch)).filter(|text| text.is_ascii());
        let value = text.and_then(|text| HeaderValue::from_str(text).ok());
        match HeaderName::from_bytes(name.as_bytes()).ok().zip(value) {
            Some((name, value)) => _ = self.headers.insert(name, value),
            None => self.refused = Some(Unsendable::header(name)),
        }
    }

    /// Writes the values of a list, with commas between them. A value with a comma of its own cannot be sent.
    pub fn list<T: Scalar>(&mut self, name: &'static str, values: &[T]) {
        let mut text = String::new();
        for (index, value) in values.iter().enumerate() {
            let mut scratch = Scratch::new();
            let value = value.text(&mut scratch);
            if value.contains(',') {
                self.refused = Some(Unsendable::comma(name, value));
                return;
            }
            text.push_str(if index == 0 { "" } else { "," });
            text.push_str(value);
        }
        self.text(name, &text);
    }

    /// Writes a list if it is set.
    pub fn optional_list<T: Scalar>(&mut self, name: &'static str, values: Option<&Vec<T>>) {
        if let Some(values) = values {
            self.list(name, values);
        }
    }

    /// Writes a value if it is set.
    pub fn optional_text<T: Scalar>(&mut self, name: &'static str, value: Option<&T>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// Fails with a value that no header can carry.
    pub(crate) fn finish(self) -> Result<(), Unsendable> {
        self.refused.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails panics")]

    use super::*;

    fn written(value: &str) -> Result<String, Unsendable> {
        let mut path = PathWriter::default();
        path.literal("/orders/");
        path.segment("id", &value.to_owned());
        path.literal("/fills");
        path.finish().map(Cow::into_owned)
    }

    /// The case `dot-segment-in-path`.
    #[test]
    fn no_value_leads_to_another_path() {
        for wrong in [
            "",
            ".",
            "..",
            "...",
            "%2e",
            "%2E%2e",
            ".%2E",
            "%252e%252e",
            "../x",
            "x/..",
            "x/./y",
            "..\\x",
            "..%2fx",
            "..%5Cx",
        ] {
            assert!(written(wrong).is_err(), "{wrong}");
        }
        for right in ["a", ".a", "a.", "..a", "a..b", "1.5", "%", "%zz", "%2", "a/b", "a%2Fb", "BTC-USDT:1", "-", "~"] {
            let path = written(right).unwrap();
            let segment = path.strip_prefix("/orders/").and_then(|path| path.strip_suffix("/fills")).unwrap();
            assert!(!segment.contains(['/', '?', '#']), "{path}");
            assert_eq!(percent_decode_str(segment).decode_utf8().unwrap(), right);
        }
    }

    #[test]
    fn a_segment_counts_as_a_whole() {
        let written = |first: &str, second: &str| {
            let mut path = PathWriter::after("/api");
            path.literal("/.");
            path.segment("a", &first.to_owned());
            path.segment("b", &second.to_owned());
            path.finish().map(Cow::into_owned)
        };
        assert!(written(".", "").is_err() && written("", ".").is_err() && written("", "").is_err());
        assert_eq!(written("a", ".").unwrap(), "/api/.a.");
    }
}
