//! A value of the raw model together with the place it was written at.

use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use crate::diagnostics::Place;

/// The name by which [`super::typed`] knows that a value asks for its place.
pub(super) const SPANNED: &str = "$Spanned";

/// A value and its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_newtype_struct(SPANNED, PlaceAndValue(std::marker::PhantomData))
    }
}

struct PlaceAndValue<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PlaceAndValue<T> {
    type Value = Spanned<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value with its place")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let missing = || serde::de::Error::custom("a value without its place");
        let [file, line, column, start, end] = seq.next_element()?.ok_or_else(missing)?;
        let value = seq.next_element()?.ok_or_else(missing)?;
        Ok(Spanned { value, place: Place { file, line, column, start, end } })
    }
}
