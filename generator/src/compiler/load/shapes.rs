//! YAML forms that recur in the raw documents: a mapping of names, one text or several, a text or a mapping, and a
//! value with its place.

use std::ops::Deref;

use super::typed::{NodeReader, Read, ReadError};
use crate::compiler::diagnostics::Place;
use crate::compiler::words::Word;

/// A text and its place.
pub(crate) type Text = Spanned<String>;

/// The value of a key that few mappings have. Those without it keep room for a pointer only: a schema has thousands of
/// fields, and a field dozens of such keys.
#[derive(Clone, Debug)]
pub(crate) struct Rare<T>(Option<Box<T>>);

impl<T> Default for Rare<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Rare<T> {
    /// The value, if the key is there.
    pub(crate) fn as_ref(&self) -> Option<&T> {
        self.0.as_deref()
    }

    /// Returns whether the key is there.
    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether the key is left out.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// This value, or else that of `other`.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    /// Takes the key away.
    pub(crate) fn take(&mut self) -> Option<T> {
        self.0.take().map(|value| *value)
    }
}

impl<T: Read> Read for Rare<T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        T::read(from).map(|value| Self(Some(Box::new(value))))
    }
}

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

impl<T: Read> Read for Named<T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let mut entries = Vec::with_capacity(from.len());
        from.mapping(None, &mut |key, value| {
            let name = Spanned { value: key.text.clone().into_owned(), place: key.place };
            entries.push((name, T::read(value)?));
            Ok(())
        })?;
        Ok(Self(entries))
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

impl Read for Texts {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let texts = from.texts()?.into_iter();
        Ok(Self(texts.map(|(value, place)| Spanned { value, place }).collect()))
    }
}

/// A mapping that may be shortened to one of its texts.
pub(crate) trait ShortForm: Read {
    /// Reads the mapping with only this text.
    fn short(from: NodeReader<'_>) -> Result<Self, ReadError>;
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

impl<T: ShortForm> Read for Short<T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        if from.is_text() { T::short(from).map(Self) } else { T::read(from).map(Self) }
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

impl<W: Word, T: Read> Read for WordOr<W, T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        if !from.is_text() {
            return T::read(from).map(Self::Mapping);
        }
        let text = from.word(W::WORDS)?;
        W::parse(text).map(Self::Word).ok_or_else(|| from.unknown_word::<W>(text))
    }
}

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

impl<T: Read> Read for Spanned<T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Ok(Self { value: T::read(from)?, place: from.place() })
    }
}
