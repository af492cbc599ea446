use serde::de::{Deserializer, Visitor};

use super::ReadError;
use super::place::PlaceThen;
use crate::load::spanned::SPANNED;
use crate::load::tree::Key;

/// A key is a text, and may ask for its place.
#[derive(Clone, Copy)]
pub(super) struct KeyReader<'a> {
    pub(super) key: &'a Key,
}

impl<'a> Deserializer<'a> for KeyReader<'a> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_borrowed_str(&self.key.text)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(self, name: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        if name == SPANNED {
            return visitor.visit_seq(PlaceThen::new(self.key.place, self));
        }
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        <W: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
