//! Writes the paths of requests.

use std::borrow::Cow;

use super::query;
use crate::value::{Scalar, Scratch};

/// Writes the path of a request. A path without parameters, after an address without a path, is not even copied.
#[derive(Clone, Debug, Default)]
pub struct PathWriter {
    path: Cow<'static, str>,
}

impl PathWriter {
    /// Begins after `base`, the path of the base address.
    pub(crate) fn after(base: &str) -> Self {
        Self { path: Cow::Owned(base.to_owned()) }
    }

    /// Writes a part of the path unchanged.
    pub fn literal(&mut self, part: &'static str) {
        if self.path.is_empty() {
            self.path = Cow::Borrowed(part);
        } else {
            self.path.to_mut().push_str(part);
        }
    }

    /// Writes a value inside one segment, escaped so that it stays one segment.
    pub fn segment(&mut self, value: &impl Scalar) {
        query::encode(value.text(&mut Scratch::new()), self.path.to_mut());
    }

    /// The path written.
    pub fn finish(self) -> Cow<'static, str> {
        self.path
    }
}
