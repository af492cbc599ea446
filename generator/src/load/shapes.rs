//! YAML forms that recur in the raw documents: a mapping of names, one text or several, a text or a mapping, and a
//! value with its place.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::diagnostics::Place;
use crate::words::Word;

/// A text and its place.
pub(crate) type Text = Spanned<String>;

/// A mapping whose keys are names of the API, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Named<T>(pub(crate) Vec<(Text, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for Named<T> {
    type Target = [(Text, T)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Collect<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Collect<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut entries = Vec::with_capacity(map.size_hint().unwrap_or_default());
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Named(entries))
            }
        }

        from.deserialize_map(Collect(PhantomData))
    }
}

/// One text, or a list of texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts(pub(crate) Vec<Text>);

impl Deref for Texts {
    type Target = [Text];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Spanned { value, place } = Spanned::<OneOrMany>::deserialize(from)?;
        Ok(Self(match value {
            OneOrMany::One(value) => vec![Spanned { value, place }],
            OneOrMany::Many(texts) => texts,
        }))
    }
}

enum OneOrMany {
    One(String),
    Many(Vec<Text>),
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OneOrMany, A::Error> {
                let mut texts = Vec::with_capacity(seq.size_hint().unwrap_or_default());
                while let Some(text) = seq.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMany::Many(texts))
            }
        }

        from.deserialize_any(Either)
    }
}

/// The name of the newtype by which [`super::typed`] recognizes a text in place of a mapping.
pub(super) const SHORT: &str = "$Short";

/// A mapping that may be shortened to the text of its `doc`.
pub(crate) trait ShortForm: for<'de> Deserialize<'de> {
    /// The mapping with only this `doc`.
    fn from_doc(doc: String) -> Self;
}

/// A [`ShortForm`] in either form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Short<T>(pub(crate) T);

impl<T> Deref for Short<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'de, T: ShortForm> Deserialize<'de> for Short<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);

        impl<'de, T: ShortForm> Visitor<'de> for Either<T> {
            type Value = Short<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a mapping")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Short<T>, E> {
                Ok(Short(T::from_doc(text.to_owned())))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Short<T>, D::Error> {
                T::deserialize(from).map(Short)
            }
        }

        from.deserialize_newtype_struct(SHORT, Either(PhantomData))
    }
}

/// One of a few words, or a mapping.
#[derive(Clone, Debug)]
pub(crate) enum WordOr<W, T> {
    /// The word.
    Word(W),
    /// The mapping.
    Mapping(T),
}

impl<'de, W: Word + Deserialize<'de>, T: Deserialize<'de>> Deserialize<'de> for WordOr<W, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<W, T>(PhantomData<(W, T)>);

        impl<'de, W: Word + Deserialize<'de>, T: Deserialize<'de>> Visitor<'de> for Either<W, T> {
            type Value = WordOr<W, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a mapping")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let word: de::value::StrDeserializer<'_, E> = de::IntoDeserializer::into_deserializer(text);
                W::deserialize(word).map(WordOr::Word).map_err(|_| E::unknown_variant(text, W::WORDS))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
                T::deserialize(from).map(WordOr::Mapping)
            }
        }

        from.deserialize_newtype_struct(SHORT, Either(PhantomData))
    }
}

/// The name of the newtype by which [`super::typed`] recognizes a value with a place.
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

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let missing = || serde::de::Error::custom("a value without its place");
        let [file, line, column, start, end] = map.next_key()?.ok_or_else(missing)?;
        let value = map.next_value()?;
        Ok(Spanned { value, place: Place { file, line, column, start, end } })
    }
}
