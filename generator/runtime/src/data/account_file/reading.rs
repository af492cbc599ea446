//! Reads an account from JSON, and collects all mistakes in it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::mistakes::{AccountFileError, AccountMistake};
use super::{INSTRUMENTS, NAME, PROPERTIES};
use crate::data::account::{Account, Instrument, PropertyValue};
use crate::data::json::{Kind, ReadError, Reader, read_json};
use crate::data::tables::{AccountTable, PropertyKind};
use crate::data::value::{Decimal, IsoTime, Timestamp};
use tradeapi_words::similar::nearest;

impl Account {
    /// Reads an account from a file of JSON in the form that [`to_json`](Self::to_json) writes.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or with all mistakes in it, each with its line.
    pub fn from_file(table: &AccountTable, path: impl AsRef<Path>) -> Result<Self, AccountFileError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|why| AccountFileError::Io { path: path.to_owned(), why })?;
        read(table, &text).map_err(|mistakes| AccountFileError::Mistakes { path: Some(path.to_owned()), mistakes })
    }

    /// Reads an account from JSON in the form that [`to_json`](Self::to_json) writes.
    ///
    /// # Errors
    ///
    /// Returns all mistakes, each with its line.
    pub fn from_json(table: &AccountTable, text: &str) -> Result<Self, AccountFileError> {
        read(table, text).map_err(|mistakes| AccountFileError::Mistakes { path: None, mistakes })
    }
}

fn read(table: &AccountTable, text: &str) -> Result<Account, Vec<AccountMistake>> {
    // Some editors begin a file with a byte-order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = Reading { text, mistakes: Vec::new() };
    let mut account = Account::new();
    if reading.is_json() {
        reading.account(table, &mut account);
    }
    if reading.mistakes.is_empty() { Ok(account) } else { Err(reading.mistakes) }
}

/// A value in the text, and the byte at which it begins.
#[derive(Clone, Copy)]
struct Value<'a> {
    raw: &'a str,
    at: usize,
}

struct Member<'a> {
    name: Cow<'a, str>,
    value: Value<'a>,
}

struct Reading<'a> {
    text: &'a str,
    mistakes: Vec<AccountMistake>,
}

impl<'a> Reading<'a> {
    /// Returns whether the text is one JSON value. If it is not, this is the only mistake that is reported.
    fn is_json(&mut self) -> bool {
        let mut from = Reader::new(self.text);
        let read = from.skip().and_then(|()| from.finish());
        let error = read.err();
        if let Some(error) = &error {
            self.mistake(error.offset(), error.what().to_owned());
        }
        error.is_none()
    }

    fn account(&mut self, table: &AccountTable, account: &mut Account) {
        for member in self.members(Value { raw: self.text, at: 0 }) {
            match &*member.name {
                NAME => {
                    if let Some(name) = self.word(member.value) {
                        account.set_name(name);
                    }
                }
                PROPERTIES => self.properties(table, member.value, account),
                INSTRUMENTS => self.instruments(table, member.value, account),
                _ => self.unknown(&member, "member", &[NAME, PROPERTIES, INSTRUMENTS]),
            }
        }
    }

    fn properties(&mut self, table: &AccountTable, value: Value<'a>, account: &mut Account) {
        for member in self.members(value) {
            let Some(property) = table.property(&member.name) else {
                let mut names = Vec::new();
                for property in table.properties {
                    names.push(property.name);
                }
                self.unknown(&member, "property", &names);
                continue;
            };
            if let Some(value) = self.property(property.kind, member.value) {
                account.set(property.name, value);
            }
        }
    }

    fn property(&mut self, kind: PropertyKind, value: Value<'a>) -> Option<PropertyValue> {
        match kind {
            PropertyKind::Words(words) => {
                let given = self.word(value)?;
                let known = words.iter().find(|word| **word == given);
                if known.is_none() {
                    self.mistake(value.at, format!("expected {}, found {:?}", either(words), given));
                }
                Some(PropertyValue::Word((*known?).into()))
            }
            PropertyKind::Flag if Reader::new(value.raw).peek() != Kind::Boolean => {
                self.mistake(value.at, format!("expected true or false, found {}", value.raw));
                None
            }
            PropertyKind::Flag => Some(PropertyValue::Flag(value.raw == "true")),
            PropertyKind::Time => self.time(value).map(PropertyValue::Time),
            PropertyKind::Names => self.names(value).map(PropertyValue::Names),
        }
    }

    fn time(&mut self, value: Value<'a>) -> Option<Timestamp> {
        let millis = read_json::<Timestamp>(value.raw).ok();
        let time = millis.or_else(|| read_json::<IsoTime>(value.raw).ok().map(|time| time.timestamp()));
        if time.is_none() {
            self.mistake(value.at, format!("expected a time like 2026-01-31T00:00:00Z, found {}", value.raw));
        }
        time
    }

    fn names(&mut self, value: Value<'a>) -> Option<Vec<String>> {
        let mut from = Reader::new(value.raw);
        let Ok(mut elements) = from.array() else {
            self.mistake(value.at, format!("expected a list of names, found {}", value.raw));
            return None;
        };
        let mut names = Vec::new();
        while let Ok(Some(_)) = elements.next(&mut from) {
            let at = value.at + from.here();
            let raw = from.raw_value().unwrap_or_default();
            names.extend(self.word(Value { raw, at }));
        }
        Some(names)
    }

    fn instruments(&mut self, table: &AccountTable, value: Value<'a>, account: &mut Account) {
        for line in self.members(value) {
            for symbol in self.members(line.value) {
                let instrument = self.instrument(table, symbol.value);
                account.set_instrument(&*line.name, symbol.name, instrument);
            }
        }
    }

    fn instrument(&mut self, table: &AccountTable, value: Value<'a>) -> Instrument {
        self.members(value).into_iter().fold(Instrument::new(), |instrument, member| {
            if let Some(flag) = table.flags.iter().find(|flag| **flag == member.name) {
                return match self.property(PropertyKind::Flag, member.value) {
                    Some(PropertyValue::Flag(value)) => instrument.with_flag(*flag, value),
                    _ => instrument,
                };
            }
            let Some(name) = table.instrument.iter().find(|name| **name == member.name) else {
                self.unknown(&member, "property", &[table.instrument, table.flags].concat());
                return instrument;
            };
            match read_json::<Decimal>(member.value.raw) {
                Ok(number) => instrument.with(*name, number),
                Err(error) => {
                    self.mistake(member.value.at, error.what().to_owned());
                    instrument
                }
            }
        })
    }

    /// A string.
    fn word(&mut self, value: Value<'a>) -> Option<String> {
        let mut from = Reader::new(value.raw);
        match from.peek() {
            Kind::String => from.scalar().ok().map(Cow::into_owned),
            Kind::Null | Kind::Boolean | Kind::Number | Kind::Array | Kind::Object | Kind::Nothing => {
                let error = from.unexpected("a string");
                self.mistake(value.at, error.what().to_owned());
                None
            }
        }
    }

    /// The members of an object. A repeated name is a mistake.
    fn members(&mut self, value: Value<'a>) -> Vec<Member<'a>> {
        let mut members = Vec::new();
        if let Err(error) = read_members(value, &mut members) {
            self.mistake(value.at + error.offset(), error.what().to_owned());
        }
        let mut names = HashSet::new();
        for member in &members {
            if !names.insert(&*member.name) {
                self.mistake(member.value.at, format!("`{}` is given twice", member.name));
            }
        }
        members
    }

    fn unknown(&mut self, member: &Member<'a>, what: &str, known: &[&str]) {
        let help = match nearest(&member.name, known.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("expected {}", either(known)),
        };
        self.mistake(member.value.at, format!("unknown {what} `{}`: {help}", member.name));
    }

    fn mistake(&mut self, offset: usize, what: String) {
        self.mistakes.push(AccountMistake::at(self.text, offset, what));
    }
}

fn read_members<'a>(value: Value<'a>, into: &mut Vec<Member<'a>>) -> Result<(), ReadError> {
    let mut from = Reader::new(value.raw);
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(&mut from)? {
        into.push(Member { name, value: Value { at: value.at + from.here(), raw: from.raw_value()? } });
    }
    Ok(())
}

/// `a`, `b` or `c`.
fn either(words: &[&str]) -> String {
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        let separator = match index {
            0 => "",
            _ if index + 1 == words.len() => " or ",
            _ => ", ",
        };
        text.extend([separator, "`", word, "`"]);
    }
    if text.is_empty() { "nothing".to_owned() } else { text }
}
