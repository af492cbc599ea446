//! Properties of an account that rules depend on and no request shows, with its instruments, and differences between them
//! and what the exchange's answers show.
//!
//! A mismatch is reported and changes no requests: a record of an order may be from before the mode was changed, and a
//! client that stops by itself could not close a position.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::data::value::{Dates, Decimal, ExchangeTime, Timestamp};

/// An account as the caller describes it: a name, properties by their names in the schema, and instruments.
///
/// Everything is optional. A rule that depends on a missing property is not checked. Emitted crates wrap this type in
/// one with a function for each property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    name: String,
    /// In the order of their names.
    properties: Vec<(Cow<'static, str>, PropertyValue)>,
    /// Shared, because an account is cloned with its client and the list may be long.
    instruments: Option<Arc<Instruments>>,
}

/// The value of a property of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PropertyValue {
    /// One of the words that the schema lists.
    Word(Cow<'static, str>),
    /// Yes or no.
    Flag(bool),
    /// A point in time.
    Time(Timestamp),
    /// Names, such as those of trading pairs.
    Names(Vec<String>),
}

impl Account {
    /// Creates an account without a name, properties or instruments.
    pub const fn new() -> Self {
        Self { name: String::new(), properties: Vec::new(), instruments: None }
    }

    /// Creates an account with a name, by which a shared limiter distinguishes accounts.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::new() }
    }

    /// Returns the name; empty if none is set.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn set_name(&mut self, name: String) {
        self.name = name;
    }

    /// Returns the properties that are set, by their names.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &PropertyValue)> {
        self.properties.iter().map(|(name, value)| (&**name, value))
    }

    /// Sets a property, replacing an earlier value.
    pub fn set(&mut self, property: impl Into<Cow<'static, str>>, value: PropertyValue) {
        self.set_property(property.into(), value);
    }

    fn set_property(&mut self, property: Cow<'static, str>, value: PropertyValue) {
        match self.place_of(&property) {
            Ok(place) => self.properties[place].1 = value,
            Err(place) => self.properties.insert(place, (property, value)),
        }
    }

    /// Returns the value of a property.
    pub fn get(&self, property: &str) -> Option<&PropertyValue> {
        self.place_of(property).ok().map(|place| &self.properties[place].1)
    }

    /// Returns the place of a property, or where it would be.
    fn place_of(&self, property: &str) -> Result<usize, usize> {
        self.properties.binary_search_by(|(known, _)| (**known).cmp(property))
    }

    /// Sets the steps and bounds of the instrument `symbol` in the business line `line`.
    pub fn set_instrument(&mut self, line: impl Into<String>, symbol: impl Into<String>, instrument: Instrument) {
        self.add_instrument(line.into(), symbol.into(), instrument);
    }

    fn add_instrument(&mut self, line: String, symbol: String, instrument: Instrument) {
        Arc::make_mut(self.instruments.get_or_insert_default()).add(line, symbol, instrument);
    }

    /// Returns the instruments, each with its business line and its symbol.
    pub fn instruments(&self) -> impl Iterator<Item = (&str, &str, &Instrument)> {
        self.instruments.iter().flat_map(|instruments| instruments.iter())
    }

    /// Returns whether a flag is set of the instrument `symbol`, in any business line. `None` if that is not stated.
    pub fn instrument_flag(&self, symbol: &str, flag: &str) -> Option<bool> {
        self.instruments.as_ref()?.flag(symbol, flag)
    }

    /// Returns the instrument `symbol` of the business line `line`.
    pub fn instrument(&self, line: &str, symbol: &str) -> Option<&Instrument> {
        self.instruments.as_ref()?.get(line, symbol)
    }
}

/// Conditions that rules check. They return `None` if the property is not set.
impl Account {
    /// Returns whether a property is one of `words`; a flag is `true` or `false`.
    pub fn is(&self, property: &str, words: &[&str]) -> Option<bool> {
        match self.get(property)? {
            PropertyValue::Word(word) => Some(words.contains(&word.as_ref())),
            PropertyValue::Flag(flag) => Some(words.contains(if *flag { &"true" } else { &"false" })),
            PropertyValue::Time(_) | PropertyValue::Names(_) => None,
        }
    }

    /// Returns whether `name` is among the names of a property.
    pub fn lists(&self, property: &str, name: &str) -> Option<bool> {
        match self.get(property)? {
            PropertyValue::Names(names) => Some(names.iter().any(|known| known == name)),
            PropertyValue::Word(_) | PropertyValue::Flag(_) | PropertyValue::Time(_) => None,
        }
    }

    /// Returns whether `time` is at or after the time of a property.
    pub fn has_reached(&self, property: &str, time: Timestamp) -> Option<bool> {
        match self.get(property)? {
            PropertyValue::Time(moment) => Some(time >= *moment),
            PropertyValue::Word(_) | PropertyValue::Flag(_) | PropertyValue::Names(_) => None,
        }
    }
}

impl fmt::Display for PropertyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Longer lists are abbreviated.
        const MAX_SHOWN: usize = 5;
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Flag(flag) => flag.fmt(f),
            Self::Time(time) => time.fmt(f),
            Self::Names(names) if names.len() > MAX_SHOWN => {
                write!(f, "{} and {} more", names[..MAX_SHOWN].join(", "), names.len() - MAX_SHOWN)
            }
            Self::Names(names) => f.write_str(&names.join(", ")),
        }
    }
}

impl From<&str> for Account {
    /// Returns the account of this name.
    fn from(name: &str) -> Self {
        Self::named(name)
    }
}

impl From<String> for Account {
    /// Returns the account of this name.
    fn from(name: String) -> Self {
        Self::named(name)
    }
}

/// A property of the account whose value at the exchange differs from the stated one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountMismatch {
    /// The name of the property in the schema.
    pub property: &'static str,
    /// The stated value.
    pub stated: String,
    /// The value at the exchange.
    pub evidence: AccountEvidence,
    /// The time of the record or of the refusal, by the exchange's clock.
    pub at: Option<Timestamp>,
}

/// The answer that shows that a property of the account has another value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccountEvidence {
    /// The record of an order has this value.
    Record(String),
    /// The exchange refused a request that fits the stated value, with this code.
    Refusal(String),
}

impl fmt::Display for AccountMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { property, stated, evidence, at } = self;
        write!(f, "the client's account states {property} {stated}, but ")?;
        match evidence {
            AccountEvidence::Record(value) => write!(f, "the record of an order shows {value}")?,
            AccountEvidence::Refusal(code) => write!(f, "code {code} refuses a request that fits it")?,
        }
        at.map_or(Ok(()), |at| write!(f, " ({at})"))
    }
}

/// The latest evidence for each stated property, in the order of their names. Older records do not count, because the
/// account may have changed since.
#[derive(Debug, Default)]
pub(crate) struct Mismatches(Mutex<Vec<Latest>>);

#[derive(Debug)]
struct Latest {
    property: &'static str,
    at: Option<Timestamp>,
    mismatch: Option<AccountMismatch>,
}

impl Mismatches {
    /// Records what an answer shows about a property: a mismatch, or that the stated value is right. Returns whether
    /// this is the first mismatch since the stated value was last shown to be right.
    pub(crate) fn note(
        &self,
        property: &'static str,
        at: Option<Timestamp>,
        mismatch: Option<AccountMismatch>,
    ) -> bool {
        let mut all = self.lock();
        let place = all.binary_search_by(|known| known.property.cmp(property)).unwrap_or_else(|place| {
            all.insert(place, Latest { property, at: None, mismatch: None });
            place
        });
        let known = &mut all[place];
        if known.at > at {
            return false;
        }
        let is_first = known.mismatch.is_none() && mismatch.is_some();
        (known.at, known.mismatch) = (at, mismatch);
        is_first
    }

    /// Returns the mismatches that no later answer has cleared.
    pub(crate) fn all(&self) -> Vec<AccountMismatch> {
        let mut all = Vec::new();
        for latest in self.lock().iter() {
            all.extend(latest.mismatch.clone());
        }
        all
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Latest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The business line of an instrument, in the requests of a family. The emitted enums of business lines are one, and so are
/// the names of a family and of a line: `("unified", "USDT-FUTURES")`.
pub trait InstrumentLine {
    /// Returns the name of the family.
    fn family(&self) -> &str;

    /// Returns the line, as it is sent.
    fn line(&self) -> &str;
}

impl InstrumentLine for (&str, &str) {
    fn family(&self) -> &str {
        self.0
    }

    fn line(&self) -> &str {
        self.1
    }
}

impl<L: InstrumentLine> InstrumentLine for &L {
    fn family(&self) -> &str {
        (**self).family()
    }

    fn line(&self) -> &str {
        (**self).line()
    }
}

/// Instruments by their business line and their symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruments {
    /// By symbol, in their order, then by line.
    by_symbol: Vec<(String, Vec<(String, Instrument)>)>,
}

impl Instruments {
    /// Adds the instrument `symbol` of the business line `line`, or replaces it.
    pub fn add(&mut self, line: String, symbol: String, instrument: Instrument) {
        let place = self.by_symbol.binary_search_by(|(known, _)| known.cmp(&symbol)).unwrap_or_else(|place| {
            self.by_symbol.insert(place, (symbol, Vec::new()));
            place
        });
        let (_, lines) = &mut self.by_symbol[place];
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, known)) => *known = instrument,
            None => lines.push((line, instrument)),
        }
    }

    /// Returns the instrument `symbol` of the business line `line`.
    pub fn get(&self, line: &str, symbol: &str) -> Option<&Instrument> {
        let place = self.by_symbol.binary_search_by(|(known, _)| known.as_str().cmp(symbol)).ok()?;
        let (_, lines) = &self.by_symbol[place];
        lines.iter().find(|(known, _)| known == line).map(|(_, instrument)| instrument)
    }

    /// Returns whether a flag is set of the instrument `symbol`, in any business line: one that states it is enough.
    /// `None` if no line states the flag.
    pub fn flag(&self, symbol: &str, flag: &str) -> Option<bool> {
        let place = self.by_symbol.binary_search_by(|(known, _)| known.as_str().cmp(symbol)).ok()?;
        let (_, lines) = &self.by_symbol[place];
        lines.iter().filter_map(|(_, instrument)| instrument.flag(flag)).max()
    }

    /// Returns the instruments, each with its business line and its symbol.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Instrument)> {
        self.by_symbol.iter().flat_map(|(symbol, lines)| {
            lines.iter().map(move |(line, instrument)| (line.as_str(), symbol.as_str(), instrument))
        })
    }
}

/// The instruments that the exchange lists, by the family whose requests name them: families may count the quantities of
/// one instrument in different units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedInstruments {
    /// In the order of the families, which are few.
    by_family: Vec<(&'static str, Instruments)>,
}

impl ListedInstruments {
    /// Returns the instruments of a family, to which more can be added.
    pub fn of(&mut self, family: &'static str) -> &mut Instruments {
        let place = self.by_family.binary_search_by(|(known, _)| (*known).cmp(family)).unwrap_or_else(|place| {
            self.by_family.insert(place, (family, Instruments::default()));
            place
        });
        &mut self.by_family[place].1
    }

    /// Returns the instrument `symbol` of the business line `line` in a family.
    pub fn get(&self, family: &str, line: &str, symbol: &str) -> Option<&Instrument> {
        let (_, instruments) = self.by_family.iter().find(|(known, _)| *known == family)?;
        instruments.get(line, symbol)
    }

    /// Returns whether a flag is set of the instrument `symbol` of a family, in any business line. `None` if that is
    /// not known.
    pub fn flag(&self, family: &str, symbol: &str, flag: &str) -> Option<bool> {
        let (_, instruments) = self.by_family.iter().find(|(known, _)| *known == family)?;
        instruments.flag(symbol, flag)
    }

    /// Returns the number of instruments, in all families.
    pub fn len(&self) -> usize {
        let mut count = 0;
        for (_, instruments) in &self.by_family {
            for (_, of_lines) in &instruments.by_symbol {
                count += of_lines.len();
            }
        }
        count
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The account, the instruments that the exchange lists, and its time: what a rate limit may depend on beside the request.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The account.
    pub account: &'a Account,
    /// The instruments that the exchange lists, for those that the account does not state.
    pub listed: Option<&'a ListedInstruments>,
    /// The time by the exchange's clock.
    pub time: ExchangeTime<'a>,
}

impl Known<'_> {
    /// Returns whether something with dates holds now. `None` if the time is unknown or near a change.
    pub fn hold(self, dates: Dates) -> Option<bool> {
        dates.hold(self.time)
    }

    /// Returns whether a flag is set of the instrument `symbol` of a family. What the account states takes precedence
    /// over the listing. `None` if neither says so.
    pub fn instrument_is(self, family: &str, symbol: &str, flag: &str) -> Option<bool> {
        let stated = self.account.instrument_flag(symbol, flag);
        stated.or_else(|| self.listed?.flag(family, symbol, flag))
    }
}

impl<'a> From<&'a Account> for Known<'a> {
    /// Returns the account alone.
    fn from(account: &'a Account) -> Self {
        Self { account, listed: None, time: ExchangeTime::UNKNOWN }
    }
}

/// The properties of an instrument, by their names in the schema: steps and bounds, and flags. A rule that needs a missing
/// one is not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instrument {
    properties: Vec<(Cow<'static, str>, Decimal)>,
    flags: Vec<(Cow<'static, str>, bool)>,
}

impl Instrument {
    /// Creates an instrument without properties.
    pub const fn new() -> Self {
        Self { properties: Vec::new(), flags: Vec::new() }
    }

    /// Sets a property, replacing an earlier value.
    #[must_use]
    pub fn with(mut self, property: impl Into<Cow<'static, str>>, value: Decimal) -> Self {
        self.set(property.into(), value);
        self
    }

    pub(crate) fn set(&mut self, property: Cow<'static, str>, value: Decimal) {
        self.properties.retain(|(known, _)| *known != property);
        self.properties.push((property, value));
    }

    /// Sets a flag, replacing an earlier value.
    #[must_use]
    pub fn with_flag(mut self, flag: impl Into<Cow<'static, str>>, value: bool) -> Self {
        self.set_flag(flag.into(), value);
        self
    }

    pub(crate) fn set_flag(&mut self, flag: Cow<'static, str>, value: bool) {
        self.flags.retain(|(known, _)| *known != flag);
        self.flags.push((flag, value));
    }

    /// Returns the value of a flag.
    pub fn flag(&self, flag: &str) -> Option<bool> {
        self.flags.iter().find(|(known, _)| known == flag).map(|(_, value)| *value)
    }

    /// Returns the flags that are stated.
    pub fn flags(&self) -> impl Iterator<Item = (&str, bool)> {
        self.flags.iter().map(|(name, value)| (&**name, *value))
    }

    /// Returns the value of a property that is a number.
    pub fn get(&self, property: &str) -> Option<&Decimal> {
        self.properties.iter().find(|(known, _)| known == property).map(|(_, value)| value)
    }

    /// Returns the numbers that are set.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Decimal)> {
        self.properties.iter().map(|(name, value)| (&**name, value))
    }

    /// Returns whether `value` is a multiple of the step `property`, exactly. `None` if the property is not set or not
    /// a valid step.
    pub fn divides(&self, property: &str, value: &Decimal) -> Option<bool> {
        value.is_multiple_of(self.get(property)?)
    }

    /// Returns whether `value` has at most as many decimal places as `property` allows; trailing zeros do not count.
    pub fn has_places_for(&self, property: &str, value: &Decimal) -> Option<bool> {
        Some(Decimal::from(value.places()) <= *self.get(property)?)
    }

    /// Returns whether `value` is at least `property`.
    pub fn is_reached_by(&self, property: &str, value: &Decimal) -> Option<bool> {
        Some(value >= self.get(property)?)
    }

    /// Returns whether `value` is at most `property`.
    pub fn is_not_exceeded_by(&self, property: &str, value: &Decimal) -> Option<bool> {
        Some(value <= self.get(property)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_properties_have_no_value() {
        let mut account = Account::new();
        assert_eq!(account.is("mode", &["a"]), None);
        assert_eq!(account.lists("pairs", "BTCUSDT"), None);
        assert_eq!(account.has_reached("since", Timestamp::from_millis(1)), None);
        assert_eq!(account.instrument("SPOT", "BTCUSDT"), None);

        account.set("mode", PropertyValue::Word("a".into()));
        account.set("listed", PropertyValue::Flag(true));
        account.set("pairs", PropertyValue::Names(vec!["BTCUSDT".to_owned()]));
        account.set("since", PropertyValue::Time(Timestamp::from_millis(5)));
        assert_eq!((account.is("mode", &["b", "a"]), account.is("mode", &["b"])), (Some(true), Some(false)));
        assert_eq!((account.is("listed", &["true"]), account.is("listed", &["false"])), (Some(true), Some(false)));
        assert_eq!(account.lists("pairs", "BTCUSDT"), Some(true));
        assert_eq!(account.lists("pairs", "ETHUSDT"), Some(false));
        assert_eq!(account.has_reached("since", Timestamp::from_millis(5)), Some(true));
        assert_eq!(account.has_reached("since", Timestamp::from_millis(4)), Some(false));
        assert_eq!(account.is("since", &["5"]), None, "a moment is not a word");
    }

    #[test]
    fn an_instrument_is_found_by_line_and_symbol() {
        let mut account = Account::named("desk");
        let instrument = |step: u8| Instrument::new().with("step", step.into());
        account.set_instrument("SPOT", "BTCUSDT", instrument(1));
        account.set_instrument("USDT-FUTURES", "BTCUSDT", instrument(2));
        account.set_instrument("SPOT", "BTCUSDT", instrument(3));
        assert_eq!(account.instrument("SPOT", "BTCUSDT"), Some(&instrument(3)));
        assert_eq!(account.instrument("USDT-FUTURES", "BTCUSDT"), Some(&instrument(2)));
        assert_eq!(account.instrument("MARGIN", "BTCUSDT"), None);
        assert_eq!(account.name(), "desk");
    }

    fn shown(value: &str, at: u64) -> (Option<Timestamp>, AccountMismatch) {
        let at = Some(Timestamp::from_millis(at));
        let evidence = AccountEvidence::Record(value.to_owned());
        (at, AccountMismatch { property: "mode", stated: "a".to_owned(), evidence, at })
    }

    #[test]
    fn the_latest_record_decides() {
        let mismatches = Mismatches::default();
        let (at, mismatch) = shown("b", 5);
        assert!(mismatches.note("mode", at, Some(mismatch.clone())));
        assert!(!mismatches.note("mode", at, Some(mismatch.clone())), "it was noticed before");
        assert_eq!(mismatches.all(), std::slice::from_ref(&mismatch));
        let text = "the client's account states mode a, but the record of an order shows b (1970-01-01T00:00:00.005Z)";
        assert_eq!(mismatch.to_string(), text);

        mismatches.note("mode", Some(Timestamp::from_millis(4)), None);
        mismatches.note("mode", None, None);
        assert_eq!(mismatches.all(), std::slice::from_ref(&mismatch), "an older record clears nothing");
        mismatches.note("mode", Some(Timestamp::from_millis(6)), None);
        assert_eq!(mismatches.all(), []);
        assert!(!mismatches.note("mode", at, Some(mismatch)), "an older record shows no mismatch");
        assert_eq!(mismatches.all(), []);
        let (at, mismatch) = shown("b", 7);
        assert!(mismatches.note("mode", at, Some(mismatch)), "it is wrong again");
        mismatches.note("mode", at, None);
        assert_eq!(mismatches.all(), [], "of the same time, the later answer counts");
    }
}
