//! Objects whose names are values.

use std::fmt;
use std::ops::Deref;

use super::decode::Decode;
use super::error::ReadError;
use super::reader::Reader;
use super::record::RecordField;
use super::table::Form;
use super::writer::{Encode, JsonWriter};

/// An object whose names are values, such as a price for each pair, in the order in which it was sent.
///
/// An unreadable value does not hide the others, and is kept with its error.
///
/// ```
/// use tradeapi_runtime::json::{Map, read_json};
///
/// let sizes: Map<u64> = read_json(r#"{"a": 1, "b": "2", "c": []}"#)?;
/// assert_eq!((sizes.get("b"), sizes.len(), sizes.is_complete()), (Some(&2), 2, false));
/// # Ok::<(), tradeapi_runtime::json::ReadError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Map<T> {
    /// The names with their values, in the order they came.
    pub entries: Vec<(String, T)>,
    /// The entries that could not be read.
    pub bad: Vec<BadEntry>,
}

/// An entry of a [`Map`] that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEntry {
    /// The name.
    pub name: String,
    /// The JSON text of its value.
    pub raw: String,
    /// The mistake in the value; offset and path count from the beginning of `raw`.
    pub error: ReadError,
}

/// The entries, followed by those that could not be read.
impl<T: fmt::Debug> fmt::Debug for Map<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries.iter().map(|(name, value)| (name, value as &dyn fmt::Debug));
        let bad = self.bad.iter().map(|bad| (&bad.name, bad as &dyn fmt::Debug));
        f.debug_map().entries(entries.chain(bad)).finish()
    }
}

impl<T> Map<T> {
    /// The value with this name, the last if there are several.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.entries.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// Returns whether every value that was sent could be read.
    pub fn is_complete(&self) -> bool {
        self.bad.is_empty()
    }
}

impl<T> Default for Map<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), bad: Vec::new() }
    }
}

impl<T> Deref for Map<T> {
    type Target = [(String, T)];

    fn deref(&self) -> &[(String, T)] {
        &self.entries
    }
}

impl<T> IntoIterator for Map<T> {
    type Item = (String, T);
    type IntoIter = std::vec::IntoIter<(String, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Map<T> {
    type Item = &'a (String, T);
    type IntoIter = std::slice::Iter<'a, (String, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl<T: Decode> Decode for Map<T> {
    const FORM: Form = Form::Map(&T::FORM);

    /// Reads `null` and `""` as an empty map.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let mut map = Self::default();
        if from.take_nothing()? {
            return Ok(map);
        }
        let mut members = from.object(&[])?;
        while let Some(name) = members.next_name(from)? {
            let name = name.into_owned();
            from.take_room(name.len())?;
            let start = from.mark();
            match T::decode(from) {
                Ok(value) => from.keep(&mut map.entries, (name, value))?,
                Err(error) => {
                    let (raw, error) = from.set_apart(start, error)?;
                    from.keep(&mut map.bad, BadEntry { name, raw, error })?;
                }
            }
        }
        Ok(map)
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

impl<T: Encode> Encode for Map<T> {
    fn encode(&self, out: &mut JsonWriter) {
        out.begin_object();
        for (name, value) in &self.entries {
            value.encode(out.member(name));
        }
        for bad in &self.bad {
            out.member(&bad.name).raw(&bad.raw);
        }
        out.end_object();
    }
}

impl<T: Encode + fmt::Debug> RecordField for Map<T> {
    /// The map, unless it is empty.
    fn shown(&self) -> Option<&dyn fmt::Debug> {
        let is_empty = self.entries.is_empty() && self.bad.is_empty();
        (!is_empty).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::json::{read_json, write_json};

    #[test]
    fn is_read_in_its_order_and_written_again() {
        let text = r#"{"b":[1],"a":["x"],"é\n":[],"b":[2]}"#;
        let map: Map<Vec<u64>> = read_json(text).unwrap_or_default();
        assert_eq!((map.get("b"), map.get("x"), map.len()), (Some(&vec![2]), None, 3));
        assert_eq!(map.bad[0].error.to_string(), "[0]: expected a whole number, found \"x\" (at byte 1)");
        let written = write_json(&map);
        assert_eq!(written, r#"{"b":[1],"é\n":[],"b":[2],"a":["x"]}"#);
        assert_eq!(read_json(&written), Ok(map));
    }

    #[test]
    fn nothing_is_an_empty_map_and_broken_json_an_error() {
        for nothing in ["null", "\"\"", "{}"] {
            assert_eq!(read_json::<Map<u64>>(nothing), Ok(Map::default()), "{nothing}");
        }
        for broken in ["{\"a\":1", "{\"a\":{]}", "[]", "{\"a\" 1}"] {
            assert!(read_json::<Map<u64>>(broken).is_err(), "{broken}");
        }
    }
}
