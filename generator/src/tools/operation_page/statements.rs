//! Rules by their kind, contradictions, gaps and observations.

use super::page::TextPage;
use crate::compiler::model::phrases::{joined, sentence};
use crate::compiler::model::{ListName, Rule, RuleKind, Severity, Statements};

/// The meaning of each kind of rule, in the order of the page.
const KINDS: [(RuleKind, &str); 5] = [
    (RuleKind::Checked, "checked before sending"),
    (RuleKind::Type, "kept by types"),
    (RuleKind::Limit, "kept by the limiter"),
    (RuleKind::Simulated, "what the exchange does"),
    (RuleKind::Stated, "not checked"),
];

pub(super) fn rules(page: &mut TextPage, heading: &str, statements: &Statements) {
    for (kind, meaning) in KINDS {
        let rules: Vec<_> = statements.rules.iter().filter(|rule| rule.kind == kind).collect();
        if rules.is_empty() {
            continue;
        }
        page.heading(&format!("{heading}: {meaning}"));
        for rule in rules {
            let warns = if rule.severity == Severity::Warn { ", warning only" } else { "" };
            page.entry(1, &format!("{} ({}){warns}", rule.id, rule.at));
            page.entry(3, &joined(&[sentence(&rule.says), rule.why.as_deref().map(sentence).unwrap_or_default()], " "));
            if let Some(test) = &rule.test {
                page.entry(3, &joined(&[within(rule), sentence(&test.to_string())], " "));
            }
            if let Some(parameters) = rule.unsupported_in_words() {
                page.entry(3, &sentence(&parameters));
            }
        }
    }
}

pub(super) fn others(page: &mut TextPage, statements: &Statements) {
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
    statements.not_shown.iter().for_each(|open| page.entry(1, &sentence(&open.says.0)));
    if !statements.observed.is_empty() {
        page.heading("Observed on the wire, in no document");
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
        Some((ListName::Body, _)) => "In each item of the body:".to_owned(),
        Some((ListName::Parameter(list) | ListName::Within(list), _)) => format!("In each item of {list}:"),
        Some((ListName::Object(object), _)) => format!("In {object}:"),
        None => String::new(),
    }
}
