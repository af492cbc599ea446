use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::json::JsonWriter;

/// What `deserializer` holds, as a JSON text.
pub(super) fn json_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let mut out = JsonWriter::new();
    Value(&mut out).deserialize(deserializer)?;
    Ok(out.finish())
}

/// The next value, which is written down.
struct Value<'w>(&'w mut JsonWriter);

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a whole number, a boolean, a list or a map")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.raw("null");
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.0.boolean(value);
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.0.number(&value);
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.0.raw(&value.to_string());
        Ok(())
    }

    /// serde hands over a fraction as `f64` only, in which digits may be lost already.
    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        Err(E::custom(format_args!("write {value} as text, in quotes: as a number it may not be exact")))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.0.string(value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.begin_array();
        while list.next_element_seed(Element(self.0))?.is_some() {}
        self.0.end_array();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.begin_object();
        while let Some(name) = map.next_key::<String>()? {
            map.next_value_seed(Value(self.0.member(&name)))?;
        }
        self.0.end_object();
        Ok(())
    }
}

/// The next element of a list, if there is one: only then a comma may be written.
struct Element<'w>(&'w mut JsonWriter);

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        Value(self.0.element()).deserialize(deserializer)
    }
}
