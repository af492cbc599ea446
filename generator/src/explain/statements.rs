//! Rules by their kind, contradictions, gaps and observations.

use super::page::{Page, joined, sentence};
use crate::diagnostics::Place;
use crate::load::raw::{RuleKind, Severity};
use crate::model::{Comparison, Condition, Rule, Statements, Test};

/// What each kind of rule means, in the order they are shown.
const KINDS: [(RuleKind, &str); 5] = [
    (RuleKind::Checked, "checked before sending"),
    (RuleKind::Type, "cannot be written wrong"),
    (RuleKind::Limit, "kept by the limiter"),
    (RuleKind::Simulated, "what the exchange does"),
    (RuleKind::Stated, "not checked"),
];

pub(super) fn rules(page: &mut Page, heading: &str, statements: &Statements) {
    for (kind, meaning) in KINDS {
        let rules: Vec<_> = statements.rules.iter().filter(|rule| rule.kind == kind).collect();
        if rules.is_empty() {
            continue;
        }
        page.heading(&format!("{heading}: {meaning}"));
        for rule in rules {
            let warns = if rule.severity == Severity::Warn { ", only warned of" } else { "" };
            page.entry(1, &format!("{} ({}){warns}", rule.id, rule.at));
            page.entry(3, &joined(&[sentence(&rule.says), rule.why.as_deref().map(sentence).unwrap_or_default()], " "));
            if let Some(test) = &rule.test {
                page.entry(3, &joined(&[within(rule), condition(test)], " "));
            }
        }
    }
}

pub(super) fn others(page: &mut Page, statements: &Statements) {
    if !statements.contradictions.is_empty() {
        page.heading("Where the documents contradict themselves");
    }
    for contradiction in &statements.contradictions {
        page.entry(1, &contradiction.id);
        contradiction.readings.iter().for_each(|reading| page.named(3, 7, "reading", &sentence(reading)));
        page.named(3, 7, "chosen", &sentence(&contradiction.chosen));
        page.named(3, 7, "why", &sentence(&contradiction.why));
    }
    if !statements.not_shown.is_empty() {
        page.heading("Not shown in the documents");
    }
    statements.not_shown.iter().for_each(|open| page.entry(1, &sentence(&open.says)));
    if !statements.observed.is_empty() {
        page.heading("Seen on the wire, in no document");
    }
    for observation in &statements.observed {
        page.entry(
            1,
            &format!("{}: {} ({})", observation.id, sentence(&observation.says), observation.sources.join(", ")),
        );
    }
}

fn within(rule: &Rule) -> String {
    match &rule.within {
        Some((list, _)) if list == "[]" => "In each item of the body:".to_owned(),
        Some((list, _)) => format!("In each item of {list}:"),
        None => String::new(),
    }
}

fn condition(test: &Test) -> String {
    match test {
        Test::Condition { when, require, forbid } => {
            let part = |word: &str, conditions: &[Condition]| {
                let all: Vec<_> = conditions.iter().map(one).collect();
                if all.is_empty() { String::new() } else { format!("{word} {}", all.join(" and ")) }
            };
            sentence(&joined(&[part("when", when), part("require", require), part("forbid", forbid)], "; "))
        }
        Test::Same(name, _) => format!("{name} is the same in all."),
        Test::Unique(names) => format!("{} is different in all.", names_of(names, " and ")),
    }
}

fn one(condition: &Condition) -> String {
    match condition {
        Condition::Given(names) => format!("{} given", names_of(names, " and ")),
        Condition::AnyGiven(names) => format!("{} given", names_of(names, " or ")),
        Condition::HasForm { parameter, forms } => format!("{} of the form {}", parameter.0, names_of(forms, " or ")),
        Condition::AccountIs { property, values } => {
            format!("the account's {} is {}", property.0, names_of(values, " or "))
        }
        Condition::Compares { parameter, comparison, property } => {
            let whose = if comparison.is_of_instrument() { "the instrument's" } else { "the account's" };
            format!("{} is {} {whose} {}", parameter.0, compared(*comparison), property.0)
        }
        Condition::Is { parameter, values } => format!("{} is {}", parameter.0, names_of(values, " or ")),
    }
}

fn compared(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Among => "among",
        Comparison::NotBefore => "not before",
        Comparison::MultipleOf => "a multiple of",
        Comparison::Places => "of no more decimal places than",
        Comparison::AtLeast => "at least",
    }
}

fn names_of(names: &[(String, Place)], between: &str) -> String {
    names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(between)
}
