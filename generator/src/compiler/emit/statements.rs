//! Rules, contradictions, gaps and observations, as documentation.

use super::docs::{Docs, code, escape};
use crate::compiler::model::{Rule, RuleKind, Severity, Statements};

/// Adds all statements of a family or an operation.
pub(super) fn add(docs: &mut Docs, statements: &Statements) {
    add_rules(docs, &statements.rules);
    if !statements.contradictions.is_empty() {
        docs.heading("Where the documents contradict themselves");
        docs.gap();
        for contradiction in &statements.contradictions {
            let readings: Vec<_> = contradiction.readings.iter().map(|reading| sentence(reading)).collect();
            docs.entry(&format!(
                "{}: {} Chosen: {} {}",
                code(&contradiction.id),
                readings.join(" Against: "),
                sentence(&contradiction.chosen),
                sentence(&contradiction.why)
            ));
        }
    }
    if !statements.not_shown.is_empty() {
        docs.heading("Not shown in the documents");
        docs.gap();
        for open in &statements.not_shown {
            docs.entry(&sentence(&open.says.0));
        }
    }
    if !statements.observed.is_empty() {
        docs.heading("Observed on the wire, in no document");
        docs.gap();
        for observation in &statements.observed {
            docs.entry(&format!("{} ({})", sentence(&observation.says), escape(&observation.sources.join(", "))));
        }
    }
}

/// The checked rules, followed by the others in a folded section.
fn add_rules(docs: &mut Docs, rules: &[Rule]) {
    if rules.is_empty() {
        return;
    }
    docs.heading("Rules");
    let (checked, others): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.kind == RuleKind::Checked);
    if !checked.is_empty() {
        docs.markdown("Checked before a request is sent:");
    }
    for rule in checked {
        let warns = if rule.severity == Severity::Warn { " (warns)" } else { "" };
        docs.entry(&rule_entry(rule, warns));
    }
    if others.is_empty() {
        return;
    }
    docs.fold("What the exchange does, and other rules that are not checked");
    for rule in others {
        docs.entry(&rule_entry(rule, kept_by(rule.kind)));
    }
    docs.unfold();
}

/// Returns what enforces a rule that is not checked.
fn kept_by(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Type => " (kept by the types)",
        RuleKind::Limit => " (kept by the limiter)",
        RuleKind::Stated | RuleKind::Todo => " (not checked)",
        RuleKind::Checked | RuleKind::Simulated => "",
    }
}

fn rule_entry(rule: &Rule, note: &str) -> String {
    let why = rule.why.as_ref().map(|why| format!(" {}", sentence(why))).unwrap_or_default();
    let unsupported = rule.unsupported.iter().map(|(name, _)| code(name)).collect::<Vec<_>>();
    let unsupported =
        if unsupported.is_empty() { String::new() } else { format!(" Not supported: {}.", unsupported.join(", ")) };
    format!("{}{note}: {}{why}{unsupported}", code(&rule.id), sentence(&rule.says))
}

/// The text with a final full stop.
fn sentence(text: &str) -> String {
    let text = escape(text.trim());
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}
