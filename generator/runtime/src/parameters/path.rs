use super::percent;
use super::scalar::{Scalar, Scratch};

/// Writes the path of a request.
#[derive(Clone, Debug, Default)]
pub struct PathWriter {
    path: String,
}

impl PathWriter {
    /// Begins after `base`, the path of the base address.
    pub(crate) fn after(base: &str) -> Self {
        Self { path: base.to_owned() }
    }

    /// Writes a part of the path as it is.
    pub fn literal(&mut self, part: &str) {
        self.path.push_str(part);
    }

    /// Writes a value inside one segment: whatever it holds, it stays one.
    pub fn segment(&mut self, value: &impl Scalar) {
        percent::encode(value.text(&mut Scratch::new()), &mut self.path);
    }

    /// The path written.
    pub fn finish(self) -> String {
        self.path
    }
}
