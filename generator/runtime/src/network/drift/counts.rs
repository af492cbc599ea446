//! The counts of an operation, whose size is bounded for any response.
//!
//! Only texts that are spelled like a name may be reported, because others may be personal data. A text in which a
//! credential can be recognized is withheld, however it is spelled.

use std::cell::OnceCell;

use zeroize::Zeroizing;

use crate::data::json::{FieldTable, Kind};
use crate::data::tables::Meta;
use crate::network::signing::Credentials;

/// The maximum number of objects of a response with paths of their own, because records can be nested.
const MAX_RECORDS: usize = 32;

/// The maximum number of findings of a record.
const MAX_FOUND: usize = 96;

/// The maximum number of names of a kind: more of them are data, not names of fields or values.
const MAX_NAMES: usize = 32;

/// An operation of an API and the counts of its answers.
#[derive(Clone, Debug)]
pub(super) struct OperationCounts {
    pub(super) api: &'static str,
    pub(super) meta: &'static Meta,
    pub(super) counts: Counts,
}

/// The counts of an operation's answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// Answers that were a success, or should have been.
    pub(super) answers: u64,
    /// Answers that were a refusal.
    pub(super) refused: u64,
    /// Responses that are not JSON.
    pub(super) broken: u64,
    /// Findings for which there was no room.
    pub(super) left_out: u64,
    pub(super) records: Vec<RecordCounts>,
}

/// The counts of the objects at one path.
#[derive(Clone, Debug)]
pub(super) struct RecordCounts {
    pub(super) path: String,
    pub(super) name: Option<&'static str>,
    pub(super) seen: u64,
    pub(super) fields: Vec<FieldCount>,
    /// In the order of the signs.
    pub(super) found: Vec<(Sign, Occurrences)>,
}

/// The number of times that a field occurred.
#[derive(Clone, Debug)]
pub(super) struct FieldCount {
    pub(super) name: &'static str,
    pub(super) is_conditional: bool,
    pub(super) times: u64,
}

/// A finding. A name is `None` if it is withheld.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    UnknownField(Option<Box<str>>),
    UnknownValue(FieldPlace, Option<Box<str>>),
    ValueNotListedHere(FieldPlace, &'static str),
    WrittenOtherwise(FieldPlace),
    Unreadable(FieldPlace),
    UnlistedCode(FieldPlace, Option<Box<str>>),
    Observed,
}

/// A field of a record, or the items of its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FieldPlace {
    pub(super) field: usize,
    pub(super) is_item: bool,
}

/// The number of times that something was found, and the kinds of JSON that it was written as.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Occurrences {
    pub(super) times: u64,
    pub(super) written: JsonKinds,
    /// There were too many names, so all are withheld.
    is_crowded: bool,
}

/// A set of kinds of JSON.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonKinds(u8);

const WRITTEN: [&str; 7] = ["null", "boolean", "number", "text", "number as text", "list", "object"];

impl JsonKinds {
    pub(super) const NUMBER_AS_TEXT: Self = Self(1 << 4);

    pub(super) fn words(self) -> Vec<&'static str> {
        let mut words = Vec::new();
        for (bit, word) in WRITTEN.iter().enumerate() {
            if self.0 & (1 << bit) != 0 {
                words.push(*word);
            }
        }
        words
    }
}

impl From<Kind> for JsonKinds {
    fn from(kind: Kind) -> Self {
        Self(match kind {
            Kind::Null => 1,
            Kind::Boolean => 1 << 1,
            Kind::Number => 1 << 2,
            Kind::String => 1 << 3,
            Kind::Array => 1 << 5,
            Kind::Object => 1 << 6,
            Kind::Nothing => 0,
        })
    }
}

impl Occurrences {
    pub(super) fn once(written: impl Into<JsonKinds>) -> Self {
        Self { times: 1, written: written.into(), is_crowded: false }
    }

    fn add(&mut self, more: Self) {
        self.times += more.times;
        self.written.0 |= more.written.0;
        self.is_crowded |= more.is_crowded;
    }
}

impl Sign {
    /// Returns the same without its name, if it has one.
    fn unnamed(&self) -> Option<Self> {
        match self {
            Self::UnknownField(Some(_)) => Some(Self::UnknownField(None)),
            Self::UnknownValue(spot, Some(_)) => Some(Self::UnknownValue(*spot, None)),
            Self::UnlistedCode(spot, Some(_)) => Some(Self::UnlistedCode(*spot, None)),
            Self::UnknownField(_)
            | Self::UnknownValue(..)
            | Self::ValueNotListedHere(..)
            | Self::WrittenOtherwise(_)
            | Self::Unreadable(_)
            | Self::UnlistedCode(..)
            | Self::Observed => None,
        }
    }
}

impl OperationCounts {
    /// Returns what the counts are ordered by: the name of the API, and the id of the operation.
    pub(super) fn key(&self) -> (&'static str, &'static str) {
        (self.api, self.meta.id)
    }
}

impl Counts {
    /// Returns the place of the objects at `path`, if there is room for it.
    pub(super) fn record(&mut self, path: &str, name: Option<&'static str>, fields: &[FieldTable]) -> Option<usize> {
        let known = self.records.iter().position(|record| record.path == path);
        if known.is_some() || self.records.len() == MAX_RECORDS {
            self.left_out += u64::from(known.is_none());
            return known;
        }
        let mut counts = Vec::with_capacity(fields.len());
        for FieldTable { name, is_conditional, .. } in fields {
            counts.push(FieldCount { name, is_conditional: *is_conditional, times: 0 });
        }
        self.records.push(RecordCounts { path: path.to_owned(), name, seen: 0, fields: counts, found: Vec::new() });
        Some(self.records.len() - 1)
    }

    /// Notes something found in a record.
    pub(super) fn note(&mut self, record: usize, sign: Sign, found: Occurrences) {
        let Some(record) = self.records.get_mut(record) else { return };
        self.left_out += record.note(sign, found);
    }

    /// Adds the counts of another response.
    pub(super) fn add(&mut self, more: Self) {
        self.answers += more.answers;
        self.refused += more.refused;
        self.broken += more.broken;
        self.left_out += more.left_out;
        for record in more.records {
            let has_room = self.records.len() < MAX_RECORDS;
            match self.records.iter_mut().find(|known| known.path == record.path) {
                Some(known) => self.left_out += known.add(record),
                None if has_room => self.records.push(record),
                None => self.left_out += 1,
            }
        }
    }
}

impl RecordCounts {
    /// Adds the counts of another response; returns how many findings there was no room for.
    fn add(&mut self, more: Self) -> u64 {
        self.seen += more.seen;
        for (field, more) in self.fields.iter_mut().zip(more.fields) {
            field.times += more.times;
        }
        more.found.into_iter().map(|(sign, found)| self.note(sign, found)).sum()
    }

    /// Notes something found; returns how many findings there was no room for.
    fn note(&mut self, sign: Sign, found: Occurrences) -> u64 {
        let place = match self.place_of(&sign) {
            Err(place) => place,
            Ok(place) => {
                let known = &mut self.found[place].1;
                let was_crowded = known.is_crowded;
                known.add(found);
                if known.is_crowded && !was_crowded {
                    self.forget_names(&sign);
                }
                return 0;
            }
        };
        if let Some(unnamed) = sign.unnamed().filter(|unnamed| self.is_crowded(unnamed)) {
            return self.note(unnamed, Occurrences { is_crowded: true, ..found });
        }
        if self.found.len() >= MAX_FOUND && !found.is_crowded {
            return found.times;
        }
        self.found.insert(place, (sign.clone(), found));
        if found.is_crowded {
            self.forget_names(&sign);
        }
        0
    }

    /// Returns the place of a finding, or where it would be.
    fn place_of(&self, sign: &Sign) -> Result<usize, usize> {
        self.found.binary_search_by(|(known, _)| known.cmp(sign))
    }

    /// Returns whether there is no room for another name beside `unnamed`.
    fn is_crowded(&self, unnamed: &Sign) -> bool {
        let names = self.found.iter().filter(|(sign, _)| sign.unnamed().as_ref() == Some(unnamed));
        self.place_of(unnamed).is_ok_and(|place| self.found[place].1.is_crowded) || names.count() >= MAX_NAMES
    }

    /// Moves the counts of named values to those without names.
    fn forget_names(&mut self, unnamed: &Sign) {
        let mut all = Occurrences::default();
        self.found.retain(|(sign, found)| {
            let is_named = sign.unnamed().as_ref() == Some(unnamed);
            if is_named {
                all.add(*found);
            }
            !is_named
        });
        if let Ok(place) = self.place_of(unnamed) {
            self.found[place].1.add(all);
        }
    }
}

/// The maximum length of a name, in characters.
const LONGEST: usize = 48;

/// The maximum number of digits in a name: ids and amounts have more.
const DIGITS: usize = 4;

/// The maximum length of an error code, in characters: ids are longer.
const LONGEST_REPORTED: usize = 12;

/// Returns `text`, if it is spelled like the name of a field or like a value of an enum: it begins with a letter, has
/// few digits, and little else than letters.
pub(super) fn reportable_name(text: &str) -> Option<Box<str>> {
    let (mut digits, mut spaces) = (0, 0);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b' ' => spaces += 1,
            b'_' | b'-' | b'.' | b'a'..=b'z' | b'A'..=b'Z' => {}
            _ => return None,
        }
    }
    let begins = text.starts_with(|first: char| first.is_ascii_alphabetic());
    (begins && text.len() <= LONGEST && digits <= DIGITS && spaces <= 2).then(|| text.into())
}

/// Returns `text`, if it is spelled like an error code.
pub(super) fn reportable_code(text: &str) -> Option<Box<str>> {
    let is_code = (1..=LONGEST_REPORTED).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| text.into())
}

/// A shorter text is a part of too many credentials to reveal one.
const REVEALING: usize = 4;

/// Removes credentials of a call from the texts of its response.
pub(super) struct Redactor<'a> {
    credentials: Option<&'a Credentials>,
    /// Built on demand, because most responses contain nothing to compare.
    plain: OnceCell<Vec<Zeroizing<Vec<u8>>>>,
}

impl<'a> Redactor<'a> {
    pub(super) fn of(credentials: Option<&'a Credentials>) -> Self {
        Self { credentials, plain: OnceCell::new() }
    }

    /// Returns `text`, unless it contains a credential or is a part of one, ignoring case and separators.
    pub(super) fn filter(&self, text: Option<Box<str>>) -> Option<Box<str>> {
        let credentials = self.plain.get_or_init(|| {
            let mut sent = Vec::from(self.credentials.map(Credentials::sent).unwrap_or_default().map(plain));
            sent.retain(|credential| !credential.is_empty());
            sent
        });
        text.filter(|text| {
            if credentials.is_empty() {
                return true;
            }
            let text = plain(text.as_bytes());
            let repeats = |credential: &[u8]| {
                contains(&text, credential) || text.len() >= REVEALING && contains(credential, &text)
            };
            !credentials.iter().any(|credential| repeats(credential))
        })
    }
}

/// Returns letters and digits alone, the letters small.
fn plain(text: &[u8]) -> Zeroizing<Vec<u8>> {
    // Allocated once: a vector that grows leaves copies behind.
    let mut plain = Zeroizing::new(Vec::with_capacity(text.len()));
    plain.extend(text.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase));
    plain
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept() {
        for kept in ["newField", "price24hPcnt", "tp_sl_2", "USDT-FUTURES", "post only", "v", "a.b"] {
            assert_eq!(reportable_name(kept).as_deref(), Some(kept));
        }
        assert_eq!(reportable_code("40010").as_deref(), Some("40010"));
    }

    #[test]
    fn ids_amounts_and_sentences_are_not_reported() {
        let long = "x".repeat(LONGEST + 1);
        for kept in ["", "1461937205548810241", "0.5", "-5", "desk-1:0001", "a-2024-11-21", "Mr. X owes 5 to Y", "grün"]
        {
            assert_eq!(reportable_name(kept), None, "{kept}");
        }
        assert_eq!(reportable_name(&long), None);
        for kept in ["", "1461937205548810241", "no such order", "a:b"] {
            assert_eq!(reportable_code(kept), None, "{kept}");
        }
    }

    #[test]
    fn a_credential_is_recognised_in_every_spelling() {
        let credentials = Credentials::new("apiKeyOfMine", "secret", "pass-Phrase e9");
        let withheld = Redactor::of(Some(&credentials));
        let passes = |text: &str| withheld.filter(Some(text.into())).is_some();
        for hidden in [
            "pass-Phrase e9",
            "passPhraseE9",
            "PASS_PHRASE_E9",
            "x.pass-phrase.e9.y",
            "passphrase",
            "hrasee9",
            "apikeyofmine",
            "keyOf",
        ] {
            assert!(!passes(hidden), "{hidden}");
        }
        for shown in ["newField", "passes", "e9", "api", "orderId", "USDT-FUTURES"] {
            assert!(passes(shown), "{shown}");
        }
        assert_eq!(withheld.filter(None), None);
    }

    #[test]
    fn without_credentials_nothing_is_redacted() {
        let nobody = Credentials::new("", "", "");
        for withheld in [Redactor::of(None), Redactor::of(Some(&nobody))] {
            assert_eq!(withheld.filter(Some("newField".into())).as_deref(), Some("newField"));
        }
    }
}
