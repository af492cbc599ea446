//! The conversion of a request to that of another operation that does the same, such as of another version of an API.
//!
//! A table of the operation decides, and nothing is guessed: a request is converted as a whole, or not at all. It has to
//! keep the rules of its own operation, every value needs a counterpart, and the result has to keep the rules of the other
//! operation.

use std::error::Error;
use std::fmt;

use crate::data::account::Account;
use crate::data::checks::{CheckContext, Violations};
use crate::data::clock::{Clock, SystemClock};
use crate::data::json::{JsonWriter, write_json};
use crate::data::operation::Operation;
use crate::data::parameters::Named;
use crate::data::tables::{Becomes, Case, Counterpart, When};
use crate::data::value::Decimal;

/// An operation for which another one does the same. Emitted where the schema states one.
#[diagnostic::on_unimplemented(
    message = "the schema states no counterpart of `{Self}`",
    note = "the documentation of an operation says what its counterpart is, or why there is none"
)]
pub trait HasCounterpart: Operation {
    /// The request of the other operation.
    type Counterpart: Operation;

    /// The parameters, each with what it becomes.
    const TABLE: &'static Counterpart;

    /// Converts the request to one of the other operation, which does the same on an account with these properties.
    ///
    /// # Errors
    ///
    /// Returns everything to which nothing corresponds, or the rules that the request or its counterpart breaks.
    fn to_counterpart(&self, account: &Account) -> Result<Self::Counterpart, NoCounterpart> {
        let context = CheckContext { account, now: Some(SystemClock.now()), ..CheckContext::default() };
        let no = |why| NoCounterpart { operation: Self::META.id, counterpart: Self::Counterpart::META.id, why };
        self.inspect(context).into_result().map_err(|violations| no(WhyNoCounterpart::Invalid(violations)))?;
        let json = Request { account, table: Self::TABLE }.convert(&Named::of(self));
        let json = json.map_err(|gaps| no(WhyNoCounterpart::Nothing(gaps)))?;
        Self::Counterpart::from_json_in(&json, context).map_err(|violations| no(WhyNoCounterpart::Refused(violations)))
    }
}

/// A request that is not converted.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoCounterpart {
    /// The id of its operation.
    pub operation: &'static str,
    /// The id of the operation that otherwise does the same.
    pub counterpart: &'static str,
    /// The reason.
    pub why: WhyNoCounterpart,
}

/// The reason that a request is not converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyNoCounterpart {
    /// The request breaks rules of its own operation.
    Invalid(Violations),
    /// Nothing corresponds to some of its values.
    Nothing(Vec<Gap>),
    /// The request of the other operation would break rules.
    Refused(Violations),
}

/// Values of a request to which nothing corresponds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The parameters that decide, such as `orderList[2].reduceOnly`, each with its value; `None` for one that is left
    /// out. A property of the account is called `account.positionMode`, for example.
    pub values: Vec<(String, Option<String>)>,
    /// The reason.
    pub why: String,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.values.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { " and " })?;
            match value {
                Some(value) => write!(f, "{name} {value}")?,
                None => write!(f, "{name} left out")?,
            }
        }
        write!(f, ": {}", self.why)
    }
}

impl fmt::Display for NoCounterpart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, counterpart, why } = self;
        match why {
            WhyNoCounterpart::Invalid(violations) => {
                write!(f, "{operation} is not converted, because it breaks a rule:\n{violations}")
            }
            WhyNoCounterpart::Nothing(gaps) => {
                write!(f, "{operation} is not converted, because nothing of {counterpart} corresponds:")?;
                gaps.iter().try_for_each(|gap| write!(f, "\n{gap}"))
            }
            WhyNoCounterpart::Refused(violations) => {
                write!(f, "{operation} is not converted, because {counterpart} would break a rule:\n{violations}")
            }
        }
    }
}

debug_as_sentence!(NoCounterpart);

impl Error for NoCounterpart {}

/// The conversion of one request.
struct Request<'a> {
    account: &'a Account,
    table: &'static Counterpart,
}

/// Members of a request as JSON, by their names.
type Members = Vec<(&'static str, String)>;

impl Request<'_> {
    /// Returns the other request as JSON, or everything to which nothing corresponds.
    fn convert(&self, request: &Named) -> Result<String, Vec<Gap>> {
        let mut gaps = Vec::new();
        let json = match self.table.items {
            None => object(Set { of: self, own: request, around: None, place: None }.members(&mut gaps)),
            Some((from, to)) => self.list(request, from, to, &mut gaps),
        };
        if gaps.is_empty() { Ok(json) } else { Err(gaps) }
    }

    /// Returns the other request of a request with a list.
    fn list(&self, request: &Named, from: &'static str, to: &'static str, gaps: &mut Vec<Gap>) -> String {
        let items = request.items(from);
        if items.is_empty() {
            Set { of: self, own: request, around: None, place: None }.members(gaps);
            if gaps.is_empty() {
                gaps.push(Gap { values: vec![(from.to_owned(), None)], why: "there is nothing to send".to_owned() });
            }
            return String::new();
        }
        let mut out = JsonWriter::new();
        out.begin_array();
        for (index, item) in items.iter().enumerate() {
            let set = Set { of: self, own: item, around: Some(request), place: Some((from, index)) };
            out.element().raw(&object(set.members(gaps)));
        }
        out.end_array();
        if to == "[]" && self.table.around.is_empty() {
            return out.finish();
        }
        let around = Set { of: self, own: request, around: None, place: None };
        let mut members = around.same(self.table.around, gaps);
        members.push((to, out.finish()));
        object(members)
    }
}

/// The parameters of the request, or of an item of its list.
struct Set<'a> {
    of: &'a Request<'a>,
    own: &'a Named,
    /// The request around an item.
    around: Option<&'a Named>,
    /// The list, and the place of the item in it.
    place: Option<(&'static str, usize)>,
}

impl Set<'_> {
    /// Returns the members of the other request or of its item.
    fn members(&self, gaps: &mut Vec<Gap>) -> Members {
        let table = self.of.table;
        for (name, why) in table.refused.iter().filter(|(name, _)| self.has(name)) {
            note(gaps, Gap { values: vec![self.setting(name)], why: (*why).to_owned() });
        }
        let mut members = self.same(table.same, gaps);
        for cases in table.decided {
            let Some(case) = self.fitting(cases, gaps) else { continue };
            members.extend(case.then.iter().map(|(name, value)| (*name, text(value))));
            members.extend(self.same(case.same, gaps));
        }
        members
    }

    /// Returns the members that have the same value as a parameter.
    fn same(&self, pairs: &[(&'static str, &'static str)], gaps: &mut Vec<Gap>) -> Members {
        let mut members = Members::new();
        for pair @ (from, to) in pairs {
            let Some(json) = self.json(from) else { continue };
            let given = self.text(from);
            let mut values = self.of.table.values.iter().filter(|(of, ..)| of == pair);
            match values.find(|(_, value, _)| Some(*value) == given.as_deref()) {
                None => members.push((to, json.to_owned())),
                Some((.., Becomes::Value(other))) => members.push((to, text(other))),
                Some((.., Becomes::Nothing(why))) => {
                    note(gaps, Gap { values: vec![self.setting(from)], why: (*why).to_owned() });
                }
            }
        }
        members
    }

    /// Returns the case that fits. It is none if nothing corresponds, or if a property decides that the account does
    /// not state.
    fn fitting<'b>(&self, cases: &'b [Case], gaps: &mut Vec<Gap>) -> Option<&'b Case> {
        let possible = || cases.iter().filter(|case| case.when.iter().all(|when| self.holds(when) != Some(false)));
        let is_open = |when: &&When| self.holds(when).is_none();
        if let Some(When::Account(property, _)) = possible().flat_map(|case| case.when).find(is_open) {
            let values = vec![(format!("account.{property}"), None)];
            note(gaps, Gap { values, why: format!("the account does not state {property}, which decides; state it") });
            return None;
        }
        let case = possible().next();
        let names = || case.map_or(cases, std::slice::from_ref).iter().flat_map(|case| case.when);
        let why = match case {
            Some(Case { refused: None, .. }) => return case,
            Some(Case { refused: Some(why), .. }) => (*why).to_owned(),
            None => "no case of the schema fits".to_owned(),
        };
        let mut values: Vec<_> = names().map(|when| self.subject(when)).collect();
        values.sort();
        values.dedup();
        note(gaps, Gap { values, why });
        None
    }

    /// Returns whether a condition holds; `None` if the account does not state the property.
    fn holds(&self, when: &When) -> Option<bool> {
        let is = |name: &str, values: &[&str]| self.text(name).map(|text| values.contains(&text.as_str()));
        match when {
            When::Is(name, values) => Some(is(name, values).unwrap_or(false)),
            When::IsByDefault(name, values) => Some(is(name, values).unwrap_or(true)),
            When::Given(name) => Some(self.has(name)),
            When::Zero(name) => Some(self.is_zero(name) == Some(true)),
            When::NotZero(name) => Some(self.is_zero(name) == Some(false)),
            When::LeftOut(name) => Some(!self.has(name)),
            When::Account(property, values) => self.of.account.is(property, values),
        }
    }

    /// Returns the subject of a condition with its value.
    fn subject(&self, when: &When) -> (String, Option<String>) {
        match when {
            When::Is(name, _)
            | When::IsByDefault(name, _)
            | When::Given(name)
            | When::Zero(name)
            | When::NotZero(name)
            | When::LeftOut(name) => self.setting(name),
            When::Account(property, _) => {
                let value = self.of.account.get(property).map(ToString::to_string);
                (format!("account.{property}"), value)
            }
        }
    }

    /// Returns the path of a parameter with its value.
    fn setting(&self, name: &str) -> (String, Option<String>) {
        let is_of_request = !self.own.has(name) && self.around.is_some_and(|around| around.has(name));
        let path = match self.place.filter(|_| !is_of_request) {
            Some((list, index)) => format!("{list}[{index}].{name}"),
            None => name.to_owned(),
        };
        let value = self.text(name).or_else(|| self.json(name).map(str::to_owned));
        (path, value)
    }

    fn has(&self, name: &str) -> bool {
        self.json(name).is_some_and(|json| json != "null")
    }

    /// Returns whether a number is zero; `None` if it is left out.
    fn is_zero(&self, name: &str) -> Option<bool> {
        self.text(name)?.parse().ok().map(|number: Decimal| number.is_zero())
    }

    /// Returns the JSON text of a parameter of the item or of the request.
    fn json(&self, name: &str) -> Option<&str> {
        self.own.json(name).or_else(|| self.around?.json(name))
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.own.text(name).or_else(|| self.around?.text(name));
        text.map(std::borrow::Cow::into_owned)
    }
}

/// Adds a gap, unless another item has reported it.
fn note(gaps: &mut Vec<Gap>, gap: Gap) {
    if !gaps.contains(&gap) {
        gaps.push(gap);
    }
}

fn text(value: &str) -> String {
    write_json(&value.to_owned())
}

fn object(members: Members) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, json) in members {
        out.member(name).raw(&json);
    }
    out.end_object();
    out.finish()
}
