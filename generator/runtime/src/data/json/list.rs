//! Lists with their unreadable items apart, and objects whose names are values.

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use super::decode::Decode;
use super::path::ReadError;
use super::reader::{Kind, Reader};
use super::record::RecordField;
use super::table::Form;
use super::writer::{Encode, JsonWriter};

/// A list as the exchange sent it: the readable items, and the unreadable ones apart.
///
/// An unreadable item does not hide the others, and is kept with its error. A list is the slice of its readable items:
/// loops, `len`, `is_empty` and `first` pass over the others. Where nothing may be missing, as in a sum or in "no order
/// is open", take the items with [`complete`](Self::complete), which fails instead.
///
/// ```
/// use tradeapi_runtime::json::{List, read_json};
///
/// let list: List<u64> = read_json(r#"[1, {"an": "order"}]"#)?;
/// assert_eq!(list.iter().sum::<u64>(), 1); // of what could be read
/// assert!(!list.is_complete() && list.complete().is_err());
///
/// let list: List<u64> = read_json(r#"[{"an": "order"}]"#)?;
/// assert!(list.is_empty()); // nothing could be read, though something was sent
/// # Ok::<(), tradeapi_runtime::json::ReadError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct List<T> {
    /// The items that were read, in the order they came.
    pub items: Vec<T>,
    /// The items that could not be read.
    pub bad: Vec<BadItem>,
}

/// An item of a [`List`] that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadItem {
    /// The place in the list as it was sent, from 0.
    pub index: usize,
    /// The JSON text.
    pub raw: String,
    /// The mistake in the value; offset and path count from the beginning of `raw`.
    pub error: ReadError,
}

impl<T> List<T> {
    /// Returns whether every item that was sent could be read.
    pub fn is_complete(&self) -> bool {
        self.bad.is_empty()
    }
}

impl<T> List<T> {
    /// Returns the items, if every item that was sent could be read.
    ///
    /// # Errors
    ///
    /// Returns the items that could not be read.
    pub fn complete(self) -> Result<Vec<T>, IncompleteList> {
        match self.bad.is_empty() {
            true => Ok(self.items),
            false => Err(IncompleteList { readable: self.items.len(), bad: self.bad }),
        }
    }
}

/// Items of a [`List`] that could not be read.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IncompleteList {
    /// The number of items that could be read.
    pub readable: usize,
    /// The items that could not; there is at least one.
    pub bad: Vec<BadItem>,
}

impl fmt::Display for IncompleteList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} items cannot be read", self.bad.len(), self.readable + self.bad.len())?;
        self.bad.first().map_or(Ok(()), |bad| write!(f, "; item {}: {}", bad.index, bad.error))
    }
}

debug_as_sentence!(IncompleteList);

impl Error for IncompleteList {}

/// The items, followed by those that could not be read.
impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for item in &self.items {
            list.entry(item);
        }
        list.entries(&self.bad).finish()
    }
}

/// A line for each item, and one for each that could not be read.
impl<T: fmt::Display> fmt::Display for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bad = self.bad.iter().map(|bad| format!("item {} cannot be read: {}", bad.index, bad.error));
        let mut lines = self.items.iter().map(ToString::to_string).chain(bad);
        lines.next().map_or(Ok(()), |line| f.write_str(&line))?;
        lines.try_for_each(|line| write!(f, "\n{line}"))
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { items: Vec::new(), bad: Vec::new() }
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, bad: Vec::new() }
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

/// The readable items; see [`List::complete`].
impl<T> IntoIterator for List<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// The readable items; see [`List::complete`].
impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<T: Decode> List<T> {
    /// Reads the values of an object, each of which keeps its name.
    fn read_values(&mut self, from: &mut Reader<'_>) -> Result<(), ReadError> {
        let mut members = from.object(&[])?;
        for index in 0.. {
            let Some(name) = members.next_name(from)? else { break };
            let name = name.into_owned();
            from.take_room(name.len())?;
            self.read_item(index, Some(&name), from)?;
        }
        Ok(())
    }

    fn read_item(&mut self, index: usize, name: Option<&str>, from: &mut Reader<'_>) -> Result<(), ReadError> {
        let start = from.mark();
        match T::append(&mut self.items, from) {
            Ok(()) => {
                if let (Some(name), Some(item)) = (name, self.items.last_mut()) {
                    item.set_key(name);
                }
                Ok(())
            }
            Err(error) => {
                let (raw, error) = from.set_apart(start, error)?;
                from.keep(&mut self.bad, BadItem { index, raw, error })
            }
        }
    }
}

impl<T: Decode> Decode for List<T> {
    const FORM: Form = if T::HAS_KEY { Form::Map(&T::FORM) } else { Form::List(&T::FORM) };

    /// Reads `null` and `""` as an empty list, and an object as a list of its values, if they keep their names.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let mut list = Self::default();
        if from.take_nothing()? {
            return Ok(list);
        }
        if T::HAS_KEY && from.peek() == Kind::Object {
            list.read_values(from)?;
            return Ok(list);
        }
        let mut elements = from.array()?;
        while let Some(index) = elements.next(from)? {
            list.read_item(index, None, from)?;
        }
        Ok(list)
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

impl<T: Encode> Encode for List<T> {
    /// Writes bad items as they came, each in its place.
    fn encode(&self, out: &mut JsonWriter) {
        let (mut index, mut bad) = (0, self.bad.as_slice());
        out.begin_array();
        for item in &self.items {
            index = encode_bad(&mut bad, index, out);
            item.encode(out.element());
            index += 1;
        }
        encode_bad(&mut bad, index, out);
        out.end_array();
    }
}

impl<T: Encode + fmt::Debug> RecordField for List<T> {
    /// Returns the list, unless it is empty.
    fn shown(&self) -> Option<&dyn fmt::Debug> {
        let is_empty = self.items.is_empty() && self.bad.is_empty();
        (!is_empty).then_some(self)
    }
}

/// Writes the bad items that come next, from `index` on, and returns the index behind them.
fn encode_bad(bad: &mut &[BadItem], mut index: usize, out: &mut JsonWriter) -> usize {
    while let [next, rest @ ..] = *bad
        && next.index == index
    {
        out.element().raw(&next.raw);
        *bad = rest;
        index += 1;
    }
    index
}

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
    /// Returns the value with this name, the last if there are several.
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
    /// Returns the map, unless it is empty.
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
    fn a_bad_item_does_not_hide_the_others() -> Result<(), ReadError> {
        let list: List<u64> = read_json(r#"[1, "2", {"a": [3]}, null, 5]"#)?;
        assert_eq!(*list, [1, 2, 5]);
        assert!(!list.is_complete());
        let bad: Vec<_> = list.bad.iter().map(|bad| (bad.index, bad.raw.as_str(), bad.error.offset())).collect();
        assert_eq!(bad, [(2, r#"{"a": [3]}"#, 0), (3, "null", 0)]);
        assert_eq!(write_json(&list), r#"[1,2,{"a": [3]},null,5]"#);
        Ok(())
    }

    #[test]
    fn a_list_with_an_unreadable_item_is_not_complete() -> Result<(), Box<dyn Error>> {
        let list: List<u64> = read_json(r#"[1, "x", 3, {}]"#)?;
        let Err(incomplete) = list.complete() else { return Err("complete".into()) };
        assert_eq!((incomplete.readable, incomplete.bad.len()), (2, 2));
        assert!(incomplete.to_string().starts_with("2 of 4 items cannot be read; item 1: "), "{incomplete}");
        assert_eq!(read_json::<List<u64>>("[1, 3]")?.complete()?, [1, 3]);
        Ok(())
    }

    #[test]
    fn a_nested_bad_item_is_reported_by_its_path() -> Result<(), ReadError> {
        let list: List<Vec<u64>> = read_json(r#"[[1], [2, "x"], [3]]"#)?;
        assert_eq!(list.items, [[1], [3]]);
        assert_eq!(list.bad[0].error.to_string(), "[1]: expected a whole number, found \"x\" (at byte 4)");
        Ok(())
    }

    #[test]
    fn nothing_is_an_empty_list() {
        for nothing in ["null", "\"\"", "[]"] {
            assert_eq!(read_json::<List<u64>>(nothing), Ok(List::default()), "{nothing}");
        }
    }

    #[test]
    fn broken_json_is_an_error() {
        for broken in ["[1, {]", "[1, 2", "[1 2]", "{}"] {
            assert!(read_json::<List<u64>>(broken).is_err(), "{broken}");
        }
    }

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
