//! Finds the checked rules that a request breaks. It interprets the model over JSON, simply rather than fast.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::{Bound, Check, Entry, Leaf, WindowRule, leaves, of_operation};
use crate::compiler::model::{
    Comparison, Condition, Decided, Duration, Family, Form, Identifier, ListName, Number, Operand, Operation, Pattern,
    Rule, Severity, Shape, Test, Type, Window, formats,
};
use crate::compiler::words::Times;
use regex_lite::Regex;
use serde_json::Value;
use tradeapi_words::ACCESS_TOLERANCE_MS;

/// Returns the ids of the checked rules that a request breaks, each with whether it refuses the request.
///
/// `account` is an object with properties by name, and with `instruments`, a list of objects with `line`, `symbol` and
/// the properties of an instrument. Rules that compare with the current time need `now`, in Unix milliseconds.
pub(crate) fn evaluate(
    family: &Family,
    operation: &Operation,
    request: &Value,
    account: &Value,
    now: Option<u64>,
) -> BTreeMap<String, bool> {
    let entries = of_operation(family, operation);
    let evaluate = Evaluator { family, leaves: &leaves(family, operation), request, account, now };
    broken(&entries, &evaluate).map(|entry| (entry.id.clone(), entry.severity == Severity::Refuse)).collect()
}

/// Returns the `entries` that a request breaks.
pub(super) fn broken<'e, 'a>(
    entries: &'e [Entry<'a>],
    evaluate: &Evaluator<'_>,
) -> impl Iterator<Item = &'e Entry<'a>> {
    entries.iter().filter(|entry| entry.check.as_ref().is_some_and(|check| evaluate.is_broken(check)))
}

/// A request with the account and the time.
pub(super) struct Evaluator<'a> {
    pub(super) family: &'a Family,
    /// The parameters of the operation.
    pub(super) leaves: &'a [Leaf<'a>],
    pub(super) request: &'a Value,
    pub(super) account: &'a Value,
    pub(super) now: Option<u64>,
}

/// Returns the text of a value; `None` for `null` and the empty text, which count as absent.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    }
}

impl Evaluator<'_> {
    fn is_broken(&self, check: &Check<'_>) -> bool {
        match check {
            Check::Parameter(leaf, bound) => {
                self.sets(leaf.list).iter().any(|set| self.is_beyond(leaf, bound, set).unwrap_or(false))
            }
            Check::Window(window, rule) => self.window_is_broken(window, *rule).unwrap_or(false),
            Check::Written(rule) => self.rule_is_broken(rule),
        }
    }

    /// Returns the objects that a rule applies to: the request, or the items of a list.
    fn sets(&self, list: Option<&ListName>) -> Vec<&Value> {
        match list {
            None => vec![self.request],
            Some(ListName::Body) => array_of(self.request).and_then(Value::as_array).into_iter().flatten().collect(),
            Some(ListName::Parameter(list)) => {
                self.request.get(list).and_then(Value::as_array).into_iter().flatten().collect()
            }
            Some(ListName::Object(name)) => objects_in(self.request, name),
            Some(ListName::Within(name)) => {
                let lists = objects_in(self.request, name).into_iter();
                lists.filter_map(Value::as_array).flatten().collect()
            }
        }
    }

    fn is_beyond(&self, leaf: &Leaf<'_>, bound: &Bound<'_>, set: &Value) -> Option<bool> {
        let value = if leaf.parameter.is_body() { array_of(set)? } else { set.get(&leaf.parameter.name.wire)? };
        let ty = leaf.parameter.shape.single();
        let of_wire = |text: String| ty.map_or_else(|| text.clone(), |ty| ty.value_of_wire(&text));
        let of_number = |beyond: &dyn Fn(Number) -> Option<bool>| beyond(Number::parse(&of_wire(text(value)?))?);
        let items = || value.as_array().map(|items| items.len() as u64);
        match bound {
            Bound::Values(known) => Some(each_text(value).iter().any(|text| !known.contains(&text.as_str()))),
            Bound::Shape(identifier) => Some(each_text(value).iter().any(|text| !has_shape(identifier, text))),
            Bound::Min(min) => of_number(&|number| Some(number < Number::parse(min)?)),
            Bound::Max(max) => of_number(&|number| Some(number > Number::parse(max)?)),
            Bound::Scale(places) => of_number(&|number| Some(number.needed_places() > usize::from(*places))),
            Bound::Places(most) => of_number(&|number| Some(number.needed_places() > *most as usize)),
            Bound::SignificantDigits(most) => of_number(&|number| Some(number.significant_digits() > *most as usize)),
            Bound::Digits(most) => Some(text(value)?.len() > *most as usize),
            Bound::Length(least, most) => {
                let fits = |text: &String| (*least as usize..=*most as usize).contains(&text.chars().count());
                Some(!each_text(value).iter().all(fits))
            }
            Bound::Pattern(pattern) => {
                let pattern = Regex::new(pattern).ok()?;
                Some(!each_text(value).iter().all(|text| pattern.is_match(text)))
            }
            Bound::MinItems(least) => Some(items()? < *least),
            Bound::MaxItems(most) => Some(items()? > *most),
            Bound::Edit(delete) => {
                let text = text(value)?;
                let is_same = Number::parse(&text)? == Number::parse(delete)?;
                Some(text != *delete && is_same)
            }
        }
    }

    fn window_is_broken(&self, window: &Window, rule: WindowRule) -> Option<bool> {
        let time = |name: &str| text(self.request.get(name)?)?.parse::<i64>().ok();
        let (from, to) = (time(&window.from.text), time(&window.to.text));
        match rule {
            WindowRule::Pair => Some(from.is_some() != to.is_some()),
            WindowRule::Order => Some(from? > to?),
            WindowRule::Span => {
                let (from, to, (span, _)) = (from?, to?, window.span?);
                Some(to > span.shift(from, 1) && from < span.shift(to, -1))
            }
            WindowRule::Access => {
                let now = i64::try_from(self.now?).ok()?;
                let oldest = window.access?.0.shift(now, -1) - ACCESS_TOLERANCE_MS as i64;
                let bounded = if window.access_is_of_data() { to } else { from.or(to) };
                Some(bounded? < oldest)
            }
        }
    }

    fn rule_is_broken(&self, rule: &Rule) -> bool {
        let sets = self.sets(rule.within.as_ref().map(|(list, _)| list));
        match &rule.test {
            None => false,
            Some(Test::Condition { when, require, forbid }) => sets.iter().any(|set| {
                let is = |condition: &Condition, so: bool| self.holds(condition, set) == Some(so);
                let applies = when.iter().all(|condition| is(condition, true));
                let fails = require.iter().any(|condition| is(condition, false));
                let is_forbidden = !forbid.is_empty() && forbid.iter().all(|condition| is(condition, true));
                applies && (fails || is_forbidden)
            }),
            Some(Test::Same(name, _)) => {
                sets.iter().filter_map(|set| text(set.get(name)?)).collect::<BTreeSet<_>>().len() > 1
            }
            Some(Test::Unique(names)) => names.iter().any(|(name, _)| {
                let texts: Vec<_> = sets.iter().filter_map(|set| text(set.get(name)?)).collect();
                texts.iter().collect::<BTreeSet<_>>().len() < texts.len()
            }),
        }
    }

    /// Returns whether a condition holds; `None` if that is unknown.
    pub(super) fn holds(&self, condition: &Condition, set: &Value) -> Option<bool> {
        let given = |name: &str| set.get(name).and_then(text);
        let is_given = |(name, _): &(String, _)| match set.get(name) {
            Some(Value::Array(_)) => true,
            Some(Value::Null) => {
                let is_it = |leaf: &Leaf<'_>| leaf.parameter.name.wire == *name && leaf.parameter.is_edit();
                self.leaves.iter().any(is_it)
            }
            _ => given(name).is_some(),
        };
        match condition {
            Condition::Given(names) => Some(names.iter().all(is_given)),
            Condition::AnyGiven(names) => Some(names.iter().any(is_given)),
            Condition::Is { parameter, values } => {
                Some(given(&parameter.0).is_some_and(|text| values.iter().any(|(value, _)| *value == text)))
            }
            Condition::HasForm { parameter, forms } => {
                let is_named = |form: &&Form| forms.iter().any(|(name, _)| *name == form.name.wire);
                let Some(text) = given(&parameter.0) else { return Some(false) };
                let forms: Vec<_> = self.forms(&parameter.0).filter(is_named).collect();
                let known: Vec<_> = forms.into_iter().map(|form| self.is_of_form(form, &text)).collect();
                if known.contains(&Some(true)) {
                    return Some(true);
                }
                (!known.contains(&None)).then_some(false)
            }
            Condition::AccountIs { property, values } => {
                let known = text(self.account.get(&property.0)?)?;
                Some(values.iter().any(|(value, _)| *value == known))
            }
            Condition::Compares { parameter, comparison, property } => {
                let given = self.value_of_wire(&parameter.0, &given(&parameter.0)?);
                self.compares(&given, *comparison, &property.0, set)
            }
            Condition::Relates { parameter, relation, operand, .. } => {
                self.order(&parameter.0, operand, set).map(|order| relation.holds(order))
            }
            Condition::Not(inner) => self.holds(inner, set).map(|so| !so),
        }
    }

    /// Returns the order of a parameter relative to an operand; `None` if it is unknown.
    fn order(&self, name: &str, operand: &Operand, set: &Value) -> Option<Ordering> {
        let given = |name: &str| Some(self.value_of_wire(name, &set.get(name).and_then(text)?));
        match operand {
            Operand::Number(number) => Some(Number::parse(&given(name)?)?.cmp(&Number::parse(number)?)),
            Operand::Parameter(other) => Some(Number::parse(&given(name)?)?.cmp(&Number::parse(&given(other)?)?)),
            Operand::Moment { length, is_ahead } => {
                let moment = moment(*length, *is_ahead, i64::try_from(self.now?).ok()?);
                let time = millis(self.times(name)?, &given(name)?)?;
                let is_certain = (time - moment).unsigned_abs() >= ACCESS_TOLERANCE_MS;
                is_certain.then(|| time.cmp(&moment))
            }
        }
    }

    /// Returns the value of a parameter whose text on the wire is `wire`.
    fn value_of_wire(&self, name: &str, wire: &str) -> String {
        let ty = self.leaves_of(name).next().and_then(|leaf| leaf.parameter.shape.single());
        ty.map_or_else(|| wire.to_owned(), |ty| ty.value_of_wire(wire))
    }

    /// Returns the form of the times of a parameter.
    fn times(&self, name: &str) -> Option<Times> {
        match self.leaves_of(name).next()?.parameter.shape {
            Shape::One(Type::Time(times)) => Some(times),
            Shape::One(_) | Shape::List(_) | Shape::Map(_) | Shape::Items(_) | Shape::Object(_) => None,
        }
    }

    /// Returns whether a text has a form; `None` if an instrument decides that is not known.
    fn is_of_form(&self, form: &Form, text: &str) -> Option<bool> {
        if has_pattern(&form.pattern, text) {
            return Some(true);
        }
        let Some(Decided { also: _, by }) = form.decided.as_ref().filter(|one| has_pattern(&one.also, text)) else {
            return Some(false);
        };
        let known = self.account.get("instruments")?.as_array()?.iter();
        let listed = known.filter(|one| one.get("symbol").and_then(Value::as_str) == Some(text));
        let flags: Vec<bool> = listed.filter_map(|instrument| instrument.get(&by.0)?.as_bool()).collect();
        (!flags.is_empty()).then(|| flags.contains(&true))
    }

    /// Returns the forms that a parameter can have.
    fn forms(&self, name: &str) -> impl Iterator<Item = &Form> {
        self.leaves_of(name)
            .filter_map(|leaf| self.family.identifier_of(&leaf.parameter.shape))
            .take(1)
            .flat_map(|identifier| &identifier.forms)
    }

    fn leaves_of(&self, name: &str) -> impl Iterator<Item = &Leaf<'_>> {
        self.leaves.iter().filter(move |leaf| leaf.parameter.name.wire == name)
    }

    fn compares(&self, given: &str, comparison: Comparison, property: &str, set: &Value) -> Option<bool> {
        let numbers = || {
            let known = Number::parse(&text(self.instrument(set)?.get(property)?)?)?;
            Some((Number::parse(given)?, known))
        };
        match comparison {
            Comparison::Among => {
                let names = self.account.get(property)?.as_array()?;
                Some(names.iter().any(|name| name.as_str() == Some(given)))
            }
            Comparison::NotBefore => {
                let moment: u64 = text(self.account.get(property)?)?.parse().ok()?;
                Some(given.parse::<u64>().ok()? >= moment)
            }
            Comparison::MultipleOf => {
                let (given, known) = numbers()?;
                given.is_multiple_of(&known)
            }
            Comparison::Places => {
                let (given, known) = numbers()?;
                Some(Number::parse(&given.needed_places().to_string())? <= known)
            }
            Comparison::AtLeast => {
                let (given, known) = numbers()?;
                Some(given >= known)
            }
            Comparison::AtMost => {
                let (given, property) = numbers()?;
                Some(given <= property)
            }
        }
    }

    /// Returns the properties of the instrument that the item or the request names.
    fn instrument(&self, set: &Value) -> Option<&Value> {
        let names = self.family.instrument.as_ref()?;
        let named = |name: &str| text(set.get(name).or_else(|| self.request.get(name))?);
        let (line, symbol) = (named(&names.line.0)?, named(&names.symbol.0)?);
        let known = self.account.get("instruments")?.as_array()?;
        let is =
            |instrument: &Value, key: &str, value: &str| instrument.get(key).and_then(Value::as_str) == Some(value);
        known.iter().find(|instrument| is(instrument, "line", &line) && is(instrument, "symbol", &symbol))
    }
}

/// Returns the moment at this distance before or after `now`, in Unix milliseconds.
pub(super) fn moment(length: Option<Duration>, is_ahead: bool, now: i64) -> i64 {
    length.map_or(now, |length| length.shift(now, if is_ahead { 1 } else { -1 }))
}

/// Returns a time in Unix milliseconds. ISO 8601 texts are not parsed here.
fn millis(times: Times, text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    match times {
        Times::Seconds => number.checked_mul(1000),
        Times::Milliseconds => Some(number),
        Times::Microseconds => Some(number / 1000),
        Times::Nanoseconds => Some(number / 1_000_000),
        Times::Iso8601 => None,
    }
}

/// Returns the array that is the body of a request: all of the request, or beside other parameters its member `[]`.
fn array_of(request: &Value) -> Option<&Value> {
    if request.is_object() { request.get(ListName::BODY) } else { Some(request) }
}

/// Returns the objects with that name, at any depth.
fn objects_in<'v>(value: &'v Value, name: &str) -> Vec<&'v Value> {
    match value {
        Value::Object(members) => {
            let inner = members.values().flat_map(|inner| objects_in(inner, name));
            members.get(name).into_iter().chain(inner).collect()
        }
        Value::Array(items) => items.iter().flat_map(|inner| objects_in(inner, name)).collect(),
        _ => Vec::new(),
    }
}

/// Returns the texts of a value, or of each item of a list.
fn each_text(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(text).collect(),
        other => text(other).into_iter().collect(),
    }
}

fn has_shape(identifier: &Identifier, text: &str) -> bool {
    let (least, most) = identifier.length.unwrap_or((1, u32::MAX));
    let count = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let alphabet = identifier.alphabet.as_ref().map(|(alphabet, _)| alphabet.as_str());
    (least..=most).contains(&count) && text.chars().all(|c| alphabet.is_none_or(|alphabet| is_of(alphabet, c)))
}

/// Returns whether a text has the pattern of a form, whatever an instrument decides.
pub(super) fn has_pattern(form: &Pattern, text: &str) -> bool {
    let between = text.strip_prefix(form.prefix.as_str()).and_then(|rest| rest.strip_suffix(form.suffix.as_str()));
    between.is_some_and(|between| {
        !between.is_empty() && between.chars().all(|c| form.alphabet.as_ref().is_none_or(|alphabet| is_of(alphabet, c)))
    })
}

/// Returns whether an alphabet contains a character.
fn is_of(alphabet: &str, c: char) -> bool {
    formats::ranges(alphabet).is_ok_and(|ranges| ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)))
}
