//! An operation as JSON: its element with all keys and the elements within.

use serde_json::{Map, Value, json};

use crate::compiler::model::elements::{Element, Key};

/// The element of a kind with this path, among those within another.
pub(super) fn find<'a>(within: &'a Element, kind: &str, path: &str) -> Option<&'a Element> {
    let mut inner = within.elements.iter();
    inner.find_map(|one| if one.kind == kind && one.path == path { Some(one) } else { find(one, kind, path) })
}

/// An element with everything that the schema states about it.
pub(super) fn of(element: &Element) -> Value {
    let mut keys: Map<String, Value> = Map::new();
    for (name, value) in
        element.keys.iter().map(|key| (key.name, statement(key))).filter(|(_, value)| !value.is_empty())
    {
        match keys.get_mut(name) {
            None => drop(keys.insert(name.to_owned(), value.into())),
            Some(Value::Array(several)) => several.push(value.into()),
            Some(one) => *one = json!([one.take(), value]),
        }
    }
    let elements: Vec<_> = element.elements.iter().map(of).collect();
    json!({"kind": element.kind, "name": element.path, "keys": keys, "elements": elements})
}

/// The value; of a key that is only shown, its words.
fn statement(key: &Key) -> &str {
    if key.value.is_empty() { &key.says } else { &key.value }
}
