//! The types of [`super::raw`] as JSON Schema (draft 7). From it, editors complete, explain and check exactly the keys
//! that [`super::typed`] reads.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::describe::{Definitions, Describe};
use super::raw;

/// The JSON Schema of each kind of file, by its own file name.
pub(crate) fn files() -> BTreeMap<String, String> {
    let files = [
        ("api.json", file::<raw::Api>("api.yaml")),
        ("codes.json", file::<raw::Codes>("codes.yaml")),
        ("family.json", file::<raw::Family>("family.yaml")),
        ("types.json", file::<raw::Types>("types.yaml")),
        ("operation.json", file::<raw::Operation>("an operation")),
    ];
    files.into_iter().map(|(name, schema)| (name.to_owned(), format!("{schema:#}\n"))).collect()
}

fn file<T: Describe>(what: &str) -> Value {
    let mut to = Definitions::default();
    let root = T::describe(&mut to);
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": format!("tradeapi-gen: {what}"),
        "allOf": [root],
        "definitions": to.0,
    })
}
