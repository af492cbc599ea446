//! Rules, contradictions, observations.

use std::collections::BTreeSet;

use super::{Builder, placed, placed_list};
use crate::compiler::diagnostics::{Code, Place, unknown};
use crate::compiler::load::{Conditions, Spanned, raw};
use crate::compiler::model::{
    Comparison, Condition, Contradiction, Observation, Operand, Placed, Relation, Rule, RuleKind, Severity, Test,
};

/// Returns the rules of a family or of one of its `operations`.
pub(super) fn rules(builder: &mut Builder<'_>, raw: &[Spanned<raw::Rule>], operations: &Operations) -> Vec<Rule> {
    raw.iter()
        .filter_map(|raw| {
            let raw = follow(builder, raw, operations)?;
            Some(rule(builder, &raw))
        })
        .collect()
}

/// The operation files of a family.
pub(super) type Operations = [(String, Place, raw::Operation)];

/// Returns whether a file is that of the operation; where it says another name than its own, that alone is the mistake.
pub(super) fn is_named((file, _, raw): &(String, Place, raw::Operation), name: &str) -> bool {
    file == name || raw.operation.as_ref().is_some_and(|own| own.value == name)
}

/// Replaces `as: operation.rule` by the rule that it names; keys beside it win. The list is never taken over.
fn follow(builder: &mut Builder<'_>, raw: &Spanned<raw::Rule>, operations: &Operations) -> Option<Spanned<raw::Rule>> {
    let Some(reference) = &raw.r#as else {
        // With an unread `as`, keys may come from the other rule, so none is reported as missing.
        return if builder.to.is_unread(raw.place.file, "as") { None } else { Some(raw.clone()) };
    };
    let (operation, id) = reference.value.split_once('.').unwrap_or((&reference.value, ""));
    let rules = || operations.iter().filter(|one| is_named(one, operation)).flat_map(|(.., raw)| &raw.rules);
    let ids = || rules().filter_map(|rule| rule.id.as_ref()).map(|id| (id.value.as_str(), Some(id.place)));
    let lacks_id = |rule: &Spanned<raw::Rule>| rule.id.is_none() && rule.r#as.is_none();
    let Some(base) = rules().find(|rule| rule.id.as_ref().is_some_and(|known| known.value == id)) else {
        if rules().any(lacks_id) {
            // Reported at the rule without an id, which may be this one.
            return None;
        }
        let help = unknown(id, ids(), || {
            "write `operation.rule` with an operation of this family, such as `place-order.qty-minimum`".to_owned()
        });
        builder.at(reference.place, Code::UndefinedName, format!("unknown rule `{}`", reference.value)).help(help);
        return None;
    };
    if base.r#as.is_some() {
        builder
            .at(reference.place, Code::Circular, format!("the rule `{}` has an `as` of its own", reference.value))
            .related(base.place, "its `as` is here")
            .help("refer to a rule that is written out");
        return None;
    }
    let has_test = |rule: &raw::Rule| {
        rule.require.is_some() || rule.forbid.is_some() || rule.same.is_some() || rule.unique.is_some()
    };
    let lacks_test = base.kind.as_ref().is_some_and(|kind| kind.value == RuleKind::Checked) && !has_test(base);
    if base.kind.is_none() || base.says.is_none() || lacks_test && !has_test(raw) {
        // Reported at the rule itself.
        return None;
    }
    let base = raw::Rule { r#in: None, ..base.value.clone() };
    let value = raw::Rule { r#as: None, ..raw.value.clone().or(base) };
    Some(Spanned { value, place: raw.place })
}

fn rule(builder: &mut Builder<'_>, raw: &Spanned<raw::Rule>) -> Rule {
    let kind = match &raw.kind {
        Some(kind) => kind.value,
        None => {
            builder.missing("kind", raw.place);
            // If it is missing, a value that passes the checks, so that only the missing key is reported.
            let has_test = raw.require.is_some() || raw.forbid.is_some() || raw.same.is_some() || raw.unique.is_some();
            if has_test { RuleKind::Checked } else { RuleKind::Type }
        }
    };
    Rule {
        id: builder.need(&raw.id, "id", raw.place),
        place: raw.id.as_ref().filter(|id| id.place.file == raw.place.file).map_or(raw.place, |id| id.place),
        written: raw.id.as_ref().map_or(raw.place, |id| id.place),
        at: raw.at.as_ref().map_or_else(String::new, |_| builder.need(&raw.at, "at", raw.place)),
        kind,
        severity: raw.severity.as_ref().map_or(Severity::Refuse, |severity| severity.value),
        severity_place: raw.severity.as_ref().map(|severity| severity.place),
        says: builder.need(&raw.says, "says", raw.place),
        why: raw.why.as_ref().map(|why| why.value.trim().to_owned()),
        within: raw.r#in.as_ref().map(placed_list),
        test: test(builder, raw),
        unsupported: raw.unsupported.iter().flat_map(|names| names.iter().map(placed)).collect(),
    }
}

/// Returns the test of the rule; several tests in one rule are refused.
fn test(builder: &mut Builder<'_>, raw: &Spanned<raw::Rule>) -> Option<Test> {
    let has_condition = raw.require.is_some() || raw.forbid.is_some();
    let tests = usize::from(has_condition) + usize::from(raw.same.is_some()) + usize::from(raw.unique.is_some());
    if tests > 1 {
        builder
            .at(raw.place, Code::BadRule, "a rule can have only one test")
            .help("write separate rules for `same`, `unique`, and `require` with `forbid`");
    }
    if let Some(when) = raw.when.as_ref().filter(|_| tests > 0 && !has_condition) {
        builder
            .at(when.place, Code::BadRule, "`when` requires `require` or `forbid`")
            .help("add `require` or `forbid`, or remove `when`");
    }
    if let Some(when) = raw.when.as_ref().filter(|when| has_condition && when.is_empty()) {
        let help = "write when the rule applies, or remove `when`: without it, the rule always applies";
        builder.at(when.place, Code::BadRule, "`when` is empty").help(help);
    }
    if let Some(same) = &raw.same {
        return Some(Test::Same(same.value.clone(), same.place));
    }
    if let Some(unique) = &raw.unique {
        return Some(Test::Unique(unique.iter().map(placed).collect()));
    }
    (has_condition || raw.when.is_some()).then(|| Test::Condition {
        when: conditions(raw.when.as_ref()),
        require: conditions(raw.require.as_ref()),
        forbid: conditions(raw.forbid.as_ref()),
    })
}

pub(super) fn conditions(raw: Option<&Spanned<Conditions>>) -> Vec<Condition> {
    let entries = raw.into_iter().flat_map(|raw| raw.iter());
    entries
        .map(|(name, values)| {
            let values = values.iter().map(placed).collect();
            match name.value.strip_prefix("not.") {
                Some(key) => Condition::Not(Box::new(condition(key, name.place, values))),
                None => condition(&name.value, name.place, values),
            }
        })
        .collect()
}

fn condition(key: &str, place: Place, values: Vec<Placed>) -> Condition {
    match key {
        "given" => Condition::Given(values),
        "any_given" => Condition::AnyGiven(values),
        key => worded(key, place, values),
    }
}

/// Returns a condition whose key is a parameter's name with a word before or after it.
fn worded(key: &str, place: Place, values: Vec<Placed>) -> Condition {
    let named = |name: &str| (name.to_owned(), place);
    if let Some(property) = key.strip_prefix("account.") {
        return Condition::AccountIs { property: named(property), values };
    }
    let Some((parameter, word)) = key.rsplit_once('.') else {
        return Condition::Is { parameter: named(key), values };
    };
    if word == "form" {
        return Condition::HasForm { parameter: named(parameter), forms: values };
    }
    if let (Some(relation), [(operand, place)]) = (Relation::parse(word), values.as_slice()) {
        let operand = Operand::parse(operand);
        return Condition::Relates { parameter: named(parameter), relation, operand, place: *place };
    }
    match (Comparison::parse(word), values.as_slice()) {
        (Some(comparison), [property]) => {
            Condition::Compares { parameter: named(parameter), comparison, property: property.clone() }
        }
        _ => Condition::Is { parameter: named(key), values },
    }
}

pub(super) fn contradictions(builder: &mut Builder<'_>, raw: &[Spanned<raw::Contradiction>]) -> Vec<Contradiction> {
    raw.iter()
        .map(|raw| {
            let readings: BTreeSet<&str> = raw.readings.iter().map(|reading| reading.value.trim()).collect();
            if readings.len() < 2 {
                builder
                    .at(raw.place, Code::BadRule, "a contradiction has at least two different readings")
                    .help("add them to `readings`");
            }
            Contradiction {
                id: builder.need(&raw.id, "id", raw.place),
                place: raw.id.as_ref().map_or(raw.place, |id| id.place),
                readings: raw.readings.iter().map(|text| text.value.trim().to_owned()).collect(),
                chosen: builder.need(&raw.chosen, "chosen", raw.place),
                why: builder.need(&raw.why, "why", raw.place),
            }
        })
        .collect()
}

pub(super) fn observations(builder: &mut Builder<'_>, raw: &[Spanned<raw::Observation>]) -> Vec<Observation> {
    raw.iter()
        .map(|raw| {
            if raw.sources.is_empty() {
                builder.missing("sources", raw.place);
            }
            Observation {
                id: builder.need(&raw.id, "id", raw.place),
                place: raw.id.as_ref().map_or(raw.place, |id| id.place),
                says: builder.need(&raw.says, "says", raw.place),
                sources: raw.sources.iter().map(|text| text.value.trim().to_owned()).collect(),
            }
        })
        .collect()
}
