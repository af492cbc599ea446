use http::{HeaderMap, HeaderName, HeaderValue};

use crate::client::BuildError;
use crate::tables::{Api, Header, Meta, Sent};

/// Values for the headers an API has beside the credentials.
#[derive(Clone, Debug, Default)]
pub struct HeaderValues {
    values: Vec<(&'static Header, HeaderName, HeaderValue)>,
}

impl HeaderValues {
    /// Takes names and values; of a name that comes twice the last value counts.
    ///
    /// # Errors
    ///
    /// When the API has no header of a name, or a value cannot be sent.
    pub fn new(api: &'static Api, given: &[(String, String)]) -> Result<Self, BuildError> {
        let mut values = Self::default();
        for (name, value) in given {
            values.set(api, name, value).map_err(|why| BuildError::Header { name: name.clone(), why })?;
        }
        Ok(values)
    }

    fn set(&mut self, api: &'static Api, name: &str, value: &str) -> Result<(), String> {
        let header = api.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let known: Vec<_> = api.headers.iter().map(|header| header.name).collect();
            format!("is none of {}", known.join(", "))
        })?;
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|error| error.to_string())?;
        let value = HeaderValue::from_str(value).map_err(|_| "has a value that no header can have".to_owned())?;
        self.values.retain(|(_, other, _)| *other != name);
        self.values.push((header, name, value));
        Ok(())
    }

    /// Puts those that go on requests of the operation `meta` into `headers`.
    pub(super) fn add_to(&self, headers: &mut HeaderMap, meta: &Meta) {
        let takes = |header: &Header| meta.headers.iter().any(|name| header.name.eq_ignore_ascii_case(name));
        for (header, name, value) in &self.values {
            if header.sent == Sent::Always || takes(header) {
                headers.insert(name.clone(), value.clone());
            }
        }
    }
}
