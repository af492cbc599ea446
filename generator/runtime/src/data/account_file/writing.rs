//! Writes an account as JSON.

use std::fmt::Write;

use super::{INSTRUMENTS, NAME, PROPERTIES};
use crate::data::account::{Account, Instrument, PropertyValue};
use crate::data::json::{JsonWriter, write_json};
use crate::data::value::{Iso8601, TimeFormat, Timestamp};

impl Account {
    /// The account as JSON, which `from_json` reads back without loss.
    ///
    /// ```
    /// use tradeapi_runtime::Account;
    ///
    /// assert_eq!(Account::named("desk-1").to_json(), "{\n  \"name\": \"desk-1\"\n}\n");
    /// ```
    pub fn to_json(&self) -> String {
        let mut members = Vec::new();
        if !self.name().is_empty() {
            members.push((NAME, text(self.name())));
        }
        let mut properties = Vec::new();
        for (name, value) in self.properties() {
            properties.push((name, value_of(value)));
        }
        if !properties.is_empty() {
            members.push((PROPERTIES, object(&properties, 1)));
        }
        let mut lines: Vec<(&str, Vec<(&str, String)>)> = Vec::new();
        for (line, symbol, instrument) in self.instruments() {
            let row = (symbol, properties_of(instrument));
            match lines.iter_mut().find(|(known, _)| *known == line) {
                Some((_, rows)) => rows.push(row),
                None => lines.push((line, vec![row])),
            }
        }
        if !lines.is_empty() {
            let mut objects = Vec::with_capacity(lines.len());
            for (line, rows) in &lines {
                objects.push((*line, object(rows, 2)));
            }
            members.push((INSTRUMENTS, object(&objects, 1)));
        }
        object(&members, 0) + "\n"
    }
}

/// An object with a member on each line, at a depth of nesting.
fn object(members: &[(&str, String)], depth: usize) -> String {
    let mut out = String::from("{");
    let mut separator = "";
    for (name, value) in members {
        // Writing to a String cannot fail.
        let _ = write!(out, "{separator}\n{:indent$}{}: {value}", "", text(name), indent = 2 * (depth + 1));
        separator = ",";
    }
    let _ = match separator {
        "" => write!(out, "}}"),
        _ => write!(out, "\n{:indent$}}}", "", indent = 2 * depth),
    };
    out
}

/// An instrument on one line, because an account may have hundreds.
fn properties_of(instrument: &Instrument) -> String {
    let mut members = Vec::new();
    for (name, value) in instrument.properties() {
        members.push(format!("{}: {}", text(name), write_json(value)));
    }
    for (name, value) in instrument.flags() {
        members.push(format!("{}: {value}", text(name)));
    }
    if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
}

fn value_of(value: &PropertyValue) -> String {
    match value {
        PropertyValue::Word(word) => text(word),
        PropertyValue::Flag(flag) => flag.to_string(),
        PropertyValue::Time(time) => written(*time),
        PropertyValue::Names(names) => {
            let mut texts = Vec::new();
            for name in names {
                texts.push(text(name));
            }
            format!("[{}]", texts.join(", "))
        }
    }
}

/// A time as ISO 8601, or as a number of milliseconds if it is beyond what can be read of the former.
fn written(time: Timestamp) -> String {
    let iso = time.to_string();
    if Iso8601::read(&iso).is_some() { text(&iso) } else { time.as_millis().to_string() }
}

fn text(text: &str) -> String {
    let mut out = JsonWriter::new();
    out.string(text);
    out.finish()
}
