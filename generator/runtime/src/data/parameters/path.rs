//! Writes the paths of requests.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::query;
use super::unsendable::Unsendable;
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

    /// The path written.
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
