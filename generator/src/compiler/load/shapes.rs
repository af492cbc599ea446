//! YAML forms that recur in the raw documents: a mapping of names, one text or several, a text or a mapping, and a
//! value with its place.

use std::marker::PhantomData;
use std::ops::Deref;

use super::typed::{Expected, NodeReader, Read, ReadError};
use crate::compiler::diagnostics::Place;
use crate::compiler::values::Duration;
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
    /// Returns the value, if the key is there.
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

    /// Returns this value, or else that of `other`.
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

/// A value that knows where it is written.
pub(crate) trait Placed {
    /// Returns the place; `None` if nothing is written.
    fn place(&self) -> Option<Place>;
}

macro_rules! placed {
    ($([$($of:tt)*] $type:ty: $value:ident => $place:expr;)*) => {$(
        impl<$($of)*> crate::compiler::load::shapes::Placed for $type {
            fn place(&self) -> Option<crate::compiler::diagnostics::Place> {
                let $value = self;
                $place
            }
        }
    )*};
}

pub(super) use placed;

placed! {
    [T] Spanned<T>: value => Some(value.place);
    [F] Formed<F>: text => Some(text.place);
    [T] Named<T>: entries => entries.first().map(|(name, _)| name.place);
    [] Texts: texts => texts.first().map(|text| text.place);
    [T: Placed] Option<T>: value => value.as_ref().and_then(T::place);
    [T: Placed] Rare<T>: value => value.as_ref().and_then(T::place);
}

/// A mapping whose keys are names of the API, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Named<T> {
    entries: Vec<(Text, T)>,
    /// True if the values of other names could not be read.
    has_unread: bool,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), has_unread: false }
    }
}

impl<T> Named<T> {
    /// Returns whether the file has no entry, not even one that could not be read.
    pub(crate) fn has_none(&self) -> bool {
        self.entries.is_empty() && !self.has_unread
    }
}

impl<T> Deref for Named<T> {
    type Target = [(Text, T)];

    fn deref(&self) -> &Self::Target {
        &self.entries
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
        let has_unread = entries.len() < from.len();
        Ok(Self { entries, has_unread })
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

/// The form of a text that its key alone decides, so that editors can tell it, too.
pub(crate) trait TextForm {
    /// The form in words.
    const IN_WORDS: &'static str;

    /// A regular expression that each such text matches; empty if there is none.
    const PATTERN: &'static str;

    /// True if YAML takes such a text for a number.
    const IS_NUMBER: bool = false;
}

/// A text of a form.
#[derive(Clone, Debug)]
pub(crate) struct Formed<F> {
    text: Text,
    form: PhantomData<F>,
}

impl<F> Deref for Formed<F> {
    type Target = Text;

    fn deref(&self) -> &Text {
        &self.text
    }
}

impl<F: TextForm> Read for Formed<F> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let value = from.text(Expected::Form(F::IN_WORDS))?.to_owned();
        Ok(Self { text: Spanned { value, place: from.place() }, form: PhantomData })
    }
}

macro_rules! forms {
    ($($(#[doc = $doc:literal])* $name:ident: $in_words:literal = $pattern:expr $(, is_number: $is_number:literal)?;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl TextForm for $name {
            const IN_WORDS: &'static str = $in_words;
            const PATTERN: &'static str = $pattern;
            $(const IS_NUMBER: bool = $is_number;)?
        }
    )*};
}

forms! {
    /// A bound.
    NumberForm: "a number" = "^-?(0|[1-9][0-9]*)([.][0-9]+)?$", is_number: true;
    /// The address of an operation.
    HttpForm: "a method and a path" = "^(GET|POST|PUT|PATCH|DELETE) /[A-Za-z0-9/._~:@{}-]*$";
    /// A rate, or a weight in a pool.
    RateForm: "a rate" = "^([1-9][0-9]*/(s|[1-9][0-9]*(ms|s|m|h|d)) per (UID|IP)( for [a-z0-9-]+)?|[1-9][0-9]* of .+)$";
    /// A message as it is sent.
    JsonForm: "JSON as a text, in quotes or after `|`" = "";
    /// A length of time.
    DurationForm: "a length of time" = Duration::PATTERN;
}

/// The entries of a condition. A list of names, which looks like one, states nothing of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions(Named<Texts>);

impl Deref for Conditions {
    type Target = Named<Texts>;

    fn deref(&self) -> &Named<Texts> {
        &self.0
    }
}

impl Read for Conditions {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let names: Vec<&str> = match from.as_text().filter(|text| !text.is_empty() && !text.contains(' ')) {
            Some(name) => vec![name],
            None if from.is_list() => from.items().filter_map(NodeReader::as_text).collect(),
            None => return Named::read(from).map(Self),
        };
        let names = if names.is_empty() { "parameter".to_owned() } else { names.join(", ") };
        let help = format!("write `{{ given: [{names}] }}` for what is set, and `{{ name: value }}` for a value");
        Err(from.expected(Expected::Mapping).with_help(help))
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
