//! Exact numbers and durations in setups, journals and settings.

use std::fmt;

use rust_decimal::Decimal;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The greatest delay of an answer, of listings and of what a node shows, in milliseconds.
pub(crate) const MAX_DELAY: u64 = 60 * 60 * 1000;

/// The greatest offset of a clock, in milliseconds.
pub(crate) const MAX_OFFSET: i64 = 24 * 60 * 60 * 1000;

/// A price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Price(#[serde(with = "number")] pub Decimal);

/// A name, or a name with a text: `drop`, or `{ refuse: '40762' }`. The text may be written as a number.
///
/// An enum that derives this form has a tag in YAML and a map in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) text: Option<String>,
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Some(text) = &self.text else { return to.serialize_str(&self.name) };
        let mut map = to.serialize_map(Some(1))?;
        map.serialize_entry(&self.name, text)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(NamedVisitor)
    }
}

struct NamedVisitor;

impl<'de> Visitor<'de> for NamedVisitor {
    type Value = Named;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name, or one name with its value")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Named, E> {
        Ok(Named { name: name.to_owned(), text: None })
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Named, M::Error> {
        let Some((name, Text(text))) = map.next_entry::<String, Text>()? else {
            return Err(M::Error::custom("expected a name with its value, found an empty map"));
        };
        if map.next_key::<String>()?.is_some() {
            return Err(M::Error::custom("expected one name with its value, found several"));
        }
        Ok(Named { name, text: Some(text) })
    }
}

/// A text that may be written as a number.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.to_owned()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Text, E> {
        Ok(Text(number.to_string()))
    }
}

/// Reads a number that a person wrote; `None` if it is none, or does not fit exactly. Digits are not grouped: `1_000` may
/// be a typing error.
pub(crate) fn exact(text: &str) -> Option<Decimal> {
    text.parse::<tradeapi::Decimal>().ok()?.to_rust_decimal().ok()
}

/// Exact numbers, written as text and read from text or numbers.
pub(crate) mod number {
    use rust_decimal::Decimal;
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(number: &Decimal, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
        // A number in YAML then comes as the text that it is written as, with all its digits.
        from.deserialize_str(Number)
    }

    struct Number;

    impl Visitor<'_> for Number {
        type Value = Decimal;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a number")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
            super::exact(text).ok_or_else(|| E::custom(format!("invalid number `{text}`")))
        }
    }
}

/// A map whose keys are there once.
pub(crate) mod once {
    use std::collections::BTreeMap;
    use std::fmt;
    use std::marker::PhantomData;

    use serde::de::{Error, MapAccess, Visitor};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(map: &BTreeMap<String, T>, to: S) -> Result<S::Ok, S::Error> {
        map.serialize(to)
    }

    pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<String, T>, D::Error> {
        from.deserialize_map(Once(PhantomData))
    }

    struct Once<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Once<T> {
        type Value = BTreeMap<String, T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut all = BTreeMap::new();
            while let Some(key) = map.next_key::<String>()? {
                if all.contains_key(&key) {
                    return Err(M::Error::custom(format!("`{key}` is there twice")));
                }
                all.insert(key, map.next_value()?);
            }
            Ok(all)
        }
    }
}

/// Lengths of time in milliseconds.
pub(crate) mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}
