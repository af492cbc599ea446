//! Collects the rules that a request breaks.
//!
//! A decimal in a request has at most 64 digits and no exponent. No document states a bound; a price has at most thirty
//! digits, and `1e1000` would be sent as a thousand zeros.

use std::cell::RefCell;
#[cfg(feature = "pattern")]
use std::collections::HashMap;
use std::collections::HashSet;
use std::fmt::Display;
use std::str::FromStr;
#[cfg(feature = "pattern")]
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "pattern")]
use regex_lite::Regex;

use super::policy::CheckContext;
use super::violation::{Asked, DOUBT, Notes, Place, Violation, Violations};
use super::{violation, window};
use crate::data::account::{Account, Instrument};
use crate::data::tables::{Length, Meta, Rule, Severity, Window};
use crate::data::value::{Dates, Decimal, Identifier, InvalidIdentifier, OpenEnum, Scalar, Scaled, Scratch, Timestamp};

/// The maximum number of digits of a decimal in a request.
const MAX_DIGITS: usize = 64;

/// Collects the violations of a request. It allocates nothing for most requests that keep all rules.
#[derive(Debug)]
pub struct Checks<'a> {
    meta: Option<&'static Meta>,
    context: CheckContext<'a>,
    place: Option<&'a Place<'a>>,
    instrument: Option<&'a Instrument>,
    notes: Option<Notes<'a>>,
    doubt: RefCell<Option<Violation>>,
    found: Violations,
}

impl<'a> Checks<'a> {
    /// Begins the checks of a request of the operation `meta`.
    pub fn new(meta: Option<&'static Meta>, context: CheckContext<'a>) -> Self {
        Self {
            meta,
            context,
            place: None,
            instrument: None,
            notes: None,
            doubt: RefCell::default(),
            found: Violations::default(),
        }
    }

    /// Returns the same checks, which note what they ask for in vain.
    pub(crate) fn asking(self, asked: &'a RefCell<Asked>) -> Self {
        Self { notes: Some(Notes::new(asked)), ..self }
    }

    /// Ends the checks of a request and returns the violations. `json` writes the request; it is called only if a
    /// violation shows a part of it.
    pub(crate) fn finish(mut self, json: &dyn Fn() -> String) -> Violations {
        self.found.extend(self.doubt.take());
        violation::fill_in(&mut self.found, json);
        self.found
    }

    /// Returns the account.
    pub fn account(&self) -> &'a Account {
        self.context.account
    }

    /// Sets the instrument for the checks that follow; without a name, it is unset.
    pub fn names_instrument(&mut self, line: Option<&str>, symbol: Option<&str>) {
        self.instrument = line.zip(symbol).and_then(|(line, symbol)| {
            let listed = || self.context.listed?.get(self.meta?.family, line, symbol);
            self.context.account.instrument(line, symbol).or_else(listed)
        });
        if let Some(notes) = &mut self.notes {
            notes.about(symbol);
        }
    }

    /// Sets the instrument by its other spelling, unless it is known by the one before.
    pub fn also_listed_as(&mut self, line: Option<&str>, symbol: Option<&str>) {
        if self.instrument.is_none()
            && let Some((line, symbol)) = line.zip(symbol)
        {
            let listed = || self.context.listed?.get(self.meta?.family, line, symbol);
            self.instrument = self.context.account.instrument(line, symbol).or_else(listed);
        }
    }

    // The questions about the account and the instrument. A rule asks them after everything that the request decides, so
    // that a property that is missing leaves the rule open.

    /// Returns whether the account's `property` is one of these values. `None` if it is not stated.
    pub fn is(&self, rule: &'static Rule, property: &str, values: &[&str]) -> Option<bool> {
        self.of_account(rule, property, self.context.account.is(property, values))
    }

    /// Returns whether a text is among the names of the account's `property`. `None` if one of them is missing.
    pub fn is_among(&self, rule: &'static Rule, text: Option<&str>, property: &str) -> Option<bool> {
        self.of_account(rule, property, self.context.account.lists(property, text?))
    }

    /// Returns whether a time is at or after the account's `property`.
    pub fn is_not_before(&self, rule: &'static Rule, time: Option<&Timestamp>, property: &str) -> Option<bool> {
        self.of_account(rule, property, self.context.account.has_reached(property, *time?))
    }

    /// Returns whether a number is a multiple of the step that is the instrument's `property`.
    pub fn is_multiple_of(&self, rule: &'static Rule, number: Option<&Decimal>, property: &str) -> Option<bool> {
        let number = number?;
        self.of_instrument(rule, property, |instrument| instrument.divides(property, number))
    }

    /// Returns whether a number has at most as many decimal places as the instrument's `property` allows.
    pub fn fits_places(&self, rule: &'static Rule, number: Option<&Decimal>, property: &str) -> Option<bool> {
        let number = number?;
        self.of_instrument(rule, property, |instrument| instrument.has_places_for(property, number))
    }

    /// Returns whether a number is at least the instrument's `property`.
    pub fn is_at_least(&self, rule: &'static Rule, number: Option<&Decimal>, property: &str) -> Option<bool> {
        let number = number?;
        self.of_instrument(rule, property, |instrument| instrument.is_reached_by(property, number))
    }

    /// Returns whether a number is at most the instrument's `property`.
    pub fn is_at_most(&self, rule: &'static Rule, number: Option<&Decimal>, property: &str) -> Option<bool> {
        let number = number?;
        self.of_instrument(rule, property, |instrument| instrument.is_not_exceeded_by(property, number))
    }

    /// Returns whether a flag is set of the instrument that the parameter `name` names. `None` if that is not known,
    /// which a warning states.
    pub fn instrument_is(&self, rule: &'static Rule, name: &'static str, symbol: &str, flag: &str) -> Option<bool> {
        let family = self.meta.map_or("", |meta| meta.family);
        let is = self.context.known().instrument_is(family, symbol, flag);
        if is.is_none() {
            self.doubts(rule, name, symbol, flag);
        }
        is
    }

    #[cold]
    fn doubts(&self, rule: &'static Rule, name: &'static str, symbol: &str, flag: &str) {
        if let Some(notes) = self.notes {
            notes.lacks_flag(rule, flag, symbol);
        }
        let id = Place::rule(self.place, name, DOUBT);
        if self.severity(rule.id, rule.severity).is_none() || self.severity(&id, Severity::Warn).is_none() {
            return;
        }
        self.doubt.borrow_mut().get_or_insert_with(|| Violation {
            rule: id,
            severity: Severity::Warn,
            parameter: Place::path(self.place, name),
            given: symbol.to_owned(),
            allowed: format!("the rule {} depends on {flag} of the instrument, which is not known", rule.id),
            source: String::new(),
            hint: "load the instruments, or state this one in the account".to_owned(),
        });
    }

    fn of_account(&self, rule: &'static Rule, property: &str, is: Option<bool>) -> Option<bool> {
        if let (None, Some(notes)) = (is, self.notes) {
            notes.lacks(rule, property);
        }
        is
    }

    fn of_instrument(
        &self,
        rule: &'static Rule,
        property: &str,
        compare: impl FnOnce(&Instrument) -> Option<bool>,
    ) -> Option<bool> {
        let is = self.instrument.and_then(compare);
        if let (None, Some(notes)) = (is, self.notes) {
            notes.instrument_lacks(rule, property);
        }
        is
    }

    /// Returns whether one value is less than another. `None` if one of them is missing.
    pub fn is_below<T: PartialOrd>(&self, one: Option<&T>, other: Option<&T>) -> Option<bool> {
        Some(one? < other?)
    }

    /// Returns whether one value is greater than another. `None` if one of them is missing.
    pub fn is_above<T: PartialOrd>(&self, one: Option<&T>, other: Option<&T>) -> Option<bool> {
        Some(one? > other?)
    }

    /// Returns the moment `length` ago or ahead, or now. `None` if the time is unknown.
    pub fn moment(&self, length: Option<Length>, is_ahead: bool) -> Option<Timestamp> {
        let now = self.context.now?;
        match length {
            None => Some(now),
            Some(length) if is_ahead => length.after(now),
            Some(length) => length.before(now),
        }
    }

    /// Returns whether a time is before a moment that depends on now. `None` if the two are so close that another clock
    /// may order them differently.
    pub fn is_before(&self, time: Option<&Timestamp>, moment: Option<Timestamp>) -> Option<bool> {
        window::certainly_apart(*time?, moment?).then_some(time? < &moment?)
    }

    /// Returns whether a time is after a moment that depends on now, like [`is_before`](Self::is_before).
    pub fn is_after(&self, time: Option<&Timestamp>, moment: Option<Timestamp>) -> Option<bool> {
        window::certainly_apart(*time?, moment?).then_some(time? > &moment?)
    }

    /// Checks that the value is a documented one.
    pub fn known<E: OpenEnum>(&mut self, name: &'static str, value: &E) {
        if !value.is_known() {
            self.not_among(name, "values", value.as_str(), E::VALUES);
        }
    }

    /// Warns of a value that the exchange does not take now: it may refuse the request.
    pub fn dated<E: OpenEnum>(&mut self, name: &'static str, value: &E) {
        let Some((_, dates)) = E::DATED.iter().find(|(known, _)| *known == value.as_str()) else { return };
        if dates.hold(self.context.time) == Some(false) {
            self.out_of_date(name, value.as_str(), *dates);
        }
    }

    /// Checks that the value, if set, is one of `allowed`: some operations take only some values of an enum.
    pub fn only<E: OpenEnum>(&mut self, name: &'static str, value: Option<&E>, allowed: &'static [&'static str]) {
        if let Some(value) = value {
            self.among(name, value.as_str(), allowed);
        }
    }

    /// Checks that the identifier, if set, has its documented shape; one that came from a response may have another.
    pub fn identifier<I: Identifier>(&mut self, name: &'static str, value: Option<&I>) {
        if let Some(value) = value
            && let Err(error) = I::SHAPE.check(value.as_str())
        {
            self.misshapen(name, &error);
        }
    }

    /// Checks that the number, if set, is not greater than `most`.
    pub fn at_most<N: PartialOrd + Display>(&mut self, name: &'static str, value: Option<N>, most: N) {
        if let Some(value) = value.filter(|value| *value > most) {
            self.violated("max", name, &value, format!("at most {most} is allowed"), "lower it");
        }
    }

    /// Checks that the number, if set, is not less than `least`.
    pub fn at_least<N: PartialOrd + Display>(&mut self, name: &'static str, value: Option<N>, least: N) {
        if let Some(value) = value.filter(|value| *value < least) {
            self.violated("min", name, &value, format!("at least {least} is needed"), "raise it");
        }
    }

    /// Checks that the number, if set, does not have more than `most` digits.
    pub fn digits(&mut self, name: &'static str, value: Option<u64>, most: u32) {
        let digits = |value: u64| value.checked_ilog10().unwrap_or_default() + 1;
        if let Some(value) = value.filter(|value| digits(*value) > most) {
            self.violated("digits", name, &value, format!("at most {most} digits are allowed"), "use a shorter number");
        }
    }

    /// Checks that the text, if set, is not empty and does not consist of blanks: an exchange may take it for a missing
    /// one.
    pub fn text(&mut self, name: &'static str, value: Option<&String>) {
        if let Some(blank) = value.filter(|value| value.trim().is_empty()) {
            let what = if blank.is_empty() { "an empty text" } else { "a blank text" };
            let allowed = format!("{what} is not a value");
            self.violated("empty", name, &format_args!("{blank:?}"), allowed, "set it, or leave it out");
        }
    }

    /// Checks that the text has `least` to `most` characters; [`text`](Self::text) reports an empty one.
    #[inline]
    pub fn length(&mut self, name: &'static str, value: &str, least: usize, most: usize) {
        // A text has no more characters than bytes.
        if least > 1 || value.len() > most {
            self.count_characters(name, value, least, most);
        }
    }

    #[cold]
    fn count_characters(&mut self, name: &'static str, value: &str, least: usize, most: usize) {
        let count = value.chars().count();
        if count > 0 && !(least..=most).contains(&count) {
            let allowed = format!("{least} to {most} characters are allowed");
            self.violated("length", name, &format_args!("{count} characters"), allowed, "use a text of another length");
        }
    }

    /// Checks that the text matches a regular expression. An empty one is reported as such.
    #[cfg(feature = "pattern")]
    pub(crate) fn pattern(&mut self, name: &'static str, value: &str, pattern: &'static str) {
        if !value.is_empty() && !matches(pattern, value) {
            let allowed = format!("a text that matches {pattern} is needed");
            self.violated("pattern", name, &format_args!("{value:?}"), allowed, "use a text of this form");
        }
    }

    /// Checks that the decimal, if set, does not have more than 64 digits when it is written without an exponent, as it
    /// is sent: prices and amounts have fewer, and `1e1000` would be sent as a thousand zeros.
    #[inline]
    pub fn decimal(&mut self, name: &'static str, value: Option<&Decimal>) {
        if let Some(value) = value
            && value.has_more_digits_than(MAX_DIGITS)
        {
            self.too_many_digits(name, value);
        }
    }

    /// Checks that the number, if set, is an integer on the wire, and valid as a [`decimal`](Self::decimal).
    pub fn scaled<const SCALE: u8>(&mut self, name: &'static str, value: Option<&Scaled<SCALE>>) {
        let Some(number) = value else { return };
        if !number.fits() {
            let allowed = format!("at most {SCALE} decimal places");
            self.violated("scale", name, number, allowed, "round it to as many places");
        }
        self.decimal(name, Some(number.value()));
    }

    /// Checks that the decimal does not have more than `most` decimal places. Zeros at the end do not count.
    pub fn places(&mut self, name: &'static str, value: &Decimal, most: u32) {
        if value.places() > most {
            let allowed = format!("at most {most} decimal places are allowed");
            self.violated("places", name, value, allowed, "round it to as many places");
        }
    }

    /// Checks that the decimal does not have more than `most` digits without the zeros at both ends.
    pub fn significant_digits(&mut self, name: &'static str, value: &Decimal, most: u32) {
        if value.significant_digits() > most {
            let allowed = format!("at most {most} significant digits are allowed");
            self.violated("significant-digits", name, value, allowed, "round it to as many digits");
        }
    }

    /// Checks that the decimal, if set, is not greater than `most`.
    pub fn decimal_at_most(&mut self, name: &'static str, value: Option<&Decimal>, most: &'static str) {
        if let Some(value) = value.filter(|value| most.parse::<Decimal>().is_ok_and(|most| **value > most)) {
            self.violated("max", name, &value, format!("at most {most} is allowed"), "lower it");
        }
    }

    /// Checks that the decimal, if set, is not less than `least`.
    pub fn decimal_at_least(&mut self, name: &'static str, value: Option<&Decimal>, least: &'static str) {
        if let Some(value) = value.filter(|value| least.parse::<Decimal>().is_ok_and(|least| **value < least)) {
            self.violated("min", name, &value, format!("at least {least} is needed"), "raise it");
        }
    }

    /// Checks that a new value is not written like a deletion, for which there is
    /// [`Edit::Delete`](crate::data::value::Edit::Delete).
    pub fn new_value(&mut self, name: &'static str, value: &impl Scalar, delete: &'static str) {
        let mut scratch = Scratch::new();
        let given = value.text(&mut scratch);
        let is_same_number = || Decimal::from_str(given).is_ok_and(|given| Decimal::from_str(delete) == Ok(given));
        if given == delete || is_same_number() {
            let allowed = format!("{delete} deletes the value");
            self.violated("edit", name, &given, allowed, "use Edit::Delete to delete it");
        }
    }

    /// Checks that a list has `min` to `max` items.
    pub fn count(&mut self, name: &'static str, len: usize, min: usize, max: usize) {
        self.count_with(name, len, min, max, "add items");
    }

    /// Checks that a list that can be left out has `min` to `max` items.
    pub fn optional_count(&mut self, name: &'static str, len: usize, min: usize, max: usize) {
        let hint = if len == 0 { "add items, or leave it out" } else { "add items" };
        self.count_with(name, len, min, max, hint);
    }

    fn count_with(&mut self, name: &'static str, len: usize, min: usize, max: usize, more: &str) {
        if len < min {
            self.violated("min-items", name, &items(len), format!("at least {} needed", items(min)), more);
        }
        if len > max {
            self.violated(
                "max-items",
                name,
                &items(len),
                format!("at most {} allowed", items(max)),
                "send it in parts",
            );
        }
    }

    /// Checks that the two ends of a time range satisfy the rules of `window`. A missing end is not filled in.
    pub fn window(&mut self, window: &'static Window, from: Option<Timestamp>, to: Option<Timestamp>) {
        for breach in window::breaches(window, from, to, self.context.now) {
            let rule = format!("window.{}", breach.kind);
            self.violated_by(rule, breach.parameter, &breach.given, breach.allowed, breach.hint);
        }
    }

    /// Reports `rule` if it is `broken`.
    pub fn rule(&mut self, rule: &'static Rule, parameter: &'static str, broken: bool) {
        if broken {
            self.rule_broken(rule, parameter, String::new());
        }
    }

    /// Reports `rule` unless all values are the same.
    pub fn same<'s>(&mut self, rule: &'static Rule, name: &'static str, values: impl IntoIterator<Item = &'s str>) {
        let mut values = values.into_iter();
        let Some(first) = values.next() else { return };
        if let Some(other) = values.find(|value| *value != first) {
            self.rule_broken(rule, name, format!("{first} and {other}"));
        }
    }

    /// Reports `rule` if a value occurs twice.
    pub fn unique<'s>(&mut self, rule: &'static Rule, name: &'static str, values: impl IntoIterator<Item = &'s str>) {
        let mut seen = HashSet::new();
        if let Some(again) = values.into_iter().find(|value| !seen.insert(*value)) {
            self.rule_broken(rule, name, format!("{again} and {again}"));
        }
    }

    /// Runs `check` for the item `index` of the list `name`: the names of its parameters begin with its place.
    pub(crate) fn item(&mut self, name: &str, index: usize, check: impl FnOnce(&mut Checks<'_>)) {
        self.within(&Place::item(self.place, name, index), check);
    }

    /// Runs `check` for the object that is the parameter `name`.
    pub(crate) fn member(&mut self, name: &str, check: impl FnOnce(&mut Checks<'_>)) {
        self.within(&Place::member(self.place, name), check);
    }

    fn within(&mut self, place: &Place<'_>, check: impl FnOnce(&mut Checks<'_>)) {
        let (found, doubt) = (std::mem::take(&mut self.found), std::mem::take(&mut self.doubt));
        let mut inner = Checks { place: Some(place), found, doubt, ..*self };
        check(&mut inner);
        (self.found, self.doubt) = (inner.found, inner.doubt);
    }

    /// Adds the violation of a rule that no document states.
    #[cold]
    fn too_many_digits(&mut self, name: &'static str, value: &Decimal) {
        let Some(severity) = self.severity(&Place::rule(self.place, name, "digits"), Severity::Refuse) else { return };
        self.found.push(Violation {
            rule: Place::rule(self.place, name, "digits"),
            severity,
            parameter: Place::path(self.place, name),
            given: violation::shortened(&value.to_plain()),
            allowed: format!("at most {MAX_DIGITS} digits, written without an exponent, are sent"),
            source: String::new(),
            hint: "use a shorter number".to_owned(),
        });
    }

    fn among(&mut self, name: &'static str, value: &str, allowed: &'static [&'static str]) {
        if !allowed.contains(&value) {
            self.not_among(name, "values", value, allowed);
        }
    }

    #[cold]
    fn out_of_date(&mut self, name: &'static str, given: &str, dates: Dates) {
        let rule = Place::rule(self.place, name, "dates");
        let Some(severity) = self.severity(&rule, Severity::Warn) else { return };
        self.found.push(Violation {
            rule,
            severity,
            parameter: Place::path(self.place, name),
            given: format!("{given:?}"),
            allowed: format!("the exchange takes it {dates}"),
            source: String::new(),
            hint: "use another value, or expect a refusal".to_owned(),
        });
    }

    #[cold]
    fn misshapen(&mut self, name: &'static str, error: &InvalidIdentifier) {
        let given = format!("{:?}", error.given());
        self.violated("shape", name, &given, error.expected().into(), "use an identifier of this form");
    }

    fn severity(&self, rule: &str, by_schema: Severity) -> Option<Severity> {
        self.context.policy.severity(self.meta, rule, by_schema)
    }

    #[cold]
    fn not_among(&mut self, name: &str, kind: &'static str, given: &str, allowed: &[&str]) {
        let allowed = format!("one of {} is needed", allowed.join(", "));
        self.violated(kind, name, &format!("{given:?}"), allowed, "use one of these");
    }

    /// Reports a broken rule that a document states.
    #[cold]
    fn rule_broken(&mut self, rule: &'static Rule, parameter: &str, given: String) {
        let Some(severity) = self.severity(rule.id, rule.severity) else { return };
        self.found.push(Violation {
            rule: rule.id.to_owned(),
            severity,
            parameter: Place::path(self.place, parameter),
            given,
            allowed: rule.says.trim_end_matches('.').to_owned() + &self.values_of(rule.depends_on),
            source: self.meta.map_or_else(|| rule.at.to_owned(), |meta| meta.within_document(rule.at)),
            hint: rule.hint.to_owned(),
        });
    }

    /// Returns the values of `properties`, in brackets.
    fn values_of(&self, properties: &[&str]) -> String {
        let mut values = Vec::new();
        for property in properties {
            if let Some(value) = self.instrument.and_then(|instrument| instrument.get(property)) {
                values.push(format!("{property} is {value}"));
            } else if let Some(value) = self.context.account.get(property) {
                values.push(format!("{property} is {value}"));
            }
        }
        if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) }
    }

    /// Reports a broken rule that comes with the description of a parameter.
    #[cold]
    fn violated(&mut self, kind: &'static str, name: &str, given: &dyn Display, allowed: String, hint: &str) {
        self.violated_by(Place::rule(self.place, name, kind), name, given, allowed, hint);
    }

    fn violated_by(&mut self, rule: String, name: &str, given: &dyn Display, allowed: String, hint: &str) {
        let Some(severity) = self.severity(&rule, Severity::Refuse) else { return };
        self.found.push(Violation {
            rule,
            severity,
            parameter: Place::path(self.place, name),
            given: given.to_string(),
            allowed,
            source: self.meta.map(Meta::source).unwrap_or_default(),
            hint: hint.to_owned(),
        });
    }
}

fn items(count: usize) -> String {
    if count == 1 { "1 item".to_owned() } else { format!("{count} items") }
}

/// The patterns that were used so far, each compiled once. The generator has compiled each of them.
#[cfg(feature = "pattern")]
static PATTERNS: Mutex<Option<HashMap<&'static str, Option<Regex>>>> = Mutex::new(None);

/// Returns whether a text matches a pattern.
#[cfg(feature = "pattern")]
fn matches(pattern: &'static str, text: &str) -> bool {
    let mut patterns = PATTERNS.lock().unwrap_or_else(PoisonError::into_inner);
    let patterns = patterns.get_or_insert_default();
    let found = patterns.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
    found.as_ref().is_none_or(|found| found.is_match(text))
}
