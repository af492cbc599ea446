//! The parameters of a control request.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use rust_decimal::Decimal;

use super::Refused;
use crate::operations::reading::number;
use crate::state::values::Price;

/// The most items of a list.
pub(super) const MAX_ITEMS: usize = 100;

/// The parameters of a control request: each is known to its call, there once, and not empty.
pub(super) struct Query {
    known: &'static [&'static str],
    given: BTreeMap<&'static str, String>,
}

impl Query {
    /// Reads the part of an address after `?`.
    pub(super) fn read(text: &str, known: &'static [&'static str]) -> Result<Self, Refused> {
        let mut parameters = BTreeMap::new();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let Some(name) = known.iter().find(|known| **known == name) else {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(Refused::bad(format!("unknown parameter {name:?}: expected {known}")));
            };
            let value = percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| Refused::bad(format!("invalid {name}: expected UTF-8")))?;
            if value.is_empty() {
                return Err(Refused::bad(format!("empty {name}: leave it out, or give it a value")));
            }
            if parameters.insert(*name, value.into_owned()).is_some() {
                return Err(Refused::bad(format!("{name} is there twice")));
            }
        }
        Ok(Self { known, given: parameters })
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The parameters that the call knows, but one, for messages.
    pub(super) fn known_but(&self, other: &str) -> String {
        self.known.iter().copied().filter(|name| *name != other).collect::<Vec<_>>().join(", ")
    }

    /// A parameter.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// A parameter that must be there.
    pub(super) fn needed(&self, name: &str) -> Result<String, Refused> {
        self.get(name).map(str::to_owned).ok_or_else(|| Refused::bad(format!("missing {name}")))
    }

    /// Refuses parameters that mean nothing beside another one.
    pub(super) fn refuse_beside(&self, other: &str, names: &[&str]) -> Result<(), Refused> {
        match names.iter().find(|name| self.get(name).is_some()) {
            Some(name) => Err(Refused::bad(format!("{name} beside {other}: it means nothing there"))),
            None => Ok(()),
        }
    }

    /// Refuses all parameters beside one that stands alone.
    pub(super) fn refuse_others(&self, only: &str) -> Result<(), Refused> {
        let others: Vec<&str> = self.known.iter().copied().filter(|name| *name != only).collect();
        self.refuse_beside(only, &others)
    }

    /// A price, or another exact number that is not negative.
    pub(super) fn price(&self, name: &str) -> Result<Option<Price>, Refused> {
        let read =
            |text: &str| price(text).ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected a number")));
        self.get(name).map(read).transpose()
    }

    /// A word, as `of` reads it; `expected` lists the words.
    pub(super) fn word<T>(
        &self,
        name: &str,
        expected: &str,
        of: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Refused> {
        let read =
            |text: &str| of(text).ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected {expected}")));
        self.get(name).map(read).transpose()
    }

    /// A number up to `most`.
    pub(super) fn number<N: FromStr + PartialOrd + Display>(&self, name: &str, most: N) -> Result<Option<N>, Refused> {
        let read = |text: &str| {
            let number = text.parse().ok().filter(|number| *number <= most);
            number.ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected a number up to {most}")))
        };
        self.get(name).map(read).transpose()
    }

    /// The place of one of `count` things, from zero.
    pub(super) fn place(&self, name: &str, count: usize) -> Result<Option<usize>, Refused> {
        let read = |text: &str| {
            let place = text.parse().ok().filter(|place| *place < count);
            place.ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected a number below {count}")))
        };
        self.get(name).map(read).transpose()
    }

    /// Numbers of a range.
    pub(super) fn numbers(&self, name: &str, least: i64, most: i64) -> Result<Option<Vec<i64>>, Refused> {
        let read = |text: &str| text.parse().ok().filter(|number| (least..=most).contains(number));
        self.list(name, &format!("numbers from {least} to {most}"), read)
    }

    /// A comma-separated list; `none` is the empty one. `expected` describes the items.
    pub(super) fn list<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<Vec<T>>, Refused> {
        let Some(text) = self.get(name) else { return Ok(None) };
        if text == "none" {
            return Ok(Some(Vec::new()));
        }
        let items: Option<Vec<T>> = text.split(',').take(MAX_ITEMS + 1).map(read).collect();
        let items = items.filter(|items| items.len() <= MAX_ITEMS);
        let why = || Refused::bad(format!("invalid {name} {text:?}: expected up to {MAX_ITEMS} {expected}, or none"));
        items.map(Some).ok_or_else(why)
    }
}

/// An exact number that is not negative.
pub(super) fn price(text: &str) -> Option<Price> {
    let text: tradeapi::Decimal = text.parse().ok()?;
    number("price", &text).ok().map(Price)
}

/// A share such as `0.4`, in thousandths.
///
/// # Errors
///
/// The text is not a number from 0 to 1.
pub fn per_mille(share: &str) -> Result<u32, String> {
    let number: Option<Decimal> = share.parse().ok().filter(|share| (Decimal::ZERO..=Decimal::ONE).contains(share));
    let thousandths = number.and_then(|share| u32::try_from((share * Decimal::ONE_THOUSAND).round()).ok());
    thousandths.ok_or_else(|| format!("invalid share {share:?}: expected a number from 0 to 1"))
}
