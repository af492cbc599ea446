use std::fmt::Display;

use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::json::{Kind, Reader, read_json};

/// A JSON text that is serialized as what it says.
pub(super) struct Json<'a>(pub(super) &'a str);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut from = Reader::new(self.0);
        match from.peek() {
            Kind::Object => object(&mut from, serializer),
            Kind::Array => array(&mut from, serializer),
            Kind::Number => number(self.0, serializer),
            Kind::String => serializer.serialize_str(&from.scalar().map_err(custom)?),
            Kind::Boolean => serializer.serialize_bool(from.value().map_err(custom)?),
            Kind::Null | Kind::Nothing => serializer.serialize_none(),
        }
    }
}

fn object<S: Serializer>(from: &mut Reader<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    let mut members = from.object(&[]).map_err(custom)?;
    while let Some(name) = members.next_name(from).map_err(custom)? {
        map.serialize_entry(&*name, &Json(from.raw_value().map_err(custom)?))?;
    }
    map.end()
}

fn array<S: Serializer>(from: &mut Reader<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(None)?;
    let mut elements = from.array().map_err(custom)?;
    while elements.next(from).map_err(custom)?.is_some() {
        list.serialize_element(&Json(from.raw_value().map_err(custom)?))?;
    }
    list.end()
}

/// A number that serde cannot carry exactly goes as text: everything here reads that as well.
fn number<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match read_json(text) {
        Ok(number) => serializer.serialize_u64(number),
        Err(_) => serializer.serialize_str(text),
    }
}

fn custom<E: Error>(error: impl Display) -> E {
    E::custom(error)
}
