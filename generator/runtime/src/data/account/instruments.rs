//! Instruments: what a caller states about their steps and bounds, and what the exchange lists.

use std::borrow::Cow;

use super::Account;
use crate::data::value::{Dates, Decimal, ExchangeTime};

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
