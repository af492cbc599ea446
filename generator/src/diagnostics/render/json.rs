//! One object per line, for editors and for the annotations of a build server.

use serde_json::{Map, Value, json};

use crate::diagnostics::{Diagnostic, Diagnostics, Place, is_invisible};

pub(super) fn render(all: &Diagnostics) -> String {
    let lines: Vec<_> = all.iter().map(|item| escaped(&object(all, item).to_string())).collect();
    lines.join("\n")
}

/// Escapes what JSON allows unescaped and a terminal would obey: DEL and most invisible characters.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_invisible(c) {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

fn object(all: &Diagnostics, item: &Diagnostic) -> Value {
    let mut object = item.place.map(|place| at(all, &place)).unwrap_or_default();
    object.insert("severity".to_owned(), json!("error"));
    object.insert("code".to_owned(), json!(item.code.as_str()));
    object.insert("message".to_owned(), json!(item.message));
    object.insert("help".to_owned(), json!(item.help));
    let fix = item.fix.as_ref().map(|fix| with(at(all, &fix.place), "text", &fix.text));
    object.insert("fix".to_owned(), json!(fix));
    let related = item.related.iter().map(|(place, why)| with(at(all, place), "message", why));
    object.insert("related".to_owned(), related.collect());
    Value::Object(object)
}

/// A place: lines and columns count from 1, bytes from 0; the end is exclusive.
fn at(all: &Diagnostics, place: &Place) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("file".to_owned(), json!(all.files().get(place.file as usize)));
    if place.line > 0 {
        let (end_line, end_column) = place.end_in(all.text(place.file).unwrap_or_default());
        let numbers = [
            ("line", place.line),
            ("column", place.column),
            ("end_line", end_line),
            ("end_column", end_column),
            ("start", place.start),
            ("end", place.end),
        ];
        object.extend(numbers.map(|(name, number)| (name.to_owned(), json!(number))));
    }
    object
}

fn with(mut object: Map<String, Value>, name: &str, text: &str) -> Value {
    object.insert(name.to_owned(), json!(text));
    Value::Object(object)
}
