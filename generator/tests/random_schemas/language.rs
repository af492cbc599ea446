//! The language's own table of keys, and where the files of a schema have them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use serde_yaml::Value as Yaml;

/// A key of the language: the mapping that has it, and its name there.
pub(crate) type Key = (String, String);

/// The JSON Schemas of the files.
pub(crate) struct Language(BTreeMap<String, Json>);

/// A step from a value to one within it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Key(Yaml),
    Item(usize),
}

/// A value of a file with the key that it is the value of.
#[derive(Clone, Debug)]
pub(crate) struct Place<'l> {
    pub(crate) key: Key,
    pub(crate) path: Vec<Step>,
    /// The JSON Schema of the value; none where there is no value.
    pub(crate) schema: &'l Json,
}

impl Language {
    pub(crate) fn read() -> Self {
        let schemas = tradeapi_gen::editor_schemas();
        let schema = |(name, text): (_, String)| (name, serde_json::from_str(&text).unwrap());
        Self(schemas.into_iter().map(|(name, text)| schema((name.to_string(), text.to_string()))).collect())
    }

    /// Returns every key.
    pub(crate) fn keys(&self) -> BTreeSet<Key> {
        let definitions = self.0.values().flat_map(|schema| schema["definitions"].as_object().unwrap());
        let keys = |(name, definition): (&String, &Json)| {
            let keys = definition["properties"].as_object().unwrap().keys();
            keys.map(|key| (name.clone(), key.clone())).collect::<Vec<_>>()
        };
        definitions.flat_map(keys).collect()
    }

    /// Returns the places of a file with keys of the language: those that have a value, and those that could have one.
    pub(crate) fn places(&self, file: &str, document: &Yaml) -> [Vec<Place<'_>>; 2] {
        let root = &self.0[kind(file)];
        let (mut found, mut free) = (Vec::new(), Vec::new());
        walk(root, root, "", document, &mut Vec::new(), &mut found, &mut free);
        [found, free]
    }
}

/// Returns the JSON Schema of a file, by its name.
fn kind(file: &str) -> &'static str {
    match file.rsplit('/').next().unwrap() {
        "api.yaml" => "api.json",
        "codes.yaml" => "codes.json",
        "family.yaml" => "family.json",
        "types.yaml" => "types.json",
        _ => "operation.json",
    }
}

fn walk<'l>(
    root: &'l Json,
    schema: &'l Json,
    definition: &str,
    value: &Yaml,
    path: &mut Vec<Step>,
    found: &mut Vec<Place<'l>>,
    free: &mut Vec<Place<'l>>,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/definitions/").unwrap();
        return walk(root, &root["definitions"][name], name, value, path, found, free);
    }
    let alternatives = ["allOf", "anyOf"].iter().filter_map(|key| schema[*key].as_array()).flatten();
    alternatives.for_each(|schema| walk(root, schema, definition, value, path, found, free));
    match value {
        Yaml::Mapping(members) => {
            for (name, member) in members {
                let property = name.as_str().map_or(&Json::Null, |name| &schema["properties"][name]);
                let inner = if property.is_null() { &schema["additionalProperties"] } else { property };
                if !inner.is_object() {
                    continue;
                }
                path.push(Step::Key(name.clone()));
                if !property.is_null() {
                    let key = (definition.to_owned(), name.as_str().unwrap().to_owned());
                    found.push(Place { key, path: path.clone(), schema: resolved(root, property) });
                }
                walk(root, inner, "", member, path, found, free);
                path.pop();
            }
            for name in schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name) {
                if !members.contains_key(name.as_str()) {
                    path.push(Step::Key(name.as_str().into()));
                    let (key, schema) = ((definition.to_owned(), name.clone()), &Json::Null);
                    free.push(Place { key, path: path.clone(), schema });
                    path.pop();
                }
            }
        }
        Yaml::Sequence(items) if schema["items"].is_object() => {
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Item(index));
                walk(root, &schema["items"], "", item, path, found, free);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Returns a schema behind its references and the only part that it has.
fn resolved<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    match (schema["$ref"].as_str(), schema["allOf"].as_array().map(Vec::as_slice)) {
        (Some(reference), _) => resolved(root, &root["definitions"][reference.strip_prefix("#/definitions/").unwrap()]),
        (None, Some([only])) => resolved(root, only),
        _ => schema,
    }
}

/// Returns the value at a place.
pub(crate) fn at<'a>(document: &'a Yaml, path: &[Step]) -> Option<&'a Yaml> {
    path.iter().try_fold(document, |value, step| match step {
        Step::Key(key) => value.as_mapping()?.get(key),
        Step::Item(index) => value.as_sequence()?.get(*index),
    })
}

/// Puts a value at a place, or removes what is there.
pub(crate) fn put(document: &mut Yaml, path: &[Step], value: Option<Yaml>) {
    let (last, outer) = path.split_last().unwrap();
    let within = outer.iter().fold(document, |value, step| match step {
        Step::Key(key) => value.as_mapping_mut().unwrap().get_mut(key).unwrap(),
        Step::Item(index) => &mut value.as_sequence_mut().unwrap()[*index],
    });
    match (last, value) {
        (Step::Key(key), Some(value)) => _ = within.as_mapping_mut().unwrap().insert(key.clone(), value),
        (Step::Key(key), None) => _ = within.as_mapping_mut().unwrap().shift_remove(key),
        (Step::Item(index), Some(value)) => within.as_sequence_mut().unwrap()[*index] = value,
        (Step::Item(index), None) => _ = within.as_sequence_mut().unwrap().remove(*index),
    }
}
