//! One object per line, for editors and for the annotations of a build server.

use crate::compiler::diagnostics::{Diagnostic, Diagnostics, Place, is_invisible};
use crate::compiler::json::Value;

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
    let fix = item.fix.as_ref().map(|fix| with(all, &fix.place, ("text", &fix.text)));
    let related = item.related.iter().map(|(place, why)| with(all, place, ("message", why)));
    let place = item.place.map(|place| at(all, &place)).unwrap_or_default();
    Value::object(place.into_iter().chain([
        ("severity", "error".into()),
        ("code", item.code.as_str().into()),
        ("message", item.message.as_str().into()),
        ("help", item.help.as_deref().into()),
        ("fix", fix.into()),
        ("related", Value::list(related)),
    ]))
}

/// A place: lines and columns count from 1, bytes from 0; the end is exclusive.
fn at(all: &Diagnostics, place: &Place) -> Vec<(&'static str, Value)> {
    let file = all.files().get(place.file as usize).map(|file| file.to_string_lossy());
    let mut members = vec![("file", file.as_deref().into())];
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
        members.extend(numbers.map(|(name, number)| (name, number.into())));
    }
    members
}

fn with(all: &Diagnostics, place: &Place, (name, text): (&'static str, &str)) -> Value {
    Value::object(at(all, place).into_iter().chain([(name, text.into())]))
}
