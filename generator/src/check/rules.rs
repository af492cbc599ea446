//! Rules: what they say, what they test, and what they speak of.

use super::units::why_no_value;
use super::wire::{self, Found, Meaning, Names, Wire};
use crate::diagnostics::{Code, Diagnostics, Place, did_you_mean};
use crate::load::raw::RuleKind;
use crate::model::{Api, Condition, Family, Operation, Parameter, Rule, Shape, Statements, Test, Type};

/// The rules and other statements of a family and its operations.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    have_ids("observation", api.observed.iter().map(|said| (said.id.as_str(), said.place)), to);
    have_ids("limit", family.limits.iter().map(|limit| (limit.id.as_str(), limit.place)), to);
    statements(&family.statements, &[], to);
    for rule in &family.statements.rules {
        is_of_its_kind(rule, to);
        if rule.test.is_some() {
            to.at(rule.place, Code::BadRule, format!("{} of the family has no request to test", name(rule)))
                .help("move it to the operations that it speaks of");
        }
    }
    for operation in &family.operations {
        statements(&operation.statements, &family.statements.rules, to);
        for rule in &operation.statements.rules {
            is_of_its_kind(rule, to);
            speaks_of_what_is_there(family, operation, rule, to);
        }
    }
}

fn statements(statements: &Statements, family_rules: &[Rule], to: &mut Diagnostics) {
    let rules = family_rules.iter().chain(&statements.rules);
    have_ids("rule", rules.map(|rule| (rule.id.as_str(), rule.place)), to);
    have_ids("contradiction", statements.contradictions.iter().map(|said| (said.id.as_str(), said.place)), to);
    have_ids("observation", statements.observed.iter().map(|said| (said.id.as_str(), said.place)), to);
}

/// An id names one thing.
fn have_ids<'a>(what: &str, ids: impl Iterator<Item = (&'a str, Place)>, to: &mut Diagnostics) {
    let mut seen: Vec<(&str, Place)> = Vec::new();
    for (id, place) in ids.filter(|(id, _)| !id.is_empty()) {
        match seen.iter().find(|(first, _)| *first == id) {
            Some((_, first)) => {
                to.at(place, Code::DefinedTwice, format!("the {what} id `{id}` is taken"))
                    .related(*first, "it is taken here")
                    .help("give one of them another id");
            }
            None => seen.push((id, place)),
        }
    }
}

/// Only a rule that is checked has something to check; only one that is stated says why it is not.
fn is_of_its_kind(rule: &Rule, to: &mut Diagnostics) {
    let kind = rule.kind.as_str();
    if rule.kind == RuleKind::Checked && rule.test.is_none() {
        to.at(rule.place, Code::BadRule, format!("{} is `checked`, and has no condition to check", name(rule))).help(
            "add `require`, `forbid`, `same` or `unique`, or make it another kind, such as `stated` with a `why`",
        );
    }
    if rule.kind != RuleKind::Checked && rule.test.is_some() {
        to.at(rule.place, Code::BadRule, format!("{} is `{kind}`, and has a condition to check", name(rule)))
            .help("make it `kind: checked`, or take the condition away");
    }
    if rule.kind == RuleKind::Stated && rule.why.as_ref().is_none_or(String::is_empty) {
        to.at(rule.place, Code::BadRule, format!("{} is `stated`, and nothing says why it is not more", name(rule)))
            .help("add `why: ...`, what keeps it from being checked");
    }
}

fn speaks_of_what_is_there(family: &Family, operation: &Operation, rule: &Rule, to: &mut Diagnostics) {
    let Some(parameters) = subject(operation, rule, to) else { return };
    let names = wire::names(family, parameters);
    match &rule.test {
        None => {}
        Some(Test::Condition { when, require, forbid }) => {
            for conditions in [when, require, forbid] {
                conditions.iter().for_each(|condition| check_condition(family, rule, &names, condition, to));
            }
            if require.is_empty() && forbid.is_empty() {
                to.at(rule.place, Code::BadRule, format!("{} requires and forbids nothing", name(rule)))
                    .help("write a condition below `require` or `forbid`");
            }
        }
        Some(Test::Same(name, place)) => compares_items(rule, &names, "same", &[(name.clone(), *place)], to),
        Some(Test::Unique(compared)) => compares_items(rule, &names, "unique", compared, to),
    }
}

/// The parameters that a rule speaks of: those of the request, or of the items it names.
fn subject<'a>(operation: &'a Operation, rule: &Rule, to: &mut Diagnostics) -> Option<&'a [Parameter]> {
    let Some((list, place)) = &rule.within else { return Some(operation.body.parameters()) };
    let lists = || wire::items(operation).map(|(parameter, _)| parameter.name.wire.as_str());
    if let Some((_, item)) = wire::items(operation).find(|(parameter, _)| parameter.name.wire == *list) {
        return Some(&item.parameters);
    }
    let help = did_you_mean(list, lists()).unwrap_or_else(|| match wire::list(lists()) {
        known if known.is_empty() => "take `in` away".to_owned(),
        known if known == "[]" => "write `in: \"[]\"`, which stands for the body".to_owned(),
        known => format!("the lists of objects are: {known}"),
    });
    to.at(*place, Code::UndefinedName, format!("the request has no list of objects `{list}`")).help(help);
    None
}

fn compares_items(rule: &Rule, names: &Names<'_>, key: &str, compared: &[(String, Place)], to: &mut Diagnostics) {
    if rule.within.is_none() {
        to.at(
            rule.place,
            Code::BadRule,
            format!("`{key}` compares the items of a list, and {} does not say of which", name(rule)),
        )
        .help("add `in: someList`, or `in: \"[]\"` for a body that is an array");
        return;
    }
    if compared.is_empty() {
        to.at(rule.place, Code::BadRule, format!("`{key}` compares nothing")).help("name a parameter of the items");
    }
    for (name, place) in compared {
        let Some(found) = find(names, name, *place, to) else { continue };
        let (Meaning::Plain(parameter) | Meaning::Alternative(parameter)) = found.meaning else {
            not_comparable(name, *place, "is part of a choice by value", to);
            continue;
        };
        match parameter.shape {
            Shape::One(Type::Enum(_) | Type::Identifier(_) | Type::String | Type::Undefined)
                if parameter.edit.is_none() => {}
            _ => not_comparable(name, *place, "is no text", to),
        }
    }
}

fn not_comparable(name: &str, place: Place, why: &str, to: &mut Diagnostics) {
    to.at(place, Code::BadRule, format!("items cannot be compared by `{name}`, which {why}"))
        .help("compare texts, identifiers or enums, or make the rule `stated` with a `why`");
}

fn find<'a>(names: &Names<'a>, name: &str, place: Place, to: &mut Diagnostics) -> Option<Wire<'a>> {
    match names.find(name) {
        Found::Wire(found) => return Some(found),
        Found::Nothing(help) => {
            to.at(place, Code::UndefinedName, format!("the rule speaks of `{name}`, which is no parameter here"))
                .help(help);
        }
        Found::Perhaps => {}
    }
    None
}

fn check_condition(family: &Family, rule: &Rule, names: &Names<'_>, condition: &Condition, to: &mut Diagnostics) {
    match condition {
        Condition::Given(given) | Condition::AnyGiven(given) => {
            if given.is_empty() {
                to.at(rule.place, Code::BadRule, format!("a condition of {} names no parameter", name(rule)))
                    .help("list after `given` or `any_given` what it speaks of");
            }
            for (name, place) in given {
                find(names, name, *place, to);
            }
        }
        Condition::HasForm { parameter: (name, place), forms } => {
            let Some(found) = find(names, name, *place, to) else { return };
            let identifier = match found.meaning {
                Meaning::Plain(Parameter { shape: Shape::One(Type::Identifier(index)), .. }) => {
                    &family.identifiers[*index]
                }
                Meaning::Plain(Parameter { shape: Shape::One(Type::Undefined), .. }) => return,
                _ => {
                    to.at(*place, Code::BadRule, format!("`{name}` is no identifier, so it has no form"))
                        .help("ask for the form of a parameter whose type is one of the `identifiers`");
                    return;
                }
            };
            let known = || identifier.forms.iter().map(|form| form.name.wire.as_str());
            for (form, place) in forms.iter().filter(|(form, _)| !known().any(|known| known == form)) {
                let help = did_you_mean(form, known())
                    .unwrap_or_else(|| format!("list it below `forms` of `{}`", identifier.name.wire));
                to.at(*place, Code::UndefinedName, format!("`{}` has no form `{form}`", identifier.name.wire))
                    .help(help);
            }
        }
        Condition::Is { parameter: (name, place), values } => {
            let Some(found) = find(names, name, *place, to) else { return };
            if let Some(why) = why_no_question(&found) {
                to.at(*place, Code::BadRule, format!("a condition cannot ask for the value of `{name}`, which {why}"))
                    .help(format!(
                        "ask whether it is there, with `given: [{name}]`, or make the rule `stated` with a `why`"
                    ));
                return;
            }
            if values.is_empty() {
                to.at(*place, Code::BadRule, format!("the condition names no value of `{name}`"))
                    .help("list the values it may have");
            }
            for (value, place) in values {
                if let Some(fault) = why_no_value(family, &found, value) {
                    fault.report(to, *place, Code::BadValue, &format!("`{name}`"));
                }
            }
        }
    }
}

/// Why a condition cannot compare a parameter with values.
fn why_no_question(found: &Wire<'_>) -> Option<&'static str> {
    let parameter = match found.meaning {
        Meaning::Decider(_) => return None,
        Meaning::Alternative(_) | Meaning::Member(_) => return Some("is part of a choice"),
        Meaning::Plain(parameter) => parameter,
    };
    match parameter.shape {
        Shape::List(_) | Shape::Items(_) => Some("is a list"),
        Shape::One(Type::Decimal) => Some("is a decimal number"),
        Shape::One(Type::Time) => Some("is a time"),
        Shape::One(Type::Record(_)) => Some("is a record"),
        Shape::One(_) if parameter.edit.as_ref().is_some_and(|edit| edit.delete.is_some()) => Some("can be deleted"),
        Shape::One(_) => None,
    }
}

/// A rule as it is called in a message.
fn name(rule: &Rule) -> String {
    if rule.id.is_empty() { "the rule".to_owned() } else { format!("the rule `{}`", rule.id) }
}
