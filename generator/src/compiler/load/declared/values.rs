//! The values of declared keys.

use super::{KeyValue, LeftOut, Mapping, Names, Pair, Placed};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::json;
use crate::compiler::load::typed::{Expected, NodeReader, Read, ReadError};
use crate::compiler::references::{Kind, NameOf, See};
use crate::compiler::values::{Day, Duration, UtcOffset};
use crate::compiler::words::Word;

/// A value that is written as one text, number or word. With its place, it is the value of a key.
pub(crate) trait Scalar: Read {
    /// Returns the value to go on with if it is missing, so that only the missing key is reported.
    fn stand_in() -> Option<Self> {
        None
    }

    /// Returns the value as it is written.
    fn words(&self) -> String;

    /// Returns the same as [`KeyValue::same_as`].
    fn same_as(&self) -> Option<String> {
        None
    }

    /// Returns the value as JSON.
    fn data(&self) -> json::Value {
        json::Value::Text(self.words())
    }
}

impl Scalar for String {
    fn words(&self) -> String {
        self.clone()
    }
}

impl Scalar for u64 {
    fn words(&self) -> String {
        self.to_string()
    }

    fn data(&self) -> json::Value {
        json::Value::Number(self.to_string())
    }
}

impl Scalar for bool {
    fn words(&self) -> String {
        self.to_string()
    }

    fn data(&self) -> json::Value {
        json::Value::Boolean(*self)
    }
}

/// A word of which there is only one stands for a missing one.
impl<W: Word> Scalar for W {
    fn stand_in() -> Option<Self> {
        if let [only] = W::WORDS { W::parse(only) } else { None }
    }

    fn words(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Read for Duration {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let text = from.text(Expected::Text)?;
        let help = "write a number and a unit, such as `30 seconds`, `1 week` or `3 months`";
        Self::parse(text).ok_or_else(|| from.refuse(Code::BadDuration, format!("invalid duration `{text}`"), help))
    }
}

impl Scalar for Duration {
    fn words(&self) -> String {
        self.to_string()
    }

    fn same_as(&self) -> Option<String> {
        Some(self.length())
    }
}

impl Read for UtcOffset {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let text = from.text(Expected::Text)?;
        let help = "write the offset from UTC, such as `UTC`, `UTC+8` or `UTC-3:30`";
        Self::parse(text).ok_or_else(|| from.refuse(Code::BadWindow, format!("invalid time zone `{text}`"), help))
    }
}

impl Scalar for UtcOffset {
    fn words(&self) -> String {
        self.to_string()
    }
}

impl Read for Day {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let text = from.text(Expected::Text)?;
        let help = "write a day of the calendar, such as `2026-09-17`";
        Self::parse(text).ok_or_else(|| from.refuse(Code::BadDate, format!("invalid date `{text}`"), help))
    }
}

impl Scalar for Day {
    fn words(&self) -> String {
        self.to_string()
    }
}

/// A sentence for readers. Without it, everything else can be checked.
#[derive(Clone, Debug)]
pub(crate) struct Prose(String);

impl std::ops::Deref for Prose {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Prose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Read for Prose {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let text = from.text(Expected::Text)?.trim();
        if text.is_empty() {
            let message = format!("`{}` is empty", from.key().unwrap_or_default());
            return Err(from.refuse(Code::MissingKey, message, "write a value"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl Scalar for Prose {
    fn stand_in() -> Option<Self> {
        Some(Self(String::new()))
    }

    fn words(&self) -> String {
        self.0.clone()
    }
}

impl<T: Scalar> KeyValue for (T, Place) {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Ok((T::read(from)?, from.place()))
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Missing(T::stand_in().map(|value| (value, Place::default())))
    }

    fn words(&self) -> String {
        self.0.words()
    }

    fn same_as(&self) -> Option<String> {
        self.0.same_as()
    }

    fn place(&self) -> Option<Place> {
        Some(self.1)
    }

    fn data(&self) -> Option<json::Value> {
        Some(self.0.data())
    }
}

impl<T: KeyValue> KeyValue for Option<T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        T::read(from).map(Some)
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Means(None)
    }

    fn words(&self) -> String {
        self.as_ref().map(T::words).unwrap_or_default()
    }

    fn same_as(&self) -> Option<String> {
        self.as_ref().and_then(T::same_as)
    }

    fn place(&self) -> Option<Place> {
        self.as_ref().and_then(T::place)
    }

    fn data(&self) -> Option<json::Value> {
        self.as_ref().and_then(T::data)
    }

    fn show_names(&mut self, see: &mut See<'_>) {
        self.iter_mut().for_each(|value| value.show_names(see));
    }
}

impl<K: Kind> Read for NameOf<K> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        KeyValue::read(from)
    }
}

impl<K: Kind> KeyValue for NameOf<K> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        KeyValue::read(from).map(Self::new)
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Missing(Some(Self::of_nothing()))
    }

    fn words(&self) -> String {
        self.text.clone()
    }

    fn place(&self) -> Option<Place> {
        Some(self.place)
    }

    fn data(&self) -> Option<json::Value> {
        Some(self.text.as_str().into())
    }

    fn show_names(&mut self, see: &mut See<'_>) {
        self.show(see);
    }
}

/// A word that is assumed if none is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaulted<W> {
    pub(crate) word: W,
    /// Where it is written.
    place: Option<Place>,
}

impl<W: Word + Default + PartialEq> KeyValue for Defaulted<W> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Ok(Self { word: Read::read(from)?, place: Some(from.place()) })
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Means(Self { word: W::default(), place: None })
    }

    fn words(&self) -> String {
        self.word.words()
    }

    fn place(&self) -> Option<Place> {
        self.place
    }

    fn data(&self) -> Option<json::Value> {
        (self.word != W::default()).then(|| self.word.data())
    }
}

/// A boolean key and its place, if it is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag(Option<Place>);

impl Flag {
    pub(crate) fn is_set(self) -> bool {
        self.0.is_some()
    }

    /// Returns where the file says so.
    pub(crate) fn place(self) -> Option<Place> {
        self.0
    }
}

impl KeyValue for Flag {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let is_set: bool = Read::read(from)?;
        Ok(Self(is_set.then(|| from.place())))
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Means(Self(None))
    }

    fn words(&self) -> String {
        if self.is_set() { "yes".to_owned() } else { String::new() }
    }

    fn place(&self) -> Option<Place> {
        self.0
    }

    fn data(&self) -> Option<json::Value> {
        self.is_set().then_some(json::Value::Boolean(true))
    }
}

/// One text, or a list of texts in any order.
impl KeyValue for Names {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.texts()
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Means(Self::new())
    }

    fn words(&self) -> String {
        self.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn same_as(&self) -> Option<String> {
        let mut names: Vec<&str> = self.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        Some(names.join(", "))
    }

    fn place(&self) -> Option<Place> {
        self.first().map(|(_, place)| *place)
    }

    fn data(&self) -> Option<json::Value> {
        let names = || self.iter().map(|(name, _)| name.as_str().into());
        (!self.is_empty()).then(|| json::Value::list(names()))
    }
}

/// A mapping of names to texts, or to several texts each.
impl<T: Named> KeyValue for Vec<(Placed, T)> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let mut pairs = Self::with_capacity(from.len());
        from.mapping(None, &mut |key, value| {
            pairs.push(((key.text.clone().into_owned(), key.place), KeyValue::read(value)?));
            Ok(())
        })?;
        Ok(pairs)
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Means(Self::new())
    }

    fn words(&self) -> String {
        let pairs = self.iter().map(|((name, _), value)| format!("{name}: {}", value.alternatives()));
        pairs.collect::<Vec<_>>().join(", ")
    }

    fn same_as(&self) -> Option<String> {
        let pairs = self.iter().map(|((name, _), value)| Some(format!("{name}: {}", value.same_as()?)));
        pairs.collect::<Option<Vec<_>>>().map(|pairs| pairs.join("; "))
    }

    fn place(&self) -> Option<Place> {
        self.first().map(|((_, place), _)| *place)
    }

    fn data(&self) -> Option<json::Value> {
        let pairs =
            || self.iter().map(|((name, _), value)| (name.as_str(), value.data().unwrap_or(json::Value::list([]))));
        (!self.is_empty()).then(|| json::Value::object(pairs()))
    }
}

/// A list of mappings.
impl<T: Named> KeyValue for Vec<Vec<(Placed, T)>> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let mut all = Self::with_capacity(from.len());
        from.list(&mut |item| {
            all.push(KeyValue::read(item)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Means(Self::new())
    }

    fn words(&self) -> String {
        self.iter().map(|set| format!("({})", set.words())).collect::<Vec<_>>().join(" or ")
    }

    fn place(&self) -> Option<Place> {
        self.iter().find_map(KeyValue::place)
    }

    fn data(&self) -> Option<json::Value> {
        let nothing = || json::Value::object(std::iter::empty::<(&str, json::Value)>());
        let sets = || self.iter().map(|set| set.data().unwrap_or_else(nothing));
        (!self.is_empty()).then(|| json::Value::list(sets()))
    }
}

/// A list of declared mappings.
impl<T: Mapping> KeyValue for Vec<T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let mut all = Self::with_capacity(from.len());
        from.list(&mut |item| {
            all.push(Read::read(item)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Means(Self::new())
    }

    fn words(&self) -> String {
        self.iter().map(KeyValue::words).collect::<Vec<_>>().join(", ")
    }

    fn place(&self) -> Option<Place> {
        self.first().map(Mapping::place)
    }

    fn data(&self) -> Option<json::Value> {
        (!self.is_empty()).then(|| json::Value::list(self.iter().map(super::data)))
    }
}

/// The value of a name in a mapping of names.
pub(crate) trait Named: KeyValue {
    /// Returns the values in words, of which one is enough.
    fn alternatives(&self) -> String;
}

impl Named for Placed {
    fn alternatives(&self) -> String {
        self.0.clone()
    }
}

impl Named for Names {
    fn alternatives(&self) -> String {
        self.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" or ")
    }
}

/// A mapping of exactly one name.
impl KeyValue for Pair {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let pairs: Vec<Self> = KeyValue::read(from)?;
        if pairs.len() != 1 {
            let key = from.key().unwrap_or_default();
            let help = format!("write `{key}: {{ parameter: value }}`, or remove it");
            from.refuse(Code::Misplaced, format!("`{key}` requires exactly one parameter"), help);
        }
        pairs.into_iter().next().ok_or(ReadError::Meaningless)
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Missing(None)
    }

    fn words(&self) -> String {
        format!("{}: {}", self.0.0, self.1.0)
    }

    fn place(&self) -> Option<Place> {
        Some(self.0.1)
    }

    fn data(&self) -> Option<json::Value> {
        let ((name, _), (value, _)) = self;
        Some(json::Value::object([(name.as_str(), value.as_str().into())]))
    }
}

/// A mapping within another.
impl<T: Mapping> KeyValue for T {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Read::read(from)
    }

    fn left_out() -> LeftOut<Self> {
        LeftOut::Missing(None)
    }

    fn words(&self) -> String {
        format!("({})", super::words(self))
    }

    fn place(&self) -> Option<Place> {
        Some(Mapping::place(self))
    }

    fn data(&self) -> Option<json::Value> {
        Some(super::data(self))
    }

    fn show_names(&mut self, see: &mut See<'_>) {
        Mapping::show_names(self, see);
    }
}
