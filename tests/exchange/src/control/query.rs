//! The parameters of a control request.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use rust_decimal::Decimal;

use super::Refused;
use crate::reading::number;
use crate::values::Price;

/// The most items of a list.
pub(super) const MAX_ITEMS: usize = 100;

/// The parameters of a control request.
#[derive(Clone, Copy)]
pub(super) struct Query<'a>(pub(super) &'a str);

impl<'a> Query<'a> {
    /// A parameter that is not empty.
    pub(super) fn get(self, name: &str) -> Option<Cow<'a, str>> {
        let mut pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(key, value)| *key == name && !value.is_empty())?;
        Some(percent_decode_str(value).decode_utf8_lossy())
    }

    /// A parameter that must be there.
    pub(super) fn needed(self, name: &str) -> Result<String, Refused> {
        self.get(name).map(Cow::into_owned).ok_or_else(|| Refused::bad(format!("missing {name}")))
    }

    /// A price, or another exact number that is not negative.
    pub(super) fn price(self, name: &str) -> Result<Option<Price>, Refused> {
        let read = |text: Cow<'_, str>| {
            let number = text.parse().ok().and_then(|text: tradeapi::Decimal| number(&text).ok());
            number.map(Price).ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected a number")))
        };
        self.get(name).map(read).transpose()
    }

    /// A word, as `of` reads it.
    pub(super) fn word<T>(self, name: &str, of: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Refused> {
        let read = |text: Cow<'_, str>| of(&text).ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}")));
        self.get(name).map(read).transpose()
    }

    /// A number up to `most`.
    pub(super) fn number<N: FromStr + PartialOrd + Display>(self, name: &str, most: N) -> Result<Option<N>, Refused> {
        let read = |text: Cow<'_, str>| {
            let number = text.parse().ok().filter(|number| *number <= most);
            number.ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected a number up to {most}")))
        };
        self.get(name).map(read).transpose()
    }

    /// Numbers of a range.
    pub(super) fn numbers(self, name: &str, least: i64, most: i64) -> Result<Option<Vec<i64>>, Refused> {
        let read = |text: &str| text.parse().ok().filter(|number| (least..=most).contains(number));
        self.list(name, &format!("numbers from {least} to {most}"), read)
    }

    /// A comma-separated list; `none` is the empty one. `expected` describes the items.
    pub(super) fn list<T>(
        self,
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
