//! Accounts as JSON, so that a program can read its position mode and its instruments from a file.
//!
//! JSON is read by the crate anyway, with the place of each mistake; TOML would bring a parser for one file.
//!
//! ```json
//! {
//!   "name": "desk-1",
//!   "properties": { "positionMode": "hedge_mode", "since": "2026-01-31T00:00:00.000Z", "pairs": ["BTCUSDT"] },
//!   "instruments": {
//!     "USDT-FUTURES": { "BTCUSDT": { "priceMultiplier": "0.1", "sizeMultiplier": "0.0001" } }
//!   }
//! }
//! ```
//!
//! The names of properties are those of the schema. Every member may be left out. Times are ISO 8601 or milliseconds
//! since 1970, numbers are strings or JSON numbers, whose digits are kept.

use std::borrow::Cow;
use std::collections::HashSet;
use std::error::Error;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use tradeapi_words::similar::nearest;

use crate::data::account::{Account, Instrument, PropertyValue};
use crate::data::json::{JsonWriter, Kind, ReadError, Reader, read_json, write_json};
use crate::data::tables::{AccountTable, PropertyKind};
use crate::data::value::{Decimal, Iso8601, IsoTime, TimeFormat, Timestamp};

/// The members of the file.
const NAME: &str = "name";

const PROPERTIES: &str = "properties";

const INSTRUMENTS: &str = "instruments";

/// The reason why an account cannot be read.
#[non_exhaustive]
pub enum AccountFileError {
    /// The file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        why: io::Error,
    },
    /// The text has mistakes.
    Mistakes {
        /// The file; `None` for a text.
        path: Option<PathBuf>,
        /// All mistakes, in the order of the text; at least one.
        mistakes: Vec<AccountMistake>,
    },
}

/// A mistake in the JSON of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountMistake {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// The path to the value: `properties.positionMode`. It is empty if the text as a whole is invalid.
    pub path: String,
    /// The mistake.
    pub what: String,
}

impl AccountMistake {
    /// Returns the mistake at the byte `offset` of `text`.
    fn at(text: &str, offset: usize, what: String) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        let error = ReadError::new(offset, what).located(text);
        Self { line, column, path: error.path().to_owned(), what: error.what().to_owned() }
    }
}

/// Without the line: `properties.positionMode: expected a word`.
impl fmt::Display for AccountMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)
    }
}

impl fmt::Display for AccountFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, .. } => write!(f, "{} cannot be read", path.display()),
            Self::Mistakes { path, mistakes } => {
                f.write_str("the account cannot be read:")?;
                mistakes.iter().try_for_each(|mistake| {
                    let AccountMistake { line, column, .. } = mistake;
                    match path {
                        Some(path) => write!(f, "\n{}:{line}:{column}: {mistake}", path.display()),
                        None => write!(f, "\nline {line}, column {column}: {mistake}"),
                    }
                })
            }
        }
    }
}

debug_as_sentence!(AccountFileError);

impl Error for AccountFileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { why, .. } => Some(why),
            Self::Mistakes { .. } => None,
        }
    }
}

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

    /// Returns a string.
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

    /// Returns the members of an object. A repeated name is a mistake.
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

/// Returns words as `a`, `b` or `c`.
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

impl Account {
    /// Returns the account as JSON, which `from_json` reads back without loss.
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

/// Returns an object with a member on each line, at a depth of nesting.
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

/// Returns an instrument on one line, because an account may have hundreds.
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

/// Returns a time as ISO 8601, or as a number of milliseconds if it is beyond what can be read of the former.
fn written(time: Timestamp) -> String {
    let iso = time.to_string();
    if Iso8601::read(&iso).is_some() { text(&iso) } else { time.as_millis().to_string() }
}

fn text(text: &str) -> String {
    let mut out = JsonWriter::new();
    out.string(text);
    out.finish()
}
