//! Writes the parameters that travel in headers.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::unsendable::Unsendable;
use crate::data::value::{Scalar, Scratch};

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
