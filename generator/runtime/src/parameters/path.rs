use std::borrow::Cow;

use super::percent;
use super::scalar::{Scalar, Scratch};

/// Writes the path of a request. One without parameters, behind an address without a path, is not even copied.
#[derive(Clone, Debug, Default)]
pub struct PathWriter {
    path: Cow<'static, str>,
}

impl PathWriter {
    /// Begins after `base`, the path of the base address.
    pub(crate) fn after(base: &str) -> Self {
        Self { path: Cow::Owned(base.to_owned()) }
    }

    /// Writes a part of the path as it is.
    pub fn literal(&mut self, part: &'static str) {
        if self.path.is_empty() {
            self.path = Cow::Borrowed(part);
        } else {
            self.path.to_mut().push_str(part);
        }
    }

    /// Writes a value inside one segment: whatever it holds, it stays one.
    pub fn segment(&mut self, value: &impl Scalar) {
        percent::encode(value.text(&mut Scratch::new()), self.path.to_mut());
    }

    /// The path written.
    pub fn finish(self) -> Cow<'static, str> {
        self.path
    }
}
