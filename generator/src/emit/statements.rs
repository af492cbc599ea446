//! Rules, contradictions, gaps and observations, as documentation.

use super::docs::{Docs, code, escape};
use crate::load::raw::RuleKind;
use crate::model::{Rule, Statements};

/// Adds all statements of a family or an operation.
pub(super) fn add(docs: &mut Docs, statements: &Statements) {
    if !statements.rules.is_empty() {
        docs.heading("Rules");
        docs.gap();
        for rule in &statements.rules {
            docs.entry(&rule_entry(rule));
        }
    }
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
            docs.entry(&sentence(&open.says));
        }
    }
    if !statements.observed.is_empty() {
        docs.heading("Seen on the wire, in no document");
        docs.gap();
        for observation in &statements.observed {
            docs.entry(&format!("{} ({})", sentence(&observation.says), escape(&observation.sources.join(", "))));
        }
    }
}

fn rule_entry(rule: &Rule) -> String {
    let kind = match rule.kind {
        RuleKind::Type => "cannot be written wrong",
        RuleKind::Checked => "checked before sending",
        RuleKind::Limit => "a rate",
        RuleKind::Simulated => "what the exchange does",
        RuleKind::Stated => "not checked",
    };
    let why = rule.why.as_ref().map(|why| format!(" {}", sentence(why))).unwrap_or_default();
    format!("{} ({kind}): {}{why}", code(&rule.id), sentence(&rule.says))
}

/// The text with a full stop at its end.
fn sentence(text: &str) -> String {
    let text = escape(text.trim());
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}
