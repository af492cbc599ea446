use serde::de::value::SeqDeserializer;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess};

use super::ReadError;
use crate::diagnostics::Place;

/// Where something stands, and then what stands there: what a `Spanned` is read from.
pub(super) struct PlaceThen<R> {
    place: Place,
    reader: R,
    step: u8,
}

impl<R> PlaceThen<R> {
    pub(super) fn new(place: Place, reader: R) -> Self {
        Self { place, reader, step: 0 }
    }
}

impl<'a, R> SeqAccess<'a> for PlaceThen<R>
where
    R: Deserializer<'a, Error = ReadError> + Copy,
{
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Place { file, line, column, start, end } = self.place;
        self.step += 1;
        match self.step {
            1 => seed.deserialize(SeqDeserializer::new([file, line, column, start, end].into_iter())).map(Some),
            2 => seed.deserialize(self.reader).map(Some),
            _ => Ok(None),
        }
    }
}
