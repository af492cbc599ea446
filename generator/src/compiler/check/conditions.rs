//! Conditions: the names in them exist, the values are possible, and the values for which comparisons hold, to find those
//! that always hold, never hold, or contradict each other.

use std::cmp::Ordering;

use super::account::{account_property, instrument_property};
use super::records::{find_fault_of_value, lists_all};
use super::rules::name;
use super::values::described;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, did_you_mean, one_of};
use crate::compiler::model::{
    Api, Comparison, Condition, Family, Item, Lookup, Need, Number, Operand, Operation, Parameter, Placed,
    PropertyKind, Relation, Role, Rule, Shape, Test, Type, WireNames, WireParameter,
};

/// The owner of conditions: a rule or a class.
pub(super) struct Subject<'a> {
    pub(super) api: &'a Api,
    pub(super) family: &'a Family,
    /// The name in messages.
    pub(super) name: &'a str,
    pub(super) place: Place,
    /// The parameters that its conditions can use.
    pub(super) names: &'a WireNames<'a>,
    /// True if a condition with every value is a mistake of its own.
    pub(super) tests_values: bool,
}

impl Subject<'_> {
    pub(super) fn check(&self, condition: &Condition, to: &mut Diagnostics) {
        match condition {
            Condition::Given(given) | Condition::AnyGiven(given) => self.given(given, to),
            Condition::HasForm { parameter, forms } => self.has_form(parameter, forms, to),
            Condition::Is { parameter, values } => self.is(parameter, values, to),
            Condition::AccountIs { property, values } => self.account_is(property, values, to),
            Condition::Compares { parameter, comparison, property } => {
                self.compares(parameter, *comparison, property, to);
            }
            Condition::Relates { parameter, operand, place, .. } => {
                if self.relates(parameter, operand, *place, to) {
                    self.can_hold_and_fail(condition, *place, to);
                }
            }
            Condition::Not(inner) => self.check(inner, to),
        }
    }

    fn given(&self, given: &[Placed], to: &mut Diagnostics) {
        if given.is_empty() {
            to.at(self.place, Code::BadRule, format!("{} has a condition without parameters", self.name))
                .help("list at least one parameter after `given` or `any_given`");
        }
        for (name, place) in given {
            find(self.names, name, *place, to);
        }
    }

    fn has_form(&self, (name, place): &Placed, forms: &[Placed], to: &mut Diagnostics) {
        let Some(found) = find(self.names, name, *place, to) else { return };
        let shape = match found.role {
            Role::Plain(parameter) if parameter.shape.is_undefined() => return,
            Role::Plain(parameter) => Some(&parameter.shape),
            Role::Alternative(_) | Role::Decider(_) | Role::Member(_) => None,
        };
        let Some(index) = shape.and_then(Shape::single_identifier) else {
            to.at(*place, Code::BadRule, format!("expected an identifier, found `{name}`"))
                .help("only a parameter whose type is one of the `identifiers` has forms");
            return;
        };
        let identifier = &self.family.identifiers[index];
        if to.is_unread(identifier.name.place.file, "forms") {
            return;
        }
        let known = || identifier.forms.iter().map(|form| form.name.wire.as_str());
        for (form, place) in forms.iter().filter(|(form, _)| !known().any(|known| known == form)) {
            let help = did_you_mean(form, known())
                .unwrap_or_else(|| format!("define it under `forms` of `{}`", identifier.name.wire).into());
            to.at(*place, Code::UndefinedName, format!("`{}` has no form `{form}`", identifier.name.wire)).help(help);
        }
    }

    fn is(&self, (name, place): &Placed, values: &[Placed], to: &mut Diagnostics) {
        let Some(found) = find(self.names, name, *place, to) else { return };
        if let Some(why) = why_not_comparable(self.family, &found) {
            to.at(*place, Code::BadRule, format!("a condition cannot test the value of `{name}`, which {why}"))
                .help(format!("test whether it is set with `given: [{name}]`, or make the rule `stated` with a `why`"));
            return;
        }
        if values.is_empty() {
            to.at(*place, Code::BadRule, format!("the condition lists no values for `{name}`"))
                .help("list at least one value");
        }
        for (value, place) in values {
            if let Some(fault) = find_fault_of_value(self.family, &found, value) {
                fault.report(to, *place, Code::BadValue, &format!("`{name}`"));
            }
        }
        let is_boolean = found.parameter().is_some_and(|parameter| parameter.shape.is_one(Type::is_boolean));
        let all: Vec<_> = match is_boolean {
            true => vec!["true", "false"],
            false => found.values(self.family).into_iter().map(|(value, _)| value).collect(),
        };
        let help = match found.need() {
            Need::Always => "remove it: every request has one of them".to_owned(),
            Need::Conditional | Need::Unstated | Need::No => {
                format!("write `given: [{name}]`, or list the values that are meant")
            }
        };
        self.tells_values_apart(&format!("`{name}`"), values, &all, help, to);
    }

    /// Refuses a condition with every value, which tests nothing that `given` does not.
    fn tells_values_apart(&self, of: &str, values: &[Placed], all: &[&str], help: String, to: &mut Diagnostics) {
        let listed = values.iter().map(|(value, _)| value.as_str());
        let is_whole = self.tests_values && lists_all(listed, all.iter().copied());
        if let Some((_, place)) = values.first().filter(|_| is_whole) {
            to.at(*place, Code::BadRule, format!("the condition lists every value of {of}")).help(help);
        }
    }

    fn account_is(&self, property: &Placed, values: &[Placed], to: &mut Diagnostics) {
        let Some(property) = account_property(self.api, property, to) else { return };
        let name = &property.name.wire;
        let known: Vec<&str> = match &property.kind {
            PropertyKind::Words(_, words) => words.iter().map(|word| word.name.wire.as_str()).collect(),
            PropertyKind::Flag => vec!["true", "false"],
            PropertyKind::Time | PropertyKind::Names => {
                let place = values.first().map_or(self.place, |(_, place)| *place);
                to.at(place, Code::BadRule, format!("a condition cannot test the value of `account.{name}`")).help(
                    "compare a parameter with it: `parameter.among` for names, `parameter.not_before` for a time",
                );
                return;
            }
        };
        for (value, place) in values.iter().filter(|(value, _)| !known.contains(&value.as_str())) {
            let help = one_of(value, known.iter().map(|known| (*known, None)));
            to.at(*place, Code::BadValue, format!("`account.{name}` has no value `{value}`")).help(help);
        }
        let help = "remove it, or list the values that are meant".to_owned();
        self.tells_values_apart(&format!("`account.{name}`"), values, &known, help, to);
    }

    fn compares(&self, parameter: &Placed, comparison: Comparison, property: &Placed, to: &mut Diagnostics) {
        let (name, place) = parameter;
        if let Some(found) = find(self.names, name, *place, to) {
            let ty = found.parameter().and_then(|parameter| parameter.shape.single());
            if !ty.is_some_and(|ty| comparison.takes(ty)) {
                let (word, takes) = (comparison.as_str(), comparison.expected_operand());
                to.at(*place, Code::BadRule, format!("`{word}` compares {takes}, but `{name}` is not one"))
                    .help(format!("use a parameter that is {takes}"));
            }
        }
        if comparison.is_of_instrument() {
            instrument_property(self.api, property, false, to);
        } else if let Some(known) = account_property(self.api, property, to) {
            let fits = matches!(
                (comparison, &known.kind),
                (Comparison::Among, PropertyKind::Names) | (Comparison::NotBefore, PropertyKind::Time)
            );
            if !fits {
                let needs = if comparison == Comparison::Among { "names" } else { "time" };
                to.at(
                    property.1,
                    Code::BadRule,
                    format!("`{}` requires a property with `type: {needs}`", comparison.as_str()),
                )
                .help(format!("name a property of `account` that has `type: {needs}`"));
            }
        }
    }

    /// Returns whether numbers are compared with numbers, and times with times and moments; reports what is not.
    fn relates(&self, (name, place): &Placed, operand: &Operand, at: Place, to: &mut Diagnostics) -> bool {
        let Some(own) = find(self.names, name, *place, to) else { return false };
        let Some(ty) = ordered(&own) else {
            to.at(*place, Code::BadRule, format!("`{name}` is neither a number nor a time, so it has no order"))
                .help("use a parameter that is a number or a time");
            return false;
        };
        let (what, fits) = match operand {
            Operand::Parameter(other) if is_moment(other) => {
                to.at(at, Code::BadDuration, format!("invalid time `{other}`"))
                    .help("write `30 days ago`, `1 hour ahead` or `now`, or a number or the name of a parameter");
                return false;
            }
            Operand::Parameter(other) => {
                let Some(found) = find(self.names, other, at, to) else { return false };
                let is_same = match (ty, ordered(&found)) {
                    (Type::Undefined, _) | (_, Some(Type::Undefined)) => true,
                    (Type::Time(_), Some(Type::Time(_))) => true,
                    (ty, Some(other)) if ty.is_decimal() => other.is_decimal(),
                    (ty, other) => Some(ty) == other,
                };
                (format!("`{other}`"), is_same && other != name)
            }
            Operand::Number(number) => (format!("the number `{number}`"), ty.takes_number(number)),
            Operand::Moment { .. } => (format!("the time `{operand}`"), matches!(ty, Type::Time(_) | Type::Undefined)),
        };
        if !fits {
            to.at(at, Code::BadRule, format!("`{name}` cannot be compared with {what}")).help(
                "compare a number with a number, `30 days ago`, `1 hour ahead` or `now` with a time, and a parameter with \
                 another one of its type",
            );
        }
        fits
    }

    /// Refuses a comparison with a number that the type and the bounds of the parameter decide.
    fn can_hold_and_fail(&self, condition: &Condition, at: Place, to: &mut Diagnostics) {
        let Some((name, range)) = Range::of_condition(condition) else { return };
        let Lookup::Found(found) = self.names.find(name) else { return };
        let Some(own) = found.parameter().and_then(Range::of_parameter) else { return };
        let holds = match (own.is_within(&range), own.excludes(&range)) {
            (true, _) => "always holds",
            (false, true) => "never holds",
            (false, false) => return,
        };
        to.at(at, Code::BadRule, format!("the comparison {holds}: `{name}` is {own}"))
            .help("correct the number, or remove the comparison");
    }
}

/// Returns the type of a parameter, if its values have an order.
fn ordered(found: &WireParameter<'_>) -> Option<Type> {
    match found.parameter()?.shape {
        Shape::One(ty) if ty.is_quantity() || ty.is_time() || ty == Type::Undefined => Some(ty),
        Shape::One(_) | Shape::List(_) | Shape::Map(_) | Shape::Items(_) | Shape::Object(_) => None,
    }
}

impl Comparison {
    fn takes(self, ty: Type) -> bool {
        match self {
            _ if ty == Type::Undefined => true,
            Self::Among => ty.is_text() || ty.is_enum(),
            Self::NotBefore => ty.is_time(),
            Self::MultipleOf | Self::Places | Self::AtLeast | Self::AtMost => ty.is_decimal(),
        }
    }

    fn expected_operand(self) -> &'static str {
        match self {
            Self::Among => "a text",
            Self::NotBefore => "a time",
            Self::MultipleOf | Self::Places | Self::AtLeast | Self::AtMost => "a decimal number",
        }
    }
}

/// Returns whether an operand is meant as a moment or a number: it has a space, or begins like a number.
fn is_moment(operand: &str) -> bool {
    operand.contains(' ') || operand.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
}

/// The keys of conditions that are not names of parameters.
const CONDITIONS: &[&str] = &["given", "any_given", "not.given", "not.any_given"];

/// Returns the parameter that a condition uses; an unknown name is reported.
pub(super) fn find<'a>(
    names: &WireNames<'a>,
    name: &str,
    place: Place,
    to: &mut Diagnostics,
) -> Option<WireParameter<'a>> {
    match names.find(name) {
        Lookup::Found(found) => return Some(found),
        Lookup::Missing(help) => match name.rsplit_once('.') {
            Some((parameter, word)) if matches!(names.find(parameter), Lookup::Found(_)) => {
                unknown_comparison(parameter, word, place, to);
            }
            _ if name.starts_with("not.") => {
                to.at(place, Code::BadRule, "`not.` twice").help("remove both: the entry means the same without them");
            }
            _ => {
                let help = did_you_mean(name, CONDITIONS.iter().copied()).unwrap_or(help);
                to.at(place, Code::UndefinedName, format!("unknown parameter `{name}`")).help(help);
            }
        },
        Lookup::Unresolved => {}
    }
    None
}

/// Reports the word after a parameter's name: it is misspelt, or has several values to compare with.
fn unknown_comparison(parameter: &str, word: &str, place: Place, to: &mut Diagnostics) {
    let known: Vec<&str> = [Relation::WORDS, Comparison::WORDS, &["form"]].concat();
    if known.contains(&word) {
        to.at(place, Code::BadRule, format!("`{word}` compares `{parameter}` with one value"))
            .help("write one value, not a list");
        return;
    }
    to.at(place, Code::UndefinedName, format!("unknown comparison `{word}` of `{parameter}`"))
        .help(one_of(word, known.iter().map(|known| (*known, None))));
}

/// Returns why a condition cannot compare a parameter with values; `None` if it can.
fn why_not_comparable(family: &Family, found: &WireParameter<'_>) -> Option<String> {
    let parameter = match found.role {
        Role::Decider(_) => return None,
        Role::Alternative(_) => return Some("is an alternative of a choice".to_owned()),
        Role::Member(parameter) | Role::Plain(parameter) => parameter,
    };
    match parameter.shape.single() {
        Some(Type::Undefined) => None,
        Some(ty) if ty.compared().is_some() => parameter.is_edit().then(|| "can be deleted".to_owned()),
        Some(_) | None => Some(format!("is {}", described(family, &parameter.shape))),
    }
}

/// Reports a rule about parameters that only the items of a list have, without the list.
pub(super) fn is_of_items(
    family: &Family,
    operation: &Operation,
    rule: &Rule,
    names: &WireNames<'_>,
    to: &mut Diagnostics,
) -> bool {
    if rule.within.is_some() {
        return false;
    }
    let tested = || rule.test.iter().flat_map(Test::conditions).flat_map(Condition::names);
    let lacks = |names: &WireNames<'_>, name: &str| matches!(names.find(name), Lookup::Missing(_));
    let has_all = |item: &&Item| {
        let inner = family.names(&item.parameters);
        tested().all(|name| !lacks(&inner, name) || !lacks(names, name))
    };
    let Some(list) = operation.items().map(|(_, item)| item).find(has_all).map(|item| &item.list) else { return false };
    let Some(of_items) = tested().find(|name| lacks(names, name)) else { return false };
    to.at(rule.place, Code::BadRule, format!("{} tests `{of_items}`, which items of `{list}` have", name(rule)))
        .help(format!("add `in: \"{list}\"`"));
    true
}

/// An interval; an end that is `None` is open.
pub(super) struct Range {
    low: Option<End>,
    high: Option<End>,
}

/// The end of an interval. That of times counts milliseconds from now.
#[derive(Clone)]
struct End {
    at: String,
    is_included: bool,
}

impl End {
    fn new(at: impl ToString, is_included: bool) -> Self {
        Self { at: at.to_string(), is_included }
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(Number::parse(&self.at)?.cmp(&Number::parse(&other.at)?))
    }
}

impl Range {
    /// Returns the parameter that a condition compares with a number or a moment, and the values for which it holds.
    pub(super) fn of_condition(condition: &Condition) -> Option<(&str, Self)> {
        let (condition, is_negated) = match condition {
            Condition::Not(inner) => (&**inner, true),
            condition => (condition, false),
        };
        let Condition::Relates { parameter, relation, operand, .. } = condition else { return None };
        let relation = if is_negated { relation.negated() } else { *relation };
        Some((&parameter.0, Self::of_relation(relation, operand)?))
    }

    fn of_relation(relation: Relation, operand: &Operand) -> Option<Self> {
        let at = match operand {
            Operand::Number(number) => number.clone(),
            Operand::Moment { length, is_ahead } => {
                let length = length.map_or(Some(0), |length| length.milliseconds())?;
                format!("{}{length}", if *is_ahead || length == 0 { "" } else { "-" })
            }
            Operand::Parameter(_) => return None,
        };
        Some(match relation {
            Relation::Below => Self { low: None, high: Some(End::new(at, false)) },
            Relation::NotAbove => Self { low: None, high: Some(End::new(at, true)) },
            Relation::Above => Self { low: Some(End::new(at, false)), high: None },
            Relation::NotBelow => Self { low: Some(End::new(at, true)), high: None },
        })
    }

    /// Returns the values that a parameter can have, if it is a number.
    pub(super) fn of_parameter(parameter: &Parameter) -> Option<Self> {
        let (low, high) = match parameter.shape {
            Shape::One(Type::Integer) => (Some(End::new(0, true)), Some(End::new(u64::MAX, true))),
            Shape::One(Type::Signed) => (Some(End::new(i64::MIN, true)), Some(End::new(i64::MAX, true))),
            Shape::One(Type::Decimal | Type::Scaled(_)) => (None, None),
            Shape::One(_) | Shape::List(_) | Shape::Map(_) | Shape::Items(_) | Shape::Object(_) => return None,
        };
        let digits = parameter.digits.and_then(|(digits, _)| usize::try_from(digits).ok()).filter(|n| *n < 20);
        let of_digits = digits.map(|digits| End::new("9".repeat(digits.max(1)), true));
        let stated = |bound: &Option<(String, _)>| bound.as_ref().map(|(text, _)| End::new(text, true));
        let own = Self { low: stated(&parameter.min).or(low), high: stated(&parameter.max).or(of_digits).or(high) };
        // Bounds in the wrong order are reported.
        (!own.excludes(&own)).then_some(own)
    }

    /// Returns whether the other has all of its values.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let ends = |own: &Option<End>, outer: &Option<End>, inwards: Ordering| match (own, outer) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(outer)) => match own.compare(outer) {
                Some(Ordering::Equal) => outer.is_included || !own.is_included,
                order => order == Some(inwards),
            },
        };
        ends(&self.low, &other.low, Ordering::Greater) && ends(&self.high, &other.high, Ordering::Less)
    }

    /// Returns whether both have no value in common.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        let is_beyond = |low: &Option<End>, high: &Option<End>| match (low, high) {
            (Some(low), Some(high)) => match low.compare(high) {
                Some(Ordering::Equal) => !(low.is_included && high.is_included),
                order => order == Some(Ordering::Greater),
            },
            _ => false,
        };
        is_beyond(&self.low, &other.high) || is_beyond(&other.low, &self.high)
    }
}

/// In messages: `from 0 to 100`, `at least 0`.
impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) => write!(f, "from {} to {}", low.at, high.at),
            (Some(low), None) => write!(f, "at least {}", low.at),
            (None, Some(high)) => write!(f, "at most {}", high.at),
            (None, None) => f.write_str("any number"),
        }
    }
}
