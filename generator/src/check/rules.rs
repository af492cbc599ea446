//! Rules: what they say, what they test, and what they speak of.

use super::conditions::{Subject, find};
use crate::diagnostics::{Code, Diagnostics, Place, did_you_mean, name_list};
use crate::model::{
    Api, Condition, Family, ListName, Lookup, Operation, Parameter, Role, Rule, RuleKind, Shape, Statements, Test,
    Type, WireNames,
};

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
            speaks_of_what_is_there(api, family, operation, rule, to);
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
    if let Some(place) = rule.severity_place.filter(|_| rule.kind != RuleKind::Checked) {
        to.at(place, Code::Misplaced, format!("{} is `{kind}`, and says how severe it is to break it", name(rule)))
            .help("`severity` goes with `kind: checked` only; take it away");
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

fn speaks_of_what_is_there(api: &Api, family: &Family, operation: &Operation, rule: &Rule, to: &mut Diagnostics) {
    let Some(parameters) = subject(operation, rule, to) else { return };
    let names = family.names(parameters);
    let name = name(rule);
    let subject = Subject { api, family, name: &name, place: rule.place, names: &names };
    if rule.test.iter().flat_map(Test::conditions).any(Condition::is_of_instrument) {
        names_its_instrument(api, family, operation, rule, &names, to);
    }
    match &rule.test {
        None => {}
        Some(Test::Condition { when, require, forbid }) => {
            for conditions in [when, require, forbid] {
                conditions.iter().for_each(|condition| subject.check(condition, to));
            }
            if require.is_empty() && forbid.is_empty() {
                to.at(rule.place, Code::BadRule, format!("{name} requires and forbids nothing"))
                    .help("write a condition below `require` or `forbid`");
            }
        }
        Some(Test::Same(name, place)) => compares_items(rule, &names, "same", &[(name.clone(), *place)], to),
        Some(Test::Unique(compared)) => compares_items(rule, &names, "unique", compared, to),
    }
}

/// What compares with an instrument is in a request that names one.
fn names_its_instrument(
    api: &Api,
    family: &Family,
    operation: &Operation,
    rule: &Rule,
    names: &WireNames<'_>,
    to: &mut Diagnostics,
) {
    let Some(instrument) = &family.instrument else {
        if !api.is_whole || family.shared_files.iter().any(|file| to.is_unread(*file, "instrument")) {
            return;
        }
        to.at(
            rule.place,
            Code::BadRule,
            format!("{} compares with an instrument, and no request names one", name(rule)),
        )
        .help("say in family.yaml which parameters do, with `instrument: { line: ..., symbol: ... }`");
        return;
    };
    let names = names.clone().and(&family.names(operation.body.parameters()));
    for (parameter, _) in [&instrument.line, &instrument.symbol] {
        let is_known = family.all_parameters().any(|known| known.name.wire == *parameter);
        if let Lookup::Missing(_) = names.find(parameter)
            && is_known
        {
            to.at(
                rule.place,
                Code::BadRule,
                format!("{} compares with an instrument, and the request has no `{parameter}` to name it", name(rule)),
            )
            .help("make the rule `stated` with a `why`");
        }
    }
}

/// The parameters that a rule speaks of: those of the request, or of the items it names.
fn subject<'a>(operation: &'a Operation, rule: &Rule, to: &mut Diagnostics) -> Option<&'a [Parameter]> {
    let Some((list, place)) = &rule.within else { return Some(operation.body.parameters()) };
    let lists = || operation.items().map(|(parameter, _)| parameter.name.wire.as_str());
    if let Some((_, item)) = operation.items().find(|(_, item)| item.list == *list) {
        return Some(&item.parameters);
    }
    let help = did_you_mean(list.as_str(), lists()).unwrap_or_else(|| match name_list(lists()) {
        known if known.is_empty() => "take `in` away".into(),
        known if known == ListName::BODY => "write `in: \"[]\"`, which stands for the body".into(),
        known => format!("the lists of objects are: {known}").into(),
    });
    to.at(*place, Code::UndefinedName, format!("the request has no list of objects `{list}`")).help(help);
    None
}

fn compares_items(rule: &Rule, names: &WireNames<'_>, key: &str, compared: &[(String, Place)], to: &mut Diagnostics) {
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
        let (Role::Plain(parameter) | Role::Alternative(parameter)) = found.role else {
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

/// A rule as it is called in a message.
fn name(rule: &Rule) -> String {
    if rule.id.is_empty() { "the rule".to_owned() } else { format!("the rule `{}`", rule.id) }
}
