//! The types of [`super::raw`] for people: as JSON Schema (draft 7), from which editors complete, explain and check
//! exactly the keys that [`super::typed`] reads, and as the tables of keys in a text about the schema language.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::declared::{Defaulted, Flag, Mapping, Names, Pair, Placed, Prose, Scalar};
use super::describe::{Definitions, Describe, DescribeValue, either};
use super::raw;
use super::shapes::Texts;
use crate::compiler::diagnostics::Place;
use crate::compiler::references::NameOf;
use crate::compiler::words::Word;

/// Returns the JSON Schema of each kind of file, by its own file name.
pub(crate) fn files() -> BTreeMap<String, String> {
    let files = [
        ("api.json", file::<raw::Api>("api.yaml: facts of all families")),
        ("codes.json", file::<raw::Codes>("codes.yaml: observed codes, and reasons for refusals")),
        ("family.json", file::<raw::Family>("family.yaml: conventions, errors and lifecycle of a family")),
        ("types.json", file::<raw::Types>("types.yaml: enums, identifiers, choices and records of a family")),
        ("operation.json", file::<raw::Operation>("An operation: its request, answer, rules and examples")),
    ];
    files.into_iter().map(|(name, schema)| (name.to_owned(), format!("{schema:#}\n"))).collect()
}

fn file<T: Describe>(title: &str) -> Value {
    let mut to = Definitions::default();
    let root = T::describe(&mut to);
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": title,
        "allOf": [root],
        "definitions": to.0,
    })
}

/// The marks around a table of keys: the name of the mapping follows the first one.
const BEGIN: &str = "<!-- keys of ";
const END: &str = "<!-- end of keys -->";

/// Returns a text in Markdown with the tables of keys between its marks; the error is the name of a mapping that does
/// not exist, or of one whose table does not end.
pub(crate) fn with_tables(text: &str) -> Result<String, String> {
    let mut all = Definitions::default();
    let files = [raw::Api::describe, raw::Codes::describe, raw::Family::describe, raw::Types::describe];
    files
        .into_iter()
        .chain([raw::Operation::describe as fn(&mut Definitions) -> Value])
        .for_each(|file| drop(file(&mut all)));
    let mut parts = text.split(BEGIN);
    let mut with = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").unwrap_or((part, ""));
        let keys = all.0.get(name).and_then(|mapping| Some((mapping["properties"].as_object()?, &mapping["required"])));
        let (Some((keys, required)), Some((_, after))) = (keys, rest.split_once(END)) else {
            return Err(name.to_owned());
        };
        with.extend([BEGIN, name, " -->\n", &table(keys, required), END, after]);
    }
    Ok(with)
}

fn table(keys: &Map<String, Value>, required: &Value) -> String {
    let rows = keys.iter().map(|(key, schema)| {
        let is_required = required.as_array().is_some_and(|all| all.iter().any(|one| one == key));
        let required = if is_required { " (required)" } else { "" };
        let meaning = schema["description"].as_str().unwrap_or_default().replace('|', "\\|");
        format!("| `{key}`{required} | {meaning} |\n")
    });
    format!("| key | meaning |\n|---|---|\n{}", rows.collect::<String>())
}

impl Describe for raw::Units {
    fn describe(to: &mut Definitions) -> Value {
        either(String::describe(to), Vec::<raw::Unit>::describe(to))
    }
}

impl Describe for Prose {
    fn describe(to: &mut Definitions) -> Value {
        String::describe(to)
    }
}

impl<T: Scalar + Describe> DescribeValue for (T, Place) {
    fn describe_value(to: &mut Definitions) -> Value {
        T::describe(to)
    }
}

impl<T: DescribeValue> DescribeValue for Option<T> {
    fn describe_value(to: &mut Definitions) -> Value {
        T::describe_value(to)
    }
}

impl<K> Describe for NameOf<K> {
    fn describe(to: &mut Definitions) -> Value {
        String::describe(to)
    }
}

impl<K> DescribeValue for NameOf<K> {
    fn describe_value(to: &mut Definitions) -> Value {
        String::describe(to)
    }
}

impl<W: Word> DescribeValue for Defaulted<W> {
    fn describe_value(to: &mut Definitions) -> Value {
        W::describe(to)
    }
}

impl DescribeValue for Flag {
    fn describe_value(to: &mut Definitions) -> Value {
        bool::describe(to)
    }
}

impl DescribeValue for Names {
    fn describe_value(to: &mut Definitions) -> Value {
        Texts::describe(to)
    }
}

impl<T: DescribeValue> DescribeValue for Vec<(Placed, T)> {
    fn describe_value(to: &mut Definitions) -> Value {
        json!({ "type": "object", "additionalProperties": T::describe_value(to) })
    }
}

impl<T: DescribeValue> DescribeValue for Vec<Vec<(Placed, T)>> {
    fn describe_value(to: &mut Definitions) -> Value {
        json!({ "type": "array", "items": <Vec<(Placed, T)>>::describe_value(to) })
    }
}

impl<T: Mapping + Describe> DescribeValue for Vec<T> {
    fn describe_value(to: &mut Definitions) -> Value {
        json!({ "type": "array", "items": T::describe(to) })
    }
}

/// A mapping of exactly one name.
impl DescribeValue for Pair {
    fn describe_value(to: &mut Definitions) -> Value {
        <Vec<Self>>::describe_value(to)
    }
}

impl<T: Mapping + Describe> DescribeValue for T {
    fn describe_value(to: &mut Definitions) -> Value {
        T::describe(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stand_between_their_marks() {
        let with =
            with_tables("Before.\n<!-- keys of InFlight -->\nold\n<!-- end of keys -->\nAfter.\n").unwrap_or_default();
        assert!(with.starts_with("Before.\n<!-- keys of InFlight -->\n| key | meaning |\n"), "{with}");
        assert!(with.contains("| `n` (required) | The number. |\n<!-- end of keys -->\nAfter.\n"), "{with}");
        assert_eq!(with_tables(&with), Ok(with));
        for wrong in ["<!-- keys of Fleld -->\n<!-- end of keys -->", "<!-- keys of Field -->\nno end"] {
            assert!(with_tables(wrong).is_err(), "{wrong}");
        }
    }
}
