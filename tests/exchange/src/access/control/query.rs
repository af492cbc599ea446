//! The parameters of a control request, and the conditions and faults that they state.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use rust_decimal::Decimal;

use super::{Refused, nothing};
use crate::access::exchange::Exchange;
use crate::operations::reading::number;
use crate::state::dice::Seed;
use crate::state::faults::{Fault, FaultKind, FaultTarget};
use crate::state::hostile::{Hostility, Node};
use crate::state::values::{MAX_DELAY, MAX_OFFSET, Price};

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

    /// Returns the parameters that the call knows, but one, for messages.
    pub(super) fn known_but(&self, other: &str) -> String {
        self.known.iter().copied().filter(|name| *name != other).collect::<Vec<_>>().join(", ")
    }

    /// Returns a parameter.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// Returns a parameter that must be there.
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

    /// Returns a price, or another exact number that is not negative.
    pub(super) fn price(&self, name: &str) -> Result<Option<Price>, Refused> {
        let read =
            |text: &str| price(text).ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected a number")));
        self.get(name).map(read).transpose()
    }

    /// Returns a word, as `of` reads it; `expected` lists the words.
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

    /// Returns a number up to `most`.
    pub(super) fn number<N: FromStr + PartialOrd + Display>(&self, name: &str, most: N) -> Result<Option<N>, Refused> {
        let read = |text: &str| {
            let number = text.parse().ok().filter(|number| *number <= most);
            number.ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected a number up to {most}")))
        };
        self.get(name).map(read).transpose()
    }

    /// Returns the place of one of `count` things, from zero.
    pub(super) fn place(&self, name: &str, count: usize) -> Result<Option<usize>, Refused> {
        let read = |text: &str| {
            let place = text.parse().ok().filter(|place| *place < count);
            place.ok_or_else(|| Refused::bad(format!("invalid {name} {text:?}: expected a number below {count}")))
        };
        self.get(name).map(read).transpose()
    }

    /// Returns numbers of a range.
    pub(super) fn numbers(&self, name: &str, least: i64, most: i64) -> Result<Option<Vec<i64>>, Refused> {
        let read = |text: &str| text.parse().ok().filter(|number| (least..=most).contains(number));
        self.list(name, &format!("numbers from {least} to {most}"), read)
    }

    /// Returns a comma-separated list; `none` is the empty one. `expected` describes the items.
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

/// Returns an exact number that is not negative.
pub(super) fn price(text: &str) -> Option<Price> {
    let text: tradeapi::Decimal = text.parse().ok()?;
    number("price", &text).ok().map(Price)
}

/// Returns a share such as `0.4`, in thousandths.
///
/// # Errors
///
/// The text is not a number from 0 to 1.
pub fn per_mille(share: &str) -> Result<u32, String> {
    let number: Option<Decimal> = share.parse().ok().filter(|share| (Decimal::ZERO..=Decimal::ONE).contains(share));
    let thousandths = number.and_then(|share| u32::try_from((share * Decimal::ONE_THOUSAND).round()).ok());
    thousandths.ok_or_else(|| format!("invalid share {share:?}: expected a number from 0 to 1"))
}

pub(super) fn conditions(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    if query.is_empty() {
        return Err(Refused::bad(format!("expected at least one of {}", query.known_but(""))));
    }
    let mut conditions = exchange.conditions();
    if let Some(latency) = query.numbers("latency", 0, i64::try_from(MAX_DELAY).unwrap_or(i64::MAX))? {
        conditions.latency = latency.into_iter().filter_map(|millis| u64::try_from(millis).ok()).collect();
        conditions.latency.sort_unstable();
    }
    if let Some(clocks) = query.numbers("clocks", -MAX_OFFSET, MAX_OFFSET)? {
        conditions.clocks = clocks;
    }
    if let Some(lag) = query.number("lag", MAX_DELAY)? {
        conditions.lag = lag;
    }
    let on_or_off = |text: &str| ["off", "on"].iter().position(|word| *word == text);
    if let Some(place) = query.word("maintenance", "on or off", on_or_off)? {
        conditions.maintenance = place == 1;
    }
    conditions.hostility = hostility(query, conditions.hostility)?;
    exchange.set_conditions(conditions);
    Ok(nothing())
}

/// Returns the requested hostility: `hostile` and `quirks` in percent, `seed`, `nodes`, or `hostile=off`.
fn hostility(query: &Query, now: Option<Hostility>) -> Result<Option<Hostility>, Refused> {
    if query.get("hostile") == Some("off") {
        query.refuse_beside("hostile=off", &["quirks", "seed", "nodes"])?;
        return Ok(None);
    }
    let (faults, quirks) = (query.number("hostile", 100)?, query.number("quirks", 100)?);
    let seed = query.number("seed", u64::MAX)?;
    let nodes = query.list("nodes", "nodes such as 2 or 1:clock=20000:answer_time=-300:lag=2500", node)?;
    if faults.is_none() && now.is_none() {
        let others = [("quirks", quirks.is_some()), ("seed", seed.is_some()), ("nodes", nodes.is_some())];
        return match others.into_iter().find(|(_, is_set)| *is_set) {
            None => Ok(None),
            Some((name, _)) => Err(Refused::bad(format!("{name} needs a hostile exchange: hostile=40"))),
        };
    }
    let mut hostility = now.unwrap_or_default();
    hostility.faults = faults.unwrap_or(hostility.faults);
    hostility.quirks = quirks.unwrap_or(hostility.quirks);
    hostility.seed = seed.map_or(hostility.seed, Seed);
    hostility.nodes = nodes.unwrap_or(hostility.nodes);
    Ok(Some(hostility))
}

/// Parses a node, and checks its bounds.
fn node(text: &str) -> Option<Node> {
    Node::read(text).filter(|node| node.check().is_ok())
}

/// The most faults, and the longest code.
const MAX_FAULTS: usize = 100;

const MAX_CODE: usize = 16;

/// Adds a fault, or removes all of them.
pub(super) fn faults(exchange: &Exchange, query: &Query) -> Result<Bytes, Refused> {
    if query.is_empty() {
        return Err(Refused::bad(format!("expected clear=all, or at least one of {}", query.known_but("clear"))));
    }
    if query.word("clear", "all", |text| (text == "all").then_some(()))?.is_some() {
        query.refuse_others("clear")?;
        exchange.clear_faults();
        return Ok(nothing());
    }
    let fault = fault(query)?;
    if exchange.core().faults.list.len() >= MAX_FAULTS {
        return Err(Refused::bad(format!("{MAX_FAULTS} faults are waiting: remove them with clear=all")));
    }
    exchange.add_fault(fault);
    Ok(nothing())
}

fn fault(query: &Query) -> Result<Fault, Refused> {
    let kind = kind(query)?;
    let is_slow = kind == FaultKind::Slow;
    let mut fault = Fault::new(kind).target(target(query)?);
    match query.number("times", u32::MAX)? {
        Some(0) => return Err(Refused::bad("invalid times 0: expected at least 1")),
        Some(times) => fault = fault.times(times),
        None => {}
    }
    match query.get("share").map(per_mille).transpose().map_err(Refused::bad)? {
        Some(0) => return Err(Refused::bad("invalid share: expected at least 0.001, or the fault never occurs")),
        Some(share) => fault = fault.per_mille(share),
        None => {}
    }
    let fault = match query.number("delay", MAX_DELAY)?.unwrap_or_default() {
        0 if is_slow => {
            return Err(Refused::bad("missing delay: a slow answer needs one above 0, in milliseconds"));
        }
        delay => fault.delay(Duration::from_millis(delay)),
    };
    fault.check().map(|()| fault).map_err(Refused::bad)
}

fn kind(query: &Query) -> Result<FaultKind, Refused> {
    let is_code = |code: &str| code.len() <= MAX_CODE && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let code = query
        .word("code", &format!("up to {MAX_CODE} letters and digits"), |code| is_code(code).then(|| code.to_owned()))?;
    match (query.get("kind"), code) {
        (None, Some(_)) => Err(Refused::bad("missing kind: a code needs kind=refuse or kind=hide")),
        (None, None) => Ok(FaultKind::Any),
        (Some(kind), code) => FaultKind::named(kind, code.as_deref()).map_err(Refused::bad),
    }
}

fn target(query: &Query) -> Result<FaultTarget, Refused> {
    query.get("aim").map_or(Ok(FaultTarget::Changes), |aim| FaultTarget::of(aim).map_err(Refused::bad))
}
