//! The reader against another JSON reader.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::data::json::{Decode, read_json};

/// Any JSON value, as this reader sees it.
#[derive(Debug)]
struct Seen(Value);

impl Decode for Seen {
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let value = match from.peek() {
            Kind::Null => from.take_nothing().map(|_| Value::Null)?,
            Kind::Boolean => Value::Bool(from.value()?),
            Kind::String => Value::String(from.value()?),
            Kind::Number => from.parsed("a number", number)?,
            Kind::Array => from.value::<Vec<Seen>>()?.into_iter().map(|Seen(value)| value).collect(),
            Kind::Object => object(from)?,
            Kind::Nothing => return Err(from.unexpected("a value")),
        };
        Ok(Self(value))
    }
}

/// serde_json itself does not read every fraction back as it wrote it.
fn number(text: &str) -> Option<Value> {
    text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from)).ok()
}

fn object(from: &mut Reader<'_>) -> Result<Value, ReadError> {
    let mut object = serde_json::Map::new();
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        object.insert(name.into_owned(), from.value::<Seen>()?.0);
    }
    Ok(Value::Object(object))
}

fn read_whole(text: &str) -> Result<(), ReadError> {
    let mut from = Reader::new(text);
    from.skip()?;
    from.finish()
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f32>().prop_map(|number| Value::from(f64::from(number))),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..8).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

#[test]
fn a_scalar_is_its_text() {
    for (json, text) in [("\"a\"", "a"), (" -1.50e+3 ", "-1.50e+3"), ("true", "true"), (r#""\u0041\n""#, "A\n")] {
        assert_eq!(read_json::<String>(json).as_deref(), Ok(text));
    }
    for json in ["null", "{}", "[]", "", "nul", "+1", "01", "1.", ".5", "1e", "-", "\"", "'a'", "tru"] {
        assert!(read_json::<String>(json).is_err(), "{json}");
    }
}

#[test]
fn nesting_has_an_end() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(read_whole(&nested(128)).is_ok());
    assert!(read_whole(&nested(129)).is_err());
    assert!(read_whole(&"[".repeat(1_000_000)).is_err());
}

#[test]
fn nothing_may_follow() {
    assert!(read_whole("{} ").is_ok());
    assert!(read_whole("{} {}").is_err());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".*") {
        let _ = read_json::<Seen>(&text);
        let _ = read_whole(&text);
    }

    #[test]
    fn refuses_the_texts_that_serde_json_refuses(text in r#"([\[\]{}:," 0-1.eE+\-u\\nt]|true|null|"a":|"",){0,24}"#) {
        match serde_json::from_str::<Value>(&text) {
            Ok(_) => prop_assert_eq!(read_whole(&text), Ok(())),
            // A number that is too large for serde_json is still valid JSON.
            Err(error) if error.to_string().contains("out of range") => {}
            Err(_) => prop_assert!(read_whole(&text).is_err(), "{}", text),
        }
    }

    #[test]
    fn reads_the_output_of_serde_json(value in values()) {
        for text in [serde_json::to_string(&value)?, serde_json::to_string_pretty(&value)?] {
            prop_assert_eq!(&read_json::<Seen>(&text)?.0, &value);
            prop_assert_eq!(Reader::new(&text).raw_value()?, &*text);
        }
    }

    #[test]
    fn a_text_cut_off_is_an_error_with_a_place(value in values(), cut: prop::sample::Index) {
        let text = serde_json::to_string(&Value::from(vec![value]))?;
        let cut = (0..=cut.index(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let error = read_json::<Seen>(&text[..cut]).err();
        prop_assert!(error.is_some_and(|error| error.offset() <= cut));
    }
}
