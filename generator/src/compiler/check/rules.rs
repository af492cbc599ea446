//! Rules: their ids, their conditions, and the parameters that they use.

use std::collections::BTreeSet;

use super::account::is_of_a_request;
use super::batches::list_of_objects;
use super::conditions::{Range, Subject, find, is_of_items};
use super::repeated;
use crate::compiler::diagnostics::{Code, Diagnostics, Place, name_list};
use crate::compiler::model::{
    Api, Choice, Condition, Family, ListName, Lookup, Need, Operation, Parameter, Placed, Role, Rule, RuleKind,
    Severity, Statements, Test, WireNames, WireParameter, meaning,
};

/// Checks the rules and other statements of a family and its operations.
pub(super) fn check(api: &Api, family: &Family, to: &mut Diagnostics) {
    have_ids("observation", api.observed.iter().map(|said| (said.id.as_str(), said.place)), to);
    have_ids("limit", family.limits.iter().map(|limit| (limit.id.as_str(), limit.place)), to);
    statements(&family.statements, &[], to);
    for rule in &family.statements.rules {
        keys_fit_the_kind(rule, to);
        if rule.test.is_some() {
            to.at(
                rule.place,
                Code::BadRule,
                format!("{} cannot have conditions: a rule of the family has no request", name(rule)),
            )
            .help("move it to the operations it applies to");
        }
        if let Some((_, place)) = rule.unsupported.first() {
            to.at(*place, Code::BadRule, format!("{} cannot have `unsupported`: it is of the family", name(rule)))
                .help("move it to the operations that do not support these parameters");
        }
    }
    for operation in &family.operations {
        statements(&operation.statements, &family.statements.rules, to);
        for rule in &operation.statements.rules {
            if !is_taken_over(family, rule) {
                keys_fit_the_kind(rule, to);
                can_hold(rule, to);
                can_fail(rule, to);
                can_be_kept(rule, to);
            }
            conditions_are_valid(api, family, operation, rule, to);
        }
        agree(&operation.statements.rules, to);
        conditions_are_stated(family, operation, to);
    }
}

fn statements(statements: &Statements, family_rules: &[Rule], to: &mut Diagnostics) {
    let rules = family_rules.iter().chain(&statements.rules);
    have_ids("rule", rules.map(|rule| (rule.id.as_str(), rule.place)), to);
    have_ids("contradiction", statements.contradictions.iter().map(|said| (said.id.as_str(), said.place)), to);
    have_ids("observation", statements.observed.iter().map(|said| (said.id.as_str(), said.place)), to);
}

/// Checks that a parameter that is required conditionally has a rule that names it: one with the condition, or a
/// sentence.
fn conditions_are_stated(family: &Family, operation: &Operation, to: &mut Diagnostics) {
    // A rule with a mistake may be the one.
    let file = operation.place.file;
    let is_of_rules = |code: Code| matches!(code, Code::BadRule | Code::UndefinedName | Code::UnknownKey);
    let is_mistaken = |to: &Diagnostics| {
        to.iter().any(|one| one.place.is_some_and(|place| place.file == file) && is_of_rules(one.code))
    };
    if to.is_unread(file, "rules") || is_mistaken(to) {
        return;
    }
    let wire = operation.wire_parameters(family);
    let conditional = wire.iter().filter_map(|wire| match wire.role {
        Role::Plain(parameter) | Role::Alternative(parameter) | Role::Member(parameter) => Some((wire, parameter)),
        Role::Decider(_) => None,
    });
    for (wire, parameter) in conditional.filter(|(_, parameter)| parameter.need == Need::Conditional) {
        let name = wire.name.wire.as_str();
        let rules = operation.statements.rules.iter().chain(&family.statements.rules);
        let is_stated = rules.into_iter().any(|rule| names(rule, name)) || is_end_of_window(operation, name);
        if is_stated {
            continue;
        }
        to.at(
            parameter.name.place,
            Code::BadRule,
            format!("`{name}` is required conditionally, but no rule states the condition"),
        )
        .help(format!(
            "add a rule that requires it, `when: ..` and `require: {{ given: [{name}] }}`, or one of the kind `stated` \
             that names it"
        ));
    }
}

/// Returns whether a rule tests a parameter, or names it in its sentence or its place.
fn names(rule: &Rule, parameter: &str) -> bool {
    let is_word =
        |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').any(|word| word == parameter);
    let is_tested = |test: &Test| test.conditions().any(|condition| condition.names().contains(&parameter));
    rule.test.as_ref().is_some_and(is_tested) || is_word(&rule.says) || is_word(&rule.at)
}

/// Returns whether one end of a window is required with the other.
fn is_end_of_window(operation: &Operation, name: &str) -> bool {
    let window = operation.window.as_ref().filter(|window| window.both_or_neither.is_set());
    window.is_some_and(|window| [&window.from, &window.to].into_iter().any(|end| end.text == name))
}

/// Checks that ids are unique.
fn have_ids<'a>(what: &str, ids: impl Iterator<Item = (&'a str, Place)>, to: &mut Diagnostics) {
    let ids: Vec<_> = ids.filter(|(id, _)| !id.is_empty()).collect();
    for ((_, first), (id, place)) in repeated(&ids, |one, other| one.0 == other.0) {
        to.at(*place, Code::DefinedTwice, format!("duplicate {what} id `{id}`"))
            .related(*first, "first used here")
            .help("rename one of them");
    }
}

/// Checks that only a checked rule has a condition, and only a stated one has a reason why it is not checked.
fn keys_fit_the_kind(rule: &Rule, to: &mut Diagnostics) {
    let kind = rule.kind.as_str();
    if rule.kind == RuleKind::Todo {
        to.at(rule.place, Code::Unfinished, format!("{} still has the kind `todo`", name(rule))).help(
            "write the sentence in your own words, and `kind: checked` with a condition, `type`, `limit`, `simulated`, \
             or `stated` with a `why`",
        );
        return;
    }
    if rule.kind == RuleKind::Checked && rule.test.is_none() {
        to.at(rule.place, Code::BadRule, format!("{} is `checked` but has no condition", name(rule))).help(
            "add `require`, `forbid`, `same` or `unique`, or change its kind, for example to `stated` with a `why`",
        );
    }
    if let Some(place) = rule.severity_place.filter(|_| rule.kind != RuleKind::Checked) {
        to.at(place, Code::Misplaced, format!("{} is `{kind}` but has a `severity`", name(rule)))
            .help("remove `severity`; only `checked` rules have one");
    }
    if rule.kind != RuleKind::Checked && rule.test.is_some() {
        to.at(rule.place, Code::BadRule, format!("{} is `{kind}` but has a condition", name(rule)))
            .help("write `kind: checked`, or remove the condition");
    }
    if let Some((_, place)) = rule.unsupported.first().filter(|_| rule.kind != RuleKind::Type) {
        to.at(*place, Code::BadRule, format!("{} is `{kind}` but has `unsupported`", name(rule)))
            .help("write `kind: type`: the types have no such parameter");
    }
    if rule.kind == RuleKind::Stated && rule.why.as_ref().is_none_or(String::is_empty) {
        to.at(rule.place, Code::BadRule, format!("{} is `stated` but has no `why`", name(rule)))
            .help("add `why: ...`, the reason it cannot be checked");
    }
}

/// Checks that a rule can apply: that neither its `when` contradicts itself, nor what it requires or forbids.
fn can_hold(rule: &Rule, to: &mut Diagnostics) {
    let Some(Test::Condition { when, require, forbid }) = &rule.test else { return };
    let keys = [
        (when, "never applies: `when`"),
        (require, "can never be kept: `require`"),
        (forbid, "can never fail: `forbid`"),
    ];
    for (_, what) in keys.into_iter().filter(|(conditions, _)| contradicts_itself(conditions)) {
        to.at(rule.place, Code::BadRule, format!("{} {what} contradicts itself", name(rule)))
            .help("correct the condition, or remove the rule");
    }
}

fn contradicts_itself(all: &[Condition]) -> bool {
    let mut pairs = all.iter().enumerate().flat_map(|(at, one)| all[..at].iter().map(move |other| (other, one)));
    pairs.any(|(one, other)| excludes(one, other))
}

/// Returns whether the `when` of a rule implies what it requires, or excludes what it forbids.
fn never_fails(rule: &Rule) -> bool {
    let Some(Test::Condition { when, require, forbid }) = &rule.test else { return false };
    let is_implied = |required: &Condition| when.iter().any(|condition| implies(condition, required));
    let is_excluded = |forbidden: &Condition| when.iter().any(|condition| excludes(condition, forbidden));
    !require.is_empty() && require.iter().all(is_implied) || forbid.iter().any(is_excluded)
}

/// Returns whether a rule never applies or never fails, which is reported.
fn is_decided(rule: &Rule) -> bool {
    let Some(Test::Condition { when, require, forbid }) = &rule.test else { return false };
    never_fails(rule) || [when, require, forbid].into_iter().any(|all| contradicts_itself(all))
}

/// Returns whether a rule is another one of the family, word for word, in which mistakes are reported.
fn is_taken_over(family: &Family, rule: &Rule) -> bool {
    let others = family.operations.iter().flat_map(|operation| &operation.statements.rules);
    let mut others = others.filter(|other| other.place == rule.written && other.place != rule.place);
    let test = |rule: &Rule| rule.test.as_ref().map(Test::meaning);
    others.any(|other| test(other) == test(rule) && other.kind == rule.kind)
}

/// Checks that a rule can fail, and does not require what it forbids.
fn can_fail(rule: &Rule, to: &mut Diagnostics) {
    let Some(Test::Condition { require, forbid, .. }) = &rule.test else { return };
    if never_fails(rule) {
        to.at(rule.place, Code::BadRule, format!("{} can never fail: `when` implies it", name(rule)))
            .help("correct the condition, or remove the rule");
    }
    if require.iter().any(|required| forbid.len() == 1 && implies(required, &forbid[0])) {
        to.at(rule.place, Code::BadRule, format!("{} requires what it forbids", name(rule)))
            .help("correct `require` or `forbid`");
    }
}

/// Checks that a rule does not require what its `when` excludes: it would refuse every request to which it applies.
fn can_be_kept(rule: &Rule, to: &mut Diagnostics) {
    let Some(Test::Condition { when, require, .. }) = &rule.test else { return };
    let is_excluded = |required: &Condition| when.iter().any(|condition| excludes(condition, required));
    if !contradicts_itself(when) && require.iter().any(is_excluded) {
        to.at(rule.place, Code::BadRule, format!("{} can never be kept: `when` excludes what it requires", name(rule)))
            .help("correct the condition, or write what is refused under `forbid`");
    }
}

/// Checks that two rules with the same condition do not require and forbid the same, and no two test the same.
fn agree(rules: &[Rule], to: &mut Diagnostics) {
    for (first, rule) in repeated(rules, contradict) {
        to.at(rule.place, Code::BadRule, format!("{} contradicts {}", name(rule), name(first)))
            .related(first.place, "the other rule is here")
            .help("correct one of them: under the same `when`, one requires what the other forbids");
    }
    for (first, rule) in repeated(rules, test_the_same) {
        to.at(rule.place, Code::BadRule, format!("{} tests the same as {}", name(rule), name(first)))
            .related(first.place, "the other rule is here")
            .help("correct one of them, or name both places in one rule: `at: Place Order, rule 1; rule 4`");
    }
}

/// Returns whether one of two rules refuses nothing that the other does not.
fn test_the_same(one: &Rule, other: &Rule) -> bool {
    let meanings = one.test.as_ref().zip(other.test.as_ref()).map(|(one, other)| (one.meaning(), other.meaning()));
    list(one) == list(other) && meanings.is_some_and(|(one, other)| one == other)
}

fn list(rule: &Rule) -> Option<&ListName> {
    rule.within.as_ref().map(|(list, _)| list)
}

fn contradict(one: &Rule, other: &Rule) -> bool {
    let (
        Some(Test::Condition { when, require, forbid }),
        Some(Test::Condition { when: other_when, require: other_require, forbid: other_forbid }),
    ) = (&one.test, &other.test)
    else {
        return false;
    };
    let clash = |require: &[Condition], forbid: &[Condition]| match forbid {
        [forbidden] => require.iter().any(|required| implies(required, forbidden)),
        _ => false,
    };
    list(one) == list(other)
        && meaning(when) == meaning(other_when)
        && (clash(require, other_forbid) || clash(other_require, forbid))
}

fn values(values: &[Placed]) -> BTreeSet<&str> {
    values.iter().map(|(value, _)| value.as_str()).collect()
}

/// Returns the parameter or property that a condition compares, how, and with which values.
fn compared(condition: &Condition) -> Option<(&str, &str, BTreeSet<&str>)> {
    match condition {
        Condition::Is { parameter, values: all } => Some(("parameter", &parameter.0, values(all))),
        Condition::HasForm { parameter, forms } => Some(("form", &parameter.0, values(forms))),
        Condition::AccountIs { property, values: all } => Some(("account", &property.0, values(all))),
        Condition::Given(_)
        | Condition::AnyGiven(_)
        | Condition::Compares { .. }
        | Condition::Relates { .. }
        | Condition::Not(_) => None,
    }
}

/// Returns whether the second condition holds whenever the first does.
pub(super) fn implies(one: &Condition, other: &Condition) -> bool {
    match (one, other) {
        (Condition::Not(one), Condition::Not(other)) => implies(other, one),
        (one, Condition::Not(other)) => excludes(one, other),
        (Condition::Given(one), Condition::Given(other)) => values(other).is_subset(&values(one)),
        (Condition::Given(one), Condition::AnyGiven(other)) => !values(other).is_disjoint(&values(one)),
        (Condition::AnyGiven(one), Condition::AnyGiven(other)) => values(one).is_subset(&values(other)),
        (Condition::Is { parameter, .. } | Condition::HasForm { parameter, .. }, Condition::Given(other)) => {
            other.iter().all(|(name, _)| *name == parameter.0)
        }
        _ => match (compared(one), compared(other)) {
            (Some((kind, a, one)), Some((other_kind, b, other))) => {
                (kind, a) == (other_kind, b) && one.is_subset(&other)
            }
            _ => have_ranges(one, other).is_some_and(|(one, other)| one.is_within(&other)),
        },
    }
}

/// Returns the values for which two comparisons of the same parameter hold.
fn have_ranges(one: &Condition, other: &Condition) -> Option<(Range, Range)> {
    let ((name, one), (other_name, other)) = (Range::of_condition(one)?, Range::of_condition(other)?);
    (name == other_name).then_some((one, other))
}

/// Returns whether the second condition fails whenever the first holds. A text may have several forms.
fn excludes(one: &Condition, other: &Condition) -> bool {
    if let (Condition::Not(one), other) | (other, Condition::Not(one)) = (one, other) {
        return implies(other, one);
    }
    match (compared(one), compared(other)) {
        (Some((kind, a, one)), Some((other_kind, b, other))) => {
            kind != "form" && (kind, a) == (other_kind, b) && one.is_disjoint(&other)
        }
        _ => have_ranges(one, other).is_some_and(|(one, other)| one.excludes(&other)),
    }
}

/// Returns whether a rule refuses each request of which all of `facts` hold.
pub(super) fn refuses(rule: &Rule, facts: &[Condition]) -> bool {
    let Some(Test::Condition { when, require, forbid }) = &rule.test else { return false };
    let holds = |condition: &Condition| facts.iter().any(|fact| implies(fact, condition));
    let fails = |condition: &Condition| facts.iter().any(|fact| excludes(fact, condition));
    let is_forbidden = !forbid.is_empty() && forbid.iter().all(holds);
    rule.severity == Severity::Refuse && when.iter().all(holds) && (require.iter().any(fails) || is_forbidden)
}

fn conditions_are_valid(api: &Api, family: &Family, operation: &Operation, rule: &Rule, to: &mut Diagnostics) {
    let Some(parameters) = subject(operation, rule, to) else { return };
    let names = family.names(parameters);
    if is_of_items(family, operation, rule, &names, to) {
        return;
    }
    let name = name(rule);
    let subject =
        Subject { api, family, name: &name, place: rule.place, names: &names, tests_values: !is_decided(rule) };
    belong_to_others(api, family, operation, rule, &names, to);
    if rule.test.iter().flat_map(Test::conditions).any(Condition::is_of_instrument) {
        names_its_instrument(api, family, operation, rule, &names, to);
    }
    match &rule.test {
        None => {}
        Some(Test::Condition { when, require, forbid }) => {
            for conditions in [when, require, forbid] {
                conditions.iter().for_each(|condition| subject.check(condition, to));
            }
            does_not_concern_what_is_always_sent(family, rule, &names, to);
            choices_allow_it(family, rule, &names, to);
            if require.is_empty() && forbid.is_empty() {
                to.at(rule.place, Code::BadRule, format!("{name} has an empty condition"))
                    .help("write a condition under `require` or `forbid`");
            }
        }
        Some(Test::Same(name, place)) => {
            compares_items(operation, rule, &names, ("same", &[(name.clone(), *place)]), to)
        }
        Some(Test::Unique(compared)) => compares_items(operation, rule, &names, ("unique", compared), to),
    }
}

/// Checks that what an operation does not support is a parameter of another one, and none of its own.
fn belong_to_others(
    api: &Api,
    family: &Family,
    operation: &Operation,
    rule: &Rule,
    names: &WireNames<'_>,
    to: &mut Diagnostics,
) {
    for (wire, place) in &rule.unsupported {
        match names.find(wire) {
            Lookup::Found(_) => {
                to.at(*place, Code::BadRule, format!("`{wire}` is not supported, but `{}` has it", operation.name))
                    .help("remove the parameter, or leave it out here");
            }
            Lookup::Missing(_) if api.is_whole => is_of_a_request(family, wire, *place, to),
            Lookup::Missing(_) | Lookup::Unresolved => {}
        }
    }
}

/// Checks that a rule does not concern what every request has: to require it would never fail, and to forbid it would
/// refuse all requests.
fn does_not_concern_what_is_always_sent(family: &Family, rule: &Rule, names: &WireNames<'_>, to: &mut Diagnostics) {
    let Some(Test::Condition { when, require, forbid }) = &rule.test else { return };
    let is_always_sent = |(wire, _): &Placed| match names.find(wire) {
        Lookup::Found(found) => matches!(found.role, Role::Plain(one) if one.is_required()),
        Lookup::Missing(_) | Lookup::Unresolved => false,
    };
    let is_always_given = |condition: &Condition| match condition {
        // A condition without parameters is reported.
        Condition::Given(given) => !given.is_empty() && given.iter().all(is_always_sent),
        Condition::AnyGiven(given) => given.iter().any(is_always_sent) || has_each_alternative(family, names, given),
        Condition::HasForm { .. }
        | Condition::Is { .. }
        | Condition::AccountIs { .. }
        | Condition::Compares { .. }
        | Condition::Relates { .. }
        | Condition::Not(_) => false,
    };
    let all = require.iter().chain(forbid).flat_map(|condition| match condition {
        Condition::Given(given) | Condition::AnyGiven(given) => given.as_slice(),
        Condition::HasForm { .. }
        | Condition::Is { .. }
        | Condition::AccountIs { .. }
        | Condition::Compares { .. }
        | Condition::Relates { .. }
        | Condition::Not(_) => &[],
    });
    let (sent, others): (Vec<_>, Vec<_>) = all.partition(|named| is_always_sent(named));
    let listed = |names: &[&Placed]| name_list(names.iter().map(|(wire, _)| wire.as_str()));
    let sent = if sent.is_empty() { format!("one of {}", listed(&others)) } else { listed(&sent) };
    // Advice stays valid when a parameter becomes required.
    let is_advice = rule.severity == Severity::Warn;
    if !is_advice && !require.is_empty() && require.iter().all(is_always_given) {
        to.at(rule.place, Code::BadRule, format!("{} can never fail: every request has {sent}", name(rule)))
            .help("correct the condition, or remove the rule");
    }
    if !forbid.is_empty() && forbid.iter().all(is_always_given) {
        let (which, help) = if when.is_empty() {
            ("every request", "correct the condition, add `when`, or change what is required")
        } else {
            (
                "every request of `when`",
                "correct the condition, or write what is refused under `forbid`, without `when`",
            )
        };
        to.at(rule.place, Code::BadRule, format!("{} refuses {which}: each has {sent}", name(rule))).help(help);
    }
}

/// Returns whether names are all alternatives of a choice that is always made.
fn has_each_alternative(family: &Family, names: &WireNames<'_>, given: &[Placed]) -> bool {
    let choices = names.iter().filter(|wire| wire.of.is_required()).filter_map(|wire| family.choice_of(wire.of));
    let mut alternatives = choices.filter_map(Choice::alternatives).filter(|all| !all.is_empty());
    alternatives.any(|all| all.iter().all(|one| given.iter().any(|(name, _)| *name == one.name.wire)))
}

/// Checks that some request has what a rule tests, as far as choices decide.
fn choices_allow_it(family: &Family, rule: &Rule, names: &WireNames<'_>, to: &mut Diagnostics) {
    let Some(Test::Condition { when, require, forbid }) = &rule.test else { return };
    let keys = [(&[][..], "never applies"), (require, "can never be kept"), (forbid, "can never fail")];
    let mut found =
        keys.into_iter().filter(|(all, _)| !all.is_empty() || !when.is_empty()).filter_map(|(all, what)| {
            let conditions: Vec<&Condition> = when.iter().chain(all).collect();
            Some((what, excluded_by_choice(family, names, &conditions)?))
        });
    let is_reported = to.iter().any(|one| one.code == Code::BadRule && one.place == Some(rule.place));
    if let Some((what, why)) = found.next().filter(|_| !is_reported) {
        to.at(rule.place, Code::BadRule, format!("{} {what}: {why}", name(rule)))
            .help("correct the condition, or remove the rule");
    }
}

/// Returns why no request has all of these, if a choice excludes it.
fn excluded_by_choice(family: &Family, names: &WireNames<'_>, conditions: &[&Condition]) -> Option<String> {
    let given: Vec<&str> = conditions.iter().flat_map(|condition| has_given(condition)).collect();
    let wires = || names.iter().filter(|wire| given.contains(&wire.name.wire.as_str()));
    let alternatives = || wires().filter(|wire| matches!(wire.role, Role::Alternative(_)));
    for (index, one) in alternatives().enumerate() {
        let is_other =
            |other: &&WireParameter<'_>| other.of.name.place == one.of.name.place && other.name.wire != one.name.wire;
        if let Some(other) = alternatives().take(index).find(is_other) {
            return Some(format!("`{}` and `{}` exclude each other", other.name.wire, one.name.wire));
        }
    }
    wires().filter(|wire| matches!(wire.role, Role::Member(_))).find_map(|member| {
        let choice = family.choice_of(member.of)?;
        let (decider, _) = choice.decider()?;
        let values = conditions.iter().find_map(|condition| match condition {
            Condition::Is { parameter, values } if parameter.0 == decider.wire => Some(values),
            _ => None,
        })?;
        let goes_with = |value: &str| {
            let mut cases = choice.cases(family).filter(|(known, _)| known.name.wire == value);
            cases.any(|(_, case)| case.parameters.iter().any(|one| one.name.wire == member.name.wire))
        };
        let is_sent = values.is_empty() || values.iter().any(|(value, _)| goes_with(value));
        let values = name_list(values.iter().map(|(value, _)| value.as_str()));
        (!is_sent).then(|| format!("`{}` is not sent if `{}` is {values}", member.name.wire, decider.wire))
    })
}

/// Returns the parameters that are set if a condition holds.
fn has_given(condition: &Condition) -> Vec<&str> {
    match condition {
        Condition::Given(_)
        | Condition::Is { .. }
        | Condition::HasForm { .. }
        | Condition::Compares { .. }
        | Condition::Relates { .. } => condition.names(),
        Condition::AnyGiven(_) | Condition::AccountIs { .. } | Condition::Not(_) => Vec::new(),
    }
}

/// Checks that a rule that compares with an instrument belongs to a request that names one.
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
        let help =
            format!("add `instrument: {{ line: ..., symbol: ... }}` to {}", to.beside(rule.place, "family.yaml"));
        to.at(
            rule.place,
            Code::BadRule,
            format!("{} compares with an instrument, but the family has no `instrument`", name(rule)),
        )
        .help(help);
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
                format!("{} compares with an instrument, but the request has no `{parameter}`", name(rule)),
            )
            .help("make the rule `stated` with a `why`");
        }
    }
}

/// Returns the parameters that a rule can use: those of the request, or of the items in `in`.
fn subject<'a>(operation: &'a Operation, rule: &Rule, to: &mut Diagnostics) -> Option<&'a [Parameter]> {
    let Some((list, place)) = &rule.within else { return Some(operation.body.parameters()) };
    list_of_objects(operation, list.as_str(), *place, to).map(|(_, item)| item.parameters.as_slice())
}

fn compares_items(
    operation: &Operation,
    rule: &Rule,
    names: &WireNames<'_>,
    (key, compared): (&str, &[Placed]),
    to: &mut Diagnostics,
) {
    let list = operation.items().find(|(_, item)| Some(&item.list) == list(rule));
    if let Some((list, (_, bound))) =
        list.and_then(|(list, _)| Some((list, list.max_items?))).filter(|(_, (most, _))| *most == 1)
    {
        let of = &list.name.wire;
        to.at(rule.place, Code::BadRule, format!("{} can never fail: `{of}` has one item at most", name(rule)))
            .related(bound, "`max_items` is here")
            .help("correct `max_items`, or remove the rule");
    }
    if rule.within.is_none() {
        to.at(
            rule.place,
            Code::BadRule,
            format!("`{key}` compares the items of a list, but {} has no `in`", name(rule)),
        )
        .help("add `in: someList`, or `in: \"[]\"` for a body that is an array");
        return;
    }
    if compared.is_empty() {
        to.at(rule.place, Code::BadRule, format!("`{key}` is empty")).help("list at least one parameter of the items");
    }
    for (name, place) in compared {
        let Some(found) = find(names, name, *place, to) else { continue };
        let (Role::Plain(parameter) | Role::Alternative(parameter)) = found.role else {
            not_comparable(name, *place, "is a member of a choice by value", to);
            continue;
        };
        if parameter.edit.is_some() || !parameter.shape.is_one(|ty| ty.is_text() || ty.is_enum()) {
            not_comparable(name, *place, "is not a text", to);
        }
    }
}

fn not_comparable(name: &str, place: Place, why: &str, to: &mut Diagnostics) {
    to.at(place, Code::BadRule, format!("items cannot be compared by `{name}`, which {why}"))
        .help("compare texts, identifiers or enums, or make the rule `stated` with a `why`");
}

/// Returns the name of a rule in messages.
pub(super) fn name(rule: &Rule) -> String {
    if rule.id.is_empty() { "the rule".to_owned() } else { format!("the rule `{}`", rule.id) }
}
