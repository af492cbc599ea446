//! The items of a list and the entries of a mapping, without what was reported.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::ReadError;
use super::key::KeyReader;
use super::node::NodeReader;
use crate::diagnostics::{Code, did_you_mean, nearest};
use crate::load::tree::{Key, Node};

pub(super) struct Items<'a> {
    pub(super) reader: NodeReader<'a>,
    pub(super) rest: std::slice::Iter<'a, Node>,
}

impl<'a> SeqAccess<'a> for Items<'a> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let shared = self.reader.shared;
        let Some(node) = self.rest.find(|node| !shared.skips(node)) else {
            return Ok(None);
        };
        seed.deserialize(self.reader.of(node)).map(Some).map_err(|error| error.within(node))
    }
}

pub(super) struct Entries<'a> {
    pub(super) reader: NodeReader<'a>,
    pub(super) rest: std::slice::Iter<'a, (Key, Node)>,
    pub(super) value: Option<(&'a Key, &'a Node)>,
    /// The keys of the type that is read; `None` where any key is one.
    pub(super) fields: Option<&'static [&'static str]>,
}

impl Entries<'_> {
    fn is_known(&self, key: &Key, node: &Node) -> bool {
        let Some(fields) = self.fields else { return true };
        if fields.contains(&key.text.as_str()) {
            return true;
        }
        let shared = self.reader.shared;
        shared.passed_over.borrow_mut().insert(node.id);
        let mut to = shared.diagnostics.borrow_mut();
        let meant = nearest(&key.text, fields.iter().copied());
        if let Some(meant) = meant {
            to.note_unread(key.place.file, meant);
        }
        let help = did_you_mean(&key.text, fields.iter().copied())
            .unwrap_or_else(|| format!("the keys here are: {}", fields.join(", ")).into());
        to.at(key.place, Code::UnknownKey, format!("unknown key `{}`", key.text)).help(help);
        false
    }
}

impl<'a> MapAccess<'a> for Entries<'a> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        loop {
            let Some((key, node)) = self.rest.next() else { return Ok(None) };
            if self.reader.shared.skips(node) {
                self.reader.shared.diagnostics.borrow_mut().note_unread(key.place.file, &key.text);
                continue;
            }
            if !self.is_known(key, node) {
                continue;
            }
            self.value = Some((key, node));
            return seed.deserialize(KeyReader { key }).map(Some).map_err(|error: ReadError| error.within(node));
        }
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let Some((key, node)) = self.value.take() else { return Err(self.reader.expected("a value")) };
        seed.deserialize(self.reader.of(node)).map_err(|error| {
            let error = error.within(node);
            // The value itself goes, and with it the key; where something within it is wrong, the key stays.
            if error.node.is_some_and(|(id, _)| id == node.id) {
                self.reader.shared.diagnostics.borrow_mut().note_unread(key.place.file, &key.text);
            }
            error
        })
    }
}
